"""No distortion at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.perturbation import CATEGORICAL, NUMERIC, Perturbation, perturbations
from ppworkbench.core.message import Message
from ppworkbench.core.rng import Stream


@perturbations.register("none", "Not distorted")
@dataclass(frozen=True)
class Identity(Perturbation):
    """The answer is published as it is."""

    type_name: ClassVar[str] = "none"
    kinds: ClassVar[frozenset[Kind]] = CATEGORICAL | NUMERIC

    def distort(
        self,
        data: NDArray[Any],
        attribute: Attribute,  # noqa: ARG002 (the interface of all perturbations)
        stream: Stream,  # noqa: ARG002
    ) -> NDArray[Any]:
        """The answers unchanged."""
        return data

    def summary(self) -> str:
        """The mechanism in a few words."""
        return Message("not distorted")
