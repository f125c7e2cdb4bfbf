"""Warner's related question: the truth or its opposite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ppworkbench.core.arrays import Matrix
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.channels import Coin
from ppworkbench.core.design.matrices.base import MatrixPerturbation, Theta
from ppworkbench.core.design.perturbation import (
    DeviceUse,
    FreeParameter,
    free_probability,
    perturbations,
    single_chance,
)
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message


@perturbations.register("related", "Related question (Warner)")
@dataclass(frozen=True)
class Related(MatrixPerturbation):
    """The truth with theta, the opposite otherwise (Warner 1965).

    >>> Related(theta=0.7).matrix(2).round(2).tolist()
    [[0.7, 0.3], [0.3, 0.7]]
    """

    theta: Theta = 0.7

    type_name: ClassVar[str] = "related"
    own_design: ClassVar[str | None] = "warner"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.BINARY})

    def check_k(self, k: int) -> None:
        if k != 2:
            raise DesignError.saying(
                "the related question needs 2 values, not {k}.", k=k, field="type"
            )

    def build(self, k: int) -> Matrix:  # noqa: ARG002 (always 2)
        theta = self.theta
        return np.array([[theta, 1 - theta], [1 - theta, theta]])

    def summary(self) -> str:
        if self.named_design == "crosswise":
            return Message("crosswise, p {theta:.3g}", theta=self.theta)
        return Message("related question, theta {theta:.3g}", theta=self.theta)

    def free_parameters(self, attribute: Attribute) -> tuple[FreeParameter, ...]:  # noqa: ARG002
        return (free_probability(self, "theta", 0.5),)

    def device_use(self, attribute: Attribute) -> DeviceUse:  # noqa: ARG002
        scheme = "crosswise" if self.named_design == "crosswise" else "warner"
        return single_chance(self, scheme, "theta", 0.5)

    @property
    def coin(self) -> Coin:
        return Coin(self.theta, "related")
