"""Tab goes as people read: in the order of the layouts, whenever a widget was made."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLayout, QScrollArea, QSplitter, QStackedWidget, QWidget


def order_tabs(root: QWidget) -> None:
    """Chain all that takes the focus within a widget, from left to right and from top to bottom."""
    before: QWidget | None = None
    for stop in _stops(root):
        if before is not None and before.nextInFocusChain() is not stop:
            QWidget.setTabOrder(before, stop)
        before = stop


def _stops(widget: QWidget) -> Iterator[QWidget]:
    if not widget.isVisible():
        return
    if widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
        yield widget
    for child in _parts(widget):
        yield from _stops(child)


def _parts(widget: QWidget) -> Iterator[QWidget]:
    """What a widget shows, in reading order."""
    if isinstance(widget, QSplitter):
        yield from (widget.widget(place) for place in range(widget.count()))
    elif isinstance(widget, QScrollArea):
        if widget.widget() is not None:
            yield widget.widget()
    elif isinstance(widget, QStackedWidget):
        if widget.currentWidget() is not None:
            yield widget.currentWidget()
    elif (layout := widget.layout()) is not None:
        yield from _items(layout)


def _items(layout: QLayout) -> Iterator[QWidget]:
    places = range(layout.count())
    if isinstance(layout, QGridLayout):
        places = sorted(places, key=lambda place: layout.getItemPosition(place)[:2])
    for place in places:
        item = layout.itemAt(place)
        widget, inner = item.widget(), item.layout()
        if widget is not None:
            yield widget
        elif inner is not None:
            yield from _items(inner)
