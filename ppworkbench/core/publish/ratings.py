"""How much a feature would tell about the outcomes of a group, if it may split it at all.

``ASM(D, F) = sum_parts |D_i| / |D| * distance(D, D_i)`` (Haque and Rizvee, eq. 5). A feature
qualifies only if every part that has people is deniable enough; others rate minus infinity.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.publish.branch import Counts, Numbers, Rows, Split
from ppworkbench.core.publish.distances import distances
from ppworkbench.core.publish.options import DeniabilityOptions
from ppworkbench.core.publish.sample import Feature, Sample
from ppworkbench.core.publish.segments import best_segments, cells_of
from ppworkbench.core.publish.uncertainty import SLACK, deniabilities

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
    """The best cuts of a feature with numbers for one group."""
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
