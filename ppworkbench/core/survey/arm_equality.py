"""Whether an estimate is the same in every arm of a questionnaire.

The shares of one question are compared by their likelihood, other estimates by Wald's test.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import block_diag

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.message import Message
from ppworkbench.core.reconstruct.agreement import WALD
from ppworkbench.core.reconstruct.by_arm import BOUNDARY
from ppworkbench.core.reconstruct.pooled import upper_tail
from ppworkbench.core.sampling.variance import SampledValues, covariance_between
from ppworkbench.core.survey.answers import PartedSource
from ppworkbench.core.survey.counts import Count
from ppworkbench.core.survey.crosstabs import CrossTable
from ppworkbench.core.survey.distributions import Distribution
from ppworkbench.core.survey.means import Mean
from ppworkbench.core.survey.pooled import pooled_shares

_ROUNDING = 1e-9


@dataclass(frozen=True)
class ArmEquality:
    """The test that all arms have the same true values.

    ``name`` is that of its statistic, ``lr`` or ``wald``.
    """

    statistic: float
    df: int
    p: float
    name: str = WALD
    remarks: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        told = Message(
            "If all arms had the same true value, differences as large as these would have "
            "probability {p:.4g} ({name} {statistic:.4f}, {df} degrees of freedom).",
            p=self.p,
            name=Message("Wald") if self.name == WALD else Message("likelihood ratio"),
            statistic=self.statistic,
            df=self.df,
        )
        return Message.joined((told, *self.remarks))

    def to_json(self) -> dict[str, Any]:
        told: dict[str, Any] = {self.name: self.statistic, "df": self.df, "p": self.p}
        return told | ({"warnings": list(self.remarks)} if self.remarks else {})


def pooled_arm_equality(
    table: Table | PartedSource, design: Design, names: Sequence[str], seed: int = 0
) -> ArmEquality | None:
    """The test of the arms of one question whose devices differ, by the likelihood."""
    pooled = pooled_shares(table, design, names)
    if pooled is None:
        return None
    test, remarks = pooled.counter.equality(seed)
    if test is None:
        return None
    return ArmEquality(test.statistic, test.df, test.p, pooled.counter.statistic, remarks)


def arm_equality(results: Sequence[object]) -> ArmEquality | None:
    """The test of the same statistic of several arms; None where errors are not at hand.

    Under a sampling the arms are parts of one sample, so that their estimates may vary together,
    and F takes the place of chi-square. Clusters that are fewer than the values to compare leave
    differences without an error: there is no test then.
    """
    found = [_values_of(one) for one in results]
    known = [one for one in found if one is not None]
    if len(known) < max(len(found), 2):
        return None
    values = [one.values for one in known]
    spread = np.asarray(block_diag(*(one.covariance for one in known)))
    sampled = [one.sampled for one in known if one.sampled is not None]
    degrees = math.inf
    if len(sampled) == len(known):
        between = covariance_between(sampled)
        # Within an arm the device's part sets a floor that the estimate of the sample may lack.
        own = block_diag(*(np.ones_like(one.covariance) for one in known)) > 0
        spread = np.where(own, spread, between)
        degrees = _degrees(sampled)
    test = _wald(values, spread, degrees)
    if test is None or not any(one.is_at_bound for one in known):
        return test
    return dataclasses.replace(test, remarks=(BOUNDARY,))


def compares_arms(result: object) -> bool:
    """Whether results of this kind, with errors such as these, can be compared between arms."""
    return _values_of(result) is not None


def _degrees(sampled: Sequence[SampledValues]) -> float:
    """Clusters minus strata of all arms together: of one arm alone it would be too few."""
    frame = sampled[0].totals.frame
    if frame.options.degrees_of_freedom is not None:
        return frame.options.degrees_of_freedom
    fewest = min(float(one.totals.degrees[-1]) for one in sampled)
    if math.isinf(fewest) or not frame.has_clusters or frame.has_replicates:
        return fewest
    met = np.any([one.totals.group_sums.any(axis=1) for one in sampled], axis=0)
    return max(fewest, float(met.sum() - len(np.unique(frame.cluster_strata[met]))))


@dataclass(frozen=True, eq=False)
class _Compared:
    values: Numbers
    covariance: Numbers
    sampled: SampledValues | None = None
    is_share: bool = True

    @property
    def is_at_bound(self) -> bool:
        """Whether some share ends its range, or lies beyond that."""
        return self.is_share and bool(((self.values <= 0) | (self.values >= 1)).any())


def _values_of(result: object) -> _Compared | None:
    if isinstance(result, Count | Mean):
        if result.limits is not None:
            return None
        is_share = isinstance(result, Count)
        one = result.share if isinstance(result, Count) else result.value
        covariance = np.array([[one.standard_error**2]])
        return _Compared(np.array([one.estimate]), covariance, result.sampled, is_share)
    if isinstance(result, CrossTable):
        return _cells_of(result)
    if isinstance(result, Distribution) and result.covariance is not None:
        return _Compared(np.array(result.raw), result.covariance, result.sampled)
    return None


def _cells_of(table: CrossTable) -> _Compared | None:
    sampled, size = table.sampled, table.respondents
    if sampled is not None:
        return _Compared(sampled.values, sampled.covariance, sampled)
    if table.sample is not None or table.covariance is None:
        return None
    return _Compared(table.raw.ravel() / size, table.covariance / size**2)


def _wald(values: Sequence[Numbers], spread: Numbers, degrees: float) -> ArmEquality | None:
    """``(C t)' (C V C')^-1 (C t)`` with C the difference of every arm from the last one."""
    count, size = len(values), len(values[0])
    if not (np.isfinite(spread).all() and np.isfinite(values).all()):
        return None
    total = spread.reshape(count, size, count, size).trace(axis1=0, axis2=2)
    kept = size
    if size > 1 and total.sum() < _ROUNDING * np.trace(total):
        # Shares of a whole: the last one is known from the others.
        kept -= 1
    differences = np.hstack([np.eye(count - 1), np.full((count - 1, 1), -1.0)])
    contrast = np.kron(differences, np.eye(size)[:kept])
    apart = contrast @ np.concatenate(values)
    between = contrast @ spread @ contrast.T
    sizes = np.linalg.eigvalsh(between)
    if degrees <= 0 or sizes[0] <= _ROUNDING * sizes[-1]:
        return None
    statistic = float(apart @ np.linalg.solve(between, apart))
    df = (count - 1) * kept
    return ArmEquality(statistic, df, upper_tail(statistic, df, degrees))
