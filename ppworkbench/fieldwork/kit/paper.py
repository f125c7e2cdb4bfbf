"""Answers on sheets of paper, typed in by their codes."""

from __future__ import annotations

from collections.abc import Mapping as Pairs
from collections.abc import Sequence
from dataclasses import dataclass

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.design.shuffle import shuffled
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.rng import SecureStreams
from ppworkbench.fieldwork.kit.form import Item, build_form
from ppworkbench.fieldwork.kit.kit import asked_in
from ppworkbench.fieldwork.responses.add import REPORTED, Responses, study_questions
from ppworkbench.fieldwork.responses.draft import add_design
from ppworkbench.fieldwork.responses.mapping import Mapping
from ppworkbench.fieldwork.row_fitter import RowFitter
from ppworkbench.study.study import Study

PAPER = "paper"


@dataclass(frozen=True)
class PaperQuestion:
    """A question of a sheet: the answers in the order of their codes, none for a number."""

    name: str
    wording: str
    values: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    is_whole: bool = False

    @property
    def is_number(self) -> bool:
        return not self.values

    def value(self, code: str) -> str | None:
        """The value of a code, counted from 1; None where there is none.

        >>> PaperQuestion("rode", "", ("yes", "no")).value("2")
        'no'
        """
        place = int(code) if code.isascii() and code.isdigit() else 0
        return self.values[place - 1] if 1 <= place <= len(self.values) else None

    def is_complete(self, code: str) -> bool:
        """Whether no further digit could follow.

        >>> PaperQuestion("month", "", tuple("abcdefghijkl")).is_complete("1")
        False
        """
        return 10 * int(code) > len(self.values)


def paper_questions(study: Study) -> tuple[PaperQuestion, ...]:
    """The questions of a study in the order of its sheets, with the answers that stand there.

    Columns that are on no sheet, such as the arm of a respondent, come last.
    """
    items = {item.name: item for item in _sheet_items(study)}
    asked = {one.name: one for one in study_questions(study)}
    found = []
    for name in dict.fromkeys((*items, *asked)):
        attribute = asked[name].attribute
        wording, texts = asked[name].wording, asked[name].texts
        if asked[name].others:
            wording, texts = asked[name].others[0]
        wording = wording or attribute.shown
        if attribute.kind.is_numeric:
            found.append(PaperQuestion(name, wording, is_whole=attribute.kind is Kind.INTEGER))
            continue
        if name in items:
            (code,) = _sheet_languages(study)
            boxes = [choice.text.get(code, choice.value) for choice in items[name].choices]
            # A device may have its own words, such as "red": the answer is said as well.
            texts = tuple(
                box if box == said else f"{box} ({said})"
                for box, said in zip(boxes, texts or attribute.values, strict=True)
            )
        found.append(PaperQuestion(name, wording, attribute.values, texts or attribute.values))
    return tuple(found)


def _sheet_languages(study: Study) -> tuple[str]:
    return (asked_in(study).language,)


def _sheet_items(study: Study) -> tuple[Item, ...]:
    """The questions as sheets in the main language have them; none where there can be no sheets."""
    try:
        return build_form(study.asked_design, asked_in(study), _sheet_languages(study)).items
    except DataError:
        return ()


def paper_responses(study: Study, sheets: Sequence[Pairs[str, str]], state: str) -> Responses:
    """Sheets as rows in random order; cells are values and numbers, empty ones are missing."""
    if not sheets:
        raise DataError("No sheet has an answer.")
    design = add_design(study, state)
    fitter = RowFitter(design, is_reported=state == REPORTED)
    for number, sheet in enumerate(sheets, 1):
        fitter.take({name: sheet.get(name) or None for name in design.names})
        if fitter.refused:
            why = Message.of(next(iter(fitter.refused)))
            raise DataError.saying("Sheet {number}: {why}.", number=number, why=why)
    table = shuffled(fitter.table(), SecureStreams().stream("shuffle", "rows"))
    return Responses(
        table, state, PAPER, Message("typed in"), 1, Mapping({}), (), (), 0, 0, 0, 0, (), ()
    )
