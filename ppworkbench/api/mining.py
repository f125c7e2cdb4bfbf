"""Frequent itemsets and rules among the true answers, estimated from reported ones."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ppworkbench.analyses.arguments import check_arguments
from ppworkbench.analyses.inputs import (
    AnswerSource,
    Data,
    DesignLike,
    engine_for,
    given_options,
    holds_reports,
    refuse_reported,
    refuse_with_parts,
    settings,
)
from ppworkbench.api.pictures import MOST_LINES, Interval, draw_intervals
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.sampling_roles import UNUSED_SAMPLING, Sampling
from ppworkbench.core.design.design_file import as_design
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.results.result import Result
from ppworkbench.results.text import REPORTED, Naming, aligned, harmless, naming, note_lines

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from ppworkbench.analyses.mining.runs import Mined
    from ppworkbench.core.data.attribute import Attribute
    from ppworkbench.core.data.table import Table
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.engines import Engine
    from ppworkbench.core.itemsets import Item, ItemData, SetList
    from ppworkbench.core.mining import EntryPrivacy, LengthErrors, Miner, RuleParams, Rules
    from ppworkbench.core.mining import MiningResult as MinedSets

SHOWN = 20
"""Itemsets and rules that a summary lists; the document has all."""


@check_arguments
def mine(  # noqa: PLR0913 (keywords with defaults)
    data: Data,
    design: DesignLike | None = None,
    attributes: Sequence[str] | None = None,
    *,
    values: Mapping[str, Sequence[str]] | None = None,
    method: str = "shrinkage",
    rules: bool | Mapping[str, Any] | None = None,
    items: Mapping[str, Any] | None = None,
    original: Data | None = None,
    privacy: bool = False,
    weights: str | None = None,
    sampling: bool = True,
    reading: ReadOptions | Mapping[str, Any] | None = None,
    seed: int | None = None,
    engine: Engine | str | None = None,
    progress: Progress = silent,
    **parameters: Any,
) -> MiningResult:
    """Find frequent itemsets, and rules if these are wanted.

    Records that lack an answer to one of the attributes are left out. Intervals are of 95 % unless
    ``confidence`` says otherwise. The result tells how many itemsets and rules would be found if
    the items had nothing in common (not for a folder of parts).

    Parameters
    ----------
    data
        Reported answers: a frame, a table or a file, also one of baskets, or a folder of parts.
    design
        The design of the answers; without it they are counted as they are.
    attributes
        The attributes whose values are items; all if not given.
    values
        By attribute, the values that are items; all others are none.
    method
        ``"shrinkage"`` and whatever else the command ``mine`` knows.
    rules
        True for rules as well, or their settings such as ``{"min_confidence": 0.6}``;
        ``{"false_discovery": 0.05}`` keeps only rules that are more than chance.
    items
        Which values are items, as the options of the command.
    original
        The true answers, for the errors by length.
    privacy
        Whether to measure what is left of it where an attacker knows the itemsets, too, and of
        answers to unrelated questions where the rules are known.
    weights, sampling
        The column of weights, and whether the roles are used that the design names.
    reading, seed, engine, progress
        As for :class:`Survey`.
    **parameters
        Of the method, such as ``min_support=0.05``.

    Examples
    --------
    >>> import pandas as pd
    >>> bought = {"kind": "binary", "values": ["no", "yes"],
    ...     "perturbation": {"type": "uniform", "keep": 0.95}}
    >>> design = {"format": "ppworkbench-design", "version": 1,
    ...     "attributes": {"bread": bought, "milk": bought}}
    >>> baskets = pd.DataFrame(
    ...     {"bread": ["yes"] * 60 + ["no"] * 40, "milk": ["yes"] * 50 + ["no"] * 50})
    >>> found = mine(baskets, design, min_support=0.5).to_frame()
    >>> found.loc[found["length"] == 2, ["itemset", "support"]].round(3).values.tolist()
    [['bread=yes, milk=yes', 0.55]]
    """
    from ppworkbench.analyses.mining.items import items_of_parts, only_items, weigh_items
    from ppworkbench.analyses.mining.runs import mine_items
    from ppworkbench.core.itemsets import ItemOptions, item_data
    from ppworkbench.core.mining import miners
    from ppworkbench.core.survey.parted import PartedAnswers

    chosen = None if design is None else as_design(design)
    if chosen is not None:
        chosen.refuse_arms()
    known = None if chosen is None else chosen.sampling
    roles, remarks = _roles(known, weights, sampling)
    miner = _miner(miners[method], parameters, seed)
    if privacy:
        _check_privacy(is_corrected=chosen is not None and not miner.on_original)
    options = settings(ItemOptions, items or {})
    wanted = _rule_settings(rules)
    how = given_options(ReadOptions, reading)
    attributes = attributes or list(values or ()) or None
    keys = tuple((name, value) for name, some in (values or {}).items() for value in some)
    answers = AnswerSource(data, how)
    worker = engine_for(answers.parts, engine)
    if answers.parts is not None:
        if chosen is None:
            raise ParameterError(
                "A folder of parts is mined with its design; give the design.", field="design"
            )
        refuse_with_parts(compared=original is not None)
        parted = PartedAnswers(answers.parts, worker, how, part(progress, 0.0, 0.4))
        listed = items_of_parts(
            parted, chosen, attributes, roles, options, uncorrected=miner.on_original
        )
        listed = only_items(listed, keys) if keys else listed
        mined = mine_items(
            listed, miner, wanted, None, part(progress, 0.4, 1.0), with_privacy=privacy
        )
        return MiningResult(
            mined, naming(one.attribute for one in chosen),
            _state(answers, counted_as_they_are=miner.on_original), remarks,
            _entries(mined, listed, chosen) if privacy else (),
        )  # fmt: skip
    table = _read(answers, how, chosen, attributes, part(progress, 0.0, 0.2))
    names = attributes
    if names is None and roles is not None:
        # Columns that tell how people were drawn are no items.
        among = table.names if chosen is None else chosen.names
        names = [name for name in among if name not in roles.columns]
    listed = item_data(table, None if miner.on_original else chosen, names, options)
    listed = weigh_items(listed, table, roles)
    listed = only_items(listed, keys) if keys else listed
    truth = None
    if original is not None:
        source = AnswerSource(original, how, name="original")
        refuse_reported(source.path)
        rest = part(progress, 0.2, 0.4)
        true = _read(source, how, chosen, attributes, rest, original=True)
        truth = item_data(true, chosen, names, options, original=True)
        truth = weigh_items(truth, true, roles)
        truth = only_items(truth, keys) if keys else truth
    mined = mine_items(listed, miner, wanted, truth, part(progress, 0.4, 1.0), with_privacy=privacy)
    called = [one.attribute for one in chosen] if chosen else table.attributes
    state = _state(answers, counted_as_they_are=chosen is None or miner.on_original)
    entries = _entries(mined, listed, chosen) if privacy else ()
    return MiningResult(mined, naming(called), state, tuple(remarks), entries)


def _entries(mined: Mined, data: ItemData, design: Design | None) -> tuple[EntryPrivacy, ...]:
    """What rules leave of the privacy of answers to unrelated questions."""
    from ppworkbench.core.mining import entry_privacy

    if mined.rules is None or design is None:
        return ()
    return entry_privacy(mined.result.itemsets, mined.rules, data, design)


def _check_privacy(*, is_corrected: bool) -> None:
    """Refuse the privacy after mining where answers are counted as they are."""
    from ppworkbench.core.mining import miners

    if not is_corrected:
        able = [entry.name for entry in miners.ranked if not entry.item.on_original]
        raise ParameterError(
            "Privacy after mining is measured for a design, with a method that corrects for it; "
            f"give a design, and one of the methods {', '.join(able)}.",
            field="privacy",
        )


def _rule_settings(given: bool | Mapping[str, Any] | None) -> RuleParams | None:
    """How rules are found; None where nobody wants them."""
    from ppworkbench.core.mining import RuleParams

    if given is None or given is False:
        return None
    return settings(RuleParams, {} if given is True else given)


def _state(answers: AnswerSource, *, counted_as_they_are: bool) -> str:
    """What the answers are; as they are, only their codebook says that somebody randomised them."""
    if not counted_as_they_are:
        return REPORTED
    where = answers.path if answers.parts is None else answers.parts.address
    return REPORTED if where is not None and holds_reports(where) else ""


def _miner(by: type[Miner], parameters: Mapping[str, Any], seed: int | None) -> Miner:
    """The method with its parameters, and with the seed where it draws."""
    drawn = {by.seed_field: seed} if by.seed_field and seed is not None else {}
    return settings(by, parameters, **drawn)


def _roles(
    known: Sampling | None, weights: str | None, use: bool
) -> tuple[Sampling | None, tuple[str, ...]]:
    if not use:
        if weights is not None:
            raise ParameterError("weights contradict sampling=False; drop one.", field="sampling")
        return None, () if known is None else (UNUSED_SAMPLING,)
    if weights is None:
        return known, ()
    return dataclasses.replace(known or Sampling(), weight=weights), ()


def _read(
    source: AnswerSource,
    reading: ReadOptions,
    design: Design | None,
    names: Sequence[str] | None,
    progress: Progress,
    *,
    original: bool = False,
) -> Table:
    from ppworkbench.core.data.formats import formats
    from ppworkbench.core.data.transactions import with_absent_items

    if design is None:
        return source.whole(progress=progress)
    expected: list[Attribute] = [
        design[name].attribute if original else design[name].distorted
        for name in names or design.names
    ]
    path, baskets = source.path, formats["baskets"]
    is_baskets = path is not None and path.suffix.lower() in baskets.suffixes
    if reading.format == "baskets" or is_baskets:
        # An item that is in no basket of the file is not in the file.
        return with_absent_items(source.whole(progress=progress), expected)
    return source.whole(expected, progress)


@dataclass(frozen=True, eq=False, repr=False)
class MiningResult(Result):
    """Frequent itemsets; rules, errors by length and privacy where these were asked for."""

    mined: Mined
    shown: Naming
    state: str = ""
    remarks: tuple[str, ...] = ()
    entries: tuple[EntryPrivacy, ...] = ()

    @property
    def found(self) -> MinedSets:
        """The itemsets."""
        return self.mined.result

    def _document(self) -> Mapping[str, Any]:
        mined, rules = self.mined, self.mined.rules
        document = self.found.to_json()
        if mined.errors is not None:
            document["levels"] = mined.errors.to_json()
        if rules is not None:
            document["rules"] = rules.to_json()
            document["notes"] += rules.notes
        if mined.chance is not None:
            document["expected_by_chance"] = mined.chance.to_json()
        if mined.privacy is not None:
            document["reinterrogation"] = mined.privacy.to_json()
        if self.entries:
            document["single_entries"] = [one.to_json() for one in self.entries]
        return document | {"remarks": list(self.remarks)} if self.remarks else document

    def summary(self) -> str:
        """The most frequent itemsets and the most confident rules, as the command prints them."""
        text = _text(self.mined, self.shown)
        return "\n\n".join([text, *self._privacy_lines(), *note_lines(self.remarks)])

    def _privacy_lines(self) -> list[str]:
        from ppworkbench.core.mining.entry_privacy import entry_sentence
        from ppworkbench.core.privacy.reinterrogation import reading

        privacy = self.mined.privacy
        told = [] if privacy is None else [reading(privacy).sentence]
        told += [entry_sentence(one) for one in self.entries[:1]]
        return [*map(harmless, told)]

    def to_frame(self) -> pd.DataFrame:
        """One row per itemset: its items, their number, the support and its interval."""
        import pandas as pd

        sets = self.found.itemsets
        return pd.DataFrame(
            {
                "itemset": [", ".join(sets.names(i)) for i in range(len(sets))],
                "length": sets.lengths, "support": sets.support,
                "standard_error": sets.standard_error, "low": sets.low, "high": sets.high,
                "raw": sets.raw,
            }
        )  # fmt: skip

    def _draw(self, axes: Axes) -> None:
        """The itemsets with the largest support."""
        sets = self.found.itemsets
        first = sorted(range(len(sets)), key=lambda place: -sets.support[place])[:MOST_LINES]
        intervals = [
            Interval(float(sets.support[i]), float(sets.low[i]), float(sets.high[i])) for i in first
        ]
        draw_intervals(axes, [harmless(", ".join(sets.names(i))) for i in first], intervals)
        axes.set_xlabel("support")

    def rules(self) -> pd.DataFrame:
        """One row per rule, the most confident first; empty where none were asked for."""
        import pandas as pd

        found = self.mined.rules
        if found is None:
            return pd.DataFrame()
        p = {} if found.p is None else {"p": found.p}
        return pd.DataFrame(
            {
                "left": [", ".join(found.left.names(i)) for i in range(len(found))],
                "right": [", ".join(found.right.names(i)) for i in range(len(found))],
                "support": found.support, "confidence": found.confidence,
                "standard_error": found.standard_error, "low": found.low, "high": found.high,
                "lift": found.lift, **p,
            }
        )  # fmt: skip


def _text(mined: Mined, shown: Naming) -> str:
    found, rules = mined.result, mined.rules
    sentence = (
        f"{len(found.itemsets):,} frequent itemsets in {found.transactions:,} records, method "
        f"{found.method}, {100 * found.miner.confidence:g} % intervals, {found.seconds:.2f} "
        "seconds."
    )
    told = [sentence, _levels_text(found, mined.errors), _itemsets_text(found, shown)]
    if rules is not None:
        told.append(_rules_text(rules, shown))
    if mined.chance is not None:
        several = int((found.itemsets.lengths > 1).sum())
        told.append(mined.chance.sentence(several, None if rules is None else rules.reached))
    told += note_lines(found.notes, shown)
    return "\n\n".join(one for one in told if one)


def _levels_text(found: MinedSets, errors: LengthErrors | None) -> str:
    if errors is None:
        heads = ["length", "candidates", "found"]
        rows = [[f"{one.length}", f"{one.candidates:,}", f"{one.found:,}"] for one in found.levels]
        return aligned(heads, rows, right=heads)
    heads = [
        "length",
        "true",
        "found",
        "correct",
        "support error, %",
        "missed, %",
        "false positives, %",
        "F1",
    ]
    counts = (errors.lengths, errors.true, errors.found, errors.correct)
    columns = (errors.support_error, errors.false_negative, errors.false_positive)
    rows = [
        [
            *(f"{count[i]:,}" for count in counts),
            *("-" if math.isnan(column[i]) else f"{column[i]:.1f}" for column in columns),
            f"{errors.f1[i]:.3f}",
        ]
        for i in range(len(errors.lengths))
    ]
    return aligned(heads, rows, right=heads)


def _four_digits(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4f}"


def _set_words(sets: SetList, place: int, shown: Naming) -> str:
    """An itemset as people call its items."""
    items = (sets.items[member] for member in sets.set_at(place))
    return harmless(", ".join(_item_words(item, shown) for item in items))


def _item_words(item: Item, shown: Naming) -> str:
    title = shown(item.attribute)
    if title == item.attribute:
        return item.name
    return title if item.name == item.attribute else f"{title}={item.value}"


def _itemsets_text(found: MinedSets, shown: Naming) -> str:
    sets = found.itemsets
    if not len(sets):
        return ""
    best = (-sets.raw).argsort(kind="stable")[:SHOWN].tolist()
    heads = ["itemset", "support", "standard error", "low", "high"]
    columns = (sets.support, sets.standard_error, sets.low, sets.high)
    rows = [
        [_set_words(sets, i, shown), *(_four_digits(column[i]) for column in columns)] for i in best
    ]
    more = len(sets) - len(best)
    tail = f"\n... and {more:,} more; --json lists all." if more else ""
    return aligned(heads, rows, right=heads[1:]) + tail


def _rules_text(rules: Rules, shown: Naming) -> str:
    if not len(rules):
        return "\n".join(["No rules.", *note_lines(rules.notes, shown)])
    heads = ["rule", "support", "confidence", "low", "high", "lift"]
    columns = (rules.support, rules.confidence, rules.low, rules.high, rules.lift)
    first = range(min(SHOWN, len(rules)))
    rows = [
        [
            f"{_set_words(rules.left, i, shown)} => {_set_words(rules.right, i, shown)}",
            *(_four_digits(column[i]) for column in columns),
        ]
        for i in first
    ]
    more = len(rules) - len(first)
    tail = f"\n... and {more:,} more; --json lists all." if more else ""
    table = aligned(heads, rows, right=heads[1:]) + tail
    return "\n".join([table, *note_lines(rules.notes, shown)])
