"""Worst-case bounds of statistics of a number under noise."""

from __future__ import annotations

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column
from ppworkbench.core.design import Additive, Multiplicative
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.reconstruct import count_column
from ppworkbench.core.reconstruct.bounds import Bounds, Model, Sample
from ppworkbench.core.reconstruct.sharpness import (
    Observed,
    bumps,
    expect,
    find_sharpness,
    parse_sharpness,
)
from ppworkbench.core.reconstruct.worst_case import (
    Records,
    bin_limits,
    bin_targets,
    bound_number,
    move_inside,
)
from ppworkbench.core.rng import SeededStreams

AGE = Attribute("age", Kind.CONTINUOUS, domain=(0, 100))
NOISE = Additive(noise="normal", range_privacy=50)


def counted_ages(n=1000, seed=1, bins=8, noise=NOISE, draw=None):
    generator = np.random.default_rng(seed)
    x = np.clip(generator.normal(45, 15, n), 0, 100) if draw is None else draw(generator, n)
    told = noise.distort(x, AGE, SeededStreams(seed).stream("age"))
    return count_column(Column(AGE, told), AGE, noise, bins)


def random_bounds(generator, parts=1, cells=12, reports=18):
    """Bounds of a random channel with random answers."""
    channel = generator.dirichlet(np.full(reports, 0.4), cells).T
    codes = generator.integers(0, reports, 300)
    weights = np.ones((1, 300))
    if parts == 2:
        h = np.where(generator.random(300) < 0.5, 3.0, -2.0)
        weights = np.stack([h, 1 - h])
    sample = Sample.weighted(codes, weights, reports)
    first = np.abs(sample.first) + 0.01
    first /= first.sum()
    second = np.abs(sample.second) * np.eye(parts)[:, :, None] + 0.01
    shapes = bumps(np.arange(cells + 1.0), 1.0) if generator.random() < 0.5 else np.eye(cells)
    return Bounds(channel, shapes, Model(first, second), sample)


@given(seed=st.integers(0, 10**6), parts=st.sampled_from([1, 2]))
@examples(0.625)
def test_that_every_function_stays_below_its_target_for_every_distribution(seed, parts):
    generator = np.random.default_rng(seed)
    bounds = random_bounds(generator, parts)
    targets = generator.normal(size=(4, parts, 12)) * 10.0 ** generator.integers(-3, 4)
    functions, _ = bounds.best_functions(targets)
    expected = functions @ bounds.channel @ bounds.shapes
    assert np.all(expected <= targets @ bounds.shapes)


@pytest.mark.slow
@given(seed=st.integers(0, 10**6))
@examples(0.25)
def test_that_limits_move_with_the_statistic(seed):
    generator = np.random.default_rng(seed)
    bounds = random_bounds(generator)
    target = generator.normal(size=(1, 1, 12))
    low, high = bounds.limits(target)
    assert low <= high
    shifted_low, shifted_high = bounds.limits(7 + 3 * target)
    np.testing.assert_allclose([shifted_low, shifted_high], [7 + 3 * low, 7 + 3 * high], atol=1e-6)
    np.testing.assert_allclose(bounds.limits(-target), [-high, -low], atol=1e-9)


def test_that_a_constant_is_known():
    bounds = random_bounds(np.random.default_rng(1))
    low, high = bounds.limits(np.full((1, 1, 12), 0.3))
    assert low == high == pytest.approx(0.3)


def test_that_undistorted_answers_have_about_the_normal_interval():
    counts = np.array([120.0, 300, 400, 180])
    sample = Sample.counted(counts)
    bounds = Bounds(np.eye(4), np.eye(4), Model(sample.first, sample.second), sample)
    low, high = bounds.limits(np.array([[[0.0, 1, 0, 0]]]))
    error = np.sqrt(0.3 * 0.7 / 1000)
    assert low[0] == pytest.approx(0.3 - 1.96 * error, abs=0.001)
    assert high[0] == pytest.approx(0.3 + 1.96 * error, abs=0.001)


def test_that_more_answers_and_less_confidence_narrow_the_interval():
    number = bound_number(counted_ages())
    target = (number.middles < 40).astype(float)[None, None]

    def width(bounds):
        low, high = bounds.limits(target)
        return float(high[0] - low[0])

    assert width(number.bounds.with_answers(10)) < width(number.bounds)
    sure = bound_number(counted_ages(), confidence=0.99)
    assert width(sure.bounds) > width(number.bounds)


def test_that_a_ratio_is_what_its_limits_say():
    number = bound_number(counted_ages())
    inside = (number.middles < 40).astype(float)
    above, below = (number.middles * inside)[None, None], inside[None, None]
    low, high = number.bounds.ratios(above, below, np.array([0.0]), np.array([40.0]))
    # 0 is just outside of the limits of the numerator less c times the denominator.
    for c, end in ((low[0], 0), (high[0], 1)):
        at = number.bounds.limits(above - c * below)[end]
        assert abs(float(at[0])) < 0.1
    inner = (low + high) / 2
    first, last = number.bounds.limits(above - inner[:, None, None] * below)
    assert first <= 0 <= last


def test_that_weights_of_respondents_count():
    counts, squares = np.array([10.0, 20, 30]), np.array([20.0, 60, 30])
    plain, weighted = Sample.counted(counts), Sample.counted(counts, squares)
    assert weighted.size == pytest.approx(60**2 / 110)
    function = np.array([[[0.0, 1, 3]]])
    mean, variance = weighted.evaluate(function)
    assert mean == plain.evaluate(function)[0]
    deviations = (function[0, 0] - mean) ** 2
    stated = float(deviations @ squares) / 60**2
    assert variance[0] == pytest.approx(stated * weighted.size / (weighted.size - 1))


def test_that_bumps_are_distributions_centred_on_the_cells():
    edges = np.linspace(0, 10, 21)
    found = bumps(edges, 1.0)
    assert found.shape == (20, 20 + 12)
    np.testing.assert_allclose(found.sum(axis=0), 1)
    middles = (edges[:-1] + edges[1:]) / 2
    assert middles @ found[:, 6 + 10] == pytest.approx(middles[10], abs=1e-4)


def test_that_the_sharpest_feature_is_named_given_or_none():
    counted = counted_ages()
    auto, given_one, none = (bound_number(counted, sharpness=one) for one in ("auto", 2.5, "none"))
    # 0.15 of a spread of 15, at most 3 % of the domain.
    assert 0.7 * 100 / 64 <= auto.sharpest <= 3.0
    assert given_one.sharpest == 2.5
    assert none.sharpest is None
    assert "±2.5" in given_one.assumption.clause
    assert "evenly" in none.assumption.clause


def test_that_no_assumption_gives_the_widest_bounds():
    counted = counted_ages()
    widths = []
    for sharpness in (4.0, 2.0, "none"):
        low, high, _ = bin_limits(counted, sharpness=sharpness)
        widths.append(float((high - low).mean()))
    assert widths[0] < widths[1] < widths[2]


@pytest.mark.parametrize("given", ["sharp", "-1", "0", "inf", "nan"])
def test_that_other_words_are_no_sharpest_feature(given):
    with pytest.raises(ParameterError, match="auto, none or a number"):
        parse_sharpness(given)


@pytest.mark.slow
def test_that_narrow_bins_halve_the_feature_until_it_is_none():
    _, _, wide = bin_limits(counted_ages(bins=4))
    _, _, narrow = bin_limits(counted_ages(bins=20))
    _, _, narrowest = bin_limits(counted_ages(bins=64))
    assert narrow.sharpest <= 100 / 20 / 4 < wide.sharpest
    assert narrowest.sharpest is None


def test_that_answers_reject_a_feature_that_is_too_blunt():
    def heaped(generator, n):
        return np.where(generator.random(n) < 0.5, 30.0, generator.uniform(0, 100, n))

    fine = Additive(noise="uniform", half_width=2)
    counted = counted_ages(5000, noise=fine, draw=heaped)
    smooth = counted_ages(5000, noise=fine)
    assert bound_number(counted).sharpest is None
    assert bound_number(smooth).sharpest is not None


def test_that_the_truth_is_held_where_a_smooth_fit_is_biased():
    def two_peaks(generator, n):
        return np.where(generator.random(n) < 0.5, 30, 70) + generator.normal(0, 3, n)

    truth = np.array([0, 0, 0.5, 0.5, 0])
    for seed in range(5):
        counted = counted_ages(1000, seed, np.array([0, 10, 20, 50, 80, 100.0]), draw=two_peaks)
        low, high, _ = bin_limits(counted)
        assert np.all((low <= truth + 0.02) & (truth - 0.02 <= high))


def test_that_many_bins_take_the_upper_limit_of_some_together():
    low, high, _ = bin_limits(counted_ages(bins=400))
    assert len(low) == len(high) == 400
    assert np.all(low == 0)
    assert np.all((high > 0) & (high <= 1))


@pytest.mark.slow
def test_that_quantiles_lie_between_their_neighbours():
    number = bound_number(counted_ages())
    part = np.ones((1, len(number.middles)))
    first, median, last = (number.quantile(share, part) for share in (0.25, 0.5, 0.75))
    assert first.low <= median.low <= last.low
    assert first.high <= median.high <= last.high
    assert median.low <= 45 <= median.high


def test_that_an_interval_of_nearly_everything_says_nothing_and_what_ten_times_would_give():
    loud = Additive(noise="normal", range_privacy=400)
    number = bound_number(counted_ages(200, noise=loud))
    target = (number.middles < 45).astype(float)[None]
    found = number.share(target)
    assert found.says_nothing
    assert found.with_ten_times <= found.high - found.low
    quiet = bound_number(counted_ages(5000)).share(target)
    assert not quiet.says_nothing
    assert quiet.with_ten_times is None


def test_that_a_category_without_distortion_divides_the_number():
    generator = np.random.default_rng(4)
    x, has = generator.uniform(0, 100, 4000), generator.random(4000) < 0.4
    quiet = Additive(noise="uniform", half_width=1)
    told = quiet.distort(x, AGE, SeededStreams(4).stream("age"))
    counted = count_column(Column(AGE, told), AGE, quiet, np.array([0, 50, 100.0]))
    h = has.astype(float)
    number = bound_number(counted, records=Records(told, h, np.stack([h, 1 - h])))
    target = np.stack([(number.middles < 50).astype(float), np.zeros(len(number.middles))])
    found = number.share(target)
    assert found.low <= np.mean((x < 50) & has) <= found.high
    assert found.high - found.low < 0.06


def test_that_factors_are_bounded_on_a_logarithmic_scale():
    pay = Attribute("pay", Kind.CONTINUOUS, domain=(10, 1000))
    factor = Multiplicative(sigma=0.3)
    x = np.exp(np.random.default_rng(3).normal(5, 0.4, 1000)).clip(10, 1000)
    told = factor.distort(x, pay, SeededStreams(3).stream("pay"))
    counted = count_column(Column(pay, told), pay, factor, np.array([10, 100, 200, 1000.0]))
    low, high, _ = bin_limits(counted)
    truth = np.histogram(x, [10, 100, 200, 1000])[0] / 1000
    assert np.all((low <= truth) & (truth <= high))


def test_that_the_pilot_leaves_no_reported_cell_out():
    counted = counted_ages(50).merged(200)
    observed = Observed(counted.usable[:, None], counted.matrix, np.ones((1, 1)))
    fitted = expect(observed, np.eye(counted.k), 50)
    assert fitted.sum() == pytest.approx(1)
    assert fitted.min() > 0


def test_that_an_estimate_outside_is_moved_in_and_stays_a_distribution():
    low, high = np.array([0.0, 0.3, 0.1, 0.0]), np.array([0.2, 0.6, 0.2, 0.5])
    moved = move_inside(np.array([0.5, 0.2, 0.2, 0.1]), low, high)
    assert moved.sum() == pytest.approx(1)
    assert np.all((low <= moved + 1e-9) & (moved <= high + 1e-9))


def test_that_cells_are_in_the_bin_of_their_middle():
    found = bin_targets(np.linspace(0, 4, 9), np.array([0.0, 1, 4]))
    assert found.tolist() == [[1, 1, 0, 0, 0, 0, 0, 0], [0, 0, 1, 1, 1, 1, 1, 1]]


def test_that_one_cell_has_no_feature():
    observed = Observed(np.ones((3, 1)), np.full((3, 1), 1 / 3), np.ones((1, 1)))
    assert find_sharpness(observed, np.array([0.0, 1.0])) is None
