"""Estimated totals of several targets with their covariance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.survey.factors import Factor
from ppworkbench.core.survey.inquiry import Inquiry
from ppworkbench.core.survey.linear import record_weights

Numbers = NDArray[np.float64]


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
    each of the factor's cells are all that is needed.
    """
    leave_out = () if split is None else (split,)
    weights = record_weights(inquiry, leave_out, progress)
    n = inquiry.n
    if split is None:
        values, squares = np.array([weights.sum()]), np.array([[weights @ weights]])
    else:
        codes = inquiry.codes[inquiry.factors.index(split)]
        look_up = split.weights.matrix
        cells = len(look_up)
        values = np.bincount(codes, weights, cells) @ look_up
        squares = (look_up.T * np.bincount(codes, weights**2, cells)) @ look_up
    return Totals(values, sample_covariance(values, squares, n), n)


def sample_covariance(values: Numbers, squares: Numbers, n: int) -> Numbers:
    """The covariance of sums of n independent terms, from their sample covariance."""
    return np.asarray((squares - np.outer(values, values) / n) * n / max(n - 1, 1))
