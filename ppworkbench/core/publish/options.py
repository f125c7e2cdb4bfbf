"""What a person may choose about a deniable table."""

from __future__ import annotations

from dataclasses import dataclass

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
class DeniabilityOptions(Params):
    """How groups are found and how answers are published within them."""

    min_deniability: Annotated[
        float,
        Within(0, 1),
        Info("Minimum deniability", "Every group is at least this uncertain, from 0 to 1"),
    ] = 0.1
    manner: Annotated[
        str,
        OneOf(MANNERS),
        Info("In each group", "Draw new answers, or shuffle the real ones among the people"),
    ] = DRAW
    distance: Annotated[
        str,
        OneOf(("squared", "cosine", "hellinger")),
        Info("Distance", "How far the answers of a part lie from those of its group"),
    ] = "squared"
    epsilon: Annotated[
        float,
        Within(0),
        Info("Least gain", "A split that moves the answers less than this is not made"),
    ] = EPSILON
    cuts: Annotated[
        int, Within(1, _MOST_CUTS), Info("Cuts", "Most places where a number may be cut")
    ] = 200
    smallest_group: Annotated[
        int,
        Within(1),
        Info("Smallest group", "No split makes a smaller group than this; 1 as published"),
    ] = SMALLEST_GROUP
    merge_values: Annotated[
        bool, Info("Merge values", "Values of an attribute may share a group; off as published")
    ] = False
    look_ahead: Annotated[
        int,
        Within(0, 6),
        Info("Look ahead", "Levels tried out before a split is chosen; 0 takes the best at once"),
    ] = 0
    seconds: Annotated[
        float, Within(0), Info("Time", "Most time spent on looking ahead", unit="s")
    ] = 10.0
