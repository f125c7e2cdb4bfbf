"""Demonstrations to choose from, and published surveys whose numbers are worked out anew."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QGridLayout, QScrollArea, QStackedLayout, QWidget

from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Progress
from ppworkbench.gui.demonstrations import (
    DemonstrationCard,
    open_demonstration,
    open_own_demonstration,
    own_files,
    remember_own,
    seen,
    shipped_heads,
)
from ppworkbench.gui.dialogs import ButtonRole, Choice, ask, choose_file, save_file
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.language import speech, translate
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.widgets.layout import clear, column, text
from ppworkbench.gui.workbench import Workbench
from ppworkbench.outputs.demonstrations.catalogue import SUFFIX, read_head, write_template
from ppworkbench.study.study import Study

# Whoever opens the page at once looks at demonstrations: what compares surveys is loaded later.
if TYPE_CHECKING:
    from ppworkbench.gui.pages.learn.gallery import GalleryPanel
    from ppworkbench.outputs.gallery.compare import GalleryComparison
    from ppworkbench.outputs.scripts.analysis import Analysis

_COLUMNS = 3
DEMONSTRATIONS, GALLERY = "demonstrations", "gallery"


class LearnPage(Page):
    """Cards in the order in which one would look at them; behind a switch the gallery."""

    name = "learn"

    def __init__(self, workbench: Workbench, files: FileActions | None = None) -> None:
        super().__init__(workbench)
        self.files = files
        self.title = self.tr("Learn")
        self.sub_pages = [
            (DEMONSTRATIONS, self.tr("Demonstrations")),
            (GALLERY, self.tr("Validation gallery")),
        ]
        self.sub_page = DEMONSTRATIONS
        self.gallery: GalleryPanel | None = None
        self.comparison: GalleryComparison | None = None
        self._was_stopped = False
        self._comparing: PageTask[GalleryComparison] = PageTask(workbench, "gallery", self)
        self._comparing.finished.connect(self._on_compared)
        self._comparing.stopped.connect(self._on_stopped)
        self._comparing.progressed.connect(self._show_gallery)
        self._comparing.changed.connect(self._show_gallery)
        self._make_actions()
        self.cards: list[DemonstrationCard] = []
        self.own_cards: list[DemonstrationCard] = []
        self._make_parts()
        self._offer(self.sub_page)

    def analysis(self) -> tuple[Analysis, Study] | None:
        from ppworkbench.outputs.scripts.results import gallery_analysis

        is_compared = self.sub_page == GALLERY and self.comparison is not None
        return (gallery_analysis(), Study("")) if is_compared else None

    @property
    def why_no_script(self) -> str:
        return self.tr("The comparison of the gallery has a script; demonstrations have none.")

    def _make_actions(self) -> None:
        self.set_primary("startNext", "", "play", self._on_primary)
        self.open_action = self.action(
            "openDemonstration", self.tr("Open a demonstration…"), "open", self.open_dialog
        )
        self.help_action = self.action(
            "demonstrationHelp", self.tr("How to write one"), "question",
            lambda: self.workbench.help_requested.emit("writing-a-demonstration"),
        )  # fmt: skip
        self.write_action = self.action(
            "writeDemonstration", self.tr("Write your own…"), "edit", self.write_dialog
        )
        self.write_action.setToolTip(
            self.tr("Save a template, open it in your text editor, and list it here")
        )
        self.export_action = self.action(
            "exportGallery", self.tr("Export table…"), "export", self.export_dialog
        )
        self.secondary = [
            self.help_action, self.write_action, self.open_action, self.export_action,
        ]  # fmt: skip

    def _offer(self, part: str) -> None:
        is_gallery = part == GALLERY
        for action in (self.help_action, self.write_action, self.open_action):
            action.setVisible(not is_gallery)
        self.export_action.setVisible(is_gallery)
        self.export_action.setEnabled(self.comparison is not None)
        words, icon_name = self.tr("Start next"), "play"
        self.question = self.tr("Demonstrations on the real pages, step by step, on a copy")
        if is_gallery:
            self.question = self.tr("Published numbers beside ours, computed just now")
            words, icon_name = self.tr("Compute again"), "refresh"
            if self._comparing.is_running:
                words, icon_name = self.tr("Cancel"), "close"
        # The button looks again when the words change, so that the icon goes before them.
        self.primary.setProperty("iconName", icon_name)
        self.primary.setText(words)

    def _on_primary(self) -> None:
        if self.sub_page == DEMONSTRATIONS:
            self.start_next()
        elif self._comparing.is_running:
            self._comparing.cancel()
        else:
            self.compute()

    def show_sub_page(self, key: str) -> None:
        """Show the demonstrations, or the gallery, which is worked out when it is first shown."""
        if key not in (DEMONSTRATIONS, GALLERY):
            return
        self._offer(key)
        super().show_sub_page(key)
        if key == DEMONSTRATIONS:
            self._stack.setCurrentIndex(0)
            return
        if self.gallery is None:
            self.gallery = self._make_gallery()
            self._stack.addWidget(self.gallery)
        self._stack.setCurrentWidget(self.gallery)
        if self.comparison is None and not self._comparing.is_running:
            self.compute()

    # The gallery

    def _make_gallery(self) -> GalleryPanel:
        from ppworkbench.gui.pages.learn.gallery import GalleryPanel
        from ppworkbench.outputs.gallery.surveys import read_gallery

        titles = {card.head.name: card.head.title for card in self.cards}
        panel = GalleryPanel(
            self.themes, read_gallery(speech.language), titles, can_open=self.files is not None
        )
        for card in panel.cards.values():
            card.open_requested.connect(self.open_survey)
            card.demonstration_requested.connect(self._open_named)
            card.source_requested.connect(self.show_source)
        return panel

    def compute(self) -> None:
        from ppworkbench.outputs.gallery.compare import compare_gallery

        assert self.gallery is not None  # noqa: S101 (it is in front)
        surveys = tuple(self.gallery.surveys.values())
        self._was_stopped = False
        self._comparing.start(
            self.tr("Comparing published surveys"),
            lambda progress: compare_gallery(surveys, progress),
        )

    def _on_compared(self, found: GalleryComparison) -> None:
        self.comparison = found

    def _on_stopped(self) -> None:
        self._was_stopped = True

    def _show_gallery(self) -> None:
        self._offer(self.sub_page)
        if self.gallery is not None:
            task = self._comparing
            busy = task.message if task.is_running else None
            self.gallery.show_found(self.comparison, busy, was_stopped=self._was_stopped)

    def open_survey(self, name: str) -> None:
        """Open the reported answers of a survey, rebuilt from its counts, on the Survey page."""
        assert self.gallery is not None  # noqa: S101 (a card of it was clicked)
        survey = self.gallery.surveys[name]

        def make(progress: Progress) -> Study:
            from ppworkbench.outputs.gallery.compare import study_of_survey

            return study_of_survey(survey, progress)

        if self.files is not None:
            self.files.open_made(
                self.tr("Opening %s") % survey.title,
                make,
                lambda: self.workbench.page_requested.emit("survey"),
            )

    def _open_named(self, name: str) -> None:
        self.open(next(card.head.file for card in self.cards if card.head.name == name))

    def show_source(self, name: str) -> None:
        """Tell where a number was published; the browser opens only when asked to."""
        assert self.gallery is not None  # noqa: S101 (a card of it was clicked)
        survey = self.gallery.surveys[name]
        told = f"{survey.reference}.\n\n{survey.address}"

        def answered(key: str) -> None:
            if key == "open":
                self.workbench.open_outside(QUrl(survey.address))
            elif key == "copy":
                QApplication.clipboard().setText(told)

        ask(
            self, self.themes, survey.title, told,
            (
                Choice("open", self.tr("Open"), ButtonRole.AcceptRole),
                Choice("copy", self.tr("Copy"), ButtonRole.ActionRole),
                Choice("close", self.tr("Close"), ButtonRole.RejectRole),
            ),
            answered,
        )  # fmt: skip

    def export_dialog(self) -> None:
        kinds = ";;".join(
            (self.tr("Table (*.csv)"), self.tr("JSON (*.json)"), self.tr("Page (*.html)"))
        )
        start = self.tr("validation-gallery") + ".csv"
        save_file(self, self.tr("Export table"), start, kinds, self.export)

    def export(self, path: Path) -> None:
        found = self.comparison
        if found is None:
            return

        def write() -> None:
            from ppworkbench.outputs.gallery.tables import write_gallery

            write_gallery(found, path, translate, speech.language)

        self.workbench.save(path, write)

    # Demonstrations

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
        self._stack = QStackedLayout(self)
        self._stack.addWidget(area)
        for place, head in enumerate(shipped_heads()):
            card = DemonstrationCard(self.themes, str(place + 1), head)
            card.clicked.connect(lambda path=head.file: self.open(path))
            self._grid.addWidget(card, place // _COLUMNS, place % _COLUMNS)
            self.cards.append(card)
        self._show_own()

    def kept(self) -> tuple[str, ...]:
        return ("comparison",)

    def shown(self) -> None:
        """Tick what was seen; list one's own files as they are now."""
        super().shown()
        self._show_own()
        done = seen(self.workbench.settings)
        for card in (*self.cards, *self.own_cards):
            card.show_seen(card.head.name in done)

    def open(self, path: Path) -> Job:
        return open_demonstration(self.workbench, path)

    def start_next(self) -> None:
        """Start the first one that was not seen to its end."""
        done = seen(self.workbench.settings)
        left = [card.head for card in self.cards if card.head.name not in done]
        heads = left or [card.head for card in self.cards]
        if heads:
            self.open(heads[0].file)

    def open_dialog(self) -> None:
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
        self.workbench.show_toast(words % path)

    def _show_own(self) -> None:
        clear(self._own_grid)
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
