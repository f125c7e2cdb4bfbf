r"""Standard errors under a sampling: what the device adds, and what the drawing of people adds.

With ``u_hc`` the sum of linearised values over cluster c of stratum h, n_h sampled clusters and
f_h the part of the stratum's clusters that they are::

    V = sum_h (1 - f_h) n_h / (n_h - 1) sum_c (u_hc - mean_h)^2  +  sum_h f_h sum_i w_i^2 phi_i

and ``V_D = sum_i w_i^2 phi_i`` with ``phi_i`` unbiased for the variance of a contribution given the
truth. The device's randomness does not shrink when everybody is asked; hence the second sum.

References
----------
C.-E. Särndal, B. Swensson and J. Wretman (1992), *Model Assisted Survey Sampling*.
A. Chaudhuri (2011), *Randomized Response and Indirect Questioning Techniques in Surveys*.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr, stdtrit

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.sampling_roles import CENTRE, FAIL
from ppworkbench.core.data.table import shorten
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.sampling.sample import Frame
from ppworkbench.core.score_intervals import Contributions
from ppworkbench.core.share_intervals import Line

LONELY = "lonely-strata"
FLOOR = "device-floor"
NO_FREEDOM = "no-degrees-of-freedom"
MADE = "made-replicates"
"""Codes of remarks."""


@dataclass(frozen=True, eq=False)
class StratumFactors:
    """What the sum of squares of each stratum is multiplied by, and the strata without one."""

    multiple: Numbers
    lonely: NDArray[np.bool_]
    lonely_factors: Numbers
    remarks: tuple[str, ...]

    def lonely_part(self, sums: Numbers, centre: Numbers) -> Numbers:
        """What strata with one cluster add: its squared distance from the mean of all clusters."""
        apart = sums[self.lonely] - centre
        return np.asarray((apart.T * self.lonely_factors[self.lonely]) @ apart)


def stratum_factors(frame: Frame) -> StratumFactors:
    """The factors of a sample; an error where single clusters are refused."""
    sizes, rest = frame.sizes, 1 - frame.fractions
    multiple = np.where(sizes > 1, rest * sizes / np.maximum(sizes - 1, 1), 0.0)
    # One cluster of one in the population is certain to be drawn.
    lonely = (sizes == 1) & (rest > 0)
    remarks: tuple[str, ...] = ()
    concerned = not frame.has_replicates and not frame.is_about_respondents
    if lonely.any() and concerned:
        alone = [frame.labels[place] for place in np.flatnonzero(lonely)]
        # Without strata the only one has no name.
        names = shorten(alone) if any(alone) else Message("the whole sample")
        if frame.options.lonely == FAIL:
            raise DataError.saying(
                "Strata with a single sampled cluster: {names}; merge them or choose how "
                "they count.",
                names=names,
                field="lonely",
            )
        if frame.options.lonely == CENTRE:
            words = Message(
                "Strata with a single sampled cluster: {names}; it is compared with the mean of "
                "all clusters.",
                code=LONELY,
                names=names,
            )
        else:
            words = Message(
                "Strata with a single sampled cluster: {names}; they add nothing to the "
                "sampling error.",
                code=LONELY,
                names=names,
            )
        remarks = (words,)
    factors = rest if frame.options.lonely == CENTRE else np.zeros(len(sizes))
    return StratumFactors(multiple, lonely, factors, remarks)


def covariance_by_rows(
    within: Numbers, sums: Numbers, frame: Frame, factors: StratumFactors
) -> Numbers:
    """The first sum of the variance where rows are the clusters.

    ``within`` are sums of products of contributions, each stratum times its factor; ``sums`` the
    totals of every stratum.
    """
    # Sums of strata, each as if it were one cluster, give what the means take away.
    spread = within - (sums.T * (factors.multiple / np.maximum(frame.sizes, 1))) @ sums
    return spread + factors.lonely_part(sums, sums.sum(axis=0) / max(int(frame.sizes.sum()), 1))


def covariance_by_clusters(sums: Numbers, frame: Frame, factors: StratumFactors) -> Numbers:
    """The first sum of the variance, of totals by cluster."""
    strata = frame.cluster_strata
    strata_count = len(frame.sizes)
    added = np.column_stack([np.bincount(strata, column, strata_count) for column in sums.T])
    means = added / np.maximum(frame.sizes, 1)[:, None]
    apart = sums - means[strata]
    spread = (apart.T * factors.multiple[strata]) @ apart
    if factors.lonely.any():
        alone = factors.lonely[strata]
        away = sums[alone] - sums.mean(axis=0)
        spread += (away.T * factors.lonely_factors[strata[alone]]) @ away
    return np.asarray(spread)


@dataclass(frozen=True, eq=False)
class SampleTotals:
    """Estimated totals with the parts of their covariance.

    Parameters
    ----------
    spread, lost
        The first and the second sum of the variance.
    device
        The device's part of the covariance.
    simple
        The covariance that a simple random sample of as many answers would have.
    degrees
        Degrees of freedom for the domain of each function of the cells, and for all of them last.
    replicates, replicate_scale
        Totals by replicate weights, one row each, and the factors of their squared deviations.
    group_sums
        Totals of every cluster, or of every stratum where rows are the clusters.
    cell_weights
        The weight of the rows in each reported cell, where nothing but weights multiplies them.
    persons
        How many people gave the answers; 0 where no column tells them.
    least
        What the device makes each total vary by at least, where rows count the same. It takes the
        place of the estimated part of the device as the floor of errors.
    """

    values: Numbers
    spread: Numbers
    lost: Numbers
    device: Numbers
    simple: Numbers
    frame: Frame
    n: int
    weighted_n: float
    weights_effect: float
    degrees: Numbers
    replicates: Numbers
    replicate_scale: Numbers
    group_sums: Numbers
    remarks: tuple[str, ...] = ()
    cell_weights: Numbers | None = None
    persons: int = 0
    least: Numbers | None = None

    def degrees_of_freedom(self, group: int = -1) -> float:
        """Those of an estimate about one function's domain, or about all of them."""
        given = self.frame.options.degrees_of_freedom
        return float(self.degrees[group]) if given is None else given

    def ratios(self, numerators: Numbers, denominators: Numbers) -> SampledValues:
        """Ratios of sums of totals, one per row of both matrices."""
        base = denominators @ self.values
        values = (numerators @ self.values) / base
        slope = (numerators - values[:, None] * denominators) / base[:, None]
        replicates = (self.replicates @ numerators.T) / (self.replicates @ denominators.T)
        return self.linear(values, slope, replicates)

    def sums(self, which: Numbers) -> SampledValues:
        return self.linear(which @ self.values, which, self.replicates @ which.T)

    def linear(self, values: Numbers, slope: Numbers, replicates: Numbers) -> SampledValues:
        """Estimates that change with the totals by ``slope``."""
        # Waves of one person that repeat a draw are not as many draws.
        device = slope @ self.device @ slope.T * self.frame.draw_effect
        lost = slope @ self.lost @ slope.T * self.frame.draw_effect
        if self.frame.is_about_respondents:
            covariance = device
        elif not len(self.replicate_scale):
            covariance = slope @ self.spread @ slope.T + lost
        else:
            apart = replicates - values
            covariance = (apart.T * self.replicate_scale) @ apart + lost
        simple = slope @ self.simple @ slope.T
        least = None if self.least is None else slope**2 @ self.least
        return SampledValues(values, covariance, device, simple, self, replicates, slope, least)


@dataclass(frozen=True, eq=False)
class SampledValues:
    """Estimates that are functions of totals, with the parts of their covariance.

    Parameters
    ----------
    slope
        How the estimates change with the totals, where that is known.
    replicates
        The estimates by replicate weights, one row each; there may be none.
    least
        The floor of their variances, where it is not the device's part.
    """

    values: Numbers
    covariance: Numbers
    device: Numbers
    simple: Numbers
    totals: SampleTotals
    replicates: Numbers
    slope: Numbers | None = None
    least: Numbers | None = None

    def contrast(self, which: Numbers) -> SampledValues:
        """Sums and differences of the estimates, one per row."""
        return SampledValues(
            which @ self.values,
            which @ self.covariance @ which.T,
            which @ self.device @ which.T,
            which @ self.simple @ which.T,
            self.totals,
            self.replicates @ which.T,
            None if self.slope is None else which @ self.slope,
            None if self.least is None else which**2 @ self.least,
        )

    @property
    def raw_errors(self) -> Numbers:
        """Roots of V, before the device's part sets a floor."""
        return _root(np.diag(self.covariance))

    @property
    def device_errors(self) -> Numbers:
        return _root(np.diag(self.device))

    @property
    def sampling_errors(self) -> Numbers:
        return _root(np.diag(self.covariance) - np.diag(self.device))

    @property
    def errors(self) -> Numbers:
        """Standard errors; a few clusters can make V too small by luck, but never below V_D."""
        return np.maximum(self.raw_errors, self._floor)

    @property
    def _floor(self) -> Numbers:
        return self.device_errors if self.least is None else _root(self.least)

    @property
    def floored(self) -> NDArray[np.bool_]:
        raw = np.diag(self.covariance)
        if self.least is not None:
            return np.zeros(len(raw), np.bool_)
        return np.asarray(np.diag(self.device) > raw * (1 + 1e-9) + 1e-300)

    @property
    def sampling_effects(self) -> Numbers:
        """V over that of a simple random sample; NaN where that is 0."""
        simple = np.diag(self.simple)
        known = simple > 1e-300
        out = np.full(len(simple), math.nan)
        return np.asarray(np.divide(np.diag(self.covariance), simple, out=out, where=known))

    @property
    def edge_effects(self) -> Numbers:
        """The same where all people have one true answer: the device's part is a floor there.

        Then nothing but the device varies, and neither strata nor clusters that happen to agree
        make that less than the weights let it be.
        """
        if self.totals.frame.is_about_respondents:
            return np.ones(len(self.values))
        return np.fmax(self.sampling_effects, self.totals.weights_effect)


def effective_size(
    found: SampledValues,
    place: int,
    line: Line | None,
    people: float | None = None,
    contributions: Contributions | None = None,
) -> float:
    """How many independent reports an estimated share is worth.

    As many as would give its error; ``people`` are those whom it is about where not all are. NaN
    where nothing is known of what reports vary by.
    """
    totals = found.totals
    n = totals.n if people is None else people
    if (line is not None or contributions is not None) and totals.frame.is_simple:
        return float(n)
    if contributions is not None and line is None:
        simple = float(np.diag(found.simple)[place])
        effect = float(found.errors[place]) ** 2 / simple if simple > 0 else math.nan
        return n / (effect if effect > 0 else totals.weights_effect)
    if line is None:
        return math.nan
    reported = line.reported(float(found.values[place]))
    inside = reported * (1 - reported)
    if inside > 1e-15:
        # Outside of 0 to 1 the device's part is too large: reports vary no more than alone.
        device = float(found.device_errors[place]) * line.slope
        device = min(device**2, inside * totals.weights_effect / max(n, 1))
        spread = max((line.slope * float(found.raw_errors[place])) ** 2, device)
        return inside / (spread * (1 - 1 / max(totals.n, 2))) if spread > 0 else math.inf
    if line.is_plain and totals.frame.is_complete:
        return math.inf
    return n / totals.weights_effect


def covariance_between(found: Sequence[SampledValues]) -> Numbers:
    """The covariance of estimates about parts of one sample that exclude each other, part by part.

    Parts that share clusters are not independent: what is common to a cluster moves both.
    """
    ends = np.cumsum([0, *(len(one.values) for one in found)])
    frame, scale = found[0].totals.frame, found[0].totals.replicate_scale
    joint = np.zeros((int(ends[-1]), int(ends[-1])))
    sums = [_linearised(one) for one in found]
    # Given the truth, the devices of different people have nothing to do with each other.
    if not frame.is_about_respondents:
        if len(scale):
            apart = np.hstack([one.replicates - one.values for one in found])
            joint = (apart.T * scale) @ apart
        elif all(one is not None for one in sums):
            joint = _spread(np.hstack([one for one in sums if one is not None]), frame)
    for place, one in enumerate(found):
        own = slice(ends[place], ends[place + 1])
        joint[own, own] = one.covariance
    return joint


def _linearised(found: SampledValues) -> Numbers | None:
    """Sums of linearised values by cluster, or by stratum where rows are the clusters."""
    return None if found.slope is None else found.totals.group_sums @ found.slope.T


def _spread(sums: Numbers, frame: Frame) -> Numbers:
    """The first sum of the variance; of rows as clusters only what holds between parts."""
    factors = stratum_factors(frame)
    if frame.has_clusters:
        return covariance_by_clusters(sums, frame, factors)
    centre = sums.sum(axis=0) / max(int(frame.sizes.sum()), 1)
    means = (sums.T * (factors.multiple / np.maximum(frame.sizes, 1))) @ sums
    return factors.lonely_part(sums, centre) - means


def _root(variance: Numbers) -> Numbers:
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)))


def t_factor(confidence: float, degrees: float) -> float:
    """How many standard errors an interval reaches to each side; normal for infinitely many.

    >>> round(t_factor(0.95, 3), 6), round(t_factor(0.95, math.inf), 6)
    (3.182446, 1.959964)
    """
    if degrees <= 0:
        return math.inf
    half = (1 + confidence) / 2
    return float(ndtri(half) if math.isinf(degrees) else stdtrit(degrees, half))


def two_sided_p(t: float, degrees: float) -> float:
    """The probability of a value at least as far from 0."""
    if degrees <= 0 or math.isnan(t):
        return math.nan
    if math.isinf(degrees):
        return float(math.erfc(abs(t) / math.sqrt(2)))
    return float(2 * stdtr(degrees, -abs(t)))


def error_remarks(found: SampledValues, degrees: float) -> tuple[str, ...]:
    lines: list[str] = list(found.totals.remarks)
    frame = found.totals.frame
    if frame.has_replicates and frame.sampling.replicates is None:
        lines.append(
            Message(
                "The errors come from {count:,} replicates made by {method}.",
                code=MADE,
                count=len(frame.replicate_scale),
                method=frame.options.make_replicates,
            )
        )
    # Without a device what is below its part of the error is rounding.
    if (found.floored & (found.device_errors > 0)).any():
        lines.append(
            Message(
                "The answers vary less than the device alone makes them vary on average, so "
                "the error of the device is shown.",
                code=FLOOR,
            )
            if not frame.has_clusters
            else Message(
                "Clusters show no extra variation; only the randomisation error is shown.",
                code=FLOOR,
            )
        )
    if degrees <= 0:
        lines.append(
            Message(
                "There are no more clusters than strata, so no interval can be given.",
                code=NO_FREEDOM,
            )
        )
    return tuple(lines)
