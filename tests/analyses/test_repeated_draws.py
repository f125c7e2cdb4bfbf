"""Repeated draws: distributed like distorted records, lost like single reconstructions."""

import numpy as np
import pytest
from exploring import small_study

from ppworkbench.analyses.experiments.draws import explored_column, simulate
from ppworkbench.analyses.experiments.iterations import AUTO, CONVERGED, FIXED, PUBLISHED
from ppworkbench.analyses.experiments.repeats import PartialResult, Redraw, repeat, systems
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Additive, Design, Discretise, Multiplicative, Uniform
from ppworkbench.core.design.distort import distort
from ppworkbench.core.progress import Cancelled
from ppworkbench.core.reconstruct import estimators, reconstruct_counts
from ppworkbench.core.rng import SeededStreams


def draw_of(name, perturbation=None, steps=None):
    study = small_study()
    if perturbation is not None:
        study = study.with_perturbations({name: perturbation})
    return simulate(explored_column(study, name, steps), 3)


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
    explored = draw.explored
    table = Table((explored.column,))
    column = distort(table, Design((explored.designed,)), SeededStreams(seed))[explored.name]
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


@pytest.mark.slow
def test_that_losses_are_those_of_single_reconstructions():
    draw = draw_of("town")
    rows = Redraw(draw).counts(10)
    tally = repeat(draw, ("eq", "em-as"), 5, PartialResult(draw.explored, 10, 5))
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


@pytest.mark.slow
def test_that_the_held_out_rule_is_that_of_a_single_reconstruction():
    draw = draw_of("pay")
    rows = Redraw(draw).counts(10)
    tally = repeat(draw, ("as",), 5, PartialResult(draw.explored, 10, 5))
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


@pytest.mark.slow
def test_that_the_same_seed_repeats_the_same_draws():
    draw = draw_of("town")
    first, again = (repeat(draw, ("em-as",), 5, PartialResult(draw.explored, 20)) for _ in range(2))
    assert first.losses == again.losses


@pytest.mark.slow
def test_that_a_stop_keeps_what_is_done():
    draw = draw_of("town")
    tally = PartialResult(draw.explored, 100)

    def progress(done, message=""):
        if done >= 0.1:
            raise Cancelled

    with pytest.raises(Cancelled):
        repeat(draw, ("em-as",), 5, tally, progress)
    assert 0 < tally.done < 100
    assert len(tally.of("em-as", CONVERGED)) == tally.done


def test_that_every_algorithm_can_be_repeated():
    draw = draw_of("age", steps=12)
    tally = repeat(
        draw, ("em", "as", "accelerated", "smooth", "eq"), 9, PartialResult(draw.explored, 10)
    )
    assert {method for method, _ in tally.losses} == {"em", "as", "accelerated", "smooth", "eq"}
    assert all(len(losses) == 10 for losses in tally.losses.values())
