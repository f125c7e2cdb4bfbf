"""The answer of converged EM in a few Newton steps.

Newton steps on the support: the shortest way to the likeliest distribution, when it works.

The solution of the equations, projected on the simplex, is nearly the maximum-likelihood estimate,
and mostly has its support. A few Newton steps on the entries that are not 0, each cut off at 0,
then lead to it. Whether they did is certain from the gradient; where they did not, the safe way is
taken: Newton steps inside the simplex (:func:`maximise`).

Maximising ``sum_s z_s log (A x)_s`` over distributions x is the same as minimising
``sum_p x_p - sum_s z_s log (A x)_s`` over x >= 0. Its primal-dual path, with slacks y and
x_p y_p = mu -> 0, is followed by Newton's method. Two dozen steps do what EM needs thousands for,
and the concavity of the likelihood makes the answer the same. The largest entry of
``A' (z / A x)`` minus 1 bounds how much the mean log-likelihood can still grow (Lindsay 1983), so
that the end is certain, not guessed.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ppworkbench.core.arrays import Numbers, project
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Within
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.algorithms.em import Em
from ppworkbench.core.reconstruct.channel import NUMBERS, VALUES, CountedChannel
from ppworkbench.core.reconstruct.estimator import Estimator, Fit, estimators
from ppworkbench.core.reconstruct.reconstruction import Trace
from ppworkbench.core.reconstruct.stopping import StopRule

_TO_BORDER = 0.995
_CENTRING = 0.1
_MOST_PRODUCTS = 4_000_000


@dataclass(frozen=True, eq=False)
class Maximum:
    """Estimates, one row per survey, and how far each is from the largest likelihood."""

    probability: Numbers
    gap: Numbers
    iterations: int
    path: tuple[Numbers, ...]


def maximise(
    matrix: Numbers,
    shares: Numbers,
    tolerance: float = 1e-10,
    most: int = 200,
    progress: Progress = silent,
) -> Maximum:
    """The maximum-likelihood distribution for every row of ``shares``.

    Parameters
    ----------
    shares
        Proportions of distorted answers, one survey per row; all of them reachable by the channel.
    tolerance
        How much the mean log-likelihood may still grow.
    """
    runs, k = len(shares), matrix.shape[1]
    x, slack = np.full((runs, k), 1 / k), np.ones((runs, k))
    curvature = _Curvature(matrix, runs)
    path: list[Numbers] = []
    iteration = 0
    while True:
        path.append(x)
        fitted = x @ matrix.T
        ratio = np.divide(shares, fitted, out=np.zeros_like(shares), where=fitted > 0)
        gradient = ratio @ matrix
        gap = gradient.max(axis=1) - 1
        mu = (x * slack).mean(axis=1, keepdims=True)
        progress(1 - 0.8**iteration, Message("step {iteration}", iteration=iteration))
        if iteration >= most or (gap.max() < tolerance and mu.max() < 0.01 * tolerance):
            break
        weight = np.divide(ratio, fitted, out=np.zeros_like(ratio), where=fitted > 0)
        hessian = curvature.of(weight)
        diagonal = np.arange(k)
        hessian[:, diagonal, diagonal] += slack / x
        target = _CENTRING * mu
        step = _solve(hessian, gradient - 1 + target / x)
        slack_step = (target - slack * step) / x - slack
        x = x + _longest(x, step) * step
        slack = slack + _longest(slack, slack_step) * slack_step
        iteration += 1
    progress(1.0, Message("step {iteration}", iteration=iteration))
    return Maximum(_rounded(x, slack), np.maximum(gap, 0.0), iteration, tuple(path))


def _solve(matrices: Numbers, rights: Numbers) -> Numbers:
    if len(matrices) == 1:
        # Half the work for one large matrix; many small ones are faster in one call.
        with suppress(LinAlgError):
            factor = cho_factor(matrices[0], check_finite=False)
            return np.asarray(cho_solve(factor, rights[0], check_finite=False))[None, :]
    return np.asarray(np.linalg.solve(matrices, rights[..., None])[..., 0])


def _longest(point: Numbers, step: Numbers) -> Numbers:
    """How far to go so that everything stays positive, at most 1."""
    falling = step < 0
    room = np.where(falling, -point / np.where(falling, step, -1.0), np.inf)
    return np.asarray(np.minimum(1.0, _TO_BORDER * room.min(axis=1, keepdims=True)))


def _rounded(x: Numbers, slack: Numbers) -> Numbers:
    """Entries that only the path keeps off the border are exactly 0."""
    x = np.where((x < 1e-6) & (slack > 10 * x), 0.0, x)
    return np.asarray(x / x.sum(axis=1, keepdims=True))


class _Curvature:
    """``A' diag(w) A`` for one weight vector after the other, or for many at once."""

    def __init__(self, matrix: Numbers, runs: int) -> None:
        self._matrix = matrix
        m, k = matrix.shape
        self._products = None
        if runs > 1 and m * k * k <= _MOST_PRODUCTS:
            self._products = (matrix[:, :, None] * matrix[:, None, :]).reshape(m, k * k)

    def of(self, weights: Numbers) -> Numbers:
        """One k x k matrix per row of weights."""
        k = self._matrix.shape[1]
        if self._products is not None:
            return (weights @ self._products).reshape(-1, k, k)
        return np.stack([_gram(self._matrix, weight) for weight in weights])


def _gram(matrix: Numbers, weight: Numbers) -> Numbers:
    part = matrix * np.sqrt(weight)[:, None]
    return np.asarray(part.T @ part)


_MOST_STEPS = 12
_SHORTEST = 1e-4


@dataclass(frozen=True, eq=False)
class Path:
    """Estimates from the start to the end, and how much the mean log-likelihood may still grow."""

    estimates: tuple[Numbers, ...]
    gap: float


def climb(matrix: Numbers, shares: Numbers, start: Numbers, tolerance: float) -> Path | None:
    """Go to the largest ``sum_s z_s log (A x)_s - sum_p x_p`` over x >= 0; None if that fails.

    All shares must be positive. The maximum sums to 1 by itself.
    """
    x = start
    fitted = matrix @ x
    if np.any(fitted <= 0):
        return None
    value = _value(x, fitted, shares)
    path = [x]
    for _ in range(_MOST_STEPS):
        gradient = matrix.T @ (shares / fitted)
        gap = max(float(gradient.max()) - 1, float(np.abs(x * (gradient - 1)).max()))
        if gap <= tolerance:
            return Path(tuple(path), gap)
        step = _step(matrix, shares, fitted, gradient, (x > 0) | (gradient > 1))
        moved = None if step is None else _walk(matrix, shares, x, value, step)
        if moved is None:
            return None
        x, fitted, value = moved
        path.append(x)
    return None


def _value(x: Numbers, fitted: Numbers, shares: Numbers) -> float:
    return float(shares @ np.log(fitted)) - float(x.sum())


def _step(
    matrix: Numbers,
    shares: Numbers,
    fitted: Numbers,
    gradient: Numbers,
    free: NDArray[np.bool_],
) -> Numbers | None:
    part = matrix[:, free] * (np.sqrt(shares) / fitted)[:, None]
    try:
        factor = cho_factor(part.T @ part, check_finite=False)
    except LinAlgError:
        return None
    step = np.zeros(len(gradient))
    step[free] = cho_solve(factor, gradient[free] - 1, check_finite=False)
    return step if np.isfinite(step).all() else None


def _walk(
    matrix: Numbers, shares: Numbers, x: Numbers, value: float, step: Numbers
) -> tuple[Numbers, Numbers, float] | None:
    length = 1.0
    while length > _SHORTEST:
        y = np.maximum(x + length * step, 0.0)
        fitted = matrix @ y
        if np.all(fitted > 0):
            reached = _value(y, fitted, shares)
            if reached >= value:
                return y, fitted, reached
        length /= 2
    return None


@estimators.register(
    "accelerated",
    "Accelerated EM, maximum likelihood",
    short="EM, accelerated",
    hint="same result, fewer iterations",
    rank=50,
)
@dataclass(frozen=True)
class Accelerated(Estimator):
    """The maximum-likelihood distribution by Newton's method.

    A few steps from the solution of EQ, or an interior-point method where these fail.

    Values under a P-matrix: the default wherever EQ has negative entries. Numbers under noise: the
    limit of EM, which fits the noise; use it to see that, not to estimate.

    References
    ----------
    B. G. Lindsay (1983), "The geometry of mixture likelihoods", Annals of Statistics 11;
    R. Koenker and I. Mizera (2014), "Convex optimization, shape constraints, compound decisions,
    and empirical Bayes rules", JASA 109.
    """

    tolerance: Annotated[
        float,
        Within(0, open_low=True),
        Info("Tolerance", "Largest remaining increase of the mean log-likelihood"),
    ] = 1e-10

    name: ClassVar[str] = "accelerated"
    serves: ClassVar[frozenset[str]] = frozenset({VALUES, NUMBERS})

    def fit(
        self,
        counted: CountedChannel,
        stop: StopRule | None = None,  # noqa: ARG002 (the end is where the likelihood is largest)
        seed: int = 0,  # noqa: ARG002
        progress: Progress = silent,
    ) -> Fit:
        # The likelihood that EM climbs: of numbers it knows where in its cell an answer lies.
        system, counts = Em().system(counted)
        used = (counts > 0) & (system.max(axis=1, initial=0.0) > 0)
        if not used.any():
            x = np.full(counted.k, 1 / counted.k)
            return Fit(x, x)
        progress(0.0, "Newton steps")
        matrix, shares = system[used], counts[used] / counts[used].sum()
        found = self._climbed(counted, matrix, shares) or self._followed(matrix, shares, progress)
        estimates, gap = found
        estimates /= estimates.sum(axis=1, keepdims=True)
        trace = Trace(
            np.arange(len(estimates)),
            estimates,
            matrix,
            counts[used],
        )
        progress(1.0, "maximum likelihood reached")
        return Fit(
            estimates[-1],
            estimates[-1],
            len(estimates) - 1,
            None,
            gap <= self.tolerance,
            trace,
        )

    def _climbed(
        self, counted: CountedChannel, matrix: Numbers, shares: Numbers
    ) -> tuple[Numbers, float] | None:
        if not counted.is_square or counted.k == 1:
            return None
        path = climb(matrix, shares, project(counted.solution), self.tolerance)
        return None if path is None else (np.array(path.estimates), path.gap)

    def _followed(
        self, matrix: Numbers, shares: Numbers, progress: Progress
    ) -> tuple[Numbers, float]:
        found = maximise(matrix, shares[None, :], 0.01 * self.tolerance, progress=progress)
        return np.vstack([*found.path[:-1], found.probability]), float(found.gap[0])
