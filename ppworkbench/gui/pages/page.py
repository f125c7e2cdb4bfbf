"""What the window knows about a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtGui import QAction, QHideEvent
from PySide6.QtWidgets import QAbstractSpinBox, QLineEdit, QMenu, QWidget

from ppworkbench.gui.application import single_shot
from ppworkbench.gui.keys import add_key, after_typing, columns_of, step_column
from ppworkbench.gui.language import tr
from ppworkbench.gui.widgets.attribute_box import AttributeBox
from ppworkbench.gui.widgets.table import open_filter
from ppworkbench.gui.workbench import Workbench

if TYPE_CHECKING:
    from ppworkbench.outputs.scripts.analysis import Analysis
    from ppworkbench.study.study import Study


@dataclass(frozen=True)
class PageState:
    """What somebody chose, found and typed on a page, as far as no study holds it.

    ``values`` are those of attributes of the page, by their paths; ``typed`` are the texts of
    fields, by their names.
    """

    sub_page: str
    values: Mapping[str, object]
    typed: Mapping[str, str]


class Page(QWidget):
    """One step of the work.

    ``primary`` is the next step of the work, shown as the filled button at the top right;
    ``secondary`` are at most two more.
    """

    name = ""
    title = ""
    question = ""

    sub_page_changed = Signal(str)
    """Another of the page's own pages is in front."""
    stale_changed = Signal(bool)
    """Whether the results of the page are older than the design or the answers."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self.workbench = workbench
        self.store = workbench.store
        self.themes = workbench.themes
        self.primary = QAction(self)
        self.secondary: list[QAction] = []
        self.copies: tuple[QAction, QMenu] | None = None
        """The action that copies, and the menu of all kinds that it may copy as."""
        self.sub_pages: list[tuple[str, str]] = []
        """Keys and titles of pages within this one; a switch beside the title leads to them."""
        self.sub_page = ""
        self.is_behind = False
        """Whether another page is in front; then it is enough to catch up when shown."""
        self._is_front = False
        self._follows = False
        self._due = single_shot(self, self.refresh)
        self.setObjectName(f"{self.name}Page")
        add_key(self, "F6", self.tr("Next column"), lambda: self._step_column(1))
        add_key(self, "Shift+F6", self.tr("Previous column"), lambda: self._step_column(-1))

    def refresh(self) -> None:
        """Show the study and whatever else is shown as they are now."""

    def follow(self, *signals: SignalInstance) -> None:
        """Refresh when the page comes to the front, and at these signals while it is there."""
        self._follows = True
        for signal in signals:
            signal.connect(self.refresh_soon)

    def refresh_soon(self, *_: object) -> None:
        """Refresh in an event of its own: one change of a study comes as several signals."""
        if self._is_front and self._follows:
            self._due.start(0)

    def set_primary(
        self, name: str, words: str, icon_name: str, slot: Callable[[], object]
    ) -> None:
        """Say what the next step of the work is."""
        _set_up(self.primary, name, words, icon_name, slot)

    def action(self, name: str, words: str, icon_name: str, slot: Callable[[], object]) -> QAction:
        """One more thing to do on this page."""
        return _set_up(QAction(self), name, words, icon_name, slot)

    def analysis(self) -> tuple[Analysis, Study] | None:
        """The result on the page as a call of the Python interface, and the study it is from.

        None where there is no result yet.
        """
        return None

    @property
    def why_no_script(self) -> str:
        """Why nothing can be copied as a script; read only where there is no analysis."""
        return tr("This page has no result of the study as it is now.")

    @property
    def optional_panels(self) -> tuple[QWidget, ...]:
        """Parts that an audience does without: lists, settings, cards of second rank."""
        return ()

    def show_sub_page(self, key: str) -> None:
        """Bring one of the pages within this one to the front."""
        if key != self.sub_page:
            self.sub_page = key
            self.sub_page_changed.emit(key)

    def kept(self) -> tuple[str, ...]:
        """Paths of attributes that the same page goes on with in another language."""
        return ()

    def state_now(self) -> PageState:
        """What the same page goes on with in another language."""
        values = {path: reduce(getattr, path.split("."), self) for path in self.kept()}
        typed = {name: one.text() for name, one in self._fields().items() if one.isModified()}
        return PageState(self.sub_page, values, typed)

    def take_over(self, state: PageState) -> None:
        """Go on from there; what was typed is put back once the page is seen."""
        for path, value in state.values.items():
            *holders, name = path.split(".")
            setattr(reduce(getattr, holders, self), name, value)

    def take_up(self, state: PageState) -> None:
        """Show the same part of the page, with the same texts in its fields."""
        if self.sub_page != state.sub_page:
            self.show_sub_page(state.sub_page)
        fields = self._fields()
        for name in fields.keys() & state.typed.keys():
            fields[name].setText(state.typed[name])
            fields[name].setModified(True)

    def _fields(self) -> dict[str, QLineEdit]:
        """The fields for texts by their names, as far as they are the only ones of that name."""
        found: Iterable[QLineEdit] = self.findChildren(QLineEdit)
        own = [one for one in found if not isinstance(one.parent(), QAbstractSpinBox)]
        counts = Counter(one.objectName() for one in own)
        return {name: one for one in own if counts[name := one.objectName()] == 1 and name}

    def column_stops(self) -> Sequence[QWidget]:
        """Columns, or the control of each that F6 leads to."""
        return columns_of(self)

    def _step_column(self, step: int) -> None:
        step_column(self, self.column_stops(), step)

    def shown(self) -> None:
        """Called when the page comes to the front."""
        self._is_front = True
        self.refresh_soon()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        """Let pages show results only while somebody looks; work that runs goes on."""
        super().hideEvent(event)
        self._is_front = False


def _set_up(
    action: QAction, name: str, words: str, icon_name: str, slot: Callable[[], object]
) -> QAction:
    action.setObjectName(name)
    action.setText(words)
    action.setProperty("iconName", icon_name)
    action.triggered.connect(after_typing(slot))
    return action


def add_attribute_keys(page: Page, box: AttributeBox) -> None:
    """Let Alt with the arrows choose another attribute, wherever the focus is."""
    add_key(page, "Alt+Up", tr("Previous attribute"), lambda: box.step(-1))
    add_key(page, "Alt+Down", tr("Next attribute"), lambda: box.step(1))


def add_filter_key(page: Page) -> None:
    """Let Ctrl+F filter the table that has the focus, else the largest one of the page."""

    def search() -> None:
        if not open_filter(page, page.themes):
            said = tr("There is nothing to filter here yet.")
            page.workbench.show_toast(said)

    add_key(page, "Ctrl+F", tr("Filter table"), search)
