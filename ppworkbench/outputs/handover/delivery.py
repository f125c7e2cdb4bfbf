"""What a recipient is given, as the files that describe it need to know it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.codebook import Stored
from ppworkbench.core.data.numerals import code_text
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design, Perturbation
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.core.formulas import escape_formula
from ppworkbench.core.message import Message
from ppworkbench.study.answer_state import AnswerState, state_words
from ppworkbench.study.description import SurveyDescription
from ppworkbench.study.language import ENGLISH_TONGUE, Language
from ppworkbench.study.questionnaire.document import Questionnaire
from ppworkbench.study.release import devices_of

TEXT_FILES = {".csv": ",", ".tsv": "\t"}
"""Separators of tables that are texts, in which every value stands as it is called."""

AS_ANSWERED = Message("as answered")
"""An answer that nothing randomises or exchanges, in every state."""
EXCHANGED = Message("exchanged within groups")
"""Answers of the protected column of a deniable table."""


@dataclass(frozen=True, eq=False)
class Delivery:
    """A released table with all that is said about it; nothing here knows the true answers.

    Parameters
    ----------
    table
        The answers as the file has them; None for a design without answers.
    design
        The published design; without attributes for a table that was made in another way.
    file
        The name of the table's file; empty without answers.
    design_file
        The name of the design's file; empty where there is none.
    date
        The day of the release, as YYYY-MM-DD.
    method
        Sentences on how the table was made, where the design does not tell.
    as_answered
        The columns that are released unchanged, where the design does not tell.
    sampling
        How people were drawn, in a few words each.
    escaped
        Whether cells that a spreadsheet would execute have a mark before them.
    stored
        How the file had to store columns that do not fit its rules, by their names: SPSS and Stata
        files hold codes, and shorter names.
    """

    title: str
    table: Table | None
    design: Design
    state: AnswerState
    file: str = ""
    design_file: str = ""
    date: str = ""
    description: SurveyDescription = field(default_factory=SurveyDescription)
    questionnaire: Questionnaire | None = None
    method: tuple[str, ...] = ()
    as_answered: tuple[str, ...] = ()
    sampling: tuple[str, ...] = ()
    escaped: bool = True
    tongue: Language = ENGLISH_TONGUE
    stored: Mapping[str, Stored] = field(default_factory=dict)

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        if self.table is not None:
            return self.table.attributes
        return tuple(designed.distorted for designed in self.design)

    @property
    def suffix(self) -> str:
        return f".{self.file.rpartition('.')[2].lower()}" if "." in self.file else ""

    def written(self, text: str) -> str:
        """A name or value as it stands in a table that is a text."""
        return escape_formula(text) if self.escaped and self.suffix in TEXT_FILES else text

    def column_name(self, name: str) -> str:
        return self.stored[name].name if name in self.stored else self.written(name)

    def cell(self, attribute: Attribute, value: str) -> str:
        codes = self.stored[attribute.name].codes if attribute.name in self.stored else ()
        if codes and value in attribute.values:
            return code_text(codes[attribute.values.index(value)])
        return self.written(value)

    def holds_numbers(self, attribute: Attribute) -> bool:
        """Whether the cells of a column are numbers, as codes mostly are."""
        codes = self.stored[attribute.name].codes if attribute.name in self.stored else ()
        return (
            all(isinstance(code, float | int) for code in codes)
            if codes
            else (attribute.kind.is_numeric)
        )

    def devices(self, name: str) -> dict[str, Perturbation]:
        """How an attribute was randomised, by arm; empty where the design does not tell."""
        return devices_of(self.design, name) if name in self.design else {}

    def is_as_answered(self, name: str) -> bool:
        if not self.design.attributes:
            return name in self.as_answered
        devices = self.devices(name)
        return bool(devices) and all(one.is_identity for one in devices.values())

    def state_of(self, name: str) -> Message:
        if self.is_as_answered(name):
            return AS_ANSWERED
        return state_words(self.state) if self.design.attributes else EXCHANGED

    def texts(self, name: str) -> Mapping[str, str]:
        """The wording of a question by language, the main one first."""
        asked = None
        if self.questionnaire is not None:
            asked = next((one for one in self.questionnaire.questions if one.name == name), None)
        if asked is not None and self.questionnaire is not None:
            known = {code: asked.text.get(code, "") for code in self.questionnaire.languages}
            return {code: text for code, text in known.items() if text}
        label = next((one.label for one in self.attributes if one.name == name), "")
        return {self.description.language or self.tongue.code: label} if label else {}

    def answer_texts(self, name: str, value: str) -> Mapping[str, str]:
        """What people read of a value by language; empty where that is the value itself."""
        if self.questionnaire is None:
            return {}
        asked = next((one for one in self.questionnaire.questions if one.name == name), None)
        found = None
        if asked is not None:
            found = next((one for one in asked.answers if one.value == value), None)
        return {} if found is None else {code: text for code, text in found.text.items() if text}


def listed_items(listed: ListQuestion) -> Message:
    return Message(
        "How many of these apply: {items}; with the long list ({arms}) also {item}.",
        items=listed.items,
        arms=listed.long,
        item=listed.name,
    )
