"""The range of a number in the inspector of the Data page."""

import numpy as np
import pytest
from answers import attribute
from designs import classic_study
from PySide6.QtCore import Qt

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table


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
    ("low", "sentence"), [("many", "“many” is not a number."), ("20,000", "is reversed")]
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
    page.store.open(classic_study(Table((Column(exact, np.linspace(1, 9, 20)),)), "exact"))
    inspector.numbers.low.editingFinished.emit()
    assert page.store.undo_stack.count() == 0
    inspector.numbers.high.setText("10")
    inspector.numbers.high.editingFinished.emit()
    assert attribute(page, "x").domain == (0.123456789, 10.0)


def test_that_answers_beyond_the_range_are_told(page, inspector):
    page.store.select(["income"])
    assert not inspector.numbers.outside.isVisible()
    inspector.numbers.clip.click()
    inspector.numbers.high.setText("2000")
    inspector.numbers.high.editingFinished.emit()
    assert "Answers range from 1,100.25 to 6,900.25" in inspector.numbers.outside.text()
    assert "lie outside the domain" in page.concerns.label.text()


def test_that_clipping_takes_the_range_that_was_refused_without_it(page, inspector):
    page.store.select(["income"])
    numbers = inspector.numbers
    numbers.high.setText("2000")
    numbers.high.editingFinished.emit()
    assert "outside the domain" in numbers.problem.text()
    assert attribute(page, "income").domain == (0, 10_000)
    numbers.clip.click()
    assert attribute(page, "income").domain == (0, 2_000)
    assert attribute(page, "income").outside == "clip"
    assert numbers.high.text() == "2,000"
    assert not numbers.problem.isVisible()
    assert page.store.undo_stack.count() == 1
    page.store.undo_stack.undo()
    assert attribute(page, "income").domain == (0, 10_000)
    assert not numbers.clip.isChecked()


def test_that_the_range_is_fitted_to_the_answers(page, inspector):
    page.store.select(["income"])
    inspector.numbers.fit_button.click()
    assert attribute(page, "income").domain == (1000, 7000)
    assert attribute(page, "income").domain_source == "data"
    assert not inspector.numbers.fit_button.isEnabled()
    assert inspector.numbers.fit_button.toolTip()


def test_that_bounds_taken_from_the_data_are_confirmed_by_a_press(page, inspector):
    page.store.select(["income"])
    numbers = inspector.numbers
    assert not numbers.confirm_button.isVisible()
    numbers.fit_button.click()
    assert numbers.confirm_button.isVisible()
    assert numbers.source.text() == "Taken from the data, rounded."
    numbers.confirm_button.click()
    assert attribute(page, "income").domain_source == "public"
    assert page.store.study.design["income"].attribute.domain_source == "public"
    assert numbers.source.text() == "Limits known in advance."
    assert not numbers.confirm_button.isVisible()
    page.store.undo_stack.undo()
    assert numbers.confirm_button.isVisible()


def test_that_answers_outside_are_refused_until_they_are_clipped(page, inspector):
    page.store.select(["income"])
    numbers = inspector.numbers
    numbers.high.setText("2000")
    numbers.high.editingFinished.emit()
    assert "lie outside the domain" in numbers.problem.text()
    assert attribute(page, "income").domain == (0, 10_000)
    numbers.clip.click()
    assert attribute(page, "income").outside == "clip"
    numbers.high.setText("2000")
    numbers.high.editingFinished.emit()
    assert attribute(page, "income").domain == (0, 2000)
    numbers.clip.click()
    assert "lie outside the domain" in numbers.problem.text()
    assert numbers.clip.isChecked()


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
        "54 answers from 1,100.25 to 6,900.25; mean 4,000.25, median 4,000.25."
    )


def test_that_a_column_of_nothing_but_missing_numbers_is_shown(page, inspector):
    empty = Attribute("x", Kind.CONTINUOUS, domain=(0, 1))
    page.store.open(classic_study(Table((Column(empty, np.full(5, np.nan)),)), "empty"))
    assert inspector.numbers.summary.text() == "There are no answers."
    assert not inspector.numbers.fit_button.isEnabled()
    page.grab()
