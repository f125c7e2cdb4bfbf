"""Whether an estimate is the same in every arm of a questionnaire, by Wald's test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import chdtrc

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.message import Message
from ppworkbench.core.survey.counts import Count
from ppworkbench.core.survey.crosstabs import CrossTable
from ppworkbench.core.survey.distributions import Distribution
from ppworkbench.core.survey.means import Mean

_ROUNDING = 1e-9


@dataclass(frozen=True)
class ArmEquality:
    """Wald's test that all arms have the same true values."""

    wald: float
    df: int
    p: float

    @property
    def sentence(self) -> str:
        """The test in plain words."""
        return Message(
            "If all arms had the same true value, differences as large as these would have "
            "probability {p:.4g} (Wald {wald:.4f}, {df} degrees of freedom).",
            p=self.p,
            wald=self.wald,
            df=self.df,
        )

    def to_json(self) -> dict[str, Any]:
        """The test for other programs."""
        return {"wald": self.wald, "df": self.df, "p": self.p}


def arm_equality(results: Sequence[object]) -> ArmEquality | None:
    """The test of the same statistic of several arms; None where errors are not at hand."""
    found = [_values_of(one) for one in results]
    known = [one for one in found if one is not None]
    if len(known) < max(len(found), 2):
        return None
    return _wald([values for values, _ in known], [spread for _, spread in known])


def _values_of(result: object) -> tuple[Numbers, Numbers] | None:
    """What is compared between arms, as shares and means, and its covariance."""
    if isinstance(result, Count | Mean):
        if result.limits is not None:
            return None
        one, size = result.value, 1.0
        if isinstance(result, Count):
            one, size = (one, result.respondents) if result.share is None else (result.share, 1.0)
        return np.array([one.estimate / size]), np.array([[(one.standard_error / size) ** 2]])
    if isinstance(result, Distribution):
        covariance = result.covariance
        return None if covariance is None else (np.array(result.raw), covariance)
    if isinstance(result, CrossTable) and result.covariance is not None:
        size = result.respondents if result.sample is None else result.sample.weighted_n
        return result.raw.ravel() / size, result.covariance / size**2
    return None


def _wald(values: Sequence[Numbers], spreads: Sequence[Numbers]) -> ArmEquality | None:
    """``sum_g (t_g - t)' V_g^-1 (t_g - t)`` with t the mean by precision."""
    total = np.sum(spreads, axis=0)
    if not np.isfinite(total).all():
        return None
    if len(total) > 1 and total.sum() < _ROUNDING * np.trace(total):
        # Shares of a whole: the last one is known from the others.
        values = [one[:-1] for one in values]
        spreads = [one[:-1, :-1] for one in spreads]
    try:
        inverses = [np.linalg.inv(one) for one in spreads]
        middle = np.linalg.solve(
            np.sum(inverses, axis=0),
            np.sum([v @ x for v, x in zip(inverses, values, strict=True)], axis=0),
        )
    except np.linalg.LinAlgError:
        return None
    apart = [x - middle for x in values]
    statistic = float(sum(x @ v @ x for x, v in zip(apart, inverses, strict=True)))
    df = (len(values) - 1) * len(middle)
    if not (np.isfinite(statistic) and statistic >= 0):
        return None
    return ArmEquality(statistic, df, float(chdtrc(df, statistic)))
