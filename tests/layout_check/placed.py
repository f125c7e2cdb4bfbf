"""Finds what lies over something else, sticks out, or can only be seen by scrolling sideways."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QGraphicsView,
    QHeaderView,
    QMainWindow,
    QMenuBar,
    QSizeGrip,
    QSplitterHandle,
    QTabBar,
    QWidget,
)

from layout_check.fault import Fault, fault, seen_in

SLACK = 1
_MADE_BY_QT = (QAbstractSlider, QAbstractSpinBox, QComboBox, QMenuBar, QTabBar, QHeaderView)
"""Their parts are placed by Qt."""
_OVER_ANYTHING = (QSplitterHandle, QSizeGrip)


def misplaced(
    root: QWidget,
    floating: frozenset[str] = frozenset(),
    sideways: frozenset[str] = frozenset(),
    still: frozenset[str] = frozenset(),
) -> Iterator[Fault]:
    """Overlaps, widgets outside of their parent, and scroll bars across.

    Parameters
    ----------
    floating
        Classes or object names of widgets that lie over others on purpose.
    sideways
        The same for areas that are meant to be scrolled across.
    still
        The same for areas that should not scroll at all.
    """
    for widget in seen_in(root):
        if isinstance(widget, _MADE_BY_QT) or _is_any(widget, floating):
            continue
        if isinstance(widget, QAbstractScrollArea):
            if not _is_any(widget, sideways):
                yield from _across(widget)
            if _is_any(widget, still):
                yield from _down(widget)
            if isinstance(widget, QGraphicsView):
                continue
        shown = [child for child in _children(widget) if not _is_any(child, floating)]
        scrolls = _scrolls(widget)
        for child in shown:
            yield from _outside(child, widget, scrolls)
        if not isinstance(widget, QAbstractScrollArea):
            yield from _overlaps(shown)


def _is_any(widget: QWidget, names: frozenset[str]) -> bool:
    kinds = {kind.__name__ for kind in type(widget).__mro__}
    return bool(names & (kinds | {widget.objectName()}))


def _children(widget: QWidget) -> list[QWidget]:
    return [
        child
        for child in widget.children()
        if isinstance(child, QWidget)
        and child.isVisible()
        and not child.isWindow()
        and not isinstance(child, _OVER_ANYTHING)
        and not child.geometry().isEmpty()
    ]


def _scrolls(widget: QWidget) -> bool:
    """Whether the children of a widget can be scrolled up and down."""
    area = widget.parentWidget()
    if not isinstance(area, QAbstractScrollArea) or area.viewport() is not widget:
        return False
    return area.verticalScrollBarPolicy() != Qt.ScrollBarPolicy.ScrollBarAlwaysOff


def _outside(child: QWidget, parent: QWidget, scrolls: bool) -> Iterator[Fault]:
    place, room = child.geometry(), parent.rect().adjusted(-SLACK, -SLACK, SLACK, SLACK)
    if isinstance(parent, QMainWindow):
        room = parent.rect()
    if scrolls:
        room = QRect(room.left(), place.top(), room.width(), place.height())
    if not room.contains(place):
        words = f"at {place.x()},{place.y()}"
        yield fault("outside", child, words, place.size(), parent.rect().size())


def _overlaps(shown: list[QWidget]) -> Iterator[Fault]:
    places = [child.geometry() for child in shown]
    for number, place in enumerate(places):
        for other in range(number):
            common = place.intersected(places[other])
            if common.width() > SLACK and common.height() > SLACK:
                words = f"and {type(shown[other]).__name__}#{shown[other].objectName()}"
                yield fault("overlap", shown[number], words, common.size())


def _across(area: QAbstractScrollArea) -> Iterator[Fault]:
    hidden = area.horizontalScrollBar().maximum()
    if hidden > SLACK:
        yield fault("scrolls across", area, f"{hidden} pixels out of sight")


def _down(area: QAbstractScrollArea) -> Iterator[Fault]:
    hidden = area.verticalScrollBar().maximum()
    if hidden > SLACK:
        yield fault("scrolls", area, f"{hidden} pixels out of sight")
