"""What the arms, an anchor or a band say about who followed, in words and for programs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ppworkbench.core.compliance.band import (
    OTHER,
    RANDOM,
    SAFE,
    TRUTH,
    BandPoint,
    Range,
    band_point,
)
from ppworkbench.core.compliance.classes import Classes, Estimate, interval_factor
from ppworkbench.core.compliance.models import ANCHOR, DirectDifference, NamedFit
from ppworkbench.core.compliance.question import DIRECT, KNOWN
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.sampling_roles import Sampling, sampling_fields
from ppworkbench.core.message import Message
from ppworkbench.core.reconstruct.pooled import Arm, Test
from ppworkbench.core.sampling.results import DEVICE_SHARE, IntervalContents, interval_contents
from ppworkbench.core.survey.inquiry import SHARE_EXACT


@dataclass(frozen=True, eq=False)
class Compliance:
    """What the arms, the anchor or the band say.

    Parameters
    ----------
    sensitive
        The answers whose share is estimated.
    uncorrected
        That share if everybody follows.
    arms
        With effective counts under a sampling: as many as a simple random sample would need.
    rows
        How many people answered in each arm of the question, also in those that are not used.
    direct, direct_if_all_followed
        The share by the model against direct questions, and the one if all followed where that is
        another.
    honesty
        Whether everybody may follow, where classes were asked about.
    possible
        From which to which share of people who do not follow the corrected shares are possible, by
        what those people do; None where such people explain the reports in no number.
    safe
        The place of the answer that nobody minds giving.
    sampling
        How people were drawn, where that was taken into account.
    """

    attribute: Attribute
    model: str
    arms: tuple[Arm, ...]
    sensitive: tuple[str, ...]
    uncorrected: Estimate
    classes: Classes | None = None
    named: NamedFit | None = None
    parameters: Mapping[str, Estimate] = field(default_factory=dict)
    closed_form: Mapping[str, float] | None = None
    direct: DirectDifference | None = None
    direct_if_all_followed: DirectDifference | None = None
    points: tuple[BandPoint, ...] = ()
    possible: Mapping[str, Range | None] = field(default_factory=dict)
    reach: Mapping[str, float | None] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    confidence: float = 0.95
    rows: Mapping[str, int] = field(default_factory=dict)
    honesty: Test | None = None
    simulated_fit: Test | None = None
    log_likelihood: float | None = None
    safe: int = 0
    sampling: Sampling | None = None

    @property
    def randomised(self) -> tuple[Arm, ...]:
        return tuple(arm for arm in self.arms if not is_direct(arm)) or self.arms

    @property
    def reported(self) -> float:
        """The share of the sensitive answers as they stand, with a device."""
        places = [self.attribute.values.index(value) for value in self.sensitive]
        counts = [(float(arm.counts[places].sum()), float(arm.n)) for arm in self.randomised]
        return sum(said for said, _ in counts) / sum(n for _, n in counts)

    @property
    def factor(self) -> float:
        return interval_factor(self.arms, self.confidence)

    def at_share(self, behaviour: str, share: float) -> BandPoint:
        places = [self.attribute.values.index(value) for value in self.sensitive]
        return band_point(self.randomised, behaviour, self.safe, places, share, self.factor)

    @property
    def fit(self) -> Test | None:
        """How well the model fits, where something is left to test."""
        if self.simulated_fit is not None:
            return self.simulated_fit
        if self.named is not None:
            return self.named.fit
        return None if self.classes is None else self.classes.fitted.fit

    @property
    def is_on_boundary(self) -> bool:
        if self.named is not None:
            return self.named.boundary
        return self.classes is not None and self.classes.fitted.is_on_boundary

    @property
    def contents(self) -> IntervalContents:
        """Which errors the intervals include and leave out.

        Those who do not follow are included where their share was estimated, or brought its error.
        """
        has_classes = self.classes is not None and bool(self.classes.extra)
        is_known = has_classes or self.model in (ANCHOR, KNOWN)
        held = interval_contents(self.sampling, compliance_known=is_known)
        if SHARE_EXACT not in self.remarks:
            return held
        return dataclasses.replace(held, excludes=(*held.excludes, DEVICE_SHARE))

    @property
    def sentence(self) -> str:
        values = " / ".join(self.sensitive)
        if self.model == DIRECT and self.direct is not None:
            share, difference = self.direct.share.estimate, self.direct.difference.estimate
            return Message(
                "Asked directly, {direct:.1f} % say “{values}”; with the device the share is "
                "{device:.1f} %, a difference of {points:.1f} points.",
                direct=100 * share,
                values=values,
                device=100 * (share + difference),
                points=100 * difference,
            )
        if self.classes is not None and self.classes.extra:
            if self.classes.fitted.at_bound[self.attribute.k :].all():
                return self._no_sign(self.classes)
            gone = sum(one.estimate for one in self.classes.estimates[self.attribute.k :])
            readings = self.classes.readings
            return Message(
                "About {followed:.0f} of 100 followed the device. The share of “{values}” is "
                "{low:.1f} to {high:.1f} %, depending on who the others are; if all had "
                "followed it would be {plain:.1f} %.",
                followed=100 * (1 - gone),
                values=values,
                low=100 * readings["low"].estimate,
                high=100 * readings["high"].estimate,
                plain=100 * self.uncorrected.estimate,
            )
        if "pi" in self.parameters:
            one = self.parameters["pi"]
            return Message(
                "The share of “{values}” is {share:.1f} %, {level:g} % interval {low:.1f} to "
                "{high:.1f} %; if all had followed it would be {plain:.1f} %.",
                values=values,
                share=100 * one.estimate,
                level=100 * self.confidence,
                low=100 * one.low,
                high=100 * one.high,
                plain=100 * self.uncorrected.estimate,
            )
        return self.band_sentence(SAFE)

    def _no_sign(self, classes: Classes) -> Message:
        do = [
            Message("give answers at random")
            if one.value is None
            else Message("always say “{value}”", value=self.attribute.values[one.value])
            for one in classes.extra
        ]
        return Message(
            "No sign of people who {do}; 5 % of them would have been missed with probability "
            "{missed:.0f} %. The share of “{values}” is {plain:.1f} %.",
            do=Message.joined(do, ", "),
            missed=100 * (1 - classes.power),
            values=" / ".join(self.sensitive),
            plain=100 * self.uncorrected.estimate,
        )

    def band_sentence(self, behaviour: str) -> Message:
        """From where to where the estimate goes if so many do not follow, as far as possible."""
        told = [one for one in self.points
                if one.behaviour == behaviour and math.isfinite(one.estimate)]  # fmt: skip
        if not told:
            return Message("Nothing shows who follows the device.")
        span = self.possible.get(behaviour)
        if span is None:
            return self._without_explanation(behaviour)
        first, last = max(span[0], told[0].share), min(span[1], told[-1].share)
        if first > last:
            # The band ends before anything is possible.
            first, last = span
        # At the ends of what is possible rounding may leave the range.
        ends = sorted(
            min(max(self.at_share(behaviour, share).estimate, 0.0), 1.0) for share in (first, last)
        )
        values = " / ".join(self.sensitive)
        if span[0] <= 0:
            return Message(
                "If up to {share:.0f} % {did}, the share of “{values}” lies between {low:.1f} % "
                "and {high:.1f} %.",
                share=100 * last,
                did=self.behaviour_did(behaviour),
                values=values,
                low=100 * ends[0],
                high=100 * ends[1],
            )
        return Message(
            "{plain} If {first:.1f} to {last:.1f} % {did}, it lies between {low:.1f} % and "
            "{high:.1f} %; the data allow {least:.1f} to {most:.1f} % of such people.",
            plain=self._impossible,
            first=100 * first,
            last=100 * last,
            did=self.behaviour_did(behaviour),
            low=100 * ends[0],
            high=100 * ends[1],
            least=100 * span[0],
            most=100 * span[1],
        )

    @property
    def _impossible(self) -> Message:
        plain = self.uncorrected.estimate
        values = " / ".join(self.sensitive)
        if 0 <= plain <= 1:
            return Message(
                "If everybody followed, the share of “{values}” would be {plain:.1f} %, the end of "
                "its range.",
                values=values,
                plain=100 * plain,
            )
        return Message(
            "If everybody followed, the share of “{values}” would be {plain:.1f} %, which is "
            "impossible.",
            values=values,
            plain=100 * plain,
        )

    def _without_explanation(self, behaviour: str) -> Message:
        said = Message(
            "{plain} People who {did} do not explain that, however many they are.",
            plain=self._impossible,
            did=self.behaviour_did(behaviour),
        )
        others = (SAFE, OTHER, TRUTH, RANDOM)
        name = next((one for one in others if self.possible.get(one) is not None), None)
        span = None if name is None else self.possible[name]
        if name is None or span is None:
            return said
        return Message.joined(
            (
                said,
                Message(
                    "{least:.1f} to {most:.1f} % who {did} would.",
                    least=100 * span[0],
                    most=100 * span[1],
                    did=self.behaviour_did(name),
                ),
            )
        )

    def behaviour_did(self, behaviour: str) -> Message:
        if behaviour == RANDOM:
            return Message("answered at random")
        if behaviour == TRUTH:
            return Message("told the truth regardless")
        return Message("always said “{value}”", value=self.always_value(behaviour))

    def always_value(self, behaviour: str) -> str:
        """What people say who always say the same: the safe answer, or the other one."""
        return self.attribute.values[int(self.safe == 0) if behaviour == OTHER else self.safe]

    @property
    def followed(self) -> Estimate | None:
        """The share of people who followed, where classes or attention were estimated."""
        attentive, classes = self.parameters.get("attentive"), self.classes
        if attentive is not None or classes is None or not classes.extra:
            return attentive
        k = self.attribute.k
        gone = classes.estimates[k:]
        if len(gone) == 1:
            one = gone[0]
            return Estimate(1 - one.estimate, one.standard_error, 1 - one.high, 1 - one.low)
        chosen = np.zeros(len(classes.fitted.shares))
        chosen[k:] = 1.0
        error = math.sqrt(max(float(chosen @ classes.fitted.covariance @ chosen), 0.0))
        share, reach = 1 - float(chosen @ classes.fitted.shares), classes.factor * error
        return Estimate(share, error, max(share - reach, 0.0), min(share + reach, 1.0))

    @property
    def has_sampling(self) -> bool:
        return self.sampling is not None

    @property
    def test_name(self) -> str:
        """What the statistic of its tests of hypotheses is: under a sampling there is no LR."""
        return "Wald" if self.has_sampling else "LR"

    def to_json(self) -> dict[str, Any]:
        classes = self.classes
        document: dict[str, Any] = {
            "attribute": self.attribute.name,
            "model": self.model,
            "sensitive": list(self.sensitive),
            "identified": classes is not None or self.named is not None,
            "arms": [{"name": arm.name, "n": self.rows.get(arm.name, arm.n),
                      "counts": arm.counts.tolist()} for arm in self.arms],
            "if_all_followed": self.uncorrected.to_json(),
            # As the answers stand, which is what "uncorrected" means everywhere.
            "uncorrected": {"estimate": self.reported},
            "classes": [],
            "readings": {},
            "parameters": {name: one.to_json() for name, one in self.parameters.items()},
            "closed_form": None if self.closed_form is None else dict(self.closed_form),
            "boundary": self.is_on_boundary,
            "fit": self.fit and self.fit.to_json("g2"),
            "honesty": None,
            "log_likelihood": self.log_likelihood,
            "direct": _direct_json(self.direct),
            "direct_if_all_followed": _direct_json(self.direct_if_all_followed),
            "band": [_finite(dataclasses.asdict(point)) for point in self.points],
            "smallest_share": {name: span and span[0] for name, span in self.possible.items()},
            "largest_share": {name: span and span[1] for name, span in self.possible.items()},
            "reach": dict(self.reach),
            "warnings": list(self.remarks),
            **self.contents.to_json(),
        }  # fmt: skip
        document |= sampling_fields(self.sampling)
        if classes is not None:
            document["classes"] = [
                {"name": str(name), "share": one.estimate} | _without(one.to_json(), "estimate")
                for name, one in zip(classes.names, classes.estimates, strict=True)
            ]
            document["readings"] = {name: one.to_json() for name, one in classes.readings.items()}
            honesty = self.honesty
            if honesty is not None:
                document["honesty"] = {
                    "lr": honesty.statistic, "p": honesty.p, "power_at_5_percent": classes.power,
                    "honest": dict(zip(classes.values, classes.honest_shares.tolist(),
                                       strict=True)),
                }  # fmt: skip
        return document


def _without(given: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in given.items() if key != name}


def _finite(given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in given.items()
    }


def _direct_json(direct: DirectDifference | None) -> dict[str, Any] | None:
    if direct is None:
        return None
    return {
        "share": direct.share.to_json(), "difference": direct.difference.to_json(),
        "denying": direct.denying.to_json(), "equality": direct.equality.to_json("lr"),
        "pooled": direct.pooled, "random": direct.random,
    }  # fmt: skip


def is_direct(arm: Arm) -> bool:
    """Whether an arm asks without a device."""
    return bool(np.abs(arm.matrix - np.eye(len(arm.matrix))).max() < 1e-12)
