"""The pages of a window and how one is shown."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QWidget

from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.dialogs import ErrorDetails, show_dialog
from ppworkbench.gui.language import told_error, translate
from ppworkbench.gui.pages.page import Page, PageState
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.layout import PageRoom, PageStack, column, named, row
from ppworkbench.gui.widgets.provenance import set_invented_note
from ppworkbench.gui.widgets.splitter import restore_columns, save_columns
from ppworkbench.gui.window.chrome import Header, Rail
from ppworkbench.gui.window.status import JobList, StatusBar, Toast
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.language import translatable
from ppworkbench.study.state import invented_note
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.gui.files import FileActions

    # isort: off
    # Imported by their names when they are made; tools that follow imports find them here.
    from ppworkbench.gui.pages import (  # noqa: F401
        classify, collect, data, design, explore, learn, mine, publish, start, survey,
    )  # fmt: skip


@dataclass(frozen=True)
class PageEntry:
    """A page as the rail knows it before it is made.

    No page is ever grey. What leads on stands in the place of one that ``needs_study`` or
    ``needs_answers`` while there are none.
    """

    name: str
    title: str
    hint: str
    needs_study: bool = True
    needs_answers: bool = False
    apart: bool = False

    def lacks(self, study: Study) -> str:
        """What is missing for the page: ``study``, ``answers``, or nothing."""
        if self.needs_study and study.is_empty:
            return "study"
        return "answers" if self.needs_answers and study.table is None else ""


START = PageEntry("start", translatable("Start"), "", needs_study=False)
PAGES = (
    PageEntry("data", translatable("Data"), translatable("Write questions, check answers"),
              needs_study=False),
    PageEntry("design", translatable("Design"), translatable("Choose mechanisms")),
    PageEntry("collect", translatable("Collect"),
              translatable("Ask people and watch the answers arrive")),
    PageEntry("explore", translatable("Explore"), translatable("Distort and reconstruct"),
              needs_answers=True),
    PageEntry("survey", translatable("Survey"), translatable("What do the true answers look like?"),
              needs_answers=True),
    PageEntry("mine", translatable("Mine"), translatable("Find itemsets and rules"),
              needs_answers=True),
    PageEntry("classify", translatable("Classify"), translatable("Compare classifiers"),
              needs_answers=True),
    PageEntry("publish", translatable("Publish"), translatable("Release a table")),
    PageEntry("learn", translatable("Learn"), translatable("Demonstrations, step by step"),
              needs_study=False, apart=True),
)  # fmt: skip
"""The pages in the order of the rail; an icon is named as its page."""


def make_page(name: str, workbench: Workbench, files: FileActions | None) -> Page:
    # The modules of a page are imported only when it is made.
    module = importlib.import_module(f"ppworkbench.gui.pages.{name}")
    page: Page = getattr(module, f"{name.title()}Page")(workbench, files)
    return page


_ENTRIES = {page.name: page for page in PAGES}
_OF_NO_STUDY = frozenset({START.name, *(page.name for page in PAGES if page.apart)})

MakePage = Callable[[str, Workbench], Page]


class Shell(QWidget):
    """Everything of the window below its menus.

    Pages are made when they are first shown, so that the window opens fast. The user's own study
    has a shell, and a demonstration has another: neither knows of the other's study. A shell that
    ``leads`` chooses the page when another study is opened, and has the pages that show no study.
    """

    page_shown = Signal(str)
    leading_wanted = Signal(str)
    """A page that only a shell that leads has."""

    def __init__(
        self,
        workbench: Workbench,
        make: MakePage,
        *,
        leads: bool = True,
        states: Mapping[str, PageState] | None = None,
    ) -> None:
        super().__init__()
        self._leads = leads
        self._states = dict(states or {})
        """What pages go on with that another shell had, until they are shown here."""
        self._is_opening = False
        self.workbench = workbench
        self.store = workbench.store
        self._make = make
        self.pages: dict[str, Page] = {}
        self._stand_ins: dict[tuple[str, str], Page] = {}
        """What stands in the place of pages, by their name and what they lack."""
        self.current = ""
        self._build()
        around = (self.rail, self.header, self.banner, self.invented, self.status)
        for part in (*around, self.job_list, self.toast):
            workbench.themes.apply_theme(part)
        if not leads:
            # The first page of a stack is shown at once, made or not; so a blank one comes first.
            self.stack.addWidget(QWidget())
        self._listen()

    def _build(self) -> None:
        themes = self.workbench.themes
        shown, apart = (
            [(p.name, self.tr(p.title)) for p in PAGES if p.apart is is_apart]
            for is_apart in (False, True)
        )
        self.rail = Rail(themes, shown, apart)
        self.rail.page_chosen.connect(self.show_page)
        for entry in PAGES:
            self.rail.buttons[entry.name].setToolTip(self.tr(entry.hint))
        self.header = Header(self.workbench)
        self.banner = named(Banner(themes), "banner")
        self.invented = named(Banner(themes), "inventedBanner")
        self.stack = PageStack()
        self.room = PageRoom(self.stack)
        # In one row, whose margins are there even where it shows nothing.
        banner_row = row(column(self.invented, self.banner, spacing=6), margin=(16, 0, 16, 6))
        self.beside = row(self.room, spacing=0)
        """The pages, and whatever stands to the right of them."""
        right = column(self.header, banner_row, self.beside, spacing=0, stretch=2)
        self.beside.setStretch(0, 1)
        middle = row(self.rail, right, spacing=0)
        self.status = StatusBar(self.workbench)
        self.status.jobs.list_requested.connect(self.show_jobs)
        column(middle, self.status, parent=self, spacing=0, stretch=0)
        self.job_list = JobList(self.workbench, self)
        self.toast = Toast(self.room)
        self.toast.undo_requested.connect(self.store.undo_stack.undo)

    def _listen(self) -> None:
        workbench = self.workbench
        workbench.page_requested.connect(self.show_page)
        workbench.error_raised.connect(self.show_error)
        workbench.toast_requested.connect(self._on_toast)
        self.store.study_opened.connect(self._on_opened)
        self.store.file_changed.connect(self._lead)
        self.store.data_changed.connect(self._on_data)
        self.store.design_changed.connect(self._follow_front)
        self.follow_state()

    def close_down(self) -> None:
        timers: Iterable[QTimer] = self.findChildren(QTimer)
        for timer in timers:
            timer.stop()
        workbench, store = self.workbench, self.store
        workbench.page_requested.disconnect(self.show_page)
        workbench.error_raised.disconnect(self.show_error)
        workbench.toast_requested.disconnect(self._on_toast)
        store.study_opened.disconnect(self._on_opened)
        store.file_changed.disconnect(self._lead)
        store.data_changed.disconnect(self._on_data)
        store.design_changed.disconnect(self._follow_front)

    # Pages

    def page(self, name: str) -> Page:
        """A page, made if this is its first use."""
        if name not in self.pages:
            with wait_cursor():
                self._add_page(name, self._make(name, self.workbench))
                if name in self._states:
                    self.pages[name].take_over(self._states[name])
        return self.pages[name]

    @property
    def front_page(self) -> Page | None:
        """The page that is seen: the one in front, or what stands in its place."""
        lacking = self._lacking(self.current)
        if lacking:
            return self._stand_ins.get((self.current, lacking))
        return self.pages.get(self.current)

    def _lacking(self, name: str) -> str:
        entry = _ENTRIES.get(name)
        return "" if entry is None else entry.lacks(self.store.study)

    def _page_to_show(self, name: str) -> Page:
        lacking = self._lacking(name)
        if not lacking:
            return self.page(name)
        key = name, lacking
        if key not in self._stand_ins:
            from ppworkbench.gui.pages.no_answers import NoAnswersPage, NoStudyPage

            entry = _ENTRIES[name]
            make = NoStudyPage if lacking == "study" else NoAnswersPage
            title, hint = self.tr(entry.title), self.tr(entry.hint)
            page = make(self.workbench, name, title, hint, entry.name)
            self._stand_ins[key] = page
            self.stack.addWidget(page)
            self.workbench.themes.apply_theme(page)
        return self._stand_ins[key]

    def _add_page(self, name: str, page: Page) -> None:
        self.pages[name] = page
        if name in self.rail.buttons:
            page.stale_changed.connect(self.rail.buttons[name].set_stale)
        self.stack.addWidget(page)
        self.workbench.themes.apply_theme(page)
        restore_columns(page, self.workbench.settings)

    def show_page(self, name: str) -> None:
        """Bring a page to the front, and a page within it that is named behind a stroke."""
        name, _, within = name.partition("/")
        if name in _OF_NO_STUDY and not self._leads:
            self.leading_wanted.emit(name)
            return
        page = self._page_to_show(name)
        self.current = name
        for other in self.pages.values():
            other.is_behind = other is not page
        self.stack.setCurrentWidget(page)
        self.rail.show_page(name)
        self.header.show_page(page)
        works = name not in _OF_NO_STUDY
        self.header.state.setVisible(works and self._lacking(name) != "study")
        self.header.undo.setVisible(works)
        self.header.redo.setVisible(works)
        page.shown()
        if page is self.pages.get(name) and name in self._states:
            page.take_up(self._states.pop(name))
        if within:
            page.show_sub_page(within)
        self.page_shown.emit(name)

    @property
    def states(self) -> dict[str, PageState]:
        """What the pages of another shell go on with."""
        return self._states | {name: page.state_now() for name, page in self.pages.items()}

    def save_columns(self) -> None:
        for page in self.pages.values():
            save_columns(page, self.workbench.settings)

    # What happens

    def show_error(self, error: object) -> None:
        """Show what went wrong as one sentence; the details are a click away."""
        if isinstance(error, WorkbenchError):
            said = told_error(error, self.workbench.store.study)
            self.banner.say("error", said, self.tr("Nothing was changed."))
            return
        sentence = self.tr("Internal error.")
        if isinstance(error, OSError) and error.strerror:
            # A full disk is no fault of the program, and the user can do something about it.
            refused = self.tr("The system denied access to a file: %s.")
            sentence = refused % error.strerror
        rest = self.tr("Your study is unchanged.")
        details = (self.tr("Details"), lambda: self._show_details(error))
        self.banner.say("error", sentence, rest, details)

    def _show_details(self, error: object) -> None:
        show_dialog(ErrorDetails(error, self.window()), self.workbench.themes)

    def show_jobs(self) -> None:
        self.job_list.open_above(self.status.jobs)

    def do_primary(self) -> None:
        # A demonstration that begins has no page for a moment.
        page = self.front_page
        if page is not None and page.primary.isEnabled():
            page.primary.trigger()

    def escape(self) -> bool:
        """Cancel the newest job that is waited for, else close the banner; False if neither."""
        awaited = [job for job in self.workbench.jobs.running if not job.begins_again]
        if awaited:
            awaited[-1].cancel()
            return True
        if self.banner.isVisible():
            self.banner.hide()
            return True
        return False

    def _on_opened(self) -> None:
        self._states.clear()
        self.banner.hide()
        self.workbench.jobs.disown_all()
        self._is_opening = self._leads
        self.follow_state()
        if self._leads and self._way() is not None and self.current in self.pages:
            # It is left in a moment, so it need not be brought up to date.
            self.pages[self.current].is_behind = True

    def _way(self) -> str | None:
        """The page to which another study leads; None if the one in front can stay."""
        study = self.store.study
        shown = next((page for page in PAGES if page.name == self.current), None)
        if study.is_empty:
            return START.name
        if shown is None or shown.apart or shown.lacks(study) or self._had_no_study():
            return "data" if study.table is not None else "design"
        front = self.front_page
        # Answers have come or gone, so that another page stands in the place of this one.
        return None if front is self.stack.currentWidget() else self.current

    def _lead(self) -> None:
        """Show a page of another study once all pages know of it: one in front would be laid out
        with everything that it is told.
        """
        if not self._is_opening:
            return
        self._is_opening = False
        way = self._way()
        if way is not None:
            self.show_page(way)

    def _had_no_study(self) -> bool:
        """Whether what is seen says that no study is open."""
        return self.stack.currentWidget() is self._stand_ins.get((self.current, "study"))

    def _on_data(self) -> None:
        """Say what the answers are, and show what can be done with them now."""
        self.follow_state()
        self._follow_front()

    def _follow_front(self) -> None:
        """Show the page itself, or what stands in its place, as the study wants it now."""
        if self._is_opening:
            # Another study may lead to another page.
            return
        if self.current and self.front_page is not self.stack.currentWidget():
            self.show_page(self.current)

    def follow_state(self) -> None:
        """Say over every page whether the answers are invented, and in all that leaves it."""
        note = invented_note(self.store.study)
        words = "" if note is None else translate(note)
        set_invented_note(words)
        if not words:
            self.invented.hide()
            return
        strong, _, rest = words.partition(": ")
        settings = self.tr("Settings…"), self._on_rehearsal_settings
        remove = self.tr("Remove"), self._on_remove_invented
        self.invented.say("warning", f"{strong}:", rest, settings, remove, closable=False)

    def _on_rehearsal_settings(self) -> None:
        from ppworkbench.gui.rehearsal import open_rehearsal

        open_rehearsal(self.workbench, self.window())

    def _on_remove_invented(self) -> None:
        from ppworkbench.gui.rehearsal import remove_invented

        remove_invented(self.workbench)

    def _on_toast(self, message: str, undoable: bool) -> None:
        theme = self.workbench.theme
        self.toast.say(message, undoable, theme.hex("text"), theme.hex("surface"))


@contextmanager
def wait_cursor() -> Iterator[None]:
    """Show that the window is busy: a page or a language takes up to some tenths of a second."""
    QApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
    try:
        yield
    finally:
        QApplication.restoreOverrideCursor()
