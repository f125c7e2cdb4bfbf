"""Whole numbers of records in the proportions of a distribution."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.errors import ParameterError

_ROUNDING = 1e-9


def apportion(probability: NDArray[np.float64], n: int) -> NDArray[np.int64]:
    """Share n records out by largest remainder (Hamilton's method), so that they sum to n.

    Every value first gets the whole part of ``n * x_v``; what is left goes, one record each, to
    the largest remainders, to the earlier value where two are equal.

    >>> apportion(np.array([0.5, 0.3, 0.2]), 7).tolist()
    [4, 2, 1]
    """
    share = np.asarray(probability, np.float64)
    if share.ndim != 1 or not share.size:
        raise ParameterError("A distribution needs one probability per value.", field="probability")
    if not np.all(np.isfinite(share)) or share.min() < -_ROUNDING or share.sum() <= 0:
        raise ParameterError(
            "Records can only be assigned by probabilities of 0 or more that are not all 0; "
            "project the reconstructed distribution first.",
            field="probability",
        )
    share = np.maximum(share, 0.0)
    quota = n * (share / share.sum())
    # A quota a rounding error below a whole number is that number.
    whole = np.floor(quota + _ROUNDING)
    left = n - int(whole.sum())
    largest = np.argsort(whole - quota, kind="stable")
    whole[largest[:left]] += 1
    return np.asarray(whole, np.int64)
