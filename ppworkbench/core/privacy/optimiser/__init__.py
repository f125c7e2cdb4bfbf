"""The design optimiser: which P-matrices lose least at a privacy level."""

from ppworkbench.core.privacy.optimiser.exposure import EXPOSURES
from ppworkbench.core.privacy.optimiser.optimal import Frontier, frontier, optimal
from ppworkbench.core.privacy.optimiser.search import FAMILIES, ShareCost

__all__ = [
    "EXPOSURES",
    "FAMILIES",
    "Frontier",
    "ShareCost",
    "frontier",
    "optimal",
]
