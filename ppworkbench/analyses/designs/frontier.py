"""The best designs that any matrix can reach, searched over all of them."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ppworkbench.analyses.designs.places import (
    SAMPLES,
    FamilyCurve,
    TradePlace,
    places_of,
    start_shares,
)
from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Binary, Custom, Forced, Ordinal, Perturbation, Uniform
from ppworkbench.core.privacy.belief import meant_places
from ppworkbench.core.privacy.optimiser import ShareCost, frontier
from ppworkbench.core.privacy.utility.channel import ShareChannel
from ppworkbench.core.privacy.utility.goal_seek import Question
from ppworkbench.core.privacy.utility.noncompliance import ignoring_matrix
from ppworkbench.core.progress import Progress, silent

_FRONTIER_POINTS = {2: 16}
_LEAST_FRONTIER = 6


@dataclass(frozen=True)
class FrontierDesign:
    """One design of the frontier: no known one of its privacy is more precise."""

    place: TradePlace
    perturbation: Perturbation
    certain: str = ""
    """A report that leaves no doubt about the true answer; empty if there is none."""


MOST_VALUES = 12
"""With more values than this the search takes minutes."""
_BETWEEN = 12
"""Mixtures of two neighbouring designs of the search that are tried as well."""


def best_family(attribute: Attribute) -> str:
    """The largest family of matrices in which a search is worth its time."""
    if attribute.k == 2:
        return "any"
    return "ordinal" if attribute.kind is Kind.ORDINAL else "symmetric"


def has_frontier(attribute: Attribute) -> bool:
    return attribute.kind.is_categorical and 2 <= attribute.k <= MOST_VALUES


def search_frontier(
    question: Question, measure: str, progress: Progress = silent
) -> tuple[FrontierDesign, ...]:
    """The most precise designs at their privacy; takes seconds, so call it in a job.

    Precise is the half-width of the axis, that of the sensitive answers' share. The search does not
    sacrifice other answers for it: it takes no matrix that loses more information than the uniform
    one of its level. Simple mechanisms are candidates, too: a few levels leave gaps.
    """
    attribute = question.attribute
    points = _FRONTIER_POINTS.get(attribute.k, _LEAST_FRONTIER)
    found = frontier(
        attribute, question.prior, question.n, measure, best_family(attribute), points, progress,
        cost=_share_cost(question),
    )  # fmt: skip
    searched = [_upright(point.perturbation, attribute.k) for point in found.points]
    mixed = [
        _mixed(attribute, one, other, step / _BETWEEN)
        for one, other in pairwise(searched)
        for step in range(1, _BETWEEN)
    ]
    return _best_of(question, measure, [*searched, *mixed, *_simple_designs(question)])


def with_curve(
    designs: tuple[FrontierDesign, ...], question: Question, curve: FamilyCurve | None
) -> tuple[FrontierDesign, ...]:
    """A frontier with those designs of a curve that are better: no curve goes below it."""
    if curve is None or not designs:
        return designs
    known = np.array([[one.place.privacy, one.place.half_width] for one in designs])
    drawn = np.interp(curve.privacy, known[:, 0], known[:, 1], left=math.inf)
    better = []
    for i in np.flatnonzero(curve.half_width < drawn * (1 - 1e-9)).tolist():
        perturbation = curve.put(float(curve.values[i]))
        place = curve.place(i)
        matrix = perturbation.matrix_for(question.attribute)
        certain = "" if matrix is None else _certain(question.attribute, matrix)
        better.append(FrontierDesign(place, perturbation, certain))
    return _never_rising([*designs, *better]) if better else designs


def frontier_at(designs: tuple[FrontierDesign, ...], privacy: float) -> float | None:
    """The half-width of a frontier at a level of privacy; None outside of its ends."""
    after = bisect_left(designs, privacy - 1e-9, key=lambda one: one.place.privacy)
    if not designs or privacy < designs[0].place.privacy - 1e-9 or after >= len(designs):
        return None
    low, high = designs[max(after - 1, 0)].place, designs[after].place
    if high.privacy <= low.privacy:
        return high.half_width
    share = min((privacy - low.privacy) / (high.privacy - low.privacy), 1.0)
    return low.half_width + share * (high.half_width - low.half_width)


def _share_cost(question: Question) -> ShareCost:
    attribute, shares = question.attribute, start_shares(question)
    ignored = None
    if question.noncompliance is not None:
        nothing = ShareChannel(attribute.values, shares, np.zeros((attribute.k, attribute.k)))
        other = ignoring_matrix(attribute, nothing, question.noncompliance)
        ignored = question.noncompliance.share * (other @ shares)
    return ShareCost(shares, meant_places(attribute, shares), question.n, ignored)


def _mixed(
    attribute: Attribute, one: Perturbation, other: Perturbation, share: float
) -> Perturbation:
    """The mechanism that takes one of two by chance."""
    k = attribute.k
    matrix = (1 - share) * one.values.matrix(k) + share * other.values.matrix(k)
    if attribute.k == 2:
        return Binary(keep_one=float(matrix[1, 1]), keep_zero=float(matrix[0, 0]))
    return Custom.of(matrix)


def _simple_designs(question: Question) -> list[Perturbation]:
    """Mechanisms of few parameters that are hard to beat where those who do not answer all say one
    of the sensitive answers, or another one.
    """
    attribute, shares = question.attribute, start_shares(question)
    k, places = attribute.k, meant_places(attribute, shares)
    steps = np.linspace(0.0, 1.0, SAMPLES)[1:].tolist()
    made: list[Perturbation] = [Uniform(keep=1 / k + (1 - 1 / k) * step) for step in steps]
    said = [places, *([place] for place in range(k) if [place] != places)]
    for some in said:
        forced = tuple(1 / len(some) if place in some else 0.0 for place in range(k))
        made += [Forced(p_truth=step, forced=forced) for step in steps]
    if k == 2:
        keeps = np.linspace(0.0, 1.0, 41).tolist()
        pairs = ((one, zero) for one in keeps for zero in keeps if one + zero > 1)
        made += [Binary(keep_one=one, keep_zero=zero) for one, zero in pairs]
    elif attribute.kind is Kind.ORDINAL:
        keeps = np.linspace(0.34, 1.0, SAMPLES // 2).tolist()
        ends = ((keep, loop) for keep in keeps for loop in (True, False))
        made += [Ordinal(weights=(keep, (1 - keep) / 2), loop=loop) for keep, loop in ends]
    return made


def _best_of(
    question: Question, measure: str, candidates: list[Perturbation]
) -> tuple[FrontierDesign, ...]:
    attribute = question.attribute
    stack = np.stack([one.values.matrix(attribute.k) for one in candidates])
    found = (column.tolist() for column in places_of(question, stack, measure))
    places = [TradePlace(*numbers) for numbers in zip(*found, strict=True)]
    return _never_rising(
        [
            FrontierDesign(place, one, _certain(attribute, matrix))
            for one, matrix, place in zip(candidates, stack, places, strict=True)
            if place.is_finite
        ]
    )


def _never_rising(designs: list[FrontierDesign]) -> tuple[FrontierDesign, ...]:
    """Only designs that no other one beats in privacy and precision."""
    # Where a report never changes the best guess, many designs differ by rounding only.
    ordered = sorted(designs, key=lambda one: (round(one.place.privacy, 9), one.place.half_width))
    best: list[FrontierDesign] = []
    for design in ordered:
        if not best or design.place.half_width < best[-1].place.half_width * (1 - 1e-9):
            best.append(design)
    return _smooth(best)


_NEAR = 0.02
"""Part of the axis within which a bump of a frontier comes from too few candidates."""


def _smooth(designs: list[FrontierDesign]) -> tuple[FrontierDesign, ...]:
    """Leave out designs that lie above the line between two near neighbours."""
    if not designs:
        return ()
    near = _NEAR * (designs[-1].place.privacy - designs[0].place.privacy)
    kept: list[FrontierDesign] = []
    for design in designs:
        while len(kept) > 1 and _is_bump(kept[-2].place, kept[-1].place, design.place, near):
            kept.pop()
        kept.append(design)
    return tuple(kept)


def _is_bump(before: TradePlace, place: TradePlace, after: TradePlace, near: float) -> bool:
    span = after.privacy - before.privacy
    if span <= 0 or span > near:
        return False
    share = (place.privacy - before.privacy) / span
    return place.half_width > before.half_width + share * (after.half_width - before.half_width)


def _upright(perturbation: Perturbation, k: int) -> Perturbation:
    """The same design with reports that mean what they say: two reports may be exchanged."""
    if k != 2:
        return perturbation
    matrix = perturbation.values.matrix(2)
    if float(np.trace(matrix)) >= 1:
        return perturbation
    return Binary(keep_one=float(matrix[0, 1]), keep_zero=float(matrix[1, 0]))


def _certain(attribute: Attribute, matrix: Numbers) -> str:
    alone = ((matrix > 1e-9).sum(axis=1) == 1) & (matrix.max(axis=1) > 1e-9)
    places = np.flatnonzero(alone)
    return attribute.values[int(places[0])] if len(places) else ""
