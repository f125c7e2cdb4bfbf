"""A questionnaire with every procedure that people can carry out, and answers to it."""

from __future__ import annotations

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.design import (
    Additive,
    Binary,
    Design,
    DesignedAttribute,
    Forced,
    Identity,
    Perturbation,
    Related,
    Uniform,
    Unrelated,
)
from ppworkbench.core.design.devices import snap_to
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.presets import Crosswise, Kuk, Mangat, Triangular
from ppworkbench.study.questionnaire.document import Answer, Question, Questionnaire

YES_NO = ("no", "yes")
POLISH = {"no": "Nie", "yes": "Tak"}


def question(
    name: str, values: tuple[str, ...] = YES_NO, *, page: int = 1, text: str = ""
) -> Question:
    """A question in two languages."""
    answers = tuple(
        Answer(value, {"en": value.capitalize(), "pl": POLISH.get(value, f"{value} po polsku")})
        for value in values
    )
    kind = Kind.BINARY if len(values) == 2 else Kind.NOMINAL
    said = {"en": text or f"Have you ever done {name}?", "pl": f"Czy kiedyś: {name}?"}
    return Question(name, kind, said, answers=answers, page=page, required=True)


def number(name: str) -> Question:
    """A whole number."""
    said = {"en": "How old are you?", "pl": "Ile masz lat?"}
    unit = {"en": "years", "pl": "lat"}
    return Question(name, Kind.INTEGER, said, unit=unit, domain=(18.0, 90.0), page=2)


def designed(
    asked: Question, perturbation: Perturbation, device: str | None = None
) -> DesignedAttribute:
    """A question with its mechanism, and the nearest outcomes of a device."""
    attribute = asked.attribute("en")
    if device is None:
        return DesignedAttribute(attribute, perturbation)
    snapped, made = snap_to(device, perturbation, attribute, nearest=True)
    return DesignedAttribute(attribute, made, device=snapped.device)


_ASKED: tuple[tuple[Question, Perturbation, str | None], ...] = (
    (question("forced"), Forced(p_truth=2 / 3), "die"),
    (question("warner"), Related(theta=0.7), "spinner"),
    (question("crosswise"), Crosswise(p=0.25).perturbation(YES_NO), "birthday-month"),
    (question("kuk"), Kuk(red_yes=0.8, red_no=0.2).perturbation(YES_NO), "deck"),
    (question("triangular"), Triangular(p=0.25).perturbation(YES_NO), "card-suit"),
    (question("mangat"), Mangat(p=0.5).perturbation(YES_NO), "coin"),
    (question("unrelated"), Unrelated(theta=0.75), "two-coins"),
    (question("mood", ("bad", "fair", "good", "great")), Uniform(keep=0.7), None),
    (question("p and q", page=2), Binary(keep_one=0.8, keep_zero=0.7), None),
    (number("age"), Additive(half_width=5), None),
    (question("first of two", page=2), Identity(), None),
    (question("second of two", page=2), Identity(), None),
    (question("open", ("woman", "man"), page=2), Identity(), None),
)


def every_procedure(group: str = "unrelated") -> tuple[Design, Questionnaire]:
    """All procedures in one questionnaire; two questions share a throw."""
    listed = tuple(designed(*one) for one in _ASKED)
    groups = (Group(("first of two", "second of two"), group, 2 / 3),)
    asked = Questionnaire(
        ("en", "pl"),
        tuple(one for one, _, _ in _ASKED),
        {"en": "City survey", "pl": "Ankieta miejska"},
        {"en": "Thank you for taking part.", "pl": "Dziękujemy za udział."},
        {"en": "That was all.", "pl": "To wszystko."},
    )
    return Design(listed, groups=groups), asked


def small() -> tuple[Design, Questionnaire]:
    """A forced answer, a device with words of its own, a number with a slip, an open question."""
    design, asked = every_procedure()
    kept = ("forced", "warner", "mood", "age", "open")
    listed = tuple(one for one in design if one.name in kept)
    questions = tuple(one for one in asked.questions if one.name in kept)
    return Design(listed), Questionnaire(
        asked.languages, questions, asked.title, asked.introduction, asked.thanks
    )


ROWS = (
    {"forced": "no", "warner": "yes", "mood": "good", "age": 44, "open": "man"},
    {"forced": "yes", "warner": "no", "mood": "bad", "age": 15, "open": "woman"},
    {"forced": "yes", "warner": "yes", "mood": "great", "age": 95, "open": "woman"},
    {"forced": "no", "warner": "no", "mood": "fair", "age": 90, "open": "man"},
)
"""Reported answers to the small questionnaire."""
