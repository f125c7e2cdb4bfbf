"""Going from one column of a page to the next by a key."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget


def columns_of(page: QWidget) -> list[QWidget]:
    """The visible columns of a page in reading order; one that is split counts as several."""
    found = [one for one in page.findChildren(QSplitter) if one.isVisible()]
    outermost = [one for one in found if not any(other.isAncestorOf(one) for other in found)]
    return [part for one in outermost for part in _parts(one)]


def _parts(splitter: QSplitter) -> list[QWidget]:
    parts: list[QWidget] = []
    for place in range(splitter.count()):
        part = splitter.widget(place)
        if isinstance(part, QSplitter):
            parts += _parts(part)
        elif part.isVisible():
            parts.append(part)
    return parts


def step_column(page: QWidget, columns: Sequence[QWidget], step: int) -> None:
    """Focus the first control of the next column, or of the one before."""
    stops = [stop for stop in map(_first_stop, columns) if stop is not None]
    if not stops:
        return
    focused = page.window().focusWidget()
    here = next((n for n, c in enumerate(columns) if focused is c or c.isAncestorOf(focused)), -1)
    before = [stop for stop in map(_first_stop, columns[: max(here, 0)]) if stop is not None]
    place = len(before) if here >= 0 else (-1 if step > 0 else 0)
    stops[(place + step) % len(stops)].setFocus(Qt.FocusReason.ShortcutFocusReason)


def _first_stop(column: QWidget) -> QWidget | None:
    if _takes_tab(column):
        return column
    step = column.nextInFocusChain()
    while step is not column:
        if column.isAncestorOf(step) and _takes_tab(step):
            return step
        step = step.nextInFocusChain()
    return None


def _takes_tab(widget: QWidget) -> bool:
    tab = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return tab and widget.isEnabled() and widget.isVisible()
