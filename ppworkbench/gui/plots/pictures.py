"""Which pictures of a page can tell their numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from ppworkbench.gui.plots.picture_files import Rows
from ppworkbench.gui.widgets.card import Card


@dataclass(frozen=True)
class Picture:
    """A picture with its numbers; ``looks`` says how each column is drawn in it."""

    name: str
    widget: QWidget
    rows: Rows
    looks: tuple[str, ...] = ()


def pictures_of(page: QWidget) -> list[Picture]:
    """Every picture in sight that shows something, in the order in which they were made."""
    found = []
    for widget in page.findChildren(QWidget):
        rows = _teller(widget)
        if rows is not None and widget.isVisible() and widget.accessibleName():
            told = rows()
            if len(told) > 1:
                looks = getattr(widget, "head_looks", tuple)()
                found.append(Picture(widget.accessibleName(), widget, told, looks))
    return found


def picture_meant(pictures: list[Picture], focused: QWidget | None) -> Picture | None:
    """The picture that has the focus, else the largest one."""
    for one in pictures:
        if focused is not None and (one.widget is focused or one.widget.isAncestorOf(focused)):
            return one
    return max(pictures, key=_size, default=None)


def _size(picture: Picture) -> int:
    return picture.widget.width() * picture.widget.height()


def _teller(widget: QWidget) -> Callable[[], Rows] | None:
    rows = getattr(widget, "rows", None)
    return rows if callable(rows) and not isinstance(widget, Card) else None
