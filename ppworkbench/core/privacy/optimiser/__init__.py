"""The design optimiser: which P-matrices lose least at a privacy level."""

from ppworkbench.core.privacy.optimiser.exposure import EXPOSURES, Exposure
from ppworkbench.core.privacy.optimiser.frontier import Frontier, frontier
from ppworkbench.core.privacy.optimiser.optimal import optimal
from ppworkbench.core.privacy.optimiser.search import FAMILIES, FrontierPoint, ShareCost

__all__ = [
    "EXPOSURES",
    "FAMILIES",
    "Exposure",
    "Frontier",
    "FrontierPoint",
    "ShareCost",
    "frontier",
    "optimal",
]
