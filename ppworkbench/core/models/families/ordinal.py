"""Cumulative logit models: slopes in common, or of their own for every threshold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.message import Message
from ppworkbench.core.models.coding import THRESHOLD, ColumnLabel
from ppworkbench.core.models.families.categorical import Categorical
from ppworkbench.core.models.family import LEAST, Curve, Family, OutcomeChange


class Ordinal(Categorical):
    """``Pr(X <= j) = expit(a_j - x beta)``.

    The report's likelihood is linear in these: ``sum_j F_j (P[z, j] - P[z, j + 1]) + P[z, last]``.
    """

    name = "ordinal"
    title = Message("ordinal logistic regression (cumulative logit)")
    offered_for = frozenset({Kind.ORDINAL})
    takes_odds = True
    has_thresholds = True

    def __init__(
        self, channel: Numbers, values: tuple[str, ...], slope: Numbers | None = None
    ) -> None:
        super().__init__(channel, values, slope)
        self._steps = channel[:, :-1] - channel[:, 1:]

    @property
    def predictors(self) -> int:
        return len(self.values) - 1

    def mean(self, eta: Numbers) -> Numbers:
        """The probabilities of the true values; never below 0, whatever the thresholds."""
        below = expit(eta)
        edge = np.zeros((*eta.shape[:-1], 1))
        steps = np.diff(below, axis=-1, prepend=edge, append=edge + 1)
        return np.asarray(np.maximum(steps, 0.0), np.float64)

    def mean_slope(self, eta: Numbers) -> Numbers:
        below = expit(eta)
        slope = below * (1 - below)
        move = np.eye(len(self.values))[:, :-1] - np.eye(len(self.values))[:, 1:]
        return np.asarray(slope[..., None, :] * move)

    def known_curve(self, eta: Numbers, reported: NDArray[Any]) -> Curve:
        """Closed derivatives; a rising order of thresholds is kept by refusing other steps."""
        below = expit(eta)
        steps = self._steps[reported]
        total = (below * steps).sum(axis=-1) + self.channel[reported, -1]
        wrong = (total <= 0) | (np.diff(eta, axis=-1) <= 0).any(axis=-1)
        total = np.where(wrong, 1.0, np.maximum(total, LEAST))
        slope = below * (1 - below)
        gradient = slope * steps / total[..., None]
        information = gradient[..., :, None] * gradient[..., None, :]
        places = np.arange(below.shape[-1])
        information[..., places, places] -= gradient * (1 - 2 * below)
        return Curve(np.where(wrong, -math.inf, np.log(total)), gradient, information)

    def maps(self, size: int, intercept: int | None) -> Numbers:
        """Thresholds first, then the slopes that all of them share."""
        assert intercept is not None  # noqa: S101 (a formula without one is refused before)
        count = self.predictors
        others = [place for place in range(size) if place != intercept]
        found = np.zeros((count, size, count + len(others)))
        for k in range(count):
            found[k, intercept, k] = 1.0
            found[k, others, count + np.arange(len(others))] = -1.0
        return found

    def start_at(
        self,
        shares: Numbers,
        size: int,
        intercept: int | None,  # noqa: ARG002
    ) -> Numbers:
        below = np.cumsum(shares)[:-1]
        return np.concatenate([np.log(below / (1 - below)), np.zeros(size - 1)])

    def with_free_slopes(self) -> Family | None:
        return FreeOrdinal(self.channel, self.values, self.slope) if self.predictors > 1 else None

    def coefficient_labels(
        self, labels: Sequence[ColumnLabel], intercept: int | None
    ) -> list[tuple[str, ColumnLabel]]:
        """Thresholds take the place of the intercept, before all other columns."""
        rest = [label for place, label in enumerate(labels) if place != intercept]
        thresholds = [ColumnLabel(THRESHOLD, value) for value in self.values[:-1]]
        return [("", label) for label in (*thresholds, *rest)]

    @classmethod
    def effect_message(cls, moved: OutcomeChange) -> Message:
        return Message(
            "the odds of a higher {of} are {ratio} times as high", of=moved.of, ratio=moved.change
        )


class FreeOrdinal(Ordinal):
    """The same with slopes of its own for every threshold, to see whether they agree."""

    def with_free_slopes(self) -> None:
        """They are free already."""

    def maps(self, size: int, intercept: int | None) -> Numbers:
        assert intercept is not None  # noqa: S101 (a formula without one is refused before)
        count = self.predictors
        others = [place for place in range(size) if place != intercept]
        found = np.zeros((count, size, count * size))
        for k in range(count):
            found[k, intercept, k] = 1.0
            found[k, others, count + k * len(others) + np.arange(len(others))] = -1.0
        return found
