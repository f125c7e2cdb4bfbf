"""What a statistic asks of its attributes, and the records that answered all of them.

Answers are in the terms of the design. Distorted ones are also taken at their word here, for the
figures beside an estimate.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Table, list_attributes
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.fit import fit_collected, fit_sets
from ppworkbench.core.design.noises.base import centres, domain_of
from ppworkbench.core.design.perturbation import Identity, Perturbation
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Within
from ppworkbench.core.privacy.spending import never_together, share_asked
from ppworkbench.core.reconstruct.by_arm import DeviceCounter
from ppworkbench.core.survey.conditions.regions import NumberRegion, Region

LEFT_OUT = "left-out"
"""The code of a remark that tells of records without an answer."""


@dataclass(frozen=True, eq=False)
class Asked:
    """One attribute of a statistic.

    A statistic sums, over all records, products of one *target* of every attribute: a function of
    the true answer that is 1 where the answer counts and 0 elsewhere. An attribute has one target,
    or one for each of its values or bins.

    Parameters
    ----------
    region
        The true answers that count; all of them if None.
    split
        Whether every value (or bin) is a target of its own.
    bins
        The borders of the bins of a number that is split.
    moment
        Whether a number has a second target: its own size where it counts, from 0 at the lowest to
        1 at the highest number of the domain.
    """

    attribute: Attribute
    perturbation: Perturbation
    region: Region | None = None
    split: bool = False
    bins: Numbers | None = None
    moment: bool = False

    @property
    def name(self) -> str:
        return self.attribute.name

    @property
    def is_exact(self) -> bool:
        """Whether a number that was kept is published to its last digit."""
        return self.perturbation.numbers.exact_share is not None

    @property
    def publishes_intervals(self) -> bool:
        return self.perturbation.numbers.interval_edges(self.attribute) is not None

    def borders(self) -> Numbers:
        """The borders that the cells of a number must have: domain, limits and bins."""
        low, high = domain_of(self.attribute)
        if self.attribute.kind is Kind.INTEGER:
            low, high = low - 0.5, high + 0.5
        elif self.is_exact:
            # The highest number has a place of its own side of a limit that equals it.
            high = float(np.nextafter(high, np.inf))
        wanted = [np.array([low, high])]
        if isinstance(self.region, NumberRegion):
            wanted.append(self.region.limits)
        if self.bins is not None:
            wanted.append(self.bins)
        edges = np.unique(np.concatenate(wanted))
        edges = edges[(edges >= low) & (edges <= high)]
        return edges if self.is_exact else self._merged(edges)

    def _merged(self, edges: Numbers) -> Numbers:
        """Borders without those that lie next to each other: noise blurs such a cell away."""
        smallest = 1e-9 * (edges[-1] - edges[0])
        kept = np.append(True, np.diff(edges) > smallest)
        merged = edges[kept]
        merged[-1] = edges[-1]
        if isinstance(self.region, NumberRegion):
            self._refuse_points(self.region, smallest)
        return np.asarray(merged, np.float64)

    def _refuse_points(self, region: NumberRegion, smallest: float) -> None:
        points = [low for low, high in region.spans if high - low <= smallest]
        if points:
            raise ParameterError.saying(
                "Attribute {attribute!r} is continuous and has noise, so a count of "
                "exactly {points:g} is not estimable; give a range.",
                points=points[0],
                attribute=self.name,
                field="condition",
            )

    def targets(self, edges: Numbers | None = None) -> Numbers:
        """One column per target, one row per cell of the true answer."""
        if edges is None:
            inside = self._values_inside()
            return np.diag(inside) if self.split else inside[:, None]
        # Exact borders are a digit apart; elsewhere the middle is the safer witness of a cell.
        witness = edges[:-1] if self.is_exact else (edges[:-1] + edges[1:]) / 2
        inside = np.ones(len(witness))
        if self.region is not None:
            inside = self.region.contains(witness).astype(np.float64)
        if self.moment:
            return np.column_stack([inside, inside * self.scaled(centres(edges, self.attribute))])
        if not self.split:
            return inside[:, None]
        assert self.bins is not None  # noqa: S101 (a number is split by bins)
        place = np.searchsorted(self.bins, witness, side="right") - 1
        count = len(self.bins) - 1
        is_in = np.clip(place, 0, count - 1)[:, None] == np.arange(count)
        return np.asarray(inside[:, None] * is_in, np.float64)

    def scaled(self, numbers: Numbers) -> Numbers:
        """Numbers on the scale of the domain, 0 to 1."""
        low, _ = domain_of(self.attribute)
        return (numbers - low) / (self.attribute.width or 1.0)

    def _values_inside(self) -> Numbers:
        if self.region is None:
            return np.ones(self.attribute.k)
        return np.array(self.region.inside, np.float64)  # type: ignore[union-attr]


Confidence = Annotated[
    float,
    Within(0, 1, open_low=True, open_high=True),
    Info("Confidence", "Confidence of the intervals"),
]


@dataclass(frozen=True, eq=False)
class Answers:
    """Complete cases: who left one of the attributes unanswered is left out.

    Parameters
    ----------
    data
        Codes or numbers of every attribute, of complete records only.
    rows
        The positions of these records in the table.
    total
        The number of all records in the table whose arm counts.
    not_asked
        How many of them have a version of the questionnaire without one of the questions.
    asked
        These questions, where there are versions.
    asked_share
        Which part of the people is asked all of them; less than 1 where each respondent is asked
        some of the questions only, drawn at random.
    times
        How many records each of ``data`` stands for, where equal ones were merged; then ``rows``
        are no positions in a table.
    arm_rows
        How many records each arm has, where there are arms.
    """

    data: dict[str, NDArray[Any]]
    rows: NDArray[np.int64]
    total: int
    not_asked: int = 0
    asked: tuple[str, ...] = ()
    asked_share: float = 1.0
    times: Numbers | None = None
    arm_rows: NDArray[np.int64] | None = None

    @property
    def n(self) -> int:
        return len(self.rows) if self.times is None else int(self.times.sum())

    @property
    def counts(self) -> Numbers:
        return np.broadcast_to(1.0, len(self.rows)) if self.times is None else self.times

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is said about missing answers, and about those that were never asked for."""
        lacking = self.total - self.n - self.not_asked
        names = list_attributes(self.data, quoted=True)
        found: list[str] = []
        if self.not_asked:
            found.append(
                Message(
                    "{count:,} of {total:,} records are of arms that do not ask {names}; the "
                    "estimate comes from the other arms.",
                    count=self.not_asked,
                    total=self.total,
                    names=list_attributes(self.asked, quoted=True),
                )
            )
        if lacking and self.asked_share < 1:
            found.append(
                Message(
                    "{lacking:,} of {total:,} records were not asked {names}, or have no answer; "
                    "the estimate comes from the others.",
                    lacking=lacking,
                    total=self.total,
                    names=names,
                )
            )
        elif lacking:
            found.append(
                Message(
                    "{lacking:,} of {total:,} records have no answer to {names} and are excluded.",
                    lacking=lacking,
                    total=self.total,
                    names=names,
                    code=LEFT_OUT,
                )
            )
        return tuple(found)

    def keep(self, chosen: NDArray[np.bool_]) -> Answers:
        data = {name: column[chosen] for name, column in self.data.items()}
        times = None if self.times is None else self.times[chosen]
        return dataclasses.replace(self, data=data, rows=self.rows[chosen], times=times)

    def merged(self) -> Answers:
        """Every different record once, in the order of its answers.

        Sums over these depend neither on the order of the records nor on how they were divided
        into parts, not even in their last digit.
        """
        first, times = distinct_records(self.data, self.times, len(self.rows))
        data = {name: column[first] for name, column in self.data.items()}
        for name, column in data.items():
            if column.dtype.kind == "f":
                # Both zeros are one answer; which of them came first must not matter.
                data[name] = column + 0.0
        return dataclasses.replace(self, data=data, rows=np.arange(len(first)), times=times)

    @classmethod
    def together(cls, parts: Sequence[Answers]) -> Answers:
        head = parts[0]
        data = {name: np.concatenate([one.data[name] for one in parts]) for name in head.data}
        times = [np.ones(len(one.rows)) if one.times is None else one.times for one in parts]
        met = [one.arm_rows for one in parts if one.arm_rows is not None]
        return dataclasses.replace(
            head, data=data, rows=np.arange(sum(map(len, times))), times=np.concatenate(times),
            total=sum(one.total for one in parts),
            not_asked=sum(one.not_asked for one in parts),
            arm_rows=np.sum(met, axis=0) if met else None,
        ).merged()  # fmt: skip


_DENSE = 1 << 20
"""Combinations of answers that are counted in a table rather than by sorting."""


def distinct_records(
    data: Mapping[str, NDArray[Any]], times: Numbers | None, rows: int
) -> tuple[NDArray[np.intp], Numbers]:
    """Where each different record stands, in the order of its answers, and how often it came.

    >>> first, times = distinct_records({"a": np.array([1, 0, 1])}, None, 3)
    >>> first.tolist(), times.tolist()
    ([1, 2], [1.0, 2.0])
    """
    place, size = np.zeros(rows, np.int64), 1
    for column in data.values():
        codes, count = _ranks(column)
        if size * count >= 1 << 62:
            place = np.unique(place, return_inverse=True)[1].ravel()
            size = rows
        place, size = place * count + codes, size * count
    if size > max(_DENSE, rows):
        place = np.unique(place, return_inverse=True)[1].ravel()
        size = int(place.max(initial=-1)) + 1
    found = np.bincount(place, times, size)
    where = np.zeros(size, np.intp)
    where[place] = np.arange(rows)
    kept = np.flatnonzero(found)
    return where[kept], found[kept].astype(np.float64)


def _ranks(column: NDArray[Any]) -> tuple[NDArray[np.int64], int]:
    """Numbers in the order of the answers, all below the second result."""
    if not len(column):
        return np.zeros(0, np.int64), 1
    if column.ndim > 1:
        found, places, _ = sets.distinct(column)
        return places.astype(np.int64), len(found)
    if column.dtype.kind in "iub":
        low = int(column.min())
        return column.astype(np.int64) - low, int(column.max()) - low + 1
    values, places = np.unique(column, return_inverse=True)
    return places.ravel().astype(np.int64), len(values)


class PartedSource(Protocol):
    """Distorted answers that are no table of rows, such as those of a folder of parts."""

    def merged_answers(self, design: Design, names: tuple[str, ...]) -> Answers:
        """The complete answers to some attributes, equal ones merged; there may be none."""

    def count_devices(self, name: str, design: Design) -> DeviceCounter:
        """What was reported of one attribute, by arm and device."""


def as_table(source: Table | PartedSource) -> Table:
    """The table of single records; refuse a source that has none."""
    if isinstance(source, Table):
        return source
    raise ParameterError(
        "This needs single records, which never leave their parts; use the joint method, or read a "
        "single file.",
        field="method",
    )


def distorted_answers(table: Table, design: Design, names: Iterable[str]) -> Answers:
    """The complete distorted answers to some attributes; an error where there are none.

    The columns that decide about devices come with them. With arms, only records count whose arm
    asks all of these questions: "not asked" is not "missing". Nor is it "no" where each respondent
    is asked some of the questions only.
    """
    return _some(read_answers(table, design, tuple(dict.fromkeys(names))), design)


def merged_answers(source: PartedSource, design: Design, names: Iterable[str]) -> Answers:
    """The same of a source that is no table, with equal records merged."""
    return _some(source.merged_answers(design, tuple(dict.fromkeys(names))), design)


def read_answers(table: Table, design: Design, asked: tuple[str, ...]) -> Answers:
    """The complete distorted answers of a table or of a part of one; there may be none."""
    _refuse_never_together(design, asked)
    published: dict[str, DesignedAttribute | Attribute] = {
        name: design[name].distorted
        if design.perturbation(name).reports_sets
        else _published(design, name)
        for name in design.needed(asked)
    }
    rows, outside, met = design.versions.rows_asked(table, asked)
    answers = _answers(table, published, rows, outside)
    share = share_asked(design, asked)
    return dataclasses.replace(answers, asked=asked, asked_share=share, arm_rows=met)


def _some(answers: Answers, design: Design) -> Answers:
    if answers.arm_rows is not None:
        design.versions.refuse_empty(answers.arm_rows)
    if not answers.n:
        if not answers.total:
            raise DataError("The data have no records; nothing can be estimated.")
        listed = list_attributes(answers.data, quoted=True)
        raise DataError.saying(
            "No record has an answer to {listed}; nothing can be estimated.", listed=listed
        )
    return answers


def original_answers(table: Table, design: Design, names: Iterable[str]) -> Answers:
    return _answers(table, {name: design[name] for name in names})


def _published(design: Design, name: str) -> DesignedAttribute:
    designed = design[name]
    # Where not everybody is asked, an empty cell is no answer at all.
    is_value = designed.missing_is_value and share_asked(design, (name,)) == 1
    return DesignedAttribute(designed.distorted, Identity(), is_value)


def _refuse_never_together(design: Design, names: tuple[str, ...]) -> None:
    for first, second in never_together(design, names):
        raise DataError.saying(
            "Nobody is asked both {first!r} and {second!r}, so nothing can be estimated about "
            "them together; a block of the budget would keep them together.",
            first=first,
            second=second,
            attribute=second,
            field="budget",
        )


def _answers(
    table: Table,
    expected: Mapping[str, DesignedAttribute | Attribute],
    asked: NDArray[np.bool_] | None = None,
    outside: int = 0,
) -> Answers:
    data: dict[str, NDArray[Any]] = {}
    complete = np.ones(table.rows, np.bool_) if asked is None else asked.copy()
    for name, designed in expected.items():
        if isinstance(designed, Attribute):
            data[name] = fit_sets(table, designed)
            complete &= ~table[name].missing
            continue
        found = fit_collected(table, designed)
        data[name] = found
        complete &= found >= 0 if designed.attribute.kind.is_categorical else ~np.isnan(found)
    rows = np.flatnonzero(complete)
    if len(rows) < table.rows:
        data = {name: column[rows] for name, column in data.items()}
    not_asked = 0 if asked is None else int(np.count_nonzero(~asked)) - outside
    return Answers(data, rows, table.rows - outside, not_asked)


def taken_for_true(name: str, answers: Answers, design: Design) -> NDArray[Any]:
    """Distorted answers as if they were original ones; an interval stands for its middle."""
    data = answers.data[name]
    edges = design.perturbation(name).numbers.interval_edges(design[name].attribute)
    if edges is None:
        return data
    return np.asarray(((edges[:-1] + edges[1:]) / 2)[data])


def naive_data(answers: Answers, design: Design) -> dict[str, NDArray[Any]] | None:
    """All distorted answers as if they were original ones; None where some are sets."""
    if design.why_not_single(answers.data) is not None:
        return None
    return {name: taken_for_true(name, answers, design) for name in answers.data}


def true_data(
    original: Table | None, design: Design, names: tuple[str, ...]
) -> dict[str, NDArray[Any]] | None:
    """The original answers of complete records, where there are any.

    Where some arms do not ask or do not count, they are those of people of the other arms, if the
    original knows.
    """
    if original is None:
        return None
    arms = design.versions
    if not arms.ask_everybody(names):
        if arms.column not in original:
            return None
        original = arms.take(original, arms.asking(names))
    return original_answers(original, design, names).data


def meeting(
    data: Mapping[str, NDArray[Any]], regions: Mapping[str, Region], n: int
) -> NDArray[np.bool_]:
    rows = len(data[next(iter(regions))]) if regions else n
    inside = np.ones(rows, np.bool_)
    for name, region in regions.items():
        inside &= region.contains(data[name])
    return inside
