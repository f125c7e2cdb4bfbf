"""Figures of a finite privacy budget, by the functions whose numbers the program shows."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ppworkbench.analyses.designs.mechanisms import keep_for, unit_variances
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Geometric,
    Group,
    Identity,
    Laplace,
    Piecewise,
    SquareWave,
    Subset,
    Uniform,
)
from ppworkbench.core.planning.composition import split
from ppworkbench.core.planning.sharing import BudgetSettings, Need, ValueCurve, share_out
from ppworkbench.core.privacy.entropy import noise_entropy_privacy
from ppworkbench.core.privacy.questionnaire import total_epsilon
from ppworkbench.core.reconstruct.estimator import iterate_many
from ppworkbench.core.reconstruct.reconstruction import information_loss
from ppworkbench.core.reconstruct.stopping import Fixed

SCALES = {
    "k-rr": lambda k, epsilon: Uniform(keep=keep_for(epsilon, k)),
    "absorb": lambda _, epsilon: Geometric(epsilon=epsilon),
    "normalise": lambda _, epsilon: Geometric(epsilon=epsilon, ends="normalise"),
    "ring": lambda _, epsilon: Geometric(epsilon=epsilon, loop=True),
}
UNIT = Attribute("x", Kind.CONTINUOUS, domain=(-1, 1))


def digits_of(shown: str) -> float:
    """Half a unit of the last digit that is shown."""
    return 0.501 * 10.0 ** -len(shown.partition(".")[2])


@pytest.mark.parametrize(
    ("k", "epsilon", "expected"),
    [
        (5, 1, "2.446 30.57  91.78 22.29  49.65 33.23  12.64 100.2"),
        (5, 2, ".508 6.355  10.10 7.560  8.057 9.047  1.667 15.06"),
        (7, 1, "3.152 103.0  351.8 50.91  169.0 89.27  37.22 628.5"),
        (11, 1, "4.528 547.9  1826 143.0  794.2 321.7  164.9 6909"),
        (11, 4, ".120 14.53  15.94 20.32  14.01 22.64  1.778 85.79"),
    ],
)
def test_what_shares_and_means_of_a_scale_cost(k, epsilon, expected):
    even = np.full(k, 1 / k)
    found = [
        one
        for mechanism in SCALES.values()
        for one in unit_variances(mechanism(k, float(epsilon)).matrix(k), even)
    ]
    for value, shown in zip(found, expected.split(), strict=True):
        assert value == pytest.approx(float(shown), abs=digits_of(shown))


def test_that_em_loses_less_of_shares_by_keeping_than_by_steps():
    shapes = [(0.2,) * 5, (0.4, 0.3, 0.15, 0.1, 0.05), (0.05, 0.2, 0.5, 0.2, 0.05),
              (0.35, 0.1, 0.1, 0.1, 0.35)]  # fmt: skip
    generator, losses = np.random.default_rng(1), {}
    for name in ("k-rr", "absorb"):
        matrix = SCALES[name](5, 1.0).matrix(5)
        lost = []
        for shape in np.array(shapes):
            reports = generator.multinomial(1000, matrix @ shape, size=50) / 1000
            lost.append(information_loss(shape, iterate_many(matrix, reports, Fixed(1000), 1000)))
        losses[name] = float(np.mean(lost))
    assert losses["k-rr"] == pytest.approx(0.085, abs=0.02)
    assert losses["absorb"] == pytest.approx(0.291, abs=0.05)


@pytest.mark.parametrize(("k", "keep"), [(2, 0.7311), (5, 0.4046), (10, 0.2320)])
def test_how_often_an_answer_is_kept_at_epsilon_one(k, keep):
    assert keep_for(1.0, k) == pytest.approx(keep, abs=5e-5)


@pytest.mark.parametrize(
    ("epsilon", "expected"),
    [
        (0.5, (22.9273, 46.6894, 236.786)), (1.0, (3.6302, 7.0172, 34.113)),
        (2.0, (0.3770, 0.6220, 2.5818)), (4.0, (0.0218, 0.0253, 0.0531)),
    ],
)  # fmt: skip
def test_the_variance_of_a_rare_value_of_a_list(epsilon, expected):
    for k, variance in zip((10, 20, 100), expected, strict=True):
        assert ValueCurve(k).variance(epsilon) == pytest.approx(variance, abs=5.1e-4)
        matrix = Uniform(keep=keep_for(epsilon, k)).matrix(k)
        named, other = matrix[0, 0], matrix[0, 1]
        assert other * (1 - other) / (named - other) ** 2 == pytest.approx(variance, abs=5.1e-4)


def test_that_rounding_is_not_always_the_best_size_of_a_set():
    variances = [float(Subset(epsilon=1.0, size=size).naming(10).variance(0.0)) for size in (2, 3)]
    assert variances == pytest.approx((2.8217, 2.8392), abs=5e-5)
    assert round(10 / (math.e + 1)) == 3


@pytest.mark.parametrize(("epsilon", "laplace"), [(0.5, 32.0), (1.0, 8.0), (2.0, 2.0), (4.0, 0.5)])
def test_the_variance_of_laplace_noise_on_a_fine_grid(epsilon, laplace):
    noise = Laplace(epsilon=epsilon, grid=1e-4)
    for t in (0.0, 1.0):
        assert noise.unbiased_variance(UNIT, t, t * t) == pytest.approx(laplace, rel=1e-6)


@pytest.mark.parametrize(
    ("epsilon", "low", "high"), [(0.5, 1.005, 1.02), (1.0, 1.03, 1.06), (4.0, 1.9, 2.1)]
)
def test_what_a_mean_costs_more_by_a_square_wave_than_piecewise(epsilon, low, high):
    for t in (0.0, 1.0):
        wave, piecewise = (
            one(epsilon=epsilon, grid=1e-4).unbiased_variance(UNIT, t, t * t)
            for one in (SquareWave, Piecewise)
        )
        assert low < wave / piecewise < high


def test_that_a_coin_group_is_cheaper_than_its_questions_apart():
    asked = [Attribute(name, Kind.BINARY, ("no", "yes")) for name in "ab"]
    together = Design(
        tuple(DesignedAttribute(one, Identity()) for one in asked),
        groups=(Group(("a", "b"), "unrelated", 0.6),),
    )
    assert total_epsilon(together) == pytest.approx(1.9459, abs=5e-5)
    apart = Design(tuple(DesignedAttribute(one, Uniform(keep=0.8)) for one in asked))
    assert total_epsilon(apart) == pytest.approx(2.7726, abs=5e-5)


def test_what_sharing_by_need_saves():
    lists = {str(k): Need(ValueCurve(k)) for k in (2, 5, 20)}
    equal = share_out(lists, BudgetSettings(total=3.0, rule="equal")).epsilons
    spent = sum(lists[name].curve.variance(one) for name, one in equal.items())
    assert spent == pytest.approx(9.8747, abs=5.1e-5)


def test_that_fewer_questions_save_more_noise_than_variance():
    all_, one = split(8, 8, 4.0, 0.1), split(8, 1, 4.0, 0.1)
    assert all_.noise / one.noise == pytest.approx(26, abs=0.5)
    assert all_.variance / one.variance == pytest.approx(4.6, abs=0.05)
    half = [split(8, ask, 4.0, 0.5).variance for ask in (8, 1)]
    assert half[0] / half[1] == pytest.approx(1.9, abs=0.05)


def test_that_cut_noise_hides_less_than_the_range():
    score = Attribute("score", Kind.CONTINUOUS, domain=(0, 10))
    normal = Additive(noise="normal", range_privacy=100, truncate=True)
    assert noise_entropy_privacy(normal, score) / score.width == pytest.approx(0.706, abs=5e-4)
    wide = Additive(noise="uniform", half_width=12, truncate=True)
    assert noise_entropy_privacy(wide, score) / score.width == pytest.approx(1.0, abs=1e-9)
