"""Frequent sets without a choice of methods, for those who only need the sets."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.itemsets import Itemsets
from ppworkbench.core.itemsets.measures import Measure
from ppworkbench.core.itemsets.search import Limits, Measured, Verdict, search
from ppworkbench.core.progress import Progress, silent


def frequent_sets(
    data: ItemData,
    min_support: float,
    limits: Limits | None = None,
    *,
    measure: Measure | None = None,
    confidence: float = 0.9,
    progress: Progress = silent,
) -> Itemsets:
    """All sets whose unbiased support reaches the minimum, as MASK finds them.

    ``measure=Reduction(data, 3)`` (in :mod:`.reduction`) makes it MMASK.

    >>> from ppworkbench.core.data.samples import load_sample
    >>> from ppworkbench.core.itemsets.items import item_data
    >>> found = frequent_sets(item_data(load_sample("weather")), 0.4)
    >>> [found.names(i) for i in range(2)]
    [('temperature=mild',), ('humidity=normal',)]
    """

    def judge(measured: Measured) -> Verdict:
        keep = np.asarray(measured.raw >= min_support * (1.0 - 1e-12))
        return Verdict(keep, measured.raw, measured.error)

    found = search(data, judge, limits, measure=measure, progress=progress)
    return found.itemsets(data, NormalDist().inv_cdf((1 + confidence) / 2))
