"""Draws by inversion and the LED display that is made of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ppworkbench.core.data.generators.draws import (
    choice,
    choice_by_group,
    exponential,
    grades,
    normal,
    poisson,
)
from ppworkbench.core.data.samples import SEGMENTS, led24_table

GRID = (np.arange(200_000) + 0.5) / 200_000


@pytest.mark.parametrize("mean", [0.0, 0.3, 4.0, 90.0])
def test_that_inverted_poisson_numbers_have_its_mean_and_variance(mean: float) -> None:
    numbers = poisson(GRID, mean)
    assert numbers.min() >= 0
    assert numbers.mean() == pytest.approx(mean, abs=0.01)
    assert numbers.var() == pytest.approx(mean, rel=0.01, abs=1e-9)


def test_that_inverted_normal_and_exponential_numbers_have_their_moments() -> None:
    assert normal(GRID).mean() == pytest.approx(0, abs=1e-9)
    assert normal(GRID).std() == pytest.approx(1, abs=1e-3)
    assert exponential(GRID).mean() == pytest.approx(1, abs=1e-3)


def test_that_the_ends_of_the_uniform_range_give_finite_numbers() -> None:
    ends = np.array([0.0, 1 - 2.0**-53])
    for drawn in (normal(ends), exponential(ends), poisson(ends, 50.0), choice(ends, [1, 2, 1])):
        assert np.isfinite(drawn).all()
    assert choice(ends, [1, 2, 1]).tolist() == [0, 2]


def test_that_choice_follows_one_row_of_weights_or_one_row_each() -> None:
    weights = np.array([3.0, 0.0, 1.0])
    assert np.bincount(choice(GRID, weights)).tolist() == [150_000, 0, 50_000]
    each = np.tile(weights, (len(GRID), 1))
    assert np.array_equal(choice(GRID, each), choice(GRID, weights))
    group = (GRID > 0.5).astype(np.int64)
    drawn = choice_by_group(GRID, group, np.array([[1.0, 0, 0], [0, 0, 1.0]]))
    assert np.array_equal(drawn, 2 * group)


def test_that_grades_count_the_cuts_that_are_reached() -> None:
    assert grades(np.array([-1.0, 0.0, 0.5, 9.0]), (0, 1, 2)).tolist() == [0, 1, 1, 3]


def best_accuracy(noise: float) -> float:
    """The accuracy of the best possible classifier: sum over displays of max Pr(d)·Pr(x|d)."""
    displays = (np.arange(128)[:, None] >> np.arange(7)) & 1
    wrong = (displays[:, None, :] != SEGMENTS[None]).sum(axis=2)
    likelihood = noise**wrong * (1 - noise) ** (7 - wrong)
    return float(likelihood.max(axis=1).sum() / 10)


def test_that_the_best_accuracy_on_the_display_is_74_percent_at_10_percent_noise() -> None:
    assert best_accuracy(0.1) == pytest.approx(0.740, abs=0.0005)
    assert best_accuracy(0.0) == pytest.approx(1.0)
    assert best_accuracy(0.5) == pytest.approx(0.1)


def test_that_the_bayes_rule_reaches_the_best_accuracy_on_generated_displays() -> None:
    table = led24_table(rows=20_000, noise=0.1, seed=3)
    shown = np.column_stack([table[f"segment{i}"].data for i in range(1, 8)])
    wrong = (shown[:, None, :] != SEGMENTS[None]).sum(axis=2)
    # Ties between digits are broken towards the smaller one, which the best accuracy allows.
    accuracy = (wrong.argmin(axis=1) == table["digit"].data).mean()
    error = math.sqrt(0.74 * 0.26 / table.rows)
    assert accuracy == pytest.approx(best_accuracy(0.1), abs=4 * error)


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.3])
def test_that_segments_fail_as_often_as_they_should(noise: float) -> None:
    table = led24_table(rows=3_200, noise=noise, seed=1)
    digit = table["digit"].data
    error = math.sqrt(noise * (1 - noise) / table.rows)
    for i in range(7):
        failed = table[f"segment{i + 1}"].data != SEGMENTS[digit, i]
        assert failed.mean() == pytest.approx(noise, abs=4 * error)


def test_that_the_other_17_bits_are_fair_coins_that_ignore_the_digit() -> None:
    table = led24_table(rows=20_000, seed=2)
    digit = table["digit"].data
    for i in range(1, 18):
        bit = table[f"irrelevant{i}"].data
        for shown in range(10):
            members = bit[digit == shown]
            assert members.mean() == pytest.approx(0.5, abs=4.5 * 0.5 / math.sqrt(len(members)))


def test_that_digits_are_equally_likely() -> None:
    counts = led24_table(rows=20_000, seed=4)["digit"].counts
    assert counts.sum() == 20_000
    assert np.abs(counts - 2_000).max() < 4.5 * math.sqrt(20_000 * 0.1 * 0.9)


def test_that_a_longer_table_begins_with_the_shorter_one_of_the_same_seed() -> None:
    shorter = led24_table(rows=300)
    assert led24_table(rows=400).take(slice(0, 300)).equals(shorter)
    assert not led24_table(rows=300, seed=2).equals(shorter)
