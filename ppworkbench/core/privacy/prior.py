"""What an attacker believes about an answer before seeing anything: the prior.

A categorical attribute has a probability per value. A numeric one has a histogram over its domain,
within whose cells it is taken to be spread evenly; an integer attribute of a modest domain has one
cell per whole number, so that nothing is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import CLIP, MISSING_VALUE, Attribute, Kind, outside_sentence
from ppworkbench.core.data.table import Column, shorten
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message

CELLS = 64
"""Cells of a histogram over a continuous or a wide integer domain."""
MODEST = 256
"""Whole numbers that a domain may hold to have a cell for each."""


@dataclass(frozen=True, eq=False)
class Prior:
    """The distribution of one attribute's true answers.

    Parameters
    ----------
    probabilities
        One per value or cell; they sum to 1 and cannot be written to.
    edges
        Borders of the cells of a numeric attribute, None for a categorical one. Cells of an
        integer attribute have their borders half-way between whole numbers.
    origin
        ``data``, ``uniform`` or ``drawn``.
    missing
        The share of missing answers in the data that the prior was taken from.

    Examples
    --------
    >>> answer = Attribute("smokes", Kind.BINARY, ("no", "yes"))
    >>> Prior.from_weights(answer, [3, 1]).probabilities.tolist()
    [0.75, 0.25]
    """

    attribute: Attribute
    probabilities: Numbers
    edges: Numbers | None = None
    origin: str = "drawn"
    missing: float = 0.0

    def __post_init__(self) -> None:
        edges = self.edges
        if self.attribute.kind.is_numeric:
            edges = default_edges(self.attribute) if edges is None else self._checked_edges(edges)
            cells = len(edges) - 1
            object.__setattr__(self, "edges", _frozen(edges))
        elif edges is not None:
            raise self._error(
                Message("is {kind}; its prior has no edges", kind=Message(self.attribute.kind)),
                "edges",
            )
        else:
            cells = self.attribute.k
        weights = self._checked_weights(self.probabilities, cells)
        object.__setattr__(self, "probabilities", _frozen(weights))

    @classmethod
    def uniform(cls, attribute: Attribute) -> Self:
        """Every value, or every part of the domain, is as likely as any other.

        >>> Prior.uniform(Attribute("age", Kind.INTEGER, domain=(1, 4))).probabilities.tolist()
        [0.25, 0.25, 0.25, 0.25]
        """
        if attribute.kind.is_categorical:
            return cls(attribute, np.ones(attribute.k), origin="uniform")
        edges = default_edges(attribute)
        widths = np.diff(edges)
        return cls(attribute, widths if widths.sum() > 0 else np.ones(1), edges, "uniform")

    @classmethod
    def from_weights(
        cls,
        attribute: Attribute,
        weights: Sequence[float] | Numbers,
        edges: Sequence[float] | Numbers | None = None,
    ) -> Self:
        """A drawn or guessed distribution; weights need not sum to 1.

        Without ``edges`` the weights of a numeric attribute belong to equal slices of its domain.
        """
        given = np.asarray(weights, np.float64)
        if attribute.kind.is_numeric and edges is None:
            edges = sliced_edges(attribute, max(len(given), 1))
        borders = None if edges is None else np.asarray(edges, np.float64)
        return cls(attribute, given, borders)

    @classmethod
    def from_column(cls, column: Column, attribute: Attribute | None = None) -> Self:
        """The distribution of the answers that are there.

        ``attribute`` is the design's attribute where it differs from the column's, for example by
        a wider domain or by a value that stands for missing answers.
        """
        attribute = column.attribute if attribute is None else attribute
        if attribute.kind.is_categorical != column.is_categorical:
            raise DataError.saying(
                "Attribute {attribute!r} is {kind} in the design and {kind2} in the "
                "data; give it the same kind in both.",
                kind=Message(attribute.kind),
                kind2=Message(column.attribute.kind),
                attribute=attribute.name,
            )
        missing = column.missing_count / len(column) if len(column) else 0.0
        if attribute.kind.is_categorical:
            counts = _counts(column, attribute)
            if MISSING_VALUE in attribute.values and column.missing_count:
                missing = 0.0
            edges = None
        else:
            edges = default_edges(attribute)
            counts = _histogram(column, attribute, edges)
        if counts.sum() <= 0:
            raise DataError.saying(
                "Attribute {attribute!r} has no answers to take a distribution from; "
                "use a uniform or a drawn one.",
                attribute=attribute.name,
            )
        return cls(attribute, counts, edges, "data", missing)

    @property
    def k(self) -> int:
        return len(self.probabilities)

    @cached_property
    def widths(self) -> Numbers | None:
        """The width of every cell: for integers, how many whole numbers it holds."""
        return None if self.edges is None else np.diff(self.edges)

    def label(self, i: int) -> str:
        if self.edges is None:
            return self.attribute.values[i]
        low, high = float(self.edges[i]), float(self.edges[i + 1])
        if self.attribute.kind is Kind.INTEGER:
            # A minus zero would be written with its sign.
            low, high = np.ceil(low) + 0.0, np.ceil(high) - 1 + 0.0
        return (
            f"{low:.6g}" if low == high else Message("{low:.6g} to {high:.6g}", low=low, high=high)
        )

    def _checked_weights(self, given: Any, cells: int) -> Numbers:
        weights = np.array(given, np.float64)
        if weights.ndim != 1 or len(weights) != cells or not cells:
            had = (
                Message("{cells} bins", cells=cells)
                if self.attribute.kind.is_numeric
                else Message("{k} values", k=cells)
            )
            raise self._error(
                Message(
                    "has {had} but {size} probabilities; give one for each",
                    had=had,
                    size=weights.size,
                ),
                "probabilities",
            )
        # One sum tells whether all is well: NaN and infinities spread into it.
        total = float(weights.sum())
        if not np.isfinite(total) or weights.min() < 0:
            bad = int(np.argmax(~np.isfinite(weights) | (weights < 0)))
            raise self._error(
                Message(
                    "has the probability {weights:g} at position {bad}; it must be a number "
                    "of 0 or more",
                    weights=weights[bad],
                    bad=bad + 1,
                ),
                "probabilities",
            )
        if total <= 0:
            raise self._error(
                Message("has only probabilities of 0; one must be positive"), "probabilities"
            )
        weights /= total
        return weights

    def _checked_edges(self, given: Numbers) -> Numbers:
        edges = np.array(given, np.float64)
        domain = self.attribute.domain or (0.0, 0.0)
        one_point = self.attribute.width == 0 and self.attribute.kind is Kind.CONTINUOUS
        if edges.ndim != 1 or len(edges) < 2 or not np.isfinite(edges).all():
            raise self._error(Message("needs two or more edges that are finite numbers"), "edges")
        if (np.diff(edges) <= 0).any() and not (one_point and len(edges) == 2):
            raise self._error(Message("needs increasing edges"), "edges")
        if self.attribute.kind is Kind.INTEGER:
            domain = (domain[0] - 0.5, domain[1] + 0.5)
            if (edges % 1 != 0.5).any():
                raise self._error(Message("needs edges half-way between whole numbers"), "edges")
        slack = 1e-9 * max(domain[1] - domain[0], abs(domain[0]), abs(domain[1]))
        if abs(edges[0] - domain[0]) > slack or abs(edges[-1] - domain[1]) > slack:
            raise self._error(
                Message(
                    "needs edges from {low:g} to {high:g}, not from {first:g} to {last:g}",
                    low=domain[0],
                    high=domain[1],
                    first=edges[0],
                    last=edges[-1],
                ),
                "edges",
            )
        return edges

    def _error(self, what: str, field: str) -> ParameterError:
        name = self.attribute.name
        return ParameterError.saying(
            "Attribute {attribute!r} {what}.", what=what, attribute=name, field=field
        )


def default_edges(attribute: Attribute) -> Numbers:
    """The cells of a numeric attribute: one per whole number, or 64 slices of the domain."""
    if attribute.kind is Kind.INTEGER and attribute.width < MODEST:
        return sliced_edges(attribute, int(attribute.width) + 1)
    return sliced_edges(attribute, CELLS)


def sliced_edges(attribute: Attribute, cells: int) -> Numbers:
    """Borders of equal slices of the domain; integers have them between whole numbers.

    >>> sliced_edges(Attribute("age", Kind.INTEGER, domain=(1, 5)), 2).tolist()
    [0.5, 2.5, 5.5]
    """
    low, high = attribute.domain or (0.0, 0.0)
    if attribute.kind is Kind.INTEGER:
        cells = min(cells, int(attribute.width) + 1)
        return np.rint(np.linspace(low - 0.5, high + 0.5, cells + 1) - 0.5) + 0.5
    if low == high:
        return np.array([low, high])
    return np.linspace(low, high, cells + 1)


def spread_slices(attribute: Attribute, weights: Sequence[float], edges: Numbers) -> Numbers:
    """The weights of equal slices of the domain, spread evenly over finer cells.

    >>> age = Attribute("age", Kind.INTEGER, domain=(1, 4))
    >>> spread_slices(age, (3.0, 1.0), np.array([0.5, 1.5, 2.5, 3.5, 4.5])).tolist()
    [1.5, 1.5, 0.5, 0.5]
    """
    given = np.asarray(weights, np.float64)
    if len(edges) <= 2 or len(given) == 1:
        widths = np.diff(edges)
        return np.asarray(widths if widths.sum() > 0 else np.ones(1))
    cumulated = np.concatenate([[0.0], np.cumsum(given)])
    return np.asarray(np.diff(np.interp(edges, sliced_edges(attribute, len(given)), cumulated)))


def drawn_prior(attribute: Attribute, weights: Sequence[float]) -> Prior:
    """What somebody expects: a weight per value, or per equal slice of the domain.

    >>> asked = Attribute("drug", Kind.BINARY, ("no", "yes"))
    >>> drawn_prior(asked, (4.0, 1.0)).probabilities.tolist()
    [0.8, 0.2]
    """
    if not attribute.kind.is_numeric:
        return Prior.from_weights(attribute, weights)
    # In the cells of the uniform prior: measures depend on how fine these are.
    edges = default_edges(attribute)
    return Prior.from_weights(attribute, spread_slices(attribute, weights, edges), edges)


def _counts(column: Column, attribute: Attribute) -> Numbers:
    counts = column.counts.astype(np.float64)
    own = column.attribute.values
    if own != attribute.values:
        position = {value: i for i, value in enumerate(attribute.values)}
        unknown = [v for v, n in zip(own, counts, strict=True) if n and v not in position]
        if unknown:
            raise DataError.saying(
                "Attribute {attribute!r} has answers that the design does not list: {unknown}.",
                unknown=shorten(unknown),
                attribute=attribute.name,
            )
        moved = np.zeros(attribute.k)
        for value, count in zip(own, counts, strict=True):
            if value in position:
                moved[position[value]] = count
        counts = moved
    if MISSING_VALUE in attribute.values:
        counts[attribute.values.index(MISSING_VALUE)] += column.missing_count
    return counts


def _histogram(column: Column, attribute: Attribute, edges: Numbers) -> Numbers:
    present = column.data[~column.missing] if column.missing_count else column.data
    low, high = attribute.domain or (0.0, 0.0)
    if attribute.outside == CLIP:
        present = np.clip(present, low, high)
    if len(present) and (present.min() < low or present.max() > high):
        outside = int(np.count_nonzero((present < low) | (present > high)))
        sentence = outside_sentence(attribute, outside)
        raise DataError(sentence, attribute=attribute.name, field="domain")
    if attribute.kind is Kind.INTEGER and len(present) and (present % 1 != 0).any():
        raise DataError.saying(
            "Attribute {attribute!r} is integer but has answers with decimals; make "
            "it continuous or round it.",
            attribute=attribute.name,
        )
    if len(edges) == 2:
        return np.array([float(len(present))])
    return np.histogram(present, edges)[0].astype(np.float64)


def _frozen(array: Numbers) -> Numbers:
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    return array
