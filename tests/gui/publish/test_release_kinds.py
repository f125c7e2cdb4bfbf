"""What the Publish page can and cannot release, and what it says about it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from layout_check.named import unnamed
from publish_tables import smokers
from PySide6.QtCore import Qt
from window_hands import picture

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Uniform
from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams
from ppworkbench.gui.pages.publish import page as page_module
from ppworkbench.gui.pages.publish.bundle_dialog import ReleaseDialog
from ppworkbench.study.analyses.publication import DENIABLE, DISTORTED, PAGE, ReleasePlan
from ppworkbench.study.bundle import BundleOptions
from ppworkbench.study.renaming import renamed_results
from ppworkbench.study.study import Study


def test_that_one_person_gets_a_sentence(show):
    page = show(Study.of_table(smokers(1), "alone"))
    assert "only person" in page.settings_card.words.label.text()
    assert not page.primary.isEnabled()


def test_that_a_table_of_numbers_can_only_be_distorted(show):
    age = Attribute("age", Kind.INTEGER, domain=(0, 9))
    page = show(Study.of_table(Table((Column(age, np.arange(10.0) % 10),)), "numbers"))
    assert page.settings_card.mode.current == DISTORTED
    page.settings_card.mode.choose(DENIABLE)
    assert page.settings_card.mode.current == DISTORTED
    assert page.primary.isEnabled()


def test_that_a_study_without_originals_releases_what_came(show, study):
    table = distort(study.original, study.design, SeededStreams(1))
    page = show(Study.of_distorted(table, study.design, "came"))
    assert page.settings_card.mode.current == DISTORTED
    assert "are already distorted" in page.settings_card.distorted_words.text()
    assert [s.role for s in page.distorted_bars.plot._shown.series] == ["distorted"]
    assert page.primary.isEnabled()


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
    assert not bundle.options.questionnaire
    bundle.report.setChecked(False)
    bundle.questionnaire.setChecked(True)
    place = bundle.format.findData(".xlsx")
    bundle.format.setCurrentIndex(place)
    bundle.format.activated.emit(place)
    assert bundle.options.format == ".xlsx"
    assert (bundle.options.report, bundle.options.questionnaire) == (False, True)
    assert bundle.table_name.words() == "smokers.xlsx"
    assert page.subject.plan == page.plan.denial


def test_that_a_preview_of_the_report_opens_without_original_answers(page, act, monkeypatch):
    opened = []
    monkeypatch.setattr(
        page_module.QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile())
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
