"""Ones and zeros kept with different probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.design.matrices.base import Matrix, MatrixPerturbation
from ppworkbench.core.design.perturbation import perturbations
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Within


@perturbations.register("binary", "Binary p, q")
@dataclass(frozen=True)
class Binary(MatrixPerturbation):
    """The second value ("one") is kept with p, the first ("zero") with q.

    >>> Binary(keep_one=0.5, keep_zero=0.87).matrix(2).round(2).tolist()
    [[0.87, 0.5], [0.13, 0.5]]
    """

    keep_one: Annotated[
        float, Within(0, 1), Info("Keep one", "Probability that the second value is kept")
    ] = 0.5
    keep_zero: Annotated[
        float, Within(0, 1), Info("Keep zero", "Probability that the first value is kept")
    ] = 0.87

    type_name: ClassVar[str] = "binary"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.BINARY})

    def check_k(self, k: int) -> None:
        """Refuse anything but two values."""
        if k != 2:
            raise DesignError(
                Message("the binary perturbation is for 2 values, not {k}.", k=k), field="type"
            )

    def build(self, k: int) -> Matrix:  # noqa: ARG002 (always 2)
        """The P-matrix of two values."""
        p, q = self.keep_one, self.keep_zero
        return np.array([[q, 1 - p], [1 - q, p]])

    def summary(self) -> str:
        """The mechanism in a few words."""
        return Message(
            "keep ones {keep_one:.3g}, zeros {keep_zero:.3g}",
            keep_one=self.keep_one,
            keep_zero=self.keep_zero,
        )
