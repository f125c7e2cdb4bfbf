"""How many people have each combination of true answers, and how their reports then vary.

A share of people who give several answers is the mean of products of contributions, one per factor.
What such products vary by depends on the true answers, by the device alone; it is what intervals of
such shares need where normal ones fail.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers, weighted_counts
from ppworkbench.core.score_intervals import Contributions
from ppworkbench.core.survey.factors.factor import Codes, Factor, GroupFactor, ValueFactor
from ppworkbench.core.survey.inquiry import Inquiry
from ppworkbench.core.survey.joint_em import outer

_MOST_FACTORS = 5
"""With more, there are too many combinations of who meets which test."""
_MOST_CELLS = 2_000
_FEW_KINDS = 64
_MOST_PAIRS = 1_000_000
"""Larger tables keep normal intervals: each cell looks at all others, reported and true."""


@dataclass(frozen=True, eq=False)
class TrueCells:
    """Estimated shares of combinations of true targets, and moments of reports given them.

    Parameters
    ----------
    shares
        One axis per factor; two targets, "meets" and "meets not", where it is not split.
    moments
        By factor, ``[m, a, r]``: the mean square (m = 0) or cube of the weight for target r, of
        people whose true target is a.
    """

    shares: Numbers
    moments: tuple[Numbers, ...]

    @classmethod
    def of(
        cls, inquiry: Inquiry, counts: Numbers | None = None, split: Sequence[Factor] = ()
    ) -> TrueCells | None:
        """Those of an inquiry; None where they cannot be told.

        ``counts`` is how many people each record counts for, ``split`` the factors of a table; of
        other factors only who meets the test is told from who does not.
        """
        factors = inquiry.factors
        if not factors or not inquiry.is_well_conditioned or len(factors) > _MOST_FACTORS:
            return None
        if counts is None:
            counts = inquiry.counted(np.ones(inquiry.size))
        if not counts.sum() > 0:
            return None
        look_ups, moments = [], []
        for factor, codes in zip(factors, inquiry.codes, strict=True):
            columns = slice(None) if any(factor is one for one in split) else slice(1)
            weights = factor.weights.matrix[:, columns]
            found = _moments(factor, columns, weighted_counts(codes, counts, len(weights)))
            if found is None:
                return None
            if found.shape[1] > weights.shape[1]:
                weights = np.column_stack([weights, 1 - weights.sum(axis=1)])
            look_ups.append(weights)
            moments.append(found)
        cells = math.prod(one.shape[1] for one in look_ups)
        if cells > _MOST_CELLS or cells * math.prod(one.shape[2] for one in moments) > _MOST_PAIRS:
            return None
        found_shares = _joint(look_ups, inquiry.codes, counts)
        if found_shares is None:
            return None
        return cls(found_shares / counts.sum(), tuple(moments))

    def contributions(self, place: Sequence[int] | None = None) -> Contributions:
        """Those to the share of one combination; of all first targets if not given."""
        place = (0,) * len(self.moments) if place is None else place
        meets = np.zeros(self.shares.shape, np.bool_)
        meets[tuple(place)] = True
        squares, cubes = (
            outer([one[m, :, r] for one, r in zip(self.moments, place, strict=True)]).ravel()
            for m in (0, 1)
        )
        return Contributions.of(self.shares.ravel(), squares, cubes, meets.ravel())


def contributions_of(inquiry: Inquiry, counts: Numbers | None = None) -> Contributions | None:
    """How reports vary that tell who meets a condition; None where that cannot be told."""
    cells = TrueCells.of(inquiry, counts)
    return None if cells is None else cells.contributions()


def _moments(factor: Factor, columns: slice, reported: Numbers) -> Numbers | None:
    """``[m, a, r]`` as above; people who have no target stand after all that have one."""
    weights = factor.weights.matrix[:, columns]
    k = weights.shape[1]
    if ((weights == 0) | (weights == 1)).all():
        has_others = k == 1 or bool((weights.sum(axis=1) == 0).any())
        found = np.vstack([np.eye(k), np.zeros((int(has_others), k))])
        return np.stack([found, found])
    if not isinstance(factor, (ValueFactor, GroupFactor)):
        return None
    channel, targets = factor.channel, factor.targets[:, columns]
    by_value = np.stack([channel.T @ weights**2, channel.T @ weights**3])
    shares = np.maximum(np.linalg.lstsq(channel, reported / reported.sum(), rcond=None)[0], 0.0)
    none = targets.sum(axis=1) == 0
    groups = [*(targets.T > 0), *((none,) if none.any() or k == 1 else ())]
    return np.stack([_mean(by_value, shares, group) for group in groups], axis=1)


def _mean(by_value: Numbers, shares: Numbers, group: NDArray[np.bool_]) -> Numbers:
    chosen = np.where(group, shares, 0.0)
    if not chosen.sum() > 0:
        chosen = group.astype(np.float64)
    return np.asarray(np.einsum("mvr,v->mr", by_value, chosen / (chosen.sum() or 1.0)))


def _joint(look_ups: Sequence[Numbers], codes: Sequence[Codes], counts: Numbers) -> Numbers | None:
    """How many people have each combination of targets, by the product of all weights."""
    kinds = [_distinct(*pair) for pair in zip(look_ups, codes, strict=True)]
    shape = tuple(len(look_up) for look_up, _ in kinds)
    if math.prod(shape) > _MOST_PAIRS:
        return None
    place = np.zeros(len(counts), np.intp)
    for (_, one), size in zip(kinds, shape, strict=True):
        place = place * size + one
    found = weighted_counts(place, counts, math.prod(shape)).reshape(shape)
    for axis, (look_up, _) in enumerate(kinds):
        found = np.moveaxis(np.tensordot(found, look_up, axes=(axis, 0)), -1, axis)
    return found


def _distinct(look_up: Numbers, codes: Codes) -> tuple[Numbers, Codes]:
    """The rows that differ; cells of a number are many, and tell only who meets a test."""
    if len(look_up) <= _FEW_KINDS:
        return look_up, codes
    rows, place = np.unique(look_up, axis=0, return_inverse=True)
    return rows, place.ravel()[codes]
