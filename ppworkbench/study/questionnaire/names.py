"""Names of questions as people and platforms write them."""

from __future__ import annotations

import re
import unicodedata

_LONGEST_SHORT = 26


def fold(text: str) -> str:
    """A text without case, accents and superfluous blanks.

    >>> fold("  Zażółć   GĘŚLĄ ")
    'zazolc gesla'
    """
    plain = unicodedata.normalize("NFKD", text.casefold().replace("ł", "l"))
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return " ".join(letters.split())


def short_name(name: str) -> str:
    """A name that every platform takes, made from a longer one.

    >>> short_name("Jazda bez biletu (2026)"), short_name("2nd job")
    ('jazda_bez_biletu_2026', 'q_2nd_job')
    """
    plain = re.sub(r"[^a-z0-9]+", "_", fold(name)).strip("_") or "q"
    return (plain if plain[0].isalpha() else f"q_{plain}")[:_LONGEST_SHORT].rstrip("_")
