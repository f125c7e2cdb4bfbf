"""Named designs: the mechanisms of the literature under their own parameter names.

A preset fills a P-matrix and says its recipe in the words of coins, dice and cards.
"""

from ppworkbench.core.design.presets.asymmetric import Kuk, Mangat, Triangular
from ppworkbench.core.design.presets.base import Conversion, Preset, convert, named_design, presets
from ppworkbench.core.design.presets.keeping import GRR, Bandwidth, Pram
from ppworkbench.core.design.presets.mirrored import Crosswise, Warner
from ppworkbench.core.design.presets.mixing import ForcedResponse, InvariantPram, UnrelatedQuestion

__all__ = [
    "GRR",
    "Bandwidth",
    "Conversion",
    "Crosswise",
    "ForcedResponse",
    "InvariantPram",
    "Kuk",
    "Mangat",
    "Pram",
    "Preset",
    "Triangular",
    "UnrelatedQuestion",
    "Warner",
    "convert",
    "named_design",
    "presets",
]
