"""Questions in a spreadsheet: one row each, to be written by hand and turned into a document.

Columns: ``name``, ``kind``, ``required``, ``page``, ``step`` of a number, and for every language
``text:en``, ``help:en``, ``unit:en`` and ``answers:en``. Answers stand in one cell, separated by
semicolons or line ends, a sensitive one with an asterisk behind it; numbers have a range there
("18 to 90"). The column ``answers`` holds the values where they differ from what people read; where
no column names a language for answers, people read the values.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.formats.excel_writer import workbook_bytes
from ppworkbench.core.errors import DataError
from ppworkbench.core.files import write_bytes, write_text
from ppworkbench.core.formulas import escape_formula, unescape_formula
from ppworkbench.study.files.grid import read_grid
from ppworkbench.study.questionnaire.document import (
    ASKED,
    Answer,
    Question,
    Questionnaire,
    check_code,
)
from ppworkbench.study.questions import Question as TypedQuestion

_WORDED = ("text", "help", "unit", "answers")
_PLAIN = ("name", "short", "kind", "required", "page", "step", "answers")
_TRUE = frozenset({"yes", "y", "true", "1", "x", "tak"})
_FALSE = frozenset({"", "no", "n", "false", "0", "nie"})
_MARK = "*"
_OTHER_MARKS = "|,/"
"""What people also put between answers, and what may be part of one."""


def read_questions_sheet(path: str | Path, language: str = "en") -> Questionnaire:
    """A questionnaire from a spreadsheet; columns without a language are in the given one."""
    path = Path(path)
    grid = read_grid(path)
    rows = [[unescape_formula(cell) for cell in row] for row in grid.rows]
    return questions_of_rows(rows, path, language)


def questions_of_rows(
    rows: Sequence[Sequence[str]], path: Path, language: str = "en"
) -> Questionnaire:
    header = [_column(cell, path, language) for cell in rows[0]]
    if ("name", "") not in header or not any(what == "text" for what, _ in header):
        raise DataError.saying(
            "{file} has no columns 'name' and 'text' in its first row.", file=path
        )
    languages = tuple(dict.fromkeys(code for _, code in header if code)) or (language,)
    if not any(what == "answers" and code for what, code in header):
        header = [("answers", languages[0]) if what == "answers" else (what, code)
                  for what, code in header]  # fmt: skip
    questions = []
    for number, row in enumerate(rows[1:], 2):
        # What is pasted may end early.
        cells = {
            place: cell.strip() for place, cell in zip(header, row, strict=False) if cell.strip()
        }
        if cells:
            try:
                questions.append(_question(cells, languages))
            except DataError as error:
                raise DataError.saying(
                    "{file}, row {row}: {why}", file=path, row=number, why=error.message
                ) from None
    return Questionnaire(languages, tuple(questions))


def _column(cell: str, path: Path, language: str) -> tuple[str, str]:
    what, _, code = cell.strip().casefold().partition(":")
    what = {"question": "text", "values": "answers"}.get(what.strip(), what.strip())
    if code:
        check_code(code.strip())
    if what in _WORDED and (code or what != "answers"):
        return what, code.strip() or language
    if what in _PLAIN:
        return what, ""
    raise DataError.saying(
        "{file} has a column {column!r} that is none of a questionnaire.",
        column=cell.strip(),
        file=path,
    )


def _question(cells: Mapping[tuple[str, str], str], languages: tuple[str, ...]) -> Question:
    name = cells.get(("name", ""), "")
    if not name:
        raise DataError("A question has no name; type one in the first column.")
    worded = {
        what: {code: cells[what, code] for code in languages if (what, code) in cells}
        for what in _WORDED
    }
    listed = {code: _split(text) for code, text in worded["answers"].items()}
    given = cells.get(("answers", ""), "") or next(iter(worded["answers"].values()), "")
    kind = _kind(cells.get(("kind", ""), ""), given, name)
    common = {
        "text": worded["text"],
        "help": worded["help"],
        "unit": worded["unit"],
        "required": _truth(cells.get(("required", ""), ""), name),
        "short": cells.get(("short", ""), ""),
        "page": _page(cells.get(("page", ""), ""), name),
    }
    if kind.is_numeric:
        domain = TypedQuestion(name, kind, given).attribute().domain
        step = _step(cells.get(("step", ""), ""), name)
        return Question(name, kind, domain=domain, step=step, **common)  # type: ignore[arg-type]
    values = _split(given)
    if len(values) == 1 and any(mark in given for mark in _OTHER_MARKS):
        raise DataError.saying(
            "Question {name!r} has fewer than 2 answers; separate them by semicolons.",
            name=name,
            attribute=name,
        )
    for code, texts in listed.items():
        if len(texts) != len(values):
            raise DataError.saying(
                "Question {name!r} has {count} answers, but {found} in the language {language!r}.",
                name=name,
                count=len(values),
                found=len(texts),
                language=code,
                attribute=name,
            )
    answers = tuple(
        Answer(
            value.rstrip(_MARK).strip(),
            {code: texts[place].rstrip(_MARK).strip() for code, texts in listed.items()},
            value.endswith(_MARK) or any(texts[place].endswith(_MARK) for texts in listed.values()),
        )
        for place, value in enumerate(values)
    )
    return Question(name, kind, answers=answers, **common)  # type: ignore[arg-type]


def _split(cell: str) -> tuple[str, ...]:
    parts = re.split(r"[;\n]", cell) if re.search(r"[;\n]", cell) else cell.split(",")
    return tuple(part.strip() for part in parts if part.strip())


def _kind(typed: str, answers: str, name: str) -> Kind:
    if typed.casefold() in ASKED:
        return Kind(typed.casefold())
    if typed:
        raise DataError.saying(
            "Question {name!r} has the kind {typed!r}; there are {kinds}.",
            name=name,
            typed=typed,
            kinds=", ".join(ASKED),
            attribute=name,
        )
    try:
        TypedQuestion(name, Kind.INTEGER, answers).attribute()
    except DataError:
        return Kind.BINARY if len(_split(answers)) == 2 else Kind.NOMINAL
    return Kind.INTEGER


def _truth(typed: str, name: str) -> bool:
    if typed.casefold() in _TRUE | _FALSE:
        return typed.casefold() in _TRUE
    raise DataError.saying(
        "Question {name!r} has {typed!r} under 'required'; write 'yes' or 'no'.",
        name=name,
        typed=typed,
        attribute=name,
    )


def _page(typed: str, name: str) -> int:
    if not typed:
        return 1
    if typed.isascii() and typed.isdigit() and 0 < int(typed) < 1000:
        return int(typed)
    raise DataError.saying(
        "Question {name!r} has {typed!r} under 'page'; write a number from 1 on.",
        name=name,
        typed=typed,
        attribute=name,
    )


def _step(typed: str, name: str) -> float | None:
    if not typed:
        return None
    try:
        step = float(typed.replace(",", "."))
    except ValueError:
        step = 0.0
    if 0 < step < float("inf"):
        return step
    raise DataError.saying(
        "Question {name!r} has {typed!r} under 'step'; write a number above 0.",
        name=name,
        typed=typed,
        attribute=name,
    )


def write_questions_sheet(questionnaire: Questionnaire, path: str | Path) -> None:
    """Write a questionnaire as a workbook (``.xlsx``) or a CSV file for a spreadsheet.

    Title, introduction and thanks have no place there.
    """
    rows = [*_sheet_rows(questionnaire)]
    if Path(path).suffix.lower() == ".xlsx":
        write_bytes(path, workbook_bytes({"questions": rows}))
        return
    out = io.StringIO(newline="")
    csv.writer(out).writerows([escape_formula(cell) for cell in row] for row in rows)
    # Spreadsheets take a file for UTF-8 only if it begins with the mark.
    write_text(path, "\ufeff" + out.getvalue())


def _sheet_rows(questionnaire: Questionnaire) -> Iterator[list[str]]:
    shorts = questionnaire.short_names()
    worded = [(what, code) for code in questionnaire.languages for what in _WORDED]
    yield [*_PLAIN, *(f"{what}:{code}" for what, code in worded)]
    for one in questionnaire.questions:
        _check_answers(one)
        values = "; ".join(a.value + _MARK * a.sensitive for a in one.answers)
        if one.domain is not None:
            values = f"{one.domain[0]:.15g} to {one.domain[1]:.15g}"
        required = "yes" if one.required else "no"
        step = "" if one.step is None else f"{one.step:.15g}"
        row = [one.name, shorts[one.name], str(one.kind), required, str(one.page), step, values]
        yield [*row, *(_words(one, what, code) for what, code in worded)]


def _check_answers(question: Question) -> None:
    for answer in question.answers:
        for text in (answer.value, *answer.text.values()):
            if ";" in text or "\n" in text or text.rstrip().endswith(_MARK):
                raise DataError.saying(
                    "Question {name!r} has the answer {text!r}, which a spreadsheet cannot hold: "
                    "semicolons separate answers there, and an asterisk marks them. Write a "
                    "questionnaire file (.json).",
                    name=question.name,
                    text=text,
                    attribute=question.name,
                )


def _words(question: Question, what: str, code: str) -> str:
    if what == "answers":
        texts = [answer.text.get(code, "") for answer in question.answers]
        return "; ".join(texts) if all(texts) else ""
    words: Mapping[str, str] = getattr(question, what)
    return words.get(code, "")
