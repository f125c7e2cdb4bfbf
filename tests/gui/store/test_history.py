"""The store: one history of steps, and what is saved of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from store_signals import Signals
from studies import make_study

from ppworkbench.core.design import Ordinal, Uniform
from ppworkbench.gui.store import Store


def test_that_undo_and_redo_go_back_and_forth_through_states(store):
    before = store.study.design
    store.set_perturbation(["town"], Uniform(keep=0.3))
    store.set_perturbation(["town"], Uniform(keep=0.2))
    signals = Signals(store)
    store.undo_stack.undo()
    assert store.study.design["town"].perturbation == Uniform(keep=0.3)
    store.undo_stack.undo()
    assert store.study.design == before
    assert not store.is_modified
    store.undo_stack.redo()
    assert store.study.design["town"].perturbation == Uniform(keep=0.3)
    assert signals.take() == [("design_changed", "town")] * 3


def test_that_a_drag_is_one_step(store):
    before = store.study.design
    gesture = store.new_gesture("keep")
    for keep in (0.5, 0.45, 0.4, 0.35):
        store.set_perturbation(["town"], Uniform(keep=keep), gesture)
    assert store.undo_stack.count() == 1
    store.undo_stack.undo()
    assert store.study.design == before
    store.undo_stack.redo()
    assert store.study.design["town"].perturbation == Uniform(keep=0.35)


def test_that_two_drags_are_two_steps(store):
    for _ in range(2):
        gesture = store.new_gesture("keep")
        for keep in (0.5, 0.4, 0.3):
            store.set_perturbation(["town"], Uniform(keep=keep), gesture)
    assert store.undo_stack.count() == 2


def test_that_a_drag_across_a_save_keeps_the_saved_state_apart(store):
    gesture = store.new_gesture("keep")
    store.set_perturbation(["town"], Uniform(keep=0.5), gesture)
    store.mark_saved(Path("a.ppw"), store.study)
    store.set_perturbation(["town"], Uniform(keep=0.4), gesture)
    assert store.is_modified
    store.undo_stack.undo()
    assert not store.is_modified
    assert store.study.design["town"].perturbation == Uniform(keep=0.5)


def test_that_several_attributes_change_in_one_step(store):
    signals = Signals(store)
    store.set_perturbation(["sex", "town"], Uniform(keep=0.3))
    assert sorted(signals.take()) == [("design_changed", "sex"), ("design_changed", "town")]
    assert store.undo_stack.undoText() == "Change the mechanisms of 2 attributes"
    store.undo_stack.undo()
    assert store.study.design["town"].perturbation == Uniform(keep=0.55)


def test_that_opening_forgets_the_history(store):
    store.set_settings(seed=7)
    document = store.document
    store.open(make_study("other"))
    assert not store.undo_stack.canUndo()
    assert not store.is_modified
    assert store.path is None
    assert store.document is not document


def test_that_work_which_was_never_saved_counts_as_unsaved(qapp):
    store = Store()
    store.open(make_study(), unsaved=True)
    assert store.is_modified
    store.mark_saved(Path("a.ppw"), store.study)
    assert not store.is_modified


def test_that_saving_names_the_study_and_undo_does_not_unname_it(store):
    store.set_settings(seed=7)
    store.mark_saved(Path("there/new name.ppw"), store.study)
    assert store.study.title == "new name"
    store.undo_stack.undo()
    assert store.study.title == "new name"
    assert store.is_modified


def test_that_a_change_during_a_save_stays_unsaved(store):
    saved = store.study
    store.set_perturbation(["mood"], Ordinal(weights=(0.5, 0.2)))
    store.mark_saved(Path("a.ppw"), saved)
    assert store.is_modified
    assert store.path == Path("a.ppw")


def drag_for_long(store: Store, changes: int) -> None:
    """Move a slider back and forth in drags of a thousand changes."""
    for change in range(changes):
        if change % 1_000 == 0:
            gesture = store.new_gesture("keep")
        keep = 0.2 + (change % 499) / 1_000
        store.set_perturbation(["town"], Uniform(keep=keep), gesture)


def memory_in_use() -> float:
    """Megabytes of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_that_endless_dragging_grows_memory_by_less_than_half_a_kilobyte_per_change(store):
    drag_for_long(store, 2_000)
    before = memory_in_use()
    drag_for_long(store, 20_000)
    assert store.undo_stack.count() == 22
    # In megabytes: 50 for a hundred thousand changes.
    assert memory_in_use() - before < 10


def test_that_results_are_kept_and_make_the_study_unsaved(store):
    signals = Signals(store)
    store.set_results("classify", {"accuracy": 0.7})
    assert signals.seen == [("results_changed", "classify"), ("file_changed",)]
    assert store.study.results["classify"] == {"accuracy": 0.7}
    assert store.is_modified
    assert not store.undo_stack.canUndo()
    store.mark_saved(Path("a.ppw"), store.study)
    assert not store.is_modified


def test_that_equal_results_are_ignored_and_none_removes_them(store):
    store.set_results("classify", {"accuracy": 0.7})
    store.mark_saved(Path("a.ppw"), store.study)
    store.set_results("classify", {"accuracy": 0.7})
    assert not store.is_modified
    store.set_results("classify", None)
    assert dict(store.study.results) == {}
    assert store.is_modified


def test_that_results_survive_undo_and_redo(store):
    store.set_perturbation(["town"], Uniform(keep=0.3))
    store.set_results("classify", [1])
    store.undo_stack.undo()
    assert store.study.results["classify"] == [1]
    assert store.is_modified
    store.undo_stack.redo()
    assert store.study.results["classify"] == [1]


def test_that_results_which_come_while_the_study_is_saved_stay_unsaved(store):
    saved = store.study
    store.set_results("classify", [1])
    store.mark_saved(Path("a.ppw"), saved)
    assert store.is_modified


def test_that_forgotten_changes_ask_nobody(store):
    store.set_perturbation(["town"], Uniform(keep=0.3))
    store.set_results("classify", [1])
    store.forget_changes()
    assert not store.is_modified


def test_that_a_long_day_of_changes_keeps_only_the_last_steps(store):
    saved = Path("a.ppw")
    store.mark_saved(saved, store.study)
    for change in range(700):
        store.set_perturbation(["town"], Uniform(keep=0.1 + change / 1_000))
    assert store.undo_stack.count() == 500
    assert store.is_modified
    for _ in range(500):
        store.undo_stack.undo()
    assert not store.undo_stack.canUndo()
    assert store.study.design["town"].perturbation == Uniform(keep=0.1 + 199 / 1_000)
    # The state in the file lies further back than anybody can go.
    assert store.is_modified
