"""Association rules in columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.itemsets import SetList
from ppworkbench.core.mining.result import MiningResult
from ppworkbench.core.params import Annotated, Info, Params, Within
from ppworkbench.core.progress import Progress, silent

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class RuleParams(Params):
    """Which rules are kept."""

    min_confidence: Annotated[
        float,
        Within(0, 1),
        Info("Minimum confidence", "Share of the records with the left side that have the right"),
    ] = 0.5
    then_items: Annotated[
        int, Within(1, 59), Info("Right side", "Most items on the right side of a rule")
    ] = 1


@dataclass(frozen=True, eq=False)
class Rules:
    """Rules ``if => then``, one position in every array each.

    Parameters
    ----------
    left, right
        The items of both sides: ``rules.left.names(i)``.
    support
        The estimated share of records with both sides.
    confidence
        The estimated share of the right side among the records with the left, within [0, 1].
    standard_error, low, high
        Of the confidence, by the delta method.
    lift
        Confidence over the support of the right side; NaN where that support is not known.
    """

    left: SetList
    right: SetList
    support: Numbers
    confidence: Numbers
    standard_error: Numbers
    low: Numbers
    high: Numbers
    lift: Numbers

    def __len__(self) -> int:
        """The number of rules."""
        return len(self.support)


def find_rules(
    result: MiningResult,
    data: ItemData,
    params: RuleParams | None = None,
    *,
    progress: Progress = silent,
) -> Rules:
    """The rules of mined itemsets.

    ``data`` are those that were mined: the covariance of the two supports of a rule is estimated
    from them.
    """
    raise NotImplementedError
