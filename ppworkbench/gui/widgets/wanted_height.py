"""How high something would have to be for all of it to be seen."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from ppworkbench.gui.widgets.measured import measured


@measured
def wanted_height(widget: QWidget, width: int) -> int:
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
        return wanted_height(widget.widget(), width) + 2 * widget.frameWidth()
    if isinstance(widget, QSplitter):
        return _of_splitter(widget, width)
    if isinstance(widget, QStackedWidget):
        shown = widget.currentWidget()
        return 0 if shown is None else wanted_height(shown, width)
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
    more = (wanted_height(part, room) - has for part, has in zip(parts, given, strict=True))
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
        return sum(wanted_height(part, width) for part in shown) + gaps
    return max(wanted_height(part, part.width()) for part in shown)
