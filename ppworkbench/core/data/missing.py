"""Missing answers dealt with before an analysis, as each attribute's policy says.

First the records go that lack an answer to an attribute with the policy "drop". Then means and
modes are taken over the records that stay: the mean for numbers, the mode for values.

Numbers and words that questionnaires use for "no answer".

A number is only taken for such a code where it cannot be an answer: below zero in a column that
has no other number below zero, or far above all others. A word is one in a column of numbers
always, in a column of words only when it is clearly not an answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import MISSING_VALUE, Attribute, Code, Kind, MissingPolicy
from ppworkbench.core.data.numerals import shortest_number
from ppworkbench.core.data.table import Column, Table, list_attributes
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """A table without the missing answers that a policy was set for.

    ``sentences`` says for each attribute that had missing answers what was done about them;
    ``dropped`` counts the records that were left out.
    """

    table: Table
    sentences: Mapping[str, str]
    dropped: int = 0


def apply_missing_policies(
    table: Table,
    *,
    impute: bool = True,
    not_asked: Mapping[str, NDArray[np.bool_]] | None = None,
) -> PreparedTable:
    """Drop, fill in, name or leave missing answers.

    Parameters
    ----------
    not_asked
        Rows of people whom an attribute was not asked of: they miss no answer, so that nothing is
        done about them.
    impute
        False leaves those missing that would be imputed: means and modes of all records must not
        get into folds that are tested. :func:`find_fills` and :func:`fill_missing` do it there.

    Raises
    ------
    DataError
        When there is no answer to take a mean or mode of, when no record would be left, or when
        numbers should get a value "missing".
    """
    sentences: dict[str, str] = {}
    keep = np.ones(table.rows, np.bool_)
    silent = not_asked or {}
    for column in table:
        if column.attribute.missing is MissingPolicy.DROP and column.missing_count:
            missing = column.missing
            if column.name in silent:
                missing = missing & ~silent[column.name]
            if missing.any():
                keep &= ~missing
                sentences[column.name] = _left_out(int(np.count_nonzero(missing)))
    dropped = int(table.rows - np.count_nonzero(keep))
    if dropped and dropped == table.rows:
        names = list_attributes(sentences, quoted=True)
        raise DataError.saying(
            "No record would remain: all lack an answer to {names}.", names=names
        )
    kept = table.take(keep) if dropped else table
    columns = []
    for column in kept:
        if column.missing_count == 0:
            columns.append(column)
            continue
        if column.name in silent:
            asked = ~silent[column.name][keep]
            filled, sentence = _treat_asked(column, asked, impute)
        else:
            filled, sentence = _treat(column, impute)
        columns.append(filled)
        if sentence:
            sentences[column.name] = sentence
    prepared = kept.with_(columns=tuple(columns))
    in_order = {name: sentences[name] for name in table.names if name in sentences}
    return PreparedTable(prepared, in_order, dropped)


def find_fills(table: Table) -> dict[str, float]:
    """Mean or mode of every attribute whose policy is to impute, as a number or a code.

    An attribute without a single answer has none.
    """
    return {
        column.name: _fill(column)
        for column in table
        if column.attribute.missing is MissingPolicy.IMPUTE
        and column.missing_count < len(column)
        and not column.is_set
    }


def fill_missing(table: Table, fills: Mapping[str, float]) -> Table:
    filled = [_filled(table[name], fill) for name, fill in fills.items()]
    return table.replace(*filled) if filled else table


def _fill(column: Column) -> float:
    if column.is_categorical:
        # Of equally frequent values the first one is taken.
        return float(np.argmax(column.counts))
    mean = float(column.data[~column.missing].mean())
    return float(np.rint(mean)) if column.attribute.kind is Kind.INTEGER else mean


def _filled(column: Column, fill: float) -> Column:
    if not column.missing_count:
        return column
    value = int(fill) if column.is_categorical else fill
    return Column(column.attribute, np.where(column.missing, value, column.data))


def _treat(column: Column, impute: bool) -> tuple[Column, str]:
    policy = column.attribute.missing
    if column.is_set:
        # A set has neither a mean nor a mode to be filled in.
        policy = MissingPolicy.LEAVE
    if policy is MissingPolicy.IMPUTE:
        return _impute(column) if impute else (column, _in_folds(column))
    if policy is MissingPolicy.VALUE:
        return _name(column)
    count = column.missing_count
    one, many = (
        Message("1 missing answer stays missing."),
        Message("{count} missing answers stay missing.", count=count),
    )
    return column, one if count == 1 else many


def _treat_asked(column: Column, asked: NDArray[np.bool_], impute: bool) -> tuple[Column, str]:
    """Treat the answers of people who were asked; the others stay without one."""
    own = column.take(np.flatnonzero(asked))
    if not own.missing_count:
        return column, ""
    filled, sentence = _treat(own, impute)
    if column.is_set:
        return column, sentence
    nothing = -1 if filled.is_categorical else np.nan
    data = np.full(len(column), nothing, filled.data.dtype)
    data[asked] = filled.data
    return Column(filled.attribute, data), sentence


def _impute(column: Column) -> tuple[Column, str]:
    _check_answered(column)
    fill = _fill(column)
    if column.is_categorical:
        taken = Message("the mode, {value!r}", value=column.attribute.values[int(fill)])
    elif column.attribute.kind is Kind.INTEGER:
        taken = Message("the mean, rounded, {mean}", mean=shortest_number(fill))
    else:
        taken = Message("the mean, {mean:.6g}", mean=fill)
    return _filled(column, fill), _filled_in(column.missing_count, taken)


def _in_folds(column: Column) -> str:
    _check_answered(column)
    taken = (
        Message("the mode of each fold's training records")
        if column.is_categorical
        else Message("the mean of each fold's training records")
    )
    return _filled_in(column.missing_count, taken)


def _check_answered(column: Column) -> None:
    if column.missing_count == len(column):
        raise DataError.saying(
            "Attribute {attribute!r} has no answers for a mean or mode; choose "
            "another treatment of missing answers or leave it out.",
            attribute=column.name,
        )


def _filled_in(count: int, taken: str) -> str:
    if count == 1:
        return Message("1 missing answer was imputed with {taken}.", taken=taken)
    return Message("{count} missing answers were imputed with {taken}.", count=count, taken=taken)


def _name(column: Column) -> tuple[Column, str]:
    attribute = column.attribute
    if not column.is_categorical:
        raise DataError.saying(
            "Attribute {attribute!r}: numbers cannot have a value “missing”; impute "
            "or drop its missing answers, or change its kind.",
            attribute=column.name,
        )
    value = MISSING_VALUE
    while value in attribute.values:
        value += "'"
    changed = attribute.with_(
        kind=Kind.NOMINAL, values=(*attribute.values, value), codes=more_codes(attribute, value)
    )
    data = np.where(column.missing, attribute.k, column.data.astype(np.int64))
    count = column.missing_count
    one = Message(
        "1 missing answer becomes the value {value!r} of a nominal attribute.", value=value
    )
    many = Message(
        "{count} missing answers become the value {value!r} of a nominal attribute.",
        count=count,
        value=value,
    )
    said = one if count == 1 else many
    if attribute.kind is Kind.ORDINAL:
        said = Message.joined((said, "It is no longer ordered."))
    return Column(changed, data), said


def more_codes(attribute: Attribute, value: str) -> tuple[Code, ...]:
    """The codes of an attribute with one for a further value."""
    if not attribute.codes:
        return ()
    numbers = [code for code in attribute.codes if not isinstance(code, str)]
    if len(numbers) == len(attribute.codes):
        return (*attribute.codes, max(numbers) + 1.0)
    return (*attribute.codes, value)


def _left_out(count: int) -> str:
    if count == 1:
        return Message("1 record without an answer was excluded.")
    return Message("{count} records without an answer were excluded.", count=count)


_HIGH_NINES = [10**digits - 1 - less for digits in range(2, 10) for less in (0, 1, 2)]
_REPEATED = [66, 77, 88, 777, 888, 7777, 8888]

STRONG_NEGATIVE = frozenset(-float(n) for n in [7, 8, 9, *_HIGH_NINES, *_REPEATED])
WEAK_NEGATIVE = frozenset(-float(n) for n in range(1, 7))
POSITIVE = frozenset(float(n) for n in [*_HIGH_NINES, *_REPEATED])
TYPICAL_CODES = STRONG_NEGATIVE | WEAK_NEGATIVE | POSITIVE

FAST_NULLS = ("", " ", "NA", "?", "N/A", "n/a", "#N/A", "NULL", "NaN", "nan", "null", "<NA>")
"""Words in columns of numbers that need no sentence: nobody takes them for an answer."""

_NUMBER_WORDS = """
    na n/a n.a. #n/a #na nan null none nil <na> (null) nat missing ? . .. ... - -- --- — –
    n/d nd n.d. b.d. bd b/d brak #null! #num! #div/0! #value! #ref! #name? #error!
    """
_PHRASES = ("brak danych", "brak odpowiedzi", "no answer", "no data", "not available")
_IN_NUMBERS = frozenset((*_NUMBER_WORDS.split(), *_PHRASES))

_OTHER_WORDS = """
    NA ? N/A n/a #N/A NULL NaN <NA> (null) n/d N/D n.d. b.d. B.D. b/d . .. ... - -- --- — –
    #NULL! #NUM! #DIV/0! #VALUE! #REF! #NAME?
    """
_IN_WORDS = frozenset(_OTHER_WORDS.split())

_COUNTRY_LIKE = re.compile(r"[A-Z]{2}")
_PLAIN_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")


def is_missing_among_numbers(text: str, named: Collection[str] = ()) -> bool:
    """Whether a text in a column of numbers means that there is no answer.

    >>> is_missing_among_numbers("b.d."), is_missing_among_numbers("abc")
    (True, False)
    """
    trimmed = text.strip()
    return not trimmed or trimmed in named or trimmed.casefold() in _IN_NUMBERS


def missing_among_words(texts: Iterable[str], named: Collection[str] = ()) -> frozenset[str]:
    """Which texts of a column of words mean that there is no answer.

    ``NA`` beside other codes of two capitals is Namibia, ``-`` beside ``+`` is minus; numbers
    such as 99 are codes when all other answers are words.

    >>> sorted(missing_among_words(["yes", "no", "NA", "99"]))
    ['99', 'NA']
    >>> sorted(missing_among_words(["NA", "NO", "PL"]))
    []
    """
    texts = set(texts)
    blank = {text for text in texts if not text.strip()}
    found = {text for text in texts if text.strip() in _IN_WORDS}
    others = texts - blank - found
    if any(text.strip() == "NA" for text in found) and _are_countries(others):
        found = {text for text in found if text.strip() != "NA"}
    if "+" in others:
        found -= {"-"}
    called = {text for text in texts if text.strip() in named}
    return frozenset(blank | called | found | _codes_among_words(others - called))


def plain_missing_words(named: Collection[str] = ()) -> list[str]:
    """All words that may mean no answer in a column of words, the empty one included."""
    return sorted({"", *_IN_WORDS, *named})


def is_missing_word(text: str) -> bool:
    """Whether a text that is not among the known values of a column means no answer."""
    trimmed = text.strip()
    return not trimmed or trimmed in _IN_WORDS


def _are_countries(texts: Collection[str]) -> bool:
    alike = sum(_COUNTRY_LIKE.fullmatch(text.strip()) is not None for text in texts)
    return alike >= 2 and 2 * alike >= len(texts)


def _codes_among_words(texts: Collection[str]) -> set[str]:
    numbers = {text for text in texts if _PLAIN_NUMBER.fullmatch(text.strip())}
    codes = {
        text
        for text in numbers
        if re.fullmatch(r"-?\d+", text.strip()) and float(text) in STRONG_NEGATIVE | POSITIVE
    }
    words = len(texts) - len(numbers)
    return codes if codes == numbers and words >= 2 else set()
