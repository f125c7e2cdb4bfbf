"""Which columns answer which questions, and what will be added; nothing changes before "Add"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress
from ppworkbench.fieldwork.responses.add import (
    OFFERED,
    AddOptions,
    Responses,
    check_kit,
    known_responses,
)
from ppworkbench.fieldwork.responses.draft import (
    Draft,
    add_design,
    make_draft,
)
from ppworkbench.fieldwork.responses.kit_file import Kit, read_mapping_or_kit
from ppworkbench.fieldwork.responses.mapping import Mapping, write_mapping
from ppworkbench.fieldwork.responses.platforms import (
    COLLECTOR,
    PAGE,
    TABLE,
    platform_label,
    platforms,
)
from ppworkbench.fieldwork.responses.sources import SUFFIXES, Source, read_sources
from ppworkbench.gui.dialogs import FileMode, choose_file, resize_dialog, save_file
from ppworkbench.gui.language import translate
from ppworkbench.gui.numbers import counted, number
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.responses.mapping_panel import MappingPanel
from ppworkbench.gui.responses.state_choice import ANOTHER, REPORTED, StateChoice
from ppworkbench.gui.widgets.card import EmptyState
from ppworkbench.gui.widgets.controls import Button, ProgressBar
from ppworkbench.gui.widgets.layout import column, named, row, scrolled, show_words, text
from ppworkbench.gui.widgets.table import TextModel, TextTable
from ppworkbench.gui.workbench import Workbench

_HEADER_ROWS = 20
_ON = Qt.CheckState.Checked
_LISTED = 12
"""Names that are listed before the rest is counted."""


class AddDialog(QDialog):
    """Files, what they are taken for, and a way to correct it."""

    open_requested = Signal(tuple)
    """These files are another study."""

    def __init__(
        self,
        workbench: Workbench,
        paths: Sequence[Path] = (),
        *,
        can_open: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._study = workbench.store.study
        self.salt, _ = known_responses(self._study)
        """With what the ids of responses were hashed."""
        self.paths = tuple(paths)
        self._sources: tuple[Source, ...] = ()
        self._mapping: Mapping | Kit | None = None
        self._draft: Draft | None = None
        self._task: PageTask[object] = PageTask(workbench, "responses", self)
        self._task.finished.connect(self._on_found)
        self._task.progressed.connect(lambda: self.progress.show_share(self._task.done))
        self._task.changed.connect(self._on_task)
        self._then: Callable[..., None] = self._on_read
        """What is done with what the task finds."""
        self.setObjectName("addResponses")
        self.setWindowTitle(self.tr("Add responses"))
        self._make_source(can_open=can_open)
        self.mapping = MappingPanel(workbench.themes, self._study)
        self.mapping.changed.connect(self._map)
        self._make_rows()
        self._lay_out()
        self._refresh()
        if self.paths:
            self._read()

    @property
    def responses(self) -> Responses | None:
        return None if self._draft is None else self._draft.responses

    @property
    def is_apart(self) -> bool:
        """Whether the answers make a study of their own."""
        return self.state.is_apart

    # Parts

    def _make_source(self, *, can_open: bool) -> None:
        themes = self._workbench.themes
        self.files_button = named(Button(themes, self.tr("Files…"), "open"), "chooseFiles")
        self.folder_button = named(Button(themes, self.tr("Folder…")), "chooseFolder")
        self.files_button.clicked.connect(self._choose_files)
        self.folder_button.clicked.connect(self._choose_folder)
        self.source = named(text("", "strong", wrap=True), "responseFiles")
        self.platform = named(text("", "caption", wrap=True), "platform")
        self.platforms = named(QComboBox(), "platformChoice", self.tr("Platform"))
        self.platforms.addItem(self.tr("Detected"), None)
        for name in (*platforms.names, TABLE):
            self.platforms.addItem(translate(platform_label(name)), name)
        self.header = named(QComboBox(), "responseHeaderRow", self.tr("Header row"))
        self.header.addItem(self.tr("Detected"), None)
        self.header.addItem(self.tr("No names"), 0)
        for place in range(1, _HEADER_ROWS + 1):
            self.header.addItem(number(place), place)
        for box in (self.platforms, self.header):
            box.activated.connect(self._read_again)
        self.reading_part = QWidget()
        row(
            text(self.tr("Platform"), "label"), self.platforms, 12,
            text(self.tr("Header row"), "label"), self.header, None,
            parent=self.reading_part,
        )  # fmt: skip
        self.progress = named(ProgressBar(), "readingProgress")
        self.stop_button = named(Button(themes, self.tr("Stop reading")), "stopReading")
        self.stop_button.clicked.connect(self._task.cancel)
        self.state = StateChoice(self._study, can_open=can_open)
        self.state.chosen.connect(self._on_state)

    def _make_rows(self) -> None:
        themes = self._workbench.themes
        self.unfinished = named(QCheckBox(), "leaveUnfinished")
        self.preview = named(QCheckBox(), "leavePreview")
        self.confirm = named(
            QCheckBox(self.tr("These rows are new; the study does not have them yet")), "rowsAreNew"
        )
        for box in (self.unfinished, self.preview):
            box.setChecked(True)
            box.clicked.connect(self._make_draft)
        self.confirm.clicked.connect(self._refresh_button)
        self.statuses: dict[str, QCheckBox] = {}
        self._status_box = QWidget()
        self._status_column = column(parent=self._status_box, spacing=2)
        self.kept_head = text(
            self.tr("Columns to keep that are no questions, such as a weight or a stratum"), "label"
        )
        self.kept = named(QListWidget(), "keptColumns", self.kept_head.text())
        self.kept.setMaximumHeight(96)
        self.kept.itemChanged.connect(self._make_draft)
        self.left_out = named(text("", "caption", wrap=True), "columnsLeftOut")
        self.personal = named(text("", "warning", wrap=True), "personalColumns")
        self.notes = named(text("", "caption", wrap=True), "responseNotes")
        self.first = TextTable(themes, "firstRows", self.tr("First rows"))
        self.first_model = TextModel(themes, parent=self.first)
        self.first.setModel(self.first_model)
        self.first.setMinimumHeight(120)
        self.first.horizontalHeader().setStretchLastSection(True)
        self.problem = named(text("", "error", wrap=True), "responseProblem")

    def _lay_out(self) -> None:
        themes = self._workbench.themes
        self.mapping_part = QWidget()
        self.first_head = text(self.tr("First rows, as they will be"), "label")
        column(
            self.mapping, self.unfinished, self.preview, self._status_box, self.kept_head,
            self.kept, self.left_out, self.personal, self.notes, self.first_head, self.first,
            parent=self.mapping_part, spacing=6, stretch={0: 3, 10: 2},
        )  # fmt: skip
        self.save_button = named(Button(themes, self.tr("Save mapping…")), "saveMapping")
        self.load_button = named(Button(themes, self.tr("Load mapping…")), "loadMapping")
        self.save_button.clicked.connect(self._save_mapping)
        self.load_button.clicked.connect(self._load_mapping)
        cancel = named(Button(themes, self.tr("Cancel")), "cancelAdding")
        cancel.clicked.connect(self.reject)
        self.add_button = named(Button(themes, self.tr("Add"), look="primary"), "addThem")
        self.add_button.setDefault(True)
        self.add_button.clicked.connect(self._on_add)
        for button in (self.files_button, self.folder_button, self.save_button, self.load_button):
            button.setAutoDefault(False)
        heading = row(self.source, self.files_button, self.folder_button, stretch=0)
        self.area = scrolled(self.mapping_part)
        self.empty = EmptyState(
            themes, "open", self.tr("No file is chosen yet"),
            self.tr(
                "Exports of Qualtrics, LimeSurvey, REDCap, Kobo, ODK and Google Forms are "
                "recognised, and so are saved answers and databases of the collector. Nothing "
                "changes before you press “Add”."
            ),
        )  # fmt: skip
        column(
            heading, self.reading_part, row(self.progress, self.stop_button), self.platform,
            self.state, self.area, self.empty,
            self.confirm, self.problem,
            row(self.load_button, self.save_button, None, cancel, self.add_button),
            parent=self, spacing=8, margin=16, stretch={5: 1, 6: 1},
        )  # fmt: skip
        resize_dialog(self, 960, 700)

    # Reading

    def _choose_files(self) -> None:
        kinds = " ".join(f"*{suffix}" for suffix in SUFFIXES)
        choose_file(
            self, self.tr("Add responses"), self._folder(),
            self.tr("Answers (%s);;All files (*)") % kinds,
            lambda paths, _: self.set_paths(paths), FileMode.OPEN_SEVERAL,
        )  # fmt: skip

    def _choose_folder(self) -> None:
        choose_file(
            self, self.tr("Add responses"), self._folder(), "",
            lambda paths, _: self.set_paths(paths), FileMode.FOLDER,
        )  # fmt: skip

    def _folder(self) -> str:
        return str(self._workbench.settings.value("files/folder", ""))

    def set_paths(self, paths: Sequence[Path]) -> None:
        self.paths = tuple(paths)
        self._workbench.remember_folder(paths[0])
        for box in (self.platforms, self.header):
            box.setCurrentIndex(0)
        self._read_again()

    def _read_again(self) -> None:
        """Read the files in another way; what was corrected by hand belongs to the way before."""
        self._mapping = None
        if self.paths:
            self._read()

    def _read(self) -> None:
        paths, design = self.paths, add_design(self._study, REPORTED)
        platform = self.platforms.currentData()
        header = self.header.currentData()
        self._sources, self._draft = (), None

        def work(progress: Progress) -> tuple[Source, ...] | WorkbenchError:
            try:
                return read_sources(paths, design, platform, header, progress)
            except WorkbenchError as error:
                return error

        title = self.tr("Reading %s") % paths[0].name
        self._start(title, work, self._on_read)

    def _start(
        self, title: str, work: Callable[[Progress], object], done: Callable[..., None]
    ) -> None:
        self._then = done
        self._show_problem(None)
        self._task.start(title, work)

    def _on_found(self, found: object) -> None:
        self._then(found)

    def _on_task(self) -> None:
        if not (self._task.is_running or self._sources or self.problem.text()):
            show_words(self.problem, self.tr("Nothing was read."))
        self._refresh()

    def _on_read(self, result: tuple[Source, ...] | WorkbenchError) -> None:
        if isinstance(result, WorkbenchError):
            self._show_problem(Message.of(result.message))
            return
        self._sources = result
        self._make_draft()

    # The draft

    def _options(self) -> AddOptions:
        state = self.state.current
        return AddOptions(
            state if state and state != ANOTHER else REPORTED,
            mapping=self._mapping,
            salt=self.salt,
            keeps_preview=not self.preview.isChecked(),
            keeps_unfinished=not self.unfinished.isChecked(),
            statuses_out=frozenset(key for key, box in self.statuses.items() if box.isChecked()),
            keep=tuple(one.text() for one in self._columns() if one.checkState() == _ON),
        )

    def _columns(self) -> list[QListWidgetItem]:
        return [self.kept.item(place) for place in range(self.kept.count())]

    def _make_draft(self) -> None:
        if not self._sources:
            return
        sources, options, study = self._sources, self._options(), self._study
        if self.is_apart:
            study = study.with_(original=None, distorted=None)

        def work(progress: Progress) -> Draft:
            return make_draft(sources, study, options, progress)

        self._start(self.tr("Matching the answers"), work, self._on_draft)

    def _on_draft(self, draft: Draft) -> None:
        self._draft = draft
        found = draft.responses
        if found is not None and not found.table.rows:
            show_words(self.problem, self.tr("The study has all of these responses already."))
        else:
            self._show_problem(draft.problem)
        self._show_draft(draft)
        self._refresh()

    def _show_draft(self, draft: Draft) -> None:
        names = {"platform": translate(platform_label(draft.platform)), "why": translate(draft.why)}
        if draft.header_row:
            said = self.tr("Read as %s (%s); names in row %s.") % (
                names["platform"], names["why"], number(draft.header_row),
            )  # fmt: skip
        else:
            said = self.tr("Read as %s (%s); no names.") % (names["platform"], names["why"])
        self.platform.setText(said)
        self.mapping.show_draft(draft, self._sources)
        self._show_rows(draft)
        self._show_kept(draft)
        others = [name for name in draft.columns_out if name not in draft.personal]
        show_words(self.left_out, self._listed(self.tr("Columns left out: %s."), others))
        show_words(
            self.personal,
            self._listed(
                self.tr("Left out because they may name people or places: %s."), draft.personal
            ),
        )
        found = () if draft.responses is None else draft.responses.notes
        notes = [one for one in found if one.code != OFFERED]
        show_words(self.notes, " ".join(self._study.titled(translate(one)) for one in notes[:4]))
        heads = [self._study.shown(name) for name in draft.heads]
        self.first_model.left = range(len(heads))
        self.first_model.show_rows(heads, draft.first)
        self.first.resizeColumnsToContents()
        for widget in (self.first_head, self.first):
            widget.setVisible(bool(draft.first))

    def _show_kept(self, draft: Draft) -> None:
        """Offer the columns that are no questions; those that were ticked stay so."""
        for widget in (self.kept_head, self.kept):
            widget.setVisible(bool(draft.offered))
        if tuple(one.text() for one in self._columns()) == draft.offered:
            return
        chosen = self._options().keep
        with QSignalBlocker(self.kept):
            self.kept.clear()
            for name in draft.offered:
                item = QListWidgetItem(name, self.kept)
                item.setCheckState(_ON if name in chosen else Qt.CheckState.Unchecked)

    def _listed(self, sentence: str, names: Sequence[str]) -> str:
        if not names:
            return ""
        listed = ", ".join(names[:_LISTED])
        if len(names) > _LISTED:
            listed = self.tr("%s and %s more") % (listed, number(len(names) - _LISTED))
        return sentence % listed

    def _show_rows(self, draft: Draft) -> None:
        show_words(
            self.unfinished,
            self.tr("Leave out unfinished rows (%s)") % number(draft.unfinished)
            if draft.unfinished
            else "",
        )
        show_words(
            self.preview,
            self.tr("Leave out preview rows (%s)") % number(draft.preview) if draft.preview else "",
        )
        for status, count in draft.statuses:
            if status not in self.statuses:
                words = self.tr("Leave out rows with the status “%s” (%s)") % (
                    status,
                    number(count),
                )
                box = named(QCheckBox(words), f"leave-{status}")
                box.clicked.connect(self._make_draft)
                self.statuses[status] = box
                self._status_column.addWidget(box)
        self._status_box.setVisible(bool(self.statuses))

    # Mappings

    def _map(self, mapping: Mapping | Kit) -> None:
        self._mapping = mapping
        self._make_draft()

    def _save_mapping(self) -> None:
        draft = self._draft
        if draft is None:
            return
        save_file(
            self, self.tr("Save mapping"), f"{self._study.title}-mapping.json",
            self.tr("Mappings (*.json)"),
            lambda path: self._attempt(lambda: write_mapping(draft.mapping, path)),
        )  # fmt: skip

    def _load_mapping(self) -> None:
        choose_file(
            self, self.tr("Load mapping"), self._folder(), self.tr("Mappings and kits (*.json)"),
            lambda paths, _: self._attempt(lambda: self._map(self._read_mapping(paths[0]))),
        )  # fmt: skip

    def _read_mapping(self, path: Path) -> Mapping | Kit:
        found = read_mapping_or_kit(path)
        if not isinstance(found, Kit):
            return found
        state = self._options().state
        check_kit(found, add_design(self._study, state), state)
        found.mapping(self._sources[0].sheet)
        return found

    def _attempt(self, action: Callable[[], object]) -> None:
        try:
            action()
        except WorkbenchError as error:
            self._show_problem(Message.of(error.message))

    # The end

    def _on_state(self) -> None:
        if self.state.current != ANOTHER:
            self._make_draft()
        self._refresh()

    def _show_problem(self, problem: Message | None) -> None:
        words = "" if problem is None else self._study.titled(translate(problem))
        show_words(self.problem, words)

    def _refresh(self) -> None:
        is_busy = self._task.is_running
        self.progress.setVisible(is_busy)
        self.stop_button.setVisible(is_busy)
        names = ", ".join(path.name for path in self.paths[:3])
        if len(self.paths) > 3:
            names = self.tr("%s and %s more") % (names, number(len(self.paths) - 3))
        self.source.setText(
            names or self.tr("Choose the export of a platform, saved answers or a folder of them.")
        )
        has_draft = self._draft is not None
        self._refresh_reading()
        is_another = self.state.current == ANOTHER
        self.area.setVisible(has_draft or bool(self.paths))
        self.empty.setVisible(not self.area.isVisibleTo(self))
        self.mapping_part.setVisible(has_draft)
        self.mapping_part.setEnabled(not is_another)
        self.platform.setVisible(has_draft)
        self.save_button.setEnabled(has_draft and not is_another)
        self.load_button.setEnabled(bool(self._sources) and not is_another)
        self.confirm.setVisible(
            self._draft is not None and self._draft.must_confirm and not is_another
        )
        self._refresh_button()

    def _refresh_reading(self) -> None:
        """Offer other ways to read the files, unless they are our own."""
        found = "" if self._draft is None else self._draft.platform
        self.reading_part.setVisible(bool(self.paths) and found not in (PAGE, COLLECTOR))

    def _refresh_button(self) -> None:
        why = self._why_not()
        responses = self.responses
        if self.state.current == ANOTHER:
            self.add_button.setText(self.tr("Open as a study"))
        elif self.is_apart:
            self.add_button.setText(self.tr("Open as a new study"))
        elif responses is None:
            self.add_button.setText(self.tr("Add"))
        else:
            words = self.tr("Add 1 response"), self.tr("Add %s responses")
            self.add_button.setText(counted(responses.table.rows, *words))
        self.add_button.setEnabled(not why)
        self.add_button.setToolTip(why)

    def _why_not(self) -> str:
        responses, why = self.responses, ""
        if self.state.current == ANOTHER:
            return ""
        if not self.state.current:
            why = self.tr("Say what these answers are.")
        elif self._task.is_running:
            why = self.tr("The files are being read.")
        elif responses is None or not responses.table.rows:
            why = self.problem.text() or self.tr("Choose files first.")
        elif self.confirm.isVisibleTo(self) and not self.confirm.isChecked():
            why = self.tr(
                "These rows may already be in the study. Confirm that they are new."
            )  # fmt: skip
        return why

    def _on_add(self) -> None:
        if self.state.current == ANOTHER:
            self.open_requested.emit(self.paths)
            self.reject()
        else:
            self.accept()

    def done(self, result: int) -> None:
        self._task.drop()
        super().done(result)
