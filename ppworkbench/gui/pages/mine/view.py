"""What was chosen on the page, and what its cards are given to show."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.analyses.mining.items import AvailableItems, ItemOption, Key
from ppworkbench.analyses.mining.mine import Mine
from ppworkbench.analyses.mining.runs import (
    F1,
    FOUND,
    LIKELY,
    MEASURES,
    MOST_RULES,
    PROBABLY,
    Sizes,
    certainty_of,
    with_certainty,
)
from ppworkbench.analyses.runs import Run
from ppworkbench.core.mining import Miner, RuleParams, miners
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
from ppworkbench.results.sheet import JoinedTexts, Sheet
from ppworkbench.study.study import Study

FIRST_SUPPORT, FIRST_CONFIDENCE = 0.05, 0.5
FALSE_DISCOVERY = 0.05
"""The share of false rules that a person asks for with one click."""
SETS, RULES, RUNS = "itemsets", "rules", "runs"


def _first_miners() -> Mapping[str, Miner]:
    return {name: miners[name]() for name in method_names()}


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
    method: str = field(default_factory=lambda: method_names()[0])
    min_support: float = FIRST_SUPPORT
    min_confidence: float = FIRST_CONFIDENCE
    certainty: str = PROBABLY
    false_discovery: float | None = None
    keys: tuple[Key, ...] | None = None

    @property
    def miner(self) -> Miner:
        own = getattr(self.plain_miner, LIKELY, None)
        return with_certainty(self.plain_miner, self.possible_certainty, own)

    @property
    def plain_miner(self) -> Miner:
        """The chosen method before a certainty is asked of it."""
        return dataclasses.replace(self.miners[self.method], min_support=self.min_support)

    @property
    def possible_certainty(self) -> str:
        """The chosen certainty, or the usual one where the method cannot have it."""
        return PROBABLY if why_no_certainty(self.certainty, self.method) else self.certainty

    def items(self, offer: AvailableItems) -> tuple[ItemOption, ...]:
        return offer.usual if self.keys is None else offer.pick(self.keys)

    def request(self, offer: AvailableItems) -> Mine:
        rules = RuleParams(
            min_confidence=self.min_confidence, rule_limit=MOST_RULES,
            false_discovery=self.false_discovery,
        )  # fmt: skip
        keys = tuple(item.key for item in self.items(offer))
        return Mine(values=keys, miner=self.miner, rules=rules, uncorrected=True)

    def with_items(self, items: tuple[ItemOption, ...]) -> PageSettings:
        return dataclasses.replace(self, keys=tuple(item.key for item in items))

    def with_miner(self, miner: Miner) -> PageSettings:
        if self.certainty != PROBABLY and hasattr(miner, LIKELY):
            # The certainty has set this one; the method's own probability stays.
            own = getattr(self.miners[miner.name], LIKELY)
            miner = dataclasses.replace(miner, **{LIKELY: own})
        return dataclasses.replace(self, miners={**self.miners, miner.name: miner})

    def with_request(self, request: Mine) -> PageSettings:
        rules = request.rules or RuleParams()
        asked = dataclasses.replace(
            self,
            keys=request.values,
            method=request.miner.name,
            min_support=request.miner.min_support,
            min_confidence=rules.min_confidence,
            certainty=certainty_of(request.miner),
            false_discovery=rules.false_discovery,
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
    hides_unrelated
        Whether rules without an association are left out.
    """

    view: str = SETS
    measure: str = F1
    text: str = ""
    sizes: tuple[int, int] = (2, 0)
    hides_unrelated: bool = False

    def unfiltered(self) -> TableState:
        return dataclasses.replace(self, text="", sizes=(1, 0))

    def fitted(self, longest: int) -> TableState:
        """With sizes that a result can have: its sets may all be small."""
        if max(self.sizes) <= max(longest, 1):
            return self
        return dataclasses.replace(self, sizes=(1, 0) if longest < 2 else (2, 0))

    def kept(self, listing: Listing) -> NDArray[np.bool_]:
        kept = self.of_size(listing) & listing.texts.holding(self.text)
        return kept & ~listing.is_unrelated if self.hides_unrelated else kept

    def of_size(self, listing: Listing) -> NDArray[np.bool_]:
        least, most = self.sizes
        size = listing.texts.size
        return (size >= least) & (size <= (most or size))


class Listing:
    """The itemsets or the rules of a run as people read them.

    Parameters
    ----------
    sheet
        As the run has it.
    offer
        The items of the study, which know what people call them.
    is_exact
        Whether these are counts of the true answers, which have no interval.
    """

    def __init__(
        self, sheet: Sheet, offer: AvailableItems, level: float, *, is_exact: bool
    ) -> None:
        self.whole = sheet
        self.is_rules = sheet.name == RULES
        self.bar = "confidence" if self.is_rules else "support"
        found = sheet["rule" if self.is_rules else "itemset"]
        assert isinstance(found.values, JoinedTexts)  # noqa: S101 (texts of items are joined)
        self.texts = found.values.worded(
            lambda word: offer.words.get(str(word), str(word)), (" + ", " → ")
        )
        bar: dict[str, Any] = {"low": "", "high": ""} if is_exact else {"level": level}
        changes: dict[str, Any] = {
            "standard_error": {"is_detail": True}, "length": {"is_detail": False},
            "low": {"is_detail": True}, "high": {"is_detail": True}, "lift": {"decimals": 2},
            found.key: {"values": self.texts}, self.bar: bar,
        }  # fmt: skip
        self.sheet = dataclasses.replace(sheet.changed(**changes), sort=self.bar)

    def numbers(self, key: str) -> NDArray[np.float64] | None:
        found = (one.values for one in self.sheet.columns if one.key == key)
        return next((np.asarray(one, np.float64) for one in found), None)

    def reach(self, rows: NDArray[np.bool_]) -> float:
        """Where the longest bar or whisker of some rows ends."""
        bar, high = self.numbers(self.bar), self.numbers("high")
        assert bar is not None and high is not None  # noqa: S101, PT018 (all have them)
        ends = bar if self.sheet[self.bar].low == "" else np.where(np.isnan(high), bar, high)
        return float(min(max(np.nanmax(ends[rows], initial=0.0), 1e-6), 1.0))

    @cached_property
    def is_unrelated(self) -> NDArray[np.bool_]:
        """Which rules show no association: the interval of their lift includes 1."""
        low, high = self.numbers("lift_low"), self.numbers("lift_high")
        if low is None or high is None:
            return np.zeros(self.sheet.rows, bool)
        return (low <= 1.0) & (high >= 1.0)


def listings(run: Run[Mine] | None, offer: AvailableItems) -> dict[str, Listing]:
    """The tables of a run by name, as far as they are known."""
    if run is None:
        return {}
    miner = run.request.miner
    found = {name: run.sheet(name) for name in (SETS, RULES)}
    return {
        name: Listing(sheet, offer, miner.confidence, is_exact=miner.on_original)
        for name, sheet in found.items()
        if sheet is not None
    }


@dataclass(frozen=True, eq=False)
class MineView:
    """A study, what was chosen, and the runs.

    Parameters
    ----------
    offer
        The items of the study.
    run
        The one whose tables are shown; None where there is none.
    listings
        Its tables by name.
    stale
        Numbers of the runs that belong to another design or other answers.
    chosen
        The place among the itemsets of the one that is chosen, -1 for none.
    """

    study: Study
    offer: AvailableItems
    settings: PageSettings
    table: TableState
    runs: tuple[Run[Mine], ...] = ()
    run: Run[Mine] | None = None
    listings: Mapping[str, Listing] = field(default_factory=dict)
    stale: frozenset[int] = frozenset()
    chosen: int = -1

    @cached_property
    def items(self) -> tuple[ItemOption, ...]:
        return self.settings.items(self.offer)

    @cached_property
    def blocked(self) -> EmptyReason | None:
        return why_not_mine(self.study, self.offer, len(self.items))

    @cached_property
    def sizes(self) -> Sizes:
        """The run that is shown, by the size of its sets."""
        return Sizes(self.run)

    def rows(self, view: str) -> int:
        """How many itemsets or rules were found, or how many runs there are."""
        if view == RUNS:
            return len(self.runs)
        return self.listings[view].sheet.rows if view in self.listings else 0

    @cached_property
    def empty(self) -> EmptyReason | None:
        """Why the table that is looked at is empty; None if it is not."""
        run, view = self.run, self.table.view
        if view == RUNS and self.runs:
            return None
        if run is None:
            return self.blocked or nothing_mined()
        if not self.rows(SETS):
            return nothing_found(run)
        return no_rules(run) if view == RULES and not self.rows(RULES) else None

    @property
    def is_stale(self) -> bool:
        return self.run is not None and self.run.number in self.stale

    @property
    def listing(self) -> Listing | None:
        return self.listings.get(self.table.view)

    @property
    def measures(self) -> tuple[str, ...]:
        """By what the runs can be compared: errors need runs that know the truth."""
        return MEASURES if any(Sizes(run).has_errors for run in self.runs) else (FOUND,)

    @property
    def measure(self) -> str:
        return self.table.measure if self.table.measure in self.measures else self.measures[0]

    @property
    def legend(self) -> str:
        run, listing = self.run, self.listing
        if self.table.view == RUNS:
            return tr("Click a run to show it with its settings.")
        if run is None or listing is None:
            return ""
        if not self.is_stale and self.settings.request(self.offer) != run.request:
            return tr("The settings have changed; mine again.")
        return chance_words(run, of_rules=listing.is_rules, told=self._marks(run, listing))

    def _marks(self, run: Run[Mine], listing: Listing) -> str:
        miner = run.request.miner
        if miner.on_original and not listing.is_rules:
            return tr("Dashed line: minimum support. Counted in the original answers.")
        if listing.is_rules:
            words = tr("Dashed line: minimum confidence. Whiskers: %s intervals.")
        else:
            words = tr("Dashed line: minimum support. Whiskers: %s intervals.")
        return words % percent(miner.confidence)

    @property
    def unrelated_words(self) -> str:
        """How many of the rules show no association; empty where none of them is known to."""
        listing = self.listing
        count = 0 if listing is None else int(listing.is_unrelated.sum())
        if listing is None or not count:
            return ""
        words = tr("Grey: no association, the interval of the lift includes 1 (%s of %s rules).")
        return words % (number(count), number(listing.sheet.rows))

    def count_words(self, shown: int) -> str:
        run, listing = self.run, self.listing
        if run is None or listing is None:
            return ""
        words = tr("%s of %s shown, mined in %s")
        took = seconds(run.facts["seconds"])
        return words % (number(shown), number(listing.sheet.rows), took)
