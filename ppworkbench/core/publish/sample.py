"""A table as the tree sees it: codes of features, and outcomes of one sensitive attribute."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.publish.tree import DeniabilityTree
from ppworkbench.core.rng import Stream


@dataclass(frozen=True, eq=False)
class Feature:
    """One attribute that groups may be split on.

    Parameters
    ----------
    codes
        The value of each person; of numbers, the place among all different numbers. Missing
        answers are a value of their own: the last one of values, -1 of numbers.
    numbers
        All different numbers in order; None for values.
    has_missing
        Whether missing answers have a part of their own.
    """

    attribute: Attribute
    codes: Codes
    numbers: Numbers | None
    has_missing: bool

    @classmethod
    def of(cls, column: Column) -> Self:
        column.refuse_set()
        has_missing = column.missing_count > 0
        if column.is_categorical:
            codes = column.data.astype(np.intp)
            codes[column.missing] = column.attribute.k
            return cls(column.attribute, codes, None, has_missing)
        numbers, codes = np.unique(column.data, return_inverse=True)
        if has_missing:
            numbers = numbers[:-1]
            codes = np.where(column.missing, -1, codes)
        return cls(column.attribute, codes.astype(np.intp), numbers, has_missing)

    @property
    def name(self) -> str:
        return self.attribute.name

    @property
    def values(self) -> int:
        """The number of parts of a split by values; 0 for numbers."""
        return 0 if self.numbers is not None else self.attribute.k + self.has_missing

    def take(self, rows: NDArray[Any]) -> Self:
        return dataclasses.replace(self, codes=self.codes[rows])


@dataclass(frozen=True, eq=False)
class Sample:
    """Features and outcomes of the same people.

    ``outcome`` counts from 0; a missing answer to the sensitive attribute is one more outcome, so
    that nobody can be told by having skipped the question.
    """

    attribute: Attribute
    features: tuple[Feature, ...]
    outcome: Codes
    has_missing: bool

    @classmethod
    def of(
        cls,
        table: Table,
        sensitive: str,
        features: Sequence[str] | None = None,
        progress: Progress = silent,
    ) -> Self:
        """The sample of a table; all other attributes are features unless some are named."""
        column = table[sensitive]
        check_sensitive(column)
        names = [n for n in table.names if n != sensitive] if features is None else list(features)
        if sensitive in names:
            raise DataError.saying(
                "Groups cannot be split by {sensitive!r} itself; clear it.",
                sensitive=sensitive,
                attribute=sensitive,
            )
        outcome = column.data.astype(np.intp)
        outcome[column.missing] = column.attribute.k
        chosen = []
        for name in dict.fromkeys(names):
            progress(0.0, Message("reading {attribute}", attribute=name))
            chosen.append(Feature.of(table[name]))
        return cls(column.attribute, tuple(chosen), outcome, column.missing_count > 0)

    @property
    def rows(self) -> int:
        return len(self.outcome)

    @property
    def outcomes(self) -> int:
        return self.attribute.k + self.has_missing

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        return np.bincount(self.outcome, minlength=self.outcomes).astype(np.int64)

    def take(self, rows: NDArray[Any]) -> Self:
        features = tuple(feature.take(rows) for feature in self.features)
        return dataclasses.replace(self, features=features, outcome=self.outcome[rows])


def check_sensitive(column: Column) -> None:
    """Refuse an attribute that cannot be denied, in one sentence."""
    column.refuse_set()
    name, attribute = column.name, column.attribute
    if not attribute.kind.is_categorical:
        raise DataError.saying(
            "{attribute!r} is a number; deniability needs a categorical attribute: divide "
            "it into bins or choose another one.",
            attribute=name,
        )
    if attribute.k + (column.missing_count > 0) < 2:
        raise DataError.saying(
            "{attribute!r} has only 1 possible answer, so nothing can be denied; choose "
            "another attribute.",
            attribute=name,
        )
    if len(column) == 0:
        raise DataError("The table has no records.", attribute=name)


_AT_ONCE = 1 << 20


def draw(tree: DeniabilityTree, groups: Codes, stream: Stream) -> Codes:
    """An outcome for every person from the shares of the person's group."""
    # Sums of counts divided by their total end at exactly 1; sums of shares might fall short.
    counts = np.array([node.counts if node.size else node.shares for node in tree.nodes])
    steps = np.cumsum(counts, axis=1)
    steps = steps / steps[:, -1:]
    drawn = np.empty(len(groups), np.intp)
    at_once = max(1, _AT_ONCE // len(tree.outcomes))
    for start in range(0, len(groups), at_once):
        own = groups[start : start + at_once]
        point = stream.random(len(own))
        drawn[start : start + at_once] = (point[:, None] >= steps[own]).sum(axis=1)
    return drawn


def shuffle(groups: Codes, outcome: Codes, stream: Stream) -> Codes:
    """The outcomes of every group in random order: the counts of each group stay exactly.

    >>> from ppworkbench.core.rng import SeededStreams
    >>> groups = np.array([0, 1, 0, 1])
    >>> shuffle(groups, np.array([0, 2, 1, 2]), SeededStreams(1).stream("a"))[[1, 3]].tolist()
    [2, 2]
    """
    # 64 random bits a person: two draw the same number about never.
    keys = stream.bytes(8 * len(groups)).view(np.uint64)
    places = np.argsort(groups, kind="stable")
    mixed = np.lexsort((keys, groups))
    result = np.empty_like(outcome)
    result[places] = outcome[mixed]
    return result
