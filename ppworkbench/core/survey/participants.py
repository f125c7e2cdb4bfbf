"""Who probably meets a condition: a list of likely members of a group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.registry import Registry
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.survey.conditions.condition import Condition, as_condition
from ppworkbench.core.survey.conditions.regions import regions_of
from ppworkbench.core.survey.counts import Count, count
from ppworkbench.core.survey.estimates import JOINT, SEQUENTIAL, amount, joined
from ppworkbench.core.survey.inquiry import Inquiry, asked_by, coded, inquire
from ppworkbench.core.survey.joint_em import JointDistribution, joint_distribution, outer
from ppworkbench.core.survey.samples import sample_of
from ppworkbench.core.survey.sequential import assigned_set

IMAGINED = 1.0
"""Imagined respondents that keep a handful of real ones from ruling a combination out."""

_INDEPENDENT = "The condition has so many attributes that they are treated as independent."
WARNING = Message(
    "This list guesses about single people, as an attacker would: do not publish it or pass it on, "
    "and delete it when it is no longer needed.",
    code="single-people",
)


def posteriors(
    inquiry: Inquiry, progress: Progress = silent, weights: Numbers | None = None
) -> tuple[NDArray[np.int64], Numbers, tuple[str, ...]]:
    """``Pr(C | z) = sum_{x in C} A[z, x] x / sum_x A[z, x] x`` for every record.

    Parameters
    ----------
    weights
        How much each record of the table counts in the prior x, 1 if not given.

    Returns
    -------
    rows
        The records' positions in the table.
    posterior
        Their probabilities.
    remarks
        What a reader should know.
    """
    if not inquiry.factors:
        return inquiry.answers.rows, np.ones(inquiry.n), ()
    try:
        joint = joint_distribution(inquiry, IMAGINED, progress, weights)
    except ParameterError:
        return _independent(inquiry, progress, weights)
    return joint.inquiry.answers.rows, _posterior(joint), ()


def _posterior(joint: JointDistribution) -> Numbers:
    factors = joint.inquiry.factors
    inside = outer([factor.targets[:, 0] for factor in factors])
    whole = joint.distorted(joint.probability)
    part = joint.distorted(joint.probability * inside)
    share = np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)
    return np.clip(share[joint.inquiry.codes], 0.0, 1.0)


def _independent(
    inquiry: Inquiry, progress: Progress, weights: Numbers | None
) -> tuple[NDArray[np.int64], Numbers, tuple[str, ...]]:
    product = np.ones(inquiry.n)
    for factor in inquiry.factors:
        alone = coded(inquiry.answers, [factor])
        product *= _posterior(joint_distribution(alone, IMAGINED, progress, weights))
    return inquiry.answers.rows, product, (_INDEPENDENT,)


HIGHEST, RANDOM = "highest", "random"

draws: Registry[str] = Registry("draw")
"""How participants are drawn."""
draws.register(HIGHEST, "The most probable")(HIGHEST)
draws.register(RANDOM, "At random, by probability")(RANDOM)


@dataclass(frozen=True, eq=False)
class Participants:
    """Records that may meet a condition, the most probable first.

    Parameters
    ----------
    rows
        Their positions in the table, from 0.
    posterior
        For each, the probability of meeting the condition, given the distorted answers.
    count
        The estimate of how many meet the condition.
    """

    condition: Condition
    method: str
    rows: NDArray[np.int64]
    posterior: NDArray[np.float64]
    count: Count
    remarks: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        listed, n = len(self.rows), self.count.respondents
        if not self.condition.tests:
            return Message("{listed:,} of {n:,} records are listed.", listed=listed, n=n)
        if not listed:
            return Message("Nobody of {n:,} records is listed.", n=n)
        expected = amount(float(self.posterior.sum()), 3)
        return Message(
            "{listed:,} of {n:,} records are listed; of these about {expected} are expected to "
            "meet {condition}.",
            listed=listed,
            n=n,
            expected=expected,
            condition=self.condition,
        )

    def to_json(self) -> dict[str, Any]:
        pairs = zip(self.rows.tolist(), self.posterior.tolist(), strict=True)
        return {
            "rows": [{"row": row, "posterior": probability} for row, probability in pairs],
            "method": self.method,
            "condition": str(self.condition),
            "count": self.count.to_json(),
            "remarks": list(self.remarks),
        }


def participants(  # noqa: PLR0913 (keywords with defaults)
    table: Table,
    design: Design,
    condition: Condition | str,
    method: str = JOINT,
    *,
    size: int | None = None,
    draw: str = HIGHEST,
    original: Table | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    progress: Progress = silent,
    sampling: Sampling | None = None,
    options: SamplingOptions | None = None,
) -> Participants:
    """List records that may meet a condition.

    The joint method computes ``Pr(C | answers)`` of every record by Bayes' rule, with the
    reconstructed joint distribution as the prior, and lists the records where it is highest, or
    draws them at random in proportion to it. The sequential method lists the assigned records.

    Parameters
    ----------
    size
        How many records to list: by default as many as meet the condition by the estimate, or all
        assigned ones.
    draw
        ``highest`` or ``random``; equal probabilities are put in a seeded order.
    condition, method, original, seed, sampling, options
        As for :func:`ppworkbench.core.survey.counts.count`. Weights enter the prior, so that it is
        the distribution of the people whom the respondents stand for.
    """
    if size is not None and size < 0:
        raise ParameterError.saying(
            "Size is {size}; it must be at least 0.", size=size, field="size"
        )
    draws[draw]
    condition = as_condition(condition)
    design.refuse_sets(regions_of(condition, design))
    counted = count(
        table, design, condition, method,
        original=original, confidence=confidence, seed=seed, progress=part(progress, 0.0, 0.4),
        sampling=sampling, options=options,
    )  # fmt: skip
    regions = regions_of(condition, design)
    inquiry = inquire(table, design, asked_by(regions, design))
    weights = sample_of(table, design, sampling, options, method=method).given_weights
    rows, probable, remarks = posteriors(inquiry, part(progress, 0.4, 0.9), weights)
    generator = SeededStreams(seed).generator("participants")
    if method == SEQUENTIAL:
        found = assigned_set(inquiry.answers, design, regions, seed, part(progress, 0.9, 1.0))
        assigned = np.isin(rows, found.answers.rows)
        rows, probable = rows[assigned], probable[assigned]
        wanted = len(rows)
    else:
        estimated = len(rows) * min(max(counted.share.estimate, 0.0), 1.0)
        # A part of one person is somebody, too.
        wanted = max(round(estimated), int(estimated > 0))
    chosen = _drawn(probable, wanted if size is None else size, draw, generator)
    if size is not None and len(chosen) < size:
        remarks = (
            *remarks,
            Message("There are only {count:,} records to list.", count=len(chosen)),
        )
    progress(1.0, "participants")
    return Participants(
        condition, method, rows[chosen], probable[chosen], counted,
        joined([WARNING, *counted.remarks, *remarks]),
    )  # fmt: skip


def _drawn(
    probable: NDArray[np.float64], size: int, draw: str, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Positions of the drawn records, the most probable first.

    A random draw without replacement takes the records with the largest ``log(u) / w`` (Efraimidis
    and Spirakis 2006).
    """
    luck = generator.random(len(probable))
    possible = np.flatnonzero(probable > 0)
    weight, luck = probable[possible], luck[possible]
    key = weight if draw == HIGHEST else np.log(1 - luck) / weight
    chosen = np.lexsort((luck, -key))[:size]
    listed = chosen[np.lexsort((luck[chosen], -weight[chosen]))]
    return possible[listed]
