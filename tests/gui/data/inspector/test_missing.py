"""Missing answers and the class in the inspector of the Data page."""

import pytest
from answers import attribute
from designs import classic_study
from PySide6.QtWidgets import QPushButton

from ppworkbench.core.data.attribute import Attribute, Kind, MissingPolicy
from ppworkbench.core.data.table import Column, Table
from ppworkbench.gui.pages.data import edits

# Missing answers


def test_that_the_policy_is_shown_and_chosen(page, inspector):
    page.store.select(["income"])
    choices = inspector.missing.choices
    assert choices[MissingPolicy.LEAVE].isChecked()
    choices[MissingPolicy.IMPUTE].click()
    assert attribute(page, "income").missing is MissingPolicy.IMPUTE
    page.store.undo_stack.undo()
    assert choices[MissingPolicy.LEAVE].isChecked()


@pytest.mark.parametrize(
    ("name", "policy", "sentence"),
    [
        ("income", MissingPolicy.LEAVE, "6 answers stay missing in all analyses."),
        ("income", MissingPolicy.IMPUTE, "6 answers become 4,000.25."),
        ("income", MissingPolicy.DROP, "6 records are excluded from all analyses; 54 remain."),
        ("age", MissingPolicy.LEAVE, "1 answer stays missing in all analyses."),
        ("age", MissingPolicy.DROP, "1 record is excluded from all analyses; 59 remain."),
        ("age", MissingPolicy.IMPUTE, "1 answer becomes 41."),
    ],
)
def test_that_what_will_happen_is_told(page, inspector, name, policy, sentence):
    page.store.select([name])
    page.edits.make(edits.set_policy([name], policy))
    assert inspector.missing.effect.text() == sentence


def test_that_a_value_for_missing_answers_is_told_with_what_it_costs(page, inspector):
    page.store.select(["mood"])
    page.edits.make(edits.mark_missing("mood", ["bad"]))
    page.edits.make(edits.set_policy(["mood"], MissingPolicy.VALUE))
    assert "15 answers become the value “missing”" in inspector.missing.effect.text()
    assert "The order of the values is lost." in inspector.missing.effect.text()
    page.edits.make(edits.set_policy(["mood"], MissingPolicy.IMPUTE))
    assert inspector.missing.effect.text() == "15 answers become “fair”."


def test_that_numbers_cannot_have_a_value_for_missing_answers(page, inspector):
    page.store.select(["income"])
    radio = inspector.missing.choices[MissingPolicy.VALUE]
    assert not radio.isEnabled()
    assert "change the kind first" in radio.toolTip()
    page.store.select(["town"])
    assert radio.isEnabled()


def test_that_the_count_of_missing_answers_is_told(page, inspector):
    page.store.select(["income"])
    assert inspector.missing.count.text() == "6 of 60, 10.0\u202f%"
    page.store.select(["town"])
    assert inspector.missing.count.text() == "none here"
    assert not inspector.missing.effect.isVisible()


def test_that_a_policy_holds_for_all_selected_attributes(page, inspector):
    page.edits.make(edits.set_policy(["age"], MissingPolicy.DROP))
    page.store.select(["age", "town"])
    assert not any(radio.isChecked() for radio in inspector.missing.choices.values())
    inspector.missing.choices[MissingPolicy.IMPUTE].click()
    assert attribute(page, "age").missing is MissingPolicy.IMPUTE
    assert attribute(page, "town").missing is MissingPolicy.IMPUTE
    assert page.store.undo_stack.count() == 2


def test_that_a_missing_code_can_be_taken_for_an_answer(page, inspector):
    page.store.select(["age"])
    button = inspector.missing.held.findChild(QPushButton, "restore--9")
    button.click()
    assert page.store.study.original["age"].missing_count == 0
    assert page.store.study.original["age"].data[3] == -9
    assert not inspector.missing.held.isVisible()


# Class


def test_that_the_switch_marks_the_class_both_ways(page, inspector):
    page.store.select(["town"])
    assert not inspector.class_row.switch.isChecked()
    inspector.class_row.switch.click()
    assert page.store.study.original.class_name == "town"
    inspector.class_row.switch.click()
    assert page.store.study.original.class_name is None
    page.store.undo_stack.undo()
    assert inspector.class_row.switch.isChecked()


def test_that_a_number_cannot_be_the_class(page, inspector):
    page.store.select(["income"])
    assert not inspector.class_row.switch.isEnabled()
    assert "nominal or ordinal" in inspector.class_row.switch.toolTip()


def test_that_only_one_attribute_can_be_the_class(page, inspector):
    page.store.select(["town", "mood"])
    assert not inspector.class_row.switch.isEnabled()
    assert "Only one" in inspector.class_row.switch.toolTip()


def test_that_a_class_made_numeric_is_no_class_any_more(page):
    two = Table((Column(Attribute("x", Kind.BINARY, ("0", "1")), [0, 1, 1]),), class_name="x")
    page.store.open(classic_study(two, "two"))
    page.edits.make(edits.set_kind(["x"], Kind.INTEGER))
    assert page.store.study.original.class_name is None
