"""Brings study, choices and runs to the widgets of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from ppworkbench.gui.language.text import tr
from ppworkbench.gui.pages.mine.absences import Absence, no_rules, nothing_found, nothing_mined
from ppworkbench.gui.pages.mine.arrange import Arranged, Wish
from ppworkbench.gui.pages.mine.arranger import Arranger
from ppworkbench.gui.pages.mine.items import kept_shares
from ppworkbench.gui.pages.mine.listing import RAW, Listing
from ppworkbench.gui.pages.mine.methods import (
    RELAXED,
    method_hint,
    method_names,
    why_no_certainty,
    why_not,
)
from ppworkbench.gui.pages.mine.request import CERTAINTIES
from ppworkbench.gui.pages.mine.run import Run
from ppworkbench.gui.pages.mine.runs_model import F1, FOUND, MEASURES
from ppworkbench.gui.pages.mine.sentences import errors_sentence, items_hint, truth_words
from ppworkbench.gui.pages.mine.table_card import RULES, RUNS, SETS
from ppworkbench.gui.pages.mine.words import seconds
from ppworkbench.gui.words import number

if TYPE_CHECKING:
    from ppworkbench.gui.pages.mine.page import MinePage


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
        self.absence: Absence | None = None
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
            len(page.mining.runs),
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
        card.head_row.setVisible(bool(page.mining.runs))
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

    def _absence(self, run: Run | None, view: str) -> Absence | None:
        blocked = self._page.blocked
        if run is None:
            if view == RUNS and self._page.mining.runs:
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

    def _on_arranged(self, view: str, listing: Listing, wish: Wish, found: Arranged) -> None:
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

    def _legend(self, run: Run, view: str, listing: Listing) -> str:
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
        runs, current = page.mining.runs, page.mining.current
        knows = any(run.errors for run in runs)
        offered = MEASURES if knows else (FOUND,)
        measure = page.viewing.measure if page.viewing.measure in offered else offered[0]
        reason = tr("Only runs with known original answers have errors.")
        page.table_card.show_measure(measure if runs else F1, offered, reason)
        stale = frozenset(run.number for run in runs if run.belongs_to != page.mark)
        shown = 0 if current is None else current.number
        page.table_card.runs.show_runs(runs, shown, stale, measure)
