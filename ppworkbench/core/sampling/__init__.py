"""How people were sampled: weights, strata and clusters, and what they do to standard errors."""

from ppworkbench.core.data.sampling_roles import (
    POPULATION,
    RESPONDENTS,
    ReplicateRole,
    Sampling,
    SamplingOptions,
    suggest_roles,
)
from ppworkbench.core.sampling.moments import SampleMoments, Terms
from ppworkbench.core.sampling.sample import Frame, SampleReader, SampleRows
from ppworkbench.core.sampling.variance import SampledValues, SampleTotals
from ppworkbench.core.share_fit import Fit

__all__ = [
    "POPULATION",
    "RESPONDENTS",
    "Fit",
    "Frame",
    "ReplicateRole",
    "SampleMoments",
    "SampleReader",
    "SampleRows",
    "SampleTotals",
    "SampledValues",
    "Sampling",
    "SamplingOptions",
    "Terms",
    "suggest_roles",
]
