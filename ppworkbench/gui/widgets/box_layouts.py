"""Rows and columns that leave no item of a layout in Python's memory."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QBoxLayout,
    QFormLayout,
    QGridLayout,
    QHBoxLayout,
    QLayout,
    QVBoxLayout,
)
from shiboken6 import invalidate

_OF_QT = (QBoxLayout, QFormLayout, QGridLayout)


class Column(QVBoxLayout):
    """A column of widgets and layouts."""

    def addLayout(self, layout: QLayout, stretch: int = 0) -> None:  # noqa: N802
        """Put a layout below the others."""
        super().addLayout(layout, stretch)
        forget_items(layout)


class Row(QHBoxLayout):
    """A row of widgets and layouts."""

    def addLayout(self, layout: QLayout, stretch: int = 0) -> None:  # noqa: N802
        """Put a layout to the right of the others."""
        super().addLayout(layout, stretch)
        forget_items(layout)


def forget_items(layout: QLayout) -> None:
    """Let Python forget the items of a layout that was put into another, and of those in it.

    PySide makes an object for each of them then, and is not told when Qt deletes an item along with
    its widget. Whatever Qt made at the same address later, an action or the model of a list, would
    be taken for the item that was, and the program would break down.
    """
    if layout.parentWidget() is None or not isinstance(layout, _OF_QT):
        # Nothing was made yet, or they are kept by Python itself.
        return
    for place in range(layout.count()):
        item = layout.itemAt(place)
        inner = item.layout()
        if inner is not None:
            forget_items(inner)
        if not isinstance(item, QLayout):
            invalidate(item)
