"""Rows, columns, pages and the words in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeVar, runtime_checkable

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QBoxLayout,
    QFormLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLayoutItem,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import invalidate

from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.sizes import (
    ask_anew_if_enlarged,
    is_large_text,
    least_height,
    measured,
)

_OF_QT = (QBoxLayout, QFormLayout, QGridLayout)


class ColumnLayout(QVBoxLayout):
    def addLayout(self, layout: QLayout, stretch: int = 0) -> None:  # noqa: N802
        super().addLayout(layout, stretch)
        forget_items(layout)


@runtime_checkable
class Revealer(Protocol):
    """Something that shows its parts in turns: a section that folds, views behind tabs."""

    def reveal(self, part: QWidget) -> None:
        """Bring the view that holds a widget to the front."""


def reveal(widget: QWidget) -> None:
    """Open whatever a widget is hidden in, from the outermost to the innermost."""
    around: list[Revealer] = []
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, Revealer):
            around.append(parent)
        parent = parent.parentWidget()
    for one in reversed(around):  # type: ignore[unreachable]  # a window has no parent, the stubs say it has
        one.reveal(widget)


class RowLayout(QHBoxLayout):
    def addLayout(self, layout: QLayout, stretch: int = 0) -> None:  # noqa: N802
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


class FirmColumn(QVBoxLayout):
    """A vertical layout that may shrink to its smallest height inside of a scroll area.

    A scroll area gives a widget with wrapping labels the height it would like to have; this layout
    hides from it that there are any.
    """

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        return False


Item = QWidget | QLayout | int | None
_DEEPEST = 6
"""How often a column is laid out again while it is laid out."""


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
        self._is_dropping = False
        self._depth = 0
        self.setWidget(widget)
        # What is below shows through, with a style sheet and without.
        self.viewport().setAutoFillBackground(False)
        widget.setAutoFillBackground(False)

    @measured
    def minimumSizeHint(self) -> QSize:  # noqa: N802
        least = super().minimumSizeHint()
        inside = self.widget().minimumSizeHint().width()
        return QSize(inside + self.verticalScrollBar().sizeHint().width(), least.height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Tell the layout around when the inside needs another width."""
        is_request = event.type() == QEvent.Type.LayoutRequest
        if is_request:
            self.updateGeometry()
        # At some heights the inside fits only without the bar, and Qt shows and hides it from
        # within itself without end.
        if self._depth >= _DEEPEST:
            return False
        self._depth += 1
        try:
            taken = super().eventFilter(watched, event)
        finally:
            self._depth -= 1
        # Qt lays out again at once, and may ask for the bar again: once is enough.
        if is_request and watched is self.widget() and not self._is_dropping:
            self._is_dropping = True
            self._drop_bar()
            self._is_dropping = False
        return taken

    def _drop_bar(self) -> None:
        """Do without the scroll bar where it is needed only for the room that it takes itself."""
        inside, room = self.widget(), self.maximumViewportSize()
        if not self.verticalScrollBar().isVisible() or not inside.hasHeightForWidth():
            return
        least = max(inside.minimumHeight(), inside.minimumSizeHint().height())
        if max(least, inside.heightForWidth(room.width())) <= room.height():
            # Qt asks how high the inside is at its present width, so the bar would stay.
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)


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
        least = super().minimumSizeHint()
        if is_large_text(self):
            least.setHeight(least_height(self._held, self.width()))
        return least

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        ask_anew_if_enlarged(self, event)


def scrolled(widget: QWidget) -> QScrollArea:
    """A column that scrolls on its own, up and down only."""
    return ColumnArea(_Firm(widget))


def scroll_area(widget: QWidget) -> QScrollArea:
    """Scrolls up and down only; the inside gets the height that it would like to have."""
    return ColumnArea(widget)


Margin = int | tuple[int, int, int, int]
"""The room around a layout: on all sides, or left, top, right and bottom."""
Stretch = int | Mapping[int, int] | None
"""The item that takes the free room, by its place, or the shares of several."""


def column(
    *items: Item,
    parent: QWidget | None = None,
    spacing: int = 8,
    margin: Margin = 0,
    stretch: Stretch = None,
) -> QVBoxLayout:
    """A vertical layout; an int is a fixed gap, None takes the free room."""
    layout = ColumnLayout(parent) if parent is not None else ColumnLayout()
    _fill(layout, items, spacing, margin, stretch)
    return layout


def row(
    *items: Item,
    parent: QWidget | None = None,
    spacing: int = 8,
    margin: Margin = 0,
    stretch: Stretch = None,
) -> QHBoxLayout:
    """A horizontal layout; an int is a fixed gap, None takes the free room."""
    layout = RowLayout(parent) if parent is not None else RowLayout()
    _fill(layout, items, spacing, margin, stretch)
    return layout


def _fill(
    layout: QVBoxLayout | QHBoxLayout,
    items: tuple[Item, ...],
    spacing: int,
    margin: Margin,
    stretch: Stretch,
) -> None:
    layout.setSpacing(spacing)
    layout.setContentsMargins(*((margin,) * 4 if isinstance(margin, int) else margin))
    for item in items:
        if item is None:
            layout.addStretch(1)
        elif isinstance(item, int):
            layout.addSpacing(item)
        elif isinstance(item, QLayout):
            layout.addLayout(item)
        else:
            layout.addWidget(item)
    shares = {stretch: 1} if isinstance(stretch, int) else stretch or {}
    for place, share in shares.items():
        layout.setStretch(place, share)


def clear(layout: QLayout) -> None:
    """Take everything out of a layout, and its widgets with it."""
    while layout.count():
        item = layout.takeAt(0)
        widget = None if item is None else item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()


def stack(*widgets: QWidget) -> QStackedWidget:
    """Widgets of which one is seen, the first one to begin with."""
    made = QStackedWidget()
    for widget in widgets:
        made.addWidget(widget)
    return made


def text(
    content: str = "",
    kind: str = "body",
    *,
    wrap: bool = False,
    align: Qt.AlignmentFlag | None = None,
    selectable: bool = False,
    hidden: bool = False,
) -> QLabel:
    """A label in one of the type styles of the style sheet."""
    label = QLabel(content)
    label.setProperty("type", kind)
    label.setWordWrap(wrap)
    if align is not None:
        label.setAlignment(align)
    if selectable:
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if hidden:
        label.hide()
    return label


def set_type(label: QLabel, kind: str) -> None:
    """Give a label another of the type styles."""
    if label.property("type") != kind:
        label.setProperty("type", kind)
        label.style().unpolish(label)
        label.style().polish(label)


def show_fault(field: QWidget, problem: str, *, is_drawn: bool = True) -> None:
    """Draw a field as wrong, and say why to those who hear it; empty takes it back."""
    field.setProperty("state", "error" if problem and is_drawn else "")
    field.style().unpolish(field)
    field.style().polish(field)
    field.setAccessibleDescription(problem)


Named = TypeVar("Named", bound=QWidget)


def named(widget: Named, name: str, words: str = "") -> Named:
    """Give a widget the name that programs find it by, and one that is read aloud."""
    widget.setObjectName(name)
    if words:
        widget.setAccessibleName(words)
    return widget


def show_words(label: QLabel | QAbstractButton, words: str) -> None:
    """Let a label say something; it takes no room where there is nothing to say."""
    label.setText(words)
    label.setVisible(bool(words))


def line() -> QFrame:
    frame = QFrame()
    frame.setProperty("look", "line")
    return frame


def vertical_line() -> QFrame:
    frame = QFrame()
    frame.setProperty("look", "vline")
    return frame


class WrappingRow(QLayout):
    """Lays widgets out like the words of a text; one that ``fills`` its lines leaves no rest."""

    def __init__(
        self, *widgets: QWidget, spacing: int = 12, line_spacing: int = 2, fills: bool = False
    ) -> None:
        super().__init__()
        self._line_spacing, self._fills = line_spacing, fills
        self._items: list[QLayoutItem] = []
        self.setSpacing(spacing)
        self.setContentsMargins(0, 0, 0, 0)
        for widget in widgets:
            self.addWidget(widget)

    def addItem(self, item: QLayoutItem) -> None:  # noqa: N802
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    # Qt asks until it is given None; the stubs do not say so.

    def itemAt(self, index: int) -> QLayoutItem | None:  # type: ignore[override]  # noqa: N802
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # type: ignore[override]  # noqa: N802
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:  # noqa: N802
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        return self._place(QRect(0, 0, width, 0), is_real=False)

    def setGeometry(self, rect: QRect) -> None:  # noqa: N802
        super().setGeometry(rect)
        self._place(rect, is_real=True)

    def sizeHint(self) -> QSize:  # noqa: N802
        sizes = [item.sizeHint() for item in self._items]
        gaps = self.spacing() * max(len(sizes) - 1, 0)
        width = sum(size.width() for size in sizes) + gaps
        return QSize(width, max((size.height() for size in sizes), default=0))

    def minimumSize(self) -> QSize:  # noqa: N802
        smallest = QSize()
        for item in self._items:
            smallest = smallest.expandedTo(item.minimumSize())
        return smallest

    def _place(self, rect: QRect, *, is_real: bool) -> int:
        y = rect.top()
        for line in self._lines(rect.width()):
            height = max(item.sizeHint().height() for item in line)
            x = rect.left()
            for item in line:
                size = item.sizeHint().boundedTo(QSize(max(rect.width(), 1), 1 << 20))
                if self._fills and item is line[-1]:
                    size.setWidth(max(rect.right() + 1 - x, 1))
                if is_real:
                    shift = (height - size.height()) // 2
                    item.setGeometry(QRect(QPoint(x, y + shift), size))
                x += size.width() + self.spacing()
            y += height + self._line_spacing
        return max(y - self._line_spacing - rect.top(), 0)

    def _lines(self, width: int) -> list[list[QLayoutItem]]:
        lines: list[list[QLayoutItem]] = []
        x = 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint()
            if not lines or x + size.width() > width:
                lines.append([])
                x = 0
            lines[-1].append(item)
            x += size.width() + self.spacing()
        return lines


def reserve_width(widget: QWidget, themes: ThemeManager, width: int) -> None:
    """Make a widget so many pixels wide, counted at normal text."""
    themes.follow(lambda: widget.setFixedWidth(themes.theme.px(width)), owner=widget)


def reserve_least(widget: QWidget, themes: ThemeManager, width: int = 0, height: int = 0) -> None:
    """Let a widget never be smaller than so many pixels, counted at normal text."""
    themes.follow(
        lambda: widget.setMinimumSize(themes.theme.px(width), themes.theme.px(height)), owner=widget
    )


class PageStack(QStackedWidget):
    """Asks for the room of the page in front; a plain stack asks for that of its largest page."""

    gives_way = True
    """Whether all can be lower than it asks, as columns scroll; only enlarged text cannot."""

    def __init__(self) -> None:
        super().__init__()
        self.currentChanged.connect(self.updateGeometry)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()

    @measured
    def minimumSizeHint(self) -> QSize:  # noqa: N802
        shown = self.currentWidget()
        if shown is None:
            return QSize()  # type: ignore[unreachable]  # an empty stack, unknown to the stubs
        least = _smallest(shown)
        if is_large_text(self) or not self.gives_way:
            least.setHeight(least_height(shown, self.width()))
        else:
            least.setHeight(0)
        return least

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Ask for other room when enlarged text goes on in other lines."""
        super().resizeEvent(event)
        ask_anew_if_enlarged(self, event)

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        """Never: a plain stack asks all of its pages, which measures those that nobody sees."""
        return False

    @measured
    def sizeHint(self) -> QSize:  # noqa: N802
        shown = self.currentWidget()
        return QSize() if shown is None else shown.sizeHint()


class PageRoom(QScrollArea):
    """Pages fit their columns to the room; scroll bars appear only where text was enlarged so much,
    or the window made so small, that the columns cannot get any narrower.
    """

    def __init__(self, stack: PageStack) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setWidget(_Firm(stack))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, 0)


def _smallest(widget: QWidget) -> QSize:
    return widget.minimumSizeHint().expandedTo(widget.minimumSize())
