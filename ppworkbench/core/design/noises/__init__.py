"""Noise families for numbers, one file each."""

from ppworkbench.core.design.noises.additive import Additive
from ppworkbench.core.design.noises.base import NoisePerturbation, domain_of, integer_edges
from ppworkbench.core.design.noises.discretise import Discretise
from ppworkbench.core.design.noises.multiplicative import Multiplicative
from ppworkbench.core.design.noises.retention import Retention

__all__ = [
    "Additive",
    "Discretise",
    "Multiplicative",
    "NoisePerturbation",
    "Retention",
    "domain_of",
    "integer_edges",
]
