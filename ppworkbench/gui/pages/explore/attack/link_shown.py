"""Records that are linked to known people, in words, curves and rows."""

from __future__ import annotations

import math

from ppworkbench.core.attacks import (
    Counted,
    Linkage,
)
from ppworkbench.gui.language.text import tr
from ppworkbench.gui.pages.explore.attack.attack_words import (
    ends,
    in_100,
    share,
    span,
)
from ppworkbench.gui.pages.explore.attack.picture import Shown, StepLevels
from ppworkbench.gui.plots.level_data import LevelLine, LevelPoint
from ppworkbench.gui.words import number


def show_link(found: Linkage) -> Shown:
    """The picture of linked records."""
    last = found.steps[-1]
    sentence = tr(
        "By %s attributes, %s of %s people are the only ones with their answers. Published as they "
        "are, %s of 100 links would be right; distorted, %s of 100 (interval %s)."
    ) % (
        number(len(last.names)),
        number(last.unique_original),
        number(found.records),
        in_100(last.undistorted),
        in_100(last.linked.share),
        span(*last.linked.interval),
    )
    knows = tr(
        "The attacker knows the design and the true answers to these attributes with names, and "
        "links %s records to whom they fit best; a tie is decided by lot."
    ) % number(last.linked.n)
    levels = tuple(float(place) for place in range(1, len(found.steps) + 1))
    n = found.records
    curves = (
        ("unique", tr("only one, original"), "original",
         [(s.unique_original / n, math.nan) for s in found.steps]),
        ("unique distorted", tr("only one, distorted"), "distorted",
         [(s.unique_distorted / n, math.nan) for s in found.steps]),
        ("open", tr("right if undistorted"), "series 1",
         [(s.undistorted, math.nan) for s in found.steps]),
        ("linked", tr("right if distorted"), "series 0",
         [(s.linked.share, _half(s.linked)) for s in found.steps]),
    )  # fmt: skip
    lines = tuple(
        LevelLine(
            key, name, look, tuple(LevelPoint(x, *y) for x, y in zip(levels, points, strict=True))
        )
        for key, name, look, points in curves
    )
    table = tuple(
        (
            f"+ {step.names[-1]}",
            number(step.unique_original),
            number(step.unique_distorted),
            tr("%s (%s)") % (number(100 * step.linked.share, 1), ends(step.linked)),
            share(step.undistorted),
        )
        for step in found.steps
    )
    return Shown(
        tr("Rare combinations and right links by what the attacker knows"),
        tr("number of known attributes"),
        sentence,
        knows,
        (
            tr("known"),
            tr("only one"),
            tr("distorted"),
            tr("right links,\u202f%"),
            tr("if open"),
        ),
        table,
        curves=StepLevels(lines, (), levels),
        ticks=tuple(number(len(step.names)) for step in found.steps),
    )


def _half(right: Counted) -> float:
    low, high = right.interval
    return (high - low) / 2
