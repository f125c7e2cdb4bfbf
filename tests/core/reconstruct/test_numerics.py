"""Fast ways give what slow ways give."""

from __future__ import annotations

import numpy as np
import pytest
from examples import sweep
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.arrays import project
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column
from ppworkbench.core.design import Additive, Ordinal, Uniform
from ppworkbench.core.design.noises.distribution import on_differences
from ppworkbench.core.progress import Cancelled
from ppworkbench.core.reconstruct import Em, count_column, make_grid
from ppworkbench.core.reconstruct.algorithms.accelerated import climb, maximise
from ppworkbench.core.reconstruct.algorithms.smooth import PenalisedLikelihood, shapes
from ppworkbench.core.reconstruct.channel import solve
from ppworkbench.core.rng import SeededStreams

REAL = Attribute("real", Kind.CONTINUOUS, domain=(-2, 7))


@given(
    k=st.integers(2, 30),
    stride=st.integers(1, 9),
    rows=st.integers(3, 400),
    start=st.floats(-10, 10),
    ends=st.tuples(st.floats(0, 5), st.floats(0, 5)),
)
def test_that_differences_once_are_differences_each(k, stride, rows, start, ends):
    x = -2 + 0.3 * np.arange(k)
    inner = start + 0.3 / stride * np.arange(rows)
    z = np.concatenate([[inner[0] - ends[0]], inner, [inner[-1] + ends[1]]])
    np.testing.assert_allclose(on_differences(np.sin, z, x), np.sin(z[:, None] - x), atol=1e-9)


def test_that_uneven_borders_are_worked_out_one_by_one():
    z, x = np.sort(np.random.default_rng(1).random(300)), np.geomspace(1, 2, 40)
    np.testing.assert_allclose(on_differences(np.sin, z, x), np.sin(z[:, None] - x))


@pytest.mark.parametrize("shape", ["uniform", "normal", "laplace"])
def test_that_the_channel_is_that_of_the_noise(shape):
    noise = Additive(noise=shape, range_privacy=70)
    grid = make_grid(REAL, noise, 30)
    exact = noise.channel(grid.x_edges, grid.z_cells.edges, REAL)
    np.testing.assert_allclose(grid.matrix(), exact, atol=1e-10)


def test_that_answers_are_shared_between_the_borders_of_their_cell():
    noise = Additive(noise="normal", sigma=1.0)
    told = noise.distort(np.full(500, 2.0), REAL, SeededStreams(1).stream("real"))
    counted = count_column(Column(REAL, told), REAL, noise, 30)
    density, shared = Em().system(counted)
    assert shared.sum() == pytest.approx(500)
    assert shared @ counted.z_edges == pytest.approx(told.sum())
    x, z = counted.x_edges, counted.z_edges
    row = len(z) // 2
    cdf = noise.noise_of(REAL).cdf
    expected = (cdf(z[row] - x[:-1]) - cdf(z[row] - x[1:])) / np.diff(x)
    np.testing.assert_allclose(density[row], expected, atol=1e-10)


@pytest.mark.parametrize(
    "rule", sweep([Uniform(keep=0.3), Ordinal(weights=(0.4, 0.2, 0.1))], quick=1), ids=str
)
def test_that_climbing_ends_where_the_central_path_ends(rule):
    generator = np.random.default_rng(3)
    matrix = rule.matrix(12)
    reached = 0
    for _ in range(60):
        prior = generator.dirichlet(np.full(12, 0.3))
        counts = generator.multinomial(generator.integers(100, 100_000), matrix @ prior)
        used = counts > 0
        shares = counts[used] / counts.sum()
        start = project(solve(matrix, counts / counts.sum()))
        path = climb(matrix[used], shares, start, 1e-10)
        safe = maximise(matrix[used], shares[None], 1e-12)
        assert safe.gap[0] < 1e-10
        if path is not None:
            reached += 1
            best = shares @ np.log(matrix[used] @ safe.probability[0])
            found = path.estimates[-1] / path.estimates[-1].sum()
            assert shares @ np.log(matrix[used] @ found) == pytest.approx(best, abs=1e-9)
    assert reached > 20


def test_that_surveys_together_reach_what_each_reaches_alone():
    matrix = Uniform(keep=0.4).matrix(6)
    shares = np.random.default_rng(1).multinomial(200, np.full(6, 1 / 6), size=8) / 200
    together = maximise(matrix, shares, 1e-11).probability
    alone = np.vstack([maximise(matrix, row[None], 1e-11).probability for row in shares])
    np.testing.assert_allclose(together, alone, atol=1e-6)


def test_that_the_central_path_can_be_left():
    def stop(done, message=""):
        if done > 0.5:
            raise Cancelled

    shares = np.array([[0.7, 0.2, 0.1]])
    with pytest.raises(Cancelled):
        maximise(Uniform(keep=0.5).matrix(3), shares, progress=stop)


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("k", [2, 5, 60, 300])
def test_that_shapes_are_orthonormal_and_get_rougher(order, k):
    columns, roughness = shapes(k, order)
    np.testing.assert_allclose(columns.T @ columns, np.eye(columns.shape[1]), atol=1e-4)
    np.testing.assert_allclose(columns.sum(axis=0), 0, atol=1e-9)
    assert np.all(np.diff(roughness) >= -1e-12)
    bent = np.diff(columns, min(order, k - 1), axis=0)
    np.testing.assert_allclose((bent**2).sum(axis=0), roughness, atol=1e-7)


def test_that_the_strongest_penalty_leaves_a_straight_line():
    matrix, counts = np.eye(30), np.arange(1, 31, dtype=float)
    problem = PenalisedLikelihood(matrix, counts, np.ones(30), counts.sum(), order=2)
    eta = np.log(problem.solve(1e8, problem.start()).probability)
    assert np.abs(np.diff(eta, 2)).max() < 1e-4
    assert eta[-1] > eta[0] + 1


def test_that_wider_cells_hold_more_of_a_flat_density():
    widths = np.array([1.0, 2.0, 4.0, 1.0])
    problem = PenalisedLikelihood(np.eye(4), 100 * widths, widths, 800, order=1)
    found = problem.solve(1e8, problem.start()).probability
    np.testing.assert_allclose(found, widths / 8, atol=1e-6)
