"""Records as packed bits, one column per item, with the weights that undo the distortion."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.itemsets.frontier import Candidates, Frontier
from ppworkbench.core.itemsets.itemsets import Item, SetList

Bits = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Graded:
    """Items whose weight depends on more than whether the published answer is their value.

    A P-matrix that is not uniform gives every published answer a weight of its own,
    ``h = P^{-T} 1_value``; a missing answer weighs 0.

    Parameters
    ----------
    codes
        One row per attribute: the codes of the published answers, -1 for a missing one.
    column
        For every item, the row of its attribute in ``codes``.
    weights
        For every item, the weight of a missing answer and of every code, padded with 0.
    """

    codes: NDArray[np.int16]
    column: NDArray[np.int64]
    weights: Numbers

    def expand(self, items: NDArray[Any], start: int, stop: int) -> Numbers:
        """The weights of some items for the records from ``start`` to ``stop``."""
        codes = self.codes[self.column[items], start:stop]
        return np.asarray(self.weights[items[:, None], codes + 1])


class CandidateCounter(Protocol):
    """Counts candidates in records that lie elsewhere."""

    def count(
        self, frontier: Frontier, candidates: Candidates, report: Callable[[float], None]
    ) -> NDArray[np.int64]:
        """The number of records that show each candidate."""

    def count_answers(
        self, sets: NDArray[np.int64], width: int, report: Callable[[float], None]
    ) -> NDArray[np.int64]:
        """How often every combination of answers came, of some sets of attributes.

        ``sets`` has the places of the attributes, one row per set; the result has ``width`` places
        for each attribute, the first of which is for missing answers, the last attribute fastest.
        """

    def count_shown(self, sets: SetList, report: Callable[[float], None]) -> NDArray[np.int64]:
        """The number of records that show every set, uncorrected."""

    def only(self, chosen: NDArray[np.intp]) -> CandidateCounter:
        """The same with no other items than those at these places."""


@dataclass(frozen=True, eq=False)
class ItemData:
    """The records of one table as seen by a miner.

    A record in which bit i is set weighs ``present[i]`` for item i, any other ``absent[i]``; the
    mean of the product of the weights of several items, over all records, is the unbiased estimate
    of the share of records that truly have them all. On undistorted data these are 1 and 0.

    Parameters
    ----------
    items
        What the columns are.
    rows
        The number of records.
    bits
        One row per item, 64 records in a word, the first record lowest; spare bits are 0.
    blocks
        Items of one block are never combined: values of one attribute, or attributes that share a
        coin.
    graded
        Exact weights where two per item are not enough; ``present`` and ``absent`` are then those
        of the approximation by independent binary items.
    notes
        What was left out, in sentences.
    record_weights
        How much each record counts, 1 on the average; None where all count the same.
    counter
        Who counts candidates where the records are elsewhere; then there are no ``bits``.
    complete
        Which records of the table these are, where those that lack an answer were left out.
    left_out
        How many were.
    """

    items: tuple[Item, ...]
    rows: int
    bits: Bits
    present: Numbers
    absent: Numbers
    blocks: NDArray[np.int32]
    graded: Graded | None = None
    notes: tuple[str, ...] = ()
    record_weights: Numbers | None = None
    counter: CandidateCounter | None = None
    complete: NDArray[np.bool_] | None = None
    left_out: int = 0

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def effective_rows(self) -> float:
        """How many records that count the same would tell as much: ``(sum w)^2 / sum w^2``."""
        weights = self.record_weights
        return float(self.rows if weights is None else weights.sum() ** 2 / (weights @ weights))

    def weighted(self, weights: Numbers | None, *notes: str) -> Self:
        """The same records, each counted as often as it weighs; nobody weighs all of nothing.

        ``weights`` are those of all records of the table.
        """
        if weights is not None:
            weights = weights if self.complete is None else weights[self.complete]
            weights = weights * (self.rows / weights.sum())
        return dataclasses.replace(self, record_weights=weights, notes=(*notes, *self.notes))

    @cached_property
    def keep_one(self) -> Numbers:
        """p: the probability that an item stays in a record."""
        return np.asarray((1.0 - self.absent) / (self.present - self.absent))

    @cached_property
    def keep_zero(self) -> Numbers:
        """q: the probability that an absent item stays away."""
        return np.asarray(1.0 + self.absent / (self.present - self.absent))

    @property
    def is_distorted(self) -> bool:
        """Whether any weight differs from 0 and 1."""
        return bool(self.graded is not None or np.any(self.absent) or np.any(self.present != 1.0))

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        return np.asarray(np.bitwise_count(self.bits).sum(axis=1, dtype=np.int64))

    def shown(self) -> NDArray[np.bool_]:
        """The bits as a matrix: one row per item, one column per record."""
        return unpack(self.bits, self.rows)

    def take(self, rows: NDArray[Any]) -> Self:
        """Only some of the records: positions, or a mask of all.

        This is how supports within a class are estimated: ``supports(data.take(mask), sets)``.
        """
        chosen = self.shown()[:, rows]
        graded = self.graded
        if graded is not None:
            graded = dataclasses.replace(graded, codes=graded.codes[:, rows])
        weights = self.record_weights
        return dataclasses.replace(
            self, rows=chosen.shape[1], bits=pack(chosen), graded=graded, complete=None,
            record_weights=None if weights is None else weights[rows],
        )  # fmt: skip


def pack(shown: NDArray[Any]) -> Bits:
    """Pack rows of truth values into words.

    >>> pack(np.array([[True, False, True]])).tolist()
    [[5]]
    """
    items, rows = shown.shape
    words = max(1, -(-rows // 64))
    padded = np.zeros((items, 64 * words), np.bool_)
    padded[:, :rows] = shown
    # Eight truth values side by side, times this number, have their bits in the highest byte.
    eights = padded.view("<u8") * np.uint64(0x0102040810204080) >> np.uint64(56)
    return eights.astype(np.uint8).view("<u8").astype(np.uint64, copy=False)


def unpack(bits: Bits, rows: int) -> NDArray[np.bool_]:
    """Undo :func:`pack`."""
    as_bytes = np.ascontiguousarray(bits, "<u8").view(np.uint8)
    return np.unpackbits(as_bytes, axis=-1, count=rows, bitorder="little").view(np.bool_)
