"""The window: menus over the user's study, and over a demonstration while one runs."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QObject, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QUndoGroup,
)
from PySide6.QtWidgets import QDialog, QMainWindow, QSplitter, QStackedWidget, QWidget
from shiboken6 import isValid

from ppworkbench.gui.application import single_shot
from ppworkbench.gui.collecting import Collecting
from ppworkbench.gui.dialogs import ButtonRole, Choice, ask, show_dialog
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.keys import add_key, finish_typing, menu_actions, order_tabs
from ppworkbench.gui.language import speech
from ppworkbench.gui.pages.page import Page, PageState
from ppworkbench.gui.window.actions import Menus
from ppworkbench.gui.window.collectors import CollectorsDialog, RunningCollectors, server_words
from ppworkbench.gui.window.hints import Hints
from ppworkbench.gui.window.shell import START, Shell, make_page, wait_cursor
from ppworkbench.gui.workbench import Workbench

if TYPE_CHECKING:
    from pathlib import Path

    from ppworkbench.gui.window.demonstration_player import DemonstrationPlayer, HiddenPages
    from ppworkbench.gui.window.shell import Shell
    from ppworkbench.outputs.demonstrations.demonstration import Demonstration


_EVERY, _TRIES, _STABLE = 40, 25, 5
"""Milliseconds between two looks at the window's size, how often it is looked at, and in how many
looks in a row it has to be the old one."""


class Projector(QObject):
    """Takes away menus, rail, status bar and what a page can do without; gives all of it back.

    The menus stay reachable by their keys. A demonstration decides itself which columns it needs,
    so that its pages keep theirs.
    """

    switched = Signal(bool)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._themes = window.workbench.themes
        self._state, self._size = Qt.WindowState.WindowNoState, window.size()
        self._tries = self._stable = 0
        # Window systems take their time to leave the full screen, and layouts to follow.
        self._restoring = single_shot(self, self._restore_columns, _EVERY)
        self._said = ""
        self._columns: list[tuple[QSplitter, list[int]]] = []
        self._aside: list[QWidget] = []
        self._actions: list[QAction] = []

    @property
    def is_on(self) -> bool:
        """Whether the window shows itself to an audience."""
        return self._themes.is_projected

    def watch(self, shell: Shell) -> None:
        """Also take away what is left out of the pages of a shell, and what is around them."""
        shell.page_shown.connect(lambda _: self.follow())
        self.follow()

    def toggle(self) -> None:
        """Begin or end."""
        if self.is_on:
            self.leave()
        else:
            self.enter()

    def enter(self) -> None:
        """Fill the screen with the page alone."""
        if self.is_on:
            return
        window = self._window
        if not self._columns:
            # Else it has not got back yet what it had before the last time.
            self._state, self._size = window.windowState(), window.size()
            splitters: Iterable[QSplitter] = window.shell.findChildren(QSplitter)
            self._columns = [(splitter, splitter.sizes()) for splitter in splitters]
        # Keys of a menu that is out of sight reach nothing unless the window has its actions too.
        self._actions = [action for _, action in menu_actions(window.menuBar())]
        window.addActions(self._actions)
        window.menuBar().hide()
        self._themes.project(True)
        window.setWindowState(self._state | Qt.WindowState.WindowFullScreen)
        self.follow()
        self._said = self.tr(
            "Projector view. Esc or Shift+F11 leaves it, Ctrl+1 to Ctrl+9 change pages."
        )
        window.front.workbench.toast_requested.emit(self._said, False)
        self.switched.emit(True)

    def leave(self) -> None:
        """Show everything where it was."""
        if not self.is_on:
            return
        window = self._window
        for action in self._actions:
            window.removeAction(action)
        # What is seen changes its theme first.
        for part in self._aside:
            if isValid(part):
                part.show()
        window.menuBar().show()
        window.setWindowState(self._state)
        self._themes.project(False)
        self._aside, self._actions = [], []
        self._tries, self._stable = _TRIES, 0
        toast = window.front.toast
        if toast.label.text() == self._said:
            # It tells how to leave what was just left.
            toast.hide()
        self._restoring.start()
        self.switched.emit(False)

    def _restore_columns(self) -> None:
        """Put columns where they were, until the window keeps its old size.

        Whoever leaves at once finds it there before the window system has filled the screen.
        """
        if self.is_on:
            return
        self._tries -= 1
        self._stable = self._stable + 1 if self._window.size() == self._size else 0
        if self._stable or not self._tries:
            for splitter, sizes in self._columns:
                if isValid(splitter) and splitter.sizes() != sizes:
                    splitter.setSizes(sizes)
        if self._stable < _STABLE and self._tries:
            self._restoring.start()
        else:
            self._columns = []

    def follow(self) -> None:
        """Take away what belongs to the shells and pages that there are now."""
        if not self.is_on:
            return
        window = self._window
        shells = [window.shell] if window.stage is None else [window.shell, window.stage.shell]
        parts: list[QWidget] = []
        for shell in shells:
            parts += [shell.rail, shell.status]
        page = window.shell.front_page
        parts += () if page is None else page.optional_panels
        for part in parts:
            # What a page hid itself is its own affair.
            if not part.isHidden():
                part.hide()
                self._aside.append(part)


_HELD_DOWN = 0.2
"""Seconds between two presses of Tab within which nothing is looked at anew."""


class MainWindow(QMainWindow):
    """One shell holds the user's study; a demonstration lays its own over it and takes it away."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self.workbench = workbench
        self.store = workbench.store
        self.files = FileActions(workbench, self)
        self.collecting = Collecting.of(workbench)
        self.collectors = RunningCollectors.of(workbench)
        self.stage: DemonstrationPlayer | None = None
        """The demonstration that runs."""
        self._ended_stages: list[DemonstrationPlayer] = []
        """Demonstrations whose jobs may still be stopping."""
        self._may_close = self._is_asking = False
        self.layers = QStackedWidget()
        self.setCentralWidget(self.layers)
        self.projector = Projector(self)
        self._ordered = 0.0
        self.hints = Hints(self)
        self.use_shell(self.make_shell())
        self.history = QUndoGroup(self)
        self.history.addStack(self.store.undo_stack)
        self.history.setActiveStack(self.store.undo_stack)
        self.menus = Menus(self)
        workbench.themes.apply_theme(self.menuBar())
        self._listen()
        self.setAcceptDrops(True)
        self.setMinimumSize(1100, 700)
        self._restore_state()
        self.show_page(START.name)

    def make_shell(self, states: Mapping[str, PageState] | None = None) -> Shell:
        """A shell around the user's study."""
        return Shell(
            self.workbench, lambda name, of: make_page(name, of, self.files), states=states
        )

    def use_shell(self, shell: Shell) -> None:
        """Let the user's study be seen in a shell."""
        self.shell = shell
        self.pages, self.rail = shell.pages, shell.rail
        self.header, self.banner = shell.header, shell.banner
        self.stack, self.status = shell.stack, shell.status
        self.job_list, self.toast = shell.job_list, shell.toast
        self.layers.addWidget(shell)
        self.projector.watch(shell)
        self.hints.watch(shell)

    def _listen(self) -> None:
        self.workbench.help_requested.connect(self.show_help)
        self.workbench.demonstration_requested.connect(self.start_demonstration)
        self.files.demonstration_chosen.connect(self._on_demonstration)
        self.files.parts_chosen.connect(self.open_parts)
        self.store.file_changed.connect(self._update_title)
        self.store.study_opened.connect(self.end_demonstration)
        self._next_keys = [
            add_key(self, keys, "", self._on_primary) for keys in ("Ctrl+Return", "Ctrl+Enter")
        ]
        self._escape_key = add_key(self, "Esc", "", self._on_escape)
        self.name_keys()
        self._update_title()

    def name_keys(self) -> None:
        """Say in the language of now what the keys of the window do."""
        for key in self._next_keys:
            key.setWhatsThis(self.tr("Primary action"))
        self._escape_key.setWhatsThis(self.tr("Cancel a job, close a message, leave a view"))

    @property
    def front(self) -> Shell:
        """What is seen: the shell of the user's study, or that of the demonstration."""
        return self.shell if self.stage is None else self.stage.shell

    @property
    def current(self) -> str:
        """The page of the user's study that is in front, or was before the demonstration."""
        return self.shell.current

    # The user's pages

    def page(self, name: str) -> Page:
        """A page, made if this is its first use."""
        return self.shell.page(name)

    def show_page(self, name: str) -> None:
        """Bring a page to the front."""
        self.shell.show_page(name)

    def show_error(self, error: object) -> None:
        """Show what went wrong as one sentence; the details are a click away."""
        self.front.show_error(error)

    def show_jobs(self) -> None:
        """Open the list of jobs."""
        self.front.show_jobs()

    def show_help(self, topic: str) -> None:
        """Open a help topic."""
        self.menus.show_help(topic)

    def speak(self, language: str) -> None:
        """Make everything that is seen anew in another language; the study stays as it is."""
        from ppworkbench.gui.help_window import follow_language

        with wait_cursor():
            self.workbench.settings.setValue("view/language", language)
            dialogs: Iterable[QDialog] = self.findChildren(QDialog)
            for dialog in dialogs:
                # It was opened by a page that goes now, and asks in the words of before.
                if dialog.isVisible() and dialog.isModal():
                    dialog.reject()
            self.end_demonstration()
            self.projector.leave()
            name, old = self.current, self.shell
            states = old.states
            old.save_columns()
            old.close_down()
            self.workbench.jobs.disown_all()
            self.layers.removeWidget(old)
            old.deleteLater()
            speech.choose(language)
            self.use_shell(self.make_shell(states))
            for action in self.menuBar().actions():
                action.menu().deleteLater()
            self.menuBar().clear()
            self.menus.deleteLater()
            self.menus = Menus(self)
            self.name_keys()
            self.layers.setCurrentWidget(self.shell)
            self.show_page(name)
            follow_language(self.workbench, self)

    # Demonstrations

    def _make_backstage(self) -> HiddenPages:
        from ppworkbench.gui.window.demonstration_player import HiddenPages

        return HiddenPages(self.workbench, lambda name, of: make_page(name, of, None))

    def start_demonstration(self, demonstration: Demonstration) -> None:
        """Lay a demonstration over the user's study, which stays as it is below."""
        from ppworkbench.gui.demonstrations import remember_seen
        from ppworkbench.gui.window.demonstration_player import DemonstrationPlayer

        self.end_demonstration()
        stage = DemonstrationPlayer(self.workbench, demonstration, self._make_backstage())
        self.stage = stage
        stage.ended.connect(self.end_demonstration)
        stage.finished.connect(lambda seen: remember_seen(self.workbench.settings, seen.name))
        stage.shell.leading_wanted.connect(self._leave_demonstration)
        stage.workbench.help_requested.connect(self.show_help)
        self.history.addStack(stage.workbench.store.undo_stack)
        self.history.setActiveStack(stage.workbench.store.undo_stack)
        self.layers.addWidget(stage)
        self.layers.setCurrentWidget(stage)
        self.projector.watch(stage.shell)
        self.menus.follow()
        self._update_title()
        stage.begin()

    def end_demonstration(self) -> None:
        """Show the user's study again, exactly as it was."""
        if self.stage is None:
            return
        stage, self.stage = self.stage, None
        self.history.setActiveStack(self.store.undo_stack)
        self.history.removeStack(stage.workbench.store.undo_stack)
        self.layers.setCurrentWidget(self.shell)
        self.layers.removeWidget(stage)
        self._ended_stages = [one for one in self._ended_stages if isValid(one)] + [stage]
        stage.close_down()
        self.menus.follow()
        self._update_title()
        # The page went out of sight meanwhile; what it shows has not changed.
        page = self.shell.front_page
        if page is not None:
            page.shown()
        self.shell.follow_state()

    def _on_demonstration(self, path: Path) -> None:
        from ppworkbench.gui.demonstrations import open_own_demonstration

        open_own_demonstration(self.workbench, path)

    def open_parts(self, address: str = "", design: Path | None = None) -> None:
        """Ask for a folder of parts, the size of its sample and the engine, and open it."""
        from ppworkbench.gui.window.parts_dialog import PartsDialog

        made: Iterable[PartsDialog] = self.findChildren(PartsDialog)
        if not address and any(one.isVisible() for one in made):
            return
        dialog = PartsDialog(self.workbench, address, design, self)
        dialog.opened.connect(self.files.open_sample_of_parts)
        show_dialog(dialog, self.workbench.themes)

    def _leave_demonstration(self, page: str) -> None:
        self.end_demonstration()
        self.show_page(page)

    # The window itself

    def _on_primary(self) -> None:
        self.front.do_primary()

    def _on_escape(self) -> None:
        if (self.stage is None and self.hints.dismiss()) or self.front.escape():
            return
        if self.stage is not None:
            self.end_demonstration()
        else:
            self.projector.leave()

    def _update_title(self) -> None:
        if self.stage is not None:
            self.setWindowTitle(f"{self.stage.demonstration.title} – ppworkbench")
            return
        if self.store.study.is_empty:
            self.setWindowTitle("ppworkbench")
            return
        mark = "*" if self.store.is_modified else ""
        self.setWindowTitle(f"{self.store.study.title}{mark} – ppworkbench")

    def _restore_state(self) -> None:
        saved = self.workbench.settings.value("window/geometry")
        if isinstance(saved, QByteArray) and self.restoreGeometry(saved):
            return
        self.resize(1366, 768)

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: N802
        """Go on in reading order; pages make some of their controls long after the others."""
        now = time.monotonic()
        if now - self._ordered > _HELD_DOWN:
            order_tabs(self.front if self.stage is None else self.stage)
        self._ordered = now
        return super().focusNextPrevChild(forward)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            self.end_demonstration()
            self.files.open_paths(paths)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        if not self._may_close:
            finish_typing()
            self._is_asking = True
            self.files.leave(self._ask_about_others)
            self._is_asking = False
        if not self._may_close:
            event.ignore()
            return
        self._end_work()
        self.files.close()
        event.accept()

    def _end_work(self) -> None:
        self.end_demonstration()
        self.collectors.end()
        for ended in filter(isValid, self._ended_stages):
            ended.workbench.jobs.close()
        self.projector.leave()
        self.workbench.settings.setValue("window/geometry", self.saveGeometry())
        self.shell.save_columns()
        self.workbench.jobs.close()

    def end(self) -> None:
        """End without a question; unsaved work is offered at the next start."""
        # A job that saves would write on while the copy is made.
        self._end_work()
        self.files.end()
        self._may_close = True
        self.close()

    def _ask_about_others(self) -> None:
        """Say what goes on running when the window is closed, and where it is reached."""
        others = self.collectors.others
        if not others:
            self._on_may_close()
            return

        def on_answer(answer: str) -> None:
            if answer == "quit":
                self._on_may_close()
            elif answer == "show":
                self.show_collectors()

        # The answer always comes later, whatever asked for it.
        self._is_asking = False
        words = self.tr(
            "Other studies go on being collected when the window is closed. Every window finds "
            "these collectors again and can stop them:"
        )
        listed = "\n".join(map(server_words, others))
        ask(
            self, self.workbench.themes, self.tr("Collectors go on running"),
            f"{words}\n\n{listed}",
            (
                Choice("quit", self.tr("Close the window"), ButtonRole.AcceptRole),
                Choice("show", self.tr("Running collectors…"), ButtonRole.ActionRole),
                Choice("cancel", self.tr("Cancel"), ButtonRole.RejectRole),
            ),
            on_answer,
        )  # fmt: skip

    def show_collectors(self) -> None:
        """List the collectors that run for this account."""
        show_dialog(CollectorsDialog(self.workbench, self), self.workbench.themes)

    def _on_may_close(self) -> None:
        self._may_close = True
        if not self._is_asking:
            # The answer came after the close event that asked for it.
            self.close()
