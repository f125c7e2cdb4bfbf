"""Questions of pasted text, and names for questions that are only worded yet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.formats.stored import free_name
from ppworkbench.core.errors import DataError
from ppworkbench.study.questionnaire.document import Question
from ppworkbench.study.questionnaire.sheet import questions_of_rows
from ppworkbench.study.questionnaire.texts import short_name
from ppworkbench.study.questions import Question as TypedQuestion

_NAME_LENGTH = 20
_CLIPBOARD = "clipboard"


def questions_of_text(text: str, language: str, answers: Sequence[str]) -> tuple[Question, ...]:
    r"""Questions of a pasted list: one a line, answers after a colon or in further cells.

    >>> found = questions_of_text("Do you smoke?: yes*, no\nAge: 18 to 90", "en", ("yes", "no"))
    >>> [(one.name, str(one.kind), one.domain) for one in found]
    [('do_you_smoke', 'binary', None), ('age', 'integer', (18.0, 90.0))]
    >>> [one.value for one in found[0].answers if one.sensitive]
    ['yes']
    """
    found: list[Question] = []
    rows = [line.split("\t") for line in text.splitlines() if line.strip()]
    if rows and {"name", "text"} <= {cell.partition(":")[0].strip().casefold() for cell in rows[0]}:
        # A range of the spreadsheet that this program writes, with its heads.
        return questions_of_rows(rows, Path(_CLIPBOARD), language).questions
    for line in text.splitlines():
        cells = [cell.strip().strip('"').strip() for cell in line.split("\t")]
        cells = [cell for cell in cells if cell]
        if not cells:
            continue
        wording, *rest = cells
        listed = ", ".join(rest) if all("," not in one for one in rest) else "; ".join(rest)
        if not rest:
            wording, listed = _split_line(wording)
        found.append(_typed(wording, listed, [one.name for one in found], language, answers))
    return tuple(found)


def _split_line(line: str) -> tuple[str, str]:
    """A wording and what follows the last colon, if that can be answers."""
    wording, colon, rest = line.rpartition(":")
    return (wording.strip(), rest.strip()) if colon and rest.strip() else (line.rstrip(": "), "")


def _typed(
    wording: str, listed: str, known: Sequence[str], language: str, answers: Sequence[str]
) -> Question:
    name = free_name(name_of(wording), known)
    for kind in (Kind.INTEGER, Kind.CONTINUOUS):
        try:
            attribute = TypedQuestion(name, kind, listed).attribute()
        except DataError:
            continue
        return Question.of(attribute.with_(label=wording), language)
    separator = ";" if ";" in listed else ","
    parts = [part.strip() for part in listed.split(separator) if part.strip(" *")]
    values = tuple(dict.fromkeys(part.rstrip("*").strip() for part in parts or answers))
    if len(values) == 1:
        # One word after a colon is part of the wording.
        return _typed(f"{wording}: {listed}", "", known, language, answers)
    marked = tuple(part.rstrip("*").strip() for part in parts if part.endswith("*"))
    kind = Kind.BINARY if len(values) == 2 else Kind.NOMINAL
    asked = Attribute(name, kind, values, label=wording)
    if len(marked) < len(values):
        asked = asked.with_(sensitive=marked)
    return Question.of(asked, language)


def name_of(wording: str) -> str:
    """A name for a question that is only worded yet: its first words.

    >>> name_of("In the last 12 months, have you ridden without a ticket?")
    'in_the_last_12'
    """
    short = short_name(wording)
    if len(short) <= _NAME_LENGTH:
        return short
    cut = short[: _NAME_LENGTH + 1].rpartition("_")[0]
    return cut or short[:_NAME_LENGTH]
