"""Which answers go together, estimated from distorted data."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from ppworkbench.core.data.csv_writer import escape_formula
from ppworkbench.core.files import atomic_file
from ppworkbench.core.progress import Progress
from ppworkbench.gui.dialogs import save_file, show_dialog
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.mine.errors_card import ErrorsCard
from ppworkbench.gui.pages.mine.item_dialog import ItemDialog
from ppworkbench.gui.pages.mine.itemset_table import MOST_COPIED, Arranger, RowOrder, TableQuery
from ppworkbench.gui.pages.mine.page_state import PageSettings, TableState
from ppworkbench.gui.pages.mine.results_card import (
    F1,
    FOUND,
    MEASURES,
    RULES,
    RUNS,
    SETS,
    TableCard,
    run_details,
    run_title,
    value_of,
)
from ppworkbench.gui.pages.mine.runs import MiningRuns
from ppworkbench.gui.pages.mine.settings_card import WIDTH, SettingsCard
from ppworkbench.gui.pages.mine.texts import (
    CHOOSE,
    MINE,
    RELAXED,
    EmptyReason,
    errors_sentence,
    few_words,
    items_hint,
    method_hint,
    method_names,
    no_rules,
    nothing_found,
    nothing_mined,
    running_words,
    seconds,
    stopped_words,
    truth_words,
    why_no_certainty,
    why_not,
    why_not_mine,
)
from ppworkbench.gui.pages.mine.truth_card import TruthCard
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.layout import (
    are_moved,
    column,
    restore_columns,
    scroll_area,
    three_columns,
)
from ppworkbench.gui.widgets.table import copy_rows
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.analyses.mining import (
    CERTAINTIES,
    AvailableItems,
    MiningRequest,
    MiningRun,
    available_items,
    kept_shares,
)
from ppworkbench.study.analyses.mining_tables import RAW, ItemsetTable, write_csv, write_json
from ppworkbench.study.fingerprint import fingerprint

if TYPE_CHECKING:
    from ppworkbench.gui.pages.mine.settings_card import SettingsCard


class Showing(QObject):
    """Shows; what a person does goes to the page."""

    def __init__(self, page: MinePage) -> None:
        super().__init__(page)
        self._page = page
        self._arrangers = {view: Arranger(page.workbench, view, self) for view in (SETS, RULES)}
        for view, arranger in self._arrangers.items():
            arranger.arranged.connect(
                lambda listing, wish, found, v=view: self._on_arranged(v, listing, wish, found)
            )
        self.absence: EmptyReason | None = None
        self._wanted = -1
        """A place of the itemsets that is to be chosen as soon as it is arranged."""

    # The left column

    def show_settings(self) -> None:
        """Show what is chosen, and why some of it cannot be."""
        page, choices, card = self._page, self._page.choices, self._page.settings_card
        study, offer = page.store.study, page.offer
        items = choices.items(offer)
        hint = items_hint(kept_shares(study.design, items), len(offer.refused))
        count = tr("%s of %s") % (number(len(items)), number(len(offer.items)))
        card.show_items([item.words for item in items], len(offer.items), hint, count)
        card.item_hint.setToolTip("\n".join(f"{name}: {why}" for name, why in offer.refused[:30]))
        refused = {name: why for name in method_names() if (why := why_not(name, study))}
        relax = "" if choices.method == RELAXED else tr("Only MMASK relaxes the minimum.")
        card.show_method(choices.miner, method_hint(choices.method), refused, relax)
        uncertain = {
            name: why for name in CERTAINTIES if (why := why_no_certainty(name, choices.method))
        }
        certainty = choices.possible_certainty
        card.show_limits(
            choices.miner, choices.plain_miner, choices.min_confidence, certainty, uncertain
        )

    # The results

    def show_results(self) -> None:
        """Show the run in front, or what to do to get one."""
        page, run = self._page, self._page.mining.current
        stale = page.is_stale
        card = page.table_card
        card.show_counts(
            0 if run is None else run.total,
            0 if run is None else run.rule_count,
            len(page.mining.history.runs),
        )
        for arranger in self._arrangers.values():
            if run is None:
                arranger.forget()
        if run is not None and run.sets is not None:
            longest = len(run.found)
            page.viewing.begin(longest)
            card.show_sizes(longest, *page.viewing.sizes)
            marks = {SETS: run.request.min_support, RULES: run.request.min_confidence}
            for view, minimum in marks.items():
                card.listing_view(view).show_marks(minimum, stale=stale)
        self.show_view()

    def show_view(self) -> None:
        """Show the table that is looked at, or why it is empty."""
        page, run, view = self._page, self._page.mining.current, self._page.viewing.view
        card = page.table_card
        self.absence = self._absence(run, view)
        card.show_view(view)
        card.head_row.setVisible(bool(page.mining.history.runs))
        if self.absence is not None:
            card.show_empty(self.absence.missing, self.absence.advice, self.absence.action)
            card.show_foot("", "")
            card.filter.setVisible(False)
            card.size_box.setVisible(False)
            return
        if view == RUNS:
            self.show_runs()
            card.show_foot(tr("Click a run to bring it back with its settings."), "")
            return
        self.arrange()

    def _absence(self, run: MiningRun | None, view: str) -> EmptyReason | None:
        blocked = self._page.blocked
        if run is None:
            if view == RUNS and self._page.mining.history.runs:
                return None
            return blocked if blocked is not None else nothing_mined()
        if view == RUNS:
            return None
        if run.total == 0:
            return nothing_found(run)
        return no_rules(run) if view == RULES and run.rule_count == 0 else None

    def arrange(self) -> None:
        """Sort and filter the table that is looked at."""
        page, view = self._page, self._page.viewing.view
        listing = page.listing(view)
        if listing is not None and view != RUNS:
            self._arrangers[view].arrange(listing, page.viewing.wish(view, listing.bar))
            self._show_foot()

    def _on_arranged(
        self, view: str, listing: ItemsetTable, wish: TableQuery, found: RowOrder
    ) -> None:
        page = self._page
        run = page.mining.current
        if run is None or page.listing(view) is not listing:
            return
        table = page.table_card.listing_view(view)
        model = page.table_card.rule_model if view == RULES else page.table_card.set_model
        row = table.currentIndex().row()
        chosen = model.place(row) if row >= 0 and model.listing is listing else -1
        if view == SETS and self._wanted >= 0:
            chosen, self._wanted = self._wanted, -1
        model.show(listing, found, run.request.miner.confidence)
        table.show_sorting(wish.column, wish.descending)
        table.select_place(chosen)
        if view == page.viewing.view and self.absence is None:
            if len(found.order):
                page.table_card.show_view(view)
            else:
                page.table_card.show_nothing(self._no_match(view))
            self._show_foot()

    def _no_match(self, view: str) -> str:
        if view == RULES:
            return tr("No rule matches the filter.")
        return tr("No itemset matches the filter.")

    def choose_place(self, place: int) -> None:
        """Choose an itemset in the table; filters that hide it are dropped."""
        page = self._page
        if page.viewing.view != SETS:
            page.viewing.set_view(SETS)
        model = page.table_card.set_model
        if model.listing is page.listing(SETS) and model.row_of(place) is not None:
            page.table_card.sets.select_place(place)
            return
        self._wanted = place
        page.viewing.show_all()

    def _show_foot(self) -> None:
        page, run, view = self._page, self._page.mining.current, self._page.viewing.view
        if run is None or view == RUNS or self.absence is not None:
            return
        model = page.table_card.rule_model if view == RULES else page.table_card.set_model
        listing = page.listing(view)
        if listing is None:
            return
        words = tr("%s of %s shown, mined in %s")
        shown = number(model.rowCount() if model.listing is listing else 0)
        right = words % (shown, number(listing.rows), seconds(run.seconds))
        page.table_card.show_foot(self._legend(run, view, listing), right)

    def _legend(self, run: MiningRun, view: str, listing: ItemsetTable) -> str:
        page = self._page
        if not page.is_stale and page.request() != run.request:
            return tr("The settings have changed since; mine again to see their effect.")
        if view == RULES:
            return tr("Dashed line: minimum confidence. Support in percent of all people.")
        if RAW in listing.values:
            return tr("Dashed line: minimum support. Raw: the distorted table, uncorrected.")
        return tr("Dashed line: minimum support. Counted in the original answers.")

    def show_truth(self) -> None:
        """Show how far the run in front is from the truth."""
        page = self._page
        run, stale = page.mining.current, page.is_stale
        words = truth_words(run)
        if words or run is None or run.sets is None:
            page.truth.say(words)
        else:
            hint = tr("one point per itemset; original answers known")
            page.truth.show_listing(run.sets, hint, stale=stale)
            row = page.table_card.sets.currentIndex().row()
            model = page.table_card.set_model
            if row >= 0 and model.listing is run.sets:
                page.truth.choose(model.place(row))
        page.show_errors(run is not None)
        if run is not None:
            page.errors.show_errors(run.errors, errors_sentence(run), stale=stale)

    def show_runs(self) -> None:
        """Compare the runs, if somebody looks at them."""
        page = self._page
        if page.viewing.view != RUNS:
            return
        runs, current = page.mining.history.runs, page.mining.current
        knows = any(run.errors for run in runs)
        offered = MEASURES if knows else (FOUND,)
        measure = page.viewing.measure if page.viewing.measure in offered else offered[0]
        reason = tr("Only runs with known original answers have errors.")
        page.table_card.show_measure(measure if runs else F1, offered, reason)
        stale = frozenset(run.number for run in runs if run.belongs_to != page.mark)
        shown = 0 if current is None else current.number
        page.table_card.runs.show_runs(runs, shown, stale, measure)


_A_MOMENT = 150
"""Milliseconds before more than its button tells of a run: a shorter one would flicker."""


class RunStatus(QObject):
    """Shows the progress of a run in the table, once it takes longer than a moment."""

    changed = Signal()
    """A run has begun or ended, or is told of from now on."""

    def __init__(
        self, workbench: Workbench, mining: MiningRuns, table: TableCard, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._workbench, self._mining, self._table = workbench, mining, table
        self.is_telling = False
        self._due = single_shot(self, self._begin, _A_MOMENT)
        mining.task.changed.connect(self._on_running)
        mining.task.progressed.connect(self._show)
        mining.task.stopped.connect(self._on_stopped)

    def _on_running(self) -> None:
        if self._mining.task.is_running:
            self._due.start()
        else:
            self._due.stop()
            self.is_telling = False
            self._table.show_progress("", 0.0)
        self.changed.emit()

    def _begin(self) -> None:
        self.is_telling = True
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        if self.is_telling:
            levels = [(level.length, level.found) for level in self._mining.tally.levels]
            words = running_words(self._mining.task.message, levels)
            self._table.show_progress(words, self._mining.task.done)

    def _on_stopped(self) -> None:
        words = stopped_words(len(self._mining.tally.levels))
        self._workbench.toast_requested.emit(words, False)


class Exporting(QObject):
    """Belongs to the page."""

    def __init__(self, page: MinePage) -> None:
        super().__init__(page)
        self._page = page

    def update_actions(self) -> None:
        """Offer what can be done."""
        page = self._page
        reason = "" if self._has_rows() else tr("There is nothing to export yet; mine first.")
        for action in (page.copy_action, page.export_action):
            action.setEnabled(not reason)
        page.copy_action.setToolTip(reason or tr("Copy the selected rows, or all of them"))
        page.export_action.setToolTip(
            reason or tr("Write the table as CSV, or the whole run as JSON")
        )

    def _has_rows(self) -> bool:
        page = self._page
        if page.viewing.view == RUNS:
            return bool(page.mining.history.runs)
        listing = page.listing(page.viewing.view)
        return listing is not None and listing.rows > 0

    def copy(self) -> None:
        """Copy the selected rows of the table that is looked at, or all that are shown."""
        page, view = self._page, self._page.viewing.view
        if view == RUNS:
            rows = run_rows(page.mining.history.runs)
            copy_rows(rows)
            count = len(rows) - 1
        else:
            count = page.table_card.listing_view(view).copy()
        words = tr("Copied %s rows.") % number(count)
        if count == MOST_COPIED:
            words = tr("Copied the first %s rows; export the table to have all.") % number(count)
        page.workbench.toast_requested.emit(words, False)

    def ask(self) -> None:
        """Ask for a file and write it."""
        page = self._page
        folder = Path(str(page.workbench.settings.value("files/folder", "")))
        kind = {RUNS: "runs", RULES: "rules"}.get(page.viewing.view, "itemsets")
        name = str(folder / f"{page.store.study.title}-{kind}.csv")
        kinds = tr("Table (*.csv);;Whole run (*.json)")
        if page.viewing.view == RUNS:
            kinds = tr("Table (*.csv)")
        words = tr("Export", "title")
        save_file(page, words, name, kinds, self._writer())

    def write(self, path: Path) -> None:
        """Write what is looked at in the background: by the suffix the table or the whole run."""
        self._writer()(path)

    def _writer(self) -> Callable[[Path], None]:
        """What writes the table that is looked at now: another study may be open by then."""
        page, view = self._page, self._page.viewing.view
        runs, run, listing = page.mining.history.runs, page.mining.current, page.listing(view)
        model = page.table_card.rule_model if view == RULES else page.table_card.set_model
        order = model.order if listing is not None and model.listing is listing else None

        def write(path: Path) -> None:
            def work(progress: Progress) -> int:
                if view == RUNS:
                    return write_runs(runs, path)
                if run is None or listing is None:
                    return 0
                if path.suffix.lower() == ".json":
                    return write_json(run, path, progress)
                rows = np.arange(listing.rows) if order is None else order
                return write_csv(listing, rows, run.names, path, progress)

            self._start(path, work)

        return write

    def _start(self, path: Path, work: Callable[[Progress], int]) -> None:
        page = self._page

        def done(count: int) -> None:
            words = tr("%s written, %s rows.") % (path.name, number(count))
            page.workbench.toast_requested.emit(words, False)

        job = page.workbench.run(tr("Exporting %s") % path.name, work, done)
        job.outlives_study = True


def run_rows(runs: tuple[MiningRun, ...]) -> list[list[str]]:
    """The comparison of the runs as a table, every measure at every size."""
    longest = max((max(len(run.found), len(run.errors)) for run in runs), default=0)
    sizes = range(1, longest + 1)
    head = ["run", "settings", "found", "rules", "seconds"]
    head += [f"{measure} {size}" for measure in MEASURES for size in sizes]
    rows = [head]
    for run in runs:
        own = [run_title(run), run_details(run), str(run.total), str(run.rule_count)]
        own.append(f"{run.seconds:.4g}")
        values = [value_of(run, measure, size) for measure in MEASURES for size in sizes]
        rows.append([*own, *("" if np.isnan(value) else f"{value:.6g}" for value in values)])
    return rows


def write_runs(runs: tuple[MiningRun, ...], path: Path) -> int:
    """Write the comparison of the runs."""
    with atomic_file(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([escape_formula(c) for c in row] for row in run_rows(runs))
    return len(runs)


class Banners(QObject):
    """Two banners; notes that somebody closed stay away until there are other ones."""

    def __init__(self, page: MinePage) -> None:
        super().__init__(page)
        self._page = page
        self._closed: tuple[object, ...] = ()
        self.stale, self.note = Banner(page.themes), Banner(page.themes)
        self.stale.setObjectName("mineStale")
        self.note.setObjectName("mineNote")
        self.note.closed.connect(self._on_note_closed)

    def show(self) -> None:
        """Say what there is to say about the run in front."""
        self._show_stale()
        self._show_notes()

    def _show_stale(self) -> None:
        page, run = self._page, self._page.mining.current
        if run is None or not page.is_stale:
            self.stale.hide()
            return
        strong = tr("Results are for the design or the answers of %s.") % run.at
        rest = tr("Mine again to bring them up to date.")
        action = (tr("Mine again"), page.mine) if page.blocked is None else None
        self.stale.say("info", strong, rest, action, closable=False)

    def _show_notes(self) -> None:
        run = self._page.mining.current
        notes = () if run is None else _notes(run)
        if not notes or self._closed == (run, *notes):
            self.note.hide()
            return
        rest = " ".join(notes[1:3])
        if len(notes) > 3:
            rest = tr("%s And %s more.") % (rest, len(notes) - 3)
        self.note.say("warning", notes[0], rest)
        self.note.setToolTip("\n".join(notes[:20]))

    def _on_note_closed(self) -> None:
        run = self._page.mining.current
        if run is not None:
            self._closed = (run, *_notes(run))


def _notes(run: MiningRun) -> tuple[str, ...]:
    few = few_words(run)
    return (*(translate(note) for note in run.notes if note), *((few,) if few else ()))


_RIGHT = 336


class MinePage(Page):
    """Settings at the left, the table in the middle, the truth at the right."""

    name = "mine"

    def __init__(self, workbench: Workbench, files: FileActions | None = None) -> None:
        super().__init__(workbench)
        self.files = files
        self.title = self.tr("Mine")
        self.question = self.tr("Which answers go together, estimated from distorted data")
        self.choices = PageSettings(self)
        self.viewing = TableState(self)
        self.mining = MiningRuns(workbench, self)
        self.exporting = Exporting(self)
        self.offer = AvailableItems()
        self.mark = ""
        self._offered: object = None
        self._marked: object = None
        self._due = single_shot(self, self._on_due)
        self._later = single_shot(self, self._show_truth)
        self._stale_due = single_shot(self, self._look_for_staleness, 300)
        self._make_actions()
        self._make_parts()

    def _make_parts(self) -> None:
        self._build()
        self.showing = Showing(self)
        self.telling = RunStatus(self.workbench, self.mining, self.table_card, self)
        self._listen()
        self._restore()

    def _make_actions(self) -> None:
        self.name_primary("mineNow", self.tr("Mine", "verb"), "play", self.mine)
        self.copy_action = self.action("mineCopy", self.tr("Copy"), "copy", self.exporting.copy)
        self.export_action = self.action(
            "mineExport", self.tr("Export table…"), "export", self.exporting.ask
        )
        self.cancel_action = self.action(
            "mineCancel", self.tr("Cancel"), "close", self.mining.task.cancel
        )
        self.cancel_action.setVisible(False)
        self.secondary = [self.copy_action, self.export_action, self.cancel_action]

    def _build(self) -> None:
        themes = self.themes
        self.settings_card = SettingsCard(themes)
        self.table_card = TableCard(themes)
        self.truth = TruthCard(themes)
        self.errors = ErrorsCard(themes)
        self.truth.make_plot()
        self.table_card.make_runs()
        # The page itself decides whether there are errors to be seen, an audience about the room.
        inner, self.below = QWidget(), QWidget()
        column(self.errors, parent=self.below)
        self._inner = column(self.truth, self.below, parent=inner, spacing=12)
        self._inner.setStretch(0, 55)
        self.show_errors(True)
        self.right = scroll_area(inner)
        self.columns = three_columns("mineColumns", self.settings_card, self.table_card, self.right)
        self.banners = Banners(self)
        layout = column(self.banners.stale, self.banners.note, self.columns, parent=self, spacing=8)
        layout.setContentsMargins(16, 4, 16, 12)
        layout.setStretch(2, 1)
        restore_columns(self, self.workbench.settings)
        self._restyle()

    def _restyle(self) -> None:
        self.right.setMinimumWidth(self.themes.theme.px(272))

    def _listen(self) -> None:
        store, card, table = self.store, self.settings_card, self.table_card
        store.study_opened.connect(self._on_opened)
        store.data_changed.connect(self._on_study_changed)
        store.design_changed.connect(self._on_study_changed)
        store.settings_changed.connect(self._on_study_changed)
        store.results_changed.connect(self._on_results)
        self.choices.changed.connect(self._on_choices)
        self.viewing.view_changed.connect(self._on_view)
        self.viewing.wish_changed.connect(self._on_wish)
        self.viewing.measure_changed.connect(self.showing.show_runs)
        self.mining.runs_changed.connect(self._on_runs)
        self.telling.changed.connect(self._update_actions)
        card.choose_requested.connect(self.choose_items)
        card.item_removed.connect(self._on_removed)
        self.choices.follow(card)
        card.help_requested.connect(self.workbench.help_requested)
        self.viewing.follow(table)
        table.action_requested.connect(self._on_empty_action)
        for view in (SETS, RULES):
            table.listing_view(view).sort_requested.connect(
                lambda name, v=view: self._on_sort(v, name)
            )
        table.sets.current_changed.connect(self.truth.choose)
        table.run_chosen.connect(self.select_run)
        table.run_removed.connect(self.mining.remove)
        self.truth.place_chosen.connect(self.showing.choose_place)
        self.themes.theme_changed.connect(self._restyle)

    # The study

    def show_errors(self, are_known: bool) -> None:
        """Show errors by size; without them the picture above has all of the column."""
        self.errors.setVisible(are_known)
        self._inner.setStretch(1, 45 if are_known else 0)
        self._inner.setSpacing(12 if are_known else 0)

    @property
    def asides(self) -> tuple[QWidget, ...]:
        """Parts that an audience does without."""
        return (self.settings_card, self.below)

    def shown(self) -> None:
        """Bring everything up to date."""
        super().shown()
        self._on_study_changed()

    def _on_opened(self) -> None:
        # First: what is forgotten is shown, and items of the study before are unknown to this one.
        self.offer, self._offered = AvailableItems(), None
        self.mining.forget()
        self.choices.forget()

    def _on_results(self, name: str) -> None:
        if name in ("", self.name) and not self.mining.is_keeping:
            self._restore()

    def _restore(self) -> None:
        """Take up the runs of the study, with the settings of the last one."""
        self.mining.restore()
        run = self.mining.current
        if run is not None and not self.mining.task.is_running:
            self.choices.take_over(run.request)

    def _on_study_changed(self) -> None:
        if self._is_front:
            self._due.start(0)
        elif self.mining.current is not None:
            # Somebody may be dragging on another page; the dot in the rail can wait.
            self._stale_due.start()

    def _look_for_staleness(self) -> None:
        self.mark = fingerprint(self.store.study)
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

    def refresh(self) -> None:
        """Show the study, the choices and the runs as they are now."""
        study = self.store.study
        if self._offered is not study.design:
            self._read_offer()
        self.mark = fingerprint(study)
        self.showing.show_settings()
        self.showing.show_results()
        # The right column follows in an event of its own: together they would take too long.
        self._later.start(0)
        self.banners.show()
        self._update_actions()
        self.stale_changed.emit(self.is_stale)

    def _show_truth(self) -> None:
        self.showing.show_truth()

    @property
    def blocked(self) -> EmptyReason | None:
        """Why nothing can be mined; None if something can."""
        return why_not_mine(self.store.study, self.offer, len(self.choices.items(self.offer)))

    @property
    def is_stale(self) -> bool:
        """Whether the run in front belongs to another design or other answers."""
        run = self.mining.current
        return run is not None and run.belongs_to != self.mark

    def listing(self, view: str) -> ItemsetTable | None:
        """The itemsets or the rules of the run in front."""
        run = self.mining.current
        if run is None:
            return None
        return run.rules if view == RULES else run.sets

    def request(self) -> MiningRequest:
        """What a run would be asked for now."""
        return self.choices.request(self.offer)

    # What a person does

    def mine(self) -> None:
        """Start a run with the chosen settings."""
        if self.blocked is None and not self.mining.task.is_running:
            self.mining.mine(self.request())

    def select_run(self, number: int) -> None:
        """Show an earlier run and its settings."""
        run = self.mining.find(number)
        if run is None or self.mining.task.is_running:
            return
        self.choices.take_over(run.request)
        self.mining.select(number)

    def choose_items(self) -> ItemDialog:
        """Open the list of items."""
        chosen = self.choices.items(self.offer)
        dialog = ItemDialog(self.themes, self.offer, chosen, self.window())
        dialog.accepted.connect(lambda: self.choices.set_items(dialog.chosen))
        show_dialog(dialog, self.themes)
        return dialog

    def _on_removed(self, place: int) -> None:
        items = self.choices.items(self.offer)
        self.choices.set_items((*items[:place], *items[place + 1 :]))

    def _on_choices(self) -> None:
        if self._is_front:
            self.showing.show_settings()
            self.showing.show_view()
            self._update_actions()

    def _on_view(self) -> None:
        self.showing.show_view()
        self._update_actions()

    def _on_wish(self) -> None:
        self.table_card.filter.setText(self.viewing.text)
        run = self.mining.current
        if run is not None:
            self.table_card.show_sizes(len(run.found), *self.viewing.sizes)
        self.showing.arrange()

    def _on_sort(self, view: str, column_name: str) -> None:
        listing = self.listing(view)
        if listing is not None:
            self.viewing.sort_by(view, column_name, listing.bar)

    def _on_empty_action(self) -> None:
        absence = self.showing.absence
        if absence is None:
            return
        if absence.to == MINE:
            self.mine()
        elif absence.to == CHOOSE:
            self.choose_items()
        else:
            self.workbench.page_requested.emit(absence.to)

    # States

    def _on_runs(self) -> None:
        # In an event of its own: the result has just been taken over.
        self._on_study_changed()

    def _update_actions(self) -> None:
        running, blocked = self.mining.task.is_running, self.blocked
        self.primary.setText(self.tr("Running…") if running else self.tr("Mine", "verb"))
        self.primary.setEnabled(not running and blocked is None)
        why = "" if blocked is None else blocked.missing
        self.primary.setToolTip(why or self.tr("Find the itemsets and rules (Ctrl+Enter)"))
        self.cancel_action.setVisible(running)
        self.copy_action.setVisible(not running)
        self.exporting.update_actions()
        locked = self.tr("Locked while a run is under way; cancel to change.")
        self.settings_card.set_locked(locked if self.telling.is_telling else "")

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give the table what room there is, unless somebody moved the columns."""
        super().resizeEvent(event)
        if not are_moved(self.columns):
            px = self.themes.theme.px
            left, right = (WIDTH, _RIGHT) if self.width() >= px(1190) else (0, 0)
            if self.width() >= px(1600):
                left, right = 280, 460
            self.columns.setSizes([px(left), self.width(), px(right)])
