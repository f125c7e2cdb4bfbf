"""What a person may choose about a statistic of distorted answers."""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.core.params import Annotated, Info, OneOf, Params, Within

_MOST_BINS = 1_000


@dataclass(frozen=True)
class SurveyOptions(Params):
    """The choices of counts and means."""

    method: Annotated[
        str,
        OneOf(("joint", "sequential")),
        Info("Method", "All attributes jointly, or one after the other as published"),
    ] = "joint"
    confidence: Annotated[
        float,
        Within(0, 1, open_low=True, open_high=True),
        Info("Confidence", "Confidence of the intervals"),
    ] = 0.95


@dataclass(frozen=True)
class BinnedOptions(SurveyOptions):
    """The choices of distributions and cross tables."""

    bins: Annotated[
        int | None, Within(1, _MOST_BINS), Info("Bins", "Number of bins of a numeric attribute")
    ] = None


@dataclass(frozen=True)
class ParticipantOptions(SurveyOptions):
    """The choices of lists of participants."""

    size: Annotated[
        int | None,
        Within(0),
        Info("Size", "How many participants to list; as many as are expected if not set"),
    ] = None
    draw: Annotated[
        str,
        OneOf(("highest", "random")),
        Info("Draw", "The most probable participants, or a random draw by their probability"),
    ] = "highest"
