"""The curves of the accuracy plot, from what was measured so far or kept with the study."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ppworkbench.core.publish.accuracy_curve import LEARNERS, PREDICTED
from ppworkbench.core.publish.learners import learners
from ppworkbench.gui.language.text import told as translate
from ppworkbench.gui.language.text import tr
from ppworkbench.gui.plots.level_plot import LevelLine, LevelPoint, Levels, Reference
from ppworkbench.gui.plots.series import series_look

_LOOKS = {PREDICTED: 0, **{entry.name: 1 + i for i, entry in enumerate(learners.ranked)}}


def levels_of(told: Mapping[str, Any], majority: float | None, *, stale: bool) -> Levels:
    """The plot of a tally's JSON values; ``majority`` is the share of the most frequent answer."""
    lines = []
    for name in (PREDICTED, *LEARNERS):
        curve = told["curves"].get(name)
        if curve is None:
            continue
        label = _labels().get(name) or translate(learners.entry(name).label)
        points = tuple(
            LevelPoint(round(100 * m, 6), mean, sd or math.nan)
            for m, mean, sd in zip(curve["minimum"], curve["mean"], curve["sd"], strict=True)
        )
        lines.append(LevelLine(name, label, series_look(_LOOKS[name]), points))
    levels = tuple(sorted({point.level for line in lines for point in line.points}))
    references = ()
    if majority is not None and lines:
        references = (Reference(tr("most frequent answer"), majority, dotted=True),)
    return Levels(tuple(lines), references, levels, is_stale=stale)


def _labels() -> dict[str, str]:
    return {
        PREDICTED: tr("predicted"),
        "forest": tr("random forest"),
        "tree": tr("decision tree"),
        "neighbours": tr("neighbours"),
    }


def is_curve(told: object) -> bool:
    """Whether something kept with a study can be drawn."""
    if not isinstance(told, Mapping) or not isinstance(told.get("curves"), Mapping):
        return False
    for curve in told["curves"].values():
        if not isinstance(curve, Mapping):
            return False
        lists = [curve.get(key) for key in ("minimum", "mean", "sd")]
        if not all(isinstance(one, list) and len(one) == len(lists[0]) for one in lists):  # type: ignore[arg-type]
            return False
        if not all(isinstance(x, int | float) for one in lists for x in one):  # type: ignore[union-attr]
            return False
    return bool(told["curves"].get(PREDICTED, {}).get("minimum"))
