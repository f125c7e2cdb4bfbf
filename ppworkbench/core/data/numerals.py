"""Numbers written as text: decimal comma, thousands separators, and what is no number.

Everything works on the distinct texts of a column, so its cost does not depend on how often a
text occurs. A text that would lose something as a number (``007``, more than 2^53) is not one.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Code
from ppworkbench.core.data.raw import RawColumn
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message

LARGEST_WHOLE = 2**53
"""Above it not every whole number is a double of its own."""

SPACES = "\u00a0\u202f\u2009 "
_GROUP_MARKS = rf"[{SPACES}'’]"
_LEADING_ZERO = r"^[+-]?0[0-9]"
_LEADING_ZERO_OR_HEX = r"^[+-]?0[0-9xX]"
_LONG_WHOLE = r"^[+-]?[0-9]{16,}$"
_SIMPLE_WHOLE = re.compile(r"\s*(-?(?:0|[1-9][0-9]{0,14}))\s*")
_MOST_SIMPLE = 256
_OTHER_MARK = {
    ",": Message("numbers are read with a decimal comma"),
    ".": Message("numbers are read with a decimal point"),
}
FEW_WHOLES = 20
"""A column of so few whole numbers may be one of codes, where ``1`` and ``1.0`` could differ."""


@dataclass(frozen=True)
class NumberFormat:
    """How numbers are written in a file.

    ``forced`` says that a person chose the decimal mark, so that no other is tried.
    """

    decimal: str = "."
    forced: bool = False

    @property
    def other(self) -> NumberFormat:
        return NumberFormat("," if self.decimal == "." else ".")


@dataclass(frozen=True, eq=False)
class TextColumn(RawColumn):
    """A raw column of text whose numbers are still to be recognised in the file's own format."""

    numbers: NumberFormat = NumberFormat()


@dataclass(frozen=True, eq=False)
class ParsedColumn(RawColumn):
    """A raw column of numbers that a fast parser made of text.

    ``read_again`` reads the same column as text, for when numbers turn out to lose something.
    """

    read_again: Callable[[], TextColumn] | None = None

    def texts(self) -> TextColumn:
        if self.read_again is None:
            raise ValueError(Message("the text of {name!r} cannot be restored", name=self.name))
        column = self.read_again()
        # A first record may have been taken for names since.
        data = column.data.slice(len(column.data) - len(self.data))
        return dataclasses.replace(column, name=self.name, data=data)


@dataclass(frozen=True, eq=False)
class Numerals:
    """Distinct texts as numbers.

    ``form`` is the format in which they were read. ``refusal`` says why the texts had better
    not be numbers, in the words of a reason; ``offender`` is an example.
    """

    numbers: NDArray[np.float64]
    form: NumberFormat
    refusal: str = ""
    offender: str = ""
    note: str = ""


def read_numerals(texts: pa.Array, form: NumberFormat) -> Numerals:
    """The numbers that all of these different texts are, or why they are not.

    >>> read_numerals(pa.array(["1,5", "2"]), NumberFormat(",")).numbers.tolist()
    [1.5, 2.0]
    >>> read_numerals(pa.array(["007", "8"]), NumberFormat()).refusal
    'leading zeros would be lost'
    """
    simple = _simple_wholes(texts)
    if simple is not None:
        return Numerals(simple, form)
    trimmed = _trim(texts)
    first = _read(trimmed, form)
    if first.refusal and not form.forced:
        second = _read(trimmed, form.other)
        if not second.refusal and not _is_plain(trimmed, form):
            note = second.note or _OTHER_MARK[form.other.decimal]
            return Numerals(second.numbers, form.other, note=note)
    return first


def parse_numerals(texts: pa.Array, form: NumberFormat) -> NDArray[np.float64]:
    """Each text as a number in a format that is settled; NaN where it is none.

    >>> parse_numerals(pa.array(["1 234,5", "x"]), NumberFormat(",")).tolist()
    [1234.5, nan]
    """
    simple = _simple_wholes(texts)
    if simple is not None:
        return simple
    texts = _trim(texts)
    plain = pc.match_substring_regex(texts, _pattern(form))
    if not pc.all(plain).as_py():
        grouped = pc.match_substring_regex(texts, _grouped_pattern(form))
        good = pc.or_(plain, grouped)
        texts = pc.if_else(grouped, _ungroup(texts, form), texts)
        texts = pc.if_else(good, texts, pa.scalar(None, pa.string()))
    points = pc.replace_substring(texts, ",", ".") if form.decimal == "," else texts
    return np.asarray(pc.fill_null(points.cast(pa.float64()), np.nan), np.float64)


def _simple_wholes(texts: pa.Array) -> NDArray[np.float64] | None:
    """A few texts that are nothing but whole numbers, which most columns of a survey are."""
    if len(texts) > _MOST_SIMPLE:
        return None
    found = [_SIMPLE_WHOLE.fullmatch(text or "") for text in texts.to_pylist()]
    if not all(found):
        return None
    return np.array([float(one[1]) for one in found if one is not None], np.float64)


def _trim(texts: pa.Array) -> pa.Array:
    return pc.replace_substring(pc.utf8_trim_whitespace(texts), "\u2212", "-")


def number_text(number: float) -> str:
    """A number as people write it, and as it is read back exactly.

    >>> number_text(3.0), number_text(0.1), number_text(1e300)
    ('3', '0.1', '1e+300')
    """
    return str(shortest_number(number))


def shortest_number(number: float) -> int | float:
    """A number that is written without needless decimals."""
    is_whole = float(number).is_integer() and abs(number) <= LARGEST_WHOLE
    return int(number) if is_whole else float(number)


def code_text(code: Code) -> str:
    """A code as people write it; also the value that stands for a code without a label.

    >>> code_text(3.0), code_text(2.5), code_text("NK")
    ('3', '2.5', 'NK')
    """
    return code if isinstance(code, str) else number_text(code)


def shown_code(code: Code) -> str | float:
    """A code for a sentence, in which numbers are written as the language does."""
    return code if isinstance(code, str) else shortest_number(code)


def plain_kind(texts: pa.Array, form: NumberFormat) -> str | None:
    """``whole`` or ``decimal`` when every text is a number in the plainest spelling, else None.

    Only such columns may be parsed straight into numbers without looking at each text.
    """
    if len(texts) == 0 or pc.any(pc.match_substring_regex(texts, _LEADING_ZERO_OR_HEX)).as_py():
        return None
    if pc.all(pc.match_substring_regex(texts, "^-?[0-9]{1,18}$")).as_py():
        return "whole"
    if form.decimal == ",":
        # A point would become thousands or a second mark; it is not the plainest spelling.
        texts = pc.replace_substring(pc.replace_substring(texts, ".", "x"), ",", ".")
    with suppress(pa.ArrowInvalid):
        texts.cast(pa.float64())
        return "decimal"
    return None


def _read(texts: pa.Array, form: NumberFormat) -> Numerals:
    plain = pc.match_substring_regex(texts, _pattern(form))
    note = ""
    if not pc.all(plain).as_py():
        grouped = pc.match_substring_regex(texts, _grouped_pattern(form))
        if not pc.all(pc.or_(plain, grouped)).as_py() or _is_phone_book(texts):
            offender = _first(texts, pc.invert(pc.or_(plain, grouped))) or texts[0].as_py()
            return Numerals(np.empty(0), form, Message("not every answer is a number"), offender)
        texts = pc.if_else(grouped, _ungroup(texts, form), texts)
        note = Message("thousands separators were removed from numbers")
    zero = pc.match_substring_regex(texts, _LEADING_ZERO)
    if pc.any(zero).as_py():
        reason = Message("leading zeros would be lost")
        return Numerals(np.empty(0), form, reason, _first(texts, zero))
    return _convert(texts, form, note)


def _convert(texts: pa.Array, form: NumberFormat, note: str) -> Numerals:
    points = pc.replace_substring(texts, ",", ".") if form.decimal == "," else texts
    numbers = np.asarray(points.cast(pa.float64()), np.float64)
    # The first whole number that is not exact is rounded down to the largest that is.
    long = np.abs(numbers) >= LARGEST_WHOLE
    if long.any():
        whole = np.asarray(pc.match_substring_regex(texts, _LONG_WHOLE), np.bool_)
        exact = np.asarray(pc.match_substring_regex(texts, f"^[+-]?{LARGEST_WHOLE}$"), np.bool_)
        if (long & whole & ~exact).any():
            offender = texts[int(np.flatnonzero(long & whole & ~exact)[0])].as_py()
            reason = Message(
                "whole numbers above {largest_whole} are not exact as numbers",
                largest_whole=LARGEST_WHOLE,
            )
            return Numerals(np.empty(0), form, reason, offender)
    if not np.isfinite(numbers).all():
        offender = texts[int(np.flatnonzero(~np.isfinite(numbers))[0])].as_py()
        return Numerals(np.empty(0), form, Message("a number is too large"), offender)
    twice = _spelled_twice(texts, numbers)
    if twice:
        return Numerals(np.empty(0), form, Message("one number is spelled in several ways"), twice)
    return Numerals(numbers, form, note=note)


def _spelled_twice(texts: pa.Array, numbers: NDArray[np.float64]) -> str:
    """A text such as ``1.0`` beside ``1`` in a column of few whole numbers."""
    distinct = np.unique(numbers)
    few = len(distinct) < min(len(numbers), FEW_WHOLES + 1)
    if not few or (distinct != np.rint(distinct)).any():
        return ""
    # Spaces around a number are nobody's intention; only the digits count as a spelling.
    spellings = {text.lstrip("+") for text in texts.to_pylist()}
    if len(spellings) == len(distinct):
        return ""
    odd = [text for text in spellings if text != number_text(float(text.replace(",", ".")))]
    return str(odd[0])


def _pattern(form: NumberFormat) -> str:
    mark = rf"\{form.decimal}"
    return rf"^[+-]?([0-9]+({mark}[0-9]*)?|{mark}[0-9]+)([eE][+-]?[0-9]+)?$"


def _grouped_pattern(form: NumberFormat) -> str:
    # Other groups than of three digits, and mixed marks, are not taken for a number.
    marks = ["’", "'", *SPACES, form.other.decimal]
    bodies = "|".join(rf"[0-9]{{1,3}}(?:{re.escape(mark)}[0-9]{{3}})+" for mark in marks)
    return rf"^[+-]?(?:{bodies})(?:\{form.decimal}[0-9]*)?$"


def _ungroup(texts: pa.Array, form: NumberFormat) -> pa.Array:
    closed = pc.replace_substring_regex(texts, _GROUP_MARKS, "")
    return pc.replace_substring(closed, form.other.decimal, "")


def _is_phone_book(texts: pa.Array) -> bool:
    """Whether the groups rather belong to telephone numbers, which all have the same length."""
    spaced = pc.match_substring_regex(texts, r"^\+?[0-9]+(?: [0-9]{3})+$")
    if not pc.all(spaced).as_py():
        return False
    plus = pc.any(pc.starts_with(texts, "+")).as_py()
    lengths = pc.unique(pc.utf8_length(texts))
    return bool(plus or (len(texts) > 1 and len(lengths) == 1 and lengths[0].as_py() >= 11))


def _is_plain(texts: pa.Array, form: NumberFormat) -> bool:
    return bool(pc.all(pc.match_substring_regex(texts, _pattern(form))).as_py())


def _first(texts: pa.Array, found: pa.Array) -> str:
    where = pc.index(found, True).as_py()
    return "" if where < 0 else str(texts[where].as_py())


Wholes = NDArray[np.int64] | NDArray[np.int32]


def plain_column(column: RawColumn) -> RawColumn:
    """The column with cells that are numbers, text or a dictionary of text.

    Truth values become ``false`` and ``true``; whole numbers that a double would round become
    text, except in parsed columns, whose text is still to be had.
    """
    data, kind = column.data, column.data.type
    if pa.types.is_boolean(kind):
        data = pc.if_else(data, pa.scalar("true"), pa.scalar("false"))
    elif pa.types.is_integer(kind):
        is_sure = isinstance(column, ParsedColumn) or is_exact(data)
        data = data if is_sure else data.cast(pa.string())
    elif pa.types.is_decimal(kind):
        data = data.cast(pa.float64())
    elif not (pa.types.is_floating(kind) or _is_text(kind)):
        try:
            data = data.cast(pa.string())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise DataError.saying(
                "Column {attribute!r} contains {kind}, which is neither text nor a "
                "number; remove or convert it.",
                kind=kind,
                attribute=column.name,
            ) from None
    return column if data is column.data else dataclasses.replace(column, data=data)


def is_number_type(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def to_numbers(data: pa.ChunkedArray) -> Numbers:
    """The cells of a column of numbers as doubles, NaN for null."""
    numbers = np.empty(len(data), np.float64)
    start = 0
    for chunk in data.chunks:
        stop = start + len(chunk)
        full = chunk
        if chunk.null_count:
            full = pc.fill_null(chunk.cast(pa.float64(), safe=False), np.nan)
        numbers[start:stop] = np.asarray(full)
        start = stop
    return numbers


def written_numbers(data: pa.ChunkedArray) -> pa.ChunkedArray:
    """The cells of a column of numbers as people write them."""
    numbers = to_numbers(data).tolist()
    texts = [None if math.isnan(one) else number_text(one) for one in numbers]
    return pa.chunked_array([pa.array(texts, pa.string())])


def to_wholes(data: pa.ChunkedArray) -> Wholes | None:
    """The cells of a column of whole numbers without nulls; None for other columns."""
    if data.type not in (pa.int64(), pa.int32()) or data.null_count or not data.num_chunks:
        return None
    pieces = [np.asarray(chunk) for chunk in data.chunks]
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


def to_indices(data: pa.ChunkedArray) -> tuple[pa.Array, NDArray[Any]]:
    """The different texts of a column and the place of each cell among them, -1 for null."""
    if not pa.types.is_dictionary(data.type):
        data = data.cast(pa.string()).dictionary_encode()
    if data.num_chunks == 0:
        return pa.array([], pa.string()), np.empty(0, np.int32)
    if not _share_words(data):
        data = data.unify_dictionaries()
    pieces = [
        np.asarray(pc.fill_null(chunk.indices, -1) if chunk.indices.null_count else chunk.indices)
        for chunk in data.chunks
    ]
    words = data.chunk(0).dictionary.cast(pa.string())
    indices = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
    if words.null_count:
        # A null among the words is a missing cell as well.
        places = np.append(np.where(np.asarray(pc.is_null(words)), -1, np.arange(len(words))), -1)
        indices = places[indices]
        words = pc.fill_null(words, "")
    return words, indices


def _share_words(data: pa.ChunkedArray) -> bool:
    """Whether all chunks have the very same dictionary, which is costly to find out by words."""
    places = set()
    for chunk in data.chunks:
        words = chunk.dictionary
        buffers = [None if buffer is None else buffer.address for buffer in words.buffers()]
        places.add((words.offset, len(words), *buffers))
    return len(places) == 1


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return bool(pa.types.is_string(kind.value_type))
    return bool(pa.types.is_string(kind))


def is_exact(data: pa.ChunkedArray) -> bool:
    """Whether all whole numbers of a column are exact as doubles."""
    bounds = pc.min_max(data).as_py()
    low, high = int(bounds["min"] or 0), int(bounds["max"] or 0)
    return max(abs(low), abs(high)) <= LARGEST_WHOLE
