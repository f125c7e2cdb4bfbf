"""A list of a questionnaire: the share of its sensitive item, and what can be said against it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.compliance.classes import Estimate
from ppworkbench.core.compliance.list_likelihood import CEILING, FLOOR, fit_likelihood
from ppworkbench.core.compliance.list_models import (
    LEVEL,
    ListFit,
    ListRows,
    fit_least_squares,
    fit_linear,
    linear_fit,
    linear_influences,
    linear_values,
)
from ppworkbench.core.compliance.lists import (
    MANY,
    DoubleList,
    ListCounts,
    TypeShare,
    beliefs,
    double_list,
    exposed,
    type_table,
    with_direct_question,
)
from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.arms import Arms
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.fit import column_of
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.json_values import finite_or_none
from ppworkbench.core.message import Message
from ppworkbench.core.models.coding import INTERCEPT, make_coding
from ppworkbench.core.models.formula import Formula, Term, Variable
from ppworkbench.core.models.linearised import degrees_of_freedom, sampling_covariance
from ppworkbench.core.params import Info, OneOf, Option, Params
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.sampling.results import (
    WHO_WAS_DRAWN,
    IntervalContents,
    interval_contents,
)
from ppworkbench.core.sampling.variance import t_factor
from ppworkbench.core.survey.answers import Answers, distorted_answers
from ppworkbench.core.survey.sampled import SurveySample

DIFFERENCE, NLS, ML = "difference", "nls", "ml"
METHODS = (DIFFERENCE, NLS, ML)
MODELS = {DIFFERENCE: "linear regression", NLS: "least squares", ML: "likelihood"}
"""What each method fits; the difference in means has a model only with predictors."""
AT_CEILING, AT_FLOOR, DESIGN_EFFECT = "list-ceiling", "list-floor", "list-design-effect"
"""Codes of remarks."""
_FEW = 5


@dataclass(frozen=True)
class ListInquiry(Params):
    """What is asked about a list."""

    confidence: ClassVar[float] = 0.95

    attribute: Annotated[
        str, Option(metavar="NAME"), Info("Attribute", "sensitive item of the list")
    ]
    method: Annotated[
        str,
        OneOf(("", *METHODS)),
        Info(
            "Method",
            "difference in means or by linear regression, two-step least squares, or likelihood "
            "(default difference; ml with a ceiling or a floor)",
        ),
    ] = ""
    predictors: Annotated[
        tuple[str, ...],
        Option("predict", "A,B,..."),
        Info(
            "Predictors",
            "attributes that the item may go together with; they must not be randomised",
        ),
    ] = ()
    ceiling: Annotated[
        bool,
        Info("Ceiling", "let people with all of the harmless items leave the sensitive one out"),
    ] = False
    floor: Annotated[
        bool,
        Info("Floor", "let people with none of the harmless items leave the sensitive one out"),
    ] = False
    second: Annotated[
        str,
        Option(metavar="NAME"),
        Info("Second list", "second list of the same item, long where this one is short"),
    ] = ""
    direct: Annotated[
        str,
        Option(metavar="NAME"),
        Info("Direct question", "question that asks everybody openly for the item"),
    ] = ""

    def __post_init__(self) -> None:
        """Refuse what does not go together; the usual method has no name."""
        super().__post_init__()
        if self.method == self._usual:
            object.__setattr__(self, "method", "")
        if self.leaving_out and self.way != ML:
            raise ParameterError(
                "People who leave the item out are part of the likelihood; choose maximum "
                "likelihood.",
                field=self.leaving_out[0],
            )
        if len(set(self.predictors)) < len(self.predictors):
            raise ParameterError("A predictor stands twice; name it once.", field="predict")

    @property
    def way(self) -> str:
        """The method that is used: the usual one assumes nothing of the harmless items."""
        return self.method or self._usual

    @property
    def _usual(self) -> str:
        return ML if self.leaving_out else DIFFERENCE

    @property
    def leaving_out(self) -> tuple[str, ...]:
        return (CEILING,) * self.ceiling + (FLOOR,) * self.floor


@dataclass(frozen=True, eq=False)
class ListResult:
    """What a list tells.

    Parameters
    ----------
    counts
        Of the numbers that people gave.
    people
        How many heard the short list, and how many the long one.
    difference
        The difference in mean counts: it leans on nothing but the random halves.
    model
        What was fitted beside the difference; None for the difference without predictors.
    belief
        How likely the item is after each number of the long list.
    exposed
        How many of the people with the long list show that they lack the item, or have it.
    contents
        Which errors the intervals include.
    """

    inquiry: ListInquiry
    question: ListQuestion
    counts: ListCounts
    people: tuple[int, int]
    difference: Estimate
    types: tuple[TypeShare, ...]
    design_effect_p: float
    model: ListFit | None
    belief: tuple[float, ...]
    exposed: tuple[float, float]
    contents: IntervalContents
    double: DoubleList | None = None
    direct: Estimate | None = None
    remarks: tuple[str, ...] = field(default=())

    @property
    def share(self) -> Estimate:
        """The estimate of the method that was asked for, unless the answers contradict it."""
        model = self.model
        if self.inquiry.way == DIFFERENCE or model is None or model.is_contradicted:
            return self.difference
        return model.share

    @property
    def sentence(self) -> str:
        found, value = self.difference, self.question.sensitive
        first = Message(
            "By the difference in mean counts the share of “{value}” is {share:.1f} %, {level:g} % "
            "interval {low:.1f} to {high:.1f} %.",
            value=value,
            share=100 * found.estimate,
            level=100 * self.inquiry.confidence,
            low=100 * found.low,
            high=100 * found.high,
        )
        if self.model is None or self.inquiry.way == DIFFERENCE:
            return first
        if self.model.is_contradicted:
            second = Message(
                "By the model it is {share:.1f} %, but the answers contradict what it assumes.",
                share=100 * self.model.share.estimate,
            )
        elif not math.isfinite(self.model.share.low):
            second = Message(
                "By the model it is {share:.1f} %, at the bound.",
                share=100 * self.model.share.estimate,
            )
        else:
            second = Message(
                "By the model it is {share:.1f} %, {low:.1f} to {high:.1f} %.",
                share=100 * self.model.share.estimate,
                low=100 * self.model.share.low,
                high=100 * self.model.share.high,
            )
        return Message.joined((first, second))

    def to_json(self) -> dict[str, Any]:
        model = self.model
        document: dict[str, Any] = {
            "attribute": self.question.name,
            "method": self.inquiry.way,
            "items": list(self.question.items),
            "rows": {"short": self.people[0], "long": self.people[1]},
            "counts": {"short": self.counts.short.tolist(), "long": self.counts.long.tolist()},
            "difference": self.difference.estimate,
            **_without(self.difference, "estimate"),
            "types": [
                {
                    "y": one.count, "sensitive": one.sensitive, "share": one.share,
                    "standard_error": one.standard_error, "p": one.p,
                }
                for one in self.types
            ],
            "design_effect_p": self.design_effect_p,
            "ceiling": self.counts.ceiling,
            "floor": self.counts.floor,
            "model": None if model is None else model.share.to_json(),
            "leaving_out": {}
            if model is None
            else {name: one.to_json() for name, one in model.leaving_out.items()},
            "coefficients": []
            if model is None
            else [
                {
                    "part": one.part, "term": one.term, "estimate": finite_or_none(one.estimate),
                    "standard_error": finite_or_none(one.standard_error),
                }
                for one in model.coefficients
            ],
            "log_likelihood": None if model is None else model.log_likelihood,
            "assumption_p": None if model is None else finite_or_none(model.assumption_p),
            "belief": list(self.belief),
            "exposed": {"no": self.exposed[0], "yes": self.exposed[1]},
            "epsilon": "inf",
            **self.contents.to_json(),
            "warnings": list(self.remarks),
        }  # fmt: skip
        if self.double is not None:
            document["double"] = self.double.share.to_json() | {
                "first": self.double.first, "second": self.double.second, "p": self.double.p,
            }  # fmt: skip
        if self.direct is not None:
            document["direct"] = self.direct.to_json()
        return document


def _without(estimate: Estimate, name: str) -> dict[str, float | None]:
    return {key: value for key, value in estimate.to_json().items() if key != name}


@dataclass(frozen=True, eq=False)
class _Heard:
    """The records that count: what they said, which list they heard, and where they stand."""

    answers: Answers
    numbers: Numbers
    is_long: NDArray[np.bool_]
    lacking: int


def assess_list(
    table: Table,
    design: Design,
    inquiry: ListInquiry,
    *,
    sampling: Sampling | None = None,
    sampling_options: SamplingOptions | None = None,
    progress: Progress = silent,
) -> ListResult:
    """Estimate the share of the sensitive item, and test what the estimate leans on.

    Raises
    ------
    DataError
        Where the counts cannot be answers to the list; the row is named.
    ParameterError
        Where the design has no such list, or a predictor cannot be used.
    """
    question, arms = design.list_of(inquiry.attribute), design.versions
    _check_predictors(design, inquiry, question)
    survey = SurveySample.stated(
        table, design, sampling, sampling_options, confidence=inquiry.confidence
    )
    if survey is not None and survey.frame.is_about_respondents:
        # Nothing is randomised but who hears which list, which is in every variance below.
        survey = None
    if survey is not None and (inquiry.way != DIFFERENCE or inquiry.second or inquiry.direct):
        raise ParameterError(
            "With weights, strata or clusters a list is estimated by the difference in means "
            "alone; choose that, or turn the sampling off.",
            field="method",
        )
    second = design.list_of(inquiry.second) if inquiry.second else None
    direct = (inquiry.direct,) if inquiry.direct else ()
    heard = _heard(table, design, arms, question, inquiry.predictors)
    factor = float(ndtri(0.5 + inquiry.confidence / 2))
    if survey is None:
        counts = _counted(heard, question)
    else:
        factor = t_factor(inquiry.confidence, degrees_of_freedom(survey, heard.answers.rows))
        counts = _weighted(heard, question, survey)
    difference = counts.difference(factor)
    types, p = type_table(counts)
    model = _fitted(heard, design, inquiry, counts, survey, factor, progress)
    share = min(max(difference.estimate, 0.0), 1.0)
    remarks = (*_lacking(heard), *_remarks(counts, p))
    return ListResult(
        inquiry, question, counts,
        (int(np.count_nonzero(~heard.is_long)), int(np.count_nonzero(heard.is_long))),
        difference, types, p, model, beliefs(share, counts.short_shares),
        exposed(share, counts.short_shares),
        _contents(None if survey is None else survey.frame.sampling),
        None if second is None else _double(table, design, arms, question, second, factor),
        _direct(table, design, arms, question, direct, factor) if direct else None,
        (*remarks, *(() if model is None else model.remarks)),
    )  # fmt: skip


def _check_predictors(design: Design, inquiry: ListInquiry, question: ListQuestion) -> None:
    for name in inquiry.predictors:
        if name in (*design.versions.columns, question.count, question.name):
            raise ParameterError.saying(
                "{attribute!r} is part of the list, so it cannot be a predictor.",
                attribute=name,
                field="predict",
            )
        if not design.perturbation(name).is_identity:
            raise ParameterError.saying(
                "{attribute!r} is randomised; predictors of a list must not be.",
                attribute=name,
                field="predict",
            )


def _heard(
    table: Table, design: Design, arms: Arms, question: ListQuestion, others: Sequence[str]
) -> _Heard:
    """The complete records of people who heard either list; impossible numbers are refused."""
    column, codes = column_of(table, question.count), arms.read(table)
    if column.is_categorical:
        raise DataError.saying(
            "{attribute!r} must hold the counts as numbers.", attribute=question.count, field="kind"
        )
    question.check_counts(column.data, codes, arms)
    answers = distorted_answers(table, design, (question.count, *others))
    hears = question.hears_long(arms)
    is_heard = np.append([one is not None for one in hears], False)
    is_long = np.append([bool(one) for one in hears], False)
    kept = answers.keep(is_heard[codes[answers.rows]])
    lacking = int(np.count_nonzero(is_heard[codes])) - kept.n
    return _Heard(
        kept, np.asarray(kept.data[question.count], np.float64), is_long[codes[kept.rows]], lacking
    )


def _counted(heard: _Heard, question: ListQuestion, chosen: Any = slice(None)) -> ListCounts:
    codes, is_long = heard.numbers[chosen].astype(np.intp), heard.is_long[chosen]
    size = question.size
    return ListCounts(
        np.bincount(codes[~is_long], minlength=size + 1).astype(np.float64),
        np.bincount(codes[is_long], minlength=size + 2).astype(np.float64),
    )


def _weighted(heard: _Heard, question: ListQuestion, survey: SurveySample) -> ListCounts:
    """Weighted counts with the covariance of their shares by linearisation, or by replicates."""
    rows, size = heard.answers.rows, question.size
    edge = size + 1
    cells = heard.numbers.astype(np.intp) + edge * heard.is_long
    ends = np.array([edge, 2 * size + 3])

    def shares_by(weights: Numbers) -> tuple[Numbers, Numbers]:
        found = np.bincount(cells, weights, ends[1]).astype(np.float64)
        totals = np.where(np.arange(ends[1]) < edge, found[:edge].sum(), found[edge:].sum())
        return found, found / np.maximum(totals, 1e-300)

    weights = survey.weights(rows)
    counted = weights > 0
    if min(np.count_nonzero(counted & half) for half in (heard.is_long, ~heard.is_long)) < 2:
        raise DataError(
            "A list needs at least two people with a weight above 0 who hear the short version, "
            "and two who hear the long one.",
            field="arms",
        )
    plain = _counted(heard, question, counted)
    counts, shares = shares_by(weights)
    total = np.where(heard.is_long, counts[edge:].sum(), counts[:edge].sum())

    def influence(part: slice) -> Numbers:
        own = cells[part]
        mine = (np.arange(ends[1]) >= edge) == heard.is_long[part, None]
        apart = np.where(mine, -shares, 0.0)
        apart[np.arange(len(own)), own] += 1.0
        return np.asarray(apart * (weights[part] / total[part])[:, None])

    covariance, _ = sampling_covariance(
        shares, lambda other: shares_by(other)[1], influence, survey, rows
    )
    # Counts of people, whatever the unit of their weights.
    short = counts[:edge] * (plain.short.sum() / max(counts[:edge].sum(), 1e-300))
    long = counts[edge:] * (plain.long.sum() / max(counts[edge:].sum(), 1e-300))
    return ListCounts(short, long, covariance)


def _fitted(
    heard: _Heard,
    design: Design,
    inquiry: ListInquiry,
    counts: ListCounts,
    survey: SurveySample | None,
    factor: float,
    progress: Progress,
) -> ListFit | None:
    terms: tuple[str, ...] = (INTERCEPT,)
    rows = ListRows.of_counts(counts)
    if inquiry.predictors:
        formula = Formula(
            inquiry.attribute, "", tuple(Term((Variable(name),)) for name in inquiry.predictors)
        )
        attributes = {name: design[name].attribute for name in inquiry.predictors}
        coding = make_coding(formula, attributes, {})
        x = coding.matrix(heard.answers.data, (heard.answers.n,))
        # Values that nobody has need no coefficient.
        met = np.abs(x).max(axis=0) > 0
        terms = tuple(str(one) for one, kept in zip(coding.labels, met, strict=True) if kept)
        if survey is not None:
            return _sampled(heard, x[:, met], counts.items, survey, terms, factor)
        rows = ListRows.merged(heard.numbers, heard.is_long, x[:, met], counts.items)
    elif inquiry.way == DIFFERENCE:
        return None
    if inquiry.way == DIFFERENCE:
        return fit_linear(rows, terms, factor)
    if inquiry.way == NLS:
        return fit_least_squares(rows, terms, factor)
    return fit_likelihood(rows, terms, factor, inquiry.leaving_out, progress)


def _sampled(
    heard: _Heard,
    x: Numbers,
    items: int,
    survey: SurveySample,
    terms: tuple[str, ...],
    factor: float,
) -> ListFit:
    """The linear regression by weights, with errors by linearisation, or by replicates."""
    places = heard.answers.rows
    weights = survey.weights(places)
    counted = weights > 0
    # Only for the checks of its predictors.
    ListRows.merged(heard.numbers[counted], heard.is_long[counted], x[counted], items)
    rows = ListRows(heard.numbers, heard.is_long, x, weights, items)
    values = linear_values(rows)
    influences = linear_influences(rows, values)

    def again(people: Numbers) -> Numbers:
        return linear_values(dataclasses.replace(rows, people=people))

    covariance, _ = sampling_covariance(
        values, again, lambda part: influences[part], survey, places
    )
    return linear_fit(values, covariance, terms, factor)


def _contents(sampling: Sampling | None) -> IntervalContents:
    """No device randomises a count, and who hears which list is drawn like the people."""
    return IntervalContents((WHO_WAS_DRAWN,), interval_contents(sampling).excludes)


def _double(
    table: Table,
    design: Design,
    arms: Arms,
    question: ListQuestion,
    second: ListQuestion,
    factor: float,
) -> DoubleList:
    """Both lists together; each must be long where the other is short."""
    if set(question.long) != set(second.short) or set(question.short) != set(second.long):
        raise ParameterError.saying(
            "The lists of {first!r} and {second!r} must be long in each other's short arms.",
            first=question.name,
            second=second.name,
            field="second",
        )
    heard = _heard(table, design, arms, question, (second.count,))
    second.check_counts(table[second.count].data, arms.read(table), arms)
    other = np.asarray(heard.answers.data[second.count], np.float64)
    return double_list(heard.numbers, other, heard.is_long, factor)


def _direct(
    table: Table,
    design: Design,
    arms: Arms,
    question: ListQuestion,
    direct: tuple[str, ...],
    factor: float,
) -> Estimate:
    """The share when those who admit the item openly count as having it."""
    (name,) = direct
    attribute = design[name].attribute
    if attribute.k != 2 or not design.perturbation(name).is_identity:
        raise ParameterError.saying(
            "{attribute!r} must be a yes/no question that is asked openly.",
            attribute=name,
            field="direct",
        )
    heard = _heard(table, design, arms, question, direct)
    marked = attribute.sensitive or attribute.values[-1:]
    yes = question.sensitive if question.sensitive in attribute.values else marked[0]
    admits = heard.answers.data[name] == attribute.values.index(yes)
    deniers = _counted(heard, question, ~admits).difference(factor)
    return with_direct_question(float(admits.sum()), float(len(admits)), deniers, factor)


def _lacking(heard: _Heard) -> tuple[str, ...]:
    if not heard.lacking:
        return ()
    return (
        Message(
            "{lacking:,} of {total:,} people who heard a list have no complete answer and are "
            "excluded.",
            lacking=heard.lacking,
            total=heard.lacking + heard.answers.n,
        ),
    )


def _remarks(counts: ListCounts, p: float) -> tuple[str, ...]:
    found: list[str] = []
    if p < LEVEL:
        found.append(
            Message(
                "Some shares of types are negative beyond chance (p = {p:.3g}): the sensitive item "
                "seems to change how people count the others, so the estimate is in doubt.",
                code=DESIGN_EFFECT,
                p=p,
            )
        )
    if counts.ceiling > MANY:
        found.append(
            Message(
                "{share:.1f} % of the short list have all of the harmless items: with the "
                "sensitive one they would give themselves away, so they may leave it out.",
                code=AT_CEILING,
                share=100 * counts.ceiling,
            )
        )
    if counts.floor > MANY:
        found.append(
            Message(
                "{share:.1f} % of the short list have none of the harmless items: a count of 1 "
                "would point to the sensitive one, so they may leave it out.",
                code=AT_FLOOR,
                share=100 * counts.floor,
            )
        )
    if min(counts.short.sum(), counts.long.sum()) < _FEW * (counts.items + 1):
        found.append(Message("There are few answers for each number, so the tests are rough."))
    return tuple(found)
