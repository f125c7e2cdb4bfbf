"""MASK: level-wise mining with unbiased supports (Rizvi and Haritsa 2002), and Apriori itself.

Because the distortion of a set is the Kronecker product of those of its items, the inversion of all
2^n patterns gives exactly ``mean over t of Π_i (d_ti - (1 - q_i)) / (p_i + q_i - 1)``, in time that
is linear in the length of the set. On undistorted answers this is the plain support.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.itemsets import Itemsets
from ppworkbench.core.itemsets.measures import PlainCounts
from ppworkbench.core.itemsets.search import Measured, Verdict, search
from ppworkbench.core.mining.miner import Miner, OnLevel, at_least, miners
from ppworkbench.core.params import Annotated, Info, OneOf
from ppworkbench.core.progress import Progress

PROBABLY, SURELY, POSSIBLY = "probably", "surely", "possibly"


@miners.register(
    "apriori", "Apriori", hint="Counts the original answers, for comparison.", rank=900
)
@dataclass(frozen=True)
class Apriori(Miner):
    """Frequent sets of the answers as they are, without undoing any distortion."""

    name: ClassVar[str] = "apriori"
    on_original: ClassVar[bool] = True

    def search(
        self, data: ItemData, progress: Progress, on_level: OnLevel
    ) -> tuple[Itemsets, tuple[str, ...]]:
        measure = None if data.record_weights is not None else PlainCounts(data)
        found = search(
            data, self._judge, self.limits, measure=measure, progress=progress, on_level=on_level
        )
        return found.itemsets(data, self.z), found.notes

    def _judge(self, measured: Measured) -> Verdict:
        return Verdict(at_least(measured.raw, self.min_support), measured.raw, measured.error)


@miners.register(
    "mask",
    "MASK",
    hint="Product form, any length; unbiased, but imprecise for long sets.",
    rank=20,
)
@dataclass(frozen=True)
class Mask(Miner):
    """Frequent are sets whose unbiased estimate, or a bound of it, reaches the minimum."""

    frequent: Annotated[
        str,
        OneOf((PROBABLY, SURELY, POSSIBLY)),
        Info(
            "Frequent",
            "probably: the estimate reaches the minimum; surely: the lower limit does; "
            "possibly: the upper limit does",
        ),
    ] = PROBABLY

    name: ClassVar[str] = "mask"

    def search(
        self, data: ItemData, progress: Progress, on_level: OnLevel
    ) -> tuple[Itemsets, tuple[str, ...]]:
        found = search(data, self._judge, self.limits, progress=progress, on_level=on_level)
        return found.itemsets(data, self.z), found.notes

    def _judge(self, measured: Measured) -> Verdict:
        side = {PROBABLY: 0.0, SURELY: -self.z, POSSIBLY: self.z}[self.frequent]
        looked_at = measured.raw + side * measured.error
        return Verdict(at_least(looked_at, self.min_support), measured.raw, measured.error)
