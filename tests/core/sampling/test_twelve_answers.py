"""Estimates of twelve answers, worked out by hand and by an independent prototype."""

from __future__ import annotations

import numpy as np
import pytest
from sampled_answers import twelve_answers, with_replicates

from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
from ppworkbench.core.reconstruct import ReconstructOptions
from ppworkbench.core.sampling.moments import Terms
from ppworkbench.core.sampling.reconstruction import reconstruct_sample
from ppworkbench.core.sampling.replicates import replicate_factors
from ppworkbench.core.sampling.variance import two_sided_p
from ppworkbench.core.survey.answers import distorted_answers
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.distributions import distribution
from ppworkbench.core.survey.group_differences import compare
from ppworkbench.core.survey.inquiry import asked_by, inquire
from ppworkbench.core.survey.means import mean
from ppworkbench.core.survey.quantiles import quantile
from ppworkbench.core.survey.sampled import SurveySample, value_terms

ROLES = Sampling(weight="weight", stratum=("stratum",), cluster="cluster")
RESPONDENTS = SamplingOptions(target="respondents")
ONE_SOUTHERN_CLUSTER = [1, 1, 2, 2, 3, 3, 4, 4, 4, 4, 4, 4]


def near(*numbers):
    return pytest.approx(numbers, abs=1e-6)


def totals_of(survey, sampling, options=None):
    table, design = survey
    sample = SurveySample.read(table, design, sampling, options or SamplingOptions())
    inquiry = inquire(table, design, asked_by({}, design, split={"z": None}))
    terms = value_terms(inquiry, inquiry.factor_of("z")[0])
    return sample.totals(terms, inquiry.answers), sample


def shares_of(totals):
    return totals.ratios(np.eye(3), np.ones((3, 3)))


def errors_of(survey, sampling=ROLES, **options):
    return shares_of(totals_of(survey, sampling, SamplingOptions(**options))[0]).raw_errors


def test_that_shares_have_both_errors():
    table, design = twelve_answers()
    found = distribution(table, design, "z", sampling=ROLES)
    assert found.raw == near(0.444444, 0.083333, 0.472222)
    # The device's error is a floor for a and c.
    assert [s.standard_error for s in found.shares] == near(0.340139, 0.342082, 0.366667)
    device = [s.details.standard_error_device for s in found.shares]
    assert device == near(0.340139, 0.327424, 0.366667)
    assert "device-floor" in [getattr(line, "code", "") for line in found.remarks]
    assert errors_of(twelve_answers()) == near(0.085248, 0.342082, 0.366369)
    details = found.shares[2].details
    assert (details.degrees_of_freedom, found.sample.weighted_n) == (3, 180)
    assert details.sampling_effect == pytest.approx(0.994039, abs=1e-6)
    assert found.sample.weights_effect == pytest.approx(1.225185, abs=1e-6)


def test_that_respondents_have_the_error_of_the_device_alone():
    table, design = twelve_answers()
    found = distribution(table, design, "z", sampling=ROLES, options=RESPONDENTS)
    assert found.raw == near(0.541667, 0.125, 0.333333)
    assert [s.standard_error for s in found.shares] == near(0.325427, 0.297560, 0.311805)
    assert [line.code for line in found.sample.contains] == ["device"]
    assert "sampling" in [line.code for line in found.sample.excludes]


def test_that_without_roles_the_error_is_the_earlier_one():
    table, design = twelve_answers()
    found = distribution(table, design, "z", options=SamplingOptions())
    before = distribution(table, design, "z")
    assert [s.standard_error for s in found.shares] == near(0.371618, 0.326396, 0.355335)
    for new, old in zip(found.shares, before.shares, strict=True):
        assert new.standard_error == pytest.approx(old.standard_error, rel=1e-9)
        assert (new.low, new.high) == pytest.approx((old.low, old.high))


def test_that_an_undistorted_answer_of_respondents_has_no_error():
    table, design = twelve_answers(keep=1.0)
    found = distribution(table, design, "z", sampling=ROLES, options=RESPONDENTS)
    assert [s.standard_error for s in found.shares] == near(0, 0, 0)


def test_that_the_jackknife_within_strata_gives_the_published_errors():
    totals, sample = totals_of(twelve_answers(), ROLES)
    found = shares_of(with_replicates(totals, *replicate_factors(sample.frame, "jkn")))
    assert found.raw_errors == near(0.085164, 0.343553, 0.367282)


@pytest.mark.parametrize(
    ("value", "total", "error"), [("a", 80, 16.970563), ("b", 15, 62.453983), ("c", 85, 61.057350)]
)
def test_that_a_count_is_a_number_of_people(value, total, error):
    table, design = twelve_answers()
    found = count(table, design, f"z = {value}", sampling=ROLES)
    assert found.value.estimate == pytest.approx(total)
    details = found.value.details
    squares = details.standard_error_sampling**2 + details.standard_error_device**2
    raw = totals_of(twelve_answers(), ROLES)[0].sums(np.eye(3)).raw_errors["abc".index(value)]
    assert raw == pytest.approx(error, abs=1e-6)
    assert squares == pytest.approx(max(error, details.standard_error_device) ** 2, rel=1e-6)
    assert found.share.estimate == pytest.approx(total / 180)


def test_that_a_finite_population_leaves_the_error_of_the_device():
    survey = twelve_answers(population={"N": 12, "S": 10})
    sampling = Sampling("weight", ("stratum",), "cluster", "fpc")
    totals, _ = totals_of(survey, sampling)
    slope = (np.eye(3) - shares_of(totals).values[:, None]) / totals.values.sum()
    first = np.sqrt(np.diag(slope @ totals.spread @ slope.T))
    assert first == near(0.073924, 0.304500, 0.325843)
    assert shares_of(totals).raw_errors == near(0.173539, 0.339484, 0.366083)


@pytest.mark.parametrize(
    ("lonely", "errors"),
    [
        ("centre", (0.166062, 0.140170, 0.241733)),
        ("certainty", (0.083541, 0.133834, 0.155374)),
    ],
)
def test_that_a_stratum_with_one_cluster_counts_as_it_was_chosen(lonely, errors):
    survey = twelve_answers(clusters=ONE_SOUTHERN_CLUSTER)
    assert errors_of(survey, lonely=lonely) == near(*errors)
    found = distribution(*survey, "z", sampling=ROLES, options=SamplingOptions(lonely=lonely))
    remark = next(line for line in found.remarks if getattr(line, "code", "") == "lonely-strata")
    assert remark.args["names"] == "S"


def test_that_means_of_a_distorted_group_have_their_errors():
    table, design = twelve_answers()
    expected = {"a": (-1.04375, 0.740323), "b": (6.6, 4.399788), "c": (11.9, 2.695101)}
    for value, (middle, error) in expected.items():
        found = mean(table, design, "y", f"z = {value}", sampling=ROLES).value
        details = found.details
        raw = max(details.standard_error_device, error)
        assert (found.estimate, found.standard_error) == near(middle, raw)
    whole = mean(table, design, "y", sampling=ROLES).value
    assert (whole.estimate, whole.standard_error) == near(5.705556, 0.888202)
    assert whole.details.standard_error_device == 0


def test_that_the_median_has_woodruffs_interval():
    table, design = twelve_answers()
    (found,) = quantile(table, design, "y", (0.5,), sampling=ROLES).quantiles
    assert (found.estimate, found.low, found.high) == (6, 4, 10)


def test_that_a_difference_of_distorted_groups_has_one_error():
    table, design = twelve_answers()
    found = compare(table, design, "y", "z", sampling=ROLES)
    pair = next(one for one in found.differences if (one.a, one.b) == ("c", "b"))
    assert pair.estimate == pytest.approx(5.3)
    assert pair.degrees_of_freedom == 2
    # Before the device's error, which is larger here, sets a floor.
    sample = SurveySample.read(table, design, ROLES, None)
    y = table["y"].data
    look_up = np.linalg.inv(design.perturbation("z").matrix(3)).T
    terms = Terms(12, look_up, table["z"].data.astype(np.intp), (None, y), {(1, 1): y**2})
    every = np.eye(6)
    answers = distorted_answers(table, design, ("y", "z"))
    means = sample.totals(terms, answers).ratios(every[3:], every[:3])
    apart = means.contrast(np.array([[0.0, -1, 1]]))
    assert (apart.values[0], apart.raw_errors[0]) == near(5.3, 3.467697)
    assert two_sided_p(5.3 / apart.raw_errors[0], 2) == pytest.approx(0.266009, abs=1e-6)
    assert pair.standard_error == pytest.approx(apart.device_errors[0])
    assert means.raw_errors == near(0.740323, 4.399788, 2.695101)


def test_that_a_domain_keeps_the_whole_sampling():
    table, design = twelve_answers()
    found = distribution(table, design, "z", "y >= 6", sampling=ROLES)
    assert found.raw[2] == pytest.approx(1.25)
    share = found.shares[2]
    assert share.details.degrees_of_freedom == 2
    device = share.details.standard_error_device
    assert share.standard_error == pytest.approx(max(0.604152, device), abs=1e-6)
    rows = np.flatnonzero(table["y"].data >= 6)
    cut = errors_of((table.take(rows), design))
    assert cut[2] == pytest.approx(0.609559, abs=1e-6)


def test_that_weighted_em_equals_the_shares_where_none_is_negative():
    table, design = twelve_answers()
    settings = ReconstructOptions("accelerated")
    found = reconstruct_sample(table, design, ROLES, names=["z"], settings=settings)["z"]
    assert found.found.probability == near(0.444444, 0.083333, 0.472222)
    assert np.sqrt(np.diag(found.found.covariance)) == near(0.085248, 0.342082, 0.366369)
    assert found.degrees_of_freedom == 3


def test_that_the_json_has_the_names_of_the_fields():
    table, design = twelve_answers()
    document = count(table, design, "z = a", sampling=ROLES).to_json()
    for name in (
        "target", "n", "weighted_n", "degrees_of_freedom", "interval", "standard_error_device",
        "standard_error_sampling", "sampling_effect", "weights_effect", "effective_n", "contains",
        "excludes", "remarks",
    ):  # fmt: skip
        assert name in document
    assert document["share"]["fit"] == {"distance": 0.0, "p": None, "verdict": "fits"}
    differences = compare(table, design, "y", "z", sampling=ROLES).to_json()["differences"]
    assert set(differences[0]) == {
        "a", "b", "estimate", "low", "high", "standard_error", "t", "degrees_of_freedom", "p",
        "p_holm",
    }  # fmt: skip
