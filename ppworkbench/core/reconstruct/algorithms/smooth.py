"""Smoothed maximum likelihood: the default for numbers under noise.

A log-density with a roughness penalty, fitted to counts of Z by Newton's method.

X's distribution is ``x_p = w_p exp(eta_p) / sum`` with widths w and a log-density eta = B a. The
penalised likelihood is ``n sum_s z_s log (A x)_s - lambda/2 |D eta|^2`` with D the differences of
some order. It has one maximum for large lambda; the way to smaller ones starts there (Eilers 2007).

The columns of B are the eigenvectors of D'D, so that the penalty is a sum of squares: the smoothest
shapes come first, and when there are many cells the roughest are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.params import Annotated, Info, Within
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.channel import NUMBERS, CountedChannel
from ppworkbench.core.reconstruct.estimator import Estimator, Fit, estimators, known_fit
from ppworkbench.core.reconstruct.reconstruction import Trace
from ppworkbench.core.reconstruct.stopping import StopRule
from ppworkbench.core.reconstruct.worst_case import TRUE_CELLS, bin_targets

_MOST_SHAPES = 80
_LONGEST_STEP = 5.0
_MOST_STEPS = 60
_STILL = 1e-4
_WIDEST_TREND = 100.0
"""How many times e the density may change over the domain without being held back: a prior so weak
that it shows only where there are hardly any answers."""


@lru_cache(maxsize=32)
def shapes(k: int, order: int) -> tuple[Numbers, Numbers]:
    """Orthonormal log-densities over k cells, and the roughness |D eta|^2 of each.

    First the polynomials that the penalty does not see, except the constant, which a density does
    not see either; then rougher and rougher ones.
    """
    order = min(order, k - 1)
    penalty = np.diff(np.eye(k), order, axis=0)
    last = min(k, _MOST_SHAPES + order) - 1
    _, vectors = eigh(penalty.T @ penalty, subset_by_index=[0, last])
    smooth = np.linalg.qr(np.vander(np.linspace(-1, 1, k), order, increasing=True))[0]
    # Rounding mixes the smoothest of the rough shapes with those that are not rough at all.
    rough = vectors[:, order:] - smooth @ (smooth.T @ vectors[:, order:])
    roughness = np.square(penalty @ rough).sum(axis=0)
    return np.hstack([smooth[:, 1:], rough]), np.concatenate([np.zeros(order - 1), roughness])


@dataclass(frozen=True, eq=False)
class Solution:
    smoothing: float
    coefficients: Numbers
    probability: Numbers
    evidence: float
    steps: int


class PenalisedLikelihood:
    """Counts of Z seen through a channel, and the penalty on the log-density of X."""

    def __init__(
        self, matrix: Numbers, counts: Numbers, widths: Numbers, n: float, order: int
    ) -> None:
        possible = matrix.max(axis=1) > 0
        self._matrix = matrix[possible]
        self._counts = n * counts[possible] / counts.sum()
        self._seen = self._counts > 0
        self._offset = np.log(widths / widths.mean())
        self._n = n
        k = matrix.shape[1]
        self._shapes, self._roughness = shapes(k, order)
        self._rank = int(np.count_nonzero(self._roughness))
        # A straight line that changes by 1 over the domain has a coefficient of this size.
        unit = np.linalg.norm(np.linspace(-0.5, 0.5, k))
        self._weak = np.where(self._roughness > 0, 0.0, (_WIDEST_TREND * unit) ** -2)

    def start(self) -> Numbers:
        return np.zeros(self._shapes.shape[1])

    def _penalty(self, smoothing: float) -> Numbers:
        return smoothing * self._roughness + self._weak

    def _distribution(self, coefficients: Numbers) -> Numbers:
        eta = self._shapes @ coefficients + self._offset
        x = np.exp(eta - eta.max())
        return np.asarray(x / x.sum())

    def _objective(self, coefficients: Numbers, x: Numbers, penalty: Numbers) -> float:
        fitted = (self._matrix @ x)[self._seen]
        if np.any(fitted <= 0):
            return -np.inf
        likelihood = float(self._counts[self._seen] @ np.log(fitted))
        return likelihood - 0.5 * float(penalty @ coefficients**2)

    def _derivatives(self, x: Numbers) -> tuple[Numbers, Numbers]:
        """Score and expected information of the coefficients, without the penalty."""
        fitted = self._matrix @ x
        mean = x @ self._shapes
        positive = fitted > 0
        fitted = fitted[positive]
        slope = self._matrix[positive] @ (x[:, None] * self._shapes) - fitted[:, None] * mean
        score = slope.T @ (self._counts[positive] / fitted)
        return score, self._n * ((slope.T / fitted) @ slope)

    def solve(self, smoothing: float, start: Numbers) -> Solution:
        """Newton steps, each shortened until the penalised likelihood does not fall."""
        penalty = self._penalty(smoothing)
        a, x = start, self._distribution(start)
        value = self._objective(a, x, penalty)
        steps, log_det = 0, 0.0
        while steps < _MOST_STEPS:
            steps += 1
            score, information = self._derivatives(x)
            factor = cho_factor(information + np.diag(penalty), check_finite=False)
            log_det = 2 * float(np.log(np.diag(factor[0])).sum())
            step = cho_solve(factor, score - penalty * a, check_finite=False)
            longest = float(np.abs(self._shapes @ step).max())
            step *= min(1.0, _LONGEST_STEP / max(longest, 1e-300))
            a, x, gained = self._walk(a, x, value, step, penalty)
            value += gained
            if gained < _STILL:
                break
        evidence = value + 0.5 * self._rank * np.log(smoothing) - 0.5 * log_det
        return Solution(smoothing, a, x, float(evidence), steps)

    def _walk(
        self, a: Numbers, x: Numbers, value: float, step: Numbers, penalty: Numbers
    ) -> tuple[Numbers, Numbers, float]:
        length = 1.0
        while length > 1e-6:
            b = a + length * step
            y = self._distribution(b)
            reached = self._objective(b, y, penalty)
            if reached >= value:
                return b, y, reached - value
            length /= 2
        return a, x, 0.0

    def covariance(self, solution: Solution) -> Numbers:
        """The covariance of the distribution, the penalty taken for a prior.

        The inverse of information plus penalty on the log-density, carried over to x. It covers the
        smoothing bias on the average over the cells (Nychka 1988; Marra and Wood 2012).
        """
        x = solution.probability
        _, information = self._derivatives(x)
        slope = x[:, None] * (self._shapes - x @ self._shapes)
        curved = information + np.diag(self._penalty(solution.smoothing))
        factor = cho_factor(curved, check_finite=False)
        return np.asarray(slope @ cho_solve(factor, slope.T, check_finite=False))

    def freedom(self, solution: Solution) -> float:
        """The effective degrees of freedom: the trace of (information + penalty)^-1 information.

        Shapes that the penalty holds back count in part (Eilers and Marx 1996).
        """
        _, information = self._derivatives(solution.probability)
        curved = information + np.diag(self._penalty(solution.smoothing))
        factor = cho_factor(curved, check_finite=False)
        return float(np.trace(cho_solve(factor, information, check_finite=False)))


_STRONGEST, _WEAKEST, _STEP = 8.0, -3.0, 0.5
_HOPELESS = 20.0
_NEGLIGIBLE = 1e-3
_CELLS_PER_INTERVAL = 4
_ENOUGH_CELLS = 40


@estimators.register(
    "smooth", "Smoothed likelihood", short="Smoothed", hint="penalised, no stopping rule", rank=60
)
@dataclass(frozen=True)
class Smooth(Estimator):
    """The likeliest log-density under a roughness penalty, as strong as the data ask for.

    ``n sum_s z_s log (A x)_s - lambda/2 |D log x|^2`` is maximised with differences D of the second
    order for a row of lambdas. The estimate is their mean, weighted by the marginal likelihood of
    lambda (Laplace's approximation). Undoing noise is ill-posed: EM has to stop early to be any
    good; here the penalty takes that part, and it gives intervals that know of it.

    References
    ----------
    P. H. C. Eilers (2007), "Ill-posed problems with counts, the composite link model and penalized
    likelihood", Statistical Modelling 7; D. Nychka (1988), "Bayesian confidence intervals for
    smoothing splines", JASA 83.
    """

    order: Annotated[
        int,
        Within(1, 3),
        Info("Order", "1 shrinks towards a uniform density, 2 an exponential, 3 a normal one"),
    ] = 2
    smoothing: Annotated[
        float | None,
        Within(0, open_low=True),
        Info("Smoothing", "Weight of the penalty; estimated if not set"),
    ] = None

    name: ClassVar[str] = "smooth"
    serves: ClassVar[frozenset[str]] = frozenset({NUMBERS})
    counterpart: ClassVar[str] = "accelerated"

    def fit(
        self,
        counted: CountedChannel,
        stop: StopRule | None = None,  # noqa: ARG002 (the penalty takes the part of the stop)
        seed: int = 0,  # noqa: ARG002
        progress: Progress = silent,
    ) -> Fit:
        known = known_fit(counted)
        if known is not None:
            return known
        fine, together = _finer(counted)
        small = fine.merged(_CELLS_PER_INTERVAL * max(fine.k, 50))
        widths = np.ones(fine.k) if fine.x_edges is None else np.diff(fine.x_edges)
        problem = PenalisedLikelihood(small.matrix, small.usable, widths, counted.size, self.order)
        path = self._path(problem, progress)
        mean, covariance, freedom = _average(problem, path)
        estimates = np.array([*(solution.probability for solution in path), mean])
        # Bins of any width are sums of what was found on the fine grid.
        estimates, covariance = estimates @ together, together.T @ covariance @ together
        mean = estimates[-1]
        steps = np.cumsum([*(solution.steps for solution in path), 0])
        return Fit(
            mean,
            mean,
            int(steps[-1]),
            trace=Trace(steps, estimates, counted.matrix, counted.usable),
            covariance=covariance,
            freedom=freedom,
        )

    def _path(self, problem: PenalisedLikelihood, progress: Progress) -> list[Solution]:
        if self.smoothing is not None:
            progress(0.0, "smoothing")
            found = [problem.solve(self.smoothing, problem.start())]
            progress(1.0, "smoothed")
            return found
        path: list[Solution] = []
        start, best = problem.start(), -np.inf
        exponents = np.arange(_STRONGEST, _WEAKEST - _STEP / 2, -_STEP)
        for done, exponent in enumerate(exponents):
            progress(done / len(exponents), "trying degrees of smoothing")
            solution = problem.solve(10.0**exponent, start)
            path.append(solution)
            start, best = solution.coefficients, max(best, solution.evidence)
            if solution.evidence < best - _HOPELESS:
                break
        progress(1.0, "smoothed")
        return path


def _finer(counted: CountedChannel) -> tuple[CountedChannel, Numbers]:
    """The counts with enough cells of X, and which of these make up each cell of now.

    Within wide bins a number is not spread evenly, and a fit that takes it to be is biased.
    """
    if counted.k >= _ENOUGH_CELLS or not counted.is_noisy:
        return counted, np.eye(counted.k)
    fine = counted.divided(TRUE_CELLS)
    assert fine.x_edges is not None  # noqa: S101 (a number)
    assert counted.x_edges is not None  # noqa: S101
    return fine, bin_targets(fine.x_edges, counted.x_edges).T


def _average(problem: PenalisedLikelihood, path: list[Solution]) -> tuple[Numbers, Numbers, float]:
    """Mean, covariance and degrees of freedom over the penalties, weighted by their evidence."""
    evidence = np.array([solution.evidence for solution in path])
    weights = np.exp(evidence - evidence.max())
    weights /= weights.sum()
    mean = weights @ np.array([solution.probability for solution in path])
    covariance, freedom = np.zeros((len(mean), len(mean))), 0.0
    for weight, solution in zip(weights, path, strict=True):
        if weight > _NEGLIGIBLE:
            apart = solution.probability - mean
            covariance += weight * (problem.covariance(solution) + np.outer(apart, apart))
            freedom += weight * problem.freedom(solution)
    return mean, covariance, freedom
