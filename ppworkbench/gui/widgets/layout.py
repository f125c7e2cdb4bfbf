"""Rows, columns and splitters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from typing import Protocol, TypeVar, cast, runtime_checkable

from PySide6.QtCore import QByteArray, QEvent, QObject, QPoint, QRect, QSettings, QSize, Qt
from PySide6.QtGui import QPaintEvent, QResizeEvent, QShowEvent
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
    QSplitter,
    QSplitterHandle,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import invalidate

from ppworkbench.gui.theme import ThemeManager

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
    """Whether text is larger than usual."""
    return enlargement(widget) > 1


def ask_anew_if_enlarged(widget: QWidget, event: QResizeEvent) -> None:
    """Let a widget ask for another height when its enlarged text breaks lines elsewhere."""
    if is_large_text(widget) and event.size().width() != event.oldSize().width():
        widget.updateGeometry()


_ANEW = {
    QEvent.Type.LayoutRequest, QEvent.Type.ChildAdded, QEvent.Type.ChildRemoved,
    QEvent.Type.FontChange, QEvent.Type.StyleChange, QEvent.Type.Show,
}  # fmt: skip
"""After these something else may be asked for."""
_SPARE = 24
"""Parts stand side by side again when there is so much more room than they need."""


class Splitter(QSplitter):
    """Parts side by side, or one below the other, with nothing to see in between.

    Parts need more room before they are styled than after; where they stood is tried again until
    somebody moves them.

    Where enlarged text leaves no room for parts side by side they fold: each goes below the one
    before, as high as it needs, and the page is scrolled. Of splitters inside of each other the
    outer one folds first. What is asked and told about shares goes on to mean those side by side.
    """

    def __init__(self, orientation: Qt.Orientation) -> None:
        super().__init__(orientation)
        self.is_across = orientation == Qt.Orientation.Horizontal
        self._wanted: QByteArray | None = None
        self._across_state = QByteArray()
        self._across_sizes: list[int] = []
        self._told = 0
        self._known: dict[str, QSize] = {}
        """What it asked for the last time; Qt wants to know it hundreds of times in a row."""
        self.splitterMoved.connect(self._on_moved)

    # Where parts stand

    def restoreState(  # noqa: N802
        self, state: QByteArray | bytes | bytearray | memoryview[int]
    ) -> bool:
        """Put the parts where they stood."""
        self._known.clear()
        wanted = QByteArray(state)
        if self.is_folded:
            self._wanted = self._across_state = wanted
            return True
        restored = super().restoreState(wanted)
        self._wanted = wanted if restored else None
        return restored

    def saveState(self) -> QByteArray:  # noqa: N802
        """Where the parts stand side by side."""
        return self._across_state if self.is_folded else super().saveState()

    def setSizes(self, sizes: Sequence[int]) -> None:  # noqa: N802
        """Arrange the parts anew."""
        self._wanted = None
        self._known.clear()
        if self.is_folded:
            self._across_sizes = list(sizes)
        else:
            super().setSizes(sizes)

    def sizes(self) -> list[int]:
        """The shares of the parts."""
        return list(self._across_sizes) if self.is_folded else super().sizes()

    def event(self, event: QEvent) -> bool:
        """Try again when a part needs another width."""
        if event.type() in _ANEW:
            self._known.clear()
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            if self._wanted is not None and not self.is_folded:
                super().restoreState(self._wanted)
            self._fit()
        return done

    def _on_moved(self) -> None:
        self._wanted = None
        self._known.clear()

    # Folding

    @property
    def is_folded(self) -> bool:
        """Whether parts that belong side by side are below each other."""
        return self.is_across and self.orientation() == Qt.Orientation.Vertical

    @property
    def least_across(self) -> int:
        """The width below which parts cannot stand side by side."""
        return sum(map(_least_width, self._shown())) + self._gaps

    @measured
    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As narrow as the widest part, if it can fold; then as high as all of them."""
        return self._once("least", self._find_least)

    def _find_least(self) -> QSize:
        least = super().minimumSizeHint()
        if not is_large_text(self):
            return least
        if self.is_across:
            least.setWidth(max((p.minimumSizeHint().width() for p in self._shown()), default=0))
        if self.orientation() == Qt.Orientation.Vertical:
            least.setHeight(self._gaps + sum(self._heights()))
        return least

    @measured
    def sizeHint(self) -> QSize:  # noqa: N802
        """As high as is needed to see all, if the text is enlarged."""
        return self._once("wanted", self._find_wanted)

    def _once(self, what: str, find: Callable[[], QSize]) -> QSize:
        """Find a size once, until a part asks for another; parts that nobody sees do not tell."""
        if not self.isVisible():
            return find()
        if what not in self._known:
            self._known[what] = find()
        return QSize(self._known[what])

    def _find_wanted(self) -> QSize:
        wanted = super().sizeHint()
        if is_large_text(self) and self.width() > 0:
            wanted.setHeight(preferred_height(self, self.width()))
        return wanted

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Fold and unfold."""
        self._known.clear()
        if self._has_to_fold:
            # Before the parts are squeezed.
            self._keep_shares()
        super().resizeEvent(event)
        self._known.clear()
        self._fit()
        if not self.is_folded:
            self._across_sizes = []

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Fit the room that there is by now."""
        super().showEvent(event)
        self._fit()

    def _shown(self) -> list[QWidget]:
        parts = (self.widget(place) for place in range(self.count()))
        return [part for part in parts if not part.isHidden()]

    @property
    def _gaps(self) -> int:
        return self.handleWidth() * max(len(self._shown()) - 1, 0)

    def _heights(self) -> list[int]:
        """What the parts need, one below the other."""
        measure = preferred_height if self.is_folded else least_height
        return [measure(part, self.width()) for part in self._shown()]

    def _fit(self) -> None:
        if not self.isVisible():
            return
        if self.is_folded and (
            not is_large_text(self) or self.least_across + _SPARE <= self.width()
        ):
            self._unfold()
        elif self._has_to_fold and not any(outer._has_to_fold for outer in self._around()):  # noqa: SLF001
            self._fold()
        elif is_large_text(self) and self.orientation() == Qt.Orientation.Vertical:
            self._pile_up()

    @property
    def _has_to_fold(self) -> bool:
        side_by_side = self.orientation() == Qt.Orientation.Horizontal
        return side_by_side and is_large_text(self) and self.least_across > self.width()

    def _around(self) -> list[Splitter]:
        found = []
        parent = self.parentWidget()
        while parent is not None:
            if isinstance(parent, Splitter) and parent.is_across:
                found.append(parent)
            parent = parent.parentWidget()
        return found  # type: ignore[unreachable]  # a window has no parent, the stubs say it has

    def _keep_shares(self) -> None:
        self._across_state, self._across_sizes = super().saveState(), super().sizes()

    def _fold(self) -> None:
        if not self._across_sizes:
            self._keep_shares()
        self.setOrientation(Qt.Orientation.Vertical)
        self._known.clear()
        self.updateGeometry()
        self._pile_up()

    def _pile_up(self) -> None:
        """Let no part be lower than it has to be."""
        needed = self._heights()
        if any(part.height() < least for part, least in zip(self._shown(), needed, strict=True)):
            heights = iter(needed)
            parts = [self.widget(place) for place in range(self.count())]
            super().setSizes([0 if part.isHidden() else next(heights) for part in parts])
        if sum(needed) != self._told:
            self._told = sum(needed)
            self.updateGeometry()

    def _unfold(self) -> None:
        sizes, self._across_sizes = self._across_sizes, []
        self.setOrientation(Qt.Orientation.Horizontal)
        self._known.clear()
        if self._wanted is not None:
            super().restoreState(self._wanted)
        else:
            super().setSizes(sizes)
        self.updateGeometry()

    def createHandle(self) -> QSplitterHandle:  # noqa: N802
        """What is dragged."""
        return _Gap(self.orientation(), self)


class _Gap(QSplitterHandle):
    """Drawn here and not by a style sheet, which would be one for all that is in the splitter."""

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw nothing."""


@measured
def _least_width(part: QWidget) -> int:
    """What a part needs while nothing inside of it is folded."""
    splitters: Iterable[Splitter] = part.findChildren(Splitter)
    inside = [one for one in splitters if one.isVisibleTo(part)]
    if isinstance(part, Splitter):
        inside.append(part)
    across = [one.least_across for one in inside if one.is_across]
    return max([part.minimumSizeHint().width(), part.minimumWidth(), *across])


_OF_QT = (QBoxLayout, QFormLayout, QGridLayout)


class Column(QVBoxLayout):
    """A column of widgets and layouts."""

    def addLayout(self, layout: QLayout, stretch: int = 0) -> None:  # noqa: N802
        """Put a layout below the others."""
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


class FirmColumn(QVBoxLayout):
    """A vertical layout that may shrink to its smallest height inside of a scroll area.

    A scroll area gives a widget with wrapping labels the height it would like to have; this layout
    hides from it that there are any.
    """

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        """Never, as far as anybody outside is told."""
        return False


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
        is_request = event.type() == QEvent.Type.LayoutRequest
        if is_request:
            self.updateGeometry()
        taken = super().eventFilter(watched, event)
        if is_request and watched is self.widget():
            self._drop_bar()
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
        """Never so low that text is cut off."""
        least = super().minimumSizeHint()
        if is_large_text(self):
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
    """A horizontal hairline."""
    frame = QFrame()
    frame.setProperty("look", "line")
    return frame


def vertical_line() -> QFrame:
    """A vertical hairline."""
    frame = QFrame()
    frame.setProperty("look", "vline")
    return frame


class WrappingRow(QLayout):
    """Lays widgets out like the words of a text."""

    def __init__(self, *widgets: QWidget, spacing: int = 12, line_spacing: int = 2) -> None:
        super().__init__()
        self._line_spacing = line_spacing
        self._items: list[QLayoutItem] = []
        self.setSpacing(spacing)
        self.setContentsMargins(0, 0, 0, 0)
        for widget in widgets:
            self.addWidget(widget)

    def addItem(self, item: QLayoutItem) -> None:  # noqa: N802
        """Put an item behind the others."""
        self._items.append(item)

    def count(self) -> int:
        """The number of items."""
        return len(self._items)

    # Qt asks until it is given None; the stubs do not say so.

    def itemAt(self, index: int) -> QLayoutItem | None:  # type: ignore[override]  # noqa: N802
        """One item; None behind the last one."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # type: ignore[override]  # noqa: N802
        """Take an item out."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:  # noqa: N802
        """It never asks for more room."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        """The narrower, the higher."""
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        """How high all lines are at a width."""
        return self._place(QRect(0, 0, width, 0), is_real=False)

    def setGeometry(self, rect: QRect) -> None:  # noqa: N802
        """Put the widgets into their places."""
        super().setGeometry(rect)
        self._place(rect, is_real=True)

    def sizeHint(self) -> QSize:  # noqa: N802
        """All in one line."""
        sizes = [item.sizeHint() for item in self._items]
        gaps = self.spacing() * max(len(sizes) - 1, 0)
        width = sum(size.width() for size in sizes) + gaps
        return QSize(width, max((size.height() for size in sizes), default=0))

    def minimumSize(self) -> QSize:  # noqa: N802
        """The widest of them alone."""
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
    _KeptWidth(widget, themes, width)


class _KeptWidth(QObject):
    """Belongs to its widget, so that it hears of no theme after the widget is gone."""

    def __init__(self, widget: QWidget, themes: ThemeManager, width: int) -> None:
        super().__init__(widget)
        self._widget, self._themes, self._width = widget, themes, width
        themes.theme_changed.connect(self._fit)
        self._fit()

    def _fit(self) -> None:
        self._widget.setFixedWidth(self._themes.theme.px(self._width))


_WATCHED = "columnsWatched"
_MOVED = "columnsMoved"


def restore_columns(page: QWidget, settings: QSettings) -> None:
    """Put the splitters of a page where somebody left them, and remember where they go from now.

    One that nobody has moved stays as its page arranges it.
    """
    for key, splitter in _splitters(page):
        saved = settings.value(key)
        if isinstance(saved, QByteArray):
            splitter.restoreState(saved)
            splitter.setProperty(_MOVED, True)
        if not splitter.property(_WATCHED):
            splitter.setProperty(_WATCHED, True)
            splitter.splitterMoved.connect(lambda *_, k=key, s=splitter: _save(k, s, settings))


def save_columns(page: QWidget, settings: QSettings) -> None:
    """Remember how the splitters that somebody has moved stand in a window of this size."""
    for key, splitter in _splitters(page):
        if are_moved(splitter):
            _save(key, splitter, settings)


def are_moved(splitter: QSplitter) -> bool:
    """Whether somebody has moved the parts, now or at an earlier start; then they stay there."""
    return bool(splitter.property(_MOVED))


def _save(key: str, splitter: QSplitter, settings: QSettings) -> None:
    splitter.setProperty(_MOVED, True)
    settings.setValue(key, splitter.saveState())


def _splitters(page: QWidget) -> Iterator[tuple[str, QSplitter]]:
    splitters: Iterable[QSplitter] = page.findChildren(QSplitter)
    for place, splitter in enumerate(splitters):
        yield f"columns/{page.objectName()}/{splitter.objectName() or place}", splitter


class PageStack(QStackedWidget):
    """Asks for the room of the page in front; a plain stack asks for that of its largest page."""

    gives_way = True
    """Whether all can be lower than it asks, as columns scroll; only enlarged text cannot."""

    def __init__(self) -> None:
        super().__init__()
        self.currentChanged.connect(self.updateGeometry)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Ask for other room when the type changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()

    @measured
    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As small as the page in front can be."""
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
        """As large as the page in front would like to be."""
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
        """Never a reason for the window to grow."""
        return QSize(0, 0)


def _smallest(widget: QWidget) -> QSize:
    return widget.minimumSizeHint().expandedTo(widget.minimumSize())
