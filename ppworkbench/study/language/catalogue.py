"""What the texts of the program are in another language.

The sentences of the window are looked up as they are. The core knows no language: its sentences
arrive in English with names and numbers already in them, so they are recognised by their pattern,
``"Attribute {1} has {2} values."``, and put together again in the other language.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from numbers import Real
from pathlib import Path

from ppworkbench.core.message import Message, Place, split_template
from ppworkbench.study.language.own_words import FILLED_IN

_PLACE = re.compile(r"\{(\d+)\}")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^a-z\s])")
_NUMBER = re.compile(r"(?<![\d.,])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]\d+)?(?![\d,.]*\d)")
_QUOTED = "(?:'[^']*'|\"[^\"]*\"|“[^”]*”)"
_OWN = re.compile(f"{_QUOTED}(?:, {_QUOTED})*")
_QUOTES = ("“", "'", '"', "‘", "`")
_ANYTHING = rf"({_OWN.pattern}|(?:(?![.!?]\s[A-Z“]).)+?)"
"""What may stand at a place: names in quotation marks, which may have spaces, else any text, but
not the end of a sentence and the beginning of the next."""
_AMOUNT = r"([^A-Za-z]+?|infinity)"
_FEW_LETTERS = 2
"""``{1} to {2}`` is in many sentences; with so little of its own it joins numbers only."""
_REMEMBERED = 2000


@dataclass(frozen=True)
class Pattern:
    """An English sentence with numbered places, and the same in the other language."""

    texts: tuple[str, ...]
    """What stands before, between and behind the places."""
    places: tuple[str, ...]
    target: str

    @classmethod
    def of(cls, source: str, target: str) -> Pattern:
        """Read a pattern; what stands at a place may be any text."""
        pieces = _PLACE.split(source)
        return cls(tuple(pieces[::2]), tuple(pieces[1::2]), target)

    @cached_property
    def quoted(self) -> frozenset[str]:
        """Places in quotation marks: what stands there is somebody's own text."""
        pairs = zip(self.places, self.texts, strict=False)
        return frozenset(place for place, before in pairs if before.endswith(_QUOTES))

    @cached_property
    def _expression(self) -> re.Pattern[str]:
        own = sum(sign.isalpha() for text in self.texts for sign in text)
        place = _AMOUNT if own <= _FEW_LETTERS else _ANYTHING
        return re.compile(place.join(re.escape(text) for text in self.texts), re.DOTALL)

    def values(self, sentence: str) -> tuple[str, ...] | None:
        """What stands at the places of a sentence; None if it is not one of this pattern."""
        # Most patterns are never met: only what looks alike is worth an expression.
        first, *between, last = self.texts
        if not (sentence.startswith(first) and sentence.endswith(last)):
            return None
        if not all(text in sentence for text in between):
            return None
        found = self._expression.fullmatch(sentence)
        return None if found is None else found.groups()


class Catalogue:
    """The texts of one language."""

    def __init__(
        self, texts: Mapping[str, str], *, decimal: str = ".", thousands: str = ","
    ) -> None:
        self._phrases = {source: text for source, text in texts.items() if text}
        self._decimal, self._thousands = decimal, thousands
        sources = (source for source in self._phrases if _PLACE.search(source))
        self._patterns: dict[str, list[Pattern]] = {}
        """By the letter that they begin with; empty for those that begin with a place."""
        for source in sorted(sources, key=_tells, reverse=True):
            pattern = Pattern.of(source, self._phrases[source])
            self._patterns.setdefault(pattern.texts[0][:1], []).append(pattern)
        self._recognised = lru_cache(_REMEMBERED)(self._sentence)

    def phrase(self, text: str) -> str | None:
        """The text in this language if it is known word by word."""
        return self._phrases.get(text)

    def meant(self, text: str, meaning: str) -> str:
        """A text that other languages say in several ways; they know it as ``text (meaning)``."""
        return self._phrases.get(f"{text} ({meaning})") or self.sentence(text)

    def sentence(self, text: str) -> str:
        """A text in this language, or as it is where nobody has translated it."""
        if not isinstance(text, Message):
            return self._recognised(text)
        if not text.args:
            return self._phrases.get(text.template, text.template)
        said = {
            place.name: self._argument(text.args[place.name], place)
            for _, place in split_template(text.template)
            if place
        }
        target = self._phrases.get(text.key, text.key)
        return "".join(
            before + (said[place.name] if place else "") for before, place in split_template(target)
        )

    def _argument(self, value: object, place: Place) -> str:
        if isinstance(value, Message):
            said = self.sentence(value)
            return repr(said) if place.conversion else said
        if isinstance(value, tuple):
            numbers = self._decimal == "," and any(isinstance(one, Real) for one in value)
            return ("; " if numbers else ", ").join(self._argument(one, place) for one in value)
        text = place.text(value)
        return self._numbers(text) if isinstance(value, Real) else text

    def _sentence(self, text: str) -> str:
        whole = self._whole(text)
        if whole is not None:
            return whole
        if not _has_letters(text):
            return self._numbers(text)
        parts = _SENTENCE_END.split(text)
        return text if len(parts) == 1 else " ".join(self._whole(p) or p for p in parts)

    def _whole(self, text: str) -> str | None:
        if text in self._phrases:
            return self._phrases[text]
        # Those that begin with a word tell more and come first.
        for first in dict.fromkeys((text[:1], "")):
            for pattern in self._patterns.get(first, ()):
                found = pattern.values(text)
                if found is not None:
                    return self._filled(pattern, found)
        return None

    def _filled(self, pattern: Pattern, values: tuple[str, ...]) -> str:
        said = {
            place: value if place in pattern.quoted else self._value(value)
            for place, value in zip(pattern.places, values, strict=True)
        }
        return _PLACE.sub(lambda found: said[found[1]], pattern.target)

    def _value(self, value: str) -> str:
        if _OWN.fullmatch(value):
            return value
        if not _has_letters(value):
            return self._numbers(value)
        words = value.split(", ")
        if FILLED_IN.issuperset(words):
            return ", ".join(self.sentence(word) for word in words)
        # A single word may be the name of an attribute, which stays as its owner wrote it.
        return self.sentence(value) if " " in value else value

    def _numbers(self, text: str) -> str:
        """Numbers, perhaps several with their units, as the language writes them."""
        if self._decimal == ",":
            text = text.replace(", ", "; ")
        return _NUMBER.sub(lambda found: self._number(found[0]), text)

    def _number(self, number: str) -> str:
        whole, point, decimals = number.partition(".")
        # Where a space stands between thousands, four digits are written together.
        few = self._thousands.isspace() and len(whole) <= len("1,000")
        whole = whole.replace(",", "" if few else self._thousands)
        return whole + (self._decimal if point else "") + decimals


def _tells(source: str) -> tuple[bool, int]:
    """How telling a pattern is: by its first word, then by how much it has of its own."""
    return not source.startswith("{"), len(_PLACE.sub("", source))


def _has_letters(text: str) -> bool:
    return any(sign.isalpha() for sign in _NUMBER.sub("", text))


def read_catalogue(folder: Path, *, decimal: str = ".", thousands: str = ",") -> Catalogue:
    """All texts of a language: every ``.json`` file of its folder, English to the language."""
    return Catalogue(
        read_texts(sorted(folder.glob("*.json"))), decimal=decimal, thousands=thousands
    )


def read_texts(files: Iterable[Path]) -> dict[str, str]:
    """The texts of some files together."""
    texts: dict[str, str] = {}
    for file in files:
        texts |= json.loads(file.read_text(encoding="utf-8"))
    return texts
