"""Demonstrations to choose from, the program's and one's own."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QGridLayout, QScrollArea, QWidget

from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.demonstrations import (
    DemonstrationCard,
    open_demonstration,
    open_own_demonstration,
    own_files,
    remember_own,
    seen,
    shipped_heads,
)
from ppworkbench.gui.dialogs import choose_file, save_file
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.language import speech
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.widgets.layout import column, text
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.demonstrations.catalogue import SUFFIX, read_head, write_template

_COLUMNS = 3


class LearnPage(Page):
    """Cards in the order in which one would look at them."""

    name = "learn"

    def __init__(self, workbench: Workbench, files: FileActions | None = None) -> None:
        super().__init__(workbench)
        self.files = files
        self.title = self.tr("Learn")
        self.question = self.tr("Demonstrations on the real pages, step by step, on a copy")
        self.name_primary("startNext", self.tr("Start next"), "play", self.start_next)
        self.open_action = self.action(
            "openDemonstration", self.tr("Open a demonstration…"), "open", self.open_dialog
        )
        self.help_action = self.action(
            "demonstrationHelp", self.tr("How to write one"), "question",
            lambda: workbench.help_requested.emit("writing-a-demonstration"),
        )  # fmt: skip
        self.write_action = self.action(
            "writeDemonstration", self.tr("Write your own…"), "edit", self.write_dialog
        )
        self.write_action.setToolTip(
            self.tr("Save a template, open it in your text editor, and list it here")
        )
        self.secondary = [self.help_action, self.write_action, self.open_action]
        self.cards: list[DemonstrationCard] = []
        self.own_cards: list[DemonstrationCard] = []
        self._make_parts()

    def _make_parts(self) -> None:
        inner = QWidget()
        self._grid = QGridLayout()
        self._own_grid = QGridLayout()
        for grid in (self._grid, self._own_grid):
            grid.setSpacing(12)
            for place in range(_COLUMNS):
                grid.setColumnStretch(place, 1)
        self.own_title = text(self.tr("Your own"), "strong")
        layout = column(self._grid, self.own_title, self._own_grid, None, parent=inner, spacing=12)
        layout.setContentsMargins(16, 4, 16, 12)
        layout.setStretch(0, 1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        # The cards take the keyboard, and bring themselves into sight.
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(inner)
        column(area, parent=self)
        for place, head in enumerate(shipped_heads()):
            card = DemonstrationCard(self.themes, str(place + 1), head)
            card.clicked.connect(lambda path=head.file: self.open(path))
            self._grid.addWidget(card, place // _COLUMNS, place % _COLUMNS)
            self.cards.append(card)
        self._show_own()

    def shown(self) -> None:
        """Tick what was seen; list one's own files as they are now."""
        super().shown()
        self._show_own()
        done = seen(self.workbench.settings)
        for card in (*self.cards, *self.own_cards):
            card.show_seen(card.head.name in done)

    def open(self, path: Path) -> Job:
        """Start a demonstration."""
        return open_demonstration(self.workbench, path)

    def start_next(self) -> None:
        """Start the first one that was not seen to its end."""
        done = seen(self.workbench.settings)
        left = [card.head for card in self.cards if card.head.name not in done]
        heads = left or [card.head for card in self.cards]
        if heads:
            self.open(heads[0].file)

    def open_dialog(self) -> None:
        """Ask for a file of one's own."""
        kinds = self.tr("Demonstrations (*%s);;All files (*)") % SUFFIX
        title = self.tr("Open a demonstration")
        choose_file(self, title, "", kinds, lambda paths, _: self.open_own(paths[0]))

    def open_own(self, path: Path) -> Job:
        """Start a file of one's own, and list it from now on if it can be read."""
        return open_own_demonstration(self.workbench, path)

    def write_dialog(self) -> None:
        """Ask for a file, write a template to it, and open that in the user's editor."""
        kinds = self.tr("Demonstrations (*%s)") % SUFFIX
        suggestion = self.tr("my-demonstration") + SUFFIX
        save_file(self, self.tr("Write your own"), suggestion, kinds, self._write)

    def _write(self, path: Path) -> None:
        if not self.workbench.attempt(lambda: write_template(path, speech.language)):
            return
        remember_own(self.workbench.settings, path)
        self._show_own()
        # Without a program for such files nothing opens, so that the place is told in any case.
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
        words = self.tr("Template saved as %s. Change it, then open it here.")
        self.workbench.toast_requested.emit(words % path, False)

    def _show_own(self) -> None:
        for old in self.own_cards:
            self._own_grid.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.own_cards = []
        for path in own_files(self.workbench.settings):
            try:
                head = read_head(path)
            except WorkbenchError:
                # It says what is wrong when somebody opens it.
                continue
            card = DemonstrationCard(self.themes, "•", head)
            card.setToolTip(str(path))
            card.clicked.connect(lambda path=path: self.open_own(path))
            place = len(self.own_cards)
            self._own_grid.addWidget(card, place // _COLUMNS, place % _COLUMNS)
            self.own_cards.append(card)
        self.own_title.setVisible(bool(self.own_cards))
