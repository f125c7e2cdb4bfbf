"""A survey of the residents of a city that does not exist.

Three hidden numbers per resident (standing, outlook and daring) and the district tie the answers
together; see the help page on samples for the whole model. Standing depends on the district and
raises education, income and ownership; outlook colours satisfaction and trust; daring falls with
age and is behind the sensitive questions.

Every answer has a random stream of its own, so that a larger survey begins with the residents of
a smaller one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gammaln

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.generators.draws import Doubles, choice, choice_by_group, grades, normal
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.message import Message
from ppworkbench.core.rng import SeededStreams

DISTRICTS = (
    "Old Town",
    "Riverside",
    "Harbour",
    "Northfield",
    "Millbrook",
    "Southgate",
    "Garden Hill",
)
EDUCATION = ("primary", "vocational", "secondary", "bachelor", "master or higher")
EMPLOYMENT = (
    "not employed",
    "under 1 year",
    "1-2 years",
    "3-5 years",
    "6-10 years",
    "11-20 years",
    "over 20 years",
)
HOMES = ("owner", "tenant", "council housing", "family home")
SATISFACTION = ("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied")
EIGHT_STEPS = tuple("12345678")
NO_YES = ("no", "yes")

AGES = (18, 90)
MOST_CHILDREN = 6
HIGHEST_INCOME = 15_000


def _asked(
    name: str, kind: Kind, given: tuple[Any, ...], title: str, label: str, unit: str = ""
) -> Attribute:
    """A question with its answers, or the lowest and the highest number."""
    possible: dict[str, Any] = {"domain" if kind.is_numeric else "values": given}
    return Attribute(name, kind, **possible, label=label, title=title, unit=unit)


def _satisfied(name: str, title: str, what: str) -> Attribute:
    label = f"How satisfied are you with {what}?"
    return _asked(f"satisfaction_{name}", Kind.ORDINAL, SATISFACTION, title, label)


def _yes_no(name: str, title: str, label: str) -> Attribute:
    return _asked(name, Kind.BINARY, NO_YES, title, label)


def _secret(name: str, title: str, label: str) -> Attribute:
    return _yes_no(name, title, label).with_(sensitive=("yes",))


QUESTIONS = (
    _asked(
        "district", Kind.NOMINAL, DISTRICTS, Message("District"), "Which district do you live in?"
    ),
    _asked("age", Kind.INTEGER, AGES, Message("Age"), "How old are you?", Message("years")),
    _asked("sex", Kind.BINARY, ("female", "male"), Message("Sex"), "Are you a woman or a man?"),
    _asked(
        "education", Kind.ORDINAL, EDUCATION, Message("Education"),
        "What is the highest school you finished?",
    ),
    _asked(
        "employment_length", Kind.ORDINAL, EMPLOYMENT, "Years with the employer",
        "How long have you worked for your present employer?",
    ),
    _asked(
        "children", Kind.INTEGER, (0, MOST_CHILDREN), "Children at home",
        "How many children under 18 live with you?",
    ),
    _asked(
        "home", Kind.NOMINAL, HOMES, Message("Housing"),
        "On what terms do you live in your home?",
    ),
    _yes_no("car", "Has a car", "Do you have the use of a car?"),
    _asked(
        "income", Kind.CONTINUOUS, (0, HIGHEST_INCOME), "Monthly income",
        "What is your monthly income after tax, in euros?", Message("euros"),
    ),
    _satisfied("transport", "Satisfaction with transport", "buses and trams"),
    _satisfied("safety", "Satisfaction with safety", "safety in your street"),
    _satisfied("parks", "Satisfaction with parks", "parks and greenery"),
    _satisfied("health", "Satisfaction with health care", "doctors and clinics"),
    _satisfied("schools", "Satisfaction with schools", "the schools near you"),
    _asked(
        "trust_council", Kind.ORDINAL, EIGHT_STEPS, "Trust in the council",
        "How much do you trust the city council, from 1 (not at all) to 8 (fully)?",
    ),
    _asked(
        "belonging", Kind.ORDINAL, EIGHT_STEPS, "Feeling at home in the city",
        "How much do you feel at home in the city, from 1 (not at all) to 8 (fully)?",
    ),
    _secret(
        "fare_evasion", "Rode without a ticket",
        "Did you ride without a ticket in the last 12 months?",
    ),
    _secret(
        "cash_in_hand", "Dealt in untaxed cash",
        "Did you pay or take cash to avoid tax in the last 12 months?",
    ),
    _secret(
        "drug_use", "Used an illegal drug", "Did you use an illegal drug in the last 12 months?"
    ),
    _secret(
        "drink_driving", "Drove after drinking",
        "Did you drive after drinking in the last 12 months?",
    ),
    _yes_no(
        "supports_school", "Supports the new school",
        "Are you for building the new school in Northfield?",
    ),
)  # fmt: skip
"""All questions in the order in which they are asked; the last one is the class."""


Answers = dict[str, NDArray[Any]]

# One number per district, in the order of the questionnaire.
_SHARE = np.array([0.14, 0.17, 0.11, 0.19, 0.16, 0.13, 0.10])
_WEALTH = np.array([0.3, 0.1, -0.6, -0.2, 0.0, -0.3, 1.0])
_AGEING = np.array([-0.1, -0.25, -0.15, -0.1, 0.0, 0.25, 0.35])
_FAMILIES = np.array([-0.5, 0.0, -0.1, 0.4, 0.4, 0.0, 0.1])
_TRANSPORT = np.array([0.6, 0.4, 0.1, -0.4, -0.6, -0.1, -0.3])
_SAFETY = np.array([-0.1, 0.1, -0.8, -0.1, 0.3, -0.2, 0.8])
_PARKS = np.array([-0.5, 0.4, -0.6, 0.1, 0.4, 0.0, 0.7])
_NEAR_SCHOOL = np.array([-0.4, 0.0, -0.2, 1.1, 0.8, -0.4, -0.8])

_FIVE_STEPS = (-1.6, -0.7, 0.2, 1.3)
_MISSING = {
    "education": 0.02,
    "satisfaction_health": 0.02,
    "trust_council": 0.025,
    "drug_use": 0.03,
    "income": 0.035,
}


@dataclass(frozen=True, eq=False)
class _People:
    """What is hidden behind the answers, standardised to about mean 0 and deviation 1."""

    district: NDArray[np.int64]
    age: NDArray[np.int64]
    male: NDArray[np.bool_]
    standing: Doubles
    outlook: Doubles
    daring: Doubles

    @property
    def older(self) -> Doubles:
        return (self.age - 48) / 17.5


@dataclass(frozen=True)
class _Dice:
    """Random numbers by name, as many as there are residents."""

    streams: SeededStreams
    rows: int

    def uniform(self, name: str) -> Doubles:
        return self.streams.stream("city", name).random(self.rows)

    def normal(self, name: str) -> Doubles:
        return normal(self.uniform(name))

    def says_yes(self, name: str, logit: Doubles) -> NDArray[np.int64]:
        return np.asarray(self.uniform(name) < expit(logit), np.int64)


def city_survey_table(rows: int = 5_000, seed: int = 1) -> Table:
    """The answers of ``rows`` residents to 21 questions; the class is ``supports_school``.

    >>> table = city_survey_table(rows=10)
    >>> table.class_name, len(table.columns)
    ('supports_school', 21)
    """
    dice = _Dice(SeededStreams(seed), rows)
    people = _residents(dice)
    answers: Answers = {"district": people.district, "age": people.age, "sex": people.male}
    _add_life(answers, people, dice)
    _add_opinions(answers, people, dice)
    _add_secrets(answers, people, dice)
    answers["supports_school"] = dice.says_yes("support", _support(answers, people))
    columns = tuple(
        Column(question, _with_missing(answers[question.name], question.name, people, dice))
        for question in QUESTIONS
    )
    return Table(columns, class_name="supports_school", source="city-survey")


def _residents(dice: _Dice) -> _People:
    district = choice(dice.uniform("district"), _SHARE)
    ages = np.arange(AGES[0], AGES[1] + 1)
    pyramid = expit((78 - ages) / 7) * (0.85 + 0.2 * np.exp(-(((ages - 37) / 13) ** 2)))
    tilted = pyramid * np.exp(_AGEING[:, None] * (ages - 48) / 17.5)
    age = ages[choice_by_group(dice.uniform("age"), district, tilted)]
    male = dice.uniform("sex") >= expit(0.1 + 0.012 * (age - 48))
    standing = 0.75 * _WEALTH[district] + 0.9 * dice.normal("standing")
    outlook = 0.3 * standing + 0.95 * dice.normal("outlook")
    daring = 0.85 * dice.normal("daring") - 0.5 * (age - 48) / 17.5 + 0.4 * (male - 0.5)
    return _People(district, age, male, standing, outlook, daring)


def _add_life(answers: Answers, people: _People, dice: _Dice) -> None:
    older, standing, age = people.older, people.standing, people.age
    learnt = 0.65 * standing - 0.3 * older + 0.75 * dice.normal("education")
    # Schools take time: no secondary school before 19, no degree before 22.
    ceiling = np.searchsorted([19, 22, 24], age, side="right") + 1
    education = np.minimum(grades(learnt, (-1.5, -0.6, 0.4, 1.0)), ceiling)
    answers["education"] = education
    answers["employment_length"] = _employment(age, education, dice)
    at_work = answers["employment_length"] > 0

    expected = 1.8 * np.exp(-(((age - 38) / 9.5) ** 2) + 0.5 * _FAMILIES[people.district])
    numbers = np.arange(MOST_CHILDREN + 1)
    poisson = np.exp(numbers * np.log(expected)[:, None] - gammaln(numbers + 1))
    answers["children"] = choice(dice.uniform("children"), poisson)

    wishes = [0.2 + 0.9 * standing + 0.8 * older, 0.1 - 0.4 * older]
    wishes += [-0.7 - 0.9 * standing, -1.7 - 1.8 * older]
    answers["home"] = choice(dice.uniform("home"), np.exp(np.column_stack(wishes)))
    drives = 0.1 + 0.7 * standing + 0.6 * at_work + 0.5 * (answers["children"] > 0)
    drives -= 1.2 * _TRANSPORT[people.district] + 0.3 * older**2
    answers["car"] = dice.says_yes("car", drives)

    log_income = np.log(1_350) + 0.4 * at_work + 0.16 * (education - 2) + 0.22 * standing
    log_income += 0.05 * answers["employment_length"] - 0.08 * ~people.male
    earned = np.exp(log_income + 0.33 * dice.normal("income"))
    answers["income"] = np.clip(np.rint(earned / 10) * 10, 0, HIGHEST_INCOME)


def _employment(
    age: NDArray[np.int64], education: NDArray[np.int64], dice: _Dice
) -> NDArray[np.int64]:
    """0 for those who do not work, else the class of the years with the employer."""
    working = 0.88 * expit((age - 21.5 - 0.8 * education) / 1.5) * expit((64 - age) / 1.6)
    possible = np.maximum(age - 17 - 1.5 * education, 0.5)
    years = possible * dice.uniform("years") ** 1.4
    length = 1 + np.searchsorted([1, 3, 6, 11, 21], years, side="right")
    return np.where(dice.uniform("working") < working, length, 0).astype(np.int64)


def _add_opinions(answers: Answers, people: _People, dice: _Dice) -> None:
    district, older = people.district, people.older
    parent = answers["children"] > 0
    leanings = {
        "transport": 1.2 * _TRANSPORT[district] - 0.3 * answers["car"] + 0.15 * older,
        "safety": 1.2 * _SAFETY[district] - 0.25 * ~people.male,
        "parks": 1.2 * _PARKS[district],
        "health": -0.2 - 0.3 * older,
        "schools": 0.1 - 0.5 * parent - 0.4 * _NEAR_SCHOOL[district],
    }
    for name, leaning in leanings.items():
        felt = 0.55 * people.outlook + leaning + 0.75 * dice.normal(name)
        answers[f"satisfaction_{name}"] = grades(felt, _FIVE_STEPS)
    trust = 0.75 * people.outlook + 0.12 * (answers["education"] - 2) + 0.6 * dice.normal("trust")
    answers["trust_council"] = grades(trust, (-1.5, -1.0, -0.5, 0.0, 0.45, 0.95, 1.6))
    belonging = 0.35 * people.outlook + 0.45 * older + 0.5 * (answers["home"] == 0)
    belonging += 0.75 * dice.normal("belonging")
    answers["belonging"] = grades(belonging, (-1.5, -1.1, -0.7, -0.3, 0.1, 0.6, 1.2))


def _add_secrets(answers: Answers, people: _People, dice: _Dice) -> None:
    """The sensitive questions, which honest people answer yes to in 5 to 25 % of cases."""
    daring, standing, car = people.daring, people.standing, answers["car"]
    central = _TRANSPORT[people.district] > 0
    logits = {
        "fare_evasion": -1.0 + 1.0 * daring - 0.3 * standing - 0.8 * car,
        "cash_in_hand": -1.9 + 0.7 * daring + 0.3 * answers["home"].clip(0, 1) - 0.15 * standing,
        "drug_use": -3.1 + 1.2 * daring + 0.5 * central,
        "drink_driving": -4.4 + 1.0 * daring + 2.0 * car,
    }
    for name, logit in logits.items():
        answers[name] = dice.says_yes(name, logit)


def _support(answers: Answers, people: _People) -> Doubles:
    """The log-odds of being for the new school, in terms of answers alone.

    Parents, the young, the neighbours of the site and those who trust the council are for it;
    those with a high income, who would pay, and those content with their schools are not.
    """
    for_it = 1.25 * np.minimum(answers["children"], 3) - 1.0 * people.older
    for_it += 1.5 * _NEAR_SCHOOL[people.district] + 0.5 * (answers["trust_council"] - 3.5)
    against = 1.1 * np.log(np.maximum(answers["income"], 10) / 1_800)
    against += 0.4 * (answers["satisfaction_schools"] - 2)
    return np.asarray(for_it - against - 0.2, np.float64)


def _with_missing(answer: NDArray[Any], name: str, people: _People, dice: _Dice) -> NDArray[Any]:
    """Leave some questions unanswered; who thinks ill of the city hides the income more often."""
    if name not in _MISSING:
        return answer
    rate = np.full(len(answer), _MISSING[name])
    if name == "income":
        rate *= 2 * expit(-people.outlook)
    gone = np.nan if name == "income" else -1
    return np.where(dice.uniform(f"missing {name}") < rate, gone, answer)
