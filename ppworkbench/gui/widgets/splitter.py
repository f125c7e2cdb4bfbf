"""Parts of a page side by side, whose shares a person can change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from PySide6.QtCore import QByteArray, QEvent, QSettings, QSize, Qt
from PySide6.QtGui import QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QWidget

from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.sizes import is_large_text, least_height, measured, preferred_height

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
        self._known.clear()
        wanted = QByteArray(state)
        if self.is_folded:
            self._wanted = self._across_state = wanted
            return True
        restored = super().restoreState(wanted)
        self._wanted = wanted if restored else None
        return restored

    def saveState(self) -> QByteArray:  # noqa: N802
        return self._across_state if self.is_folded else super().saveState()

    def setSizes(self, sizes: Sequence[int]) -> None:  # noqa: N802
        self._wanted = None
        self._known.clear()
        if self.is_folded:
            self._across_sizes = list(sizes)
        else:
            super().setSizes(sizes)

    def sizes(self) -> list[int]:
        return list(self._across_sizes) if self.is_folded else super().sizes()

    def event(self, event: QEvent) -> bool:
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


def splitter(orientation: Qt.Orientation, name: str, *widgets: QWidget) -> QSplitter:
    """Parts of a page whose shares a person can change; ``name`` is how they are remembered."""
    made = Splitter(orientation)
    _set_up(made, name, *widgets)
    return made


def _set_up(made: QSplitter, name: str, *widgets: QWidget) -> None:
    made.setObjectName(name)
    made.setHandleWidth(12)
    made.setChildrenCollapsible(False)
    for widget in widgets:
        made.addWidget(widget)


class ThreeColumns(Splitter):
    """Three parts side by side, of which the middle takes the free room.

    ``ends`` are the widths of left and right, in pixels of normal text, from some width of the page
    on; below all of them they take as little as they can. Where somebody puts them they stay.
    """

    def __init__(
        self, themes: ThemeManager, name: str, left: QWidget, middle: QWidget, right: QWidget,
        ends: Mapping[int, tuple[int, int]] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        super().__init__(Qt.Orientation.Horizontal)
        self._themes, self._ends = themes, ends
        _set_up(self, name, left, middle, right)
        self.setStretchFactor(1, 1)

    @property
    def is_roomy(self) -> bool:
        """Whether the ends have more than they need at least."""
        return self._room >= self._themes.theme.px(min(self._ends))

    @property
    def _room(self) -> int:
        """The width of the page with its margins."""
        return self.width() + 32

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if self._ends and not are_moved(self):
            px, room = self._themes.theme.px, self._room
            wide = max((one for one in self._ends if room >= px(one)), default=0)
            left, right = self._ends.get(wide, (0, 0))
            self.setSizes([px(left), room, px(right)])


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
