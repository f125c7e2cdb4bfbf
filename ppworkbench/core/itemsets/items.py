"""Items from tables: one per value of an attribute, or one per thing that a basket may hold.

The weights of a value's item are ``h = P^{-T} 1_value``: for a binary item that keeps a 1 with p
and a 0 with q, ``(d - (1 - q)) / (p + q - 1)`` of the published bit d. Values of one attribute
never occur together, so they are never combined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers, project
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Table, list_attributes
from ppworkbench.core.data.transactions import ABSENT_PRESENT
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.fit import column_of, fit_collected
from ppworkbench.core.design.noises import Discretise
from ppworkbench.core.design.perturbation import Identity
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.itemsets.item_data import Graded, ItemData, pack
from ppworkbench.core.itemsets.itemsets import Item
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, OneOf, Params, Within
from ppworkbench.core.privacy.spending import share_asked
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.channel import invert
from ppworkbench.core.rng import SeededStreams


@dataclass(frozen=True, eq=False)
class Answers:
    """Codes of one attribute.

    Parameters
    ----------
    attribute
        Categorical: a number has become intervals.
    codes
        The published values, -1 for a missing answer.
    channel
        ``P[r, c]``, the probability of the published r given the true c.
    block
        Attributes of one block share a coin.
    """

    attribute: Attribute
    codes: NDArray[np.int16]
    channel: Numbers
    block: str


def published_answers(table: Table, design: Design | None, name: str, bins: int) -> Answers:
    if design is None or name not in design:
        return true_answers(table, None, name, bins)
    check_minable(design, name)
    designed = design[name]
    perturbation = design.perturbation(name)
    group = design.group_of(name)
    block = name if group is None else "\x1f".join(group.attributes)
    if designed.attribute.kind.is_categorical:
        codes = _codes(table, designed)
        channel = perturbation.values.matrix(designed.attribute.k)
        return Answers(designed.attribute, codes, channel, block)
    if perturbation.numbers.interval_edges(designed.attribute) is not None:
        cells = designed.distorted
        return Answers(cells, _codes(table, _as_is(cells)), np.eye(cells.k), name)
    intervals = Discretise(intervals=bins)
    cells, codes = _cut(table, designed, intervals)
    if perturbation.is_identity:
        return Answers(cells, codes, np.eye(cells.k), name)
    edges = intervals.edges_of(designed.attribute)
    return Answers(
        cells, codes, perturbation.numbers.channel(edges, edges, designed.attribute), name
    )


def check_minable(design: Design, name: str) -> None:
    """Refuse an attribute whose distortion cannot be undone value by value."""
    design.refuse_sets((name,))
    if share_asked(design, (name,)) < 1:
        # A question that one was not asked would count as an item that one does not have.
        raise DesignError.saying(
            "Not everybody is asked {attribute!r}, and itemsets need records with all answers; "
            "leave the attribute out or ask everybody.",
            attribute=name,
            field="budget",
        )
    attribute, perturbation = design[name].attribute, design.perturbation(name)
    if attribute.kind.is_categorical:
        if invert(perturbation.values.matrix(attribute.k)).is_singular:
            raise DesignError.saying(
                "The transition matrix of attribute {attribute!r} is singular; leave "
                "the attribute out or choose another design.",
                attribute=name,
            )
    elif perturbation.numbers.exact_share is not None:
        if perturbation.numbers.exact_share <= 0:
            raise DesignError.saying(
                "Attribute {attribute!r} never keeps its number; leave it out or choose "
                "another design.",
                attribute=name,
            )
    elif perturbation.numbers.interval_edges(attribute) is None:
        raise DesignError.saying(
            "Attribute {attribute!r} is a number with noise and cannot be corrected "
            "bin by bin; leave it out or use intervals or retention.",
            attribute=name,
        )


def true_answers(table: Table, design: Design | None, name: str, bins: int) -> Answers:
    """The original answers to an attribute, in the same values as its published ones."""
    if design is not None and name in design:
        check_minable(design, name)
        designed = design[name]
    else:
        column = column_of(table, name)
        if column.why_not_single is not None:
            raise DesignError(column.why_not_single, attribute=name)
        designed = _as_is(column.attribute)
    if designed.attribute.kind.is_categorical:
        cells, codes = designed.attribute, _codes(table, designed)
    else:
        edges = designed.perturbation.numbers.interval_edges(designed.attribute)
        intervals = Discretise(intervals=bins)
        if edges is not None:
            intervals = Discretise(edges=tuple(edges.tolist()))
        cells, codes = _cut(table, designed, intervals)
    return Answers(cells, codes, np.eye(cells.k), name)


def _as_is(attribute: Attribute) -> DesignedAttribute:
    return DesignedAttribute(attribute, Identity())


def _codes(table: Table, designed: DesignedAttribute) -> NDArray[np.int16]:
    return fit_collected(table, designed).astype(np.int16)


def _cut(
    table: Table, designed: DesignedAttribute, intervals: Discretise
) -> tuple[Attribute, NDArray[np.int16]]:
    numbers = fit_collected(table, designed)
    nothing_random = SeededStreams(0).stream(designed.name)
    codes = intervals.distort(numbers, designed.attribute, nothing_random)
    return intervals.distorted(designed.attribute), codes.astype(np.int16)


LEFT_OUT = "left-out"
"""Code of the note on records that lack an answer."""
_SAME = 1e-9
"""Weights closer than this, relative to the largest, are the same weight."""


@dataclass(frozen=True)
class ItemOptions(Params):
    transform: Annotated[
        str,
        OneOf(("exact", "independent")),
        Info(
            "Values of one attribute",
            "exact: by the attribute's transition matrix; independent: each value as a "
            "binary item, an approximation",
        ),
    ] = "exact"
    bins: Annotated[
        int, Within(1, 1000), Info("Intervals", "Intervals of a number that has none yet")
    ] = 5
    absences: Annotated[
        bool, Info("Absences", "Treat the 0 of a 0/1 attribute as an item as well")
    ] = False


@dataclass(frozen=True, eq=False)
class _Value:
    """One item: its column of answers and the weights of a missing answer and of each code."""

    item: Item
    answers: Answers
    code: int
    weights: Numbers
    binary: tuple[float, float]


def item_data(
    table: Table,
    design: Design | None = None,
    attributes: Sequence[str] | None = None,
    options: ItemOptions | None = None,
    *,
    original: bool = False,
    progress: Progress = silent,
) -> ItemData:
    """The items of a table.

    Parameters
    ----------
    table
        Distorted answers, or true ones without a design or with ``original``.
    design
        What the table was distorted with.
    attributes
        Whose values become items; the default is all that can be, with a note on the others.
    original
        The table holds the true answers. Items are then the same, in the same order, as those of
        the distorted table, so that sets can be compared.

    Records with a missing answer to one of the attributes are left out, and a note counts them.

    Examples
    --------
    >>> from ppworkbench.core.data.samples import load_sample
    >>> data = item_data(load_sample("weather"))
    >>> [item.name for item in data.items][:2], data.rows
    (['outlook=sunny', 'outlook=overcast'], 14)
    """
    if design is not None:
        design.refuse_arms()
    options = options or ItemOptions()
    notes: list[str] = []
    listed: list[Answers] = []
    everything = table.names if design is None else design.names
    names = everything if attributes is None else attributes
    for done, name in enumerate(names):
        progress(done / len(names), Message("Items of {attribute}", attribute=name))
        try:
            # The published side decides which attributes can be mined, also for the original.
            listed.append(_answers(table, design, name, options, original))
        except DesignError as error:
            if attributes is not None:
                raise
            notes.append(error.message)
    complete = complete_records([answers.codes for answers in listed], table.rows)
    if complete is not None:
        notes.append(left_out_words(int((~complete).sum()), table.rows))
        listed = [replace(answers, codes=answers.codes[complete]) for answers in listed]
    values = [value for answers in listed for value in _values(answers, options)]
    if not values:
        nothing = Message("No attribute has values that can be items; choose attributes.")
        raise DataError(Message.joined((nothing, *notes[:1])))
    return _assemble(values, table.rows, complete, tuple(notes + _coin_notes(values)))


def complete_records(columns: Sequence[NDArray[np.int16]], rows: int) -> NDArray[np.bool_] | None:
    """Which records have an answer in every column of codes; None for all of them."""
    complete = np.ones(rows, np.bool_)
    for codes in columns:
        complete &= codes >= 0
    return None if complete.all() else complete


def left_out_words(left_out: int, total: int) -> str:
    return Message(
        "{left_out:,} of {total:,} records lack an answer to one of the attributes and are left "
        "out.",
        left_out=left_out,
        total=total,
        code=LEFT_OUT,
    )


def nobody_complete(records: int) -> DataError:
    return DataError.saying(
        "None of the {records:,} records has an answer to all attributes; leave out those that "
        "many people did not answer.",
        records=records,
    )


def answer_codes(
    table: Table, design: Design | None, name: str, options: ItemOptions
) -> NDArray[np.int16]:
    """The published answers to an attribute as places of its values, -1 for a missing one."""
    return published_answers(table, design, name, options.bins).codes


def _answers(
    table: Table, design: Design | None, name: str, options: ItemOptions, original: bool
) -> Answers:
    if not original:
        return published_answers(table, design, name, options.bins)
    return true_answers(table, design, name, options.bins)


def _values(answers: Answers, options: ItemOptions) -> list[_Value]:
    attribute = answers.attribute
    exact = options.transform == "exact"
    only_one = attribute.kind is Kind.BINARY and set(attribute.values) == set(ABSENT_PRESENT)
    result = []
    for code, value in enumerate(attribute.values):
        if only_one and value == "0" and not options.absences:
            continue
        plain = only_one and value == "1" and not options.absences
        item = Item(attribute.name if plain else f"{attribute.name}={value}", attribute.name, value)
        binary = _independent(answers, code)
        weights = np.full(attribute.k + 1, binary[0])
        weights[code + 1] = binary[1]
        if exact:
            # Row i of the inverse: the weights of all published answers for value i.
            weights[1:] = invert(answers.channel).inverse[code]
        weights[0] = 0.0
        result.append(_Value(item, answers, code, weights, binary))
    return result


def _independent(answers: Answers, code: int) -> tuple[float, float]:
    """The weights of an absent and a present bit when the value is a binary item of its own.

    ``p = P[i, i]``, ``1 - q = Σ_{c≠i} π_c P[i, c] / Σ_{c≠i} π_c`` with π the reconstructed prior;
    under a uniform matrix ``q = (k - 2 + p) / (k - 1)``.
    """
    channel = answers.channel
    counts = np.bincount(answers.codes[answers.codes >= 0], minlength=len(channel))
    shares = counts / max(1, counts.sum())
    prior = project(np.asarray(invert(channel).inverse @ shares))
    others = np.arange(len(channel)) != code
    weight = prior[others] if prior[others].sum() > 0 else np.ones(others.sum())
    appears = float(weight @ channel[code, others] / weight.sum()) if others.any() else 0.0
    gap = float(channel[code, code]) - appears
    if abs(gap) < _SAME:
        gap = _SAME
    return -appears / gap, (1.0 - appears) / gap


def _assemble(
    values: list[_Value], total: int, complete: NDArray[np.bool_] | None, notes: tuple[str, ...]
) -> ItemData:
    rows = total if complete is None else int(complete.sum())
    shown = np.empty((len(values), rows), np.bool_)
    for line, value in zip(shown, values, strict=True):
        np.equal(value.answers.codes, value.code, out=line)
    pairs = [_two_weights(value) for value in values]
    graded = _graded(values) if any(pair is None for pair in pairs) else None
    chosen = np.array(
        [value.binary if pair is None else pair for pair, value in zip(pairs, values, strict=True)]
    )
    block_names = list(dict.fromkeys(value.answers.block for value in values))
    numbers = {name: i for i, name in enumerate(block_names)}
    blocks = np.array([numbers[value.answers.block] for value in values], np.int32)
    items = tuple(value.item for value in values)
    absent, present = np.ascontiguousarray(chosen[:, 0]), np.ascontiguousarray(chosen[:, 1])
    return ItemData(
        items, rows, pack(shown), present, absent, blocks, graded, notes,
        complete=complete, left_out=total - rows,
    )  # fmt: skip


def _two_weights(value: _Value) -> tuple[float, float] | None:
    met = np.unique(value.answers.codes)
    others = value.weights[met[met != value.code] + 1]
    scale = float(np.abs(value.weights).max())
    if len(others) and float(np.ptp(others)) > _SAME * scale:
        return None
    absent = float(others[0]) if len(others) else 0.0
    return absent, float(value.weights[value.code + 1])


def _graded(values: list[_Value]) -> Graded:
    attributes = list(dict.fromkeys(id(value.answers) for value in values))
    answers = {id(value.answers): value.answers for value in values}
    position = {key: i for i, key in enumerate(attributes)}
    width = max(len(value.weights) for value in values)
    weights = np.zeros((len(values), width))
    for line, value in zip(weights, values, strict=True):
        line[: len(value.weights)] = value.weights
    column = np.array([position[id(value.answers)] for value in values], np.int64)
    return Graded(np.stack([answers[key].codes for key in attributes]), column, weights)


def _coin_notes(values: list[_Value]) -> list[str]:
    """Attributes that share a coin are not independent given the truth."""
    members: dict[str, set[str]] = {}
    for value in values:
        members.setdefault(value.answers.block, set()).add(value.item.attribute)
    return [
        Message(
            "The answers to {repr} are in one group, so no set combines them.",
            repr=list_attributes(sorted(names), quoted=True),
        )
        for names in members.values()
        if len(names) > 1
    ]
