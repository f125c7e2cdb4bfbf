"""The question of the Survey page: chosen, shown and asked."""

from __future__ import annotations

import threading

import pytest
from asking import CONDITION, ask, asked_questions, chips, make_page, settle, small_study
from examples import sweep
from layout_check.named import unnamed
from PySide6.QtCore import Qt
from window_hands import press_segment

from ppworkbench.analyses.survey.history import PastQuestion, history_from_json
from ppworkbench.analyses.survey.questions import Question, statistics
from ppworkbench.core.design import Uniform
from ppworkbench.core.survey import counts, means
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.gui.language import speech
from ppworkbench.gui.pages.survey import history_card
from ppworkbench.gui.pages.survey.statistic_words import lead_of, notice_of, past_cells

# The question


@pytest.mark.slow
def test_that_nothing_asked_yet_says_what_to_do(qtbot, page):
    settle(qtbot, page)
    assert page.results.currentWidget() is page.results.empty.parentWidget()
    assert not page.copy_action.isEnabled()
    assert not page.export_action.isEnabled()
    assert "no estimate" in page.copy_action.toolTip()
    page.results.empty.button.click()
    assert page.card.editor.isVisible()
    field = page.card.editor.attribute.lineEdit()
    qtbot.keyClicks(field, "vote = yes and age < 35")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert not page.card.editor.isVisible()
    settle(qtbot, page)
    assert str(page.answer.question.condition) == "vote = yes and age < 35"
    assert page.results.currentWidget() is page.results.number


def test_that_a_study_with_a_sensitive_answer_begins_with_its_share(qtbot, workbench):
    page = make_page(qtbot, workbench, small_study().with_sensitive("vote", ("yes",)))
    settle(qtbot, page)
    assert str(page.answer.question.condition) == "vote = yes"


def test_that_the_question_which_the_page_asks_by_itself_changes_no_study(qtbot, workbench):
    page = make_page(qtbot, workbench, small_study().with_sensitive("vote", ("yes",)))
    settle(qtbot, page)
    assert [str(q.condition) for q in asked_questions(page)] == ["vote = yes"]
    assert not page.store.is_modified
    assert "survey" not in page.store.study.results
    # Both are kept as soon as somebody asks.
    ask(qtbot, page, "age < 35")
    assert page.store.is_modified
    kept = history_from_json(page.store.study.results["survey"])
    assert [str(row.question.condition) for row in kept] == ["age < 35", "vote = yes"]


def test_that_compare_takes_over_no_test_of_what_it_compares(qtbot, workbench):
    page = make_page(qtbot, workbench, small_study().with_sensitive("town", ("Ash",)))
    page.model.set_condition(parse_condition("town = Ash and mood = bad"))
    press_segment(qtbot, page.card.statistic, "compare")
    assert (page.model.question.of, chips(page)) == ("town", ["mood is bad"])
    assert not page.card.problem.isVisible()
    settle(qtbot, page)
    assert page.answer.question.statistic == "compare"
    # Nor when something else is compared; what was set aside comes back with what takes it.
    page.card.of.setCurrentIndex(2)
    page.card.of.activated.emit(2)
    assert (page.model.question.of, chips(page)) == ("mood", ["town is Ash"])
    assert not page.card.problem.isVisible()
    press_segment(qtbot, page.card.statistic, "count")
    assert sorted(chips(page)) == ["mood is bad", "town is Ash"]
    settle(qtbot, page)


@pytest.mark.slow
def test_that_an_answer_on_the_way_to_another_is_not_kept(qtbot, page, monkeypatch):
    monkeypatch.setattr(history_card, "BRIEF", 60.0)
    for text in ("age < 3", "age < 35", "age < 35 and vote = yes"):
        page.model.set_text(text)
        settle(qtbot, page)
    assert [str(q.condition) for q in asked_questions(page)] == ["age < 35 and vote = yes"]


@pytest.mark.parametrize("statistic", ["count", "mean", "distribution", "crosstab"])
def test_that_the_statistic_is_chosen_and_shown(page, statistic):
    page.card.statistic.choose("mean" if statistic == "count" else "count")
    page.card.statistic.choose(statistic)
    assert page.model.question.statistic == statistic
    assert page.card.of.isVisible() == (statistic in ("mean", "distribution", "crosstab"))
    assert page.card.by.isVisible() == (statistic == "crosstab")
    page.model.change(statistic="count")
    assert page.card.statistic.current == "count"


@pytest.mark.parametrize(
    "name", [name for name in list(statistics) if not statistics[name].lists_people]
)
def test_that_the_window_has_words_for_every_statistic(name):
    asked = Question(name, of="pay", by="town")
    row = PastQuestion(asked, numbers=(1.0,) * asked.kind.kept_numbers)
    assert row.has_numbers
    whom, what, estimate, *_ = past_cells(row)
    assert whom
    assert what
    assert "1" in estimate
    fields = {"of", "by", "at", "value", "reference"} & {*asked.kind.takes}
    for language in ("en", "pl"):
        speech.choose(language)
        lead = lead_of(name, has_values=True)
        assert sorted(one for one in lead if "{" in one) == sorted(f"{{{one}}}" for one in fields)
    speech.choose("en")
    assert (notice_of(asked, True) is not None) == bool(asked.kind.own_question)


@pytest.mark.slow
def test_that_the_window_has_a_view_for_every_statistic_of_the_page(page):
    for name, _ in page.card._statistics:
        assert page.results.indexOf(page.results.view_of(name)) >= 0


def test_that_method_and_attributes_are_chosen_and_shown(page):
    page.card.method.choose("sequential")
    assert page.model.question.method == "sequential"
    page.card.statistic.choose("crosstab")
    combo = page.card.of
    combo.setCurrentIndex(combo.findData("mood"))
    combo.activated.emit(combo.currentIndex())
    assert page.model.question.of == "mood"
    page.model.change(by="vote")
    assert page.card.by.currentData() == "vote"
    page.model.change(by="mood")
    page.model.change(of="town")
    assert page.card.of.currentData() == "town"


def test_that_a_mean_offers_numbers_only(page):
    page.card.statistic.choose("mean")
    offered = [page.card.of.itemData(i) for i in range(page.card.of.count())]
    assert offered == ["age", "pay"]
    assert page.model.question.of == "pay"


def test_that_a_cross_table_of_one_attribute_is_refused(page):
    page.model.change(statistic="crosstab", of="town", by="vote")
    combo = page.card.by
    combo.setCurrentIndex(combo.findData("town"))
    combo.activated.emit(combo.currentIndex())
    # A second attribute is filled in at once, so that there is always something to ask.
    assert page.model.question.by != "town"


def test_that_the_help_of_the_methods_opens(qtbot, page):
    for method in ("sequential", "joint"):
        page.model.change(method=method)
        with qtbot.waitSignal(page.workbench.help_requested) as seen:
            page.card.help.click()
        assert seen.args == [f"{method}-method"]


# Asking


@pytest.mark.slow
def test_that_asking_again_does_no_work_twice(qtbot, page, monkeypatch):
    ask(qtbot, page, CONDITION)
    first = page.answer
    ask(qtbot, page, "vote = no")
    calls = []
    monkeypatch.setattr(counts, "count", lambda *a, **k: calls.append(a))
    ask(qtbot, page, CONDITION)
    assert page.answer is first
    assert not calls


@pytest.fixture
def gate(monkeypatch):
    """Holds the first question until it is opened."""
    opened, first = threading.Event(), []
    real = counts.count

    def slow(*args, progress, **more):
        if not first:
            first.append(True)
            while not opened.wait(0.01):
                progress(0.5, "waiting")
        return real(*args, progress=progress, **more)

    monkeypatch.setattr(counts, "count", slow)
    yield opened
    opened.set()


@pytest.mark.slow
def test_that_the_latest_question_wins(qtbot, page, gate):
    page.model.set_text("vote = no")
    qtbot.waitUntil(page.cancel_action.isVisible)
    page.model.set_text("vote = yes")
    settle(qtbot, page)
    gate.set()
    settle(qtbot, page)
    assert str(page.answer.question.condition) == "vote = yes"
    assert [str(q.condition) for q in asked_questions(page)] == ["vote = yes"]


@pytest.mark.slow
def test_that_cancel_keeps_the_last_answer(qtbot, page, monkeypatch, gate):
    gate.set()
    ask(qtbot, page, "vote = yes")
    before = page.answer
    gate.clear()
    monkeypatch.setattr(
        means, "mean", lambda *a, progress, **k: [progress(0.5) for _ in iter(int, 1)]
    )
    page.model.change(statistic="mean", of="pay")
    qtbot.waitUntil(page.cancel_action.isVisible)
    page.cancel_action.trigger()
    settle(qtbot, page)
    assert page.answer is before
    assert not page.cancel_action.isVisible()
    assert page.export_action.isVisible()


def test_that_an_answer_for_a_design_that_has_changed_meanwhile_never_arrives(qtbot, page, gate):
    page.model.set_text("vote = yes")
    qtbot.waitUntil(lambda: not page.workbench.jobs.is_idle)
    page.store.set_perturbation(["vote"], Uniform(keep=0.7))
    gate.set()
    settle(qtbot, page)
    assert page.answer.study.design is page.store.study.design
    assert len(page.asked.rows) == 1


# All over


@pytest.mark.parametrize(
    "statistic", sweep(["crosstab", "distribution", "count"], quick=("crosstab",))
)
def test_that_every_control_has_a_name(qtbot, page, statistic):
    assert unnamed(page) == []
    ask(qtbot, page, CONDITION, statistic=statistic, of="mood", by="town")
    page.card.bar.add_button.click()
    page.card.editor.attribute.setCurrentIndex(0)
    page.card.editor.attribute.activated.emit(0)
    assert unnamed(page) == []
    assert unnamed(page.card.editor) == []
    page.card.editor.close()


@pytest.mark.slow
def test_that_the_page_survives_another_theme(qtbot, page):
    for statistic in ("crosstab", "distribution", "count"):
        ask(qtbot, page, CONDITION, statistic=statistic, of="mood", by="town")
    light = page.grab().toImage()
    page.themes.choose("dark")
    page.themes.zoom(1.4)
    dark = page.grab().toImage()
    assert dark != light
    page.themes.zoom(1.0)
    page.themes.choose("light")
    assert page.grab().toImage() != dark
