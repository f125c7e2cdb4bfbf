"""Which pictures of a page can tell their numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from PySide6.QtWidgets import QWidget

from ppworkbench.gui.plots.picture_files import Rows
from ppworkbench.gui.widgets.card import Card


class Picture:
    """A picture with its numbers, which are asked for when they are needed.

    A picture of very many numbers has ``few_rows``, which gives the first of them.
    """

    def __init__(self, widget: QWidget, rows: Callable[[], Rows]) -> None:
        self.widget = widget
        self.all_rows = rows
        self.name = widget.accessibleName()

    def forget(self) -> None:
        """Ask for the numbers anew: the picture has been drawn since."""
        self.name = self.widget.accessibleName()
        for known in ("rows", "looks"):
            self.__dict__.pop(known, None)

    @cached_property
    def rows(self) -> Rows:
        """Heads, and what is shown of the numbers."""
        few: Callable[[], Rows] = getattr(self.widget, "few_rows", self.all_rows)
        return few() or [[]]

    @property
    def is_cut(self) -> bool:
        """Whether the picture has more numbers than are shown."""
        return hasattr(self.widget, "few_rows") and len(self.rows) - 1 < self.widget.total

    @cached_property
    def looks(self) -> tuple[str, ...]:
        """How each column is drawn in the picture; empty where it is not told."""
        told: tuple[str, ...] = getattr(self.widget, "head_looks", tuple)()
        return told


def pictures_of(page: QWidget) -> list[Picture]:
    """Every picture in sight, in the order in which they were made."""
    found = []
    for widget in page.findChildren(QWidget):
        rows = _teller(widget)
        if rows is not None and widget.isVisible() and widget.accessibleName():
            found.append(Picture(widget, rows))
    return found


def picture_meant(pictures: list[Picture], focused: QWidget | None) -> Picture | None:
    """The picture that has the focus, else the largest one that shows something."""
    for one in pictures:
        if focused is not None and (one.widget is focused or one.widget.isAncestorOf(focused)):
            return one
    by_size = sorted(pictures, key=lambda one: -one.widget.width() * one.widget.height())
    return next((one for one in by_size if len(one.rows) > 1), None)


def _teller(widget: QWidget) -> Callable[[], Rows] | None:
    rows = getattr(widget, "rows", None)
    return rows if callable(rows) and not isinstance(widget, Card) else None
