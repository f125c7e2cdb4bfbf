"""The itemsets and rules of a run as tables: columns, JSON and files."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.errors import DataError
from ppworkbench.core.files import atomic_file
from ppworkbench.core.itemsets import Itemsets, SetList
from ppworkbench.core.mining import LengthErrors, Rules
from ppworkbench.core.progress import Progress
from ppworkbench.study.answer_state import AnswerState, analysed_state

if TYPE_CHECKING:
    from ppworkbench.analyses.mining.runs import MiningRun

Places = NDArray[np.int32]
Order = NDArray[np.intp]

NAME, SIZE, SUPPORT, CONFIDENCE, LIFT, RAW, TRUE = (
    "itemset", "length", "support", "confidence", "lift", "raw", "true",
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

    @cached_property
    def lift_ends(self) -> tuple[Numbers, Numbers]:
        """The ends of the interval of every rule's lift; NaN where there is none.

        Those of the confidence, divided by the share of the right side. The error of that share is
        left out: it is small beside the error of the confidence.
        """
        if LIFT not in self.values:
            nothing = np.full(self.rows, np.nan)
            return nothing, nothing
        with np.errstate(invalid="ignore", divide="ignore"):
            scale = self.values[LIFT] / self.values[CONFIDENCE]
            return self.low * scale, self.high * scale

    @cached_property
    def is_unrelated(self) -> NDArray[np.bool_]:
        """Which rules show no association: the interval of their lift includes 1."""
        low, high = self.lift_ends
        return (low <= 1.0) & (high >= 1.0)

    def numbers(self, column: str) -> Numbers:
        return self.size.astype(float) if column == SIZE else self.values[column]

    def name(self, row: int) -> str:
        """The items of a row in words."""
        before = self._joined(self.members[row])
        if self.heads is None:
            return before
        return f"{before} → {self._joined(self.heads[row])}"

    def _joined(self, places: Places) -> str:
        return " + ".join(self.words[place] for place in places.tolist() if place >= 0)


def empty_table() -> ItemsetTable:
    """Nothing found."""
    nothing = np.empty(0)
    return ItemsetTable(
        (), np.empty((0, 0), np.int32), SUPPORT, {SUPPORT: nothing}, nothing, nothing
    )


@dataclass(frozen=True)
class TableQuery:
    """Which rows of a table are wanted, and in which order.

    ``least`` and ``most`` bound the number of items; a ``most`` of 0 is no bound. Every word of
    ``text`` has to occur in the name of an item of the row. With ``related`` rules without an
    association are left out.
    """

    text: str = ""
    least: int = 1
    most: int = 0
    column: str = ""
    descending: bool = True
    related: bool = False


@dataclass(frozen=True, eq=False)
class RowOrder:
    """The rows of a table that a query leaves, in order, and where the scale of their bars ends.

    The scale follows the sizes but not the words of the query: it stays while somebody types.
    """

    table: ItemsetTable
    query: TableQuery
    rows: Order
    reach: float


def order_rows(table: ItemsetTable, query: TableQuery) -> RowOrder:
    """Filter and sort a table."""
    return RowOrder(table, query, _sorted(table, query), table.reach(query.least))


def _sorted(table: ItemsetTable, query: TableQuery) -> Order:
    rows = np.flatnonzero(_wanted(table, query))
    if query.column == NAME:
        key = table.name_rank[rows]
    elif query.column:
        key = table.numbers(query.column)[rows]
    else:
        return rows
    # Rows that are not known stand last in either direction; ties keep the order they came in.
    known = ~np.isnan(key)
    order = np.argsort(-key[known] if query.descending else key[known], kind="stable")
    return np.concatenate([rows[known][order], rows[~known]])


def _wanted(table: ItemsetTable, query: TableQuery) -> NDArray[np.bool_]:
    wanted = np.ones(table.rows, bool)
    if query.least > 1:
        wanted &= table.size >= query.least
    if query.most:
        wanted &= table.size <= query.most
    if query.related:
        wanted &= ~table.is_unrelated
    for word in query.text.lower().split():
        # One more place than items, so that the -1 of an empty place means "not in here".
        holds = np.array([word in name.lower() for name in table.words] + [False])
        wanted &= _any(holds, table.members) | _any(holds, table.heads)
    return wanted


def _any(holds: NDArray[np.bool_], places: Places | None) -> NDArray[np.bool_] | np.bool_ | bool:
    return False if places is None else holds[places].any(axis=1)


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


F1, SUPPORT_ERROR, MISSED, EXTRA, FOUND = "f1", "support_error", "missed", "extra", "found"
MEASURES = (F1, SUPPORT_ERROR, MISSED, EXTRA, FOUND)
"""By what runs are compared, at every size."""


def longest_set(runs: Iterable[MiningRun]) -> int:
    """The largest size of which some run knows anything."""
    return max((max(len(run.found), len(run.errors)) for run in runs), default=0)


def measure_at(run: MiningRun, measure: str, size: int) -> float:
    """A measure of a run at a size; NaN where it is not known."""
    if measure == FOUND:
        return float(run.found[size - 1]) if size <= len(run.found) else 0.0
    errors = next((e for e in run.errors if e.size == size), None)
    return math.nan if errors is None else float(getattr(errors, measure))


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


def set_table(
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


def rule_table(
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


# In a study

MOST_ROWS = 5_000
"""A table with more rows is not kept: the run is repeated when somebody wants it back."""


def damaged_run() -> DataError:
    """What is said of a kept run that cannot be read."""
    return DataError("A saved run of the Mine page is damaged.")


def errors_to_json(errors: SizeErrors) -> dict[str, Any]:
    """Errors as plain values."""
    return {name: _plain(value) for name, value in dataclasses.asdict(errors).items()}


def errors_from_json(given: Mapping[str, Any]) -> SizeErrors:
    """Read errors that were kept."""
    size, true, found, correct = (int(given[n]) for n in ("size", "true", "found", "correct"))
    names = ("support_error", "missed", "extra", "f1")
    shares = {name: math.nan if given[name] is None else float(given[name]) for name in names}
    return SizeErrors(size, true, found, correct, **shares)


def _plain(value: float) -> float | int | None:
    if isinstance(value, int):
        return value
    return float(f"{value:.6g}") if math.isfinite(value) else None


def table_to_json(listing: ItemsetTable | None) -> dict[str, Any] | None:
    """A table as plain values; None for one that is too large to be kept."""
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


def table_from_json(given: Any, kind: str) -> ItemsetTable | None:
    """Read a table that was kept; what cannot be one is an error."""
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
        raise damaged_run()
    if members.max(initial=-1) >= len(words) or (
        heads is not None and heads.max(initial=-1) >= len(words)
    ):
        raise damaged_run()
    return ItemsetTable(words, members, bar, values, low, high, heads)


def _numbers(given: list[float | None]) -> Numbers:
    return np.array([math.nan if value is None else value for value in given], float)


def _padded(given: list[list[int]]) -> np.ndarray:
    longest = max((len(row) for row in given), default=0)
    rows = np.full((len(given), longest), -1, np.int32)
    for place, row in enumerate(given):
        rows[place, : len(row)] = row
    return rows


# Files

_CHUNK = 2_000


def write_json(run: MiningRun, path: Path, progress: Progress, state: AnswerState) -> int:
    """Write a whole run: what was asked for, all itemsets and rules, errors by size.

    Parameters
    ----------
    state
        What the answers of the study are.
    """
    miner = run.request.miner
    document: dict[str, Any] = {
        "state": str(analysed_state(state, uses_original=miner.on_original)),
        "method": run.request.method,
        "parameters": miner.to_json(),
        "certainty": run.request.certainty,
        "min_confidence": run.request.min_confidence,
        "false_discovery": run.request.false_discovery,
        "transactions": run.transactions,
        "seconds": run.seconds,
        "itemsets": _exported(run.sets, run.names, progress),
        "rules": _exported(run.rules, run.names, progress),
        "errors": [
            {
                "length": e.size,
                "true": e.true,
                "found": e.found,
                "correct": e.correct,
                "support_error": _finite(100 * e.support_error),
                "false_negative": _finite(100 * e.missed),
                "false_positive": _finite(100 * e.extra),
                "f1": _finite(e.f1),
            }
            for e in run.errors
        ],
        "expected_by_chance": None if run.chance is None else run.chance.to_json(),
        "notes": list(run.notes),
    }
    progress(0.9, path.name)
    with atomic_file(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        json.dump(document, file, indent=1, ensure_ascii=False)
    return run.total


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _exported(
    listing: ItemsetTable | None, names: tuple[str, ...], progress: Progress
) -> list[dict[str, Any]]:
    if listing is None:
        return []
    is_rules = listing.heads is not None
    found = []
    spelled = {TRUE: "true_confidence" if is_rules else "true_support", RAW: "raw_support"}
    columns = {spelled.get(name, name): numbers for name, numbers in listing.values.items()}
    columns |= {"interval_from": listing.low, "interval_to": listing.high}
    for start in range(0, listing.rows, _CHUNK):
        progress(0.8 * start / listing.rows)
        part = slice(start, start + _CHUNK)
        numbers = {name: column[part].tolist() for name, column in columns.items()}
        members = _names(listing.members[part], names)
        heads = None if listing.heads is None else _names(listing.heads[part], names)
        for place, row in enumerate(members):
            sides = {"items": row} if heads is None else {"if": row, "then": heads[place]}
            found.append(sides | {n: _finite(column[place]) for n, column in numbers.items()})
    return found


def _names(rows: np.ndarray, names: tuple[str, ...]) -> list[list[str]]:
    return [[names[member] for member in row if member >= 0] for row in rows.tolist()]


def true_confidence_of(found: Itemsets, true: Numbers, rules: Rules) -> Numbers:
    """The confidence of rules in the original answers; NaN where nobody has the left side."""
    known = np.append(true, np.nan)
    whole = known[places_of(both_sides(rules), found)]
    left = known[places_of(rules.left, found)]
    nothing = np.full(len(whole), np.nan)
    np.divide(whole, left, out=nothing, where=left > 0)
    return nothing
