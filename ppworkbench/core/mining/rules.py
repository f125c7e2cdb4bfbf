"""Association rules in columns.

The error of a rule's confidence, by the delta method.

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

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.itemsets import Indices, Itemsets, SetList
from ppworkbench.core.message import Message
from ppworkbench.core.mining.dependence import dependence_p, kept_rules, possible_rules
from ppworkbench.core.mining.miner import MiningResult
from ppworkbench.core.params import Annotated, Info, Params, Within
from ppworkbench.core.progress import Progress, part, silent

KEPT = "kept-rules"
"""Code of the note on rules that a false-discovery rate left."""
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


_FAR = 20.0
"""Errors beyond [0, 1]; a ratio farther out is taken to be this far, where numbers still differ."""


@dataclass(frozen=True)
class RuleParams(Params):
    min_confidence: Annotated[
        float,
        Within(0, 1),
        Info(
            "Minimum confidence",
            "Share of records with the left side that also have the right side",
        ),
    ] = 0.5
    then_items: Annotated[
        int, Within(1, 59), Info("Right side", "Maximum number of items on the right side")
    ] = 1
    rule_limit: Annotated[
        int, Within(1, 50_000_000), Info("Rules", "Stop at this number of rules")
    ] = 1_000_000
    false_discovery: Annotated[
        float | None,
        Within(0, 1, open_low=True, open_high=True),
        Info(
            "False discoveries",
            "Keep only rules whose sides go together more than chance would have it, so that of "
            "all kept rules this share is expected to be false at most",
        ),
    ] = None


@dataclass(frozen=True, eq=False)
class Rules:
    """Rules ``if => then``, one position in every array each, the most confident first.

    Parameters
    ----------
    left, right
        The items of both sides: ``rules.left.names(i)``.
    support
        The estimated share of records with both sides.
    confidence
        The estimated share of the right side among the records with the left, within [0, 1].
    standard_error, low, high
        Of the confidence, by the delta method; NaN where a support has no standard error.
    lift
        Confidence over the support of the right side.
    notes
        Sentences that a reader should know.
    p
        How often independent sides would go together as much; None where that was not asked for.
    reached
        How many rules reached the limits, kept or not.
    """

    left: SetList
    right: SetList
    support: Numbers
    confidence: Numbers
    standard_error: Numbers
    low: Numbers
    high: Numbers
    lift: Numbers
    notes: tuple[str, ...] = ()
    p: Numbers | None = None
    reached: int = 0

    def __len__(self) -> int:
        return len(self.support)

    def to_json(self) -> list[dict[str, Any]]:
        columns = {
            "support": self.support, "confidence": self.confidence,
            "standard_error": self.standard_error, "low": self.low, "high": self.high,
            "lift": self.lift,
        }  # fmt: skip
        if self.p is not None:
            columns["p"] = self.p
        return [
            {"if": list(self.left.names(i)), "then": list(self.right.names(i))}
            | {name: _plain(float(column[i])) for name, column in columns.items()}
            for i in range(len(self))
        ]


def _plain(number: float) -> float | None:
    return None if math.isnan(number) else number


@dataclass(frozen=True, eq=False)
class _Split:
    """Rules of one shape: places of both sides and of the whole in the result."""

    whole: Indices
    left: Indices
    right: Indices


def find_rules(
    result: MiningResult,
    data: ItemData,
    params: RuleParams | None = None,
    *,
    progress: Progress = silent,
) -> Rules:
    """The rules of mined itemsets.

    Parameters
    ----------
    data
        The data that were mined; their weights tell how the errors of two supports go together.
    """
    params = params or RuleParams()
    sets = result.itemsets
    splits: list[_Split] = []
    notes: tuple[str, ...] = ()
    count = 0
    longest = int(sets.lengths.max(initial=0))
    for length in range(2, longest + 1):
        progress(
            0.5 * (length - 2) / max(longest - 1, 1),
            Message("Rules of {length} items", length=length),
        )
        for split in _splits(sets, length, params):
            count += len(split.whole)
            splits.append(split)
        if count > params.rule_limit:
            told = Message(
                "Sets of more than {length} items give no rules here: there are more "
                "than {rule_limit:,} rules. Choose a higher minimum confidence.",
                length=length,
                rule_limit=params.rule_limit,
            )
            notes = (told,)
            break
    sides = _sides(splits)
    reached, p = len(sides[0]), None
    if params.false_discovery is not None:
        _check_records(data)
        p = dependence_p(data, sets, sides, part(progress, 0.5, 0.8))
        tests = possible_rules(sets, data.blocks, result.miner.max_length, params.then_items)
        kept = kept_rules(p, params.false_discovery, tests)
        p, sides = p[kept], (sides[0][kept], sides[1][kept], sides[2][kept])
        told = Message(
            "{kept:,} of {reached:,} rules are kept, those whose sides go together more than "
            "chance would have it; the false-discovery rate is {rate:g} %.",
            kept=len(p),
            reached=reached,
            rate=100 * params.false_discovery,
            code=KEPT,
        )
        notes += (told,)
    return _assemble(result, data, sides, p, reached, notes, part(progress, 0.8, 1.0))


def _check_records(data: ItemData) -> None:
    if data.counter is not None:
        raise ParameterError(
            "Whether a rule is more than chance is told from single records, which never leave "
            "their parts; leave the false-discovery rate out, or mine a single file.",
            field="false_discovery",
        )


def _splits(sets: Itemsets, length: int, params: RuleParams) -> list[_Split]:
    whole, members = sets.of_length(length)
    result = []
    for size in range(1, min(params.then_items, length - 1) + 1):
        for then in combinations(range(length), size):
            given = [j for j in range(length) if j not in then]
            left = sets.locate(members[:, given])
            right = sets.locate(members[:, list(then)])
            base = np.append(sets.raw, np.nan)[left]
            with np.errstate(invalid="ignore", divide="ignore"):
                kept = (base > 0) & (sets.raw[whole] / base >= params.min_confidence - 1e-12)
            result.append(_Split(whole[kept], left[kept], right[kept]))
    return result


_Sides = tuple[Indices, Indices, Indices]
"""Where the whole, the left and the right side of rules are in the result."""


def _sides(splits: list[_Split]) -> _Sides:
    nothing = np.zeros(0, np.int64)
    return (
        np.concatenate([nothing, *(split.whole for split in splits)]),
        np.concatenate([nothing, *(split.left for split in splits)]),
        np.concatenate([nothing, *(split.right for split in splits)]),
    )


def _assemble(
    result: MiningResult,
    data: ItemData,
    sides: _Sides,
    p: Numbers | None,
    reached: int,
    notes: tuple[str, ...],
    progress: Progress,
) -> Rules:
    sets = result.itemsets
    whole, left, right = sides
    ratio = sets.raw[whole] / sets.raw[left]
    # Equal rules keep the order of their sets, whatever the last digit of a sum is on a machine.
    order = np.lexsort((-np.round(sets.raw[whole], 12), -np.round(np.minimum(ratio, 1.0), 12)))
    whole, left, right, ratio = whole[order], left[order], right[order], ratio[order]
    error = confidence_error(sets, data, whole, left, right, progress)
    low, high = _limits(ratio, error, result.miner.confidence)
    confidence = np.clip(ratio, 0.0, 1.0)
    base = np.append(sets.raw, np.nan)[right]
    return Rules(
        _side(sets, left),
        _side(sets, right),
        sets.support[whole],
        confidence,
        error,
        low,
        high,
        confidence / np.where(base > 0, base, np.nan),
        notes,
        None if p is None else p[order],
        reached,
    )


def _limits(ratio: Numbers, error: Numbers, confidence: float) -> tuple[Numbers, Numbers]:
    """The middle part of the normal distribution around each ratio that lies within [0, 1].

    Inside it is ``ratio ± z error``. Chance may take a ratio above 1; the interval then still says
    how far below 1 the confidence may be, where cutting the ends off would leave nothing of it.
    """
    spread = np.maximum(error, 1e-12)
    middle = np.clip(ratio, -_FAR * spread, 1.0 + _FAR * spread)
    begin, end = ndtr(-middle / spread), ndtr((1.0 - middle) / spread)
    tail = (1.0 - confidence) / 2
    limits = [
        middle + spread * ndtri(begin + share * (end - begin)) for share in (tail, 1.0 - tail)
    ]
    shown = np.clip(ratio, 0.0, 1.0)
    return np.clip(limits[0], 0.0, shown), np.clip(limits[1], shown, 1.0)


def _side(sets: Itemsets, places: Indices) -> SetList:
    lengths = sets.lengths[places]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    begin = np.repeat(sets.offsets[places] - offsets[:-1], lengths)
    return SetList(sets.items, sets.members[begin + np.arange(offsets[-1])], offsets)
