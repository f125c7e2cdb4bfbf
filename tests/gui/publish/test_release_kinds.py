"""What the Publish page can and cannot release, and what it says about it."""

from __future__ import annotations

import re
from pathlib import Path

import docx
import numpy as np
import pytest
from designs import classic_study
from layout_check.named import unnamed
from publish_tables import smokers
from publishing import settle
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QPushButton, QWidget
from window_hands import picture

from ppworkbench.analyses.planning.study_budget import with_budget
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.edits import fit_domain
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Geometric, Identity, Subset, Uniform
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams
from ppworkbench.gui.pages.publish.bundle_dialog import DescriptionDialog, ReleaseDialog
from ppworkbench.outputs.bundle import BundleOptions
from ppworkbench.outputs.publication import DENIABLE, DISTORTED, PAGE, ReleasePlan
from ppworkbench.study.release import budget_checklist
from ppworkbench.study.renaming import renamed_results
from ppworkbench.study.study import Study


def test_that_one_person_gets_a_sentence(show):
    page = show(classic_study(smokers(1), "alone"))
    assert "only person" in page.settings_card.words.label.text()
    assert not page.primary.isEnabled()


def test_that_a_table_of_numbers_can_only_be_distorted(show):
    age = Attribute("age", Kind.INTEGER, domain=(0, 9))
    page = show(classic_study(Table((Column(age, np.arange(10.0) % 10),)), "numbers"))
    assert page.settings_card.mode.current == DISTORTED
    page.settings_card.mode.choose(DENIABLE)
    assert page.settings_card.mode.current == DISTORTED
    assert page.primary.isEnabled()


def test_that_a_study_without_originals_releases_what_came(show, study):
    table = distort(study.original, study.design, SeededStreams(1))
    page = show(Study.of_distorted(table, study.design, "came"))
    assert page.settings_card.mode.current == DISTORTED
    assert "are already randomised" in page.settings_card.distorted_words.text()
    assert [s.role for s in page.distorted_bars.plot._shown.series] == ["distorted"]
    assert page.primary.isEnabled()


def test_that_sets_are_compared_by_how_many_name_each_value(show, wait_idle):
    job = Attribute("job", Kind.NOMINAL, tuple("abcdefghijkl"))
    told = np.repeat(np.arange(12), 100)
    told[:300] = 0
    study = Study.of_table(Table((Column(job, told),)), "jobs")
    page = show(study.with_perturbations({"job": Subset(epsilon=4.0, size=3)}))
    page.settings_card.mode.choose(DISTORTED)
    settle(wait_idle)
    shown = page.distorted_bars.plot._shown
    assert shown.labels == job.values
    before, after = shown.series
    assert before.share[0] == pytest.approx(300 / 1200)
    # Every set names 3 values, so that the shares sum to 3.
    assert after.share.sum() == pytest.approx(3)
    assert shown.names["distorted"] == "named in sets"


def test_that_the_distorted_table_is_shown_as_the_design_says(page, act, workbench):
    act(lambda: page.settings_card.mode.choose(DISTORTED))
    assert page.middle.currentIndex() == 1
    assert page.distorted.model.rowCount() == 4
    assert page.bundle.codebook.accessibleName() == "Codebook and design"
    assert [s.role for s in page.distorted_bars.plot._shown.series] == ["original", "distorted"]
    act(lambda: page.distorted.view.selectRow(1))
    assert workbench.store.current == "age"
    assert page.distorted_bars.hint_label.text() == "age"
    act(lambda: workbench.store.select(["district"]))
    assert page.distorted.view.currentIndex().row() == 0
    act(lambda: workbench.store.set_perturbation(["district"], Uniform(keep=0.9)))
    assert "0.9" in page.distorted.model.index(0, 2).data()
    asked = []
    workbench.page_requested.connect(asked.append)
    page.settings_card.go_to_design.click()
    assert asked == ["design"]
    act(lambda: page.settings_card.mode.choose(DENIABLE))
    assert page.middle.currentIndex() == 0
    assert page.bundle.codebook.accessibleName() == "Codebook"


def test_that_the_checklist_says_what_is_and_is_not_protected(page):
    points = {point.sentence: point.good for point in page.bundle.list.points}
    assert points["Every group reaches 40 % deniability"] is True
    assert points["No seed is saved"] is True
    assert points["district, age, income are not randomised"] is False
    assert "Deniable is not anonymous." in page.bundle.note.text()
    for control in (page.bundle.randomness, page.bundle.shuffle, page.bundle.table):
        assert not control.isEnabled()
        assert control.toolTip()


def test_that_the_options_of_the_bundle_follow_its_controls(page):
    bundle = page.bundle
    assert bundle.options.report
    bundle.report.setChecked(False)
    place = bundle.format.findData(".xlsx")
    bundle.format.setCurrentIndex(place)
    bundle.format.activated.emit(place)
    assert bundle.options.format == ".xlsx"
    assert not bundle.options.report
    assert bundle.table_name.words() == "smokers.xlsx"
    assert page.subject.plan == page.plan.denial


def test_that_a_preview_of_the_report_opens_without_original_answers(page, act, monkeypatch):
    opened = []
    monkeypatch.setattr(
        QDesktopServices, "openUrl", lambda url: not opened.append(url.toLocalFile())
    )
    act(page.preview)
    content = Path(opened[0]).read_text(encoding="utf-8")
    assert "exchanged within" in content
    assert "This report contains no seed" in content
    assert "original-bar" not in re.sub(r"<style>.*?</style>", "", content, flags=re.DOTALL)
    assert page.preview_action.isEnabled()


@pytest.mark.slow
def test_that_the_page_works_in_dark_colours_and_large_type(page, act):
    narrow, light = page.settings_card.minimumSizeHint().width(), picture(page)
    act(lambda: page.themes.choose("dark"))
    assert picture(page) != light
    act(lambda: page.themes.zoom(1.4))
    assert page.settings_card.minimumSizeHint().width() > narrow


def test_that_everything_has_a_name_for_screen_readers(page):
    assert unnamed(page) == []


@pytest.mark.slow
def test_that_an_attribute_can_be_left_out_and_taken_back(page, act, qtbot, workbench):
    act(lambda: page.settings_card.mode.choose(DISTORTED))
    act(lambda: page.distorted.view.selectRow(1))
    button = page.distorted.leave_out
    act(lambda: qtbot.mouseClick(button, Qt.MouseButton.LeftButton))
    assert page.plan.left_out == ("age",)
    assert page.distorted.model.index(1, 2).data() == "omitted"
    assert button.text() == "Include"
    assert workbench.store.study.results[PAGE]["left_out"] == ["age"]
    said = " ".join(point.said() for point in page.bundle.list.points)
    assert "age: omitted" in said
    dialog = ReleaseDialog(workbench, page.subject, BundleOptions(leave_out=page.left_out))
    qtbot.addWidget(dialog)
    assert dialog.options.leave_out == ("age",)
    act(lambda: qtbot.mouseClick(button, Qt.MouseButton.LeftButton))
    assert page.plan.left_out == ()
    for row in range(4):
        act(lambda row=row: page.distorted.view.selectRow(row))
        if button.isEnabled():
            act(lambda: qtbot.mouseClick(button, Qt.MouseButton.LeftButton))
    assert len(page.plan.left_out) == 3
    assert not button.isEnabled()
    assert "at least one" in button.toolTip()


def test_that_what_is_left_out_is_kept_with_the_study_and_follows_a_new_name(show, study):
    kept = study.with_results(PAGE, {"mode": DISTORTED, "left_out": ["age", "gone", "age"]})
    page = show(kept)
    assert page.plan.left_out == ("age",)
    changed = renamed_results(kept.results, ("age", "years"))
    assert changed[PAGE]["left_out"] == ["years", "gone", "years"]
    for damaged in ("age", [1, 2], {"age": 1}, list(study.design.names)):
        held = study.with_results(PAGE, {"mode": DISTORTED, "left_out": damaged})
        assert ReleasePlan.of(held).left_out == ()


def test_that_bounds_taken_from_the_data_are_confirmed_from_the_checklist(page, act):
    study = page.store.study
    table = fit_domain(study.original, "income")
    act(lambda: page.store.set_table(table, "Fit"))
    act(lambda: page.settings_card.mode.choose(DISTORTED))
    said = "The bounds of income are taken from the data"
    points = {str(point.sentence): point.good for point in page.bundle.list.points}
    assert points[said] is False
    button = page.bundle.list.findChild(QPushButton, "confirm-bounds")
    act(button.click)
    assert page.store.study.design["income"].attribute.domain_source == "public"
    assert page.store.study.original["income"].attribute.domain_source == "public"
    points = {str(point.sentence): point.good for point in page.bundle.list.points}
    assert points["All bounds of numbers are public"] is True


def test_that_the_checklist_tells_the_budget_early_and_leads_to_the_design(page, act, qtbot):
    study = page.store.study
    listed = [one.name for one in study.design if one.attribute.kind.is_categorical]
    wanted = {name: Uniform(keep=0.8) for name in listed[:2]}
    plain = {name: Identity() for name in study.design.names if name not in wanted}
    changed = study.with_perturbations({**plain, **wanted})
    act(lambda: page.store.apply(with_budget(changed, DesignBudget(total=1.0)), "Budget"))
    act(lambda: page.settings_card.mode.choose(DISTORTED))
    said = [str(point.sentence) for point in page.bundle.list.points]
    assert said[0] == "The answers of the study are true ones"
    assert said[1] == "600 people answered"
    assert said[2] == "2 attributes are randomised with a bound"
    assert said[3] == "Epsilon of all answers together has no bound"
    button = page.bundle.list.findChild(QPushButton, "open-design")
    page.store.select([listed[0]])
    with qtbot.waitSignal(page.workbench.page_requested) as asked:
        act(button.click)
    assert asked.args == ["design"]
    # It is the first that has no bound, not the one that happened to be chosen.
    assert page.store.current == next(iter(plain))


def test_that_an_overspent_budget_is_on_the_checklist():
    asked = Attribute("drug", Kind.BINARY, ("no", "yes"))
    budget = DesignBudget(total=1.0)
    design = Design((DesignedAttribute(asked, Geometric(epsilon=1.5)),), budget=budget)
    said = {str(point.sentence): point.good for point in budget_checklist(design)}
    assert said["The privacy budget of 1 is exceeded by 0.5"] is False


def test_that_the_first_open_point_is_shown_and_all_others_are_behind_it(page, act, qtbot):
    (shown,) = page.bundle.first.points
    assert shown.good is False
    opened = [point for point in page.bundle.list.points if point.is_open]
    assert shown == opened[0]
    assert not page.bundle.list.isVisible()
    act(page.bundle.all_points.button.click)
    assert page.bundle.list.isVisible()
    assert str(len(page.bundle.list.points)) in page.bundle.all_points.button.text()


@pytest.mark.slow
def test_that_the_survey_is_described_in_a_dialog_with_undo(page, act, qtbot, dialogs):
    store = page.store

    def fill(name: str, words: str) -> None:
        page.describe_action.trigger()
        dialog = dialogs.front(DescriptionDialog)
        field = dialog.findChild(QWidget, f"survey-{name}")
        field.setFocus()
        field.selectAll()
        qtbot.keyClicks(field, words)
        ok = dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Ok)
        qtbot.mouseClick(ok, Qt.MouseButton.LeftButton)
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    act(lambda: fill("author", "A. Author"))
    act(lambda: fill("abstract", "About smoking."))
    assert store.study.description.author == "A. Author"
    assert store.study.description.abstract == "About smoking."
    said = [str(point.sentence) for point in page.bundle.list.points]
    gaps = next(one for one in said if one.startswith("Not described"))
    assert "Author" not in gaps
    assert "Distributor" in gaps
    act(store.undo_stack.undo)
    assert store.study.description.abstract == ""
    assert store.study.description.author == "A. Author"
    act(store.undo_stack.undo)
    assert store.study.description.author == ""


@pytest.mark.parametrize("invented", [False, True])
def test_that_a_study_without_real_answers_releases_all_but_a_table(
    show, study, tmp_path, wait_idle, qtbot, workbench, invented
):
    planned = study.with_(invented=True)
    if not invented:
        planned = Study("smokers", design=study.design)
    page = show(planned)
    reason = "simulated" if invented else "no answers"
    assert not page.bundle.table.isEnabled()
    assert not page.bundle.table.isChecked()
    assert reason in page.bundle.table.toolTip()
    assert reason in page.bundle.table_reason.text()
    assert page.bundle.table_reason.isVisible()
    assert page.primary.isEnabled()
    assert page.preview_action.isEnabled()
    dialog = ReleaseDialog(workbench, page.subject, BundleOptions(report=False))
    qtbot.addWidget(dialog)
    dialog.path.setText(str(tmp_path / "out"))
    assert reason in dialog._summary()
    said = []
    workbench.toast_requested.connect(lambda words, _: said.append(words))
    dialog.export.click()
    wait_idle()
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert "smokers-design.json" in names
    assert "smokers.codebook.json" in names
    assert "smokers.csv" not in names
    assert "without a table" in said[-1]


def test_that_lists_read_off_the_data_are_confirmed_from_the_checklist(page, act):
    study = page.store.study
    name = next(d.name for d in study.design if d.name in study.design.randomised and d.attribute.k)
    column = study.original[name]
    met = column.with_(attribute=column.attribute.with_(domain_source="data"))
    act(lambda: page.store.set_table(study.original.replace(met), "Read"))
    act(lambda: page.settings_card.mode.choose(DISTORTED))
    button = page.bundle.list.findChild(QPushButton, "confirm-values")
    act(button.click)
    assert page.store.study.design[name].attribute.domain_source == "public"
    assert page.store.study.original[name].attribute.domain_source == "public"
    assert page.bundle.list.findChild(QPushButton, "confirm-values") is None


def test_that_the_report_is_saved_as_the_kind_of_its_ending(
    show, study, tmp_path, wait_idle, workbench, dialogs
):
    page = show(study)
    said = []
    workbench.toast_requested.connect(lambda words, _: said.append(words))
    page.save_report_action.trigger()
    dialogs.choose(tmp_path / "mine.docx")
    wait_idle()
    assert said == ["Saved mine.docx."]
    read = docx.Document(str(tmp_path / "mine.docx"))
    assert "Privacy" not in read.paragraphs[0].text
    assert any(line.text == "What is protected and what is not" for line in read.paragraphs)
