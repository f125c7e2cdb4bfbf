"""One thing worth seeing in what is shown, in a sentence or two."""

from __future__ import annotations

import numpy as np

from ppworkbench.core.reconstruct.channel import NUMBERS
from ppworkbench.gui.language.text import tr
from ppworkbench.gui.pages.explore.em_path import AUTO, CONVERGED, PUBLISHED
from ppworkbench.gui.pages.explore.methods import title_of
from ppworkbench.gui.pages.explore.runs import Result, Run
from ppworkbench.gui.words import number, percent

FEW = 30
_MAGNIFIED = 10.0
_CLEARLY, _AT_LEAST = 1.15, 0.004
"""A loss is worse than another when it is so many times larger, and by so much."""


def what_to_see(result: Result, focus: str) -> str:
    """The sentence that fits the draw and the algorithm in focus."""
    draw, run = result.draw, result.runs.get(focus)
    rows = draw.counted.rows
    if draw.is_singular:
        return tr(
            "This matrix cannot be undone: different truths look the same once distorted. The "
            "picture shows one of them, and the answers would fit others as well."
        )
    if rows < FEW:
        return _few(rows)
    if draw.condition is not None and draw.condition > _MAGNIFIED and draw.counted.k > 1:
        words = tr(
            "True answers are kept hardly more often than chance would: errors are magnified %s "
            "times. Distort again and watch how far the estimate jumps."
        )
        return words % number(draw.condition)
    if run is None:
        return ""
    return _negative(result) or _about(run, result)


def _few(rows: int) -> str:
    if rows == 1:
        return tr("Only one answer. Every interval is wider than the scale.")
    words = tr("Only %s answers. Every interval is wider than the scale; show it, do not quote it.")
    return words % number(rows)


def _negative(result: Result) -> str:
    run = result.runs.get("eq")
    labels = result.draw.counted.values
    if run is None or labels is None or run.raw.min() >= -1e-9:
        return ""
    place = int(np.argmin(run.raw))
    words = tr(
        "EQ’s raw estimate of “%s” is %s. It is shown as 0 and kept unclipped for sums; the rare "
        "values at the border are where the algorithms differ."
    )
    return words % (labels[place], percent(float(run.raw[place]), 1))


def _about(run: Run, result: Result) -> str:
    if result.draw.original is None:
        return _unknown_truth(run)
    if run.iterates:
        return _iterated(run)
    if run.method == "eq":
        return tr(
            "EQ solves the system in one step. It has no negative entry here, so it is also the "
            "likeliest distribution: EM/AS ends at the same bars after many steps."
        )
    if result.draw.counted.cells == NUMBERS and run.method == "accelerated":
        return tr(
            "This is where EM ends after very many steps: the likeliest curve, which follows the "
            "noise and is not the most accurate one."
        )
    if run.method == "smooth":
        return tr(
            "A penalty on rough curves takes the place of an early stop, and its interval knows of "
            "the smoothing. Compare its loss with that of EM."
        )
    words = tr("%s loses %s: about %s of 100 answers end up in the wrong bar.")
    loss = run.path.loss_at(run.path.last) or 0.0
    return words % (title_of(run.method), number(loss, 3), number(100 * loss))


def _unknown_truth(run: Run) -> str:
    if not run.iterates:
        return tr(
            "The truth is not known here, so there is no loss to show. The interval says how far "
            "the truth may be from the estimate."
        )
    return tr(
        "The truth is not known here: only the likelihood can be watched. It rises at every step "
        "and cannot say where to stop; “auto” tests every step on answers held back."
    )


def _iterated(run: Run) -> str:
    path = run.path
    losses = {rule: path.loss_at(at) or 0.0 for rule, at in path.stops.items()}
    lowest = path.lowest or 0
    least = path.loss_at(lowest) or 0.0
    if _is_worse(losses[CONVERGED], least):
        words = tr(
            "More iterations raise the likelihood but not the accuracy: after %s the estimate "
            "follows the noise. The loss is lowest at %s."
        )
        near = not _is_worse(losses[AUTO], least)
        tail = (
            tr("“Auto” stops near there without knowing the truth.")
            if near
            else tr("No rule knows the truth: “auto” stops at %s here, “published” at %s.")
            % (number(path.stops[AUTO]), number(path.stops[PUBLISHED]))
        )
        return f"{words % (number(path.last), number(lowest))} {tail}"
    if _is_worse(losses[PUBLISHED], losses[CONVERGED]):
        words = tr(
            "The published rule stops after %s iterations, while the estimate still remembers its "
            "level start. Going on until nothing moves lowers the loss from %s to %s."
        )
        early, late = (number(losses[rule], 3) for rule in (PUBLISHED, CONVERGED))
        return words % (number(path.stops[PUBLISHED]), early, late)
    words = tr(
        "All stop rules end near the same estimate: a loss of %s, about %s of 100 answers in the "
        "wrong bar."
    )
    return words % (number(losses[CONVERGED], 3), number(100 * losses[CONVERGED]))


def _is_worse(loss: float, other: float) -> bool:
    return loss > _CLEARLY * other and loss > other + _AT_LEAST


def loss_hint(result: Result) -> str:
    """What stands beside the title of the loss."""
    if result.draw.original is None:
        return tr("the truth is not known")
    return tr("lower is better")


def likelihood_hint(run: Run) -> str:
    """What stands beside the title of the likelihood."""
    if not run.iterates and run.path.last == 0:
        return ""
    rises = bool(np.all(np.diff(run.path.log_likelihood) >= -1e-6))
    return tr("always rises") if rises else tr("relative to the end")
