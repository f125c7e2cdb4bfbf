"""What a distortion costs: errors of the estimates, and how many respondents make up for it."""

from ppworkbench.core.privacy.utility.assess import UtilityReport, assess_utility
from ppworkbench.core.privacy.utility.channel import ShareChannel, share_channel
from ppworkbench.core.privacy.utility.estimator import Estimator, factor
from ppworkbench.core.privacy.utility.expected_loss import expected_information_loss
from ppworkbench.core.privacy.utility.mean_error import MeanVariance, mean_variance
from ppworkbench.core.privacy.utility.noncompliance import (
    NonCompliance,
)
from ppworkbench.core.privacy.utility.planning import AttributePlan, Plan, plan, plan_attribute
from ppworkbench.core.privacy.utility.respondents import needed_respondents
from ppworkbench.core.privacy.utility.standard_errors import (
    condition_sentence,
    design_effects,
    half_widths,
    overall_design_effect,
    standard_errors,
)

__all__ = [
    "AttributePlan",
    "Estimator",
    "MeanVariance",
    "NonCompliance",
    "Plan",
    "ShareChannel",
    "UtilityReport",
    "assess_utility",
    "condition_sentence",
    "design_effects",
    "expected_information_loss",
    "factor",
    "half_widths",
    "mean_variance",
    "needed_respondents",
    "overall_design_effect",
    "plan",
    "plan_attribute",
    "share_channel",
    "standard_errors",
]
