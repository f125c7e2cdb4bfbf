"""Counts and means on the Survey page, and how a condition splits them: the numbers of the core."""

from __future__ import annotations

import re

import numpy as np
import pytest
from asking import CONDITION, PEOPLE, ask, distorted_study, make_page, settle, small_study
from PySide6.QtCore import Qt

from ppworkbench.core.data.edits import set_title, set_unit
from ppworkbench.core.data.table import Column
from ppworkbench.core.design import Additive, Uniform
from ppworkbench.core.survey import (
    count,
    mean,
    split_share,
)
from ppworkbench.gui.numbers import THIN, number
from ppworkbench.results.picture import Role

# Count and mean


def test_that_a_count_is_that_of_the_core(qtbot, page, told):
    ask(qtbot, page, CONDITION)
    study = page.store.study
    found = count(told, study.design, CONDITION, original=study.original).value
    card = page.results.number.estimate
    assert card.number.text() == f"{100 * found.estimate / PEOPLE:.1f}{THIN}%"
    assert card.unit.text() == f"± {50 * (found.high - found.low) / PEOPLE:.1f} points"
    ends = f"{100 * found.low / PEOPLE:.1f} to {100 * found.high / PEOPLE:.1f}"
    assert ends in card.interval.text().replace("\u2212", "-")
    assert card.people.text() == f"About {found.estimate:.0f} of {PEOPLE} people"
    assert card.people.toolTip() == f"Between {found.low:.0f} and {found.high:.0f} people"
    marks = {row.name: row.marks[0].value * PEOPLE for row in card.plot.shown}
    assert marks["joint"] == pytest.approx(found.estimate)
    assert marks["uncorrected"] == pytest.approx(found.naive)
    assert marks["true"] == pytest.approx(found.true)
    other = count(told, study.design, CONDITION, "sequential", seed=study.settings.seed)
    assert marks["sequential"] == pytest.approx(other.value.estimate)


def test_that_the_sequential_method_says_what_it_loses(qtbot, page):
    ask(qtbot, page, CONDITION, method="sequential")
    card = page.results.number.estimate
    assert card.interval.text() == "no valid interval"
    assert "sequential alone" in card.steps.text()
    assert "sequential" in card.badge.text()
    assert "loses the association" in card.remarks.label.text()
    ask(qtbot, page, "vote = yes", method="sequential")
    assert "interval" in card.interval.text()
    assert "valid" not in card.interval.text()


def test_that_a_mean_is_that_of_the_core(qtbot, page, told):
    ask(qtbot, page, "vote = yes", statistic="mean", of="pay")
    study = page.store.study
    found = mean(told, study.design, "pay", "vote = yes", original=study.original).value
    card = page.results.number.estimate
    assert card.number.text() == f"{found.estimate:.0f}"
    reach = (found.high - found.low) / 2
    assert card.unit.text() == f"± {reach:.0f}, mean of pay"
    assert not card.people.isVisible()


def test_that_titles_lead_and_a_mean_has_its_unit(qtbot, workbench):
    study = small_study()
    table = set_unit(set_title(study.original, "pay", "Hourly pay"), "pay", "euros")
    page = make_page(qtbot, workbench, study.with_table(set_title(table, "vote", "For it")))
    ask(qtbot, page, "vote = yes", statistic="mean", of="pay")
    card = page.results.number.estimate
    assert re.fullmatch(r"± \d+\u00a0euros, mean of Hourly pay", card.unit.text())
    assert card.interval.text().endswith("\u00a0euros")
    assert page.card.of.currentText() == "Hourly pay"
    assert page.card.bar.chips[0].accessibleName() == "Condition: For it is yes"
    assert "Column: vote" in page.card.bar.chips[0].toolTip()
    assert page.asked.model.rows[0].cells[:2] == ("For it is yes", "mean of Hourly pay")
    assert page.card.text.text() == "vote = yes"


@pytest.mark.slow
def test_that_a_study_of_distorted_answers_shows_no_truth(qtbot, workbench):
    page = make_page(qtbot, workbench, distorted_study())
    ask(qtbot, page, CONDITION)
    study = page.store.study
    found = count(study.distorted, study.design, CONDITION).value
    card = page.results.number.estimate
    assert card.number.text() == f"{100 * found.estimate / PEOPLE:.1f}{THIN}%"
    assert [row.name for row in card.plot.shown] == ["joint", "sequential", "uncorrected"]
    assert page.results.number.split.legend.entries[-1][0] == "distorted"
    ask(qtbot, page, "vote = yes", statistic="distribution", of="town")
    shown = page.results.distribution.model
    last = shown.headerData(shown.columnCount() - 1, Qt.Orientation.Horizontal)
    assert last == "Uncorrected"
    ask(qtbot, page, "", statistic="crosstab", of="town", by="vote")
    assert "true" in page.results.crosstab.shown_as._disabled


def test_that_a_negative_estimate_is_shown_as_it_is_and_explained(qtbot, workbench):
    study = small_study(40).with_perturbations({"vote": Uniform(keep=0.55)})
    page = make_page(qtbot, workbench, study)
    for value in ("yes", "no"):
        ask(qtbot, page, f"vote = {value} and town = 'Old Oak' and mood = bad")
        if page.answer.result.value.estimate < 0:
            break
    else:
        pytest.fail("no seed should make both estimates positive")
    card = page.results.number.estimate
    assert card.number.text().startswith("\u2212")
    assert "arises by chance; treat it as 0." in card.reading.text()
    assert card.people.text().startswith("About 0.0 of 40")
    assert page.results.number.estimate.plot.shown[0].marks[0].value < 0


@pytest.mark.slow
def test_that_a_single_record_has_an_answer_without_an_interval(qtbot, workbench):
    page = make_page(qtbot, workbench, small_study(1))
    ask(qtbot, page, "vote = yes")
    card = page.results.number.estimate
    assert card.interval.text() == "no interval from 1 record"
    assert not card.plot.shown[0].marks[0].has_interval
    assert "Only 1 record;" in card.remarks.label.text()
    for statistic in ("distribution", "crosstab", "mean"):
        of = "pay" if statistic == "mean" else "town"
        ask(qtbot, page, "mood = bad", statistic=statistic, of=of, by="vote")
        assert page.answer.question.statistic == statistic


# The split


def test_that_the_split_is_that_of_the_core(qtbot, page, told):
    ask(qtbot, page, CONDITION)
    study, card = page.store.study, page.results.number.split
    found = split_share(told, study.design, "town", CONDITION, original=study.original)
    assert card.by.currentData() == "town"
    shown = [row.marks for row in card.plot.shown]
    estimates = [next(m.value for m in marks if m.look == "reconstructed") for marks in shown]
    assert estimates == pytest.approx([share.estimate for share in found.shares])
    assert [row.bold for row in card.plot.shown] == [True, False, True, False]
    assert card.heading.text() == "Share with vote is yes, by town"


def test_that_another_attribute_can_be_chosen(qtbot, page):
    ask(qtbot, page, CONDITION)
    card = page.results.number.split
    card.by.setCurrentIndex(card.by.findData("mood"))
    card.by.activated.emit(card.by.currentIndex())
    settle(qtbot, page)
    assert [row.name for row in card.plot.shown] == ["bad", "fair", "good"]
    ask(qtbot, page, "vote = yes")
    assert card.by.currentData() == "mood"


def test_that_a_negative_share_is_drawn_where_its_words_say(qtbot, page, told):
    study = page.store.study
    nobody = study.original.replace(Column(study.original["vote"].attribute, np.zeros(PEOPLE, int)))
    page.store.open(study.with_(original=nobody).with_perturbations({"vote": Uniform(keep=0.7)}))
    ask(qtbot, page, "vote = yes", by="town")
    plot = page.results.number.split.plot
    negative = []
    for row in plot.shown:
        mark = next(m for m in row.marks if m.look == "reconstructed")
        half = (mark.high - mark.low) / 2
        estimate = number(round(100 * mark.value) + 0.0)
        reach = f"± {number(round(100 * half))}{THIN}%"
        if mark.value < mark.low:
            ends = [number(round(100 * end)) for end in (mark.low, mark.high)]
            reach = f"({ends[0]} to {ends[1]}{THIN}%)"
        assert row.note == f"{estimate} {reach}"
        assert row.caption.startswith("n = ")
        assert f"{row.name}: " in plot.summary()
        negative += [mark] if mark.value < 0 else []
        (low, high), _ = plot.viewRange()
        assert low < max(mark.low, -0.3)
        assert high > min(mark.high, 1.3)
    assert negative, "this draw has no negative estimate; choose another one"
    shown = [next(m for m in row.marks if m.look == "reconstructed") for row in plot.shown]
    drawn = next(m for m in plot.picture.marks if m.role is Role.ESTIMATE)
    assert drawn.x.tolist() == [mark.value for mark in shown]


def test_that_a_mean_is_split_too(qtbot, page, told):
    ask(qtbot, page, "", statistic="mean", of="pay")
    study, card = page.store.study, page.results.number.split
    marks = card.plot.shown[1].marks
    whole = mean(told, study.design, "pay", "town = Beech", original=study.original)
    assert card.plot.shown[1].caption == f"n = {number(round(whole.size))}"
    found = whole.value
    assert {m.look: m.value for m in marks} == pytest.approx(
        {"reconstructed": found.estimate, "distorted": found.naive, "original": found.true}
    )
    assert "pay" not in [card.by.itemData(i) for i in range(card.by.count())]


@pytest.mark.slow
def test_that_without_a_condition_there_is_nothing_to_estimate(qtbot, page):
    ask(qtbot, page, "")
    assert page.answer is None
    assert page.results.currentWidget() is page.results.empty.parentWidget()
    ask(qtbot, page, "vote = yes")
    ask(qtbot, page, "")
    assert page.results.number.estimate.stale_badge.text() == "for the previous question"


# Numbers under noise


def noisy_page(qtbot, workbench, spread):
    study = small_study().with_perturbations({"pay": Additive(noise="normal", sigma=spread)})
    return make_page(qtbot, workbench, study)


@pytest.mark.slow
def test_that_the_interval_under_noise_says_what_it_rests_on(qtbot, workbench):
    page = noisy_page(qtbot, workbench, 8.0)
    ask(qtbot, page, "pay < 40")
    card = page.results.number.estimate
    assert page.answer.limits is not None
    assert "worst-case bounds, if no peak of pay is narrower than ±" in card.remarks.label.text()
    assert card.sharper.isVisible()
    for _ in range(2):
        # A second press while it runs, or when it is done, changes nothing.
        card.sharper.click()
    qtbot.waitUntil(lambda: not card.sharper.isVisible())
    settle(qtbot, page)
    names = [row.name for row in card.plot.shown]
    assert names[-1] == "any peaks"
    widths = [row.marks[0].high - row.marks[0].low for row in card.plot.shown if row.marks]
    assert widths[-1] >= widths[0]
    ask(qtbot, page, "pay < 50")
    assert card.sharper.isVisible()
    assert "any peaks" not in [row.name for row in card.plot.shown]
    ask(qtbot, page, "vote = yes")
    assert not card.sharper.isVisible()


@pytest.mark.slow
def test_that_noise_too_strong_for_a_question_gives_no_number(qtbot, workbench):
    page = noisy_page(qtbot, workbench, 150.0)
    ask(qtbot, page, "pay < 40", statistic="mean", of="pay")
    assert page.answer.limits.says_nothing
    card = page.results.number.estimate
    assert card.number.text() == "–"
    assert "too strong for this question" in card.reading.text()
    assert "joint" not in [row.name for row in card.plot.shown]
    ask(qtbot, page, "pay < 40", statistic="quantile", of="pay")
    shown = page.results.quantile
    assert "too strong" in shown.reading.text()
    assert all(mark.look != "reconstructed" for row in shown.plot.shown for mark in row.marks)
