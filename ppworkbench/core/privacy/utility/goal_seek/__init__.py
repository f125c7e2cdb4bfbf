"""Goal seeking: one free parameter of any perturbation is solved for any measure."""

from ppworkbench.core.privacy.utility.goal_seek.free_parameter import (
    FreeParameter,
    free_parameter,
    free_parameters,
)
from ppworkbench.core.privacy.utility.goal_seek.measures import (
    MEASURES,
    Measure,
    Question,
    measured,
)
from ppworkbench.core.privacy.utility.goal_seek.seek import Target, seek

__all__ = [
    "MEASURES",
    "FreeParameter",
    "Measure",
    "Question",
    "Target",
    "free_parameter",
    "free_parameters",
    "measured",
    "seek",
]
