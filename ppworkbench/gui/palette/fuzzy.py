"""Finding names by a few of their letters."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_PLAIN = {"ł": "l", "đ": "d", "ø": "o", "ı": "i"}
"""Letters that Unicode does not take apart."""
_LOOSE = 3
"""Letters that are left out between two typed ones, on average, at most."""


@dataclass(frozen=True)
class Match:
    """How well a name fits, and which of its letters were typed."""

    score: float
    places: tuple[int, ...] = ()


@lru_cache(maxsize=4096)
def folded(words: str) -> str:
    """Small letters without accents; as many as before, so that places stay the same.

    >>> folded("Żółty Ślad")
    'zolty slad'
    """
    return "".join(_plain(letter) for letter in words)


def _plain(letter: str) -> str:
    small = letter.lower()[:1] or letter
    return _PLAIN.get(small) or unicodedata.normalize("NFKD", small)[0]


def match(typed: str, words: str, more: str = "") -> Match | None:
    """Compare what was typed with a name; None if it does not fit.

    Every typed word has to be found: at the start of a word of the name best, in the middle of one
    worse, as letters in the right order worse still, and in ``more``, which is not shown, worst.

    >>> match("exp dat", "Export distorted data").places
    (0, 1, 2, 17, 18, 19)
    >>> match("xyz", "Export distorted data") is None
    True
    """
    score, places = 0.0, set[int]()
    name, beside = folded(words), folded(more)
    for part in folded(typed).split():
        found = _find(part, name)
        if found is not None:
            score += found.score
            places.update(found.places)
        elif part in beside:
            score += 20
        else:
            return None
    # Of names that fit equally well the shorter one is meant.
    return Match(score - len(name) / 100, tuple(sorted(places)))


def _find(part: str, name: str) -> Match | None:
    place = _start_of_word(part, name)
    if place >= 0:
        return Match(100 - min(place, 40) / 4, tuple(range(place, place + len(part))))
    place = name.find(part)
    if place >= 0:
        return Match(60 - min(place, 40) / 4, tuple(range(place, place + len(part))))
    return _scattered(part, name)


def _start_of_word(part: str, name: str) -> int:
    place = name.find(part)
    while place > 0 and name[place - 1].isalnum():
        place = name.find(part, place + 1)
    return place


def _scattered(part: str, name: str) -> Match | None:
    """The letters in their order, with as few others in between as can be."""
    if len(part) < 2:
        return None
    best: tuple[int, ...] | None = None
    for start, letter in enumerate(name):
        if letter == part[0] and (start == 0 or not name[start - 1].isalnum()):
            places = _from(start, part, name)
            if places and (best is None or places[-1] - places[0] < best[-1] - best[0]):
                best = places
    if best is None or best[-1] - best[0] >= _LOOSE * len(part) + len(part):
        return None
    return Match(40 - (best[-1] - best[0]) / 2, best)


def _from(start: int, part: str, name: str) -> tuple[int, ...]:
    places = [start]
    for letter in part[1:]:
        place = name.find(letter, places[-1] + 1)
        if place < 0:
            return ()
        places.append(place)
    return tuple(places)
