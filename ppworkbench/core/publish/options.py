"""What a person may choose about a deniable table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ppworkbench.core.params import Annotated, Info, OneOf, Params, Within

DRAW, SHUFFLE = "draw", "shuffle"
MANNERS = (DRAW, SHUFFLE)
EPSILON = 1.5e-4
"""The paper's 1.5 in squared percentage points: of shares in [0, 1] it is 1.5 / 100^2."""
SMALLEST_GROUP = 30
"""Shares of fewer people are mostly chance: the prediction would be far too low (of the nursery
data by 10 points), and who knows some of the people would know the rest."""
_MOST_CUTS = 2_000


@dataclass(frozen=True)
class GroupOptions(Params):
    """How groups are found and how answers are published within them, at any deniability."""

    manner: Annotated[
        str,
        OneOf(MANNERS),
        Info("In each group", "Draw new answers, or shuffle the true ones within the group"),
    ] = DRAW
    distance: Annotated[
        str,
        OneOf(("squared", "cosine", "hellinger")),
        Info("Distance", "Distance between the answers of a part and its group"),
    ] = "squared"
    epsilon: Annotated[
        float,
        Within(0),
        Info("Minimum gain", "Splits with a smaller gain are not made"),
    ] = EPSILON
    cuts: Annotated[
        int, Within(1, _MOST_CUTS), Info("Cuts", "Maximum number of cut points of a number")
    ] = 200
    smallest_group: Annotated[
        int,
        Within(1),
        Info("Minimum group size", "Minimum number of records in a group; 1 as published"),
    ] = SMALLEST_GROUP
    merge_values: Annotated[
        bool, Info("Merge values", "Merge values of an attribute in a group; off as published")
    ] = False
    look_ahead: Annotated[
        int,
        Within(0, 6),
        Info("Look ahead", "Levels searched before a split; 0 takes the best split at once"),
    ] = 0
    seconds: Annotated[float, Within(0), Info("Time", "Time limit", unit="s")] = 10.0


@dataclass(frozen=True)
class DeniabilityOptions(GroupOptions):
    leading: ClassVar[tuple[str, ...]] = ("min_deniability",)

    min_deniability: Annotated[
        float,
        Within(0, 1),
        Info("Minimum deniability", "Minimum deniability of every group, from 0 to 1"),
    ] = 0.1
