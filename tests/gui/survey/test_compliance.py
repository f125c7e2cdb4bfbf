"""Compliance on the Survey page: asked, changed, dragged, copied, kept and used on Share."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from asking import asked_questions, lines, make_page, past_rows, settle
from designs import classic_study
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLabel, QLineEdit, QPushButton
from window_hands import press_segment

from ppworkbench.analyses.compliance.compliance import RESULTS, readings_for
from ppworkbench.analyses.compliance.model_choices import (
    first_compliance,
    key_of,
    model_choices,
)
from ppworkbench.analyses.survey.answers import write_result
from ppworkbench.analyses.survey.questions import COMPLIANCE, COUNT, Question
from ppworkbench.core.compliance.assess import assess_compliance
from ppworkbench.core.compliance.question import BAND, DIRECT
from ppworkbench.core.compliance.result import Compliance
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, Forced, Identity, Uniform
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.design import DesignedAttribute
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.study.files.study_file import open_study, save_study
from ppworkbench.study.study import Study

DEVICES = {"A": Forced(0.7, (5 / 6, 1 / 6)), "B": Forced(0.7, (1 / 6, 5 / 6)), "D": Identity()}
REPORTS = {"A": (476, 2500), "B": (906, 2500), "D": (300, 2000)}
RODE = Attribute("rode", Kind.BINARY, ("no", "yes"), title="Rode free", sensitive=("yes",))


def study_with(*names: str, weights: bool = False) -> Study:
    """Distorted answers of people in these arms."""
    members = tuple(DesignArm(name, 1 / len(names), (("rode", DEVICES[name]),)) for name in names)
    codes = np.repeat(np.arange(len(names)), [REPORTS[name][1] for name in names])
    yes = np.concatenate([np.arange(REPORTS[name][1]) < REPORTS[name][0] for name in names])
    columns = [
        Column(RODE, yes.astype(np.int64)),
        Column(Attribute("version", Kind.NOMINAL, names), codes),
    ]
    if weights:
        data = 1.0 + np.arange(len(codes)) % 3
        columns.append(Column(Attribute("w", Kind.CONTINUOUS, domain=(0.0, 9.0)), data))
    design = Design(
        (DesignedAttribute(RODE, DEVICES[names[0]]),), arms=Arms("version", members),
        sampling=Sampling("w") if weights else None,
    )  # fmt: skip
    study = Study.of_distorted(Table(tuple(columns)), design, "City survey")
    assert (study.sampling is not None) == weights
    return study


@pytest.fixture
def page(qtbot, workbench):
    made = make_page(qtbot, workbench, study_with("A", "B"))
    press(qtbot, made)
    return made


def press(qtbot, page, key=COMPLIANCE):
    """Click on the segment of a statistic."""
    press_segment(qtbot, page.card.statistic, key)
    settle(qtbot, page)


def found(page) -> Compliance:
    assert page.answer is not None
    assert isinstance(page.answer.result, Compliance)
    return page.answer.result


def choose_model(qtbot, page, key):
    box = page.card.compliance_bar.model
    place = box.findData(key)
    assert place >= 0
    box.showPopup()
    view = box.view()
    entry = box.model().index(place, 0)
    view.scrollTo(entry)
    qtbot.mouseMove(view.viewport(), view.visualRect(entry).center())
    qtbot.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(entry).center()
    )
    settle(qtbot, page)
    assert box.currentData() == key


@pytest.mark.slow
def test_that_the_segment_asks_the_marked_question_with_its_arms(page):
    """The window has the numbers of the command."""
    study = page.store.study
    told = assess_compliance(study.distorted, study.design, page.model.question.compliance)
    one = found(page)
    assert one.classes is not None
    assert told.classes is not None
    assert one.classes.fitted.shares == pytest.approx(told.classes.fitted.shares)
    ticks = page.card.compliance_bar.arms.ticks.values()
    assert [tick.text() for tick in ticks] == ["A: 2,500", "B: 2,500"]
    view = page.results.compliance
    assert "86 of 100 followed" in view.words.words
    rows = view.estimates.table.texts()[1:]
    assert [row[0] for row in rows] == [
        "if all followed", "follows, “no”", "follows, “yes”", "always “no”", "share, low",
        "share, followers", "share, high",
    ]  # fmt: skip
    assert rows[3][1] == f"{100 * one.classes.estimates[2].estimate:.1f}\u202f%"
    labels = view.arms.chart.picture.x.labels
    assert [label.partition("\n")[0] for label in labels] == ["Arm A", "Arm B"]


def test_that_models_that_cannot_be_used_are_offered_with_the_reason(page):
    reasons = page.card.compliance_bar.model.refused
    assert "safe" not in reasons
    assert "directly" in reasons[DIRECT]
    assert "one arm" in reasons["known"]
    assert "cannot tell apart" in reasons["safe+random"]
    assert "crosswise arms" in reasons["ecwm"]
    assert page.card.problem.isHidden()


@pytest.mark.slow
def test_that_the_same_fit_has_other_parameters_by_name(qtbot, page):
    before = found(page)
    choose_model(qtbot, page, "sld")
    after = found(page)
    assert after.model == "sld"
    assert after.parameters["pi"].estimate == pytest.approx(
        before.classes.readings["high"].estimate
    )


@pytest.mark.slow
def test_that_an_arm_that_is_switched_off_leaves_a_band(qtbot, page):
    """And the last arm stays pressed."""
    first, second = page.card.compliance_bar.arms.ticks.values()
    qtbot.mouseClick(second, Qt.MouseButton.LeftButton)
    settle(qtbot, page)
    one = found(page)
    assert [arm.name for arm in one.arms] == ["A"]
    assert one.model == BAND
    view = page.results.compliance
    (said,) = (words for words in view.notes.texts if "One arm cannot show compliance" in words)
    assert "second arm" in said
    qtbot.mouseClick(first, Qt.MouseButton.LeftButton)
    settle(qtbot, page)
    assert first.isChecked()
    second.setFocus()
    QTest.keyClick(second, Qt.Key.Key_Space)
    settle(qtbot, page)
    assert len(found(page).arms) == 2


def test_that_a_share_below_0_shows_which_shares_are_possible(qtbot, workbench, monkeypatch):
    """Fewer yes than the device of arm A makes alone; then always-no is what explains it."""
    monkeypatch.setitem(REPORTS, "A", (100, 2500))
    page = make_page(qtbot, workbench, study_with("A"))
    press(qtbot, page)
    band = page.results.compliance.band
    least, most = found(page).possible["safe"]
    # 0.04 of reports are (1 - c) times 0.3/6 at a share of 0.
    assert least == pytest.approx(0.2)
    assert f"The data allow 20.0 to {100 * most:.1f}" in band.sentence.text()
    assert band.share == pytest.approx(0.2)
    assert "which is impossible" in page.results.compliance.words.words
    page.model.change(compliance=dataclasses.replace(page.model.question.compliance, safe="yes"))
    settle(qtbot, page)
    assert band.current == "other"
    assert f"The data allow 20.0 to {100 * most:.1f}" in band.sentence.text()


def test_that_the_line_of_the_band_is_dragged_and_moved_by_keys(qtbot, page):
    band = page.results.compliance.band
    plot = band.plot
    start = band.share
    assert start == pytest.approx(float(found(page).classes.fitted.shares[2]), abs=1e-3)
    plot.setFocus()
    QTest.keyClick(plot, Qt.Key.Key_Home)
    assert band.share == 0
    assert "At 0.0" in band.sentence.text()
    QTest.keyClick(plot, Qt.Key.Key_PageUp)
    QTest.keyClick(plot, Qt.Key.Key_Right)
    assert band.share == pytest.approx(0.055)
    middle = QPoint(plot.width() // 2, plot.height() // 2)
    qtbot.mousePress(plot.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    at_middle = band.share
    assert 0.1 < at_middle < 0.2
    qtbot.mouseMove(plot.viewport(), QPoint(plot.width() - 2, middle.y()))
    end = QPoint(plot.width() - 2, middle.y())
    qtbot.mouseRelease(plot.viewport(), Qt.MouseButton.LeftButton, pos=end)
    QTest.keyClick(plot, Qt.Key.Key_End)
    assert band.share == pytest.approx(0.3)
    told = found(page).at_share("safe", 0.3)
    assert f"{100 * told.estimate:.1f}" in band.sentence.text()


@pytest.mark.slow
def test_that_the_band_has_an_end_and_a_safe_answer_of_ones_own(qtbot, page):
    field = page.findChild(QLineEdit, "bandEnd")
    assert field.text().startswith("30")
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "45 %")
    QTest.keyClick(field, Qt.Key.Key_Return)
    settle(qtbot, page)
    assert page.model.question.compliance.band == (0.0, 0.45)
    assert found(page).points[-1].share == pytest.approx(0.45)
    field.selectAll()
    qtbot.keyClicks(field, "120 %")
    QTest.keyClick(field, Qt.Key.Key_Return)
    settle(qtbot, page)
    assert page.model.question.compliance.band == (0.0, 0.45)
    assert field.text().startswith("45")
    safe = page.findChild(QComboBox, "bandSafe")
    assert safe.currentText() == "no"
    safe.setFocus()
    QTest.keyClick(safe, Qt.Key.Key_Down)
    settle(qtbot, page)
    assert page.model.question.compliance.safe == "yes"
    assert found(page).safe == 1


@pytest.mark.parametrize(("name", "is_direct"), [("addArm", False), ("addDirectArm", True)])
def test_that_an_arm_is_added_where_arms_are_edited(qtbot, workbench, name, is_direct):
    page = make_page(qtbot, workbench, study_without_arms())
    press(qtbot, page)
    # Reported answers hold the design; who corrects how people were asked unlocks it first.
    page.store.unlock_held(True)
    before = page.store.study
    with qtbot.waitSignal(workbench.page_requested) as asked:
        qtbot.mouseClick(page.findChild(QPushButton, name), Qt.MouseButton.LeftButton)
    assert asked.args == ["design/arms"]
    arms = page.store.study.design.arms
    assert arms is not None
    assert [dict(one.perturbations).get("rode") == Identity() for one in arms.members] == [
        False, is_direct,
    ]  # fmt: skip
    page.store.undo_stack.undo()
    assert page.store.study.design == before.design


def study_without_arms() -> Study:
    codes = (np.arange(400) < 120).astype(np.int64)
    design = Design((DesignedAttribute(RODE, DEVICES["A"]),))
    return Study.of_distorted(Table((Column(RODE, codes),)), design, "City survey")


@pytest.mark.slow
def test_that_equations_outside_the_possible_stand_on_a_card(qtbot, workbench, monkeypatch):
    monkeypatch.setitem(REPORTS, "A", (0, 2500))
    page = make_page(qtbot, workbench, study_with("A", "B"))
    press(qtbot, page)
    said = page.results.compliance.notes.texts
    assert any("on the boundary: G²" in words for words in said)
    assert any(words.startswith("The equations alone give") for words in said)


@pytest.mark.slow
def test_that_a_value_to_reach_has_its_tipping_point(qtbot, page):
    field = page.findChild(QLineEdit, "bandReach")
    field.setFocus()
    qtbot.keyClicks(field, "25 %")
    QTest.keyClick(field, Qt.Key.Key_Return)
    settle(qtbot, page)
    assert page.model.question.compliance.reach == pytest.approx(0.25)
    at = found(page).reach["safe"]
    assert found(page).at_share("safe", at).estimate == pytest.approx(0.25, abs=1e-6)
    assert f"{100 * at:.1f}" in page.findChild(QLabel, "bandReached").text()
    field.selectAll()
    qtbot.keyClicks(field, "many")
    QTest.keyClick(field, Qt.Key.Key_Return)
    settle(qtbot, page)
    assert page.model.question.compliance.reach == pytest.approx(0.25)


def test_that_words_and_band_are_copied(qtbot, page):
    view = page.results.compliance
    qtbot.mouseClick(view.words.copy, Qt.MouseButton.LeftButton)
    assert QApplication.clipboard().text() == view.words.words
    button = page.findChild(QPushButton, "copyBand")
    view.area.ensureWidgetVisible(button)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    lines = QApplication.clipboard().text().splitlines()
    assert lines[1].split("\t")[:3] == [
        "if so many do not follow", "behaviour", "share who do not follow",
    ]  # fmt: skip
    assert len(lines) == 2 + len(found(page).points)


def test_that_command_and_methods_say_what_was_asked(qtbot, page):
    page.command_action.trigger()
    said = QApplication.clipboard().text()
    assert said.startswith("ppworkbench compliance ")
    assert "--attribute rode --behaviour safe" in said
    page.methods_action.trigger()
    assert "Compliance with the instructions of Rode free" in QApplication.clipboard().text()


@pytest.mark.slow
@pytest.mark.parametrize(("ending", "separator"), [("csv", ","), ("tsv", "\t")])
def test_that_the_table_is_exported(tmp_path, page, ending, separator):
    path = tmp_path / f"compliance.{ending}"
    write_result(page.answer, path)
    rows = pd.read_csv(path, sep=separator)
    assert {"reported", "estimates", "band", "possible"} <= {*rows["table"]}
    band = rows[rows["table"] == "band"]
    assert len(band) == len(found(page).points)
    (told,) = rows.loc[rows["estimated"] == "if all followed", "estimate"]
    assert told == pytest.approx(found(page).uncorrected.estimate)


@pytest.mark.slow
def test_that_share_tells_the_three_readings_if_that_is_switched_on(qtbot, page):
    box = page.findChild(QCheckBox, "useReadings")
    page.results.compliance.area.ensureWidgetVisible(box)
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))
    assert box.isChecked()
    assert readings_for(page.store.study, "rode") is not None
    page.model.set(Question(COUNT, parse_condition("rode = yes")))
    settle(qtbot, page)
    rows = lines(page.results.number.estimate.plot)
    names = [row.name for row in rows]
    assert {"low", "as the followers", "high"} <= set(names)
    readings = page.answer.readings.classes.readings
    assert rows[names.index("low")].only.estimate == pytest.approx(readings["low"].estimate)
    # Another answer of the same question is not what the readings are about.
    page.model.set(Question(COUNT, parse_condition("rode = no")))
    settle(qtbot, page)
    assert page.answer.readings is None
    page.store.set_results(RESULTS, None)
    page.model.set(Question(COUNT, parse_condition("rode = yes")))
    settle(qtbot, page)
    assert page.answer.readings is None


@pytest.mark.slow
def test_that_the_question_is_kept_in_the_study(qtbot, tmp_path, page):
    asked = page.model.question.compliance
    path = tmp_path / "city.ppw"
    save_study(page.store.study, path)
    again = open_study(path)
    page.store.open(again)
    settle(qtbot, page)
    page.bring_back(next(one for one in asked_questions(page) if one.statistic == COMPLIANCE))
    settle(qtbot, page)
    assert page.model.question.compliance == asked
    assert "followed" in past_rows(page)[0][2]


@pytest.mark.slow
def test_a_direct_arm_beside_two_randomised_ones(qtbot, workbench):
    page = make_page(qtbot, workbench, study_with("A", "B", "D"))
    press(qtbot, page)
    assert found(page).direct is not None
    assert page.card.compliance_bar.direct.isHidden()
    choose_model(qtbot, page, DIRECT)
    assert found(page).model == DIRECT
    assert "Asked directly" in page.results.compliance.words.words


@pytest.mark.slow
def test_that_a_known_share_is_typed(qtbot, workbench):
    page = make_page(qtbot, workbench, study_with("A"))
    press(qtbot, page)
    assert key_of(page.model.question.compliance) == BAND
    choose_model(qtbot, page, "known")
    box = page.card.compliance_bar.known
    assert box.isVisible()
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "20 %")
    QTest.keyClick(box, Qt.Key.Key_Return)
    settle(qtbot, page)
    assert page.model.question.compliance.share == pytest.approx(0.2)
    assert found(page).parameters["pi"].estimate == pytest.approx(
        found(page).at_share("safe", 0.2).estimate
    )


@pytest.mark.slow
def test_a_check_question_with_its_own_fields(qtbot, workbench):
    check = Attribute("check", Kind.BINARY, ("no", "yes"), title="Flat on the moon")
    crosswise = Uniform(keep=0.15)
    draw = np.random.default_rng(3)
    table = Table((
        Column(RODE, (draw.random(2000) < 0.7).astype(int)),
        Column(check, (draw.random(2000) < 0.8).astype(int)),
    ))  # fmt: skip
    design = Design((DesignedAttribute(RODE, crosswise), DesignedAttribute(check, crosswise)))
    page = make_page(qtbot, workbench, Study.of_distorted(table, design, "crosswise"))
    press(qtbot, page)
    choose_model(qtbot, page, "anchor")
    bar = page.card.compliance_bar
    assert bar.anchor_row.isVisible()
    assert bar.anchor_p.value() == pytest.approx(0.15)
    before = found(page).parameters["attentive"].estimate
    bar.anchor_p.setFocus()
    bar.anchor_p.selectAll()
    qtbot.keyClicks(bar.anchor_p, "0.1")
    QTest.keyClick(bar.anchor_p, Qt.Key.Key_Return)
    settle(qtbot, page)
    assert found(page).parameters["attentive"].estimate < before
    names = [row[0] for row in page.results.compliance.estimates.table.texts()]
    assert {"pi", "attentive"} <= set(names)


def test_that_weights_are_used_and_said(qtbot, workbench):
    page = make_page(qtbot, workbench, study_with("A", "B", weights=True))
    press(qtbot, page)
    assert found(page).sampling is not None
    assert any("Wald" in said for said in page.results.compliance.notes.texts)


def test_that_a_study_without_a_randomised_question_is_told_so(qtbot, workbench):
    plain = classic_study(Table((Column(RODE, np.arange(50) % 2),)), "plain")
    page = make_page(qtbot, workbench, plain.with_perturbations({"rode": Identity()}))
    press(qtbot, page)
    assert "nothing to follow" in page.card.problem.text()
    assert page.answer is None


@pytest.mark.slow
def test_that_few_answers_are_simulated_in_a_job_that_can_be_cancelled(qtbot, workbench):
    study = study_with("A", "B")
    few = study.distorted.take(np.r_[0:3, 480:490, 2500:2512])
    page = make_page(qtbot, workbench, Study.of_distorted(few, study.design, "few"))
    press(qtbot, page)
    assert any("simulated" in one for one in page.answer.remarks)
    page.model.change(compliance=dataclasses.replace(page.model.question.compliance, reach=0.5))
    qtbot.waitUntil(lambda: not page.workbench.jobs.is_idle)
    page.cancel_action.trigger()
    settle(qtbot, page)


def test_that_first_questions_prefer_marked_questions_with_arms():
    study = study_with("A", "B")
    asked = first_compliance(study)
    assert asked is not None
    assert asked.attribute == "rode"
    keys = [one.key for one in model_choices(asked, study.design) if one.reason is None]
    assert keys == ["safe", "always=yes", "random", "cdm", "sld", BAND]
