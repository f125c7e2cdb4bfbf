"""Short forms for the layouts that every widget needs."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from ppworkbench.gui.widgets.box_layouts import Column, Row
from ppworkbench.gui.widgets.enlarged import ask_anew_if_enlarged, is_enlarged
from ppworkbench.gui.widgets.firm_column import FirmColumn
from ppworkbench.gui.widgets.measured import measured
from ppworkbench.gui.widgets.splitter import Splitter
from ppworkbench.gui.widgets.wanted_height import least_height

Item = QWidget | QLayout | int | None


class ColumnArea(QScrollArea):
    """Scrolls up and down, and is never narrower than what it holds.

    Its inside takes the keyboard; keys that no control wants scroll it.
    """

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidget(widget)
        # What is below shows through, with a style sheet and without.
        self.viewport().setAutoFillBackground(False)
        widget.setAutoFillBackground(False)

    @measured
    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As narrow as the inside can be, with room for the scroll bar."""
        least = super().minimumSizeHint()
        inside = self.widget().minimumSizeHint().width()
        return QSize(inside + self.verticalScrollBar().sizeHint().width(), least.height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Tell the layout around when the inside needs another width."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)


class _Firm(QWidget):
    """Shrinks to its smallest height, which is larger where enlarged text needs more lines."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self._held = widget
        layout = FirmColumn(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(widget)

    @measured
    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Never so low that text is cut off."""
        least = super().minimumSizeHint()
        if is_enlarged(self):
            least.setHeight(least_height(self._held, self.width()))
        return least

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Ask for another height when lines break elsewhere."""
        super().resizeEvent(event)
        ask_anew_if_enlarged(self, event)


def scrolled(widget: QWidget) -> QScrollArea:
    """A column that scrolls on its own, up and down only."""
    return ColumnArea(_Firm(widget))


def scroll_area(widget: QWidget) -> QScrollArea:
    """Scrolls up and down only; the inside gets the height that it would like to have."""
    return ColumnArea(widget)


def splitter(orientation: Qt.Orientation, name: str, *widgets: QWidget) -> QSplitter:
    """Parts of a page whose shares a person can change; ``name`` is how they are remembered."""
    made = Splitter(orientation)
    made.setObjectName(name)
    made.setHandleWidth(12)
    made.setChildrenCollapsible(False)
    for widget in widgets:
        made.addWidget(widget)
    return made


def three_columns(name: str, left: QWidget, middle: QWidget, right: QWidget) -> QSplitter:
    """Three parts side by side, of which the middle takes the free room."""
    columns = splitter(Qt.Orientation.Horizontal, name, left, middle, right)
    columns.setStretchFactor(1, 1)
    return columns


def column(
    *items: Item, parent: QWidget | None = None, spacing: int = 8, margin: int = 0
) -> QVBoxLayout:
    """A vertical layout; an int is a fixed gap, None takes the free room."""
    layout = Column(parent) if parent is not None else Column()
    _fill(layout, items, spacing, margin)
    return layout


def row(
    *items: Item, parent: QWidget | None = None, spacing: int = 8, margin: int = 0
) -> QHBoxLayout:
    """A horizontal layout; an int is a fixed gap, None takes the free room."""
    layout = Row(parent) if parent is not None else Row()
    _fill(layout, items, spacing, margin)
    return layout


def _fill(
    layout: QVBoxLayout | QHBoxLayout, items: tuple[Item, ...], spacing: int, margin: int
) -> None:
    layout.setSpacing(spacing)
    layout.setContentsMargins(margin, margin, margin, margin)
    for item in items:
        if item is None:
            layout.addStretch(1)
        elif isinstance(item, int):
            layout.addSpacing(item)
        elif isinstance(item, QLayout):
            layout.addLayout(item)
        else:
            layout.addWidget(item)


def text(content: str = "", kind: str = "body", *, wrap: bool = False) -> QLabel:
    """A label in one of the type styles of the style sheet."""
    label = QLabel(content)
    label.setProperty("type", kind)
    label.setWordWrap(wrap)
    return label


def line() -> QFrame:
    """A horizontal hairline."""
    frame = QFrame()
    frame.setProperty("look", "line")
    return frame


def vertical_line() -> QFrame:
    """A vertical hairline."""
    frame = QFrame()
    frame.setProperty("look", "vline")
    return frame


def restyle(widget: QWidget) -> None:
    """Let the style sheet look at a widget's properties again."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)
