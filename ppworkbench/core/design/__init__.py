"""Perturbations of single attributes, designs of whole questionnaires, and distortion."""

from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.matrices import (
    Binary,
    Custom,
    Forced,
    Geometric,
    MatrixPerturbation,
    Ordinal,
    Related,
    Uniform,
    Unrelated,
)
from ppworkbench.core.design.noises import (
    Additive,
    Discretise,
    Duchi,
    Hybrid,
    Laplace,
    Multiplicative,
    NoisePerturbation,
    Piecewise,
    Retention,
    SquareWave,
)
from ppworkbench.core.design.perturbation import Identity, Perturbation, perturbations
from ppworkbench.core.design.row_devices import ByColumn, ByProbabilities
from ppworkbench.core.design.sets import Subset, UnaryEncoding

__all__ = [
    "Additive",
    "Binary",
    "ByColumn",
    "ByProbabilities",
    "Custom",
    "Design",
    "DesignedAttribute",
    "Discretise",
    "Duchi",
    "Forced",
    "Geometric",
    "Group",
    "Hybrid",
    "Identity",
    "Laplace",
    "MatrixPerturbation",
    "Multiplicative",
    "NoisePerturbation",
    "Ordinal",
    "Perturbation",
    "Piecewise",
    "Related",
    "Retention",
    "SquareWave",
    "Subset",
    "UnaryEncoding",
    "Uniform",
    "Unrelated",
    "perturbations",
]
