"""Survey with arms: which of them count, each by itself, and whether they agree."""

from __future__ import annotations

import dataclasses
import shlex

import pytest
from arm_studies import ARMS, arm_design, distorted_study, original_study, people
from asking import ask, asked_questions, make_page, settle
from designs import classic_study
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox

from ppworkbench.analyses.estimates.request import estimate, estimate_by_arm
from ppworkbench.analyses.survey.answers import (
    answer_question,
    answer_sheet,
    command_of,
    methods_of,
)
from ppworkbench.analyses.survey.history import history_from_json
from ppworkbench.analyses.survey.questions import Question
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.design import Additive
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.core.survey.group_differences import compare
from ppworkbench.gui.pages.survey.statistic_words import past_cells, past_details
from ppworkbench.study.distorted_cache import Answers


@pytest.fixture
def page(qtbot, workbench):
    return make_page(qtbot, workbench, distorted_study(900))


def switch(page, qtbot) -> None:
    """Click the switch and wait for the estimate."""
    QTest.mouseClick(page.card.arm_bar.switch, Qt.MouseButton.LeftButton)
    settle(qtbot, page)


def test_that_a_design_without_arms_offers_none(qtbot, workbench):
    page = make_page(qtbot, workbench, classic_study(people(100), "plain"))
    settle(qtbot, page)
    assert page.card.arm_bar.isHidden()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "rows"),
    [
        (Question(condition=parse_condition("drug = yes")), 3),
        pytest.param(Question("mean", of="pay"), 2, marks=pytest.mark.slow),
        pytest.param(Question("distribution", of="town"), 9, marks=pytest.mark.slow),
        (Question("crosstab", of="drug", by="town"), 18),
    ],
)
def test_that_every_arm_is_a_row_as_the_command_line_has_it(page, qtbot, question, rows):
    page.model.set(question)
    settle(qtbot, page)
    assert page.answer is not None
    switch(page, qtbot)
    assert page.answer.question.by_arm
    study = page.store.study
    found = estimate_by_arm(question.request, Answers(study.distorted), study.design, seed=2024)
    assert page.answer.by_arm.to_json() == found.to_json()
    view = page.results.currentWidget()
    card = view.arms if page.answer.kind.is_number else view.pictures["arms"]
    assert card.isVisible()
    assert len(card.chart.picture.things.labels) == rows
    words = card.sentence.text() if page.answer.kind.is_number else view.notes.texts[0]
    assert words.startswith("If all arms had the same true value")
    switch(page, qtbot)
    assert card.isHidden()


def test_that_the_pooled_estimate_uses_each_row_s_own_arm(page, qtbot):
    ask(qtbot, page, "drug = yes")
    study = page.store.study
    found = estimate(page.answer.question.request, Answers(study.distorted), study.design)
    assert page.answer.result.to_json() == found.to_json()
    share = page.answer.result.share
    assert abs(share.estimate - people(900)["drug"].data.mean()) < 4 * share.standard_error


@pytest.mark.slow
def test_that_arms_can_be_left_out(page, qtbot):
    ask(qtbot, page, "drug = yes")
    whole = page.answer.result.respondents
    page.findChild(QCheckBox, "arm-direct").click()
    settle(qtbot, page)
    assert page.model.question.arms == ("A", "B")
    assert page.answer.result.respondents < whole
    page.findChild(QCheckBox, "arm-A").click()
    settle(qtbot, page)
    assert page.model.question.arms == ("B",)
    own = ARMS.take(page.store.study.distorted, ["B"])
    assert page.answer.result.respondents == own.rows
    # The last one stays, and one arm by itself has nothing to be compared with.
    assert not page.findChild(QCheckBox, "arm-B").isEnabled()
    assert not page.card.arm_bar.switch.isEnabled()
    page.findChild(QCheckBox, "arm-A").click()
    page.findChild(QCheckBox, "arm-direct").click()
    settle(qtbot, page)
    assert page.model.question.arms == ()
    assert page.answer.result.respondents == whole


def test_that_contradicting_arms_are_remarked_and_their_mean_can_be_chosen(qtbot, workbench):
    study = distorted_study(900)
    drug = study.distorted["drug"].data.copy()
    drug[study.distorted["version"].data == 2] = 0
    told = study.distorted.replace(study.distorted["drug"].with_(data=drug))
    page = make_page(qtbot, workbench, dataclasses.replace(study, distorted=told))
    ask(qtbot, page, "drug = yes")
    bar = page.card.arm_bar
    assert bar.mean.isVisible()
    pooled = page.answer.result.share.estimate
    assert any("The arms do not agree" in one for one in page.answer.remarks)
    QTest.mouseClick(bar.mean, Qt.MouseButton.LeftButton)
    settle(qtbot, page)
    assert page.answer.question.pooling == "mean"
    assert page.answer.result.share.estimate > pooled + 0.02
    assert any("Shown is the mean" in one for one in page.answer.remarks)
    assert Question.from_json(page.answer.question.to_json()) == page.answer.question
    assert "--pooling mean" in command_of(page.answer)
    # Several questions at once are a mean of arms anyway.
    ask(qtbot, page, "drug = yes and town = a")
    assert not bar.mean.isVisible()


def test_that_a_question_that_the_arms_do_not_ask_is_named(page, qtbot):
    ask(qtbot, page, statistic="mean", of="pay", arms=("direct",))
    assert "do not ask" in page.card.problem.text()
    assert "pay" in page.card.problem.text()
    page.findChild(QCheckBox, "arm-A").click()
    settle(qtbot, page)
    assert page.card.problem.isHidden()


def test_that_a_pair_that_no_arm_asks_together_is_named(qtbot, workbench):
    arms = Arms(
        "version",
        (DesignArm("A", 0.5, (), ("town",)), DesignArm("B", 0.5, (), ("drug",))),
    )
    page = make_page(qtbot, workbench, distorted_study(300, arms))
    ask(qtbot, page, statistic="crosstab", of="drug", by="town")
    assert page.answer is None
    assert "No arm asks both" in page.results.refused.advice.text()


def test_that_a_number_with_another_noise_is_estimated_in_one_arm(qtbot, workbench):
    noise = Additive(noise="normal", sigma=3.0, integer="round")
    arms = Arms("version", (DesignArm("A", 0.5), DesignArm("B", 0.5, (("pay", noise),))))
    page = make_page(qtbot, workbench, distorted_study(400, arms))
    ask(qtbot, page, statistic="mean", of="pay")
    assert "choose an arm" in page.results.refused.advice.text()
    page.findChild(QCheckBox, "arm-A").click()
    settle(qtbot, page)
    assert page.answer is not None
    assert page.answer.result.value.estimate == pytest.approx(47, abs=4)


def test_that_history_methods_command_and_table_tell_the_arms(page, qtbot):
    ask(qtbot, page, "drug = yes", arms=("A", "B"), by_arm=True)
    answer = page.answer
    (asked,) = [one for one in asked_questions(page) if one.by_arm]
    assert asked.arms == ("A", "B")
    (kept,) = history_from_json(page.store.study.results["survey"])[:1]
    assert kept.question == answer.question
    assert "by arm" in past_cells(kept)[1]
    assert any("A, B" in line for line in past_details(kept))
    said = " ".join(methods_of(answer))
    assert "arms A, B, direct" in said
    assert "Only answers of the arms A, B count." in said
    assert answer.by_arm.equality.sentence in said
    assert page.command_action.isVisible()
    page.command_action.trigger()
    words = shlex.split(QGuiApplication.clipboard().text())
    assert words[:2] == ["ppworkbench", "share"]
    assert words[-5:] == ["--arm", "A", "--arm", "B", "--by-arm"]
    assert {*answer_sheet(answer)["arm"].values} == {"", "A", "B"}


@pytest.mark.slow
def test_that_compare_regression_and_quantiles_take_some_arms(page, qtbot):
    ask(qtbot, page, statistic="compare", of="drug", by="town", value="yes", arms=("B",))
    own = ARMS.take(page.store.study.distorted, ["B"])
    alone = compare(own, arm_design().of_arm("B"), "drug", "town", value="yes")
    for found, wanted in zip(page.answer.result.differences, alone.differences, strict=True):
        assert found.estimate == pytest.approx(wanted.estimate)
        # Everybody else stays in the sample, which n / (n - 1) tells.
        assert found.standard_error == pytest.approx(wanted.standard_error, rel=0.003)
    assert not page.card.arm_bar.switch.isEnabled()
    ask(qtbot, page, statistic="quantile", of="pay", arms=("A",))
    assert page.answer is not None
    ask(qtbot, page, statistic="regression", arms=("B",))
    assert page.answer.result.n == own.rows
    page.command_action.trigger()
    assert QGuiApplication.clipboard().text().endswith("--arm B")


@pytest.mark.slow
def test_that_the_truth_is_that_of_the_arm(qtbot, workbench):
    page = make_page(qtbot, workbench, original_study(600))
    ask(qtbot, page, "drug = yes", arms=("B",))
    answers = workbench.answers.of(page.store.study)
    rows = answers.distorted["version"].data == 1
    assert page.answer.result.value.true == answers.original["drug"].data[rows].sum()
    ask(qtbot, page, "drug = yes")
    assert page.answer.result.value.true == answers.original["drug"].data.sum()


def test_that_a_sampling_goes_with_arms(qtbot, workbench):
    study = original_study(600).with_sampling(Sampling(cluster="town"))
    page = make_page(qtbot, workbench, study)
    ask(qtbot, page, "drug = yes", by_arm=True)
    assert page.answer.by_arm is not None
    assert page.answer.result.sample is not None


def test_that_arms_that_are_gone_are_not_asked_for(page, qtbot):
    ask(qtbot, page, "drug = yes", arms=("A",), by_arm=False)
    assert page.answer is not None
    study = page.store.study
    page.store.unlock_held(True)
    page.store.apply(study.with_(design=arm_design(None), distorted=study.distorted), "no arms")
    settle(qtbot, page)
    assert page.model.question.arms == ()
    assert page.card.arm_bar.isHidden()


@pytest.mark.slow
def test_that_the_sequential_method_says_why_it_cannot(page, qtbot):
    ask(qtbot, page, "drug = yes", method="sequential")
    assert page.answer.question.method == "joint"
    ask(qtbot, page, "pay > 50", method="sequential")
    assert page.answer.question.method == "sequential"


def test_that_likely_members_are_listed_by_their_own_device(page):
    asked = Question("participants", parse_condition("drug = yes"), size=10)
    answer = answer_question(asked, page.store.study, page.workbench.answers)
    listed = answer.distorted["version"].data[answer.result.rows]
    assert (listed == 2).all()
