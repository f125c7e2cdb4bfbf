"""Other ways to ask a question: techniques to compare with, and devices to carry it out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Design, DesignedAttribute, Perturbation
from ppworkbench.core.design.devices import DEVICES, Snapped, snap
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.planning.power import Randomised, Technique, named_technique
from ppworkbench.core.planning.questionnaire import JudgedQuestion, plain
from ppworkbench.core.planning.settings import PlanSettings
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.noncompliance import fitting_noncompliance
from ppworkbench.core.privacy.utility.planning import needed_respondents

SIZES = (50, 100, 200, 500, 1000, 2000, 5000, 10000)


def compare_techniques(
    design: Design,
    name: str,
    prior: Prior | None,
    settings: PlanSettings,
    names: Iterable[str],
    sizes: Sequence[float] = SIZES,
    *,
    are_fitting: bool = True,
) -> dict[str, Any]:
    """The root mean square error of a question and of other techniques, over n or over budgets.

    The answer is made of plain JSON values: ``over`` says what ``at`` counts. A technique that
    does not fit the answers of the question is an error, or left out unless ``are_fitting``.
    """
    attribute = design.question(name).attribute
    ignoring = settings.noncompliance
    if ignoring is not None:
        ignoring = fitting_noncompliance(ignoring, attribute)
    own = JudgedQuestion.of(design, name, prior, settings).technique
    assert own is not None  # noqa: S101 (numbers are compared with nothing)
    techniques: dict[str, Technique] = {"design": own}
    for given in names:
        try:
            techniques[given] = named_technique(
                given, attribute, settings.underreport or 0.0, prior, ignoring
            )
            techniques[given].variance(own.share)
        except WorkbenchError as error:
            if are_fitting or error.field == "compare":
                raise
            techniques.pop(given, None)
    at, costs = np.array(sizes, np.float64), settings.costs
    if costs is not None:
        at = at * costs[1]
    found = {}
    for label, technique in techniques.items():
        cost = 1.0 if costs is None else costs[0] if label == "direct" else costs[1]
        n = at / cost / settings.design_effect
        found[label] = {
            "variance": technique.variance(own.share),
            "bias": technique.bias(own.share),
            "rmse": technique.rmse(own.share, n).tolist(),
        }
    over = "respondents" if costs is None else "budget"
    return {"share": own.share, "over": over, "at": at.tolist(), "techniques": found}


@dataclass(frozen=True, eq=False)
class DeviceChoice:
    """What a device makes of a question, and how many people that costs."""

    snapped: Snapped
    perturbation: Perturbation
    respondents: float

    def to_json(self) -> dict[str, Any]:
        kind = self.snapped.kind
        return {
            "exact": self.snapped.exact,
            "snapped": self.snapped.snapped,
            "outcomes": self.snapped.device.to_json(),
            "respondents": plain(self.respondents),
            "perturbation": self.perturbation.to_json(),
            "known_to": kind.known_to,
            "burden": kind.burden,
        }


def needed_with(
    attribute: Attribute, perturbation: Perturbation, prior: Prior | None, half_width: float
) -> float:
    """How many people a question needs for a half-width of its share."""
    technique = Randomised(attribute, perturbation, prior)
    variances = np.array([technique.variance(technique.share)])
    return needed_respondents(variances, half_width, "half-width")


def device_choices(
    designed: DesignedAttribute, prior: Prior | None, half_width: float, *, nearest: bool = False
) -> tuple[float, tuple[DeviceChoice, ...]]:
    """How many people a question needs as it is, and with every device that can do it."""
    attribute = designed.attribute
    use = designed.perturbation.device_use(attribute)
    found = []
    for kind in DEVICES.values():
        snapped = None if use is None else snap(use, kind, nearest=nearest)
        if snapped is not None:
            made = snapped.device.applied(designed.perturbation, attribute)
            needed = needed_with(attribute, made, prior, half_width)
            found.append(DeviceChoice(snapped, made, needed))
    return needed_with(attribute, designed.perturbation, prior, half_width), tuple(found)
