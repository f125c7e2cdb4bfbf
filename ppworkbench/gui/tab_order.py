"""Tab goes as people read: in the order of the layouts, whenever a widget was made."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLayout, QScrollArea, QSplitter, QStackedWidget, QWidget


def order_tabs(root: QWidget) -> None:
    """Chain all that takes the focus within a widget, from left to right and from top to bottom.

    Nothing is asked for the next of the chain, which Python would forget along with what was asked.
    """
    before: QWidget | None = None
    for stop in _stops(root):
        if before is not None:
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
        yield from _laid_out(layout, [one for one in widget.children() if _is_seen(one)])


def _is_seen(child: object) -> bool:
    return isinstance(child, QWidget) and child.isVisible()


def _laid_out(layout: QLayout, widgets: list[QWidget]) -> Iterator[QWidget]:
    """Those of the widgets that a layout and the layouts in it place, in reading order.

    The layout is asked where each of them stands, never for its items: Python is not told when Qt
    deletes an item, and takes whatever comes to lie at the same address for the item that was.
    """
    inner = [one for one in layout.children() if isinstance(one, QLayout)]
    places = {one: place for one in (*widgets, *inner) if (place := layout.indexOf(one)) >= 0}
    if isinstance(layout, QGridLayout):
        found = sorted(places, key=lambda one: layout.getItemPosition(places[one])[:2])
    else:
        found = sorted(places, key=places.__getitem__)
    for one in found:
        if isinstance(one, QLayout):
            yield from _laid_out(one, widgets)
        else:
            yield one
