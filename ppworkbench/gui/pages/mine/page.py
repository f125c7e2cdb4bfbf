"""Which answers go together, estimated from distorted data."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtWidgets import QWidget

from ppworkbench.analyses.mining.items import AvailableItems, available_items
from ppworkbench.analyses.mining.mine import Mine
from ppworkbench.analyses.mining.runs import (
    MOST_KEPT,
    read_run,
    run_document,
    runs_sheet,
    source_of,
)
from ppworkbench.analyses.runs import Run
from ppworkbench.analyses.source import Source
from ppworkbench.core.progress import Progress
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.language import translate
from ppworkbench.gui.pages.mine.item_dialog import ItemDialog
from ppworkbench.gui.pages.mine.results_card import ResultsCard
from ppworkbench.gui.pages.mine.settings_card import WIDTH, SettingsCard
from ppworkbench.gui.pages.mine.texts import CHOOSE, MINE, notes_kind, run_notes
from ppworkbench.gui.pages.mine.truth_cards import ErrorsCard, TruthCard
from ppworkbench.gui.pages.mine.view import (
    RUNS,
    SETS,
    Listing,
    MineView,
    PageSettings,
    TableState,
    listings,
)
from ppworkbench.gui.pages.question_page import Document, QuestionPage
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.layout import column, named, reserve_least, scroll_area
from ppworkbench.gui.widgets.sheet_table import SheetTable
from ppworkbench.gui.widgets.splitter import ThreeColumns, restore_columns
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.fingerprint import fingerprint

if TYPE_CHECKING:
    from ppworkbench.outputs.scripts.analysis import Analysis
    from ppworkbench.results.sheet import Sheet
    from ppworkbench.study.distorted_cache import DistortedCache
    from ppworkbench.study.study import Study


class MinePage(QuestionPage[Mine]):
    """Settings at the left, the table in the middle, the truth at the right."""

    name = "mine"
    asks = Mine
    most_kept: ClassVar[int] = MOST_KEPT

    def __init__(self, workbench: Workbench, files: FileActions | None = None) -> None:
        super().__init__(workbench, files)
        self.title = self.tr("Mine")
        self.question = self.tr("Itemsets and rules, estimated from distorted data")
        self.settings = PageSettings()
        self.state = TableState()
        self.offer = AvailableItems()
        self._offered: object = None
        """The design whose items are offered."""
        self._marked: object = None
        """The design whose fingerprint is known."""
        self._listed: tuple[object, object, dict[str, Listing]] = None, None, {}
        """The run and the items whose tables are known."""
        self._chosen: tuple[object, int] = None, -1
        """An itemset in a table."""
        self._closed: tuple[object, ...] = ()
        """The run and its notes that somebody has read."""
        self._later = single_shot(self, self._show_truth)
        self._build()
        self.set_up(self.tr("Mine", "verb"))
        self._listen()
        self.restore()

    def _build(self) -> None:
        themes = self.themes
        self.settings_card = SettingsCard(themes)
        self.results = ResultsCard(themes, self.strip)
        self.truth = TruthCard(themes)
        self.errors = ErrorsCard(themes)
        self.note_banner = named(Banner(themes), "mineNote")
        # The card itself decides whether there are errors to be seen, an audience about the room.
        inner, self.below = QWidget(), QWidget()
        column(self.errors, parent=self.below)
        self._inner = column(self.truth, self.below, parent=inner, spacing=12)
        self._inner.setStretch(0, 55)
        self._inner.setStretch(1, 45)
        self.right = scroll_area(inner)
        reserve_least(self.right, themes, 262)
        self.columns = ThreeColumns(
            themes, "mineColumns", self.settings_card, self.results, self.right,
            {1190: (WIDTH, 336), 1600: (280, 460)},
        )  # fmt: skip
        layout = column(self.stale_banner, self.note_banner, self.columns, parent=self, spacing=8)
        layout.setContentsMargins(16, 4, 16, 12)
        layout.setStretch(2, 1)
        restore_columns(self, self.workbench.settings)

    def _listen(self) -> None:
        card, results = self.settings_card, self.results
        for signal in (card.choose.clicked, card.chips.more_requested):
            signal.connect(self.choose_items)
        card.settings_changed.connect(self.choose)
        card.help_requested.connect(self.workbench.help_requested)
        results.table_changed.connect(self.look_at)
        results.sets.row_chosen.connect(self._on_set)
        results.runs.run_chosen.connect(self.select)
        results.runs.run_removed.connect(self.remove)
        results.empty.button.clicked.connect(self._on_empty_action)
        self.truth.place_chosen.connect(self._on_point)
        self.note_banner.closed.connect(self._on_note_closed)

    # The question

    @property
    def why_not(self) -> str:
        blocked = self.view.blocked
        return "" if blocked is None else blocked.missing

    @property
    def table(self) -> SheetTable:
        return self.results.table_of(self.state.view)

    def request(self) -> Mine:
        return self.settings.request(self.offer)

    def show_request(self, request: Mine) -> None:
        self.choose(self.settings.with_request(request))

    @classmethod
    def source(
        cls, study: Study, answers: DistortedCache, request: Mine, progress: Progress
    ) -> Source:
        return source_of(study, answers, request, progress)

    @classmethod
    def read_run(cls, given: Any) -> Run[Mine]:
        return read_run(given)

    # The study

    @property
    def optional_panels(self) -> tuple[QWidget, ...]:
        return (self.settings_card, self.below)

    def kept(self) -> tuple[str, ...]:
        return ("settings", "state", "history", "results.sets.sorting", "results.rules.sorting")

    def _on_opened(self) -> None:
        # Items of the study before are unknown to this one.
        self.offer, self._offered = AvailableItems(), None
        super()._on_opened()
        self.choose(replace(self.settings, keys=None))

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
            super()._on_due()

    def _read_offer(self) -> None:
        self._offered = self.store.study.design
        self.offer = available_items(self.store.study, translate)

    # What is shown

    @property
    def view(self) -> MineView:
        if self._listed[:2] != (self.current, self.offer):
            self._listed = self.current, self.offer, listings(self.current, self.offer)
        found, (run, place) = self._listed[2], self._chosen
        return MineView(
            self.store.study, self.offer, self.settings, self.state, self.history.runs,
            self.current, found,
            frozenset(one.number for one in self.history if self.is_stale_run(one)),
            place if run is self.current else -1,
        )  # fmt: skip

    def refresh(self) -> None:
        if self._offered is not self.store.study.design:
            self._read_offer()
        if self.current is not None:
            self.state = self.state.fitted(self.view.sizes.longest_found)
        view = self.view
        self.settings_card.set_view(view)
        self.results.set_view(view)
        self.show_running()
        # The right column follows in an event of its own: together they would take too long.
        self._later.start(0)
        self._show_notes(view)

    def show_running(self) -> None:
        super().show_running()
        self.settings_card.set_locked(self.is_slow)

    def _show_truth(self) -> None:
        view = self.view
        self.truth.set_view(view)
        self.errors.set_view(view)
        # Without errors the picture above them has all of the column.
        has_errors = self.current is not None
        self._inner.setStretch(1, 45 if has_errors else 0)
        self._inner.setSpacing(12 if has_errors else 0)

    def _show_notes(self, view: MineView) -> None:
        notes = run_notes(view.run, view.study)
        if not notes or self._closed == (view.run, *notes):
            self.note_banner.hide()
            return
        rest = " ".join(notes[1:3])
        if len(notes) > 3:
            rest = self.tr("%s %s more.") % (rest, len(notes) - 3)
        self.note_banner.say(notes_kind(notes, view.study), notes[0], rest)
        self.note_banner.setToolTip("\n".join(notes[:20]))

    def _on_note_closed(self) -> None:
        self._closed = (self.current, *run_notes(self.current, self.store.study))

    # What a person does

    def choose(self, settings: PageSettings) -> None:
        if settings != self.settings:
            self.settings = settings
            if self._is_front:
                view = self.view
                self.settings_card.set_view(view)
                self.results.set_view(view)
                self.show_running()

    def choose_items(self) -> ItemDialog:
        chosen = self.settings.items(self.offer)
        dialog = ItemDialog(self.themes, self.offer, chosen, self.window())
        dialog.accepted.connect(lambda: self.choose(self.settings.with_items(dialog.chosen)))
        show_dialog(dialog, self.themes)
        return dialog

    def look_at(self, state: TableState) -> None:
        if state != self.state:
            self.state = state
            self.results.set_view(self.view)
            self.show_running()

    def _on_set(self, place: int) -> None:
        self._chosen = self.current, place
        self.truth.set_view(self.view)

    def _on_point(self, place: int) -> None:
        """Choose an itemset in the table; filters that hide it are dropped."""
        self._on_set(place)
        self.look_at(replace(self.state, view=SETS))
        if place not in self.table.rows:
            self.look_at(self.state.unfiltered())
        self.results.set_view(self.view)

    def _on_empty_action(self) -> None:
        reason = self.view.empty
        if reason is None:
            return
        if reason.to == MINE:
            self.ask()
        elif reason.to == CHOOSE:
            self.choose_items()
        else:
            self.workbench.page_requested.emit(reason.to)

    # What leaves the page

    def script(self, study: Study, request: Mine) -> Analysis:
        from ppworkbench.outputs.scripts.results import mining_analysis

        return mining_analysis(study, request)

    def file_sheet(self) -> Sheet | None:
        """The table that is looked at; items are called as on the command line."""
        view = self.view
        if self.state.view == RUNS:
            return runs_sheet(view.runs, view.measure)
        return None if view.listing is None else view.listing.whole.take(self.table.rows)

    @property
    def holds_truth(self) -> bool:
        run = self.current
        return run is not None and run.request.miner.on_original

    def document(self) -> Document | None:
        run, state = self.current, self.store.study.state
        return None if run is None else lambda: run_document(run, state)
