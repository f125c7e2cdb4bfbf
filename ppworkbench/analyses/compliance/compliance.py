"""Who followed the device of a question, as a question of its own."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ppworkbench.analyses.estimates.request import AnswersRequest, Arms, EstimateInput
from ppworkbench.analyses.estimates.result import Numbers as KeptNumbers
from ppworkbench.analyses.estimates.result import SurveyResult, finite_numbers
from ppworkbench.core.compliance.band import OTHER, RANDOM, SAFE, TRUTH
from ppworkbench.core.compliance.question import BAND, ComplianceQuestion
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.results.picture import (
    MANY,
    Axis,
    Mark,
    Picture,
    Role,
    Shape,
    intervals,
)
from ppworkbench.results.sheet import Column, Kind, Sheet, interval_columns
from ppworkbench.results.text import equals_p, short_number
from ppworkbench.study.renaming import COMPLIANCE

if TYPE_CHECKING:
    from ppworkbench.analyses.source import Source
    from ppworkbench.core.arrays import Numbers
    from ppworkbench.core.compliance.band import BandPoint
    from ppworkbench.core.compliance.classes import Estimate
    from ppworkbench.core.compliance.result import Compliance
    from ppworkbench.core.design.design import Design
    from ppworkbench.study.study import Study

RESULTS = COMPLIANCE
"""Under which name the study keeps whether Share tells the three readings, and by which model."""
SHARE = "share"
"""The handle at the share of people who do not follow."""


class ComplianceResult(SurveyResult):
    """How many people followed the device, and what that does to the estimate."""

    found: Compliance
    main: ClassVar[str] = "estimates"

    def sheets(self) -> tuple[Sheet, ...]:
        found, made = self.found, [self._reported(), self._estimates()]
        if found.direct is not None:
            made.append(_sheet("direct", Message("Asked directly"), self._direct()))
        return (*made, *(self._band() if found.points else ()))

    @property
    def contents(self) -> Message:
        """Those who do not follow are included where a model estimates them."""
        return self.found.contents.sentence

    def figure(self, name: str) -> Estimate | None:
        return self.found.parameters.get(name)

    def people_by_arm(self) -> Mapping[str, int]:
        return self.found.rows

    def kept(self) -> tuple[KeptNumbers, int]:
        """The share of those who followed, else the share if all followed."""
        one = self.found.followed
        if one is None:
            return finite_numbers(self.found.uncorrected.estimate, math.nan, math.nan), 0
        return finite_numbers(one.estimate, one.low, one.high), 0

    def own_methods(self, study: Study) -> tuple[str, ...]:
        from ppworkbench.analyses.compliance.sentences import compliance_methods
        from ppworkbench.study.release import describe_devices

        how = describe_devices((self.found.attribute.name,), study.design)
        return compliance_methods(self.found, study, how)

    def _listed(self) -> list[tuple[str, Estimate]]:
        found, classes = self.found, self.found.classes
        rows: list[tuple[str, Estimate]] = [(Message("if all followed"), found.uncorrected)]
        if classes is not None:
            rows += zip(map(str, classes.names), classes.estimates, strict=True)
            rows += [
                (Message("share, {reading}", reading=Message.of(name)), one)
                for name, one in classes.readings.items()
            ]
        others = found.parameters.items()
        return rows + [(name, one) for name, one in others if name != "uncorrected"]

    def _estimates(self) -> Sheet:
        listed = self._listed()
        called = Column("estimated", Message(""), Kind.TEXT, [name for name, _ in listed])
        numbers = interval_columns([one for _, one in listed], level=self.found.confidence)
        return Sheet("estimates", Message("Estimates"), (called, *numbers))

    def _reported(self) -> Sheet:
        found = self.found
        people = [found.rows.get(arm.name, arm.n) for arm in found.arms]
        columns = [
            Column("arm", Message("arm"), Kind.TEXT, [arm.name for arm in found.arms]),
            Column("answers", Message("answers"), Kind.COUNT, people),
        ]
        for place, value in enumerate(found.attribute.values):
            counts = [float(arm.counts[place]) for arm in found.arms]
            # An answer may be called like another column.
            columns.append(Column(f"answer {value}", Message(value), Kind.COUNT, counts))
        return Sheet("reported", Message("Reported answers"), tuple(columns))

    def _direct(self) -> list[tuple[str, Estimate]]:
        found = self.found
        assert found.direct is not None  # noqa: S101 (who asks has looked)
        rows: list[tuple[str, Estimate]] = [(Message("asked directly"), found.direct.share)]
        rows.append((Message("difference"), found.direct.difference))
        rows.append((Message("deny when asked"), found.direct.denying))
        one = found.direct_if_all_followed
        if one is not None:
            rows.append((Message("difference, if all followed"), one.difference))
            rows.append((Message("deny when asked, if all followed"), one.denying))
        return rows

    def _band(self) -> tuple[Sheet, Sheet]:
        found = self.found
        points = found.points
        shares = list(dict.fromkeys(one.share for one in points))[::4]
        said = [
            Message(
                "{share:.0f} %, {behaviour}",
                share=100 * one.share, behaviour=Message.of(self._behaviour(one.behaviour)),
            )
            for one in points
        ]  # fmt: skip
        *numbers, error = interval_columns(points, level=found.confidence)
        columns = (
            Column("name", Message("if so many do not follow"), Kind.TEXT, said),
            Column("behaviour", Message("behaviour"), Kind.TEXT, [p.behaviour for p in points],
                   is_detail=True),
            Column("share", Message("share who do not follow"), Kind.NUMBER,
                   [one.share for one in points], is_detail=True),
            *numbers, dataclasses.replace(error, is_detail=True),
        )  # fmt: skip
        listed = tuple(place for place, one in enumerate(points) if one.share in shares)
        band = Sheet("band", Message("The band"), columns, listed=listed)
        names = list(found.possible)
        spans = [found.possible[name] or (None, None) for name in names]

        def column(key: str, head: Message, values: Sequence[float | None]) -> Column:
            return Column(key, head, Kind.NUMBER, values)

        possible = (
            Column("behaviour", Message("behaviour"), Kind.TEXT, list(map(self._behaviour, names))),
            column("smallest", Message("smallest possible share"), [low for low, _ in spans]),
            column("largest", Message("largest possible share"), [high for _, high in spans]),
            column("tipping", Message("tipping point"), [found.reach.get(name) for name in names]),
        )
        return band, Sheet("possible", Message("What the answers allow"), possible)

    def _behaviour(self, name: str) -> str:
        if name == OTHER:
            return Message("always {value}", value=self.found.always_value(name))
        return name

    def readings(self) -> tuple[str, ...]:
        found = self.found
        name = Message("Wald") if found.has_sampling else Message("G²")
        ratio = Message("Wald") if found.has_sampling else Message("LR")
        said: list[str] = []
        if found.classes is not None and found.honesty is not None:
            said.append(
                Message(
                    "Test that everybody follows: {name} = {lr}, p {p}; 5 % who do not would have "
                    "been noticed with probability {power:.2f}.",
                    name=ratio, lr=short_number(found.honesty.statistic),
                    p=equals_p(found.honesty.p), power=found.classes.power,
                )
            )  # fmt: skip
        if found.fit is not None:
            statistic = short_number(found.fit.statistic)
            if math.isfinite(found.fit.p):
                said.append(
                    Message(
                        "Fit of the model: {name} = {g2} on {df}, p {p}.",
                        name=name, g2=statistic, df=found.fit.df, p=equals_p(found.fit.p),
                    )
                )  # fmt: skip
            else:
                said.append(Message("Fit of the model, on the boundary: G² = {g2}.", g2=statistic))
        said += self._direct_tests(ratio)
        cost = second_arm(found)
        return (*said, *(() if cost is None else (cost,)), found.contents.sentence)

    def _direct_tests(self, name: Message) -> list[Message]:
        said: list[Message] = []
        ways = (
            (Message("Test of one share for both"), self.found.direct),
            (
                Message("Test of one share for both, if all followed"),
                self.found.direct_if_all_followed,
            ),
        )
        for about, one in ways:
            if one is None:
                continue
            said.append(
                Message(
                    "{about}: {name} = {lr} on {df}, p {p}.",
                    about=about, name=name, lr=short_number(one.equality.statistic),
                    df=one.equality.df, p=equals_p(one.equality.p),
                )
            )  # fmt: skip
            if one.random is not None and 0 < one.random < 1:
                said.append(
                    Message(
                        "{share:.1f} % of answers at random would explain the whole difference.",
                        share=100 * one.random,
                    )
                )
        return said

    def _interviewed(self) -> tuple[int, float]:
        return round(sum(self.found.rows.values())), self.found.confidence

    def pictures(self) -> tuple[Picture, ...]:
        found = self.found
        listed = self._listed()
        drawn = intervals(
            "estimates", Message("Estimates"), Axis(Message("share"), kind=Kind.SHARE),
            [str(name) for name, _ in listed], [one for _, one in listed],
            note=self.note(),
        )  # fmt: skip
        band = (band_picture(found, usual_behaviour(found)),) if found.points else ()
        return (drawn, self._arms(), *band)

    def _arms(self) -> Picture:
        """The share of the sensitive answer among the reports of every arm, and what it would be.

        A line over each bar is what it would be if everybody followed.
        """
        import numpy as np

        from ppworkbench.core.reconstruct.pooled import fit_shares

        found, name = self.found, self.found.attribute.name
        chosen = np.isin(found.attribute.values, found.sensitive).astype(np.float64)
        shares = fit_shares(found.randomised).shares
        captions = _captions(self.design, name)
        has_names = bool(self.design.perturbation(name).columns)
        labels, numbers = [], []
        for arm in found.arms:
            reported = float(chosen @ arm.counts) / arm.n
            error = math.sqrt(max(float(chosen @ arm.share_covariance @ chosen), 0.0))
            reach = found.factor * error
            expected = float(chosen @ arm.matrix @ shares)
            numbers.append((reported, max(reported - reach, 0), min(reported + reach, 1), expected))
            whom = Message("Arm {arm}", arm=arm.name) if has_names else Message("All respondents")
            told = captions.get(arm.name, Message(""))
            labels.append(Message("{arm}\n{device}", arm=whom, device=told))
        share, low, high, expected = np.array(numbers).T
        places = np.arange(1.0 * len(share))
        # A line over each bar, with a gap before the next.
        across = (places[:, None] + np.array([-0.4, 0.0, 0.4, 0.5])).ravel()
        line = (expected[:, None] * np.array([1.0, 1.0, 1.0, math.nan])).ravel()
        said = Message("reported “{value}”", value=" / ".join(found.sensitive))
        words = tuple(Message("{share:.1f} %", share=100 * one) for one in share.tolist())
        marks = (
            Mark(Shape.BARS, Role.REPORTED, said, places, share, low, high, words),
            Mark(Shape.LINE, Role.REFERENCE, Message("if all followed"), across, line),
        )
        title, up = Message("Reports by arm"), Axis(Message("share"), kind=Kind.SHARE, low=0.0)
        things = Axis(Message(""), labels=tuple(labels))
        return Picture("arms", title, things, up, marks, self.note())


def _sheet(
    name: str,
    title: Message,
    listed: Sequence[tuple[str, Any]],
    head: Message = Message(""),
) -> Sheet:
    called = Column("name", head, Kind.TEXT, [one for one, _ in listed])
    numbers = interval_columns([one for _, one in listed])
    return Sheet(name, title, (called, *numbers))


def _captions(design: Design, name: str) -> dict[str, Message]:
    """What the device of every arm is."""
    import numpy as np

    perturbation, attribute = design.perturbation(name), design[name].attribute
    known = {column: design[column].attribute for column in perturbation.columns}
    nobody = {column: np.zeros(0, np.intp) for column in (*known, name)}
    cases = perturbation.cases_of(nobody, known, attribute.name)
    return {
        cases.names[place] if cases.names else str(place + 1): (
            Message("asked directly") if device.is_identity else Message.of(device.summary())
        )
        for place, device in enumerate(cases.devices)
    }


# The band


def usual_behaviour(found: Compliance) -> str:
    """What those who do not follow do first: by the model, else what explains the reports."""
    classes = found.classes
    if classes is not None and classes.extra and classes.extra[0].value is None:
        return RANDOM
    return OTHER if found.possible.get(OTHER) is not None else SAFE


def measured_share(found: Compliance, behaviour: str) -> Estimate | None:
    """What the arms say about the share of people who do this; None where they do not."""
    classes = found.classes
    if classes is None or behaviour not in (SAFE, RANDOM):
        return None
    value = None if behaviour == RANDOM else found.safe
    shares = zip(classes.extra, classes.estimates[found.attribute.k :], strict=True)
    return next((estimate for one, estimate in shares if one.value == value), None)


def band_curve(found: Compliance, behaviour: str) -> Numbers:
    """Shares, estimates and the ends of their intervals; NaN where the reports are impossible."""
    import numpy as np

    points = [one for one in found.points if one.behaviour == behaviour]
    first, last = points[0].share, points[-1].share
    least, most = found.possible.get(behaviour) or (0.0, 0.0)
    reach = max(least, first), min(most, last)
    if reach[0] < reach[1]:
        points = [found.at_share(behaviour, one) for one in np.linspace(*reach, MANY + 1).tolist()]
    unknown = (math.nan,) * 3
    known = [(one.share, one.estimate, one.low, one.high) for one in points]
    curve: Numbers = np.array([(first, *unknown), *known, (last, *unknown)]).T
    return curve


def band_picture(
    found: Compliance, behaviour: str, curve: Numbers | None = None, here: BandPoint | None = None
) -> Picture:
    """The estimate over the share of people who do not follow.

    Parameters
    ----------
    curve
        That of :func:`band_curve`, where it is there already.
    here
        Where a handle stands; its estimate is NaN where the reports are impossible.
    """
    import numpy as np

    x, y, low, high = band_curve(found, behaviour) if curve is None else curve
    nowhere, first, last = np.array([math.nan]), float(x[0]), float(x[-1])
    top = min(1.12 * float(np.nanmax([y, high], initial=0.01)), 1.0)
    marks = [Mark(Shape.LINE, Role.ESTIMATE, Message("estimate"), x, y, low, high)]
    measured = measured_share(found, behaviour)
    if measured is not None and math.isfinite(measured.low):
        said = Message(
            "arms: {low:.0f} to {high:.0f} %", low=100 * measured.low, high=100 * measured.high
        )
        ends, whole = np.clip((measured.low, measured.high), first, last), np.full(2, top)
        none = np.full(2, math.nan)
        marks.append(Mark(Shape.BAND, Role.REFERENCE, said, ends, none, 0 * whole, whole))
    _, most = found.possible.get(behaviour) or (0.0, 0.0)
    nothing, note = Message(""), Message("")
    if most < last:
        marks.append(Mark(Shape.RULE, Role.REFERENCE, nothing, np.array([most]), nowhere))
    if here is not None:
        at = np.array([here.share])
        marks.append(Mark(Shape.RULE, Role.REFERENCE, Message(SHARE), at, nowhere))
        told = 100 * here.estimate
        if math.isfinite(told):
            words = (Message("{share:.1f} %", share=told),)
            spot = np.array([here.estimate])
            marks.append(Mark(Shape.POINTS, Role.ESTIMATE, nothing, at, spot, words=words))
            note = Message(
                "{estimate:.1f} % if {share:.1f} % do not follow",
                estimate=told, share=100 * here.share,
            )  # fmt: skip
    end = last + 0.04 * (last - first)
    across = Axis(behaviour_axis(found, behaviour), kind=Kind.SHARE, low=first, high=end)
    up = Axis(Message("share"), kind=Kind.SHARE, low=0.0, high=top)
    handles = () if here is None else (SHARE,)
    title = Message("Estimate by share of people who do not follow")
    return Picture("band", title, across, up, tuple(marks), note, handles=handles)


def behaviour_axis(found: Compliance, behaviour: str) -> Message:
    """What the axis of a band is about."""
    if behaviour == RANDOM:
        return Message("share who answer at random")
    if behaviour == TRUTH:
        return Message("share who tell the truth regardless")
    return Message("share who always say “{value}”", value=found.always_value(behaviour))


def behaviour_name(found: Compliance, behaviour: str) -> Message:
    """What people who do not follow do, in a few words."""
    if behaviour == RANDOM:
        return Message("at random")
    if behaviour == TRUTH:
        return Message("the truth")
    return Message("always “{value}”", value=found.always_value(behaviour))


def second_arm(found: Compliance) -> Message | None:
    """What half of the people in a second arm would have told, and what it would have cost."""
    import numpy as np

    from ppworkbench.core.compliance.classes import Behaviour, check_identified, error_before_data
    from ppworkbench.core.compliance.result import is_direct
    from ppworkbench.core.errors import DataError
    from ppworkbench.core.reconstruct.pooled import Arm, fit_shares

    arms = found.randomised
    if found.model != BAND or len(arms) != 1 or is_direct(arms[0]):
        return None
    arm, k = arms[0], found.attribute.k
    other, how = _other_device(arm.matrix)
    halves = [Arm("", arm.counts / 2, arm.matrix), Arm("", arm.counts / 2, other)]
    column = np.eye(k)[:, [found.safe]]
    whole = [one.with_matrix(np.hstack([one.matrix, column])) for one in halves]
    try:
        check_identified(whole, found.attribute.values, (Behaviour(found.safe),))
    except DataError:
        return None
    x = np.clip(np.linalg.solve(arm.matrix, arm.counts / arm.n), 0.01, None)
    x /= x.sum()
    chosen = np.isin(found.attribute.values, found.sensitive).astype(np.float64)
    class_error = float(error_before_data(whole, np.append(0.95 * x, 0.05))[k])
    both = fit_shares([Arm("", one.n * (one.matrix @ x), one.matrix) for one in halves])
    error = math.sqrt(max(float(chosen @ both.covariance @ chosen), 0.0))
    after = 100 * found.factor * error
    before = 100 * found.factor * found.uncorrected.standard_error
    return Message(
        "One arm cannot show compliance. A second arm for half of the people, {how}, would have "
        "measured those who always say “{value}” to ± {points:.0f} points; the share itself would "
        "be known to ± {after:.1f} instead of ± {before:.1f} points."
        if round(after, 1) != round(before, 1)
        else "One arm cannot show compliance. A second arm for half of the people, {how}, would "
        "have measured those who always say “{value}” to ± {points:.0f} points; the share itself "
        "would be known to ± {after:.1f} points as it is now.",
        how=how,
        value=found.attribute.values[found.safe],
        points=100 * found.factor * class_error,
        after=after,
        before=before,
    )


def _other_device(matrix: Numbers) -> tuple[Numbers, Message]:
    """A device with which a report means something else."""
    import numpy as np

    turned = matrix[::-1, ::-1]
    if len(matrix) == 2 and np.abs(turned - matrix).max() > 1e-9:
        return turned, Message("with the two forced answers exchanged")
    if len(matrix) == 2:
        return matrix[::-1], Message("with p and 1 − p exchanged")
    return 0.6 * matrix + 0.4 / len(matrix), Message("with less truth")


@dataclass(frozen=True, kw_only=True)
class ComplianceRequest(ComplianceQuestion, AnswersRequest):
    """Estimate how many people followed the device of a question.

    Examples
    --------
    >>> import pandas as pd, ppworkbench as pp
    >>> answers = pd.DataFrame({"drug": ["yes"] * 40 + ["no"] * 60})
    >>> survey = pp.Survey(answers, pp.design(answers, {"drug": pp.forced(2 / 3)}))
    >>> float(survey.compliance("drug").to_frame()["estimate"].round(2)[0])
    0.35
    """

    name: ClassVar[str] = "compliance"
    label: ClassVar[Message] = Message("Who followed the instructions")
    leading: ClassVar[tuple[str, ...]] = ("attribute", "behaviours")
    unused: ClassVar[tuple[str, ...]] = ("original",)
    finds: ClassVar[type[SurveyResult]] = ComplianceResult
    statistic: ClassVar[str] = "compliance"
    short: ClassVar[Message] = Message("Compliance")
    hint: ClassVar[Message] = Message("Did people follow the instructions?")
    # It needs all of its people, and has its own choice of arms.
    takes: ClassVar[tuple[str, ...]] = ("compliance",)
    own_question: ClassVar[str] = "compliance"
    why_none: ClassVar[Message] = Message(
        "No question is randomised, so there is nothing to follow."
    )
    why_only_population: ClassVar[Message] = Message(
        "Compliance is estimated about the population."
    )
    kept_numbers: ClassVar[int] = 3

    arms: Arms = ()

    def to_kept(self) -> dict[str, Any]:
        kept, check = super().to_kept(), self.check
        if check is not None:
            parts = {"anchor", "anchor_p", "anchor_share"}
            kept = {name: one for name, one in kept.items() if name not in parts}
            kept["anchor"] = dataclasses.asdict(check)
        if "band" in kept:
            kept["band"] = list(self.band)
        return kept

    @classmethod
    def from_kept(cls, given: Mapping[str, Any]) -> Self:
        anchor = given.get("anchor") or ""
        if isinstance(anchor, Mapping):
            anchor = (anchor.get("column", ""), anchor.get("p"), anchor.get("share", 0.0))
        return super().from_kept({**given, "anchor": anchor})

    def why_not(self, design: Design) -> Message | None:
        if self.attribute in attributes_to_check(design):
            return None
        return Message(
            "{attribute} is not a randomised question with values; choose another.",
            attribute=self.attribute,
        )

    def read_columns(self, design: Design) -> tuple[str, ...]:
        """The question, and its check question where it has one."""
        anchor = self.checked_in(design).check or design.anchor_of(self.attribute)
        return design.needed((self.attribute, *(() if anchor is None else (anchor.column,))))

    def within(self, design: Design) -> Design:
        """All of it: it chooses arms in its own way."""
        return design

    def estimate(self, given: EstimateInput) -> Compliance:
        from ppworkbench.core.compliance.assess import assess_compliance

        return assess_compliance(
            given.table, given.design, self, seed=given.seed,
            progress=given.progress, **given.drawn,
        )  # fmt: skip

    def run(self, source: Source, progress: Progress = silent) -> ComplianceResult:
        from ppworkbench.study.distorted_cache import Answers

        design = source.design
        given = source.answers(self.read_columns(design), part(progress, 0.0, 0.7))
        found = self.estimate(
            EstimateInput(
                Answers(given.table), design, source.seed or 0,
                progress=part(progress, 0.7, 1.0), **source.drawn,
            )
        )  # fmt: skip
        found = dataclasses.replace(found, remarks=(*given.remarks, *found.remarks))
        return ComplianceResult(self, found, design)


def attributes_to_check(design: Design) -> list[str]:
    """The questions whose answers are randomised and have values."""
    return [
        one.name
        for one in design
        if one.attribute.kind.is_categorical
        and one.attribute.k > 1
        and not design.perturbation(one.name).is_identity
    ]


def readings_for(study: Study, attribute: str) -> ComplianceRequest | None:
    """The model whose three readings Share tells of a question; None where it does not."""
    kept = study.results.get(RESULTS)
    if not isinstance(kept, Mapping):
        return None
    try:
        asked = ComplianceRequest.from_kept(kept)
    except (WorkbenchError, OverflowError):
        return None
    is_known = asked.attribute == attribute and attribute in study.design
    return asked if is_known and asked.why_not(study.design) is None else None


QUESTION = ComplianceRequest
