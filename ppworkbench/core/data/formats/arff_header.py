"""The declarations of an ARFF file and its way of quoting.

liac-arff knows no dates, does not take escapes out of names and needs exponential time for some
declarations, so the header is read here and the library gets the rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ppworkbench.core.errors import DataError

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_DECLARATION = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{}}]+)(?:\s+|(?={{))(.+)", re.IGNORECASE)
_VALUE = re.compile(rf"\s*({_QUOTED}|[^,'\"]*)\s*(,|$)")
_PLAIN = re.compile(r"[\w.+\-/]+")
_ESCAPES = {"\\": "\\\\", "'": "\\'", '"': '\\"', "%": "\\%", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_MEANINGS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}


@dataclass(frozen=True)
class Declaration:
    """One attribute: its name and its type, or its values when it is nominal."""

    name: str
    type: str
    values: tuple[str, ...] = ()


def parse_declaration(line: str) -> Declaration:
    """Read one ``@attribute`` line.

    >>> parse_declaration("@attribute 'my age' {young, 'very old'}")
    Declaration(name='my age', type='nominal', values=('young', 'very old'))
    """
    found = _DECLARATION.fullmatch(line)
    if found is None:
        raise DataError("an attribute needs a name and a type")
    name, declared = unquote(found[1]), found[2].strip()
    if declared.startswith("{"):
        return Declaration(name, "nominal", _parse_values(declared, name))
    word = declared.split()[0].lower()
    if word in ("numeric", "real", "integer", "string", "date"):
        return Declaration(name, word)
    if word == "relational":
        raise DataError(f"the relational attribute {name!r} cannot be a column of a table")
    raise DataError(f"the type {word!r} of attribute {name!r} is not known")


def _parse_values(declared: str, name: str) -> tuple[str, ...]:
    inside = re.fullmatch(r"\{(.*)\}\s*(?:%.*)?", declared)
    if inside is None:
        raise DataError(f"the values of attribute {name!r} are not closed by a brace")
    text, values, place = inside[1], [], 0
    while place < len(text):
        found = _VALUE.match(text, place)
        if found is None:
            raise DataError(f"the values of attribute {name!r} are not separated by commas")
        values.append(unquote(found[1].strip()))
        place = found.end()
    # A value that is listed twice is still one value.
    return tuple(dict.fromkeys(values))


def unquote(word: str) -> str:
    r"""What a quoted or plain word means.

    >>> unquote(r"'don\'t'")
    "don't"
    """
    if word[:1] not in ("'", '"'):
        return word
    return re.sub(r"\\([0-7]{3}|.)", _meaning, word[1:-1], flags=re.DOTALL)


def quote(word: str) -> str:
    r"""Write a word so that every reader finds its end.

    >>> quote("plain"), quote("two words"), quote("?")
    ('plain', "'two words'", "'?'")
    """
    if _PLAIN.fullmatch(word):
        return word
    return f"'{''.join(_escape(character) for character in word)}'"


def _escape(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    return f"\\{ord(character):03o}" if ord(character) < 32 else character


def _meaning(found: re.Match[str]) -> str:
    text = found[1]
    return chr(int(text, 8)) if len(text) == 3 else _MEANINGS.get(text, text)
