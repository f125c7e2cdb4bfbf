"""Probabilities of a mechanism itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Perturbation
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info
from ppworkbench.core.progress import Progress, silent
from ppworkbench.study.demonstrations.figures.calculation import (
    Calculation,
    calculations,
    place_of,
)
from ppworkbench.study.study import Study


@calculations.register("transition", "Probability that a true answer becomes a reported one")
@dataclass(frozen=True)
class Transition(Calculation):
    """An entry of the P-matrix."""

    attribute: Annotated[str, Info("Attribute")]
    true: Annotated[str, Info("True answer")]
    reported: Annotated[str, Info("Reported answer")]

    def calculate(self, study: Study, progress: Progress = silent) -> float:  # noqa: ARG002
        """P[reported, true]."""
        perturbation = study.design.perturbation(self.attribute)
        attribute = study.design[self.attribute].attribute
        if perturbation.is_identity or not attribute.kind.is_categorical:
            raise DataError(
                Message("{attribute!r} has no matrix.", attribute=self.attribute),
                attribute=self.attribute,
            )
        matrix = perturbation.matrix(attribute.k)
        reported = place_of(study, self.attribute, self.reported)
        return float(matrix[reported, place_of(study, self.attribute, self.true)])


@calculations.register("noise-probability", "Probability of a shift of a whole number")
@dataclass(frozen=True)
class NoiseProbability(Calculation):
    """How likely a shift is, for a true answer in the middle; ``against`` divides by another's."""

    attribute: Annotated[str, Info("Attribute")]
    shift: Annotated[int, Info("Shift")]
    against: Annotated[int | None, Info("Against")] = None

    def calculate(self, study: Study, progress: Progress = silent) -> float:  # noqa: ARG002
        """Pr(Z = x + shift | X = x), or its ratio to another shift's."""
        perturbation = study.design.perturbation(self.attribute)
        attribute = study.design[self.attribute].attribute
        if perturbation.is_identity or attribute.domain is None:
            raise DataError(
                Message("{attribute!r} has no noise.", attribute=self.attribute),
                attribute=self.attribute,
            )
        middle = np.rint(sum(attribute.domain) / 2)

        def chance(shift: int) -> float:
            ends = middle + shift + np.array([-0.5, 0.5])
            low, high = perturbation.conditional_cdf(ends, np.full(2, middle), attribute)
            return float(high - low)

        found = chance(self.shift)
        return found if self.against is None else found / chance(self.against)


@calculations.register("width", "Width of the interval that holds the true number")
@dataclass(frozen=True)
class Width(Calculation):
    """The interval that holds the true number with some confidence, in units or in sigmas."""

    attribute: Annotated[str, Info("Attribute")]
    confidence: Annotated[float, Info("Confidence")] = 0.95
    in_sigmas: Annotated[bool, Info("In standard deviations")] = False

    def calculate(self, study: Study, progress: Progress = silent) -> float:  # noqa: ARG002
        """The measure of Agrawal and Srikant."""
        perturbation = study.design.perturbation(self.attribute)
        attribute = study.design[self.attribute].attribute
        width = perturbation.interval_width(self.confidence, attribute)
        if width is None:
            raise DataError(
                Message("{attribute!r} has no noise.", attribute=self.attribute),
                attribute=self.attribute,
            )
        return float(width) / (_sigma(perturbation, attribute) if self.in_sigmas else 1.0)


def _sigma(perturbation: Perturbation, attribute: Attribute) -> float:
    noise = perturbation.noise_of(attribute)
    if noise is None:
        raise DataError("Only additive noise has a standard deviation to count in.")
    return noise.scale
