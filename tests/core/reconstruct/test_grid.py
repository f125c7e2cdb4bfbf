"""Cells of numbers and the channel between them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import (
    Additive,
    Discretise,
    Identity,
    Multiplicative,
    Retention,
    Uniform,
)
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.reconstruct.grid import (
    DEFAULT_BINS,
    EdgeCells,
    StepCells,
    make_grid,
    sub_bins,
)

REAL = Attribute("real", Kind.CONTINUOUS, domain=(10, 110))
WHOLE = Attribute("whole", Kind.INTEGER, domain=(1, 60))
WIDE = Attribute("wide", Kind.INTEGER, domain=(0, 100_000))
POINT = Attribute("point", Kind.CONTINUOUS, domain=(5, 5))

NOISES = [
    Additive(noise="uniform", half_width=12),
    Additive(noise="normal", sigma=9),
    Additive(noise="laplace", scale=6),
    Additive(noise="normal", sigma=30, truncate=True),
    Retention(keep=0.4),
    Retention(keep=0.4, replacing=(1, 3)),
    Multiplicative(sigma=0.3),
    Multiplicative(noise="truncated-normal", sigma=0.2),
]


@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: noise.summary())
@pytest.mark.parametrize("attribute", [REAL, WHOLE], ids=lambda attribute: attribute.name)
def test_that_a_channel_loses_nothing(noise, attribute):
    grid = make_grid(attribute, noise)
    matrix = grid.matrix()
    assert matrix.shape == (grid.z_cells.count, grid.k)
    assert matrix.min() >= 0
    np.testing.assert_allclose(matrix.sum(axis=0), 1, atol=1e-9)


@pytest.mark.parametrize("noise", NOISES[:3], ids=lambda noise: noise.summary())
def test_that_distorted_cells_are_finer_and_reach_beyond_the_domain(noise):
    grid = make_grid(REAL, noise, 20)
    edges = grid.z_cells.edges
    assert np.diff(edges).max() <= 5 / 4 + 1e-9
    assert edges[0] <= noise.support(REAL)[0]
    assert edges[-1] >= noise.support(REAL)[1]


def test_that_bins_are_what_was_asked_for():
    assert make_grid(REAL, NOISES[0]).k == DEFAULT_BINS
    assert make_grid(REAL, NOISES[0], 7).x_edges.tolist() == np.linspace(10, 110, 8).tolist()
    assert make_grid(REAL, NOISES[0], [10, 20, 110]).k == 2
    assert make_grid(WHOLE, NOISES[0]).x_edges.tolist() == (np.arange(1, 62) - 0.5).tolist()
    assert make_grid(WIDE, NOISES[0]).k == DEFAULT_BINS
    assert make_grid(WHOLE, NOISES[0], 500).k == 60


def test_that_bins_of_whole_numbers_have_borders_between_them():
    edges = make_grid(WHOLE, NOISES[0], 7).x_edges
    assert len(edges) == 8
    assert set((edges - 0.5) % 1) == {0.0}
    assert (edges[0], edges[-1]) == (0.5, 60.5)


def test_that_multiplicative_noise_has_cells_on_the_scale_of_logarithms():
    edges = make_grid(REAL, NOISES[6], 10).x_edges
    np.testing.assert_allclose(edges[1:] / edges[:-1], (110 / 10) ** 0.1)


def test_that_intervals_are_their_own_cells():
    grid = make_grid(REAL, Discretise(intervals=4))
    assert grid.x_edges.tolist() == [10, 35, 60, 85, 110]
    assert np.array_equal(grid.matrix(), np.eye(4))


def test_that_edges_of_intervals_outside_the_domain_make_no_cells():
    grid = make_grid(REAL, Discretise(edges=(0, 5, 50, 200, 300)))
    assert grid.x_edges.tolist() == [5, 50, 200]


@pytest.mark.parametrize("bins", [0, -3, 10_001, [1, 1, 2], [110.0], [10, 50]])
def test_that_impossible_bins_are_refused(bins):
    with pytest.raises(ParameterError, match=r"Bins|borders"):
        make_grid(REAL, NOISES[0], bins)


@pytest.mark.parametrize("noise", [*NOISES[:3], Identity()], ids=lambda noise: noise.summary())
def test_that_a_domain_of_one_point_has_one_cell(noise):
    grid = make_grid(POINT, noise)
    assert grid.k == 1
    assert grid.matrix().sum() == 1


def test_that_values_are_their_own_cells():
    colour = Attribute("colour", Kind.NOMINAL, ("a", "b", "c"))
    grid = make_grid(colour, Uniform(keep=0.5), 99)
    assert grid.k == 3
    assert np.array_equal(grid.matrix(), Uniform(keep=0.5).matrix(3))


def test_that_enormous_noise_does_not_make_enormous_grids():
    grid = make_grid(REAL, Additive(noise="normal", sigma=1e9))
    assert grid.z_cells.count <= 70_000


def test_that_published_steps_lie_in_the_middle_of_cells():
    cells = make_grid(REAL, Additive(noise="normal", sigma=9, grid=2.0)).z_cells
    steps = cells.edges / 2.0
    np.testing.assert_allclose(steps % 1, 0.5)


@given(k=st.integers(1, 100_000))
def test_that_an_interval_is_cut_into_4_parts_or_more_where_there_are_few(k):
    assert 4 <= sub_bins(k) <= max(16, 256 // k)


@given(
    numbers=st.lists(st.floats(-5, 25), min_size=1, max_size=30),
    count=st.integers(1, 40),
)
def test_that_steps_place_numbers_as_borders_do(numbers, count):
    data = np.array([*numbers, np.nan])
    steps = StepCells(0.0, 0.5, count)
    borders = EdgeCells(steps.edges)
    inside = np.abs(data / 0.5 - np.rint(data / 0.5)) > 1e-6
    assert steps.place(data)[inside].tolist() == borders.place(data)[inside].tolist()
    assert steps.place(data)[-1] == borders.place(data)[-1] == -1


def test_that_the_upper_border_belongs_to_the_last_cell():
    data = np.array([0.0, 10.0, 10.5, -0.1])
    assert StepCells(0.0, 2.5, 4).place(data).tolist() == [0, 3, -1, -1]
    assert EdgeCells(np.linspace(0, 10, 5)).place(data).tolist() == [0, 3, -1, -1]
