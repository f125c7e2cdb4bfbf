"""Estimated totals of several targets with their covariance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.survey.estimates import record_weights
from ppworkbench.core.survey.factors import Factor
from ppworkbench.core.survey.inquiry import Inquiry


@dataclass(frozen=True, eq=False)
class Totals:
    """How many of n respondents belong to each target.

    ``remarks`` say what a reader should know about how the totals came about.
    """

    values: Numbers
    covariance: Numbers
    n: int
    remarks: tuple[str, ...] = ()

    @property
    def errors(self) -> Numbers:
        """Standard errors; infinite where a single record gives no idea of them."""
        if self.n < 2:
            return np.full(len(self.values), math.inf)
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    def shares(self) -> tuple[Numbers, Numbers]:
        """The targets' shares of their sum, with standard errors.

        A share ``R_v = T_v / N`` has the derivatives ``([u = v] - R_v) / N`` by the totals (ratio
        estimator, Cochran 1977, chapter 6).
        """
        base = self.values.sum()
        shares = self.values / base
        slope = (np.eye(len(shares)) - shares[:, None]) / base
        variance = np.einsum("vu,uw,vw->v", slope, self.covariance, slope)
        errors = np.sqrt(np.maximum(variance, 0.0))
        return shares, errors if self.n > 1 else np.full(len(shares), math.inf)


def weighted_totals(
    inquiry: Inquiry, split: Factor | None = None, progress: Progress = silent
) -> Totals:
    """Totals by weights: of all targets of one factor, given the only target of each other.

    With ``w`` the product of the other factors' weights, sums of w and of w^2 over the records in
    each of the factor's cells are all that is needed. The variance is never taken for less than
    what the distortion of this factor alone brings at least.
    """
    n = inquiry.n
    if not inquiry.factors:
        return Totals(np.array([float(n)]), np.zeros((1, 1)), n)
    if split is None:
        split = max(inquiry.factors, key=lambda factor: float(factor.least_variance[0]))
    weights = record_weights(inquiry, (split,), progress)
    codes = inquiry.codes[inquiry.factors.index(split)]
    look_up = split.weights.matrix
    cells = len(look_up)
    sums, squares = (np.bincount(codes, weights**power, cells) for power in (1, 2))
    values = sums @ look_up
    covariance = sample_covariance(values, (look_up.T * squares) @ look_up, n)
    lacking = np.maximum(squares.sum() * split.least_variance - np.diag(covariance), 0.0)
    return Totals(values, covariance + np.diag(lacking), n)


def sample_covariance(values: Numbers, squares: Numbers, n: int) -> Numbers:
    """The covariance of sums of n independent terms, from their sample covariance."""
    return np.asarray((squares - np.outer(values, values) / n) * n / max(n - 1, 1))
