"""Items, request, run and the words for them."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from ppworkbench.core.data.attribute import MISSING_VALUE, Attribute, Kind
from ppworkbench.core.data.table import Table
from ppworkbench.core.data.transactions import ABSENT_PRESENT
from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import design_to_json
from ppworkbench.core.design.matrices.base import condition_number
from ppworkbench.core.design.noises import Discretise
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.itemsets import ItemData, Itemsets, SetList, item_data
from ppworkbench.core.itemsets.items import ItemOptions
from ppworkbench.core.itemsets.supports import shown_shares
from ppworkbench.core.message import Message
from ppworkbench.core.mining import (
    Apriori,
    LengthErrors,
    Level,
    Miner,
    MiningResult,
    RuleParams,
    Rules,
    find_rules,
    length_errors,
    mine,
    miners,
)
from ppworkbench.core.params import declarations
from ppworkbench.core.progress import Progress, part
from ppworkbench.gui.jobs import Job, JobState
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number, percent
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.distorted_cache import Answers, DistortedCache
from ppworkbench.study.study import Study

Key = tuple[str, str]
"""An item: attribute and value."""

PROBABLY, SURELY, POSSIBLY = "probably", "surely", "possibly"
CERTAINTIES = (PROBABLY, SURELY, POSSIBLY)
FREQUENT, LIKELY = "frequent", "min_probability"
"""Parameters by which a miner knows the certainties: by their name, or by a probability."""


@dataclass(frozen=True)
class Request:
    """Items, method and limits of one run.

    ``certainty`` says when a set counts as frequent: by its estimate, or by an end of its interval.
    """

    items: tuple[Key, ...]
    miner: Miner
    min_confidence: float = 0.5
    certainty: str = PROBABLY

    @property
    def method(self) -> str:
        """The name of the method."""
        return self.miner.name

    @property
    def min_support(self) -> float:
        """The share from which a set is frequent."""
        return self.miner.min_support

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes of the items, in order."""
        return tuple(dict.fromkeys(attribute for attribute, _ in self.items))

    def to_json(self) -> dict[str, Any]:
        """The request as plain values."""
        return {
            "items": [list(key) for key in self.items],
            "method": self.method,
            "parameters": self.miner.to_json(),
            "min_confidence": self.min_confidence,
            "certainty": self.certainty,
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Request:
        """Read a request; one that this program does not understand is an error."""
        try:
            items = tuple((str(attribute), str(value)) for attribute, value in given["items"])
            miner = miners[str(given["method"])].from_json(given["parameters"])
            confidence = float(given["min_confidence"])
            certainty = str(given["certainty"])
        except (KeyError, TypeError, ValueError, WorkbenchError) as error:
            raise DataError("A kept run of the Mine page is damaged.") from error
        if certainty not in CERTAINTIES:
            raise DataError("A kept run of the Mine page is damaged.")
        return cls(items, miner, confidence, certainty)


def knows_certainty(method: str) -> bool:
    """Whether a miner itself looks at the ends of the intervals while it searches."""
    return bool({FREQUENT, LIKELY} & _names(method))


def with_certainty(miner: Miner, certainty: str) -> Miner:
    """The miner that asks for so much certainty; as it is where it knows nothing of it.

    The whole interval reaches the minimum where the set is frequent with the probability of
    everything but the interval's lower tail. What "probably" means, a miner with a probability is
    told by that parameter itself.
    """
    names = _names(miner.name)
    if FREQUENT in names:
        changes: dict[str, Any] = {FREQUENT: certainty}
        return dataclasses.replace(miner, **changes)
    if LIKELY in names and certainty != PROBABLY:
        tail = (1 - miner.confidence) / 2
        changes = {LIKELY: 1 - tail if certainty == SURELY else tail}
        return dataclasses.replace(miner, **changes)
    return miner


def _names(method: str) -> set[str]:
    return {declaration.name for declaration in declarations(miners[method])}


Numbers = NDArray[np.float64]
Places = NDArray[np.int32]
Order = NDArray[np.intp]

NAME, SIZE, SUPPORT, CONFIDENCE, LIFT, RAW, TRUE = (
    "name", "size", "support", "confidence", "lift", "raw", "true",
)  # fmt: skip
"""The columns that a table can show."""


@dataclass(frozen=True, eq=False)
class ItemsetTable:
    """Rows of one table with the number that its bars show, and what else is known.

    Parameters
    ----------
    words
        What each item is called.
    members
        The items of every row by place in ``words``, filled up with -1; of a rule, those before
        the arrow.
    heads
        The items of a rule behind its arrow, filled up in the same way; None for itemsets.
    bar
        Which of the columns is drawn as a bar.
    values
        Numbers of the columns, NaN where one is not known.
    low, high
        The ends of the interval of the bar; NaN where there is none.
    """

    words: tuple[str, ...]
    members: Places
    bar: str
    values: dict[str, Numbers]
    low: Numbers
    high: Numbers
    heads: Places | None = None

    @property
    def rows(self) -> int:
        """How many itemsets or rules there are."""
        return len(self.members)

    @cached_property
    def size(self) -> Places:
        """How many items every row has, on both sides of an arrow."""
        size: Places = (self.members >= 0).sum(axis=1, dtype=np.int32)
        if self.heads is not None:
            size = size + (self.heads >= 0).sum(axis=1, dtype=np.int32)
        return size

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the table, in order."""
        listed = (NAME, SIZE, SUPPORT, CONFIDENCE, LIFT, RAW, TRUE)
        shown = [name for name in listed if name in (NAME, SIZE) or name in self.values]
        if self.heads is not None:
            shown.remove(SIZE)
        return tuple(shown)

    def reach(self, least: int = 1) -> float:
        """Where the longest bar or whisker of sets with so many items or more ends."""
        ends = np.where(np.isnan(self.high), self.values[self.bar], self.high)
        if least > 1:
            ends = ends[self.size >= least]
        return float(min(max(np.nanmax(ends, initial=0.0), 1e-6), 1.0))

    @cached_property
    def name_rank(self) -> Numbers:
        """The place of every row when all are sorted by the names of their items."""
        by_name = sorted(range(len(self.words)), key=lambda i: self.words[i].lower())
        # The last place belongs to the -1 of places that are empty: the shorter name comes first.
        rank = np.zeros(len(by_name) + 1, np.int32)
        rank[by_name] = np.arange(1, len(by_name) + 1)
        keys = rank[self.members]
        if self.heads is not None:
            keys = np.hstack([keys, rank[self.heads]])
        order = np.lexsort(keys.T[::-1]) if keys.shape[1] else np.arange(self.rows)
        place = np.empty(self.rows)
        place[order] = np.arange(self.rows)
        return place

    def numbers(self, column: str) -> Numbers:
        """The numbers of a column."""
        return self.size.astype(float) if column == SIZE else self.values[column]

    def name(self, row: int) -> str:
        """The items of a row in words."""
        before = self._joined(self.members[row])
        if self.heads is None:
            return before
        return f"{before} → {self._joined(self.heads[row])}"

    def _joined(self, places: Places) -> str:
        return " + ".join(self.words[place] for place in places.tolist() if place >= 0)


def no_listing() -> ItemsetTable:
    """Nothing found."""
    nothing = np.empty(0)
    return ItemsetTable(
        (), np.empty((0, 0), np.int32), SUPPORT, {SUPPORT: nothing}, nothing, nothing
    )


MOST_KEPT = 12
"""Runs that a study remembers; the oldest goes first."""


@dataclass(frozen=True)
class SizeErrors:
    """How well the sets of one size agree with the truth; shares, NaN where there is none."""

    size: int
    true: int
    found: int
    correct: int
    support_error: float
    missed: float
    extra: float
    f1: float


@dataclass(frozen=True, eq=False)
class Run:
    """One run of a miner.

    Parameters
    ----------
    number
        Counts the runs of a study from 1.
    at
        When it ended, as people read it.
    belongs_to
        A mark of the answers and the design that it was made from.
    names
        The items as files and the command line call them.
    found
        How many sets there are of every size, from 1.
    errors
        Empty where nobody knows the truth.
    sets, rules
        None where only the summary was kept.
    """

    number: int
    request: Request
    at: str
    belongs_to: str
    transactions: int
    seconds: float
    names: tuple[str, ...]
    found: tuple[int, ...]
    rule_count: int
    errors: tuple[SizeErrors, ...] = ()
    notes: tuple[str, ...] = ()
    sets: ItemsetTable | None = None
    rules: ItemsetTable | None = None

    @property
    def total(self) -> int:
        """How many sets were found."""
        return sum(self.found)

    @property
    def knows_truth(self) -> bool:
        """Whether the true supports are known."""
        return bool(self.errors) or (self.sets is not None and TRUE in self.sets.values)

    @property
    def f1(self) -> float:
        """How well all truly frequent sets were identified, from 0 to 1."""
        both = sum(e.true + e.found for e in self.errors)
        return 2 * sum(e.correct for e in self.errors) / both if both else math.nan


MOST_ROWS = 5_000
"""A table with more rows is not kept: the run is repeated when somebody wants it back."""


def run_to_json(run: Run) -> dict[str, Any]:
    """A run with its tables, where those are small."""
    return {
        "number": run.number,
        "request": run.request.to_json(),
        "at": run.at,
        "belongs_to": run.belongs_to,
        "transactions": run.transactions,
        "seconds": round(run.seconds, 4),
        "names": list(run.names),
        "found": list(run.found),
        "rule_count": run.rule_count,
        "errors": [_plain_errors(errors) for errors in run.errors],
        "notes": [Message.of(note).to_json() for note in run.notes],
        "sets": _plain_listing(run.sets),
        "rules": _plain_listing(run.rules),
    }


def run_from_json(given: Any) -> Run:
    """The summary of a kept run; its tables are read when they are wanted."""
    try:
        return Run(
            number=int(given["number"]),
            request=Request.from_json(given["request"]),
            at=str(given["at"]),
            belongs_to=str(given["belongs_to"]),
            transactions=int(given["transactions"]),
            seconds=float(given["seconds"]),
            names=tuple(str(name) for name in given["names"]),
            found=tuple(int(count) for count in given["found"]),
            rule_count=int(given["rule_count"]),
            errors=tuple(_errors(errors) for errors in given["errors"]),
            notes=tuple(Message.from_json(note) for note in given["notes"]),
        )
    except (KeyError, TypeError, ValueError, WorkbenchError) as error:
        raise _damaged() from error


def with_tables(run: Run, given: Mapping[str, Any]) -> Run:
    """The run with the tables that were kept; as it is where none were."""
    try:
        sets, rules = (_listing(given.get(name), name) for name in ("sets", "rules"))
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged() from error
    return dataclasses.replace(run, sets=sets, rules=rules)


def _damaged() -> DataError:
    return DataError("A kept run of the Mine page is damaged.")


def _plain_errors(errors: SizeErrors) -> dict[str, Any]:
    return {name: _plain(value) for name, value in dataclasses.asdict(errors).items()}


def _errors(given: Mapping[str, Any]) -> SizeErrors:
    size, true, found, correct = (int(given[n]) for n in ("size", "true", "found", "correct"))
    names = ("support_error", "missed", "extra", "f1")
    shares = {name: math.nan if given[name] is None else float(given[name]) for name in names}
    return SizeErrors(size, true, found, correct, **shares)


def _plain(value: float) -> float | int | None:
    if isinstance(value, int):
        return value
    return float(f"{value:.6g}") if math.isfinite(value) else None


def _plain_listing(listing: ItemsetTable | None) -> dict[str, Any] | None:
    if listing is None or listing.rows > MOST_ROWS:
        return None
    return {
        "words": list(listing.words),
        "members": [[m for m in row if m >= 0] for row in listing.members.tolist()],
        "heads": None
        if listing.heads is None
        else [[m for m in row if m >= 0] for row in listing.heads.tolist()],
        "values": {name: _plain_numbers(numbers) for name, numbers in listing.values.items()},
        "low": _plain_numbers(listing.low),
        "high": _plain_numbers(listing.high),
    }


def _plain_numbers(numbers: Numbers) -> list[float | int | None]:
    return [_plain(value) for value in numbers.tolist()]


def _listing(given: Any, kind: str) -> ItemsetTable | None:
    if given is None:
        return None
    values = {str(name): _numbers(column) for name, column in given["values"].items()}
    bar = SUPPORT if kind == "sets" else CONFIDENCE
    members = _padded(given["members"])
    heads = None if given["heads"] is None else _padded(given["heads"])
    low, high = _numbers(given["low"]), _numbers(given["high"])
    columns = (*values.values(), low, high, *(() if heads is None else (heads,)))
    words = tuple(str(word) for word in given["words"])
    if any(len(column) != len(members) for column in columns) or bar not in values:
        raise _damaged()
    if members.max(initial=-1) >= len(words) or (
        heads is not None and heads.max(initial=-1) >= len(words)
    ):
        raise _damaged()
    return ItemsetTable(words, members, bar, values, low, high, heads)


def _numbers(given: list[float | None]) -> Numbers:
    return np.array([math.nan if value is None else value for value in given], float)


def _padded(given: list[list[int]]) -> np.ndarray:
    longest = max((len(row) for row in given), default=0)
    rows = np.full((len(given), longest), -1, np.int32)
    for place, row in enumerate(given):
        rows[place, : len(row)] = row
    return rows


SUGGESTED = 100
"""More items than these are mined only when somebody asks for them."""

_YES = frozenset({"yes", "true", "1", "y", "t"})
_NO = frozenset({"no", "false", "0", "n", "f"})


@dataclass(frozen=True)
class ItemOption:
    """A value of an attribute as an item, and what people call it."""

    attribute: str
    value: str
    words: str

    @property
    def key(self) -> tuple[str, str]:
        """What the item is, without its words."""
        return self.attribute, self.value


@dataclass(frozen=True, eq=False)
class AvailableItems:
    """All items of a study, and attributes that cannot be items with the reasons."""

    items: tuple[ItemOption, ...] = ()
    usual: tuple[ItemOption, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()

    @cached_property
    def by_key(self) -> dict[tuple[str, str], ItemOption]:
        """Items by attribute and value."""
        return {item.key: item for item in self.items}

    def pick(self, keys: Iterable[tuple[str, str]]) -> tuple[ItemOption, ...]:
        """The items of some keys that there still are, in the order of the study."""
        wanted = set(keys)
        return tuple(item for item in self.items if item.key in wanted)


def offer_of(study: Study) -> AvailableItems:
    """What a study has to mine."""
    items: list[ItemOption] = []
    refused: list[tuple[str, str]] = []
    singular: dict[object, bool] = {}
    for designed in study.design:
        why = _refusal(study.design, designed.name, singular)
        if why:
            refused.append((designed.name, why))
            continue
        own = _items_of(_as_values(study.design, designed.name))
        items += own if designed.attribute.kind.is_categorical else [_interval(one) for one in own]
    return AvailableItems(tuple(items), tuple(_usual(study.design, items)), tuple(refused))


def _as_values(design: Design, name: str) -> Attribute:
    """The attribute as its items see it: a number is cut into intervals."""
    attribute, perturbation = design[name].attribute, design.perturbation(name)
    if attribute.kind.is_categorical:
        return attribute
    if perturbation.interval_edges(attribute) is not None:
        return perturbation.distorted(attribute)
    return Discretise(intervals=ItemOptions().bins).distorted(attribute)


def _refusal(design: Design, name: str, singular: dict[object, bool]) -> str:
    """Why the values of an attribute cannot be items; empty if they can."""
    attribute, perturbation = design[name].attribute, design.perturbation(name)
    if attribute.kind.is_categorical:
        if attribute.k < 1:
            return tr("it has no values")
        if perturbation.is_identity:
            return ""
        key = perturbation, attribute.k
        if key not in singular:
            condition = condition_number(perturbation.matrix(attribute.k))
            singular[key] = not math.isfinite(condition)
        return tr("its matrix cannot be undone") if singular[key] else ""
    exact = perturbation.exact_share is not None
    if exact or perturbation.interval_edges(attribute) is not None:
        return "" if attribute.width > 0 else tr("it has only one possible number")
    return tr("it is a number under noise")


def _items_of(attribute: Attribute) -> list[ItemOption]:
    is_basket = attribute.kind is Kind.BINARY and set(attribute.values) == set(ABSENT_PRESENT)
    return [
        ItemOption(attribute.name, value, _words(attribute, value))
        for value in attribute.values
        if not (is_basket and value == "0")
    ]


def _interval(item: ItemOption) -> ItemOption:
    """An item that is an interval of a number; its value is worded by the core."""
    return dataclasses.replace(item, words=f"{item.attribute}: {translate(item.value)}")


def _words(attribute: Attribute, value: str) -> str:
    """What people call an item.

    >>> car = Attribute("car", Kind.BINARY, ("no", "yes"))
    >>> _words(car, "yes"), _words(car, "no")
    ('car', 'no car')
    """
    if is_yes_no(attribute):
        return attribute.name if value.lower() in _YES else tr("no %s") % attribute.name
    return f"{attribute.name}: {value}"


def is_yes_no(attribute: Attribute) -> bool:
    """Whether the two values of an attribute say yes and no."""
    if attribute.kind is not Kind.BINARY:
        return False
    first, second = (value.lower() for value in attribute.values)
    return (first in _NO and second in _YES) or (first in _YES and second in _NO)


def _usual(design: Design, items: list[ItemOption]) -> list[ItemOption]:
    """Binary and nominal attributes without the class; of yes and no only the yes."""
    found: list[ItemOption] = []
    by_attribute: dict[str, list[ItemOption]] = {}
    for item in items:
        by_attribute.setdefault(item.attribute, []).append(item)
    for name, own in by_attribute.items():
        attribute = design[name].attribute
        if attribute.kind not in (Kind.BINARY, Kind.NOMINAL) or name == design.class_name:
            continue
        yes_only = is_yes_no(attribute)
        wanted = [
            item
            for item in own
            if item.value != MISSING_VALUE and (not yes_only or item.value.lower() in _YES)
        ]
        if len(found) + len(wanted) > SUGGESTED:
            break
        found += wanted
    if found:
        return found
    # Only ordinal attributes or intervals: those are better than nothing.
    others = [item for item in items if item.attribute != design.class_name]
    return others[:SUGGESTED]


def kept_shares(design: Design, items: Iterable[ItemOption]) -> tuple[tuple[float, float], ...]:
    """How likely each item stays, and how likely its absence does if all others are alike."""
    known: dict[tuple[str, str], tuple[float, float]] = {}
    found = []
    for item in items:
        if item.key not in known:
            known.update(_shares_of(design, item.attribute))
        found.append(known.get(item.key, (1.0, 1.0)))
    return tuple(found)


def _shares_of(design: Design, name: str) -> dict[tuple[str, str], tuple[float, float]]:
    attribute, perturbation = design[name].attribute, design.perturbation(name)
    if not attribute.kind.is_categorical or perturbation.is_identity:
        return {}
    matrix = perturbation.matrix(attribute.k)
    found = {}
    for place, value in enumerate(attribute.values):
        stays = float(matrix[place, place])
        others = attribute.k - 1
        appears = (float(matrix[place].sum()) - stays) / others if others else 0.0
        found[name, value] = (stays, 1.0 - appears)
    return found


_Tables = tuple[Table, Table | None]


@dataclass(frozen=True, eq=False)
class Sources:
    """The items of the distorted answers and, where they are known, of the original ones."""

    published: ItemData
    truth: ItemData | None


class ItemCache:
    """Makes items of answers; those of the last run are at hand for the next method."""

    def __init__(self) -> None:
        self._last: tuple[_Tables, Design, tuple[Key, ...], Sources] | None = None

    def of(self, answers: Answers, design: Design, request: Request, progress: Progress) -> Sources:
        """The items that a run asks for."""
        tables = answers.distorted, answers.original
        if self._last is not None:
            before, then, items, sources = self._last
            same = all(a is b for a, b in zip(before, tables, strict=True)) and then is design
            if same and items == request.items:
                return sources
        self._last = None
        names = request.attributes
        progress(0.0, tr("Looking at the items"))
        reported = item_data(answers.distorted, design, names, progress=part(progress, 0.0, 0.5))
        published = only_items(reported, request.items)
        progress(0.5, tr("Looking at the items"))
        truth = None
        if answers.original is not None:
            rest = part(progress, 0.5, 1.0)
            whole = item_data(answers.original, design, names, original=True, progress=rest)
            truth = only_items(whole, request.items)
        progress(1.0)
        sources = Sources(published, truth)
        self._last = tables, design, request.items, sources
        return sources

    def forget(self) -> None:
        """Let go of the answers."""
        self._last = None


def only_items(data: ItemData, keys: tuple[Key, ...]) -> ItemData:
    """The data with no other items than these."""
    wanted = set(keys)
    chosen = np.array(
        [i for i, item in enumerate(data.items) if (item.attribute, item.value) in wanted], np.intp
    )
    if not len(chosen):
        raise DataError("None of the chosen items is left in this study; choose items again.")
    if len(chosen) == len(data.items):
        return data
    graded = data.graded
    if graded is not None:
        graded = dataclasses.replace(
            graded, column=graded.column[chosen], weights=graded.weights[chosen]
        )
    return dataclasses.replace(
        data,
        items=tuple(data.items[i] for i in chosen.tolist()),
        bits=np.ascontiguousarray(data.bits[chosen]),
        present=data.present[chosen],
        absent=data.absent[chosen],
        blocks=data.blocks[chosen],
        graded=graded,
    )


_last: list[tuple[Design, str]] = []
"""The design that was looked at last: a page asks many times about the same one."""


def mark_of(study: Study) -> str:
    """Equal for two states of a study in which the same would be mined."""
    table = study.table
    rows = 0 if table is None else table.rows
    policies = "" if table is None else ",".join(a.missing.value for a in table.attributes)
    drawn = f"seed {study.settings.seed}" if study.original is not None else "as collected"
    rest = hashlib.sha256(f"{rows} {policies} {drawn}".encode()).hexdigest()[:8]
    return f"{_mark_of_design(study.design)}-{rest}"


def _mark_of_design(design: Design) -> str:
    for known, mark in _last[:]:
        if known is design:
            return mark
    text = json.dumps(design_to_json(design), sort_keys=True)
    mark = hashlib.sha256(text.encode()).hexdigest()[:16]
    _last[:] = [(design, mark)]
    return mark


_NOTHING = np.iinfo(np.int32).max


def as_rows(sets: SetList) -> Places:
    """Members as a matrix, filled up with -1."""
    longest = int(sets.lengths.max(initial=0))
    rows = np.full((len(sets), longest), -1, np.int32)
    rows[np.arange(longest) < sets.lengths[:, None]] = sets.members
    return rows


def as_sets(rows: Places, like: SetList) -> SetList:
    """Undo :func:`as_rows`; the -1 may stand anywhere."""
    sorted_rows = np.sort(np.where(rows < 0, _NOTHING, rows), axis=1)
    held = sorted_rows != _NOTHING
    offsets = np.concatenate([[0], np.cumsum(held.sum(axis=1), dtype=np.int64)])
    return SetList(like.items, sorted_rows[held].astype(np.int32), offsets)


def both_sides(rules: Rules) -> SetList:
    """The items of each rule, from both sides of the arrow."""
    return as_sets(np.hstack([as_rows(rules.left), as_rows(rules.right)]), rules.left)


def places_of(sets: SetList, among: SetList) -> NDArray[np.int64]:
    """Where sets stand among others; -1 where they do not."""
    found = np.full(len(sets), -1, np.int64)
    for length in np.unique(sets.lengths).tolist():
        places, members = sets.of_length(length)
        found[places] = among.locate(members)
    return found


def set_listing(
    found: Itemsets,
    words: tuple[str, ...],
    raw: Numbers | None,
    true: Numbers | None,
    *,
    exact: bool = False,
) -> ItemsetTable:
    """The table of itemsets; exact counts have no interval."""
    values = {SUPPORT: found.support}
    if raw is not None:
        values[RAW] = raw
    if true is not None:
        values[TRUE] = true
    low, high = _ends(found.low, found.high, exact)
    return ItemsetTable(words, as_rows(found), SUPPORT, values, low, high)


def rule_listing(
    rules: Rules, words: tuple[str, ...], true: Numbers | None, *, exact: bool = False
) -> ItemsetTable:
    """The table of rules; exact counts have no interval."""
    values = {SUPPORT: rules.support, CONFIDENCE: rules.confidence, LIFT: rules.lift}
    if true is not None:
        values[TRUE] = true
    left, right = as_rows(rules.left), as_rows(rules.right)
    low, high = _ends(rules.low, rules.high, exact)
    return ItemsetTable(words, left, CONFIDENCE, values, low, high, heads=right)


def _ends(low: Numbers, high: Numbers, exact: bool) -> tuple[Numbers, Numbers]:
    nothing = np.full(len(low), np.nan)
    return (nothing, nothing) if exact else (low, high)


def size_errors(errors: LengthErrors) -> tuple[SizeErrors, ...]:
    """The errors by size, as shares."""
    return tuple(
        SizeErrors(
            int(errors.lengths[i]),
            int(errors.true[i]),
            int(errors.found[i]),
            int(errors.correct[i]),
            float(errors.support_error[i]) / 100,
            float(errors.false_negative[i]) / 100,
            float(errors.false_positive[i]) / 100,
            float(errors.f1[i]),
        )
        for i in range(len(errors.lengths))
    )


_MOST_RULES = 200_000
"""Nobody reads more; beyond them longer sets are not split, and a note says so."""


@dataclass(eq=False)
class PartialResult:
    """The sizes that are done; one thread appends, others read."""

    levels: list[Level] = field(default_factory=list)


def carry_out(
    study: Study,
    kept: tuple[DistortedCache, ItemCache],
    request: Request,
    tally: PartialResult,
    progress: Progress,
) -> Run:
    """Mine what was asked for, compare it with the truth where that is known, and list it.

    ``kept`` are the distorted answers and their items, both shared with other runs.
    """
    if request.miner.on_original and study.original is None:
        raise DataError("The original answers are not known, so they cannot be mined.")
    answers = kept[0].of(study, part(progress, 0.0, 0.1))
    sources = kept[1].of(answers, study.design, request, part(progress, 0.1, 0.2))
    started = time.perf_counter()
    data = sources.truth if request.miner.on_original else sources.published
    assert data is not None  # noqa: S101 (asked for above)
    share = part(progress, 0.2, 0.6)
    result = mine(data, request.miner, progress=share, on_level=tally.levels.append)
    seconds = time.perf_counter() - started
    share = part(progress, 0.6, 0.75)
    wanted = RuleParams(min_confidence=request.min_confidence, rule_limit=_MOST_RULES)
    rules = find_rules(result, data, wanted, progress=share)
    return _listed(study, request, sources, result, rules, seconds, part(progress, 0.75, 1.0))


def _listed(
    study: Study,
    request: Request,
    sources: Sources,
    result: MiningResult,
    rules: Rules,
    seconds: float,
    progress: Progress,
) -> Run:
    found, truth = result.itemsets, sources.truth
    on_original = request.miner.on_original
    known = offer_of(study).by_key
    words = tuple(
        known[item.attribute, item.value].words
        if (item.attribute, item.value) in known
        else item.name
        for item in result.items
    )
    progress(0.0, tr("counting without correction"))
    raw = None
    if not on_original:
        raw = shown_shares(sources.published, found.sets, part(progress, 0.0, 0.25))
    true, true_confidence = None, None
    errors: tuple[SizeErrors, ...] = ()
    if truth is not None and not on_original:
        progress(0.25, tr("comparing with the truth"))
        true = shown_shares(truth, found.sets, part(progress, 0.25, 0.5))
        true_confidence = _true_confidence(found, true, rules)
        reference = Apriori(
            min_support=request.min_support,
            max_length=request.miner.max_length,
            candidate_limit=request.miner.candidate_limit,
        )
        truly = mine(truth, reference, progress=part(progress, 0.5, 1.0))
        errors = size_errors(length_errors(found, truly.itemsets))
    sizes = np.bincount(found.lengths, minlength=1)[1:]
    return Run(
        number=0,
        request=request,
        at=time.strftime("%H:%M"),
        belongs_to=mark_of(study),
        transactions=result.transactions,
        seconds=seconds,
        names=tuple(item.name for item in result.items),
        found=tuple(int(size) for size in sizes),
        rule_count=len(rules),
        errors=errors,
        notes=(*result.notes, *rules.notes),
        sets=set_listing(found, words, raw, true, exact=on_original),
        rules=rule_listing(rules, words, true_confidence, exact=on_original),
    )


def _true_confidence(found: Itemsets, true: Numbers, rules: Rules) -> Numbers:
    """The confidence of rules in the original answers; NaN where nobody has the left side."""
    known = np.append(true, np.nan)
    whole = known[places_of(both_sides(rules), found)]
    left = known[places_of(rules.left, found)]
    nothing = np.full(len(whole), np.nan)
    np.divide(whole, left, out=nothing, where=left > 0)
    return nothing


def share(value: float, digits: int = 1) -> str:
    """A support or a confidence as a percentage; a dash where it is not known."""
    return "–" if math.isnan(value) else percent(value, digits)


def points(value: float, digits: int = 1) -> str:
    """A percentage without its sign, for a column whose head has it."""
    return "–" if math.isnan(value) else number(100 * value, digits)


def level(value: float) -> str:
    """A minimum with as many digits as it needs: 5 %, 0.5 %, 0.05 %.

    >>> level(0.05) == percent(0.05), level(0.005) == percent(0.005, 1)
    (True, True)
    """
    digits = next((d for d in range(4) if abs(round(100 * value, d) - 100 * value) < 1e-9), 4)
    return percent(value, digits)


def seconds(value: float) -> str:
    """How long a run took."""
    if value < 10:
        return f"{number(value, 2)} s"
    return f"{number(value, 0)} s" if value < 600 else f"{number(value / 60, 0)} min"


RELAXED = "mmask"


def method_names() -> tuple[str, ...]:
    """All methods: the recommended one first, those for original answers last."""
    listed = sorted(miners.ranked, key=lambda entry: entry.item.on_original)
    return tuple(entry.name for entry in listed)


def short_name(name: str) -> str:
    """The name of a method in a narrow place."""
    return translate(miners.entry(name).title)


def full_name(name: str) -> str:
    """The name of a method."""
    return translate(miners.entry(name).label)


def method_hint(name: str) -> str:
    """What a method does, in a line or two."""
    return translate(miners.entry(name).hint)


def why_not(name: str, study: Study) -> str:
    """Why a method cannot be used; empty if it can."""
    if miners[name].on_original and study.original is None:
        return tr("The original answers are not part of this study.")
    return ""


def relaxed_fields(method: type[Miner]) -> tuple[str, ...]:
    """The parameters that belong under "Relaxation"."""
    return ("relax", "r_relax") if method.name == RELAXED else ()


def certainty_words(certainty: str, minimum: float, miner: Miner | None = None) -> tuple[str, str]:
    """A certainty and what it means for a minimum support."""
    words = {
        PROBABLY: (tr("probably frequent"), tr("estimate reaches %s")),
        SURELY: (tr("surely frequent"), tr("whole interval reaches %s")),
        POSSIBLY: (tr("not surely infrequent"), tr("interval touches %s")),
    }
    title, reading = words[certainty]
    if miner is not None and hasattr(miner, LIKELY):
        likely = getattr(with_certainty(miner, certainty), LIKELY)
        return title, tr("at least %s likely to reach %s") % (percent(likely), level(minimum))
    return title, reading % level(minimum)


def why_no_certainty(certainty: str, method: str) -> str:
    """Why a certainty cannot be asked of a method; empty if it can."""
    if miners[method].on_original and certainty != PROBABLY:
        return tr("Original answers are counted, not estimated: there is no doubt.")
    if certainty != PROBABLY and not knows_certainty(method):
        words = tr("%s looks at estimates only; it can relax the minimum instead.")
        return words % full_name(method)
    return ""


def why_no_field(name: str, certainty: str) -> str:
    """Why a parameter has no effect; empty if it has one."""
    if name == LIKELY and certainty != PROBABLY:
        return tr("Set by “%s”.") % certainty_words(certainty, 0.0)[0]
    return ""


RESULTS = "mine"
"""The name under which the study keeps the runs."""
_PATIENCE = 350
"""Milliseconds after which the page goes on although a cancelled run still ends."""


class Mining(QObject):
    """One run at a time; the runs of the study, one of them in front."""

    runs_changed = Signal()
    """There are other runs, or another one is in front."""
    running_changed = Signal()
    progressed = Signal()
    stopped = Signal()
    """The run was cancelled."""

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self.runs: tuple[Run, ...] = ()
        self.current: Run | None = None
        self.tally = PartialResult()
        self._kept: dict[int, Mapping[str, Any]] = {}
        self._job: Job | None = None
        self._is_own = False
        self._sources = ItemCache()
        self._patience = single_shot(self, self._let_go, _PATIENCE)

    @property
    def is_running(self) -> bool:
        """Whether a run is under way."""
        return self._job is not None

    @property
    def done(self) -> float:
        """The share of the run that is done."""
        return 0.0 if self._job is None else self._job.done

    @property
    def message(self) -> str:
        """What the run is doing."""
        return "" if self._job is None else self._job.message

    def mine(self, request: Request, number: int | None = None) -> None:
        """Start a run; with the number of an earlier one it takes its place."""
        if self._job is not None:
            return
        study, kept = self._workbench.store.study, (self._workbench.answers, self._sources)
        tally = self.tally = PartialResult()
        own = number or max((run.number for run in self.runs), default=0) + 1

        def work(progress: Progress) -> tuple[Run, dict[str, Any]]:
            run = carry_out(study, kept, request, tally, progress)
            run = dataclasses.replace(run, number=own)
            return run, run_to_json(run)

        name = self.tr("Mining with %s") % full_name(request.method)
        job = self._workbench.run(name, work, self._on_finished, key="mine")
        job.progressed.connect(lambda *_: self.progressed.emit())
        job.ended.connect(lambda: self._on_ended(job))
        self._job = job
        self.running_changed.emit()

    def cancel(self) -> None:
        """Stop the run; what was found before stays."""
        if self._job is not None:
            self._job.cancel()
            self._patience.start()

    def _let_go(self) -> None:
        """Wait no longer for a run that is slow to stop; whatever it finds does not arrive."""
        if self._job is not None and self._job.progress.stopped:
            job, self._job = self._job, None
            job.disown()
            self.running_changed.emit()
            self.stopped.emit()

    def bring_back(self, number: int) -> None:
        """Show an earlier run; one of which only the summary was kept is repeated."""
        run = next((one for one in self.runs if one.number == number), None)
        if run is None or self.is_running:
            return
        if run.sets is None and number in self._kept:
            try:
                run = with_tables(run, self._kept[number])
            except DataError as error:
                self._workbench.error_raised.emit(error)
                return
            self.runs = tuple(run if one.number == number else one for one in self.runs)
        if run.sets is None:
            self.mine(run.request, number)
            return
        self.current = run
        self.runs_changed.emit()

    def remove(self, number: int) -> None:
        """Forget a run; the newest of the others comes to the front."""
        self.runs = tuple(run for run in self.runs if run.number != number)
        self._kept.pop(number, None)
        if self.current is not None and self.current.number == number:
            self.current = None
            for run in reversed(self.runs):
                if run.sets is not None or self._kept.get(run.number, {}).get("sets") is not None:
                    self.bring_back(run.number)
                    break
        self._keep()
        self.runs_changed.emit()

    def forget(self) -> None:
        """Drop everything: another study is shown."""
        if self._job is not None:
            self._job.disown()
            self._job = None
            self._patience.stop()
            self.running_changed.emit()
        self.runs, self.current, self._kept = (), None, {}
        self._sources.forget()
        self.runs_changed.emit()

    @property
    def is_keeping(self) -> bool:
        """Whether it is just telling the study what to keep."""
        return self._is_own

    def restore(self) -> None:
        """Read the runs that the study kept; a damaged one is left out."""
        kept = self._workbench.store.study.results.get(RESULTS)
        listed = kept.get("runs", ()) if isinstance(kept, Mapping) else ()
        runs: dict[int, Run] = {}
        self._kept = {}
        for given in listed if isinstance(listed, list | tuple) else ():
            try:
                run = run_from_json(given)
            except DataError:
                continue
            runs[run.number] = run
            self._kept[run.number] = given
        self.runs, self.current = tuple(runs.values()), None
        if self.runs and self._kept[self.runs[-1].number].get("sets") is not None:
            self.bring_back(self.runs[-1].number)
        self.runs_changed.emit()

    def _on_finished(self, found: tuple[Run, dict[str, Any]]) -> None:
        run, plain = found
        self._kept[run.number] = plain
        others = tuple(one for one in self.runs if one.number != run.number)
        runs = tuple(sorted((*others, run), key=lambda one: one.number))
        for gone in runs[:-MOST_KEPT]:
            self._kept.pop(gone.number, None)
        self.runs, self.current = runs[-MOST_KEPT:], run
        self._keep()
        self.runs_changed.emit()

    def _keep(self) -> None:
        """Let the study remember the runs."""
        self._is_own = True
        listed = [self._kept[run.number] for run in self.runs if run.number in self._kept]
        self._workbench.store.set_results(RESULTS, {"runs": listed} if listed else None)
        self._is_own = False

    def _on_ended(self, job: Job) -> None:
        if job is not self._job:
            return
        self._job = None
        self._patience.stop()
        self.running_changed.emit()
        if job.state is JobState.CANCELLED:
            self.stopped.emit()


_FEW = 30
_MANY_WRONG = 0.3


def errors_sentence(run: Run) -> str:
    """What the errors by size say."""
    if run.request.miner.on_original:
        return tr("These are counts of the original answers: there is nothing to be wrong.")
    if not run.knows_truth:
        return tr(
            "The original answers are not part of this study, so nobody can tell which sets are "
            "missed or extra. The intervals say how far the truth may be away."
        )
    if not run.total and not any(e.true for e in run.errors):
        words = tr("No set truly reaches %s, and none was found.")
        return words % level(run.request.min_support)
    worst = _worst(run.errors)
    if worst is not None:
        return _about_extra(worst, run)
    missed = _most_missed(run.errors)
    if missed is not None:
        words = tr(
            "%s of %s truly frequent sets of size %s are missed: their estimates fell below %s. "
            "A lower minimum brings them back, with some false alarms."
        )
        gone = missed.true - missed.correct
        minimum = level(run.request.min_support)
        return words % (number(gone), number(missed.true), missed.size, minimum)
    right, frequent = (
        sum(e.correct for e in run.errors), sum(e.true for e in run.errors),
    )  # fmt: skip
    words = tr("%s of %s truly frequent sets are found, and %s of %s found ones are false alarms.")
    extra = run.total - right
    return words % (number(right), number(frequent), number(extra), number(run.total))


def _worst(errors: tuple[SizeErrors, ...]) -> SizeErrors | None:
    """The smallest size at which false alarms are many."""
    for one in errors:
        wrong = one.found - one.correct
        if one.found and wrong / one.found >= _MANY_WRONG and wrong > 1:
            return one
    return None


def _about_extra(worst: SizeErrors, run: Run) -> str:
    wrong = worst.found - worst.correct
    told = tr("%s of %s found sets of size %s are false alarms.") % (
        number(wrong), number(worst.found), worst.size,
    )  # fmt: skip
    if run.request.certainty == SURELY:
        return tr("%s Ask more people, or distort less, for sets of that size.") % told
    if run.request.certainty == PROBABLY:
        words = tr("%s Their intervals reach below %s: choose “surely frequent” to leave such "
                   "sets out.")  # fmt: skip
        return words % (told, level(run.request.min_support))
    return tr("%s Sets that are only possibly frequent were asked for.") % told


def _most_missed(errors: tuple[SizeErrors, ...]) -> SizeErrors | None:
    for one in errors:
        if one.true and (one.true - one.correct) / one.true >= _MANY_WRONG:
            return one
    return None


def truth_words(run: Run | None) -> str:
    """Why there is no picture of the truth; empty if there is one."""
    if run is None:
        return tr("Mine first: every itemset becomes a point, on the line where it is exact.")
    if run.request.miner.on_original:
        return tr("These supports are the truth. Mine with another method to compare it with them.")
    if not run.knows_truth:
        return tr(
            "The original answers are not part of this study, so estimates cannot be compared with "
            "the truth. Their intervals are in the table."
        )
    if run.total == 0:
        return tr("No itemset was found.")
    return ""


def items_hint(kept: tuple[tuple[float, float], ...], refused: int) -> str:
    """How the chosen items are distorted, and how many attributes cannot be items."""
    words = _keeping(kept)
    if refused == 0:
        return words
    more = (
        tr("One attribute cannot be mined; see the list.")
        if refused == 1
        else tr("%s attributes cannot be mined; see the list.") % number(refused)
    )
    return f"{words} {more}".strip()


def _keeping(kept: tuple[tuple[float, float], ...]) -> str:
    if not kept:
        return ""
    ones, zeros = {round(p, 3) for p, _ in kept}, {round(q, 3) for _, q in kept}
    if len(ones) == len(zeros) == 1:
        one, zero = ones.pop(), zeros.pop()
        if one == zero == 1.0:
            return tr("Not distorted.")
        if one == zero:
            return tr("Each kept with %s, yes and no alike.") % number(one, 2)
        return tr("A yes is kept with %s, a no with %s.") % (number(one, 2), number(zero, 2))
    return tr("A yes is kept with %s, a no with %s.") % (_span(ones), _span(zeros))


def _span(shares: set[float]) -> str:
    low, high = number(min(shares), 2), number(max(shares), 2)
    return low if low == high else tr("%s to %s") % (low, high)


def stopped_words(levels: int) -> str:
    """What to say when a run was cancelled."""
    if levels == 0:
        return tr("Stopped. The results before it are shown.")
    return tr("Stopped after size %s. The results before it are shown.") % number(levels)


def running_words(message: str, levels: list[tuple[int, int]]) -> str:
    """What a run is doing: the sizes that are done, and the one that is worked on."""
    message = translate(message)
    if not levels:
        return message or tr("Preparing the answers")
    size, found = levels[-1]
    done = tr("size %s: %s found") % (number(size), number(found))
    return f"{done}; {message}" if message else done


def few_words(run: Run) -> str:
    """A warning about a handful of records; empty for more."""
    if run.transactions >= _FEW:
        return ""
    words = tr("Only %s records. Every interval is wider than the scale; show it, do not quote it.")
    return words % number(run.transactions)
