"""Forced response: the truth, or an answer that the device dictates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ppworkbench.core.arrays import Matrix
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design.matrices.base import MatrixPerturbation, check_distribution, mixture
from ppworkbench.core.design.perturbation import (
    Coin,
    FreeParameter,
    free_probability,
    perturbations,
)
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Within


@perturbations.register("forced", "Forced response")
@dataclass(frozen=True)
class Forced(MatrixPerturbation):
    """The algebra of the unrelated question with a distribution that the designer fixes.

    >>> Forced(p_truth=0.75, forced=(0.5, 0.5)).matrix(2).round(3).tolist()
    [[0.875, 0.125], [0.125, 0.875]]
    """

    p_truth: Annotated[float, Within(0, 1), Info("Truth", "Probability of the true answer")] = 0.75
    forced: Annotated[
        tuple[float, ...] | None,
        Within(0, 1),
        Info("Forced answers", "Distribution of the forced answer; uniform if not set"),
    ] = None

    type_name: ClassVar[str] = "forced"
    own_design: ClassVar[str | None] = "forced-response"

    def __post_init__(self) -> None:
        """Refuse forced answers that are no distribution."""
        super().__post_init__()
        if self.forced is not None:
            check_distribution(self.forced, "The distribution of forced answers", "forced")

    def check_k(self, k: int) -> None:
        """Refuse a distribution of another length."""
        if self.forced is not None and len(self.forced) != k:
            raise DesignError.saying(
                "{count} probabilities of forced answers do not fit {k} values.",
                count=len(self.forced),
                k=k,
                field="forced",
            )

    def build(self, k: int) -> Matrix:
        """The P-matrix for k values."""
        other = np.full(k, 1 / k) if self.forced is None else np.array(self.forced)
        return mixture(self.p_truth, other)

    def summary(self) -> str:
        """The mechanism in a few words."""
        return Message("forced response, truth {p_truth:.3g}", p_truth=self.p_truth)

    def free_parameters(self, attribute: Attribute) -> tuple[FreeParameter, ...]:  # noqa: ARG002
        """The probability of the truth."""
        return (free_probability(self, "p_truth", 0.0),)

    @property
    def coin(self) -> Coin:
        """What decides whether the truth is told."""
        return Coin(self.p_truth, "forced", self.forced)
