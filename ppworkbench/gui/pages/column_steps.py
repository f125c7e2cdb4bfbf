"""Going from one column of a page to the next by a key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget

from ppworkbench.gui.widgets.card import Card

Kind = TypeVar("Kind", bound=QWidget)
_LINE = 16
"""Pixels within which things count as side by side."""


def columns_of(page: QWidget) -> list[QWidget]:
    """The visible columns of a page in reading order; one that is split counts as several.

    A page that has no columns has cards.
    """
    found = [part for one in _outermost(page, QSplitter) for part in _parts(one)]
    return found or _outermost(page, Card)


def _parts(splitter: QSplitter) -> list[QWidget]:
    parts: list[QWidget] = []
    for place in range(splitter.count()):
        part = splitter.widget(place)
        if not part.isVisible():
            continue
        inner = [part] if isinstance(part, QSplitter) else _outermost(part, QSplitter)
        parts += [below for one in inner for below in _parts(one)] if inner else [part]
    return parts


def _outermost(root: QWidget, kind: type[Kind]) -> list[Kind]:
    """What is in sight of a kind of widget and is in no other of them."""
    found = [one for one in root.findChildren(kind) if one.isVisible()]
    # A widget is an ancestor of its own, says Qt.
    return [one for one in found if not any(o is not one and o.isAncestorOf(one) for o in found)]


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
    """What is highest in a column, and of that what is leftmost.

    Going along the chain of focus would touch widgets that Qt made for itself and may delete.
    """
    if _takes_tab(column):
        return column
    stops = [child for child in column.findChildren(QWidget) if _takes_tab(child)]
    return min(stops, key=lambda stop: _place_in(column, stop), default=None)


def _place_in(column: QWidget, widget: QWidget) -> tuple[int, int]:
    corner = widget.mapTo(column, widget.rect().topLeft())
    # What stands side by side is seldom aligned to the pixel.
    return corner.y() // _LINE, corner.x()


def _takes_tab(widget: QWidget) -> bool:
    tab = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return tab and widget.isEnabled() and widget.isVisible()
