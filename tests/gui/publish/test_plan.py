"""The plan of a release on the Publish page, in both directions."""

from __future__ import annotations

import pytest
from window_hands import has_ink

from ppworkbench.core.publish import DeniabilityOptions, cross_validated
from ppworkbench.gui.language import speech
from ppworkbench.outputs.deniable import DenialPlan
from ppworkbench.outputs.publication import DENIABLE, PAGE, QUICK_FOLDS, ReleasePlan


def is_refusal(page):
    """Whether the sentence beside the slider has the colour of warnings."""
    return has_ink(page.settings_card.words, page.workbench.themes.theme.colour("warningBg"))


def test_that_the_class_is_the_sensitive_attribute_to_begin_with(page, workbench):
    card = page.settings_card
    assert card.mode.current == DENIABLE
    assert card.sensitive.currentText() == "smokes"
    assert card.minimum.value == 40
    assert "2 possible answers" in card.answers.text()
    assert "at least <b>7 in 100</b> people answered “yes”" in card.words.label.text()
    assert card.splits.count.text() == "3 of 3"
    assert not workbench.store.is_modified


def test_that_groups_prediction_and_bars_are_those_of_the_core(page, study):
    groups = page.groups
    assert groups.is_final
    plan = groups.plan
    expected = cross_validated(
        study.original, "smokes", plan.options, features=("district", "age", "income"),
        folds=QUICK_FOLDS,
    )  # fmt: skip
    assert groups.predicted == pytest.approx(expected)
    shown = page.settings_card.predicted.text()
    assert shown.replace("\u202f", "").rstrip("%") == f"{100 * expected:.1f}"
    assert page.tree.view.root.title == "All"
    assert groups.tree.minimum_deniability >= 0.4
    assert page.before_after.plot._shown.series[0].share.tolist() == groups.before.tolist()
    assert str(groups.changed) in page.before_after.words.text()
    assert page.primary.isEnabled()


def test_that_the_slider_changes_the_promise_the_groups_and_the_study(page, act, workbench):
    before = page.groups
    act(lambda: page.settings_card.minimum.slider.setValue(800))
    assert page.plan.denial.options.min_deniability == 0.8
    assert "24 in 100" in page.settings_card.words.label.text()
    groups = page.groups
    assert groups is not before
    assert groups.tree.minimum_deniability >= 0.8
    kept = workbench.store.study.results[PAGE]
    assert DenialPlan.from_json(kept["plan"]) == page.plan.denial
    assert workbench.store.is_modified
    assert page.settings_card.minimum.value == pytest.approx(80)


def test_that_what_the_study_keeps_is_shown(show, study):
    plan = DenialPlan(
        "district",
        DeniabilityOptions(
            min_deniability=0.25, manner="shuffle", merge_values=True, smallest_group=12, cuts=7
        ),
        frozenset({"income"}),
    )
    page = show(study.with_results(PAGE, ReleasePlan(DENIABLE, plan).to_json(None)))
    card = page.settings_card
    assert card.sensitive.currentText() == "district"
    assert card.minimum.value == 25
    assert card.shuffle.isChecked()
    assert card.merge.isChecked()
    assert not card.ahead.isChecked()
    assert (card.smallest.value(), card.cuts.value()) == (12, 7)
    assert card.splits.count.text() == "2 of 3"
    assert card.most.text() == "100\u202f%: all equally frequent"
    assert page.groups.plan == plan


@pytest.mark.parametrize("kept", [None, 3, {"mode": "x"}, {"plan": {"sensitive": "gone"}}])
def test_that_nonsense_kept_with_a_study_is_passed_over(study, kept):
    found = ReleasePlan.of(study.with_results(PAGE, kept))
    assert found.mode == DENIABLE
    assert found.denial.sensitive == "smokes"


@pytest.mark.slow
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
    assert min(leaf.size for leaf in page.groups.tree.leaves) >= 100
    act(lambda: card.cuts.setValue(9))
    assert page.plan.denial.options.cuts == 9
    act(lambda: card.splits.tick("age", False))
    assert page.plan.denial.excluded == {"age"}
    assert card.splits.count.text() == "2 of 3"
    used = {node.feature.name for node in page.groups.tree if node.feature is not None}
    assert "age" not in used
    act(card.split_none.click)
    assert card.splits.count.text() == "0 of 3"
    assert page.tree.hint_label.text() == "1 group"
    act(card.split_all.click)
    assert page.plan.denial.excluded == frozenset()


def test_that_another_sensitive_attribute_can_be_chosen(page, act):
    card = page.settings_card
    place = card.sensitive.findData("district")
    card.sensitive.setCurrentIndex(place)
    act(lambda: card.sensitive.activated.emit(place))
    assert page.plan.denial.sensitive == "district"
    assert page.groups.tree.attribute.name == "district"
    assert "people share one answer" in card.words.label.text()


def test_that_a_minimum_beyond_the_table_is_refused_beside_the_slider(page, act):
    act(lambda: page.settings_card.minimum.box.setValue(100))
    assert is_refusal(page)
    assert "choose at most" in page.settings_card.words.label.text()
    assert page.tree.is_empty
    assert page.settings_card.predicted.text() == "–"
    assert not page.primary.isEnabled()
    assert "choose at most" in page.primary.toolTip()
    assert not page.accuracy.measure.isEnabled()
    act(lambda: page.settings_card.minimum.box.setValue(30))
    assert not is_refusal(page)
    assert not page.tree.is_empty
    assert page.primary.isEnabled()


def test_that_a_minimum_of_nothing_is_said_to_promise_nothing(page, act):
    act(lambda: page.settings_card.minimum.box.setValue(0))
    assert "No minimum" in page.settings_card.words.label.text()
    points = {point.sentence: point.good for point in page.bundle.list.points}
    assert points["No minimum deniability is set"] is False


def test_that_the_reason_why_nothing_is_released_is_told_in_the_language_of_the_window(show, study):
    speech.choose("pl")
    plan = DenialPlan("smokes", DeniabilityOptions(min_deniability=1.0))
    page = show(study.with_results(PAGE, ReleasePlan(DENIABLE, plan).to_json(None)))
    assert is_refusal(page)
    assert page.primary.toolTip() == page.settings_card.words.label.text()
