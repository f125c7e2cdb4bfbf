"""The page's own words in the languages that have a file ``words.LANGUAGE.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.resources import resource

FOLDER = "questionnaire"


@cache
def languages() -> Mapping[str, str]:
    """Codes of all languages with the names they call themselves by.

    >>> dict(languages())
    {'en': 'English', 'pl': 'polski'}
    """
    files = sorted(resource(FOLDER).glob("words.*.json"))
    return MappingProxyType({path.name.split(".")[1]: _read(path.name)["name"] for path in files})


@cache
def words_of(language: str) -> Mapping[str, str]:
    """The words of a language."""
    if language not in languages():
        raise ParameterError(
            Message("There are no words for the language {language!r}.", language=language),
            field="language",
        )
    return MappingProxyType(_read(f"words.{language}.json"))


def _read(name: str) -> dict[str, str]:
    words: dict[str, str] = json.loads(resource(FOLDER, name).read_text(encoding="utf-8"))
    return words
