"""Mining: the items of a study, what is asked for, and a run of it."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ppworkbench.analyses.mine import Key, Mined, mine_items
from ppworkbench.analyses.mining.items import (
    items_of_parts,
    only_items,
    weigh_items,
)
from ppworkbench.analyses.mining.tables import (
    TRUE,
    ItemsetTable,
    SizeErrors,
    damaged_run,
    errors_from_json,
    errors_to_json,
    rule_table,
    set_table,
    size_errors,
    table_from_json,
    table_to_json,
    true_confidence_of,
)
from ppworkbench.core.data.attribute import MISSING_VALUE, Attribute, Kind
from ppworkbench.core.data.table import Table
from ppworkbench.core.data.transactions import ABSENT_PRESENT
from ppworkbench.core.design import Design
from ppworkbench.core.design.matrices.base import condition_number
from ppworkbench.core.design.noises import Discretise
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.itemsets import ItemData, item_data
from ppworkbench.core.itemsets.items import ItemOptions
from ppworkbench.core.itemsets.supports import shown_shares
from ppworkbench.core.message import Message
from ppworkbench.core.mining import (
    Chance,
    Level,
    Miner,
    RuleParams,
    miners,
)
from ppworkbench.core.params import declarations
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.study.distorted_cache import Answers, DistortedCache
from ppworkbench.study.fingerprint import fingerprint
from ppworkbench.study.parts.study_parts import StudyParts, estimated_words
from ppworkbench.study.sampling import UNUSED_SAMPLING
from ppworkbench.study.study import Study

Say = Callable[[str], str]
"""Says a text of the program in the language of whoever reads it."""

PROBABLY, SURELY, POSSIBLY = "probably", "surely", "possibly"
CERTAINTIES = (PROBABLY, SURELY, POSSIBLY)
FREQUENT, LIKELY = "frequent", "min_probability"
"""Parameters by which a miner knows the certainties: by their name, or by a probability."""


MOST_RULES = 200_000
"""Nobody reads more; beyond them longer sets are not split, and a note says so."""


@dataclass(frozen=True)
class MiningRequest:
    """Items, method and limits of one run.

    ``certainty`` says when a set counts as frequent: by its estimate, or by an end of its interval.
    ``false_discovery`` is the share of kept rules that chance may have brought; None keeps all.
    """

    items: tuple[Key, ...]
    miner: Miner
    min_confidence: float = 0.5
    certainty: str = PROBABLY
    false_discovery: float | None = None

    @property
    def rules(self) -> RuleParams:
        """Which rules are kept."""
        return RuleParams(
            min_confidence=self.min_confidence, rule_limit=MOST_RULES,
            false_discovery=self.false_discovery,
        )  # fmt: skip

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
            "false_discovery": self.false_discovery,
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> MiningRequest:
        """Read a request; one that this program does not understand is an error."""
        try:
            items = tuple((str(attribute), str(value)) for attribute, value in given["items"])
            miner = miners[str(given["method"])].from_json(given["parameters"])
            confidence = float(given["min_confidence"])
            certainty = str(given["certainty"])
            # Runs of older programs keep all rules.
            false = given.get("false_discovery")
            kept = None if false is None else RuleParams(false_discovery=false).false_discovery
        except (KeyError, TypeError, ValueError, WorkbenchError) as error:
            raise DataError("A saved run of the Mine page is damaged.") from error
        if certainty not in CERTAINTIES:
            raise DataError("A saved run of the Mine page is damaged.")
        return cls(items, miner, confidence, certainty, kept)


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


MOST_KEPT = 12
"""Runs that a study remembers; the oldest goes first."""


@dataclass(frozen=True, eq=False)
class MiningRun:
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
    chance
        What items that have nothing in common would bring; None where that is not known.
    reached
        How many rules reached the limits, kept or not.
    """

    number: int
    request: MiningRequest
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
    chance: Chance | None = None
    reached: int = 0

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


def run_to_json(run: MiningRun) -> dict[str, Any]:
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
        "errors": [errors_to_json(errors) for errors in run.errors],
        "notes": [Message.of(note).to_json() for note in run.notes],
        "chance": None if run.chance is None else run.chance.to_json(),
        "reached": run.reached,
        "sets": table_to_json(run.sets),
        "rules": table_to_json(run.rules),
    }


def run_from_json(given: Any) -> MiningRun:
    """The summary of a kept run; its tables are read when they are wanted."""
    try:
        chance = given.get("chance")
        return MiningRun(
            number=int(given["number"]),
            request=MiningRequest.from_json(given["request"]),
            at=str(given["at"]),
            belongs_to=str(given["belongs_to"]),
            transactions=int(given["transactions"]),
            seconds=float(given["seconds"]),
            names=tuple(str(name) for name in given["names"]),
            found=tuple(int(count) for count in given["found"]),
            rule_count=int(given["rule_count"]),
            errors=tuple(errors_from_json(errors) for errors in given["errors"]),
            notes=tuple(Message.from_json(note) for note in given["notes"]),
            chance=None if chance is None else Chance.from_json(chance),
            reached=int(given.get("reached", given["rule_count"])),
        )
    except (AttributeError, KeyError, TypeError, ValueError, WorkbenchError) as error:
        raise damaged_run() from error


def with_tables(run: MiningRun, given: Mapping[str, Any]) -> MiningRun:
    """The run with the tables that were kept; as it is where none were."""
    try:
        sets, rules = (table_from_json(given.get(name), name) for name in ("sets", "rules"))
    except (KeyError, TypeError, ValueError) as error:
        raise damaged_run() from error
    return dataclasses.replace(run, sets=sets, rules=rules)


SUGGESTED = 100
"""More items than these are mined only when somebody asks for them."""

_YES = frozenset({"yes", "true", "1", "y", "t"})
_NO = frozenset({"no", "false", "0", "n", "f"})


@dataclass(frozen=True)
class ItemOption:
    """A value of an attribute as an item, and what people call it and the attribute."""

    attribute: str
    value: str
    words: str
    title: str = ""

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


def available_items(study: Study, say: Say = str) -> AvailableItems:
    """What a study has to mine; with arms nothing, because itemsets need one version for all."""
    if study.design.has_arms:
        return AvailableItems()
    items: list[ItemOption] = []
    refused: list[tuple[str, str]] = []
    singular: dict[object, bool] = {}
    for designed in study.design:
        why = _refusal(study.design, designed.name, singular)
        if why:
            refused.append((study.shown(designed.name), say(why)))
            continue
        as_values = _as_values(study.design, designed.name)
        own = _items_of(as_values.with_(title=study.shown(designed.name)), say)
        is_listed = designed.attribute.kind.is_categorical
        items += own if is_listed else [_interval(one, say) for one in own]
    return AvailableItems(tuple(items), tuple(_usual(study.design, items)), tuple(refused))


def _as_values(design: Design, name: str) -> Attribute:
    """The attribute as its items see it: a number is cut into intervals."""
    attribute, perturbation = design[name].attribute, design.perturbation(name)
    if attribute.kind.is_categorical:
        return attribute
    if perturbation.numbers.interval_edges(attribute) is not None:
        return perturbation.distorted(attribute)
    return Discretise(intervals=ItemOptions().bins).distorted(attribute)


def _refusal(design: Design, name: str, singular: dict[object, bool]) -> str:
    """Why the values of an attribute cannot be items; empty if they can."""
    attribute, perturbation = design[name].attribute, design.perturbation(name)
    if attribute.kind.is_categorical:
        if attribute.k < 1:
            return Message("it has no values")
        if perturbation.is_identity:
            return ""
        if perturbation.reports_sets:
            return Message("its reports are sets of values")
        key = perturbation, attribute.k
        if key not in singular:
            condition = condition_number(perturbation.values.matrix(attribute.k))
            singular[key] = not math.isfinite(condition)
        return Message("its matrix is singular") if singular[key] else ""
    exact = perturbation.numbers.exact_share is not None
    if exact or perturbation.numbers.interval_edges(attribute) is not None:
        return "" if attribute.width > 0 else Message("it has only 1 possible number")
    return Message("it is a number with noise")


def _items_of(attribute: Attribute, say: Say) -> list[ItemOption]:
    is_basket = attribute.kind is Kind.BINARY and set(attribute.values) == set(ABSENT_PRESENT)
    return [
        ItemOption(attribute.name, value, _words(attribute, value, say), attribute.shown)
        for value in attribute.values
        if not (is_basket and value == "0")
    ]


def _interval(item: ItemOption, say: Say) -> ItemOption:
    """An item that is an interval of a number; its value is worded by the core."""
    return dataclasses.replace(item, words=f"{item.title}: {say(item.value)}")


def _words(attribute: Attribute, value: str, say: Say = str) -> str:
    """What people call an item.

    >>> car = Attribute("car", Kind.BINARY, ("no", "yes"))
    >>> _words(car, "yes"), _words(car, "no")
    ('car', 'no car')
    >>> _words(car.with_(title="Has a car"), "no")
    'Has a car: no'
    """
    shown = attribute.shown
    if is_yes_no(attribute) and value.lower() in _YES:
        return shown
    if is_yes_no(attribute) and shown == attribute.name:
        return say(Message("no {attribute}", attribute=shown))
    return f"{shown}: {value}"


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
    is_plain = perturbation.is_identity or perturbation.reports_sets
    if not attribute.kind.is_categorical or is_plain:
        return {}
    matrix = perturbation.values.matrix(attribute.k)
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

    def unweighted(self) -> Sources:
        """The same with records that count the same, and a note that they do."""
        published, truth = self.published, self.truth
        if published.record_weights is None:
            return self
        codes = ("weights", "only-weights")
        notes = [note for note in published.notes if getattr(note, "code", "") not in codes]
        alike = dataclasses.replace(published, record_weights=None, notes=(UNUSED_SAMPLING, *notes))
        if truth is not None:
            truth = dataclasses.replace(truth, record_weights=None)
        return Sources(alike, truth)


class ItemCache:
    """Makes items of answers; those of the last run are at hand for the next method."""

    def __init__(self) -> None:
        self._last: tuple[_Tables, Design, tuple[Key, ...], Sources] | None = None

    def of(
        self, answers: Answers, design: Design, request: MiningRequest, progress: Progress
    ) -> Sources:
        """The items that a run asks for."""
        tables = answers.distorted, answers.original
        if self._last is not None:
            before, then, items, sources = self._last
            same = all(a is b for a, b in zip(before, tables, strict=True)) and then is design
            if same and items == request.items:
                return sources
        self._last = None
        names = request.attributes
        progress(0.0, Message("Counting items"))
        reported = item_data(answers.distorted, design, names, progress=part(progress, 0.0, 0.5))
        sampling = design.sampling
        weighted = weigh_items(reported, answers.distorted, sampling)
        published = only_items(weighted, request.items)
        progress(0.5, Message("Counting items"))
        truth = None
        if answers.original is not None:
            rest = part(progress, 0.5, 1.0)
            whole = item_data(answers.original, design, names, original=True, progress=rest)
            truth = only_items(weigh_items(whole, answers.original, sampling), request.items)
        progress(1.0)
        sources = Sources(published, truth)
        self._last = tables, design, request.items, sources
        return sources

    def forget(self) -> None:
        """Let go of the answers."""
        self._last = None


@dataclass(eq=False)
class PartialResult:
    """The sizes that are done; one thread appends, others read."""

    levels: list[Level] = field(default_factory=list)


def run_mining(
    study: Study,
    kept: tuple[DistortedCache, ItemCache],
    request: MiningRequest,
    tally: PartialResult,
    progress: Progress = silent,
    say: Say = str,
) -> MiningRun:
    """Mine what was asked for, compare it with the truth where that is known, and list it.

    ``kept`` are the distorted answers and their items, both shared with other runs.
    """
    miner = request.miner
    if miner.on_original and study.original is None:
        raise DataError("The original answers are not known and cannot be mined.")
    if study.reported_parts is not None:
        sources = _parted_sources(study, study.reported_parts, request, part(progress, 0.0, 0.2))
    else:
        answers = kept[0].of(study, part(progress, 0.0, 0.1))
        sources = kept[1].of(answers, study.design, request, part(progress, 0.1, 0.2))
    if not miner.uses_weights:
        sources = sources.unweighted()
    data = sources.truth if miner.on_original else sources.published
    assert data is not None  # noqa: S101 (asked for above)
    truth = None if miner.on_original else sources.truth
    share = part(progress, 0.2, 0.85)
    mined = mine_items(data, miner, request.rules, truth, share, tally.levels.append)
    return _listed(study, request, sources, mined, part(progress, 0.85, 1.0), say)


def _parted_sources(
    study: Study, parts: StudyParts, request: MiningRequest, progress: Progress
) -> Sources:
    """The items of all parts, which the engine of the study counts."""
    # What reads parts comes with libraries that the window need not wait for.
    from ppworkbench.core.survey.parted import PartedAnswers

    study.design.refuse_arms()
    progress(0.0, Message("Looking at the parts"))
    answers = PartedAnswers(parts.open(), parts.worker, progress=progress)
    # A method that knows no weights leaves them out, and says so.
    sampling = study.sampling if request.miner.uses_weights else None
    found = items_of_parts(answers, study.design, request.attributes, sampling)
    return Sources(only_items(found, request.items), None)


def _listed(
    study: Study,
    request: MiningRequest,
    sources: Sources,
    mined: Mined,
    progress: Progress,
    say: Say,
) -> MiningRun:
    result, rules = mined.result, mined.rules
    assert rules is not None  # noqa: S101 (a run always asks for them)
    found, exact = result.itemsets, request.miner.on_original
    known = available_items(study, say).by_key
    words = tuple(
        known[item.attribute, item.value].words
        if (item.attribute, item.value) in known
        else item.name
        for item in result.items
    )
    raw = true = true_confidence = None
    if not exact:
        progress(0.0, Message("counting uncorrected"))
        raw = shown_shares(sources.published, found.sets, part(progress, 0.0, 0.5))
    if sources.truth is not None and not exact:
        true = shown_shares(sources.truth, found.sets, part(progress, 0.5, 1.0))
        true_confidence = true_confidence_of(found, true, rules)
    sizes = np.bincount(found.lengths, minlength=1)[1:]
    told = () if study.reported_parts is None else (estimated_words(study.reported_parts),)
    return MiningRun(
        number=0,
        request=request,
        at=time.strftime("%H:%M"),
        belongs_to=fingerprint(study),
        transactions=result.transactions,
        seconds=result.seconds,
        names=tuple(item.name for item in result.items),
        found=tuple(int(size) for size in sizes),
        rule_count=len(rules),
        errors=() if mined.errors is None else size_errors(mined.errors),
        notes=(*result.notes, *rules.notes, *told),
        sets=set_table(found, words, raw, true, exact=exact),
        rules=rule_table(rules, words, true_confidence, exact=exact),
        chance=mined.chance,
        reached=rules.reached,
    )
