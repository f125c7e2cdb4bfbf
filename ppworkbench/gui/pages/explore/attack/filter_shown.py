"""Noise that is filtered out, in words, marks and rows."""

from __future__ import annotations

import math

from ppworkbench.core.attacks import (
    Filtering,
    Measured,
)
from ppworkbench.core.attacks.filtering import ALONE, BAYES, METHODS, SPECTRAL
from ppworkbench.gui.language.text import tr
from ppworkbench.gui.pages.explore.attack.attack_words import (
    MOST_ROWS,
    share,
    span,
)
from ppworkbench.gui.pages.explore.attack.picture import Shown
from ppworkbench.gui.plots.interval_plot import IntervalRow, Mark
from ppworkbench.gui.words import number, significant


def show_filter(found: Filtering) -> Shown:
    """The picture of filtered noise."""
    names = {ALONE: tr("alone"), SPECTRAL: tr("spectral"), BAYES: tr("together")}
    looks = {ALONE: "series 4", SPECTRAL: "series 2", BAYES: "series 0"}
    whole, alone = found.removed[BAYES], found.removed[ALONE]
    sentence = tr(
        "Using %s attributes together, an attacker removes %s of the noise variance (interval %s); "
        "from each attribute alone it would be %s."
    ) % (
        number(len(found.attributes)),
        share(whole.value),
        span(*whole.interval),
        share(alone.value),
    )
    if found.kept == len(found.attributes):
        sentence += " " + tr(
            "The spectral filter sees more than noise in every direction and removes nothing."
        )
    else:
        sentence += " " + tr("The spectral filter keeps %s of %s directions and removes %s.") % (
            number(found.kept),
            number(len(found.attributes)),
            share(found.removed[SPECTRAL].value),
        )
    rows = [
        IntervalRow(
            name,
            tuple(
                Mark(looks[m], names[m], removed[m].value, *_drawn(removed[m], bold or m == BAYES))
                for m in METHODS
            ),
            caption,
            bold=bold,
        )
        for name, caption, removed, bold in (
            (tr("all together"), "", found.removed, True),
            *(
                (one.name, tr("noise σ %s") % significant(one.stated, 3), one.removed, False)
                for one in found.attributes[: MOST_ROWS - 1]
            ),
        )
    ]
    table = tuple(
        (one.name, *(significant(v, 3) for v in (one.stated, one.published, *_errors(one.rmse))))
        for one in found.attributes
    )
    knows = tr(
        "The attacker knows the design only. The table has the noise as stated and the root mean "
        "square error of the numbers as published and after filtering, over %s records."
    ) % number(found.records)
    return Shown(
        tr("Share of the noise variance that filtering removes"),
        tr("share of the noise variance removed"),
        sentence,
        knows,
        (tr("attribute"), tr("noise"), tr("published"), *(names[m] for m in METHODS)),
        table,
        tuple(rows),
        tuple((looks[m], names[m]) for m in METHODS),
    )


def _drawn(removed: Measured, whole: bool) -> tuple[float, float]:
    """The interval where it would not lie over others."""
    return removed.interval if whole else (math.nan, math.nan)


def _errors(rmse: dict[str, float]) -> tuple[float, ...]:
    return tuple(rmse[m] for m in METHODS)
