"""The kept trace of EM: the same numbers as the core, at every kept step."""

import itertools
from functools import cache

import numpy as np
import pytest
from exploring import small_study

from ppworkbench.analyses.experiments.draws import (
    default_steps,
    explored_column,
    most_steps,
    simulate,
)
from ppworkbench.analyses.experiments.iterations import (
    AUTO,
    CONVERGED,
    PUBLISHED,
    EmTrace,
    averages,
    em_trace,
    is_kept,
    losses_by_rule,
    most_iterations,
)
from ppworkbench.analyses.experiments.runs import refusal, run_method, trace_errors
from ppworkbench.core.design import Uniform
from ppworkbench.core.progress import Cancelled
from ppworkbench.core.reconstruct import estimators, reconstruct_counts


@cache
def traced(method, name):
    """The trace of a search, which many tests look at and none changes."""
    return run_method(method, draw_of(name)).trace


def draw_of(name, seed=3, steps=None, **changes):
    study = small_study().with_perturbations(changes)
    return simulate(explored_column(study, name, steps), seed)


@pytest.mark.parametrize(("name", "method"), [("town", "em-as"), ("pay", "em"), ("pay", "as")])
@pytest.mark.parametrize("iterations", [1, 7, 100, 151])
def test_that_any_iteration_is_that_of_the_core(name, method, iterations):
    draw, trace = draw_of(name), traced(method, name)
    found = reconstruct_counts(draw.counted, method, stop=iterations, confidence=None)
    # Between kept iterations the trace is interpolated.
    exact = 1e-12 if iterations in trace.iterations or iterations >= trace.last else 1e-4
    assert trace.at(iterations) == pytest.approx(found.probability, abs=exact)


@pytest.mark.parametrize(("name", "method"), [("town", "em-as"), ("pay", "em"), ("pay", "as")])
@pytest.mark.parametrize("rule", [AUTO, PUBLISHED])
def test_that_rules_stop_where_they_stop_in_the_core(name, method, rule):
    draw, trace = draw_of(name), traced(method, name)
    found = reconstruct_counts(draw.counted, method, stop=rule, confidence=None, seed=draw.seed)
    assert trace.stops[rule] == found.iterations
    assert trace.stops[rule] in trace.iterations


def test_that_likelihood_rises_and_losses_are_half_the_distance():
    draw, trace = draw_of("pay"), traced("em", "pay")
    assert np.all(np.diff(trace.log_likelihood) >= -1e-9)
    third = 0.5 * np.abs(trace.estimates[3] - draw.original).sum()
    assert trace.losses[3] == pytest.approx(third)
    assert trace.losses[trace.iterations == trace.lowest][0] == trace.losses.min()


def test_that_a_converged_path_says_so_and_a_long_one_does_not():
    assert traced("em-as", "town").finished
    assert not traced("em", "pay").finished


def test_that_undistorted_answers_are_found_by_every_rule():
    draw = draw_of("town", town=Uniform(keep=1.0))
    run = run_method("em-as", draw)
    for rule in (AUTO, PUBLISHED, CONVERGED):
        assert run.at(run.stop(rule, 100)).loss == pytest.approx(0.0, abs=1e-9)


def test_that_kept_iterations_grow_apart():
    kept = [i for i in range(20_001) if is_kept(i)]
    assert kept[:100] == list(range(100))
    assert len(kept) < 700
    assert max(b / a for a, b in itertools.pairwise(kept[200:])) < 1.04


def test_that_steps_go_from_kept_to_kept():
    trace = EmTrace(np.array([0, 1, 2, 4, 8]), np.ones((5, 1)), np.zeros(5))
    assert [trace.step_from(2, steps) for steps in (-1, 1, 2, -9, 9)] == [1, 4, 8, 0, 8]
    assert [trace.step_from(5, steps) for steps in (-1, 1)] == [4, 8]


def test_that_large_channels_are_followed_less_far():
    assert most_iterations(8, 8, values=True) == 20_000
    assert most_iterations(40, 40, values=False) == 20_000
    assert most_iterations(90, 73, values=False) == 11_400
    assert most_iterations(600, 40, values=False) == 3100
    assert most_iterations(600, 40, values=False, draws=100) == 2000
    assert most_iterations(2000, 200, values=False) == 2000
    assert most_iterations(3000, 500, values=False) < 1000


def test_that_no_answers_stay_at_the_start():
    trace = em_trace(np.eye(3), np.zeros(3), 50)
    assert trace.last == 0
    assert trace.at(9).tolist() == pytest.approx([1 / 3] * 3)


def test_that_a_path_can_be_cancelled():
    def stop(done, message=""):
        raise Cancelled

    with pytest.raises(Cancelled):
        run_method("em", draw_of("pay"), stop)
    draw, trace = draw_of("pay"), traced("em", "pay")
    with pytest.raises(Cancelled):
        trace_errors("em", draw, trace, stop)


def test_that_many_paths_at_once_are_the_single_ones():
    draw = draw_of("town")
    counts = np.random.default_rng(1).multinomial(600, draw.counted.shares, 4).astype(float)
    stops = {"fixed": np.array([3, 3, 3, 3]), "later": np.array([1, 5, 9, 10**6])}
    found = losses_by_rule(draw.counted.matrix, counts, 5000, stops, draw.original)
    for place, row in enumerate(counts):
        trace = em_trace(draw.counted.matrix, row, 5000, None, draw.original)
        assert found["fixed"][place] == pytest.approx(trace.loss_at(3), abs=1e-9)
        later = trace.loss_at(min(stops["later"][place], trace.last))
        assert found["later"][place] == pytest.approx(later, abs=1e-9)
        for rule in (PUBLISHED, CONVERGED):
            assert found[rule][place] == pytest.approx(trace.loss_at(trace.stops[rule]), abs=1e-9)


@pytest.mark.slow
def test_that_many_searches_at_once_find_what_single_ones_find():
    draw = draw_of("pay")
    matrix, counts = estimators["em"]().system(draw.counted)
    assert run_method("em", draw).iterates
    found = averages(matrix, np.array([counts, counts]), draw.counted.size)
    single = estimators["em"]().fit(draw.counted).probability
    for estimate in found:
        assert estimate == pytest.approx(single, abs=1e-9)


def test_that_deviations_are_those_of_many_surveys():
    draw = draw_of("town")
    run = run_method("em-as", draw)
    deviation = trace_errors("em-as", draw, run.trace)
    at = run.trace.iterations.tolist().index(5)
    surveys = np.random.default_rng(2).multinomial(600, draw.counted.shares, 400).astype(float)
    spread = np.std([em_trace(draw.counted.matrix, row, 5).at(5) for row in surveys], axis=0)
    # 100 resamples know a standard deviation to 7 %; four standard errors.
    assert deviation[at] == pytest.approx(spread, rel=0.3)
    assert deviation[0].tolist() == [0.0] * 4


def test_that_eq_is_refused_where_it_cannot_solve():
    assert refusal("eq", draw_of("town")) == ""
    assert refusal("eq", draw_of("town", town=Uniform(keep=0.25))) == "singular"
    assert refusal("eq", draw_of("pay")) == "square"
    assert refusal("eq", draw_of("age")) == ""
    assert refusal("em", draw_of("town")) == "cells"


def test_that_steps_follow_the_scale():
    study = small_study()
    assert default_steps(study.design["pay"]) == 40
    assert default_steps(study.design["age"]) == 43
    assert most_steps(study.design["age"].attribute) == 43
    assert explored_column(study, "pay", 9_999).steps == 500
    assert explored_column(study, "town", 7).steps is None
    assert explored_column(study, "nobody") is None
