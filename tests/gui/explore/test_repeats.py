"""Repeating the draw a hundred times."""

import threading
import time

import numpy as np
import pytest
from exploring import select, settle, small_study
from PySide6.QtCore import Qt

from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Additive, Design, Discretise, Multiplicative, Uniform
from ppworkbench.core.design.distort import distort
from ppworkbench.core.progress import Cancelled
from ppworkbench.core.reconstruct import estimators, reconstruct_counts
from ppworkbench.core.rng import SeededStreams
from ppworkbench.gui.pages.explore import iterations
from ppworkbench.gui.pages.explore.iterations import PartialResult, Redraw, repeat, systems
from ppworkbench.gui.pages.explore.simulation import (
    AUTO,
    CONVERGED,
    FIXED,
    PUBLISHED,
    subject_of,
    take_draw,
)


def draw_of(name, perturbation=None, steps=None):
    study = small_study()
    if perturbation is not None:
        study = study.with_perturbations({name: perturbation})
    return take_draw(subject_of(study, name, steps), 3)


# Counts


@pytest.mark.parametrize(
    ("name", "perturbation"),
    [
        ("town", None),
        ("pay", None),
        ("age", None),
        ("pay", Additive(noise="uniform", half_width=20.0)),
        ("age", Discretise(intervals=6)),
        ("age", Multiplicative(noise="lognormal", sigma=0.2)),
    ],
)
def test_that_drawn_counts_are_distributed_like_distorted_records(name, perturbation):
    draw, runs = draw_of(name, perturbation), 60
    drawn = Redraw(draw).counts(runs)
    assert (drawn.sum(axis=1) == draw.counted.rows).all()
    records = np.array([counts_of_records(draw, 1000 + i) for i in range(runs)])
    groups = np.array_split(np.arange(drawn.shape[1]), 6)
    for group in groups:
        first, second = drawn[:, group].sum(axis=1), records[:, group].sum(axis=1)
        # Six standard errors of the difference of two means, and of two standard deviations.
        spread = max(np.sqrt((first.var() + second.var()) / runs), 0.05)
        assert first.mean() == pytest.approx(second.mean(), abs=6 * spread)
        widest = max(first.std(), second.std(), 1.0)
        assert first.std() == pytest.approx(second.std(), abs=6 * widest / np.sqrt(2 * runs))


def counts_of_records(draw, seed):
    subject = draw.subject
    table = Table((subject.column,))
    column = distort(table, Design((subject.designed,)), SeededStreams(seed))[subject.name]
    cells = len(draw.counted.counts)
    if column.is_categorical:
        return np.bincount(column.data, minlength=cells)
    return np.histogram(column.data, draw.counted.z_edges)[0]


def test_that_the_same_people_are_asked_every_time():
    draw = draw_of("town", Uniform(keep=1.0))
    drawn = Redraw(draw).counts(5)
    assert (drawn == np.rint(draw.original * draw.counted.rows)).all()


@pytest.mark.parametrize("method", ["em", "as"])
def test_that_draws_share_one_channel_and_lose_nobody(method):
    draw = draw_of("pay")
    rows = Redraw(draw).counts(4)
    matrix, counts = systems(estimators[method](), draw.counted, rows)
    assert counts.shape == (4, len(matrix))
    assert counts.sum(axis=1) == pytest.approx(rows.sum(axis=1))


def test_that_losses_are_those_of_single_reconstructions():
    draw = draw_of("town")
    rows = Redraw(draw).counts(10)
    tally = repeat(draw, ("eq", "em-as"), 5, PartialResult(draw.subject, 10, 5))
    for rule, stop in ((PUBLISHED, PUBLISHED), (CONVERGED, CONVERGED), (FIXED, 5)):
        single = [
            reconstruct_counts(
                draw.counted.with_counts(row), "em-as", stop=stop, original=draw.original
            ).information_loss
            for row in rows
        ]
        assert tally.of("em-as", rule) == pytest.approx(single, abs=1e-7)
    single = [
        reconstruct_counts(
            draw.counted.with_counts(row), "eq", original=draw.original
        ).information_loss
        for row in rows
    ]
    assert tally.of("eq", "") == pytest.approx(single, abs=1e-12)


def test_that_the_held_out_rule_is_that_of_a_single_reconstruction():
    draw = draw_of("pay")
    rows = Redraw(draw).counts(10)
    tally = repeat(draw, ("as",), 5, PartialResult(draw.subject, 10, 5))
    single = [
        reconstruct_counts(
            draw.counted.with_counts(row),
            "as",
            stop=AUTO,
            original=draw.original,
            confidence=None,
            seed=draw.seed + place,
        )
        for place, row in enumerate(rows)
    ]
    # Cells differ by what other draws have seen, and late stops by a fiftieth.
    wanted = np.array([found.information_loss for found in single])
    assert np.median(np.abs(tally.of("as", AUTO) - wanted)) < 0.01


def test_that_the_same_seed_repeats_the_same_draws():
    draw = draw_of("town")
    first, again = (repeat(draw, ("em-as",), 5, PartialResult(draw.subject, 20)) for _ in range(2))
    assert first.losses == again.losses


def test_that_a_stop_keeps_what_is_done():
    draw = draw_of("town")
    tally = PartialResult(draw.subject, 100)

    def progress(done, message=""):
        if done >= 0.4:
            raise Cancelled

    with pytest.raises(Cancelled):
        repeat(draw, ("em-as",), 5, tally, progress)
    assert 0 < tally.done < 100
    assert len(tally.of("em-as", CONVERGED)) == tally.done


def test_that_every_algorithm_can_be_repeated():
    draw = draw_of("age", steps=12)
    tally = repeat(
        draw, ("em", "as", "accelerated", "smooth", "eq"), 9, PartialResult(draw.subject, 10)
    )
    assert {method for method, _ in tally.losses} == {"em", "as", "accelerated", "smooth", "eq"}
    assert all(len(losses) == 10 for losses in tally.losses.values())


# On the page


def test_that_repeating_fills_table_and_plot(qtbot, page):
    assert page.spread.stack.currentWidget() is page.spread.words
    page.repeat_action.trigger()
    settle(qtbot, page)
    rows = page.losses.model.rows
    assert all(len(row.draws) == 100 for row in rows)
    assert page.losses.model.headerData(2, Qt.Orientation.Horizontal) == "100 draws"
    assert page.spread.stack.currentWidget() is page.spread.plot
    assert [len(strip.values) for strip in page.spread.plot.strips] == [100] * len(rows)
    best = min(row.mean for row in rows)
    assert all(row.is_best == (row.mean <= best + 5e-4) for row in rows)


@pytest.fixture
def slow(monkeypatch):
    """Every batch of draws takes a while, so that there is a middle to look at."""
    whole = iterations._losses

    def slowly(method, draw, rows, plan, progress):
        for _ in range(20):
            time.sleep(0.005)
            progress(0.0)
        return whole(method, draw, rows, plan, progress)

    monkeypatch.setattr(iterations, "_losses", slowly)


@pytest.fixture
def begun(monkeypatch):
    """Tells that draws are repeated, which goes on until somebody stops it."""
    told = threading.Event()

    def endless(method, draw, rows, plan, progress):
        told.set()
        while True:
            time.sleep(0.005)
            progress(0.0)

    monkeypatch.setattr(iterations, "_losses", endless)
    return told


def test_that_partial_results_appear_and_settings_are_locked(qtbot, page, slow):
    page.repeat_action.trigger()
    assert page.primary.text() == "Running…"
    assert not page.primary.isEnabled()
    assert not page.settings_card.content.isEnabled()
    assert "Locked" in page.settings_card.content.toolTip()
    assert page.cancel_action.isVisible()
    assert not page.repeat_action.isVisible()
    qtbot.waitUntil(lambda: len(page.losses.model.rows[0].draws) > 0, timeout=20_000)
    assert page.losses.tag.text() == "partial"
    assert any(job.name.startswith("Repeating, ") for job in page.workbench.jobs.running)
    page.explorer.cancel_repeat()
    settle(qtbot, page)
    assert page.settings_card.content.isEnabled()
    assert page.primary.text() == "Distort again"
    qtbot.waitUntil(page.losses.tag.isHidden)


@pytest.mark.timed
def test_that_cancel_takes_effect_at_once_and_keeps_the_finished_part(qtbot, page, slow):
    said = []
    page.workbench.toast_requested.connect(lambda words, undo: said.append(words))
    page.repeat_action.trigger()
    qtbot.waitUntil(lambda: len(page.losses.model.rows[0].draws) > 0, timeout=20_000)
    start = time.monotonic()
    page.cancel_action.trigger()
    qtbot.waitUntil(lambda: not page.explorer.is_repeating, timeout=5000)
    assert time.monotonic() - start < 0.5
    done = len(page.losses.model.rows[0].draws)
    assert 0 < done < 100
    assert said == [f"Stopped after {done} of 100. The finished part is shown."]


def test_that_draws_of_an_older_design_are_dimmed_not_lost(qtbot, page):
    page.repeat()
    settle(qtbot, page)
    page.store.set_perturbation(["town"], Uniform(keep=0.8))
    settle(qtbot, page)
    assert page.losses.model.is_stale
    assert "before the last change" in page.losses.note.text()
    page.store.undo_stack.undo()
    settle(qtbot, page)
    assert not page.losses.model.is_stale
    assert page.losses.note.isHidden()


def test_that_draws_stay_with_their_attribute_and_seed(qtbot, page):
    page.repeat()
    settle(qtbot, page)
    page.distort_again()
    settle(qtbot, page)
    assert len(page.losses.model.rows[0].draws) == 100
    assert not page.losses.model.is_stale
    select(qtbot, page, "vote")
    assert len(page.losses.model.rows[0].draws) == 0
    select(qtbot, page, "town")
    assert len(page.losses.model.rows[0].draws) == 100


def test_that_a_change_of_the_design_ends_the_repetition(qtbot, page, begun):
    page.repeat()
    qtbot.waitUntil(begun.is_set)
    page.store.set_perturbation(["town"], Uniform(keep=0.8))
    qtbot.waitUntil(lambda: not page.explorer.is_repeating, timeout=5000)
    settle(qtbot, page)
    assert page.settings_card.content.isEnabled()


def test_that_another_study_ends_the_repetition(qtbot, page, begun):
    page.repeat()
    qtbot.waitUntil(begun.is_set)
    page.store.open(small_study(200))
    qtbot.waitUntil(lambda: not page.explorer.is_repeating, timeout=5000)
    settle(qtbot, page)
    assert len(page.losses.model.rows[0].draws) == 0


def test_that_a_second_wish_to_repeat_changes_nothing(qtbot, page, begun):
    page.repeat()
    job = page.explorer._repeating
    page.repeat()
    assert page.explorer._repeating is job
    page.explorer.cancel_repeat()
    settle(qtbot, page)


def test_that_the_window_stays_alive_while_draws_are_repeated(qtbot, page, max_block):
    select(qtbot, page, "pay")
    with max_block(100):
        page.repeat()
        settle(qtbot, page)
    assert all(len(row.draws) == 100 for row in page.losses.model.rows)
