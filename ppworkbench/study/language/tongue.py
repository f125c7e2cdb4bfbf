"""In which language something is written that leaves the program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ppworkbench.core.resources import resource
from ppworkbench.study.language import languages
from ppworkbench.study.language.catalogue import read_catalogue


def _as_it_is(text: str) -> str:
    return text


@dataclass(frozen=True)
class Tongue:
    """A language, and how an English text is said in it."""

    code: str = languages.ENGLISH
    say: Callable[[str], str] = _as_it_is

    @property
    def foreign(self) -> str:
        """The code of a language other than English, in which all texts are there; else empty."""
        return "" if self.code == languages.ENGLISH else self.code


ENGLISH = Tongue()


def tongue_of(code: str) -> Tongue:
    """One of the program's languages, its texts read anew."""
    if code == ENGLISH.code:
        return ENGLISH
    return Tongue(code, read_catalogue(resource("languages", code)).sentence)
