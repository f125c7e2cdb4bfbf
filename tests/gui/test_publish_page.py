"""The Publish page: plan, groups, prediction, curve and release, in both directions."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from publish_tables import smokers
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Uniform
from ppworkbench.core.design.distort import distort
from ppworkbench.core.publish import DeniabilityOptions, cross_validated
from ppworkbench.core.rng import SeededStreams
from ppworkbench.gui.pages.publish import PublishPage
from ppworkbench.gui.pages.publish import page as page_module
from ppworkbench.gui.pages.publish.plan import DENIABLE, DISTORTED, PAGE, PagePlan
from ppworkbench.gui.pages.publish.publisher import QUICK_FOLDS, same_groups
from ppworkbench.study.deniable import DenialPlan
from ppworkbench.study.study import Study

LEFT = Qt.MouseButton.LeftButton
learners_module = import_module("ppworkbench.core.publish.learners")


@pytest.fixture
def study() -> Study:
    return Study.of_table(smokers(600), "smokers")


@pytest.fixture
def errors(workbench):
    seen = []
    workbench.error_raised.connect(seen.append)
    return seen


@pytest.fixture
def show(workbench, qtbot, wait_idle, errors):
    """Show the page on a study and wait until it is up to date."""

    def make(study):
        workbench.store.open(study)
        page = PublishPage(workbench)
        qtbot.addWidget(page)
        page.resize(1290, 660)
        page.show()
        page.shown()
        settle(page, qtbot, wait_idle)
        return page

    yield make
    assert errors == []


def settle(page, qtbot, wait_idle):
    qtbot.waitUntil(lambda: not page._due.isActive())
    wait_idle()
    qtbot.waitUntil(lambda: not page._due.isActive())
    QApplication.processEvents()


@pytest.fixture
def page(show, study):
    return show(study)


@pytest.fixture
def act(page, qtbot, wait_idle):
    """Do something and wait for what comes of it."""

    def do(action):
        action()
        settle(page, qtbot, wait_idle)

    return do


def test_that_the_class_is_the_sensitive_attribute_to_begin_with(page, workbench):
    card = page.settings_card
    assert card.mode.current == DENIABLE
    assert card.sensitive.currentText() == "smokes"
    assert card.minimum.value == 40
    assert "2 possible answers" in card.answers.text()
    assert "at least <b>7 in 100</b>" in card.words.label.text()
    assert card.splits.count.text() == "3 of 3"
    assert not workbench.store.is_modified


def test_that_groups_prediction_and_bars_are_those_of_the_core(page, study):
    groups = page.publisher.groups
    assert groups.is_final
    plan = groups.plan
    expected = cross_validated(
        study.original, "smokes", plan.options, features=("district", "age", "income"),
        folds=QUICK_FOLDS,
    )  # fmt: skip
    assert groups.predicted == pytest.approx(expected)
    shown = page.settings_card.predicted.text()
    assert shown.replace("\u202f", "").rstrip("%") == f"{100 * expected:.1f}"
    assert page.tree.view.root.title == "Everybody"
    assert groups.tree.minimum_deniability >= 0.4
    assert page.before_after.plot._shown.series[0].share.tolist() == groups.before.tolist()
    assert str(groups.changed) in page.before_after.words.text()
    assert page.primary.isEnabled()


def test_that_the_slider_changes_the_promise_the_groups_and_the_study(page, act, workbench):
    before = page.publisher.groups
    act(lambda: page.settings_card.minimum.slider.setValue(800))
    assert page.plan.denial.options.min_deniability == 0.8
    assert "24 in 100" in page.settings_card.words.label.text()
    groups = page.publisher.groups
    assert groups is not before
    assert groups.tree.minimum_deniability >= 0.8
    kept = workbench.store.study.results[PAGE]
    assert DenialPlan.from_json(kept["plan"]) == page.plan.denial
    assert workbench.store.is_modified
    assert page.accuracy.plot._cursor == pytest.approx(80)


def test_that_what_the_study_keeps_is_shown(show, study):
    plan = DenialPlan(
        "district",
        DeniabilityOptions(
            min_deniability=0.25, manner="shuffle", merge_values=True, smallest_group=12, cuts=7
        ),
        frozenset({"income"}),
    )
    page = show(study.with_results(PAGE, PagePlan(DENIABLE, plan).to_json(None)))
    card = page.settings_card
    assert card.sensitive.currentText() == "district"
    assert card.minimum.value == 25
    assert card.shuffle.isChecked()
    assert card.merge.isChecked()
    assert not card.ahead.isChecked()
    assert (card.smallest.value(), card.cuts.value()) == (12, 7)
    assert card.splits.count.text() == "2 of 3"
    assert card.most.text() == "100 %: all equally likely"
    assert page.publisher.groups.plan == plan


@pytest.mark.parametrize("kept", [None, 3, {"mode": "x"}, {"plan": {"sensitive": "gone"}}])
def test_that_nonsense_kept_with_a_study_is_passed_over(study, kept):
    found = PagePlan.of(study.with_results(PAGE, kept))
    assert found.mode == DENIABLE
    assert found.denial.sensitive == "smokes"


def test_that_every_control_changes_the_plan(page, act):
    card = page.settings_card
    act(lambda: card.shuffle.setChecked(True))
    assert page.plan.denial.options.manner == "shuffle"
    act(lambda: card.merge.setChecked(True))
    assert page.plan.denial.options.merge_values
    act(lambda: card.ahead.setChecked(True))
    assert page.plan.denial.options.look_ahead == 2
    act(lambda: card.ahead.setChecked(False))
    act(lambda: card.smallest.setValue(100))
    assert min(leaf.size for leaf in page.publisher.groups.tree.leaves) >= 100
    act(lambda: card.cuts.setValue(9))
    assert page.plan.denial.options.cuts == 9
    act(lambda: card.splits.tick("age", False))
    assert page.plan.denial.excluded == {"age"}
    assert card.splits.count.text() == "2 of 3"
    used = {node.feature.name for node in page.publisher.groups.tree if node.feature is not None}
    assert "age" not in used
    act(card.splits.none.click)
    assert card.splits.count.text() == "0 of 3"
    assert page.tree.hint_label.text() == "1 group"
    act(card.splits.all.click)
    assert page.plan.denial.excluded == frozenset()


def test_that_another_sensitive_attribute_can_be_chosen(page, act):
    card = page.settings_card
    place = card.sensitive.findData("district")
    card.sensitive.setCurrentIndex(place)
    act(lambda: card.sensitive.activated.emit(place))
    assert page.plan.denial.sensitive == "district"
    assert page.publisher.groups.tree.attribute.name == "district"
    assert "no answer was given by more than" in card.words.label.text()


def test_that_a_minimum_beyond_the_table_is_refused_beside_the_slider(page, act):
    act(lambda: page.settings_card.minimum.box.setValue(100))
    assert page.settings_card.words.warns
    assert "ask for" in page.settings_card.words.label.text()
    assert page.tree.is_empty
    assert page.settings_card.predicted.text() == "–"
    assert not page.primary.isEnabled()
    assert "ask for" in page.primary.toolTip()
    assert not page.accuracy.measure.isEnabled()
    act(lambda: page.settings_card.minimum.box.setValue(30))
    assert not page.settings_card.words.warns
    assert not page.tree.is_empty
    assert page.primary.isEnabled()


def test_that_a_minimum_of_nothing_is_said_to_promise_nothing(page, act):
    act(lambda: page.settings_card.minimum.box.setValue(0))
    assert "Nothing is promised" in page.settings_card.words.label.text()
    points = {point.sentence: point.good for point in page.bundle.list.points}
    assert points["No deniability is asked for"] is False


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
    assert "came distorted" in page.settings_card.distorted_words.text()
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
    assert points["No seed is written anywhere"] is True
    assert points["district, age, income are published as they are"] is False
    assert "Deniable is not nameless." in page.bundle.note.text()
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
    assert bundle.table_name.toolTip() in ("", "smokers.xlsx")
    assert page.subject.plan == page.plan.denial


def test_that_accuracies_are_measured_while_settings_are_locked_and_then_kept(
    page, act, workbench, monkeypatch, qtbot, wait_idle
):
    monkeypatch.setattr(page_module, "_MINIMUMS", (0.1, 0.6))
    monkeypatch.setattr(page_module, "_FOLDS", 2)
    monkeypatch.setattr(learners_module, "TREES", 5)
    assert not page.accuracy.has_curves
    qtbot.mouseClick(page.accuracy.measure, LEFT)
    assert page.publisher.is_measuring
    assert not page.settings_card.sensitive.isEnabled()
    assert page.settings_card.minimum.isEnabled()
    assert not page.accuracy.cancel.isHidden()
    settle(page, qtbot, wait_idle)
    assert page.accuracy.has_curves
    assert page.settings_card.sensitive.isEnabled()
    lines = {line.key: line for line in page.accuracy.plot.shown.lines}
    assert set(lines) == {"predicted", "tree", "forest", "neighbours"}
    assert [point.level for point in lines["tree"].points] == [10, 60]
    assert page.accuracy.plot.shown.references[0].value >= 0.5
    assert page.accuracy.badge.isHidden()
    kept = workbench.store.study.results[PAGE]["curve"]
    assert kept["accuracies"]["curves"]["tree"]["minimum"] == [0.1, 0.6]
    act(lambda: page.accuracy.plot.level_chosen.emit(60.0))
    assert page.settings_card.minimum.value == 60
    assert not page.accuracy.plot.shown.is_stale
    act(lambda: page.settings_card.splits.tick("age", False))
    assert page.accuracy.plot.shown.is_stale
    assert page.accuracy.badge.text() == "other settings"
    assert not page.accuracy.again.isHidden()


def test_that_kept_accuracies_are_drawn_without_measuring(show, study):
    curve = {"minimum": [0.1, 0.4], "mean": [0.7, 0.6], "sd": [0.01, 0.02]}
    told = {"people": 600, "folds": 2, "curves": {"predicted": curve}, "original": {}}
    start = PagePlan.of(study)
    kept = start.to_json({"plan": start.denial.to_json(), "accuracies": told})
    page = show(study.with_results(PAGE, kept))
    assert page.accuracy.has_curves
    assert not page.accuracy.plot.shown.is_stale
    broken = start.to_json({"plan": {}, "accuracies": {"curves": {"predicted": {"mean": 3}}}})
    assert not show(study.with_results(PAGE, broken)).accuracy.has_curves


def test_that_measuring_can_be_cancelled_and_the_part_stays(
    page, workbench, monkeypatch, qtbot, wait_idle
):
    said = []
    workbench.toast_requested.connect(lambda words, _: said.append(words))
    monkeypatch.setattr(page_module, "_FOLDS", 50)
    monkeypatch.setattr(learners_module, "TREES", 5)
    page.measure()
    tally = page.publisher.tally
    qtbot.waitUntil(lambda: tally.done >= 2, timeout=20_000)
    page.accuracy.cancel.click()
    settle(page, qtbot, wait_idle)
    assert not page.publisher.is_measuring
    assert page.accuracy.has_curves
    assert page.accuracy.badge.text() == "partial result"
    assert said == [f"Stopped after {tally.done} of {tally.wanted}. The finished part is shown."]


def test_that_another_study_forgets_groups_and_accuracies(page, workbench, qtbot, wait_idle):
    workbench.store.open(Study.of_table(smokers(300, seed=2), "others"))
    settle(page, qtbot, wait_idle)
    assert page.publisher.groups.table.rows == 300
    assert page.publisher.tally is None
    assert page.bundle.table_name.text().startswith("others")


def test_that_a_preview_of_the_report_opens_without_original_answers(
    page, act, monkeypatch, tmp_path
):
    opened = []
    monkeypatch.setattr(
        page_module.QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile())
    )
    act(page.preview)
    content = Path(opened[0]).read_text(encoding="utf-8")
    assert "exchanged in" in content
    assert page.preview_action.isEnabled()


def test_that_plans_that_differ_in_the_minimum_have_the_same_curve():
    one = DenialPlan("a", DeniabilityOptions(min_deniability=0.1))
    assert same_groups(one, one.with_options(min_deniability=0.5))
    assert not same_groups(one, one.with_options(cuts=3))
    assert not same_groups(None, one)


def test_that_the_page_works_in_dark_colours_and_large_type(page, act):
    act(lambda: page.themes.choose("dark"))
    act(lambda: page.themes.zoom(1.4))
    assert page.settings_card.minimumSizeHint().width() > 300


def test_that_everything_has_a_name_for_screen_readers(page):
    from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox

    for kind in (QAbstractButton, QComboBox, QAbstractSpinBox, QAbstractItemView):
        for widget in page.findChildren(kind):
            inner = widget.parent() is not None and isinstance(widget.parent(), QComboBox)
            if inner or not widget.isVisibleTo(page) or widget.objectName().startswith("qt_"):
                continue
            named = widget.accessibleName() or (
                widget.text() if isinstance(widget, QAbstractButton) else ""
            )
            assert named, widget
            assert widget.objectName() or widget.parent().objectName(), widget
