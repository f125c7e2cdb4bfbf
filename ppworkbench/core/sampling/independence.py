r"""Tests that two attributes are independent, from estimated cells and their covariance.

**Rao and Scott, second order.** With p the shares of the *reports*, N answers and C the contrasts
of interaction, Pearson's ``X^2`` of the reported shares is distributed as ``sum_i delta_i
chi^2_1``, where the generalised design effects ``delta`` are the eigenvalues of::

    (C' D^-1 C / N)^-1  C' D^-1 V D^-1 C,     D = diag(p)

``F = X^2 / sum(delta)`` has ``d = sum(delta)^2 / sum(delta^2)`` (Satterthwaite) and ``d`` times the
sampling's degrees of freedom. Without a device this is ``svychisq(statistic = "F")`` of the package
survey. Under devices that turn every answer of their own into a report, reports are independent
exactly when true answers are, and have no negative cells; V is the covariance of the
inverse-weighted cells, carried over to reports. Where several devices, sets or noise leave no such
table, the quadratic form of ``p_rc - p_r p_c`` with the covariance of a simple random sample of
such contributions takes the place of X^2, and the design effects are relative to it.

**Adjusted Wald.** ``F = W (df - q + 1) / (df q)`` with W the quadratic form of the differences
``N_rc - N_r N_c / N`` of numbers (all but the last row and column, q of them) with the inverse of
their covariance, against q and ``df - q + 1`` degrees of freedom: ``statistic = "adjWald"``.

References
----------
J. N. K. Rao and A. J. Scott (1984), "On chi-squared tests for multiway contingency tables with cell
proportions estimated from survey data", Annals of Statistics 12.
D. R. Thomas and J. N. K. Rao (1987), "Small-sample comparisons of level and power for simple
goodness-of-fit statistics under cluster sampling", Journal of the American Statistical Association
82.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import chdtrc, fdtrc

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.json_values import finite_or_none
from ppworkbench.core.message import Message

RAO_SCOTT, ADJUSTED_WALD = "rao-scott", "adjusted-wald"
TESTS = (RAO_SCOTT, ADJUSTED_WALD)
_SINGULAR = 1e12
"""Ratio of the largest to the least variance from which on an inverse is made of rounding."""

_NAMES = {
    RAO_SCOTT: Message("Rao-Scott test of independence"),
    ADJUSTED_WALD: Message("Adjusted Wald test of independence"),
}


@dataclass(frozen=True)
class IndependenceTest:
    """The statistic F, its two degrees of freedom and the p value."""

    f: float
    degrees: tuple[float, float]
    p: float
    test: str = RAO_SCOTT

    @property
    def sentence(self) -> Message:
        first, second = self.degrees
        p = Message("p < {p:.3f}", p=0.001) if self.p < 0.001 else Message("p = {p:.3f}", p=self.p)
        if math.isinf(second):
            return Message(
                "{test}: F = {f:.2f} with {first:,.1f} and ∞ degrees of freedom, {p}.",
                test=_NAMES[self.test],
                f=self.f,
                first=first,
                p=p,
            )
        return Message(
            "{test}: F = {f:.2f} with {first:,.1f} and {second:,.1f} degrees of freedom, {p}.",
            test=_NAMES[self.test],
            f=self.f,
            first=first,
            second=second,
            p=p,
        )

    @property
    def how_often(self) -> Message:
        """The p value as a number of surveys, for readers who know no p values.

        >>> print(IndependenceTest(3.1, (2.0, 23.0), 0.0642).how_often)
        about 6 in 100
        """
        if self.p > 0.99:
            return Message("almost all")
        if self.p < 0.001:
            return Message("fewer than 1 in {many:,}", many=1000)
        if self.p < 0.01:
            return Message("about {few:.0f} in {many:,}", few=1000 * self.p, many=1000)
        return Message("about {few:.0f} in {many:,}", few=100 * self.p, many=100)

    def to_json(self) -> dict[str, Any]:
        first, second = self.degrees
        return {
            "test": self.test,
            "f": self.f,
            "degrees_of_freedom": [first, finite_or_none(second)],
            "p": self.p,
        }


@dataclass(frozen=True, eq=False)
class EstimatedCells:
    """The cells of a table, row by row, with what a test needs to know of them.

    Parameters
    ----------
    values, covariance
        Estimated numbers or shares and their covariance.
    degrees
        Degrees of freedom of the sampling, infinite for a simple random sample.
    simple
        The covariance that a simple random sample would have; that of the cells if not given.
    channels
        The matrices that take true rows and columns to reported ones, where these tell each other;
        None where there is no such table.
    """

    values: Numbers
    covariance: Numbers
    shape: tuple[int, int]
    degrees: float
    simple: Numbers | None = None
    channels: tuple[Numbers, Numbers] | None = None

    @property
    def tested(self) -> int:
        return (self.shape[0] - 1) * (self.shape[1] - 1)


def independence_test(cells: EstimatedCells, test: str = RAO_SCOTT) -> IndependenceTest | None:
    """Test a table; None where it has one row, nothing varies, or clusters are too few."""
    total = float(cells.values.sum())
    if cells.tested < 1 or total <= 0 or cells.degrees <= 0:
        return None
    if test == ADJUSTED_WALD:
        return _adjusted_wald(cells)
    share = cells.values / total
    # Derivatives of shares by numbers; of shares they change nothing.
    slope = (np.eye(len(share)) - share[:, None]) / total
    covariance = slope @ cells.covariance @ slope.T
    simple = covariance if cells.simple is None else slope @ cells.simple @ slope.T
    if cells.channels is not None:
        first, second = cells.channels
        reported = first @ share.reshape(cells.shape) @ second.T
        both = np.kron(first, second)
        found = _of_reports(reported, both @ covariance @ both.T)
    else:
        found = _of_contributions(share.reshape(cells.shape), covariance, simple)
    return None if found is None else _satterthwaite(*found, cells.degrees)


def _satterthwaite(statistic: float, effects: Numbers, degrees: float) -> IndependenceTest | None:
    """F of a statistic that is distributed as a sum with the eigenvalues of ``effects``."""
    whole, squares = float(np.trace(effects)), float(np.trace(effects @ effects))
    if not whole > 0 or not squares > 0:
        return None
    f, first = statistic / whole, whole**2 / squares
    if math.isinf(degrees):
        return IndependenceTest(f, (first, math.inf), float(chdtrc(first, f * first)))
    return IndependenceTest(f, (first, first * degrees), float(fdtrc(first, first * degrees, f)))


def _of_reports(share: Numbers, covariance: Numbers) -> tuple[float, Numbers] | None:
    """Pearson's statistic and the design effects, both for one answer."""
    used = [share.sum(axis=axis) > 1e-12 for axis in (1, 0)]
    inside = np.outer(*used)
    share = share[np.ix_(*used)]
    if min(share.shape) < 2:
        return None
    covariance = covariance[np.ix_(inside.ravel(), inside.ravel())]
    expected = np.outer(share.sum(axis=1), share.sum(axis=0))
    statistic = float(((share - expected) ** 2 / expected).sum())
    # Reports that nobody gave are 0 but for rounding.
    p = np.where(share.ravel() > 1e-12, share.ravel(), 0.0)
    inverse = np.divide(1.0, p, out=np.zeros(len(p)), where=p > 0)
    rows, columns = share.shape
    contrasts = np.kron(_contrasts(rows), _contrasts(columns))
    scaled = inverse[:, None] * contrasts
    simple = contrasts.T @ scaled
    if not _is_regular(simple):
        return None
    effects = np.linalg.solve(simple, scaled.T @ covariance @ scaled)
    return statistic, np.asarray(effects, np.float64)


def _contrasts(count: int) -> Numbers:
    """Columns that add up to 0; their products are contrasts of interaction."""
    return np.eye(count)[:, 1:] - 1 / count


def _of_contributions(
    share: Numbers, covariance: Numbers, simple: Numbers
) -> tuple[float, Numbers] | None:
    """The quadratic form that a simple random sample would suggest, and the design effects."""
    apart, slope = _differences(share)
    plain = slope @ simple @ slope.T
    if not _is_regular(plain):
        return None
    statistic = float(apart @ np.linalg.solve(plain, apart))
    effects = np.linalg.solve(plain, slope @ covariance @ slope.T)
    return statistic, np.asarray(effects, np.float64)


def _is_regular(matrix: Numbers) -> bool:
    """Whether a covariance has an inverse worth the name; that of very few people has none."""
    return bool(np.isfinite(matrix).all()) and float(np.linalg.cond(matrix)) < _SINGULAR


def _adjusted_wald(cells: EstimatedCells) -> IndependenceTest | None:
    apart, slope = _differences(cells.values.reshape(cells.shape))
    q, degrees = len(apart), cells.degrees
    spread = slope @ cells.covariance @ slope.T
    if degrees < q or not _is_regular(spread):
        return None
    wald = float(apart @ np.linalg.solve(spread, apart))
    if math.isinf(degrees):
        return IndependenceTest(
            wald / q, (float(q), math.inf), float(chdtrc(q, wald)), ADJUSTED_WALD
        )
    left = degrees - q + 1
    f = wald * left / (degrees * q)
    return IndependenceTest(f, (float(q), left), float(fdtrc(q, left, f)), ADJUSTED_WALD)


def _differences(cells: Numbers) -> tuple[Numbers, Numbers]:
    """``N_rc - N_r N_c / N`` without the last row and column, and its derivatives by the cells."""
    rows, columns = cells.shape
    total = cells.sum()
    by_row, by_column = cells.sum(axis=1) / total, cells.sum(axis=0) / total
    apart = (cells - total * np.outer(by_row, by_column))[:-1, :-1].ravel()
    slope = np.zeros((len(apart), rows, columns))
    for place, (r, c) in enumerate(np.ndindex(rows - 1, columns - 1)):
        slope[place] += by_row[r] * by_column[c]
        slope[place, r, c] += 1
        slope[place, r, :] -= by_column[c]
        slope[place, :, c] -= by_row[r]
    return apart, slope.reshape(len(apart), -1)
