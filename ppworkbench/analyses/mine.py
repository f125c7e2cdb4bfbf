"""Frequent itemsets and rules among the true answers, estimated from reported ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from ppworkbench.analyses.inputs import AnswerSource, refuse_reported
from ppworkbench.analyses.request import STRATA, Request
from ppworkbench.core.data.formats import formats
from ppworkbench.core.data.transactions import with_absent_items
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.itemsets import Item, ItemData, ItemOptions, Level, SetList, item_data
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
from ppworkbench.results.sheet import Column, Kind, LazyTexts, Sheet
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

    ``chance`` is what independent items would bring, where single records can be looked at.
    """

    result: MinedSets
    rules: Rules | None = None
    errors: LengthErrors | None = None
    privacy: ReinterrogationPrivacy | None = None
    chance: Chance | None = None


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
        """The itemsets."""
        return self.mined.result

    @property
    def remarks(self) -> tuple[str, ...]:
        """What must be known of the sets, the rules and the sampling."""
        rules = self.mined.rules
        return (*self.found.notes, *(() if rules is None else rules.notes), *self.about)

    def sentence(self) -> str:
        """How much was found."""
        return Message(
            "{count:,} frequent itemsets in {records:,} records, method {method}, {level:g} % "
            "intervals, {seconds:.2f} seconds.",
            count=len(self.found.itemsets), records=self.found.transactions,
            method=self.found.method, level=100 * self.found.miner.confidence,
            seconds=self.found.seconds,
        )  # fmt: skip

    def readings(self) -> tuple[str, ...]:
        """What chance would bring, and what is left of privacy."""
        mined, told = self.mined, []
        if mined.chance is not None:
            several = int((self.found.itemsets.lengths > 1).sum())
            reached = None if mined.rules is None else mined.rules.reached
            told.append(mined.chance.sentence(several, reached))
        if mined.privacy is not None:
            told.append(reading(mined.privacy).sentence)
        return (*told, *map(entry_sentence, self.entries[:1]))

    def methods(self) -> tuple[str, ...]:
        """How the sets were found."""
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
        """The lengths, the itemsets, and the rules where these were asked for."""
        rules = () if self.mined.rules is None else (self._rules(self.mined.rules),)
        return (self._lengths(self.mined.errors), self._itemsets(), *rules)

    def _itemsets(self) -> Sheet:
        sets = self.found.itemsets
        ends = {"standard_error": sets.standard_error, "low": sets.low, "high": sets.high}
        columns = (
            Column("itemset", Message("itemset"), Kind.TEXT, self._texts(sets)),
            Column("length", Message("length"), Kind.COUNT, sets.lengths, is_detail=True),
            Column("support", Message("support"), Kind.SHARE, sets.support, "low", "high"),
            *_shares(ends),
            Column("raw", Message("support, unclipped"), Kind.SHARE, sets.raw, is_detail=True),
        )
        return Sheet("itemsets", Message("Frequent itemsets"), columns, sort="raw")

    def _lengths(self, errors: LengthErrors | None) -> Sheet:
        if errors is None:
            levels = self.found.levels
            counts: dict[str, Any] = {
                name: [getattr(one, name) for one in levels] for name in _OF_LEVELS
            }
            return Sheet("lengths", Message("Itemsets by length"), _counts(counts))
        counts = {
            "length": errors.lengths, "true": errors.true, "found": errors.found,
            "correct": errors.correct,
        }  # fmt: skip
        percent = Kind.PERCENT
        columns = (
            *_counts(counts),
            Column("support_error", Message("support error, %"), percent, errors.support_error),
            Column("false_negative", Message("missed, %"), percent, errors.false_negative),
            Column("false_positive", Message("false positives, %"), percent, errors.false_positive),
            Column("f1", Message("F1"), Kind.NUMBER, errors.f1, decimals=3),
        )
        return Sheet("lengths", Message("Itemsets by length"), columns)

    def _rules(self, rules: Rules) -> Sheet:
        left, right = self._texts(rules.left), self._texts(rules.right)

        def rule(place: int) -> str:
            return Message("{left} => {right}", left=left[place], right=right[place])

        ends = {"low": rules.low, "high": rules.high}
        columns = (
            Column("rule", Message("rule"), Kind.TEXT, LazyTexts(len(rules), rule)),
            Column("left", Message("if"), Kind.TEXT, left, is_detail=True),
            Column("right", Message("then"), Kind.TEXT, right, is_detail=True),
            Column("support", Message("support"), Kind.SHARE, rules.support),
            Column("confidence", Message("confidence"), Kind.SHARE, rules.confidence,
                   "low", "high"),
            Column("standard_error", Message("standard error"), Kind.SHARE, rules.standard_error,
                   is_detail=True),
            *_shares(ends),
            Column("lift", Message("lift"), Kind.NUMBER, rules.lift, decimals=4),
        )  # fmt: skip
        if rules.p is not None:
            columns += (Column("p", Message("p"), Kind.P, rules.p, is_detail=True),)
        return Sheet("rules", Message("Rules"), columns, nothing=Message("No rules."))

    def rules(self) -> pd.DataFrame:
        """One row per rule, the most confident first; empty where none were asked for."""
        import pandas as pd

        if self.mined.rules is None:
            return pd.DataFrame()
        return self._rules(self.mined.rules).to_frame().drop(columns="rule")

    def pictures(self) -> tuple[Picture, ...]:
        """The itemsets with the largest support."""
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

    def _texts(self, sets: SetList) -> LazyTexts:
        words = self._words

        def text(place: int) -> str:
            items = tuple(words[member] for member in sets.set_at(place))
            if any(isinstance(one, Message) for one in items):
                return Message("{items}", items=items)
            return ", ".join(items)

        return LazyTexts(len(sets), text)


def _item_words(item: Item, shown: Naming) -> str:
    if shown(item.attribute) == item.attribute:
        return item.name
    if item.name == item.attribute:
        return Message("{attribute}", attribute=item.attribute)
    return Message("{attribute}={value}", attribute=item.attribute, value=str(item.value))


_OF_LEVELS = ("length", "candidates", "found")
_HEADS = {
    "length": Message("length"), "candidates": Message("candidates"), "found": Message("found"),
    "true": Message("true"), "correct": Message("correct"), "low": Message("low"),
    "high": Message("high"), "standard_error": Message("standard error"),
}  # fmt: skip


def _counts(values: Mapping[str, Any]) -> tuple[Column, ...]:
    return tuple(Column(key, _HEADS[key], Kind.COUNT, one) for key, one in values.items())


def _shares(values: Mapping[str, Any]) -> tuple[Column, ...]:
    return tuple(Column(key, _HEADS[key], Kind.SHARE, one) for key, one in values.items())


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

    def run(self, source: Source, progress: Progress = silent) -> MiningResult:
        """Mine, compare with the truth where it is known, and measure privacy where asked for."""
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
        mined = mine_items(
            reported, miner, self.rules, truth, part(progress, 0.4, 1.0), with_privacy=self.privacy
        )
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
        table = _read(source.data, source, names, part(progress, 0.0, 0.5))
        asked = names
        if asked is None and roles is not None:
            # Columns that tell how people were drawn are no items.
            among = table.names if design is None else design.names
            asked = [name for name in among if name not in roles.columns]
        found = item_data(table, None if miner.on_original else design, asked, self.items)
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
