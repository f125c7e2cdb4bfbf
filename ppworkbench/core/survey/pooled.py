"""One question whose device differs by arm: the most likely shares of all arms together.

It is the estimate of :mod:`ppworkbench.core.reconstruct.by_arm`. Contributions of rows, each
through the device of its own arm, are unbiased as well, but arms that say little weigh as much as
others; they serve questions about several attributes at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.reconstruct.agreement import LIKELIHOOD
from ppworkbench.core.reconstruct.by_arm import DeviceCounter
from ppworkbench.core.reconstruct.reconstruct import ReconstructOptions
from ppworkbench.core.sampling.arm_counters import CellArms, SetArms, arm_counters
from ppworkbench.core.sampling.sample import Frame
from ppworkbench.core.sampling.variance import SampledValues
from ppworkbench.core.survey.answers import PartedSource
from ppworkbench.core.survey.sampled import SurveySample


@dataclass(frozen=True, eq=False)
class Pooled:
    """The shares of all values in all arms together, their covariance, and what was counted."""

    shares: Numbers
    covariance: Numbers
    counter: DeviceCounter
    pooling: str

    def remarks(self, chosen: Numbers | None = None, seed: int = 0) -> tuple[str, ...]:
        """What is said where the arms do not agree, about the sum of some shares."""
        return self.counter.disagreement(self.pooling, chosen, seed)


def pooled_shares(
    table: Table | PartedSource, design: Design, names: Iterable[str], pooling: str = LIKELIHOOD
) -> Pooled | None:
    """The shares of all arms together.

    None where there are several questions, a single device, or arms that do not tell the shares.
    """
    name = pooled_name(design, names)
    if name is None:
        return None
    if isinstance(table, Table):
        counter = DeviceCounter.of(name, design)
        counter.add(table, design.versions.read(table))
    else:
        counter = table.count_devices(name, design)
    shares, covariance, is_known = counter.fit(pooling)
    return Pooled(shares, covariance, counter, pooling) if is_known else None


@dataclass(frozen=True, eq=False)
class PooledSample:
    """The shares and the numbers of people with every value, under the sampling."""

    shares: SampledValues
    numbers: SampledValues
    counter: CellArms | SetArms
    frame: Frame

    def remarks(self, chosen: Numbers | None = None) -> tuple[str, ...]:
        """What is said where the arms do not agree, about the sum of some shares."""
        return self.counter.disagreement(self.frame, chosen)


def pooled_sample(
    survey: SurveySample, names: Iterable[str], pooling: str = LIKELIHOOD
) -> PooledSample | None:
    table, design, names, frame = survey.table, survey.design, tuple(names), survey.frame
    if pooled_shares(table, design, names) is None:
        return None
    name = names[0]
    if design.perturbation(name).columns != design.versions.columns:
        return None
    kind = arm_counters(name, design)
    counter = kind(name, design, frame, ReconstructOptions(pooling=pooling))
    counter.add(table, design.versions.read(table), survey.sample)
    shares, numbers = (counter.pooled_values(frame, number=number) for number in (False, True))
    return PooledSample(shares, numbers, counter, frame)


def chosen_error(chosen: Numbers, covariance: Numbers) -> float:
    return float(np.sqrt(max(float(chosen @ covariance @ chosen), 0.0)))


def pooled_name(design: Design, names: Iterable[str]) -> str | None:
    """The one question that arms ask with different devices; None where they are not pooled."""
    asked = tuple(dict.fromkeys(names))
    arms = design.versions
    if len(asked) != 1 or len(arms.members) < 2 or asked[0] == arms.column:
        return None
    perturbation, usual = design.perturbation(asked[0]), design.usual_device(asked[0])
    devices = {arm.device(asked[0], usual) for arm in arms.members} - {None}
    is_values = design[asked[0]].attribute.kind.is_categorical
    return asked[0] if is_values and len(devices) > 1 and not perturbation.unknown else None
