"""Runs of Mine as studies keep them and files hold them, and how certain their itemsets are."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ppworkbench.analyses.mining.mine import (
    ERRORS,
    Mine,
    itemset_sheet,
    length_sheet,
    rule_sheet,
)
from ppworkbench.analyses.runs import Run
from ppworkbench.analyses.source import Source
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.mining import Miner, RuleParams, miners
from ppworkbench.core.params import declarations
from ppworkbench.core.progress import Progress, silent
from ppworkbench.results.sheet import Column, JoinedTexts, Kind, Sheet, padded
from ppworkbench.study.answer_state import AnswerState, analysed_state
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.study import Study

MOST_KEPT = 12
"""Runs that a study remembers; the oldest goes first."""
MOST_RULES = 200_000
"""Nobody reads more; beyond them longer sets are not split, and a note says so."""

PROBABLY, SURELY, POSSIBLY = "probably", "surely", "possibly"
CERTAINTIES = (PROBABLY, SURELY, POSSIBLY)
FREQUENT, LIKELY = "frequent", "min_probability"
"""Parameters by which a miner knows the certainties: by their name, or by a probability."""


def knows_certainty(method: str) -> bool:
    """Whether a miner itself looks at the ends of the intervals while it searches."""
    return bool({FREQUENT, LIKELY} & _names(method))


def with_certainty(miner: Miner, certainty: str, own: float | None = None) -> Miner:
    """The miner that asks for so much certainty; as it is where it knows nothing of it.

    The whole interval reaches the minimum where the set is frequent with the probability of
    everything but the interval's lower tail. What "probably" means, a miner with a probability is
    told by that parameter itself, which is ``own`` or the usual one.
    """
    names = _names(miner.name)
    if FREQUENT in names:
        changes: dict[str, Any] = {FREQUENT: certainty}
    elif LIKELY in names:
        tail = (1 - miner.confidence) / 2
        usual = getattr(type(miner)(), LIKELY) if own is None else own
        changes = {LIKELY: {SURELY: 1 - tail, POSSIBLY: tail}.get(certainty, usual)}
    else:
        return miner
    return dataclasses.replace(miner, **changes)


def certainty_of(miner: Miner) -> str:
    """How certain the itemsets of a miner have to be."""
    names = _names(miner.name)
    if FREQUENT in names:
        return str(getattr(miner, FREQUENT))
    if LIKELY in names:
        tail, likely = (1 - miner.confidence) / 2, getattr(miner, LIKELY)
        if math.isclose(likely, 1 - tail):
            return SURELY
        if math.isclose(likely, tail):
            return POSSIBLY
    return PROBABLY


def _names(method: str) -> set[str]:
    return {declaration.name for declaration in declarations(miners[method])}


def source_of(
    study: Study, answers: DistortedCache, request: Mine, progress: Progress = silent
) -> Source:
    """The answers that a method mines; records count the same where it knows no weights."""
    miner = request.miner
    if miner.on_original and study.original is None:
        raise DataError("The original answers are not known and cannot be mined.")
    return Source.of_study(
        study, answers, progress, with_sampling=miner.uses_weights, of_truth=miner.on_original
    )


# Runs that a study keeps


def read_run(given: Any) -> Run[Mine]:
    """A kept run; those of programs before requests had a form of their own."""
    if not (isinstance(given, Mapping) and "found" in given):
        return Run.from_json(Mine, given)
    try:
        asked, chance = given["request"], given.get("chance")
        request = Mine(
            values=tuple((str(name), str(value)) for name, value in asked["items"]),
            miner=miners[str(asked["method"])].from_json(asked["parameters"]),
            rules=RuleParams(
                min_confidence=float(asked["min_confidence"]), rule_limit=MOST_RULES,
                false_discovery=asked.get("false_discovery"),
            ),
            uncorrected=True,
        )  # fmt: skip
        facts = {
            "records": int(given["transactions"]), "seconds": float(given["seconds"]),
            "chance": chance, "reached": int(given.get("reached", given["rule_count"])),
            "rules": int(given["rule_count"]),
        }  # fmt: skip
        sheets = {"lengths": _lengths(given["errors"], given["found"])}
        kept = dict.fromkeys(("itemsets", "rules"))
        for name, one in (("itemsets", given.get("sets")), ("rules", given.get("rules"))):
            if one is not None:
                sheets[name] = _table(one)
        return Run(
            int(given["number"]), request, str(given["at"]), str(given["belongs_to"]),
            remarks=tuple(Message.from_json(note) for note in given["notes"]), facts=facts,
            sheets=sheets, kept=kept,
        )  # fmt: skip
    except (AttributeError, KeyError, TypeError, ValueError, WorkbenchError) as error:
        raise DataError("A saved run of the Mine page is damaged.") from error


def newest_request(study: Study) -> Mine | None:
    """What was mined last, as far as the study remembers it."""
    kept = study.results.get(Mine.name)
    listed = kept.get("runs") if isinstance(kept, Mapping) else None
    for given in reversed(listed if isinstance(listed, list | tuple) else ()):
        try:
            return read_run(given).request
        except DataError:
            continue
    return None


def _lengths(errors: list[Mapping[str, Any]], found: list[int]) -> Sheet:
    if not errors:
        return length_sheet({"length": range(1, len(found) + 1), "found": found})
    scale = {"support_error": 100.0, "missed": 100.0, "extra": 100.0}
    before = dict(zip(ERRORS, ("support_error", "missed", "extra", "f1"), strict=True))
    names = {"length": "size", "true": "true", "found": "found", "correct": "correct"} | before
    return length_sheet(
        {
            key: [
                math.nan if one[name] is None else one[name] * scale.get(name, 1) for one in errors
            ]
            for key, name in names.items()
        }
    )


def _table(given: Mapping[str, Any]) -> Sheet:
    words, members, heads = given["words"], padded(given["members"]), given["heads"]
    numbers = {name: _numbers(one) for name, one in given["values"].items()}
    ends = {"low": _numbers(given["low"]), "high": _numbers(given["high"])}
    left = JoinedTexts(words, members)
    if heads is not None:
        return rule_sheet(left, JoinedTexts(words, padded(heads)), numbers | ends)
    beside = {"uncorrected": numbers.pop("raw", None), "true": numbers.pop("true", None)}
    return itemset_sheet(left, {"length": left.size} | numbers | ends | beside)


def _numbers(given: list[float | None]) -> np.ndarray:
    return np.array([math.nan if value is None else value for value in given], float)


def run_document(run: Run[Mine], state: AnswerState) -> dict[str, Any]:
    """A whole run for programs: what was asked for, all itemsets and rules, errors by size.

    Parameters
    ----------
    state
        What the answers of the study are.
    """
    request, facts, lengths = run.request, run.facts, run.sheet("lengths")
    miner, rules = request.miner, request.rules or RuleParams()
    columns = {} if lengths is None else {one.key: one.values for one in lengths.columns}
    has_errors = "true" in columns
    return {
        "state": str(analysed_state(state, uses_original=miner.on_original)),
        "method": miner.name,
        "parameters": miner.to_json(),
        "certainty": certainty_of(miner),
        "min_confidence": rules.min_confidence,
        "false_discovery": rules.false_discovery,
        "transactions": facts["records"],
        "seconds": facts["seconds"],
        "itemsets": _records(run.sheet("itemsets"), {"itemset": "items"}),
        "rules": _records(run.sheet("rules"), {"left": "if", "right": "then"}),
        "errors": _records(lengths, {}) if has_errors else [],
        "expected_by_chance": facts["chance"],
        "notes": list(run.remarks),
    }


_SPELLED = {
    "low": "interval_from", "high": "interval_to", "uncorrected": "raw_support",
    "true": "true_support",
}  # fmt: skip
_OF_FILES = ("support", "confidence", "lift")


def _records(sheet: Sheet | None, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """The rows of a sheet: items by name as lists, numbers as the documents of Mine call them."""
    if sheet is None:
        return []
    spelled: dict[str, str] = {}
    if sheet.name != "lengths":
        spelled = {key: key for key in _OF_FILES} | _SPELLED
    if sheet.name == "rules":
        spelled["true"] = "true_confidence"
    columns: dict[str, list[Any]] = {}
    for one in sheet.columns:
        key = names.get(one.key) or (spelled.get(one.key) if spelled else one.key)
        if key is None:
            continue
        texts = one.values
        if isinstance(texts, JoinedTexts):
            columns[key] = [
                [str(texts.words[place]) for place in row if place >= 0]
                for row in texts.sides[0].tolist()
            ]
        else:
            columns[key] = [
                value if math.isfinite(value) else None for value in np.asarray(texts).tolist()
            ]
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


# Sheets of runs

F1, FOUND, SUPPORT_ERROR = "f1", "found", "support_error"
MEASURES = (F1, SUPPORT_ERROR, "false_negative", "false_positive", FOUND)
"""By what runs are compared, at every size: columns of the sheet of lengths."""
MEASURE_WORDS = {
    F1: Message("F1 by size"),
    SUPPORT_ERROR: Message("Support error by size"),
    "false_negative": Message("Missed by size"),
    "false_positive": Message("False positives by size"),
    FOUND: Message("Itemsets by size"),
}


class Sizes:
    """What a run found by the size of the sets, and how well where the truth is known."""

    def __init__(self, run: Run[Mine] | None) -> None:
        self.sheet: Sheet | None = None if run is None else run.sheet("lengths")
        columns = () if self.sheet is None else self.sheet.columns
        self._columns = {one.key: list(one.values) for one in columns}

    @property
    def has_errors(self) -> bool:
        return "true" in self._columns

    def values(self, key: str) -> list[Any]:
        """A column over the sizes from 1 on; empty where it is not known."""
        return self._columns.get(key, [])

    def at(self, key: str, size: int) -> float:
        """A number at a size; NaN where it is not known."""
        values = self.values(key)
        if size <= len(values):
            return float(values[size - 1])
        return 0.0 if key == FOUND else math.nan

    @property
    def longest(self) -> int:
        return len(self.values("length"))

    @property
    def longest_found(self) -> int:
        return max((place for place, one in enumerate(self.values(FOUND), 1) if one), default=0)

    @property
    def total(self) -> int:
        return int(sum(self.values(FOUND)))


_ERROR_HEADS = {
    "length": Message("items"), "true": Message("true\nfrequent"),
    SUPPORT_ERROR: Message("support\nerror"), "false_negative": Message("missed\nsets"),
    "false_positive": Message("false\nsets"),
}  # fmt: skip
_BAD = 50.0
"""From half of the truly frequent sets on, errors stand out."""


def errors_sheet(sheet: Sheet) -> Sheet:
    """The sheet of lengths for a narrow table; what is wrong with half of the sets stands out."""
    changes: dict[str, dict[str, Any]] = {key: {"head": one} for key, one in _ERROR_HEADS.items()}
    for key in ("found", "correct"):
        changes[key] = {"is_detail": True}
    for one in sheet.columns:
        if one.key in ("false_negative", "false_positive"):
            bad = {place for place, value in enumerate(one.values) if value >= _BAD}
            changes[one.key] |= {"best": bad, "decimals": 0}
        if one.key == F1:
            changes[F1] = {"decimals": 2}
    return sheet.changed(**changes)


def percent_message(share: float) -> Message:
    """A minimum with as many digits as it needs: 5 %, 0.5 %, 0.05 %."""
    return Message(f"{100 * share:.4g} %")


def run_title(run: Run[Mine]) -> Message:
    return Message(
        "{number}. {method}, {support}",
        number=run.number, method=Message.of(miners.entry(run.request.miner.name).label),
        support=percent_message(run.request.miner.min_support),
    )  # fmt: skip


def run_details(run: Run[Mine]) -> Message:
    """What else a run was asked for: what differs from what one would expect."""
    miner, rules = run.request.miner, run.request.rules
    certainty, found = (
        certainty_of(miner), [Message("{count} items", count=len(run.request.values))],
    )  # fmt: skip
    if certainty == SURELY:
        found.append(Message("lower limit above minimum"))
    elif certainty == POSSIBLY:
        found.append(Message("upper limit above minimum"))
    if rules is not None and rules.false_discovery is not None:
        found.append(Message("only rules beyond chance"))
    for declaration in declarations(type(miner)):
        value = getattr(miner, declaration.name)
        if declaration.name in ("min_support", FREQUENT) or value == declaration.default:
            continue
        shown = Message(f"{value:.3g}" if isinstance(value, float) else str(value))
        found.append(
            Message("{label} {value}", label=Message.of(declaration.info.label), value=shown)
        )
    return Message.joined(found, ", ")


_MEASURE_KINDS = {
    F1: (Kind.NUMBER, 2), FOUND: (Kind.COUNT, 0), SUPPORT_ERROR: (Kind.PERCENT, 1),
}  # fmt: skip
MOST_SIZES = 6
"""Sizes beyond these have no column in the window; they are in the chart and in files."""


def runs_sheet(runs: Sequence[Run[Mine]], measure: str) -> Sheet:
    """Runs beside each other, a measure over the sizes; all measures are in files."""
    known = [Sizes(run) for run in runs]
    sizes = range(1, max((one.longest for one in known), default=0) + 1)
    asked = [measure, *(one for one in MEASURES if one != measure)]
    seconds = [float(f"{run.facts['seconds']:.3g}") for run in runs]
    columns = [
        Column("run", Message("Run"), Kind.TEXT, [run_title(run) for run in runs], note="settings"),
        Column("settings", Message("Settings"), Kind.TEXT, [run_details(run) for run in runs]),
        Column("found", Message("Found"), Kind.COUNT, [one.total for one in known]),
        Column("rules", Message("Rules"), Kind.COUNT, [run.facts["rules"] for run in runs],
               is_detail=True),
        *(_measured(known, one, size, is_detail=one != measure or size > MOST_SIZES)
          for one in asked for size in sizes),
        Column("seconds", Message("Time"), Kind.NUMBER, seconds, unit="s"),
    ]  # fmt: skip
    return Sheet("runs", Message("Runs"), tuple(columns))


def _measured(runs: Sequence[Sizes], measure: str, size: int, *, is_detail: bool) -> Column:
    values = [run.at(measure, size) for run in runs]
    known = [value for value in values if not math.isnan(value)]
    best: set[int] = set()
    if measure != FOUND and len(known) > 1:
        top = max(known) if measure == F1 else min(known)
        best = {i for i, one in enumerate(values) if math.isclose(one, top, abs_tol=1e-9)}
    kind, decimals = _MEASURE_KINDS.get(measure, (Kind.PERCENT, 0))
    words = MEASURE_WORDS[measure]
    head = Message("{measure} {size}", measure=words, size=size)
    return Column(
        f"{measure} {size}", head if is_detail else Message(str(size)), kind, values,
        best=best, decimals=decimals, is_detail=is_detail,
        meaning=Message("{measure}, sets of size {size}", measure=words, size=size),
    )  # fmt: skip
