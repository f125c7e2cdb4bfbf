"""Name, question and kind of an attribute in the inspector of the Data page."""

import numpy as np
import pytest
from answers import attribute
from designs import classic_study
from PySide6.QtCore import Qt

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.gui.pages.data import edits

# Name and question


def test_that_name_and_question_are_shown(page, inspector):
    page.store.select(["town"])
    assert inspector.heading.name.text() == "town"
    assert inspector.heading.question.text() == "“Where do you live?”"
    page.store.select(["mood"])
    assert not inspector.heading.question.isVisible()


def test_that_an_attribute_is_renamed_and_stays_selected(page, inspector, qtbot):
    page.store.select(["mood"])
    inspector.heading.edit_button.click()
    inspector.heading.name_field.setText("feeling")
    inspector.heading.question_field.setText("How do you feel?")
    qtbot.keyClick(inspector.heading.name_field, Qt.Key.Key_Return)
    assert page.store.current == "feeling"
    assert attribute(page, "feeling").label == "How do you feel?"
    assert not inspector.heading.name_field.isVisible()


def test_that_label_question_and_unit_are_one_step_back(page, inspector, qtbot):
    page.store.select(["age"])
    heading = inspector.heading
    before = attribute(page, "age")
    heading.edit_button.click()
    heading.title_field.setText("Age at last birthday")
    heading.question_field.setText("How old are you?")
    heading.unit_field.setText("years")
    qtbot.keyClick(heading.title_field, Qt.Key.Key_Return)
    found = attribute(page, "age")
    assert (found.title, found.unit) == ("Age at last birthday", "years")
    assert page.store.study.shown("age") == heading.name.text() == "Age at last birthday"
    assert heading.column.text() == "Column: age"
    assert heading.column.isVisible()
    page.store.undo_stack.undo()
    assert attribute(page, "age") == before
    assert heading.name.text() == "age"
    assert not heading.column.isVisible()


def test_that_a_name_that_is_taken_is_refused_at_the_field(page, inspector):
    page.store.select(["mood"])
    inspector.heading.start_editing()
    inspector.heading.name_field.setText("town")
    inspector.heading.keep_button.click()
    assert inspector.heading.name_field.isVisible()
    assert "there is an attribute “town” already" in inspector.heading.problem.text()
    assert "mood" in page.store.study.original


def test_that_escape_leaves_the_name_as_it_was(page, inspector, qtbot):
    page.store.select(["mood"])
    inspector.heading.start_editing()
    inspector.heading.name_field.setText("other")
    qtbot.keyClick(inspector.heading.name_field, Qt.Key.Key_Escape)
    assert not inspector.heading.name_field.isVisible()
    assert "mood" in page.store.study.original


def test_that_another_selection_ends_the_renaming(page, inspector):
    page.store.select(["mood"])
    inspector.heading.start_editing()
    page.store.select(["town"])
    assert not inspector.heading.name_field.isVisible()


# Kind


def test_that_the_segments_show_the_kind_and_grey_out_the_impossible(page, inspector):
    page.store.select(["income"])
    kinds = inspector.kind.kind
    assert kinds.current == "continuous"
    kinds.choose("integer")
    assert attribute(page, "income").kind is Kind.CONTINUOUS
    assert "not whole numbers, e.g." in kinds._disabled["integer"]
    assert "54 distinct numbers" in kinds._disabled["binary"]


def test_that_a_segment_changes_the_kind_and_undo_takes_it_back(page, inspector):
    page.store.select(["mood"])
    inspector.kind.kind.choose("nominal")
    assert attribute(page, "mood").kind is Kind.NOMINAL
    page.store.undo_stack.undo()
    assert inspector.kind.kind.current == "ordinal"


def test_that_the_guess_is_told_with_its_reason(page, inspector):
    page.store.select(["mood"])
    assert inspector.kind.reason.text() == "Inferred: A scale."
    page.store.select(["town"])
    assert inspector.kind.reason.text() == "Set manually or by codebook."


def test_that_the_undo_link_returns_to_how_the_file_was_understood(page, inspector):
    page.store.select(["mood"])
    assert not inspector.kind.undo_button.isVisible()
    page.edits.make(edits.set_kind(["mood"], Kind.NOMINAL))
    page.edits.make(edits.rename_value("mood", "bad", "awful", pytest.fail))
    assert inspector.kind.reason.text() == "Changed manually; read as ordinal."
    inspector.kind.undo_button.click()
    assert attribute(page, "mood").kind is Kind.ORDINAL
    assert attribute(page, "mood").values[0] == "bad"
    assert not inspector.kind.undo_button.isVisible()
    page.store.undo_stack.undo()
    assert attribute(page, "mood").values[0] == "awful"


def test_that_a_doubted_kind_can_be_kept(page, inspector, qtbot):
    few = Attribute("children", Kind.INTEGER, domain=(0, 4), reason="Whole numbers from 0 to 4.")
    table = Table((Column(few, np.arange(20) % 5),))
    page.store.open(classic_study(table, "few"))
    qtbot.waitUntil(lambda: "could be ordinal" in page.concerns.label.text())
    assert inspector.kind.keep_button.isVisible()
    inspector.kind.keep_button.click()
    assert not page.concerns.isVisible()
    assert not inspector.kind.keep_button.isVisible()
    assert attribute(page, "children").kind is Kind.INTEGER


def test_that_a_refused_kind_shows_the_old_one_again(page, inspector, qtbot):
    page.store.select(["town"])
    inspector.kind.kind.set_current("integer")
    with qtbot.waitSignal(page.workbench.error_raised):
        page.edits.make(edits.set_kind(["town"], Kind.INTEGER))
    assert inspector.kind.kind.current == "nominal"


def test_that_several_attributes_show_what_they_share(page, inspector):
    page.store.select(["town", "mood"])
    assert inspector.heading.name.text() == "2 attributes"
    assert inspector.kind.kind.current == ""
    assert not inspector.values.isVisible()
    inspector.kind.kind.choose("nominal")
    assert attribute(page, "mood").kind is Kind.NOMINAL
    assert inspector.kind.kind.current == "nominal"
