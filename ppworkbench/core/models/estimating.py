"""Fits: by likelihood, by inverse weights, and by corrected sums; with what moves their estimates.

Each gives estimates and, for every merged row, its *influence*: how far one more such row moves
them. Standard errors of any kind follow from the influences alone.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design.noises.distribution import AddedNoise
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.models.coding import MANY_ROWS, ColumnLabel
from ppworkbench.core.models.family import Fitted, not_converged, row_parts, weak_answers
from ppworkbench.core.models.formula import Formula
from ppworkbench.core.models.likelihood import Likelihood
from ppworkbench.core.models.maximise import FAR_AWAY, Evaluation, Maximum, maximise
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.survey.factors.devices import DEVICE_START

ML, INVERSE, CORRECTED = "ml", "inverse", "corrected"
_STARTS = 5
_MOST_STEPS = 100
_FLAT = 1e-12
_DEVICE_STARTS = (DEVICE_START, 0.95, 0.6, 0.4, 0.2)


@dataclass(frozen=True, eq=False)
class Problem:
    """What is fitted.

    Parameters
    ----------
    likelihood
        Rows that report the same are one row, with the sum of their weights.
    naive
        The same with every report taken for the truth; of every record where some are numbers.
    place
        The merged row of each record that counts, and ``rows`` where these are in the table.
    outcome_weights
        For every report of the outcome, weights that are unbiased for its true values; None for a
        number. ``cell_weights`` do the same for the cells of distorted predictors, by merged row.
    is_quasi
        Whether the outcome is a number under noise, of which only the score is known.
    noises
        What is added to predictors, where it is the same for every number.
    """

    formula: Formula
    model: str
    attributes: Mapping[str, Attribute]
    distorted: tuple[str, ...]
    likelihood: Likelihood
    naive: Likelihood
    place: Codes
    rows: NDArray[np.int64]
    total: int
    outcome_weights: Numbers | None
    cell_weights: Numbers | None
    is_quasi: bool
    noises: Mapping[str, AddedNoise]
    remarks: tuple[str, ...]
    smallest: tuple[str, str, int] | None = None
    """The predictor and its value that fewest of these records report, and how many do."""
    unknown: tuple[str, str] = ("", "")
    limit: float | None = None
    """The unknown parameter of a device, with its attribute, and the end of the range where it is
    held if that was passed."""

    times: Numbers | None = None
    """How many records each of ``rows`` stands for, where equal ones were merged as they came."""
    sizes: Mapping[ColumnLabel, float] = field(default_factory=dict)
    """How many records report the values of each column."""

    @property
    def is_pseudo(self) -> bool:
        """Whether what is maximised is no likelihood of whole records: no ratios, robust errors."""
        return self.is_quasi or self.likelihood.check is not None

    @property
    def n(self) -> int:
        return len(self.rows) if self.times is None else int(self.times.sum())

    @property
    def left_out(self) -> int:
        return self.total - self.n


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
    if likelihood.hidden is not None or not likelihood.family.gives_shares:
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
    coding, device = likelihood.coding, likelihood.device_place
    start = likelihood.family.start(likelihood)
    if likelihood.hidden is None:
        if device is not None:
            return [_with_device(start, device, share) for share in _DEVICE_STARTS]
        if likelihood.rows < MANY_ROWS:
            return [start]
        # A part of the rows leads near the maximum: a third of the passes over all of them is left.
        near = maximise(likelihood.sparse().evaluate, start)
        return [near.theta if near.converged and not near.separated else start]
    # What is left of the own parameters is the unknown one of a predictor's device.
    rest = likelihood.coefficients + likelihood.own - len(start)
    blocks = (block.start for block in likelihood.hidden.blocks)
    start = np.concatenate([start, np.full(rest, DEVICE_START), *blocks])
    draws = SeededStreams(0).generator("regression", "starts")
    starts = [start]
    slopes = 0.5 / likelihood.coefficient_spread()
    if coding.intercept is not None:
        # Intercepts and thresholds are where the corrected shares put them.
        slopes[np.abs(likelihood.maps[:, coding.intercept]).max(axis=0) > 0] = 0.0
    for number in range(1, _STARTS):
        moved = start.copy()
        if device is not None:
            moved = _with_device(start, device, _DEVICE_STARTS[number])
        moved[: likelihood.coefficients] += slopes * draws.standard_normal(len(slopes))
        starts.append(moved)
    return starts


def _with_device(start: Numbers, place: int, parameter: float) -> Numbers:
    moved = start.copy()
    moved[place] = parameter
    return moved


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
    _check_weights(problem)
    equations = _InverseEquations(problem, likelihood)
    theta = start[: likelihood.coefficients]
    is_linear = likelihood.family.has_linear_score
    failed = not_converged(INVERSE)
    if problem.cell_weights is not None:
        failed = weak_answers(problem.distorted, problem.n)
    done = 0
    while True:
        done += 1
        if done > _MOST_STEPS:
            raise failed
        sums, slope = equations.sums(theta, progress)
        step = np.linalg.lstsq(slope, sums, rcond=None)[0]
        longest = float(np.abs(step).max(initial=0.0))
        # A slope that is the same everywhere leads to the root at once, however far that is.
        theta = theta + step * (1.0 if is_linear else min(1.0, 5.0 / max(longest, 1e-300)))
        if not np.isfinite(theta).all() or (not is_linear and np.abs(theta).max() > 1e6):
            raise failed
        if longest < 1e-10 * max(1.0, float(np.abs(theta).max())):
            break
    if equations.farthest(theta) > FAR_AWAY:
        raise DataError(
            "A group reports as if nobody or everybody in it had the outcome (separation), and "
            "then the inverse weights have no solution; join values, leave the predictor out, or "
            "use the likelihood.",
            field="method",
        )
    _, slope = equations.sums(theta, progress)
    if is_linear and problem.cell_weights is not None and not equations.determine(slope):
        raise failed
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


def _check_weights(problem: Problem) -> None:
    """Refuse what has no inverse weights, with the reason."""
    likelihood = problem.likelihood
    lacks_cells = likelihood.hidden is not None and problem.cell_weights is None
    if lacks_cells and problem.is_quasi:
        # The likelihood was no choice: these weights took its place.
        raise ParameterError(
            "An outcome under noise has no likelihood here, and inverse weights cannot undo noise "
            "on a predictor; leave that predictor out, or use the noise correction.",
            field="method",
        )
    if lacks_cells or (likelihood.family.gives_shares and problem.outcome_weights is None):
        raise ParameterError(
            "Inverse weights cannot undo noise on a number, or a device that tells nothing; use "
            "the likelihood or the noise correction.",
            field="method",
        )


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
        for rows in row_parts(likelihood.rows, cells):
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

    def farthest(self, theta: Numbers) -> float:
        """The largest linear predictor on any row, in size; 0 where large ones mean nothing."""
        likelihood = self.likelihood
        cells = 1 if likelihood.hidden is None else likelihood.hidden.count
        beta = (likelihood.maps @ theta).T
        return max(
            likelihood.farthest(likelihood.matrix(rows) @ beta)
            for rows in row_parts(likelihood.rows, cells)
        )

    def determine(self, squares: Numbers) -> bool:
        """Whether more is left of every column than what randomness alone leaves.

        ``squares`` are the estimated sums of squares and products of the true columns. What is
        left of a column beside the others is a variance, and its estimate is too small by what the
        errors of their coefficients add. Where that is most of it, nothing follows.
        """
        likelihood = self.likelihood
        scale = np.sqrt(np.maximum(np.diag(squares), 1e-300))
        if float(np.linalg.eigvalsh(squares / np.outer(scale, scale)).min()) <= 0:
            return False
        inverse = np.linalg.inv(squares)
        cells = 1 if likelihood.hidden is None else likelihood.hidden.count
        size = likelihood.coefficients
        lost = np.zeros(size)
        for rows in row_parts(likelihood.rows, cells):
            matrix, share, *_ = self._curves(np.zeros(size), rows)
            for place in range(size):
                others = np.delete(np.arange(size), place)
                rest = inverse[:, place] / inverse[place, place]
                pull = np.einsum("ic,ic,icp->ip", share, matrix @ rest, matrix[..., others])
                inner = np.linalg.inv(squares[np.ix_(others, others)])
                lost[place] += likelihood.weights[rows] @ ((pull @ inner) * pull).sum(axis=1)
        unit = float(likelihood.weights.sum()) / self.problem.n
        return bool((1 / np.diag(inverse) > unit * lost).all())

    def scores(self, theta: Numbers, rows: slice) -> Numbers:
        start, stop, _ = rows.indices(self.likelihood.rows)
        cells = 1 if self.likelihood.hidden is None else self.likelihood.hidden.count
        found = np.empty((stop - start, self.likelihood.coefficients))
        for inner in row_parts(stop - start, cells):
            part = slice(start + inner.start, start + inner.stop)
            found[inner] = self._scores(*self._curves(theta, part)[:3])
        return found

    def _scores(self, matrix: Numbers, share: Numbers, gradient: Numbers) -> Numbers:
        found = np.zeros((len(matrix), self.likelihood.coefficients))
        for k, one in enumerate(self.likelihood.maps):
            found += np.einsum("ic,icp->ip", share * gradient[..., k], matrix) @ one
        return found

    def _curves(self, theta: Numbers, rows: slice) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        likelihood = self.likelihood
        matrix = likelihood.matrix(rows)
        if likelihood.hidden is None:
            matrix = matrix[:, None, :]
            share = np.ones(matrix.shape[:2])
        else:
            assert self.problem.cell_weights is not None  # noqa: S101 (checked before)
            share = self.problem.cell_weights[rows]
        eta = matrix @ (likelihood.maps @ theta).T
        gradient, information = likelihood.family.unbiased_curve(
            eta, likelihood.reported[rows], self.problem.outcome_weights
        )
        return matrix, share, gradient, information


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
    return problem.likelihood.family.fit_corrected(
        naive, columns, problem.outcome_weights, progress, start
    )


def _noisy_columns(problem: Problem) -> dict[int, AddedNoise]:
    found: dict[int, AddedNoise] = {}
    coding = problem.likelihood.coding
    for place, label in enumerate(coding.labels):
        noisy = [name for name, _ in coding.columns[place] if name in problem.distorted]
        if not noisy:
            continue
        name = noisy[0]
        if len(coding.columns[place]) > 1 or label.term != name:
            raise ParameterError.saying(
                "The closed correction takes {attribute!r} only as it is, not as {term}; use "
                "the likelihood.",
                term=str(label),
                attribute=name,
                field="method",
            )
        if name not in problem.noises:
            raise ParameterError.saying(
                "The closed correction needs added noise, which {attribute!r} has not; use "
                "the likelihood or inverse weights.",
                attribute=name,
                field="method",
            )
        found[place] = problem.noises[name]
    return found
