"""Mechanisms that report a set of values instead of one, one file each."""

from ppworkbench.core.design.sets.base import SetPerturbation
from ppworkbench.core.design.sets.oue import UnaryEncoding
from ppworkbench.core.design.sets.subset import Subset

__all__ = ["SetPerturbation", "Subset", "UnaryEncoding"]
