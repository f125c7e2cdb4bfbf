"""Opening, saving and exporting, with the dialogs they need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QMessageBox, QWidget

from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.design import Design
from ppworkbench.core.progress import Progress
from ppworkbench.gui.dialogs import ButtonRole, Choice, FileMode, ask, choose_file, save_file
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.log import state_folder
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.recent import RecentStudy, forget_all, read_recent, remember
from ppworkbench.study.recovery import Recoverable, RecoveryFile, discard, recoverable
from ppworkbench.study.study import Study

AUTOSAVE_EVERY = 60_000
DATA_FILTER = (
    "*.csv *.tsv *.txt *.xlsx *.sav *.zsav *.por *.dta *.arff *.parquet *.feather *.json *.jsonl "
    "*.basket *.dat *.ppw"
)
WRITE_FILTERS = (
    "CSV (*.csv);;Excel (*.xlsx);;Parquet (*.parquet);;SPSS (*.sav);;Stata (*.dta);;ARFF (*.arff)"
)


class FileActions(QObject):
    """What the menus, the start screen and dropped files do with files."""

    recent_changed = Signal()

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
        self._saving: list[Job] = []
        self._autosave = QTimer(self)
        self._autosave.setInterval(AUTOSAVE_EVERY)
        self._autosave.timeout.connect(self.autosave)
        self._autosave.start()

    # Opening

    def open_dialog(self) -> None:
        """Ask for files and open them."""
        folder = str(self._workbench.settings.value("files/folder", ""))
        kinds = self.tr("Tables, studies and designs (%s);;All files (*)") % DATA_FILTER
        choose_file(
            self._window, self.tr("Open"), folder, kinds,
            lambda paths, _: self.open_paths([str(path) for path in paths]),
            FileMode.OPEN_SEVERAL,
        )  # fmt: skip

    def open_paths(self, names: Sequence[str], options: ReadOptions | None = None) -> None:
        """Open files in the background; what is open now stays until that went well."""
        self.leave(lambda: self._open_paths(tuple(Path(name) for name in names), options))

    def _open_paths(self, paths: tuple[Path, ...], options: ReadOptions | None) -> None:
        self._workbench.settings.setValue("files/folder", str(paths[0].parent))

        def work(progress: Progress) -> Study:
            from ppworkbench.study.opening import open_anything

            return open_anything(paths, options, progress)

        def done(study: Study) -> None:
            is_study = paths[0].suffix.lower() == ".ppw"
            self.last_paths = () if is_study else paths
            self._show(study, paths[0] if is_study else None)

        title = self.tr("Opening %s") % paths[0].name
        self._workbench.run(title, work, done, key="open")

    def open_sample(self, name: str) -> None:
        """Open one of the built-in data sets."""

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
        """Open a study that the program makes itself."""

        def done(study: Study) -> None:
            self.last_paths = ()
            self._show(study, None)
            if then is not None:
                then()

        self.leave(lambda: self._workbench.run(title, make, done, key="open"))

    def open_recovered(self, found: Recoverable) -> None:
        """Open what an unexpected end left behind."""

        def work(progress: Progress) -> Study:
            from ppworkbench.study.study_file import open_study

            return open_study(found.path, progress)

        def done(study: Study) -> None:
            saved_as = Path(found.saved_as) if found.saved_as else None
            self._show(study, saved_as, unsaved=True)
            self._restored = found
            self.autosave()

        title = self.tr("Restoring %s") % found.title
        self.leave(lambda: self._workbench.run(title, work, done, key="open"))

    def new_questionnaire(self, study: Study) -> None:
        """Start a study without data."""
        self.leave(lambda: self._show_new(study, unsaved=True))

    def close_study(self) -> None:
        """Go back to the start screen."""
        self.leave(lambda: self._show_new(Study(), unsaved=False))

    def _show_new(self, study: Study, *, unsaved: bool) -> None:
        self.last_paths = ()
        self._show(study, None, unsaved=unsaved)

    def _show(self, study: Study, path: Path | None, *, unsaved: bool = False) -> None:
        self._remove_copy()
        self._store.open(study, path, unsaved=unsaved)
        if path is not None and not unsaved:
            remember(self._recent_file, study, path)
            self.recent_changed.emit()

    # Saving

    def save(self, then: Callable[[], None] | None = None) -> None:
        """Save to the study's file, or ask for one; ``then`` is called once it is saved."""
        if self._store.path is None:
            self.save_as(then)
        else:
            self._save_to(self._store.path, then)

    def save_as(self, then: Callable[[], None] | None = None) -> None:
        """Ask for a file and save to it."""
        title = self.tr("Save the study")
        suggestion = f"{self._store.study.title}.ppw"
        kinds = self.tr("Studies (*.ppw)")
        save_file(self._window, title, suggestion, kinds, lambda path: self._save_to(path, then))

    def _save_to(self, path: Path, then: Callable[[], None] | None) -> None:
        document, before = self._store.document, self._store.study
        study = before.with_(title=path.stem)

        def work(progress: Progress) -> None:
            from ppworkbench.study.study_file import save_study

            save_study(study, path, progress)

        def done(_: object) -> None:
            if self._store.document is document:
                self._store.mark_saved(path, before)
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

    def autosave(self) -> Job | None:
        """Keep a recovery file of unsaved work; never the user's own file."""
        study, path = self._store.study, self._store.path
        if not self._store.is_modified or study is self._kept:
            return None

        def work(progress: Progress) -> None:
            self._recovery.save(study, path, progress)

        def done(_: object) -> None:
            self._kept = study
            self._discard_restored()

        title = self.tr("Keeping a copy")
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
        """Ask for a file and write the design to it."""
        title, kinds = self.tr("Save the design"), self.tr("Designs (*.json)")
        suggestion = f"{self._store.study.title}-design.json"
        save_file(
            self._window, title, suggestion, kinds,
            lambda path: self.save_design(self._store.study.design, path),
        )  # fmt: skip

    def save_design(self, design: Design, path: Path) -> None:
        """Write a design file."""
        from ppworkbench.core.design.design_file import write_design

        if self._workbench.attempt(lambda: write_design(design, path)):
            self._workbench.toast_requested.emit(self.tr("Design saved as %s.") % path.name, False)

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
                    Choice("cancel", self.tr("Cancel"), ButtonRole.RejectRole),
                ),
                self._on_leave,
            )
            self._question.finished.connect(self._on_question_closed)

    def _on_question_closed(self) -> None:
        self._question = None

    def _on_leave(self, answer: str) -> None:
        then, self._leaving = self._leaving, None
        if then is None or answer == "cancel":
            return
        if answer == "save":
            self.save(lambda: self.leave(then))
        else:
            then()

    def close(self) -> None:
        """Forget the recovery file: the program ends as it should."""
        self._autosave.stop()
        self._remove_copy()

    # Lists of the start screen

    def recent(self) -> tuple[RecentStudy, ...]:
        """The studies that were opened last and are still there."""
        return tuple(one for one in read_recent(self._recent_file) if Path(one.path).exists())

    def clear_recent(self) -> None:
        """Empty the list of recent studies."""
        forget_all(self._recent_file)
        self.recent_changed.emit()

    def recoverable(self) -> tuple[Recoverable, ...]:
        """What unexpected ends left behind."""
        return recoverable(self._recovery_folder)

    def discard_recovered(self, found: Recoverable) -> None:
        """Delete what an unexpected end left behind."""
        discard(found.path)
        self.recent_changed.emit()
