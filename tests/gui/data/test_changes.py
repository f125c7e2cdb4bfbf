"""Edits of long tables: in the background, one after the other, each undone alone."""

import numpy as np
import pytest
from answers import attribute, small_table
from designs import classic_study

from ppworkbench.core.data.attribute import Kind, MissingPolicy
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Uniform
from ppworkbench.core.errors import DataError
from ppworkbench.gui.pages.data import edits
from ppworkbench.gui.pages.data.view import AT_ONCE, known_missing

ROWS = AT_ONCE + 1000


def long_table(rows: int = ROWS) -> Table:
    """The small table over and over again."""
    return small_table().take(np.arange(rows) % 60)


@pytest.fixture
def page(page, wait_idle):
    page.store.open(classic_study(long_table(), "long"))
    wait_idle()
    return page


def test_that_an_edit_of_a_long_table_is_a_job(page, wait_idle):
    before = page.store.study.original
    page.edits.make(edits.set_kind(["mood"], Kind.NOMINAL))
    assert page.store.study.original is before
    assert page.workbench.jobs.running[-1].name == "Change mood to nominal"
    wait_idle()
    assert attribute(page, "mood").kind is Kind.NOMINAL


def test_that_quick_edits_wait_for_each_other_and_none_is_lost(page, wait_idle):
    page.edits.make(edits.set_kind(["mood"], Kind.NOMINAL))
    page.edits.make(edits.rename_value("mood", "bad", "awful", pytest.fail))
    page.edits.make(edits.set_policy(["income"], MissingPolicy.DROP))
    wait_idle()
    assert attribute(page, "mood").kind is Kind.NOMINAL
    assert attribute(page, "mood").values[0] == "awful"
    assert attribute(page, "income").missing is MissingPolicy.DROP
    assert page.store.undo_stack.count() == 3


def test_that_a_rename_of_a_long_table_keeps_the_design(page, wait_idle):
    page.store.set_perturbation(["mood"], Uniform(keep=0.3))
    page.edits.make(edits.rename_attribute("mood", "temper", pytest.fail))
    wait_idle()
    assert page.store.study.design["temper"].perturbation == Uniform(keep=0.3)
    page.store.undo_stack.undo()
    assert page.store.study.design["mood"].perturbation == Uniform(keep=0.3)


def test_that_an_undo_during_an_edit_does_not_bring_the_undone_step_back(page, wait_idle):
    page.edits.make(edits.set_kind(["mood"], Kind.NOMINAL))
    wait_idle()
    page.edits.make(edits.set_policy(["income"], MissingPolicy.DROP))
    page.store.undo_stack.undo()
    wait_idle()
    assert attribute(page, "mood").kind is Kind.ORDINAL
    assert attribute(page, "income").missing is MissingPolicy.DROP


def test_that_an_edit_does_not_reach_another_study(page, wait_idle):
    page.edits.make(edits.set_kind(["mood"], Kind.NOMINAL))
    page.store.open(classic_study(small_table(), "small"))
    wait_idle()
    assert attribute(page, "mood").kind is Kind.ORDINAL
    assert page.store.undo_stack.count() == 0


def test_that_a_stopped_edit_shows_the_study_again_and_lets_the_next_one_pass(page, wait_idle):
    page.store.select(["mood"])
    wait_idle()
    page.inspector.kind.kind.choose("nominal")
    page.edits.make(edits.set_policy(["income"], MissingPolicy.DROP))
    page.workbench.jobs.running[-1].disown()
    wait_idle()
    assert attribute(page, "mood").kind is Kind.ORDINAL
    assert page.inspector.kind.kind.current == "ordinal"
    assert attribute(page, "income").missing is MissingPolicy.DROP


def test_that_a_refused_edit_of_a_long_table_is_told(page, qtbot, wait_idle):
    page.store.select(["town"])
    wait_idle()
    page.inspector.kind.kind.set_current("integer")
    with qtbot.waitSignal(page.workbench.error_raised) as raised:
        page.edits.make(edits.set_kind(["town"], Kind.INTEGER))
    assert isinstance(raised.args[0], DataError)
    wait_idle()
    assert page.inspector.kind.kind.current == "nominal"


def test_that_a_refused_range_of_a_long_column_stays_at_the_field(page, wait_idle):
    page.store.select(["income"])
    wait_idle()
    numbers = page.inspector.numbers
    numbers.low.setText("90,000")
    numbers.low.editingFinished.emit()
    wait_idle()
    assert "is reversed" in numbers.problem.text()
    assert numbers.low.text() == "90,000"


def test_that_counts_of_a_long_table_arrive_from_a_job(page, qtbot, wait_idle):
    fresh = long_table()
    assert known_missing(fresh["income"]) is None
    page.store.open(classic_study(fresh, "again"))
    wait_idle()
    model = page.attributes.model
    assert model.index(fresh.names.index("income"), 3).data() == "5,100"
    said = page.concerns.label.text
    qtbot.waitUntil(lambda: "“income” has 5,100 missing answers." in said())


def test_that_facts_of_a_long_column_arrive_from_a_job(page, qtbot):
    page.store.open(classic_study(long_table(), "again"))
    page.store.select(["mood"])
    values, numbers = page.inspector.values, page.inspector.numbers
    qtbot.waitUntil(lambda: page.inspector.missing.count.text() == "none here")
    assert sum(map(values.model.count, range(4))) == ROWS
    page.store.select(["income"])
    qtbot.waitUntil(lambda: page.inspector.missing.count.text().startswith("5,100 of"))
    qtbot.waitUntil(lambda: bool(numbers.plot._shown.series))
    assert numbers.plot._shown.series[0].share.sum() == pytest.approx(1)


def test_that_a_table_exchanged_meanwhile_keeps_its_own_histogram(page, wait_idle):
    page.store.select(["income"])
    page.store.open(classic_study(small_table(), "small"))
    page.store.select(["age"])
    wait_idle()
    assert page.inspector.numbers.plot._shown.domain == (18, 90)


def test_that_steps_to_undo_and_refusals_name_titles(page, wait_idle):
    page.edits.make(edits.describe_attribute("mood", "", "Mood today", ""))
    page.edits.make(edits.set_kind(["mood"], Kind.NOMINAL))
    wait_idle()
    assert page.store.undo_stack.undoText() == "Change Mood today to nominal"
    said = []
    page.edits.make(edits.rename_value("mood", "bad", "good", said.append))
    wait_idle()
    assert "“Mood today”" in said[0]
