"""Likely members: in the attack view with a warning, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
from asking import CONDITION, distorted_study, small_study
from exploring import make_page, settle

from ppworkbench.analyses.survey.history import (
    RESULTS,
    PastQuestion,
    history_from_json,
    history_to_json,
)
from ppworkbench.analyses.survey.questions import COUNT, PARTICIPANTS, Question, statistics
from ppworkbench.core.data.files import read_table
from ppworkbench.core.survey.participants import participants
from ppworkbench.gui.pages.explore.attack_settings import MEMBERS
from ppworkbench.gui.pages.explore.attack_view import ATTACK
from ppworkbench.gui.pages.survey import SurveyPage
from ppworkbench.study.distorted_cache import distorted_answers
from ppworkbench.study.files.study_file import open_study, save_study


@pytest.fixture
def page(qtbot, workbench):
    page = make_page(qtbot, workbench, small_study())
    page.show_half(ATTACK)
    settle(qtbot, page)
    page.lab.settings.rows[MEMBERS].radio.click()
    settle(qtbot, page)
    return page


def look_for(qtbot, page, condition, size=0):
    """Enter a condition as a person does; the list that came."""
    card = page.lab.members.card
    card.condition.setText(condition)
    card.condition.editingFinished.emit()
    card.size_box.setValue(size)
    settle(qtbot, page)
    return page.lab.members


def cells(shown, column):
    """What a column of the list says; nothing where there is no list."""
    told = shown.table.texts()[1:] if shown.table.isVisible() else []
    return [row[column] for row in told]


def test_that_the_list_stands_below_a_warning_and_is_that_of_the_core(qtbot, page):
    study = page.store.study
    found = participants(distorted_answers(study).distorted, study.design, CONDITION, size=20)
    shown = look_for(qtbot, page, CONDITION, size=20)
    assert "do not publish it or pass it on" in shown.card.warning.text()
    assert "do not publish" not in shown.card.remarks.text()
    assert [int(cell) - 1 for cell in cells(shown, 0)] == found.rows.tolist()
    assert shown.table.texts()[0] == ["Record", "vote", "town", "True status", "Posterior"]
    votes, towns = (study.original[name].data[found.rows] for name in ("vote", "town"))
    truly = (votes == 1) & np.isin(towns, (0, 2))
    assert [cell == "yes" for cell in cells(shown, 3)] == truly.tolist()
    assert f"{truly.sum()} of the 20 listed" in shown.card.truth.text()
    assert not page.lab.picture.isVisible()
    analysis, _ = page.analysis()
    assert analysis.function == "participants"
    page.lab.settings.rows["guess"].radio.click()
    settle(qtbot, page)
    assert page.lab.picture.isVisible()
    assert not shown.isVisible()


def test_that_as_many_are_listed_as_the_estimate_says(qtbot, page):
    shown = look_for(qtbot, page, "vote = yes")
    count = shown.answer.result.count
    assert len(cells(shown, 0)) == round(count.share.estimate * count.respondents)


def test_that_the_draw_and_its_seed_make_another_list(qtbot, page):
    shown = look_for(qtbot, page, CONDITION, size=20)
    first = cells(shown, 0)
    shown.card.draw.choose("random")
    settle(qtbot, page)
    drawn = cells(shown, 0)
    shown.card.again.click()
    settle(qtbot, page)
    assert len({tuple(first), tuple(drawn), tuple(cells(shown, 0))}) == 3


def test_that_answers_without_the_true_ones_have_a_list_too(qtbot, page):
    page.store.open(distorted_study())
    settle(qtbot, page)
    shown = look_for(qtbot, page, "vote = yes")
    assert cells(shown, 0)
    assert not shown.card.truth.isVisible()


@pytest.mark.parametrize(("condition", "told"), [
    ("", "Enter a condition"), ("vote = perhaps", "perhaps"), ("nobody = 1", "nobody"),
])  # fmt: skip
def test_that_a_condition_that_says_nothing_is_told(qtbot, page, condition, told):
    look_for(qtbot, page, "vote = yes")
    shown = look_for(qtbot, page, condition)
    assert told in shown.card.summary.text()
    assert not cells(shown, 0)
    assert not shown.card.export.isVisible()


def test_that_the_list_is_exported_with_all_answers(qtbot, page, dialogs, tmp_path):
    shown = look_for(qtbot, page, CONDITION, size=12)
    path = tmp_path / "list.csv"
    shown.card.export.click()
    dialogs.choose(path)
    settle(qtbot, page)
    found = read_table(path)
    assert found.names == ("record", "town", "vote", "mood", "age", "pay", "posterior")
    assert np.array_equal(found["record"].data, shown.answer.result.rows + 1.0)


def test_that_the_survey_page_offers_no_list_and_no_study_keeps_one(qtbot, page, tmp_path):
    look_for(qtbot, page, CONDITION)
    assert not page.store.is_modified
    assert not page.store.study.results
    survey = SurveyPage(page.workbench)
    qtbot.addWidget(survey)
    offered = {name for name, _ in survey.card._statistics}
    assert offered == set(statistics) - {PARTICIPANTS}
    # A study of before still opens, without the lists that it kept.
    kept = [PastQuestion(Question(name)) for name in (PARTICIPANTS, COUNT)]
    study = small_study().with_results(RESULTS, history_to_json(tuple(kept)))
    save_study(study, tmp_path / "old.ppw")
    read = history_from_json(open_study(tmp_path / "old.ppw").results[RESULTS])
    assert [row.question.statistic for row in read] == [COUNT]
