"""The private question with one probability, an unrelated one otherwise."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ppworkbench.core.arrays import Matrix
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design.channels import Coin
from ppworkbench.core.design.matrices.base import (
    MatrixPerturbation,
    Theta,
    check_distribution,
    mixture,
)
from ppworkbench.core.design.perturbation import (
    DeviceUse,
    FreeParameter,
    free_probability,
    perturbations,
    single_chance,
)
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Within


@perturbations.register("unrelated", "Unrelated question")
@dataclass(frozen=True)
class Unrelated(MatrixPerturbation):
    """``theta * I + (1 - theta) * w * 1'`` with w the distribution of the unrelated answer.

    >>> Unrelated(theta=0.7, personal=(0.5, 0.5)).matrix(2).round(2).tolist()
    [[0.85, 0.15], [0.15, 0.85]]
    """

    theta: Theta = 0.7
    personal: Annotated[
        tuple[float, ...] | None,
        Within(0, 1),
        Info("Personal answers", "Distribution of the unrelated answer; uniform if not set"),
    ] = None

    type_name: ClassVar[str] = "unrelated"
    own_design: ClassVar[str | None] = "unrelated-question"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.personal is not None:
            check_distribution(self.personal, "The distribution of personal answers", "personal")

    def check_k(self, k: int) -> None:
        if self.personal is not None and len(self.personal) != k:
            raise DesignError.saying(
                "{count} probabilities of personal answers do not fit {k} values.",
                count=len(self.personal),
                k=k,
                field="personal",
            )

    def build(self, k: int) -> Matrix:
        other = np.full(k, 1 / k) if self.personal is None else np.array(self.personal)
        return mixture(self.theta, other)

    def summary(self) -> str:
        return Message("unrelated question, theta {theta:.3g}", theta=self.theta)

    def free_parameters(self, attribute: Attribute) -> tuple[FreeParameter, ...]:  # noqa: ARG002
        return (free_probability(self, "theta", 0.0),)

    def device_use(self, attribute: Attribute) -> DeviceUse:  # noqa: ARG002
        use = single_chance(self, "unrelated", "theta", 0.0)
        # "Two heads: the harmless question" is shorter than to name all that ask the other one.
        return dataclasses.replace(use, is_last=True)

    @property
    def coin(self) -> Coin:
        return Coin(self.theta, "unrelated", self.personal)
