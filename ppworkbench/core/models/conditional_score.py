r"""The conditional score: logistic regression on numbers with normal noise, whatever they are.

Somebody says yes with log odds ``v b_v + x b_x``, but not x is seen, only ``w = x + u`` with u
normal of the known covariance O. Given ``d = w + y O b_x`` the distribution of y does not depend on
x any more::

    Pr(y = 1 | v, d) = expit(v b_v + d b_x - b_x' O b_x / 2)

so ``sum (y - Pr(y = 1 | v, d)) (v, d)`` has the mean 0 at the true coefficients; no distribution of
x is needed. The equations may have several roots; the one near the calibrated regression is the
consistent one.

References
----------
L. A. Stefanski and R. J. Carroll (1987), Conditional scores and optimal scores for generalized
linear measurement-error models, *Biometrika* 74.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.progress import Progress, silent

_MOST_STEPS, _HALVINGS = 100, 30
_AT_ONCE = 1 << 14
_FARTHEST = 100.0
"""The variance of log odds that noise may bring; beyond are roots that mean nothing."""


@dataclass(frozen=True, eq=False)
class Root:
    """Where the equations hold.

    ``slope`` is minus the derivative of the equations, and ``is_stable`` says whether it is
    positive, as it is for the consistent root of a large survey.
    """

    theta: Numbers
    slope: Numbers
    iterations: int
    is_stable: bool


@dataclass(frozen=True, eq=False)
class ConditionalScore:
    """The equations of one survey.

    Parameters
    ----------
    columns
        The columns of some rows, reported numbers among them.
    shares
        By row, how much it counts as a no and as a yes: 0 and 1, or what is unbiased for them where
        the outcome is randomised, too.
    variances
        By column, the variance of its noise; 0 for those without.

    Examples
    --------
    Without noise it is the plain regression: half of the first, and three of four of the second.

    >>> x = np.array([[1.0, 0], [1, 1]])
    >>> shares = np.array([[0.5, 0.5], [0.25, 0.75]])
    >>> plain = ConditionalScore(lambda rows: x[rows], shares, np.ones(2), np.zeros(2))
    >>> (plain.solve(np.zeros(2)).theta.round(4) + 0.0)
    array([0.    , 1.0986])
    """

    columns: Callable[[slice], Numbers]
    shares: Numbers
    weights: Numbers
    variances: Numbers

    @property
    def rows(self) -> int:
        return len(self.weights)

    def sums(self, theta: Numbers, progress: Progress = silent) -> tuple[Numbers, Numbers]:
        """The sums that are to be 0, and minus their derivative."""
        size = len(theta)
        moved = self.variances * theta
        bend = float(theta @ moved)
        total, slope = np.zeros(size), np.zeros((size, size))
        for rows in self._parts():
            progress(rows.start / max(self.rows, 1), "fitting")
            matrix = self.columns(rows)
            eta = matrix @ theta
            weights = self.weights[rows, None] * self.shares[rows]
            no, yes = expit(eta - bend / 2), expit(eta + bend / 2)
            off, on = weights[:, 0] * -no, weights[:, 1] * (1 - yes)
            total += matrix.T @ (off + on) + moved * on.sum()
            flat, steep = weights[:, 0] * no * (1 - no), weights[:, 1] * yes * (1 - yes)
            slope += (matrix.T * (flat + steep)) @ matrix
            up = matrix.T @ steep
            slope += np.outer(up - matrix.T @ flat, moved) + np.outer(moved, up)
            slope += np.outer(moved, moved) * steep.sum()
            slope -= np.diag(self.variances) * on.sum()
        return total, slope

    def scores(self, theta: Numbers, rows: slice) -> Numbers:
        """The summands of some rows, before their weights."""
        moved = self.variances * theta
        bend = float(theta @ moved)
        matrix, shares = self.columns(rows), self.shares[rows]
        eta = matrix @ theta
        on = shares[:, 1] * (1 - expit(eta + bend / 2))
        off = shares[:, 0] * -expit(eta - bend / 2)
        return np.asarray(matrix * (off + on)[:, None] + on[:, None] * moved)

    def solve(self, start: Numbers, progress: Progress = silent) -> Root | None:
        """The root that Newton's method with halved steps reaches; None where there is none."""
        theta = start
        total, slope = self.sums(theta, progress)
        gram = self._gram()
        # Columns of any unit are compared by their size.
        scale = np.sqrt(np.maximum(np.diag(gram), 1e-300))
        inverse = np.linalg.pinv(gram / np.outer(scale, scale), hermitian=True)

        def size(sums: Numbers) -> float:
            return float((sums / scale) @ inverse @ (sums / scale))

        for done in range(1, _MOST_STEPS + 1):
            step = np.linalg.lstsq(slope / np.outer(scale, scale), total / scale, rcond=None)[0]
            step = step / scale
            length = 1.0
            for _ in range(_HALVINGS):
                there = theta + length * step
                sums, bent = self.sums(there, progress)
                if np.isfinite(sums).all() and size(sums) < size(total):
                    break
                length /= 2
            else:
                # Rounding hides any further gain, or this is a dip without a root.
                reached = size(total) < 1e-18 * max(float(self.weights.sum()), 1.0)
                return self._root(theta, slope, done, scale) if reached else None
            theta, total, slope = there, sums, bent
            if float(self.variances @ theta**2) > _FARTHEST:
                return None
            if length == 1.0 and float(np.abs(step * scale).max()) < 1e-9 * float(
                np.abs(theta * scale).max(initial=1e-3)
            ):
                return self._root(theta, slope, done, scale)
        return None

    def calibrated(self, naive: Numbers) -> Numbers | None:
        """The coefficients whose regression on calibrated numbers is the naive one.

        The best linear guess of x is ``w L`` with ``L = G^-1 (G - n O)``, G the sums of squares, so
        the naive coefficients are about ``L b``. None where noise explains all that varies.
        """
        gram = self._gram()
        left = gram - float(self.weights.sum()) * np.diag(self.variances)
        scale = np.sqrt(np.maximum(np.diag(gram), 1e-300))
        if float(np.linalg.eigvalsh(left / np.outer(scale, scale)).min()) <= 1e-9:
            return None
        return np.asarray(np.linalg.solve(left, gram @ naive), np.float64)

    def _gram(self) -> Numbers:
        found = np.zeros((len(self.variances), len(self.variances)))
        for rows in self._parts():
            matrix = self.columns(rows)
            found += (matrix.T * self.weights[rows]) @ matrix
        return found

    def _root(self, theta: Numbers, slope: Numbers, done: int, scale: Numbers) -> Root:
        alike = slope / np.outer(scale, scale)
        lowest = float(np.linalg.eigvalsh((alike + alike.T) / 2).min())
        return Root(theta, slope, done, lowest > 0)

    def _parts(self) -> Iterator[slice]:
        for start in range(0, self.rows, _AT_ONCE):
            yield slice(start, min(start + _AT_ONCE, self.rows))


def different_roots(roots: list[Root]) -> list[Root]:
    """The first of those that are the same but for rounding."""
    found: list[Root] = []
    for root in roots:
        near = 1e-5 * (1.0 + float(np.abs(root.theta).max(initial=0.0)))
        if all(math.dist(root.theta, other.theta) > near for other in found):
            found.append(root)
    return found
