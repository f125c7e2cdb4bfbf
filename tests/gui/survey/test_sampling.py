"""Weights, strata, clusters and the target on the Survey page."""

import math

import pytest
from asking import (
    ask,
    asked_questions,
    lines,
    make_page,
    past_rows,
    settle,
    small_study,
    told_rows,
)
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit
from sampled_answers import twelve_answers
from window_hands import press_segment

from ppworkbench.analyses.survey.answers import answer_question
from ppworkbench.analyses.survey.questions import (
    CROSSTAB,
    PARTICIPANTS,
    Question,
)
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.design import Uniform
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.crosstabs import crosstab
from ppworkbench.core.survey.group_differences import compare
from ppworkbench.core.survey.means import mean
from ppworkbench.core.survey.participants import participants
from ppworkbench.core.survey.quantiles import quantile
from ppworkbench.core.survey.ratios import ratio
from ppworkbench.core.survey.splits import split_share
from ppworkbench.gui.pages.survey import texts
from ppworkbench.results.picture import Interval, Role
from ppworkbench.study.study import Study

ROLES = Sampling("weight", ("stratum",), "cluster")


@pytest.fixture
def twelve():
    table, design = twelve_answers()
    return Study.of_distorted(table, design, "twelve").with_sampling(ROLES)


@pytest.fixture
def page(qtbot, workbench, twelve):
    return make_page(qtbot, workbench, twelve)


def choose(box, words):
    """Take an entry of a list with the keyboard."""
    place = box.findText(words)
    assert place >= 0
    box.showPopup()
    view = box.view()
    QTest.keyClick(view, Qt.Key.Key_Home)
    for _ in range(box.count()):
        if view.currentIndex().row() != place:
            QTest.keyClick(view, Qt.Key.Key_Down)
    QTest.keyClick(view, Qt.Key.Key_Return)


def badges(page):
    bar = page.findChild(object, "sampleBadges")
    return [label.text() for label in bar.findChildren(QLabel) if label.isVisible()]


def contents(page):
    line = page.findChild(QLabel, "intervalContents")
    return line.words() if line.isVisible() else ""


def compared(page) -> list[str]:
    """The groups of every difference."""
    return [" ".join(row[:2]) for row in told_rows(page, "differences")]


def test_that_a_share_is_that_of_the_sampling_and_says_so(qtbot, page, twelve):
    ask(qtbot, page, "z = b")
    found = count(twelve.distorted, twelve.design, "z = b", sampling=ROLES)
    card = page.results.number.estimate
    assert card.number.text() == texts.EstimateFormat.of_share().text(found.share.estimate)
    assert "8.3" in card.number.text()
    assert "About 15 of 180 people" in card.reading.text()
    assert badges(page)[:4] == [
        "the population", "weight weight", "strata stratum", "clusters cluster",
    ]  # fmt: skip
    assert [words.rsplit(" ", 1)[0] for words in badges(page)[4:]] == [
        "sampling effect", "effective n",
    ]  # fmt: skip
    assert contents(page).startswith(
        "The interval includes: the randomness of the device, who happened to be drawn."
    )
    assert "weights that were themselves estimated" in contents(page)
    assert [one.name for one in lines(card.plot)[:2]] == ["the population", "these respondents"]


@pytest.mark.slow
def test_that_the_target_changes_number_interval_and_words_together(qtbot, page):
    ask(qtbot, page, "z = b")
    press_segment(qtbot, page.card.target, "respondents")
    settle(qtbot, page)
    card = page.results.number.estimate
    assert page.answer.result.share.standard_error == pytest.approx(0.297560, abs=1e-6)
    assert card.number.text().startswith("12.5")
    assert "12 people who answered" in card.reading.text()
    assert badges(page) == ["these respondents", "everybody counts the same"]
    assert contents(page).endswith("who was asked.")
    assert [question.target for question in asked_questions(page)] == ["respondents", "population"]
    press_segment(qtbot, page.card.target, "population")
    settle(qtbot, page)
    assert card.number.text().startswith("8.3")


@pytest.mark.slow
def test_that_without_roles_everything_is_as_before_but_the_line(qtbot, workbench):
    page = make_page(qtbot, workbench, small_study())
    ask(qtbot, page, "vote = yes")
    assert badges(page) == []
    assert page.answer.result.sample is None
    assert contents(page).startswith("The interval includes: the randomness of the device, who")
    page.card.method.choose("sequential")
    settle(qtbot, page)
    assert page.model.question.method == "sequential"
    press_segment(qtbot, page.card.target, "respondents")
    settle(qtbot, page)
    assert page.model.question.method == "joint"
    assert page.answer.result.sample.target == "respondents"
    assert not page.card.method.isVisible()
    press_segment(qtbot, page.card.target, "population")
    settle(qtbot, page)
    assert page.card.method.isVisible()


def test_that_the_split_takes_the_sampling(qtbot, page, twelve):
    ask(qtbot, page, "z = a")
    choose(page.results.number.split.by, "split by stratum")
    settle(qtbot, page)
    found = split_share(twelve.distorted, twelve.design, "stratum", "z = a", sampling=ROLES)
    rows = lines(page.results.number.split.chart)
    assert [row.name for row in rows] == ["N", "S"]
    for row, share in zip(rows, found.shares, strict=True):
        assert row.marks[Role.ESTIMATE] == Interval(share.estimate, share.low, share.high)
    apart = compare(twelve.distorted, twelve.design, "z", "stratum", value="a", sampling=ROLES)
    for one, other in zip(found.shares, apart.groups, strict=True):
        assert one.estimate == pytest.approx(other.estimate)
        assert one.standard_error == pytest.approx(other.standard_error)


def test_that_a_mean_has_its_effect(qtbot, page, twelve):
    ask(qtbot, page, "", statistic="mean", of="y")
    found = mean(twelve.distorted, twelve.design, "y", sampling=ROLES)
    assert found.value.estimate == pytest.approx(5.705556, abs=1e-6)
    assert page.answer.result.value == found.value
    details = found.value.details
    assert badges(page)[-2:] == [
        f"sampling effect {details.sampling_effect:.2f}",
        f"effective n {details.effective_n:.0f}",
    ]


@pytest.mark.slow
def test_that_groups_are_compared_by_fields_of_the_question(qtbot, page, twelve):
    press_segment(qtbot, page.card.statistic, "compare")
    choose(page.card.findChild(QComboBox, "surveyOf"), "z")
    choose(page.card.findChild(QComboBox, "surveyValue"), "c")
    choose(page.card.findChild(QComboBox, "surveyBy"), "stratum")
    settle(qtbot, page)
    found = compare(twelve.distorted, twelve.design, "z", "stratum", value="c", sampling=ROLES)
    view = page.results.found
    assert view.isVisible()
    assert view.pictures["groups"].chart.picture.things.labels == ("N", "S")
    (only,) = found.differences
    (told,) = told_rows(page, "differences")
    assert told[:2] == ["S", "N"]
    # Groups of six people are too small for a test.
    assert math.isnan(only.p)
    assert told[-1] == told[-2] == "–"
    assert "S minus N: difference" in view.words.words
    choose(page.card.findChild(QComboBox, "surveyOf"), "y")
    settle(qtbot, page)
    assert page.answer.result.of == "y"
    assert not page.card.findChild(QComboBox, "surveyValue").isVisible()
    page.copy()
    copied = QApplication.clipboard().text()
    assert "p (Holm)" in copied
    assert asked_questions(page)[0].statistic == "compare"


@pytest.mark.slow
def test_that_quantiles_are_asked_for_by_percentages(qtbot, page, twelve):
    press_segment(qtbot, page.card.statistic, "quantile")
    choose(page.card.findChild(QComboBox, "surveyOf"), "y")
    settle(qtbot, page)
    found = quantile(twelve.distorted, twelve.design, "y", sampling=ROLES)
    assert page.answer.result.quantiles == found.quantiles
    rows = told_rows(page, "quantiles")
    assert [row[0] for row in rows] == ["25.0\u202f%", "50.0\u202f%", "75.0\u202f%"]
    assert rows[1][1] == "6.00"
    field = page.card.findChild(QLineEdit, "surveyAt")
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "10; 62.5")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    settle(qtbot, page)
    assert page.answer.question.at == (0.1, 0.625)
    assert [row[0] for row in told_rows(page, "quantiles")] == ["10.0\u202f%", "62.5\u202f%"]
    field.selectAll()
    qtbot.keyClicks(field, "many")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert page.model.question.at == (0.1, 0.625)


def test_that_a_list_of_likely_members_takes_the_weights(page, twelve):
    asked = Question(PARTICIPANTS, parse_condition("z = a"))
    answer = answer_question(asked, page.store.study, page.workbench.answers)
    found = participants(twelve.distorted, twelve.design, "z = a", sampling=ROLES)
    assert answer.result.posterior.tolist() == found.posterior.tolist()
    assert not any("not used" in remark for remark in answer.remarks)


def test_that_other_roles_are_asked_again_at_once(qtbot, page):
    ask(qtbot, page, "z = b")
    before = page.answer
    page.store.apply(page.store.study.with_sampling(Sampling("weight")), "roles")
    settle(qtbot, page)
    assert page.answer is not before
    assert badges(page)[:2] == ["the population", "weight weight"]
    assert len(badges(page)) == 4


def test_that_an_estimate_without_freedom_has_no_interval(qtbot, workbench):
    table, design = twelve_answers(clusters=[1] * 12)
    study = Study.of_distorted(table, design, "one").with_sampling(Sampling(cluster="cluster"))
    page = make_page(qtbot, workbench, study)
    ask(qtbot, page, "z = b")
    card = page.results.number.estimate
    assert card.interval.text() == "no interval"
    ask(qtbot, page, "", statistic="compare", of="z", value="a", by="stratum")
    assert told_rows(page, "differences")[0][-2:] == ["–", "–"]


def test_that_methods_and_history_carry_target_roles_and_contents(qtbot, page):
    ask(qtbot, page, "z = b")
    page.copy_methods()
    said = QApplication.clipboard().text()
    assert "weight weight, strata stratum, clusters cluster" in said
    assert "The sampling effect is" in said
    assert "12 respondents represent" in said
    assert "The interval includes" in said
    assert past_rows(page)[0][6] == "the population"
    tip = page.asked.table.model().index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "weight weight, strata stratum, clusters cluster" in tip
    assert "It leaves out" in tip
    kept = page.store.study.results["survey"]["asked"][0]
    assert kept["sampling"] == ROLES.to_json()
    press_segment(qtbot, page.card.target, "respondents")
    settle(qtbot, page)
    page.copy_methods()
    said = QApplication.clipboard().text()
    assert "12 people who answered" in said
    assert "strata" not in said


def test_that_the_uncorrected_design_of_a_role_stays_undistorted(page):
    page.store.set_perturbation(["stratum"], Uniform(keep=0.5))
    assert page.store.study.design.perturbation("stratum").is_identity
    assert page.store.undo_stack.count() == 0


@pytest.mark.slow
def test_that_groups_are_compared_with_a_reference_that_is_chosen(qtbot, page, twelve):
    press_segment(qtbot, page.card.statistic, "compare")
    choose(page.card.findChild(QComboBox, "surveyOf"), "y")
    choose(page.card.findChild(QComboBox, "surveyBy"), "z")
    settle(qtbot, page)
    box = page.card.findChild(QComboBox, "surveyReference")
    assert compared(page) == ["b a", "c a", "c b"]
    assert [box.itemText(i) for i in range(box.count())] == [
        "all pairs", "each against a", "each against b", "each against c",
    ]  # fmt: skip
    choose(box, "each against b")
    settle(qtbot, page)
    found = compare(twelve.distorted, twelve.design, "y", "z", reference="b", sampling=ROLES)
    assert page.answer.result.differences == found.differences
    assert compared(page) == ["a b", "c b"]
    assert asked_questions(page)[0].reference == "b"
    choose(box, "all pairs")
    settle(qtbot, page)
    assert len(compared(page)) == 3


def test_that_other_groups_forget_the_reference(qtbot, page):
    ask(qtbot, page, "", statistic="compare", of="y", by="z", reference="c")
    box = page.card.findChild(QComboBox, "surveyReference")
    assert box.currentText() == "each against c"
    choose(page.card.findChild(QComboBox, "surveyBy"), "stratum")
    settle(qtbot, page)
    assert page.model.question.reference == ""
    assert box.currentText() == "all pairs"
    assert compared(page) == ["S N"]


def test_that_the_ratio_of_two_numbers_is_shown_with_its_interval(qtbot, page, twelve):
    ask(qtbot, page, "", statistic="ratio", of="y", by="weight")
    expected = ratio(twelve.distorted, twelve.design, "y", "weight", sampling=ROLES)
    card = page.results.currentWidget().estimate
    assert card.number.text() == f"{expected.value.estimate:.4f}"
    assert "The ratio of y to weight is about" in card.reading.text()
    page.copy_methods()
    assert "The ratio of y to weight" in QApplication.clipboard().text()
    (row,) = asked_questions(page)
    assert (row.statistic, row.of, row.by) == ("ratio", "y", "weight")


@pytest.mark.slow
def test_that_a_cross_table_says_how_far_it_is_from_independence(qtbot, page, twelve):
    ask(qtbot, page, "", statistic=CROSSTAB, of="z", by="stratum")
    found = crosstab(twelve.distorted, twelve.design, "z", "stratum", sampling=ROLES)
    label = page.results.found.words.label
    assert label.isVisible()
    assert "Largest difference from independence: “c” with “S”, about" in label.text()
    assert "such surveys" in label.text()
    assert (
        f"F = {found.independence.f:.2f} with {found.independence.degrees[0]:.1f} and"
        in label.text()
    )
    assert "significant" not in label.text()
    page.copy_methods()
    assert "Rao-Scott test of independence" in QApplication.clipboard().text()
    press_segment(qtbot, page.card.target, "respondents")
    settle(qtbot, page)
    assert page.answer.result.sample.target == "respondents"


def test_that_a_simple_random_sample_has_the_test_as_well(qtbot, workbench):
    page = make_page(qtbot, workbench, small_study())
    ask(qtbot, page, "", statistic=CROSSTAB, of="town", by="vote")
    label = page.results.found.words.label
    assert label.isVisible()
    assert "and ∞ degrees of freedom" in label.text()
    # The towns vote differently.
    assert page.answer.result.independence.p < 0.01
