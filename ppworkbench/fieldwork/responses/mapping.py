"""Which column of a file answers which question, and how its cells are read.

Names, short names, codes and wordings are compared after folding case, blanks and accents. A cell
is read as a value of the design, as the text that people read, or as the place of an answer in its
list; the way that fits most cells of a column is taken for all of it, so that codes and texts are
never mixed up.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Mapping as Pairs
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.errors import DataError
from ppworkbench.core.files import write_text
from ppworkbench.core.message import Message
from ppworkbench.fieldwork.responses.platforms import COLLECTOR, PAGE, Sheet
from ppworkbench.study.questionnaire.texts import fold, short_name

FORMAT, VERSION = "ppworkbench-mapping", 1
VALUES, TEXTS, CODES, NUMBERS = "values", "texts", "codes", "numbers"
_WAYS = (VALUES, TEXTS, CODES, NUMBERS)
_SAID = {VALUES: Message("values"), TEXTS: Message("texts"), CODES: Message("codes")}
MOST = 0.6
"""A file with columns for such a share of the questions is taken for answers to them."""


@dataclass(frozen=True)
class Question:
    """A question as a file may name it.

    Parameters
    ----------
    wording, texts
        What people read of it and of its answers, in the order of their values.
    others
        The same in other languages.
    short
        The name that platforms were given; made from the name where it is empty.
    """

    attribute: Attribute
    wording: str = ""
    texts: tuple[str, ...] = ()
    others: tuple[tuple[str, tuple[str, ...]], ...] = ()
    short: str = ""

    @property
    def name(self) -> str:
        return self.attribute.name

    def answer_texts(self) -> tuple[tuple[str, ...], ...]:
        values = self.attribute.values
        listed = (self.texts or values, *(texts for _, texts in self.others))
        return tuple(texts for texts in listed if len(texts) == len(values))


@dataclass(frozen=True)
class ColumnChoice:
    """The column of one question, how it is read, and what single cells mean.

    ``answers`` gives cells another meaning than the way of reading does: a value of the question,
    or None for a missing answer.
    """

    column: str
    read: str
    answers: Pairs[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Mapping:
    columns: Pairs[str, ColumnChoice]

    def __post_init__(self) -> None:
        used = Counter(choice.column for choice in self.columns.values())
        twice = next((column for column, count in used.items() if count > 1), None)
        if twice is not None:
            raise DataError.saying(
                "The mapping uses the column {twice!r} for two questions; choose another one.",
                twice=twice,
            )

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "columns": {
                name: {"column": one.column, "read": one.read}
                | ({"answers": dict(one.answers)} if one.answers else {})
                for name, one in self.columns.items()
            },
        }


def write_mapping(mapping: Mapping, path: str | Path) -> None:
    write_text(path, json.dumps(mapping.to_json(), ensure_ascii=False, indent=2) + "\n")


def mapping_from_json(given: Any, path: Path) -> Mapping:
    columns = given.get("columns") if isinstance(given, dict) else None
    if not isinstance(columns, dict) or given.get("format") != FORMAT:
        raise DataError.saying("{file} is no mapping of columns to questions.", file=path)
    check_version(given, VERSION, path)
    return Mapping({str(name): _choice(one, str(name), path) for name, one in columns.items()})


def check_version(given: Pairs[str, Any], known: int, path: Path) -> None:
    if given.get("version") != known:
        raise DataError.saying(
            "{file} has a version that this program does not know; install the newer one.",
            file=path,
        )


def _choice(given: object, name: str, path: Path) -> ColumnChoice:
    if isinstance(given, dict):
        column, read, answers = given.get("column"), given.get("read"), given.get("answers", {})
        if (
            isinstance(column, str)
            and read in _WAYS
            and isinstance(answers, dict)
            and all(one is None or isinstance(one, str) for one in answers.values())
        ):
            return ColumnChoice(column, str(read), answers)
    raise DataError.saying(
        "{file}: {attribute!r} needs a 'column', and 'read' must be values, texts, codes or "
        "numbers.",
        file=path,
        attribute=name,
    )


def find_mapping(
    sheet: Sheet, questions: Sequence[Question]
) -> tuple[Mapping, tuple[str, ...], tuple[Message, ...]]:
    """The columns of questions, the questions that have none, and what is worth a remark."""
    free = [name for name in dict.fromkeys(sheet.names) if name and name not in sheet.own]
    found: dict[str, str] = {}
    for key in (_name_keys, _tail_keys, _wording_keys):
        for question in questions:
            if question.name in found:
                continue
            column = key(sheet, question, free)
            if column is None:
                continue
            free.remove(column)
            found[question.name] = column
    ways, remarks = _find_ways(sheet, found, questions)
    absent = tuple(question.name for question in questions if question.name not in found)
    ordered = {
        one.name: ColumnChoice(found[one.name], ways[one.name])
        for one in questions
        if one.name in found
    }
    return Mapping(ordered), absent, remarks


def _find_ways(
    sheet: Sheet, columns: Pairs[str, str], questions: Sequence[Question]
) -> tuple[dict[str, str], tuple[Message, ...]]:
    """How columns are read, and remarks on those that could be read otherwise.

    A file has codes in all its columns or in none: those that can be read in one way alone say
    which.
    """
    found = {
        one.name: _reading(sheet, columns[one.name], one)
        for one in questions
        if one.name in columns
    }
    sure = {one.are_codes for one in found.values()} - {None}
    ways = {
        name: CODES if one.is_doubtful and sure == {True} else one.way
        for name, one in found.items()
    }
    # Texts that could be values of other answers stay doubtful, whatever other columns are.
    doubtful = [
        name
        for name, one in found.items()
        if one.is_doubtful and (len(sure) != 1 or one.are_codes is False)
    ]
    return ways, tuple(doubt(name, ways[name]) for name in doubtful)


def fits_questions(sheet: Sheet, questions: Sequence[Question]) -> bool:
    """Whether a file may hold answers to most of some questions.

    Names, short names, codes and wordings count.
    """
    found, _, _ = find_mapping(sheet, questions)
    return bool(questions) and len(found.columns) >= MOST * len(questions)


def _name_keys(_sheet: Sheet, question: Question, free: Sequence[str]) -> str | None:
    """By name, else by the short name with or without its underscores."""
    shorts = dict.fromkeys([question.short or short_name(question.name), short_name(question.name)])
    plain = (short.replace("_", "") for short in shorts)
    for wanted in (question.name, fold(question.name), *shorts, *plain):
        for column in free:
            if wanted in (column, fold(column)):
                return column
    return None


def _tail_keys(sheet: Sheet, question: Question, free: Sequence[str]) -> str | None:
    """By what stands behind the names of groups."""
    for mark in "/-":
        tails = [column.rpartition(mark)[2] for column in free]
        found = _name_keys(sheet, question, tails)
        if found is not None and tails.count(found) == 1:
            return free[tails.index(found)]
    return None


def _wording_keys(sheet: Sheet, question: Question, free: Sequence[str]) -> str | None:
    """By the wording: in a row of its own, as the name, or behind the names of groups."""
    worded = (question.wording, question.attribute.label, *(text for text, _ in question.others))
    wanted = {fold(text) for text in worded if text}
    wanted.add(fold(question.attribute.shown))
    wording = dict(zip(sheet.names, sheet.wording, strict=True))
    for column in free:
        if {fold(wording.get(column, "")), fold(column)} & wanted:
            return column
    ends = {column: _without_groups(column) & wanted for column in free}
    return next((column for column in free if ends[column]), None)


def _without_groups(column: str) -> set[str]:
    """What may stand behind groups; a wording may hold the mark between them itself.

    >>> sorted(_without_groups("About you/Alone and/or with others?"))
    ['alone and/or with others?', 'or with others?']
    """
    parts = column.split("/")
    return {fold("/".join(parts[place:])) for place in range(1, len(parts))}


def find_way(sheet: Sheet, column: str, question: Question) -> str:
    return _reading(sheet, column, question).way


@dataclass(frozen=True)
class _Reading:
    """How a column is read: whether cells are codes (None if they need not be), and for sure."""

    way: str
    are_codes: bool | None = None
    is_doubtful: bool = False


def _reading(sheet: Sheet, column: str, question: Question) -> _Reading:
    if question.attribute.kind.is_numeric:
        return _Reading(NUMBERS)
    if sheet.platform in (PAGE, COLLECTOR):
        # Pages send values, whatever people read.
        return _Reading(VALUES)
    cells = Counter(cell.strip() for cell in sheet.column(column) if cell.strip())
    readers = {way: cell_reader(sheet, column, question, way) for way in (TEXTS, VALUES, CODES)}
    scores = {
        way: sum(count for cell, count in cells.items() if read(cell) is not None)
        for way, read in readers.items()
    }
    best = max(scores, key=lambda way: scores[way])
    other = [way for way in scores if way != best and scores[way] == scores[best] > 0]
    differs = any(readers[best](cell) != readers[way](cell) for way in other for cell in cells)
    if scores[CODES] == scores[best]:
        return _Reading(best, True if best == CODES else None, differs)
    return _Reading(best, False, differs)


def doubt(name: str, way: str) -> Message:
    return Message(
        "The answers to {attribute!r} could be values or codes; they were read as {way}.",
        attribute=name,
        way=_SAID[way],
    )


Read = Callable[[str], "str | float | None"]


def cell_reader(sheet: Sheet, column: str, question: Question, way: str) -> Read:
    """What a filled cell means: a value or a number; None for what is no answer."""
    if way == NUMBERS:
        return _number
    attribute = question.attribute
    if way == CODES:
        known = {fold(sheet.code(place + 1)): v for place, v in enumerate(attribute.values)}
    elif way == VALUES:
        known = _unambiguous(zip(attribute.values, attribute.values, strict=True))
    else:
        known = _in_all_languages(question)
    labels = sheet.labels.get(column, {}) if way != CODES else {}

    def read(cell: str) -> str | None:
        return known.get(fold(labels.get(cell, cell)))

    def read_set(cell: str) -> str | None:
        named = [read(part.strip()) for part in sets.split_text(cell)]
        there = [value for value in named if value is not None]
        return sets.text_of(there) if len(there) == len(named) else None

    return read_set if attribute.kind is Kind.SET else read


def _in_all_languages(question: Question) -> dict[str, str]:
    """Values by folded text; a text that means something else in another language means nothing."""
    values = question.attribute.values
    known: dict[str, str] = {}
    doubtful = set()
    for texts in question.answer_texts():
        for text, value in _unambiguous(zip(texts, values, strict=True)).items():
            if known.setdefault(text, value) != value:
                doubtful.add(text)
    return {text: value for text, value in known.items() if text not in doubtful}


def _unambiguous(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Values by folded text; texts that differ in case or accents alone are kept as they are."""
    listed = [(fold(text), text, value) for text, value in pairs]
    counts = Counter(folded for folded, _, _ in listed)
    return {folded if counts[folded] == 1 else text: value for folded, text, value in listed}


def _number(cell: str) -> float | None:
    """A number with a decimal point or comma; None for any other text.

    >>> _number("2,5"), _number("1 200"), _number("none")
    (2.5, 1200.0, None)
    """
    plain = "".join(cell.split()).replace("−", "-")
    if plain.count(",") == 1 and "." not in plain:
        plain = plain.replace(",", ".")
    try:
        number = float(plain)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
