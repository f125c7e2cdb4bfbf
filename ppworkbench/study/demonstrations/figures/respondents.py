"""How many people have to be asked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppworkbench.core.params import Annotated, Info, Within
from ppworkbench.core.privacy.utility.respondents import needed_respondents
from ppworkbench.core.progress import Progress, silent
from ppworkbench.study.demonstrations.figures.calculation import (
    Calculation,
    calculations,
    place_of,
)
from ppworkbench.study.readouts import report_of
from ppworkbench.study.study import Study


@calculations.register("respondents", "Respondents for an interval of some points")
@dataclass(frozen=True)
class Respondents(Calculation):
    """The smallest number of respondents whose 95 % interval is ± so many points."""

    attribute: Annotated[str, Info("Attribute")]
    points: Annotated[float, Within(0, 100, open_low=True), Info("Points either way")] = 3.0
    value: Annotated[str, Info("Value; the worst one if it is not given")] = ""
    direct: Annotated[bool, Info("Asked directly, without distortion")] = False

    def calculate(self, study: Study, progress: Progress = silent) -> float:  # noqa: ARG002
        """The number of respondents."""
        utility = report_of(study, self.attribute).utility
        variances = utility.shares * (1 - utility.shares) if self.direct else utility.variances
        place = place_of(study, self.attribute, self.value) if self.value else None
        return float(
            needed_respondents(np.asarray(variances), self.points / 100, "half-width", place)
        )
