"""The error of a rule's confidence, by the delta method.

With ``c = s(X) / s(L)`` of the whole X and the left side L,
``Var c = (Var s(X) - 2 c Cov + c^2 Var s(L)) / s(L)^2``. The covariance of the two supports is
``(E[h_X h_L] - s(X) s(L)) / n``. Weights of different items are independent given the truth, so
``E[h_X h_L]`` is the mean of ``Π over L of v_i(x_i) Π over the right side of x_i`` with ``v_i`` the
mean square of item i's weight. Multiplied out, this is a sum over the subsets S of L of supports of
S and the right side, all of which were found. Only the slope ``Cov / Var s(L)`` is taken from it,
so that the errors of any method can be put in. Where these are much smaller than those of the
unbiased estimates, the slope could promise a certainty that nobody has; so the correlation of the
two supports is taken to be 0.9 at most.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.itemsets import Indices, Itemsets
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent

Numbers = NDArray[np.float64]

_LARGEST_CORRELATION = 0.9
_AT_ONCE = 20_000
"""Rules between two reports of progress."""
_LONGEST = 10
"""Left sides of more items: the slope on undistorted answers, c itself, is taken."""


def confidence_error(
    sets: Itemsets,
    data: ItemData,
    whole: Indices,
    left: Indices,
    right: Indices,
    progress: Progress = silent,
) -> Numbers:
    """The standard error of the confidence of rules, given as places in the result."""
    base = sets.raw[left]
    ratio = sets.raw[whole] / base
    slope = ratio.copy()
    if data.is_distorted:
        for length in np.unique(sets.lengths[left]).tolist():
            for size in np.unique(sets.lengths[right]).tolist():
                if length > _LONGEST:
                    continue
                of_shape = (sets.lengths[left] == length) & (sets.lengths[right] == size)
                places = np.flatnonzero(of_shape)
                for start in range(0, len(places), _AT_ONCE):
                    progress(
                        start / len(places),
                        Message("Errors of rules with {length} items", length=length + size),
                    )
                    some = places[start : start + _AT_ONCE]
                    slope[some] = _slope(sets, data, left[some], right[some], whole[some])
        errors = sets.standard_error
        steepest = _LARGEST_CORRELATION * errors[whole] / np.maximum(errors[left], 1e-300)
        slope = np.clip(slope, -steepest, steepest)
    variance_left = sets.standard_error[left] ** 2
    variance = (
        sets.standard_error[whole] ** 2
        - 2 * ratio * slope * variance_left
        + ratio**2 * variance_left
    )
    return np.sqrt(np.maximum(variance, 0.0)) / base


def _slope(
    sets: Itemsets, data: ItemData, left: Indices, right: Indices, whole: Indices
) -> Numbers:
    """``(E[h_X h_L] - s(X) s(L)) / (E[h_L^2] - s(L)^2)``."""
    own = _rows(sets, left)
    others = _rows(sets, right)
    keep_one, keep_zero = data.keep_one, data.keep_zero
    present, absent = data.present**2, data.absent**2
    if_absent = keep_zero * absent + (1 - keep_zero) * present
    more_if_present = keep_one * present + (1 - keep_one) * absent - if_absent
    both, squared = np.zeros(len(left)), np.zeros(len(left))
    known = np.append(sets.raw, 0.0)
    for pattern in range(1 << own.shape[1]):
        held = [j for j in range(own.shape[1]) if pattern >> j & 1]
        factor = np.ones(len(left))
        for j in range(own.shape[1]):
            factor *= (more_if_present if j in held else if_absent)[own[:, j]]
        joint = np.sort(np.column_stack([own[:, held], others]), axis=1)
        both += factor * known[sets.locate(joint)]
        squared += factor * (known[sets.locate(own[:, held])] if held else 1.0)
    spread = squared - sets.raw[left] ** 2
    slope = (both - sets.raw[whole] * sets.raw[left]) / np.where(spread > 0, spread, np.inf)
    return np.asarray(np.clip(slope, -1.0, 1.0))


def _rows(sets: Itemsets, places: Indices) -> NDArray[np.int32]:
    length = int(sets.lengths[places[0]])
    return np.asarray(sets.members[sets.offsets[places][:, None] + np.arange(length)])
