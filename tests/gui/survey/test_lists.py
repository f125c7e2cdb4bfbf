"""Lists on the Survey page: asked, changed, shown, kept and exported."""

from __future__ import annotations

import json

import numpy as np
import pytest
from asking import asked_questions, make_page, settle, small_study
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton
from window_hands import press_segment, waiting_jobs

from ppworkbench.analyses.estimates.list_item import ListItem
from ppworkbench.analyses.survey.questions import LIST, Question
from ppworkbench.core.compliance.assess_list import ListResult, assess_list
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.design_file import design_from_json
from ppworkbench.gui.pages.survey.results_area import ListView
from ppworkbench.study.files.study_file import open_study, save_study
from ppworkbench.study.study import Study

SHORT, LONG = (8, 132, 222, 227), (19, 123, 229, 219, 34)


def list_study(long: tuple[int, ...] = LONG) -> Study:
    """The published counts as an analyst has them, with two predictors."""
    yes_no = {"kind": "binary", "values": ["no", "yes"]}
    lists = {
        name: {"count": count, "items": ["gas", "sport", "firms"], "short": ["A"], "long": ["B"]}
        for name, count in (("neighbour", "y"), ("other", "y2"))
    }
    design = design_from_json(
        {
            "format": "ppworkbench-design",
            "version": 2,
            "attributes": {
                "south": yes_no,
                "male": yes_no,
                "drug": {**yes_no, "perturbation": {"type": "forced", "p_truth": 0.7}},
                "w": {"kind": "integer", "domain": [1, 9]},
            },
            "arms": {"column": "version", "members": {"A": {"share": 0.5}, "B": {"share": 0.5}}},
            "lists": lists,
        }
    )
    counts = np.concatenate([np.repeat(np.arange(len(one)), one) for one in (SHORT, long)])
    n = len(counts)
    rng = np.random.default_rng(5)
    data = {
        "south": rng.integers(0, 2, n), "male": rng.integers(0, 2, n),
        "drug": rng.integers(0, 2, n), "w": rng.integers(1, 4, n), "y": counts,
        "y2": np.minimum(counts, 3), "version": np.arange(n) >= sum(SHORT),
    }  # fmt: skip
    columns = [Column(design[name].attribute, values) for name, values in data.items()]
    return Study.of_distorted(Table(tuple(columns)), design, "lists")


@pytest.fixture
def page(qtbot, workbench):
    return make_page(qtbot, workbench, list_study())


def test_that_a_cancelled_first_estimate_asks_for_no_condition_and_can_be_asked_for_again(
    qtbot, workbench
):
    # The page asks by itself, and a list has its answer in a blink.
    with waiting_jobs(workbench.jobs):
        page = make_page(qtbot, workbench, list_study())
        notice, button = page.results.waiting, page.findChild(QPushButton, "fitModel")
        assert page.card.statistic.current == LIST
        assert page.results.currentWidget() is notice.parentWidget()
        promise = "It appears as soon as the list is estimated."
        qtbot.waitUntil(lambda: notice.advice.text() == promise)
        assert not button.isVisible()
        qtbot.waitUntil(lambda: not page.is_about_to_ask)
        page.cancel_action.trigger()
    settle(qtbot, page)
    assert page.answer is None
    assert notice.advice.text() == "The list has not been estimated."
    assert button.text() == "Estimate the list"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    settle(qtbot, page)
    assert page.answer.question.statistic == LIST


def show_list(qtbot, page) -> ListView:
    """Choose the list as a user does, and wait."""
    press_segment(qtbot, page.card.statistic, LIST)
    settle(qtbot, page)
    return page.results.list


def shares(view: ListView) -> list[list[str]]:
    """The estimates as they are read, below their heads."""
    return view.share.table.texts()[1:]


def test_that_a_click_on_list_shows_the_difference_and_another_the_likelihood(qtbot, page):
    """In words, with the intervals side by side, and what the likelihood assumes."""
    view = show_list(qtbot, page)
    assert page.results.currentWidget() is view
    assert "6.8" in view.words.words
    assert shares(view) == [["difference in means", "6.8\u202f%", "5.0\u202f%"]]
    assert view.share.table.sheet["low"].values == [100 * page.answer.result.difference.low]
    assert [series.name for series in view.counts.chart.picture.marks] == [
        "short list", "long list",
    ]  # fmt: skip
    press_segment(qtbot, page.card.list_bar.method, "ml")
    settle(qtbot, page)
    assert [row[:2] for row in shares(view)] == [
        ["difference in means", "6.8\u202f%"], ["likelihood", "14.1\u202f%"],
    ]  # fmt: skip
    assumed = "as the likelihood assumes (chi-square test of all counts in both lists): p = 0.0715"
    assert any(assumed in said for said in view.notes.texts)


def test_that_a_likelihood_that_the_counts_contradict_is_marked(qtbot, workbench):
    """The window says so, and the result is the difference."""
    page = make_page(qtbot, workbench, list_study((9, 78, 172, 184, 139)))
    view = show_list(qtbot, page)
    press_segment(qtbot, page.card.list_bar.method, "ml")
    settle(qtbot, page)
    assert "contradict what it assumes" in view.words.words
    assert any("Keep to the difference" in said for said in view.notes.texts)
    assert page.answer.result.share == page.answer.result.difference


def test_that_counts_types_doubts_and_beliefs_are_told(qtbot, page):
    """With a warning of the ceiling, and epsilon without a bound."""
    view = show_list(qtbot, page)
    told = view.counts.chart.summary().split("; ")
    assert told[0] == "0, 0\u202f%: short list 1.4\u202f%, long list 3.0\u202f%"
    assert told[-1] == "4, 100\u202f%: long list 5.4\u202f%"
    assert len(view.types.table.texts()) == 1 + 4
    said = "\n".join(view.notes.texts)
    assert "p = 0.1539" in said
    assert "\n38.5\u202f% of the short list" in said
    assert "Epsilon is ∞" in said
    assert "The interval includes" not in said
    assert view.coefficients.isHidden()


def test_that_the_pointer_over_a_count_tells_its_numbers(qtbot, page):
    """A box is painted over the bars while the pointer is there, and no longer."""
    chart = show_list(qtbot, page).counts.chart
    page.setUpdatesEnabled(True)
    without = chart.grab().toImage()
    qtbot.mouseMove(chart.viewport(), QPoint(chart.width() // 2, chart.height() // 2))
    qtbot.waitUntil(lambda: chart.grab().toImage() != without)
    QTest.mouseMove(page, QPoint(1, 1))
    qtbot.waitUntil(lambda: chart.grab().toImage() == without)


@pytest.mark.slow
def test_that_predictors_are_added_and_removed_by_hand(qtbot, page):
    """Only those that are not randomised are offered; the result is that of the library."""
    view = show_list(qtbot, page)
    bar = page.card.list_bar
    qtbot.mouseClick(bar.add_button, Qt.MouseButton.LeftButton)
    field = bar.findChild(QLineEdit, "predictorFilter")
    qtbot.waitUntil(field.isVisible)
    QTest.keyClicks(field, "south")
    QTest.keyClick(field, Qt.Key.Key_Return)
    settle(qtbot, page)
    assert [chip.words for chip in bar.terms] == ["south"]
    picture = view.coefficients.chart.picture
    assert picture.y.labels == ("south[yes]",)
    assert picture.x.title == "change of the share"
    study = page.store.study
    expected = assess_list(
        study.distorted, study.design, ListItem("neighbour", predictors=("south",))
    )
    found = page.answer.result
    assert isinstance(found, ListResult)
    assert found.to_json() == expected.to_json()
    bar.terms[0].setFocus()
    QTest.keyClick(bar.terms[0], Qt.Key.Key_Delete)
    settle(qtbot, page)
    assert bar.terms == []
    assert view.coefficients.isHidden()


@pytest.mark.slow
def test_that_methods_and_ends_are_chosen(qtbot, page):
    """Least squares without predictors are the difference; the ceiling ends at its bound."""
    view = show_list(qtbot, page)
    bar = page.card.list_bar
    press_segment(qtbot, bar.method, "nls")
    settle(qtbot, page)
    assert shares(view)[1][1].startswith("6.8")
    assert bar.ends.isHidden()
    press_segment(qtbot, bar.method, "ml")
    settle(qtbot, page)
    qtbot.mouseClick(bar.ceiling, Qt.MouseButton.LeftButton, pos=QPoint(8, 8))
    settle(qtbot, page)
    assert shares(view)[-1] == ["leave it out, ceiling", "0.0\u202f%", "–"]
    press_segment(qtbot, bar.method, "difference")
    settle(qtbot, page)
    assert not page.answer.question.inquiry.ceiling


@pytest.mark.slow
def test_that_another_list_is_chosen(qtbot, page):
    """By the keyboard."""
    show_list(qtbot, page)
    box = page.card.list_bar.list
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Down)
    box.activated.emit(box.currentIndex())
    settle(qtbot, page)
    assert page.answer.question.inquiry.attribute == "other"


@pytest.mark.slow
def test_that_history_brings_a_list_back_also_after_saving(qtbot, page, tmp_path):
    """With the same numbers."""
    view = show_list(qtbot, page)
    told = shares(view)
    press_segment(qtbot, page.card.statistic, "mean")
    settle(qtbot, page)
    asked = next(one for one in asked_questions(page) if one.statistic == LIST)
    path = tmp_path / "lists.ppstudy"
    save_study(page.store.study, path)
    page.store.open(open_study(path))
    settle(qtbot, page)
    page.bring_back(asked)
    settle(qtbot, page)
    assert shares(page.results.list) == told


def test_that_copies_are_a_table_a_paragraph_and_a_command(qtbot, page):
    """Each from its button."""
    show_list(qtbot, page)
    clipboard = QApplication.clipboard()
    page.copy_action.trigger()
    assert "difference\t" in clipboard.text() or "difference" in clipboard.text()
    page.methods_action.trigger()
    assert "list experiment" in clipboard.text()
    page.command_action.trigger()
    assert clipboard.text().startswith("ppworkbench list lists-distorted.csv --design")
    assert json.dumps(page.model.question.to_json())


def test_that_a_design_without_lists_does_not_offer_them(qtbot, workbench):
    """An old question about a list says what to do."""
    page = make_page(qtbot, workbench, small_study())
    settle(qtbot, page)
    assert LIST not in page.card.statistic.keys
    page.model.set(Question(LIST, inquiry=ListItem("neighbour")))
    settle(qtbot, page)
    assert "make one on Design" in page.card.problem.text()


def test_that_weights_leave_the_difference_alone(qtbot, workbench):
    """The other methods are grey, with the reason."""
    study = list_study().with_sampling(Sampling(weight="w"))
    page = make_page(qtbot, workbench, study)
    settle(qtbot, page)
    view = show_list(qtbot, page)
    assert [row[0] for row in shares(view)] == ["difference in means"]
    press_segment(qtbot, page.card.list_bar.method, "difference")
    page.card.list_bar.method.choose("ml")
    assert page.card.list_bar.method.current == "difference"
