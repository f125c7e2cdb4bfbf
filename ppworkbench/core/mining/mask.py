"""MASK: level-wise mining with unbiased supports (Rizvi and Haritsa 2002), and Apriori itself.

MMASK and rMMASK estimate long sets inside chosen transactions (Andruszkiewicz 2011, chapter 4).

Because the distortion of a set is the Kronecker product of those of its items, the inversion of all
2^n patterns gives exactly ``mean over t of Π_i (d_ti - (1 - q_i)) / (p_i + q_i - 1)``, in time that
is linear in the length of the set. On undistorted answers this is the plain support.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.itemsets import Itemsets
from ppworkbench.core.itemsets.measures import Measure, PlainCounts
from ppworkbench.core.itemsets.reduction import Reduction
from ppworkbench.core.itemsets.search import Measured, Verdict
from ppworkbench.core.message import Message
from ppworkbench.core.mining.miner import Miner, OnLevel, at_least, miners
from ppworkbench.core.params import Annotated, Info, OneOf, Within
from ppworkbench.core.progress import Progress
from ppworkbench.core.rng import SeededStreams

PROBABLY, SURELY, POSSIBLY = "probably", "surely", "possibly"


@miners.register(
    "apriori", "Apriori", hint="Counts the original answers, for comparison.", rank=900
)
@dataclass(frozen=True)
class Apriori(Miner):
    """Frequent sets of the answers as they are, without undoing any distortion."""

    name: ClassVar[str] = "apriori"
    on_original: ClassVar[bool] = True

    def _measure(self, data: ItemData) -> Measure | None:
        return None if data.record_weights is not None else PlainCounts(data)


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

    def _judge(self, measured: Measured) -> Verdict:
        side = {PROBABLY: 0.0, SURELY: -self.z, POSSIBLY: self.z}[self.frequent]
        looked_at = measured.raw + side * measured.error
        return Verdict(at_least(looked_at, self.min_support), measured.raw, measured.error)


FIRST, RANDOM = "first", "random"
GRADED = (
    "MMASK needs binary items: values of one attribute are treated as "
    "independent items, which is an approximation."
)
NO_INTERVAL = "no-interval"
_NO_INTERVAL = (
    "Sets of more than {count} items have no interval: they are counted in selected records, and "
    "how far that selection errs is not known."
)


@miners.register(
    "mmask",
    "MMASK",
    hint="Long sets are counted in selected records: more precise, some bias.",
    rank=30,
)
@dataclass(frozen=True)
class Mmask(Miner):
    """Up to a threshold length as MASK; longer sets inside transactions that CTS chooses.

    Longer sets have no standard error and no interval, see
    :class:`~ppworkbench.core.itemsets.reduction.Reduction`.
    """

    r_threshold: Annotated[
        int,
        Within(1, 16),
        Info("Reduction threshold", "Maximum number of items estimated together"),
    ] = 3
    relax: Annotated[
        float, Within(0), Info("Relaxation", "The minimum support is divided by 1 plus this")
    ] = 0.0
    r_relax: Annotated[
        float,
        Within(0),
        Info("Reduction relaxation", "Growth of the relaxation at each reduction"),
    ] = 0.0
    choice: Annotated[
        str,
        OneOf((FIRST, RANDOM)),
        Info("Choice", "Which of too many matching transactions are used"),
    ] = FIRST
    choice_seed: Annotated[int, Within(0), Info("Seed", "Random seed")] = 0

    name: ClassVar[str] = "mmask"
    uses_weights: ClassVar[bool] = False
    uses_counts: ClassVar[bool] = False
    seed_field: ClassVar[str] = "choice_seed"
    relaxation_fields: ClassVar[tuple[str, ...]] = ("relax", "r_relax")

    def search(
        self, data: ItemData, progress: Progress, on_level: OnLevel
    ) -> tuple[Itemsets, tuple[str, ...]]:
        notes: tuple[str, ...] = ()
        if data.graded is not None:
            notes = (GRADED,)
            data = dataclasses.replace(data, graded=None)
        sets, told = super().search(data, progress, on_level)
        if np.isnan(sets.standard_error).any():
            notes = (*notes, Message(_NO_INTERVAL, code=NO_INTERVAL, count=self.r_threshold))
        return sets, (*notes, *told)

    def _measure(self, data: ItemData) -> Measure | None:
        # In undistorted records nothing is guessed: plain counts are the same, and have an error.
        if not data.is_distorted:
            return None
        if self.choice == RANDOM:
            # The first of shuffled transactions are a random choice.
            order = SeededStreams(self.choice_seed).generator("mmask").permutation(data.rows)
            data = data.take(order)
        return Reduction(data, self.r_threshold)

    def relaxation(self, length: int) -> float:
        """The relaxation at a length: it grows at every length at which a reduction takes place."""
        return self.relax + (length - 1) // self.r_threshold * self.r_relax

    def _judge(self, measured: Measured) -> Verdict:
        minimum = self.min_support / (1.0 + self.relaxation(measured.length))
        return Verdict(at_least(measured.raw, minimum), measured.raw, measured.error)
