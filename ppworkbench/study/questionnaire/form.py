"""The form of a questionnaire as HTML; every text in it is escaped."""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.core.data.attribute import MISSING_VALUE, Attribute
from ppworkbench.core.design import Design
from ppworkbench.study.html import escaped
from ppworkbench.study.questionnaire.explain import Explainer
from ppworkbench.study.questionnaire.texts import Texts
from ppworkbench.study.questionnaire.words import words_of

MOST_BUTTONS = 12
"""More answers than this are offered as a list to choose from."""


@dataclass(frozen=True)
class Asked:
    """One question as the page shows it."""

    place: int
    attribute: Attribute
    text: str
    answers: tuple[str, ...]
    how: str
    bare: bool
    mark: str
    skipping: bool


def asked_questions(
    design: Design, texts: Texts, language: str, *, skipping: bool
) -> tuple[Asked, ...]:
    """The questions of a design in the words of a respondent."""
    explainer, words = Explainer(design, language), words_of(language)
    found = []
    for place, designed in enumerate(design):
        name = designed.name
        answers = tuple(
            words["skip"]
            if designed.missing_is_value and value == MISSING_VALUE and not _told(texts, name)
            else texts.answer(name, value)
            for value in designed.attribute.values
        )
        how = explainer.sentence(name)
        bare = how == words["how_none"]
        mayskip = skipping and not designed.missing_is_value
        found.append(
            Asked(
                place,
                designed.attribute,
                texts.question(name),
                answers,
                how,
                bare,
                explainer.mark(name),
                mayskip,
            )
        )
    return tuple(found)


def _told(texts: Texts, name: str) -> bool:
    return MISSING_VALUE in texts.answers.get(name, {})


def question_html(asked: Asked, language: str) -> str:
    """The card of one question."""
    words = words_of(language)
    inner = _field(asked, language)
    mark = f' <span class="group">{escaped(asked.mark)}</span>' if asked.mark else ""
    look = "how bare" if asked.bare else "how"
    legend = f'<legend id="legend{asked.place}">{escaped(asked.text)}{mark}</legend>'
    if asked.attribute.kind.is_numeric and asked.skipping:
        label = escaped(words["skip_seen"])
        inner += (
            f'<label class="choice skip"><input type="checkbox" name="skip{asked.place}">'
            f"<span>{label}</span></label>"
        )
    return (
        f'<fieldset class="card" id="card{asked.place}">{legend}'
        f'<p class="{look}" id="how{asked.place}">{escaped(asked.how)}</p>{inner}'
        f'<p class="error" id="error{asked.place}" role="alert" hidden></p></fieldset>'
    )


def _field(asked: Asked, language: str) -> str:
    if asked.attribute.kind.is_numeric:
        return _number(asked, language)
    choices = [(str(i), text) for i, text in enumerate(asked.answers)]
    words = words_of(language)
    if asked.skipping:
        choices.append(("skip", words["skip_seen"]))
    if len(choices) > MOST_BUTTONS:
        return _list(asked, choices, words["choose"])
    return '<div class="choices">' + "".join(_button(asked, *one) for one in choices) + "</div>"


def _button(asked: Asked, value: str, text: str) -> str:
    described = f'aria-describedby="error{asked.place}"'
    return (
        f'<label class="choice"><input type="radio" name="q{asked.place}" value="{value}" '
        f"{described}><span>{escaped(text)}</span></label>"
    )


def _list(asked: Asked, choices: list[tuple[str, str]], prompt: str) -> str:
    options = "".join(f'<option value="{v}">{escaped(text)}</option>' for v, text in choices)
    return (
        f'<select name="q{asked.place}" autocomplete="off" aria-labelledby="legend{asked.place}" '
        f'aria-describedby="how{asked.place} error{asked.place}">'
        f'<option value="">{escaped(prompt)}</option>{options}</select>'
    )


def _number(asked: Asked, language: str) -> str:
    whole = asked.attribute.kind == "integer"
    words = words_of(language)
    said = words["whole_range" if whole else "number_range"].format(**number_range(asked, language))
    return (
        f'<input type="text" inputmode="{"numeric" if whole else "decimal"}" autocomplete="off" '
        f'name="q{asked.place}" aria-labelledby="legend{asked.place}" '
        f'aria-describedby="range{asked.place} how{asked.place} error{asked.place}">'
        f'<p class="range" id="range{asked.place}">{escaped(said)}</p>'
    )


def number_range(asked: Asked, language: str) -> dict[str, str]:
    """The ends of a domain as the language writes them."""
    explainer = Explainer(Design(()), language)
    assert asked.attribute.domain is not None  # noqa: S101 (only asked of numbers)
    low, high = asked.attribute.domain
    return {"low": explainer.number(low), "high": explainer.number(high)}
