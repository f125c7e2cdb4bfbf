"""What a result says about its sampling: the target, the parts of its error, what is left out."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

from ppworkbench.core.data.sampling_roles import POPULATION, RESPONDENTS, Sampling
from ppworkbench.core.design.design import Design
from ppworkbench.core.message import Message
from ppworkbench.core.sampling.variance import SampleTotals
from ppworkbench.core.share_fit import Fit

UNLINKED_WAVES = "unlinked-waves"
"""The code of the remark that rows of several waves may be of the same people."""
DEVICE_RANDOMNESS = Message("the randomness of the device", code="device")
DEVICE_SHARE = Message("the error of the share that a device rests on", code="device-share")
WHO_WAS_DRAWN = Message("who happened to be drawn", code="sampling")
NOT_FOLLOWED = Message("people who do not do what the device says", code="non-compliance")
NOT_REACHED = Message("people who were not reached or refused", code="non-response")
ESTIMATED_WEIGHTS = Message("weights that were themselves estimated", code="weights")
WHO_WAS_ASKED = Message("who was asked", code="sampling")
SHARPER_TRUTH = Message(
    "that the truth may be less smooth than the estimate under noise", code="smoothing"
)


@dataclass(frozen=True)
class EstimateDetails:
    """The parts of one estimate's error.

    ``sampling_effect`` and ``effective_n`` are NaN where a simple random sample has no error.
    """

    degrees_of_freedom: float
    standard_error_device: float
    standard_error_sampling: float
    sampling_effect: float
    effective_n: float
    fit: Fit | None = None

    def to_json(self) -> dict[str, Any]:
        """The numbers under their names; null where there is no finite one."""
        document: dict[str, Any] = {
            "degrees_of_freedom": finite_or_none(self.degrees_of_freedom),
            "standard_error_device": self.standard_error_device,
            "standard_error_sampling": self.standard_error_sampling,
            "sampling_effect": finite_or_none(self.sampling_effect),
            "effective_n": finite_or_none(self.effective_n),
        }
        return document if self.fit is None else document | {"fit": self.fit.to_json()}


@dataclass(frozen=True)
class SampleSummary:
    """Whom a result is about, and which errors its intervals contain."""

    target: str
    n: int
    weighted_n: float
    weights_effect: float
    contains: tuple[Message, ...]
    excludes: tuple[Message, ...]

    @property
    def sentence(self) -> Message:
        """The target in words."""
        if self.target == RESPONDENTS:
            return Message("This is about the {n:,} people who answered.", n=self.n)
        if round(self.weighted_n) == self.n:
            return about_all(self.n)
        return Message(
            "This is about the {people:,.0f} people whom the {n:,} who answered stand for.",
            people=self.weighted_n,
            n=self.n,
        )

    @property
    def errors(self) -> Message:
        """Which errors the intervals hold and which they do not, in one line."""
        return IntervalContents(self.contains, self.excludes).sentence

    def with_share(self) -> SampleSummary:
        """The same of intervals that hold the error of a device's share, too."""
        if DEVICE_SHARE in self.contains:
            return self
        return dataclasses.replace(self, contains=(*self.contains, DEVICE_SHARE))

    def to_json(self) -> dict[str, Any]:
        """The facts under their names."""
        return {
            "target": self.target,
            "n": self.n,
            "weighted_n": self.weighted_n,
            "weights_effect": self.weights_effect,
            "contains": list(self.contains),
            "excludes": list(self.excludes),
        }


def about_all(n: int) -> Message:
    """Whom estimates from n people are about who all count the same."""
    return Message("This is about everybody whom the {n:,} people who answered stand for.", n=n)


def summarise(
    totals: SampleTotals, *, smoothed: bool = False, undistorted: bool = False
) -> SampleSummary:
    """What a reader must know about a result from these totals.

    ``smoothed`` says that a smooth estimate took the place of contributions under noise,
    ``undistorted`` that nothing was randomised.
    """
    frame = totals.frame
    held = interval_contents(
        frame.sampling, frame.options.target, smoothed=smoothed, undistorted=undistorted
    )
    return SampleSummary(
        frame.options.target, totals.n, totals.weighted_n, totals.weights_effect,
        held.contains, held.excludes,
    )  # fmt: skip


@dataclass(frozen=True)
class IntervalContents:
    """Which errors an interval holds, and which it does not."""

    contains: tuple[Message, ...]
    excludes: tuple[Message, ...]

    @property
    def sentence(self) -> Message:
        """Both in one line."""
        if not self.contains:
            return Message(
                "The interval includes no error: these are the answers as they are. It leaves "
                "out: {excludes}.",
                excludes=Message.joined(self.excludes, ", "),
            )
        return Message(
            "The interval includes: {contains}. It leaves out: {excludes}.",
            contains=Message.joined(self.contains, ", "),
            excludes=Message.joined(self.excludes, ", "),
        )

    def to_json(self) -> dict[str, Any]:
        """Both under their names."""
        return {"contains": list(self.contains), "excludes": list(self.excludes)}


def interval_contents(
    sampling: Sampling | None = None,
    target: str = POPULATION,
    *,
    smoothed: bool = False,
    compliance_known: bool = False,
    shared: bool = False,
    undistorted: bool = False,
) -> IntervalContents:
    """What the intervals of estimates about a target hold; a simple random sample without roles.

    Intervals of a smooth estimate know nothing of its bias; ``compliance_known`` says that how many
    do what the device says was estimated as well, ``shared`` that the intervals know how uncertain
    the share is that a device rests on, such as that of birthdays, ``undistorted`` that there is no
    device.

    >>> [one.code for one in interval_contents(target="respondents").contains]
    ['device']
    """
    left_out = [] if compliance_known or undistorted else [NOT_FOLLOWED]
    left_out += [NOT_REACHED, *((SHARPER_TRUTH,) if smoothed else ())]
    held = () if undistorted else (DEVICE_RANDOMNESS, *((DEVICE_SHARE,) if shared else ()))
    if target == RESPONDENTS:
        return IntervalContents(held, (*left_out, WHO_WAS_ASKED))
    if sampling is not None and sampling.weight is not None and sampling.replicates is None:
        left_out.append(ESTIMATED_WEIGHTS)
    return IntervalContents((*held, WHO_WAS_DRAWN), tuple(left_out))


def about_waves(design: Design, sampling: Sampling | None) -> tuple[Message, ...]:
    """That intervals are too narrow where waves of the same people lie in one table.

    Clusters hold all rows of a person, but do not tell which of them repeat one draw.
    """
    waves, known = 1 if design.budget is None else design.budget.waves, sampling or Sampling()
    told = known.person if design.repeats_draws else known.unit
    if waves == 1 or told is not None or known.replicates is not None:
        return ()
    return (
        Message(
            "The design asks the same people in {waves} waves, but no column has the role "
            "person: where the answers of several waves are together, the intervals are too "
            "narrow. Give a column that role, or estimate every wave by itself.",
            code=UNLINKED_WAVES,
            waves=waves,
        ),
    )


def describe_roles(sampling: Sampling) -> tuple[Message, ...]:
    """Every role with its columns in a few words.

    >>> describe_roles(Sampling("pw", ("region", "size")))
    ('weight pw', 'strata region × size')
    """
    told = []
    if sampling.weight is not None:
        told.append(Message("weight {attribute}", attribute=sampling.weight))
    if sampling.stratum:
        each = (Message("{attribute}", attribute=name) for name in sampling.stratum)
        told.append(Message("strata {names}", names=Message.joined(each, " × ")))
    if sampling.cluster is not None:
        told.append(Message("clusters {attribute}", attribute=sampling.cluster))
    if sampling.person is not None:
        told.append(Message("persons {attribute}", attribute=sampling.person))
    if isinstance(sampling.population, str):
        told.append(Message("population {attribute}", attribute=sampling.population))
    elif sampling.population is not None:
        told.append(Message("population {size:,g}", size=sampling.population))
    if sampling.replicates is not None:
        columns, method = sampling.replicates.columns, sampling.replicates.method
        told.append(
            Message("{count:,} replicate weights ({method})", count=len(columns), method=method)
        )
    return tuple(told)


def finite_or_none(number: float | None) -> float | None:
    """A number that every JSON file can hold."""
    return number if number is not None and math.isfinite(number) else None
