"""Answers of the Survey page that have become old, and the list of what was asked."""

from __future__ import annotations

import pytest
from asking import (
    CONDITION,
    ask,
    asked_questions,
    distorted_study,
    lines,
    make_page,
    past_rows,
    reopened,
    settle,
)
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from studies import make_study

from ppworkbench.analyses.survey.history import (
    RESULTS,
    PastQuestion,
    history_from_json,
    history_to_json,
)
from ppworkbench.analyses.survey.questions import Question
from ppworkbench.core.data.edits import set_title
from ppworkbench.core.design import Uniform
from ppworkbench.gui.language import speech
from ppworkbench.gui.numbers import read_number
from ppworkbench.gui.pages.survey.statistic_words import past_cells
from ppworkbench.study.files.study_file import open_study, save_study


def badge(page):
    label = page.results.number.estimate.stale_badge
    return label.text() if label.isVisible() else ""


def past_questions(page):
    return page.asked.rows


# Old answers


@pytest.mark.slow
def test_that_a_changed_question_is_answered_and_a_faulty_one_marks_the_answer(qtbot, page):
    ask(qtbot, page, CONDITION)
    assert badge(page) == ""
    page.model.set_text("vote = no")
    assert badge(page) == "updating"
    assert page.results.number.estimate.plot.is_stale
    settle(qtbot, page)
    assert badge(page) == ""
    assert str(page.answer.question.condition) == "vote = no"
    page.model.set_text("vote =")
    settle(qtbot, page)
    assert badge(page) == "for the previous question"
    assert page.results.number.split.chart.is_stale
    page.model.set_text(CONDITION)
    settle(qtbot, page)
    assert badge(page) == ""


@pytest.mark.slow
def test_that_a_changed_design_is_asked_again_at_once(qtbot, page):
    ask(qtbot, page, CONDITION)
    before = page.answer
    split = lines(page.results.number.split.chart)
    page.store.set_perturbation(["vote"], Uniform(keep=0.7))
    assert badge(page) == "updating"
    settle(qtbot, page)
    assert badge(page) == ""
    assert page.answer is not before
    assert lines(page.results.number.split.chart) != split
    assert len(asked_questions(page)) == 1
    page.store.undo_stack.undo()
    settle(qtbot, page)
    assert page.answer.result.value == before.result.value


def test_that_the_rail_hears_of_old_answers_also_behind_other_pages(qtbot, page):
    heard = []
    page.stale_changed.connect(heard.append)
    ask(qtbot, page, CONDITION)
    assert not heard[-1]
    page.hide()
    page.store.set_perturbation(["vote"], Uniform(keep=0.7))
    assert heard[-1]
    page.store.undo_stack.undo()
    assert not heard[-1]


def test_that_another_seed_is_another_draw(qtbot, page):
    ask(qtbot, page, CONDITION)
    before = page.results.number.estimate.number.text()
    page.store.set_settings(seed=99)
    settle(qtbot, page)
    assert page.results.number.estimate.number.text() != before


def test_that_another_study_forgets_the_answer(qtbot, page):
    ask(qtbot, page, CONDITION)
    page.store.open(distorted_study())
    page.shown()
    assert page.results.currentWidget() is page.results.empty.parentWidget()
    assert page.card.text.text() == ""
    assert not page.asked.rows


# Asked so far


@pytest.mark.slow
def test_that_questions_are_listed_newest_first_and_once(qtbot, page):
    ask(qtbot, page, CONDITION)
    ask(qtbot, page, "", statistic="mean", of="pay")
    ask(qtbot, page, CONDITION, method="sequential")
    assert [q.statistic for q in asked_questions(page)] == ["count", "mean", "count"]
    page.store.set_settings(seed=5)
    ask(qtbot, page, "", statistic="mean", of="pay")
    assert [q.statistic for q in asked_questions(page)] == ["mean", "count", "count"]
    assert page.asked.count.text() == "3"
    cells = past_rows(page)[1]
    assert cells[:2] == ["vote is yes, town is Ash or Cedar", "count"]
    assert cells[3] == "–"
    assert cells[6] == "sequential"


@pytest.mark.slow
def test_that_a_click_brings_a_question_back(qtbot, page):
    ask(qtbot, page, CONDITION)
    ask(qtbot, page, "age < 30", statistic="mean", of="pay")
    table = page.asked.table
    assert reopened(page) == [0]
    spot = table.visualRect(table.model().index(1, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    settle(qtbot, page)
    assert page.model.text == CONDITION
    assert page.card.statistic.current == "count"
    assert reopened(page) == [1]
    table.setCurrentIndex(table.model().index(0, 0))
    qtbot.keyClick(table, Qt.Key.Key_Return)
    settle(qtbot, page)
    assert page.card.statistic.current == "mean"


def test_that_a_row_is_copied_and_removed(qtbot, page):
    ask(qtbot, page, CONDITION)
    table = page.asked.table
    table.setCurrentIndex(table.model().index(0, 0))
    (copy,) = [one for one in table.actions() if one.text() == "Copy row"]
    copy.trigger()
    lines = QGuiApplication.clipboard().text().split("\n")
    assert lines[0].startswith("Condition\tStatistic\tEstimate")
    assert lines[1].startswith("vote is yes, town is Ash or Cedar\tcount\t")
    qtbot.keyClick(table, Qt.Key.Key_Delete)
    assert not page.asked.rows
    assert page.asked.empty.isVisible()


@pytest.mark.slow
def test_that_questions_are_kept_with_the_study(qtbot, page, tmp_path):
    ask(qtbot, page, CONDITION)
    ask(qtbot, page, CONDITION, statistic="distribution", of="town")
    assert page.store.is_modified
    asked = asked_questions(page)
    path = tmp_path / "kept.ppw"
    save_study(page.store.study, path)
    page.store.open(distorted_study())
    assert not asked_questions(page)
    page.store.open(open_study(path), path)
    page.shown()
    settle(qtbot, page)
    assert asked_questions(page) == asked
    assert not page.asked.is_older(0)
    page.asked.clear_button.click()
    assert not asked_questions(page)


def test_that_answers_of_earlier_versions_of_the_program_are_not_older(qtbot, workbench):
    study = make_study()
    name = study.design.names[0]
    row = PastQuestion(Question("distribution", of=name), mark="4e4adf35b43661b7", numbers=(4,))
    page = make_page(qtbot, workbench, study.with_results(RESULTS, history_to_json((row,))))
    settle(qtbot, page)
    assert not page.asked.is_older(0)
    page.store.set_settings(seed=study.settings.seed + 1)
    settle(qtbot, page)
    assert page.asked.is_older(0)


def test_that_long_statistics_are_whole_where_the_conditions_leave_room(qtbot, workbench):
    study = make_study()
    name = study.design.names[0]
    row = PastQuestion(Question("distribution", of=name), numbers=(4,))
    long = "Satisfaction with the schools in the neighbourhood"
    study = study.with_table(set_title(study.original, name, long))
    page = make_page(qtbot, workbench, study.with_results(RESULTS, history_to_json((row,))))
    (words,) = (row[1] for row in past_rows(page))
    assert long in words
    head, metrics = page.asked.table.horizontalHeader(), page.asked.table.fontMetrics()
    assert head.sectionSize(1) > metrics.horizontalAdvance(words)
    assert head.length() <= page.asked.width()


def test_that_kept_questions_that_cannot_be_read_are_left_out(qtbot, page):
    ask(qtbot, page, CONDITION)
    good = history_to_json(past_questions(page))["asked"][0]
    bad = [None, {}, {"question": {"statistic": "median"}}, {"question": {"condition": "a ="}}]
    kept = history_from_json({"asked": [*bad, good]})
    assert [row.question for row in kept] == asked_questions(page)
    assert history_from_json("nonsense") == ()
    assert history_from_json({"asked": 3}) == ()


@pytest.mark.slow
def test_that_asked_questions_are_shown_in_the_language_of_now(qtbot, page):
    ask(qtbot, page, statistic="mean", of="income")
    ask(qtbot, page, statistic="distribution", of="vote")
    asked = past_questions(page)
    english = [past_cells(row)[2:6] for row in asked]
    speech.choose("pl")
    polish = [past_cells(row)[2:6] for row in history_from_json(history_to_json(asked))]
    assert polish[0] == ("wartości: 2", "", "", "")
    assert [read_number(cell) for cell in polish[1][:1]] == [english_number(english[1][0])]
    ends = [read_number(end) for end in polish[1][1].split(" – ")]
    assert ends == [english_number(end) for end in english[1][1].split(" to ")]
    assert polish[1] != english[1]


def english_number(cell):
    return float(cell.replace(",", "").replace("\u2212", "-"))


def test_that_asked_questions_of_older_studies_keep_their_texts(qtbot, page):
    ask(qtbot, page, CONDITION)
    kept = history_to_json(past_questions(page))
    for damage in (None, [1.0], [10**400] * 5, "12345", [True] * 5, [float("nan")] * 5):
        (row,) = kept["asked"]
        row |= {"numbers": damage, "estimate": "about 40", "decimals": -3}
        (read,) = history_from_json(kept)
        assert past_cells(read)[2] == "about 40"
