"""What a result says about its sampling: the target, the parts of its error, what is left out."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.sampling_roles import POPULATION, RESPONDENTS, WALD, Sampling
from ppworkbench.core.design.design import Design
from ppworkbench.core.json_values import finite_or_none
from ppworkbench.core.message import Message
from ppworkbench.core.reconstruct.agreement import SetTests
from ppworkbench.core.reconstruct.pooled import Test
from ppworkbench.core.reconstruct.reconstruction import Reconstruction
from ppworkbench.core.sampling.variance import SampledValues, SampleTotals, error_remarks
from ppworkbench.core.share_intervals import Fit

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
    """Whom a result is about, and which errors its intervals contain.

    ``persons`` is how many people gave the n answers; 0 where no column tells them.
    """

    target: str
    n: int
    weighted_n: float
    weights_effect: float
    contains: tuple[Message, ...]
    excludes: tuple[Message, ...]
    persons: int = 0

    @property
    def has_waves(self) -> bool:
        """Whether some people answered more than once, so that answers are no people."""
        return 0 < self.persons < self.n

    @property
    def whole(self) -> Message:
        """How many and what the numbers are out of: respondents, people or answers."""
        if self.has_waves:
            return Message("{n:,.0f} answers", n=self.weighted_n)
        if round(self.weighted_n) == self.n:
            return Message("{n:,} respondents", n=self.n)
        return Message("{n:,.0f} people", n=self.weighted_n)

    @property
    def sentence(self) -> Message:
        if self.has_waves:
            return self._waves_sentence
        if self.target == RESPONDENTS:
            return Message("Results refer to the {n:,} people who answered.", n=self.n)
        if round(self.weighted_n) == self.n:
            return about_all(self.n)
        return Message(
            "Weighted: {n:,} respondents represent {people:,.0f} people.",
            people=self.weighted_n,
            n=self.n,
        )

    @property
    def _waves_sentence(self) -> Message:
        known: dict[str, Any] = {"n": self.n, "persons": self.persons}
        if self.target == RESPONDENTS:
            return Message("Results refer to the {n:,} answers of {persons:,} people.", **known)
        if round(self.weighted_n) == self.n:
            return Message(
                "Results refer to the population from which {persons:,} people were sampled, who "
                "gave {n:,} answers.",
                **known,
            )
        return Message(
            "Weighted: {n:,} answers of {persons:,} people represent {answers:,.0f} answers.",
            answers=self.weighted_n,
            **known,
        )

    @property
    def errors(self) -> Message:
        return IntervalContents(self.contains, self.excludes).sentence

    def with_share(self) -> SampleSummary:
        """The same of intervals that hold the error of a device's share, too."""
        if DEVICE_SHARE in self.contains:
            return self
        return dataclasses.replace(self, contains=(*self.contains, DEVICE_SHARE))

    def to_json(self) -> dict[str, Any]:
        return {
            "target": self.target,
            "n": self.n,
            **({"persons": self.persons} if self.persons else {}),
            "weighted_n": self.weighted_n,
            "weights_effect": self.weights_effect,
            "contains": list(self.contains),
            "excludes": list(self.excludes),
        }


def about_all(n: int) -> Message:
    """Whom estimates from n people are about who all count the same."""
    return Message(
        "Results refer to the population from which the {n:,} respondents were sampled.", n=n
    )


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
        held.contains, held.excludes, totals.persons,
    )  # fmt: skip


@dataclass(frozen=True)
class IntervalContents:
    """Which errors an interval holds, and which it does not."""

    contains: tuple[Message, ...]
    excludes: tuple[Message, ...]

    @property
    def sentence(self) -> Message:
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
    known = sampling or Sampling()
    if known.weight is not None and known.replicates is None:
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


def methods_of_sampling(given: Sampling | None) -> tuple[Message, ...]:
    """What a methods section says of the sampling; nothing where nothing is known of it."""
    roles = Message.joined(describe_roles(given), ", ")
    return (Message("The sampling was taken into account: {roles}.", roles=roles),) if roles else ()


def describe_roles(given: Sampling | None) -> tuple[Message, ...]:
    """Every role with its columns in a few words.

    >>> describe_roles(Sampling("pw", ("region", "size")))
    ('weight pw', 'strata region × size')
    """
    told, sampling = [], given or Sampling()
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


@dataclass(frozen=True, eq=False)
class SampledReconstruction:
    """A reconstructed distribution with the parts of its error.

    Parameters
    ----------
    interval
        The kind of the intervals of shares.
    device_errors, sampling_errors, sampling_effects
        By cell of the distribution; None where the intervals come from an effective number.
    effective_n
        How many independent answers would tell as much.
    by_arm
        Every arm by itself, where that was asked for.
    not_asked
        How many records are of arms that do not ask the attribute.
    """

    found: Reconstruction
    sample: SampleSummary
    degrees_of_freedom: float
    effective_n: float
    interval: str = WALD
    device_errors: Numbers | None = None
    sampling_errors: Numbers | None = None
    sampling_effects: Numbers | None = None
    remarks: tuple[str, ...] = ()
    by_arm: SampledArms | None = None
    not_asked: int = 0

    @classmethod
    def of(
        cls, found: Reconstruction, sample: SampleSummary, degrees: float, size: float, kind: str,
        values: SampledValues,
    ) -> Self:  # fmt: skip
        """A distribution whose errors, and what is to be known of them, are those of values."""
        return cls(
            found, sample, degrees, size, kind, values.device_errors, values.sampling_errors,
            values.sampling_effects, error_remarks(values, degrees),
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        parts = {
            "standard_error_device": self.device_errors,
            "standard_error_sampling": self.sampling_errors,
            "sampling_effect": self.sampling_effects,
        }
        return {
            **self.found.to_json(),
            **self.sample.to_json(),
            "degrees_of_freedom": finite_or_none(self.degrees_of_freedom),
            "interval": self.interval,
            **{
                name: [finite_or_none(number) for number in numbers.tolist()]
                for name, numbers in parts.items()
                if numbers is not None
            },
            "effective_n": finite_or_none(self.effective_n),
            "remarks": list(self.remarks),
            **({"not_asked": self.not_asked} if self.not_asked else {}),
            **({} if self.by_arm is None else self.by_arm.to_json()),
        }


@dataclass(frozen=True, eq=False)
class SampledArms:
    """Every arm by itself, as a part of the sample, and Wald's test that all are the same.

    ``equality`` is None for a number, and where a single arm asks the question.
    """

    arms: Mapping[str, SampledReconstruction]
    equality: Test | None
    remarks: tuple[str, ...] = ()
    sets: SetTests | None = None

    def to_json(self) -> dict[str, Any]:
        shown = ("rows", "missing", "values", "edges", "probability", "raw", "standard_error",
                 "low", "high", "warnings", "weighted_n", "degrees_of_freedom", "effective_n",
                 "remarks")  # fmt: skip
        documents = {name: one.to_json() for name, one in self.arms.items()}
        test, equality = self.equality, None
        if test is not None:
            equality = test.to_json("wald")
            if self.remarks:
                equality["warnings"] = list(self.remarks)
        return {
            "arms": {
                name: {field: document[field] for field in shown if field in document}
                for name, document in documents.items()
            },
            "equality": equality,
            **({} if self.sets is None else {"sets": self.sets.to_json()}),
        }
