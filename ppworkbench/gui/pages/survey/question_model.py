"""The question as it stands on the page, before and after it is asked."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.survey.conditions import Condition
from ppworkbench.core.survey.parser import parse_condition
from ppworkbench.gui.language.text import told
from ppworkbench.gui.pages.survey.question import CROSSTAB, MEAN, Question, problem_of
from ppworkbench.gui.pages.survey.replies import attributes_for
from ppworkbench.study.study import Study


class QuestionModel(QObject):
    """Chips, text and fields all show and change this one question.

    A text that cannot be read is kept beside the last condition that could, so that nobody loses
    what was typed.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._question = Question()
        self._text = ""
        self._fault = ""

    @property
    def question(self) -> Question:
        """The question of now."""
        return self._question

    @property
    def text(self) -> str:
        """The condition as text: as it was typed, else as the chips say it."""
        return self._text

    @property
    def fault(self) -> str:
        """Why the text cannot be read; empty if it can."""
        return self._fault

    def set(self, question: Question) -> None:
        """Take over a whole question."""
        text = str(question.condition)
        if (question, text, "") != (self._question, self._text, self._fault):
            self._question, self._text, self._fault = question, text, ""
            self.changed.emit()

    def change(self, **changes: object) -> None:
        """Change some of it; a fault of the text stays unless the condition is among them."""
        question = self._question.with_(**changes)
        if "condition" in changes:
            self.set(question)
        elif question != self._question:
            self._question = question
            self.changed.emit()

    def set_condition(self, condition: Condition) -> None:
        """Take over what the chips say."""
        self.set(self._question.with_(condition=condition))

    def set_text(self, text: str) -> None:
        """Take over what was typed; the condition follows where it can be read."""
        if text == self._text:
            return
        self._text = text
        try:
            condition = parse_condition(text)
        except WorkbenchError as error:
            self._fault = told(error.message)
        else:
            self._fault = ""
            self._question = self._question.with_(condition=condition)
        self.changed.emit()

    def problem(self, study: Study) -> str:
        """Why the question cannot be asked; empty if it can."""
        return self._fault or problem_of(self._question, study.design)

    def fill_in(self, study: Study) -> None:
        """Choose attributes to tell about where none, or one that does not fit, is chosen."""
        asked = self._question
        offered = attributes_for(study, asked.statistic)
        of, by = asked.of, asked.by
        if of not in offered:
            of = _first(study, [*offered], asked.statistic)
        if asked.statistic == CROSSTAB and (by not in offered or by == of):
            by = _first(study, [name for name in offered if name != of], asked.statistic)
        self.change(of=of, by=by)


def _first(study: Study, offered: list[str], statistic: str) -> str:
    """An attribute whose values can be overlooked, or a number for a mean."""

    def rank(name: str) -> tuple[int, int]:
        attribute: Attribute = study.design[name].attribute
        if statistic == MEAN:
            return (attribute.kind is not Kind.CONTINUOUS, 0)
        return (not 2 <= attribute.k <= 12, 0)

    return min(offered, key=rank, default="")
