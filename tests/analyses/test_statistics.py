"""Every statistic answers for itself, and a new one is a class that nobody else has to know."""

from __future__ import annotations

import csv
import dataclasses
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from arm_studies import distorted_study
from studies import listed_study, noisy_study

import ppworkbench
from ppworkbench.analyses.compliance.compliance import ComplianceRequest
from ppworkbench.analyses.estimates.list_item import ListItem
from ppworkbench.analyses.estimates.request import EstimateInput, SurveyRequest
from ppworkbench.analyses.estimates.result import SurveyResult
from ppworkbench.analyses.regression.regress import Regress
from ppworkbench.analyses.survey.answers import SurveyResult as Answer
from ppworkbench.analyses.survey.answers import (
    answer_question,
    answer_sheet,
    command_of,
    methods_of,
    told_answer,
    write_result,
)
from ppworkbench.analyses.survey.history import (
    PastQuestion,
    history_from_json,
    history_to_json,
)
from ppworkbench.analyses.survey.questions import Question, problem_of, statistics
from ppworkbench.core.design import Identity
from ppworkbench.core.message import Message
from ppworkbench.core.models import parse_formula
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.core.survey.counts import count
from ppworkbench.outputs.scripts.results import survey_analysis
from ppworkbench.results.sheet import Column, Kind, Sheet
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.study import Study

PACKAGE = Path(ppworkbench.__file__).parent
DRUG = parse_condition("drug = yes")
MODEL = Regress(formula=parse_formula("drug=yes ~ job"))
QUESTIONS = {
    one.statistic: one
    for one in (
        Question("count", DRUG),
        Question("mean", DRUG, of="pay"),
        Question("ratio", of="first", by="second"),
        Question("quantile", of="pay"),
        Question("distribution", DRUG, of="town"),
        Question("crosstab", of="town", by="drug"),
        Question("compare", of="drug", value="yes", by="town"),
        Question("regression", model=MODEL),
        Question("compliance", compliance=ComplianceRequest("drug")),
        Question("list", inquiry=ListItem("theft")),
        Question("participants", DRUG, size=5),
    )
}


def ask(question: Question) -> Answer:
    study: Study = listed_study() if question.inquiry else distorted_study(400, arms=None)
    if "first" in question.attributes:
        study = noisy_study()
    found = answer_question(question, study, DistortedCache())
    assert isinstance(found, Answer), found
    return found


def test_that_every_statistic_is_tried_here():
    assert set(QUESTIONS) == set(statistics)


def test_that_nobody_chooses_by_the_name_of_a_statistic():
    """Whoever wants to know something of a statistic asks it."""
    compares = re.compile(r"\.statistic (?:==|!=|in\b|not in\b)")
    found = [
        f"{path.relative_to(PACKAGE)}: {line.strip()}"
        for folder in ("study", "gui", "api", "cli")
        for path in sorted((PACKAGE / folder).rglob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if compares.search(line)
    ]
    assert found == []


@pytest.mark.parametrize("name", list(statistics))
def test_that_a_statistic_takes_fields_of_a_question(name):
    fields = {one.name for one in dataclasses.fields(Question)}
    kind = statistics[name]
    assert set(kind.takes) <= fields - {"statistic"}
    assert not kind.own_question or kind.own_question in kind.takes


@pytest.mark.parametrize("name", list(statistics))
def test_that_what_a_statistic_does_not_take_makes_no_other_question(name):
    """Fields that were left from another statistic are neither kept nor compared."""
    asked = QUESTIONS[name]
    left = {
        "of": "pay", "by": "town", "size": 3, "draw": "random", "seed": 8, "value": "yes",
        "reference": "a", "at": (0.1,), "target": "respondents", "method": "sequential",
        "model": MODEL, "arms": ("A",), "by_arm": True, "condition": DRUG,
        "inquiry": ListItem("theft"), "compliance": ComplianceRequest("drug"),
    }  # fmt: skip
    changes = {field: value for field, value in left.items() if field not in asked.kind.takes}
    other = asked.with_(**changes)
    assert other.essence == asked.essence
    assert other.to_json() == asked.to_json()
    assert Question.from_json(asked.to_json()) == asked.essence
    own = asked.kind.own_question
    assert not own or asked.to_json()[own] == getattr(asked, own).to_kept()


@pytest.mark.parametrize("name", list(statistics))
def test_that_an_answer_is_told_in_every_way(name, tmp_path: Path):
    """As a table, a file, a row of the history, a paragraph, a command and a script."""
    answer = ask(QUESTIONS[name])
    assert answer_sheet(answer).rows
    for ending in ("csv", "tsv", "tex"):
        if name == "participants" and ending == "tex":
            continue  # a list of records is written in the formats of data
        write_result(answer, tmp_path / f"answer.{ending}")
        assert (tmp_path / f"answer.{ending}").stat().st_size > 0
    row = PastQuestion.of_answer(answer)
    assert row.has_numbers
    kept = () if statistics[name].lists_people else (row,)
    assert history_from_json(history_to_json((row,))) == kept
    assert methods_of(answer)
    assert told_answer(answer)
    assert command_of(answer).startswith("ppworkbench ")
    assert survey_analysis(answer).title
    assert (answer.interval_contents is not None) == answer.kind.has_interval


def test_that_the_history_names_no_device_where_nothing_was_randomised():
    asked = Question(condition=DRUG)
    study = distorted_study(400, arms=None).with_perturbations({"drug": Identity()})
    answer = answer_question(asked, study, DistortedCache())
    assert isinstance(answer, Answer)
    row = PastQuestion.of_answer(answer)
    assert history_from_json(history_to_json((row,))) == (row,)
    assert row.interval_contents == answer.interval_contents
    assert "device" not in str(row.interval_contents)


@dataclass(frozen=True)
class Odds:
    """Those who meet a condition for each who does not."""

    odds: float
    remarks: tuple[str, ...] = ()

    @property
    def sentence(self) -> Message:
        return Message("The odds are {odds:.2f}.", odds=self.odds)

    def to_json(self) -> dict[str, Any]:
        return {"odds": self.odds}


class OddsResult(SurveyResult):
    def kept(self) -> tuple[tuple[float], int]:
        return (self.found.odds,), 2

    def described(self, whom: str) -> Message:
        return Message("The odds of {whom}", whom=whom)

    def sheets(self) -> tuple[Sheet, ...]:
        odds = Column("odds", Message("odds"), Kind.NUMBER, [self.found.odds])
        return (Sheet("odds", Message("Odds"), (odds,)),)


@dataclass(frozen=True, kw_only=True)
class AskOdds(SurveyRequest):
    """A statistic that the program does not have."""

    name = "share"
    finds = OddsResult
    takes = ("condition",)
    is_from_counts = True
    needs_condition = True
    has_interval = False
    kept_numbers = 1

    def estimate(self, given: EstimateInput) -> Odds:
        found = count(given.source, given.design, self.where, self.method, **self.shared(given))
        share = found.value.estimate / found.respondents
        return Odds(share / (1 - share), found.remarks)


def test_that_a_new_statistic_needs_its_request_only(monkeypatch, tmp_path: Path):
    """It is asked, kept, told and written without a line elsewhere."""
    monkeypatch.setitem(statistics, "odds", AskOdds)
    question = Question("odds", DRUG, method="sequential", of="pay", by_arm=True)
    answer = ask(question)
    share = ask(Question("count", DRUG)).number
    assert share is not None
    expected = share.estimate / (1 - share.estimate)
    assert isinstance(answer.result, Odds)
    assert math.isclose(answer.result.odds, expected)
    assert answer.question == Question("odds", DRUG)
    assert not question.with_(condition=parse_condition("")).asks_something
    assert problem_of(question.with_(condition=parse_condition("nobody = 1")), answer.study.design)
    write_result(answer, tmp_path / "odds.csv")
    with (tmp_path / "odds.csv").open() as file:
        assert list(csv.reader(file)) == [["odds"], [str(answer.result.odds)]]
    (row,) = history_from_json(history_to_json((PastQuestion.of_answer(answer),)))
    assert row.question == answer.question
    assert row.numbers == (expected,)
    assert row.has_numbers
    assert methods_of(answer)[0].startswith("The odds of drug = yes was estimated")
    assert command_of(answer).startswith("ppworkbench share arms-distorted.csv")
    assert survey_analysis(answer).arguments == {"where": "drug = yes"}
