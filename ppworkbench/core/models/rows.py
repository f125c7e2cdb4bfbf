"""Rows that are ready for a model: reports and columns of predictors, some of them not seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.models.coding import Coding
from ppworkbench.core.survey.factors.devices import DEVICE_START

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
        """The number of its parameters."""
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
        """The number of parameters of their distribution."""
        return sum(block.size for block in self.blocks)

    def through(self, parameter: float) -> HiddenCells:
        """The same with the unknown parameter of a device known."""
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
