"""Weights, strata and clusters in models of compliance, and the test of several classes."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from scipy.stats import chi2

from ppworkbench.core.compliance.assess import SIMULATED, assess_compliance
from ppworkbench.core.compliance.chi_bar_square import (
    bounded_distance,
    chi_bar_tail,
    chi_bar_weights,
)
from ppworkbench.core.compliance.classes import Behaviour, fit_classes
from ppworkbench.core.compliance.question import DIRECT, ComplianceQuestion
from ppworkbench.core.compliance.result import Compliance
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, Forced, Identity, Uniform
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.design import DesignedAttribute
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.reconstruct.pooled import Arm, fit_shares

pytestmark = pytest.mark.thorough

DRUG = Attribute("drug", Kind.BINARY, ("no", "yes"))
TOLD = {"A": Forced(0.8, (0.0, 1.0)), "B": Forced(0.2, (0.0, 1.0)), "direct": Identity()}


def design_of(*names: str) -> Design:
    members = tuple(DesignArm(name, 1 / len(names), (("drug", TOLD[name]),)) for name in names)
    return Design((DesignedAttribute(DRUG, Uniform(keep=0.8)),), arms=Arms("version", members))


def table_of(reports: dict[str, tuple[int, int]], **more: np.ndarray) -> Table:
    """So many "yes" of so many in every arm, and columns with numbers."""
    names = tuple(reports)
    codes = np.repeat(np.arange(len(names)), [n for _, n in reports.values()])
    yes = np.concatenate([np.arange(n) < count for count, n in reports.values()])
    columns = [Column(Attribute("version", Kind.NOMINAL, names), codes)]
    columns.append(Column(DRUG, yes.astype(np.int64)))
    for name, data in more.items():
        kind = Attribute(name, Kind.CONTINUOUS, domain=(0.0, float(data.max()) + 1))
        columns.append(Column(kind, data.astype(np.float64)))
    return Table(tuple(columns))


CDM = {"A": (210, 500), "B": (390, 500)}
ASKED = ComplianceQuestion("drug", ("safe",))


@pytest.fixture(scope="module")
def plain() -> Compliance:
    """What everybody says who was drawn at random and counts once."""
    return assess_compliance(table_of(CDM), design_of("A", "B"), ASKED)


def test_that_equal_weights_change_nothing(plain: Compliance) -> None:
    """Simple random sampling, with n - 1 in place of n."""
    weighted = assess_compliance(
        table_of(CDM, w=np.full(1000, 3.0)), design_of("A", "B"), ASKED, sampling=Sampling("w")
    )
    assert plain.classes is not None
    assert weighted.classes is not None
    assert weighted.classes.fitted.shares == pytest.approx(plain.classes.fitted.shares, abs=1e-9)
    for own, other in zip(weighted.classes.estimates, plain.classes.estimates, strict=True):
        # Arms of a fixed size, and arms that were drawn: the same to 1/n.
        assert own.standard_error == pytest.approx(other.standard_error, rel=2e-3)


@pytest.mark.slow
def test_that_a_weight_of_two_is_a_person_twice() -> None:
    """The point estimates are those of the longer file."""
    weights = np.where(np.arange(1000) % 5 == 0, 2.0, 1.0)
    given = table_of(CDM, w=weights)
    found = assess_compliance(given, design_of("A", "B"), ASKED, sampling=Sampling("w"))
    longer = given.take(np.repeat(np.arange(1000), weights.astype(int)))
    twice = assess_compliance(longer, design_of("A", "B"), ASKED)
    assert found.classes is not None
    assert twice.classes is not None
    assert found.classes.fitted.shares == pytest.approx(twice.classes.fitted.shares, abs=1e-9)
    assert found.uncorrected.estimate == pytest.approx(twice.uncorrected.estimate, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("clusters", "off"), [(8, 0.2), pytest.param(40, 0.08, marks=pytest.mark.slow)]
)
def test_that_the_linearised_error_is_that_of_a_jackknife(clusters: int, off: float) -> None:
    """Clusters of answers that are alike, taken out one by one."""
    draw = np.random.default_rng(4)
    cluster = draw.integers(0, clusters, 1000)
    weights = 1 + (cluster % 3)
    given = table_of(CDM, w=weights, psu=cluster)
    roles = Sampling("w", (), "psu")
    found = assess_compliance(given, design_of("A", "B"), ASKED, sampling=roles)
    assert found.classes is not None
    again = []
    for left in range(clusters):
        part = given.take(np.flatnonzero(cluster != left))
        one = assess_compliance(part, design_of("A", "B"), ASKED, sampling=roles)
        assert one.classes is not None
        again.append(one.classes.fitted.shares)
    apart = np.array(again) - found.classes.fitted.shares
    jackknife = np.sqrt((clusters - 1) / clusters * (apart**2).sum(axis=0))
    assert found.classes.fitted.standard_errors == pytest.approx(jackknife, rel=off)
    assert found.arms[0].sampled is not None
    assert found.arms[0].sampled.degrees == clusters - 1


def test_that_alike_clusters_widen_intervals_and_weaken_tests(plain: Compliance) -> None:
    """Everybody of a cluster answers alike: the honesty test is Wald's, with a larger p."""
    yes = np.arange(1000) % 500 < np.where(np.arange(1000) < 500, 210, 390)
    cluster = np.arange(1000) // 10
    given = table_of(CDM, psu=cluster)
    assert (given["drug"].data == yes).all()
    found = assess_compliance(given, design_of("A", "B"), ASKED, sampling=Sampling(cluster="psu"))
    assert found.classes is not None
    assert plain.classes is not None
    assert found.honesty is not None
    assert plain.honesty is not None
    wider = found.classes.estimates[2].standard_error / plain.classes.estimates[2].standard_error
    assert wider > 2.5
    assert found.honesty.p > plain.honesty.p
    z = found.classes.estimates[2].estimate / found.classes.estimates[2].standard_error
    assert found.honesty.statistic == pytest.approx(z**2, rel=1e-6)


def test_that_arms_in_the_same_clusters_are_compared_in_one_linearisation() -> None:
    """Where a cluster says more yes in both arms, the difference is known better."""
    reports = {"A": (300, 500), "direct": (200, 500)}
    same = np.concatenate([np.arange(500) // 25, np.arange(500) // 25])
    apart = np.concatenate([np.arange(500) // 25, 20 + np.arange(500) // 25])
    found = [
        assess_compliance(
            table_of(reports, psu=psu), design_of("A", "direct"),
            ComplianceQuestion("drug", model=DIRECT), sampling=Sampling(cluster="psu"),
        )
        for psu in (same, apart)
    ]  # fmt: skip
    first, second = (one.direct for one in found)
    assert first is not None
    assert second is not None
    assert first.difference.estimate == pytest.approx(second.difference.estimate)
    assert first.difference.standard_error < 0.8 * second.difference.standard_error
    t = first.difference.estimate / first.difference.standard_error
    assert first.equality.statistic == pytest.approx(t**2, rel=1e-6)


def test_an_anchor_under_a_sampling() -> None:
    """Weights of 1 give the error of the delta method."""
    draw = np.random.default_rng(2)
    same = draw.random(2000) < 0.7
    check = draw.random(2000) < 0.8
    crosswise = Uniform(keep=0.15)
    second = Attribute("check", Kind.BINARY, ("no", "yes"))
    design = Design((DesignedAttribute(DRUG, crosswise), DesignedAttribute(second, crosswise)))
    weight = Column(Attribute("w", Kind.CONTINUOUS, domain=(0.0, 2.0)), np.ones(2000))
    table = Table((Column(DRUG, same.astype(int)), Column(second, check.astype(int)), weight))
    asked = ComplianceQuestion("drug", model="anchor", anchor=("check", 0.15, 0.0))
    plain = assess_compliance(table, design, asked)
    found = assess_compliance(table, design, asked, sampling=Sampling("w"))
    for name in ("pi", "attentive"):
        one, other = found.parameters[name], plain.parameters[name]
        assert one.estimate == pytest.approx(other.estimate)
        assert one.standard_error == pytest.approx(other.standard_error, rel=1e-3)


def test_that_a_statement_about_respondents_is_refused() -> None:
    """Only the device is random then, and its part is not known here."""
    with pytest.raises(ParameterError, match="about the population"):
        assess_compliance(
            table_of(CDM, w=np.ones(1000)), design_of("A", "B"), ASKED, sampling=Sampling("w"),
            options=SamplingOptions(target="respondents"),
        )  # fmt: skip


def test_that_only_chosen_arms_are_used() -> None:
    """The others are told with their rows, and nothing else."""
    reports = {**CDM, "direct": (50, 200)}
    asked = dataclasses.replace(ASKED, arms=("A", "B"))
    found = assess_compliance(table_of(reports), design_of("A", "B", "direct"), asked)
    assert [arm.name for arm in found.arms] == ["A", "B"]
    assert found.rows == {"A": 500, "B": 500, "direct": 200}
    assert found.direct is None
    with pytest.raises(ParameterError, match="no arm 'C'"):
        assess_compliance(
            table_of(CDM), design_of("A", "B"), dataclasses.replace(ASKED, arms=("C",))
        )


# Several classes


def test_the_weights_of_chi_bar_square() -> None:
    """Closed forms against drawn projections; half of all distances are of odd dimension."""
    covariance = np.array([[1.0, 0.4, -0.2], [0.4, 1.5, 0.3], [-0.2, 0.3, 0.7]])
    weights = chi_bar_weights(covariance)
    assert weights.sum() == pytest.approx(1)
    assert weights[1] + weights[3] == pytest.approx(0.5)
    draws = np.random.default_rng(1).multivariate_normal(np.zeros(3), covariance, 4000)
    distances = np.array([bounded_distance(one, covariance) for one in draws])
    for at in (0.5, 2.0, 5.0):
        share = float((distances > at).mean())
        assert chi_bar_tail(at, covariance) == pytest.approx(share, abs=0.02)
    four = chi_bar_weights(np.eye(4))
    assert four == pytest.approx(np.array([1, 4, 6, 4, 1]) / 16, abs=0.03)


def _three_values(keep: float, counts: list[float]) -> Arm:
    matrix = np.full((3, 3), (1 - keep) / 2)
    np.fill_diagonal(matrix, keep)
    return Arm("", np.array(counts, np.float64), matrix)


@pytest.mark.slow
@pytest.mark.parametrize("surveys", [100, pytest.param(600, marks=pytest.mark.slow)])
def test_that_the_test_of_two_classes_has_its_size(surveys: int) -> None:
    """Of surveys in which all follow, 5 % are called otherwise; half a chi-square calls fewer."""
    draw = np.random.default_rng(7)
    truth = np.array([0.5, 0.3, 0.2])
    extra = [Behaviour(0), Behaviour(1)]
    found, old = [], []
    for _ in range(surveys):
        arms = [
            _three_values(keep, draw.multinomial(
                1500, _three_values(keep, [0, 0, 0]).matrix @ truth).tolist())
            for keep in (0.9, 0.5)
        ]  # fmt: skip
        test = fit_classes(arms, ("a", "b", "c"), extra, [2]).honesty
        assert test is not None
        found.append(test.p < 0.05)
        old.append(test.statistic > 1e-9 and 0.5 * chi2.sf(test.statistic, 2) < 0.05)
    error = math.sqrt(0.05 * 0.95 / surveys)
    assert np.mean(found) == pytest.approx(0.05, abs=3.5 * error)
    assert np.mean(old) != np.mean(found)


def test_that_few_answers_get_a_simulated_p(plain: Compliance) -> None:
    """Chi-square is no guide below 5 expected answers."""
    reports = {"A": (12, 14), "B": (13, 14)}
    found = assess_compliance(table_of(reports), design_of("A", "B"), ASKED)
    assert SIMULATED in [Message.of(one).code for one in found.remarks]
    assert found.honesty is not None
    assert 0 < found.honesty.p <= 1
    assert SIMULATED not in [Message.of(one).code for one in plain.remarks]


def test_that_several_arms_have_a_band_through_their_own_estimate() -> None:
    """At the share that the arms find, the band gives the reading of the followers."""
    found = assess_compliance(table_of(CDM), design_of("A", "B"), ASKED)
    assert found.classes is not None
    gone = float(found.classes.fitted.shares[2])
    at = found.at_share("safe", gone)
    assert at.estimate == pytest.approx(found.classes.readings["followers"].estimate, abs=1e-6)
    assert found.points[0].estimate == pytest.approx(found.uncorrected.estimate, abs=1e-9)


def test_that_the_sandwich_is_the_information_for_a_simple_random_sample() -> None:
    """The linearised covariance of counts with their own multinomial one."""
    from ppworkbench.core.reconstruct.pooled import SampledCounts

    counts = [np.array([290.0, 210.0]), np.array([110.0, 390.0])]
    spread = np.zeros((4, 4))
    for place, one in enumerate(counts):
        share = one / one.sum()
        block = slice(2 * place, 2 * place + 2)
        spread[block, block] = one.sum() * (np.diag(share) - np.outer(share, share))
    matrices = [np.array([[1 - p, 0.0, 1.0], [p, 1.0, 0.0]]) for p in (0.2, 0.8)]
    plain = [Arm("", n, m) for n, m in zip(counts, matrices, strict=True)]
    drawn = [
        Arm("", n, m, SampledCounts(spread, math.inf, (2 * place,)))
        for place, (n, m) in enumerate(zip(counts, matrices, strict=True))
    ]
    assert fit_shares(drawn).covariance == pytest.approx(fit_shares(plain).covariance, abs=1e-9)
