"""Compliance without a window: questions that are kept, tables, and the section of a report."""

from __future__ import annotations

import numpy as np
import pytest

from ppworkbench.analyses.command_line import command_of
from ppworkbench.analyses.compliance.compliance import ComplianceRequest, second_arm
from ppworkbench.analyses.compliance.model_choices import (
    first_compliance,
    key_of,
    model_choices,
    with_model,
)
from ppworkbench.analyses.compliance.sentences import reading_rows
from ppworkbench.analyses.survey.answers import SurveyResult, answer_question, answer_sheet
from ppworkbench.analyses.survey.history import RESULTS, PastQuestion, history_to_json
from ppworkbench.analyses.survey.questions import COMPLIANCE, Question
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, Forced, Uniform
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.design import DesignedAttribute
from ppworkbench.core.errors import ParameterError
from ppworkbench.outputs.report import ReportOptions, build_report, report_html
from ppworkbench.results.files import cells_of
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.study import Study

RODE = Attribute("rode", Kind.BINARY, ("no", "yes"), title="Rode free", sensitive=("yes",))


def make_study(*yes: int) -> Study:
    """So many "yes" of 500 in each arm; told "yes" with 0.2, 0.8 and 0.5."""
    names = ("A", "B", "C")[: len(yes)]
    devices = [Forced(1 - p, (0.0, 1.0)) for p in (0.2, 0.8, 0.5)[: len(yes)]]
    members = tuple(
        DesignArm(name, 1 / len(names), (("rode", device),))
        for name, device in zip(names, devices, strict=True)
    )
    table = Table((
        Column(RODE, np.concatenate([np.arange(500) < count for count in yes]).astype(np.int64)),
        Column(Attribute("version", Kind.NOMINAL, names), np.repeat(np.arange(len(yes)), 500)),
    ))  # fmt: skip
    design = Design((DesignedAttribute(RODE, Uniform(keep=0.8)),), arms=Arms("version", members))
    return Study.of_distorted(table, design, "rides")


def answer(study: Study, question: ComplianceRequest | None = None) -> SurveyResult:
    asked = Question(COMPLIANCE, compliance=question or first_compliance(study))
    found = answer_question(asked, study, DistortedCache())
    assert isinstance(found, SurveyResult), found
    return found


@pytest.mark.parametrize(
    "question",
    [
        ComplianceRequest("rode", ("safe", "random"), arms=("A", "B")),
        ComplianceRequest("rode", model="anchor", anchor=("check", 0.15, 0.02)),
        ComplianceRequest("rode", share=0.1, share_error=0.02, band=(0.0, 0.2), reach=0.4),
        ComplianceRequest("rode", safe="no", model="cdm"),
    ],
)
def test_that_a_question_comes_back_from_a_file(question):
    assert ComplianceRequest.from_kept(question.to_kept()) == question
    asked = Question(COMPLIANCE, compliance=question)
    assert Question.from_json(asked.to_json()) == asked.essence


def test_that_a_check_question_is_given_whole_or_in_parts():
    whole = ComplianceRequest("rode", anchor=("check", 0.15, 0.02))
    told = {"attribute": "rode", "anchor": "check", "anchor_p": 0.15, "anchor_share": 0.02}
    assert whole.changed() == told
    assert ComplianceRequest.given(told) == ComplianceRequest.from_json(whole.to_json()) == whole
    older = {"attribute": "rode", "anchor": {"column": "check", "p": 0.15, "share": 0.02}}
    assert ComplianceRequest.from_kept(older) == whole
    assert whole.to_kept() == older


@pytest.mark.parametrize(("yes", "fits"), [((220, 430), True), ((176, 344), False)])
def test_that_full_compliance_is_judged_by_its_test(yes, fits):
    """If 30 % rode free and all follow, and if a fifth of the people always say no."""
    found = answer(make_study(*yes))
    assert (found.result.honesty.p > 0.05) == fits
    said = found.told.readings()[0]
    assert said.startswith("Test that everybody follows: LR = ")


@pytest.mark.parametrize(
    "given", [{}, {"attribute": "a", "model": "magic"}, {"attribute": "a", "band": [0.5, 0.1]}]
)
def test_that_what_is_no_question_is_refused(given):
    with pytest.raises(ParameterError, match=r"."):
        ComplianceRequest.from_kept(given)


def test_that_classes_that_look_alike_in_all_arms_are_offered_with_the_reason():
    """With two answers a third arm of the same kind tells no more."""
    for study in (make_study(210, 390), make_study(210, 390, 300)):
        choices = model_choices(ComplianceRequest("rode"), study.design)
        reasons = {one.key: one.reason for one in choices}
        assert reasons["safe"] is None
        assert "cannot tell apart" in str(reasons["safe+random"])


def test_that_an_estimate_on_the_boundary_is_a_sentence():
    found = answer(make_study(80, 410)).result
    assert "No sign of people who always say “no”" in found.sentence


def test_that_one_arm_tells_what_a_second_would_have_cost():
    study = make_study(210)
    question = first_compliance(study)
    assert question is not None
    assert key_of(question) == "band"
    said = second_arm(answer(study).result)
    assert said is not None
    assert "half of the people" in said


def test_that_the_command_names_what_differs_from_the_usual():
    asked = with_model(ComplianceRequest("rode", arms=("A",)), "known", make_study(210).design)
    said = command_of(asked, "a.csv", "d.json")
    assert said.endswith("--attribute rode --share 0.1 --share-se 0.02 --arm A")


def test_that_the_report_tells_who_followed():
    """Of one arm the band, and what a second one would have cost."""
    reports = Column(RODE, (np.arange(2435) < 831).astype(np.int64))
    design = Design((DesignedAttribute(RODE, Forced(2 / 3, (0.5, 0.5))),))
    study = Study.of_distorted(Table((reports,)), design, "rides")
    kept = history_to_json((PastQuestion.of_answer(answer(study)),))
    report = build_report(study.with_results(RESULTS, kept), ReportOptions(date="2026-01-02"))
    page = report_html(report)
    for words in ("Did people follow the instructions?", "Compliance: Rode free", "26.2",
                  "second arm", "ppworkbench compliance rides.csv"):  # fmt: skip
        assert words in page, words


def test_that_the_window_says_what_the_intervals_of_compliance_include():
    told = "people who do not do what the device says"
    by_model = answer(make_study(240, 405))
    one_arm = answer(make_study(831))
    for found, is_known in ((by_model, True), (one_arm, False)):
        assert found.interval_contents is not None
        assert (told in found.interval_contents) != is_known
        past = PastQuestion.of_answer(found)
        assert past.interval_contents == found.interval_contents


@pytest.mark.parametrize("yes", [(240, 405), (160, 390, 300)], ids=["two arms", "three arms"])
def test_that_the_share_if_all_followed_is_not_called_uncorrected(yes: tuple[int, ...]) -> None:
    """“Uncorrected” is the plain count of reports; this share is corrected for the device."""
    found = answer(make_study(*yes)).result
    texts = [found.sentence]
    texts += [text for row in reading_rows(found) for text in (row.name, row.caption)]
    told = answer(make_study(*yes))
    texts += [text for row in cells_of(answer_sheet(told)) for text in row]
    assert not [text for text in texts if "ncorrected" in text or "ithout correction" in text]
    assert any("if all" in str(text).lower() for text in texts)
    told = found.to_json()
    said, people = (
        sum(of(one["counts"]) for one in told["arms"]) for of in (lambda counts: counts[-1], sum)
    )
    assert told["uncorrected"] == {"estimate": pytest.approx(said / people)}
