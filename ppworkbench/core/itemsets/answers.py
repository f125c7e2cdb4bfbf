"""The published answers to one attribute, as codes with the channel that they went through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.table import Table, shorten
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.fit import fit_column
from ppworkbench.core.design.identity import Identity
from ppworkbench.core.design.noises import Discretise
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.reconstruct.inversion import invert
from ppworkbench.core.rng import SeededStreams

Numbers = NDArray[np.float64]


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
    """The distorted answers to an attribute."""
    if design is None or name not in design:
        return true_answers(table, None, name, bins)
    check_minable(design, name)
    designed = design[name]
    perturbation = design.perturbation(name)
    group = design.group_of(name)
    block = name if group is None else "\x1f".join(group.attributes)
    if designed.attribute.kind.is_categorical:
        codes = _codes(table, designed)
        channel = perturbation.matrix(designed.attribute.k)
        return Answers(designed.attribute, codes, channel, block)
    if perturbation.interval_edges(designed.attribute) is not None:
        cells = designed.distorted
        return Answers(cells, _codes(table, _as_is(cells)), np.eye(cells.k), name)
    intervals = Discretise(intervals=bins)
    cells, codes = _cut(table, designed, intervals)
    if perturbation.is_identity:
        return Answers(cells, codes, np.eye(cells.k), name)
    edges = intervals.edges_of(designed.attribute)
    return Answers(cells, codes, perturbation.channel(edges, edges, designed.attribute), name)


def check_minable(design: Design, name: str) -> None:
    """Refuse an attribute whose distortion cannot be undone value by value."""
    attribute, perturbation = design[name].attribute, design.perturbation(name)
    if attribute.kind.is_categorical:
        if invert(perturbation.matrix(attribute.k)).is_singular:
            raise DesignError(
                Message(
                    "The P-matrix of attribute {attribute!r} is singular, so its answers "
                    "tell nothing about the values; leave it out or choose another design.",
                    attribute=name,
                ),
                attribute=name,
            )
    elif perturbation.exact_share is not None:
        if perturbation.exact_share <= 0:
            raise DesignError(
                Message(
                    "Attribute {attribute!r} never keeps its number; leave it out or choose "
                    "another design.",
                    attribute=name,
                ),
                attribute=name,
            )
    elif perturbation.interval_edges(attribute) is None:
        raise DesignError(
            Message(
                "Attribute {attribute!r} is a number under noise, which is not undone "
                "interval by interval; leave it out, or design it with 'discretise' or "
                "'retention'.",
                attribute=name,
            ),
            attribute=name,
        )


def true_answers(table: Table, design: Design | None, name: str, bins: int) -> Answers:
    """The original answers to an attribute, in the same values as its published ones."""
    if design is not None and name in design:
        check_minable(design, name)
        designed = design[name]
    else:
        designed = _as_is(_column(table, name).attribute)
    if designed.attribute.kind.is_categorical:
        cells, codes = designed.attribute, _codes(table, designed)
    else:
        edges = designed.perturbation.interval_edges(designed.attribute)
        intervals = Discretise(intervals=bins)
        if edges is not None:
            intervals = Discretise(edges=tuple(edges.tolist()))
        cells, codes = _cut(table, designed, intervals)
    return Answers(cells, codes, np.eye(cells.k), name)


def _as_is(attribute: Attribute) -> DesignedAttribute:
    return DesignedAttribute(attribute, Identity())


def _column(table: Table, name: str) -> Any:
    if name not in table:
        raise DataError(
            Message(
                "The data have no column {attribute!r}; they have {names}.",
                attribute=name,
                names=shorten(table.names),
            ),
            attribute=name,
        )
    return table[name]


def _codes(table: Table, designed: DesignedAttribute) -> NDArray[np.int16]:
    try:
        return fit_column(_column(table, designed.name), designed).astype(np.int16)
    except DesignError as error:
        # What does not fit is the table: the design is what it was collected with.
        raise DataError(error.message, attribute=designed.name, row=error.row) from None


def _cut(
    table: Table, designed: DesignedAttribute, intervals: Discretise
) -> tuple[Attribute, NDArray[np.int16]]:
    try:
        numbers = fit_column(_column(table, designed.name), designed)
    except DesignError as error:
        raise DataError(error.message, attribute=designed.name, row=error.row) from None
    nothing_random = SeededStreams(0).stream(designed.name)
    codes = intervals.distort(numbers, designed.attribute, nothing_random)
    return intervals.distorted(designed.attribute), codes.astype(np.int16)
