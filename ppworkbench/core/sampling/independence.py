"""Wald's test that two attributes are independent, from estimated cells and their covariance.

With p the cells' shares, ``p_rc - p_r p_c`` is 0 everywhere for independent attributes. The
quadratic form of all of them but the last row and column with the inverse of their covariance, over
``(rows - 1)(columns - 1)``, is compared with F.

References
----------
G. G. Koch, D. H. Freeman and J. L. Freeman (1975), "Strategies in the multivariate analysis of data
from complex surveys", International Statistical Review 43.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import chdtrc, fdtrc

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.message import Message


@dataclass(frozen=True)
class IndependenceTest:
    """The statistic F, its two degrees of freedom and the p value."""

    f: float
    degrees: tuple[float, float]
    p: float

    @property
    def sentence(self) -> Message:
        """The numbers of the test."""
        first, second = self.degrees
        p = Message("p < {p:.3f}", p=0.001) if self.p < 0.001 else Message("p = {p:.3f}", p=self.p)
        if math.isinf(second):
            return Message(
                "Wald test of independence: F = {f:.2f} with {first:g} and ∞ degrees of freedom, "
                "{p}.",
                f=self.f,
                first=first,
                p=p,
            )
        return Message(
            "Wald test of independence: F = {f:.2f} with {first:g} and {second:g} degrees of "
            "freedom, {p}.",
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
        if self.p < 0.001:
            return Message("fewer than 1 in {many:,}", many=1000)
        if self.p < 0.01:
            return Message("about {few:.0f} in {many:,}", few=1000 * self.p, many=1000)
        return Message("about {few:.0f} in {many:,}", few=100 * self.p, many=100)

    def to_json(self) -> dict[str, Any]:
        """The numbers under their names."""
        first, second = self.degrees
        return {
            "f": self.f,
            "degrees_of_freedom": [first, second if math.isfinite(second) else None],
            "p": self.p,
        }


def independence_test(
    cells: Numbers, covariance: Numbers, shape: tuple[int, int], degrees: float
) -> IndependenceTest | None:
    """The test of a table given row by row; None where it has one row, or nothing varies.

    Parameters
    ----------
    cells, covariance
        Estimated numbers and their covariance.
    degrees
        Degrees of freedom of the sampling, infinite for a simple random sample.
    """
    rows, columns = shape
    total = cells.sum()
    tested = (rows - 1) * (columns - 1)
    if tested < 1 or total <= 0 or degrees <= 0:
        return None
    share = (cells / total).reshape(shape)
    by_row, by_column = share.sum(axis=1), share.sum(axis=0)
    apart = (share - np.outer(by_row, by_column))[:-1, :-1].ravel()
    # Derivatives of p_rc - p_r p_c by the shares, then of shares by numbers.
    slope = np.zeros((tested, rows, columns))
    for place, (r, c) in enumerate(np.ndindex(rows - 1, columns - 1)):
        slope[place, r, c] += 1
        slope[place, r, :] -= by_column[c]
        slope[place, :, c] -= by_row[r]
    flat = slope.reshape(tested, -1)
    flat = (flat - (flat @ share.ravel())[:, None]) / total
    spread = flat @ covariance @ flat.T
    if np.linalg.matrix_rank(spread, hermitian=True) < tested:
        return None
    f = float(apart @ np.linalg.solve(spread, apart)) / tested
    p = chdtrc(tested, f * tested) if math.isinf(degrees) else fdtrc(tested, degrees, f)
    return IndependenceTest(f, (float(tested), degrees), float(p))
