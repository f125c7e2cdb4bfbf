"""Opening, saving and exporting, with the dialogs they need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QMessageBox, QWidget

from ppworkbench.core.data.codebook import find_sidecar
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.design import Design
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.files import InputFiles, is_same_file
from ppworkbench.core.progress import Progress
from ppworkbench.gui.application import state_folder
from ppworkbench.gui.collecting import RESULTS as COLLECTING
from ppworkbench.gui.collecting import Collecting
from ppworkbench.gui.dialogs import (
    ButtonRole,
    Choice,
    FileMode,
    ask,
    choose_file,
    confirm,
    save_file,
)
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.language import speech, tongue, tr, translate
from ppworkbench.gui.responses import ResponseActions
from ppworkbench.gui.workbench import Workbench
from ppworkbench.outputs.demonstrations.catalogue import SUFFIX as DEMONSTRATION
from ppworkbench.study.bundle_target import file_stem
from ppworkbench.study.files.recent import RecentStudy, forget_all, read_recent, remember
from ppworkbench.study.files.recovery import Recoverable, RecoveryFile, discard, recoverable
from ppworkbench.study.files.study_file import SUFFIX, ChangedOnDiskError, FileVersion, save_study
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.analyses.survey.answers import SurveyResult
    from ppworkbench.fieldwork.collector.control import RunningServer

AUTOSAVE_EVERY = 60_000


def data_filter() -> str:
    """The ends of names of all files that can be opened."""
    # The formats come with libraries that the window need not wait for.
    from ppworkbench.core.data.formats import formats

    suffixes = [suffix for entry in formats for suffix in entry.item.suffixes]
    return " ".join(f"*{suffix}" for suffix in (*suffixes, SUFFIX, DEMONSTRATION))


def write_filters() -> str:
    """The formats of tables that are given away, as a file dialog lists them."""
    from ppworkbench.core.data.formats import RELEASED

    return ";;".join(f"{one.title} (*{one.suffix})" for one in RELEASED)


def write_answer(workbench: Workbench, answer: SurveyResult, path: Path) -> None:
    """Write the answer to a survey question to a file in the background."""
    from ppworkbench.analyses.survey.answers import write_result

    say = tongue().say

    def work(progress: Progress) -> None:
        write_result(answer, path, progress, say)

    def done(_: object) -> None:
        workbench.show_toast(tr("Saved as %s.") % path.name)

    job = workbench.run(tr("Writing %s") % path.name, work, done, key=f"write {path}")
    job.outlives_study = True


_QUESTIONS = "*.json *.csv *.xlsx *.ods *.tsv"


class QuestionFiles:
    """Questionnaires that come from files and go to them, whatever becomes of the answers."""

    def __init__(self, workbench: Workbench, window: QWidget | None) -> None:
        self._workbench, self._store, self._window = workbench, workbench.store, window

    def ask_for_import(self) -> None:
        kinds = tr("Questionnaires and spreadsheets (%s);;All files (*)") % _QUESTIONS
        folder = str(self._workbench.settings.value("files/folder", ""))
        choose_file(
            self._window, tr("Import questions"), folder, kinds,
            lambda paths, _: self.read(paths[0]),
        )  # fmt: skip

    def read(self, path: Path) -> None:
        """Let the study ask the questions of a file, as one step that can be undone."""
        from ppworkbench.study.questionnaire.design_changes import consequences
        from ppworkbench.study.questionnaire.document import Questionnaire, read_document
        from ppworkbench.study.questionnaire.edits import replace_questionnaire
        from ppworkbench.study.questionnaire.sheet import read_questions_sheet

        language = speech.language

        def work(progress: Progress) -> Questionnaire:
            progress(0.0)
            if path.suffix.lower() == ".json":
                return read_document(path)
            return read_questions_sheet(path, language)

        def done(asked: Questionnaire) -> None:
            self._workbench.remember_folder(path)
            before = self._store.study
            try:
                after = replace_questionnaire(before, asked)
            except WorkbenchError as error:
                self._workbench.error_raised.emit(error)
                return

            def take() -> None:
                if self._store.study is not before:
                    return
                self._store.apply(after, tr("Import questions"))
                words = tr("Questions imported: %s.") % len(asked.questions)
                self._workbench.show_toast(words, can_undo=True)
                self._workbench.page_requested.emit("data/questions")

            found = consequences(before, after)
            if not found:
                take()
                return
            words = "\n".join(translate(one) for one in found)
            themes = self._workbench.themes
            confirm(self._window, themes, tr("Import questions"), words, tr("Change"), take)

        self._workbench.run(tr("Reading %s") % path.name, work, done, key="questions")

    def ask_for_export(self) -> None:
        kinds = ";;".join(
            (tr("Questionnaire (*.json)"), tr("Spreadsheet of questions (*.xlsx *.csv)"))
        )
        start = self._workbench.last_folder / f"{file_stem(self._store.study.title)}-questions.json"
        save_file(self._window, tr("Export questions"), str(start), kinds, self.write)

    def write(self, path: Path) -> None:
        from ppworkbench.study.questionnaire.document import write_document
        from ppworkbench.study.questionnaire.edits import questionnaire_of
        from ppworkbench.study.questionnaire.sheet import write_questions_sheet

        asked = questionnaire_of(self._store.study, speech.language)
        is_sheet = path.suffix.lower() in (".csv", ".xlsx")
        write = write_questions_sheet if is_sheet else write_document
        self._workbench.save(path, lambda: write(asked, path))


class FileActions(QObject):
    """What the menus, the start screen and dropped files do with files."""

    recent_changed = Signal()
    demonstration_chosen = Signal(object)
    """The file of a demonstration, which is not opened as a study."""
    parts_chosen = Signal(str, object)
    """A folder of parts and the file of its design, or None; a person says how to open it."""

    def __init__(self, workbench: Workbench, window: QWidget | None = None) -> None:
        super().__init__(window)
        self._workbench = workbench
        self._store = workbench.store
        self._window = window
        self._leaving: Callable[[], object] | None = None
        """What is to be done once the study may be left."""
        self._question: QMessageBox | None = None
        folder = workbench.folder or state_folder()
        self._recent_file = folder / "recent.json"
        self._recovery_folder = folder / "recovery"
        self._recovery = RecoveryFile(self._recovery_folder)
        self._kept: Study | None = None
        """The state of which there is a copy."""
        self._restored: Recoverable | None = None
        """What another program left, until there is another copy of it."""
        self.last_paths: tuple[Path, ...] = ()
        """The table that was opened last, for reading it again with other settings."""
        self._inputs = InputFiles()
        self._is_ended = False
        self._saving: list[Job] = []
        self.responses = ResponseActions(workbench, window)
        """How responses are added to the study that is open."""
        self.questions = QuestionFiles(workbench, window)
        self.responses.study_made.connect(self._on_study_made)
        self._autosave = QTimer(self)
        self._autosave.setInterval(AUTOSAVE_EVERY)
        self._autosave.timeout.connect(self.autosave)
        self._autosave.start()

    # Opening

    def open_dialog(self, *, distorted: bool = False) -> None:
        """Ask for files and open them; with ``distorted`` answers for their design, too."""
        folder = str(self._workbench.settings.value("files/folder", ""))
        kinds = self.tr("Tables, studies and designs (%s);;All files (*)") % data_filter()
        choose_file(
            self._window, self.tr("Open"), folder, kinds,
            lambda paths, _: self.open_paths([str(path) for path in paths], distorted=distorted),
            FileMode.OPEN_SEVERAL,
        )  # fmt: skip

    def open_paths(
        self,
        names: Sequence[str],
        options: ReadOptions | None = None,
        *,
        distorted: bool = False,
    ) -> None:
        """Open files in the background; what is open now stays until that went well.

        A demonstration is played over the study that is open, which stays. Answers that are known
        to be ``distorted`` are not opened without their design.
        """
        if [Path(name).suffix.lower() for name in names] == [DEMONSTRATION]:
            self.demonstration_chosen.emit(Path(names[0]))
            return
        if self._open_parts(names):
            return
        paths = tuple(Path(name) for name in names)

        def open_them() -> None:
            self.leave(lambda: self._open_paths(paths, options, distorted=distorted))

        # Read again with other settings, answers stay what they are.
        if not paths or (paths == self.last_paths and self._store.study.original is not None):
            open_them()
        else:
            self._look_at(paths, open_them)

    def open_sample_of_parts(self, study: Study) -> None:
        """Show the study of a folder of parts, once the one that is open may be left."""
        self.leave(lambda: self._show(study, None))

    def _open_parts(self, names: Sequence[str]) -> bool:
        """Open a folder of parts, alone or with its design; whether it was one."""
        from ppworkbench.core.data.parts import has_parts, is_parts

        folders = [name for name in names if is_parts(name)]
        others = [Path(name) for name in names if name not in folders]
        is_one = len(folders) == 1 and len(others) <= 1
        if not is_one or any(one.suffix.lower() != ".json" for one in others):
            return False
        # Pages that people filled in may lie in a folder as well.
        if self._may_be_responses((Path(folders[0]),)) and not has_parts(folders[0]):
            return False
        self.parts_chosen.emit(folders[0], others[0] if others else None)
        return True

    def _may_be_responses(self, paths: tuple[Path, ...]) -> bool:
        """Whether files could hold answers to the open study, which they must not replace unasked.

        A study, and answers with their design, say themselves what they are.
        """
        study = self._store.study
        return not study.has_parts and bool(study.design.attributes) and bool(paths)

    def _look_at(self, paths: tuple[Path, ...], open_them: Callable[[], None]) -> None:
        """Open files unless they are answers, which belong to the study that asked for them."""
        study = self._store.study if self._may_be_responses(paths) else None

        def work(progress: Progress) -> tuple[bool, str]:
            from ppworkbench.fieldwork.opening import find_exports, may_answer

            return study is not None and may_answer(paths, study, progress), find_exports(paths)

        def done(found: tuple[bool, str]) -> None:
            is_answer, platform = found

            def go_on() -> None:
                if platform:
                    can_add = study is not None and not is_answer
                    self.responses.ask_about_export(
                        paths, platform, self._open_and_add, open_them, can_add=can_add
                    )
                else:
                    open_them()

            if is_answer:
                self.responses.add_paths(paths, go_on)
            else:
                go_on()

        title = self.tr("Looking at %s") % paths[0].name
        self._workbench.run(title, work, done, key="open", quiet=True)

    def _open_and_add(self, study: Path, paths: tuple[Path, ...]) -> None:
        """Open a study, questionnaire or design, and show what some files would bring to it."""

        def add() -> None:
            self.responses.add_paths(paths)

        self.leave(lambda: self._open_paths((study,), None, add))

    def _open_paths(
        self,
        paths: tuple[Path, ...],
        options: ReadOptions | None,
        then: Callable[[], None] | None = None,
        *,
        distorted: bool = False,
    ) -> None:
        self._workbench.remember_folder(paths[0])

        version: FileVersion | None = None

        def work(progress: Progress) -> Study:
            from ppworkbench.fieldwork.opening import open_anything

            nonlocal version
            # Before it is read: a change from now on is one that is not shown.
            version = FileVersion.of(paths[0])
            return open_anything(paths, options, progress)

        def done(study: Study) -> None:
            if paths[0].suffix.lower() == SUFFIX:
                self._show(study, paths[0], version=version)
            elif distorted and study.original is not None:
                self._ask_for_design(paths, options)
                return
            else:
                self._show(study, None, read=paths)
            if then is not None:
                then()

        title = self.tr("Opening %s") % paths[0].name
        self._workbench.run(title, work, done, key="open")

    def _ask_for_design(self, paths: tuple[Path, ...], options: ReadOptions | None) -> None:
        """Ask what randomised answers that do not say it themselves."""
        choose_file(
            self._window, self.tr("Choose the design of these answers"), str(paths[0].parent),
            self.tr("Designs (*.json)"),
            lambda chosen, _: self._open_paths((*paths, chosen[0]), options, distorted=True),
        )  # fmt: skip

    def _on_study_made(self, study: Study, paths: tuple[Path, ...]) -> None:
        """Show responses that are no part of the study that was open."""
        self.leave(lambda: self._show(study, None, unsaved=True, read=paths))

    def open_sample(self, name: str) -> None:
        def make(progress: Progress) -> Study:
            from ppworkbench.core.data.samples import load_sample

            progress(0.1)
            return Study.of_table(load_sample(name), name)

        self.open_made(self.tr("Opening %s") % name, make)

    def open_made(
        self,
        title: str,
        make: Callable[[Progress], Study],
        then: Callable[[], None] | None = None,
    ) -> None:
        def done(study: Study) -> None:
            self._show(study, None)
            if then is not None:
                then()

        self.leave(lambda: self._workbench.run(title, make, done, key="open"))

    def open_recovered(self, found: Recoverable) -> None:
        def work(progress: Progress) -> Study:
            from ppworkbench.study.files.study_file import open_study

            return open_study(found.path, progress)

        def done(study: Study) -> None:
            saved_as = Path(found.saved_as) if found.saved_as else None
            self._show(study, saved_as, unsaved=True, version=found.version)
            self._restored = found
            self.autosave()

        title = self.tr("Restoring %s") % found.title
        self.leave(lambda: self._workbench.run(title, work, done, key="open"))

    def new_questionnaire(self) -> None:
        """Go to the questions of a study that has none yet."""

        def begin() -> None:
            if not self._store.study.is_empty:
                self._show(Study(), None)
            self._workbench.page_requested.emit("data")

        self.leave(begin)

    def plan_next_wave(self) -> None:
        """Go on with a copy of the study that nobody has answered; the study itself stays."""
        from ppworkbench.fieldwork.responses.held import next_wave

        study = self._store.study
        title = self.tr("%s, next wave") % study.title

        def plan() -> None:
            self._show(next_wave(study, title, speech.language), None, unsaved=True)
            self._workbench.page_requested.emit("design")

        self.leave(plan)

    def close_study(self) -> None:
        self.leave(lambda: self._show(Study(), None))

    def _show(
        self,
        study: Study,
        path: Path | None,
        *,
        unsaved: bool = False,
        read: tuple[Path, ...] = (),
        version: FileVersion | None = None,
    ) -> None:
        """Show a study with the file that it lives in, or the tables that it was read from."""
        self._remove_copy()
        self.last_paths = read
        beside = (find_sidecar(one) for one in read)
        self._inputs.paths = (*read, *(one for one in beside if one is not None))
        self._store.open(study, path, unsaved=unsaved, version=version)
        if path is not None and not unsaved:
            remember(self._recent_file, study, path)
            self.recent_changed.emit()

    # Saving

    def save(self, then: Callable[[], None] | None = None) -> None:
        """Save to the study's file, or ask for one; ``then`` is called once it is saved."""
        if self._store.path is None:
            self.save_as(then)
        else:
            self._save_to(self._store.path, then, self._store.version)

    def save_as(self, then: Callable[[], None] | None = None) -> None:
        title = self.tr("Save study")
        suggestion = f"{self._store.study.title}.ppw"

        def save_to(path: Path) -> None:
            # The dialog has asked about a file that exists.
            own = self._store.path
            known = self._store.version if own is not None and is_same_file(path, own) else None
            self._save_to(path, then, known)

        save_file(self._window, title, suggestion, self.tr("Studies (*.ppw)"), save_to)

    def _save_to(
        self, path: Path, then: Callable[[], None] | None, known: FileVersion | None
    ) -> None:
        document, before = self._store.document, self._store.study
        study = before.with_(title=path.stem)

        def work(progress: Progress) -> FileVersion | ChangedOnDiskError | None:
            try:
                return save_study(study, path, progress, known=known)
            except ChangedOnDiskError as error:
                return error

        def done(saved: FileVersion | ChangedOnDiskError | None) -> None:
            if isinstance(saved, ChangedOnDiskError):
                self._ask_about_change(path, then)
                return
            if self._store.document is document:
                self._store.mark_saved(path, before, saved)
            if not self._store.is_modified:
                self._discard_restored()
                self._remove_copy()
            remember(self._recent_file, study, path)
            self.recent_changed.emit()
            if then is not None:
                then()

        title = self.tr("Saving %s") % path.name
        job = self._workbench.run(title, work, done, key=f"save {path}")
        job.outlives_study = True
        self._saving.append(job)
        job.ended.connect(lambda: self._saving.remove(job))

    def _ask_about_change(self, path: Path, then: Callable[[], None] | None) -> None:
        theirs = FileVersion.of(path)

        def on_answer(answer: str) -> None:
            if answer == "save as":
                self.save_as(then)
            elif answer == "mine":
                self._save_to(path, then, theirs)
            elif answer == "theirs":
                self._store.forget_changes()
                if then is None:
                    self._open_paths((path,), None)
                else:
                    then()

        ask(
            self._window,
            self._workbench.themes,
            self.tr("Changed on disk"),
            self.tr(
                "Another window or program has changed %s since it was opened. Which "
                "version should be kept?"
            )
            % path.name,
            (
                Choice("save as", self.tr("Save as…"), ButtonRole.AcceptRole),
                Choice("mine", self.tr("Keep mine"), ButtonRole.DestructiveRole),
                Choice("theirs", self.tr("Keep the other"), ButtonRole.DestructiveRole),
            ),
            on_answer,
        )

    def autosave(self) -> Job | None:
        """Keep a recovery file of unsaved work; never the user's own file."""
        study, path, version = self._store.study, self._store.path, self._store.version
        if not self._store.is_modified or study is self._kept:
            return None

        def work(progress: Progress) -> None:
            self._recovery.save(study, path, progress, version)

        def done(_: object) -> None:
            self._kept = study
            self._discard_restored()

        title = self.tr("Saving a recovery copy")
        return self._workbench.run(title, work, done, key="autosave", quiet=True)

    def _discard_restored(self) -> None:
        """Only a second copy makes the first one superfluous."""
        found, self._restored = self._restored, None
        if found is not None:
            self.discard_recovered(found)

    def _remove_copy(self) -> None:
        self._kept = self._restored = None
        self._recovery.remove()

    def save_design_dialog(self) -> None:
        title, kinds = self.tr("Save design"), self.tr("Designs (*.json)")
        suggestion = f"{self._store.study.title}-design.json"
        save_file(
            self._window, title, suggestion, kinds,
            lambda path: self.save_design(self._store.study.design, path),
        )  # fmt: skip

    def save_design(self, design: Design, path: Path) -> None:
        from ppworkbench.core.design.design_file import write_design

        if self._workbench.attempt(lambda: write_design(design, path)):
            self._workbench.show_toast(self.tr("Design saved as %s.") % path.name)

    # Leaving

    def leave(self, then: Callable[[], object]) -> None:
        """Let saving finish, ask about unsaved changes, and go on unless the user wants to stay.

        ``then`` is called at once if there is nothing to wait for and nothing to ask. Who asks to
        leave while an earlier request is waiting takes its place.
        """
        self._leaving = then
        if self._saving:
            self._saving[-1].ended.connect(self._leave_after_saving)
        else:
            self._ask_to_leave()

    def _leave_after_saving(self) -> None:
        if self._leaving is not None and not self._saving:
            self._ask_to_leave()

    def _ask_to_leave(self) -> None:
        if not self._store.is_modified:
            self._on_leave("discard")
        elif self._question is None:
            self._question = ask(
                self._window,
                self._workbench.themes,
                self.tr("Unsaved changes"),
                self.tr("Save the changes to %s?") % self._store.study.title,
                (
                    Choice("save", self.tr("Save"), ButtonRole.AcceptRole),
                    Choice("discard", self.tr("Discard"), ButtonRole.DestructiveRole),
                ),
                self._on_leave,
            )
            self._question.finished.connect(lambda _: setattr(self, "_question", None))

    def _on_leave(self, answer: str) -> None:
        collecting = Collecting.find(self._workbench)
        if answer in ("save", "cancel") or self._leaving is None:
            then, self._leaving = self._leaving, None
            if then is not None and answer == "save":
                self.save(lambda: self.leave(then))
        elif collecting is None:
            self._go_on()
        elif answer == "pause":
            collecting.pause(self._go_on)
        elif answer == "stop":
            collecting.stop(self._go_on)
        elif answer == "on":
            self._go_on()
        else:
            collecting.find_running(self._ask_about_collecting)

    def _go_on(self) -> None:
        then, self._leaving = self._leaving, None
        if then is not None:
            then()

    def _ask_about_collecting(self, server: RunningServer | None) -> None:
        """Ask what becomes of the collector of a study that is left.

        One that no file tells of would be served to people and seen by nobody, so that it either
        ends or the study is saved.
        """
        if server is None or self._leaving is None:
            self._go_on()
            return
        if self._question is not None:
            return
        words = self.tr(
            "The collector of this study runs in a process of its own; people reach it at %s."
        )
        stop = Choice("stop", self.tr("Stop the collector"), ButtonRole.DestructiveRole)
        if self._store.is_saved_with(COLLECTING):
            rest = self.tr(
                "It can go on while the study is not open or the window is closed: “Running "
                "collectors” in the menu View finds it again, and the study shows its answers. "
                "Paused, it refuses answers until somebody lets it go on."
            )
            choices: tuple[Choice, ...] = (
                Choice("on", self.tr("Keep collecting"), ButtonRole.AcceptRole),
                Choice("pause", self.tr("Pause", "collecting"), ButtonRole.ActionRole),
                stop,
            )
        else:
            rest = self.tr(
                "The study is not saved: nobody could find its design and its answers again. Save "
                "it to keep collecting, or stop the collector. Answers that have arrived stay in "
                "their database."
            )
            choices = (
                Choice("save", self.tr("Save and keep collecting"), ButtonRole.AcceptRole), stop,
            )  # fmt: skip
        self._question = ask(
            self._window, self._workbench.themes, self.tr("Keep collecting?"),
            f"{words % server.address} {rest}", choices, self._on_leave,
        )  # fmt: skip
        self._question.finished.connect(lambda _: setattr(self, "_question", None))

    def close(self) -> None:
        """Forget the recovery file: the program ends as it should."""
        self._autosave.stop()
        self._inputs.paths = ()
        if not self._is_ended:
            self._remove_copy()

    def keep_copy(self) -> None:
        """Keep a copy of unsaved work at once, without a job."""
        store = self._store
        if store.is_modified and store.study is not self._kept:
            self._workbench.attempt(
                lambda: self._recovery.save(store.study, store.path, version=store.version)
            )

    def end(self) -> None:
        """Leave unsaved work for the next start: the program has to end at once."""
        self._is_ended = True
        if self._store.is_modified:
            self.keep_copy()
            self._recovery.leave()
        else:
            self._remove_copy()

    # Lists of the start screen

    def recent(self) -> tuple[RecentStudy, ...]:
        """The studies that were opened last and are still there."""
        return tuple(one for one in read_recent(self._recent_file) if Path(one.path).exists())

    def clear_recent(self) -> None:
        forget_all(self._recent_file)
        self.recent_changed.emit()

    def recoverable(self) -> tuple[Recoverable, ...]:
        return recoverable(self._recovery_folder)

    def discard_recovered(self, found: Recoverable) -> None:
        discard(found.path)
        self.recent_changed.emit()
