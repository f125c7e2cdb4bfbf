"""P-matrices: ``P[r, c]`` is the probability that the true answer c becomes r."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Matrix
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.channels import ValueChannel
from ppworkbench.core.design.perturbation import CATEGORICAL, Perturbation
from ppworkbench.core.design.sampler import (
    WHOLE,
    MatrixSampler,
    cumulative_steps,
    whole_columns,
)
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, Within
from ppworkbench.core.rng import Stream

MAX_VALUES = 1000
"""More values than this are no answers to one question, and the matrix would fill the memory."""
COLUMN_TOLERANCE = 1e-9
Theta = Annotated[float, Within(0, 1), Info("Theta", "Probability of the sensitive question")]
NEARLY_SINGULAR = 1e3
"""Condition number above which reconstruction is hardly possible."""


@dataclass(frozen=True)
class MatrixPerturbation(Perturbation, ValueChannel):
    """A perturbation that is fully described by a P-matrix.

    Several named designs share one matrix, such as Warner's and the crosswise one, but not what
    the respondent does. ``named_design`` says which of them was chosen.
    """

    named_design: Annotated[
        str | None,
        Info("Named design", "Design from the literature", in_forms=False),
    ] = field(default=None, kw_only=True, repr=False)

    kinds: ClassVar[frozenset[Kind]] = CATEGORICAL

    @abstractmethod
    def build(self, k: int) -> Matrix:
        """The P-matrix for k values, columns summing to 1."""

    def matrix(self, k: int) -> Matrix:
        return _matrix(self, k)

    def drawn_matrix(self, k: int) -> Matrix:
        """P in the whole numbers that reports are drawn from; read-only and remembered."""
        return _drawn_matrix(self, k)

    def check_k(self, k: int) -> None:
        """Refuse a number of values that the parameters do not fit."""

    def check(self, attribute: Attribute) -> None:
        super().check(attribute)
        if not 1 <= attribute.k <= MAX_VALUES:
            raise DesignError.saying(
                "Attribute {attribute!r} has {k} values; a transition matrix takes 1 "
                "to {max_values}. Merge values or leave the attribute out.",
                k=attribute.k,
                max_values=MAX_VALUES,
                attribute=attribute.name,
                field="values",
            )
        try:
            self.check_k(attribute.k)
        except DesignError as error:
            raise DesignError.saying(
                "Attribute {attribute!r}: {why}",
                why=error.message,
                attribute=attribute.name,
                field=error.field,
            ) from None

    def distort(self, data: NDArray[Any], attribute: Attribute, stream: Stream) -> NDArray[Any]:
        return _sampler(self, attribute.k).draw(data, stream)

    @property
    def design_name(self) -> str | None:
        return self.named_design or self.own_design

    def unnamed(self) -> Self:
        return self if self.named_design is None else dataclasses.replace(self, named_design=None)

    def how_to_undo(self) -> str:
        return Message("x = P⁻¹ y, or the EM algorithm where an estimate is negative")

    def page_words(self, attribute: Attribute) -> tuple[str, Mapping[str, float | str]]:
        k = attribute.k
        if self.coin is not None and self.coin.is_blind:
            return "how_coin", {"theta": self.coin.theta}
        kept = np.diag(self.matrix(k))
        low, high = float(kept.min()), float(kept.max())
        near = k > 2 and self.moves_to_neighbours
        if high - low > 0.01:
            return ("how_near_between" if near else "how_between"), {"low": low, "high": high}
        kind = "how_neighbours" if near else "how_keep_two" if k == 2 else "how_keep"
        return kind, {"keep": low}

    def page_draw(self, attribute: Attribute) -> dict[str, Any]:
        """A coin and one distribution whatever the true answer is, or all columns."""
        k = attribute.k
        if self.coin is None or not self.coin.is_blind:
            return {"type": "matrix", "steps": column_steps(self.matrix(k))}
        theta, given = self.coin.theta, self.coin.other
        other = np.full(k, 1 / k) if given is None else np.array(given)
        return {
            "type": "coin",
            "theta": theta,
            "group": None,
            "other": column_steps(other[:, None]),
        }


def mean_kept(before: Matrix | None) -> float:
    """How often a matrix keeps an answer; 0.6 where it always does, or where there is none."""
    kept = 1.0 if before is None else float(np.clip(np.diag(before).mean(), 0.0, 1.0))
    return kept if kept < 1 else 0.6


def column_steps(matrix: Matrix) -> list[list[float]]:
    """The cumulated distribution of what is sent, one list for each true answer."""
    steps: list[list[float]] = cumulative_steps(matrix).T.tolist()
    return steps


@lru_cache(maxsize=512)
def _matrix(perturbation: MatrixPerturbation, k: int) -> Matrix:
    perturbation.check_k(k)
    matrix = np.ascontiguousarray(perturbation.build(k), dtype=np.float64)
    # Whatever the parameters were, nobody is to draw from a column that is no distribution.
    check_matrix(matrix)
    matrix.flags.writeable = False
    return matrix


@lru_cache(maxsize=512)
def _drawn_matrix(perturbation: MatrixPerturbation, k: int) -> Matrix:
    matrix = np.asarray(whole_columns(perturbation.matrix(k)) / WHOLE, np.float64)
    matrix.flags.writeable = False
    return matrix


@lru_cache(maxsize=64)
def _sampler(perturbation: MatrixPerturbation, k: int) -> MatrixSampler:
    return MatrixSampler(perturbation.matrix(k))


def check_matrix(matrix: Matrix, names: tuple[str, ...] | None = None) -> None:
    """Raise an error that names the first column which is no probability distribution."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.size == 0:
        shape = " x ".join(str(side) for side in matrix.shape)
        raise DesignError.saying(
            "A transition matrix must be square; this one is {shape}.", shape=shape, field="matrix"
        )

    def column(c: int) -> str:
        return (
            Message("column {c} (true answer {names!r})", c=c + 1, names=names[c])
            if names
            else Message("column {i}", i=c + 1)
        )

    # A curve of the trade-off asks for hundreds of good ones while somebody drags.
    with np.errstate(over="ignore", invalid="ignore"):
        sums = matrix.sum(axis=0)
    off = ~(np.abs(sums - 1) <= COLUMN_TOLERANCE)
    if matrix.min() >= 0 and not off.any():
        return
    bad = ~np.isfinite(matrix) | (matrix < 0)
    if bad.any():
        r, c = (int(i) for i in np.argwhere(bad)[0])
        raise DesignError(
            Message(
                "The transition matrix has {probability:g} in row {row} of {column}; "
                "probabilities must be 0 or more.",
                probability=matrix[r, c],
                row=r + 1,
                column=column(c),
            ),
            field="matrix",
        )
    c = int(np.argmax(off))
    raise DesignError.saying(
        "The transition matrix sums to {sums:.12g} in {column}; every column must sum to 1.",
        sums=sums[c],
        column=column(c),
        field="matrix",
    )


def condition_number(matrix: Matrix) -> float:
    """The 2-norm condition number, infinite for a singular matrix.

    >>> condition_number(np.eye(3))
    1.0
    """
    singular_values = np.linalg.svd(matrix, compute_uv=False)
    smallest = float(singular_values[-1])
    largest = float(singular_values[0])
    # Below rounding error a singular value is zero: the inverse would be noise.
    return largest / smallest if smallest > largest * 1e-14 else float("inf")


def mixture(keep: float, other: NDArray[np.float64]) -> Matrix:
    """``keep * I + (1 - keep) * other * 1'``: keep the answer, else draw from ``other``."""
    k = len(other)
    return keep * np.eye(k) + (1 - keep) * np.outer(other, np.ones(k))


def check_distribution(weights: tuple[float, ...], what: str, field: str) -> None:
    total = sum(weights)
    if abs(total - 1) > COLUMN_TOLERANCE:
        raise DesignError.saying(
            "{what} sums to {total:.12g}; it must sum to 1.",
            what=Message(what),
            total=total,
            field=field,
        )
