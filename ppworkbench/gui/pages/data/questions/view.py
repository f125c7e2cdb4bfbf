"""What the cards of the questionnaire editor are given to show, and what they ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.message import Message
from ppworkbench.gui.language import language_name, tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.study.questionnaire.document import Question, Questionnaire
from ppworkbench.study.questionnaire.edits import why_locked
from ppworkbench.study.renaming import Renamed
from ppworkbench.study.study import Study


@dataclass(frozen=True)
class QuestionEdit:
    """A change of the questionnaire as one undo step.

    Parameters
    ----------
    make
        The study after the change; raises a sentence where it is refused.
    gesture
        Steps of one gesture are one step: all that is typed while a field has the focus.
    renamed
        Which question the edit calls something else.
    selects
        The question to show afterwards.
    said
        A quiet message beside which stands "Undo".
    then
        What is done once the study is taken over.
    is_typed
        Whether its field keeps what was typed when it is refused: the next letter may mend it.
    """

    text: str
    make: Callable[[Study], Study]
    gesture: str = ""
    renamed: Renamed | None = None
    selects: Callable[[Study], str] | None = None
    said: str = ""
    then: Callable[[], None] | None = None
    is_typed: bool = False


@dataclass(frozen=True, eq=False)
class QuestionsView:
    """The questionnaire of a study, with the question that is edited."""

    study: Study = field(default_factory=Study)
    asked: Questionnaire = field(default_factory=lambda: Questionnaire(("en",), ()))
    name: str = ""

    @property
    def question(self) -> Question | None:
        return self.asked[self.name] if self.name else None

    @property
    def place(self) -> int:
        """Where it stands, counted from 0; -1 without questions."""
        return self.asked.names.index(self.name) if self.name else -1

    @cached_property
    def locked(self) -> Message | None:
        """Why the question can neither be removed nor asked in another way."""
        return why_locked(self.study, self.name) if self.name else None

    @property
    def language(self) -> str:
        return self.asked.language

    def edit(
        self,
        words: str,
        change: Callable[..., Study],
        *given: Any,
        gesture: str = "",
        renamed: Renamed | None = None,
        is_typed: bool = False,
        **changes: object,
    ) -> QuestionEdit:
        """An edit of the question, which stands in the words; its language comes last."""
        name, language = self.name, self.language
        return QuestionEdit(
            words % self.study.shown(name),
            lambda study: change(study, name, *given, language, **changes),
            gesture, renamed, is_typed=is_typed,
        )  # fmt: skip


def question_kind(kind: Kind) -> str:
    return {
        Kind.BINARY: tr("yes, no"),
        Kind.NOMINAL: tr("one of", "kind of question"),
        Kind.ORDINAL: tr("scale"),
    }.get(kind, tr("number"))


def usual_answers() -> tuple[str, str]:
    return tr("yes"), tr("no")


def wording(question: Question, language: str) -> str:
    return question.text.get(language, "") or tr("(no wording yet)")


DESIGN, TRANSLATION = "design", "translation"
"""Where a check leads, besides to a field of its question."""


@dataclass(frozen=True)
class Check:
    """How something is, and where it can be mended.

    Parameters
    ----------
    kind
        ``good``, ``doubt`` or ``info``.
    question
        Of which question it speaks; empty where it leads nowhere.
    field
        A field of the question, its place on Design, or a text that has no translation.
    what
        Which text, and in which language.
    """

    kind: str
    words: str
    question: str = ""
    field: str = ""
    what: tuple[str, str] = ("", "")


def find_checks(view: QuestionsView) -> list[Check]:
    asked, study = view.asked, view.study
    if not asked.questions:
        return []
    lines = [
        Check("doubt", _about(view, one.question, one.why), one.question, one.field)
        for one in asked.problems()[:3]
    ]
    if not lines:
        lines.append(Check("good", tr("Every question has a wording, a name and its answers.")))
    marked = [one for one in asked.questions if any(answer.sensitive for answer in one.answers)]
    if not marked:
        lines.append(Check("info", tr("No answer is marked as sensitive.")))
    elif len(marked) == 1:
        lines.append(Check("good", tr("1 question has a sensitive answer marked.")))
    else:
        words = tr("%s questions have a sensitive answer marked.") % number(len(marked))
        lines.append(Check("good", words))
    for one in marked:
        if one.name in study.design and study.design.perturbation(one.name).is_identity:
            words = tr("“%s” has a sensitive answer and is sent as it is.") % study.shown(one.name)
            lines.append(Check("doubt", words, one.name, DESIGN))
    for code in asked.languages[1:]:
        gaps = asked.gaps(code)
        if gaps:
            words = tr("%s: texts without a translation: %s.")
            said = words % (language_name(code), number(len(gaps)))
            name, what = gaps[0]
            lines.append(Check("doubt", said, name, TRANSLATION, (what, code)))
    return lines


def _about(view: QuestionsView, name: str, why: Message) -> str:
    said = translate(why)
    return f"{view.study.shown(name)}: {said}" if name else said
