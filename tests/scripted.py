"""Questions of Survey whose answers are given again by scripts."""

from __future__ import annotations

from ppworkbench.core.compliance.question import ComplianceQuestion
from ppworkbench.core.models import RegressionOptions, parse_formula
from ppworkbench.core.survey import parse_condition
from ppworkbench.study.analyses.regression.questions import ModelQuestion
from ppworkbench.study.analyses.survey.answers import SurveyResult, answer_question
from ppworkbench.study.analyses.survey.questions import Question
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.study import Study

MODEL = ModelQuestion(parse_formula("vote=yes ~ mood + age"), RegressionOptions())
WHERE = parse_condition("vote = yes")
QUESTIONS = {
    "share": Question("count", WHERE),
    "share of two": Question("count", parse_condition("vote = yes and age < 40")),
    "mean": Question("mean", WHERE, of="age"),
    "quantile": Question("quantile", of="age", at=(0.1, 0.5)),
    "distribution": Question("distribution", WHERE, of="town"),
    "sequential": Question("distribution", WHERE, method="sequential", of="town"),
    "table": Question("crosstab", of="town", by="vote"),
    "compare": Question("compare", of="vote", value="yes", by="town", reference="Ash"),
    "participants": Question("participants", WHERE, size=5, draw="random", seed=9),
    "regression": Question("regression", model=MODEL),
    "compliance": Question("compliance", compliance=ComplianceQuestion("vote", band=(0.0, 0.2))),
}


def answered(question: Question, study: Study) -> SurveyResult:
    found = answer_question(question, study, DistortedCache())
    assert isinstance(found, SurveyResult), found
    return found
