"""How many respondents have each pair of values of two attributes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers, project, weighted_counts
from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.grid import labels_of
from ppworkbench.core.sampling.independence import (
    ADJUSTED_WALD,
    RAO_SCOTT,
    TESTS,
    EstimatedCells,
    IndependenceTest,
    independence_test,
)
from ppworkbench.core.sampling.moments import Terms
from ppworkbench.core.sampling.sample import Frame
from ppworkbench.core.sampling.variance import SampledValues, SampleTotals
from ppworkbench.core.score_intervals import Contributions
from ppworkbench.core.share_intervals import Line, line_of_products
from ppworkbench.core.survey.answers import PartedSource, meeting
from ppworkbench.core.survey.conditions.condition import EVERYBODY, Condition, as_condition
from ppworkbench.core.survey.conditions.regions import Region, asked_attribute, regions_of
from ppworkbench.core.survey.estimates import (
    JOINT,
    SEQUENTIAL,
    SMALL_GROUPS,
    Estimate,
    cut_remarks,
    few,
    impossible,
    joined,
    methods,
    record_weights,
    rough_groups,
    scaled,
    share_with_interval,
    weighted_totals,
)
from ppworkbench.core.survey.factors.factor import Factor, ValueFactor
from ppworkbench.core.survey.factors.grids import Bins, bins_of, places
from ppworkbench.core.survey.inquiry import Inquiry, asked_by
from ppworkbench.core.survey.joint_em import joint_distribution, smoothed_totals
from ppworkbench.core.survey.sampled import (
    SurveyResult,
    SurveySample,
    is_undistorted,
    other_weights,
    shares_of_sum,
    smooth_terms,
    value_terms,
    without_everybody,
)
from ppworkbench.core.survey.samples import DrawnSample, Sample, sample_of
from ppworkbench.core.survey.true_cells import TrueCells

_NEGATIVE = (
    "Negative cells were removed by maximum likelihood; intervals refer to the unbiased estimates."
)

_NEGATIVE_SETS = (
    "Negative cells were removed by taking the nearest table without them; intervals refer to the "
    "unbiased estimates."
)
_MOST_CELLS = 4_000_000
"""With more pairs of reports than this, and than records, records are summed one by one."""
_MOST_TESTED = 1_000_000
"""With more reports times cells their covariance takes longer than the table itself."""
_LEAST_EXPECTED = 5.0
"""With fewer expected reports in a cell there is no Wald test, and with fewer people in a row or
column that of Rao and Scott is rough.

Simulated under independence (tests/benchmarks/small_groups.py), with 2 to 10 groups by 2 or 3
answers, a test of Rao and Scott at 5 % rejects at most 9 % with 2 people in a group and 6 % with 5
or more; the adjusted Wald test up to 42 % with 1 expected report in a cell, 31 % with 2, 11 % with
4 and 8 % with 8.
"""


@dataclass(frozen=True, eq=False)
class CrossTable(SurveyResult):
    """Estimated numbers of respondents by two attributes.

    Parameters
    ----------
    row_labels, column_labels
        The values or bins of the two attributes.
    cells
        One estimate per row and column; none is negative.
    raw
        The unbiased numbers.
    independence
        The test that the two attributes are independent, where there is enough to test.
    covariance
        That of the unbiased numbers row by row, where it is at hand.
    """

    rows_of: str
    columns_of: str
    method: str
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    cells: tuple[tuple[Estimate, ...], ...]
    raw: Numbers
    independence: IndependenceTest | None = None
    covariance: Numbers | None = None

    @property
    def sentence(self) -> str:
        parts = [self._told]
        if self.sample is not None:
            parts.append(self.sample.sentence)
        if self.association is not None:
            parts.append(self.association)
        return parts[0] if len(parts) == 1 else Message.joined(parts)

    @property
    def association(self) -> Message | None:
        """How far the attributes are from independence, and how easily chance explains it.

        The difference comes first: a p value alone says nothing about how large it is.
        """
        test = self.independence
        if test is None:
            return None
        expected = np.outer(self.raw.sum(axis=1), self.raw.sum(axis=0)) / self.raw.sum()
        apart = self.raw - expected
        # Of equal differences, as in a table of two columns, the one upwards is told.
        size = np.abs(apart) * (1 + 1e-9 * np.sign(apart))
        row, column = np.unravel_index(int(np.argmax(size)), apart.shape)
        more, people = float(apart[row, column]) > 0, abs(float(apart[row, column]))
        largest = (
            Message("All numbers are about as expected from independence.")
            if people < 0.5
            else Message(
                "Largest difference from independence: “{row}” with “{column}”, about "
                "{people:,.0f} more than expected."
                if more
                else "Largest difference from independence: “{row}” with “{column}”, about "
                "{people:,.0f} fewer than expected.",
                row=self.row_labels[row],
                column=self.column_labels[column],
                people=people,
            )
        )
        often = Message(
            "If “{rows_of}” and “{columns_of}” were independent, differences as large as these "
            "would appear in {often} such surveys.",
            rows_of=self.rows_of,
            columns_of=self.columns_of,
            often=test.how_often,
        )
        return Message.joined((largest, often, test.sentence))

    @property
    def _told(self) -> Message:
        told: dict[str, Any] = {
            "condition": self.condition, "rows_of": self.rows_of, "columns_of": self.columns_of,
            "respondents": self.respondents,
        }  # fmt: skip
        if self.sample is not None and self.sample.has_waves:
            return Message(
                "Estimated numbers of answers with {condition} by {rows_of} and {columns_of}."
                if self.condition.tests
                else "Estimated numbers of answers by {rows_of} and {columns_of}.",
                **told,
            )
        if self.is_undistorted:
            return Message(
                "Estimated numbers of respondents who meet {condition} by {rows_of} and "
                "{columns_of}, from {respondents:,} records."
                if self.condition.tests
                else "Estimated numbers of respondents by {rows_of} and {columns_of}, from "
                "{respondents:,} records.",
                **told,
            )
        return Message(
            "Estimated numbers of respondents who meet {condition} by {rows_of} and "
            "{columns_of}, from {respondents:,} distorted records."
            if self.condition.tests
            else "Estimated numbers of respondents by {rows_of} and {columns_of}, from "
            "{respondents:,} distorted records.",
            **told,
        )

    def to_json(self) -> dict[str, Any]:
        cells = [
            {"row": row, "column": column}
            | self.cells[i][j].to_json()
            | {"raw": float(self.raw[i, j])}
            for i, row in enumerate(self.row_labels)
            for j, column in enumerate(self.column_labels)
        ]
        document = {"cells": cells} | self.named_json("rows_of", "columns_of", "method")
        document |= self.sample_json()
        if self.independence is not None:
            document["independence"] = self.independence.to_json()
        return document


def crosstab(  # noqa: PLR0913 (keywords with defaults)
    table: Table | PartedSource,
    design: Design,
    rows_of: str,
    columns_of: str,
    condition: Condition | str = EVERYBODY,
    method: str = JOINT,
    *,
    bins: Mapping[str, Bins] | None = None,
    test: str = RAO_SCOTT,
    original: Table | None = None,
    confidence: float = 0.95,
    progress: Progress = silent,
    sampling: Sampling | None = None,
    options: SamplingOptions | None = None,
) -> CrossTable:
    """Estimate the table of two attributes, among those who meet a condition.

    The unbiased number of a cell is the sum over the records of the product of both attributes'
    weights for the cell. Where a cell comes out negative, the joint maximum-likelihood table (EM)
    is shown, beside the unbiased numbers and their intervals.

    Parameters
    ----------
    bins
        The number or the borders of the bins of an attribute, by its name.
    test
        Of independence: ``rao-scott`` or ``adjusted-wald``.
    condition, original, sampling, options
        As for :func:`ppworkbench.core.survey.counts.count`.
    """
    _check(method, rows_of, columns_of, test)
    condition = as_condition(condition)
    regions = regions_of(condition, design)
    edges = {}
    for name in (rows_of, columns_of):
        attribute = asked_attribute(name, design)
        edges[name] = bins_of(attribute, design.perturbation(name), (bins or {}).get(name))
    asked = asked_by(regions, design, split=edges)
    sample = sample_of(
        table, design, sampling, options, method=method, original=original, confidence=confidence
    )
    inquiry = sample.inquire(asked, part(progress, 0.0, 0.2))
    if isinstance(sample, DrawnSample):
        return _sampled_table(
            inquiry, sample, condition, regions, edges, test, part(progress, 0.2, 1.0)
        )
    labels = _labels(design, edges)
    raw, errors, covariance, remarks = _joint(
        inquiry, rows_of, columns_of, part(progress, 0.2, 0.7)
    )
    shown, moved = _without_negative(raw, inquiry, sample, edges, None, part(progress, 0.7, 1.0))
    remarks = (*remarks, *moved)
    reported, truth = sample.reported(inquiry.answers), sample.truth([*regions, *edges])
    counted = [
        _plain_table(one and (one[0], times), regions, edges, raw.shape)
        for one, times in ((reported, inquiry.times), (truth, None))
    ]
    holds, small = _small_cells(counted[0], labels, test)
    tested = None
    if covariance is not None and holds:
        # Without roles respondents are a simple random sample from many people.
        cells = EstimatedCells(
            raw.ravel(), covariance, (raw.shape[0], raw.shape[1]), math.inf,
            channels=_channels(inquiry, rows_of, columns_of),
        )  # fmt: skip
        tested = independence_test(cells, test)
    found, cut = _cells(inquiry, (rows_of, columns_of), shown, (raw, errors), confidence, counted)
    told = (*inquiry.remarks, *remarks, *cut, *small)
    remarks = joined([*told, *few(inquiry.n), *impossible(regions)])
    return CrossTable(
        rows_of, columns_of, method, *labels, found, raw,
        tested, covariance, condition=condition, respondents=inquiry.n, confidence=confidence,
        remarks=remarks, is_undistorted=is_undistorted(inquiry),
    )  # fmt: skip


def asked_names(inquiry: Inquiry) -> tuple[str, ...]:
    return tuple(name for factor in inquiry.factors for name in factor.names)


def _without_negative(
    raw: Numbers,
    inquiry: Inquiry,
    sample: Sample,
    edges: Iterable[str],
    whole: float | None,
    progress: Progress,
) -> tuple[Numbers, tuple[str, ...]]:
    """The table that is shown in place of one with negative cells, and what is said of it.

    ``whole`` is how many people there are; as many as answered if None.
    """
    if not raw.min() < 0:
        return raw, ()
    if sample.design.why_not_single(asked_names(inquiry)) is not None:
        return nearest_table(raw), (_NEGATIVE_SETS,)
    joint = joint_distribution(inquiry, progress=progress, weights=sample.given_weights)
    people = joint.inquiry.n if whole is None else whole
    return people * _table(joint.targets(), joint.inquiry, *edges), (_NEGATIVE,)


def nearest_table(raw: Numbers) -> Numbers:
    """The table without negative cells that lies nearest, with the same sum."""
    total = float(raw.sum())
    if total <= 0:
        return np.maximum(raw, 0.0)
    return np.asarray(total * project(raw.ravel() / total).reshape(raw.shape))


def _check(method: str, rows_of: str, columns_of: str, test: str) -> None:
    ParameterError.unless_known(
        "The test of independence {name!r} is unknown; known are {known}.", test, TESTS,
        field="test",
    )  # fmt: skip
    if methods[method] == SEQUENTIAL:
        raise ParameterError(
            "A cross table has no sequential method; use the joint one.", field="method"
        )
    if rows_of == columns_of:
        raise ParameterError.saying(
            "A cross table needs 2 different attributes, not {rows_of!r} twice.",
            rows_of=rows_of,
            attribute=rows_of,
            field="of",
        )


def _joint(
    inquiry: Inquiry, rows_of: str, columns_of: str, progress: Progress
) -> tuple[Numbers, Numbers, Numbers | None, tuple[str, ...]]:
    """The unbiased (or smoothed) numbers of all cells, errors, covariance, and remarks.

    The covariance is that of the cells row by row; None where it is not at hand.
    """
    (first, first_codes), (second, second_codes) = map(inquiry.factor_of, (rows_of, columns_of))
    n = inquiry.n
    if not inquiry.is_well_conditioned or first is second:
        if inquiry.is_well_conditioned:
            found = weighted_totals(inquiry, first, progress)
        else:
            found = smoothed_totals(inquiry, progress)
        shape = tuple(factor.targets.shape[1] for factor in inquiry.factors)
        values, errors = (
            _table(numbers.reshape(shape), inquiry, rows_of, columns_of)
            for numbers in (found.values, found.errors)
        )
        return values, errors, None, found.remarks
    weights = record_weights(inquiry, (first, second), progress)
    left, right = first.weights.matrix, second.weights.matrix
    shape = len(left), len(right)
    squares: Numbers | None = None
    if math.prod(shape) > max(_MOST_CELLS, 4 * n):
        # Record by record, where there are more pairs of reports than records.
        left, right = left[first_codes], right[second_codes]
        square = inquiry.counted(weights**2)
        values = (left.T * inquiry.counted(weights)) @ right
        spread = (left.T**2 * square) @ right**2
        of_rows = weighted_counts(first_codes, square, shape[0])
        of_columns = weighted_counts(second_codes, square, shape[1])
    else:
        cell = first_codes.astype(np.int64) * shape[1] + second_codes
        sums, squares = (
            weighted_counts(cell, inquiry.counted(weights**power), math.prod(shape)).reshape(shape)
            for power in (1, 2)
        )
        of_rows, of_columns = squares.sum(axis=1), squares.sum(axis=0)
        values = left.T @ sums @ right
        spread = (left**2).T @ squares @ right**2
    if n < 2:
        return values, np.full(values.shape, math.inf), None, ()
    # As in weighted_totals, the distortion of either attribute alone sets a lower bound.
    least = _least_variance((first, second), of_rows, of_columns)
    variance = np.maximum((spread - values**2 / n) * n / (n - 1), least)
    covariance = None
    if squares is not None and len(left) * len(right) * values.size <= _MOST_TESTED:
        each = np.kron(left, right)
        covariance = (each.T * squares.ravel()) @ each - np.outer(values, values) / n
        covariance = np.asarray(covariance * n / (n - 1), np.float64)
    return values, np.sqrt(variance), covariance, ()


def _sampled_table(
    inquiry: Inquiry,
    survey: DrawnSample,
    condition: Condition,
    regions: Mapping[str, Region],
    edges: Mapping[str, Numbers | None],
    test: str,
    progress: Progress,
) -> CrossTable:
    rows_of, columns_of = edges
    terms = _cell_terms(inquiry, rows_of, columns_of, progress, survey.frame)
    rows = inquiry.answers.rows
    remarks: tuple[str, ...] = ()
    if terms is None:
        smooth = without_everybody(smooth_terms(inquiry, survey, progress))
        order = _order(inquiry, rows_of, columns_of)
        terms, rows, remarks = _reordered(smooth.terms, order.ravel()), smooth.rows, smooth.remarks
    totals = survey.totals(terms, inquiry.answers, rows)
    shape = _size(rows_of, inquiry), _size(columns_of, inquiry)
    found = totals.sums(np.eye(len(totals.values)))
    raw = found.values.reshape(shape)
    shown, moved = _without_negative(raw, inquiry, survey, edges, totals.weighted_n, progress)
    remarks = (*remarks, *moved)
    reported = survey.reported(inquiry.answers)
    naive = _plain_table(reported, regions, edges, shape)
    true = _plain_table(survey.truth(dict.fromkeys([*regions, *edges])), regions, edges, shape)
    cells, each, shares = [], [], _cell_shares(totals)
    # Those who do not meet the condition are in no cell; of them nothing but their number is known.
    of_all = found.contrast(np.eye(len(found.values)) / totals.weighted_n) if regions else shares
    spread = _CellSpread.of(inquiry, (rows_of, columns_of), survey.weights(inquiry.answers.rows))
    for place in np.ndindex(*shape):
        flat = int(np.ravel_multi_index(place, shape))
        plain, known = (None if one is None else float(one[place]) for one in (naive, true))
        if of_all is None:
            one = survey.estimate(found, flat, naive=plain, true=known)
            one = dataclasses.replace(one, low=max(one.low, 0.0))
        else:
            line = _cell_line(inquiry, (rows_of, columns_of), place)
            varied = spread.contributions(place) if line is None else None
            share = survey.estimate(of_all, flat, share=True, line=line, contributions=varied)
            each.append(share)
            one = survey.number(found, share, plain, known, flat)
        cells.append(dataclasses.replace(one, estimate=float(shown[place])))
    width = shape[1]
    labels = _labels(survey.design, edges)
    reports = _plain_table(reported and (reported[0], None), regions, edges, shape)
    holds, why_not = _small_cells(reports, labels, test)
    tested = None
    if holds:
        tested, few_clusters = _tested(
            found if test == ADJUSTED_WALD else shares, shape,
            _channels(inquiry, rows_of, columns_of), survey, test,
        )  # fmt: skip
        why_not += few_clusters
    return CrossTable(
        rows_of, columns_of, JOINT, *labels,
        tuple(tuple(cells[i * width : (i + 1) * width]) for i in range(shape[0])), raw,
        tested, found.covariance, condition=condition, respondents=inquiry.n,
        confidence=survey.confidence, sample=survey.summary(totals, inquiry, remarks),
        remarks=joined([*inquiry.remarks, *remarks, *survey.remarks(found), *cut_remarks(each),
                        *why_not,
                        *few(inquiry.n), *impossible(regions)]),
        sampled=shares, is_undistorted=is_undistorted(inquiry),
    )  # fmt: skip


def _labels(
    design: Design, edges: Mapping[str, Numbers | None]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    rows, columns = (labels_of(design[name].attribute, edges[name]) for name in edges)
    return rows, columns


def _small_cells(
    reports: Numbers | None, labels: tuple[tuple[str, ...], tuple[str, ...]], test: str
) -> tuple[bool, tuple[str, ...]]:
    """Whether so many people reported what a test needs, and a remark where few did."""
    if reports is None or not reports.sum():
        return True, ()
    sums = reports.sum(axis=1), reports.sum(axis=0)
    # What nobody reports plays no part.
    smallest = math.prod(float(one[one > 0].min()) for one in sums) / float(reports.sum())
    if test == ADJUSTED_WALD and smallest < _LEAST_EXPECTED:
        why_not = Message(
            "The adjusted Wald test needs at least {least:g} expected reports in every cell, and "
            "in a cell of this table {expected:.1f} are expected; use the Rao-Scott test.",
            least=_LEAST_EXPECTED,
            expected=smallest,
            code=SMALL_GROUPS,
        )
        return False, (why_not,)
    named = zip((*labels[0], *labels[1]), (*sums[0], *sums[1]), strict=True)
    sizes = {label: size for label, size in named if size > 0}
    return True, rough_groups(sizes, int(_LEAST_EXPECTED))


def _tested(
    found: SampledValues | None,
    shape: tuple[int, int],
    channels: tuple[Numbers, Numbers] | None,
    survey: SurveySample,
    test: str,
) -> tuple[IndependenceTest | None, tuple[str, ...]]:
    if found is None:
        return None, ()
    degrees = survey.degrees(found.totals)
    cells = EstimatedCells(found.values, found.covariance, shape, degrees, found.simple, channels)
    if test == ADJUSTED_WALD and degrees < cells.tested:
        few_clusters = Message(
            "The adjusted Wald test of this table needs {needed:,} degrees of freedom and the "
            "sampling has {degrees:g}; use the Rao-Scott test.",
            needed=cells.tested,
            degrees=degrees,
        )
        return None, (few_clusters,)
    return independence_test(cells, test), ()


def _channels(inquiry: Inquiry, rows_of: str, columns_of: str) -> tuple[Numbers, Numbers] | None:
    """What takes the true table to one of reports that are independent if true answers are.

    None where no table of reports without negative cells tells the estimated one.
    """
    if not inquiry.is_well_conditioned:
        return None
    first, second = (inquiry.factor_of(name)[0] for name in (rows_of, columns_of))
    others = (one for one in inquiry.factors if one is not first and one is not second)
    if first is second or not all(_counts(one) for one in others):
        return None
    found = _channel(first), _channel(second)
    return None if found[0] is None or found[1] is None else (found[0], found[1])


def _channel(factor: Factor) -> Numbers | None:
    weights = factor.weights.matrix
    if _counts(factor):
        return np.eye(weights.shape[1])
    if not isinstance(factor, ValueFactor) or weights.shape[0] != weights.shape[1]:
        return None
    if np.linalg.matrix_rank(weights) < len(weights):
        return None
    return np.asarray(np.linalg.inv(weights.T))


def _counts(factor: Factor) -> bool:
    weights = factor.weights.matrix
    return bool(((weights == 0) | (weights == 1)).all())


def _cell_shares(totals: SampleTotals) -> SampledValues | None:
    """The cells as shares of all of them; None where they add up to nobody."""
    return shares_of_sum(totals, of_all=True) if totals.values.sum() > 0 else None


def _cell_terms(
    inquiry: Inquiry, rows_of: str, columns_of: str, progress: Progress, frame: Frame
) -> Terms | None:
    """Contributions to the cells of the table, row by row; None where weights are of no use."""
    if not inquiry.is_well_conditioned:
        return None
    (first, first_codes), (second, second_codes) = map(inquiry.factor_of, (rows_of, columns_of))
    if first is second:
        own = [one.name for one in first.asked]
        sizes = [_size(name, inquiry) for name in own]
        places = np.arange(math.prod(sizes)).reshape(sizes)
        kept = own.index(rows_of), own.index(columns_of)
        return _reordered(
            value_terms(inquiry, first, progress, frame), np.moveaxis(places, kept, (0, 1)).ravel()
        )
    left, right = first.weights.matrix, second.weights.matrix
    codes = first_codes.astype(np.intp) * len(right) + second_codes
    others = other_weights(inquiry, (first, second), progress)
    least = None
    if frame.is_simple:
        squares = inquiry.counted(np.ones(inquiry.size) if others is None else others**2)
        of_rows = weighted_counts(first_codes, squares, len(left))
        of_columns = weighted_counts(second_codes, squares, len(right))
        least = _least_variance((first, second), of_rows, of_columns).ravel()
    look_up = np.asarray(np.kron(left, right), np.float64)
    return Terms(inquiry.n, look_up, codes, (others,), least=least)


def _least_variance(
    factors: tuple[Factor, Factor], of_rows: Numbers, of_columns: Numbers
) -> Numbers:
    """What the distortion of either attribute alone makes the cells vary by at least.

    ``of_rows`` and ``of_columns`` are sums of squared weights by the reports of each.
    """
    first, second = factors
    return np.maximum(
        np.outer(first.least_variance, of_columns @ second.weights.matrix**2),
        np.outer(of_rows @ first.weights.matrix**2, second.least_variance),
    )


def _order(inquiry: Inquiry, rows_of: str, columns_of: str) -> NDArray[np.intp]:
    shape = [factor.targets.shape[1] for factor in inquiry.factors]
    places = np.arange(math.prod(shape), dtype=np.float64).reshape(shape)
    return _table(places, inquiry, rows_of, columns_of).astype(np.intp)


def _reordered(terms: Terms, order: NDArray[np.intp]) -> Terms:
    expected = terms.true_products
    if expected is not None:
        expected = expected[np.ix_(order, order)]
    return dataclasses.replace(terms, look_up=terms.look_up[:, order], true_products=expected)


def _table(targets: Numbers, inquiry: Inquiry, rows_of: str, columns_of: str) -> Numbers:
    asked = [one for factor in inquiry.factors for one in factor.asked]
    sizes = [_size(one.name, inquiry) for one in asked]
    names = [one.name for one in asked]
    kept = names.index(rows_of), names.index(columns_of)
    laid_out = np.moveaxis(targets.reshape(sizes), kept, (0, 1))
    return laid_out.reshape(sizes[kept[0]], sizes[kept[1]])


def _size(name: str, inquiry: Inquiry) -> int:
    factor = inquiry.factor_of(name)[0]
    asked = next(one for one in factor.asked if one.name == name)
    if not asked.split:
        return 1
    return asked.attribute.k if asked.bins is None else len(asked.bins) - 1


def _plain_table(
    counted: tuple[Mapping[str, NDArray[Any]], Numbers | None] | None,
    regions: Mapping[str, Region],
    edges: Mapping[str, Numbers | None],
    shape: tuple[int, ...],
) -> Numbers | None:
    if counted is None:
        return None
    data, weights = counted
    rows_of, columns_of = edges
    inside = meeting(data, regions, len(data[rows_of])) if regions else slice(None)
    row, column = (places(data[name][inside], edges[name]) for name in (rows_of, columns_of))
    cell = row * shape[1] + column
    found = np.bincount(cell, None if weights is None else weights[inside], math.prod(shape))
    return found.reshape(shape).astype(np.float64)


def _cells(
    inquiry: Inquiry,
    names: tuple[str, str],
    shown: Numbers,
    found: tuple[Numbers, Numbers],
    confidence: float,
    counted: list[Numbers | None],
) -> tuple[tuple[tuple[Estimate, ...], ...], tuple[str, ...]]:
    """The cells, and what is said of their intervals."""
    people = max(inquiry.n, 1)
    raw, errors = (one / people for one in found)
    spread, each = _CellSpread.of(inquiry, names), []

    def cell(i: int, j: int) -> Estimate:
        line = _cell_line(inquiry, names, (i, j))
        varied = spread.contributions((i, j)) if line is None else None
        share = share_with_interval(
            raw[i, j], errors[i, j], confidence, line=line, size=inquiry.n, contributions=varied,
        )  # fmt: skip
        each.append(share)
        naive, true = (None if one is None else float(one[i, j]) for one in counted)
        number = scaled(share, people)
        return dataclasses.replace(number, estimate=float(shown[i, j]), naive=naive, true=true)

    rows = tuple(tuple(cell(i, j) for j in range(raw.shape[1])) for i in range(raw.shape[0]))
    return rows, cut_remarks(each)


@dataclass(frozen=True, eq=False)
class _CellSpread:
    """What the reports of each cell vary by; ``cells`` is None where that cannot be told.

    ``axes`` are the places of the factors of rows and of columns.
    """

    cells: TrueCells | None
    axes: tuple[int, int]
    count: int

    @classmethod
    def of(
        cls, inquiry: Inquiry, names: tuple[str, str], counts: Numbers | None = None
    ) -> _CellSpread:
        both = [inquiry.factor_of(name)[0] for name in names]
        first, second = (inquiry.factors.index(one) for one in both)
        cells = None
        if first != second and not is_undistorted(inquiry):
            cells = TrueCells.of(inquiry, counts, both)
        return cls(cells, (first, second), len(inquiry.factors))

    def contributions(self, place: tuple[int, ...]) -> Contributions | None:
        if self.cells is None:
            return None
        where = [0] * self.count
        where[self.axes[0]], where[self.axes[1]] = place
        return self.cells.contributions(where)


def _cell_line(inquiry: Inquiry, names: tuple[str, str], place: tuple[int, ...]) -> Line | None:
    """How the reports of a cell depend on its share, where they contribute two numbers."""
    if is_undistorted(inquiry):
        return Line()
    first, second = (inquiry.factor_of(name)[0] for name in names)
    if first is second or not inquiry.is_well_conditioned:
        return None
    target = {id(first): place[0], id(second): place[1]}
    return line_of_products(
        factor.weights.matrix[:, target.get(id(factor), 0)] for factor in inquiry.factors
    )
