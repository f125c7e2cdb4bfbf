"""No distortion at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.channels import NumberChannel, ValueChannel
from ppworkbench.core.design.perturbation import CATEGORICAL, NUMERIC, Perturbation, perturbations
from ppworkbench.core.message import Message
from ppworkbench.core.rng import Stream


@perturbations.register("none", "Not randomised", short="None", rank=0, hint="no protection")
@dataclass(frozen=True)
class Identity(Perturbation, ValueChannel, NumberChannel):
    """The answer is published as it is."""

    type_name: ClassVar[str] = "none"
    kinds: ClassVar[frozenset[Kind]] = CATEGORICAL | NUMERIC
    is_identity: ClassVar[bool] = True

    def distort(
        self,
        data: NDArray[Any],
        attribute: Attribute,  # noqa: ARG002 (the interface of all perturbations)
        stream: Stream,  # noqa: ARG002
    ) -> NDArray[Any]:
        return data

    def summary(self) -> str:
        return Message("not randomised")

    def cautions(self, attribute: Attribute) -> Iterator[str]:  # noqa: ARG002
        yield "The true answer is reported: it is not randomised."

    def how_to_undo(self) -> str:
        return Message("no correction needed")

    def page_words(self, attribute: Attribute) -> tuple[str, Mapping[str, float | str]]:  # noqa: ARG002
        return "how_none", {}

    def page_draw(self, attribute: Attribute) -> dict[str, Any]:  # noqa: ARG002
        """The mechanism as the script of a questionnaire page understands it."""
        return {"type": "none"}

    def matrix(self, k: int) -> Numbers:
        return np.eye(k)

    def support(self, attribute: Attribute) -> tuple[float, float]:
        return attribute.domain or (-np.inf, np.inf)

    def unbiased(self, z: Numbers, attribute: Attribute) -> Numbers | None:  # noqa: ARG002
        return z

    def unbiased_variance(self, attribute: Attribute, mean: float, square: float) -> float | None:  # noqa: ARG002
        return max(square - mean**2, 0.0)

    @property
    def exact_share(self) -> float | None:
        return 1.0

    def entropy_privacy(self, attribute: Attribute) -> float | None:
        """One possible deviation of a whole number, an interval of width 0 of a real one."""
        return 1.0 if attribute.kind is Kind.INTEGER else 0.0
