"""Noise families for numbers, one file each."""

from ppworkbench.core.design.noises.additive import Additive
from ppworkbench.core.design.noises.base import (
    NoisePerturbation,
    domain_of,
    integer_edges,
    why_not_domain,
)
from ppworkbench.core.design.noises.discretise import Discretise
from ppworkbench.core.design.noises.duchi import Duchi, Hybrid
from ppworkbench.core.design.noises.laplace import Laplace
from ppworkbench.core.design.noises.multiplicative import Multiplicative
from ppworkbench.core.design.noises.retention import Retention
from ppworkbench.core.design.noises.window import Piecewise, SquareWave

__all__ = [
    "Additive",
    "Discretise",
    "Duchi",
    "Hybrid",
    "Laplace",
    "Multiplicative",
    "NoisePerturbation",
    "Piecewise",
    "Retention",
    "SquareWave",
    "domain_of",
    "integer_edges",
    "why_not_domain",
]
