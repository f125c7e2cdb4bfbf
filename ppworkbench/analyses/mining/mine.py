"""Frequent itemsets and rules among the true answers, estimated from reported ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ppworkbench.analyses.inputs import AnswerSource, refuse_reported
from ppworkbench.analyses.request import STRATA, Request
from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.formats import formats
from ppworkbench.core.data.transactions import with_absent_items
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.itemsets import Item, ItemData, ItemOptions, Level, SetList, item_data
from ppworkbench.core.itemsets.supports import shown_shares
from ppworkbench.core.message import Message, titled
from ppworkbench.core.mining import (
    Apriori,
    Chance,
    EntryPrivacy,
    LengthErrors,
    Miner,
    RuleParams,
    Rules,
    entry_privacy,
    expected_by_chance,
    find_rules,
    length_errors,
    mine,
    mined_privacy,
    miners,
)
from ppworkbench.core.mining import MiningResult as MinedSets
from ppworkbench.core.mining.entry_privacy import entry_sentence
from ppworkbench.core.mining.errors import match
from ppworkbench.core.params import Info, Member, Option, Part, Read
from ppworkbench.core.privacy.reinterrogation import ReinterrogationPrivacy, reading
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.results.picture import (
    MOST_LINES,
    Axis,
    Interval,
    Picture,
    interval_note,
    intervals,
)
from ppworkbench.results.result import Result
from ppworkbench.results.sheet import Column, JoinedTexts, Kind, Sheet, bracket_note
from ppworkbench.results.text import REPORTED, Naming, naming

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.analyses.source import Source
    from ppworkbench.core.data.attribute import Attribute
    from ppworkbench.core.data.table import Table

Key = tuple[str, str]
"""An item: attribute and value."""


@dataclass(frozen=True, eq=False)
class Mined:
    """What was found; rules, errors and the privacy that is left where they were asked for.

    ``chance`` is what independent items would bring, where single records can be looked at;
    ``uncorrected`` and ``true`` are the shares of records that show every set.
    """

    result: MinedSets
    rules: Rules | None = None
    errors: LengthErrors | None = None
    privacy: ReinterrogationPrivacy | None = None
    chance: Chance | None = None
    uncorrected: Numbers | None = None
    true: Numbers | None = None

    def counted_beside(
        self, data: ItemData, truth: ItemData | None, progress: Progress = silent
    ) -> Mined:
        """The same with what the answers show of every set, and the true ones where known."""
        sets = self.result.itemsets.sets
        progress(0.0, Message("counting uncorrected"))
        found = shown_shares(data, sets, part(progress, 0.0, 0.5))
        true = None if truth is None else shown_shares(truth, sets, part(progress, 0.5, 1.0))
        return dataclasses.replace(self, uncorrected=found, true=true)

    def true_confidence(self, rules: Rules) -> Numbers | None:
        """The confidence of rules in the true answers; NaN where nobody has the left side."""
        if self.true is None:
            return None
        sets, known = self.result.itemsets, np.append(self.true, np.nan)
        sides = np.hstack([as_rows(rules.left), as_rows(rules.right)])
        whole = known[match(_as_sets(sides, rules.left), sets)]
        left, nothing = known[match(rules.left, sets)], np.full(len(whole), np.nan)
        return np.asarray(np.divide(whole, left, out=nothing, where=left > 0))


def as_rows(sets: SetList) -> NDArray[np.int32]:
    """Members as a matrix, filled up with -1."""
    longest = int(sets.lengths.max(initial=0))
    rows = np.full((len(sets), longest), -1, np.int32)
    rows[np.arange(longest) < sets.lengths[:, None]] = sets.members
    return rows


def _as_sets(rows: NDArray[np.int32], like: SetList) -> SetList:
    """Undo :func:`as_rows`; the -1 may stand anywhere."""
    nothing = np.iinfo(np.int32).max
    ordered = np.sort(np.where(rows < 0, nothing, rows), axis=1)
    held = ordered != nothing
    offsets = np.concatenate([[0], np.cumsum(held.sum(axis=1), dtype=np.int64)])
    return SetList(like.items, ordered[held].astype(np.int32), offsets)


def mine_items(
    data: ItemData,
    miner: Miner,
    wanted: RuleParams | None = None,
    truth: ItemData | None = None,
    progress: Progress = silent,
    on_level: Callable[[Level], None] | None = None,
    *,
    with_privacy: bool = False,
) -> Mined:
    """Mine items; find rules, compare with true answers and measure privacy where asked for."""
    result = mine(data, miner, progress=part(progress, 0.0, 0.4), on_level=on_level)
    rules = errors = privacy = None
    if wanted is not None:
        rules = find_rules(result, data, wanted, progress=part(progress, 0.4, 0.6))
    chance = expected_by_chance(data, result, wanted, part(progress, 0.6, 0.8))
    if truth is not None:
        if data.items != truth.items:
            raise DataError(
                "The original file and the mined file have different items; use the same "
                "design and attributes for both."
            )
        progress(0.8, Message("comparing with true supports"))
        reference = Apriori(
            min_support=miner.min_support,
            max_length=miner.max_length,
            candidate_limit=miner.candidate_limit,
        )
        truly = mine(truth, reference, progress=part(progress, 0.8, 0.9))
        errors = length_errors(result.itemsets, truly.itemsets)
    if with_privacy:
        privacy = mined_privacy(result, data, progress=part(progress, 0.9, 1.0))
    return Mined(result, rules, errors, privacy, chance)


@dataclass(frozen=True, eq=False, repr=False)
class MiningResult(Result):
    """Frequent itemsets; rules, errors by length and privacy where these were asked for."""

    mined: Mined
    shown: Naming
    state: str = ""
    about: tuple[str, ...] = ()
    """What must be known of the sampling."""
    entries: tuple[EntryPrivacy, ...] = ()
    main: ClassVar[str] = "itemsets"

    @property
    def found(self) -> MinedSets:
        return self.mined.result

    @property
    def is_private(self) -> bool:
        """Also where nothing says that what was counted as it is are reports."""
        return self.state != REPORTED or super().is_private

    @property
    def remarks(self) -> tuple[str, ...]:
        """What must be known of the sets, the rules and the sampling."""
        rules = self.mined.rules
        return (*self.found.notes, *(() if rules is None else rules.notes), *self.about)

    def sentence(self) -> str:
        return Message(
            "{count:,} frequent itemsets in {records:,} records, method {method}, {level:g} % "
            "intervals, {seconds:.2f} seconds.",
            count=len(self.found.itemsets), records=self.found.transactions,
            method=self.found.method, level=100 * self.found.miner.confidence,
            seconds=self.found.seconds,
        )  # fmt: skip

    def readings(self) -> tuple[str, ...]:
        mined, told = self.mined, []
        if mined.chance is not None:
            several = int((self.found.itemsets.lengths > 1).sum())
            reached = None if mined.rules is None else mined.rules.reached
            told.append(mined.chance.sentence(several, reached))
        if mined.privacy is not None:
            told.append(reading(mined.privacy).sentence)
        return (*told, *map(entry_sentence, self.entries[:1]))

    def methods(self) -> tuple[str, ...]:
        found = self.found
        return (
            Message(
                "Itemsets with a support of {least:g} or more were mined by {method} from {n:,} "
                "records.",
                least=found.miner.min_support, method=Message.of(miners.entry(found.method).label),
                n=found.transactions,
            ),
        )  # fmt: skip

    def sheets(self) -> tuple[Sheet, ...]:
        rules = () if self.mined.rules is None else (self._rules(self.mined.rules),)
        return (self._lengths(self.mined.errors), self._itemsets(), *rules)

    def _itemsets(self) -> Sheet:
        sets, mined = self.found.itemsets, self.mined
        numbers = {
            "length": sets.lengths, "support": sets.support, "standard_error": sets.standard_error,
            "low": sets.low, "high": sets.high, "raw": sets.raw,
            "uncorrected": mined.uncorrected, "true": mined.true,
        }  # fmt: skip
        return itemset_sheet(self._texts(sets), numbers)

    def _lengths(self, errors: LengthErrors | None) -> Sheet:
        if errors is None:
            levels = self.found.levels
            return length_sheet({n: [getattr(one, n) for one in levels] for n in _OF_LEVELS})
        names = ("true", "found", "correct", *ERRORS)
        return length_sheet({"length": errors.lengths} | {n: getattr(errors, n) for n in names})

    def _rules(self, rules: Rules) -> Sheet:
        numbers = {
            "support": rules.support, "confidence": rules.confidence,
            "standard_error": rules.standard_error, "low": rules.low, "high": rules.high,
            "lift": rules.lift, "p": rules.p, "true": self.mined.true_confidence(rules),
        }  # fmt: skip
        return rule_sheet(self._texts(rules.left), self._texts(rules.right), numbers)

    def rules(self) -> pd.DataFrame:
        """One row per rule, the most confident first; empty where none were asked for."""
        import pandas as pd

        if self.mined.rules is None:
            return pd.DataFrame()
        frame = self._rules(self.mined.rules).to_frame()
        return frame.drop(columns=["rule", "lift_low", "lift_high"])

    def table_note(self) -> Message:
        return bracket_note(self.found.transactions, self.found.miner.confidence)

    def pictures(self) -> tuple[Picture, ...]:
        sets = self.found.itemsets
        first = np.argsort(-sets.support, kind="stable")[:MOST_LINES].tolist()
        values = [
            Interval(float(sets.support[i]), float(sets.low[i]), float(sets.high[i])) for i in first
        ]
        texts = self._texts(sets)
        labels = [titled(texts[i], self.shown) for i in first]
        note = interval_note(self.found.transactions, self.found.miner.confidence)
        axis = Axis(Message("support"))
        title = Message("Frequent itemsets")
        return (intervals("supports", title, axis, labels, values, note=note),)

    def _document(self) -> Mapping[str, Any]:
        mined, document = self.mined, self.found.to_json()
        if mined.errors is not None:
            document["levels"] = mined.errors.to_json()
        if mined.rules is not None:
            document["rules"] = mined.rules.to_json()
            document["notes"] += mined.rules.notes
        if mined.chance is not None:
            document["expected_by_chance"] = mined.chance.to_json()
        if mined.privacy is not None:
            document["reinterrogation"] = mined.privacy.to_json()
        if self.entries:
            document["single_entries"] = [one.to_json() for one in self.entries]
        return document | {"remarks": list(self.about)} if self.about else document

    @cached_property
    def _words(self) -> tuple[str, ...]:
        """The items; a program reads names, people what they call the attributes."""
        return tuple(_item_words(one, self.shown) for one in self.found.items)

    def _texts(self, sets: SetList) -> JoinedTexts:
        return JoinedTexts(self._words, as_rows(sets))

    @property
    def facts(self) -> dict[str, Any]:
        """What a page tells of a run besides: records, seconds, and what chance would bring."""
        chance, rules = self.mined.chance, self.mined.rules
        return {
            "records": self.found.transactions,
            "seconds": round(self.found.seconds, 4),
            "chance": None if chance is None else chance.to_json(),
            "reached": 0 if rules is None else rules.reached,
            "rules": 0 if rules is None else len(rules),
        }


def _item_words(item: Item, shown: Naming) -> str:
    if shown(item.attribute) == item.attribute:
        return item.name
    if item.name == item.attribute:
        return Message("{attribute}", attribute=item.attribute)
    return Message("{attribute}={value}", attribute=item.attribute, value=str(item.value))


_OF_LEVELS = ("length", "candidates", "found")
ERRORS = ("support_error", "false_negative", "false_positive", "f1")
_HEADS = {
    "length": Message("length"), "candidates": Message("candidates"), "found": Message("found"),
    "true": Message("true"), "correct": Message("correct"), "low": Message("low"),
    "high": Message("high"), "standard_error": Message("standard error"),
    "support": Message("support"), "raw": Message("support, unclipped"),
    "uncorrected": Message("uncorrected"), "confidence": Message("confidence"),
    "lift": Message("lift"), "lift_low": Message("lift, low"), "lift_high": Message("lift, high"),
    "p": Message("p"), "support_error": Message("support error"),
    "false_negative": Message("missed"), "false_positive": Message("false positives"),
    "f1": Message("F1"),
}  # fmt: skip
_MEANINGS = {
    "length": Message("Number of items in the set"),
    "support": Message("Share of respondents with all items"),
    "confidence": Message("Share of respondents with the left side who also have the right side"),
    "lift": Message(
        "Frequency of the right side among respondents with the left side, relative to all; "
        "1 means independent"
    ),
    "uncorrected": Message("Counted in the distorted table, uncorrected"),
    "support_error": Message("Mean relative error of the supports of correctly found sets"),
    "false_negative": Message("Frequent sets that were not found, as a share of frequent sets"),
    "false_positive": Message("Found sets that are not frequent, as a share of frequent sets"),
    "f1": Message("Identification of frequent sets: 1 means no errors"),
}
_KINDS = {
    **dict.fromkeys(("length", "candidates", "found", "correct"), Kind.COUNT),
    **dict.fromkeys(ERRORS[:3], Kind.PERCENT),
    **dict.fromkeys(("lift", "lift_low", "lift_high", "f1"), Kind.NUMBER), "p": Kind.P,
}  # fmt: skip
_DETAILS = ("raw", "p", "lift_low", "lift_high")
_DECIMALS = {"lift": 4, "lift_low": 4, "lift_high": 4, "f1": 3}
_ENDS = {"lift": ("lift_low", "lift_high")}
_Numbers = Mapping[str, Any]


def _column(key: str, values: Any, **changes: Any) -> Column:
    low, high = _ENDS.get(key, ("", ""))
    usual = Column(
        key, _HEADS[key], _KINDS.get(key, Kind.SHARE), values, low, high,
        is_detail=key in _DETAILS, decimals=_DECIMALS.get(key),
        meaning=_MEANINGS.get(key, Message("")),
    )  # fmt: skip
    return dataclasses.replace(usual, **changes)


def itemset_sheet(texts: JoinedTexts, numbers: _Numbers) -> Sheet:
    """Itemsets with what is known of them; None for what is not."""
    changes: dict[str, Any] = {
        "support": {"low": "low", "high": "high"}, "length": {"is_detail": True},
        "true": {"meaning": Message("Counted in the original table")},
    }  # fmt: skip
    known = [(key, values) for key, values in numbers.items() if values is not None]
    columns = [_column(key, values, **changes.get(key, {})) for key, values in known]
    named = Column("itemset", Message("itemset"), Kind.TEXT, texts)
    sort = "raw" if "raw" in numbers else "support"
    return Sheet("itemsets", Message("Frequent itemsets"), (named, *columns), sort=sort)


def rule_sheet(left: JoinedTexts, right: JoinedTexts, numbers: _Numbers) -> Sheet:
    """Rules with what is known of them.

    The interval of the lift is that of the confidence, divided by the share of the right side; the
    error of that share is left out, since it is small beside that of the confidence.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = numbers["lift"] / numbers["confidence"]
        ends = {"lift_low": numbers["low"] * scale, "lift_high": numbers["high"] * scale}
    changes: dict[str, Any] = {
        "confidence": {"low": "low", "high": "high"}, "standard_error": {"is_detail": True},
        "true": {"meaning": Message("Counted in the original table")},
    }  # fmt: skip
    known = [(key, values) for key, values in {**numbers, **ends}.items() if values is not None]
    text = Kind.TEXT
    columns = (
        Column("rule", Message("rule"), text, JoinedTexts(left.words, *left.sides, *right.sides)),
        Column("left", Message("if"), text, left, is_detail=True),
        Column("right", Message("then"), text, right, is_detail=True),
        *(_column(key, values, **changes.get(key, {})) for key, values in known),
    )
    return Sheet("rules", Message("Rules"), columns, nothing=Message("No rules."))


def length_sheet(numbers: _Numbers) -> Sheet:
    """How many itemsets there are of every length, with their errors where these are known."""
    true = Message("Sets with minimum support in the original answers")
    changes = {"true": {"kind": Kind.COUNT, "meaning": true}}
    columns = [_column(key, values, **changes.get(key, {})) for key, values in numbers.items()]
    return Sheet("lengths", Message("Itemsets by length"), tuple(columns))


def _keys(given: Any) -> tuple[Key, ...]:
    """Items as pairs, from a mapping of attributes to their values."""
    if isinstance(given, tuple):
        return given
    if not isinstance(given, Mapping) or any(isinstance(some, str) for some in given.values()):
        raise TypeError(Message("it must be a mapping of lists of texts by name"))
    return tuple((str(name), str(value)) for name, some in given.items() for value in some)


def _by_attribute(keys: tuple[Key, ...]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in keys:
        found.setdefault(name, []).append(value)
    return found


@dataclass(frozen=True, kw_only=True)
class Mine(Request):
    """Find frequent itemsets, and rules if these are wanted.

    Records that lack an answer to one of the attributes are left out. Intervals are of 95 % unless
    ``confidence`` says otherwise. The result tells how many itemsets and rules would be found if
    the items had nothing in common (not for a folder of parts). Without a design the answers are
    counted as they are. True answers are for the errors by length.

    Examples
    --------
    >>> import pandas as pd, ppworkbench as pp
    >>> bought = {"kind": "binary", "values": ["no", "yes"],
    ...     "perturbation": {"type": "uniform", "keep": 0.95}}
    >>> design = {"format": "ppworkbench-design", "version": 1,
    ...     "attributes": {"bread": bought, "milk": bought}}
    >>> baskets = pd.DataFrame(
    ...     {"bread": ["yes"] * 60 + ["no"] * 40, "milk": ["yes"] * 50 + ["no"] * 50})
    >>> found = pp.mine(baskets, design, min_support=0.5).to_frame()
    >>> found.loc[found["length"] == 2, ["itemset", "support"]].round(3).values.tolist()
    [['bread=yes, milk=yes', 0.55]]
    """

    name: ClassVar[str] = "mine"
    label: ClassVar[Message] = Message("Frequent itemsets and rules")
    leading: ClassVar[tuple[str, ...]] = ("attributes",)
    needs_design: ClassVar[bool] = False
    unused: ClassVar[tuple[str, ...]] = STRATA
    only_here: ClassVar[tuple[str, ...]] = ("uncorrected",)
    finds: ClassVar[type[Result]] = MiningResult

    attributes: Annotated[
        tuple[str, ...],
        Option("attribute", "NAME", is_repeated=True),
        Info("Attributes", "attribute whose values are items, may be repeated (default: all)"),
    ] = ()
    values: Annotated[
        tuple[Key, ...],
        Read(_keys, _by_attribute, annotation="Mapping[str, Sequence[str]]"),
        Option(on_command_line=False),
        Info("Values", "By attribute, the values that are items; all others are none"),
    ] = ()
    miner: Annotated[Miner, Member(miners), Info("Method", "mining method")] = field(
        default_factory=miners["shrinkage"]
    )
    items: Annotated[
        ItemOptions, Part("items"), Info("Items", "Which values are items, by the options of items")
    ] = field(default_factory=ItemOptions)
    rules: Annotated[
        RuleParams | None,
        Part("Rules", "rules"),
        Info("Rules", "find rules as well"),
    ] = None
    privacy: Annotated[
        bool, Info("Privacy", "tell what is left of privacy where an attacker knows the itemsets")
    ] = False
    uncorrected: Annotated[
        bool,
        Option(on_command_line=False),
        Info(
            "Uncorrected",
            "count what the answers as they are show of every itemset, and the true ones",
            in_forms=False,
        ),
    ] = False

    def run(self, source: Source, progress: Progress = silent) -> MiningResult:
        design, miner = source.known_design, self._seeded(source.seed)
        if design is not None:
            design.refuse_arms()
        is_corrected = design is not None and not miner.on_original
        if self.privacy and not is_corrected:
            able = [entry.name for entry in miners.ranked if not entry.item.on_original]
            raise ParameterError(
                "Privacy after mining is measured for a design, with a method that corrects for "
                f"it; give a design, and one of the methods {', '.join(able)}.",
                field="privacy",
            )
        reported, truth, called = self._items(source, miner, part(progress, 0.0, 0.4))
        last = 0.85 if self.uncorrected else 1.0
        mined = mine_items(
            reported, miner, self.rules, truth, part(progress, 0.4, last), with_privacy=self.privacy
        )
        if self.uncorrected and not miner.on_original:
            mined = mined.counted_beside(reported, truth, part(progress, last, 1.0))
        entries: tuple[EntryPrivacy, ...] = ()
        if self.privacy and mined.rules is not None and design is not None:
            entries = entry_privacy(mined.result.itemsets, mined.rules, reported, design)
        state = REPORTED if is_corrected else source.uncorrected_state
        return MiningResult(mined, naming(called), state, source.remarks, entries)

    def _seeded(self, seed: int | None) -> Miner:
        drawn = self.miner.seed_field
        if not drawn or seed is None:
            return self.miner
        return dataclasses.replace(self.miner, **{drawn: seed})

    def _items(
        self, source: Source, miner: Miner, progress: Progress
    ) -> tuple[ItemData, ItemData | None, Sequence[Attribute]]:
        """The items of reported answers, those of true ones, and what people call the columns."""
        from ppworkbench.analyses.mining.items import items_of_parts, weigh_items

        design, roles = source.known_design, source.sampling
        names: Sequence[str] | None = self.attributes or list(_by_attribute(self.values)) or None
        if source.parted is not None:
            if design is None:
                raise ParameterError(
                    "A folder of parts is mined with its design; give the design.", field="design"
                )
            found = items_of_parts(
                source.parted, design, names, roles, self.items, uncorrected=miner.on_original
            )
            return self._only(found), None, [one.attribute for one in design]
        is_true = source.is_of_truth
        table = _read(source.data, source, names, part(progress, 0.0, 0.5), original=is_true)
        asked = names
        if asked is None and roles is not None:
            # Columns that tell how people were drawn are no items.
            among = table.names if design is None else design.names
            asked = [name for name in among if name not in roles.columns]
        known = None if miner.on_original and not is_true else design
        found = item_data(table, known, asked, self.items, original=is_true)
        reported = self._only(weigh_items(found, table, roles))
        called = [one.attribute for one in design] if design else table.attributes
        if source.original is None:
            return reported, None, called
        refuse_reported(source.original.path)
        true = _read(source.original, source, names, part(progress, 0.5, 1.0), original=True)
        truth = weigh_items(item_data(true, design, asked, self.items, original=True), true, roles)
        return reported, self._only(truth), called

    def _only(self, found: ItemData) -> ItemData:
        from ppworkbench.analyses.mining.items import only_items

        return only_items(found, self.values) if self.values else found


def _read(
    data: AnswerSource,
    source: Source,
    names: Sequence[str] | None,
    progress: Progress,
    *,
    original: bool = False,
) -> Table:
    design = source.known_design
    if design is None:
        return data.whole(progress=progress)
    expected = [
        design[name].attribute if original else design[name].distorted
        for name in names or design.names
    ]
    is_baskets = data.path is not None and data.path.suffix.lower() in formats["baskets"].suffixes
    if source.reading.format == "baskets" or is_baskets:
        # An item that is in no basket of the file is not in the file.
        return with_absent_items(data.whole(progress=progress), expected)
    return data.whole(expected, progress)


QUESTION = Mine
