"""The maximum-likelihood distribution by Newton steps inside the simplex.

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

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent

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
