"""Shrinkage MASK: the unbiased estimate drawn towards what its subsets suggest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.itemsets import Itemsets
from ppworkbench.core.mining.miner import Miner, OnLevel, miners
from ppworkbench.core.progress import Progress


@miners.register("shrinkage", "Shrinkage MASK")
@dataclass(frozen=True)
class ShrinkageMask(Miner):
    """Empirical Bayes: precise where the data speak, cautious where they do not. Recommended."""

    name: ClassVar[str] = "shrinkage"

    def search(
        self, data: ItemData, progress: Progress, on_level: OnLevel
    ) -> tuple[Itemsets, tuple[str, ...]]:
        """Estimate, fit the prior of each length, and go on with the shrunk supports."""
        raise NotImplementedError
