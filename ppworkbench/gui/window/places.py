"""Brings the places that a step of a demonstration speaks of into view."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QLabel,
    QScrollArea,
    QScrollBar,
    QSplitterHandle,
    QWidget,
)

from ppworkbench.gui.widgets.splitter import Splitter
from ppworkbench.outputs.demonstrations.demonstration import Look

_MARGIN = 24
"""Pixels around a place, where there is room for them."""
_IN_THE_WAY = "inTheWayOfDemonstration"


@dataclass(frozen=True)
class Place:
    """A widget to look at, and the spot of it that is spoken of."""

    widget: QWidget
    look: Look

    @property
    def spot(self) -> QPoint:
        box = self.widget.rect()
        x, y = round(self.look.x * box.right()), round(self.look.y * box.bottom())
        return QPoint(x, y)

    @property
    def key_part(self) -> QRect:
        """What has to be seen of it at least: the upper half of its middle, and the spot."""
        middle = self.widget.rect().center()
        top = QRect(QPoint(middle.x(), 0), middle)
        return top.united(QRect(self.spot, self.spot))

    @property
    def is_in_view(self) -> bool:
        """Whether enough of it is seen."""
        return self.widget.visibleRegion().boundingRect().contains(self.key_part)

    def seen_on(self, over: QWidget) -> QRect | None:
        """The part that can be seen, in coordinates of another widget; None if nothing can."""
        region = self.widget.visibleRegion().boundingRect()
        return None if region.isEmpty() else _moved(region, self.widget, over)

    def spot_on(self, over: QWidget) -> QPoint:
        """The spot, or what is seen next to it."""
        seen = self.widget.visibleRegion().boundingRect()
        x = min(max(self.spot.x(), seen.left()), seen.right())
        y = min(max(self.spot.y(), seen.top()), seen.bottom())
        return _moved(QRect(x, y, 1, 1), self.widget, over).topLeft()


def _moved(box: QRect, widget: QWidget, to: QWidget) -> QRect:
    corner: Any = widget.mapTo(to, QPoint())  # a QPoint, for which the stubs say QPointF
    return box.translated(corner)


def room_of(places: Sequence[Place]) -> list[object]:
    """Where places stand in what is scrolled, and how much of it is seen at once."""
    found: list[object] = []
    for place in places:
        around = list(_areas(place.widget))
        found += [place.widget.size(), *(area.viewport().size() for area in around)]
        found += [area.widget().size() for area in around]
        if around:
            found.append(_moved(place.widget.rect(), place.widget, around[0].widget()))
    return found


def _areas(widget: QWidget) -> Iterator[QScrollArea]:
    """The scroll areas around a widget, the innermost first."""
    parent = widget.parentWidget()
    while parent is not None and not widget.isWindow():
        if isinstance(parent, QScrollArea):
            yield parent
        parent = parent.parentWidget()


def scroll_to(places: Sequence[Place]) -> None:
    """Scroll so that all places are seen; where not all have room, the first one."""
    areas = {area: None for place in places for area in _areas(place.widget)}
    for area in areas:
        inside = [one for one in places if area.isAncestorOf(one.widget)]
        content, room = area.widget(), area.viewport().size()
        whole = [_moved(one.widget.rect(), one.widget, content) for one in inside]
        least = [_moved(one.key_part, one.widget, content) for one in inside]
        across = [[(box.left(), box.right()) for box in boxes] for boxes in (whole, least)]
        down = [[(box.top(), box.bottom()) for box in boxes] for boxes in (whole, least)]
        _scroll(area.horizontalScrollBar(), across, room.width())
        _scroll(area.verticalScrollBar(), down, room.height())


def _scroll(bar: QScrollBar, spans: list[list[tuple[int, int]]], room: int) -> None:
    whole, least = spans
    for wanted in (whole, least, least[:1]):
        low = min(start for start, _ in wanted)
        high = max(end for _, end in wanted) + 1
        if high - low <= room:
            break
    spare = min(_MARGIN, max(room - (high - low), 0) // 2)
    if low - spare < bar.value():
        bar.setValue(low - spare)
    elif high + spare > bar.value() + room:
        bar.setValue(min(high + spare - room, low - spare))


def show_places(places: Sequence[Place], over: QWidget) -> None:
    """Scroll to all places, and fold what stands between them or takes their room.

    Parameters
    ----------
    over
        What holds the pages.
    """
    scroll_to(places)
    while (block := next(_in_the_way(places, over), None)) is not None:
        block.setProperty(_IN_THE_WAY, True)
        block.hide()
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        scroll_to(places)


def unfold(page: QWidget) -> None:
    widgets: Iterable[QWidget] = page.findChildren(QWidget)
    for one in widgets:
        if one.property(_IN_THE_WAY):
            one.setProperty(_IN_THE_WAY, False)
            one.show()


def _in_the_way(places: Sequence[Place], over: QWidget) -> Iterator[QWidget]:
    """What can be folded so that more of the places is seen, the highest first."""
    widgets = [place.widget for place in places]
    for place in places:
        for area in _areas(place.widget):
            found = []
            if area.horizontalScrollBar().maximum():
                found += _too_wide(area, place.widget)
            if area.verticalScrollBar().maximum() and not place.is_in_view:
                found += sorted(_between(area, widgets), key=lambda one: -one.height())
                # What is scrolled with a place takes no room from it, what stands around does.
                around = [one for one in _beside(area, over) if not _is_in_line(one, [area])]
                found += sorted(around, key=lambda one: -one.height())
            for block in found:
                if not any(block is one or block.isAncestorOf(one) for one in widgets):
                    yield block


def _too_wide(area: QScrollArea, widget: QWidget) -> list[QWidget]:
    """What needs more width than there is, and makes the widget as wide."""
    room = area.viewport().width()
    blocks = _beside(widget, area.widget())
    return [one for one in blocks if one.minimumSizeHint().width() > room]


def _between(area: QScrollArea, widgets: Sequence[QWidget]) -> list[QWidget]:
    inside = [one for one in widgets if area.isAncestorOf(one)]
    top = min(_on_window(one).top() for one in inside)
    bottom = max(_on_window(one).bottom() for one in inside)
    return [
        block
        for one in inside
        for block in _beside(one, area.widget())
        if top < _on_window(block).center().y() < bottom and not _is_in_line(block, inside)
    ]


def _beside(widget: QWidget, within: QWidget) -> Iterator[QWidget]:
    """What stands beside a widget and beside all that it is in; words alone are left."""
    while widget is not within and within.isAncestorOf(widget):
        around = widget.parentWidget()
        if not isinstance(around, QAbstractScrollArea):
            direct = Qt.FindChildOption.FindDirectChildrenOnly
            parts: Iterable[QWidget] = around.findChildren(QWidget, options=direct)
            for one in parts:
                if one.isVisible() and not isinstance(one, QSplitterHandle | QLabel):
                    yield one
        widget = around


def _is_in_line(block: QWidget, kept: Iterable[QWidget]) -> bool:
    """Whether a block stands beside what is kept, so that folding it gains no height."""
    box = _on_window(block)
    boxes = map(_on_window, kept)
    return any(box.top() <= one.bottom() and one.top() <= box.bottom() for one in boxes)


def _on_window(widget: QWidget) -> QRect:
    return _moved(widget.rect(), widget, widget.window())


_FOLDED = "foldedByDemonstration"
FEWEST = 1040
"""A page narrower than this gives up a column."""


def hide_columns(page: QWidget, needed: Iterable[QWidget], room: int, scale: float) -> None:
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
        inner: QScrollArea | None = one.findChild(QScrollArea)
        content = one.widget() if isinstance(one, QScrollArea) else inner and inner.widget()
        widths = [one.minimumSizeHint().width(), one.minimumWidth()]
        wanted += max([*widths, content.minimumSizeHint().width() if content is not None else 0])
    return wanted + 12 * (len(columns) - 1) + 32 <= room


def _columns(page: QWidget) -> list[QWidget]:
    """The columns of a page from left to right; one may itself be split into columns."""
    found: Iterable[Splitter] = page.findChildren(Splitter)
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
        splitters: Iterable[Splitter] = part.findChildren(Splitter)
        inner = [one for one in splitters if one.is_across]
        parts += _parts(inner[0]) if inner else [part]
    return parts
