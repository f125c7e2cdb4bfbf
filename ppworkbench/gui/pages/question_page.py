"""A page that asks one question: a run under way, earlier ones, and what leaves the page."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ppworkbench.analyses.request import Request
from ppworkbench.analyses.runs import Run
from ppworkbench.analyses.source import Source
from ppworkbench.core.errors import DataError
from ppworkbench.core.files import write_text
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.dialogs import save_table
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.language import tongue, tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.controls import ProgressBar
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import named, row
from ppworkbench.gui.widgets.provenance import invented_words
from ppworkbench.gui.widgets.sheet_table import MOST_COPIED, SheetTable, copy_menu
from ppworkbench.gui.workbench import Workbench
from ppworkbench.results.files import write_sheet
from ppworkbench.study.bundle_target import file_stem
from ppworkbench.study.fingerprint import fingerprint
from ppworkbench.study.run_history import RunHistory

if TYPE_CHECKING:
    from ppworkbench.outputs.scripts.analysis import Analysis
    from ppworkbench.results.files import TableKind
    from ppworkbench.results.sheet import Sheet
    from ppworkbench.study.distorted_cache import DistortedCache
    from ppworkbench.study.study import Study

Q = TypeVar("Q", bound=Request)

Document = Callable[[], Mapping[str, Any]]
"""Makes the document of a run; called in a job."""
_A_MOMENT = 150
"""Milliseconds before more than its button tells of a run: a shorter one would flicker."""


class ProgressStrip(QWidget):
    """What a run is doing; hidden while none takes longer than a moment."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.label = ElidedLabel("caption")
        self.bar = named(ProgressBar(120), f"{name}Progress", self.tr("Run progress"))
        row(self.label, self.bar, parent=self, spacing=10, margin=(14, 0, 14, 8), stretch=0)
        self.hide()

    def show_progress(self, words: str, done: float) -> None:
        """Show how far a run is."""
        self.label.setText(words)
        self.bar.show_share(done)
        self.show()


class QuestionPage(Page, Generic[Q]):
    """Asks one question of the study, keeps the runs in it, and says which of them are stale.

    A page says what it asks (:meth:`request`), why it cannot (:attr:`why_not`), shows its cards
    (:meth:`refresh`, :meth:`show_progress`) and names the table in front (:attr:`table`). What
    would be read of a study for a request is :meth:`source`, a class method because it works in a
    job.
    """

    asks: ClassVar[type[Any]]
    most_kept: ClassVar[int] = 12
    """Runs that a study remembers; the oldest goes first."""
    runs_changed = Signal()
    """There are other runs, or another one is shown."""

    def __init__(self, workbench: Workbench, files: FileActions | None = None) -> None:
        super().__init__(workbench)
        self.files = files
        self.history: RunHistory[Run[Q]] = RunHistory(limit=self.most_kept)
        self._kept: dict[int, Mapping[str, Any]] = {}
        """The runs by number as the study has them."""
        self._is_keeping = False
        self.task: PageTask[tuple[Run[Q], dict[str, Any]]] = PageTask(workbench, self.name, self)
        self.strip = ProgressStrip(self.name)
        self.stale_banner = named(Banner(self.themes), f"{self.name}Stale")
        self._due = single_shot(self, self._on_due)
        self._slow = single_shot(self, self._on_running, _A_MOMENT)
        self._stale_due = single_shot(self, self._tell_staleness, 300)

    def set_up(self, words: str) -> None:
        """Make the actions, and listen to the study; ``words`` are those of the button."""
        self._verb = words
        self.set_primary(f"{self.name}Now", words, "play", self.ask)
        self.copy_action = self.action(f"{self.name}Copy", self.tr("Copy"), "copy", self.copy)
        self.export_action = self.action(
            f"{self.name}Export", self.tr("Export table…"), "export", self.export
        )
        self.cancel_action = self.action(
            f"{self.name}Cancel", self.tr("Cancel"), "close", self.task.cancel
        )
        self.cancel_action.setVisible(False)
        self.secondary = [self.copy_action, self.export_action, self.cancel_action]
        self.copies = self.copy_action, copy_menu(self, self.copy_as)
        store, task = self.store, self.task
        store.study_opened.connect(self._on_opened)
        for signal in (store.data_changed, store.design_changed, store.settings_changed):
            signal.connect(self._on_study_changed)
        store.results_changed.connect(self._on_results)
        # In an event of its own: the result has just been taken over.
        self.runs_changed.connect(self._on_study_changed)
        task.finished.connect(self._on_finished)
        task.changed.connect(self._on_task)
        task.progressed.connect(self._on_running)
        task.stopped.connect(self._on_stopped)

    # What a page says

    @property
    def why_not(self) -> str:
        """Why nothing can be asked now; empty if something can."""
        return ""

    @property
    def table(self) -> SheetTable | None:
        """The table that is looked at."""
        return None

    def request(self) -> Q:
        """What would be asked now."""
        raise NotImplementedError

    def show_request(self, request: Q) -> None:
        """Take over the settings of a run."""

    @classmethod
    def source(
        cls,
        study: Study,
        answers: DistortedCache,
        request: Q,  # noqa: ARG003 (for those that need others)
        progress: Progress,
    ) -> Source:
        """The answers that a request is asked of."""
        return Source.of_study(study, answers, progress)

    @classmethod
    def read_run(cls, given: Any) -> Run[Q]:
        """A run that a study kept; DataError for what is none."""
        return Run.from_json(cls.asks, given)

    # The study

    def shown(self) -> None:
        super().shown()
        self._on_study_changed()

    def _on_opened(self) -> None:
        # What is forgotten is shown, which comes first.
        self.task.drop()
        self.history, self._kept = RunHistory(limit=self.most_kept), {}
        self.runs_changed.emit()

    def _on_results(self, name: str) -> None:
        if name in ("", self.name) and not self._is_keeping:
            self.restore()

    def _on_study_changed(self) -> None:
        if self._is_front:
            self._due.start(0)
        elif self.current is not None:
            # Somebody may be dragging on another page; the dot in the rail can wait.
            self._stale_due.start()

    def _on_due(self) -> None:
        self.refresh()
        self._show_staleness()

    # Runs

    @property
    def current(self) -> Run[Q] | None:
        return self.history.shown

    @property
    def is_stale(self) -> bool:
        """Whether the run in front belongs to another design or other answers."""
        return self.current is not None and self.is_stale_run(self.current)

    def is_stale_run(self, run: Run[Q]) -> bool:
        """Whether a run belongs to another design or other answers."""
        return run.belongs_to != fingerprint(self.store.study)

    def ask(self) -> None:
        """Start a run with the settings of now."""
        if not (self.why_not or self.task.is_running):
            self.start(self.request())

    def start(self, request: Q, number: int | None = None) -> None:
        """Start a run; with the number of an earlier one it takes its place."""
        study, answers, source = self.store.study, self.workbench.answers, self.source
        own = number or max((run.number for run in self.history), default=0) + 1

        def work(progress: Progress) -> tuple[Run[Q], dict[str, Any]]:
            asked = source(study, answers, request, part(progress, 0.0, 0.1))
            result = request.run(asked, part(progress, 0.1, 1.0))
            run = Run.of(own, request, fingerprint(study), result, result.facts)
            return run, run.to_json()

        self.task.start(self.title, work)

    def select(self, number: int) -> None:
        """Show an earlier run with its settings; one that is not whole is asked again."""
        run = next((one for one in self.history if one.number == number), None)
        if run is None or self.task.is_running:
            return
        self.show_request(run.request)
        if not run.is_whole:
            self.start(run.request, number)
            return
        self.history = self.history.select(run)
        self.runs_changed.emit()

    def remove(self, number: int) -> None:
        """Forget a run; the newest of the others that is whole is shown."""
        run = next((one for one in self.history if one.number == number), None)
        if run is None:
            return
        was_shown = run is self.current
        self.history = self.history.remove(run)
        self._kept.pop(number, None)
        if was_shown:
            self._select_newest()
        self._keep()
        self.runs_changed.emit()

    def _select_newest(self) -> None:
        whole = (one for one in reversed(self.history.runs) if one.is_whole)
        self.history = self.history.select(next(whole, None))

    def restore(self) -> None:
        """Read the runs that the study kept; a damaged one is left out."""
        kept = self.store.study.results.get(self.name)
        listed = kept.get("runs", ()) if isinstance(kept, Mapping) else ()
        runs: dict[int, Run[Q]] = {}
        self._kept = {}
        for given in listed if isinstance(listed, list | tuple) else ():
            try:
                run = self.read_run(given)
            except DataError:
                continue
            runs[run.number], self._kept[run.number] = run, given
        self.history = RunHistory(tuple(runs.values()), limit=self.most_kept)
        newest = self.history.newest
        if newest is not None and newest.is_whole:
            self.history = self.history.select(newest)
        if self.current is not None and not self.task.is_running:
            self.show_request(self.current.request)
        self.runs_changed.emit()

    def _on_finished(self, found: tuple[Run[Q], dict[str, Any]]) -> None:
        run, self._kept[found[0].number] = found
        before = next((one for one in self.history if one.number == run.number), None)
        if before is None:
            self.history = self.history.add(run)
        else:
            self.history = self.history.replace(before, run).select(run)
        numbers = {one.number for one in self.history}
        self._kept = {number: kept for number, kept in self._kept.items() if number in numbers}
        self._keep()
        self.runs_changed.emit()

    def _keep(self) -> None:
        """Let the study remember the runs."""
        self._is_keeping = True
        listed = [self._kept[run.number] for run in self.history if run.number in self._kept]
        self.store.set_results(self.name, {"runs": listed} if listed else None)
        self._is_keeping = False

    # A run under way

    def _on_task(self) -> None:
        if self.task.is_running:
            self._slow.start()
        else:
            self._slow.stop()
        self._on_running()

    @property
    def is_slow(self) -> bool:
        """Whether a run is under way and takes longer than a moment."""
        return self.task.is_running and not self._slow.isActive()

    def _on_running(self) -> None:
        if self.is_slow:
            words = translate(self.store.study.titled(self.task.message))
            self.strip.show_progress(words or self.tr("Preparing the answers"), self.task.done)
        else:
            self.strip.hide()
        self.show_running()

    def show_running(self) -> None:
        """Bring the actions in line with what is known; a page locks its settings, too."""
        running, why_not = self.task.is_running, self.why_not
        self.primary.setText(self.tr("Running…") if running else self._verb)
        self.primary.setEnabled(not running and not why_not)
        self.primary.setToolTip(why_not or f"{self._verb} (Ctrl+Enter)")
        self.cancel_action.setVisible(running)
        self.copy_action.setVisible(not running)
        has_rows = self.table is not None and bool(self.table.rows.size)
        reason = "" if has_rows else self.tr("Nothing to export yet.")
        for action in (self.copy_action, self.export_action):
            action.setEnabled(has_rows)
        self.copy_action.setToolTip(reason or self.tr("Copy the selected rows, or all of them"))
        self.export_action.setToolTip(
            reason or self.tr("Save the table or the whole run to a file")
        )

    def _on_stopped(self) -> None:
        words = self.tr("Stopped. There are no results yet.")
        if self.current is not None:
            words = self.tr("Stopped. Earlier results are shown.")
        self.workbench.show_toast(words)

    def _show_staleness(self) -> None:
        if self.current is None or not self.is_stale:
            self.stale_banner.hide()
        else:
            strong = self.tr("Results are for the design or answers at %s.") % self.current.at
            action = None if self.why_not else (self.tr("Run again"), self.ask)
            self.stale_banner.say("info", strong, "", action, closable=False)
        self._tell_staleness()

    def _tell_staleness(self) -> None:
        self.stale_changed.emit(self.is_stale)

    # What leaves the page

    def script(self, study: Study, request: Q) -> Analysis:
        from ppworkbench.outputs.scripts.results import request_analysis

        return request_analysis(study, request)

    def analysis(self) -> tuple[Analysis, Study] | None:
        run, study = self.current, self.store.study
        return None if run is None or self.is_stale else (self.script(study, run.request), study)

    def copy(self) -> None:
        """Copy the selected rows of the table that is looked at, or all that are shown."""
        if self.table is not None:
            self._tell_copied(self.table.copy())

    def copy_as(self, kind: TableKind) -> None:
        """Copy the same as the text of such a file."""
        if self.table is not None:
            self._tell_copied(self.table.copy_as(kind))

    def _tell_copied(self, count: int) -> None:
        words = self.tr("Copied %s rows.")
        if count == MOST_COPIED:
            words = self.tr("Copied the first %s rows; export the table for all.")
        self.workbench.show_toast(words % number(count))

    def file_sheet(self) -> Sheet | None:
        """The table that is looked at, as files hold it."""
        table = self.table
        return None if table is None or table.sheet is None else table.sheet.take(table.rows)

    def export(self) -> None:
        """Ask for a file and write the table that is looked at, or the whole run as JSON."""
        # As it is now: another study may be open when the file is chosen.
        sheet, document, private = self.file_sheet(), self.document(), self.holds_truth
        if sheet is None:
            return
        folder = Path(str(self.workbench.settings.value("files/folder", "")))
        name = str(folder / f"{file_stem(f'{self.store.study.title}-{sheet.name}')}.csv")
        whole = [self.tr("Whole run (*.json)")] if document is not None else []
        save_table(
            self, self.tr("Export table"), name,
            lambda path: self.write(sheet, document, path, private=private), *whole,
        )  # fmt: skip

    @property
    def holds_truth(self) -> bool:
        """Whether the run in front is one of true answers."""
        return False

    def document(self) -> Document | None:
        """What makes the document of the run in front; None where there is none."""
        return None

    def write(
        self, sheet: Sheet, document: Document | None, path: Path, *, private: bool = False
    ) -> None:
        """Write a table in the background, or by the suffix the whole run."""

        def work(progress: Progress) -> int:
            return write_run(sheet, document, path, progress, private=private)

        def done(count: int) -> None:
            # The page itself may be gone by then, as when the language was changed.
            words = tr("%s written, %s rows.") % (path.name, number(count))
            self.workbench.show_toast(words)

        job = self.workbench.run(self.tr("Exporting %s") % path.name, work, done)
        job.outlives_study = True


def write_run(
    sheet: Sheet, document: Document | None, path: Path, progress: Progress = silent,
    *, private: bool = False,
) -> int:  # fmt: skip
    """Write a table, or by the suffix the whole run; how many rows the table has."""
    if path.suffix.lower() == ".json" and document is not None:
        private = private or sheet.holds_truth
        write_text(path, json.dumps(document(), indent=1, ensure_ascii=False), private=private)
    else:
        write_sheet(sheet, path, tongue().say, invented_words(), progress, private=private)
    return sheet.rows
