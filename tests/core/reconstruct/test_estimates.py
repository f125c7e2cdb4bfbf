"""The estimators agree where theory says that they do."""

from __future__ import annotations

import numpy as np
import pytest
from counted_answers import channel_of
from examples import sweep
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column
from ppworkbench.core.design import Additive, Custom, Multiplicative, Ordinal, Retention, Uniform
from ppworkbench.core.reconstruct import (
    Accelerated,
    AsNoise,
    Converged,
    Em,
    EmAs,
    Eq,
    Fixed,
    Smooth,
    count_column,
    information_loss,
    project,
    reconstruct,
)
from ppworkbench.core.reconstruct.algorithms.accelerated import maximise
from ppworkbench.core.reconstruct.reconstruction import log_likelihood
from ppworkbench.core.rng import SeededStreams

pytestmark = pytest.mark.thorough

REAL = Attribute("real", Kind.CONTINUOUS, domain=(0, 1))
WHOLE = Attribute("whole", Kind.INTEGER, domain=(0, 20))
MATRICES = {
    "uniform": Uniform(keep=0.6),
    "ordinal": Ordinal(weights=(0.6, 0.2), loop=False),
    "loop": Ordinal(weights=(0.5, 0.2, 0.05), loop=True),
}


def nominal(k):
    return Attribute("answer", Kind.NOMINAL, tuple(str(i) for i in range(k)))


def channel(perturbation, counts):
    counts = np.asarray(counts, float)
    k = len(counts)
    return channel_of(perturbation.matrix(k), counts, nominal(k), perturbation)


@pytest.mark.parametrize("perturbation", MATRICES.values(), ids=MATRICES)
def test_that_em_finds_the_solution_of_eq_inside_the_simplex(perturbation):
    counted = channel(perturbation, [150, 180, 260, 210, 120, 100])
    solution = Eq().fit(counted).raw
    assert solution.min() > 0
    em = EmAs().fit(counted, Converged(tolerance=1e-12))
    np.testing.assert_allclose(em.probability, solution, atol=1e-6)
    np.testing.assert_allclose(Accelerated().fit(counted).probability, solution, atol=1e-8)


@pytest.mark.parametrize("perturbation", MATRICES.values(), ids=MATRICES)
def test_that_accelerated_is_converged_em_at_the_border(perturbation):
    counted = channel(perturbation, [5, 700, 20, 3, 260, 2])
    assert Eq().fit(counted).raw.min() < 0
    em = EmAs().fit(counted, Converged(tolerance=1e-14, most=200_000))
    fast = Accelerated().fit(counted)
    np.testing.assert_allclose(fast.probability, em.probability, atol=1e-6)
    assert fast.trace.log_likelihood[-1] >= em.trace.log_likelihood[-1] - 1e-9
    assert fast.iterations < 40


def test_that_accelerated_climbs_the_likelihood_of_em_for_numbers_under_noise():
    noise = Additive(noise="uniform", half_width=0.3)
    x = np.random.default_rng(4).beta(2, 5, 2000)
    told = noise.distort(x, REAL, SeededStreams(4).stream("x"))
    counted = count_column(Column(REAL, told), REAL, noise, 12)
    em = Em().fit(counted, Converged(tolerance=1e-10, most=100_000))
    assert em.finished
    np.testing.assert_allclose(Accelerated().fit(counted).probability, em.probability, atol=1e-6)
    # Without the places of answers in their cells the maximum lies elsewhere.
    used = counted.usable > 0
    cells = maximise(counted.matrix[used], counted.shares[used][None]).probability[0]
    assert np.abs(cells - em.probability).max() > 1e-4


@given(
    counts=st.lists(st.integers(0, 1000), min_size=5, max_size=9).filter(any),
    keep=st.floats(0.25, 1),
)
def test_that_no_distribution_is_likelier_than_the_accelerated_one(counts, keep):
    counted = channel(Uniform(keep=keep), counts)
    found = Accelerated().fit(counted)
    best = found.trace.log_likelihood[-1]
    rivals = np.random.default_rng(len(counts)).dirichlet(np.ones(counted.k), 50)
    rivals = np.vstack([rivals, project(Eq().fit(counted).raw)[None]])
    assert best >= log_likelihood(counted.matrix, counted.counts, rivals).max() - 1e-6 * sum(counts)


@given(raw=st.lists(st.floats(-2, 2), min_size=1, max_size=12))
def test_that_a_projection_is_the_nearest_distribution(raw):
    raw = np.array(raw)
    nearest = project(raw)
    assert nearest.min() >= 0
    assert nearest.sum() == pytest.approx(1)
    rivals = np.random.default_rng(0).dirichlet(np.ones(len(raw)), 200)
    assert np.linalg.norm(raw - nearest) <= np.linalg.norm(raw - rivals, axis=1).min() + 1e-12


def test_that_a_distribution_is_its_own_projection():
    given_one = np.array([0.25, 0.5, 0.25, 0.0])
    assert project(given_one).tolist() == given_one.tolist()


@pytest.mark.slow
def test_that_eq_is_unbiased():
    perturbation = Uniform(keep=0.4)
    prior = np.array([0.7, 0.2, 0.1, 0.0])
    matrix = perturbation.matrix(4)
    drawn = np.random.default_rng(5).multinomial(500, matrix @ prior, size=4000)
    raw = np.array([Eq().fit(channel(perturbation, counts)).raw for counts in drawn])
    error = raw.std(axis=0) / np.sqrt(len(raw))
    assert np.all(np.abs(raw.mean(axis=0) - prior) < 4 * error)


def test_that_likelihood_never_falls_from_one_iteration_to_the_next():
    counted = channel(MATRICES["ordinal"], [5, 700, 20, 3, 260, 2])
    trace = EmAs().fit(counted, Fixed(200)).trace
    assert np.diff(trace.log_likelihood).min() >= -1e-9


def per_record_em(told, noise, k, iterations):
    """The published form: one row of the channel per record, density times width."""
    edges = np.linspace(0, 1, k + 1)
    reach = noise.noise_of(REAL)
    rows = -np.diff(reach.cdf(told[:, None] - edges[None, :]), axis=1)
    theta = np.full(k, 1.0)
    for _ in range(iterations):
        density = rows @ theta
        theta = theta * (rows / density[:, None]).sum(axis=0) / (len(told) / k)
    return theta / k


@pytest.mark.parametrize("shape", sweep(["uniform", "normal", "laplace"], quick=1))
def test_that_counted_em_agrees_with_the_sum_over_records(shape):
    noise = Additive(noise=shape, range_privacy=80)
    x = np.random.default_rng(4).beta(2, 5, 20_000)
    told = noise.distort(x, REAL, SeededStreams(4).stream("real"))
    counted = count_column(Column(REAL, told), REAL, noise, 25)
    found = Em().fit(counted, Fixed(50)).probability
    exact = per_record_em(told, noise, 25, 50)
    assert np.abs(found - exact).sum() < 3e-4


def test_that_as_uses_densities_between_mid_points():
    noise = Additive(noise="normal", sigma=0.2)
    told = noise.distort(np.random.default_rng(1).random(500), REAL, SeededStreams(1).stream("x"))
    counted = count_column(Column(REAL, told), REAL, noise, 10)
    found = AsNoise().fit(counted, Fixed(3)).probability
    low, high = np.floor(told.min() * 10), np.ceil(told.max() * 10)
    edges = np.arange(min(low, 0), max(high, 10) + 1) / 10
    counts = np.histogram(told, edges)[0]
    middle, x_middle = (edges[:-1] + edges[1:]) / 2, np.arange(0.05, 1, 0.1)
    density = np.exp(-0.5 * ((middle[:, None] - x_middle) / 0.2) ** 2)
    x = np.full(10, 0.1)
    for _ in range(3):
        x = x * ((counts / 500 / (density @ x)) @ density)
    np.testing.assert_allclose(found, x, atol=1e-9)


@pytest.mark.parametrize(
    "noise",
    [
        Additive(noise="uniform", half_width=3),
        Additive(noise="uniform", half_width=3, integer="round"),
        Additive(noise="normal", sigma=2, truncate=True),
    ],
    ids=lambda noise: noise.summary(),
)
def test_that_as_and_em_are_one_where_every_number_has_a_cell(noise):
    told = noise.distort(np.full(300, 7.0), WHOLE, SeededStreams(1).stream("x"))
    counted = count_column(Column(WHOLE, told), WHOLE, noise)
    em, mid_point = (one.fit(counted, Fixed(20)).probability for one in (Em(), AsNoise()))
    np.testing.assert_allclose(em, mid_point, atol=1e-9)


@pytest.mark.parametrize("rule", ["staircase", "round", "floor"])
def test_that_the_integer_rule_of_the_design_is_undone(rule):
    noise = Additive(noise="uniform", half_width=3, integer=rule)
    prior = np.random.default_rng(8).dirichlet(np.full(21, 3.0))
    x = np.random.default_rng(9).choice(21, 400_000, p=prior).astype(float)
    told = noise.distort(x, WHOLE, SeededStreams(1).stream("x"))
    counted = count_column(Column(WHOLE, told), WHOLE, noise)
    found = Accelerated().fit(counted).probability
    assert information_loss(prior, found) < 0.05


@pytest.mark.parametrize(
    "noise",
    sweep(
        [
            Additive(noise="uniform", half_width=0.3),
            Additive(noise="normal", sigma=0.12),
            Additive(noise="laplace", scale=0.1),
            Additive(noise="normal", sigma=0.2, truncate=True),
            Additive(noise="uniform", half_width=0.3, grid=0.01),
            Retention(keep=0.5),
            Retention(keep=0.5, replacing=(1, 2, 3)),
        ],
        quick=5,
    ),
    ids=lambda noise: f"{noise.summary()} {noise.to_json()}",
)
@pytest.mark.parametrize("algorithm", sweep(["default", "em", "as"], quick=1))
def test_that_noise_on_real_numbers_is_undone(noise, algorithm):
    x = np.random.default_rng(3).beta(3, 6, 50_000)
    told = noise.distort(x, REAL, SeededStreams(3).stream("x"))
    result = reconstruct(
        Column(REAL, told), REAL, noise, algorithm, bins=20, original=Column(REAL, x)
    )
    naive = np.histogram(np.clip(told, 0, 1), np.linspace(0, 1, 21))[0] / len(told)
    truth = np.histogram(x, np.linspace(0, 1, 21))[0] / len(x)
    assert result.information_loss < (0.06 if algorithm == "default" else 0.1)
    assert result.information_loss < 0.5 * information_loss(truth, naive)


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["lognormal", "truncated-normal"])
def test_that_multiplicative_noise_is_undone(shape):
    income = Attribute("income", Kind.CONTINUOUS, domain=(1, 1000))
    noise = Multiplicative(noise=shape, sigma=0.4)
    x = np.clip(np.random.default_rng(3).lognormal(4, 0.5, 50_000), 1, 1000)
    told = noise.distort(x, income, SeededStreams(3).stream("x"))
    for algorithm in ("default", "em", "as"):
        result = reconstruct(
            Column(income, told), income, noise, algorithm, original=Column(income, x)
        )
        assert result.information_loss < 0.05


def test_that_smoothing_follows_the_data_in_strength():
    noise = Additive(noise="uniform", half_width=0.1)
    flat = np.random.default_rng(1).random(5000)
    peak = np.clip(np.random.default_rng(1).normal(0.5, 0.03, 5000), 0, 1)
    found = {}
    for name, x in (("flat", flat), ("peak", peak)):
        told = noise.distort(x, REAL, SeededStreams(1).stream("x"))
        counted = count_column(Column(REAL, told), REAL, noise, 40)
        found[name] = Smooth().fit(counted).probability
    assert np.abs(found["flat"] - 1 / 40).max() < 0.01
    assert found["peak"].max() > 0.2


def test_that_a_given_strength_of_smoothing_is_used():
    noise = Additive(noise="uniform", half_width=0.1)
    told = noise.distort(np.full(1000, 0.5), REAL, SeededStreams(1).stream("x"))
    counted = count_column(Column(REAL, told), REAL, noise, 40)
    weak, strong = (Smooth(smoothing=s).fit(counted).probability for s in (1e-2, 1e6))
    assert weak.max() > 5 * strong.max()


@pytest.mark.slow
def test_that_four_hundred_cells_are_smoothed():
    wide = Attribute("wide", Kind.INTEGER, domain=(0, 399))
    noise = Additive(noise="normal", sigma=20)
    x = np.random.default_rng(1).binomial(399, 0.4, 20_000).astype(float)
    told = noise.distort(x, wide, SeededStreams(1).stream("x"))
    result = reconstruct(Column(wide, told), wide, noise)
    assert result.k == 400
    mean = result.probability @ np.arange(400)
    assert mean == pytest.approx(x.mean(), abs=4 * np.sqrt(20**2 / 20_000) + 0.5)


def test_that_zero_transitions_stay_possible_to_undo():
    swap = Custom(((0.0, 1.0), (1.0, 0.0)))
    assert Eq().fit(channel(swap, [3, 7])).probability.tolist() == [0.7, 0.3]
    np.testing.assert_allclose(EmAs().fit(channel(swap, [3, 7])).probability, [0.7, 0.3])
