"""How much a feature would tell about the outcomes of a group, if it may split it at all.

``ASM(D, F) = sum_parts |D_i| / |D| * distance(D, D_i)`` (Haque and Rizvee, eq. 5). A feature
qualifies only if every part that has people is deniable enough; others rate minus infinity.

The best cut of a number into segments, by dynamic programming.

Over cells in the order of the number, ``best[i] = max_j gain(i, j) + best[j]``, where segment
(i, j) holds the cells i to j - 1, its gain is ``|segment| / |group| * distance(group, segment)``,
and a segment below the minimum deniability gains minus infinity. So does a suffix that cannot be
cut into good segments; counting it as 0 would let bad segments in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Counts, Numbers
from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.publish.options import DeniabilityOptions
from ppworkbench.core.publish.sample import Feature, Sample
from ppworkbench.core.publish.tree import SLACK, deniabilities
from ppworkbench.core.registry import Registry

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Split:
    """A feature and how it parts a group.

    Numbers are cut: a part ends with its threshold. Values are parts of their own, unless
    ``part_of`` puts several together; it is -1 for values that nobody in the group has.
    """

    feature: int
    gain: float
    thresholds: Numbers | None = None
    part_of: NDArray[np.intp] | None = None


@dataclass(eq=False, slots=True)
class Branch:
    """A group; without a split it is a leaf."""

    counts: Counts
    split: Split | None = None
    children: list[Branch] = field(default_factory=list)

    @property
    def size(self) -> int:
        return int(self.counts.sum())

    def value(self) -> float:
        """How many outcomes the leaves are expected to tell right, each person left out in turn."""
        if self.split is None:
            return leaf_value(self.counts)
        return sum(child.value() for child in self.children)


def leaf_value(counts: Counts) -> float:
    """Expected number of people whose own outcome is drawn from the others of their group.

    ``sum_i c_i (c_i - 1) / (N - 1)``: the leave-one-out form of the mean leaf probability of the
    true outcome, so that a group cannot look good by being small.
    """
    people = int(counts.sum())
    return float((counts * (counts - 1)).sum()) / (people - 1) if people > 1 else 0.0


def parts_of(feature: Feature, split: Split, rows: Rows) -> tuple[NDArray[np.intp], int]:
    """The part of each person under a split, and the number of parts, empty ones included."""
    codes = feature.codes[rows]
    if split.part_of is not None:
        return split.part_of[codes], int(split.part_of.max()) + 1
    if split.thresholds is None or feature.numbers is None:
        return codes, feature.values
    borders = np.searchsorted(feature.numbers, split.thresholds, "right")
    parts = np.searchsorted(borders, codes, "right")
    segments = len(split.thresholds) + 1
    parts[codes < 0] = segments
    return parts, segments + feature.has_missing


def count_parts(
    sample: Sample, rows: Rows, parts: NDArray[np.intp], count: int
) -> NDArray[np.int64]:
    cells = parts * sample.outcomes + sample.outcome[rows]
    counted = np.bincount(cells, minlength=count * sample.outcomes)
    return counted.reshape(count, sample.outcomes).astype(np.int64)


Distance = Callable[[Numbers, Numbers], Numbers]
"""Takes shares of outcomes along the last axis; 0 where both are the same."""

distances: Registry[Distance] = Registry("distance")


@distances.register("squared", "Squared")
def squared(p: Numbers, q: Numbers) -> Numbers:
    """``sum_i (p_i - q_i)^2 / n`` (Haque and Rizvee, eq. 4): at most 2/n.

    >>> float(squared(np.array([0.5, 0.5]), np.array([1.0, 0.0])))
    0.25
    """
    found: Numbers = np.square(p - q).mean(axis=-1)
    return found


@distances.register("cosine", "Cosine")
def cosine(p: Numbers, q: Numbers) -> Numbers:
    """One minus the cosine of the angle between both: at most 1."""
    product = (p * q).sum(axis=-1)
    lengths = np.sqrt(np.square(p).sum(axis=-1) * np.square(q).sum(axis=-1))
    # Rounding may leave an angle of a few hair's breadths between equal shares.
    found: Numbers = np.clip(1.0 - product / lengths, 0.0, 1.0)
    return found


@distances.register("hellinger", "Hellinger")
def hellinger(p: Numbers, q: Numbers) -> Numbers:
    """``sqrt(sum_i (sqrt p_i - sqrt q_i)^2 / 2)``: at most 1."""
    found: Numbers = np.sqrt(np.square(np.sqrt(p) - np.sqrt(q)).sum(axis=-1) / 2)
    return found


_EQUAL = 1e-12


@dataclass(frozen=True, eq=False)
class Segmentation:
    """The sum of gains, and the cells at which segments begin, without the first one.

    ``gain`` is minus infinity where no way of cutting is good enough.
    """

    gain: float
    starts: NDArray[np.intp]


NOTHING = Segmentation(-np.inf, np.empty(0, np.intp))


def best_segments(
    cells: Counts, shares: Numbers, people: float, outcomes: int, options: DeniabilityOptions
) -> Segmentation:
    """Cut cells into segments with the largest sum of gains.

    Parameters
    ----------
    cells
        Counts of outcomes in each cell, the cells in order.
    shares, people
        Shares of the outcomes in the group, and how many people it has, those whose number is
        missing included.

    Examples
    --------
    >>> cells = np.array([[3, 1], [3, 1], [1, 3]])
    >>> options = DeniabilityOptions(smallest_group=1)
    >>> found = best_segments(cells, np.array([7, 5]) / 12, 12, 2, options)
    >>> found.starts.tolist()
    [2]
    """
    count = len(cells)
    gains = _gains(cells, shares, people, outcomes, options)
    best = np.full(count + 1, -np.inf)
    best[count] = 0.0
    following = np.full(count, count, np.intp)
    for i in range(count - 1, -1, -1):
        totals = gains[i, i + 1 :] + best[i + 1 :]
        # Of equally good ways, the one with fewer and larger segments.
        place = int(np.flatnonzero(totals >= totals.max() - _EQUAL)[-1])
        best[i] = totals[place]
        following[i] = i + 1 + place
    if not np.isfinite(best[0]):
        return NOTHING
    starts = []
    place = int(following[0])
    while place < count:
        starts.append(place)
        place = int(following[place])
    return Segmentation(float(best[0]), np.array(starts, np.intp))


def _gains(
    cells: Counts, shares: Numbers, people: float, outcomes: int, options: DeniabilityOptions
) -> Numbers:
    """The gain of segment (i, j) in row i, column j; minus infinity where it is not allowed."""
    count = len(cells)
    sums = np.zeros((count + 1, cells.shape[1]), np.int64)
    np.cumsum(cells, axis=0, out=sums[1:])
    first, last = _pairs(count + 1)
    held = sums[last] - sums[first]
    sizes = held.sum(axis=1)
    gains = np.full((count + 1, count + 1), -np.inf)
    good = (sizes >= options.smallest_group) & (
        deniabilities(held, outcomes) >= options.min_deniability - SLACK
    )
    held, sizes = held[good], sizes[good]
    away = distances[options.distance](shares, held / sizes[:, None])
    gains[first[good], last[good]] = sizes / people * away
    return gains


@lru_cache(maxsize=256)
def _pairs(count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    first, last = np.triu_indices(count, 1)
    return first, last


def cells_of(codes: NDArray[np.intp], outcome: NDArray[np.intp], outcomes: int, most: int) -> tuple[
    Counts, NDArray[np.intp], NDArray[np.intp]
]:  # fmt: skip
    """Count outcomes in at most ``most + 1`` cells of about equally many people.

    Equal numbers are never parted: a cell holds all people of each of its numbers.

    Returns
    -------
    The counts, and the codes of the smallest and the largest number of every cell.
    """
    present, place = _ranked(codes)
    if len(present) > most + 1:
        held = np.bincount(place)
        before = np.cumsum(held) - held
        cell_of = before * (most + 1) // len(codes)
    else:
        cell_of = np.arange(len(present))
    begins = np.flatnonzero(np.diff(cell_of, prepend=-1))
    ends = np.append(begins[1:], len(present)) - 1
    cell = (np.searchsorted(begins, np.arange(len(present)), "right") - 1)[place]
    counts = np.bincount(cell * outcomes + outcome, minlength=len(begins) * outcomes)
    return counts.reshape(-1, outcomes).astype(np.int64), present[begins], present[ends]


def _ranked(codes: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The codes that occur, in order, and the place of each person's code among them."""
    if int(codes.max()) > 4 * len(codes):
        present, place = np.unique(codes, return_inverse=True)
        return present, place
    # Counting is faster than sorting where the codes are dense.
    occurs = np.bincount(codes) > 0
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[codes]


_AT_ONCE = 1 << 21
"""Counts held at a time."""


def rate_values(
    sample: Sample,
    feature: Feature,
    place: NDArray[np.intp],
    rows: Rows,
    counts: Counts,
    options: DeniabilityOptions,
) -> Numbers:
    """Rate a feature with values for many groups at once.

    Parameters
    ----------
    place
        The group of each of the rows.
    counts
        Counts of outcomes of every group.
    """
    groups, step = len(counts), feature.values * sample.outcomes
    cells = feature.codes[rows] * sample.outcomes + sample.outcome[rows]
    at_once = max(1, _AT_ONCE // step)
    rated = np.empty(groups)
    for start in range(0, groups, at_once):
        stop = min(start + at_once, groups)
        # Groups stand in the order of their rows only by chance, hence the mask.
        own = slice(None) if at_once >= groups else (place >= start) & (place < stop)
        counted = np.bincount(
            (place[own] - start) * step + cells[own], minlength=(stop - start) * step
        )
        parts = counted.reshape(stop - start, feature.values, sample.outcomes)
        rated[start:stop] = _rate_parts(parts, counts[start:stop], options)
    return rated


def _rate_parts(parts: Counts, counts: Counts, options: DeniabilityOptions) -> Numbers:
    outcomes = counts.shape[-1]
    sizes = parts.sum(axis=-1)
    deniable = deniabilities(parts, outcomes) >= options.min_deniability - SLACK
    allowed = (sizes == 0) | (deniable & (sizes >= options.smallest_group))
    people = counts.sum(axis=-1)
    whole = (counts / people[:, None])[:, None, :]
    held = parts / np.maximum(sizes, 1)[..., None]
    # An empty part has the shares of its group, and no weight.
    held = np.where((sizes == 0)[..., None], whole, held)
    away = distances[options.distance](whole, held)
    rated: Numbers = (sizes * away).sum(axis=-1) / people
    return np.where(allowed.all(axis=-1), rated, -np.inf)


def rate_merged(
    sample: Sample, number: int, rows: Rows, counts: Counts, options: DeniabilityOptions
) -> Split:
    """The best way to put the values of a feature together for one group.

    Values of an ordinal attribute stay in order. Others are ordered by their shares along the
    direction in which these differ most, which for two outcomes holds the best cuts (Breiman et
    al. 1984); then they are cut like numbers.
    """
    feature = sample.features[number]
    parts = np.bincount(
        feature.codes[rows] * sample.outcomes + sample.outcome[rows],
        minlength=feature.values * sample.outcomes,
    ).reshape(feature.values, sample.outcomes)
    present = np.flatnonzero(parts.any(axis=1))
    if feature.attribute.kind is not Kind.ORDINAL:
        present = present[_by_shares(parts[present])]
    cells, shares = parts[present].astype(np.int64), counts / len(rows)
    found = best_segments(cells, shares, len(rows), sample.outcomes, options)
    if not np.isfinite(found.gain):
        return Split(number, -np.inf)
    part_of = np.full(feature.values, -1, np.intp)
    part_of[present] = np.searchsorted(found.starts, np.arange(len(present)), "right")
    return Split(number, found.gain, part_of=part_of)


def _by_shares(parts: Counts) -> NDArray[np.intp]:
    sizes = parts.sum(axis=1)
    shares = parts / sizes[:, None]
    apart = shares - parts.sum(axis=0) / sizes.sum()
    _, directions = np.linalg.eigh((apart * sizes[:, None]).T @ apart)
    along = directions[:, -1]
    # Rounding and the sign are no reason to order values differently on another computer.
    along = along * np.sign(along[np.abs(along).argmax()])
    return np.argsort(np.round(apart @ along, 12), kind="stable")


def rate_numbers(
    sample: Sample, number: int, rows: Rows, counts: Counts, options: DeniabilityOptions
) -> Split:
    feature = sample.features[number]
    assert feature.numbers is not None  # noqa: S101 (the caller knows the kind)
    codes, outcome = feature.codes[rows], sample.outcome[rows]
    people, shares = len(rows), counts / len(rows)
    gain, refused = 0.0, Split(number, -np.inf)
    if feature.has_missing:
        missing = codes < 0
        apart = np.bincount(outcome[missing], minlength=sample.outcomes)[None, None, :]
        gain = float(_rate_parts(apart, counts[None, :], options)[0])
        if not np.isfinite(gain):
            return refused
        codes, outcome = codes[~missing], outcome[~missing]
    if len(codes) == 0:
        return refused
    cells, lowest, highest = cells_of(codes, outcome, sample.outcomes, options.cuts)
    found = best_segments(cells, shares, people, sample.outcomes, options)
    if not np.isfinite(found.gain):
        return refused
    below = feature.numbers[highest[found.starts - 1]]
    above = feature.numbers[lowest[found.starts]]
    return Split(number, gain + found.gain, _between(below, above))


def _between(below: Numbers, above: Numbers) -> Numbers:
    """Numbers half-way; between neighbours among doubles, the lower one."""
    middle = below + (above - below) / 2
    return np.where(middle < above, middle, below)
