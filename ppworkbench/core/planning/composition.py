"""What many answers of one person disclose together, and what asking fewer of them costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import betainc, gammaln, logsumexp

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.design.budget import Parts
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Within

DELTA = Within(0, 1e-2, open_low=True)
"""Probabilities with which a weaker promise may fail."""


def noise_variance(epsilon: float) -> float:
    """What randomising a yes/no question adds to the variance of a share.

    >>> round(noise_variance(0.5), 4)
    3.9177
    """
    # Of -ε, which gives the same number and overflows nowhere.
    return math.exp(-epsilon) / math.expm1(-epsilon) ** 2


@dataclass(frozen=True)
class Split:
    """Each respondent is asked ``ask`` of several questions, drawn evenly, each at ``total/ask``.

    Parameters
    ----------
    ask
        Questions per respondent.
    noise
        What randomising adds to the variance of a share, per respondent of the survey.
    variance
        The whole variance, that of asking fewer people included.
    pair
        The variance of the share who say yes to both of two questions; None where nobody is asked
        two.
    """

    ask: int
    noise: float
    variance: float
    pair: float | None

    def to_json(self) -> dict[str, Any]:
        return {"ask": self.ask, "variance": self.variance, "pair": self.pair}


def split(questions: int, ask: int, total: float, share: float, both: float = 0.3) -> Split:
    """The price of a split questionnaire of yes/no questions whose share of "yes" is ``share``.

    ``both`` is the share of "yes" in each of two unrelated questions that are looked at together.

    >>> found = split(8, 2, 4.0, 0.1)
    >>> round(found.variance, 4), round(found.pair, 2)
    (1.0841, 6.25)
    """
    if not 1 <= ask <= questions:
        raise ParameterError.saying(
            "{ask} of {questions} questions cannot be asked; choose 1 to {questions}.",
            ask=ask,
            questions=questions,
            field="ask",
        )
    times = questions / ask
    noise = noise_variance(total / ask)
    pair = None
    if ask > 1:
        rarity = questions * (questions - 1) / (ask * (ask - 1))
        pair = rarity * ((both + noise) ** 2 - both**4)
    return Split(ask, times * noise, times * (share * (1 - share) + noise), pair)


def splits(questions: int, total: float, share: float) -> tuple[Split, ...]:
    """All ways to split, from all questions down to one of them."""
    return tuple(split(questions, ask, total, share) for ask in range(questions, 0, -1))


def composed(epsilon: float, times: int, delta: float) -> float:
    """The epsilon of equal randomised responses together, but for a probability of delta.

    The exact composition of Kairouz, Oh and Viswanath (2017).

    >>> round(composed(0.2, 20, 1e-6), 4)
    3.8294
    """
    check_delta(delta)
    whole = epsilon * times
    counts = np.arange(times + 1)
    ways = gammaln(times + 1) - gammaln(counts + 1) - gammaln(times - counts + 1)
    gains = (times - 2 * counts) * epsilon
    # Logarithms of the probabilities of a person with one answer; the other's are gains less.
    log_chance = ways + (times - counts) * epsilon - times * np.logaddexp(0.0, epsilon)

    def failing(at: float) -> float:
        beyond = gains > at
        parts = log_chance[beyond] + np.log(-np.expm1(at - gains[beyond]))
        return float(np.exp(logsumexp(parts))) - delta if beyond.any() else -delta

    if failing(0.0) <= 0:
        return 0.0
    return float(brentq(failing, 0.0, whole))


@dataclass(frozen=True)
class Shuffled:
    """What shuffled reports disclose: a readout, never a budget."""

    epsilon: float
    delta: float
    reason: Message | None = None
    """Why shuffling promises no more; None where it does."""
    by_clones: float | None = None
    """The tighter epsilon by an exact sum over clones, where shuffling promises more."""

    def to_json(self) -> dict[str, Any]:
        result: dict[str, Any] = {
            "epsilon": self.epsilon if math.isfinite(self.epsilon) else "inf",
            "delta": self.delta,
            "applies": self.reason is None,
        }
        if self.reason is not None:
            result["reason"] = str(self.reason)
        if self.by_clones is not None:
            result["by_clones"] = self.by_clones
        return result


def shuffled(epsilon: float, people: int, delta: float) -> Shuffled:
    """The epsilon of n shuffled reports of one mechanism (Feldman, McMillan, Talwar 2021).

    >>> round(shuffled(1.0, 1000, 1e-6).epsilon, 4), round(shuffled(4.0, 100_000, 1e-6).epsilon, 4)
    (0.5662, 0.5346)
    >>> shuffled(4.0, 10_000, 1e-6).epsilon
    4.0
    """
    check_delta(delta)
    log = math.log(4 / delta)
    few = Message(
        "With {people:,} people shuffling cannot be shown to hide more at this epsilon.",
        people=people,
    )
    if people < 1 or not math.isfinite(epsilon) or epsilon > math.log(people / (16 * log)):
        return Shuffled(epsilon, delta, few)
    odds = math.exp(epsilon)
    spread = 8 * math.sqrt(odds * log / people) + 8 * odds / people
    central = math.log1p(math.tanh(epsilon / 2) * spread)
    if central >= epsilon:
        return Shuffled(epsilon, delta, few)
    return Shuffled(central, delta, by_clones=clone_epsilon(epsilon, people, delta))


def _heads_above(count: Numbers, coins: NDArray[np.int64]) -> Numbers:
    """Pr(more than ``count`` heads) of so many coins.

    scipy.stats has it as well, but takes half a second to load.
    """
    inside = betainc(np.maximum(count + 1, 1), np.maximum(coins - count, 1), 0.5)
    return np.where(count < 0, 1.0, np.where(count >= coins, 0.0, inside))


def clone_epsilon(epsilon: float, people: int, delta: float) -> float:
    """The epsilon of n shuffled reports by their clones, summed exactly.

    Each of the others is a clone of one of two answers with probability e^-ε. Of c clones a
    binomial number are of the first answer, and the person's own report joins one of the two sides
    with odds e^ε to 1. What this discloses bounds what the reports do (Feldman, McMillan, Talwar
    2021, Theorem 3.1).

    >>> [round(clone_epsilon(1.0, n, 1e-6), 4) for n in (1_000, 10_000)]
    [0.1824, 0.053]
    """
    own = 1 / (1 + math.exp(-epsilon))
    rate = math.exp(-epsilon)
    around = (people - 1) * rate
    reach = 12 * math.sqrt(around * (1 - rate) + 1) + 12
    low, high = max(0, math.floor(around - reach)), min(people - 1, math.ceil(around + reach))
    clones = np.arange(low, high + 1)
    others = people - 1
    ways = gammaln(others + 1) - gammaln(clones + 1) - gammaln(others - clones + 1)
    chances = np.exp(ways + clones * math.log(rate) + (others - clones) * math.log1p(-rate))

    def failing(at: float) -> float:
        odds = math.exp(at)
        # From here on the first side is more than the odds as likely under the first answer.
        border = (clones + 1) * (odds * own - (1 - own)) / ((2 * own - 1) * (1 + odds))
        first = np.floor(border)
        # The own report on the first side leaves one less to the clones.
        joined, apart = _heads_above(first - 1, clones), _heads_above(first, clones)
        told = own * joined + (1 - own) * apart
        other = (1 - own) * joined + own * apart
        return float(chances @ (told - odds * other)) - delta

    if failing(0.0) <= 0:
        return 0.0
    return float(brentq(failing, 0.0, epsilon))


def check_delta(delta: float) -> None:
    """Refuse a probability of failing that is none, or that is no promise any more."""
    if not DELTA.holds(delta):
        raise ParameterError.saying(
            "Delta is {delta:g}; it must be above 0 and at most {most:g}.",
            delta=delta,
            most=DELTA.high,
            field="delta",
        )


_MOST_PAIRS = 6


@dataclass(frozen=True)
class Waves:
    """What asking the same people several times discloses."""

    count: int
    memoised: bool
    linked: bool
    one: float
    """Epsilon of a single wave."""
    total: float
    """Epsilon of all waves at most."""

    @property
    def unchanged(self) -> float:
        """Epsilon of all waves for people whose answers never change."""
        return self.one if self.memoised else self.total

    @property
    def sentences(self) -> tuple[Message, ...]:
        spent = (
            Message(
                "In {waves} waves the same true answer always gives the same report: epsilon stays "
                "{one:.4g} for people whose answers never change, and is at most {total:.4g}. A "
                "changed report shows a change.",
                waves=self.count,
                one=self.one,
                total=self.total,
            )
            if self.memoised
            else Message(
                "In {waves} waves with fresh coins epsilon adds up to {total:.4g}.",
                waves=self.count,
                total=self.total,
            )
        )
        linked = (
            Message("The data link the waves of one person.")
            if self.linked
            else Message("Waves are not linked: nothing tells which reports are of one person.")
        )
        return spent, linked

    def to_json(self) -> dict[str, Any]:
        return {
            "count": self.count,
            "memoise": self.memoised,
            "linked": self.linked,
            "one": self.one,
            "unchanged": self.unchanged,
            "total": self.total,
        }


@dataclass(frozen=True)
class AskedParts:
    """How many parts of a questionnaire each person is asked, and which pairs never together."""

    ask: int
    parts: Parts
    never_together: tuple[tuple[str, str], ...]

    @property
    def sentences(self) -> tuple[Message, ...]:
        has_blocks = any(len(part) > 1 for part in self.parts)
        count = len(self.parts)
        if self.ask == 1 and has_blocks:
            drawn = Message(
                "Each person is asked 1 of {count} parts of the questionnaire, drawn at random; "
                "the total is that of the part that discloses most.",
                count=count,
            )
        elif self.ask == 1:
            drawn = Message(
                "Each person is asked 1 of {count} randomised questions, drawn at random; the "
                "total is that of the question that discloses most.",
                count=count,
            )
        elif has_blocks:
            drawn = Message(
                "Each person is asked {ask} of {count} parts of the questionnaire, drawn at "
                "random; the total is that of the {ask} parts that disclose most.",
                ask=self.ask,
                count=count,
            )
        else:
            drawn = Message(
                "Each person is asked {ask} of {count} randomised questions, drawn at random; the "
                "total is that of the {ask} questions that disclose most.",
                ask=self.ask,
                count=count,
            )
        if not self.never_together:
            return (drawn,)
        pairs = [
            Message("{first} and {second}", first=first, second=second)
            for first, second in self.never_together[:_MOST_PAIRS]
        ]
        if len(self.never_together) > _MOST_PAIRS:
            pairs.append(Message("…"))
        never = Message(
            "Nobody is asked both of these, so that nothing can be estimated about them together: "
            "{pairs}. A block keeps a pair together.",
            pairs=tuple(pairs),
        )
        return drawn, never

    def to_json(self) -> dict[str, Any]:
        return {
            "count": self.ask,
            "parts": [list(part) for part in self.parts],
            "never_together": [list(pair) for pair in self.never_together],
        }
