"""Repeated asking: fresh noise each time wears the protection off, a kept answer does not.

A person who is asked m times and throws new dice each time gives m reports of one truth. They
multiply into the posterior, ``Pr(c | r1..rm) ∝ x_c Π_i P[ri, c]``, and for a P-matrix the counts of
the reports say as much as the reports. A person who keeps the first report and repeats it
(memoised, as in RAPPOR: Erlingsson, Pihur and Korolova 2014) tells nothing more than once.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import ClassVar

import numpy as np
from scipy.special import gammaln

from ppworkbench.core.arrays import Numbers, Places
from ppworkbench.core.attacks.attack import (
    Attack,
    AttackedAnswers,
    Finding,
    Measured,
    attacks,
    in_slices,
    seen_attribute,
    sliced_joint,
    starts_of,
)
from ppworkbench.core.data.table import Column
from ppworkbench.core.design.design import DesignedAttribute
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.attack import attack_success
from ppworkbench.core.privacy.epsilon import epsilon
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.rng import SeededStreams

TIMES = (1, 2, 3, 5, 10, 20, 50, 100)
PEOPLE = 2000
"""Simulated people, where the counts are too many to go through."""

_MOST_COUNTS = 12_000
_NEVER = -1e6
"""The logarithm of a probability of 0: far below all others, yet a number."""


@dataclass(frozen=True)
class RepeatedAsking:
    """Success of the best guess after m reports.

    Parameters
    ----------
    fresh
        With fresh noise each time; its error is 0 where it was computed from all counts.
    memoised
        When the first report is repeated, however often.
    blind
        Without any report.
    """

    times: tuple[int, ...]
    fresh: tuple[Measured, ...]
    memoised: float
    blind: float


@dataclass(frozen=True)
class RepeatedQuestion(Finding):
    """The attack on one attribute.

    ``epsilon`` is that of one report; m fresh ones have m times as much. ``slices`` is how many a
    scale of numbers was cut into, one of which is guessed.
    """

    name: str
    asking: RepeatedAsking
    epsilon: float
    slices: int | None = None
    measure: ClassVar[str] = "share of correct guesses"
    along: ClassVar[Message | None] = Message("times asked")
    shares: ClassVar[tuple[str, ...]] = ("right", "low", "high", "kept")

    @property
    def sentence(self) -> Message:
        asking = self.asking
        return Message(
            "{attribute}: after {times} reports with fresh noise the best guess is right for "
            "{fresh:.1f} %, after one report for {memoised:.1f} %, without any for {blind:.1f} %.",
            attribute=self.name,
            times=asking.times[-1],
            fresh=100 * asking.fresh[-1].value,
            memoised=100 * asking.memoised,
            blind=100 * asking.blind,
        )

    def rows(self) -> list[Mapping[str, object]]:
        asking = self.asking
        return [
            {"reports": times, "right": one.value, "low": one.interval[0],
             "high": one.interval[1], "standard_error": one.error, "kept": asking.memoised,
             "epsilon": self.epsilon * times}
            for times, one in zip(asking.times, asking.fresh, strict=True)
        ]  # fmt: skip

    def points(self) -> list[tuple[str, float, tuple[float, float]]]:
        return [
            (str(times), one.value, one.interval)
            for times, one in zip(self.asking.times, self.asking.fresh, strict=True)
        ]

    def readings(self) -> list[Message]:
        who = Message("The attacker knows the design, the true distribution and who answers.")
        simulated = Message("Numbers with a standard error are simulated, the others exact.")
        is_exact = not any(one.error for one in self.asking.fresh)
        return [who, *in_slices(self.slices), *([] if is_exact else [simulated])]

    def beside(self) -> list[tuple[Message, list[float]]]:
        asking = self.asking
        return [
            (Message("first report kept"), [asking.memoised] * len(asking.times)),
            (Message("without a report"), [asking.blind] * len(asking.times)),
        ]


def repeated_question(
    original: Column,
    distorted: Column,
    designed: DesignedAttribute,
    seed: int = 0,
    progress: Progress = silent,
) -> RepeatedQuestion:
    """Ask everybody again and again, as far as an attacker can see.

    Parameters
    ----------
    designed
        The attribute with the perturbation in effect (``design.perturbation(name)``).
    """
    attribute, perturbation = designed.attribute, designed.perturbation
    progress(0.0, "binning answers")
    seen = seen_attribute(original, distorted, designed)
    numeric = attribute.kind.is_numeric
    asking = repeated_asking(
        seen.channel,
        seen.prior.probabilities,
        seed,
        # A person's own number stays the same from time to time, wherever in its slice it lies.
        slices=seen.view.places if numeric else None,
        people=PEOPLE // 2 if numeric else PEOPLE,
        progress=part(progress, 0.1, 1.0),
    )
    bound = perturbation.epsilon_of(attribute)
    if not numeric and not perturbation.is_identity:
        bound = epsilon(seen.channel)
    return RepeatedQuestion(attribute.name, asking, bound, seen.view.prior.k if numeric else None)


def repeated_asking(
    channel: Numbers,
    prior: Numbers,
    seed: int = 0,
    *,
    slices: Places | None = None,
    times: Sequence[int] = TIMES,
    people: int = PEOPLE,
    progress: Progress = silent,
) -> RepeatedAsking:
    """How success grows with the number of times a person is asked.

    Parameters
    ----------
    channel
        ``A[s, p]``, the probability of report s given the true answer p; columns sum to 1.
    prior
        The distribution of the true answers.
    slices
        Where the true answers are finer than what is guessed: the slice of every one, rising.

    Examples
    --------
    >>> warner = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> found = repeated_asking(warner, np.array([0.5, 0.5]), times=(1, 3))
    >>> [round(point.value, 6) for point in found.fresh]
    [0.75, 0.84375]
    """
    if list(times) != sorted(set(times)) or not times or times[0] < 1:
        raise ParameterError(
            "The times asked must be increasing whole numbers from 1.", field="times"
        )
    places = np.arange(len(prior)) if slices is None else slices
    seen = sliced_joint(channel, prior, places)
    one = attack_success(seen)
    fresh = {}
    exact = [m for m in times if slices is None and _outcomes(m, len(channel)) <= _MOST_COUNTS]
    for done, m in enumerate(exact):
        progress(0.3 * done / len(exact), Message("all counts of {m} answers", m=m))
        fresh[m] = Measured(_from_counts(channel, prior, m))
    left = [m for m in times if m not in fresh]
    if left:
        truth, dice = _people(channel, prior, people, seed)
        fresh |= _simulated(channel, prior, places, left, truth, dice, part(progress, 0.3, 1.0))
    progress(1.0, "asked")
    return RepeatedAsking(
        tuple(times), tuple(fresh[m] for m in times), one.success, one.prior_guess
    )


def _outcomes(m: int, cells: int) -> int:
    return comb(m + cells - 1, cells - 1)


def _from_counts(channel: Numbers, prior: Numbers, m: int) -> float:
    """``Σ_n max_c x_c · m!/Π n_r! · Π_r P[r,c]^n_r`` over all counts n of m reports."""
    cells = len(channel)
    # Stars and bars: the gaps between chosen places are the counts.
    bars = np.array(list(itertools.combinations(range(m + cells - 1), cells - 1)), np.int64)
    bars = bars.reshape(_outcomes(m, cells), cells - 1)
    counts = np.diff(bars, axis=1, prepend=-1, append=m + cells - 1) - 1
    ways = gammaln(m + 1) - gammaln(counts + 1).sum(axis=1)
    joint = np.exp(ways[:, None] + counts @ _log(channel)) * prior
    return min(float(joint.max(axis=1).sum()), 1.0)


def _people(
    channel: Numbers, prior: Numbers, people: int, seed: int
) -> tuple[Places, np.random.Generator]:
    dice = SeededStreams(seed).generator("attacks", "repeated", str(channel.shape))
    return dice.choice(len(prior), size=people, p=prior), dice


def _simulated(
    channel: Numbers,
    prior: Numbers,
    places: Places,
    times: Sequence[int],
    truth: Places,
    dice: np.random.Generator,
    progress: Progress,
) -> dict[int, Measured]:
    """Ask the same people more and more often; the mean of the surest belief is the success."""
    cells = len(channel)
    steps = np.cumsum(channel, axis=0).T
    steps /= steps[:, -1:]
    # All columns on one line, so that one search finds the reports of everybody.
    line = (steps + np.arange(len(prior))[:, None]).ravel()
    told = _log(channel)
    belief = np.tile(_log(prior), (len(truth), 1))
    starts = starts_of(places)
    found = {}
    for m in range(1, times[-1] + 1):
        progress((m - 1) / times[-1], Message("question {m}", m=m))
        place = np.searchsorted(line, dice.random(len(truth)) + truth, side="right")
        belief += told[np.clip(place - truth * cells, 0, cells - 1)]
        if m in times:
            share = np.exp(belief - belief.max(axis=1, keepdims=True))
            share = np.add.reduceat(share, starts, axis=1)
            surest = share.max(axis=1) / share.sum(axis=1)
            found[m] = Measured(float(surest.mean()), float(surest.std() / len(truth) ** 0.5))
    return found


def _log(probabilities: Numbers) -> Numbers:
    known = np.where(probabilities > 0, probabilities, 1.0)
    return np.where(probabilities > 0, np.log(known), _NEVER)


@attacks.register(
    "repeat",
    "Repeated questioning",
    hint="What do repeated answers of one respondent disclose?",
    rank=20,
)
class RepeatAttack(Attack):
    """The same question, asked again and again."""

    words = "the question asked again and again"
    takes_attribute = True

    @classmethod
    def run(cls, answers: AttackedAnswers, progress: Progress) -> RepeatedQuestion:
        return repeated_question(*answers.columns, answers.designed, answers.seed, progress)
