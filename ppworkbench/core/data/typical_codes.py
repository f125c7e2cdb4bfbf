"""Numbers and words that questionnaires use for "no answer".

A number is only taken for such a code where it cannot be an answer: below zero in a column that
has no other number below zero, or far above all others. A word is one in a column of numbers
always, in a column of words only when it is clearly not an answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

_HIGH_NINES = [10**digits - 1 - less for digits in range(2, 10) for less in (0, 1, 2)]
_REPEATED = [66, 77, 88, 777, 888, 7777, 8888]

STRONG_NEGATIVE = frozenset(-float(n) for n in [7, 8, 9, *_HIGH_NINES, *_REPEATED])
WEAK_NEGATIVE = frozenset(-float(n) for n in range(1, 7))
POSITIVE = frozenset(float(n) for n in [*_HIGH_NINES, *_REPEATED])
TYPICAL_CODES = STRONG_NEGATIVE | WEAK_NEGATIVE | POSITIVE

FAST_NULLS = ("", " ", "NA", "?", "N/A", "n/a", "#N/A", "NULL", "NaN", "nan", "null", "<NA>")
"""Words in columns of numbers that need no sentence: nobody takes them for an answer."""

_NUMBER_WORDS = """
    na n/a n.a. #n/a #na nan null none nil <na> (null) nat missing ? . .. ... - -- --- — –
    n/d nd n.d. b.d. bd b/d brak #null! #num! #div/0! #value! #ref! #name? #error!
    """
_PHRASES = ("brak danych", "brak odpowiedzi", "no answer", "no data", "not available")
_IN_NUMBERS = frozenset((*_NUMBER_WORDS.split(), *_PHRASES))

_OTHER_WORDS = """
    NA ? N/A n/a #N/A NULL NaN <NA> (null) n/d N/D n.d. b.d. B.D. b/d . .. ... - -- --- — –
    #NULL! #NUM! #DIV/0! #VALUE! #REF! #NAME?
    """
_IN_WORDS = frozenset(_OTHER_WORDS.split())

_COUNTRY_LIKE = re.compile(r"[A-Z]{2}")
_PLAIN_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")


def is_missing_among_numbers(text: str, named: Collection[str] = ()) -> bool:
    """Whether a text in a column of numbers means that there is no answer.

    >>> is_missing_among_numbers("b.d."), is_missing_among_numbers("abc")
    (True, False)
    """
    trimmed = text.strip()
    return not trimmed or trimmed in named or trimmed.casefold() in _IN_NUMBERS


def missing_among_words(texts: Iterable[str], named: Collection[str] = ()) -> frozenset[str]:
    """Which texts of a column of words mean that there is no answer.

    ``NA`` beside other codes of two capitals is Namibia, ``-`` beside ``+`` is minus; numbers
    such as 99 are codes when all other answers are words.

    >>> sorted(missing_among_words(["yes", "no", "NA", "99"]))
    ['99', 'NA']
    >>> sorted(missing_among_words(["NA", "NO", "PL"]))
    []
    """
    texts = set(texts)
    blank = {text for text in texts if not text.strip()}
    found = {text for text in texts if text.strip() in _IN_WORDS}
    others = texts - blank - found
    if any(text.strip() == "NA" for text in found) and _are_countries(others):
        found = {text for text in found if text.strip() != "NA"}
    if "+" in others:
        found -= {"-"}
    called = {text for text in texts if text.strip() in named}
    return frozenset(blank | called | found | _codes_among_words(others - called))


def plain_missing_words(named: Collection[str] = ()) -> list[str]:
    """All words that may mean no answer in a column of words, the empty one included."""
    return sorted({"", *_IN_WORDS, *named})


def is_missing_word(text: str) -> bool:
    """Whether a text that is not among the known values of a column means no answer."""
    trimmed = text.strip()
    return not trimmed or trimmed in _IN_WORDS


def _are_countries(texts: Collection[str]) -> bool:
    alike = sum(_COUNTRY_LIKE.fullmatch(text.strip()) is not None for text in texts)
    return alike >= 2 and 2 * alike >= len(texts)


def _codes_among_words(texts: Collection[str]) -> set[str]:
    numbers = {text for text in texts if _PLAIN_NUMBER.fullmatch(text.strip())}
    codes = {
        text
        for text in numbers
        if re.fullmatch(r"-?\d+", text.strip()) and float(text) in STRONG_NEGATIVE | POSITIVE
    }
    words = len(texts) - len(numbers)
    return codes if codes == numbers and words >= 2 else set()
