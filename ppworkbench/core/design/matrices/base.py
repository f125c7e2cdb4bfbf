"""P-matrices: ``P[r, c]`` is the probability that the true answer c becomes r."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.perturbation import CATEGORICAL, Perturbation
from ppworkbench.core.design.sampler import MatrixSampler
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info
from ppworkbench.core.rng import Stream

Matrix = NDArray[np.float64]

MAX_VALUES = 1000
"""More values than this are no answers to one question, and the matrix would fill the memory."""
COLUMN_TOLERANCE = 1e-9
NEARLY_SINGULAR = 1e3
"""Condition number above which reconstruction is hardly possible."""


@dataclass(frozen=True)
class MatrixPerturbation(Perturbation):
    """A perturbation that is fully described by a P-matrix.

    Several named designs share one matrix, such as Warner's and the crosswise one, but not what
    the respondent does. ``named_design`` says which of them was chosen.
    """

    named_design: Annotated[
        str | None,
        Info("Named design", "The design of the literature that was chosen", in_forms=False),
    ] = field(default=None, kw_only=True, repr=False)

    kinds: ClassVar[frozenset[Kind]] = CATEGORICAL
    own_design: ClassVar[str | None] = None
    """The named design that this perturbation is unless another was chosen."""

    @abstractmethod
    def build(self, k: int) -> Matrix:
        """The P-matrix for k values, columns summing to 1."""

    def matrix(self, k: int) -> Matrix:
        """The P-matrix for k values; read-only and remembered."""
        return _matrix(self, k)

    def check_k(self, k: int) -> None:
        """Refuse a number of values that the parameters do not fit."""

    def check(self, attribute: Attribute) -> None:
        """Refuse an attribute that this perturbation cannot distort."""
        super().check(attribute)
        if not 1 <= attribute.k <= MAX_VALUES:
            raise DesignError(
                Message(
                    "Attribute {attribute!r} has {k} values; a P-matrix is for 1 to "
                    "{max_values}. Merge values or leave the attribute out.",
                    attribute=attribute.name,
                    k=attribute.k,
                    max_values=MAX_VALUES,
                ),
                attribute=attribute.name,
                field="values",
            )
        try:
            self.check_k(attribute.k)
        except DesignError as error:
            raise DesignError(
                Message(
                    "Attribute {attribute!r}: {why}", attribute=attribute.name, why=error.message
                ),
                attribute=attribute.name,
                field=error.field,
            ) from None

    def distort(self, data: NDArray[Any], attribute: Attribute, stream: Stream) -> NDArray[Any]:
        """Replace every code by a draw from its column of the P-matrix."""
        return _sampler(self, attribute.k).draw(data, stream)


@lru_cache(maxsize=512)
def _matrix(perturbation: MatrixPerturbation, k: int) -> Matrix:
    perturbation.check_k(k)
    matrix = np.ascontiguousarray(perturbation.build(k), dtype=np.float64)
    matrix.flags.writeable = False
    return matrix


@lru_cache(maxsize=64)
def _sampler(perturbation: MatrixPerturbation, k: int) -> MatrixSampler:
    return MatrixSampler(perturbation.matrix(k))


def check_matrix(matrix: Matrix, names: tuple[str, ...] | None = None) -> None:
    """Raise an error that names the first column which is no probability distribution."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.size == 0:
        shape = " x ".join(str(side) for side in matrix.shape)
        raise DesignError(
            Message("A P-matrix must be square; this one is {shape}.", shape=shape), field="matrix"
        )

    def column(c: int) -> str:
        return (
            Message("column {c} (true answer {names!r})", c=c + 1, names=names[c])
            if names
            else Message("column {i}", i=c + 1)
        )

    bad = ~np.isfinite(matrix) | (matrix < 0)
    if bad.any():
        r, c = (int(i) for i in np.argwhere(bad)[0])
        raise DesignError(
            Message(
                "The P-matrix has {probability:g} in row {row} of {column}; "
                "probabilities must be 0 or more.",
                probability=matrix[r, c],
                row=r + 1,
                column=column(c),
            ),
            field="matrix",
        )
    with np.errstate(over="ignore"):
        sums = matrix.sum(axis=0)
    off = np.abs(sums - 1) > COLUMN_TOLERANCE
    if off.any():
        c = int(np.argmax(off))
        raise DesignError(
            Message(
                "The P-matrix sums to {sums:.12g} in {column}; every column must sum to 1.",
                sums=sums[c],
                column=column(c),
            ),
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
    """Refuse weights that are no probability distribution."""
    total = sum(weights)
    if abs(total - 1) > COLUMN_TOLERANCE:
        raise DesignError(
            Message(
                "{what} sums to {total:.12g}; it must sum to 1.", what=Message(what), total=total
            ),
            field=field,
        )
