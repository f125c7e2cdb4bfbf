"""What every miner is: frozen parameters and a search through the lengths.

    data = item_data(distorted, design)            # core/itemsets
    found = mine(data, ShrinkageMask(min_support=0.01), progress=progress)
    found.itemsets.support, found.itemsets.low     # arrays; found.itemsets.names(i)

:data:`miners` lists the classes by name, for forms (``declarations(miners["mmask"])``) and options.
"""

from __future__ import annotations

import math
import time
from abc import ABC
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.items import nobody_complete
from ppworkbench.core.itemsets.itemsets import Item, Itemsets
from ppworkbench.core.itemsets.measures import Measure
from ppworkbench.core.itemsets.search import Level, Limits, Measured, Verdict, search
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Params, Within
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.registry import Registry


@dataclass(frozen=True, eq=False)
class MiningResult:
    """Frequent itemsets and how they were found.

    Parameters
    ----------
    method
        The name under which the miner is registered.
    miner
        The miner with its parameters.
    transactions
        The number of records that were mined.
    left_out
        The number of those that lack an answer.
    notes
        Sentences that a reader of the result should know.
    """

    method: str
    miner: Miner
    transactions: int
    seconds: float
    itemsets: Itemsets
    levels: tuple[Level, ...]
    notes: tuple[str, ...] = ()
    left_out: int = 0

    @property
    def items(self) -> tuple[Item, ...]:
        """All items that could be mined; the sets' members point into them."""
        return self.itemsets.items

    def to_json(self) -> dict[str, Any]:
        sets = self.itemsets
        columns = zip(sets.support.tolist(), sets.standard_error.tolist(), strict=True)
        return {
            "method": self.method,
            "parameters": self.miner.to_json(),
            "transactions": self.transactions,
            "left_out": self.left_out,
            "seconds": self.seconds,
            "itemsets": [
                {
                    "items": list(sets.names(i)),
                    "support": support,
                    "standard_error": None if math.isnan(error) else error,
                }
                for i, (support, error) in enumerate(columns)
            ],
            "levels": [{"length": level.length, "found": level.found} for level in self.levels],
            "notes": list(self.notes),
        }


miners: Registry[type[Miner]] = Registry("mining method")

OnLevel = Callable[[Level], None]


@dataclass(frozen=True)
class Miner(Params, ABC):
    """The parameters that all miners share.

    ``on_original`` tells whether the method is for undistorted answers, ``uses_weights`` whether
    records may count differently, ``uses_counts`` whether counts of candidates are all it needs.
    ``seed_field`` names the parameter that a seed goes to, if any, and ``relaxation_fields`` those
    that relax the minimum support.
    """

    min_support: Annotated[
        float,
        Within(0, 1, open_low=True),
        Info("Minimum support", "Smallest share of records that contain a frequent set"),
    ] = 0.01
    max_length: Annotated[
        int, Within(1, 60), Info("Maximum length", "Sets with more items are not searched")
    ] = 20
    confidence: Annotated[
        float,
        Within(0, 1, open_low=True, open_high=True),
        Info("Confidence", "Confidence of the intervals"),
    ] = 0.95
    candidate_limit: Annotated[
        int,
        Within(1, 50_000_000),
        Info("Candidates", "Stop when a length has more candidates"),
    ] = 2_000_000

    name: ClassVar[str] = ""
    on_original: ClassVar[bool] = False
    uses_weights: ClassVar[bool] = True
    uses_counts: ClassVar[bool] = True
    seed_field: ClassVar[str] = ""
    relaxation_fields: ClassVar[tuple[str, ...]] = ()

    @property
    def limits(self) -> Limits:
        return Limits(self.max_length, self.candidate_limit)

    @property
    def z(self) -> float:
        """How many standard errors an interval reaches to either side."""
        return NormalDist().inv_cdf((1 + self.confidence) / 2)

    def search(
        self, data: ItemData, progress: Progress, on_level: OnLevel
    ) -> tuple[Itemsets, tuple[str, ...]]:
        """Find the frequent sets; report each finished length."""
        measure = self._measure(data)
        found = search(
            data, self._judge, self.limits, measure=measure, progress=progress, on_level=on_level
        )
        return found.itemsets(data, self.z), found.notes

    def _measure(self, data: ItemData) -> Measure | None:  # noqa: ARG002 (for those with their own)
        """How supports are estimated; None for what suits the data."""
        return None

    def _judge(self, measured: Measured) -> Verdict:
        """Which sets of a length are frequent: those whose estimate reaches the minimum."""
        return Verdict(at_least(measured.raw, self.min_support), measured.raw, measured.error)


def at_least(support: NDArray[np.float64], minimum: float) -> NDArray[np.bool_]:
    """Which supports reach the minimum; a last digit lost in rounding does not count."""
    return np.asarray(support >= minimum * (1.0 - 1e-12))


def _list_others(fits: Callable[[type[Miner]], bool]) -> str:
    ranked = (entry for entry in miners.ranked if not entry.item.on_original)
    return Message("{names!r}", names=tuple(one.name for one in ranked if fits(one.item)))


def mine(
    data: ItemData,
    miner: Miner,
    *,
    progress: Progress = silent,
    on_level: OnLevel | None = None,
) -> MiningResult:
    """Find frequent itemsets.

    Parameters
    ----------
    data
        The items of a table, from :func:`ppworkbench.core.itemsets.item_data`.
    progress
        Called many times a second, also inside long levels; the message names the length.
    on_level
        Called with each finished :class:`Level`, in the thread of the caller.
    """
    if not data.rows and data.left_out:
        raise nobody_complete(data.left_out)
    if not data.rows:
        raise DataError("The data have no records to mine.")
    if data.record_weights is not None and not miner.uses_weights:
        raise ParameterError.saying(
            "The method {method!r} cannot use weights; choose one of {others}, or turn the "
            "sampling off.",
            method=miner.name,
            others=_list_others(lambda other: other.uses_weights),
            field="method",
        )
    if data.counter is not None and not miner.uses_counts:
        raise ParameterError.saying(
            "The method {method!r} looks at single records, which never leave their parts; choose "
            "one of {others}, or mine a single file.",
            method=miner.name,
            others=_list_others(lambda other: other.uses_counts),
            field="method",
        )
    start = time.perf_counter()
    levels: list[Level] = []

    def note_level(level: Level) -> None:
        levels.append(level)
        if on_level is not None:
            on_level(level)

    itemsets, notes = miner.search(data, progress, note_level)
    progress(1.0, "")
    return MiningResult(
        miner.name,
        miner,
        data.rows,
        time.perf_counter() - start,
        itemsets,
        tuple(levels),
        (*data.notes, *notes),
        data.left_out,
    )
