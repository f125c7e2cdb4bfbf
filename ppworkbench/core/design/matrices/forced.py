"""Forced response: the truth, or an answer that the device dictates."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ppworkbench.core.arrays import Matrix
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design.channels import Coin
from ppworkbench.core.design.matrices.base import MatrixPerturbation, check_distribution, mixture
from ppworkbench.core.design.perturbation import (
    DeviceUse,
    FreeParameter,
    Perturbation,
    free_probability,
    perturbations,
)
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Within

Truth = Annotated[float, Within(0, 1), Info("Truth", "Probability of the true answer")]
ForcedAnswers = Annotated[
    tuple[float, ...] | None,
    Within(0, 1),
    Info("Forced answers", "Distribution of the forced answer; uniform if not set"),
]


@perturbations.register("forced", "Forced response")
@dataclass(frozen=True)
class Forced(MatrixPerturbation):
    """The algebra of the unrelated question with a distribution that the designer fixes.

    >>> Forced(p_truth=0.75, forced=(0.5, 0.5)).matrix(2).round(3).tolist()
    [[0.875, 0.125], [0.125, 0.875]]
    """

    p_truth: Truth = 0.75
    forced: ForcedAnswers = None

    type_name: ClassVar[str] = "forced"
    own_design: ClassVar[str | None] = "forced-response"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.forced is not None:
            check_distribution(self.forced, "The distribution of forced answers", "forced")

    def check_k(self, k: int) -> None:
        if self.forced is not None and len(self.forced) != k:
            raise DesignError.saying(
                "{count} probabilities of forced answers do not fit {k} values.",
                count=len(self.forced),
                k=k,
                field="forced",
            )

    def build(self, k: int) -> Matrix:
        other = np.full(k, 1 / k) if self.forced is None else np.array(self.forced)
        return mixture(self.p_truth, other)

    def summary(self) -> str:
        return Message("forced response, truth {p_truth:.3g}", p_truth=self.p_truth)

    def free_parameters(self, attribute: Attribute) -> tuple[FreeParameter, ...]:  # noqa: ARG002
        return (free_probability(self, "p_truth", 0.0),)

    def device_use(self, attribute: Attribute) -> DeviceUse | None:
        values = attribute.values
        if "truth" in values or "name" in values or len(values) < 2:
            return None  # The outcomes of such a value could not be told from the others.
        k = len(values)
        other = (1 / k,) * k if self.forced is None else self.forced
        # The sensitive answer mostly comes last, and is forced by the lowest outcomes.
        order = range(k - 1, -1, -1) if k == 2 else range(k)
        rest = tuple((values[i], (1 - self.p_truth) * other[i]) for i in order)

        def put(chances: Mapping[str, Fraction]) -> Perturbation:
            truth = chances["truth"]
            if truth == 1:
                return dataclasses.replace(self, p_truth=1.0)
            forced = tuple(chances[value] / (1 - truth) for value in values)
            even = len(set(forced)) == 1
            shares = None if even and self.forced is None else tuple(map(float, forced))
            return dataclasses.replace(self, p_truth=float(truth), forced=shares)

        return DeviceUse("forced", (("truth", self.p_truth), *rest), 0.0, put, is_whole=True)

    @property
    def coin(self) -> Coin:
        return Coin(self.p_truth, "forced", self.forced)
