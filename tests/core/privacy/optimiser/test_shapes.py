"""Shapes of P-matrices that the optimiser searches, with their slopes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from designs import attribute_of

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Uniform
from ppworkbench.core.privacy.optimiser import EXPOSURES, FAMILIES
from ppworkbench.core.privacy.optimiser.exposure import exposure_of
from ppworkbench.core.privacy.optimiser.search import information_loss, summed_errors
from ppworkbench.core.privacy.optimiser.shapes import (
    AnyShape,
    BandShape,
    RankOneShape,
    SymmetricShape,
    shapes_of,
)


def slope_by_steps(function, at, step=1e-6):
    columns = []
    for i in range(len(at)):
        move = np.zeros(len(at))
        move[i] = step
        columns.append((function(at + move) - function(at - move)) / (2 * step))
    return np.stack(columns, axis=-1)


SHAPES = [
    SymmetricShape(4),
    AnyShape(3),
    RankOneShape(5),
    BandShape(6, loop=False, reach=2),
    BandShape(6, loop=True, reach=2),
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_that_shapes_have_columns_of_one_and_the_right_slopes(shape):
    theta = np.random.default_rng(4).uniform(0.02, 0.12, shape.size)
    np.testing.assert_allclose(shape.matrix(theta).sum(axis=0), 1)
    steps = slope_by_steps(lambda at: shape.matrix(at).ravel(), theta)
    np.testing.assert_allclose(shape.slopes(theta), steps, atol=1e-7)
    made = shape.perturbation(theta, attribute_of(shape.k)).matrix(shape.k)
    np.testing.assert_allclose(made, shape.matrix(theta))


@pytest.mark.parametrize("shape", [*SHAPES[:3], BandShape(5, loop=True, reach=2)])
def test_that_shapes_hold_the_uniform_matrix(shape):
    matrix = shape.matrix(shape.like_uniform(0.4))
    np.testing.assert_allclose(matrix, Uniform(keep=0.4).matrix(shape.k))


@pytest.mark.parametrize("shape", SHAPES[:2])
def test_that_a_matrix_is_turned_back_into_its_numbers(shape):
    theta = np.random.default_rng(5).uniform(0.02, 0.2, shape.size)
    np.testing.assert_allclose(shape.like(shape.matrix(theta)), theta)


@pytest.mark.parametrize("left", [0.0, 2.2e-16, -2.2e-16, 6e-14, 1e-10, 1e-8])
@pytest.mark.parametrize(
    "shape", [SymmetricShape(3), AnyShape(3), BandShape(5, loop=True, reach=2)]
)
def test_that_a_true_answer_that_is_next_to_never_kept_makes_a_perturbation(shape, left):
    # How much is left of 1 by rounding depends on the processor.
    theta = shape.like_uniform(left)
    made = shape.perturbation(theta, attribute_of(shape.k))
    np.testing.assert_allclose(made.matrix(shape.k), shape.matrix(theta), atol=2e-9)


def test_that_a_matrix_that_is_not_symmetric_is_no_start_for_symmetric_ones():
    assert SymmetricShape(2).like(np.array([[0.9, 0.4], [0.1, 0.6]])) is None


@pytest.mark.parametrize("family", FAMILIES)
def test_that_every_family_has_shapes_of_the_right_size(family):
    for k in (2, 3, 6, 9, 15):
        assert all(shape.k == k for shape in shapes_of(family, k))


def test_that_the_slope_of_the_loss_is_right():
    shares = np.array([0.5, 0.3, 0.2])
    matrix = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7]])
    steps = slope_by_steps(
        lambda at: np.array(summed_errors(at.reshape(3, 3), shares)[0]), matrix.ravel()
    )
    # Columns that no longer sum to 1 move the constant x_i², which the formula leaves out.
    np.testing.assert_allclose(summed_errors(matrix, shares)[1].ravel(), steps, atol=1e-5)
    per_survey = 0.5 * math.sqrt(2 / math.pi / 400)
    assert information_loss(matrix, shares, 400) == pytest.approx(
        summed_errors(matrix, shares)[0] * per_survey
    )


def test_that_a_singular_matrix_is_hopeless_but_no_error():
    value, slope = summed_errors(np.full((3, 3), 1 / 3), np.full(3, 1 / 3))
    assert value >= 1e8
    assert np.isfinite(slope).all()


@pytest.mark.parametrize("name", EXPOSURES)
def test_that_constraints_have_the_right_slopes_and_meaning(name):
    shares = np.array([0.5, 0.3, 0.2])
    attribute = Attribute("asked", Kind.NOMINAL, ("a", "b", "c"), sensitive=("c",))
    exposure = exposure_of(name, attribute, shares)
    matrix = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7]])
    helpers = exposure.helpers(matrix)
    value = exposure.value(matrix)
    assert exposure.slack(matrix, helpers, value).min() == pytest.approx(0, abs=1e-9)
    tighter = value - exposure.sign * 0.05
    assert exposure.slack(matrix, helpers, tighter).min() < 0
    assert exposure.holds(matrix, value)
    assert not exposure.holds(matrix, tighter)
    by_entry, by_helper = exposure.slopes(matrix, value)
    inside = SymmetricShape(3)
    theta = inside.like(matrix)
    steps = slope_by_steps(lambda at: exposure.slack(inside.matrix(at), helpers, value), theta)
    np.testing.assert_allclose(by_entry @ inside.slopes(theta), steps, atol=1e-6)
    if len(helpers):
        steps = slope_by_steps(lambda at: exposure.slack(matrix, at, value), helpers)
        np.testing.assert_allclose(by_helper, steps, atol=1e-6)
