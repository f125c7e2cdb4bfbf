"""Regression on distorted answers: who says yes, and with what does it go together?"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import chdtrc

from ppworkbench.core.arrays import Numbers, weighted_counts
from ppworkbench.core.data.sampling_roles import BOOTSTRAP, Sampling, SamplingOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.perturbation import Identity
from ppworkbench.core.errors import ParameterError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.models.bootstrap import bootstrap
from ppworkbench.core.models.coding import THRESHOLD, ColumnLabel
from ppworkbench.core.models.effects import Averages, effects_of, predictions_of
from ppworkbench.core.models.estimating import (
    CORRECTED,
    INVERSE,
    ML,
    Problem,
    fit_by_correction,
    fit_by_inverse_weights,
    fit_by_likelihood,
    fit_with_penalty,
)
from ppworkbench.core.models.families import FAMILIES
from ppworkbench.core.models.family import LOG_SIGMA, Fitted
from ppworkbench.core.models.formula import Formula, parse_formula
from ppworkbench.core.models.linearised import (
    about_population,
    degrees_of_freedom,
    sampled_fractions,
    sampling_covariance,
)
from ppworkbench.core.models.model_tests import fit_test, ratio_test, wald_tests
from ppworkbench.core.models.problem import make_problem
from ppworkbench.core.models.results import (
    Coefficient,
    DeviceParameter,
    Interval,
    Regression,
    Test,
    exponential,
)
from ppworkbench.core.models.shape_of_outcome import find_shape
from ppworkbench.core.models.unknown_device import (
    check_device,
    device_parameter,
    unequal_attention,
    within_limits,
)
from ppworkbench.core.params import Annotated, Info, OneOf, Params
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.sampling.results import interval_contents
from ppworkbench.core.sampling.variance import t_factor, two_sided_p
from ppworkbench.core.survey.answers import Confidence, PartedSource
from ppworkbench.core.survey.conditions.condition import EVERYBODY, Condition, as_condition
from ppworkbench.core.survey.estimates import LEAST_TESTED, small_groups
from ppworkbench.core.survey.sampled import SurveySample

MODEL, ROBUST, SAMPLING = "model", "robust", "sampling"
JEFFREYS = "jeffreys"
RELATED, INDEPENDENT = "related", "independent"
SEPARATED, DOUBTFUL, NO_LIKELIHOOD = "separation", "predictor-model", "no-likelihood"
UNEQUAL_ODDS, BY_SHAPE = "unequal-odds", "by-shape"
"""Codes of remarks."""
_DOUBT = 0.01
_NO_LIMIT = 5.0
"""Error of a coefficient that the answers do not limit, in log odds by standard deviation."""


@dataclass(frozen=True)
class RegressionOptions(Params):
    model: Annotated[
        str,
        OneOf(("", *FAMILIES)),
        Info("Model", "Kind of regression; chosen by the outcome if not set"),
    ] = ""
    method: Annotated[
        str,
        OneOf((ML, INVERSE, CORRECTED)),
        Info("Method", "Likelihood, inverse weights, or closed correction of noise"),
    ] = ML
    variance: Annotated[
        str,
        OneOf(("", MODEL, ROBUST, SAMPLING, BOOTSTRAP)),
        Info("Variance", "Where standard errors come from; by the sampling if there is one"),
    ] = ""
    penalty: Annotated[
        str,
        OneOf(("", JEFFREYS)),
        Info("Penalty", "Keeps coefficients finite where a predictor separates the answers"),
    ] = ""
    predictors: Annotated[
        str,
        OneOf((RELATED, INDEPENDENT)),
        Info(
            "Randomised predictors",
            "related: their true values may go with the other predictors; independent: they may "
            "not, as RRlin of the R package RRreg takes it",
        ),
    ] = RELATED
    confidence: Confidence = 0.95


@dataclass(frozen=True, eq=False)
class _Errors:
    covariance: Numbers
    degrees: float
    kind: str
    remarks: tuple[str, ...] = ()
    draws: int | None = None


def regress(  # noqa: PLR0913 (keywords with defaults)
    table: Table | PartedSource,
    design: Design,
    formula: Formula | str,
    options: RegressionOptions | None = None,
    *,
    condition: Condition | str = EVERYBODY,
    effects: bool = False,
    predict: Sequence[Mapping[str, str]] = (),
    compare_with: Formula | str | None = None,
    fit_replicates: int = 0,
    original: Table | None = None,
    seed: int = 0,
    sampling: Sampling | None = None,
    sampling_options: SamplingOptions | None = None,
    progress: Progress = silent,
) -> Regression:
    """Fit a regression to distorted answers.

    Parameters
    ----------
    effects
        Whether average effects of the predictors are wanted.
    predict
        For each prediction, the values that everybody is given.
    compare_with
        A formula with fewer terms, against which this one is tested.
    fit_replicates
        How many surveys are simulated to judge the fit; 0 for no such test.
    original
        The true answers, for comparison.
    """
    chosen = options or RegressionOptions()
    asked = parse_formula(formula) if isinstance(formula, str) else formula
    where = as_condition(condition)
    survey = SurveySample.stated(
        table, design, sampling, sampling_options, confidence=chosen.confidence
    )
    weights = None if survey is None else survey.sample.weights
    problem = make_problem(
        table, design, asked, chosen.model, where, weights, exact=chosen.method == CORRECTED,
        independent=chosen.predictors == INDEPENDENT, progress=progress,
    )  # fmt: skip
    chosen, without_likelihood = _with_possible_method(chosen, problem)
    check_device(problem, chosen.method, chosen.penalty)
    ratios = compare_with is not None, bool(fit_replicates)
    chosen, fitted, shape = _first_fit(problem, chosen, survey, ratios, part(progress, 0.0, 0.4))
    kind = _variance_kind(chosen, survey, problem)
    has_likelihood = _has_likelihood(chosen, survey, problem)
    whole = problem
    problem, fitted, at_limit = within_limits(problem, fitted)
    naive = _naive(problem, part(progress, 0.4, 0.45))
    aligned = weights if _has_same_rows(original, table) else None
    true = _true(problem, original, design, where, aligned, part(progress, 0.45, 0.45))
    lost = _unlimited(problem, fitted)
    small, doubts = _small_groups(problem)
    doubts += [
        *_second_opinion(problem, fitted, chosen.method, lost, part(progress, 0.45, 0.5)),
        *_proportional_odds(problem, fitted, survey, part(progress, 0.5, 0.5)),
        *([] if survey else unequal_attention(whole)),
    ]
    compared: tuple[Test, ...] = ()
    if compare_with is not None:
        smaller = parse_formula(compare_with) if isinstance(compare_with, str) else compare_with
        compared = (ratio_test(problem, fitted, smaller, part(progress, 0.5, 0.5)),)
    fit = None
    if fit_replicates:
        fit = fit_test(problem, fitted.theta, fit_replicates, seed, part(progress, 0.5, 0.75))
    # Last, because a bootstrap that is stopped leaves a result.
    errors = _errors(problem, fitted, chosen, kind, survey, seed, part(progress, 0.75, 1.0))
    coefficients = _coefficients(
        problem, fitted, errors, chosen.confidence, (lost, small), (naive, true)
    )
    labels = [label for _, label in coefficient_labels(problem)]
    tests, untested = wald_tests(
        labels, fitted.theta, errors.covariance, errors.degrees, lost | small
    )
    remarks = [
        *problem.remarks, *without_likelihood, *shape, *at_limit, *fitted.remarks,
        *errors.remarks, *doubts, *untested,
    ]  # fmt: skip
    size = problem.likelihood.coefficients
    factor = t_factor(chosen.confidence, errors.degrees)
    # After a bootstrap that was stopped the rest is still wanted.
    report = silent if kind == BOOTSTRAP else part(progress, 1.0, 1.0)
    unlimited = {labels[place].term for place in lost}
    averages = Averages(problem, fitted, errors.covariance[:size, :size], factor, report, unlimited)
    device = device_parameter(
        whole, problem, fitted, errors.covariance, factor, has_likelihood=has_likelihood
    )
    value = None if whole.is_pseudo else fitted.value
    aic = None
    if value is not None and survey is None:
        aic = 2 * problem.likelihood.size - 2 * value
    about = "population" if survey is None else survey.frame.options.target
    contents = interval_contents(
        sampling, about, compliance_known=_knows_compliance(device, asked, design),
        undistorted=design.is_undistorted(asked.attributes),
    )  # fmt: skip
    has_sigma = LOG_SIGMA in problem.likelihood.own_parameters and len(fitted.theta) > size
    sigma = math.exp(float(fitted.theta[size])) if has_sigma else None
    return Regression(
        asked, problem.model, chosen.method, errors.kind, where, problem.n, problem.left_out,
        fitted.iterations, value, aic, coefficients,
        errors.covariance[:size, :size], chosen.confidence, about, contents, sigma, device,
        effects_of(averages) if effects else (), predictions_of(averages, predict),
        tests + compared, fit, tuple(dict.fromkeys(remarks)), problem.smallest, errors.draws,
    )  # fmt: skip


def _has_same_rows(original: Table | None, table: Table | PartedSource) -> bool:
    return original is not None and isinstance(table, Table) and original.rows == table.rows


def _knows_compliance(device: DeviceParameter | None, formula: Formula, design: Design) -> bool:
    hidden = {
        name
        for name in formula.attributes
        if name in design and not design.perturbation(name).is_identity
    }
    return device is not None and hidden == {device.attribute}


def _with_possible_method(
    options: RegressionOptions, problem: Problem
) -> tuple[RegressionOptions, tuple[str, ...]]:
    if not problem.is_quasi or problem.likelihood.hidden is None or options.method != ML:
        return options, ()
    remark = Message(
        "An outcome under noise has no likelihood here, so inverse weights are used.",
        code=NO_LIKELIHOOD,
    )
    return dataclasses.replace(options, method=INVERSE), (remark,)


def _first_fit(
    problem: Problem,
    options: RegressionOptions,
    survey: SurveySample | None,
    ratios: tuple[bool, bool],
    progress: Progress,
) -> tuple[RegressionOptions, Fitted, tuple[str, ...]]:
    """The fit, by the method that it needs; ``ratios``: formulas to compare, a fit to judge."""
    _variance_kind(options, survey, problem)
    compares, simulates = ratios
    if options.penalty:
        _refuse_ratios(compares, fits=False)
    if not _has_likelihood(options, survey, problem):
        _refuse_ratios(compares, simulates)
    find = _penalised if options.penalty else _fitted
    fitted = find(problem, options, progress)
    chosen, fitted, remarks = _without_shape(problem, fitted, options, part(progress, 1.0, 1.0))
    if chosen.method != options.method:
        _refuse_ratios(compares, simulates)
    return chosen, fitted, remarks


def _has_likelihood(
    options: RegressionOptions, survey: SurveySample | None, problem: Problem
) -> bool:
    return survey is None and options.method == ML and not problem.is_pseudo


def _without_shape(
    problem: Problem, fitted: Fitted, options: RegressionOptions, progress: Progress
) -> tuple[RegressionOptions, Fitted, tuple[str, ...]]:
    """The fit by inverse weights where the likelihood reads effects off the outcome's shape."""
    is_shaped = problem.likelihood.family.has_linear_score and options.method == ML
    if not is_shaped or problem.cell_weights is None:
        return options, fitted, ()
    # Who takes the predictors for independent has chosen that likelihood.
    is_chosen = options.predictors == INDEPENDENT
    try:
        other = fit_by_inverse_weights(problem, fitted.theta, progress=progress)
    except WorkbenchError as error:
        if not is_chosen:
            raise
        return options, fitted, (error.message,)
    shape = find_shape(problem, fitted, other, progress)
    if not shape.is_read:
        return options, fitted, ()
    said = {
        "outcome": problem.formula.outcome, "column": shape.column, "ratio": shape.ratio,
        "apart": shape.apart, "p": shape.p,
    }  # fmt: skip
    if is_chosen:
        remark = Message(
            "The likelihood takes {outcome} for normal and reads the effect of {column} off its "
            "shape (its error is {ratio:.2f} times that of inverse weights, from which it is "
            "{apart:.1f} of their errors away; Hausman test: p = {p:.2g}). Its intervals hold only "
            "if that is so; compare inverse weights.",
            code=BY_SHAPE,
            **said,
        )
        return options, fitted, (remark,)
    remark = Message(
        "The likelihood takes {outcome} for normal and would read the effect of {column} off its "
        "shape (its error is {ratio:.2f} times that of inverse weights, from which it is "
        "{apart:.1f} of their errors away; Hausman test: p = {p:.2g}). Inverse weights are used, "
        "which need no shape.",
        code=BY_SHAPE,
        **said,
    )
    variance = "" if options.variance == MODEL else options.variance
    return dataclasses.replace(options, method=INVERSE, variance=variance), other, (remark,)


def _refuse_ratios(compares: bool, fits: bool) -> None:
    if fits:
        raise ParameterError(
            "The fit is judged by surveys simulated from the likelihood, which there is only for "
            "the method of likelihood without a sampling or a check question; leave the test out.",
            field="fit",
        )
    if compares:
        raise ParameterError(
            "Two formulas are compared by their likelihood, which there is only for the method of "
            "likelihood without a sampling, a check question or a penalty; look at the tests of "
            "the terms.",
            field="compare-with",
        )


def _variance_kind(
    options: RegressionOptions, survey: SurveySample | None, problem: Problem
) -> str:
    if options.variance == SAMPLING and survey is None:
        raise ParameterError(
            "No weights, strata or clusters are known, so there is no sampling variance; choose "
            "that of the model or the robust one.",
            field="variance",
        )
    if options.variance:
        if survey is not None and options.variance in (MODEL, ROBUST):
            raise ParameterError.saying(
                "The variance {kind!r} knows no sampling; choose that of the sampling or the "
                "bootstrap, or turn the sampling off.",
                kind=options.variance,
                field="variance",
            )
        if options.variance == MODEL and (problem.is_pseudo or options.method != ML):
            raise ParameterError(
                "There is no likelihood here, so there are no errors of the model; choose robust "
                "ones.",
                field="variance",
            )
        return options.variance
    if survey is not None:
        return SAMPLING
    return ROBUST if problem.is_pseudo or options.method != ML else MODEL


def _fit(
    problem: Problem, method: str, progress: Progress = silent, weights: Numbers | None = None,
    start: Numbers | None = None,
) -> Fitted:  # fmt: skip
    likelihood = problem.likelihood
    if weights is not None:
        likelihood = likelihood.with_weights(weights)
    if method == CORRECTED:
        return fit_by_correction(problem, weights, progress, start)
    if method == INVERSE:
        if start is None:
            # Of a number under noise only the score is known, not the likelihood.
            near = problem.naive if problem.is_quasi else likelihood
            start = fit_by_likelihood(near, progress=progress).theta
        return fit_by_inverse_weights(problem, start, weights, progress)
    return fit_by_likelihood(likelihood, start, progress)


def _fitted(problem: Problem, options: RegressionOptions, progress: Progress) -> Fitted:
    return _fit(problem, options.method, progress)


def _penalised(problem: Problem, options: RegressionOptions, progress: Progress) -> Fitted:
    if options.method != ML or options.variance == BOOTSTRAP:
        raise ParameterError(
            "The penalty belongs to the method of likelihood; choose that, and no bootstrap.",
            field="penalty",
        )
    return fit_with_penalty(problem.likelihood, progress)


def _errors(
    problem: Problem,
    fitted: Fitted,
    options: RegressionOptions,
    kind: str,
    survey: SurveySample | None,
    seed: int,
    progress: Progress,
) -> _Errors:
    if kind == BOOTSTRAP:

        def refit(weights: Numbers, report: Progress) -> Fitted:
            return _fit(problem, options.method, report, weights, fitted.theta)

        found = bootstrap(problem, fitted, refit, survey, seed, progress)
        degrees = math.inf if survey is None else _degrees(problem, survey)
        return _Errors(found.covariance, degrees, BOOTSTRAP, found.remarks, found.draws)
    if survey is not None:
        return _by_sampling(problem, fitted, options, survey, progress)
    if kind == MODEL:
        likelihood, scale = problem.likelihood, 1.0
        if likelihood.hidden is None:
            scale = likelihood.family.error_scale(problem.n, likelihood.coefficients)
        return _Errors(fitted.inverse * scale, math.inf, MODEL)
    # Records were merged; each counts once.
    covariance = fitted.squared_influence(problem.likelihood.weights, progress)
    if options.method != ML:
        # As a simple random sample has it; the influences add up to 0.
        covariance = covariance * (problem.n / max(problem.n - 1, 1))
    return _Errors(covariance, math.inf, ROBUST)


def _degrees(problem: Problem, survey: SurveySample) -> float:
    found = degrees_of_freedom(survey, problem.rows)
    if survey.frame.options.degrees_of_freedom is not None or math.isinf(found):
        return found
    return found + 1 - problem.likelihood.coefficients


def _by_sampling(
    problem: Problem,
    fitted: Fitted,
    options: RegressionOptions,
    survey: SurveySample,
    progress: Progress,
) -> _Errors:
    frame, degrees = survey.frame, _degrees(problem, survey)
    size = fitted.size
    weights = survey.weights(problem.rows)
    device = None
    if frame.is_about_respondents or frame.has_population:
        device = _device_variance(problem, fitted, weights**2)
    if frame.is_about_respondents:
        if device is None:
            raise ParameterError(
                "For the people who answered only the device is random, and its part is not known "
                "for this model; ask about the population.",
                field="target",
            )
        return _Errors(device, math.inf, SAMPLING)
    # Closed corrections hold the noise's own part; elsewhere the safe side is taken.
    finite = device is not None or options.method == CORRECTED

    def again(other: Numbers) -> Numbers:
        merged = weighted_counts(problem.place, other, problem.likelihood.rows)
        return _fit(problem, options.method, progress, merged, fitted.theta).theta[:size]

    def influence(part: slice) -> Numbers:
        places = problem.place[part]
        # Rows that were not merged need no table of all influences.
        is_own = np.array_equal(places, np.arange(part.start, part.stop))
        found = fitted.find_influence(part) if is_own else fitted.influence[places]
        return found * weights[part, None]

    covariance, remarks = sampling_covariance(
        fitted.theta[:size], again, influence, survey, problem.rows, finite=finite,
        progress=progress,
    )  # fmt: skip
    if frame.has_population and device is not None:
        squares = weights**2 * sampled_fractions(survey, problem.rows)
        lost = _device_variance(problem, fitted, squares)
        covariance = covariance if lost is None else covariance + lost
    elif not finite:
        remarks += about_population(frame)
    return _Errors(covariance, degrees, SAMPLING, remarks)


def _device_variance(problem: Problem, fitted: Fitted, squares: Numbers) -> Numbers | None:
    """What the randomness of the device adds, with ``squares`` by record; None if not known.

    With q the posterior of the true outcome and e its expected influence, a report's influence i
    has ``i i' - sum_y q_y e_y e_y'`` as the part of its square that the device brought.
    """
    likelihood = problem.likelihood
    size = fitted.size
    if not problem.distorted:
        return np.zeros((size, size))
    if likelihood.hidden is not None or problem.noises:
        return None
    family = likelihood.family
    devices = family.devices(likelihood.reported)
    if devices is None:
        return None
    weights = weighted_counts(problem.place, squares, likelihood.rows)
    matrix = likelihood.matrix(slice(0, likelihood.rows))
    eta = matrix @ (likelihood.maps @ fitted.theta[: likelihood.coefficients]).T
    prior = family.mean(eta)
    value = likelihood.reported % len(family.values)
    joint = devices[np.arange(likelihood.rows), value] * prior
    posterior = joint / np.maximum(joint.sum(axis=1, keepdims=True), 1e-300)
    every = np.stack(
        [
            _scores_at(problem, fitted, reported)
            for reported in family.possible_reports(likelihood.reported)
        ],
        axis=1,
    )
    expected = np.einsum("isy,isp->iyp", devices, every)
    seen = fitted.squared_influence(weights)
    known = np.einsum("iy,iyp,iyq->pq", posterior * weights[:, None], expected, expected)
    return np.asarray(seen - known)


def _scores_at(problem: Problem, fitted: Fitted, reported: Any) -> Numbers:
    other = dataclasses.replace(problem.likelihood, reported=reported)
    return other.scores(fitted.theta) @ fitted.inverse


def _naive(problem: Problem, progress: Progress) -> Numbers | None:
    try:
        return fit_by_likelihood(problem.naive, progress=progress).theta
    except WorkbenchError:
        return None


def _true(
    problem: Problem,
    original: Table | None,
    design: Design,
    condition: Condition,
    weights: Numbers | None,
    progress: Progress,
) -> Numbers | None:
    if original is None:
        return None
    try:
        plain = make_problem(
            original, _as_it_is(design), problem.formula, problem.model, condition, weights
        )
        found = fit_by_likelihood(plain.likelihood, progress=progress)
    except WorkbenchError:
        return None
    same = plain.likelihood.coding.labels == problem.likelihood.coding.labels
    return found.theta if same else None


def _as_it_is(design: Design) -> Design:
    return Design(
        tuple(DesignedAttribute(one.attribute, Identity(), one.missing_is_value) for one in design)
    )


def coefficient_labels(problem: Problem) -> list[tuple[str, ColumnLabel]]:
    likelihood = problem.likelihood
    coding = likelihood.coding
    return likelihood.family.coefficient_labels(coding.labels, coding.intercept)


def _coefficients(
    problem: Problem,
    fitted: Fitted,
    errors: _Errors,
    confidence: float,
    untested: tuple[set[int], set[int]],
    beside: tuple[Numbers | None, Numbers | None],
) -> tuple[Coefficient, ...]:
    """The table; what has no limit has neither error nor test, what is of a small group no test."""
    t = t_factor(confidence, errors.degrees)
    (lost, small), (naive, true) = untested, beside
    rows = []
    for place, (outcome, label) in enumerate(coefficient_labels(problem)):
        estimate = float(fitted.theta[place])
        error = math.sqrt(max(float(errors.covariance[place, place]), 0.0))
        if place in lost:
            error = math.nan
        statistic = estimate / error if error > 0 and place not in small else math.nan
        low, high = estimate - t * error, estimate + t * error
        odds = None
        if problem.likelihood.family.takes_odds and label.term != THRESHOLD:
            odds = Interval(*(exponential(x) for x in (estimate, low, high)))
        rows.append(
            Coefficient(
                label.term,
                label.level,
                outcome,
                estimate,
                error,
                statistic,
                errors.degrees,
                two_sided_p(statistic, errors.degrees),
                low,
                high,
                odds,
                None if naive is None else float(naive[place]),
                None if true is None else float(true[place]),
                None if (people := problem.sizes.get(label)) is None else round(people),
            )
        )
    return tuple(rows)


def _small_groups(problem: Problem) -> tuple[set[int], list[str]]:
    sizes = {str(label): size for label, size in problem.sizes.items()}
    beside: dict[str, str] = {}
    for term in problem.formula.terms:
        listed = [size for label, size in problem.sizes.items() if label.term == term.label]
        rest = problem.n - sum(listed)
        if len(term.variables) == 1 and listed and rest > 0:
            (one,) = term.variables
            reference = one.reference or problem.attributes[one.name].values[0]
            beside[term.label] = str(ColumnLabel(term.label, reference))
            sizes[beside[term.label]] = rest
    small = {
        place
        for place, (_, label) in enumerate(coefficient_labels(problem))
        if any(
            sizes.get(group, math.inf) < LEAST_TESTED
            for group in (str(label), beside.get(label.term, ""))
        )
    }
    return small, list(small_groups(sizes))


def _unlimited(problem: Problem, fitted: Fitted) -> set[int]:
    if not problem.likelihood.family.gives_shares:
        return set()
    size = problem.likelihood.coefficients
    # Of one standard deviation of the predictor, whatever its unit.
    spread = problem.likelihood.coefficient_spread()
    deviations = np.sqrt(np.maximum(np.diag(fitted.inverse)[:size], 0.0)) * spread
    return set(np.flatnonzero(deviations > _NO_LIMIT).tolist())


def _second_opinion(
    problem: Problem, fitted: Fitted, method: str, lost: set[int], progress: Progress
) -> list[str]:
    remarks: list[str] = []
    if lost:
        labels = coefficient_labels(problem)
        remarks.append(
            Message(
                "Separated: {names}. A group reports as if nobody or everybody in it had the "
                "outcome, so that the coefficient has no limit, no interval and no p; leave the "
                "predictor out, join values, or use the penalty.",
                names=", ".join(dict.fromkeys(str(labels[place][1]) for place in sorted(lost))),
                code=SEPARATED,
            )
        )
    if method == ML and problem.cell_weights is not None:
        try:
            other = fit_by_inverse_weights(problem, fitted.theta, progress=progress)
        except WorkbenchError:
            return remarks
        size = problem.likelihood.coefficients
        squares = other.squared_influence(problem.likelihood.weights, progress)
        variance = np.diag(squares)[:size]
        apart = np.abs(other.theta[:size] - fitted.theta[:size])
        if (apart > 2 * np.sqrt(np.maximum(variance, 1e-300))).any():
            remarks.append(
                Message(
                    "Likelihood and inverse weights differ by more than 2 standard errors, so the "
                    "model of the randomised predictors is doubtful; look at both.",
                    code=DOUBTFUL,
                )
            )
    return remarks


def _proportional_odds(
    problem: Problem, fitted: Fitted, survey: SurveySample | None, progress: Progress
) -> list[str]:
    """A remark where the slopes differ from threshold to threshold (Wald)."""
    likelihood = problem.likelihood
    if likelihood.hidden is not None or survey is not None or likelihood.own:
        return []
    family = likelihood.family.with_free_slopes()
    count, slopes = likelihood.family.predictors, likelihood.coding.size - 1
    if family is None or not slopes:
        return []
    free = dataclasses.replace(likelihood, family=family)
    theta = fitted.theta
    start = np.concatenate([theta[:count], np.tile(theta[count:], count)])
    try:
        found = fit_by_likelihood(free, start, progress)
    except WorkbenchError:
        return []
    by_threshold = found.theta[count:].reshape(count, slopes)
    apart = (by_threshold[1:] - by_threshold[0]).reshape(-1)
    contrast = np.hstack([-np.tile(np.eye(slopes), (count - 1, 1)), np.eye((count - 1) * slopes)])
    covariance = contrast @ found.inverse[count:, count:] @ contrast.T
    try:
        statistic = float(apart @ np.linalg.solve(covariance, apart))
    except np.linalg.LinAlgError:
        return []
    p = float(chdtrc(len(apart), max(statistic, 0.0)))
    if p >= _DOUBT:
        return []
    return [
        Message(
            "The effects differ between the thresholds (p = {p:.2g}), so one coefficient for all "
            "of them is doubtful; compare a multinomial model.",
            p=p,
            code=UNEQUAL_ODDS,
        )
    ]
