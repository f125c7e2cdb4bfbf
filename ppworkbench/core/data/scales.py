"""Answer scales in English and Polish, recognised by their words.

A scale is either a list of steps, each with the ways to say it, or made of two opposite poles
with words for how strongly. Answers belong to a scale when each of them is another of its steps.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from ppworkbench.core.data.ranges import order_ranges
from ppworkbench.core.data.scale_words import MIDDLE, POLES, STEPS, STRENGTHS
from ppworkbench.core.message import Message


@dataclass(frozen=True)
class Scale:
    """Answers in the order of a scale, and what the scale is about."""

    values: tuple[str, ...]
    topic: str


_LONGEST_STEP = 120
_PLAIN = str.maketrans({"ł": "l", "Ł": "L"})


def order_scale(values: Sequence[str]) -> Scale | None:
    """The values in the order of the answer scale that they belong to; None if they do not.

    >>> order_scale(["often", "never", "sometimes"]).values
    ('never', 'sometimes', 'often')
    >>> order_scale(["raczej tak", "zdecydowanie nie", "trudno powiedzieć"]).values
    ('zdecydowanie nie', 'trudno powiedzieć', 'raczej tak')
    """
    if not 2 <= len(values) <= 40 or max(map(len, values)) > _LONGEST_STEP:
        return None
    ranged = order_ranges(values)
    if ranged is not None:
        return Scale(ranged, Message("ranges of numbers"))
    plain = [plain_words(value) for value in values]
    # 'very good/native' is 'very good' if nothing better is found.
    short = [plain_words(value.split("/")[0]) for value in values]
    found = _by_steps(values, plain) or _by_poles(values, plain)
    if found is None and short != plain:
        found = _by_steps(values, short) or _by_poles(values, short)
    return found


def _by_steps(values: Sequence[str], plain: Sequence[str]) -> Scale | None:
    for topic, steps in _step_tables().items():
        order = _order(values, [steps.get(words) for words in plain])
        if order is not None:
            return Scale(order, topic)
    return None


def _by_poles(values: Sequence[str], plain: Sequence[str]) -> Scale | None:
    for topic, (negative, positive) in POLES.items():
        scores = [_pole_score(words, negative.split("|"), positive.split("|")) for words in plain]
        order = _order(values, scores)
        if order is not None and any(score != 0 for score in scores):
            return Scale(order, topic)
    return None


def plain_words(text: str) -> str:
    """A text without case, accents, marks and double spaces, for comparing.

    >>> plain_words("Zdecydowanie  się NIE zgadzam!")
    'zdecydowanie sie nie zgadzam'
    """
    letters = unicodedata.normalize("NFKD", text.translate(_PLAIN).casefold())
    bare = "".join(c for c in letters if not unicodedata.combining(c))
    return " ".join(re.sub(r"[^\w]|_", " ", bare).split())


@cache
def _step_tables() -> dict[str, dict[str, float]]:
    tables = {}
    for topic, text in STEPS.items():
        lines = re.sub(r"\|\s*\n\s*", "|", text.strip()).splitlines()
        tables[topic] = {
            way.strip(): float(i) for i, line in enumerate(lines) for way in line.split("|")
        }
    return tables


@cache
def _middle() -> frozenset[str]:
    return frozenset(way.strip() for line in MIDDLE.splitlines() for way in line.split("|"))


@cache
def _strengths() -> dict[str, float]:
    return {word: strength for strength, words in STRENGTHS.items() for word in words.split("|")}


def _pole_score(words: str, negative: Sequence[str], positive: Sequence[str]) -> float | None:
    if words in _middle():
        return 0.0
    strengths = _strengths()
    for sign, poles in ((-1.0, negative), (1.0, positive)):
        # The longest pole first, so that 'nie zgadzam sie' is not 'zgadzam sie' with a word.
        for pole in sorted(poles, key=len, reverse=True):
            rest = _without(words, pole)
            if rest is not None and rest in strengths:
                return sign * strengths[rest]
    return None


def _without(words: str, pole: str) -> str | None:
    if words == pole:
        return ""
    if words.endswith(f" {pole}"):
        return words.removesuffix(f" {pole}").removesuffix(" sie")
    if words.startswith(f"{pole} "):
        return words.removeprefix(f"{pole} ")
    return None


def _order(values: Sequence[str], scores: Sequence[float | None]) -> tuple[str, ...] | None:
    known = [score for score in scores if score is not None]
    if len(known) < len(values) or len(set(known)) < len(values):
        return None
    return tuple(value for _, value in sorted(zip(known, values, strict=True)))
