"""Results for people as text, and for programs in JSON's own types."""

from __future__ import annotations

import math
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ppworkbench.core.data.attribute import Attribute, titles_of
from ppworkbench.core.message import Message, titled
from ppworkbench.results.picture import Mark, Picture, Shape
from ppworkbench.results.sheet import Column, Kind, Sheet

REPORTED, TRUE = "reported", "true"
"""What the answers are that a result was made of, in its document."""

TURNS = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
"""Classes of the invisible letters that turn the direction of a text."""

NARROW = "\u202f"
"""The space before a unit: narrow, and no place for a new line."""
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=%)")


def spaced(text: str, encoding: str | None) -> str:
    r"""The text with a narrow space between a number and its percent sign, as in the window.

    A stream whose encoding has no such space gets a plain one.

    >>> spaced("about 12 %", "utf-8"), spaced("about 12\u202f%", "ascii")
    ('about 12\u202f%', 'about 12 %')
    """
    try:
        NARROW.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return text.replace(NARROW, " ")
    return _BEFORE_UNIT.sub(NARROW, text)


def plain(value: Any) -> Any:
    """The value in JSON's own types: infinity as the text "inf", no number as null.

    Numpy's scalars and arrays become plain numbers and lists.

    >>> plain({"epsilon": math.inf, "error": math.nan, "probability": (0.5, 0.5)})
    {'epsilon': 'inf', 'error': None, 'probability': [0.5, 0.5]}
    """
    if isinstance(value, Enum):
        value = value.value
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return _plain_float(value)
    if isinstance(value, Mapping):
        return {_key(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _plain_float(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def _key(key: Any) -> str:
    return str(key.value) if isinstance(key, Enum) else str(key)


def harmless(text: str) -> str:
    r"""The text on one line, with control characters written out.

    Names and labels come from files of strangers; an escape sequence in them must not reach
    the terminal.

    >>> print(harmless("red\x1b[31m"))
    red\x1b[31m
    """
    if text.isprintable():
        return text
    return "".join(_written_out(letter) for letter in text)


Naming = Callable[[str], str]


def naming(attributes: Iterable[Attribute]) -> Naming:
    """What people call the attributes, by the names of their columns.

    >>> age = Attribute("v17", "integer", domain=(0, 120), title="Age")
    >>> naming([age])("v17"), naming([age])("v18")
    ('Age', 'v18')
    """
    return _Titles(titles_of(attributes))


@dataclass(frozen=True)
class _Titles:
    """Titles by name; a function of a function could not be saved with the result that has it."""

    titles: Mapping[str, str]

    def __call__(self, name: str) -> str:
        return self.titles.get(name, name)


def note_lines(notes: Iterable[str], shown: Naming = str, word: str = "Note") -> list[str]:
    """Notes for people, each on a line of its own, with the titles of the attributes."""
    return [f"{word}: {harmless(titled(note, shown))}" for note in notes]


def _written_out(letter: str) -> str:
    # Control characters, line ends beyond them, and marks that turn the direction of what
    # follows. Joiners stay: Persian and Hindi are written with them.
    turns = unicodedata.bidirectional(letter) in TURNS
    if turns or unicodedata.category(letter) in {"Cc", "Zl", "Zp"}:
        return letter.encode("unicode_escape").decode("ascii")
    return letter


def cut(text: str, width: int) -> str:
    """The text, shortened with three dots when it takes more columns than ``width``.

    >>> cut("a long answer", 8)
    'a lon...'
    """
    taken, kept = 0, 0
    for place, letter in enumerate(text):
        taken += _columns_of(letter)
        if taken <= width - 3:
            kept = place + 1
        if taken > width:
            return text[:kept] + "..."
    return text


def columns(text: str) -> int:
    """How many columns of a terminal the text takes.

    >>> columns("żółw"), columns("東京")
    (4, 4)
    """
    return sum(_columns_of(letter) for letter in text)


def _columns_of(letter: str) -> int:
    if unicodedata.combining(letter) or unicodedata.category(letter) in {"Cf", "Me", "Mn"}:
        return 0
    return 2 if unicodedata.east_asian_width(letter) in {"W", "F"} else 1


def aligned(
    heads: Sequence[str], rows: Iterable[Sequence[object]], *, right: Iterable[str] = ()
) -> str:
    """A table of text columns under their heads; those named in ``right`` end flush.

    >>> print(aligned(["name", "missing"], [["age", 3], ["sex", 12]], right=["missing"]))
    name  missing
    ----  -------
    age         3
    sex        12
    """
    cells = [[harmless(str(cell)) for cell in row] for row in rows]
    widths = [max(map(columns, column)) for column in zip(heads, *cells, strict=True)]
    ends_flush = [head in set(right) for head in heads]

    def line(row: Sequence[str]) -> str:
        padded = (
            _pad(cell, width, flush)
            for cell, width, flush in zip(row, widths, ends_flush, strict=True)
        )
        return "  ".join(padded).rstrip()

    rule = ["-" * width for width in widths]
    return "\n".join(line(row) for row in [heads, rule, *cells])


def _pad(cell: str, width: int, flush_right: bool) -> str:
    gap = " " * (width - columns(cell))
    return gap + cell if flush_right else cell + gap


def short_p(p: float | None) -> str:
    """A p value; below one in a thousand the digits say nothing more."""
    return "< 0.001" if p is not None and p < 0.001 else short_number(p)


def equals_p(p: float) -> str:
    """What follows the letter p in a sentence.

    >>> equals_p(0.0421), equals_p(1e-9)
    ('= 0.0421', '< 0.001')
    """
    return short_p(p) if p < 0.001 else f"= {short_p(p)}"


def short_number(number: float | None) -> str:
    """A number with about four digits; a dash where there is none."""
    if number is None or not math.isfinite(number):
        return "-"
    if abs(number) >= 100:
        return f"{number:,.1f}"
    if abs(number) >= 1e-4 or abs(number) < 1e-12:
        return f"{number:.4g}" if abs(number) >= 1e-12 else "0"
    # Powers of ten are for programs.
    return f"{number:.{1 - math.floor(math.log10(abs(number)))}f}"


# Sheets

MOST_ROWS = 20
"""Rows of a sheet that a text lists; documents and frames have all."""
Say = Callable[[str], str]
"""What says a message in a language."""


def heading(column: Column, say: Say = str) -> str:
    """The head of a column with its unit, as papers write it."""
    unit = column.unit or "%" * (column.kind is Kind.PERCENT)
    return f"{say(column.head)} ({say(unit)})" if unit else say(column.head)


_PERCENT = 2
"""Decimals of a percentage; that of a share is written in the unit of its column."""


def written(column: Column, row: int) -> str:
    """One value of a column as people read it; a dash where there is none, a text as it is.

    >>> from ppworkbench.core.message import Message
    >>> [written(Column("n", Message("n"), kind, [1234.5678]), 0) for kind in list(Kind)[1:]]
    ['1,235', '1,234.6', '1234.5678', '1234.6', '1,234.6']
    """
    kind, value = column.kind, column.values[row]
    if column.is_text:
        # A message stays one: who reads it has words for its attributes.
        said = value or column.blank
        return said if isinstance(said, str) else str(said)
    if value is None or math.isnan(value):
        return "-"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if kind is Kind.SHARE and column.unit == "%":
        return f"{100 * value:.{_PERCENT if column.decimals is None else column.decimals}f}"
    if column.decimals is not None and kind is not Kind.SHARE:
        return f"{value:,.{column.decimals}f}"
    return _WRITTEN[kind](value)


_WRITTEN: dict[Kind, Callable[[Any], str]] = {
    Kind.TEXT: str, Kind.COUNT: "{:,.0f}".format, Kind.NUMBER: short_number,
    Kind.SHARE: "{:.4f}".format, Kind.PERCENT: "{:.1f}".format, Kind.P: short_p,
}  # fmt: skip


def sheet_text(sheet: Sheet, shown: Naming = str) -> str:
    """The first rows of a sheet as people read them; what it says where it has none."""
    if not sheet.rows:
        return str(sheet.nothing)
    columns = sheet.shown()
    first = list(sheet.listed) or sheet.order()[:MOST_ROWS].tolist()
    rows = [[titled(written(one, place), shown) for one in columns] for place in first]
    heads = [heading(one) for one in columns]
    right = [heading(one) for one in columns if not one.is_text]
    more = sheet.rows - len(first)
    tail = f"\n... and {more:,} more; --json lists all." if more else ""
    return aligned(heads, rows, right=right) + tail


def picture_words(picture: Picture, say: Say = str) -> str:
    """What a picture shows, for those who cannot see it: the numbers of its first things."""
    picture = picture.said(say)
    labels = picture.y.labels or picture.x.labels
    marks = [one for one in picture.marks if one.shape not in _NOT_TOLD]
    told: list[Message] = []
    for place, label in enumerate(labels[:MOST_ROWS]):
        numbers = tuple(word for one in marks for word in _mark_words(one, place, picture))
        if numbers:
            told.append(Message("{label}: {numbers}.", label=label, numbers=numbers))
    if not labels:
        told += (
            Message("{name}: highest at {place:.4g}.", name=one.name, place=_summit(one))
            for one in marks
            if one.shape is Shape.LINE and one.name
        )
    axis = picture.x if picture.is_lying else picture.y
    unit = Message(" in {unit}", unit=axis.unit) if axis.unit else Message("")
    title = Message("{title}. {axis}{unit}:", title=picture.title, axis=axis.title, unit=unit)
    return say(Message.joined([one for one in (title, *told, picture.note) if one]))


_NOT_TOLD = frozenset({Shape.RULE, Shape.CELLS, Shape.BAND, Shape.BOXES})


def _mark_words(mark: Mark, place: int, picture: Picture) -> list[Message]:
    """What a mark says of one thing: a number, with its interval if it has one."""
    import numpy as np

    places, numbers = (mark.y, mark.x) if picture.is_lying else (mark.x, mark.y)
    told = []
    axis = picture.x if picture.is_lying else picture.y
    is_share = axis.kind is Kind.SHARE
    sign, scale = (Message(" %"), 100.0) if is_share else (Message(""), 1.0)
    for at in np.flatnonzero((places == place) & np.isfinite(numbers)).tolist():
        known: dict[str, Any] = {
            "name": mark.name,
            "value": scale * float(numbers[at]),
            "sign": sign,
        }
        if mark.low is None or mark.high is None:
            told.append(Message("{name} {value:.3g}{sign}", **known))
            continue
        ends: dict[str, Any] = {
            "low": scale * float(mark.low[at]),
            "high": scale * float(mark.high[at]),
        }
        told.append(
            Message("{name} {value:.3g}{sign} ({low:.3g} to {high:.3g}{sign})", **known, **ends)
        )
    return told


def _summit(mark: Mark) -> float:
    import numpy as np

    return float(mark.x[np.nanargmax(mark.y)]) if np.isfinite(mark.y).any() else math.nan
