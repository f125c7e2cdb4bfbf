"""The questions of a design as a respondent reads them."""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.core.data.attribute import MISSING_VALUE, Attribute, Kind
from ppworkbench.core.design import Design
from ppworkbench.study.questionnaire.explain import Explainer
from ppworkbench.study.questionnaire.texts import Texts
from ppworkbench.study.questionnaire.words import words_of


@dataclass(frozen=True)
class Asked:
    """One question as the page shows it.

    ``domain`` holds the ends of a number's domain as the language writes them.
    """

    place: int
    attribute: Attribute
    text: str
    answers: tuple[str, ...]
    how: str
    bare: bool
    mark: str
    skipping: bool
    domain: tuple[str, str] | None

    @property
    def is_whole(self) -> bool:
        """Whether whole numbers are asked for."""
        return self.attribute.kind is Kind.INTEGER


def asked_questions(
    design: Design, texts: Texts, language: str, *, skipping: bool
) -> tuple[Asked, ...]:
    """The questions of a design in the words of a respondent."""
    explainer, words = Explainer(design, language), words_of(language)
    found = []
    for place, designed in enumerate(design):
        name, domain = designed.name, designed.attribute.domain
        answers = tuple(
            words["skip"]
            if designed.missing_is_value and value == MISSING_VALUE and not _told(texts, name)
            else texts.answer(name, value)
            for value in designed.attribute.values
        )
        how = explainer.sentence(name)
        found.append(
            Asked(
                place,
                designed.attribute,
                texts.question(name),
                answers,
                how,
                bare=how == words["how_none"],
                mark=explainer.mark(name),
                skipping=skipping and not designed.missing_is_value,
                domain=domain and (explainer.number(domain[0]), explainer.number(domain[1])),
            )
        )
    return tuple(found)


def _told(texts: Texts, name: str) -> bool:
    return MISSING_VALUE in texts.answers.get(name, {})
