"""Results of an assessment: frozen, and as JSON the way ``measure --json`` prints them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Perturbation
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.belief import meant_places
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.reading import Reading
from ppworkbench.core.privacy.utility.assess import UtilityReport
from ppworkbench.core.privacy.utility.channel import ShareChannel
from ppworkbench.core.privacy.utility.noncompliance import (
    NonCompliance,
    answering_matrix,
    usual_safe,
)


@dataclass(frozen=True)
class PrivacyReport:
    """The readings that apply to one attribute, in the order in which they are shown."""

    readings: tuple[Reading, ...]

    def __iter__(self) -> Iterator[Reading]:
        return iter(self.readings)

    def __contains__(self, name: object) -> bool:
        return any(reading.name == name for reading in self.readings)

    def __getitem__(self, name: str) -> Reading:
        for reading in self.readings:
            if reading.name == name:
                return reading
        raise ParameterError.saying(
            "The measure {name!r} does not apply here.", name=name, field=name
        )

    def to_json(self) -> dict[str, Any]:
        """Values by name; a measure with several parts is an object. Infinity stays a float."""
        result: dict[str, Any] = {}
        for reading in self.readings:
            if reading.part:
                result.setdefault(reading.name, {})[reading.part] = reading.value
            else:
                result[reading.name] = reading.value
        return result


@dataclass(frozen=True, eq=False)
class AttributeReport:
    """All readouts of one attribute; ``matrix`` only where there is a P-matrix."""

    attribute: Attribute
    perturbation: Perturbation
    prior: Prior
    matrix: NDArray[np.float64] | None
    privacy: PrivacyReport
    utility: UtilityReport
    warnings: tuple[str, ...] = ()
    noncompliance: NonCompliance | None = None
    """How many ignore the device; None if everybody follows it."""

    @cached_property
    def answering(self) -> NDArray[np.float64] | None:
        """How true answers become reports: P_c where some ignore the device; None for numbers."""
        if self.matrix is None:
            return None
        channel = ShareChannel(self.attribute.values, self.prior.probabilities, self.matrix)
        return answering_matrix(self.attribute, channel, self.noncompliance)

    @property
    def name(self) -> str:
        return self.attribute.name

    def to_json(self) -> dict[str, Any]:
        result: dict[str, Any] = {}
        if self.matrix is not None:
            result["matrix"] = self.matrix.tolist()
        result["privacy"] = self.privacy.to_json()
        step = self.perturbation.epsilon_step_of(self.attribute)
        if step is not None:
            result["privacy"]["epsilon_step"] = step
        if "belief" in self.privacy:
            meant = meant_places(self.attribute, self.prior.probabilities)
            result["privacy"]["belief_prior"] = float(self.prior.probabilities[meant].sum())
            result["belief_of"] = [self.attribute.values[place] for place in meant]
            result["sensitive"] = list(self.attribute.sensitive)
        result["utility"] = self.utility.to_json()
        if self.noncompliance is not None:
            result["non_compliance"] = self._noncompliance_json(self.noncompliance)
        if self.warnings:
            result["warnings"] = list(self.warnings)
        return result

    def _noncompliance_json(self, ignoring: NonCompliance) -> dict[str, Any]:
        utility = self.utility
        result: dict[str, Any] = {
            "share": ignoring.share,
            "behaviour": ignoring.behaviour,
            "corrected": ignoring.corrected,
        }
        if ignoring.behaviour == "safe":
            result["safe"] = ignoring.safe_of(self.attribute) or usual_safe(self.attribute)
        if self.answering is not None:
            result["matrix"] = self.answering.tolist()
        result["bias"] = utility.bias.tolist()
        result["rmse"] = utility.rmse.tolist()
        result["coverage"] = utility.coverage.tolist()
        if utility.mean is not None:
            result["mean_bias"] = utility.mean_bias
        return result


@dataclass(frozen=True)
class GroupReport:
    """Attributes that share one coin, measured together."""

    attributes: tuple[str, ...]
    readings: tuple[Reading, ...]

    def to_json(self) -> dict[str, Any]:
        values = {reading.name: reading.value for reading in self.readings}
        return {"attributes": list(self.attributes), **values}


@dataclass(frozen=True, eq=False)
class QuestionnaireReport:
    """All attributes and what holds for the questionnaire as a whole.

    ``right_at_least[m]`` is the probability that the attacker's best guess is right on at least m
    answers, ``blind_at_least[m]`` the same without the publication.
    """

    attributes: tuple[AttributeReport, ...]
    groups: tuple[GroupReport, ...]
    readings: tuple[Reading, ...]
    right_at_least: tuple[float, ...]
    blind_at_least: tuple[float, ...]
    warnings: tuple[str, ...] = ()

    @property
    def shown_readings(self) -> tuple[Reading, ...]:
        """The readings for people: none that says of the randomised answers what holds for all."""
        values = {one.name: one.value for one in self.readings}
        repeats = values.get("epsilon") == values.get("epsilon_distorted")
        return tuple(one for one in self.readings if one.name != "epsilon_distorted" or not repeats)

    @property
    def noncompliance(self) -> NonCompliance | None:
        """How many ignore the devices; None if everybody follows them."""
        found = (one.noncompliance for one in self.attributes if one.noncompliance is not None)
        return next(found, None)

    def __getitem__(self, name: str) -> AttributeReport:
        for report in self.attributes:
            if report.name == name:
                return report
        raise ParameterError.saying(
            "There is no attribute {attribute!r} in the report.", attribute=name
        )

    def to_json(self) -> dict[str, Any]:
        """What ``measure --json`` prints; infinity stays a float."""
        whole: dict[str, Any] = {reading.name: reading.value for reading in self.readings}
        whole["right_at_least"] = list(self.right_at_least)
        whole["blind_at_least"] = list(self.blind_at_least)
        if self.groups:
            whole["groups"] = [group.to_json() for group in self.groups]
        if self.warnings:
            whole["warnings"] = list(self.warnings)
        return {
            "attributes": {report.name: report.to_json() for report in self.attributes},
            "questionnaire": whole,
        }


@dataclass(frozen=True, eq=False)
class ArmsReport:
    """Every arm of a questionnaire, and what holds for all of them."""

    arms: Mapping[str, QuestionnaireReport]
    warnings: tuple[str, ...] = ()

    @property
    def most_exposed(self) -> str:
        """The arm with the largest epsilon of the answers that it randomises.

        Nobody answers more than one arm, so that the largest epsilon is that of the questionnaire.
        """
        return max(self.arms, key=lambda arm: (self._epsilon(arm), self._distorted(arm)))

    def _reading(self, arm: str, name: str) -> float:
        return next(one.value for one in self.arms[arm].readings if one.name == name)

    def _epsilon(self, arm: str) -> float:
        return self._reading(arm, "epsilon")

    def _distorted(self, arm: str) -> float:
        return self._reading(arm, "epsilon_distorted")

    @property
    def sentence(self) -> str:
        return Message(
            "Epsilon of the questionnaire is that of the arm {arm!r}, the largest: {epsilon}; of "
            "randomised answers alone at most {distorted}.",
            arm=self.most_exposed,
            epsilon=_bound(self._epsilon(self.most_exposed)),
            distorted=_bound(max(map(self._distorted, self.arms))),
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "arms": {name: report.to_json() for name, report in self.arms.items()},
            "questionnaire": {
                "epsilon": self._epsilon(self.most_exposed),
                "epsilon_distorted": max(map(self._distorted, self.arms)),
                "epsilon_arm": self.most_exposed,
                **({"warnings": list(self.warnings)} if self.warnings else {}),
            },
        }


def _bound(epsilon: float) -> Message:
    return Message("{epsilon:.4g}", epsilon=epsilon) if math.isfinite(epsilon) else Message("∞")
