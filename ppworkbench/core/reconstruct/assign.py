"""Giving every distorted record a reconstructed value, so that the distribution holds.

An assigned value is not an estimate of that person's answer. Numbers are assigned in the order of
the distorted numbers (Agrawal and Srikant 2000); values by ARVeSNA (Andruszkiewicz, thesis 2011,
section 3.7.2): records of over-full values move to under-full ones, all others stay.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.rng import SeededStreams

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
            "Records need probabilities of 0 or more that are not all 0; project the "
            "reconstructed distribution first.",
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


Codes = NDArray[np.int64]


def assign_intervals(
    data: Numbers,
    probability: Numbers,
    *,
    classes: NDArray[Any] | None = None,
    first: bool = False,
    seed: int = 0,
) -> Codes:
    """The interval of every number: the lowest N(I_1) numbers get the first, and so on.

    Parameters
    ----------
    data
        Distorted numbers; NaN is missing and gets -1.
    probability
        The reconstructed distribution over the intervals, or one row of it for every class.
    classes
        The class code of every record; needed when there is a distribution per class. Records
        without a class get -1.
    first
        Among equal numbers take the earlier records first, instead of a seeded order.

    >>> assign_intervals(np.array([5.0, 1.0, 3.0, 9.0]), np.array([0.5, 0.25, 0.25])).tolist()
    [1, 0, 0, 2]
    """
    generator = SeededStreams(seed).generator("assign intervals")

    def one(numbers: Numbers, distribution: Numbers) -> Codes:
        rank = np.arange(len(numbers)) if first else generator.permutation(len(numbers))
        order = np.lexsort((rank, numbers))
        assigned = np.empty(len(numbers), np.int64)
        counts = apportion(distribution, len(numbers))
        assigned[order] = np.repeat(np.arange(len(counts)), counts)
        return assigned

    data = np.asarray(data, np.float64)
    return _in_each_class(one, data, ~np.isnan(data), np.asarray(probability), classes)


def assign_values(
    codes: NDArray[Any],
    probability: Numbers,
    matrix: Numbers,
    *,
    classes: NDArray[Any] | None = None,
    first: bool = False,
    test: NDArray[np.bool_] | None = None,
    seed: int = 0,
) -> Codes:
    """The value of every record by ARVeSNA.

    With ``n_X`` the apportioned numbers of records, ``delta(v) = n_Z(v) - n_X(v)`` records too many
    (or, negative, too few) have the value v. From every over-full v_i records move to the
    under-full v_j with the highest ``P[i, j]`` first. All others keep their value, which is as many
    as can.

    Parameters
    ----------
    codes
        Distorted codes; -1 is missing and stays -1.
    probability
        The reconstructed distribution, or one row of it for every class.
    matrix
        ``P[r, c]``, the probability that the true value c became r.
    classes
        The class code of every record; needed when there is a distribution per class. Records
        without a class get -1.
    first
        Move the first records of an over-full value, as the papers do, instead of a seeded draw.
    test
        Which values meet the test of a tree's node: where a value is kept with more than 0.5, its
        records move to values on the same side of the test first, with less than 0.5 to the other.

    >>> P = np.array([[0.6, 0.4], [0.4, 0.6]])
    >>> assign_values(np.array([1, 1, 1, 0, 1, 0, 1]), np.array([3, 4]) / 7, P, first=True).tolist()
    [0, 1, 1, 0, 1, 0, 1]
    """
    generator = SeededStreams(seed).generator("assign values")
    wishes = _targets(np.asarray(matrix, np.float64), test)

    def one(distorted: Codes, distribution: Numbers) -> Codes:
        surplus = np.bincount(distorted, minlength=len(wishes)) - apportion(
            distribution, len(distorted)
        )
        assigned = distorted.copy()
        for value in np.flatnonzero(surplus > 0):
            rows = np.flatnonzero(distorted == value)
            if not first:
                rows = generator.permutation(rows)
            # What is wanted, most wished for first, until the surplus is used up.
            wanted = np.repeat(wishes[value], np.maximum(-surplus[wishes[value]], 0))
            moved = wanted[: surplus[value]]
            assigned[rows[: len(moved)]] = moved
            surplus += np.bincount(moved, minlength=len(surplus))
            surplus[value] = 0
        return assigned

    codes = np.asarray(codes, np.int64)
    return _in_each_class(one, codes, codes >= 0, np.asarray(probability), classes)


def _targets(matrix: Numbers, test: NDArray[np.bool_] | None) -> Codes:
    """For every value the others in the order in which its records should move to them."""
    k = len(matrix)
    if test is None:
        return np.argsort(-matrix, axis=1, kind="stable")
    test = np.asarray(test, np.bool_)
    if test.shape != (k,):
        raise ParameterError.saying(
            "A condition must say for each of {k} values whether it is met.", k=k, field="test"
        )
    keep = np.diag(matrix)[:, None]
    same = test[:, None] == test[None, :]
    preferred = np.where(keep > 0.5, same, (keep < 0.5) & ~same)
    return np.lexsort((-matrix, ~preferred), axis=1)


def _in_each_class(
    assign: Callable[[Any, Numbers], Codes],
    data: NDArray[Any],
    present: NDArray[np.bool_],
    probability: Numbers,
    classes: NDArray[Any] | None,
) -> Codes:
    assigned = np.full(len(data), -1, np.int64)
    if probability.ndim < 2:
        assigned[present] = assign(data[present], probability)
        return assigned
    if classes is None:
        raise ParameterError(
            "A distribution per class needs the class of every record.", field="classes"
        )
    classes = np.asarray(classes)
    for class_code, distribution in enumerate(probability):
        rows = np.flatnonzero(present & (classes == class_code))
        if len(rows):
            assigned[rows] = assign(data[rows], distribution)
    return assigned
