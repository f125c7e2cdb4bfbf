"""The inspector: name, kind, range, missing answers and class of the selected attribute."""

import numpy as np
import pytest
from answers import small_table
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from ppworkbench.core.data.attribute import Attribute, Kind, MissingPolicy
from ppworkbench.core.data.table import Column, Table
from ppworkbench.gui.pages.data import DataPage
from ppworkbench.study.study import Study


@pytest.fixture
def page(qtbot, workbench):
    workbench.store.open(Study.of_table(small_table(), "small"))
    page = DataPage(workbench)
    qtbot.addWidget(page)
    page.resize(1290, 760)
    page.show()
    qtbot.waitExposed(page)
    return page


@pytest.fixture
def inspector(page):
    return page.inspector


def attribute(page, name):
    return page.store.study.original[name].attribute


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


def test_that_a_name_that_is_taken_is_refused_at_the_field(page, inspector):
    page.store.select(["mood"])
    inspector.heading.start_editing()
    inspector.heading.name_field.setText("town")
    inspector.heading.keep_button.click()
    assert inspector.heading.name_field.isVisible()
    assert "there is an attribute 'town' already" in inspector.heading.problem.text()
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
    assert "no whole numbers, such as" in kinds._disabled["integer"]
    assert "54 different numbers" in kinds._disabled["binary"]


def test_that_a_segment_changes_the_kind_and_undo_takes_it_back(page, inspector):
    page.store.select(["mood"])
    inspector.kind.kind.choose("nominal")
    assert attribute(page, "mood").kind is Kind.NOMINAL
    page.store.undo_stack.undo()
    assert inspector.kind.kind.current == "ordinal"


def test_that_the_guess_is_told_with_its_reason(page, inspector):
    page.store.select(["mood"])
    assert inspector.kind.reason.text() == "Guessed: A scale."
    page.store.select(["town"])
    assert inspector.kind.reason.text() == "Set by hand or by a codebook."


def test_that_the_undo_link_returns_to_how_the_file_was_understood(page, inspector):
    page.store.select(["mood"])
    assert not inspector.kind.undo_button.isVisible()
    page.corrections.set_kind(["mood"], Kind.NOMINAL)
    page.corrections.rename_value("mood", "bad", "awful", pytest.fail)
    assert inspector.kind.reason.text() == "Changed by you; it was read as ordinal."
    inspector.kind.undo_button.click()
    assert attribute(page, "mood").kind is Kind.ORDINAL
    assert attribute(page, "mood").values[0] == "bad"
    assert not inspector.kind.undo_button.isVisible()
    page.store.undo_stack.undo()
    assert attribute(page, "mood").values[0] == "awful"


def test_that_a_doubted_kind_can_be_kept(page, inspector):
    few = Attribute("children", Kind.INTEGER, domain=(0, 4), reason="Whole numbers from 0 to 4.")
    table = Table((Column(few, np.arange(20) % 5),))
    page.store.open(Study.of_table(table, "few"))
    assert "could be ordinal" in page.concerns.banner.label.text()
    assert inspector.kind.keep_button.isVisible()
    inspector.kind.keep_button.click()
    assert not page.concerns.isVisible()
    assert not inspector.kind.keep_button.isVisible()
    assert attribute(page, "children").kind is Kind.INTEGER


def test_that_a_refused_kind_shows_the_old_one_again(page, inspector, qtbot):
    page.store.select(["town"])
    inspector.kind.kind.set_current("integer")
    with qtbot.waitSignal(page.workbench.error_raised):
        page.corrections.set_kind(["town"], Kind.INTEGER)
    assert inspector.kind.kind.current == "nominal"


def test_that_several_attributes_show_what_they_share(page, inspector):
    page.store.select(["town", "mood"])
    assert inspector.heading.name.text() == "2 attributes"
    assert inspector.kind.kind.current == ""
    assert not inspector.values.isVisible()
    inspector.kind.kind.choose("nominal")
    assert attribute(page, "mood").kind is Kind.NOMINAL
    assert inspector.kind.kind.current == "nominal"


# Range


def test_that_the_range_is_shown_and_typed(page, inspector, qtbot):
    page.store.select(["income"])
    numbers = inspector.numbers
    assert (numbers.low.text(), numbers.high.text()) == ("0", "10,000")
    numbers.high.setText("12,500.5")
    qtbot.keyClick(numbers.high, Qt.Key.Key_Return)
    assert attribute(page, "income").domain == (0, 12_500.5)
    page.store.undo_stack.undo()
    assert numbers.high.text() == "10,000"


@pytest.mark.parametrize(
    ("low", "sentence"), [("many", "“many” is not a number."), ("20,000", "upside down")]
)
def test_that_an_impossible_range_is_refused_at_the_field(page, inspector, low, sentence):
    page.store.select(["income"])
    inspector.numbers.low.setText(low)
    inspector.numbers.low.editingFinished.emit()
    assert inspector.numbers.problem.isVisible()
    assert sentence in inspector.numbers.problem.text()
    assert inspector.numbers.low.text() == low
    assert attribute(page, "income").domain == (0, 10_000)
    assert page.store.undo_stack.count() == 0


def test_that_a_decimal_end_of_whole_numbers_is_refused(page, inspector):
    page.store.select(["age"])
    inspector.numbers.low.setText("17.5")
    inspector.numbers.low.editingFinished.emit()
    assert "must be whole numbers" in inspector.numbers.problem.text()


def test_that_leaving_a_field_untouched_changes_nothing(page, inspector):
    exact = Attribute("x", Kind.CONTINUOUS, domain=(0.123456789, 9.87654321))
    page.store.open(Study.of_table(Table((Column(exact, np.linspace(1, 9, 20)),)), "exact"))
    inspector.numbers.low.editingFinished.emit()
    assert page.store.undo_stack.count() == 0
    inspector.numbers.high.setText("10")
    inspector.numbers.high.editingFinished.emit()
    assert attribute(page, "x").domain == (0.123456789, 10.0)


def test_that_answers_beyond_the_range_are_told(page, inspector):
    page.store.select(["income"])
    assert not inspector.numbers.outside.isVisible()
    inspector.numbers.high.setText("2000")
    inspector.numbers.high.editingFinished.emit()
    assert "Answers run from 1,100.25 to 6,900.25" in inspector.numbers.outside.text()
    assert "lie outside the domain" in page.concerns.banner.label.text()


def test_that_the_range_is_fitted_to_the_answers(page, inspector):
    page.store.select(["income"])
    inspector.numbers.fit_button.click()
    assert attribute(page, "income").domain == (1100.25, 6900.25)
    assert not inspector.numbers.fit_button.isEnabled()
    assert inspector.numbers.fit_button.toolTip()


def test_that_the_histogram_follows_attribute_and_bars(page, inspector):
    page.store.select(["age"])
    numbers = inspector.numbers
    shown = numbers.plot._shown.series[0]
    assert shown.edges[:3].tolist() == [17.5, 20.5, 23.5]
    assert shown.edges[-1] == 90.5
    assert shown.share.sum() == pytest.approx(1)
    numbers.bars.setValue(10)
    assert len(numbers.plot._shown.series[0].share) == 10
    page.store.select(["income"])
    assert numbers.plot._shown.domain == (0, 10_000)


def test_that_the_numbers_are_summed_up_in_a_sentence(page, inspector):
    page.store.select(["income"])
    assert inspector.numbers.summary.text() == (
        "54 answers from 1,100.25 to 6,900.25; the mean is 4,000.25, the median 4,000.25."
    )


def test_that_a_column_of_nothing_but_missing_numbers_is_shown(page, inspector):
    empty = Attribute("x", Kind.CONTINUOUS, domain=(0, 1))
    page.store.open(Study.of_table(Table((Column(empty, np.full(5, np.nan)),)), "empty"))
    assert inspector.numbers.summary.text() == "There are no answers."
    assert not inspector.numbers.fit_button.isEnabled()
    page.grab()


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
        ("income", MissingPolicy.LEAVE, "6 answers stay missing in everything that follows."),
        ("income", MissingPolicy.IMPUTE, "6 answers become 4,000.25."),
        ("income", MissingPolicy.DROP, "6 rows are left out of every analysis; 54 stay."),
        ("age", MissingPolicy.LEAVE, "One answer stays missing in everything that follows."),
        ("age", MissingPolicy.DROP, "One row is left out of every analysis; 59 stay."),
        ("age", MissingPolicy.IMPUTE, "One answer becomes 41."),
    ],
)
def test_that_what_will_happen_is_told(page, inspector, name, policy, sentence):
    page.store.select([name])
    page.corrections.set_policy([name], policy)
    assert inspector.missing.effect.text() == sentence


def test_that_a_value_for_missing_answers_is_told_with_what_it_costs(page, inspector):
    page.store.select(["mood"])
    page.corrections.mark_missing("mood", ["bad"])
    page.corrections.set_policy(["mood"], MissingPolicy.VALUE)
    assert "15 answers become the value “missing”" in inspector.missing.effect.text()
    assert "The order of the answers is lost." in inspector.missing.effect.text()
    page.corrections.set_policy(["mood"], MissingPolicy.IMPUTE)
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
    page.corrections.set_policy(["age"], MissingPolicy.DROP)
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
    page.store.open(Study.of_table(two, "two"))
    page.corrections.set_kind(["x"], Kind.INTEGER)
    assert page.store.study.original.class_name is None
