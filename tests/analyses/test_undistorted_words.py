"""Where nothing that is asked about is randomised, no text speaks of devices or distortion."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
import pytest

import ppworkbench as pp
from ppworkbench.analyses import QUESTIONS
from ppworkbench.analyses.regression.regress import Regress
from ppworkbench.analyses.survey.answers import SurveyResult, answer_question, methods_of
from ppworkbench.analyses.survey.questions import Question
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.models import parse_formula
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.results.result import Result
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.study import Study

NOT_SAID = re.compile(r"device|distort|randomis", re.IGNORECASE)
NO_DESIGN = "No design was given, so no answer is taken as randomised."
"""The one remark whose subject it is."""
PEOPLE = 300

ASKED: dict[str, Callable[[pp.Survey], Result]] = {
    "share": lambda s: s.share("drug = yes"),
    "share among": lambda s: s.share("drug = yes", where="sex = F"),
    "count": lambda s: s.count("drug = yes and age < 30"),
    "mean": lambda s: s.mean("pay", "sex = F"),
    "ratio": lambda s: s.ratio("pay", "age"),
    "quantile": lambda s: s.quantile("pay", where="sex = F"),
    "distribution": lambda s: s.distribution("pay", bins=4),
    "distribution of values": lambda s: s.distribution("town", where="age < 30"),
    "table": lambda s: s.table("town", "drug"),
    "table among": lambda s: s.table("town", "drug", where="sex = F"),
    "compare": lambda s: s.compare("drug=yes", "town"),
    "compare answers": lambda s: s.compare("drug=yes", against="job=yes"),
    "participants": lambda s: s.participants("drug = yes", size=3),
    "regress": lambda s: s.regress("drug=yes ~ sex + age", effects=True, predict=["sex=F;age=30"]),
    "regress mean": lambda s: s.regress("pay ~ sex + age"),
    "regress values": lambda s: s.regress("town ~ sex"),
    "correlate": lambda s: s.correlate("age", "pay"),
}
ROLES = {
    "plain": {},
    "weights": {"weights": "w", "strata": "region", "cluster": "psu"},
    "persons": {"person": "person"},
    "respondents": {"weights": "w", "options": {"target": "respondents"}},
}


def answers() -> pd.DataFrame:
    draw = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "sex": draw.choice(["F", "M"], PEOPLE),
            "town": draw.choice(["Ash", "Elm", "Oak"], PEOPLE),
            "drug": draw.choice(["no", "yes"], PEOPLE, p=[0.8, 0.2]),
            "job": draw.choice(["no", "yes"], PEOPLE),
            "age": draw.integers(18, 60, PEOPLE),
            "pay": draw.normal(2000, 300, PEOPLE).round(1),
            "person": np.repeat(np.arange(PEOPLE // 3), 3),
            "w": draw.choice([1.0, 2.0], PEOPLE),
            "psu": draw.integers(0, 30, PEOPLE),
            "region": draw.choice(["a", "b"], PEOPLE),
        }
    )


def texts(found: Result) -> Iterator[str]:
    yield from (found.sentence(), *found.readings(), *found.remarks, *found.methods())
    for sheet in found.tables():
        yield from (sheet.title, sheet.note, *(one.head for one in sheet.columns))
    for drawn in found.pictures():
        yield from (drawn.title, found.picture(drawn.name).note)
    yield found.summary()


def wrong(said: Iterator[str]) -> list[str]:
    return [one for one in said if NOT_SAID.search(str(one).replace(NO_DESIGN, ""))]


def test_that_every_question_to_answers_is_asked_here() -> None:
    names = {place.name for place in QUESTIONS if place.of_survey}
    assert names - {name.split()[0] for name in ASKED} == {"compliance", "list_item"}


@pytest.mark.parametrize("roles", ROLES)
@pytest.mark.parametrize("name", ASKED)
def test_that_undistorted_answers_are_told_without_a_device(name: str, roles: str) -> None:
    if (name, roles) == ("correlate", "respondents"):
        pytest.skip("correlations are of the population only")
    assert wrong(texts(ASKED[name](pp.Survey(answers(), **ROLES[roles])))) == []


@pytest.mark.parametrize("given", [{}, {"weights": "w"}], ids=["plain", "weights"])
def test_that_distributions_of_undistorted_answers_are_told_without_a_device(given) -> None:
    asked = answers()[["drug", "town", "pay", "w"]]
    assert wrong(texts(pp.reconstruct(asked, pp.Survey(asked).design, **given))) == []


def test_that_nobody_follows_instructions_where_none_were_given() -> None:
    with pytest.raises(ParameterError, match="no instructions to follow") as caught:
        pp.Survey(answers()).compliance("drug")
    assert caught.value.field == "attribute"


@pytest.mark.parametrize("name", ["count", "mean", "regress"])
def test_that_methods_of_undistorted_answers_name_no_device(name: str) -> None:
    asked = {
        "count": Question("count", condition=parse_condition("drug = yes")),
        "mean": Question("mean", of="pay"),
        "regress": Question("regression", model=Regress(formula=parse_formula("drug=yes ~ sex"))),
    }[name]
    survey = pp.Survey(answers())
    study = Study.of_distorted(survey.data.whole(), survey.design, "open")
    answer = answer_question(asked, study, DistortedCache())
    assert isinstance(answer, SurveyResult)
    assert wrong(iter(methods_of(answer))) == []
