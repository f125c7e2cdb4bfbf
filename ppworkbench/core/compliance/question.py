"""What is asked about who followed the device of a question."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

from ppworkbench.core.compliance.models import ANCHOR, CDM, ECWM, SLD, UNRELATED
from ppworkbench.core.design.anchors import Anchor
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, OneOf, Option, Params, Read

CLASSES, KNOWN, DIRECT, BAND = "classes", "known", "direct", "band"
MODELS = (CDM, SLD, ECWM, UNRELATED, ANCHOR, DIRECT, BAND)
ALWAYS = "always="


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
    except (TypeError, ValueError, OverflowError):
        raise ValueError(Message("it must be two shares as in 0:0.3")) from None
    return low, high


def _band_text(band: tuple[float, float]) -> str:
    return "{:.10g}:{:.10g}".format(*band)


@dataclass(frozen=True)
class ComplianceQuestion(Params):
    """What is asked about who followed the device of an attribute."""

    confidence: ClassVar[float] = 0.95

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
    arms: tuple[str, ...] = ()

    @property
    def check(self) -> Anchor | None:
        """Its check question; None where no other is asked for than that of the design."""
        if not self.anchor:
            return None
        return Anchor(str(self.anchor), self.anchor_p or 0.0, self.anchor_share or 0.0)

    def checked_in(self, design: Design) -> Self:
        """The same with the check question of a design, where its model needs one."""
        if self.model != ANCHOR or self.anchor:
            return self
        known = design.anchor_of(self.attribute) if self.attribute in design else None
        if known is None:
            raise ParameterError("Name the anchor question and its harmless share.", field="anchor")
        return dataclasses.replace(self, anchor=dataclasses.astuple(known))

    @property
    def attributes(self) -> tuple[str, ...]:
        return (self.attribute, *((str(self.anchor),) if self.anchor else ()))

    @property
    def estimates_followers(self) -> bool:
        """Whether intervals know of those who do not follow: a model or a study tells of them."""
        by_model = self.model in (CDM, SLD, ANCHOR) or bool(self.behaviours)
        return by_model or bool(self.anchor) or self.share is not None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._take_anchor()
        low, high = self.band
        if not 0 <= low < high < 1:
            raise ParameterError(
                "The band goes from one share to a larger one below 1, as in 0:0.3.", field="band"
            )
        if self.share is not None and not 0 <= self.share < 1:
            raise ParameterError(
                "The share of people who do not follow must be at least 0 and below 1.",
                field="share",
            )
        if self.reach is not None and not 0 <= self.reach <= 1:
            raise ParameterError("A value to reach lies between 0 and 1.", field="reach")
        if not 0 <= self.share_error < math.inf:
            raise ParameterError("A standard error is not negative.", field="share-se")
        if self.share_error and self.share is None:
            raise ParameterError(
                "The standard error belongs to a share of people who do not follow; give that, "
                "too.",
                field="share-se",
            )
        named = self.model not in ("", ANCHOR)
        ways = (bool(self.anchor), self.share is not None, named)
        if sum(ways) > 1:
            raise ParameterError(
                "An anchor, a share from a validation study and a model are three ways to correct; "
                "choose one.",
                field="model",
            )
        has_own = bool(self.anchor) or self.model in (ECWM, UNRELATED, DIRECT, BAND)
        if self.behaviours and has_own:
            raise ParameterError(
                "This model has its own classes of people; leave the behaviour out.",
                field="behaviour",
            )
        if self.share is not None and len(self.behaviours) > 1:
            raise ParameterError(
                "A share from a validation study is that of one behaviour; give one of them.",
                field="behaviour",
            )

    def _take_anchor(self) -> None:
        """Take an anchor apart that was given whole, and refuse half of one."""
        if isinstance(self.anchor, tuple):
            name, p, share = self.anchor
            told = {"anchor": name, "anchor_p": p, "anchor_share": share or None}
            for field, value in told.items():
                object.__setattr__(self, field, value)
        if not self.anchor and (self.anchor_p, self.anchor_share) != (None, None):
            raise ParameterError("Name the anchor question, too.", field="anchor")
        if self.anchor and self.anchor_p is None:
            raise ParameterError(
                "Give the harmless share of the anchor question, too.", field="anchor_p"
            )
        _ = self.check
