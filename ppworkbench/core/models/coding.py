"""The columns of a regression: numbers as they are, values as 0 and 1 beside a reference.

A value is coded beside its reference where the columns before already span the term without that
variable, and with all values where they do not, so that the columns always span what was written
and none follows from others by its coding alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.models.formula import CENTER, LOG, SCALE, Formula, Term, Variable
from ppworkbench.core.survey.factors.devices import DEVICE_START

INTERCEPT = "(intercept)"
THRESHOLD = "threshold"
"""What an ordinal model has in the place of an intercept."""
MOST_COLUMNS = 400
_AT_ONCE = 1 << 14


@dataclass(frozen=True)
class ColumnLabel:
    """Which coefficient a column has; ``level`` is the value, or values, that it stands for."""

    term: str
    level: str = ""

    def __str__(self) -> str:
        return f"{self.term}[{self.level}]" if self.level else self.term


@dataclass(frozen=True)
class Scaling:
    """Mean and standard deviation that ``center`` and ``scale`` use."""

    mean: float
    deviation: float


Piece = Callable[[NDArray[Any]], Numbers]
"""From answers to one column: codes or numbers in, numbers of the same shape out."""


@dataclass(frozen=True, eq=False)
class Coding:
    labels: tuple[ColumnLabel, ...]
    columns: tuple[tuple[tuple[str, Piece], ...], ...]
    """For every column, the attributes whose pieces are multiplied."""

    @property
    def size(self) -> int:
        return len(self.labels)

    def matrix(self, data: Mapping[str, NDArray[Any]], shape: tuple[int, ...]) -> Numbers:
        """The columns of answers that can be broadcast to a shape, as the last axis."""
        result = np.empty((*shape, self.size))
        for place, pieces in enumerate(self.columns):
            column: Numbers | float = 1.0
            for name, piece in pieces:
                column = column * piece(data[name])
            result[..., place] = column
        return result

    def group_sizes(
        self, data: Mapping[str, NDArray[Any]], people: Numbers
    ) -> Mapping[ColumnLabel, float]:
        """How many people the rows of data stand for that have the values of each column."""
        sizes = {}
        for label, pieces in zip(self.labels, self.columns, strict=True):
            if label.level:
                has = [piece(data[name]) != 0 for name, piece in pieces]
                sizes[label] = float(people @ np.logical_and.reduce(has))
        return sizes

    def without(self, dropped: set[int]) -> Coding:
        kept = [place for place in range(self.size) if place not in dropped]
        return Coding(
            tuple(self.labels[place] for place in kept),
            tuple(self.columns[place] for place in kept),
        )

    @property
    def intercept(self) -> int | None:
        names = [label.term for label in self.labels]
        return names.index(INTERCEPT) if INTERCEPT in names else None


def make_coding(
    formula: Formula, attributes: Mapping[str, Attribute], scalings: Mapping[str, Scaling]
) -> Coding:
    """The columns of a formula.

    Parameters
    ----------
    scalings
        For attributes that are centred or scaled.
    """
    labels: list[ColumnLabel] = []
    columns: list[tuple[tuple[str, Piece], ...]] = []
    spanned: dict[_Labels, set[_Labels]] = {}
    if formula.intercept:
        spanned[frozenset()] = {frozenset()}
        labels.append(ColumnLabel(INTERCEPT))
        columns.append(())
    for term in formula.terms:
        for level, pieces in _coded(term, spanned, attributes, scalings):
            labels.append(ColumnLabel(term.label, level))
            columns.append(pieces)
    if len(columns) > MOST_COLUMNS:
        raise ParameterError.saying(
            "The formula has {count:,} coefficients; at most {most} are fitted. Leave out "
            "attributes with many values.",
            count=len(columns),
            most=MOST_COLUMNS,
            field="formula",
        )
    return Coding(tuple(labels), tuple(columns))


_Labels = frozenset[str]


def _coded(
    term: Term,
    spanned: dict[_Labels, set[_Labels]],
    attributes: Mapping[str, Attribute],
    scalings: Mapping[str, Scaling],
) -> list[tuple[str, tuple[tuple[str, Piece], ...]]]:
    """The columns of a term, each with its level; what they span is added to what is spanned."""
    of_values = [one for one in term.variables if attributes[one.name].kind.is_categorical]
    numbers = frozenset(one.label for one in term.variables if one not in of_values)
    known = spanned.setdefault(numbers, set())
    columns: list[tuple[str, tuple[tuple[str, Piece], ...]]] = []
    for whole in _codings([one.label for one in of_values], known):
        found: list[tuple[str, tuple[tuple[str, Piece], ...]]] = [("", ())]
        for variable in term.variables:
            attribute = attributes[variable.name]
            if variable not in of_values:
                pieces = [("", _number_piece(variable, attribute, scalings))]
            elif variable.label in whole:
                pieces = _value_pieces(variable, attribute, whole=whole[variable.label])
            else:
                continue
            # The first variable varies fastest.
            found = [
                (":".join(filter(None, (before, level))), (*earlier, (variable.name, piece)))
                for level, piece in pieces
                for before, earlier in found
            ]
        columns += found
    return columns


def _codings(labels: Sequence[str], known: set[_Labels]) -> list[dict[str, bool]]:
    """Which variables are coded with all their values, in parts that add only what is new.

    A product of variables spans the products of all subsets beside their references. Those that
    are not known yet are put together: one with and one without a variable make all its values.

    >>> _codings(["a"], {frozenset()}), _codings(["a"], set())
    ([{'a': False}], [{'a': True}])
    """
    parts: list[dict[str, bool]] = []
    for size in range(len(labels) + 1):
        for chosen in itertools.combinations(labels, size):
            if frozenset(chosen) not in known:
                known.add(frozenset(chosen))
                parts.append(dict.fromkeys(chosen, False))
    merged = True
    while merged:
        merged = False
        for small, large in itertools.permutations(parts, 2):
            (*more,) = large.keys() - small.keys()
            fits = len(more) == 1 and not large[more[0]] and small.items() <= large.items()
            if fits:
                parts.remove(small)
                large[more[0]] = merged = True
                break
    return parts


def _value_pieces(
    variable: Variable, attribute: Attribute, *, whole: bool
) -> list[tuple[str, Piece]]:
    if variable.function or variable.power != 1:
        raise ParameterError.saying(
            "{attribute!r} has values, so {term} has no meaning; take the attribute itself.",
            term=variable.label,
            attribute=attribute.name,
            field="formula",
        )
    base = 0
    if variable.reference:
        base = value_place(attribute, variable.reference)
    return [
        (value, _indicator(place))
        for place, value in enumerate(attribute.values)
        if whole or place != base
    ]


def value_place(attribute: Attribute, value: str) -> int:
    """The place of a value; an error where the attribute has no such one."""
    if value in attribute.values:
        return attribute.values.index(value)
    raise ParameterError.saying(
        "Attribute {attribute!r} has no value {value!r}; it has {values}.",
        value=value,
        values=", ".join(attribute.values[:12]),
        attribute=attribute.name,
        field="formula",
    )


def _indicator(place: int) -> Piece:
    return lambda codes: (codes == place).astype(np.float64)


def _number_piece(
    variable: Variable, attribute: Attribute, scalings: Mapping[str, Scaling]
) -> Piece:
    if variable.reference:
        raise ParameterError.saying(
            "{attribute!r} is a number and has no reference value; take [ref=…] away.",
            attribute=attribute.name,
            field="formula",
        )
    function, power = variable.function, variable.power
    scaling = scalings.get(attribute.name, Scaling(0.0, 1.0))

    def piece(numbers: NDArray[Any]) -> Numbers:
        found = np.asarray(numbers, np.float64)
        if function == LOG:
            if found.min(initial=np.inf) <= 0:
                raise DataError.saying(
                    "{attribute!r} has numbers that are not above 0, of which there is no "
                    "logarithm.",
                    attribute=attribute.name,
                    field="formula",
                )
            found = np.log(found)
        elif function == CENTER:
            found = found - scaling.mean
        elif function == SCALE:
            found = (found - scaling.mean) / (scaling.deviation or 1.0)
        return found if power == 1 else found**power

    return piece


def collinear_columns(matrix: Numbers, weights: Numbers) -> list[int]:
    """Columns that are sums of multiples of those before them, found by elimination.

    >>> ones, x = np.ones(3), np.array([1.0, 2.0, 4.0])
    >>> collinear_columns(np.column_stack([ones, x, 3 * ones - x]), ones)
    [2]
    """
    gram = np.zeros((matrix.shape[1], matrix.shape[1]))
    for start in range(0, len(matrix), _AT_ONCE):
        rows = slice(start, start + _AT_ONCE)
        gram += (matrix[rows].T * weights[rows]) @ matrix[rows]
    scale = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    gram = gram / np.outer(scale, scale)
    dropped: list[int] = []
    for place in range(len(gram)):
        pivot = gram[place, place]
        if pivot < 1e-9:
            dropped.append(place)
            gram[place], gram[:, place] = 0.0, 0.0
            continue
        gram -= np.outer(gram[:, place], gram[place]) / pivot * _after(place, len(gram))
    return dropped


def _after(place: int, size: int) -> Numbers:
    later = np.arange(size) > place
    return np.outer(later, later).astype(np.float64)


MANY_ROWS, _PART = 200_000, 20_000
"""Of so many rows a part, so large, is looked at before all of them are."""


@dataclass(frozen=True, eq=False)
class CellBlock:
    """A part of the log-linear model of the cells: ``v`` by rows, ``b`` by cells.

    ``start`` is where the search for its parameters begins.
    """

    v: Numbers
    b: Numbers
    start: Numbers

    @property
    def size(self) -> int:
        return int(self.v.shape[1] * self.b.shape[1])


@dataclass(frozen=True, eq=False)
class HiddenCells:
    """The true values of distorted predictors.

    Parameters
    ----------
    data
        For each distorted predictor, its true value in every cell.
    likelihood
        ``A[z_i, c]`` by row.
    blocks
        The model of the distribution of the cells.
    ridge
        How much its parameters are pulled towards 0: next to nothing, but enough to keep the ends
        of a curve from running away where nobody is.
    slope
        What one unit of an unknown parameter of a device adds to ``likelihood``, which then holds
        at ``DEVICE_START``; None where the devices are known.
    """

    data: Mapping[str, NDArray[Any]]
    likelihood: Numbers
    blocks: tuple[CellBlock, ...]
    ridge: float = 0.0
    slope: Numbers | None = None

    @property
    def count(self) -> int:
        return int(self.likelihood.shape[1])

    @property
    def size(self) -> int:
        return sum(block.size for block in self.blocks)

    def through(self, parameter: float) -> HiddenCells:
        if self.slope is None:
            return self
        return replace(self, likelihood=self.chances(parameter, slice(None)), slope=None)

    def chances(self, parameter: float, rows: slice) -> Numbers:
        """``A[z_i, c]`` of some rows, with the unknown parameter at a value."""
        if self.slope is None:
            return self.likelihood[rows]
        moved = self.likelihood[rows] + (parameter - DEVICE_START) * self.slope[rows]
        return np.asarray(np.maximum(moved, 0.0))

    def chosen(self, rows: NDArray[np.intp]) -> HiddenCells:
        return replace(
            self,
            likelihood=self.likelihood[rows],
            blocks=tuple(replace(block, v=block.v[rows]) for block in self.blocks),
            slope=None if self.slope is None else self.slope[rows],
        )

    def log_shares(self, gamma: Numbers, rows: slice) -> Numbers:
        """The logarithm of ``Pr(c | v_i)``."""
        logits, start = np.zeros((1, self.count)), 0
        for block in self.blocks:
            part = gamma[start : start + block.size].reshape(block.v.shape[1], -1)
            logits = logits + block.v[rows] @ part @ block.b.T
            start += block.size
        logits = logits - logits.max(axis=1, keepdims=True)
        return np.asarray(logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)))


@dataclass(frozen=True, eq=False)
class ModelRows:
    """Rows with their weights, whatever the model is.

    Parameters
    ----------
    reported
        Codes of a reported outcome, or numbers.
    data
        The undistorted predictors by row.
    """

    coding: Coding
    reported: NDArray[Any]
    weights: Numbers
    data: Mapping[str, NDArray[Any]]
    hidden: HiddenCells | None = None

    @property
    def rows(self) -> int:
        return len(self.reported)

    def every(self, step: int) -> Self:
        """Only every so many rows, where no predictor is hidden."""
        assert self.hidden is None  # noqa: S101 (cells belong to rows)
        return replace(
            self,
            reported=self.reported[::step],
            weights=self.weights[::step],
            data={name: column[::step] for name, column in self.data.items()},
        )

    def sparse(self) -> Self:
        """About 20,000 of many rows, where no predictor is hidden: enough to come near."""
        return self.every(self.rows // _PART)

    def mean_matrix(self, rows: slice | None = None) -> Numbers:
        """The columns, with hidden predictors at what the reports alone make of them."""
        rows = slice(0, self.rows) if rows is None else rows
        matrix = self.matrix(rows)
        if self.hidden is None:
            return matrix
        share = self.hidden.likelihood[rows]
        share = share / np.maximum(share.sum(axis=1, keepdims=True), 1e-300)
        return np.asarray(np.einsum("ic,icp->ip", share, matrix))

    def matrix(self, rows: slice) -> Numbers:
        """The columns of some rows, one matrix of cells each where predictors are hidden."""
        count = len(self.reported[rows])
        seen = {name: column[rows] for name, column in self.data.items()}
        if self.hidden is None:
            return self.coding.matrix(seen, (count,))
        seen = {name: column[:, None] for name, column in seen.items()}
        return self.coding.matrix({**seen, **self.hidden.data}, (count, self.hidden.count))
