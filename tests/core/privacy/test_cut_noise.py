"""Measures of noise that is cut at the ends of the domain, on whole numbers and on grids."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Group, Identity, Uniform
from ppworkbench.core.privacy.agrawal_srikant import CONFIDENCES, agrawal_srikant_widths
from ppworkbench.core.privacy.assess import assess
from ppworkbench.core.privacy.entropy import noise_entropy_privacy

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


FEW = Attribute("children", Kind.INTEGER, domain=(0, 6))
CUT = [
    Additive(noise="laplace", scale=0.8, truncate=True),
    Additive(noise="laplace", scale=3, integer="round", truncate=True),
    Additive(noise="laplace", scale=1000, truncate=True),
    Additive(noise="normal", sigma=1.5, truncate=True),
    Additive(noise="uniform", half_width=2, truncate=True),
    Additive(noise="uniform", half_width=8, integer="round", truncate=True),
]


def law(noise: Additive, attribute: Attribute) -> np.ndarray:
    """``P[z, x]``: step noise that is drawn again until the report lies in the domain."""
    low, high = (int(end) for end in attribute.domain)
    numbers = np.arange(low, high + 1)
    steps, mass = noise.steps_of(attribute).pmf()
    chance = dict(zip(steps.tolist(), mass.tolist(), strict=True))
    drawn = np.array([[chance.get(int(z - x), 0.0) for x in numbers] for z in numbers])
    return drawn / drawn.sum(axis=0)


@pytest.mark.parametrize("noise", CUT, ids=str)
def test_that_the_epsilon_of_cut_noise_on_whole_numbers_is_that_of_all_reports(noise):
    matrix = law(noise, FEW)
    with np.errstate(divide="ignore"):
        expected = np.log(matrix.max(axis=1) / matrix.min(axis=1)).max()
    assert noise.epsilon_of(FEW) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("noise", CUT, ids=str)
def test_that_the_entropy_of_cut_noise_on_whole_numbers_is_that_of_all_reports(noise):
    matrix = law(noise, FEW)
    bits = -np.where(matrix > 0, matrix * np.log2(np.where(matrix > 0, matrix, 1.0)), 0.0).sum(0)
    assert noise_entropy_privacy(noise, FEW) == pytest.approx(2 ** bits.mean(), rel=1e-9)


@pytest.mark.parametrize("noise", CUT, ids=str)
def test_that_the_widths_of_cut_noise_on_whole_numbers_count_the_likeliest_reports(noise):
    def width(column: np.ndarray, confidence: float) -> float:
        whole = 0.0
        for mass in sorted(column, reverse=True):
            if confidence <= mass:
                return whole + confidence / mass
            whole, confidence = whole + 1, confidence - mass
        return whole

    columns = law(noise, FEW).T
    expected = [np.mean([width(one, c) for one in columns]) for c in CONFIDENCES]
    assert widths(noise, FEW) == pytest.approx(expected, rel=1e-9)


def test_that_cut_laplace_noise_far_beyond_its_scale_keeps_a_finite_epsilon():
    wide = Attribute("rank", Kind.INTEGER, domain=(0, 2000))
    noise = Additive(noise="laplace", scale=20, truncate=True)
    # s(0) = 1 - e^-h and s(m) = e^(-m / b) sinh h with h = 1 / 2b.
    h = 1 / 40
    expected = 100 + math.log((1 - math.exp(-h)) / math.sinh(h))
    assert noise.epsilon_of(wide) == pytest.approx(expected, rel=1e-9)
