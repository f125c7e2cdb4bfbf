"""Results of the core as listings for the tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.itemsets import Itemsets, SetList
from ppworkbench.core.mining import LengthErrors, Rules
from ppworkbench.gui.pages.mine.listing import (
    CONFIDENCE,
    LIFT,
    RAW,
    SUPPORT,
    TRUE,
    Listing,
    Numbers,
    Places,
)
from ppworkbench.gui.pages.mine.run import SizeErrors

_NOTHING = np.iinfo(np.int32).max


def as_rows(sets: SetList) -> Places:
    """Members as a matrix, filled up with -1."""
    longest = int(sets.lengths.max(initial=0))
    rows = np.full((len(sets), longest), -1, np.int32)
    rows[np.arange(longest) < sets.lengths[:, None]] = sets.members
    return rows


def as_sets(rows: Places, like: SetList) -> SetList:
    """Undo :func:`as_rows`; the -1 may stand anywhere."""
    sorted_rows = np.sort(np.where(rows < 0, _NOTHING, rows), axis=1)
    held = sorted_rows != _NOTHING
    offsets = np.concatenate([[0], np.cumsum(held.sum(axis=1), dtype=np.int64)])
    return SetList(like.items, sorted_rows[held].astype(np.int32), offsets)


def both_sides(rules: Rules) -> SetList:
    """The items of each rule, from both sides of the arrow."""
    return as_sets(np.hstack([as_rows(rules.left), as_rows(rules.right)]), rules.left)


def places_of(sets: SetList, among: SetList) -> NDArray[np.int64]:
    """Where sets stand among others; -1 where they do not."""
    found = np.full(len(sets), -1, np.int64)
    for length in np.unique(sets.lengths).tolist():
        places, members = sets.of_length(length)
        found[places] = among.locate(members)
    return found


def set_listing(
    found: Itemsets,
    words: tuple[str, ...],
    raw: Numbers | None,
    true: Numbers | None,
    *,
    exact: bool = False,
) -> Listing:
    """The table of itemsets; exact counts have no interval."""
    values = {SUPPORT: found.support}
    if raw is not None:
        values[RAW] = raw
    if true is not None:
        values[TRUE] = true
    low, high = _ends(found.low, found.high, exact)
    return Listing(words, as_rows(found), SUPPORT, values, low, high)


def rule_listing(
    rules: Rules, words: tuple[str, ...], true: Numbers | None, *, exact: bool = False
) -> Listing:
    """The table of rules; exact counts have no interval."""
    values = {SUPPORT: rules.support, CONFIDENCE: rules.confidence, LIFT: rules.lift}
    if true is not None:
        values[TRUE] = true
    left, right = as_rows(rules.left), as_rows(rules.right)
    low, high = _ends(rules.low, rules.high, exact)
    return Listing(words, left, CONFIDENCE, values, low, high, heads=right)


def _ends(low: Numbers, high: Numbers, exact: bool) -> tuple[Numbers, Numbers]:
    nothing = np.full(len(low), np.nan)
    return (nothing, nothing) if exact else (low, high)


def size_errors(errors: LengthErrors) -> tuple[SizeErrors, ...]:
    """The errors by size, as shares."""
    return tuple(
        SizeErrors(
            int(errors.lengths[i]),
            int(errors.true[i]),
            int(errors.found[i]),
            int(errors.correct[i]),
            float(errors.support_error[i]) / 100,
            float(errors.false_negative[i]) / 100,
            float(errors.false_positive[i]) / 100,
            float(errors.f1[i]),
        )
        for i in range(len(errors.lengths))
    )
