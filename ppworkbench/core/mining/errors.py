"""How well mined itemsets agree with the truth, by their length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Counts, Numbers
from ppworkbench.core.itemsets.itemsets import Itemsets, SetList


@dataclass(frozen=True, eq=False)
class LengthErrors:
    r"""Error measures for every length from 1 to the longest found or true set.

    With F the truly frequent and R the found sets (Rizvi and Haritsa 2002; Andruszkiewicz 2011,
    section 4.4). NaN where a measure is not defined.

    Parameters
    ----------
    true, found, correct
        |F|, |R| and f = |F ∩ R|.
    support_error
        ρ: the mean of |estimated - true| / true over F ∩ R, in percent.
    false_negative, false_positive
        σ- = |F \ R| / |F| and σ+ = |R \ F| / |F|, in percent.
    """

    lengths: Counts
    true: Counts
    found: Counts
    correct: Counts
    support_error: Numbers

    @property
    def false_negative(self) -> Numbers:
        """σ-, in percent."""
        return self._percent(self.true - self.correct)

    @property
    def false_positive(self) -> Numbers:
        """σ+, in percent."""
        return self._percent(self.found - self.correct)

    @property
    def f1(self) -> Numbers:
        """The harmonic mean of precision and recall, ``2 f / (|F| + |R|)``, from 0 to 1."""
        both = (self.true + self.found).astype(np.float64)
        return _ratio(2.0 * self.correct, both)

    def _percent(self, count: Counts) -> Numbers:
        return _ratio(100.0 * count, self.true.astype(np.float64))

    def to_json(self) -> list[dict[str, Any]]:
        columns = {
            "length": self.lengths, "found": self.found, "true": self.true,
            "support_error": self.support_error, "false_negative": self.false_negative,
            "false_positive": self.false_positive, "correct": self.correct, "f1": self.f1,
        }  # fmt: skip
        return [
            {name: _plain(column[i]) for name, column in columns.items()}
            for i in range(len(self.lengths))
        ]


def _ratio(part: NDArray[Any], base: NDArray[Any]) -> Numbers:
    blank = np.full(len(base), np.nan)
    return np.asarray(np.divide(part, base, out=blank, where=base > 0))


def _plain(number: Any) -> float | int | None:
    value: float | int = number.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value


def length_errors(found: Itemsets, true: Itemsets) -> LengthErrors:
    """Compare mined sets with those of the original data, mined with the same minimum support.

    Both must come from the same items: ``item_data(distorted, design)`` and
    ``item_data(original, design, original=True)``.
    """
    longest = int(max(found.lengths.max(initial=0), true.lengths.max(initial=0)))
    lengths = np.arange(1, longest + 1)
    in_truth = match(found, true)
    hit = np.flatnonzero(in_truth >= 0)
    actual = true.raw[in_truth[hit]]
    error = 100.0 * np.abs(found.raw[hit] - actual) / actual
    at = found.lengths[hit] - 1
    correct = np.bincount(at, minlength=longest)
    summed = np.bincount(at, error, longest)
    return LengthErrors(
        lengths,
        np.bincount(true.lengths - 1, minlength=longest),
        np.bincount(found.lengths - 1, minlength=longest),
        correct,
        _ratio(summed, correct.astype(np.float64)),
    )


def match(sets: SetList, others: SetList) -> Counts:
    """For every set, where it stands among the others; -1 where it does not."""
    position = np.full(len(sets), -1, np.int64)
    for length in np.unique(sets.lengths).tolist():
        mine, members = sets.of_length(length)
        position[mine] = others.locate(members)
    return position
