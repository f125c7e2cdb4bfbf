"""Linear models, with the closed correction of least squares for noise on predictors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.design.noises.distribution import AddedNoise
from ppworkbench.core.message import Message
from ppworkbench.core.models.coding import MANY_ROWS, ModelRows
from ppworkbench.core.models.family import (
    LOG_SIGMA,
    Curve,
    Family,
    Fitted,
    OutcomeChange,
    all_noise,
    row_parts,
)
from ppworkbench.core.progress import Progress


class Linear(Family):
    """A number: ``x beta`` with a normal error of spread sigma."""

    name = "linear"
    title = Message("linear regression")
    offered_for = frozenset({Kind.INTEGER, Kind.CONTINUOUS})
    takes_ratios = False
    has_linear_score = True
    own_parameters = (LOG_SIGMA,)

    def mean(self, eta: Numbers) -> Numbers:
        return eta

    def mean_slope(self, eta: Numbers) -> Numbers:
        return np.ones((*eta.shape, 1))

    def curve(self, eta: Numbers, reported: NDArray[Any], own: Numbers) -> Curve:
        """Normal density, with the logarithm of sigma as the last place."""
        sigma = math.exp(float(np.clip(own[0], -200, 200)))
        apart = (reported - eta[..., 0]) / sigma
        value = -0.5 * apart**2 - own[0] - 0.5 * math.log(2 * math.pi)
        gradient = np.stack([apart / sigma, apart**2 - 1], axis=-1)
        information = np.empty((*apart.shape, 2, 2))
        information[..., 0, 0] = 1 / sigma**2
        information[..., 0, 1] = information[..., 1, 0] = 2 * apart / sigma
        information[..., 1, 1] = 2 * apart**2
        return Curve(value, gradient, information)

    def start(self, rows: ModelRows) -> Numbers:
        if rows.hidden is None and rows.rows > MANY_ROWS:
            # Newton's method goes on from there with all rows.
            rows = rows.sparse()
        matrix = rows.mean_matrix()
        root = np.sqrt(rows.weights)
        beta = np.linalg.lstsq(matrix * root[:, None], rows.reported * root, rcond=None)[0]
        apart = rows.reported - matrix @ beta
        variance = float(rows.weights @ apart**2 / rows.weights.sum())
        return np.concatenate([beta, [0.5 * math.log(max(variance, 1e-30))]])

    def error_scale(self, n: int, coefficients: int) -> float:
        return n / max(n - coefficients, 1)

    def fit_corrected(
        self,
        naive: ModelRows,
        noises: Mapping[int, AddedNoise],
        outcome_weights: Numbers | None,  # noqa: ARG002
        progress: Progress,
        start: Numbers | None,  # noqa: ARG002
    ) -> Fitted:
        """Least squares without what the noise adds to the squares of its columns."""
        weights, size = naive.weights, naive.coding.size
        noise = np.zeros(size)
        for place, added in noises.items():
            noise[place] = added.variance
        slope, sums = -weights.sum() * np.diag(noise), np.zeros(size)
        for rows in row_parts(naive.rows):
            progress(0.0, "fitting")
            matrix = naive.matrix(rows)
            slope += (matrix.T * weights[rows]) @ matrix
            sums += matrix.T @ (weights[rows] * naive.reported[rows])
        if float(np.linalg.eigvalsh(slope).min()) <= 0:
            raise all_noise()
        theta = np.linalg.solve(slope, sums)
        inverse = np.linalg.inv(slope)

        def influence(rows: slice) -> Numbers:
            matrix = naive.matrix(rows)
            apart = naive.reported[rows] - matrix @ theta
            return _with_own_column((matrix * apart[:, None] + noise * theta) @ inverse.T)

        squares = sum(
            float(weights[rows] @ (naive.reported[rows] - naive.matrix(rows) @ theta) ** 2)
            for rows in row_parts(naive.rows)
        )
        # The error of the outcome also holds what the noise of the predictors adds.
        variance = squares / float(weights.sum()) - float(noise @ theta**2)
        own = np.array([0.5 * math.log(max(variance, 1e-30))])
        return Fitted(np.concatenate([theta, own]), _with_own(inverse), influence, 1, None)

    @classmethod
    def effect_message(cls, moved: OutcomeChange) -> Message:
        if moved.is_more:
            return Message("the mean of {of} is {change} higher", of=moved.of, change=moved.change)
        return Message("the mean of {of} is {change} lower", of=moved.of, change=moved.change)


def _with_own(inverse: Numbers) -> Numbers:
    return np.pad(inverse, ((0, 1), (0, 1)))


def _with_own_column(influence: Numbers) -> Numbers:
    return np.pad(influence, ((0, 0), (0, 1)))
