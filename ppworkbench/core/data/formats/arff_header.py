"""The declarations and rows of an ARFF file and its way of quoting."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_DECLARATION = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{}}]+)(?:\s+|(?={{))(.+)", re.IGNORECASE)
_VALUE = re.compile(rf"\s*({_QUOTED}|[^,'\"]*)\s*(,|$)")
# A blank inside a cell must be quoted. Possessive, so that no row takes quadratic time.
_CELL = re.compile(rf"\s*+({_QUOTED}|[^,\s'\"{{}}]*+)\s*+(,|$)")
_SPARSE_CELL = re.compile(rf"\s*+(\d{{1,9}})\s++({_QUOTED}|[^,\s'\"{{}}]++)\s*+(,|$)")
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
        raise DataError(
            Message(
                "the relational attribute {attribute!r} cannot be a column of a table",
                attribute=name,
            )
        )
    raise DataError(
        Message(
            "the type {word!r} of attribute {attribute!r} is not known", word=word, attribute=name
        )
    )


def _parse_values(declared: str, name: str) -> tuple[str, ...]:
    inside = re.fullmatch(r"\{(.*)\}\s*(?:%.*)?", declared)
    if inside is None:
        raise DataError(
            Message(
                "the values of attribute {attribute!r} are not closed by a brace", attribute=name
            )
        )
    text, values, place = inside[1], [], 0
    while place < len(text):
        found = _VALUE.match(text, place)
        if found is None:
            raise DataError(
                Message(
                    "the values of attribute {attribute!r} are not separated by commas",
                    attribute=name,
                )
            )
        values.append(unquote(found[1].strip()))
        place = found.end()
    # A value that is listed twice is still one value.
    return tuple(dict.fromkeys(values))


def split_row(row: str) -> list[str | None]:
    """Take the cells of a dense row apart; None is a missing one.

    >>> split_row("1, 'two, three', ?,")
    ['1', 'two, three', None, None]
    """
    return [_cell(found[1]) for found in _matches(_CELL, row)]


def split_sparse_row(row: str) -> dict[int, str | None]:
    """Take a sparse row apart: the cells that it gives, by the number of their column.

    >>> split_sparse_row("{0 yes, 3 ?}")
    {0: 'yes', 3: None}
    """
    if not row.startswith("{") or not row.endswith("}"):
        raise DataError("a sparse row stands in braces")
    inside = row[1:-1]
    if not inside.strip():
        return {}
    return {int(found[1]): _cell(found[2]) for found in _matches(_SPARSE_CELL, inside)}


def _matches(pattern: re.Pattern[str], row: str) -> Iterator[re.Match[str]]:
    """What a pattern finds between the commas of a row."""
    place, separator = 0, ","
    while separator:
        found = pattern.match(row, place)
        if found is None:
            raise DataError("cells are separated by commas")
        yield found
        place, separator = found.end(), found[found.re.groups]


def _cell(word: str) -> str | None:
    return None if word in ("?", "") else unquote(word)


def unquote(word: str) -> str:
    r"""What a quoted or plain word means.

    >>> unquote(r"'don\'t'")
    "don't"
    """
    if word[:1] not in ("'", '"'):
        return word
    return re.sub(r"\\([0-7]{1,3}|u[0-9a-fA-F]{4}|.)", _meaning, word[1:-1], flags=re.DOTALL)


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
    if text[0] in "01234567":
        return chr(int(text, 8))
    return chr(int(text[1:], 16)) if len(text) > 1 else _MEANINGS.get(text, text)
