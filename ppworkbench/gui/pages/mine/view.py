"""What was chosen on the page, and what its cards are given to show."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ppworkbench.analyses.mine import Key
from ppworkbench.analyses.mining.runs import (
    LIKELY,
    PROBABLY,
    AvailableItems,
    ItemOption,
    MiningRequest,
    MiningRun,
    with_certainty,
)
from ppworkbench.analyses.mining.tables import (
    CONFIDENCE,
    F1,
    FOUND,
    MEASURES,
    NAME,
    RAW,
    SUPPORT,
    ItemsetTable,
    RowOrder,
    TableQuery,
)
from ppworkbench.core.mining import Miner, miners
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import number, percent
from ppworkbench.gui.pages.mine.texts import (
    chance_words,
    method_names,
    no_rules,
    nothing_found,
    nothing_mined,
    seconds,
    why_no_certainty,
    why_not_mine,
)
from ppworkbench.gui.widgets.card import EmptyReason
from ppworkbench.study.fingerprint import fingerprint
from ppworkbench.study.run_history import RunHistory
from ppworkbench.study.study import Study

FIRST_SUPPORT, FIRST_CONFIDENCE = 0.05, 0.5
FALSE_DISCOVERY = 0.05
"""The share of false rules that a person asks for with one click."""
SETS, RULES, RUNS = "sets", "rules", "runs"


def _first_miners() -> Mapping[str, Miner]:
    return {name: miners[name]() for name in method_names()}


def _first_method() -> str:
    return method_names()[0]


@dataclass(frozen=True)
class PageSettings:
    """What a run would be asked for. No part of the study; a run takes a copy of it along.

    Parameters
    ----------
    miners
        Every method with its parameters, as it is before a certainty is asked of it.
    keys
        The chosen items; None for those that are suggested.
    """

    miners: Mapping[str, Miner] = field(default_factory=_first_miners)
    method: str = field(default_factory=_first_method)
    min_support: float = FIRST_SUPPORT
    min_confidence: float = FIRST_CONFIDENCE
    certainty: str = PROBABLY
    false_discovery: float | None = None
    keys: tuple[Key, ...] | None = None

    @property
    def miner(self) -> Miner:
        """The chosen method with its parameters."""
        return with_certainty(self.plain_miner, self.possible_certainty)

    @property
    def plain_miner(self) -> Miner:
        """The chosen method before a certainty is asked of it."""
        return dataclasses.replace(self.miners[self.method], min_support=self.min_support)

    @property
    def possible_certainty(self) -> str:
        """The chosen certainty, or the usual one where the method cannot have it."""
        return PROBABLY if why_no_certainty(self.certainty, self.method) else self.certainty

    def items(self, offer: AvailableItems) -> tuple[ItemOption, ...]:
        """The chosen items that the study has."""
        return offer.usual if self.keys is None else offer.pick(self.keys)

    def request(self, offer: AvailableItems) -> MiningRequest:
        """What a run would be asked for."""
        keys = tuple(item.key for item in self.items(offer))
        return MiningRequest(
            keys, self.miner, self.min_confidence, self.possible_certainty, self.false_discovery
        )

    def with_items(self, items: tuple[ItemOption, ...]) -> PageSettings:
        return dataclasses.replace(self, keys=tuple(item.key for item in items))

    def with_miner(self, miner: Miner) -> PageSettings:
        """With other parameters of a method."""
        if self.certainty != PROBABLY and hasattr(miner, LIKELY):
            # The certainty has set this one; the method's own probability stays.
            own = getattr(self.miners[miner.name], LIKELY)
            miner = dataclasses.replace(miner, **{LIKELY: own})
        return dataclasses.replace(self, miners={**self.miners, miner.name: miner})

    def with_request(self, request: MiningRequest) -> PageSettings:
        """What a run was asked for."""
        asked = dataclasses.replace(
            self,
            keys=request.items,
            method=request.method,
            min_support=request.min_support,
            min_confidence=request.min_confidence,
            certainty=request.certainty,
            false_discovery=request.false_discovery,
        )
        return asked.with_miner(request.miner)


@dataclass(frozen=True)
class TableState:
    """Which table is looked at, and how. Kept while the window is open; no part of the study.

    Parameters
    ----------
    view
        Itemsets, rules or runs.
    measure
        By what runs are compared.
    text, sizes
        The filter: words, and the least and the most items of a row; a most of 0 is no bound.
    sorting
        Column and direction of the tables that somebody has sorted.
    hides_unrelated
        Whether rules without an association are left out.
    """

    view: str = SETS
    measure: str = F1
    text: str = ""
    sizes: tuple[int, int] = (2, 0)
    sorting: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    hides_unrelated: bool = False

    @property
    def query(self) -> TableQuery:
        """What is asked of the table; it is sorted by its bars if nobody asked otherwise."""
        usual = CONFIDENCE if self.view == RULES else SUPPORT
        column, descending = self.sorting.get(self.view, (usual, True))
        related = self.hides_unrelated and self.view == RULES
        return TableQuery(self.text, *self.sizes, column, descending, related)

    def sorted_by(self, column: str) -> TableState:
        """Sorted by a column; by the same one again the other way round."""
        before = self.query
        down = not before.descending if before.column == column else column != NAME
        return dataclasses.replace(self, sorting={**self.sorting, self.view: (column, down)})

    def unfiltered(self) -> TableState:
        """Without words and sizes."""
        return dataclasses.replace(self, text="", sizes=(1, 0))

    def fitted(self, longest: int) -> TableState:
        """With sizes that a result can have: its sets may all be small."""
        if max(self.sizes) <= max(longest, 1):
            return self
        return dataclasses.replace(self, sizes=(1, 0) if longest < 2 else (2, 0))


@dataclass(frozen=True)
class RunProgress:
    """How far the run under way is, if it takes longer than a moment."""

    words: str
    done: float


@dataclass(frozen=True, eq=False)
class MineView:
    """A study, what was chosen, and the runs.

    Parameters
    ----------
    offer
        The items of the study.
    run
        The one whose tables are shown; None where there is none.
    stale
        Numbers of the runs that belong to another design or other answers.
    order
        The rows of the table that is looked at; None while they are being sorted.
    chosen
        The place among the itemsets of the one that is chosen, -1 for none.
    """

    study: Study
    offer: AvailableItems
    settings: PageSettings
    table: TableState
    runs: tuple[MiningRun, ...] = ()
    run: MiningRun | None = None
    stale: frozenset[int] = frozenset()
    order: RowOrder | None = None
    chosen: int = -1
    is_running: bool = False
    progress: RunProgress | None = None

    @cached_property
    def items(self) -> tuple[ItemOption, ...]:
        """The chosen items."""
        return self.settings.items(self.offer)

    @cached_property
    def blocked(self) -> EmptyReason | None:
        """Why nothing can be mined; None if something can."""
        return why_not_mine(self.study, self.offer, len(self.items))

    @cached_property
    def empty(self) -> EmptyReason | None:
        """Why the table that is looked at is empty; None if it is not."""
        run, view = self.run, self.table.view
        if view == RUNS and self.runs:
            return None
        if run is None:
            return self.blocked or nothing_mined()
        if run.total == 0:
            return nothing_found(run)
        return no_rules(run) if view == RULES and run.rule_count == 0 else None

    @property
    def is_stale(self) -> bool:
        """Whether the run that is shown belongs to another design or other answers."""
        return self.run is not None and self.run.number in self.stale

    @property
    def listing(self) -> ItemsetTable | None:
        """The itemsets or rules that are looked at."""
        return listing_of(self.run, self.table.view)

    @property
    def has_rows(self) -> bool:
        """Whether the table that is looked at has anything to copy or to export."""
        if self.table.view == RUNS:
            return bool(self.runs)
        return self.listing is not None and self.listing.rows > 0

    @property
    def measures(self) -> tuple[str, ...]:
        """By what the runs can be compared: errors need runs that know the truth."""
        return MEASURES if any(run.errors for run in self.runs) else (FOUND,)

    @property
    def measure(self) -> str:
        """By what the runs are compared."""
        return self.table.measure if self.table.measure in self.measures else self.measures[0]

    @property
    def legend(self) -> str:
        """What the table that is looked at shows."""
        run, listing = self.run, self.listing
        if self.table.view == RUNS:
            return tr("Click a run to show it with its settings.")
        if run is None or listing is None:
            return ""
        if not self.is_stale and self.settings.request(self.offer) != run.request:
            return tr("The settings have changed; mine again.")
        return chance_words(run, of_rules=self.table.view == RULES, told=self._marks(listing, run))

    def _marks(self, listing: ItemsetTable, run: MiningRun) -> str:
        """What the lines of a table mean."""
        whiskers = percent(run.request.miner.confidence)
        if RAW not in listing.values and self.table.view != RULES:
            return tr("Dashed line: minimum support. Counted in the original answers.")
        if self.table.view == RULES:
            words = tr("Dashed line: minimum confidence. Whiskers: %s intervals.")
        else:
            words = tr("Dashed line: minimum support. Whiskers: %s intervals.")
        return words % whiskers

    @property
    def unrelated_words(self) -> str:
        """How many of the rules show no association; empty where none of them is known to."""
        listing = self.listing
        if listing is None or self.table.view != RULES:
            return ""
        count = int(listing.is_unrelated.sum())
        if not count:
            return ""
        words = tr("Grey: no association, the interval of the lift includes 1 (%s of %s rules).")
        return words % (number(count), number(listing.rows))

    @property
    def count_words(self) -> str:
        """How many rows are shown, and how long they took."""
        run, listing = self.run, self.listing
        if run is None or listing is None:
            return ""
        shown = 0 if self.order is None else len(self.order.rows)
        words = tr("%s of %s shown, mined in %s")
        return words % (number(shown), number(listing.rows), seconds(run.seconds))


def listing_of(run: MiningRun | None, view: str) -> ItemsetTable | None:
    """The itemsets or the rules of a run; None where the runs are looked at."""
    if run is None or view == RUNS:
        return None
    return run.rules if view == RULES else run.sets


def build_view(
    study: Study,
    offer: AvailableItems,
    settings: PageSettings,
    table: TableState,
    history: RunHistory[MiningRun],
    order: RowOrder | None = None,
    chosen: tuple[ItemsetTable, int] | None = None,
) -> MineView:
    """Put together what is shown while nothing is running.

    ``order`` and ``chosen`` may belong to a table that is not shown any more.
    """
    run, mark = history.shown, fingerprint(study)
    if order is not None and order.table is not listing_of(run, table.view):
        order = None
    place = -1
    if chosen is not None and chosen[0] is listing_of(run, SETS):
        place = chosen[1]
    stale = frozenset(one.number for one in history if one.belongs_to != mark)
    return MineView(study, offer, settings, table, history.runs, run, stale, order, place)
