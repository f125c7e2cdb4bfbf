"""EM with a smoothing step."""

from __future__ import annotations

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column
from ppworkbench.core.design import Piecewise, SquareWave
from ppworkbench.core.reconstruct import count_column, reconstruct
from ppworkbench.core.reconstruct.algorithms.ems import smooth_shares
from ppworkbench.core.reconstruct.estimator import iterate
from ppworkbench.core.reconstruct.reconstruct import reconstruct_counts
from ppworkbench.core.reconstruct.reconstruction import information_loss
from ppworkbench.core.reconstruct.stopping import Fixed
from ppworkbench.core.rng import SeededStreams

CELLS = Attribute("x", Kind.INTEGER, domain=(0, 99))
WAVE = SquareWave(epsilon=1.0)
_PLACES = np.arange(100) + 0.5


def peaks(first, second, width):
    each = [np.exp(-0.5 * ((_PLACES - middle) / width) ** 2) for middle in (first, second)]
    return sum(each) / np.sum(each)


TWO_PEAKS = peaks(30, 70, 10)


def reported(seed, n=100_000, mechanism=WAVE, truth=TWO_PEAKS):
    x = np.random.default_rng(seed).choice(100, n, p=truth).astype(float)
    return Column(CELLS, mechanism.distort(x, CELLS, SeededStreams(seed).stream("x")))


def test_that_neighbours_are_averaged_and_the_ends_as_published():
    end = smooth_shares(np.array([1.0, 0.0, 0.0, 0.0]), np.ones(4))
    assert end == pytest.approx(np.array([2 / 3, 1 / 4, 0, 0]) / (2 / 3 + 1 / 4))
    wide = np.array([1.0, 3.0, 1.0, 2.0])
    assert smooth_shares(wide / wide.sum(), wide) == pytest.approx(wide / wide.sum())


def test_that_it_is_the_default_of_a_square_wave_only():
    assert reconstruct(reported(1, 2000), CELLS, WAVE, confidence=None).algorithm == "ems"
    other = Piecewise(epsilon=1.0)
    told = reported(1, 2000, other)
    assert reconstruct(told, CELLS, other, confidence=None).algorithm == "smooth"
    assert reconstruct(told, CELLS, other, "ems", confidence=None).algorithm == "ems"


def test_that_a_short_scale_of_whole_numbers_is_not_flattened_by_default():
    children = Attribute("children", Kind.INTEGER, domain=(0, 6))
    truth = np.array([0.66, 0.13, 0.12, 0.05, 0.02, 0.01, 0.01])
    x = np.repeat(np.arange(7.0), (5000 * truth).astype(int))
    told = Column(children, WAVE.distort(x, children, SeededStreams(1).stream("x")))
    found = reconstruct(told, children, WAVE, confidence=None)
    assert found.algorithm == "smooth"
    assert information_loss(truth, found.probability) < 0.1
    flat = reconstruct(told, children, WAVE, "ems", confidence=None)
    assert information_loss(truth, flat.probability) > 0.3
    # Ages in wide bins are divided into years.
    ages = Attribute("age", Kind.INTEGER, domain=(18, 90))
    told = Column(ages, WAVE.distort(np.full(500, 40.0), ages, SeededStreams(1).stream("x")))
    assert reconstruct(told, ages, WAVE, bins=8, confidence=None).algorithm == "ems"


def test_that_weights_in_another_unit_change_nothing():
    column = reported(2, 3000)
    once = reconstruct(column, CELLS, WAVE, confidence=None)
    thrice = reconstruct(column, CELLS, WAVE, confidence=None, weights=np.full(3000, 3.0))
    assert thrice.probability == pytest.approx(once.probability)


def test_that_no_answers_and_few_bins_have_a_distribution():
    nothing = Column(CELLS, np.empty(0))
    assert reconstruct(nothing, CELLS, WAVE).probability == pytest.approx(np.full(100, 0.01))
    column = reported(3)
    few = reconstruct(column, CELLS, WAVE, bins=5)
    # Bins are sums of the fine cells, however few there are.
    whole = reconstruct(column, CELLS, WAVE, confidence=None).probability
    assert few.probability == pytest.approx(whole.reshape(5, 20).sum(axis=1))
    assert np.all((few.low <= few.probability) & (few.probability <= few.high))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("truth", "expected"),
    [(peaks(35, 65, 7.5), (0.138, 0.235)), (TWO_PEAKS, (0.113, 0.270))],
    ids=["narrow peaks", "wide peaks"],
)
def test_that_it_loses_less_of_two_peaks_than_em_run_for_long(truth, expected):
    losses = []
    for seed in range(10):
        counted = count_column(reported(seed, truth=truth), CELLS, WAVE)
        smoothed = reconstruct_counts(counted, "ems", confidence=None).probability
        long = iterate(counted.matrix, counted.usable, Fixed(3000), counted.size).probability
        losses.append([information_loss(truth, one) for one in (smoothed, long)])
    assert np.mean(losses, axis=0) == pytest.approx(expected, abs=0.01)
