"""The rows of the table of losses and of the plot of draws: algorithm by stop rule."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppworkbench.gui.language.text import tr
from ppworkbench.gui.pages.explore.em_path import AUTO, CONVERGED, FIXED, PUBLISHED, RULES
from ppworkbench.gui.pages.explore.loss_model import LossRow
from ppworkbench.gui.pages.explore.methods import title_of
from ppworkbench.gui.pages.explore.pictures import View
from ppworkbench.gui.pages.explore.repeats import Tally
from ppworkbench.gui.pages.explore.runs import Run
from ppworkbench.gui.plots.strip_plot import Strip
from ppworkbench.gui.words import number

_SAME = 5e-4
"""Losses that differ by less are equal in what is printed."""


@dataclass(frozen=True)
class Key:
    """An algorithm and a stop rule; an empty rule where nothing is iterated."""

    method: str
    rule: str

    @property
    def title(self) -> str:
        """Both in words."""
        name = title_of(self.method)
        return f"{name}, {rule_words(self.rule)}" if self.rule else name


def rule_words(rule: str) -> str:
    """A stop rule in a word."""
    words = {
        AUTO: tr("auto"),
        PUBLISHED: tr("published"),
        CONVERGED: tr("converged"),
        FIXED: tr("fixed"),
    }
    return words[rule]


def keys_of(view: View, rule: str) -> list[Key]:
    """The algorithm in focus with every rule, the chosen one first; others with the chosen one."""
    runs, found = view.result.runs, []
    names = [view.focus, *view.others] if view.focus in runs else view.others
    for name in names:
        if not runs[name].iterates:
            found.append(Key(name, ""))
        elif name == view.focus:
            rest = [other for other in RULES if other != rule]
            found += [Key(name, one) for one in (rule, *rest)]
        else:
            found.append(Key(name, rule))
    return found


def loss_rows(view: View, rule: str, fixed: int, tally: Tally | None) -> tuple[LossRow, ...]:
    """What every algorithm lost in this draw and in all draws."""
    rows = []
    for key in keys_of(view, rule):
        run = view.result.runs[key.method]
        at = run.stop(key.rule or CONVERGED, fixed)
        draws = np.array([]) if tally is None else tally.of(key.method, key.rule)
        words = iteration_words(run, key.rule, at)
        focus = key.method == view.focus
        rows.append(LossRow(key.title, words, run.path.loss_at(at), draws, is_focus=focus))
    best = _best(rows)
    return tuple(
        LossRow(r.title, r.iterations, r.loss, r.draws, place in best, r.is_focus)
        for place, r in enumerate(rows)
    )


def _best(rows: list[LossRow]) -> set[int]:
    """The rows with the smallest mean over the draws, in this draw where there are no others."""
    means = [row.mean for row in rows]
    measured = means if rows and all(mean is not None for mean in means) else [r.loss for r in rows]
    known = [value for value in measured if value is not None]
    if len(known) < 2:
        return set()
    least = min(known)
    return {i for i, v in enumerate(measured) if v is not None and v <= least + _SAME}


def iteration_words(run: Run, rule: str, at: int) -> str:
    """How far an algorithm went."""
    if not run.iterates:
        if run.path.last == 0:
            return tr("solved in one step")
        return tr("%s steps") % number(run.path.last)
    if rule == CONVERGED and not run.path.finished:
        return tr("%s iterations, still moving") % number(at)
    return tr("1 iteration") if at == 1 else tr("%s iterations") % number(at)


def strips(view: View, rule: str, tally: Tally) -> tuple[Strip, ...]:
    """The losses of all draws, by algorithm and rule."""
    found = []
    for key in keys_of(view, rule):
        values = tally.of(key.method, key.rule)
        if len(values):
            found.append(Strip(_short(key), values))
    return tuple(found)


def _short(key: Key) -> str:
    name = tr("EM acc.") if key.method == "accelerated" else title_of(key.method)
    short = {PUBLISHED: tr("publ."), CONVERGED: tr("conv.")}
    return f"{name} {short.get(key.rule) or rule_words(key.rule)}" if key.rule else name
