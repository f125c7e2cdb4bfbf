"""From records and a design to codes, intervals and class codes: what classifiers learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.classify.binning import BinningParams, borders
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.fit import fit_column
from ppworkbench.core.design.perturbation import Identity, Perturbation
from ppworkbench.core.errors import DataError
from ppworkbench.core.reconstruct.channel import CountedChannel, solve
from ppworkbench.core.reconstruct.counting import count_column
from ppworkbench.core.reconstruct.grid import Grid, labels_of, make_grid


@dataclass(frozen=True, eq=False)
class Predictor:
    """One attribute from which the class is predicted.

    X is the original answer, Z the distorted one. ``x_codes`` turn original answers into X's cells
    (values, or intervals between ``edges``), ``z_codes`` distorted answers into Z's cells, and
    ``channel[s, p] = Pr(Z in cell s | X in cell p)`` joins the two.

    Parameters
    ----------
    designed
        The attribute before the distortion and how it was distorted.
    grid
        The cells of X and Z, made by :func:`~ppworkbench.core.reconstruct.make_grid`.
    fill_original, fill_distorted
        What stands for a missing answer: a mean or the most frequent value.
    """

    designed: DesignedAttribute
    grid: Grid
    fill_original: float
    fill_distorted: float

    @property
    def name(self) -> str:
        return self.designed.name

    @property
    def attribute(self) -> Attribute:
        return self.designed.attribute

    @property
    def perturbation(self) -> Perturbation:
        return self.grid.perturbation

    @property
    def k(self) -> int:
        """How many cells X has."""
        return self.grid.k

    @property
    def z_count(self) -> int:
        """How many cells Z has."""
        return self.grid.z_cells.count

    @property
    def is_numeric(self) -> bool:
        return self.grid.x_edges is not None

    @property
    def is_distorted(self) -> bool:
        return not self.perturbation.is_identity

    @property
    def is_noisy(self) -> bool:
        """Whether a number is blurred, rather than kept, replaced or put into an interval."""
        channel, attribute = self.perturbation.numbers, self.attribute
        exact = channel.exact_share is not None or channel.interval_edges(attribute) is not None
        return self.is_numeric and not exact

    @property
    def edges(self) -> Numbers | None:
        """The borders of X's intervals; None where its cells are values."""
        return self.grid.x_edges

    @cached_property
    def labels(self) -> tuple[str, ...]:
        return labels_of(self.attribute, self.edges)

    @cached_property
    def channel(self) -> Numbers:
        """``A[s, p] = Pr(Z in cell s | X in cell p)`` over all cells of Z."""
        return self.grid.matrix()

    def x_codes(self, data: NDArray[Any]) -> Codes:
        """The cell of X of every original answer; numbers beyond the domain are in the end cells.

        Missing answers (-1 or NaN) get the cell of ``fill_original``.
        """
        if self.edges is None:
            return np.where(data < 0, int(self.fill_original), data).astype(np.intp)
        filled = np.where(np.isnan(data), self.fill_original, data)
        return np.clip(np.searchsorted(self.edges, filled, side="right") - 1, 0, self.k - 1)

    def z_codes(self, data: NDArray[Any]) -> Codes:
        """The cell of Z of every distorted answer; missing ones are filled in."""
        filled = self.filled(data)
        edges = self.grid.z_cells.edges
        if edges is None or filled.dtype.kind != "f":
            return filled.astype(np.intp)
        return self.grid.z_cells.place(np.clip(filled, edges[0], edges[-1]))

    def filled(self, data: NDArray[Any]) -> NDArray[Any]:
        """Distorted answers with missing ones filled in."""
        if data.dtype.kind != "f":
            return np.where(data < 0, int(self.fill_distorted), data)
        return np.where(np.isnan(data), self.fill_distorted, data)

    def counted(self, column: Column) -> CountedChannel:
        return count_column(column, self.attribute, self.perturbation, self.edges)


@dataclass(frozen=True, eq=False)
class Training:
    """Distorted training records in codes.

    Parameters
    ----------
    predictors
        The attributes from which the class is predicted.
    columns
        The distorted answers of each predictor, missing ones filled in: codes or numbers.
    classes
        The class code of every record, an index into ``class_names``.
    class_names
        The classes that occur, in their order.
    class_perturbation
        How the class itself was distorted, with its P-matrix over ``class_names`` where all values
        occur; most designs leave the class alone.
    """

    predictors: tuple[Predictor, ...]
    columns: tuple[Column, ...]
    classes: Codes
    class_names: tuple[Any, ...]
    class_perturbation: Perturbation

    @property
    def rows(self) -> int:
        return len(self.classes)

    @property
    def n_classes(self) -> int:
        return len(self.class_names)

    @cached_property
    def class_counts(self) -> NDArray[np.int64]:
        return np.bincount(self.classes, minlength=self.n_classes).astype(np.int64)

    @cached_property
    def z_codes(self) -> tuple[Codes, ...]:
        """The cells of Z, one array per predictor."""
        pairs = zip(self.predictors, self.columns, strict=True)
        return tuple(predictor.z_codes(column.data) for predictor, column in pairs)

    def take(self, rows: NDArray[Any]) -> Training:
        """Only these records, in this order; classes and cells stay, even when one gets empty."""
        taken = Training(
            self.predictors,
            tuple(column.take(rows) for column in self.columns),
            self.classes[rows],
            self.class_names,
            self.class_perturbation,
        )
        if "z_codes" in self.__dict__:
            taken.__dict__["z_codes"] = tuple(codes[rows] for codes in self.z_codes)
        return taken


def prepare(
    table: Table,
    design: Design | None,
    class_codes: Codes,
    class_names: Sequence[Any],
    params: BinningParams,
) -> Training:
    """Turn distorted records into what classifiers learn from.

    All columns of the table but the class are predictors; one that the design does not list is
    taken as undistorted. Missing answers are filled in by mean or mode of the distorted answers.
    """
    if not table.rows:
        raise DataError("There are no records to learn from (0 sample(s)); at least 1 is required.")
    if design is not None:
        design.refuse_arms()
        design.refuse_sets(table.names)
    made = [_predictor(column, design, params) for column in table]
    class_name = None if design is None else design.class_name
    distorted_class: Perturbation = Identity()
    if design is not None and class_name is not None:
        distorted_class = design.perturbation(class_name)
    return Training(
        tuple(predictor for predictor, _ in made),
        tuple(column for _, column in made),
        np.asarray(class_codes, np.intp),
        tuple(class_names),
        distorted_class,
    )


def _predictor(
    column: Column, design: Design | None, params: BinningParams
) -> tuple[Predictor, Column]:
    name = column.name
    if design is not None and name in design:
        designed, perturbation = design[name], design.perturbation(name)
        published = DesignedAttribute(
            perturbation.distorted(designed.attribute), Identity(), designed.missing_is_value
        )
        column = Column(published.attribute, fit_column(column, published))
    else:
        perturbation = Identity()
        designed = DesignedAttribute(column.attribute, perturbation)
        column = Column(designed.attribute, column.data)
    if column.missing_count == len(column):
        raise DataError.saying(
            "Attribute {attribute!r} has no answers to learn from; leave it out.", attribute=name
        )
    attribute = designed.attribute
    fill = _fill(column)
    data = column.data
    if column.missing_count:
        data = np.where(column.missing, fill, data)
    column = Column(column.attribute, data)
    edges = borders(attribute, perturbation, column.data, params)
    grid = make_grid(attribute, perturbation, edges)
    original = _original_fill(fill, column, attribute, perturbation)
    return Predictor(designed, grid, original, fill), column


def _fill(column: Column) -> float:
    if column.is_categorical:
        return float(np.argmax(column.counts))
    return float(column.data[~column.missing].mean())


def _original_fill(
    fill: float, column: Column, attribute: Attribute, perturbation: Perturbation
) -> float:
    """The mean or most frequent value before the distortion, as far as a glance can tell."""
    if perturbation.is_identity:
        return fill
    if attribute.kind.is_categorical:
        shares = column.counts / max(column.counts.sum(), 1)
        return float(np.argmax(solve(perturbation.values.matrix(attribute.k), shares)))
    edges = perturbation.numbers.interval_edges(attribute)
    if edges is not None:
        middles = (edges[:-1] + edges[1:]) / 2
        return float(middles @ column.counts / column.counts.sum())
    unbiased = perturbation.numbers.unbiased(np.array([fill]), attribute)
    return fill if unbiased is None else float(unbiased[0])
