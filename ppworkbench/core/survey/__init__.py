"""Statistics of distorted answers: counts, means, distributions, tables and participants."""

from ppworkbench.core.survey.conditions.condition import (
    EVERYBODY,
    Comparison,
    Condition,
    Membership,
    Operator,
    Range,
)
from ppworkbench.core.survey.conditions.parser import parse_condition
from ppworkbench.core.survey.conditions.regions import regions_of
from ppworkbench.core.survey.counts import Count, count
from ppworkbench.core.survey.crosstabs import CrossTable, crosstab
from ppworkbench.core.survey.distributions import Distribution, distribution
from ppworkbench.core.survey.estimates import JOINT, SEQUENTIAL, Estimate, methods
from ppworkbench.core.survey.group_differences import (
    Difference,
    GroupDifferences,
    compare,
    compare_answers,
)
from ppworkbench.core.survey.means import Mean, mean
from ppworkbench.core.survey.participants import HIGHEST, RANDOM, Participants, draws, participants
from ppworkbench.core.survey.quantiles import QuantileAt, Quantiles, quantile
from ppworkbench.core.survey.ratios import Ratio, ratio
from ppworkbench.core.survey.splits import Split, split_share

__all__ = [
    "EVERYBODY",
    "HIGHEST",
    "JOINT",
    "RANDOM",
    "SEQUENTIAL",
    "Comparison",
    "Condition",
    "Count",
    "CrossTable",
    "Difference",
    "Distribution",
    "Estimate",
    "GroupDifferences",
    "Mean",
    "Membership",
    "Operator",
    "Participants",
    "QuantileAt",
    "Quantiles",
    "Range",
    "Ratio",
    "Split",
    "compare",
    "compare_answers",
    "count",
    "crosstab",
    "distribution",
    "draws",
    "mean",
    "methods",
    "parse_condition",
    "participants",
    "quantile",
    "ratio",
    "regions_of",
    "split_share",
]
