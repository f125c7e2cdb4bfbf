"""A statistic's attributes made ready: factors of the distortion, every record in its cells."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.row_devices import refuse_noise_by_row, refuse_unknown
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.survey.answers import (
    Answers,
    Asked,
    PartedSource,
    distorted_answers,
    merged_answers,
)
from ppworkbench.core.survey.conditions.regions import Region
from ppworkbench.core.survey.factors.devices import DevicesFactor
from ppworkbench.core.survey.factors.factor import (
    Codes,
    Factor,
    GroupFactor,
    NumberFactor,
    SetFactor,
    ValueFactor,
)
from ppworkbench.core.survey.factors.grids import is_well_conditioned, number_factor

CHUNK = 1 << 18
"""Records that are worked on between two reports of progress."""


SHARE_EXACT = Message(
    "The intervals take the share that a device rests on as exact.", code="exact-share"
)
"""Told of a share that is an estimate, by statistics that do not know of its error."""


def too_wide() -> ParameterError:
    return ParameterError(
        "The noise is too wide for comparing groups by it; leave its attribute out.", field="by"
    )


@dataclass(frozen=True, eq=False)
class Inquiry:
    """Complete distorted answers and the factors that they came through.

    ``codes`` holds, for every factor, the cell of each record's distorted answers.
    """

    answers: Answers
    factors: tuple[Factor, ...]
    codes: tuple[Codes, ...]
    remarks: tuple[str, ...]

    @property
    def n(self) -> int:
        return self.answers.n

    @property
    def size(self) -> int:
        """The number of records in memory; each may stand for several equal ones."""
        return len(self.answers.rows)

    @property
    def times(self) -> Numbers | None:
        """How many records each stands for; None where it is one."""
        return self.answers.times

    def counted(self, values: Numbers) -> Numbers:
        """Values of the records, each as often as it came."""
        return values if self.times is None else values * self.times

    @property
    def is_well_conditioned(self) -> bool:
        return self.is_well_conditioned_without()

    def is_well_conditioned_without(self, *others: Factor) -> bool:
        """Whether the weights of all but some factors are of use."""
        return all(
            is_well_conditioned(factor)
            for factor in self.factors
            if isinstance(factor, NumberFactor) and not any(factor is one for one in others)
        )

    def without(self, *others: Factor) -> Inquiry:
        """The same records and all but some factors."""
        kept = [
            place
            for place, factor in enumerate(self.factors)
            if not any(factor is one for one in others)
        ]
        factors = tuple(self.factors[place] for place in kept)
        return dataclasses.replace(
            self, factors=factors, codes=tuple(self.codes[place] for place in kept)
        )

    def refuse_noise(self, *others: Factor) -> None:
        """Refuse groups behind weights, but those of some factors, that are of no use."""
        if not self.is_well_conditioned_without(*others):
            raise too_wide()

    def factor_of(self, name: str) -> tuple[Factor, Codes]:
        return next(
            (factor, codes)
            for factor, codes in zip(self.factors, self.codes, strict=True)
            if name in factor.names
        )


def inquire(
    table: Table, design: Design, asked: Sequence[Asked], progress: Progress = silent
) -> Inquiry:
    """Put the complete records of a table into the cells of their factors."""
    answers = distorted_answers(table, design, [one.name for one in asked])
    return _inquire(answers, design, asked, progress)


def inquire_merged(
    source: Table | PartedSource,
    design: Design,
    asked: Sequence[Asked],
    progress: Progress = silent,
) -> Inquiry:
    """The same of any source; where it is no table, equal records are merged.

    So it is for statistics in which all records count alike.
    """
    if isinstance(source, Table):
        return inquire(source, design, asked, progress)
    answers = merged_answers(source, design, [one.name for one in asked])
    return _inquire(answers, design, asked, progress)


def _inquire(
    answers: Answers, design: Design, asked: Sequence[Asked], progress: Progress
) -> Inquiry:
    factors = factors_of(asked, design, answers)
    inquiry = coded(answers, factors, progress)
    if not design.uncertain_shares([one.name for one in asked]):
        return inquiry
    return dataclasses.replace(inquiry, remarks=(*inquiry.remarks, SHARE_EXACT))


def factors_of(asked: Sequence[Asked], design: Design, answers: Answers) -> tuple[Factor, ...]:
    """The factors of some attributes of these answers, in the order of their first ones."""
    parts: dict[object, list[Asked]] = {}
    for one in asked:
        group = design.group_of(one.name)
        parts.setdefault(one.name if group is None else group, []).append(one)
    return tuple(_factor(members, design, answers) for members in parts.values())


def _factor(members: list[Asked], design: Design, answers: Answers) -> Factor:
    group = design.group_of(members[0].name)
    if group is not None:
        return GroupFactor(tuple(members), group)
    only = members[0]
    refuse_noise_by_row(only.perturbation, only.attribute)
    refuse_unknown(only.perturbation, only.name)
    if only.perturbation.reports_sets:
        columns = {name: design[name].attribute for name in only.perturbation.columns}
        return SetFactor.of(only, answers.data, columns)
    if only.perturbation.columns:
        return DevicesFactor.of(only, answers, design)
    if only.attribute.kind.is_categorical:
        return ValueFactor((only,))
    return number_factor(only, answers.n)


def coded(answers: Answers, factors: Sequence[Factor], progress: Progress = silent) -> Inquiry:
    """Find every record's cells, leaving out answers that the design cannot have produced."""
    size = len(answers.rows)
    codes = [_codes(factor, answers.data, size, progress) for factor in factors]
    outside = np.zeros(size, np.bool_)
    for found in codes:
        outside |= found < 0
    remarks = answers.remarks + tuple(line for factor in factors for line in factor.remarks)
    if outside.any():
        lost = int((outside if answers.times is None else answers.times[outside]).sum())
        remarks += (
            Message(
                "{lost:,} records have an answer that the design cannot produce and are excluded.",
                lost=lost,
            ),
        )
        if outside.all():
            raise DataError(
                "The design cannot produce any of these answers; check that it is the right one."
            )
        answers = answers.keep(~outside)
        codes = [found[~outside] for found in codes]
    return Inquiry(answers, tuple(factors), tuple(codes), remarks)


def _codes(
    factor: Factor, data: Mapping[str, NDArray[Any]], n: int, progress: Progress
) -> NDArray[np.int32]:
    codes = np.empty(n, np.int32)
    for start in range(0, n, CHUNK):
        progress(0.0, Message("counting {attribute}", attribute=tuple(factor.names)))
        part = slice(start, start + CHUNK)
        codes[part] = factor.codes({name: data[name][part] for name in factor.needs})
    return codes


def asked_by(
    regions: Mapping[str, Region],
    design: Design,
    split: Mapping[str, NDArray[np.float64] | None] | None = None,
    moment: str | None = None,
    moments: Sequence[str] = (),
) -> tuple[Asked, ...]:
    """What a condition asks, and a statistic beside it.

    Parameters
    ----------
    split
        Attributes that are split into their values, or into bins with these borders.
    moment, moments
        A number, or several, whose mean is asked for.
    """
    split = split or {}
    summed = (moment,) if moment else tuple(moments)
    names = dict.fromkeys([*regions, *split, *summed])
    return tuple(
        Asked(
            design[name].attribute,
            design.perturbation(name),
            regions.get(name),
            name in split,
            split.get(name),
            name in summed,
        )
        for name in names
    )
