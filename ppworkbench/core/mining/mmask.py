"""MMASK and rMMASK: supports inside chosen transactions (Andruszkiewicz 2011, chapter 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.itemsets import Itemsets
from ppworkbench.core.mining.miner import Miner, OnLevel, miners
from ppworkbench.core.params import Annotated, Info, OneOf, Within
from ppworkbench.core.progress import Progress


@miners.register("mmask", "MMASK")
@dataclass(frozen=True)
class Mmask(Miner):
    """Up to a threshold length as MASK; longer sets inside transactions that CTS chooses."""

    r_threshold: Annotated[
        int, Within(1, 60), Info("Reduction threshold", "Most items that are estimated together")
    ] = 3
    relax: Annotated[
        float, Within(0), Info("Relaxation", "The minimum support is divided by 1 plus this")
    ] = 0.0
    r_relax: Annotated[
        float,
        Within(0),
        Info("Reduction relaxation", "How much the relaxation grows at each reduction"),
    ] = 0.0
    choice: Annotated[
        str,
        OneOf(("first", "random")),
        Info("Choice", "Which of too many fitting transactions are taken"),
    ] = "first"
    seed: Annotated[int, Within(0), Info("Seed", "Start of the random choice")] = 0

    name: ClassVar[str] = "mmask"

    def search(
        self, data: ItemData, progress: Progress, on_level: OnLevel
    ) -> tuple[Itemsets, tuple[str, ...]]:
        """Estimate every candidate in its reduced set of transactions."""
        raise NotImplementedError
