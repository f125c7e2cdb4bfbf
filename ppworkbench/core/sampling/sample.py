"""The rows of a table as a sample: weights, strata, clusters, checked and numbered.

Labels are numbered in the order in which they come, so that a file can be read chunk by chunk; what
is kept between chunks is as large as the number of clusters.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.data.sampling_roles import JKN, RESPONDENTS, Sampling, SamplingOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.fit import column_of
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message

_ENOUGH_ROOM = 1 << 22
"""Up to so many possible pairs are numbered by a table instead of a sort."""
_LABEL_BITS = 32
_BLOCK = 1 << 16
_ROWS_ARE_CLUSTERS: Codes = np.zeros(0, np.intp)


@dataclass(frozen=True, eq=False)
class SampleRows:
    """The sampling of some rows.

    Parameters
    ----------
    weights
        None where everybody counts the same, which is faster.
    strata, clusters
        Numbers of strata and clusters; None for a single stratum, and where rows are the clusters.
    replicates
        One column per replicate weight; there may be none.
    persons
        Numbers of those who answered; None where that is not known.
    """

    n: int
    weights: Numbers | None = None
    strata: Codes | None = None
    clusters: Codes | None = None
    replicates: Numbers = field(default_factory=lambda: np.zeros((0, 0)))
    persons: Codes | None = None

    def take(self, rows: Codes | None) -> SampleRows:
        if rows is None or len(rows) == self.n:
            return self

        def chosen(array: NDArray[Any] | None) -> Any:
            return None if array is None else array[rows]

        return SampleRows(
            len(rows), chosen(self.weights), chosen(self.strata), chosen(self.clusters),
            chosen(self.replicates) if self.has_replicates else self.replicates,
            chosen(self.persons),
        )  # fmt: skip

    @property
    def has_replicates(self) -> bool:
        return bool(self.replicates.size)

    @property
    def each_weight(self) -> Numbers:
        return np.ones(self.n) if self.weights is None else self.weights

    @property
    def each_stratum(self) -> Codes:
        return np.zeros(self.n, np.intp) if self.strata is None else self.strata

    @property
    def each_cluster(self) -> Codes:
        return np.arange(self.n, dtype=np.intp) if self.clusters is None else self.clusters

    @property
    def weight(self) -> float:
        return float(self.n if self.weights is None else self.weights.sum())


@dataclass(frozen=True, eq=False)
class Frame:
    """The strata and clusters of a whole sample.

    Parameters
    ----------
    labels
        The names of the strata.
    sizes
        The number of sampled clusters in each stratum.
    fractions
        Which part of the clusters of a stratum was sampled; 0 where that is not known.
    cluster_strata
        The stratum of each cluster; empty where rows are the clusters.
    replicate_scale
        The factor of each replicate's squared deviation.
    replicate_rank
        The rank of the matrix of replicate weights.
    asked_share
        Which part of the people is asked, each by a draw of their own.
    draw_effect
        How many times as large the device's variance is as with a draw for every row, because
        waves of one person repeat their draw.
    """

    sampling: Sampling
    options: SamplingOptions
    labels: tuple[str, ...]
    sizes: NDArray[np.int64]
    fractions: Numbers
    cluster_strata: Codes
    rows: int
    replicate_scale: Numbers = field(default_factory=lambda: np.zeros(0))
    replicate_rank: int = 0
    asked_share: float = 1.0
    draw_effect: float = 1.0

    @property
    def has_roles(self) -> bool:
        """Whether anything is known about how people were drawn."""
        return bool(self.sampling.columns) or self.sampling.population is not None

    @property
    def is_simple(self) -> bool:
        """Whether rows count the same, as drawn one by one from many people."""
        return not self.has_roles and not self.is_about_respondents

    @property
    def has_clusters(self) -> bool:
        """Whether clusters were drawn, and not rows."""
        return len(self.cluster_strata) > 0

    @property
    def has_replicates(self) -> bool:
        return len(self.replicate_scale) > 0

    @property
    def groups(self) -> int:
        """The number of clusters, or of strata where rows are the clusters."""
        return len(self.cluster_strata) if self.has_clusters else len(self.sizes)

    @property
    def is_about_respondents(self) -> bool:
        return self.options.target == RESPONDENTS

    @property
    def is_complete(self) -> bool:
        """Whether everybody was asked whom the estimates are about."""
        return self.is_about_respondents or bool((self.fractions >= 1).all())

    @property
    def has_population(self) -> bool:
        return self.sampling.population is not None and not self.is_about_respondents


def rows_as_clusters(frame: Frame, sample: SampleRows) -> tuple[Frame, SampleRows]:
    """The same sample with every row as a cluster, for what needs sums by cluster."""
    if frame.has_clusters:
        return frame, sample
    return (
        dataclasses.replace(frame, cluster_strata=sample.each_stratum),
        dataclasses.replace(sample, clusters=sample.each_cluster),
    )


class SampleReader:
    """Reads the sampling of a table that may come in pieces.

    >>> from ppworkbench.core.data.attribute import Attribute, Kind
    >>> from ppworkbench.core.data.table import Column
    >>> psu = Column(Attribute("psu", Kind.INTEGER, domain=(1, 9)), np.array([4.0, 4.0, 7.0]))
    >>> reader = SampleReader(Sampling(cluster="psu"))
    >>> reader.read(Table((psu,))).clusters.tolist(), reader.frame().sizes.tolist()
    ([0, 0, 1], [2])
    """

    def __init__(
        self,
        sampling: Sampling,
        options: SamplingOptions | None = None,
        *,
        repeats_draws: bool = False,
    ) -> None:
        """``repeats_draws`` says that the rows of one person share what was drawn."""
        self.sampling = sampling
        self.options = options or SamplingOptions()
        self._plain = self.options.target == RESPONDENTS
        self._persons = _Persons(sampling.person) if sampling.person is not None else None
        self._repeats_draws = repeats_draws
        self._strata: dict[tuple[str, ...], int] = {}
        self._cluster_labels: dict[str, int] = {}
        # Strata and labels of known clusters in one number each: sorted, and in order of coming.
        self._sorted_clusters = self._clusters = np.zeros(0, np.int64)
        self._sorted_places = np.zeros(0, np.intp)
        self._sizes = np.zeros(1, np.int64)
        self._population = np.full(1, np.nan)
        self._rows = 0
        self._heaviest = 0.0
        self._gram: Numbers | None = None
        self._largest_ratio: Numbers | None = None
        self._replicate_strata: NDArray[np.int64] | None = None

    def read(self, table: Table) -> SampleRows:
        """Check and number the next rows; roles are ignored for a statement about respondents."""
        n = table.rows
        if self._plain:
            self._rows += n
            self._sizes[0] += n
            return SampleRows(n, persons=self._read_persons(table, None, None))
        weights = self._read_weights(table)
        strata = self._read_strata(table)
        clusters = self._read_clusters(table, strata)
        persons = self._read_persons(table, weights, strata if clusters is None else clusters)
        clusters = persons if clusters is None else clusters
        self._read_population(table, strata)
        replicates = self._read_replicates(table, weights, strata)
        self._rows += n
        return SampleRows(n, weights, strata, clusters, replicates, persons)

    def frame(self) -> Frame:
        labels = tuple(", ".join(label) for label in self._strata) or ("",)
        draws = self._persons.effect if self._persons and self._repeats_draws else 1.0
        if self._plain:
            return Frame(
                self.sampling, self.options, labels, self._sizes, np.ones(1), _ROWS_ARE_CLUSTERS,
                self._rows,
                draw_effect=draws,
            )  # fmt: skip
        if self.sampling.weight is not None and self._rows and self._heaviest <= 0:
            raise DataError.saying(
                "All weights in {column!r} are 0.",
                column=self.sampling.weight,
                attribute=self.sampling.weight,
            )
        cluster_strata, sizes = _ROWS_ARE_CLUSTERS, self._sizes
        if self.sampling.unit is not None:
            cluster_strata = (self._clusters >> _LABEL_BITS).astype(np.intp)
            if self.sampling.cluster is None and self._persons is not None:
                cluster_strata = self._persons.homes
            sizes = np.bincount(cluster_strata, minlength=len(labels)).astype(np.int64)
        fractions = self._fractions(sizes, labels)
        rank = 0 if self._gram is None else int(np.linalg.matrix_rank(self._gram, hermitian=True))
        return Frame(
            self.sampling, self.options, labels, sizes, fractions, cluster_strata, self._rows,
            self._replicate_scale(fractions), rank, draw_effect=draws,
        )  # fmt: skip

    def _read_weights(self, table: Table) -> Numbers | None:
        name = self.sampling.weight
        if name is None:
            return None
        weights = self._numbers(table, name)
        if weights.min(initial=0.0) < 0:
            self._refuse(
                weights < 0,
                name,
                Message(
                    "Row {row} of {column!r} is negative; weights cannot be.", row=0, column=name
                ),
            )
        self._heaviest = max(self._heaviest, float(weights.max(initial=0.0)))
        return weights

    def _read_strata(self, table: Table) -> Codes | None:
        if not self.sampling.stratum:
            if self.sampling.unit is None:
                self._sizes[0] += table.rows
            return None
        parts = [self._labels(table, name) for name in self.sampling.stratum]
        codes, labels = parts[0]
        met: list[tuple[str, ...]] = [(label,) for label in labels]
        for more, names in parts[1:]:
            pairs, codes = np.unique(codes * len(names) + more, return_inverse=True)
            met = [(*met[pair // len(names)], names[pair % len(names)]) for pair in pairs]
        sizes = np.bincount(codes, minlength=len(met))
        present = np.flatnonzero(sizes)
        known = np.full(len(met), -1, np.intp)
        for place in present:
            known[place] = self._strata.setdefault(met[place], len(self._strata))
        as_they_are = np.array_equal(known, np.arange(len(known)))
        strata: Codes = codes if as_they_are else known[codes]
        self._grow(len(self._strata))
        self._sizes[known[present]] += sizes[present]
        return strata

    def _grow(self, strata: int) -> None:
        lacking = strata - len(self._sizes)
        if lacking > 0:
            self._sizes = np.append(self._sizes, np.zeros(lacking, np.int64))
            self._population = np.append(self._population, np.full(lacking, np.nan))

    def _read_clusters(self, table: Table, strata: Codes | None) -> Codes | None:
        name = self.sampling.cluster
        if name is None:
            return None
        if strata is None and not self.sampling.stratum:
            self._strata.setdefault(("",), 0)
        quick = self._quick_clusters(table, name, strata)
        if quick is not None:
            return quick
        codes, labels = self._labels(table, name)
        pairs = codes if strata is None else strata * len(labels) + codes
        met, inverse = np.unique(pairs, return_inverse=True)
        return np.asarray(self._cluster_numbers(met, labels)[inverse], np.intp)

    def _quick_clusters(self, table: Table, name: str, strata: Codes | None) -> Codes | None:
        """The numbers of clusters whose names are values or whole numbers near each other.

        Pairs of stratum and name are looked up in a table; None where that would be too large.
        """
        column = column_of(table, name)
        data, low = column.data, 0.0
        if column.is_categorical:
            codes, labels = self._labels(table, name)
            wide = len(labels)
        else:
            low, high = float(data.min(initial=np.inf)), float(data.max(initial=-np.inf))
            # A missing number compares as false.
            if not high - low < _ENOUGH_ROOM:
                return None
            codes, wide = np.empty(len(data), np.intp), int(high - low) + 1
        room = wide * max(len(self._strata), 1)
        if room > _ENOUGH_ROOM:
            return None
        for block in _blocks(len(data)):
            if not column.is_categorical and not _whole_steps(data[block], low, codes[block]):
                return None
            if strata is not None:
                codes[block] += strata[block] * wide
        met = np.flatnonzero(np.bincount(codes, minlength=room))
        if not column.is_categorical:
            names = np.unique(met % wide)
            labels = tuple(f"{low + step:.15g}" for step in names.tolist())
            places = np.zeros(wide, np.int64)
            places[names] = np.arange(len(names))
            known = met // wide * len(labels) + places[met % wide]
        else:
            known = met
        numbers = np.zeros(room, np.intp)
        numbers[met] = self._cluster_numbers(known, labels)
        for block in _blocks(len(codes)):
            codes[block] = numbers.take(codes[block], mode="clip")
        return codes

    def _cluster_numbers(self, met: Codes, labels: tuple[str, ...]) -> Codes:
        known = [
            self._cluster_labels.setdefault(label, len(self._cluster_labels)) for label in labels
        ]
        label = np.array(known, np.int64)[met % len(labels)]
        return self._number_clusters((met // len(labels) << _LABEL_BITS) + label)

    def _number_clusters(self, wanted: NDArray[np.int64]) -> Codes:
        """The numbers of different clusters; those that come for the first time get new ones."""
        at = np.searchsorted(self._sorted_clusters, wanted)
        at = np.minimum(at, max(len(self._sorted_clusters) - 1, 0))
        known = np.zeros(len(wanted), np.bool_)
        if len(self._sorted_clusters):
            known = self._sorted_clusters[at] == wanted
        if not known.all():
            self._clusters = np.append(self._clusters, wanted[~known])
            self._sorted_places = np.argsort(self._clusters, kind="stable")
            self._sorted_clusters = self._clusters[self._sorted_places]
            at = np.searchsorted(self._sorted_clusters, wanted)
        return np.asarray(self._sorted_places[at], np.intp)

    def _read_persons(
        self, table: Table, weights: Numbers | None, homes: Codes | None
    ) -> Codes | None:
        if self._persons is None:
            return None
        name = self._persons.column
        persons = self._persons.read(*self._labels(table, name), weights, homes)
        if homes is not None:
            self._refuse(
                self._persons.homes[persons] != homes,
                name,
                Message(
                    "Row {row} of {column!r} names a person whom an earlier row places in another "
                    "cluster or stratum; each person belongs to one.",
                    row=0,
                    column=name,
                ),
            )
        return persons

    def _read_population(self, table: Table, strata: Codes | None) -> None:
        given = self.sampling.population
        if given is None:
            return
        if not isinstance(given, str):
            self._population[:] = given
            return
        numbers = self._numbers(table, given)
        self._refuse(
            numbers <= 0,
            given,
            Message("Row {row} of {column!r} is not above 0.", row=0, column=given),
        )
        if not len(numbers):
            return
        places = np.zeros(len(numbers), np.intp) if strata is None else strata
        fresh = np.isnan(self._population[places])
        self._population[places[fresh][::-1]] = numbers[fresh][::-1]
        self._refuse(
            self._population[places] != numbers,
            given,
            Message(
                "Row {row} of {column!r} differs from the rows before it in its stratum.",
                row=0,
                column=given,
            ),
        )

    def _fractions(self, sizes: NDArray[np.int64], labels: tuple[str, ...]) -> Numbers:
        population = self._population[: len(sizes)]
        if self.sampling.population is None:
            return np.zeros(len(sizes))
        if population.max(initial=0.0) <= 1:
            return np.asarray(population, np.float64)
        if self.sampling.replicates is not None and self.sampling.unit is None:
            # Replicates do not tell which rows were drawn together.
            raise ParameterError(
                "Replicate weights with a population count need the cluster column, without which "
                "every row would count as drawn by itself; name it, give the sampled fraction, or "
                "leave the population out.",
                field="population",
            )
        short = population < sizes
        if short.any():
            place = int(np.argmax(short))
            name = self.sampling.population
            raise DataError.saying(
                "The population of stratum {stratum!r} is {population:g}, but {sampled:,} "
                "units were sampled.",
                stratum=labels[place],
                population=float(population[place]),
                sampled=int(sizes[place]),
                attribute=name if isinstance(name, str) else None,
                field="population",
            )
        return np.asarray(sizes / population, np.float64)

    def _read_replicates(
        self, table: Table, weights: Numbers | None, strata: Codes | None
    ) -> Numbers:
        role = self.sampling.replicates
        if role is None:
            return np.zeros((0, 0))
        found = np.column_stack([self._numbers(table, name) for name in role.columns])
        gram = found.T @ found
        self._gram = gram if self._gram is None else self._gram + gram
        if role.method == JKN:
            base = np.ones(len(found)) if weights is None else weights
            ratio = np.divide(found.T, base, out=np.zeros(found.T.shape), where=base > 0)
            best, where = ratio.max(axis=1, initial=0.0), ratio.argmax(axis=1)
            places = np.zeros(len(where), np.int64) if strata is None else strata[where]
            if self._largest_ratio is None or self._replicate_strata is None:
                self._largest_ratio, self._replicate_strata = best, places
            else:
                later = best > self._largest_ratio
                self._largest_ratio = np.maximum(self._largest_ratio, best)
                self._replicate_strata = np.where(later, places, self._replicate_strata)
        return found

    def _replicate_scale(self, fractions: Numbers) -> Numbers:
        role = self.sampling.replicates
        if role is None:
            return np.zeros(0)
        count = len(role.columns)
        # One fraction for all strata holds for every replicate, different ones for none.
        same = 1 - fractions[0] if np.ptp(fractions) == 0 else 1.0
        if role.method == JKN and self._largest_ratio is not None:
            # Where one of n clusters is left out, the others of its stratum weigh n/(n-1) times
            # as much: that tells n.
            inverse = np.minimum(1 / np.maximum(self._largest_ratio, 1.0), 1.0)
            return np.asarray(inverse * (1 - fractions[self._replicate_strata]))
        factor = {"jk1": (count - 1) / count, "fay": 1 / (count * (1 - role.fay) ** 2)}
        return np.full(count, factor.get(role.method, 1 / count) * same)

    def _numbers(self, table: Table, name: str) -> Numbers:
        column = column_of(table, name)
        if not column.is_categorical:
            numbers = np.asarray(column.data, np.float64)
        else:
            look_up = np.array([_as_number(text) for text in column.attribute.values] + [np.nan])
            numbers = look_up[column.data]
        if math.isfinite(numbers.min(initial=0.0) + numbers.max(initial=0.0)):
            # What is missing or no number would show in the smallest one.
            return numbers
        self._refuse(
            column.missing, name, Message("Row {row} of {column!r} is missing.", row=0, column=name)
        )
        self._refuse(
            ~np.isfinite(numbers),
            name,
            Message("Row {row} of {column!r} is not a number.", row=0, column=name),
        )
        return numbers

    def _labels(self, table: Table, name: str) -> tuple[Codes, tuple[str, ...]]:
        column = column_of(table, name)
        if not math.isfinite(column.data.min(initial=0)) or column.is_categorical:
            self._refuse(
                column.missing,
                name,
                Message("Row {row} of {column!r} is missing.", row=0, column=name),
            )
        if column.is_categorical:
            return column.data.astype(np.intp), column.attribute.values
        codes, numbers = _factorise(column.data)
        return codes, tuple(f"{number:.15g}" for number in numbers)

    def _refuse(self, wrong: NDArray[np.bool_], name: str, words: Message) -> None:
        if wrong.any():
            row = self._rows + int(np.argmax(wrong)) + 1
            raise DataError(words.with_(row=row), attribute=name, row=row)


class _Persons:
    """The people of a sample who may come again: where they live, and how much they weigh."""

    def __init__(self, column: str) -> None:
        self.column = column
        self.homes: Codes = np.zeros(0, np.intp)
        """The cluster of each person, or the stratum where persons are the clusters."""
        self._numbers: dict[str, int] = {}
        self._weights: Numbers = np.zeros(0)
        self._squares = 0.0

    def read(
        self, codes: Codes, labels: tuple[str, ...], weights: Numbers | None, homes: Codes | None
    ) -> Codes:
        """Number the persons of the next rows; those who come for the first time move in."""
        met, places = np.unique(codes, return_inverse=True)
        known = [self._numbers.setdefault(labels[code], len(self._numbers)) for code in met]
        persons: Codes = np.array(known, np.intp)[places]
        before, count = len(self.homes), len(self._numbers)
        self.homes = np.append(self.homes, np.zeros(count - before, np.intp))
        if homes is not None:
            fresh = np.flatnonzero(persons >= before)[::-1]
            self.homes[persons[fresh]] = homes[fresh]
        added = np.bincount(persons, weights, count).astype(np.float64)
        self._weights = added + np.append(self._weights, np.zeros(count - len(self._weights)))
        self._squares += float(len(codes) if weights is None else weights @ weights)
        return persons

    @property
    def effect(self) -> float:
        """The variance of totals with one draw per person over that with one per row."""
        return float(self._weights @ self._weights / self._squares) if self._squares else 1.0


def refuse_randomised(sampling: Sampling, design: Design) -> None:
    """Refuse roles of columns that the design randomises: what they say is not true any more."""
    for name in sampling.columns:
        if name in design and not design.perturbation(name).is_identity:
            raise ParameterError.saying(
                "Attribute {attribute!r} is randomised, so it cannot have a sampling role.",
                attribute=name,
                field="sampling",
            )


def _whole_steps(data: Numbers, low: float, codes: Codes) -> bool:
    """Whether numbers are whole steps above the lowest; fills in how many."""
    apart = data - low
    codes[:] = apart
    return bool((codes == apart).all())


def _blocks(n: int) -> Iterator[slice]:
    """Rows that are worked on while they are in the processor's cache."""
    return (slice(start, start + _BLOCK) for start in range(0, n, _BLOCK))


def _factorise(data: Numbers) -> tuple[Codes, Numbers]:
    """Codes of numbers, and the numbers; whole numbers near each other need no hash table."""
    low, high = (float(data.min()), float(data.max())) if len(data) else (0.0, 0.0)
    if high - low < _ENOUGH_ROOM:
        codes = np.empty(len(data), np.intp)
        if all(_whole_steps(data[block], low, codes[block]) for block in _blocks(len(data))):
            present = np.flatnonzero(np.bincount(codes))
            if len(present) < int(high - low) + 1:
                places = np.zeros(int(high - low) + 1, np.intp)
                places[present] = np.arange(len(present))
                codes = places[codes]
            return codes, np.asarray(present + low, np.float64)
    import pandas as pd

    found, met = pd.factorize(data)
    return found.astype(np.intp, copy=False), np.asarray(met, np.float64)


def _as_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
