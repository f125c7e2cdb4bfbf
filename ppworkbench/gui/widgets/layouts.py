"""Short forms for the layouts that every widget needs."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QByteArray, QEvent, QObject, QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QScrollArea,
    QSplitter,
    QSplitterHandle,
    QVBoxLayout,
    QWidget,
)

Item = QWidget | QLayout | int | None


class FirmColumn(QVBoxLayout):
    """A vertical layout that may shrink to its smallest height inside of a scroll area.

    A scroll area gives a widget with wrapping labels the height it would like to have; this layout
    hides from it that there are any.
    """

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        """Never, as far as anybody outside is told."""
        return False


class Holder(QWidget):
    """Holds parts that each have a style sheet of their own, see ``theme.islands``."""

    only_holds = True


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


def scrolled(widget: QWidget) -> QScrollArea:
    """A column that scrolls on its own, up and down only."""
    holder = QWidget()
    layout = FirmColumn(holder)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(widget)
    return ColumnArea(holder)


def scroll_area(widget: QWidget) -> QScrollArea:
    """Scrolls up and down only; the inside gets the height that it would like to have."""
    return ColumnArea(widget)


class Splitter(QSplitter):
    """Parts side by side with nothing to see in between.

    Parts need more room before they are styled than after; where they stood is tried again until
    somebody moves them.
    """

    only_holds = True

    def __init__(self, orientation: Qt.Orientation) -> None:
        super().__init__(orientation)
        self._wanted: QByteArray | None = None
        self.splitterMoved.connect(self._on_moved)

    def restoreState(self, state: QByteArray) -> bool:  # noqa: N802
        """Put the parts where they stood."""
        restored = super().restoreState(state)
        self._wanted = state if restored else None
        return restored

    def setSizes(self, sizes: Sequence[int]) -> None:  # noqa: N802
        """Arrange the parts anew."""
        self._wanted = None
        super().setSizes(sizes)

    def event(self, event: QEvent) -> bool:
        """Try again when a part needs another width."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest and self._wanted is not None:
            super().restoreState(self._wanted)
        return done

    def _on_moved(self) -> None:
        self._wanted = None

    def createHandle(self) -> QSplitterHandle:  # noqa: N802
        """What is dragged."""
        return _Gap(self.orientation(), self)


class _Gap(QSplitterHandle):
    """Drawn here and not by a style sheet, which would be one for all that is in the splitter."""

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw nothing."""


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
    layout = QVBoxLayout(parent) if parent is not None else QVBoxLayout()
    _fill(layout, items, spacing, margin)
    return layout


def row(
    *items: Item, parent: QWidget | None = None, spacing: int = 8, margin: int = 0
) -> QHBoxLayout:
    """A horizontal layout; an int is a fixed gap, None takes the free room."""
    layout = QHBoxLayout(parent) if parent is not None else QHBoxLayout()
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
