"""Published figures of public samples, and those of an independent implementation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sampled_answers import with_replicates

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Forced, Identity, Related, Unrelated
from ppworkbench.core.sampling.moments import SampleMoments, Terms
from ppworkbench.core.sampling.replicates import replicate_factors
from ppworkbench.core.sampling.sample import SampleReader, rows_as_clusters
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.distributions import distribution
from ppworkbench.core.survey.group_differences import compare, compare_answers
from ppworkbench.core.survey.means import mean
from ppworkbench.core.survey.quantiles import quantile
from ppworkbench.core.survey.ratios import ratio

pytestmark = pytest.mark.thorough

SCHOOLS = Sampling(weight="pw", stratum=("stype",), population="fpc")
STUDENTS = Sampling(weight="weight", population="population")
CLUSTERED = Sampling(weight="weight", stratum=("stratum",), cluster="cluster")


def near(*numbers, abs=1e-6):  # noqa: A002
    return pytest.approx(numbers, abs=abs)


def undistorted(table, names):
    return Design(tuple(DesignedAttribute(table[name].attribute, Identity()) for name in names))


@pytest.fixture
def schools(read_shared):
    table = read_shared("apistrat")
    return table, undistorted(table, ("api00", "enroll", "api.stu", "awards", "stype"))


@pytest.fixture
def students(read_shared):
    table = read_shared("rrtcs-horvitz")
    alphas = {
        "copied": 1 / 12, "fought": 1 / 10, "bullied": 2 / 3, "bullying": 1 / 10, "drug": 1 / 3,
        "sex": 1 / 12,
    }  # fmt: skip
    designed = [
        DesignedAttribute(table[name].attribute, Unrelated(theta=0.5, personal=(1 - a, a)))
        for name, a in alphas.items()
    ]
    return table, Design(tuple(designed))


@pytest.fixture
def clustered(read_shared):
    table = read_shared("rrtcs-horvitz-stcl")
    device = DesignedAttribute(table["z"].attribute, Unrelated(theta=0.6, personal=(0.5, 0.5)))
    return table, Design((device, DesignedAttribute(table["stratum"].attribute, Identity())))


def test_that_the_schools_have_the_means_and_totals_of_r(schools):
    found = mean(*schools, "api00", sampling=SCHOOLS)
    assert (found.value.estimate, found.value.standard_error) == near(662.28736, 9.408941, abs=5e-6)
    assert found.value.details.sampling_effect == pytest.approx(1.204457, abs=1e-6)
    assert found.value.details.degrees_of_freedom == 197
    total = mean(*schools, "enroll", sampling=SCHOOLS).total
    assert (total.estimate, total.standard_error) == near(3687177.53, 114641.716, abs=5e-3)


def test_that_a_ratio_of_two_numbers_has_its_error(schools):
    table, _ = schools
    reader = SampleReader(SCHOOLS)
    rows = reader.read(table)
    moments = SampleMoments()
    students, enrolled = table["api.stu"].data, table["enroll"].data
    terms = Terms(
        200, np.ones((1, 1)), None, (enrolled, students),
        {(0, 0): enrolled**2, (0, 1): enrolled * students, (1, 1): students**2},
    )  # fmt: skip
    moments.add(terms, rows)
    found = moments.totals(reader.frame()).ratios(np.array([[0.0, 1]]), np.array([[1.0, 0]]))
    assert (found.values[0], found.errors[0]) == near(0.836957, 0.007757)


def test_that_domains_of_schools_keep_the_whole_sampling(schools):
    table, design = schools
    awarded = mean(table, design, "api00", "awards = Yes", sampling=SCHOOLS).value
    assert (awarded.estimate, awarded.standard_error) == near(678.422406, 11.856631)
    high = mean(table, design, "api00", "stype = H", sampling=SCHOOLS).value
    assert (high.estimate, high.standard_error) == near(625.82, 14.937129)
    yes = table["awards"].attribute.values.index("Yes")
    cut = table.take(np.flatnonzero(table["awards"].data == yes))
    error = mean(cut, design, "api00", sampling=SCHOOLS).value.standard_error
    assert error == pytest.approx(11.938409, abs=1e-6)


def test_that_awarded_schools_differ_by_their_interval(schools):
    (found,) = compare(*schools, "api00", "awards", sampling=SCHOOLS).differences
    assert (found.a, found.b, found.degrees_of_freedom) == ("Yes", "No", 196)
    assert (found.estimate, found.standard_error, found.p) == near(44.687494, 19.398920, 0.022294)
    assert (found.low, found.high) == near(6.4301, 82.9449, abs=1e-4)
    assert found.p_holm == found.p


def test_that_shares_of_awards_are_compared_between_kinds_of_schools(schools):
    found = compare(*schools, "awards", "stype", value="Yes", reference="H", sampling=SCHOOLS)
    assert [(one.a, one.b) for one in found.differences] == [("E", "H"), ("M", "H")]
    alone = distribution(*schools, "awards", "stype = E", sampling=SCHOOLS)
    yes = alone.labels.index("Yes")
    group, share = found.groups[found.labels.index("E")], alone.shares[yes]
    assert group.interval == share.interval == "exact"
    assert (group.estimate, group.low, group.high) == near(share.estimate, share.low, share.high)
    assert all(one.p_holm >= one.p for one in found.differences)


def test_that_quartiles_have_woodruffs_intervals(schools):
    found = quantile(*schools, "api00", sampling=SCHOOLS).quantiles
    assert [(q.estimate, q.low, q.high) for q in found] == [
        (565, 535, 597),
        (668, 642, 694),
        (756, 726, 778),
    ]


def test_that_a_share_of_schools_has_all_its_intervals(schools):
    ends = {"auto": (0.568979, 0.703457), "logit": (0.568721, 0.703676)}
    for kind, expected in ends.items():
        found = count(
            *schools, "awards = Yes", sampling=SCHOOLS, options=SamplingOptions(interval=kind)
        ).share
        assert (found.estimate, found.standard_error) == near(0.638936, 0.034406)
        assert (found.low, found.high) == near(*expected)
        assert found.details.sampling_effect == pytest.approx(1.055194, abs=1e-6)


def test_that_the_jackknife_of_the_mean_is_its_linearised_error(schools):
    table, _ = schools
    reader = SampleReader(SCHOOLS)
    rows = reader.read(table)
    frame, rows = rows_as_clusters(reader.frame(), rows)
    score = table["api00"].data
    terms = Terms(200, np.ones((1, 1)), None, (None, score), {(1, 1): score**2})
    moments = SampleMoments()
    moments.add(terms, rows)
    totals = with_replicates(moments.totals(frame), *replicate_factors(frame, "jkn"))
    found = totals.ratios(np.array([[0.0, 1]]), np.array([[1.0, 0]]))
    assert found.errors[0] == pytest.approx(9.408941, abs=1e-6)


@pytest.mark.slow
def test_that_distorted_awards_have_the_error_of_the_device_over_many_draws(schools):
    table, _ = schools
    column = table["awards"]
    awarded = column.attribute.values.index("Yes")
    device = Forced(p_truth=2 / 3, forced=(0.5, 0.5))
    look_up = np.linalg.inv(device.matrix(2)).T[:, [awarded]]
    both = np.column_stack([np.ones(2), look_up])
    reader = SampleReader(SCHOOLS)
    rows, frame = reader.read(table), reader.frame()
    random = np.random.default_rng(13)
    estimates, variances = [], []
    for _ in range(2000):
        forced = random.random(200) >= 2 / 3
        codes = np.where(forced, random.integers(0, 2, 200), column.data).astype(np.intp)
        moments = SampleMoments()
        moments.add(Terms(200, both, codes, meets=np.array([[0, 1], [1, 1]])), rows)
        found = moments.totals(frame).ratios(np.array([[0.0, 1]]), np.array([[1.0, 0]]))
        estimates.append(found.values[0])
        variances.append(found.covariance[0, 0])
    assert np.mean(estimates) == pytest.approx(0.638936, abs=0.0029)
    assert np.std(estimates) == pytest.approx(0.043055, rel=0.04)
    assert math.sqrt(np.mean(variances)) == pytest.approx(0.055113, rel=0.005)


@pytest.mark.parametrize(
    ("question", "estimate", "variance"),
    [
        ("copied", 0.8406103, 0.001389716),
        ("fought", 0.4070423, 0.001045196),
        ("bullied", 0.1220657, 0.001337415),
        ("bullying", 0.128169, 0.0005597858),
        ("drug", 0.1286385, 0.000991658),
        ("sex", 0.06596244, 0.000383954),
    ],
)
def test_that_students_have_the_published_variances(students, question, estimate, variance):
    found = count(*students, f"{question} = yes", sampling=STUDENTS).share
    assert found.estimate == pytest.approx(estimate, abs=5e-8)
    assert found.standard_error**2 == pytest.approx(variance, abs=5e-8)


def test_that_copying_students_have_all_their_errors(students):
    table, design = students
    found = count(table, design, "copied = yes", sampling=STUDENTS).share
    assert found.details.sampling_effect == pytest.approx(1, abs=1e-9)
    assert found.details.degrees_of_freedom == 709
    assert (found.low, found.high) == near(0.767420, 0.913801)
    answered = SamplingOptions(target="respondents")
    asked = count(table, design, "copied = yes", sampling=STUDENTS, options=answered).share
    assert asked.standard_error == pytest.approx(0.034808, abs=1e-6)
    plain = count(table, design, "copied = yes", options=SamplingOptions()).share
    assert plain.standard_error == pytest.approx(0.037447, abs=1e-6)


def test_that_a_distorted_condition_is_a_domain(students):
    table, design = students
    found = distribution(table, design, "copied", "fought = yes", sampling=STUDENTS)
    yes = found.labels.index("yes")
    assert (found.raw[yes], found.shares[yes].standard_error) == near(0.741580, 0.087324)


def test_that_two_answers_of_the_same_people_are_compared(students):
    (found,) = compare_answers(*students, "copied = yes", "fought = yes").differences
    assert (found.estimate, found.standard_error) == near(0.433568, 0.050830)


def test_that_two_answers_are_compared_among_some_people(students):
    table, design = students
    plain = DesignedAttribute(Attribute("town", Kind.BINARY, ("Ash", "Elm")), Identity())
    towns = np.random.default_rng(3).integers(0, 2, table.rows)
    whole = Table((*table.columns, Column(plain.attribute, towns)))
    asked = "copied = yes", "fought = yes"
    found = compare_answers(whole, Design((*design, plain)), *asked, condition="town = Elm")
    apart = compare_answers(table.take(np.flatnonzero(towns == 1)), design, *asked)
    (some,), (alone,) = found.differences, apart.differences
    assert some.estimate == pytest.approx(alone.estimate)
    # The size of the group is known in one of them, and drawn in the other.
    assert some.standard_error == pytest.approx(alone.standard_error, rel=0.005)
    assert str(found.condition) == "town = Elm"


def test_that_the_error_of_a_difference_is_that_of_drawn_surveys():
    random = np.random.default_rng(8)
    names = "a", "b"
    asked = [Attribute(name, Kind.BINARY, ("no", "yes")) for name in names]
    design = Design(tuple(DesignedAttribute(one, Related(theta=0.8)) for one in asked))
    found = []
    for _ in range(300):
        a = random.random(400) < 0.4
        b = random.random(400) < np.where(a, 0.7, 0.2)
        told = [np.where(random.random(400) < 0.8, one, ~one).astype(np.int32) for one in (a, b)]
        table = Table(tuple(map(Column, asked, told)))
        found.append(compare_answers(table, design, "a = yes", "b = yes").differences[0])
    estimates = np.array([one.estimate for one in found])
    errors = np.array([one.standard_error for one in found])
    # 300 draws: 4 standard errors of a mean and of a standard deviation.
    assert abs(estimates.mean()) < 4 * errors.mean() / np.sqrt(300)
    assert estimates.std() == pytest.approx(errors.mean(), rel=4 / np.sqrt(600))


def test_that_a_clustered_sample_has_its_published_errors(clustered):
    found = count(*clustered, "z = yes", sampling=CLUSTERED)
    share, details = found.share, found.share.details
    assert (share.estimate, share.standard_error) == near(0.402210, 0.047417)
    assert (details.degrees_of_freedom, details.sampling_effect) == near(23, 1.194987)
    assert found.sample.weights_effect == pytest.approx(1.014571, abs=1e-6)
    assert details.standard_error_device == pytest.approx(0.035148, abs=1e-6)
    assert (share.low, share.high) == near(0.304119, 0.500301)
    assert (found.value.estimate, found.value.standard_error) == near(590.909091, 74.854760)
    mapped = count(
        *clustered, "z = yes", sampling=CLUSTERED, options=SamplingOptions(interval="wilson")
    ).share
    assert (mapped.low, mapped.high) == near(0.306147, 0.500983)
    answered = SamplingOptions(target="respondents")
    asked = count(*clustered, "z = yes", sampling=CLUSTERED, options=answered).share
    assert (asked.estimate, asked.standard_error) == near(0.397260, 0.034895)


def test_that_strata_of_a_clustered_sample_are_domains(clustered):
    table, design = clustered
    expected = {"1": (0.358974, 0.063103), "2": (0.441176, 0.069797)}
    for stratum, numbers in expected.items():
        found = distribution(table, design, "z", f"stratum = {stratum}", sampling=CLUSTERED)
        yes = found.labels.index("yes")
        assert (found.raw[yes], found.shares[yes].standard_error) == near(*numbers)


def test_that_the_jackknife_of_a_clustered_sample_is_the_published_one(clustered):
    table, design = clustered
    reader = SampleReader(CLUSTERED)
    rows = reader.read(table)
    frame = reader.frame()
    yes = table["z"].attribute.values.index("yes")
    look_up = np.linalg.inv(design.perturbation("z").matrix(2)).T[:, [yes]]
    both = np.column_stack([np.ones(2), look_up])
    moments = SampleMoments()
    codes = table["z"].data.astype(np.intp)
    moments.add(Terms(365, both, codes, meets=np.array([[0, 1], [1, 1]])), rows)
    totals = with_replicates(moments.totals(frame), *replicate_factors(frame, "jkn"))
    found = totals.ratios(np.array([[0.0, 1]]), np.array([[1.0, 0]]))
    assert found.raw_errors[0] == pytest.approx(0.047643, abs=1e-6)


def test_that_roles_may_be_columns_of_any_kind(schools):
    table, design = schools
    column = table["pw"]
    values = tuple(dict.fromkeys(f"{number!r}" for number in column.data.tolist()))
    codes = np.array([values.index(repr(number)) for number in column.data.tolist()])
    nominal = column.attribute.with_(kind=Kind.NOMINAL, values=values, domain=None)
    other = table.replace(Column(nominal, codes))
    before = mean(table, design, "api00", sampling=SCHOOLS).value
    assert mean(other, design, "api00", sampling=SCHOOLS).value == before


def test_that_an_independent_implementation_finds_the_same(schools, read_shared):
    svy, polars = pytest.importorskip("svy"), pytest.importorskip("polars")
    names = ("api00", "enroll", "awards", "stype", "pw", "fpc")
    table = read_shared("apistrat").select(names).to_frame()
    frame = polars.DataFrame(
        {
            name: table[name].astype(str if name in ("awards", "stype") else float).tolist()
            for name in names
        }
    )
    sample = svy.Sample(frame, svy.Design(stratum="stype", wgt="pw", pop_size="fpc"))

    def theirs(estimate):
        (row,) = estimate.to_dicts()
        return row["est"], row["se"]

    def ours(estimate):
        return pytest.approx((estimate.estimate, estimate.standard_error), rel=1e-6)

    own = mean(*schools, "api00", sampling=SCHOOLS).value
    assert theirs(sample.estimation.mean(y="api00")) == ours(own)
    own = mean(*schools, "enroll", sampling=SCHOOLS).total
    assert theirs(sample.estimation.total(y="enroll")) == ours(own)


def test_that_the_ratio_of_two_numbers_is_the_published_one(schools):
    found = ratio(*schools, "api.stu", "enroll", sampling=SCHOOLS).value
    assert (found.estimate, found.standard_error) == near(0.836957, 0.007757)
    assert found.details.degrees_of_freedom == 197
    options = SamplingOptions(make_replicates="jkn")
    made = ratio(*schools, "api.stu", "enroll", sampling=SCHOOLS, options=options).value
    assert made.standard_error == pytest.approx(0.007757, rel=0.01)


def test_that_the_jackknife_of_a_mean_is_the_published_one(schools):
    options = SamplingOptions(make_replicates="jkn")
    found = mean(*schools, "api00", sampling=SCHOOLS, options=options).value
    assert found.estimate == pytest.approx(662.28736, abs=1e-5)
    assert found.standard_error == pytest.approx(9.408941, abs=1e-6)
