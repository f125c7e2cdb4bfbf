"""What the Mine page shows and saves as tables: itemsets, rules, errors by size, runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ppworkbench.analyses.mining.runs import FREQUENT, POSSIBLY, SURELY, MiningRun
from ppworkbench.analyses.mining.tables import (
    CONFIDENCE,
    EXTRA,
    F1,
    FOUND,
    LIFT,
    MEASURES,
    MISSED,
    NAME,
    RAW,
    SIZE,
    SUPPORT,
    SUPPORT_ERROR,
    TRUE,
    ItemsetTable,
    Order,
    Places,
    SizeErrors,
    longest_set,
    measure_at,
)
from ppworkbench.core.message import Message
from ppworkbench.core.mining import miners
from ppworkbench.core.params import declarations
from ppworkbench.results.sheet import Column, Kind, Sheet


class _Names(Sequence[str]):
    """Names of rows, made when they are asked for: there may be a million."""

    def __init__(self, count: int, name: Callable[[int], str]) -> None:
        self._count, self._name = count, name

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: Any) -> Any:
        return self._name(range(self._count)[place])


_HEADS = {
    SUPPORT: Message("Support"), CONFIDENCE: Message("Confidence"), LIFT: Message("Lift"),
    RAW: Message("Uncorrected"), TRUE: Message("True"), SIZE: Message("Items"),
}  # fmt: skip
_MEANINGS = {
    SIZE: Message("Number of items in the set"),
    SUPPORT: Message("Share of respondents with all items"),
    CONFIDENCE: Message("Share of respondents with the left side who also have the right side"),
    LIFT: Message(
        "Frequency of the right side among respondents with the left side, relative to all; "
        "1 means independent"
    ),
    RAW: Message("Counted in the distorted table, uncorrected"),
    TRUE: Message("Counted in the original table"),
}


_ENDS = {
    SUPPORT: ("low", "high"), CONFIDENCE: ("low", "high"), LIFT: ("lift_low", "lift_high")
}  # fmt: skip


def itemset_sheet(table: ItemsetTable, level: float | None = None) -> Sheet:
    """The itemsets or rules as people read them; ``level`` is the confidence of intervals."""
    is_rules = table.heads is not None
    title = Message("Rules") if is_rules else Message("Itemsets")
    head = Message("If → then") if is_rules else Message("Itemset")
    columns = [Column(NAME, head, Kind.TEXT, _Names(table.rows, table.name))]
    return Sheet(
        "rules" if is_rules else "itemsets", title, (*columns, *_numbers_of(table, level)),
        sort=table.bar,
    )  # fmt: skip


def file_sheet(table: ItemsetTable, rows: Order, names: tuple[str, ...]) -> Sheet:
    """Some rows for a file, in their order; items are called as on the command line."""
    places = {"if": table.members, "then": table.heads}
    if table.heads is None:
        places = {NAME: table.members}
    sides = [
        Column(key, Message(key), Kind.TEXT, _Names(len(rows), _joined_names(side[rows], names)))
        for key, side in places.items()
        if side is not None
    ]
    numbers = [replace(one, values=np.asarray(one.values)[rows]) for one in _numbers_of(table)]
    name = "itemsets" if table.heads is None else "rules"
    return Sheet(name, Message(name), (*sides, *numbers))


def _joined_names(side: Places, names: tuple[str, ...]) -> Callable[[int], str]:
    return lambda row: " + ".join(names[member] for member in side[row].tolist() if member >= 0)


def _numbers_of(table: ItemsetTable, level: float | None = None) -> Iterator[Column]:
    """The columns of numbers, those with an interval before its ends."""
    has_interval = bool(np.isfinite(table.high).any())
    for name in table.columns[1:]:
        kind = {SIZE: Kind.COUNT, LIFT: Kind.NUMBER}.get(name, Kind.SHARE)
        low, high = {table.bar: ("low", "high"), LIFT: ("lift_low", "lift_high")}.get(
            name, ("", "")
        )
        yield Column(
            name, _HEADS[name], kind, table.size if name == SIZE else table.values[name],
            low=low, high=high, level=level if name == table.bar and has_interval else None,
            decimals=2 if name == LIFT else None, meaning=_MEANINGS[name],
        )  # fmt: skip
    ends = {"low": table.low, "high": table.high}
    if LIFT in table.values:
        ends |= dict(zip(("lift_low", "lift_high"), table.lift_ends, strict=True))
    for key, values in ends.items():
        yield Column(key, Message(key), Kind.SHARE, values)


_BAD = 0.5
"""From half of the truly frequent sets on, errors stand out."""


def errors_sheet(errors: Sequence[SizeErrors]) -> Sheet:
    """The errors by size; what is wrong with half of the sets or more stands out."""

    def column(key: str, head: Message, kind: Kind, meaning: Message, decimals: int) -> Column:
        values = [getattr(one, key) for one in errors]
        best = (
            {place for place, value in enumerate(values) if value >= _BAD}
            if key in (MISSED, EXTRA)
            else ()
        )
        return Column(key, head, kind, values, best=best, meaning=meaning, decimals=decimals)

    share = Kind.SHARE
    return Sheet(
        "errors", Message("Errors by itemset size"),
        (
            column("size", Message("items"), Kind.COUNT, Message("Number of items in the set"), 0),
            column("true", Message("true\nfrequent"), Kind.COUNT,
                   Message("Sets with minimum support in the original answers"), 0),
            column(SUPPORT_ERROR, Message("support\nerror"), share,
                   Message("Mean relative error of the supports of correctly found sets"), 1),
            column(MISSED, Message("missed\nsets"), share,
                   Message("Frequent sets that were not found, as a share of frequent sets"), 0),
            column(EXTRA, Message("false\nsets"), share,
                   Message("Found sets that are not frequent, as a share of frequent sets"), 0),
            column(F1, Message("F1"), Kind.NUMBER,
                   Message("Identification of frequent sets: 1 means no errors"), 2),
        ),
    )  # fmt: skip


def percent_message(share: float) -> Message:
    """A minimum with as many digits as it needs: 5 %, 0.5 %, 0.05 %."""
    return Message(f"{100 * share:.4g} %")


def run_title(run: MiningRun) -> Message:
    """A run in a few words."""
    return Message(
        "{number}. {method}, {support}",
        number=run.number, method=Message.of(miners.entry(run.request.method).label),
        support=percent_message(run.request.min_support),
    )  # fmt: skip


def run_details(run: MiningRun) -> Message:
    """What else a run was asked for: what differs from what one would expect."""
    request = run.request
    found = [Message("{count} items", count=len(request.items))]
    if request.certainty == SURELY:
        found.append(Message("lower limit above minimum"))
    elif request.certainty == POSSIBLY:
        found.append(Message("upper limit above minimum"))
    if request.false_discovery is not None:
        found.append(Message("only rules beyond chance"))
    for declaration in declarations(type(request.miner)):
        value = getattr(request.miner, declaration.name)
        if declaration.name in ("min_support", FREQUENT) or value == declaration.default:
            continue
        shown = Message(f"{value:.3g}" if isinstance(value, float) else str(value))
        found.append(
            Message("{label} {value}", label=Message.of(declaration.info.label), value=shown)
        )
    return Message.joined(found, ", ")


_MEASURE_KINDS = {F1: (Kind.NUMBER, 2), FOUND: (Kind.COUNT, 0), SUPPORT_ERROR: (Kind.SHARE, 1)}
MOST_SIZES = 6
"""Sizes beyond these have no column in the window; they are in the chart and in files."""


def runs_sheet(runs: Sequence[MiningRun], measure: str) -> Sheet:
    """Runs beside each other, a measure over the sizes; all measures are in files."""
    sizes = range(1, longest_set(runs) + 1)
    asked = [measure, *(one for one in MEASURES if one != measure)]
    seconds = [float(f"{run.seconds:.3g}") for run in runs]
    columns = [
        Column("run", Message("Run"), Kind.TEXT, [run_title(run) for run in runs], note="settings"),
        Column("settings", Message("Settings"), Kind.TEXT, [run_details(run) for run in runs]),
        Column("found", Message("Found"), Kind.COUNT, [run.total for run in runs]),
        Column("rules", Message("Rules"), Kind.COUNT, [run.rule_count for run in runs],
               is_detail=True),
        *(_measured(runs, one, size, is_detail=one != measure or size > MOST_SIZES)
          for one in asked for size in sizes),
        Column("seconds", Message("Time"), Kind.NUMBER, seconds, unit="s"),
    ]  # fmt: skip
    return Sheet("runs", Message("Runs"), tuple(columns))


def _measured(runs: Sequence[MiningRun], measure: str, size: int, *, is_detail: bool) -> Column:
    values = [measure_at(run, measure, size) for run in runs]
    known = [value for value in values if not math.isnan(value)]
    best: set[int] = set()
    if measure != FOUND and len(known) > 1:
        top = max(known) if measure == F1 else min(known)
        best = {i for i, one in enumerate(values) if math.isclose(one, top, abs_tol=1e-9)}
    kind, decimals = _MEASURE_KINDS.get(measure, (Kind.SHARE, 0))
    words = MEASURE_WORDS[measure]
    head = Message("{measure} {size}", measure=words, size=size)
    return Column(
        f"{measure} {size}", head if is_detail else Message(str(size)), kind, values,
        best=best, decimals=decimals, is_detail=is_detail,
        meaning=Message("{measure}, sets of size {size}", measure=words, size=size),
    )  # fmt: skip


MEASURE_WORDS = {
    F1: Message("F1 by size"),
    SUPPORT_ERROR: Message("Support error by size"),
    MISSED: Message("Missed by size"),
    EXTRA: Message("False positives by size"),
    FOUND: Message("Itemsets by size"),
}
