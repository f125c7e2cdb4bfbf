"""Which rules are more than chance: a test of each, and a limit on the share of false ones.

The weights of both sides of a rule, ``h_L`` and ``h_R``, are independent where the answers of the
two sides are, and their covariance is that of the true answers::

    z = (s(X) - s(L) s(R)) / sqrt(Var h_L  Var h_R / (n - 1)),   skewness = g_L g_R / sqrt(n)

over all orders in which records can be matched, with g the skewness of a side's weights. A gamma
distribution with these moments (Pearson's type III) gives the probability of so large a value; the
normal one would promise too much, since products of weights are skewed. On undistorted answers it
comes near to Fisher's exact test of the four-fold table.

At a false-discovery rate a the rules with the r smallest p are kept for the largest r with
``p_(r) <= a r / (m (1 + 1/2 + ... + 1/m))``, which holds whatever the dependence between rules that
share items. m counts all pairs of frequent sides that the limits allow, also those that no rule
came of: which pairs made a rule depends on the very answers that are tested, which sides are
frequent does not.

References
----------
Y. Benjamini and D. Yekutieli (2001), The control of the false discovery rate in multiple testing
under dependency, *Annals of Statistics* 29. G. I. Webb (2007), Discovering significant patterns,
*Machine Learning* 68.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammainc, gammaincc, ndtr

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.itemsets import Indices, Itemsets, SetList
from ppworkbench.core.itemsets.supports import mean_powers
from ppworkbench.core.progress import Progress, silent

_STRAIGHT = 1e-4
"""Skewness below which the normal distribution is taken."""


def dependence_p(
    data: ItemData,
    sets: Itemsets,
    sides: tuple[Indices, Indices, Indices],
    progress: Progress = silent,
) -> Numbers:
    """How often independent sides would go together as much: the whole, left and right of rules."""
    whole, left, right = sides
    met = np.unique(np.concatenate(sides))
    place = np.zeros(len(sets), np.int64)
    place[met] = np.arange(len(met))
    powers = mean_powers(data, _only(sets, met), 3, progress)
    mean, square, cube = powers
    variance = np.maximum(square - mean**2, 0.0)
    spread = np.sqrt(variance)
    with np.errstate(invalid="ignore", divide="ignore"):
        skewness = (cube - 3 * mean * square + 2 * mean**3) / spread**3
        a, b = place[left], place[right]
        n = data.effective_rows
        covariance = mean[place[whole]] - mean[a] * mean[b]
        if not data.is_distorted:
            # Counts are whole numbers: half a record for the steps between them.
            covariance = covariance - 0.5 / n
        z = covariance * np.sqrt(max(n - 1, 1)) / (spread[a] * spread[b])
        found = _above(z, skewness[a] * skewness[b] / np.sqrt(n))
    # A side that everybody has goes together with everything.
    return np.where((variance[a] > 0) & (variance[b] > 0), found, 1.0)


def _above(z: Numbers, skewness: Numbers) -> Numbers:
    """The part of a standardised Pearson type III distribution above z."""
    shape = 4.0 / np.maximum(skewness**2, _STRAIGHT**2)
    root = np.sqrt(shape)
    to_right = gammaincc(shape, np.maximum(shape + z * root, 0.0))
    to_left = gammainc(shape, np.maximum(shape - z * root, 0.0))
    skewed = np.where(skewness > 0, to_right, to_left)
    return np.asarray(np.where(np.abs(skewness) <= _STRAIGHT, ndtr(-z), skewed))


def _only(sets: SetList, places: Indices) -> SetList:
    return SetList.of(sets.items, [sets.set_at(i) for i in places.tolist()])


def possible_rules(sets: SetList, blocks: NDArray[Any], longest: int, then_items: int) -> int:
    """How many pairs of frequent sides there are, the right one of so many items at most.

    Sides of several items on the right are counted with some left sides that overlap them, so that
    the number is never too small.
    """
    lengths = sets.lengths
    total = 0
    # By block and length, how many sets hold an item of it.
    held = np.zeros((int(blocks.max(initial=0)) + 1, int(lengths.max(initial=0)) + 1), np.int64)
    owner = np.repeat(np.arange(len(sets)), lengths)
    np.add.at(held, (blocks[sets.members], lengths[owner]), 1)
    by_length = np.bincount(lengths, minlength=held.shape[1])
    for size in range(1, then_items + 1):
        room = slice(1, max(longest - size, 0) + 1)
        places, members = sets.of_length(size)
        if len(places):
            left = by_length[room].sum() - held[blocks[members[:, 0]]][:, room].sum(axis=1)
            total += int(left.sum())
    return total


def kept_rules(p: Numbers, level: float, tests: int) -> NDArray[np.bool_]:
    """Which of the rules stay at a false-discovery rate, of so many that were possible.

    >>> kept_rules(np.array([0.2, 1e-5, 0.004]), 0.05, 4).tolist()
    [False, True, True]
    """
    tests = max(tests, len(p))
    if not len(p):
        return np.zeros(0, np.bool_)
    harmonic = float(digamma(tests + 1)) + np.euler_gamma
    order = np.sort(p)
    good = np.flatnonzero(order <= level * np.arange(1, len(p) + 1) / (tests * harmonic))
    return np.asarray(p <= order[good[-1]]) if len(good) else np.zeros(len(p), np.bool_)
