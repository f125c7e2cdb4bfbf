"""Which answers go together, estimated from distorted data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from ppworkbench.analyses.mining.runs import AvailableItems, MiningRequest, available_items
from ppworkbench.analyses.mining.sheets import file_sheet, runs_sheet
from ppworkbench.analyses.mining.tables import ItemsetTable, write_json
from ppworkbench.core.progress import Progress
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.dialogs import save_file, show_dialog
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.language import tongue, tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.mine.errors_card import ErrorsCard
from ppworkbench.gui.pages.mine.item_dialog import ItemDialog
from ppworkbench.gui.pages.mine.results_card import ResultsCard
from ppworkbench.gui.pages.mine.runs import MiningRuns, RowSorter
from ppworkbench.gui.pages.mine.settings_card import WIDTH, SettingsCard
from ppworkbench.gui.pages.mine.texts import (
    CHOOSE,
    MINE,
    notes_kind,
    run_notes,
    running_words,
    stopped_words,
)
from ppworkbench.gui.pages.mine.truth_card import TruthCard
from ppworkbench.gui.pages.mine.view import (
    RULES,
    RUNS,
    SETS,
    MineView,
    PageSettings,
    RunProgress,
    TableState,
    build_view,
    listing_of,
)
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.layout import column, scroll_area
from ppworkbench.gui.widgets.provenance import invented_words
from ppworkbench.gui.widgets.sheet_table import MOST_COPIED
from ppworkbench.gui.widgets.splitter import are_moved, restore_columns, three_columns
from ppworkbench.gui.workbench import Workbench
from ppworkbench.results.files import write_sheet
from ppworkbench.study.fingerprint import fingerprint

if TYPE_CHECKING:
    from ppworkbench.outputs.scripts.analysis import Analysis
    from ppworkbench.study.study import Study

_RIGHT = 336
_A_MOMENT = 150
"""Milliseconds before more than its button tells of a run: a shorter one would flicker."""


class _Card(Protocol):
    """A part of the page."""

    def set_view(self, view: MineView) -> None:
        """Show it."""


class MinePage(Page):
    """Settings at the left, the table in the middle, the truth at the right."""

    name = "mine"

    def __init__(self, workbench: Workbench, files: FileActions | None = None) -> None:
        super().__init__(workbench)
        self.files = files
        self.title = self.tr("Mine")
        self.question = self.tr("Itemsets and rules, estimated from distorted data")
        self.settings = PageSettings()
        self.table = TableState()
        self.mining = MiningRuns(workbench, self)
        self.offer = AvailableItems()
        self._offered: object = None
        """The design whose items are offered."""
        self._marked: object = None
        """The design whose fingerprint is known."""
        self._chosen: tuple[ItemsetTable, int] | None = None
        self._closed: tuple[object, ...] = ()
        """The run and its notes that somebody has read."""
        self._sorters = {view: RowSorter(workbench, view, self) for view in (SETS, RULES)}
        self._due = single_shot(self, self._on_due)
        self._later = single_shot(self, self._show_truth)
        self._slow = single_shot(self, self._on_running, _A_MOMENT)
        self._stale_due = single_shot(self, self._tell_staleness, 300)
        self._make_actions()
        self._build()
        self._listen()
        self._restore()

    def _make_actions(self) -> None:
        self.set_primary("mineNow", self.tr("Mine", "verb"), "play", self.mine)
        self.copy_action = self.action("mineCopy", self.tr("Copy"), "copy", self.copy)
        self.export_action = self.action(
            "mineExport", self.tr("Export table…"), "export", self.export
        )
        self.cancel_action = self.action(
            "mineCancel", self.tr("Cancel"), "close", self.mining.task.cancel
        )
        self.cancel_action.setVisible(False)
        self.secondary = [self.copy_action, self.export_action, self.cancel_action]

    def _build(self) -> None:
        themes = self.themes
        self.settings_card = SettingsCard(themes)
        self.results = ResultsCard(themes)
        self.truth = TruthCard(themes)
        self.errors = ErrorsCard(themes)
        self.stale_banner, self.note_banner = Banner(themes), Banner(themes)
        self.stale_banner.setObjectName("mineStale")
        self.note_banner.setObjectName("mineNote")
        # The card itself decides whether there are errors to be seen, an audience about the room.
        inner, self.below = QWidget(), QWidget()
        column(self.errors, parent=self.below)
        self._inner = column(self.truth, self.below, parent=inner, spacing=12)
        self._inner.setStretch(0, 55)
        self._inner.setStretch(1, 45)
        self.right = scroll_area(inner)
        self.columns = three_columns("mineColumns", self.settings_card, self.results, self.right)
        layout = column(self.stale_banner, self.note_banner, self.columns, parent=self, spacing=8)
        layout.setContentsMargins(16, 4, 16, 12)
        layout.setStretch(2, 1)
        restore_columns(self, self.workbench.settings)
        self._restyle()

    def _restyle(self) -> None:
        self.right.setMinimumWidth(self.themes.theme.px(262))

    def _listen(self) -> None:
        store, card, results, task = self.store, self.settings_card, self.results, self.mining.task
        store.study_opened.connect(self._on_opened)
        store.data_changed.connect(self._on_study_changed)
        store.design_changed.connect(self._on_study_changed)
        store.settings_changed.connect(self._on_study_changed)
        store.results_changed.connect(self._on_results)
        # In an event of its own: the result has just been taken over.
        self.mining.runs_changed.connect(self._on_study_changed)
        task.changed.connect(self._on_task)
        task.progressed.connect(lambda: self._show(results.strip))
        task.stopped.connect(self._on_stopped)
        card.choose_requested.connect(self.choose_items)
        card.settings_changed.connect(self.choose)
        card.help_requested.connect(self.workbench.help_requested)
        results.table_changed.connect(self.look_at)
        results.set_chosen.connect(self._on_set)
        results.run_chosen.connect(self.select_run)
        results.run_removed.connect(self.mining.remove)
        results.action_requested.connect(self._on_empty_action)
        for sorter in self._sorters.values():
            sorter.sorted.connect(lambda: self._show(results))
        self.truth.place_chosen.connect(self._on_point)
        self.note_banner.closed.connect(self._on_note_closed)
        self.themes.theme_changed.connect(self._restyle)

    # The study

    @property
    def optional_panels(self) -> tuple[QWidget, ...]:
        """Parts that an audience does without."""
        return (self.settings_card, self.below)

    def kept(self) -> tuple[str, ...]:
        """What was chosen and found here."""
        return ("settings", "table", "mining.history")

    def shown(self) -> None:
        """Bring everything up to date."""
        super().shown()
        self._on_study_changed()

    def _on_opened(self) -> None:
        # First: what is forgotten is shown, and items of the study before are unknown to this one.
        self.offer, self._offered = AvailableItems(), None
        self.mining.forget()
        for sorter in self._sorters.values():
            sorter.forget()
        self.choose(replace(self.settings, keys=None))

    def _on_results(self, name: str) -> None:
        if name in ("", self.name) and not self.mining.is_keeping:
            self._restore()

    def _restore(self) -> None:
        """Take up the runs of the study, with the settings of the last one."""
        self.mining.restore()
        run = self.mining.current
        if run is not None and not self.mining.task.is_running:
            self.choose(self.settings.with_request(run.request))

    def _on_study_changed(self) -> None:
        if self._is_front:
            self._due.start(0)
        elif self.mining.current is not None:
            # Somebody may be dragging on another page; the dot in the rail can wait.
            self._stale_due.start()

    def _tell_staleness(self) -> None:
        self.stale_changed.emit(self.is_stale)

    def _on_due(self) -> None:
        """Get ready for another design first, each step in an event of its own."""
        study = self.store.study
        if self._marked is not study.design:
            self._marked = study.design
            fingerprint(study)
            self._due.start(0)
        elif self._offered is not study.design:
            self._read_offer()
            self._due.start(0)
        else:
            self.refresh()

    def _read_offer(self) -> None:
        self._offered = self.store.study.design
        self.offer = available_items(self.store.study, translate)

    # What is shown

    @property
    def view(self) -> MineView:
        task, sorter, progress = self.mining.task, self._sorters.get(self.table.view), None
        if task.is_running and not self._slow.isActive():
            levels = [(level.length, level.found) for level in self.mining.tally.levels]
            message = self.store.study.titled(task.message)
            progress = RunProgress(running_words(message, levels), task.done)
        view = build_view(
            self.store.study, self.offer, self.settings, self.table, self.mining.history,
            None if sorter is None else sorter.order, self._chosen,
        )  # fmt: skip
        return replace(view, is_running=task.is_running, progress=progress)

    @property
    def is_stale(self) -> bool:
        """Whether the run in front belongs to another design or other answers."""
        run = self.mining.current
        return run is not None and run.belongs_to != fingerprint(self.store.study)

    def refresh(self) -> None:
        """Show the study, the settings and the runs as they are now."""
        if self._offered is not self.store.study.design:
            self._read_offer()
        run = self.mining.current
        if run is not None:
            self.table = self.table.fitted(len(run.found))
        self._sort()
        self._show(self.settings_card, self.results)
        # The right column follows in an event of its own: together they would take too long.
        self._later.start(0)
        self._show_banners()
        self._tell_staleness()

    def _show(self, *cards: _Card) -> None:
        """Bring some cards and the actions in line with what is known."""
        view = self.view
        for card in cards:
            card.set_view(view)
        self._update_actions(view)

    def _show_truth(self) -> None:
        self._show(self.truth, self.errors)
        # Without errors the picture above them has all of the column.
        has_errors = self.mining.current is not None
        self._inner.setStretch(1, 45 if has_errors else 0)
        self._inner.setSpacing(12 if has_errors else 0)

    def _show_banners(self) -> None:
        view = self.view
        run, notes = view.run, run_notes(view.run, self.store.study)
        if run is None or not view.is_stale:
            self.stale_banner.hide()
        else:
            strong = self.tr("Results are for the design or answers at %s.") % run.at
            rest = self.tr("Mine again to update them.")
            action = (self.tr("Mine again"), self.mine) if view.blocked is None else None
            self.stale_banner.say("info", strong, rest, action, closable=False)
        if not notes or self._closed == (run, *notes):
            self.note_banner.hide()
            return
        rest = " ".join(notes[1:3])
        if len(notes) > 3:
            rest = self.tr("%s %s more.") % (rest, len(notes) - 3)
        self.note_banner.say(notes_kind(notes, self.store.study), notes[0], rest)
        self.note_banner.setToolTip("\n".join(notes[:20]))

    def _on_note_closed(self) -> None:
        run = self.mining.current
        self._closed = (run, *run_notes(run, self.store.study))

    # The settings

    def choose(self, settings: PageSettings) -> None:
        """Mine in another way from now on."""
        if settings != self.settings:
            self.settings = settings
            if self._is_front:
                self._show(self.settings_card, self.results)

    def choose_items(self) -> ItemDialog:
        """Open the list of items."""
        chosen = self.settings.items(self.offer)
        dialog = ItemDialog(self.themes, self.offer, chosen, self.window())
        dialog.accepted.connect(lambda: self.choose(self.settings.with_items(dialog.chosen)))
        show_dialog(dialog, self.themes)
        return dialog

    # The table

    def look_at(self, table: TableState) -> None:
        """Look at another table, or at the same in another way."""
        if table != self.table:
            self.table = table
            self._sort()
            self._show(self.results)

    def listing(self, view: str) -> ItemsetTable | None:
        """The itemsets or the rules of the run in front."""
        return listing_of(self.mining.current, view)

    def _sort(self) -> None:
        """Sort and filter the table that is looked at."""
        listing = self.listing(self.table.view)
        if listing is not None:
            self._sorters[self.table.view].sort(listing, self.table.query)

    def _on_set(self, place: int) -> None:
        listing = self.listing(SETS)
        self._chosen = None if listing is None or place < 0 else (listing, place)
        self._show(self.truth)

    def _on_point(self, place: int) -> None:
        """Choose an itemset in the table; filters that hide it are dropped."""
        self._on_set(place)
        self.look_at(replace(self.table, view=SETS))
        order = self.view.order
        if order is None or place not in order.rows:
            self.look_at(self.table.unfiltered())
        self._show(self.results)

    # Runs

    def request(self) -> MiningRequest:
        """What a run would be asked for now."""
        return self.settings.request(self.offer)

    def mine(self) -> None:
        """Start a run with the chosen settings."""
        if self.view.blocked is None and not self.mining.task.is_running:
            self.mining.mine(self.request())

    def analysis(self) -> tuple[Analysis, Study] | None:
        """The run on the page as a call of the Python interface."""
        from ppworkbench.outputs.scripts.results import mining_analysis
        from ppworkbench.study.fingerprint import fingerprint

        run, study = self.mining.current, self.store.study
        if run is None or run.belongs_to != fingerprint(study):
            return None
        return mining_analysis(study, run.request), study

    def select_run(self, number: int) -> None:
        """Show an earlier run and its settings."""
        run = self.mining.find(number)
        if run is not None and not self.mining.task.is_running:
            self.choose(self.settings.with_request(run.request))
            self.mining.select(number)

    def _on_empty_action(self) -> None:
        reason = self.view.empty
        if reason is None:
            return
        if reason.to == MINE:
            self.mine()
        elif reason.to == CHOOSE:
            self.choose_items()
        else:
            self.workbench.page_requested.emit(reason.to)

    def _on_task(self) -> None:
        if self.mining.task.is_running:
            self._slow.start()
        else:
            self._slow.stop()
        self._on_running()

    def _on_running(self) -> None:
        self._show(self.settings_card, self.results.strip)

    def _on_stopped(self) -> None:
        has_results = self.mining.current is not None
        words = stopped_words(len(self.mining.tally.levels), has_results=has_results)
        self.workbench.toast_requested.emit(words, False)

    # What leaves the page

    def copy(self) -> None:
        """Copy the selected rows of the table that is looked at, or all that are shown."""
        count = self.results.table_of(self.table.view).copy()
        words = self.tr("Copied %s rows.")
        if count == MOST_COPIED:
            words = self.tr("Copied the first %s rows; export the table for all.")
        self.workbench.toast_requested.emit(words % number(count), False)

    def export(self) -> None:
        """Ask for a file and write the table that is looked at."""
        # As it is now: another study may be open when the file is chosen.
        view = self.view
        folder = Path(str(self.workbench.settings.value("files/folder", "")))
        kind = {RUNS: "runs", RULES: "rules"}.get(view.table.view, "itemsets")
        name = str(folder / f"{self.store.study.title}-{kind}.csv")
        kinds = self.tr("Table (*.csv *.tsv *.tex);;Whole run (*.json)")
        if view.table.view == RUNS:
            kinds = self.tr("Table (*.csv *.tsv *.tex)")
        title = self.tr("Export", "title")
        save_file(self, title, name, kinds, lambda path: self.write(view, path))

    def write(self, view: MineView, path: Path) -> None:
        """Write the table of a view in the background, or by the suffix the whole run."""

        def work(progress: Progress) -> int:
            return write_table(view, path, progress)

        def done(count: int) -> None:
            # The page itself may be gone by then, as when the language was changed.
            words = tr("%s written, %s rows.") % (path.name, number(count))
            self.workbench.toast_requested.emit(words, False)

        job = self.workbench.run(self.tr("Exporting %s") % path.name, work, done)
        job.outlives_study = True

    def _update_actions(self, view: MineView) -> None:
        running, blocked = view.is_running, view.blocked
        self.primary.setText(self.tr("Running…") if running else self.tr("Mine", "verb"))
        self.primary.setEnabled(not running and blocked is None)
        why = "" if blocked is None else blocked.missing
        self.primary.setToolTip(why or self.tr("Find itemsets and rules (Ctrl+Enter)"))
        self.cancel_action.setVisible(running)
        self.copy_action.setVisible(not running)
        reason = "" if view.has_rows else self.tr("Nothing to export yet; mine first.")
        for action in (self.copy_action, self.export_action):
            action.setEnabled(not reason)
        self.copy_action.setToolTip(reason or self.tr("Copy the selected rows, or all of them"))
        self.export_action.setToolTip(
            reason or self.tr("Write the table as CSV, TSV or LaTeX, or the whole run as JSON")
        )

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give the table what room there is, unless somebody moved the columns."""
        super().resizeEvent(event)
        if not are_moved(self.columns):
            px = self.themes.theme.px
            left, right = (WIDTH, _RIGHT) if self.width() >= px(1190) else (0, 0)
            if self.width() >= px(1600):
                left, right = 280, 460
            self.columns.setSizes([px(left), self.width(), px(right)])


def write_table(view: MineView, path: Path, progress: Progress) -> int:
    """Write the table that is looked at, or by the suffix the whole run; how many rows it has."""
    run, listing, order = view.run, view.listing, view.order
    if view.table.view == RUNS:
        sheet = runs_sheet(view.runs, view.measure)
        write_sheet(sheet, path, tongue().say, invented_words(), progress)
        return sheet.rows
    if run is None or listing is None:
        return 0
    if path.suffix.lower() == ".json":
        return write_json(run, path, progress, view.study.state)
    rows = np.arange(listing.rows) if order is None else order.rows
    sheet = file_sheet(listing, rows, run.names)
    write_sheet(sheet, path, tongue().say, invented_words(), progress)
    return sheet.rows
