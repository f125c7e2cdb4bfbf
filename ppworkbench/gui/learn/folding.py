"""One column fewer: the panel of a demonstration takes the room of a column nobody speaks of."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtWidgets import QScrollArea, QWidget

from ppworkbench.gui.widgets.splitter import Splitter

_FOLDED = "foldedByDemonstration"
FEWEST = 1040
"""A page narrower than this gives up a column."""


def fold_columns(page: QWidget, needed: Iterable[QWidget], room: int, scale: float) -> None:
    """Hide columns that hold nothing needed, the last one first, then the first.

    In a narrow window one is hidden at least, and more while the others do not fit.

    Parameters
    ----------
    room
        The width that there is for the page, in pixels.
    scale
        How much larger than usual the type is.
    """
    columns = _columns(page)
    spoken_of = list(needed)
    hidden: list[QWidget] = []
    if room < FEWEST * scale and len(columns) > 1:
        for one in (columns[-1], *columns[:-1]):
            left = [other for other in columns if other not in hidden]
            if (hidden and _fit(left, room)) or len(left) == 1:
                break
            if not any(one is two or one.isAncestorOf(two) for two in spoken_of):
                hidden.append(one)
    for one in columns:
        # A column that the page itself has hidden is left alone.
        if one in hidden:
            one.setProperty(_FOLDED, True)
            one.hide()
        elif one.property(_FOLDED):
            one.setProperty(_FOLDED, False)
            one.show()


def _fit(columns: list[QWidget], room: int) -> bool:
    wanted = 0
    for one in columns:
        inner = one.findChild(QScrollArea)
        content = one.widget() if isinstance(one, QScrollArea) else inner and inner.widget()
        widths = [one.minimumSizeHint().width(), one.minimumWidth()]
        wanted += max([*widths, content.minimumSizeHint().width() if content is not None else 0])
    return wanted + 12 * (len(columns) - 1) + 32 <= room


def _columns(page: QWidget) -> list[QWidget]:
    """The columns of a page from left to right; one may itself be split into columns."""
    found = page.findChildren(Splitter)
    outermost = [
        one
        for one in found
        if one.is_across
        and not any(other is not one and other.isAncestorOf(one) for other in found)
    ]
    return _parts(outermost[0]) if outermost else []


def _parts(splitter: Splitter) -> list[QWidget]:
    parts: list[QWidget] = []
    for place in range(splitter.count()):
        part = splitter.widget(place)
        inner = [one for one in part.findChildren(Splitter) if one.is_across]
        parts += _parts(inner[0]) if inner else [part]
    return parts
