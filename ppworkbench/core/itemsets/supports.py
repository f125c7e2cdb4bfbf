"""Supports of given sets, estimated from any part of the records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.itemsets import SetList
from ppworkbench.core.progress import Progress, silent

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Supports:
    """Estimated shares of the records with each set, as they came out, and standard errors."""

    raw: Numbers
    standard_error: Numbers


def supports(data: ItemData, sets: SetList, progress: Progress = silent) -> Supports:
    """Estimate the supports of sets whose members point into ``data.items``.

    ``supports(data.take(is_class), sets)`` and ``supports(data.take(~is_class), sets)`` give the
    supports of emerging patterns in a class and outside it.
    """
    raise NotImplementedError
