"""People who follow the device, and classes of people who do not.

Followers answer by the columns of the arm's P-matrix, one class for every true value. Others say
one value whatever the device says, or any value at random. What those truly are is in no data, so
the share of the sensitive answer has three readings.

References
----------
S. J. Clark and R. A. Desharnais (1998), Honest answers to embarrassing questions: detecting
cheating in the randomized response model, *Psychological Methods* 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.compliance.chi_bar_square import bounded_distance, chi_bar_tail, is_regular
from ppworkbench.core.errors import DataError
from ppworkbench.core.json_values import finite_fields
from ppworkbench.core.message import Message
from ppworkbench.core.reconstruct.pooled import (
    Arm,
    Shares,
    Test,
    count_covariance,
    expected_information,
    fit_shares,
    invert_information,
)
from ppworkbench.core.sampling.variance import t_factor

NOT_MEASURED = 0.15
"""A design that knows a class only with a larger standard error does not measure it."""
_MISSED = 0.05
_LEVEL = 0.05


@dataclass(frozen=True)
class Behaviour:
    """A class of people who do not follow: they always say ``value``, or anything if None."""

    value: int | None

    def column(self, k: int) -> Numbers:
        return np.full(k, 1 / k) if self.value is None else np.eye(k)[self.value]

    def name(self, values: Sequence[str]) -> str:
        if self.value is None:
            return Message("at random")
        return Message("always “{value}”", value=values[self.value])


@dataclass(frozen=True)
class Estimate:
    """A number with the ends of its interval; none where it lies on a bound."""

    estimate: float
    standard_error: float
    low: float
    high: float

    def to_json(self) -> dict[str, float | None]:
        return finite_fields(self, "estimate", "standard_error", "low", "high")


@dataclass(frozen=True, eq=False)
class Classes:
    """Shares of followers by true value, and of those who do not follow.

    Parameters
    ----------
    values
        The possible answers; ``sensitive`` are the places of those that people hide.
    extra
        The classes that do not follow.
    """

    fitted: Shares
    values: tuple[str, ...]
    extra: tuple[Behaviour, ...]
    sensitive: tuple[int, ...]
    confidence: float = 0.95

    @property
    def names(self) -> tuple[str, ...]:
        followers = (Message("follows, “{value}”", value=value) for value in self.values)
        return (*followers, *(one.name(self.values) for one in self.extra))

    @property
    def factor(self) -> float:
        return interval_factor(self.fitted.arms, self.confidence)

    @cached_property
    def estimates(self) -> tuple[Estimate, ...]:
        errors = self.fitted.standard_errors
        found = []
        for place, share in enumerate(self.fitted.shares):
            if self.fitted.is_on_boundary:
                low, high = self.profile(place)
                at_bound = self.fitted.at_bound
                is_at_end = at_bound[place] or np.delete(at_bound, place).all()
                error = math.nan if is_at_end else float(errors[place])
            else:
                error = float(errors[place])
                low, high = share - self.factor * error, share + self.factor * error
            found.append(Estimate(float(share), error, max(low, 0.0), min(high, 1.0)))
        return tuple(found)

    def profile(self, place: int) -> tuple[float, float]:
        """Shares of one class that lose so little likelihood that they stay possible."""

        def held(matrix: Numbers, share: float) -> Numbers:
            rest = np.delete(matrix, place, 1)
            return np.asarray(share * matrix[:, [place]] + (1 - share) * rest)

        return self.possible(held, float(self.fitted.shares[place]))

    def possible(self, held: Callable[[Numbers, float], Numbers], at: float) -> tuple[float, float]:
        """The range of a parameter around its estimate by the profile of the likelihood.

        ``held`` makes the matrix of an arm with the parameter held at a value.
        """
        return _profile_range(self.fitted, held, at, self.factor)

    @cached_property
    def readings(self) -> Mapping[str, Estimate]:
        """The share with a sensitive answer, by what those who do not follow may be.

        Nobody of them has one, as many as of the followers, or everybody.
        """
        q, k = self.fitted.shares, len(self.values)
        carriers = np.zeros(len(q))
        carriers[list(self.sensitive)] = 1.0
        others = np.zeros(len(q))
        others[k:] = 1.0
        share, gone = float(carriers @ q), float(others @ q)
        followers = share / max(1 - gone, 1e-300)
        slope = (carriers + followers * others) / max(1 - gone, 1e-300)
        found = {"low": share, "followers": followers, "high": share + gone}
        if self.fitted.is_on_boundary:
            return {name: self._at_bound(name, value) for name, value in found.items()}
        slopes = {"low": carriers, "followers": slope, "high": carriers + others}
        return {name: self._linear(value, slopes[name]) for name, value in found.items()}

    def _at_bound(self, reading: str, estimate: float) -> Estimate:
        """By the profile of the likelihood, which is known of two answers."""
        if len(self.values) != 2:
            return Estimate(estimate, math.nan, math.nan, math.nan)
        carrier, other = self.sensitive[0], 1 - self.sensitive[0]
        if reading == "low":
            low, high = self.profile(carrier)
        elif reading == "high":
            high, low = (1 - end for end in self.profile(other))
        else:

            def held(matrix: Numbers, share: float) -> Numbers:
                followers = share * matrix[:, carrier] + (1 - share) * matrix[:, other]
                return np.column_stack([followers, matrix[:, 2:]])

            low, high = self.possible(held, estimate)
        return Estimate(estimate, math.nan, low, high)

    def _linear(self, estimate: float, slope: Numbers) -> Estimate:
        error = math.sqrt(max(float(slope @ self.fitted.covariance @ slope), 0.0))
        reach = self.factor * error
        low, high = max(estimate - reach, 0.0), min(estimate + reach, 1.0)
        return Estimate(estimate, error, low, high)

    @cached_property
    def honesty(self) -> Test | None:
        """Whether everybody may follow; None where no other class was asked about.

        Nor is there a test where the covariance is singular, as that of a single cluster. Shares
        of 0 are the end of their range, so the statistic is a mixture of chi-squares.
        """
        if not self.extra:
            return None
        k, df = len(self.values), len(self.extra)
        arms = self.fitted.arms
        if count_covariance(arms) is None:
            honest = fit_shares([arm.with_matrix(arm.matrix[:, :k]) for arm in arms])
            statistic = max(2 * (self.fitted.log_likelihood - honest.log_likelihood), 0.0)
            at_null = np.concatenate([honest.shares, np.zeros(df)])
            spread = invert_information(expected_information(arms, at_null))[0][k:, k:]
            if not is_regular(spread):
                return None
            return Test(statistic, df, chi_bar_tail(statistic, spread))
        # Under a sampling there is no likelihood: Wald's test of the same.
        values, spread, degrees = self._unbounded
        if not is_regular(spread):
            return None
        statistic = bounded_distance(values, spread)
        return Test(statistic, df, chi_bar_tail(statistic, spread, degrees))

    @property
    def _unbounded(self) -> tuple[Numbers, Numbers, float]:
        """The shares of those who do not follow if they could be negative, and their covariance.

        One step from the fit without bounds, of which the likelihood is nearly square.
        """
        k, arms = len(self.values), self.fitted.arms
        free = Shares(
            arms, self.fitted.shares, self.fitted.log_likelihood,
            np.zeros(len(self.fitted.shares), np.bool_),
        )  # fmt: skip
        counts = np.concatenate([arm.counts for arm in arms])
        expected = np.concatenate([arm.n * (arm.matrix @ self.fitted.shares) for arm in arms])
        spread, known = count_covariance(arms), arms[0].sampled
        assert spread is not None  # noqa: S101 (asked for under a sampling only)
        assert known is not None  # noqa: S101 (the same)
        slope = free.slope
        values = self.fitted.shares + slope @ (counts - expected)
        return values[k:], (slope @ spread @ slope.T)[k:, k:], known.degrees

    @cached_property
    def honest_shares(self) -> Numbers:
        k = len(self.values)
        arms = [arm.with_matrix(arm.matrix[:, :k]) for arm in self.fitted.arms]
        return fit_shares(arms).shares

    @property
    def power(self) -> float:
        """How likely 5 % who do not follow would be noticed by a test at 5 %."""
        k = len(self.values)
        followers = self.fitted.shares[:k] / max(float(self.fitted.shares[:k].sum()), 1e-300)
        q = np.concatenate(
            [followers * (1 - _MISSED), np.full(len(self.extra), _MISSED / max(len(self.extra), 1))]
        )
        error = float(error_before_data(self.fitted.arms, q)[k:].max(initial=0.0))
        return float(ndtr(_MISSED / error - ndtri(1 - _LEVEL))) if error else 1.0


def _profile_range(
    fitted: Shares, held: Callable[[Numbers, float], Numbers], at: float, factor: float
) -> tuple[float, float]:
    most = fitted.log_likelihood - factor**2 / 2

    def above(share: float) -> float:
        arms = [arm.with_matrix(held(arm.matrix, share)) for arm in fitted.arms]
        return max(fit_shares(arms).log_likelihood, -1e300) - most

    low = 0.0 if at <= 0 or above(0.0) >= 0 else brentq(above, 0.0, at, xtol=1e-9)
    high = 1.0 if at >= 1 or above(1.0) >= 0 else brentq(above, at, 1.0, xtol=1e-9)
    return float(low), float(high)


def summed_share(fitted: Shares, chosen: Sequence[int], factor: float) -> Estimate:
    """The share of some classes together.

    Where a class has nobody, the covariance knows nothing of it and the interval is that of the
    profile of the likelihood; there is no standard error of a share of 0 or 1.
    """
    weights = np.zeros(len(fitted.shares))
    weights[list(chosen)] = 1.0
    share = float(weights @ fitted.shares)
    error = math.sqrt(max(float(weights @ fitted.covariance @ weights), 0.0))
    if not fitted.is_on_boundary or not 0 < weights.sum() < len(weights):
        return Estimate(share, error, share - factor * error, share + factor * error)
    others = np.flatnonzero(weights == 0)

    def held(matrix: Numbers, share: float) -> Numbers:
        # One column for each pair: all mixtures within both parts are mixtures of pairs.
        pairs = share * matrix[:, list(chosen), None] + (1 - share) * matrix[:, None, others]
        return np.asarray(pairs.reshape(len(matrix), -1))

    low, high = _profile_range(fitted, held, min(share, 1.0), factor)
    is_at_end = fitted.at_bound[list(chosen)].all() or fitted.at_bound[others].all()
    return Estimate(share, math.nan if is_at_end else error, low, high)


def interval_factor(arms: Sequence[Arm], confidence: float) -> float:
    """How many standard errors an interval reaches to each side, by t under a sampling."""
    known = next((arm.sampled for arm in arms if arm.sampled is not None), None)
    return t_factor(confidence, math.inf if known is None else known.degrees)


def fit_classes(
    arms: Sequence[Arm],
    values: tuple[str, ...],
    extra: Sequence[Behaviour],
    sensitive: Sequence[int],
    confidence: float = 0.95,
) -> Classes:
    """Shares of followers and others; an error where the arms cannot tell them apart.

    The matrices of the arms are those of the device, one column for every true value.
    """
    behaviours = tuple(extra)
    columns = [one.column(len(values)) for one in behaviours]
    whole = [arm.with_matrix(np.column_stack([arm.matrix, *columns])) for arm in arms]
    check_identified(whole, values, behaviours)
    return Classes(fit_shares(whole), values, behaviours, tuple(sensitive), confidence)


def check_identified(
    arms: Sequence[Arm], values: tuple[str, ...], extra: tuple[Behaviour, ...]
) -> None:
    """Refuse classes that give the same reports in every arm."""
    stacked = np.vstack([arm.matrix for arm in arms])
    _, sizes, turned = np.linalg.svd(stacked)
    rank = int((sizes > 1e-9 * sizes[0]).sum())
    if rank == stacked.shape[1]:
        return
    mixed = np.abs(turned[rank:]).max(axis=0) > 1e-6
    names = Classes(
        Shares((), np.zeros(0), 0.0, np.zeros(0, np.bool_)), values, extra, ()
    ).names  # fmt: skip
    told = tuple(name for name, is_mixed in zip(names, mixed, strict=True) if is_mixed)
    if len(arms) < 2:
        raise DataError(
            "One arm cannot show who follows the device; use a band of possible shares, or add an "
            "arm with another probability.",
            field="arms",
        )
    raise DataError.saying(
        "These arms cannot tell apart {classes}; add an arm whose probabilities differ in "
        "another way.",
        classes=Message.joined(told, "; "),
        field="behaviour",
    )


def error_before_data(arms: Sequence[Arm], shares: Numbers) -> Numbers:
    given = tuple(arms)
    inside = Shares(given, shares, 0.0, np.asarray(shares <= 0, np.bool_))
    return inside.standard_errors if len(expected_information(given, shares)) else np.zeros(0)
