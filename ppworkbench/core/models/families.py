r"""How likely a reported outcome is, and how that changes with the linear predictors.

A categorical outcome is seen through a channel: ``lambda_z = sum_y P[z, y] pi_y(eta)``. With q the
posterior probabilities of the true values given the report, the gradient of ``log lambda`` by the
linear predictors of a multinomial model is ``q - pi``: no numeric derivative is needed.

References
----------
A. van den Hout, P. G. M. van der Heijden and R. Gilchrist (2007), The logistic regression model
with response variables subject to randomized response, *Computational Statistics & Data Analysis*
51.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gammaln

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.survey.factors.devices import DEVICE_START

_LEAST = 1e-300
DEVICE = "device"
"""The unknown parameter of a device, a probability, and where the search for it begins."""
FAR = 30.0
"""Linear predictors beyond are told apart by rounding errors only."""


@dataclass(frozen=True, eq=False)
class Curve:
    """A log-likelihood with its derivatives by the linear predictors, one row per observation.

    ``information`` is minus the second derivative. The last places are those of the family's own
    parameters, such as the logarithm of sigma.
    """

    value: Numbers
    gradient: Numbers
    information: Numbers


class Family(ABC):
    """What kind of outcome it is."""

    name: ClassVar[str] = ""
    own_parameters: tuple[str, ...] = ()
    has_limits: ClassVar[bool] = False
    """Whether a large linear predictor is a probability of 0 or 1."""
    takes_odds: ClassVar[bool] = False
    """Whether the exponential of a coefficient is an odds ratio."""

    @property
    def predictors(self) -> int:
        """The number of linear predictors."""
        return 1

    @abstractmethod
    def curve(self, eta: Numbers, reported: NDArray[Any], own: Numbers) -> Curve:
        """The log-likelihood of reports; ``eta`` has one column per linear predictor."""

    @abstractmethod
    def mean(self, eta: Numbers) -> Numbers:
        """The expected true outcome: one column per value, or one of numbers."""

    @abstractmethod
    def mean_slope(self, eta: Numbers) -> Numbers:
        """Derivatives of the mean by the linear predictors: rows, values, predictors."""

    def maps(self, size: int, intercept: int | None) -> Numbers:  # noqa: ARG002
        """``eta_k = x (T_k theta)``: one matrix per linear predictor, columns by coefficients."""
        count = self.predictors
        found = np.zeros((count, size, count * size))
        for k in range(count):
            found[k, :, k * size : (k + 1) * size] = np.eye(size)
        return found

    @property
    def level_names(self) -> tuple[str, ...]:
        """What the blocks of coefficients are about, where there are several."""
        return ("",)

    def with_free_slopes(self) -> Family | None:
        """The model that this one simplifies by slopes in common; None where it has none."""
        return None

    @abstractmethod
    def start(
        self, reported: NDArray[Any], weights: Numbers, size: int, intercept: int | None
    ) -> Numbers:
        """Where the search begins: the intercept from the corrected share, all else 0."""


LOGISTIC, MULTINOMIAL, ORDINAL, LINEAR, POISSON = (
    "logistic", "multinomial", "ordinal", "linear", "poisson",
)  # fmt: skip


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

    has_limits = True

    def __init__(
        self, channel: Numbers, values: tuple[str, ...], slope: Numbers | None = None
    ) -> None:
        self.channel, self.values, self.slope = channel, values, slope
        self._columns = np.ascontiguousarray(channel.T)
        if slope is not None:
            self.own_parameters = (DEVICE,)

    def through(self, parameter: float) -> Categorical:
        """The same with the unknown parameter of the device known."""
        if self.slope is None:
            return self
        return type(self)(self.channel + parameter * self.slope, self.values)

    def like_report(self, reported: Codes, value: int) -> Codes:
        """The codes if all had reported this value, each through the row's own device."""
        count = len(self.values)
        return np.asarray(reported // count * count + value)

    def channels(self, reported: Codes) -> Numbers:
        """The matrix of each row's own device."""
        count = len(self.values)
        return np.asarray(self.channel.reshape(-1, count, count)[reported // count])

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

    def true(self) -> Categorical:
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


class Multinomial(Categorical):
    """``pi_c`` proportional to ``exp(x beta_c)``; the first value is the base. Two: logistic."""

    name = MULTINOMIAL
    takes_odds = True

    @property
    def predictors(self) -> int:
        """One for every value but the base."""
        return len(self.values) - 1

    @property
    def level_names(self) -> tuple[str, ...]:
        """The values other than the base; nothing for the only one of two."""
        return self.values[1:] if len(self.values) > 2 else ("",)

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
        total = np.maximum(joint.sum(axis=-1), _LEAST)
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
        total = np.maximum(first + (second - first) * one, _LEAST)
        posterior = second * one / total
        apart = posterior - one
        # one (1 - one) - posterior (1 - posterior), with fewer roundings
        information = apart * (posterior + one - 1)
        return Curve(np.log(total), apart[..., None], information[..., None, None])

    def start(
        self, reported: NDArray[Any], weights: Numbers, size: int, intercept: int | None
    ) -> Numbers:
        """Log odds of the corrected shares."""
        theta = np.zeros(size * self.predictors)
        if intercept is not None:
            shares = self.corrected_shares(reported, weights)
            theta[intercept::size] = np.log(shares[1:] / shares[0])
        return theta


class Logistic(Multinomial):
    """Two values: the second one's probability."""

    name = LOGISTIC


class Ordinal(Categorical):
    """``Pr(X <= j) = expit(a_j - x beta)``.

    The report's likelihood is linear in these: ``sum_j F_j (P[z, j] - P[z, j + 1]) + P[z, last]``.
    """

    name = ORDINAL
    takes_odds = True

    def __init__(
        self, channel: Numbers, values: tuple[str, ...], slope: Numbers | None = None
    ) -> None:
        super().__init__(channel, values, slope)
        self._steps = channel[:, :-1] - channel[:, 1:]

    @property
    def predictors(self) -> int:
        """One for every threshold."""
        return len(self.values) - 1

    def mean(self, eta: Numbers) -> Numbers:
        """The probabilities of the true values; never below 0, whatever the thresholds."""
        below = expit(eta)
        edge = np.zeros((*eta.shape[:-1], 1))
        steps = np.diff(below, axis=-1, prepend=edge, append=edge + 1)
        return np.asarray(np.maximum(steps, 0.0), np.float64)

    def mean_slope(self, eta: Numbers) -> Numbers:
        """A threshold moves probability between the two values beside it."""
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
        total = np.where(wrong, 1.0, np.maximum(total, _LEAST))
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

    def start(
        self,
        reported: NDArray[Any],
        weights: Numbers,
        size: int,
        intercept: int | None,  # noqa: ARG002
    ) -> Numbers:
        """Thresholds of the corrected shares."""
        shares = self.corrected_shares(reported, weights)
        below = np.cumsum(shares)[:-1]
        return np.concatenate([np.log(below / (1 - below)), np.zeros(size - 1)])

    def with_free_slopes(self) -> Family | None:
        """Slopes of its own for every threshold, where there are several."""
        return FreeOrdinal(self.channel, self.values, self.slope) if self.predictors > 1 else None


class FreeOrdinal(Ordinal):
    """The same with slopes of its own for every threshold, to see whether they agree."""

    def with_free_slopes(self) -> None:
        """They are free already."""

    def maps(self, size: int, intercept: int | None) -> Numbers:
        """Thresholds first, then the slopes of each of them."""
        assert intercept is not None  # noqa: S101 (a formula without one is refused before)
        count = self.predictors
        others = [place for place in range(size) if place != intercept]
        found = np.zeros((count, size, count * size))
        for k in range(count):
            found[k, intercept, k] = 1.0
            found[k, others, count + k * len(others) + np.arange(len(others))] = -1.0
        return found


class Linear(Family):
    """A number: ``x beta`` with a normal error of spread sigma."""

    name = LINEAR
    own_parameters = ("log_sigma",)

    def mean(self, eta: Numbers) -> Numbers:
        """The linear predictor itself."""
        return eta

    def mean_slope(self, eta: Numbers) -> Numbers:
        """One."""
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

    def start(
        self,
        reported: NDArray[Any],  # noqa: ARG002
        weights: Numbers,  # noqa: ARG002
        size: int,
        intercept: int | None,  # noqa: ARG002
    ) -> Numbers:
        """Least squares need no start."""
        return np.zeros(size)


class Poisson(Family):
    """A count with the mean ``exp(x beta)``."""

    name = POISSON

    def mean(self, eta: Numbers) -> Numbers:
        """The expected count."""
        return np.asarray(np.exp(np.clip(eta, -FAR, FAR)))

    def mean_slope(self, eta: Numbers) -> Numbers:
        """The same."""
        return self.mean(eta)[..., None]

    def curve(self, eta: Numbers, reported: NDArray[Any], own: Numbers) -> Curve:  # noqa: ARG002
        """The score also serves numbers that are unbiased for a count and may be negative."""
        expected = self.mean(eta)[..., 0]
        value = reported * eta[..., 0] - expected - gammaln(np.maximum(reported, 0.0) + 1)
        return Curve(value, (reported - expected)[..., None], expected[..., None, None])

    def start(
        self, reported: NDArray[Any], weights: Numbers, size: int, intercept: int | None
    ) -> Numbers:
        """The logarithm of the mean count."""
        theta = np.zeros(size)
        if intercept is not None:
            mean = float(weights @ reported) / float(weights.sum())
            theta[intercept] = math.log(max(mean, 0.05))
        return theta
