"""Multinomial and logistic models.

With q the posterior probabilities of the true values given the report, the gradient of
``log lambda`` by the linear predictors is ``q - pi``: no numeric derivative is needed.

The conditional score: logistic regression on numbers with normal noise, whatever they are.

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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.design.noises.distribution import AddedNoise
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.models.coding import ColumnLabel, ModelRows
from ppworkbench.core.models.estimating import CORRECTED, fit_by_likelihood
from ppworkbench.core.models.families.categorical import Categorical
from ppworkbench.core.models.family import (
    LEAST,
    Curve,
    Fitted,
    OutcomeChange,
    all_noise,
    not_converged,
)
from ppworkbench.core.models.likelihood import Likelihood
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


SEVERAL_ROOTS = "several-roots"
"""Code of a remark."""


class Multinomial(Categorical):
    """``pi_c`` proportional to ``exp(x beta_c)``; the first value is the base. Two: logistic."""

    name = "multinomial"
    title = Message("multinomial logistic regression")
    offered_for = frozenset({Kind.NOMINAL, Kind.ORDINAL})
    takes_odds = True

    @property
    def predictors(self) -> int:
        return len(self.values) - 1

    def coefficient_labels(
        self,
        labels: Sequence[ColumnLabel],
        intercept: int | None,  # noqa: ARG002
    ) -> list[tuple[str, ColumnLabel]]:
        levels = self.values[1:] if len(self.values) > 2 else ("",)
        return [(level, label) for level in levels for label in labels]

    def mean(self, eta: Numbers) -> Numbers:
        if eta.shape[-1] == 1:
            one = expit(eta)
            return np.concatenate([1 - one, one], axis=-1)
        whole = np.concatenate([np.zeros((*eta.shape[:-1], 1)), eta], axis=-1)
        whole -= whole.max(axis=-1, keepdims=True)
        np.exp(whole, out=whole)
        return np.asarray(whole / whole.sum(axis=-1, keepdims=True))

    def mean_slope(self, eta: Numbers) -> Numbers:
        """``pi_y ([y = k] - pi_k)``."""
        pi = self.mean(eta)
        eye = np.eye(len(self.values))[:, 1:]
        return np.asarray(pi[..., :, None] * (eye - pi[..., None, 1:]))

    def known_curve(self, eta: Numbers, reported: NDArray[Any]) -> Curve:
        """The gradient is the posterior of the true values minus their probabilities."""
        if eta.shape[-1] == 1:
            return self._two(eta[..., 0], reported)
        pi = self.mean(eta)
        joint = self.channel[reported] * pi
        total = np.maximum(joint.sum(axis=-1), LEAST)
        posterior = (joint / total[..., None])[..., 1:]
        prior = pi[..., 1:]
        information = (
            posterior[..., :, None] * posterior[..., None, :]
            - prior[..., :, None] * prior[..., None, :]
        )
        places = np.arange(prior.shape[-1])
        information[..., places, places] += prior - posterior
        return Curve(np.log(total), posterior - prior, information)

    def _two(self, eta: Numbers, reported: NDArray[Any]) -> Curve:
        # Two values are by far the most frequent case, and need no axis for them.
        one = expit(eta)
        first, second = self._columns[0].take(reported), self._columns[1].take(reported)
        total = np.maximum(first + (second - first) * one, LEAST)
        posterior = second * one / total
        apart = posterior - one
        # one (1 - one) - posterior (1 - posterior), with fewer roundings
        information = apart * (posterior + one - 1)
        return Curve(np.log(total), apart[..., None], information[..., None, None])

    def start_at(self, shares: Numbers, size: int, intercept: int | None) -> Numbers:
        theta = np.zeros(size * self.predictors)
        if intercept is not None:
            theta[intercept::size] = np.log(shares[1:] / shares[0])
        return theta

    def fit_corrected(
        self,
        naive: ModelRows,
        noises: Mapping[int, AddedNoise],
        outcome_weights: Numbers | None,
        progress: Progress,
        start: Numbers | None,
    ) -> Fitted:
        """The conditional score, of two values behind normal noise."""
        if len(self.values) > 2:
            return super().fit_corrected(naive, noises, outcome_weights, progress, start)
        if outcome_weights is None:
            raise ParameterError(
                "The reports of the outcome tell nothing about the true values, so there is no "
                "closed correction; use the likelihood.",
                field="method",
            )
        equations = ConditionalScore(
            naive.matrix,
            outcome_weights[naive.reported],
            naive.weights,
            _normal_variances(naive, noises),
        )
        separated = False
        if start is None:
            # The device of the outcome is undone, the noise is not.
            through = Likelihood(
                naive.coding, naive.reported, naive.weights, naive.data, family=self
            )
            near = fit_by_likelihood(through, progress=progress)
            calibrated, separated = equations.calibrated(near.theta), near.separated
            if calibrated is None:
                raise all_noise()
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
                    "The equations of the closed correction have several solutions, or a doubtful "
                    "one; the one nearest to the calibrated regression is shown. Trust the fit by "
                    "likelihood more.",
                    code=SEVERAL_ROOTS,
                ),
            )
        inverse = np.asarray(np.linalg.inv(root.slope), np.float64)
        return Fitted(
            root.theta, inverse, lambda rows: equations.scores(root.theta, rows) @ inverse.T,
            root.iterations, None, separated, remarks,
        )  # fmt: skip

    @classmethod
    def effect_message(cls, moved: OutcomeChange) -> Message:
        return Message(
            "the odds of “{outcome}” instead of “{base}” are {ratio} times as high",
            outcome=moved.value,
            base=moved.base,
            ratio=moved.change,
        )


class Logistic(Multinomial):
    """Two values: the second one's probability."""

    name = "logistic"
    title = Message("logistic regression")
    offered_for = frozenset({Kind.BINARY})

    @classmethod
    def effect_message(cls, moved: OutcomeChange) -> Message:
        return Message(
            "the odds of “{outcome}” are {ratio} times as high",
            outcome=moved.value,
            ratio=moved.change,
        )


def _normal_variances(naive: ModelRows, noises: Mapping[int, AddedNoise]) -> Numbers:
    found = np.zeros(naive.coding.size)
    for place, noise in noises.items():
        if not noise.is_normal:
            attribute = naive.coding.labels[place].term
            raise ParameterError.saying(
                "The closed correction of a logistic model needs normal noise, which "
                "{attribute!r} has not; use the likelihood.",
                attribute=attribute,
                field="method",
            )
        found[place] = noise.variance
    return found
