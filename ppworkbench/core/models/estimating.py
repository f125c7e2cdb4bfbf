"""Fits: by likelihood, by inverse weights, and by corrected sums; with what moves their estimates.

Each gives estimates and, for every merged row, its *influence*: how far one more such row moves
them. Standard errors of any kind follow from the influences alone.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.design.noises.distribution import AddedNoise
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.models.conditional_score import ConditionalScore, different_roots
from ppworkbench.core.models.families import (
    Categorical,
    Linear,
    Logistic,
    Poisson,
)
from ppworkbench.core.models.likelihood import Evaluation, Likelihood
from ppworkbench.core.models.maximise import Maximum, maximise
from ppworkbench.core.models.problem import Problem
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.survey.factors.devices import DEVICE_START

ML, INVERSE, CORRECTED = "ml", "inverse", "corrected"
SEVERAL_ROOTS = "several-roots"
"""Code of a remark."""
_STARTS = 5
_MOST_STEPS = 100
_FLAT = 1e-12
_DEVICE_STARTS = (DEVICE_START, 0.95, 0.6, 0.4, 0.2)
_MANY_ROWS, _PART = 200_000, 20_000
_AT_ONCE = 1 << 14


@dataclass(frozen=True, eq=False)
class Fitted:
    """Estimates of the coefficients (and of sigma), with what their errors need.

    Parameters
    ----------
    theta
        Everything that was estimated.
    inverse
        The inverse of the information, of the coefficients and the family's own parameters.
    find_influence
        Works out the influences of some rows, which not every error needs.
    """

    theta: Numbers
    inverse: Numbers
    find_influence: Callable[[slice], Numbers]
    iterations: int
    value: float | None
    separated: bool = False
    remarks: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """The number of coefficients and of the family's own parameters."""
        return len(self.inverse)

    @cached_property
    def influence(self) -> Numbers:
        """One row per merged row: what its weight is multiplied by in the estimates."""
        return self.find_influence(slice(None))

    def squared_influence(self, weights: Numbers, progress: Progress = silent) -> Numbers:
        """The weighted sum of influences times themselves, without holding all of them."""
        found = np.zeros((self.size, self.size))
        for rows in _parts(len(weights)):
            progress(rows.start / len(weights), "fitting")
            influence = self.find_influence(rows)
            found += (influence.T * weights[rows]) @ influence
        return found


def not_converged(what: str) -> DataError:
    """The error when a search ends without a result: a table would be made up."""
    return DataError(
        Message(
            "The fit by {method} did not converge; use fewer terms or more answers.", method=what
        ),
        field="formula",
    )


def fit_by_likelihood(
    likelihood: Likelihood, start: Numbers | None = None, progress: Progress = silent
) -> Fitted:
    """The maximum of the likelihood; from several starts where predictors are hidden."""
    begins = [start] if start is not None else _starts(likelihood)
    ends: list[Maximum] = []
    inner = likelihood.coefficients + likelihood.own
    for number, begin in enumerate(begins):
        # A pass over the rows is one of nobody knows how many.
        place = number / len(begins)
        report = part(progress, place, place)
        # What the reports say about hidden predictors is known after the first search.
        known = ends[0].theta[inner:] if ends else begin[inner:]
        found = maximise(
            functools.partial(likelihood.evaluate, progress=report),
            np.concatenate([begin[:inner], known]),
        )
        if found.converged:
            ends.append(found)
    if not ends:
        raise not_converged(ML)
    # A search that ran away from a far start tells nothing about the others.
    inside = [found for found in ends if not found.separated] or ends
    inside.sort(key=lambda found: -found.evaluation.value)
    best = inside[0]
    remarks: tuple[str, ...] = ()
    if len(inside) > 1 and best.evaluation.value - inside[1].evaluation.value > 0.01:
        remarks = (
            Message(
                "Searches from different starts ended at different estimates; the most likely one "
                "is shown."
            ),
        )
    inverse = _partial_inverse(best.evaluation.information, inner)
    return Fitted(
        best.theta, inverse[:inner, :inner],
        lambda rows: likelihood.scores(best.theta, rows) @ inverse[:, :inner], best.iterations,
        best.evaluation.value, best.separated, remarks,
    )  # fmt: skip


def fit_with_penalty(likelihood: Likelihood, progress: Progress = silent) -> Fitted:
    """The maximum of the likelihood times Jeffreys' prior: finite where answers are separated.

    The prior is the root of the determinant of the expected information. Its slope is taken by
    differences: it has no say in the errors.

    References
    ----------
    D. Firth (1993), Bias reduction of maximum likelihood estimates, *Biometrika* 80.
    """
    if likelihood.hidden is not None or not isinstance(likelihood.family, Categorical):
        raise ParameterError(
            "The penalty is known for outcomes with values and predictors that are not "
            "randomised; leave it out.",
            field="penalty",
        )
    steps = 1e-4 / likelihood.coefficient_spread()

    def prior(theta: Numbers) -> float:
        progress(0.0, "fitting")
        sign, size = np.linalg.slogdet(likelihood.expected_information(theta))
        return 0.5 * float(size) if sign > 0 else -math.inf

    def evaluate(theta: Numbers) -> Evaluation:
        plain = likelihood.evaluate(theta)
        slope = np.zeros(len(theta))
        for place in range(len(theta)):
            moved = np.zeros(len(theta))
            moved[place] = steps[place]
            slope[place] = (prior(theta + moved) - prior(theta - moved)) / (2 * steps[place])
        information = likelihood.expected_information(theta)
        return Evaluation(plain.value + prior(theta), plain.score + slope, information)

    found = maximise(evaluate, _starts(likelihood)[0])
    if not found.converged:
        raise not_converged(ML)
    inverse = _partial_inverse(found.evaluation.information, likelihood.coefficients)
    return Fitted(
        found.theta, inverse, lambda rows: likelihood.scores(found.theta, rows) @ inverse,
        found.iterations, likelihood.value(found.theta),
    )  # fmt: skip


def _partial_inverse(information: Numbers, inner: int) -> Numbers:
    """The inverse, with flat directions of the hidden cells' distribution held still.

    A cell that nobody seems to have may vanish, and then its share says nothing more. A flat
    direction of the coefficients themselves is an error without limit.
    """
    scale = np.sqrt(np.maximum(np.abs(np.diag(information)), 1e-12))
    scaled = information / np.outer(scale, scale)
    size = len(scaled)
    basis = np.eye(size)
    if size > inner:
        values, vectors = np.linalg.eigh(scaled[inner:, inner:])
        firm = values > 1e-7 * max(float(values.max(initial=0.0)), 1e-300)
        basis = np.zeros((size, inner + int(firm.sum())))
        basis[:inner, :inner] = np.eye(inner)
        basis[inner:, inner:] = vectors[:, firm]
    values, vectors = np.linalg.eigh(basis.T @ scaled @ basis)
    turned = basis @ vectors
    inside = (turned / np.maximum(values, _FLAT)) @ turned.T
    return np.asarray(inside / np.outer(scale, scale), np.float64)


def _starts(likelihood: Likelihood) -> list[Numbers]:
    """The intercept from the corrected share and the rest 0; others around it."""
    family, coding = likelihood.family, likelihood.coding
    weights, reported = likelihood.weights, likelihood.reported
    first = family.start(reported, weights, coding.size, coding.intercept)
    own = np.full(likelihood.own, DEVICE_START)
    if isinstance(family, Linear):
        first, own[:1] = _least_squares(likelihood)
    if likelihood.hidden is None:
        start = np.concatenate([first, own])
        if likelihood.device_place is not None:
            return [np.concatenate([first, [share]]) for share in _DEVICE_STARTS]
        if likelihood.rows < _MANY_ROWS:
            return [start]
        # A part of the rows leads near the maximum: a third of the passes over all of them is left.
        near = maximise(likelihood.every(likelihood.rows // _PART).evaluate, start)
        return [near.theta if near.converged and not near.separated else start]
    start = np.concatenate([first, own, *(block.start for block in likelihood.hidden.blocks)])
    draws = SeededStreams(0).generator("regression", "starts")
    starts = [start]
    slopes = 0.5 / likelihood.coefficient_spread()
    if coding.intercept is not None:
        # Intercepts and thresholds are where the corrected shares put them.
        slopes[np.abs(likelihood.maps[:, coding.intercept]).max(axis=0) > 0] = 0.0
    device = likelihood.device_place
    for number in range(1, _STARTS):
        moved = start.copy()
        if device is not None:
            moved[device] = _DEVICE_STARTS[number]
        moved[: likelihood.coefficients] += slopes * draws.standard_normal(len(slopes))
        starts.append(moved)
    return starts


def _least_squares(likelihood: Likelihood) -> tuple[Numbers, Numbers]:
    if likelihood.hidden is None and likelihood.rows > _MANY_ROWS:
        # Newton's method goes on from there with all rows.
        likelihood = likelihood.every(likelihood.rows // _PART)
    matrix = likelihood.mean_matrix()
    root = np.sqrt(likelihood.weights)
    beta = np.linalg.lstsq(matrix * root[:, None], likelihood.reported * root, rcond=None)[0]
    apart = likelihood.reported - matrix @ beta
    variance = float(likelihood.weights @ apart**2 / likelihood.weights.sum())
    return beta, np.array([0.5 * math.log(max(variance, 1e-30))])


def fit_by_inverse_weights(
    problem: Problem,
    start: Numbers,
    weights: Numbers | None = None,
    progress: Progress = silent,
) -> Fitted:
    r"""The root of ``sum_i w_i sum_c H_i[c] psi(y_i, x_i(c))``: no model of the predictors.

    The score of each true outcome is weighted by what is unbiased for it, too.
    """
    likelihood = problem.likelihood
    if weights is not None:
        likelihood = likelihood.with_weights(weights)
    lacks_cells = likelihood.hidden is not None and problem.cell_weights is None
    has_values = isinstance(likelihood.family, Categorical)
    if lacks_cells and problem.is_quasi:
        # The likelihood was no choice: these weights took its place.
        raise ParameterError(
            "An outcome under noise has no likelihood here, and inverse weights cannot undo noise "
            "on a predictor; leave that predictor out, or use the noise correction.",
            field="method",
        )
    if lacks_cells or (has_values and problem.outcome_weights is None):
        raise ParameterError(
            "Inverse weights cannot undo noise on a number, or a device that tells nothing; use "
            "the likelihood or the noise correction.",
            field="method",
        )
    equations = _InverseEquations(problem, likelihood)
    theta = start[: likelihood.coefficients]
    done = 0
    while True:
        done += 1
        if done > _MOST_STEPS:
            raise not_converged(INVERSE)
        sums, slope = equations.sums(theta, progress)
        step = np.linalg.lstsq(slope, sums, rcond=None)[0]
        longest = float(np.abs(step).max(initial=0.0))
        theta = theta + step * min(1.0, 5.0 / max(longest, 1e-300))
        if not np.isfinite(theta).all() or np.abs(theta).max() > 1e6:
            raise not_converged(INVERSE)
        if longest < 1e-10 * max(1.0, float(np.abs(theta).max())):
            break
    _, slope = equations.sums(theta, progress)
    inverse = np.asarray(np.linalg.pinv(slope), np.float64)
    remarks: tuple[str, ...] = ()
    if float(np.linalg.eigvalsh((slope + slope.T) / 2).min()) <= 0:
        remarks = (
            Message(
                "The equations of the inverse weights may have several solutions; trust the fit "
                "by likelihood more."
            ),
        )
    return Fitted(
        theta, inverse, lambda rows: equations.scores(theta, rows) @ inverse.T, done, None, False,
        remarks,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _InverseEquations:
    """Scores of all true answers that a row may stand for, with weights that are unbiased."""

    problem: Problem
    likelihood: Likelihood

    def sums(self, theta: Numbers, progress: Progress) -> tuple[Numbers, Numbers]:
        """The weighted sum of the scores, and minus its derivative."""
        likelihood = self.likelihood
        size = likelihood.coefficients
        total, slope = np.zeros(size), np.zeros((size, size))
        cells = 1 if likelihood.hidden is None else likelihood.hidden.count
        for rows in _parts(likelihood.rows, cells):
            progress(0.0, "fitting")
            matrix, share, gradient, information = self._curves(theta, rows)
            weights = likelihood.weights[rows]
            total += weights @ self._scores(matrix, share, gradient)
            flat = matrix.reshape(-1, matrix.shape[2])
            for k, one in enumerate(likelihood.maps):
                for place, other in enumerate(likelihood.maps):
                    weight = (weights[:, None] * share * information[..., k, place]).reshape(-1)
                    slope += one.T @ ((flat.T * weight) @ flat) @ other
        return total, slope

    def scores(self, theta: Numbers, rows: slice) -> Numbers:
        """The scores of some rows, before their weights."""
        start, stop, _ = rows.indices(self.likelihood.rows)
        cells = 1 if self.likelihood.hidden is None else self.likelihood.hidden.count
        found = np.empty((stop - start, self.likelihood.coefficients))
        for inner in _parts(stop - start, cells):
            part = slice(start + inner.start, start + inner.stop)
            found[inner] = self._scores(*self._curves(theta, part)[:3])
        return found

    def _scores(self, matrix: Numbers, share: Numbers, gradient: Numbers) -> Numbers:
        found = np.zeros((len(matrix), self.likelihood.coefficients))
        for k, one in enumerate(self.likelihood.maps):
            found += np.einsum("ic,icp->ip", share * gradient[..., k], matrix) @ one
        return found

    def _curves(self, theta: Numbers, rows: slice) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """Columns and weights by cell, gradient and information by linear predictor."""
        likelihood, family = self.likelihood, self.likelihood.family
        matrix = likelihood.matrix(rows)
        if likelihood.hidden is None:
            matrix = matrix[:, None, :]
            share = np.ones(matrix.shape[:2])
        else:
            assert self.problem.cell_weights is not None  # noqa: S101 (checked before)
            share = self.problem.cell_weights[rows]
        eta = matrix @ (likelihood.maps @ theta).T
        reported = likelihood.reported[rows]
        if not isinstance(family, Categorical):
            each = np.broadcast_to(reported[:, None], eta.shape[:2])
            curve = family.curve(eta, each, np.zeros(1 if isinstance(family, Linear) else 0))
            return matrix, share, curve.gradient[..., :1], curve.information[..., :1, :1]
        count = family.predictors
        gradient = np.zeros((*eta.shape[:2], count))
        information = np.zeros((*eta.shape[:2], count, count))
        assert self.problem.outcome_weights is not None  # noqa: S101 (values have weights)
        true = family.true()
        of_row = self.problem.outcome_weights[reported]
        for value in range(of_row.shape[1]):
            curve = true.curve(eta, np.full(eta.shape[:2], value), np.zeros(0))
            counted = of_row[:, value, None]
            gradient += counted[..., None] * curve.gradient
            information += counted[..., None, None] * curve.information
        return matrix, share, gradient, information


def _parts(rows: int, cells: int = 1) -> Iterator[slice]:
    """Rows in parts whose temporary arrays are small."""
    step = max(_AT_ONCE // cells, 16)
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))


def fit_by_correction(
    problem: Problem,
    weights: Numbers | None = None,
    progress: Progress = silent,
    start: Numbers | None = None,
) -> Fitted:
    """Closed corrections for noise that is added to a predictor; no distribution of it is needed.

    Parameters
    ----------
    weights
        Of the merged rows, if other than those of the problem.
    start
        Estimates that are near, as those of all people are for some of them.

    References
    ----------
    R. J. Carroll, D. Ruppert, L. A. Stefanski and C. M. Crainiceanu (2006), *Measurement Error in
    Nonlinear Models*.
    """
    columns = _noisy_columns(problem)
    naive = problem.naive
    if weights is not None:
        naive = naive.with_weights(weights)
    naive = replace(naive, reported=problem.likelihood.reported)
    if isinstance(naive.family, Linear):
        return _corrected_least_squares(naive, columns, progress)
    if isinstance(naive.family, Poisson):
        return _corrected_poisson(naive, columns, progress)
    if isinstance(naive.family, Logistic) and problem.outcome_weights is not None:
        return _conditional_score(problem, naive, columns, progress, start)
    raise ParameterError(
        "The closed correction is known for linear, Poisson and logistic models; use the "
        "likelihood.",
        field="method",
    )


def _noisy_columns(problem: Problem) -> dict[int, AddedNoise]:
    """Columns that are a noisy number itself, with their noise."""
    found: dict[int, AddedNoise] = {}
    coding = problem.likelihood.coding
    for place, label in enumerate(coding.labels):
        noisy = [name for name, _ in coding.columns[place] if name in problem.distorted]
        if not noisy:
            continue
        name = noisy[0]
        if len(coding.columns[place]) > 1 or label.term != name:
            raise ParameterError(
                Message(
                    "The closed correction takes {attribute!r} only as it is, not as {term}; use "
                    "the likelihood.",
                    attribute=name,
                    term=str(label),
                ),
                attribute=name,
                field="method",
            )
        if name not in problem.noises:
            raise ParameterError(
                Message(
                    "The closed correction needs added noise, which {attribute!r} has not; use "
                    "the likelihood or inverse weights.",
                    attribute=name,
                ),
                attribute=name,
                field="method",
            )
        found[place] = problem.noises[name]
    return found


def _conditional_score(
    problem: Problem,
    naive: Likelihood,
    noisy: dict[int, AddedNoise],
    progress: Progress,
    start: Numbers | None,
) -> Fitted:
    """Logistic regression on numbers with normal noise."""
    variances = np.zeros(naive.coding.size)
    for place, noise in noisy.items():
        if not noise.is_normal:
            raise ParameterError(
                Message(
                    "The closed correction of a logistic model needs normal noise, which "
                    "{attribute!r} has not; use the likelihood.",
                    attribute=naive.coding.labels[place].term,
                ),
                attribute=naive.coding.labels[place].term,
                field="method",
            )
        variances[place] = noise.variance
    assert problem.outcome_weights is not None  # noqa: S101 (values have weights)
    equations = ConditionalScore(
        naive.matrix, problem.outcome_weights[naive.reported], naive.weights, variances
    )
    separated = False
    if start is None:
        # The device of the outcome is undone, the noise is not.
        through = replace(naive, family=problem.likelihood.family)
        near = fit_by_likelihood(through, progress=progress)
        calibrated, separated = equations.calibrated(near.theta), near.separated
        if calibrated is None:
            raise _all_noise()
        begins = [calibrated, near.theta, (calibrated + near.theta) / 2]
    else:
        begins = [start]
    found = [equations.solve(begin, progress) for begin in begins]
    roots = different_roots([root for root in found if root is not None])
    if not roots:
        raise not_converged(CORRECTED)
    root = next((one for one in roots if one.is_stable), roots[0])
    remarks: tuple[str, ...] = ()
    if len(roots) > 1 or not root.is_stable:
        remarks = (
            Message(
                "The equations of the closed correction have several solutions, or a doubtful one; "
                "the one nearest to the calibrated regression is shown. Trust the fit by "
                "likelihood more.",
                code=SEVERAL_ROOTS,
            ),
        )
    inverse = np.asarray(np.linalg.inv(root.slope), np.float64)
    return Fitted(
        root.theta, inverse, lambda rows: equations.scores(root.theta, rows) @ inverse.T,
        root.iterations, None, separated, remarks,
    )  # fmt: skip


def _all_noise() -> DataError:
    return DataError(
        "The noise explains all that a predictor varies, so there is nothing left to fit; use "
        "a wider range of answers or less noise.",
        field="method",
    )


def _corrected_least_squares(
    naive: Likelihood, noisy: dict[int, AddedNoise], progress: Progress
) -> Fitted:
    weights, size = naive.weights, naive.coding.size
    noise = np.zeros(size)
    for place, added in noisy.items():
        noise[place] = added.variance
    slope, sums = -weights.sum() * np.diag(noise), np.zeros(size)
    for rows in _parts(naive.rows):
        progress(0.0, "fitting")
        matrix = naive.matrix(rows)
        slope += (matrix.T * weights[rows]) @ matrix
        sums += matrix.T @ (weights[rows] * naive.reported[rows])
    if float(np.linalg.eigvalsh(slope).min()) <= 0:
        raise _all_noise()
    theta = np.linalg.solve(slope, sums)
    inverse = np.linalg.inv(slope)

    def influence(rows: slice) -> Numbers:
        matrix = naive.matrix(rows)
        apart = naive.reported[rows] - matrix @ theta
        return _with_own_column((matrix * apart[:, None] + noise * theta) @ inverse.T)

    squares = sum(
        float(weights[rows] @ (naive.reported[rows] - naive.matrix(rows) @ theta) ** 2)
        for rows in _parts(naive.rows)
    )
    # The error of the outcome also holds what the noise of the predictors adds.
    variance = squares / float(weights.sum()) - float(noise @ theta**2)
    own = np.array([0.5 * math.log(max(variance, 1e-30))])
    return Fitted(np.concatenate([theta, own]), _with_own(inverse), influence, 1, None)


def _with_own(inverse: Numbers) -> Numbers:
    return np.pad(inverse, ((0, 1), (0, 1)))


def _with_own_column(influence: Numbers) -> Numbers:
    return np.pad(influence, ((0, 0), (0, 1)))


def _corrected_poisson(
    naive: Likelihood, noisy: dict[int, AddedNoise], progress: Progress
) -> Fitted:
    """``exp(b z)`` divided by what the noise makes of it on average (Nakamura 1990)."""
    weights, size = naive.weights, naive.coding.size

    def noise_terms(theta: Numbers) -> tuple[float, Numbers, Numbers]:
        value, slope, bend = 0.0, np.zeros(size), np.zeros(size)
        for place, noise in noisy.items():
            found = noise.log_mean_exponential(float(theta[place]))
            value += found[0]
            slope[place], bend[place] = found[1:]
        return value, slope, bend

    def scores(theta: Numbers, rows: slice) -> Numbers:
        value, slope, _ = noise_terms(theta)
        matrix = naive.matrix(rows)
        expected = np.exp(np.clip(matrix @ theta - value, -30, 30))
        return naive.reported[rows, None] * matrix - expected[:, None] * (matrix - slope)

    def evaluate(theta: Numbers) -> Evaluation:
        value, slope, bend = noise_terms(theta)
        if not math.isfinite(value):
            return Evaluation(-math.inf, np.zeros(size), np.eye(size))
        reached, score, information = 0.0, np.zeros(size), np.zeros((size, size))
        for rows in _parts(naive.rows):
            progress(0.0, "fitting")
            matrix, counts, weight = naive.matrix(rows), naive.reported[rows], weights[rows]
            eta = matrix @ theta
            expected = np.exp(np.clip(eta - value, -30, 30))
            moved = matrix - slope
            reached += float(weight @ (counts * eta - expected))
            score += matrix.T @ (weight * counts) - moved.T @ (weight * expected)
            information += (moved.T * (weight * expected)) @ moved
            information -= float(weight @ expected) * np.diag(bend)
        return Evaluation(reached, score, information)

    start = naive.family.start(naive.reported, weights, size, naive.coding.intercept)
    found = maximise(evaluate, start)
    if not found.converged:
        raise not_converged(CORRECTED)
    inverse = np.asarray(np.linalg.inv(found.evaluation.information), np.float64)
    return Fitted(
        found.theta, inverse, lambda rows: scores(found.theta, rows) @ inverse.T,
        found.iterations, None,
    )  # fmt: skip
