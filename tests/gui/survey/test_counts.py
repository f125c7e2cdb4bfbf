"""Counts and means on the Survey page, and how a condition splits them: the numbers of the core."""

from __future__ import annotations

import re

import numpy as np
import pytest
from asking import (
    CONDITION,
    PEOPLE,
    ask,
    distorted_study,
    lines,
    make_page,
    past_rows,
    settle,
    small_study,
)
from PySide6.QtCore import Qt

from ppworkbench.core.data.edits import set_title, set_unit
from ppworkbench.core.data.table import Column
from ppworkbench.core.design import Additive, Uniform
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.means import mean
from ppworkbench.core.survey.splits import split_share
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
    assert card.reading.text().startswith(f"About {found.estimate:.1f} of {PEOPLE} respondents")
    assert f"interval {found.low:.1f} to {found.high:.0f}" in card.reading.text()
    marks = {line.name: line.only.estimate * PEOPLE for line in lines(card.plot)}
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
    assert past_rows(page)[0][:2] == ["For it is yes", "mean of Hourly pay"]
    assert page.card.text.text() == "vote = yes"


@pytest.mark.slow
def test_that_a_study_of_distorted_answers_shows_no_truth(qtbot, workbench):
    page = make_page(qtbot, workbench, distorted_study())
    ask(qtbot, page, CONDITION)
    study = page.store.study
    found = count(study.distorted, study.design, CONDITION).value
    card = page.results.number.estimate
    assert card.number.text() == f"{100 * found.estimate / PEOPLE:.1f}{THIN}%"
    assert [line.name for line in lines(card.plot)] == ["joint", "sequential", "uncorrected"]
    assert page.results.number.split.chart.legend.entries[-1][0] == "distorted"
    ask(qtbot, page, "vote = yes", statistic="distribution", of="town")
    shown = page.results.found.sheets["distribution"].table.model()
    last = shown.headerData(shown.columnCount() - 1, Qt.Orientation.Horizontal)
    assert last == "uncorrected"


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
    assert "arises by chance; treat it as 0." in card.remarks.label.text()
    assert lines(card.plot)[0].only.estimate < 0


@pytest.mark.slow
def test_that_a_single_record_has_an_answer_without_an_interval(qtbot, workbench):
    page = make_page(qtbot, workbench, small_study(1))
    ask(qtbot, page, "vote = yes")
    card = page.results.number.estimate
    assert card.interval.text() == "no interval from 1 record"
    assert np.isnan(lines(card.plot)[0].only.low)
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
    estimates = [line.marks[Role.ESTIMATE].estimate for line in lines(card.chart)]
    assert estimates == pytest.approx([share.estimate for share in found.shares])
    assert [line.is_strong for line in lines(card.chart)] == [True, False, True, False]
    assert card.heading.text() == "Share with vote is yes, by town"


def test_that_another_attribute_can_be_chosen(qtbot, page):
    ask(qtbot, page, CONDITION)
    card = page.results.number.split
    card.by.setCurrentIndex(card.by.findData("mood"))
    card.by.activated.emit(card.by.currentIndex())
    settle(qtbot, page)
    assert [line.name for line in lines(card.chart)] == ["bad", "fair", "good"]
    ask(qtbot, page, "vote = yes")
    assert card.by.currentData() == "mood"


def test_that_a_negative_share_is_drawn_where_its_words_say(qtbot, page, told):
    study = page.store.study
    nobody = study.original.replace(Column(study.original["vote"].attribute, np.zeros(PEOPLE, int)))
    page.store.open(study.with_(original=nobody).with_perturbations({"vote": Uniform(keep=0.7)}))
    ask(qtbot, page, "vote = yes", by="town")
    plot, split = page.results.number.split.chart, page.beside.now.split
    found = dict(zip(split.labels, split.values, strict=True))
    negative = []
    for line in lines(plot):
        mark = line.marks[Role.ESTIMATE]
        share = found[line.name]
        ends = [share.estimate, share.low, share.high]
        half = (ends[2] - ends[1]) / 2
        estimate = number(round(100 * ends[0]) + 0.0)
        reach = f"± {number(round(100 * half))}{THIN}%"
        if ends[0] < ends[1]:
            told_ends = [number(round(100 * end)) for end in ends[1:]]
            reach = f"({told_ends[0]} to {told_ends[1]}{THIN}%)"
        assert line.note == f"{estimate} {reach}"
        assert line.caption.startswith("n = ")
        assert f"{line.name}: " in plot.summary()
        negative += [mark] if mark.estimate < 0 else []
        (low, high), _ = plot.viewRange()
        assert low < max(mark.low, -0.3)
        assert high > min(mark.high, 1.3)
    assert negative, "this draw has no negative estimate; choose another one"


def test_that_a_mean_is_split_too(qtbot, page, told):
    ask(qtbot, page, "", statistic="mean", of="pay")
    study, card = page.store.study, page.results.number.split
    line = lines(card.chart)[1]
    whole = mean(told, study.design, "pay", "town = Beech", original=study.original)
    assert line.caption == f"n = {number(round(whole.size))}"
    found = whole.value
    assert {role: mark.estimate for role, mark in line.marks.items()} == pytest.approx(
        {Role.ESTIMATE: found.estimate, Role.REPORTED: found.naive, Role.TRUE: found.true}
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
    names = [line.name for line in lines(card.plot)]
    assert names[-1] == "any peaks"
    widths = [line.only.high - line.only.low for line in lines(card.plot)]
    assert widths[-1] >= widths[0]
    ask(qtbot, page, "pay < 50")
    assert card.sharper.isVisible()
    assert "any peaks" not in [line.name for line in lines(card.plot)]
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
    assert "joint" not in [line.name for line in lines(card.plot)]
    ask(qtbot, page, "pay < 40", statistic="quantile", of="pay")
    assert "too strong" in page.results.found.words.words
