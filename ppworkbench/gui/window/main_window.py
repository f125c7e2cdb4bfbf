"""The window: menus over the user's study, and over a demonstration while one runs."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
)
from PySide6.QtWidgets import QDialog, QStackedWidget
from shiboken6 import isValid

from ppworkbench.gui.collecting import Collecting
from ppworkbench.gui.dialogs import ButtonRole, Choice, ask
from ppworkbench.gui.keys import add_key, finish_typing, order_tabs
from ppworkbench.gui.language import speech
from ppworkbench.gui.pages.page import Page, PageState
from ppworkbench.gui.window.actions import Menus
from ppworkbench.gui.window.collectors import RunningCollectors, server_words
from ppworkbench.gui.window.hints import Hints
from ppworkbench.gui.window.layered_window import LayeredWindow
from ppworkbench.gui.window.projector import Projector
from ppworkbench.gui.window.shell import START, Shell, make_page, wait_cursor
from ppworkbench.gui.workbench import Workbench

if TYPE_CHECKING:
    from pathlib import Path

    from ppworkbench.gui.window.demonstration_player import DemonstrationPlayer, HiddenPages
    from ppworkbench.outputs.demonstrations.demonstration import Demonstration


_HELD_DOWN = 0.2
"""Seconds between two presses of Tab within which nothing is looked at anew."""


class MainWindow(LayeredWindow):
    """Menus, keys and hints around the user's study, which a demonstration covers and uncovers."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self.collecting = Collecting.of(workbench)
        self.collectors = RunningCollectors.of(workbench)
        self._ended_stages: list[DemonstrationPlayer] = []
        """Demonstrations whose jobs may still be stopping."""
        self._may_close = self._is_asking = False
        self.layers = QStackedWidget()
        self.setCentralWidget(self.layers)
        self.projector = Projector(self)
        self._ordered = 0.0
        self.hints = Hints(self)
        self.use_shell(self.make_shell())
        self.menus = self._make_menus()
        workbench.themes.apply_theme(self.menuBar())
        self._listen()
        self.setAcceptDrops(True)
        self.setMinimumSize(1100, 700)
        self._restore_state()
        self.show_page(START.name)

    def _make_menus(self) -> Menus:
        menus = Menus(self, self.projector, self.hints)
        menus.language_chosen.connect(self.speak)
        return menus

    def make_shell(self, states: Mapping[str, PageState] | None = None) -> Shell:
        return Shell(
            self.workbench, lambda name, of: make_page(name, of, self.files), states=states
        )

    def use_shell(self, shell: Shell) -> None:
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

    # The user's pages

    def page(self, name: str) -> Page:
        """A page, made if this is its first use."""
        return self.shell.page(name)

    def show_page(self, name: str) -> None:
        self.shell.show_page(name)

    def show_error(self, error: object) -> None:
        """Show what went wrong as one sentence; the details are a click away."""
        self.front.show_error(error)

    def show_help(self, topic: str) -> None:
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
            self.menus = self._make_menus()
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
            ),
            on_answer,
        )  # fmt: skip

    def _on_may_close(self) -> None:
        self._may_close = True
        if not self._is_asking:
            # The answer came after the close event that asked for it.
            self.close()
