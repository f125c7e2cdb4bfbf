"""The store: one study, signals for what changed and for nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from store_signals import Signals
from studies import make_study

from ppworkbench.core.data.edits import rename_attribute, reorder_values
from ppworkbench.core.design import Uniform
from ppworkbench.core.errors import ParameterError
from ppworkbench.gui.store import Store
from ppworkbench.study.renaming import PINS
from ppworkbench.study.study import PriorChoice


def test_that_opening_announces_everything_and_selects_the_first_attribute(qapp):
    store = Store()
    signals = Signals(store)
    store.open(make_study(), Path("there.ppw"))
    assert {one[0] for one in signals.seen} == set(Signals.NAMES)
    assert ("design_changed", "") in signals.seen
    assert store.current == "sex"
    assert store.path == Path("there.ppw")
    assert not store.is_modified


def test_that_a_change_of_one_attribute_is_announced_by_its_name(store):
    signals = Signals(store)
    store.set_perturbation(["town"], Uniform(keep=0.3))
    assert signals.take() == [("design_changed", "town")]
    assert store.study.design["town"].perturbation == Uniform(keep=0.3)
    assert store.is_modified


def test_that_an_equal_value_is_ignored(store):
    signals = Signals(store)
    store.set_perturbation(["town"], Uniform(keep=0.55))
    store.set_choice("town", PriorChoice("drawn", (3.0, 2.0, 1.0)))
    store.set_settings(seed=2024)
    store.set_table(store.study.original, "the same")
    store.select(["sex"])
    assert signals.seen == []
    assert not store.undo_stack.canUndo()


def test_that_other_typing_announces_data_and_design(store):
    table = reorder_values(store.study.original, "town", ["=1+1", "Łódź", "Riverside"])
    signals = Signals(store)
    store.set_table(table, "Order the values of town")
    seen = signals.take()
    assert ("data_changed",) in seen
    assert ("design_changed", "town") in seen
    assert store.undo_stack.undoText() == "Order the values of town"


def test_that_an_expected_distribution_is_announced_for_its_attribute(store):
    signals = Signals(store)
    store.set_choice("mood", PriorChoice("drawn", (1.0, 2.0, 3.0, 2.0, 1.0)))
    assert signals.take() == [("design_changed", "mood")]


def test_that_settings_are_announced_and_checked(store):
    signals = Signals(store)
    store.set_settings(seed=7)
    assert signals.take() == [("settings_changed",)]
    with pytest.raises(ParameterError, match="Seed"):
        store.set_settings(seed=-1)
    assert store.study.settings.seed == 7


def test_that_a_whole_design_of_other_attributes_is_announced_for_all(store):
    design = store.study.design
    fewer = type(design)(design.attributes[1:])
    signals = Signals(store)
    store.apply(store.study.with_(design=fewer), "Leave one out")
    assert signals.take() == [("design_changed", "")]


def test_that_a_selection_holds_only_what_is_there(store):
    signals = Signals(store)
    store.select(["age", "nothing", "age", "town"])
    assert store.selected == ("age", "town")
    assert store.current == "age"
    assert signals.take() == [("selection_changed",)]


def test_that_a_selection_survives_an_edit_and_falls_back_when_its_column_goes(store):
    store.select(["town"])
    store.set_table(store.study.original.select(["sex", "town", "age"]), "fewer")
    assert store.selected == ("town",)
    store.set_table(store.study.original.select(["sex", "age"]), "even fewer")
    assert store.selected == ("sex",)


def test_that_a_rename_is_one_step_that_takes_selection_and_results_along(store):
    store.select(["age", "town"])
    store.set_results(PINS, {"town": {"active": "", "pins": {}}})
    signals = Signals(store)
    table = rename_attribute(store.study.original, "town", "city")
    for move, name in (
        (lambda: store.set_table(table, "Rename town", ("town", "city")), "city"),
        (store.undo_stack.undo, "town"),
        (store.undo_stack.redo, "city"),
    ):
        move()
        assert signals.take() == [
            ("selection_changed",), ("data_changed",), ("design_changed", ""),
            ("results_changed", PINS),
        ]  # fmt: skip
        assert store.selected == ("age", name)
        assert list(store.study.results[PINS]) == [name]
    assert store.undo_stack.count() == 1
