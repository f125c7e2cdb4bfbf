"""From the results of a run to the curves of the plot."""

from __future__ import annotations

import math

from ppworkbench.core.experiment import Summary
from ppworkbench.gui.pages.classify.results_model import looks_of
from ppworkbench.gui.pages.classify.run import Run
from ppworkbench.gui.pages.classify.words import setting_name
from ppworkbench.gui.plots.level_data import LevelLine, LevelPoint, Levels, Reference

Summaries = dict[tuple[str, float | None], Summary]


def levels_of(
    run: Run, summaries: Summaries, larger: str, *, is_running: bool, is_stale: bool
) -> Levels:
    """Everything that the plot shows of a run."""
    looks, swept = looks_of(run), run.request.sweep.levels
    lines, references = [], []
    for setting in run.request.settings:
        if setting.undistorted:
            found = summaries.get((setting.key, None))
            if found is not None and math.isfinite(found.accuracy.mean):
                references.append(Reference(setting_name(setting), found.accuracy.mean))
            continue
        points = [
            LevelPoint(0.0 if level is None else level, found.accuracy.mean, found.accuracy.sd)
            for level in run.request.levels
            if (found := summaries.get((setting.key, level))) is not None and found.done
        ]
        look = looks[setting.key]
        lines.append(LevelLine(setting.key, setting_name(setting), look, tuple(points)))
    if run.request.larger_line and math.isfinite(run.larger_class):
        references.append(Reference(larger, run.larger_class, dotted=True))
    return Levels(
        tuple(lines),
        tuple(references),
        swept,
        _unfinished(run, summaries) if is_running else None,
        is_stale,
    )


def _unfinished(run: Run, summaries: Summaries) -> float | None:
    """The first level at which some setting has no result at all yet."""
    for level in run.request.sweep.levels:
        for setting in run.request.settings:
            if not setting.undistorted and (setting.key, level) not in summaries:
                return level
    return None
