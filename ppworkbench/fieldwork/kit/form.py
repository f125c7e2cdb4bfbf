"""A questionnaire as platforms and paper ask it: codes, texts, ranges and the cards before it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from ppworkbench.core.data.attribute import MISSING_VALUE, Attribute, Kind
from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import design_digest, publishable
from ppworkbench.core.design.procedures import NONE, SLIPS, Procedure, find_procedure
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.message import Message
from ppworkbench.fieldwork.kit.hand_cards import (
    CardWriter,
    HandCard,
    is_grouped,
    is_own_worded,
    kit_words,
)
from ppworkbench.fieldwork.page.explain import words_of
from ppworkbench.fieldwork.page.model import MOST_BUTTONS, words_language
from ppworkbench.study.questionnaire.document import Answer, Question, Questionnaire, Words
from ppworkbench.study.questionnaire.texts import Texts

_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")
_MOST_NAMED = 8
"""More gaps than this are counted, not named."""


@dataclass(frozen=True)
class Choice:
    code: int
    value: str
    text: Words


@dataclass(frozen=True)
class Item:
    """One question as it is asked.

    Parameters
    ----------
    domain
        The numbers that can be reported; wider than the true ones where a slip is added.
    cards
        The card before the question by language; none where it is answered as it is, or where a
        question before it has the card of the group.
    notes
        What is to be read before the question, by language: the card's lines, or that the throw of
        an earlier question counts.
    """

    number: int
    question: Question
    attribute: Attribute
    short: str
    choices: tuple[Choice, ...]
    domain: tuple[float, float] | None
    procedure: Procedure | None = None
    cards: Mapping[str, HandCard] = field(default_factory=dict)
    notes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.question.name

    @property
    def is_whole(self) -> bool:
        return self.attribute.kind is Kind.INTEGER

    @property
    def is_long(self) -> bool:
        return len(self.choices) > MOST_BUTTONS

    def text(self, language: str) -> str:
        text, unit = self.question.text.get(language, ""), self.question.unit.get(language, "")
        return f"{text} ({unit})" if unit else text

    def hint(self, language: str, main: str) -> str:
        """Help below the question; after a card it says to do what the card says."""
        own = kit_words(words_language(language, main))["as_card"] if self.notes else ""
        return " ".join(one for one in (self.question.help.get(language, ""), own) if one)

    def range_text(self, language: str, main: str) -> str:
        if self.domain is None:
            return ""
        words = kit_words(words_language(language, main))
        key = "whole_range" if self.is_whole else "range"
        low, high = (plain_number(one) for one in self.domain)
        return words[key].format(low=low, high=high)


@dataclass(frozen=True)
class Form:
    """Everything that a target writes.

    ``refusals`` say which questions cannot be randomised by hand, and why.
    """

    design: Design
    questionnaire: Questionnaire
    languages: tuple[str, ...]
    items: tuple[Item, ...]
    refusals: tuple[tuple[str, Message], ...] = ()

    @property
    def main(self) -> str:
        return self.languages[0]

    @property
    def digest(self) -> str:
        return design_digest(self.design)

    @property
    def pages(self) -> tuple[tuple[Item, ...], ...]:
        numbers = sorted({item.question.page for item in self.items})
        return tuple(
            tuple(item for item in self.items if item.question.page == number) for number in numbers
        )

    @property
    def cards(self) -> tuple[HandCard, ...]:
        return tuple(
            item.cards[code] for code in self.languages for item in self.items if code in item.cards
        )

    def title(self, language: str) -> str:
        default = words_of(words_language(language, self.main))["default_title"]
        return self.questionnaire.title.get(language) or default

    def introduction(self, language: str) -> str:
        return self.questionnaire.introduction.get(language, "")

    def thanks(self, language: str) -> str:
        return self.questionnaire.thanks.get(language, "")

    def texts(self) -> Iterator[tuple[str, str]]:
        for code in self.languages:
            for text in (self.title(code), self.introduction(code), self.thanks(code)):
                yield "", text
            for item in self.items:
                yield item.name, item.text(code)
                yield item.name, item.question.help.get(code, "")
                for choice in item.choices:
                    yield item.name, choice.text.get(code, "")
                for line in item.notes.get(code, ()):
                    yield item.name, line


def plain_number(number: float) -> str:
    """A number as platforms read it.

    >>> plain_number(18.0), plain_number(0.5)
    ('18', '0.5')
    """
    return str(int(number)) if float(number).is_integer() else repr(float(number))


def build_form(
    design: Design, questionnaire: Questionnaire, languages: Sequence[str], *, by_hand: bool = True
) -> Form:
    """The form in some languages; not ``by_hand`` it asks for true answers, and has no cards."""
    design = publishable(design)
    asked = _completed(design, questionnaire.with_words(_cleaned))
    codes = tuple(dict.fromkeys(languages)) or (asked.language,)
    for code in codes:
        _refuse_gaps(asked, code)
    return _Builder(design, asked, codes, by_hand).form()


class _Builder:
    def __init__(
        self, design: Design, asked: Questionnaire, codes: tuple[str, ...], by_hand: bool
    ) -> None:
        self._design, self._asked, self._codes, self._by_hand = design, asked, codes, by_hand
        self._shorts = asked.short_names()
        self._numbers = {name: number for number, name in enumerate(asked.names, 1)}
        self._procedures: dict[str, Procedure] = {}
        self._refusals: list[tuple[str, Message]] = []
        self._writers = {code: CardWriter(code, codes[0], asked.page_texts(code)) for code in codes}

    def form(self) -> Form:
        """The form; what cannot be done by hand is said, not asked."""
        if self._by_hand:
            self._find_procedures()
        items = tuple(self._item(question) for question in self._asked.questions)
        return Form(self._design, self._asked, self._codes, items, tuple(self._refusals))

    def _find_procedures(self) -> None:
        for name in self._asked.names:
            try:
                self._procedures[name] = find_procedure(self._design, name)
            except DesignError as error:
                self._refusals.append((name, error.message))

    def _item(self, question: Question) -> Item:
        designed = self._design[question.name]
        attribute, procedure = designed.attribute, self._procedures.get(question.name)
        is_random = procedure is not None and procedure.scheme != NONE
        cards = self._cards(question.name, procedure) if is_random and procedure else {}
        notes = {code: card.lines for code, card in cards.items()}
        if is_random and procedure is not None and not cards:
            notes = self._same_throw(procedure)
        domain = attribute.domain
        if domain is not None and procedure is not None and procedure.scheme == SLIPS:
            domain = domain[0] - procedure.reach, domain[1] + procedure.reach
        return Item(
            self._numbers[question.name],
            question,
            attribute,
            self._shorts[question.name],
            tuple(self._choices(question, attribute, procedure, cards)),
            domain,
            procedure if is_random else None,
            MappingProxyType(cards),
            MappingProxyType(notes),
        )

    def _cards(self, name: str, procedure: Procedure) -> dict[str, HandCard]:
        """The card in every language; for a group it stands before its first question."""
        if not is_grouped(procedure):
            return {
                code: writer.card(self._numbers[name], self._design[name], procedure)
                for code, writer in self._writers.items()
            }
        members = self._members(procedure)
        if members[0] != name or any(one not in self._procedures for one in members):
            return {}
        listed = [(self._numbers[one], self._design[one], self._procedures[one]) for one in members]
        return {code: writer.group(listed) for code, writer in self._writers.items()}

    def _members(self, procedure: Procedure) -> list[str]:
        group = procedure.group
        return [name for name in self._asked.names if group and name in group.attributes]

    def _same_throw(self, procedure: Procedure) -> dict[str, tuple[str, ...]]:
        first = next(
            one for one in self._asked.questions if one.name == self._members(procedure)[0]
        )
        return {
            code: writer.same_throw(first.text.get(code, first.name))
            for code, writer in self._writers.items()
        }

    def _choices(
        self,
        question: Question,
        attribute: Attribute,
        procedure: Procedure | None,
        cards: Mapping[str, HandCard],
    ) -> Iterator[Choice]:
        texts = {answer.value: answer.text for answer in question.answers}
        is_own = procedure is not None and is_own_worded(procedure)
        for place, value in enumerate(attribute.values):
            words = dict(texts.get(value, {}))
            if is_own:
                words = {code: cards[code].boxes[place] for code in self._codes}
            yield Choice(place + 1, value, MappingProxyType(words))


def _completed(design: Design, asked: Questionnaire) -> Questionnaire:
    """The questionnaire with all questions of the design, in its order and then the design's."""
    drawn = set(design.drawn_columns)
    for question in asked.questions:
        if question.name not in design:
            raise DataError.saying(
                "The questionnaire asks for {attribute!r}, which is not in the design.",
                attribute=question.name,
            )
    own = Questionnaire.of_design(design, Texts(), asked.language)
    known = {question.name: question for question in asked.questions}
    listed = [
        _with_values(design, known[name], asked.languages)
        for name in asked.names
        if name not in drawn
    ]
    listed += [question for question in own.questions if question.name not in known]
    if not listed:
        raise DataError("There are no questions.")
    return dataclasses.replace(asked, questions=tuple(listed))


def _with_values(design: Design, question: Question, languages: Sequence[str]) -> Question:
    attribute = design[question.name].attribute
    known = {answer.value: answer for answer in question.answers}
    if not attribute.kind.is_categorical:
        return question
    answers = []
    for value in attribute.values:
        if value in known:
            answers.append(known[value])
        elif value == MISSING_VALUE:
            skip = {
                code: words_of(words_language(code, languages[0]))["skip"] for code in languages
            }
            answers.append(Answer(value, skip))
        else:
            raise DataError.saying(
                "{attribute!r} has the answer {value!r} in the design, but not in the "
                "questionnaire.",
                attribute=question.name,
                value=value,
            )
    spare = next((value for value in known if value not in attribute.values), None)
    if spare is not None:
        raise DataError.saying(
            "{attribute!r} has the answer {value!r} in the questionnaire, but not in the design.",
            attribute=question.name,
            value=spare,
        )
    return dataclasses.replace(question, answers=tuple(answers))


def _refuse_gaps(asked: Questionnaire, language: str) -> None:
    if language not in asked.languages:
        asked.check_language(language)
    gaps = asked.gaps(language)
    if not gaps:
        return
    named = tuple(f"{name}: {what}" if name else what for name, what in gaps[:_MOST_NAMED])
    if len(gaps) <= _MOST_NAMED:
        raise DataError.saying(
            "The language {language!r} has gaps: {gaps}.",
            language=language,
            gaps=named,
            field="language",
        )
    raise DataError.saying(
        "The language {language!r} has gaps: {gaps} and {more} more.",
        language=language,
        gaps=named,
        more=len(gaps) - _MOST_NAMED,
        field="language",
    )


def _cleaned(words: Words) -> Words:
    """A text without letters that no file can hold."""
    return MappingProxyType(
        {code: _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
         for code, text in words.items()}
    )  # fmt: skip
