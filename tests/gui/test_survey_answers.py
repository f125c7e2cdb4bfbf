"""Answers of the Survey page: the numbers of the core, in every view."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from asking import ask, distorted_study, make_page, settle, small_study, small_table
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from ppworkbench.core.data.files import read_table
from ppworkbench.core.design import Design, DesignedAttribute, Uniform
from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.survey import (
    count,
    crosstab,
    distribution,
    mean,
    participants,
    split_share,
)
from ppworkbench.gui.pages.survey.crosstab_card import CELL
from ppworkbench.study.study import Study

CONDITION = "vote = yes and town in {Ash, Cedar}"


@pytest.fixture
def page(qtbot, workbench):
    return make_page(qtbot, workbench, small_study())


@pytest.fixture
def told(page):
    """The distorted answers that every page of the study sees."""
    study = page.store.study
    return distort(study.original, study.design, SeededStreams(study.settings.seed))


# Count and mean


def test_that_a_count_is_that_of_the_core(qtbot, page, told):
    ask(qtbot, page, CONDITION)
    study = page.store.study
    found = count(told, study.design, CONDITION, original=study.original).value
    card = page.results.number.estimate
    assert card.number.text() == str(round(found.estimate))
    assert f"{found.low:.0f} to {found.high:.0f}" in card.interval.text().replace("\u2212", "-")
    marks = {row.name: row.marks[0].value for row in card.plot.shown}
    assert marks["joint"] == pytest.approx(found.estimate)
    assert marks["at face value"] == found.naive
    assert marks["true"] == found.true
    other = count(told, study.design, CONDITION, "sequential", seed=study.settings.seed)
    assert marks["sequential"] == pytest.approx(other.value.estimate)


def test_that_the_sequential_method_says_what_it_loses(qtbot, page):
    ask(qtbot, page, CONDITION, method="sequential")
    card = page.results.number.estimate
    assert card.interval.text() == "no valid interval"
    assert "the steps alone" in card.steps.text()
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
    assert card.unit.text() == "mean pay"


def test_that_a_study_of_distorted_answers_shows_no_truth(qtbot, workbench):
    page = make_page(qtbot, workbench, distorted_study())
    ask(qtbot, page, CONDITION)
    study = page.store.study
    found = count(study.distorted, study.design, CONDITION).value
    card = page.results.number.estimate
    assert card.number.text() == str(round(found.estimate))
    assert [row.name for row in card.plot.shown] == ["joint", "sequential", "at face value"]
    assert page.results.number.split.legend.entries[-1][0] == "distorted"
    ask(qtbot, page, "vote = yes", statistic="distribution", of="town")
    assert page.results.distribution.model.heads[-1] == "At face value"
    ask(qtbot, page, "", statistic="crosstab", of="town", by="vote")
    assert "true" in page.results.crosstab.shown_as._disabled
    ask(qtbot, page, CONDITION, statistic="participants")
    assert not page.results.participants.model.knows_truth


def test_that_a_negative_estimate_is_shown_as_0_and_told(qtbot, workbench):
    study = small_study(40).with_perturbations({"vote": Uniform(keep=0.55)})
    page = make_page(qtbot, workbench, study)
    for value in ("yes", "no"):
        ask(qtbot, page, f"vote = {value} and town = 'Old Oak' and mood = bad")
        if page.asker.reply.result.value.estimate < 0:
            break
    else:
        pytest.fail("no seed should make both estimates positive")
    card = page.results.number.estimate
    assert card.number.text() == "0.0"
    assert "kept unclipped for sums" in card.reading.text()
    assert page.results.number.estimate.plot.shown[0].marks[0].value < 0


def test_that_a_single_record_has_an_answer_without_an_interval(qtbot, workbench):
    page = make_page(qtbot, workbench, small_study(1))
    ask(qtbot, page, "vote = yes")
    card = page.results.number.estimate
    assert card.interval.text() == "no interval from a single record"
    assert not card.plot.shown[0].marks[0].has_interval
    assert "Only 1 record counts" in card.remarks.label.text()
    for statistic in ("distribution", "crosstab", "participants", "mean"):
        ask(qtbot, page, "", statistic=statistic, of="pay" if statistic == "mean" else "town",
            by="vote")  # fmt: skip
        assert page.asker.reply is not None or page.asker.refusal is not None


# The split


def test_that_the_split_is_that_of_the_core(qtbot, page, told):
    ask(qtbot, page, CONDITION)
    study, card = page.store.study, page.results.number.split
    found = split_share(told, study.design, "town", CONDITION, original=study.original)
    assert card.by.currentData() == "town"
    shown = [row.marks for row in card.plot.shown]
    estimates = [next(m.value for m in marks if m.look == "reconstructed") for marks in shown]
    expected = [min(max(share.estimate, 0.0), 1.0) for share in found.shares]
    assert estimates == pytest.approx(expected)
    assert [row.bold for row in card.plot.shown] == [True, False, True, False]
    assert card.heading.words() == "Share with vote is yes, by town"


def test_that_another_attribute_can_be_chosen(qtbot, page):
    ask(qtbot, page, CONDITION)
    card = page.results.number.split
    card.by.setCurrentIndex(card.by.findData("mood"))
    card.by.activated.emit(card.by.currentIndex())
    settle(qtbot, page)
    assert [row.name for row in card.plot.shown] == ["bad", "fair", "good"]
    ask(qtbot, page, "vote = yes")
    assert card.by.currentData() == "mood"


def test_that_a_mean_is_split_too(qtbot, page, told):
    ask(qtbot, page, "", statistic="mean", of="pay")
    study, card = page.store.study, page.results.number.split
    marks = card.plot.shown[1].marks
    found = mean(told, study.design, "pay", "town = Beech", original=study.original).value
    assert {m.look: m.value for m in marks} == pytest.approx(
        {"reconstructed": found.estimate, "distorted": found.naive, "original": found.true}
    )
    assert "pay" not in [card.by.itemData(i) for i in range(card.by.count())]


def test_that_without_a_condition_there_is_nothing_to_split(qtbot, page):
    ask(qtbot, page, "")
    card = page.results.number.split
    assert card.absent.isVisible()
    assert not card.by.isEnabled()
    assert page.results.number.estimate.number.text() == "400"


# Distribution, cross table


def test_that_a_distribution_is_that_of_the_core(qtbot, page, told):
    ask(qtbot, page, "vote = yes", statistic="distribution", of="town")
    study, card = page.store.study, page.results.distribution
    found = distribution(told, study.design, "town", "vote = yes", original=study.original)
    series = {s.role: s for s in card.plot._comparison.histogram.series}
    assert series["reconstructed"].share == pytest.approx([s.estimate for s in found.shares])
    assert series["reconstructed"].high == pytest.approx([s.high for s in found.shares])
    assert series["original"].share == pytest.approx([s.true for s in found.shares])
    assert series["distorted"].share == pytest.approx([s.naive for s in found.shares])
    first = card.model.rows[0]
    assert first[0] == "Ash"
    assert first[1].startswith(f"{100 * found.shares[0].estimate:.1f}")
    assert "Most frequent" in card.reading.text()


def test_that_a_cross_table_is_that_of_the_core(qtbot, page, told):
    ask(qtbot, page, "age < 50", statistic="crosstab", of="town", by="vote")
    study, card = page.store.study, page.results.crosstab
    found = crosstab(told, study.design, "town", "vote", "age < 50", original=study.original)
    assert card.model.rowCount() == 4
    cell = card.model.index(2, 1).data(CELL)
    assert cell.estimate == pytest.approx(found.cells[2][1].estimate)
    assert card.model.index(2, 1).data().startswith(f"{cell.estimate:.0f} ± ")
    card.table.setCurrentIndex(card.model.index(2, 1))
    assert card.reading.text().startswith("Cedar and yes: about")
    card.shown_as.choose("true")
    assert card.model.index(2, 1).data() == f"{cell.true:.0f}"
    assert card.model.headerData(1, Qt.Orientation.Horizontal) == "yes"


def test_that_a_cross_table_is_always_joint(qtbot, page):
    page.card.method.choose("sequential")
    page.card.statistic.choose("crosstab")
    assert page.card.method.current == "joint"
    assert "sequential" in page.card.method._disabled
    page.card.statistic.choose("count")
    assert page.card.method.current == "sequential"


# Participants


def test_that_participants_are_those_of_the_core(qtbot, page, told):
    ask(qtbot, page, CONDITION, statistic="participants", size=20)
    study, card = page.store.study, page.results.participants
    found = participants(told, study.design, CONDITION, size=20)
    assert card.model.rowCount() == 20
    records = [int(card.model.index(i, 0).data()) - 1 for i in range(20)]
    assert records == found.rows.tolist()
    last = card.model.columnCount() - 1
    assert card.model.headerData(last, Qt.Orientation.Horizontal) == "Posterior"
    heads = [card.model.headerData(i, Qt.Orientation.Horizontal) for i in range(last)]
    assert heads == ["Record", "vote", "town", "Truly meets it"]
    original = study.original
    truly = [
        original["vote"].data[r] == 1 and original["town"].data[r] in (0, 2) for r in found.rows
    ]
    shown = [card.model.index(i, last - 1).data() == "yes" for i in range(20)]
    assert shown == truly
    assert f"{sum(truly)} of the 20 listed" in card.sampling.truth.text()


def test_that_size_draw_and_seed_change_the_question_and_back(qtbot, page):
    page.card.statistic.choose("participants")
    sampling = page.results.participants.sampling
    assert page.results.currentWidget() is page.results.participants
    sampling.size.setValue(7)
    sampling.draw.choose("random")
    sampling.seed.setValue(5)
    sampling.again.click()
    asked = page.model.question
    assert (asked.size, asked.draw, asked.seed) == (7, "random", 6)
    page.model.change(size=None, draw="highest", seed=1)
    assert (sampling.size.value(), sampling.draw.current, sampling.seed.value()) == (
        0,
        "highest",
        1,
    )


def test_that_another_seed_draws_other_participants(qtbot, page):
    found = []
    for seed in (1, 2):
        ask(qtbot, page, CONDITION, statistic="participants", size=20, draw="random", seed=seed)
        found.append(set(page.asker.reply.result.rows.tolist()))
    assert found[0] != found[1]
    assert all(len(rows) == 20 for rows in found)


# What cannot be answered


def test_that_a_design_that_tells_nothing_is_refused_in_one_sentence(qtbot, workbench):
    study = small_study().with_perturbations({"vote": Uniform(keep=0.5)})
    page = make_page(qtbot, workbench, study)
    errors = []
    workbench.error_raised.connect(errors.append)
    ask(qtbot, page, "vote = yes")
    assert "singular" in page.results.refused.advice.text()
    assert page.results.currentWidget() is page.results.refused.parentWidget()
    assert not errors
    assert not page.copy_action.isEnabled()
    assert page.asked.model.rowCount() == 0


def test_that_a_column_without_a_design_is_told_at_the_field(qtbot, workbench):
    study = small_study()
    designed = tuple(d for d in study.design if d.name != "vote")
    page = make_page(qtbot, workbench, study.with_(design=Design(designed)))
    page.card.text.setText("vote = yes")
    page.card.text.textEdited.emit("vote = yes")
    assert "The design has no attribute 'vote'" in page.card.problem.text()
    assert not page.primary.isEnabled()


def test_that_a_designed_column_without_data_is_refused_in_one_sentence(qtbot, workbench):
    whole = distorted_study()
    told = whole.distorted.select(["town", "age"])
    page = make_page(qtbot, workbench, Study.of_distorted(told, whole.design, "told"))
    ask(qtbot, page, "vote = yes")
    assert "no column 'vote'" in page.results.refused.advice.text()


def test_that_nobody_has_no_mean(qtbot, workbench):
    table = small_table(60)
    study = Study.of_table(table, "few")
    page = make_page(qtbot, workbench, study)
    ask(qtbot, page, "mood = bad and mood = good", statistic="mean", of="pay")
    assert "nobody meets" in page.results.refused.advice.text()


def test_that_no_records_are_one_sentence(qtbot, workbench):
    page = make_page(qtbot, workbench, Study.of_table(small_table(0), "none"))
    ask(qtbot, page, "vote = yes")
    assert "no records" in page.results.refused.advice.text()


def test_that_values_the_design_does_not_list_are_one_sentence(qtbot, workbench):
    whole = distorted_study()
    town = whole.design["town"].attribute.with_(values=("Ash", "Beech", "Cedar"))
    others = tuple(d for d in whole.design if d.name != "town")
    design = Design((DesignedAttribute(town, Uniform(keep=0.8)), *others))
    page = make_page(qtbot, workbench, Study.of_distorted(whole.distorted, design, "told"))
    ask(qtbot, page, "town = Ash")
    assert "Old Oak" in page.results.refused.advice.text()


# Copy and export


def test_that_copy_gives_sentence_and_table(qtbot, page):
    ask(qtbot, page, CONDITION)
    page.copy_action.trigger()
    data = QGuiApplication.clipboard().mimeData()
    lines = data.text().split("\n")
    assert "respondents meet" in lines[0]
    assert lines[1].split("\t")[:3] == ["statistic", "method", "estimate"]
    assert lines[2].split("\t")[1] == "joint"
    assert "<table>" in data.html()


def test_that_a_result_is_exported_as_csv(qtbot, page, tmp_path):
    ask(qtbot, page, "vote = yes", statistic="distribution", of="town")
    path = tmp_path / "towns.csv"
    page.exporter.write(page.asker.reply, path)
    settle(qtbot, page)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0][:2] == ["town", "estimate"]
    assert [row[0] for row in rows[1:]] == ["Ash", "Beech", "Cedar", "Old Oak"]
    assert sum(float(row[1]) for row in rows[1:]) == pytest.approx(1)


def test_that_participants_are_exported_with_all_answers(qtbot, page, told, tmp_path):
    ask(qtbot, page, CONDITION, statistic="participants", size=12)
    path = tmp_path / "list.csv"
    page.exporter.write(page.asker.reply, path)
    settle(qtbot, page)
    found = read_table(path)
    assert found.names == ("record", "town", "vote", "mood", "age", "pay", "posterior")
    rows = page.asker.reply.result.rows
    assert np.array_equal(found["record"].data, rows + 1.0)
    assert np.array_equal(found["age"].data, told["age"].data[rows])


def test_that_a_file_that_cannot_be_written_says_so(qtbot, page, tmp_path):
    errors = []
    page.workbench.error_raised.connect(errors.append)
    ask(qtbot, page, CONDITION)
    page.exporter.write(page.asker.reply, tmp_path / "nowhere" / "count.csv")
    settle(qtbot, page)
    assert "cannot be written" in errors[0].message
    assert not list(tmp_path.glob("nowhere"))


def test_that_labels_that_look_like_formulas_are_harmless(qtbot, workbench, tmp_path):
    from studies import make_study

    page = make_page(qtbot, workbench, make_study(rows=60))
    ask(qtbot, page, "", statistic="distribution", of="town")
    path = tmp_path / "towns.csv"
    page.exporter.write(page.asker.reply, path)
    settle(qtbot, page)
    assert "\n'=1+1," in path.read_text(encoding="utf-8")
