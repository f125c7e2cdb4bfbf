"""The best guess from one reported answer, in words, marks and rows."""

from __future__ import annotations

from ppworkbench.core.attacks import (
    BestGuess,
    Counted,
)
from ppworkbench.gui.language.text import told, tr
from ppworkbench.gui.pages.explore.attack.attack_words import (
    MOST_ROWS,
    counted,
    ends,
    in_100,
    in_slices,
    share,
    span,
)
from ppworkbench.gui.pages.explore.attack.picture import Shown
from ppworkbench.gui.plots.interval_plot import IntervalRow, Mark


def show_guess(found: BestGuess) -> Shown:
    """The picture of a best guess."""
    seen = in_slices(found.slices)
    low, high = found.right.interval
    drawn, stated, blind = (in_100(v) for v in (found.right.share, found.expected, found.blind))
    if found.expected - found.blind < 1e-9:
        sentence = tr(
            "One reported answer to “%s” never changes the best guess: it is right %s times in "
            "100 with it or without it (in this draw %s, interval %s)."
        ) % (found.name, stated, drawn, span(low, high))
    else:
        sentence = tr(
            "An attacker who sees one reported answer to “%s” guesses right %s times in 100 in "
            "this draw (interval %s), by the formula %s; without it, %s."
        ) % (found.name, drawn, span(low, high), stated, blind)
    everything = IntervalRow(
        tr("all answers"),
        _guess_marks(found.blind, found.expected, found.right),
        bold=True,
    )
    rows = [
        IntervalRow(
            one.reported or told(one.guess),
            _guess_marks(one.before, one.expected, one.right),
            tr("guess: %s") % one.guess if one.reported else "",
        )
        for one in [one for one in found.guesses if one.right.n][: MOST_ROWS - 1]
    ]
    first = tr("guess") if found.slices else tr("reported → guess")
    table = [
        (
            told(one.guess)
            if found.slices
            else f"{one.reported} → {_same(one.reported, one.guess)}",
            counted(one.right),
            ends(one.right),
            share(one.expected),
        )
        for one in found.guesses
    ]
    whole = (tr("all answers"), counted(found.right), ends(found.right), share(found.expected))
    return Shown(
        tr("How often the best guess is right: %s") % found.name,
        tr("share of right guesses"),
        sentence,
        tr("The attacker knows the design and how often every true answer occurs.") + seen,
        (first, tr("this draw"), tr("95\u202f% interval"), tr("formula")),
        (whole, *table),
        (everything, *rows),
        (
            ("series 4", tr("before the report")),
            ("series 2", tr("by the formula")),
            ("series 0", tr("in this draw, 95\u202f% interval")),
        ),
    )


def _same(reported: str, guess: str) -> str:
    return tr("the same") if reported == guess else guess


def _guess_marks(before: float, expected: float, right: Counted) -> tuple[Mark, ...]:
    marks = [
        Mark("series 4", tr("before the report"), before),
        Mark("series 2", tr("by the formula"), expected),
    ]
    if right.n:
        marks.append(Mark("series 0", tr("in this draw"), right.share, *right.interval))
    return tuple(marks)
