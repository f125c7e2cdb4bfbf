"""The languages of the program, and its texts in them; nothing here needs a window.

A plain text is looked up as it is. A message of the core is looked up by its template, and the
values at its places are written as the language does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from pathlib import Path

from ppworkbench.core.files import resource
from ppworkbench.core.message import Message, Place, split_template

_NUMBER = re.compile(r"(?<![\d.,])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]\d+)?(?![\d,.]*\d)")

_QUOTED = "“%s”"


class Catalogue:
    def __init__(
        self, texts: Mapping[str, str], *, decimal: str = ".", thousands: str = ","
    ) -> None:
        self._phrases = {source: text for source, text in texts.items() if text}
        self._decimal, self._thousands = decimal, thousands

    def phrase(self, text: str) -> str | None:
        return self._phrases.get(text)

    def meant(self, text: str, meaning: str) -> str:
        """A text that other languages say in several ways; they know it as ``text (meaning)``."""
        return self._phrases.get(f"{text} ({meaning})") or self.sentence(text)

    def sentence(self, text: str) -> str:
        if not isinstance(text, Message) or not text.args:
            return self._phrases.get(text) or self._plain(text)
        said = {
            place.name: self._argument(text.args[place.name], place)
            for _, place in split_template(text.template)
            if place
        }
        target = self._phrases.get(text.key, text.key)
        return "".join(
            before + (said[place.name] if place else "") for before, place in split_template(target)
        )

    def _plain(self, text: str) -> str:
        has_words = any(map(str.isalpha, _NUMBER.sub("", text)))
        return str(text) if has_words else self._numbers(text)

    def _argument(self, value: object, place: Place) -> str:
        if isinstance(value, Message):
            said = self.sentence(value)
            return self._quoted(said) if place.conversion else said
        if isinstance(value, tuple):
            parts = [self._argument(one, place) for one in value]
            has_commas = self._decimal == "," and any(
                isinstance(one, Real) or (isinstance(one, Message) and "," in text)
                for one, text in zip(value, parts, strict=True)
            )
            return ("; " if has_commas else ", ").join(parts)
        if isinstance(value, str) and place.conversion:
            return self._quoted(value)
        text = place.text(value)
        if not isinstance(value, Real):
            return text
        # People read a minus sign; what programs read keeps the hyphen.
        return self._numbers(f"−{text[1:]}" if text.startswith("-") else text)

    def _quoted(self, text: str) -> str:
        """A name or value in quotation marks; what cannot be seen is written as Python does."""
        seen = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)
        return self._phrases.get(_QUOTED, _QUOTED) % seen

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


def read_catalogue(folder: Path, *, decimal: str = ".", thousands: str = ",") -> Catalogue:
    """All texts of a language: every ``.json`` file of its folder, English to the language."""
    return Catalogue(
        read_texts(sorted(folder.glob("*.json"))), decimal=decimal, thousands=thousands
    )


def read_texts(files: Iterable[Path]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for file in files:
        texts |= json.loads(file.read_text(encoding="utf-8"))
    return texts


ENGLISH = "en"
"""The language of the source, and of whatever has no other text."""
LANGUAGES = {ENGLISH: "English", "pl": "Polski"}
"""Codes, and what the languages are called by those who speak them."""

_NUMBER_SIGNS = {"pl": (",", "\u00a0")}
"""Decimal and thousands signs, as Qt writes numbers of these languages."""


def translatable(words: str, meaning: str = "") -> str:  # noqa: ARG001
    """Mark a text that is translated when it is shown, because it is written before that.

    ``meaning`` is the one that :func:`~ppworkbench.gui.language.tr` is given there.
    """
    return words


_SINGLE_WORDS = (
    translatable("uniform"),
    translatable("normal"),
    translatable("laplace"),
    translatable("truncated-normal"),
    translatable("absorb"),
    translatable("normalise"),
    translatable("worst"),
    translatable("Breach"),
    translatable("Amplification"),
    translatable("Triangular"),
    translatable("Piecewise"),
)
"""Marked for the catalogues only: values of parameters and labels of the core that no search for
texts can tell from names."""


def _as_it_is(text: str) -> str:
    return text


@dataclass(frozen=True)
class Language:
    code: str = ENGLISH
    say: Callable[[str], str] = _as_it_is

    @property
    def foreign(self) -> str:
        """The code of a language other than English, in which all texts are there; else empty."""
        return "" if self.code == ENGLISH else self.code


ENGLISH_TONGUE = Language()


def tongue_of(code: str) -> Language:
    if code == ENGLISH_TONGUE.code:
        return ENGLISH_TONGUE
    decimal, thousands = _NUMBER_SIGNS[code]
    folder = resource("languages", code)
    return Language(code, read_catalogue(folder, decimal=decimal, thousands=thousands).sentence)
