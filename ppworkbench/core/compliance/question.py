"""What is asked about who followed the device of a question."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ppworkbench.core.compliance.models import ANCHOR, CDM, ECWM, SLD, UNRELATED
from ppworkbench.core.design.anchors import Anchor
from ppworkbench.core.errors import ParameterError

CLASSES, KNOWN, DIRECT, BAND = "classes", "known", "direct", "band"
MODELS = (CDM, SLD, ECWM, UNRELATED, ANCHOR, DIRECT, BAND)
ALWAYS = "always="


@dataclass(frozen=True)
class ComplianceQuestion:
    """What is asked about an attribute.

    Parameters
    ----------
    behaviours
        Classes of people who do not follow: ``safe``, ``random`` or ``always=VALUE``.
    safe
        The answer that nobody minds giving; the first that is not sensitive if empty.
    model
        A named model; by the arms and the behaviours if empty.
    anchor
        Its check question; that of the design where nothing else is asked for.
    share, share_error
        How many do not follow, as a validation study says.
    band
        From and to which share of people who do not follow the band is drawn.
    reach
        A value of the estimate of which the tipping point is asked.
    arms
        The names of the arms that are used; all of them if empty.
    """

    attribute: str
    behaviours: tuple[str, ...] = ()
    safe: str = ""
    model: str = ""
    anchor: Anchor | None = None
    share: float | None = None
    share_error: float = 0.0
    band: tuple[float, float] = (0.0, 0.3)
    reach: float | None = None
    confidence: float = 0.95
    arms: tuple[str, ...] = ()

    @property
    def attributes(self) -> tuple[str, ...]:
        """The question, and its check question."""
        return (self.attribute, *(() if self.anchor is None else (self.anchor.column,)))

    @property
    def estimates_followers(self) -> bool:
        """Whether intervals know of those who do not follow: a model or a study tells of them."""
        by_model = self.model in (CDM, SLD, ANCHOR) or bool(self.behaviours)
        return by_model or self.anchor is not None or self.share is not None

    def __post_init__(self) -> None:
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
        ways = (self.anchor is not None, self.share is not None, named)
        if sum(ways) > 1:
            raise ParameterError(
                "An anchor, a share from a validation study and a model are three ways to correct; "
                "choose one.",
                field="model",
            )
        has_own = self.anchor is not None or self.model in (ECWM, UNRELATED, DIRECT, BAND)
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
        if self.model == ANCHOR and self.anchor is None:
            raise ParameterError("Name the anchor question and its harmless share.", field="anchor")
