"""What the window knows about a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QChildEvent, QEvent, Signal
from PySide6.QtGui import QAction, QHideEvent
from PySide6.QtWidgets import QWidget

from ppworkbench.gui.keys import add_key
from ppworkbench.gui.pages.column_steps import columns_of, step_column
from ppworkbench.gui.workbench import Workbench

_DONE = object()


class Page(QWidget):
    """One step of the work.

    ``primary`` is the next step of the work, shown as the filled button at the top right;
    ``secondary`` are at most two more. A page that cannot be used says why in ``missing``.
    """

    name = ""
    title = ""
    question = ""
    icon_name = ""

    only_holds = True
    """It draws nothing; see ``theme.islands``."""

    usable_changed = Signal()
    stale_changed = Signal(bool)
    """Whether the results of the page are older than the design or the answers."""

    _part_by_part = False

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self.workbench = workbench
        self.store = workbench.store
        self.themes = workbench.themes
        self.primary = QAction(self)
        self.secondary: list[QAction] = []
        self.is_behind = False
        """Whether another page is in front; then it is enough to catch up when shown."""
        self.is_made = True
        """Whether all parts are there."""
        self._is_front = False
        self._parts: Iterator[None] = iter(())
        self.setObjectName(f"{self.name}Page")
        add_key(self, "F6", self.tr("Next column"), lambda: self._step_column(1))
        add_key(self, "Shift+F6", self.tr("Previous column"), lambda: self._step_column(-1))

    def name_primary(
        self, name: str, words: str, icon_name: str, slot: Callable[[], object]
    ) -> None:
        """Say what the next step of the work is."""
        _dress(self.primary, name, words, icon_name, slot)

    def action(self, name: str, words: str, icon_name: str, slot: Callable[[], object]) -> QAction:
        """One more thing to do on this page."""
        return _dress(QAction(self), name, words, icon_name, slot)

    def assemble(self, parts: Iterator[None]) -> None:
        """Make the widgets of the page: at once, or one part after the other when there is time.

        ``parts`` makes one part up to each ``yield``. A page is made in a tenth of a second or
        two, too long for a window that somebody clicks in meanwhile.
        """
        self._parts = parts
        self.is_made = False
        if not Page._part_by_part:
            self.finish()

    def make_part(self) -> bool:
        """Make the next part; False when nothing is left to make."""
        self.is_made = next(self._parts, _DONE) is _DONE
        return not self.is_made

    def extras(self) -> Iterator[None]:
        """Make what is not part of the page at first, up to each ``yield``, while there is time."""
        yield from ()

    def finish(self) -> None:
        """Make all parts that are missing."""
        while self.make_part():
            pass

    def childEvent(self, event: QChildEvent) -> None:  # noqa: N802
        """Give what comes later, such as dialogs, the look of the theme before it is seen."""
        super().childEvent(event)
        if event.type() == QEvent.Type.ChildPolished:
            self.workbench.themes.dress_child(event.child())

    @property
    def missing(self) -> str:
        """Why the page cannot be used yet; empty when it can."""
        return ""

    @property
    def asides(self) -> tuple[QWidget, ...]:
        """Parts that an audience does without: lists, settings, cards of second rank."""
        return ()

    def column_stops(self) -> Sequence[QWidget]:
        """Columns, or the control of each that F6 leads to."""
        return columns_of(self)

    def _step_column(self, step: int) -> None:
        step_column(self, self.column_stops(), step)

    def shown(self) -> None:
        """Called when the page comes to the front."""
        self._is_front = True

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        """Let pages show results only while somebody looks; work that runs goes on."""
        super().hideEvent(event)
        self._is_front = False


def _dress(
    action: QAction, name: str, words: str, icon_name: str, slot: Callable[[], object]
) -> QAction:
    action.setObjectName(name)
    action.setText(words)
    action.setProperty("iconName", icon_name)
    # Qt would hand the slot the action's checked state as its first argument.
    action.triggered.connect(lambda *_: slot())
    return action


@contextmanager
def part_by_part() -> Iterator[None]:
    """Pages that are constructed within leave their parts to be made later."""
    Page._part_by_part = True  # noqa: SLF001 (of this module)
    try:
        yield
    finally:
        Page._part_by_part = False  # noqa: SLF001
