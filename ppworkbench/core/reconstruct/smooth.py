"""Smoothed maximum likelihood: the default for numbers under noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Within
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.channel import NUMBERS, CountedChannel
from ppworkbench.core.reconstruct.estimator import Estimator, Fit, estimators
from ppworkbench.core.reconstruct.penalised import PenalisedLikelihood, Solution
from ppworkbench.core.reconstruct.stopping import StopRule
from ppworkbench.core.reconstruct.trace import Trace

Numbers = NDArray[np.float64]

_STRONGEST, _WEAKEST, _STEP = 8.0, -3.0, 0.5
_HOPELESS = 20.0
_NEGLIGIBLE = 1e-3
_CELLS_PER_INTERVAL = 4


@estimators.register(
    "smooth", "Smoothed likelihood", short="Smoothed", hint="penalised, needs no stop", rank=60
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
        Info("Order", "1 pulls towards a flat density, 2 towards an exponential, 3 to a normal"),
    ] = 2
    smoothing: Annotated[
        float | None,
        Within(0, open_low=True),
        Info("Smoothing", "Weight of the penalty; found from the data if not set"),
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
        """Go from the strongest penalty to weaker ones and average by their evidence."""
        if counted.total <= 0 or counted.k == 1 or counted.is_undistorted:
            # Answers that nobody distorted need no smoothing.
            x = counted.shares if counted.is_undistorted else np.zeros(counted.k)
            x = x if x.any() else np.full(counted.k, 1 / counted.k)
            return Fit(x, x)
        small = counted.merged(_CELLS_PER_INTERVAL * max(counted.k, 50))
        widths = np.ones(counted.k) if counted.x_edges is None else np.diff(counted.x_edges)
        problem = PenalisedLikelihood(small.matrix, small.usable, widths, counted.size, self.order)
        path = self._path(problem, progress)
        mean, covariance = _average(problem, path)
        estimates = np.array([*(solution.probability for solution in path), mean])
        steps = np.cumsum([*(solution.steps for solution in path), 0])
        return Fit(
            mean,
            mean,
            int(steps[-1]),
            trace=Trace(steps, estimates, counted.matrix, counted.usable),
            covariance=covariance,
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
            progress(
                done / len(exponents), Message("smoothing by 10^{exponent:g}", exponent=exponent)
            )
            solution = problem.solve(10.0**exponent, start)
            path.append(solution)
            start, best = solution.coefficients, max(best, solution.evidence)
            if solution.evidence < best - _HOPELESS:
                break
        progress(1.0, "smoothed")
        return path


def _average(problem: PenalisedLikelihood, path: list[Solution]) -> tuple[Numbers, Numbers]:
    """Mean and covariance over the strengths of the penalty, weighted by their evidence."""
    evidence = np.array([solution.evidence for solution in path])
    weights = np.exp(evidence - evidence.max())
    weights /= weights.sum()
    mean = weights @ np.array([solution.probability for solution in path])
    covariance = np.zeros((len(mean), len(mean)))
    for weight, solution in zip(weights, path, strict=True):
        if weight > _NEGLIGIBLE:
            apart = solution.probability - mean
            covariance += weight * (problem.covariance(solution) + np.outer(apart, apart))
    return mean, covariance
