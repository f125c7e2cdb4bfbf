"""What holds for every sample: weights, populations, replicates, pieces and missing answers."""

from __future__ import annotations

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from sampled_answers import CLUSTER, STRATUM, WEIGHT, Z, with_replicates
from scipy.linalg import hadamard

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import ReplicateRole, Sampling, SamplingOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Identity,
    Retention,
    Uniform,
)
from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.sampling.moments import SampleMoments, Terms
from ppworkbench.core.sampling.replicates import replicate_factors, replicate_weights
from ppworkbench.core.sampling.sample import SampleReader, rows_as_clusters
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.crosstabs import crosstab
from ppworkbench.core.survey.distributions import distribution
from ppworkbench.core.survey.means import mean
from ppworkbench.core.survey.quantiles import quantile

ROLES = Sampling("weight", ("stratum",), "cluster")
X = Attribute("x", Kind.CONTINUOUS, domain=(0, 10))


def survey_of(seed, n=60, keep=0.6, perturbation=None, clusters=4):
    random = np.random.default_rng(seed)
    stratum = np.repeat([0, 1], [n // 2, n - n // 2])
    cluster = np.arange(n) % clusters + 1.0
    table = Table(
        (
            Column(STRATUM, stratum),
            Column(CLUSTER, cluster),
            Column(WEIGHT, random.uniform(1, 9, n).round(2)),
            Column(Z, random.integers(0, 3, n)),
            Column(X, random.uniform(0, 10, n)),
        )
    )
    design = Design(
        (
            DesignedAttribute(Z, Uniform(keep=keep)),
            DesignedAttribute(X, perturbation or Identity()),
            DesignedAttribute(STRATUM, Identity()),
        )
    )
    return table, design


def with_weights(table, weights):
    return table.replace(Column(WEIGHT, np.asarray(weights, float)))


def errors(found):
    return np.array([share.standard_error for share in found.shares])


SEEDS = st.integers(0, 10_000)


@examples(0.375)
@given(SEEDS, st.floats(0.5, 50))
def test_that_shares_do_not_depend_on_the_scale_of_weights(seed, factor):
    table, design = survey_of(seed)
    scaled = with_weights(table, table["weight"].data * min(factor, 10))
    first, second = (distribution(t, design, "z", sampling=ROLES) for t in (table, scaled))
    assert second.raw == pytest.approx(first.raw, rel=1e-9, abs=1e-12)
    assert errors(second) == pytest.approx(errors(first), rel=1e-7)


@pytest.mark.parametrize("weight", [1, 3])
def test_that_equal_weights_are_no_weights(weight):
    table, design = survey_of(1)
    equal = with_weights(table, np.full(table.rows, weight))
    unweighted = Sampling(None, ("stratum",), "cluster")
    first = distribution(equal, design, "z", sampling=ROLES)
    second = distribution(equal, design, "z", sampling=unweighted)
    assert errors(first) == pytest.approx(errors(second), rel=1e-9)


@examples(0.25)
@given(SEEDS)
def test_that_without_distortion_the_survey_formula_holds(seed):
    table, design = survey_of(seed, keep=1.0)
    found = distribution(table, design, "z", sampling=ROLES)
    weights, strata = table["weight"].data, table["stratum"].data
    for value in range(3):
        hit = (table["z"].data == value).astype(float)
        share = weights @ hit / weights.sum()
        u = weights * (hit - share) / weights.sum()
        variance = 0.0
        for h in (0, 1):
            sums = [u[(strata == h) & (table["cluster"].data == c)].sum() for c in range(1, 5)]
            variance += 4 * np.var(sums, ddof=1)
        assert found.shares[value].standard_error == pytest.approx(variance**0.5, rel=1e-7)
        assert found.shares[value].details.standard_error_device == pytest.approx(0, abs=1e-7)


@examples(0.25)
@given(SEEDS)
def test_that_a_census_has_the_error_of_the_device(seed):
    table, design = survey_of(seed)
    census = Sampling("weight", ("stratum",), "cluster", 4.0)
    for share in distribution(table, design, "z", sampling=census).shares:
        assert share.standard_error == pytest.approx(share.details.standard_error_device, rel=1e-7)
        assert share.details.standard_error_sampling == pytest.approx(0, abs=1e-6)


def test_that_a_simple_random_sample_has_the_effect_one():
    table, design = survey_of(5)
    equal = with_weights(table, np.full(table.rows, 7.0))
    roles = Sampling("weight", population=7.0 * table.rows)
    for share in distribution(equal, design, "z", sampling=roles).shares:
        assert share.details.sampling_effect == pytest.approx(1, abs=1e-9)
        assert share.details.effective_n == pytest.approx(60)


def moments_of(table, design, sampling, pieces=None):
    look_up = np.linalg.inv(design.perturbation("z").matrix(3)).T
    reader, moments = SampleReader(sampling), SampleMoments()
    step = pieces or table.rows
    for start in range(0, table.rows, step):
        part = table.take(slice(start, start + step))
        terms = Terms(part.rows, look_up, part["z"].data.astype(np.intp))
        moments.add(terms, reader.read(part))
    return moments.totals(reader.frame())


@examples(0.375)
@given(SEEDS, st.integers(1, 25), st.booleans())
def test_that_pieces_add_up_to_the_whole(seed, pieces, clustered):
    table, design = survey_of(seed)
    roles = Sampling("weight", ("stratum",), "cluster" if clustered else None, 100.0)
    whole = moments_of(table, design, roles)
    parts = moments_of(table, design, roles, pieces)
    for name in ("values", "spread", "lost", "device", "simple", "degrees"):
        assert getattr(parts, name) == pytest.approx(getattr(whole, name), rel=1e-8, abs=1e-8)


def test_that_rows_are_clusters_where_none_are_named():
    table, design = survey_of(4, n=40)
    alone = table.replace(Column(CLUSTER.with_(domain=(0, 99)), np.arange(40.0)))
    named = moments_of(alone, design, ROLES)
    plain = moments_of(alone, design, Sampling("weight", ("stratum",)))
    assert plain.spread == pytest.approx(named.spread, rel=1e-9)
    assert plain.degrees.tolist() == named.degrees.tolist() == [38] * 4


@pytest.mark.parametrize("fay", [None, 0.3])
def test_that_balanced_half_samples_give_the_linearised_error_of_a_total(fay):
    random = np.random.default_rng(8)
    strata, cluster = np.repeat(np.arange(3), 8), np.tile(np.repeat([1.0, 2.0], 4), 3)
    region = Attribute("region", Kind.NOMINAL, ("p", "q", "r"))
    weight = random.uniform(1, 5, 24)
    signs = hadamard(4)[:, 1:].astype(float)
    pull = 1.0 if fay is None else 1 - fay
    columns = [Column(region, strata), Column(CLUSTER, cluster), Column(WEIGHT, weight)]
    columns.append(Column(Z, random.integers(0, 3, 24)))
    for k, row in enumerate(signs):
        factor = 1 + pull * row[strata] * np.where(cluster == 1, 1, -1)
        name = Attribute(f"repw{k}", Kind.CONTINUOUS, domain=(0, 100))
        columns.append(Column(name, weight * factor))
    table = Table(tuple(columns))
    design = Design((DesignedAttribute(Z, Uniform(keep=0.6)),))
    names = tuple(f"repw{k}" for k in range(4))
    role = ReplicateRole(names, "brr") if fay is None else ReplicateRole(names, "fay", fay)
    linear = moments_of(table, design, Sampling("weight", ("region",), "cluster")).sums(np.eye(3))
    found = moments_of(table, design, Sampling("weight", replicates=role)).sums(np.eye(3))
    assert found.raw_errors == pytest.approx(linear.raw_errors, rel=1e-9)
    excluded = count(
        table, design, "z = a", sampling=Sampling("weight", replicates=role)
    ).sample.excludes
    assert "weights" not in [line.code for line in excluded]


@pytest.mark.parametrize("method", ["jk1", "jkn", "bootstrap"])
def test_that_columns_of_replicate_weights_give_what_made_them(method):
    table, design = survey_of(6)
    roles = ROLES if method != "jk1" else Sampling("weight", (), "cluster")
    reader = SampleReader(roles)
    rows = reader.read(table)
    factors, scale = replicate_factors(reader.frame(), method, 30)
    weights = replicate_weights(rows, factors)
    names = tuple(f"repw{k}" for k in range(weights.shape[1]))
    more = [
        Column(Attribute(name, Kind.CONTINUOUS, domain=(0, 1e6)), weights[:, k])
        for k, name in enumerate(names)
    ]
    wide = table.with_(columns=(*table.columns, *more))
    every = np.eye(3), np.ones((3, 3))
    made = with_replicates(moments_of(table, design, roles), factors, scale).ratios(*every)
    role = ReplicateRole(names, method)
    read = moments_of(wide, design, Sampling("weight", roles.stratum, replicates=role))
    assert read.ratios(*every).raw_errors == pytest.approx(made.raw_errors, rel=1e-9)


def test_that_the_bootstrap_is_near_the_linearised_error():
    table, design = survey_of(7, n=600, clusters=9)
    reader = SampleReader(ROLES)
    rows = reader.read(table)
    frame, _ = rows_as_clusters(reader.frame(), rows)
    totals = moments_of(table, design, ROLES)
    every = np.eye(3), np.ones((3, 3))
    made = with_replicates(totals, *replicate_factors(frame, "bootstrap", 2000, 3))
    assert made.ratios(*every).raw_errors == pytest.approx(
        totals.ratios(*every).raw_errors, rel=0.1
    )


def test_that_missing_answers_stay_in_the_sampling():
    table, design = survey_of(9)
    codes = table["z"].data.copy()
    codes[:7] = -1
    lacking = table.replace(Column(Z, codes))
    found = distribution(lacking, design, "z", sampling=ROLES)
    told = Column(Attribute("told", Kind.BINARY, ("no", "yes")), (codes >= 0).astype(int))
    filled = table.with_(columns=(*table.columns, told))
    wider = Design((*design.attributes, DesignedAttribute(told.attribute, Identity())))
    domain = distribution(filled, wider, "z", "told = yes", sampling=ROLES)
    assert found.raw == pytest.approx(domain.raw)
    assert errors(found) == pytest.approx(errors(domain), rel=1e-9)


def test_that_rows_without_weight_stay_in_the_sampling():
    table, design = survey_of(10)
    weights = table["weight"].data.copy()
    weights[table["cluster"].data == 1] = 0
    found = distribution(with_weights(table, weights), design, "z", sampling=ROLES)
    assert found.shares[0].details.degrees_of_freedom == 6


@pytest.mark.slow
@pytest.mark.parametrize(
    "perturbation", [Identity(), Additive(noise="normal", sigma=2.0), Retention(keep=0.7)]
)
def test_that_the_device_part_of_a_mean_is_unbiased(perturbation):
    table, design = survey_of(11, n=400, perturbation=perturbation)
    means, parts = [], []
    for seed in range(150):
        told = distort(table, design, SeededStreams(seed))
        told = table.replace(told["x"], told["z"])
        found = mean(told, design, "x", sampling=Sampling("weight")).value
        means.append(found.estimate)
        parts.append(found.details.standard_error_device**2)
    spread = np.var(means, ddof=1)
    if perturbation.is_identity:
        assert spread == pytest.approx(0, abs=1e-12)
        assert np.mean(parts) == pytest.approx(0, abs=1e-9)
    else:
        assert np.mean(parts) == pytest.approx(spread, rel=0.4)


def test_that_a_cross_table_adds_up_to_the_population():
    table, design = survey_of(12, keep=0.8)
    found = crosstab(table, design, "stratum", "z", sampling=ROLES)
    assert found.raw.sum() == pytest.approx(table["weight"].data.sum())
    assert 1 <= found.independence.degrees[0] <= 2
    assert 0 <= found.independence.p <= 1
    flat = distribution(table, design, "z", "stratum = N", sampling=ROLES)
    assert found.raw[0] / found.raw[0].sum() == pytest.approx(flat.raw)


@pytest.mark.slow
def test_that_noise_too_wide_for_weights_has_an_error_by_clusters():
    noise = Additive(noise="normal", sigma=4.0)
    table, design = survey_of(13, n=300, perturbation=noise)
    found = count(table, design, "x <= 5", sampling=ROLES)
    plain = count(table, design, "x <= 5", options=SamplingOptions())
    assert found.share.standard_error > 0
    assert 0 <= found.share.estimate <= 1
    assert found.sample.weighted_n == pytest.approx(table["weight"].data.sum())
    assert plain.value.estimate == pytest.approx(300 * plain.share.estimate)
    assert mean(table, design, "x", "x <= 5", sampling=ROLES).value.estimate < 5
    # Numbers and means have worst-case bounds; where there are none, the result says so.
    for result in (found, plain):
        assert result.limits is not None
        assert "smoothing" not in [one.code for one in result.sample.excludes]
    binned = distribution(table, design, "x", sampling=ROLES)
    assert binned.assumption is not None
    assert sum(share.estimate for share in binned.shares) == pytest.approx(1)
    tabled = crosstab(table, design, "x", "z", sampling=ROLES)
    assert "smoothing" in [one.code for one in tabled.sample.excludes]
    exact = count(table, design, "z = a", sampling=ROLES)
    assert "smoothing" not in [one.code for one in exact.sample.excludes]


@pytest.mark.slow
def test_that_a_median_of_whole_numbers_under_wide_noise_has_bounds_under_a_sampling():
    marks = Attribute("marks", Kind.INTEGER, domain=(0, 5))
    table, design = survey_of(13, n=300)
    answers = Column(marks, np.random.default_rng(13).integers(0, 6, 300).astype(float))
    noisy = DesignedAttribute(marks, Additive(noise="normal", sigma=2.0))
    table, design = Table((*table.columns, answers)), Design((*design.attributes, noisy))
    table = table.replace(distort(table, design, SeededStreams(3))["marks"])
    found = quantile(table, design, "marks", (0.5,), sampling=ROLES)
    (median,) = found.quantiles
    assert median.low <= median.estimate <= median.high
    assert median.low <= np.median(answers.data) <= median.high
    assert median.low < median.high
    assert median.limits is not None


@pytest.mark.slow
def test_that_bounds_of_a_median_under_a_sampling_are_wider_and_found_again():
    noise = Additive(noise="normal", sigma=4.0)
    table, design = survey_of(13, n=300, perturbation=noise)
    told = distort(table, design, SeededStreams(3))
    table = table.replace(told["x"], told["z"])
    found = quantile(table, design, "x", (0.5,), sampling=ROLES)
    (median,) = found.quantiles
    # Answers are drawn evenly from 0 to 10.
    assert median.low < median.estimate < median.high
    assert median.low <= 5 <= median.high
    # Fewer people in effect than there are.
    (plain,) = quantile(table, design, "x", (0.5,)).quantiles
    assert median.low < plain.low < plain.high < median.high
    (again,) = quantile(table, design, "x", (0.5,), sampling=ROLES).quantiles
    assert (again.low, again.high) == (median.low, median.high)


def surveyed(seed, device_seed):
    """A survey with true numbers, and the same after the device."""
    table, design = survey_of(seed, n=300, perturbation=Retention(keep=0.8))
    told = distort(table, design, SeededStreams(device_seed))
    return table, table.replace(told["x"], told["z"]), design


def median_of(seed, device_seed, roles):
    table, told, design = surveyed(seed, device_seed)
    (found,) = quantile(told, design, "x", (0.5,), sampling=roles, original=table).quantiles
    return found


def test_that_the_median_of_a_distorted_number_is_that_of_the_true_ones():
    # With every cluster in the sample the device's error is the only one, and the weighted median
    # of the true answers is the truth: 6.38 here, where large weights happen to meet high numbers.
    census = Sampling("weight", ("stratum",), "cluster", 4.0)
    found = [median_of(14, seed, census) for seed in range(25)]
    table, told, design = surveyed(14, 0)
    true = found[0].true
    weights, numbers = table["weight"].data, table["x"].data
    assert weights @ (numbers <= true) / weights.sum() == pytest.approx(0.5, abs=9 / weights.sum())
    # Few of them answer 5.5 to 6.4 and many more above, so that errors of the share that are alike
    # on both sides move the median further down than up. Its rank shows whether it is right.
    ranks = [weights @ (numbers <= one.estimate) / weights.sum() for one in found]
    error = count(told, design, f"x <= {true:.15g}", sampling=census).share.standard_error
    # Three standard errors of a mean of 25; 21 or more of 25 are held with .993.
    assert np.mean(ranks) == pytest.approx(0.5, abs=3 * error / 5)
    assert sum(one.low <= true <= one.high for one in found) >= 21


def test_that_the_interval_of_a_median_holds_that_of_the_population():
    found = [median_of(seed, seed, ROLES) for seed in range(14, 39)]
    assert all(one.low < one.estimate < one.high for one in found)
    # Answers are drawn evenly from 0 to 10; 21 or more of 25 are held with .993.
    assert sum(one.low <= 5 <= one.high for one in found) >= 21
