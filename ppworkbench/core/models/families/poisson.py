"""Poisson models, with the closed correction for noise on predictors.

References
----------
T. Nakamura (1990), Corrected score function for errors-in-variables models, *Biometrika* 77.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.design.noises.distribution import AddedNoise
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.models.coding import ModelRows
from ppworkbench.core.models.estimating import CORRECTED
from ppworkbench.core.models.family import (
    FAR,
    Curve,
    Family,
    Fitted,
    OutcomeChange,
    not_converged,
    row_parts,
)
from ppworkbench.core.models.maximise import Evaluation, maximise
from ppworkbench.core.progress import Progress


class Poisson(Family):
    """A count with the mean ``exp(x beta)``."""

    name = "poisson"
    title = Message("Poisson regression (log link)")
    offered_for = frozenset({Kind.INTEGER})
    is_for_counts = True

    def mean(self, eta: Numbers) -> Numbers:
        return np.asarray(np.exp(np.clip(eta, -FAR, FAR)))

    def mean_slope(self, eta: Numbers) -> Numbers:
        return self.mean(eta)[..., None]

    def curve(self, eta: Numbers, reported: NDArray[Any], own: Numbers) -> Curve:  # noqa: ARG002
        """The score also serves numbers that are unbiased for a count and may be negative."""
        expected = self.mean(eta)[..., 0]
        value = reported * eta[..., 0] - expected - gammaln(np.maximum(reported, 0.0) + 1)
        return Curve(value, (reported - expected)[..., None], expected[..., None, None])

    def start(self, rows: ModelRows) -> Numbers:
        weights, intercept = rows.weights, rows.coding.intercept
        theta = np.zeros(rows.coding.size)
        if intercept is not None:
            mean = float(weights @ rows.reported) / float(weights.sum())
            theta[intercept] = math.log(max(mean, 0.05))
        return theta

    def check_reports(self, reported: NDArray[Any], attribute: str) -> None:
        if reported.min(initial=0.0) < 0:
            raise ParameterError.saying(
                "{attribute!r} has numbers below 0, which are no counts; choose a linear model.",
                attribute=attribute,
                field="model",
            )

    def fit_corrected(
        self,
        naive: ModelRows,
        noises: Mapping[int, AddedNoise],
        outcome_weights: Numbers | None,  # noqa: ARG002
        progress: Progress,
        start: Numbers | None,  # noqa: ARG002
    ) -> Fitted:
        """``exp(b z)`` divided by what the noise makes of it on average."""
        weights, size = naive.weights, naive.coding.size

        def noise_terms(theta: Numbers) -> tuple[float, Numbers, Numbers]:
            value, slope, bend = 0.0, np.zeros(size), np.zeros(size)
            for place, noise in noises.items():
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
            for rows in row_parts(naive.rows):
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

        found = maximise(evaluate, self.start(naive))
        if not found.converged:
            raise not_converged(CORRECTED)
        inverse = np.asarray(np.linalg.inv(found.evaluation.information), np.float64)
        return Fitted(
            found.theta, inverse, lambda rows: scores(found.theta, rows) @ inverse.T,
            found.iterations, None,
        )  # fmt: skip

    @classmethod
    def effect_message(cls, moved: OutcomeChange) -> Message:
        return Message("the mean of {of} is {ratio} times as high", of=moved.of, ratio=moved.change)
