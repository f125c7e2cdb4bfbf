"""Repeating the draw a hundred times."""

import threading
import time

import pytest
from exploring import iterate, select, settle, small_study

from ppworkbench.analyses.experiments import repeats
from ppworkbench.core.design import Uniform
from ppworkbench.gui.pages.explore import draws


def repeated(page):
    """How many draws the table tells of."""
    heads = [one.head for one in page.losses.table.sheet.columns if one.key == "mean"]
    return int(heads[0].partition(" ")[0]) if heads else 0


@pytest.mark.slow
def test_that_repeating_fills_table_plot_and_list_of_jobs(qtbot, page):
    assert page.spread.stack.currentWidget() is page.spread.words
    page.repeat_action.trigger()
    settle(qtbot, page)
    rows = page.losses.table.sheet.rows
    assert repeated(page) == 100
    assert page.spread.stack.currentWidget() is page.spread.plot
    head, *draws = page.spread.plot.rows()
    assert len(head) == 1 + rows
    assert [sum(map(bool, values)) for values in zip(*draws, strict=True)][1:] == [100] * rows
    mean = page.losses.table.sheet["mean"]
    best = min(mean.values)
    assert all((i in mean.best) == (one <= best + 5e-4) for i, one in enumerate(mean.values))
    assert page.workbench.jobs.jobs[-1].name == "Repeated 100 × for town"


@pytest.fixture
def few(monkeypatch):
    """Ten draws are as many as a hundred for whatever does not count them."""
    monkeypatch.setattr(draws, "DRAWS", 10)


@pytest.fixture
def slow(monkeypatch):
    """Every batch of draws takes a while, so that there is a middle to look at."""
    whole = repeats._losses

    def slowly(method, draw, rows, plan, progress):
        for _ in range(20):
            time.sleep(0.005)
            progress(0.0)
        return whole(method, draw, rows, plan, progress)

    monkeypatch.setattr(repeats, "_losses", slowly)


@pytest.fixture
def begun(monkeypatch):
    """Tells that draws are repeated, which goes on until somebody stops it."""
    told = threading.Event()

    def endless(method, draw, rows, plan, progress):
        told.set()
        while True:
            time.sleep(0.005)
            progress(0.0)

    monkeypatch.setattr(repeats, "_losses", endless)
    return told


@pytest.mark.slow
def test_that_partial_results_appear_and_settings_are_locked(qtbot, page, slow):
    page.repeat_action.trigger()
    assert page.primary.text() == "Running…"
    assert not page.primary.isEnabled()
    assert not page.settings_card.content.isEnabled()
    assert "Locked" in page.settings_card.content.toolTip()
    assert page.cancel_action.isVisible()
    assert not page.repeat_action.isVisible()
    qtbot.waitUntil(lambda: repeated(page) > 0)
    assert page.losses.tag.text() == "partial"
    assert any(job.name.startswith("Repeating, ") for job in page.workbench.jobs.running)
    page.cancel_action.trigger()
    settle(qtbot, page)
    assert page.settings_card.content.isEnabled()
    assert page.primary.text() == "Distort again"
    qtbot.waitUntil(page.losses.tag.isHidden)


def test_that_cancel_takes_effect_and_keeps_the_finished_part(qtbot, page, slow):
    said = []
    page.workbench.toast_requested.connect(lambda words, undo: said.append(words))
    page.repeat_action.trigger()
    qtbot.waitUntil(lambda: repeated(page) > 0)
    page.cancel_action.trigger()
    qtbot.waitUntil(lambda: not page.draws.task.is_running)
    done = repeated(page)
    assert 0 < done < 100
    assert said == [f"Stopped after {done} of 100; partial results are shown."]


@pytest.mark.slow
def test_that_draws_stay_with_their_attribute_and_are_dimmed_by_another_design(qtbot, page, few):
    page.repeat()
    settle(qtbot, page)
    page.distort_again()
    settle(qtbot, page)
    assert repeated(page) == 10
    assert not page.losses.table.looks.is_stale
    select(qtbot, page, "vote")
    assert repeated(page) == 0
    select(qtbot, page, "town")
    assert repeated(page) == 10
    page.store.set_perturbation(["town"], Uniform(keep=0.8))
    settle(qtbot, page)
    assert page.losses.table.looks.is_stale
    assert "older than the last change" in page.losses.note.text()
    page.store.undo_stack.undo()
    settle(qtbot, page)
    assert not page.losses.table.looks.is_stale
    assert page.losses.note.isHidden()


def test_that_a_change_of_the_design_ends_the_repetition(qtbot, page, begun):
    page.repeat()
    qtbot.waitUntil(begun.is_set)
    page.store.set_perturbation(["town"], Uniform(keep=0.8))
    qtbot.waitUntil(lambda: not page.draws.task.is_running)
    settle(qtbot, page)
    assert page.settings_card.content.isEnabled()


def test_that_another_study_ends_the_repetition(qtbot, page, begun):
    page.repeat()
    qtbot.waitUntil(begun.is_set)
    page.store.open(small_study(200))
    qtbot.waitUntil(lambda: not page.draws.task.is_running)
    settle(qtbot, page)
    assert repeated(page) == 0


def test_that_a_second_wish_to_repeat_changes_nothing(qtbot, page, begun):
    page.repeat()
    before = page.workbench.jobs.running
    page.repeat()
    assert page.workbench.jobs.running == before
    page.cancel_action.trigger()
    settle(qtbot, page)


def test_that_another_attribute_is_explored_while_draws_are_repeated(qtbot, page, begun):
    page.repeat()
    qtbot.waitUntil(begun.is_set)
    page.store.select(["vote"])
    qtbot.waitUntil(lambda: page.picture.title.words() == "Distribution of vote")
    assert page.cancel_action.isVisible()
    page.cancel_action.trigger()
    settle(qtbot, page)
    assert not page.cancel_action.isVisible()


@pytest.mark.slow
def test_that_iterated_draws_are_repeated(qtbot, page, few):
    select(qtbot, page, "pay")
    iterate(qtbot, page)
    page.repeat()
    settle(qtbot, page)
    assert repeated(page) == 10
