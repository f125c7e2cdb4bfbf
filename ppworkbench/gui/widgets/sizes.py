"""How much room widgets need, and whether text is enlarged."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, cast

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QSplitter, QStackedWidget, QVBoxLayout, QWidget

Measure = TypeVar("Measure", bound=Callable[..., object])


_known: dict[tuple[object, ...], object] = {}
_depth = 0


def measured(measure: Measure) -> Measure:
    """Remember what was measured until the outermost question is answered.

    Nothing changes its size before that. Columns within columns ask each other for their heights in
    several ways, and the time would double with each of them.
    """

    @wraps(measure)
    def remembered(widget: QWidget, *sizes: int) -> object:
        global _depth  # noqa: PLW0603 (there is one window thread)
        key = (measure, widget, *sizes)
        if key in _known:
            return _known[key]
        _depth += 1
        try:
            answer = _known[key] = measure(widget, *sizes)
        finally:
            _depth -= 1
            if not _depth:
                _known.clear()
        return answer

    return cast("Measure", remembered)


@measured
def preferred_height(widget: QWidget, width: int) -> int:
    """The height at a width at which nothing inside has to be scrolled; tables and plots aside."""
    least = max(widget.minimumSizeHint().height(), widget.minimumHeight())
    return min(max(least, _of_inside(widget, width)), widget.maximumHeight())


@measured
def least_height(widget: QWidget, width: int) -> int:
    """The height at a width below which text is cut off."""
    least = max(widget.minimumSizeHint().height(), widget.minimumHeight())
    layout = widget.layout()
    if isinstance(widget, QSplitter) and widget.orientation() == Qt.Orientation.Horizontal:
        parts = (widget.widget(place) for place in range(widget.count()))
        heights = [least_height(part, part.width()) for part in parts if not part.isHidden()]
        least = max([least, *heights])
    elif layout is not None and layout.hasHeightForWidth():
        least = max(least, layout.totalMinimumHeightForWidth(width))
    return min(least, widget.maximumHeight())


def _of_inside(widget: QWidget, width: int) -> int:
    if isinstance(widget, QScrollArea) and widget.widget() is not None:
        return preferred_height(widget.widget(), width) + 2 * widget.frameWidth()
    if isinstance(widget, QSplitter):
        return _of_splitter(widget, width)
    if isinstance(widget, QStackedWidget):
        shown = widget.currentWidget()
        return 0 if shown is None else preferred_height(shown, width)
    if isinstance(widget.layout(), QVBoxLayout):
        return _of_column(widget, width)
    return _asked(widget, width)


def _of_column(widget: QWidget, width: int) -> int:
    """What the column asks for, and what its parts would rather have than scroll."""
    layout = widget.layout()
    margins = layout.contentsMargins()
    room = width - margins.left() - margins.right()
    # Items of a layout are not asked: to look at one from here takes it from its layout.
    held = [child for child in widget.children() if isinstance(child, QWidget)]
    parts = [child for child in held if not child.isHidden() and layout.indexOf(child) >= 0]
    breaks_lines = layout.hasHeightForWidth()
    given = [_asked(part, room) if breaks_lines else part.sizeHint().height() for part in parts]
    more = (preferred_height(part, room) - has for part, has in zip(parts, given, strict=True))
    return _asked(widget, width) + sum(max(extra, 0) for extra in more)


@measured
def _asked(widget: QWidget, width: int) -> int:
    layout = widget.layout()
    if layout is not None and layout.hasHeightForWidth():
        return layout.totalHeightForWidth(width)
    return (
        widget.heightForWidth(width) if widget.hasHeightForWidth() else widget.sizeHint().height()
    )


def _of_splitter(splitter: QSplitter, width: int) -> int:
    parts = [splitter.widget(place) for place in range(splitter.count())]
    shown = [part for part in parts if not part.isHidden()]
    if not shown:
        return 0
    if splitter.orientation() == Qt.Orientation.Vertical:
        gaps = splitter.handleWidth() * (len(shown) - 1)
        return sum(preferred_height(part, width) for part in shown) + gaps
    return max(preferred_height(part, part.width()) for part in shown)


NORMAL = 13
"""The size of normal text in pixels."""


def enlargement(widget: QWidget) -> float:
    """How many times as large as usual text is; 1 if it is usual or smaller."""
    return max(widget.fontInfo().pixelSize() / NORMAL, 1.0)


def is_large_text(widget: QWidget) -> bool:
    return enlargement(widget) > 1


def ask_anew_if_enlarged(widget: QWidget, event: QResizeEvent) -> None:
    """Let a widget ask for another height when its enlarged text breaks lines elsewhere."""
    if is_large_text(widget) and event.size().width() != event.oldSize().width():
        widget.updateGeometry()
