"""Releasing the columns that tell how people were drawn: keep, coarsen or drop each of them.

A rare weight is a post-stratum, a cluster is a village, and replicate weights show who shares a
cluster. Coarsening makes groups: rows neighbouring in weight get their mean weight, labels of
strata and clusters are drawn at random, small strata merge, and replicate weights are made anew
from what is left.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import (
    BOOTSTRAP,
    LEAST_ROWS,
    POPULATION,
    REPLICATES,
    STRATUM,
    ReplicateRole,
    Sampling,
)
from ppworkbench.core.data.table import Column, Table, list_attributes
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.perturbation import Identity
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.rng import SecureStreams, Streams
from ppworkbench.core.sampling.replicates import replicate_factors, replicate_weights
from ppworkbench.core.sampling.sample import SampleReader, rows_as_clusters

_FEWEST_REPLICATES = 50
"""Fewer bootstrap replicates give no useful variance."""
_EPSILON = 1e-9


@dataclass(frozen=True)
class RoleTreatment:
    """Which role columns are coarsened and which are not released; the others stay as they are."""

    coarsened: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    least: int = LEAST_ROWS

    def __post_init__(self) -> None:
        if self.least < 2:
            raise ParameterError("A group must have at least 2 rows.", field="least")


@dataclass(frozen=True, eq=False)
class ReleasedRoles:
    """The role columns as they are released.

    Parameters
    ----------
    sampling
        The roles that are left; None where nobody has one.
    columns
        Columns that take the place of those of the same name, or are new.
    gone
        Columns that are not released.
    notes
        What was done, one line each without a full stop.
    target
        Whom a recipient can still make statements about.
    """

    sampling: Sampling | None
    columns: tuple[Column, ...]
    gone: tuple[str, ...]
    notes: tuple[Message, ...]
    target: Message

    @property
    def remarks(self) -> tuple[Message, ...]:
        return tuple(Message("{said}.", said=one) for one in (*self.notes, self.target))

    def apply(self, table: Table) -> Table:
        made = {column.name: column for column in self.columns}
        kept = [made.pop(c.name, c) for c in table if c.name not in self.gone]
        class_name = None if table.class_name in self.gone else table.class_name
        return table.with_(columns=(*kept, *made.values()), class_name=class_name)

    def designed(self, design: Design) -> Design:
        """A design for such a table; role columns stay undistorted."""
        made = {c.name: DesignedAttribute(c.attribute, Identity()) for c in self.columns}
        kept = [made.pop(d.name, d) for d in design if d.name not in self.gone]
        arms = design.versions.without(self.gone)
        lists = tuple(one for one in design.lists if one.count not in self.gone)
        listed = (*kept, *made.values())
        return design.among(listed, sampling=self.sampling, arms=arms, lists=lists)


def release_roles(
    table: Table, sampling: Sampling, treatment: RoleTreatment, streams: Streams | None = None
) -> ReleasedRoles:
    """Coarsen and drop role columns of a table.

    Parameters
    ----------
    streams
        Where random labels and replicates come from; the operating system if not given.
    """
    known = set(sampling.columns)
    for name in (*treatment.coarsened, *treatment.dropped):
        if name not in known:
            raise ParameterError.saying(
                "Column {attribute!r} has no sampling role.", attribute=name
            )
    return _Release(table, sampling, treatment, streams or SecureStreams()).made()


class _Release:
    """The columns of one release, made one after the other: each follows from those before."""

    def __init__(
        self, table: Table, sampling: Sampling, treatment: RoleTreatment, streams: Streams
    ) -> None:
        self.table, self.before, self.least = table, sampling, treatment.least
        self.coarsened, self.dropped = set(treatment.coarsened), set(treatment.dropped)
        self._streams = streams
        self.columns: dict[str, Column] = {}
        self.notes: list[Message] = []
        # Numbers of strata and clusters; clusters are told apart across strata.
        roles = Sampling(None, sampling.stratum, sampling.cluster, person=sampling.person)
        read = SampleReader(roles).read(table)
        self.strata = read.each_stratum
        self.clusters = read.clusters
        self.new_strata: Codes = np.zeros(table.rows, np.intp)

    def made(self) -> ReleasedRoles:
        stratum = self._make_strata()
        left = Sampling(
            self._make_weight(), stratum, self._make_clusters(stratum), self._make_population(),
            person=self._make_persons(),
        )  # fmt: skip
        replicates = self._make_replicates(left)
        left = dataclasses.replace(left, replicates=replicates)
        sampling = left if left.to_json() else None
        gone = tuple(name for name in self.before.columns if name not in left.columns)
        if gone:
            self.notes.append(
                Message("Not released: {attributes}", attributes=list_attributes(gone, 6))
            )
        return ReleasedRoles(
            sampling, tuple(self.columns.values()), gone, tuple(self.notes),
            reachable_target(self.before, sampling),
        )  # fmt: skip

    def _make_weight(self) -> str | None:
        name = self.before.weight
        if name is None or name in self.dropped:
            return None
        if name in self.coarsened:
            means = group_means(read_numbers(self.table, name), self.least)
            self._put(name, Kind.CONTINUOUS, means)
            self.notes.append(
                Message(
                    "{attribute}: groups of at least {least} rows with similar weights have their "
                    "mean; the sum of the weights is kept",
                    attribute=name,
                    least=self.least,
                )
            )
        return name

    def _make_strata(self) -> tuple[str, ...]:
        names = tuple(name for name in self.before.stratum if name not in self.dropped)
        if not names:
            return ()
        read = SampleReader(Sampling(stratum=names)).read(self.table).each_stratum
        self.new_strata = read
        if not self.coarsened & set(names):
            return names
        before = int(read.max(initial=-1)) + 1
        merged = merge_small(read, self.least)
        after = int(merged.max(initial=-1)) + 1
        self.new_strata = merged
        # Strata are the combinations of all their columns, so one column of labels says it all.
        self._put(names[0], Kind.INTEGER, self._relabelled(merged))
        self.notes.append(
            Message(
                "{attribute}: strata have random labels; those with fewer than {least} rows were "
                "merged, {before} strata became {after}",
                attribute=names[0],
                least=self.least,
                before=before,
                after=after,
            )
        )
        return names[:1] if after > 1 else ()

    def _make_clusters(self, stratum: tuple[str, ...]) -> str | None:
        name = self.before.cluster
        if name is None or self.clusters is None or name in self.dropped:
            return None
        # Names that are unique within a stratum only would run together where strata do.
        runs_together = stratum != self.before.stratum or self._has_merged_strata
        if name in self.coarsened or runs_together:
            self._put(name, Kind.INTEGER, self._relabelled(self.clusters))
            self.notes.append(Message("{attribute}: clusters have random labels", attribute=name))
        return name

    def _make_persons(self) -> str | None:
        name = self.before.person
        if name is None or name in self.dropped:
            return None
        if name in self.coarsened:
            persons = SampleReader(Sampling(person=name)).read(self.table).each_cluster
            self._put(name, Kind.INTEGER, self._relabelled(persons))
            self.notes.append(Message("{attribute}: persons have random labels", attribute=name))
        return name

    @property
    def _has_merged_strata(self) -> bool:
        return len(np.unique(self.new_strata)) < len(np.unique(self.strata))

    def _make_population(self) -> str | float | None:
        name = self.before.population
        if not isinstance(name, str) or name in self.dropped:
            return None if isinstance(name, str) else name
        if self.before.unit is not None and self.before.unit in self.dropped:
            self.notes.append(
                Message("{attribute} counts clusters and is of no use without them", attribute=name)
            )
            return None
        if name not in self.coarsened and not self._has_merged_strata:
            return name
        numbers = self._merged_population(name)
        if name in self.coarsened:
            numbers = _rounded(numbers)
        self._put(name, Kind.CONTINUOUS, numbers[self.new_strata])
        self.notes.append(
            Message("{attribute}: of the merged strata, rounded to 2 digits", attribute=name)
            if name in self.coarsened
            else Message("{attribute}: summed over the merged strata", attribute=name)
        )
        return name

    def _merged_population(self, name: str) -> Numbers:
        given = read_numbers(self.table, name)
        strata, first = np.unique(self.strata, return_index=True)
        sampled = self._sampled(strata)
        is_share = bool(given.max(initial=0.0) <= 1)
        population = sampled / given[first] if is_share else given[first]
        into = self.new_strata[first]
        total = np.asarray(np.bincount(into, population), np.float64)
        return np.asarray(np.bincount(into, sampled) / total if is_share else total)

    def _sampled(self, strata: Codes) -> Numbers:
        """How many clusters, or rows where there are none, were drawn from each stratum."""
        units = self.strata
        if self.clusters is not None:
            units = self.strata[np.unique(self.clusters, return_index=True)[1]]
        drawn = np.bincount(units, minlength=int(strata.max(initial=0)) + 1)
        return np.asarray(drawn[strata], np.float64)

    def _make_replicates(self, left: Sampling) -> ReplicateRole | None:
        role = self.before.replicates
        if role is None or self.dropped & set(role.columns):
            return None
        if self.before.weight is not None and left.weight is None:
            # They are the weights, multiplied.
            return None
        if not self.coarsened & set(role.columns):
            return role
        if self.before.unit is None and not self.before.stratum:
            raise ParameterError(
                "Replicate weights cannot be made anew without strata or clusters; keep or drop "
                "them.",
                field=REPLICATES,
            )
        count = max(len(role.columns), _FEWEST_REPLICATES)
        weights = self._new_replicates(left.weight, count)
        names = (*role.columns, *self._more_names(role.columns[0], count - len(role.columns)))
        for place, name in enumerate(names):
            self._put(name, Kind.CONTINUOUS, weights[:, place])
        self.notes.append(
            Message(
                "{count:,} replicate weights were made anew by the bootstrap from the released "
                "weights, strata and clusters",
                count=count,
            )
        )
        return ReplicateRole(names, BOOTSTRAP)

    def _new_replicates(self, weight: str | None, count: int) -> Numbers:
        """Replicates of the released weights; random labels of strata and clusters suffice."""
        parts = [_labels(STRATUM, self.new_strata)]
        roles = Sampling(stratum=(STRATUM,))
        if self.clusters is not None:
            parts.append(_labels("cluster", self.clusters))
            roles = dataclasses.replace(roles, cluster="cluster")
        if weight is not None:
            given = self.columns.get(weight) or self.table[weight]
            parts.append(given.with_(attribute=given.attribute.with_(name="weight")))
            roles = dataclasses.replace(roles, weight="weight")
        reader = SampleReader(roles)
        sample = reader.read(Table(tuple(parts)))
        frame, sample = rows_as_clusters(reader.frame(), sample)
        seed = int(self._streams.stream("release", REPLICATES).random(1)[0] * 2**53)
        return replicate_weights(sample, replicate_factors(frame, BOOTSTRAP, count, seed)[0])

    def _more_names(self, stem: str, count: int) -> Iterator[str]:
        taken, number = {*self.table.names}, 0
        while count > 0:
            number += 1
            name = f"{stem}_{number}"
            if name not in taken:
                count -= 1
                yield name

    def _relabelled(self, codes: Codes) -> Numbers:
        """Labels from 1 on in random order."""
        present, places = np.unique(codes, return_inverse=True)
        order = self._streams.stream("release", "labels").random(len(present)).argsort()
        return np.asarray(order[places] + 1, np.float64)

    def _put(self, name: str, kind: Kind, data: Numbers) -> None:
        """A column of numbers in place of one; the words that people gave it stay."""
        low, high = float(data.min(initial=0.0)), float(data.max(initial=1.0))
        if kind is Kind.INTEGER:
            low = 1.0
        attribute = Attribute(name, kind, domain=(low, max(high, low + 1)))
        if name in self.table:
            said = self.table[name].attribute
            attribute = attribute.with_(label=said.label, title=said.title)
        self.columns[name] = Column(attribute, np.asarray(data, np.float64))


def group_means(weights: Numbers, least: int) -> Numbers:
    """Weights replaced by the mean of groups of neighbours with at least so many rows.

    Rows with the same weight stay together, and the sum of all weights is kept.

    >>> group_means(np.array([1.0, 9.0, 2.0, 2.0, 8.0, 1.0]), 2)
    array([1. , 8.5, 2. , 2. , 8.5, 1. ])
    """
    if not len(weights):
        return weights
    values, places, counts = np.unique(weights, return_inverse=True, return_counts=True)
    group = np.zeros(len(values), np.intp)
    number, held = 0, 0
    for place, count in enumerate(counts):
        if held >= least:
            number, held = number + 1, 0
        group[place] = number
        held += int(count)
    if held < least and number:
        # What is left over is too small for a group of its own.
        group[group == number] = number - 1
    sums, sizes = np.bincount(group, values * counts), np.bincount(group, counts)
    return np.asarray((sums / sizes)[group][places], np.float64)


def merge_small(codes: Codes, least: int) -> Codes:
    """Strata renumbered, those with fewer rows merged: the smallest with one another first.

    >>> merge_small(np.array([0, 0, 0, 1, 2, 2, 2, 3]), 2).tolist()
    [0, 0, 0, 2, 1, 1, 1, 2]
    """
    present, places, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    into = np.full(len(present), -1, np.intp)
    large = np.flatnonzero(sizes >= least)
    into[large] = np.arange(len(large))
    number, held = len(large), 0
    for place in sorted(np.flatnonzero(sizes < least), key=lambda place: int(sizes[place])):
        if held >= least:
            number, held = number + 1, 0
        into[place] = number
        held += int(sizes[place])
    if 0 < held < least and number:
        # The last pool joins the one before, or the smallest of the large strata.
        smallest = int(np.argmin(sizes[large])) if number == len(large) else number - 1
        into[into == number] = smallest
    return into[places]


def reachable_target(before: Sampling, left: Sampling | None) -> Message:
    """Whom a recipient can still make statements about, as a sentence."""
    had_weights = before.weight is not None or before.replicates is not None
    has_weights = left is not None and (left.weight is not None or left.replicates is not None)
    if had_weights and not has_weights:
        return Message(
            "Without the weights a recipient can make statements about the respondents only",
            code="respondents",
        )
    lost = before.unit is not None or bool(before.stratum)
    if left is not None and (left.replicates is not None or left.unit == before.unit):
        lost = bool(before.stratum) and not left.stratum and left.replicates is None
    if lost:
        return Message(
            "A recipient can make statements about the population, but the standard errors lack "
            "strata or clusters",
            code=POPULATION,
        )
    return Message(
        "A recipient can make statements about the population, with the error of the sampling",
        code=POPULATION,
    )


def read_numbers(table: Table, name: str) -> Numbers:
    """The numbers of a column that has a role; an error names a row that has none."""
    return SampleReader(Sampling(name)).read(table).each_weight


def _labels(name: str, codes: Codes) -> Column:
    highest = float(codes.max(initial=0)) + 1
    return Column(Attribute(name, Kind.INTEGER, domain=(0, highest)), codes.astype(np.float64))


def _rounded(numbers: Numbers) -> Numbers:
    """Two digits: populations up and fractions down, so that no error seems too small."""
    step = 10.0 ** (np.floor(np.log10(numbers)) - 1)
    if numbers.max(initial=0.0) <= 1:
        return np.asarray(np.maximum(np.floor(numbers / step + _EPSILON), 1) * step)
    return np.asarray(np.ceil(numbers / step - _EPSILON) * step)
