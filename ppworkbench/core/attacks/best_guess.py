"""The best guess from one answer, carried out on a draw and beside its closed form.

The attacker knows the design and the distribution of the true answers, sees one reported answer r
and guesses the true answer c with the largest ``Pr(c | r)``. Over all answers the guess is right
with ``Σ_r max_c P[r,c] x_c``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ppworkbench.core.attacks.attack import (
    Attack,
    AttackedAnswers,
    Counted,
    Finding,
    PublishedData,
    attacks,
    in_slices,
    seen_attribute,
)
from ppworkbench.core.data.table import Column
from ppworkbench.core.design.design import DesignedAttribute
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.attack import attack_success
from ppworkbench.core.progress import Progress, silent


@dataclass(frozen=True)
class Guess:
    """What is guessed after some reported answers.

    Parameters
    ----------
    reported
        The reported value; empty for numbers, where many reported numbers lead to one guess.
    guess
        The true answer that is guessed.
    before, expected
        The belief in it before and after the report, by the closed form.
    right
        How often it was right in the draw.
    """

    reported: str
    guess: str
    before: float
    expected: float
    right: Counted


@dataclass(frozen=True)
class BestGuess(Finding):
    """The attack on one attribute: per reported answer, and over all of them."""

    name: str
    guesses: tuple[Guess, ...]
    right: Counted
    expected: float
    blind: float
    slices: int | None = None
    measure: ClassVar[str] = "share of correct guesses"
    shares: ClassVar[tuple[str, ...]] = ("right", "low", "high", "before", "expected")

    @property
    def sentence(self) -> Message:
        low, high = self.right.interval
        return Message(
            "{attribute}: the best guess from a report is right for {share:.1f} % (95 % "
            "interval {low:.1f} to {high:.1f} %), by the formula for {expected:.1f} %, without a "
            "report for {blind:.1f} %.",
            attribute=self.name,
            share=100 * self.right.share,
            low=100 * low,
            high=100 * high,
            expected=100 * self.expected,
            blind=100 * self.blind,
        )

    def rows(self) -> list[Mapping[str, object]]:
        return [
            {"guess": one.guess, "reported": one.reported, "right": one.right.share,
             "low": one.right.interval[0], "high": one.right.interval[1],
             "expected": one.expected, "before": one.before, "n": one.right.n}
            for one in self.guesses
        ]  # fmt: skip

    def points(self) -> list[tuple[str, float, tuple[float, float]]]:
        whole = Message("all answers"), self.right.share, self.right.interval
        return [
            whole,
            *(
                (
                    f"{one.reported} → {one.guess}" if one.reported else one.guess,
                    one.right.share,
                    one.right.interval,
                )
                for one in self._made
            ),
        ]

    def readings(self) -> list[Message]:
        return [*super().readings(), *in_slices(self.slices)]

    def beside(self) -> list[tuple[Message, list[float]]]:
        return [
            (Message("by the formula"), [self.expected, *(one.expected for one in self._made)]),
            (Message("without a report"), [self.blind, *(one.before for one in self._made)]),
        ]

    @property
    def _made(self) -> list[Guess]:
        return [one for one in self.guesses if one.right.n]


def best_guess(
    original: Column,
    distorted: Column,
    designed: DesignedAttribute,
    progress: Progress = silent,
) -> BestGuess:
    """Guess every record's true answer from its reported one, and count how often it is right.

    Parameters
    ----------
    designed
        The attribute with the perturbation in effect (``design.perturbation(name)``).
    """
    progress(0.0, "binning answers")
    seen = seen_attribute(original, distorted, designed)
    progress(0.5, "guessing")
    whole = attack_success(seen.view.joint)
    numeric = designed.attribute.kind.is_numeric
    guesses = _by_guess(seen) if numeric else _by_report(seen)
    right = Counted(sum(g.right.hits for g in guesses), sum(g.right.n for g in guesses))
    progress(1.0, "guessed")
    slices = seen.view.prior.k if numeric else None
    return BestGuess(seen.name, guesses, right, whole.success, whole.prior_guess, slices)


def _counts(seen: PublishedData) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.intp]], ...]:
    """For every reported cell: the guess, how often it was reported, how often it was right."""
    guess = np.asarray(np.argmax(seen.view.joint.joint, axis=1))
    reported, true = seen.reported[seen.both], seen.view.places[seen.true[seen.both]]
    cells = len(seen.channel)
    count = np.bincount(reported, minlength=cells)
    hits = np.bincount(reported[guess[reported] == true], minlength=cells)
    return guess, count, hits


def _by_report(seen: PublishedData) -> tuple[Guess, ...]:
    guess, count, hits = _counts(seen)
    prior, joint = seen.view.prior, seen.view.joint
    return tuple(
        Guess(
            seen.designed.attribute.values[r],
            prior.label(int(guess[r])),
            float(prior.probabilities[guess[r]]),
            float(joint.posterior[r, guess[r]]),
            Counted(int(hits[r]), int(count[r])),
        )
        for r in range(len(seen.channel))
    )


def _by_guess(seen: PublishedData) -> tuple[Guess, ...]:
    guess, count, hits = _counts(seen)
    prior, joint = seen.view.prior, seen.view.joint
    found = []
    for c in range(prior.k):
        leads = guess == c
        mass = float(joint.published[leads].sum())
        # A slice that no reported number points to is never guessed.
        if mass <= 1e-12 and not count[leads].any():
            continue
        expected = float(joint.joint[leads, c].sum()) / mass if mass > 0 else 0.0
        right = Counted(int(hits[leads].sum()), int(count[leads].sum()))
        found.append(
            Guess("", prior.label(c), float(prior.probabilities[c]), min(expected, 1.0), right)
        )
    return tuple(found)


@attacks.register("guess", "Best guess", hint="What does 1 reported answer disclose?", rank=10)
class GuessAttack(Attack):
    """The best guess from one reported answer."""

    words = "best guess from one answer"
    takes_attribute = True

    @classmethod
    def run(cls, answers: AttackedAnswers, progress: Progress) -> BestGuess:
        return best_guess(*answers.columns, answers.designed, progress)
