r"""An outcome with values, seen through a channel.

``lambda_z = sum_y P[z, y] pi_y(eta)`` is the probability of report z.

References
----------
A. van den Hout, P. G. M. van der Heijden and R. Gilchrist (2007), The logistic regression model
with response variables subject to randomized response, *Computational Statistics & Data Analysis*
51.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.models.coding import ModelRows
from ppworkbench.core.models.family import DEVICE, Curve, Family
from ppworkbench.core.survey.factors.devices import DEVICE_START


class Categorical(Family):
    """An outcome with values, seen through a channel.

    Parameters
    ----------
    channel
        ``P[z, y]``, of the values in the order of the model. Where rows have different devices,
        these stand below each other: report z through device g is the code ``g k + z``.
    slope
        What one unit of an unknown parameter of the device adds to the channel; None where the
        device is known.
    """

    gives_shares = True

    def __init__(
        self, channel: Numbers, values: tuple[str, ...], slope: Numbers | None = None
    ) -> None:
        self.channel, self.values, self.slope = channel, values, slope
        self._columns = np.ascontiguousarray(channel.T)
        if slope is not None:
            self.own_parameters = (DEVICE,)

    def through(self, parameter: float) -> Self:
        if self.slope is None:
            return self
        return type(self)(self.channel + parameter * self.slope, self.values)

    def possible_reports(self, reported: Codes) -> Iterator[Codes]:
        count = len(self.values)
        for value in range(count):
            yield np.asarray(reported // count * count + value)

    def devices(self, reported: Codes) -> Numbers | None:
        if self.slope is not None:
            return None
        count = len(self.values)
        return np.asarray(self.channel.reshape(-1, count, count)[reported // count])

    @property
    def outcomes(self) -> tuple[tuple[int, str], ...]:
        told = tuple(enumerate(self.values))
        return told[1:] if len(told) == 2 else told

    def mean_interval(self, estimate: float, reach: float) -> tuple[float, float]:
        """By log odds, so that it stays between 0 and 1."""
        inside = min(max(estimate, 1e-12), 1 - 1e-12)
        middle = math.log(inside / (1 - inside))
        wide = min(reach / (inside * (1 - inside)), 500.0)
        return _share(middle - wide), _share(middle + wide)

    @abstractmethod
    def known_curve(self, eta: Numbers, reported: NDArray[Any]) -> Curve:
        """The log-likelihood of reports through a known device."""

    def curve(self, eta: Numbers, reported: NDArray[Any], own: Numbers) -> Curve:
        """As through a known device; the unknown parameter, if there is one, in the last place."""
        if self.slope is None:
            return self.known_curve(eta, reported)
        known = self.through(float(own[0]))
        shares = self.mean(eta)
        chance = (known.channel[reported] * shares).sum(axis=-1)
        # Beyond its range the parameter may make a report impossible; such steps are refused.
        wrong = chance <= 0
        chance = np.where(wrong, 1.0, chance)
        with np.errstate(over="ignore", invalid="ignore"):
            found = known.known_curve(eta, reported)
        found = Curve(
            np.where(wrong, -math.inf, found.value),
            np.where(wrong[..., None], 0.0, found.gradient),
            np.where(wrong[..., None, None], 0.0, found.information),
        )
        moved = self.slope[reported]
        rate = (moved * shares).sum(axis=-1) / chance
        both = (moved[..., None] * self.mean_slope(eta)).sum(axis=-2) / chance[..., None]
        depth = eta.shape[-1]
        information = np.empty((*rate.shape, depth + 1, depth + 1))
        information[..., :depth, :depth] = found.information
        cross = found.gradient * rate[..., None] - both
        information[..., :depth, depth] = information[..., depth, :depth] = cross
        information[..., depth, depth] = rate**2
        gradient = np.concatenate([found.gradient, rate[..., None]], axis=-1)
        return Curve(found.value, gradient, information)

    def unbiased_curve(
        self, eta: Numbers, reported: NDArray[Any], weights: Numbers | None
    ) -> tuple[Numbers, Numbers]:
        """The sum over the true values, each with the weight that is unbiased for it."""
        assert weights is not None  # noqa: S101 (checked before)
        count = self.predictors
        gradient = np.zeros((*eta.shape[:2], count))
        information = np.zeros((*eta.shape[:2], count, count))
        true = self.true()
        of_row = weights[reported]
        for value in range(of_row.shape[1]):
            curve = true.known_curve(eta, np.full(eta.shape[:2], value))
            counted = of_row[:, value, None]
            gradient += counted[..., None] * curve.gradient
            information += counted[..., None, None] * curve.information
        return gradient, information

    def true(self) -> Self:
        """The same outcome as if it were seen undistorted."""
        return type(self)(np.eye(self.channel.shape[1]), self.values)

    def corrected_shares(self, reported: NDArray[Any], weights: Numbers) -> Numbers:
        """The true shares by inversion, brought inside the possible."""
        counts = np.bincount(reported, weights, len(self.channel))
        # Each device holds for the share of rows that have it.
        held = counts.reshape(-1, len(self.values)).sum(axis=1)
        channel = self.through(DEVICE_START).channel * np.repeat(held, len(self.values))[:, None]
        shares = np.linalg.lstsq(channel / held.sum(), counts / held.sum(), rcond=None)[0]
        shares = np.clip(shares, 0.02, None)
        return np.asarray(shares / shares.sum())

    @abstractmethod
    def start_at(self, shares: Numbers, size: int, intercept: int | None) -> Numbers:
        """The coefficients with which everybody is expected to have these shares."""

    def start(self, rows: ModelRows) -> Numbers:
        """At the corrected shares; all else is 0."""
        coding = rows.coding
        shares = self.corrected_shares(rows.reported, rows.weights)
        first = self.start_at(shares, coding.size, coding.intercept)
        return np.concatenate([first, np.full(len(self.own_parameters), DEVICE_START)])


def _share(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0
