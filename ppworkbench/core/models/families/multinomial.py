"""Multinomial and logistic models.

With q the posterior probabilities of the true values given the report, the gradient of
``log lambda`` by the linear predictors is ``q - pi``: no numeric derivative is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.design.noises.distribution import AddedNoise
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.models.coding import ColumnLabel
from ppworkbench.core.models.conditional_score import ConditionalScore, different_roots
from ppworkbench.core.models.estimating import CORRECTED, fit_by_likelihood
from ppworkbench.core.models.families.categorical import Categorical
from ppworkbench.core.models.family import LEAST, Curve
from ppworkbench.core.models.fitted import Fitted, all_noise, not_converged
from ppworkbench.core.models.likelihood import Likelihood
from ppworkbench.core.models.rows import ModelRows
from ppworkbench.core.progress import Progress

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
        """One for every value but the base."""
        return len(self.values) - 1

    def coefficient_labels(
        self,
        labels: Sequence[ColumnLabel],
        intercept: int | None,  # noqa: ARG002
    ) -> list[tuple[str, ColumnLabel]]:
        """For every value other than the base; without a name for the only one of two."""
        levels = self.values[1:] if len(self.values) > 2 else ("",)
        return [(level, label) for level in levels for label in labels]

    def mean(self, eta: Numbers) -> Numbers:
        """The probabilities of the true values."""
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
    def effect_message(
        cls,
        of: str,  # noqa: ARG003
        change: Message,
        *,
        value: str,
        base: str,
        is_more: bool,  # noqa: ARG003
    ) -> Message:
        """Odds against the base."""
        return Message(
            "the odds of “{outcome}” instead of “{base}” are {ratio} times as high",
            outcome=value,
            base=base,
            ratio=change,
        )


class Logistic(Multinomial):
    """Two values: the second one's probability."""

    name = "logistic"
    title = Message("logistic regression")
    offered_for = frozenset({Kind.BINARY})

    @classmethod
    def effect_message(
        cls,
        of: str,  # noqa: ARG003
        change: Message,
        *,
        value: str,
        base: str,  # noqa: ARG003
        is_more: bool,  # noqa: ARG003
    ) -> Message:
        return Message(
            "the odds of “{outcome}” are {ratio} times as high", outcome=value, ratio=change
        )


def _normal_variances(naive: ModelRows, noises: Mapping[int, AddedNoise]) -> Numbers:
    """By column, the variance of its noise, which must be normal."""
    found = np.zeros(naive.coding.size)
    for place, noise in noises.items():
        if not noise.is_normal:
            attribute = naive.coding.labels[place].term
            raise ParameterError(
                Message(
                    "The closed correction of a logistic model needs normal noise, which "
                    "{attribute!r} has not; use the likelihood.",
                    attribute=attribute,
                ),
                attribute=attribute,
                field="method",
            )
        found[place] = noise.variance
    return found
