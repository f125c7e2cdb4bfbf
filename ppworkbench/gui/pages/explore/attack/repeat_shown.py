"""A question that is asked again and again, in words, curves and rows."""

from __future__ import annotations

import math

from ppworkbench.core.attacks import (
    Measured,
    RepeatedQuestion,
)
from ppworkbench.gui.language.text import tr
from ppworkbench.gui.pages.explore.attack.attack_words import (
    in_100,
    in_slices,
    share,
)
from ppworkbench.gui.pages.explore.attack.picture import Shown, StepLevels
from ppworkbench.gui.plots.level_data import LevelLine, LevelPoint, Reference
from ppworkbench.gui.words import number, significant


def show_repeat(found: RepeatedQuestion) -> Shown:
    """The picture of a repeated question."""
    asking = found.asking
    values = [point.value for point in asking.fresh]
    # The first time at which little is left to hide, else the last.
    place = next((i for i, value in enumerate(values) if value >= 0.95), len(values) - 1)
    sentence = tr(
        "Asked %s times with fresh randomness each time, the best guess about “%s” is right %s "
        "times in 100. Who keeps the first reported answer and repeats it stays at %s; blind "
        "guessing reaches %s."
    ) % (
        number(asking.times[place]),
        found.name,
        in_100(values[place]),
        in_100(asking.memoised),
        in_100(asking.blind),
    )
    if math.isfinite(found.epsilon) and asking.times[place] > 1:
        sentence += " " + tr("Epsilon adds up: %s for one answer, %s for %s fresh ones.") % (
            significant(found.epsilon, 2),
            significant(found.epsilon * asking.times[place], 2),
            number(asking.times[place]),
        )
    simulated = any(point.error > 0 for point in asking.fresh)
    knows = tr(
        "The attacker knows the design, how often every true answer occurs, and who answers."
    )
    knows += in_slices(found.slices)
    if simulated:
        knows += " " + tr("Numbers with ± come from simulated people, the others from all counts.")
    levels = tuple(float(place) for place in range(len(asking.times)))
    fresh = tuple(
        LevelPoint(level, point.value, 1.96 * point.error if point.error > 0 else math.nan)
        for level, point in zip(levels, asking.fresh, strict=True)
    )
    kept = tuple(LevelPoint(level, asking.memoised) for level in levels)
    lines = (
        LevelLine("fresh", tr("fresh each time"), "series 0", fresh),
        LevelLine("kept", tr("kept answer"), "series 1", kept),
    )
    table = tuple(
        (number(m), _measured(point), share(asking.memoised), _epsilon(found.epsilon * m))
        for m, point in zip(asking.times, asking.fresh, strict=True)
    )
    return Shown(
        tr("Right guesses by the number of times asked: %s") % found.name,
        tr("times asked"),
        sentence,
        knows,
        (tr("times"), tr("fresh"), tr("kept"), tr("fresh epsilon")),
        table,
        curves=StepLevels(
            lines, (Reference(tr("blind guess"), asking.blind, dotted=True),), levels
        ),
        ticks=tuple(number(m) for m in asking.times),
    )


def _measured(point: Measured) -> str:
    if 0.9995 <= point.value < 1 - 1e-12:
        return tr("over %s") % share(0.999)
    if point.error <= 0:
        return share(point.value)
    return f"{number(100 * point.value, 1)} ± {share(1.96 * point.error)}"


def _epsilon(value: float) -> str:
    return significant(value, 2) if math.isfinite(value) else "∞"
