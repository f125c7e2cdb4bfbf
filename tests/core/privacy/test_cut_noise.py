"""Measures of noise that is cut at the ends of the domain, on whole numbers and on grids."""

from __future__ import annotations

import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Group, Identity, Uniform
from ppworkbench.core.privacy import agrawal_srikant_widths, assess, noise_entropy_privacy

SCORE = Attribute("score", Kind.CONTINUOUS, domain=(0, 10))
COUNT = Attribute("count", Kind.INTEGER, domain=(0, 100))


def widths(noise, attribute=SCORE):
    return [width for _, width in agrawal_srikant_widths(noise, attribute)]


@pytest.mark.parametrize(
    ("noise", "expected"),
    [
        (Additive(noise="normal", range_privacy=100, truncate=True), 7.0616),
        (Additive(noise="uniform", half_width=5, truncate=True), 7.3576),
        (Additive(noise="uniform", half_width=12, truncate=True), 10.0),
        (Additive(noise="laplace", range_privacy=100, truncate=True), 6.4952),
        (Additive(noise="normal", sigma=1, truncate=True), 3.5811),
    ],
)
def test_that_cut_noise_is_as_uncertain_as_what_is_left_of_it(noise, expected):
    assert noise_entropy_privacy(noise, SCORE) == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize(
    ("noise", "expected"),
    [
        (Additive(noise="normal", range_privacy=100, truncate=True), (2.5810, 6.6398, 9.3136)),
        (Additive(noise="uniform", half_width=5, truncate=True), (3.75, 7.125, 7.4925)),
        (Additive(noise="uniform", half_width=12, truncate=True), (5, 9.5, 9.99)),
    ],
)
def test_the_mean_shortest_interval_of_cut_noise(noise, expected):
    assert widths(noise) == pytest.approx(expected, abs=2e-3)


def test_that_whole_numbers_are_cells_of_width_one():
    even = Additive(noise="uniform", half_width=10, integer="staircase")
    assert widths(even, COUNT) == pytest.approx((10.5, 19.95, 20.979))
    normal = Additive(noise="normal", sigma=5, integer="round")
    assert widths(normal, COUNT) == pytest.approx((6.7586, 19.6849, 32.9315), abs=2e-4)


def test_the_epsilon_of_laplace_noise_on_its_own_grid():
    wide = Attribute("x", Kind.CONTINUOUS, domain=(0, 1.1))
    noise = Additive(noise="laplace", scale=2, grid=0.7)
    assert noise.epsilon_of(wide) == pytest.approx(0.70)
    assert any("no multiples of the grid" in caution for caution in noise.cautions(wide))
    assert not list(Additive(noise="laplace", scale=2, grid=0.1).cautions(wide))


def test_that_one_coin_makes_right_guesses_hang_together():
    names = ("a", "b", "c", "d")
    asked = [Attribute(name, Kind.BINARY, ("no", "yes")) for name in names]
    design = Design(
        tuple(
            DesignedAttribute(one, Identity() if one.name in "ab" else Uniform(keep=0.8))
            for one in asked
        ),
        groups=(Group(("a", "b"), "unrelated", 0.6),),
    )
    assert assess(design).right_at_least[4] == pytest.approx(0.4480)
    assert assess(design).right_at_least[1] == pytest.approx(1 - 0.4 * 0.25 * 0.04)
    whole = Design(
        tuple(DesignedAttribute(one, Identity()) for one in asked),
        groups=(Group(names, "unrelated", 0.6),),
    )
    assert assess(whole).right_at_least[4] == pytest.approx(0.625)
