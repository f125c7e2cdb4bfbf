"""Texts that respondents read in place of the names and values of a design, in one language.

Also how texts are compared, and how names are made of them that every platform takes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.codebook import FORMAT as CODEBOOK
from ppworkbench.core.data.codebook import Codebook
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.core.errors import DataError
from ppworkbench.core.files import read_limited
from ppworkbench.core.json_values import parse_json

_LARGEST = 16 * 2**20
_LONGEST_SHORT = 26


def fold(text: str) -> str:
    """A text without case, accents and superfluous blanks.

    >>> fold("  Zażółć   GĘŚLĄ ")
    'zazolc gesla'
    """
    plain = unicodedata.normalize("NFKD", text.casefold().replace("ł", "l"))
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return " ".join(letters.split())


@lru_cache(maxsize=4096)
def short_name(name: str) -> str:
    """A name that every platform takes, made from a longer one.

    >>> short_name("Jazda bez biletu (2026)"), short_name("2nd job")
    ('jazda_bez_biletu_2026', 'q_2nd_job')
    """
    plain = re.sub(r"[^a-z0-9]+", "_", fold(name)).strip("_") or "q"
    return (plain if plain[0].isalpha() else f"q_{plain}")[:_LONGEST_SHORT].rstrip("_")


@dataclass(frozen=True)
class Texts:
    questions: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    answers: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: MappingProxyType({}))

    def question(self, attribute: Attribute) -> str:
        return self.questions.get(attribute.name) or attribute.shown

    def answer(self, name: str, value: str) -> str:
        return self.answers.get(name, {}).get(value) or value


def texts_of(attributes: Iterable[Attribute]) -> Texts:
    return Texts(MappingProxyType({a.name: a.label for a in attributes if a.label}))


def read_json(path: Path, too_large: str) -> Any:
    """The JSON values of a file that somebody brings; ``too_large`` is said of a long one."""
    content = read_limited(path, _LARGEST, too_large)
    try:
        return parse_json(content.decode("utf-8-sig"))
    except ValueError:
        raise DataError.saying("{file} is not valid JSON in UTF-8.", file=path) from None


def read_texts(path: str | Path) -> Texts:
    """Texts from a file: a codebook, or an object with ``questions`` and ``answers``."""
    path = Path(path)
    given = read_json(path, "{file} is too large for questionnaire texts.")
    if isinstance(given, Mapping) and given.get("format") == CODEBOOK:
        return texts_of(Codebook.from_json(given).attributes)
    return _from_json(given, path)


def _from_json(given: Any, path: Path) -> Texts:
    questions, answers = _parts(given)
    if not _are_texts(questions) or not all(map(_are_texts, answers.values())):
        raise DataError.saying(
            "{file} has no questionnaire texts; it needs an object with 'questions' "
            "(name: text) or 'answers' (name: value: text).",
            file=path,
        )
    return Texts(MappingProxyType(dict(questions)), MappingProxyType(dict(answers)))


def _parts(given: Any) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    nothing: tuple[Mapping[str, Any], Mapping[str, Any]] = {"": None}, {}
    if not isinstance(given, Mapping) or not given or set(given) - {"questions", "answers"}:
        return nothing
    questions, answers = given.get("questions", {}), given.get("answers", {})
    if not isinstance(questions, Mapping) or not isinstance(answers, Mapping):
        return nothing
    return questions, answers


def _are_texts(given: Any) -> bool:
    return isinstance(given, Mapping) and all(isinstance(text, str) for text in given.values())


def list_items(asked: ListQuestion, arm: str, texts: Texts) -> tuple[str, ...]:
    """What an arm hears of a list; the sensitive item stands in the middle of the long one."""
    items = [texts.questions.get(item) or item for item in asked.items]
    if arm in asked.long:
        items.insert((len(items) + 1) // 2, texts.question(asked.attribute))
    return tuple(items)
