"""The reports of every arm of a question: counted, weighted, with the matrix of its device."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from ppworkbench.core.arrays import Codes, Numbers, weighted_counts
from ppworkbench.core.compliance.question import ComplianceQuestion
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.sampling_roles import RESPONDENTS, Sampling, SamplingOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.perturbation import Cases
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.models.linearised import (
    about_population,
    degrees_of_freedom,
    sampling_covariance,
)
from ppworkbench.core.reconstruct.pooled import Arm, SampledCounts
from ppworkbench.core.survey.answers import Answers
from ppworkbench.core.survey.inquiry import SHARE_EXACT
from ppworkbench.core.survey.sampled import SurveySample


def count_rows(table: Table, design: Design, question: ComplianceQuestion) -> dict[str, int]:
    """How many answered in every arm, where only some are chosen."""
    arms = design.versions
    names = (question.attribute, *arms.columns)
    if not question.arms or not arms.columns or any(name not in table for name in names):
        return {}
    versions, answered = table[arms.column], ~table[question.attribute].missing
    places = {name: place for place, name in enumerate(versions.attribute.values)}
    return {
        name: int(np.count_nonzero(answered & (versions.data == places[name])))
        for name in arms.asking((question.attribute,))
        if name in places
    }


def choose_arms(design: Design, question: ComplianceQuestion) -> tuple[Design, tuple[str, ...]]:
    """The design of the chosen arms, and what is left to choose: devices by another column."""
    chosen, arms = question.arms, design.versions
    if not chosen or not design.has_arms:
        return design, chosen
    by_others = set(design.perturbation(question.attribute).columns) - {arms.column}
    if by_others and not set(chosen) & set(arms.names):
        return design, chosen
    _refuse_unknown(chosen, arms.asking(question.attributes))
    return design.within_arms(chosen), ()


def read_sample(
    table: Table,
    design: Design,
    sampling: Sampling | None,
    options: SamplingOptions | None,
    confidence: float,
) -> SurveySample | None:
    """How people were drawn; None where that does not count."""
    if options is not None and options.target == RESPONDENTS:
        raise ParameterError(
            "Compliance is estimated about the population; for the people who answered turn the "
            "sampling off.",
            field="target",
        )
    if sampling is None:
        return None
    return SurveySample.stated(table, design, sampling, options, confidence=confidence)


def attribute_with_values(design: Design, name: str) -> Attribute:
    """The attribute of a question; an error for a number."""
    attribute = design[name].attribute
    if not attribute.kind.is_categorical:
        raise ParameterError.saying(
            "{attribute!r} is a number; compliance is estimated of answers with values.",
            attribute=name,
            field="attribute",
        )
    return attribute


def read_arms(
    answers: Answers,
    design: Design,
    attribute: Attribute,
    survey: SurveySample | None,
    chosen: Sequence[str],
) -> tuple[tuple[Arm, ...], tuple[float, ...], dict[str, int], tuple[str, ...]]:
    """The reports by device, with the matrix if everybody follows; each device's coin, too."""
    perturbation = design.perturbation(attribute.name)
    known = {name: design[name].attribute for name in perturbation.columns}
    cases: Cases = perturbation.cases_of(answers.data, known, attribute.name)
    reports, k = answers.data[attribute.name], attribute.k
    names = [cases.names[place] if cases.names else str(place + 1)
             for place in range(len(cases.devices))]  # fmt: skip
    if len(names) == 1 and design.has_arms and len(design.versions.members) == 1:
        names = list(design.versions.names)
    rows = {name: int(np.count_nonzero(cases.codes == place)) for place, name in enumerate(names)}
    _refuse_unknown(chosen, names)
    used = [place for place, name in enumerate(names)
            if rows[name] and (not chosen or name in chosen)]  # fmt: skip
    if not used:
        raise DataError("The chosen arms have no answers.", field="arms")
    codes = cases.codes * k + reports
    counts, sampled, remarks = count_cells(codes, len(names) * k, answers, survey)
    found, thetas = [], []
    for place in used:
        device = cases.devices[place]
        matrix, slope = device.values.matrix_parts(k)
        matrix = matrix if slope is None else matrix + slope
        own = None if sampled is None else dataclasses.replace(sampled, starts=(place * k,))
        found.append(Arm(names[place], counts[place * k : (place + 1) * k], matrix, own))
        coin = device.values.coin
        asks = coin is not None and coin.question == "unrelated"
        thetas.append(coin.theta if coin is not None and asks else math.nan)
        if not found[-1].n:
            raise DataError.saying(
                "All answers of the arm {name!r} have weight 0.", name=names[place], field="arms"
            )
    exact = (SHARE_EXACT,) if design.uncertain_shares((attribute.name,)) else ()
    return tuple(found), tuple(thetas), rows, (*answers.remarks, *remarks, *exact)


def _refuse_unknown(chosen: Sequence[str], names: Sequence[str]) -> None:
    for name in chosen:
        if name not in names:
            raise ParameterError.saying(
                "The question has no arm {arm!r}; it has {names}.",
                arm=name,
                names=", ".join(names),
                field="arm",
            )


def count_cells(
    codes: Codes, cells: int, answers: Answers, survey: SurveySample | None
) -> tuple[Numbers, SampledCounts | None, tuple[str, ...]]:
    """How often each cell was reported.

    Weighted counts are brought to the size of the simple random sample that would say as much, so
    that likelihoods of them are about right; covariances are those of the sampling itself.
    """
    if survey is None:
        return np.bincount(codes, minlength=cells).astype(np.float64), None, ()
    weights = survey.weights(answers.rows)
    counts = weighted_counts(codes, weights, cells)
    total = float(counts.sum())
    if total <= 0:
        raise DataError("All answers to this question have weight 0.", field="weight")

    def values(part: slice) -> Numbers:
        placed = np.zeros((len(codes[part]), cells))
        placed[np.arange(len(placed)), codes[part]] = weights[part]
        return placed

    covariance, remarks = sampling_covariance(
        counts, lambda other: weighted_counts(codes, other, cells), values, survey, answers.rows,
        finite=False,
    )  # fmt: skip
    shares = counts / total
    slope = (np.eye(cells) - shares[:, None]) / total
    by_sampling = float(np.trace(slope @ covariance @ slope.T))
    simple = float(shares @ (1 - shares)) / len(codes)
    effect = by_sampling / simple if simple > 0 and by_sampling > 0 else 1.0
    scale = len(codes) / effect / total
    degrees = degrees_of_freedom(survey, answers.rows)
    known = SampledCounts(np.asarray(covariance * scale**2, np.float64), degrees, (0,))
    told = (*remarks, *about_population(survey.frame))
    return np.asarray(counts * scale, np.float64), known, told
