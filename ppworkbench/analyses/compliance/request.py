"""Who followed the device of a question, as a question of its own."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from ppworkbench.analyses.request import Request
from ppworkbench.analyses.survey_request import Arms, SurveyResult
from ppworkbench.core.compliance.question import MODELS, ComplianceQuestion
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, OneOf, Option, Read
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.results.picture import Axis, Picture, interval_note, intervals
from ppworkbench.results.sheet import Column, Kind, Sheet, interval_columns
from ppworkbench.results.text import equals_p, short_number

if TYPE_CHECKING:
    from ppworkbench.analyses.source import Source
    from ppworkbench.core.compliance.classes import Estimate
    from ppworkbench.core.compliance.result import Compliance


class ComplianceResult(SurveyResult):
    """How many people followed the device, and what that does to the estimate."""

    found: Compliance
    main: ClassVar[str] = "estimates"

    def sheets(self) -> tuple[Sheet, ...]:
        """The reported answers, the estimates, a direct arm, and the band."""
        found, made = self.found, [self._reported(), _estimates(self._listed())]
        if found.direct is not None:
            made.append(_sheet("direct", Message("Asked directly"), self._direct()))
        return (*made, *(self._band() if found.points else ()))

    def _listed(self) -> list[tuple[str, Estimate]]:
        """All estimates with what they are of."""
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
        shares = list(dict.fromkeys(one.share for one in found.points))[::4]
        points = [one for one in found.points if one.share in shares]
        said = [f"{100 * one.share:.0f} %, {self._behaviour(one.behaviour)}" for one in points]
        band = _sheet(
            "band", Message("The band"), list(zip(said, points, strict=True)),
            Message("if so many do not follow"), with_error=False,
        )  # fmt: skip
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
        from ppworkbench.core.compliance.band import OTHER

        if name == OTHER:
            return Message("always {value}", value=self.found.always_value(name))
        return name

    def readings(self) -> tuple[str, ...]:
        """The tests, and what the intervals hold."""
        found = self.found
        name = Message("Wald") if found.sampling is not None else Message("G²")
        ratio = Message("Wald") if found.sampling is not None else Message("LR")
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
        return (*said, *self._direct_tests(ratio), found.contents.sentence)

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

    def pictures(self) -> tuple[Picture, ...]:
        """A point with its interval for each estimate."""
        return (_picture(self._listed(), round(sum(self.found.rows.values())), self.found),)


def _estimates(listed: Sequence[tuple[str, Estimate]]) -> Sheet:
    return _sheet("estimates", Message("Estimates"), listed, Message(""), key="estimated")


def _sheet(
    name: str,
    title: Message,
    listed: Sequence[tuple[str, Any]],
    head: Message = Message(""),
    *,
    key: str = "name",
    with_error: bool = True,
) -> Sheet:
    called = Column(key, head, Kind.TEXT, [one for one, _ in listed])
    numbers = interval_columns([one for _, one in listed], with_error=with_error)
    return Sheet(name, title, (called, *numbers))


def _picture(listed: Sequence[tuple[str, Estimate]], n: int, found: Any) -> Picture:
    labels = [str(name) for name, _ in listed]
    note = interval_note(n, found.confidence)
    axis = Axis(Message("share"))
    return intervals(
        "estimates", Message("Estimates"), axis, labels, [one for _, one in listed], note=note
    )


def _anchor(given: Any) -> str | tuple[str, float, float]:
    if isinstance(given, str):
        return given
    if not isinstance(given, list | tuple) or len(given) != 3:
        raise TypeError(Message("it must be a name, or a name, its harmless and its true share"))
    name, p, share = given
    return str(name), float(p), float(share)


def _band(given: Any) -> tuple[float, float]:
    ends = given.split(":") if isinstance(given, str) else given
    try:
        low, high = map(float, ends)
    except (TypeError, ValueError):
        raise ValueError(Message("it must be two shares as in 0:0.3")) from None
    return low, high


def _band_text(band: tuple[float, float]) -> str:
    return "{:.10g}:{:.10g}".format(*band)


@dataclass(frozen=True, kw_only=True)
class ComplianceRequest(Request):
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

    attribute: Annotated[str, Option(metavar="NAME"), Info("Attribute", "question to look at")]
    behaviours: Annotated[
        tuple[str, ...],
        Option("behaviour", "NAME", is_repeated=True),
        Info(
            "Behaviours",
            "people who do not follow: safe, random or always=VALUE (default safe); may be given "
            "several times",
        ),
    ] = ()
    safe: Annotated[
        str,
        Option(metavar="VALUE"),
        Info(
            "Safe answer",
            "answer that nobody minds giving (default: the first that is not sensitive)",
        ),
    ] = ""
    model: Annotated[str, OneOf(("", *MODELS)), Info("Model", "named model of compliance")] = ""
    anchor: Annotated[
        str | tuple[str, float, float],
        Read(_anchor, lambda given: given, annotation="str | tuple[str, float, float]"),
        Option(metavar="NAME"),
        Info("Anchor", "anchor question of known share"),
    ] = ""
    anchor_p: Annotated[
        float | None, Info("Harmless share", "harmless share of the anchor question")
    ] = None
    anchor_share: Annotated[
        float | None, Info("True share", "true share of the anchor question (default 0)")
    ] = None
    share: Annotated[
        float | None,
        Info("Share", "share of people who do not follow, from a validation study"),
    ] = None
    share_error: Annotated[
        float, Option("share-se"), Info("Standard error", "its standard error")
    ] = 0.0
    band: Annotated[
        tuple[float, float],
        Read(_band, _band_text, annotation="str | tuple[float, float]"),
        Option(metavar="X:Y", help="shares of people who do not follow, for the band"),
        Info("Band", "shares of people who do not follow, for the band, as in 0:0.3"),
    ] = (0.0, 0.3)
    reach: Annotated[
        float | None, Info("Reach", "value of the estimate whose tipping point is wanted")
    ] = None
    arms: Arms = ()

    def __post_init__(self) -> None:
        """Take an anchor apart that was given whole, and refuse half of one."""
        super().__post_init__()
        if isinstance(self.anchor, tuple):
            for name, value in zip(
                ("anchor", "anchor_p", "anchor_share"), self.anchor, strict=True
            ):
                object.__setattr__(self, name, value)
        if not self.anchor and (self.anchor_p, self.anchor_share) != (None, None):
            raise ParameterError("Name the anchor question, too.", field="anchor")
        if self.anchor and self.anchor_p is None:
            raise ParameterError(
                "Give the harmless share of the anchor question, too.", field="anchor_p"
            )

    @classmethod
    def of(cls, asked: ComplianceQuestion) -> ComplianceRequest:
        """The same as studies keep it."""
        known = {one.name for one in dataclasses.fields(asked)} - {"confidence", "anchor"}
        own = {name: getattr(asked, name) for name in known}
        anchor = asked.anchor
        if anchor is not None:
            own |= {"anchor": anchor.column, "anchor_p": anchor.p}
            own |= {"anchor_share": anchor.share} if anchor.share else {}
        return cls(**own)

    def run(self, source: Source, progress: Progress = silent) -> ComplianceResult:
        """Read the columns, and estimate."""
        from ppworkbench.analyses.compliance.questions import columns_of
        from ppworkbench.core.compliance.assess import assess_compliance
        from ppworkbench.core.compliance.models import ANCHOR
        from ppworkbench.core.design.anchors import Anchor

        design = source.design
        used = design.anchor_of(self.attribute) if self.model == ANCHOR else None
        if self.anchor:
            used = Anchor(str(self.anchor), self.anchor_p or 0.0, self.anchor_share or 0.0)
        question = ComplianceQuestion(
            self.attribute, self.behaviours, self.safe, self.model, used, self.share,
            self.share_error, self.band, self.reach, arms=self.arms,
        )  # fmt: skip
        given = source.answers(columns_of(question, design), part(progress, 0.0, 0.7))
        found = assess_compliance(
            given.table, design, question, seed=source.seed or 0,
            progress=part(progress, 0.7, 1.0), **source.drawn,
        )  # fmt: skip
        found = dataclasses.replace(found, remarks=(*given.remarks, *found.remarks))
        return ComplianceResult(self, found, design)


QUESTION = ComplianceRequest
