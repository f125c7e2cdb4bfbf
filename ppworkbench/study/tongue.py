"""In which language something is written that leaves the program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


def _as_it_is(text: str) -> str:
    return text


@dataclass(frozen=True)
class Tongue:
    """A language, and how an English text is said in it; the window knows more than English."""

    code: str = "en"
    say: Callable[[str], str] = _as_it_is

    @property
    def foreign(self) -> str:
        """The code of a language other than English, in which all texts are there; else empty."""
        return "" if self.code == "en" else self.code


ENGLISH = Tongue()
