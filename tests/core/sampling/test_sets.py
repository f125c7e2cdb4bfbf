"""Reports of a sample that are sets: weights, clusters and arms against other ways to get them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import ReplicateRole, Sampling, SamplingOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Design,
    DesignedAttribute,
    Identity,
    Perturbation,
    Subset,
    UnaryEncoding,
)
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.distort import distort
from ppworkbench.core.reconstruct import reconstruct_table
from ppworkbench.core.reconstruct.reconstruct import ReconstructOptions, reconstruct_by_arm
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.sampling.reconstruction import reconstruct_sample
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.distributions import distribution

K = 7
JOB = Attribute("job", Kind.NOMINAL, tuple(f"v{i}" for i in range(K)))
SHARES = np.array([0.3, 0.25, 0.15, 0.12, 0.1, 0.05, 0.03])
VERSION = Attribute("version", Kind.NOMINAL, ("A", "B", "C"))
NUMBERS = {
    "w": Attribute("w", Kind.CONTINUOUS, domain=(0, 10)),
    "psu": Attribute("psu", Kind.INTEGER, domain=(0, 10**6)),
    "region": Attribute("region", Kind.INTEGER, domain=(0, 9)),
    "size": Attribute("size", Kind.INTEGER, domain=(0, 10**6)),
}
MECHANISMS = [Subset(epsilon=1.5), UnaryEncoding(epsilon=1.5)]
ROLES = {
    "weights": Sampling(weight="w"),
    "strata": Sampling(weight="w", stratum=("region",)),
    "clusters": Sampling(weight="w", stratum=("region",), cluster="psu"),
    "a finite population": Sampling(stratum=("region",), cluster="psu", population="size"),
    "a known population": Sampling(population=12_000),
}


def drawn(
    rows: int, seed: int, per_cluster: int = 15, pull: float = 0.0, versions: int = 3
) -> Table:
    """Answers of people in clusters that agree with each other by chance ``pull``."""
    draw = np.random.default_rng(seed)
    clusters = -(-rows // per_cluster)
    cluster = np.repeat(np.arange(clusters), per_cluster)[:rows]
    own = draw.choice(K, clusters, p=SHARES)
    answer = draw.choice(K, rows, p=SHARES)
    answer = np.where(draw.random(rows) < pull, own[cluster], answer)
    data = {
        "w": draw.choice([0.5, 1.0, 2.0], rows),
        "psu": cluster.astype(float),
        "region": (cluster % 4).astype(float),
        "size": np.full(rows, float(2 * clusters)),
    }
    columns = [Column(JOB, answer), Column(VERSION, draw.integers(0, versions, rows))]
    return Table((*columns, *(Column(NUMBERS[name], data[name]) for name in NUMBERS)))


def designed(mechanism: Perturbation, by_arm: dict[str, Perturbation] | None = None) -> Design:
    arms = None
    if by_arm is not None:
        members = tuple(
            DesignArm(name, 1 / len(by_arm), (("job", device),)) for name, device in by_arm.items()
        )
        arms = Arms("version", members)
    others = (VERSION, *NUMBERS.values())
    return Design(
        (DesignedAttribute(JOB, mechanism), *(DesignedAttribute(a, Identity()) for a in others)),
        arms=arms,
    )


@pytest.mark.parametrize("roles", ROLES, ids=str)
def test_that_shares_and_errors_are_those_of_the_survey(roles):
    # Sets of one size have scores that add up to 1, so that both divide by the same number.
    table, design = drawn(3_000, 1), designed(Subset(epsilon=1.5))
    told = distort(table, design, SeededStreams(2))
    found = reconstruct_sample(told, design, ROLES[roles], names=["job"])["job"]
    # The survey counts every different set as a cell.
    asked = distribution(told, design, "job", sampling=ROLES[roles])
    errors = [one.standard_error for one in asked.shares]
    assert found.found.standard_error == pytest.approx(errors, rel=1e-9)
    assert found.degrees_of_freedom == asked.shares[0].details.degrees_of_freedom
    device = [one.details.standard_error_device for one in asked.shares]
    assert found.device_errors == pytest.approx(device, rel=1e-9)
    effects = [one.details.sampling_effect for one in asked.shares]
    assert found.sampling_effects == pytest.approx(effects, rel=1e-6)
    weights = table["w"].data if ROLES[roles].weight else np.ones(table.rows)
    truth = np.bincount(table["job"].data, weights, K) / weights.sum()
    assert np.all(np.abs(found.found.raw - truth) < 4.5 * found.found.standard_error)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
@pytest.mark.parametrize("roles", ["strata", "clusters"])
def test_that_errors_are_those_of_the_scores_worked_out_row_by_row(mechanism, roles):
    table, design = drawn(1_500, 2), designed(mechanism)
    told = distort(table, design, SeededStreams(2))
    found = reconstruct_sample(told, design, ROLES[roles], names=["job"])["job"]
    naming, weights = mechanism.naming(K), table["w"].data
    scores = (sets.unpack(told["job"].data, K) - naming.h) / naming.gap
    shares = weights @ scores / weights.sum()
    assert found.found.raw == pytest.approx(shares, abs=1e-12)
    moves = weights[:, None] * (scores - shares) / weights.sum()
    cluster = table["psu"].data.astype(int) if roles == "clusters" else np.arange(table.rows)
    by_cluster = np.array([np.bincount(cluster, column) for column in moves.T]).T
    stratum = np.zeros(len(by_cluster), int)
    stratum[cluster] = table["region"].data.astype(int)
    variance = np.zeros(K)
    for one in range(4):
        some = by_cluster[stratum == one]
        variance += len(some) * some.var(axis=0, ddof=1)
    # A few clusters that happen to agree shall not promise more than the device allows.
    errors = np.maximum(np.sqrt(variance), found.device_errors)
    assert found.found.standard_error == pytest.approx(errors, rel=1e-9)
    assert np.any(errors > found.device_errors)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_that_statements_about_respondents_leave_the_sampling_out(mechanism):
    table, design = drawn(2_000, 3), designed(mechanism)
    told = distort(table, design, SeededStreams(2))
    options = SamplingOptions(target="respondents")
    found = reconstruct_sample(told, design, ROLES["clusters"], options, ["job"])["job"]
    plain = reconstruct_table(told, design, ["job"])["job"]
    assert found.found.raw == pytest.approx(plain.raw, abs=1e-12)
    # The device alone varies less than device and drawing do, by f (1 - f) / n for each share.
    less = np.sum(plain.standard_error**2) - np.sum(found.found.standard_error**2)
    assert less == pytest.approx((1 - np.sum(SHARES**2)) / table.rows, rel=0.2)


def test_that_replicates_of_single_clusters_give_about_the_same_errors():
    table, design = drawn(2_400, 4, per_cluster=60), designed(Subset(epsilon=1.5))
    told = distort(table, design, SeededStreams(2))
    clusters = table["psu"].data.astype(int)
    names = [f"r{i}" for i in range(40)]
    columns = []
    for place, name in enumerate(names):
        kept = np.where(clusters == place, 0.0, 40 / 39) * table["w"].data
        columns.append(Column(Attribute(name, Kind.CONTINUOUS, domain=(0, 100)), kept))
    told = told.with_(columns=(*told.columns, *columns))
    replicated = Sampling(weight="w", replicates=ReplicateRole(tuple(names), "jk1"))
    by_replicates = reconstruct_sample(told, design, replicated, names=["job"])["job"]
    linear = Sampling(weight="w", cluster="psu")
    by_clusters = reconstruct_sample(told, design, linear, names=["job"])["job"]
    assert by_replicates.found.standard_error == pytest.approx(
        by_clusters.found.standard_error, rel=0.02
    )


BY_ARM = [
    {"A": Subset(epsilon=1.0, size=2), "B": Subset(epsilon=2.5, size=2)},
    {"A": UnaryEncoding(epsilon=1.0), "B": UnaryEncoding(epsilon=2.5), "C": UnaryEncoding()},
]


@pytest.mark.parametrize("devices", BY_ARM, ids=["subset", "oue"])
def test_that_arms_with_other_devices_are_estimated_together(devices):
    table = drawn(6_000, 5, versions=len(devices))
    design = designed(devices["A"], devices)
    told = distort(table, design, SeededStreams(2))
    found = reconstruct_table(told, design, ["job"], original=table)["job"]
    truth = table["job"].counts / table.rows
    assert np.all(np.abs(found.raw - truth) < 4.5 * found.standard_error)
    apart = reconstruct_by_arm(told, design, "job")
    assert list(apart.arms) == list(devices)
    # Together they tell more than the best of them.
    for one in apart.arms.values():
        assert np.all(found.standard_error < one.standard_error)
    assert apart.statistic == "wald"
    assert apart.equality.df == (len(devices) - 1) * (K - 1)
    assert apart.equality.p > 1e-4
    shares = distribution(told, design, "job")
    assert shares.raw == pytest.approx(found.raw)
    asked = count(told, design, "job = v0")
    assert asked.value.estimate == pytest.approx(table.rows * found.raw[0])


def test_that_arms_with_the_same_device_give_what_one_arm_would():
    device = Subset(epsilon=1.5)
    table, design = drawn(3_000, 6), designed(device, dict.fromkeys("ABC", device))
    told = distort(table, design, SeededStreams(2))
    together = reconstruct_table(told, design, ["job"])["job"]
    plain = reconstruct_table(told, design.without_arms(), ["job"])["job"]
    assert together.raw == pytest.approx(plain.raw, abs=1e-12)
    assert together.standard_error == pytest.approx(plain.standard_error, rel=1e-12)


def test_that_arms_that_differ_are_told_apart():
    device = UnaryEncoding(epsilon=2.0)
    table, design = drawn(6_000, 7), designed(device, dict.fromkeys("ABC", device))
    answers = np.where(table["version"].data == 2, (table["job"].data + 1) % K, table["job"].data)
    other = table.with_(columns=(Column(JOB, answers), *table.columns[1:]))
    told = distort(other, design, SeededStreams(2))
    assert reconstruct_by_arm(told, design, "job").equality.p < 1e-6
    sampled = reconstruct_sample(
        told, design, ROLES["clusters"], names=["job"], by_arm=True, sets=[["A", "B"], ["C"]]
    )["job"]
    assert sampled.by_arm.equality.p < 1e-6
    assert sampled.by_arm.sets.between.p < 1e-6
    assert sampled.by_arm.sets.sets[0].within.p > 1e-4


@pytest.mark.parametrize("devices", BY_ARM, ids=["subset", "oue"])
def test_that_arms_of_a_plain_sample_are_as_without_roles(devices):
    table = drawn(6_000, 8, versions=len(devices))
    design = designed(devices["A"], devices)
    told = distort(table, design, SeededStreams(2))
    ones = dataclasses.replace(told["w"], data=np.ones(table.rows))
    told = told.with_(columns=tuple(ones if one.name == "w" else one for one in told.columns))
    sampled = reconstruct_sample(told, design, Sampling(weight="w"), names=["job"], by_arm=True)
    plain = reconstruct_table(told, design, ["job"])["job"]
    found = sampled["job"]
    assert found.found.raw == pytest.approx(plain.raw, abs=1e-9)
    assert found.found.standard_error == pytest.approx(plain.standard_error, rel=0.01)
    apart = reconstruct_by_arm(told, design, "job")
    assert found.by_arm.equality.statistic == pytest.approx(apart.equality.statistic, rel=0.05)
    weighted = distribution(told, design, "job", sampling=Sampling(weight="w"))
    assert [one.estimate for one in weighted.shares] == pytest.approx(plain.raw, abs=0.02)
    people = count(told, design, "job = v1", sampling=Sampling(weight="w"))
    assert people.value.estimate == pytest.approx(table.rows * plain.raw[1], rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_that_intervals_of_a_cluster_sample_hold_the_truth(mechanism):
    """93 to 97 % of 95 % intervals, where half of each cluster agrees."""
    truth, design = _pulled_truth(), designed(mechanism)
    held, surveys = np.zeros(K), 400
    for seed in range(surveys):
        table = drawn(1_800, 1000 + seed, pull=0.3)
        told = distort(table, design, SeededStreams(seed))
        found = reconstruct_sample(
            told, design, ROLES["clusters"], names=["job"]
        )["job"].found  # fmt: skip
        held += (found.low <= truth) & (truth <= found.high)
    assert 0.93 < held.mean() / surveys < 0.97


@pytest.mark.slow
@pytest.mark.parametrize("devices", BY_ARM, ids=["subset", "oue"])
@pytest.mark.parametrize("roles", ["none", "clusters"])
def test_that_intervals_of_arms_hold_the_truth_and_tests_keep_their_level(devices, roles):
    truth, design = _pulled_truth(), designed(devices["A"], devices)
    held, rejected, surveys = np.zeros(K), 0, 400
    for seed in range(surveys):
        pull = 0.3 if roles == "clusters" else 0.0
        table = drawn(1_800, 5000 + seed, pull=pull, versions=len(devices))
        told = distort(table, design, SeededStreams(seed))
        if roles == "none":
            found = reconstruct_table(told, design, ["job"])["job"]
            test = reconstruct_by_arm(told, design, "job").equality
        else:
            sampled = reconstruct_sample(
                told, design, ROLES[roles], names=["job"], by_arm=True
            )["job"]  # fmt: skip
            found, test = sampled.found, sampled.by_arm.equality
        held += (found.low <= truth) & (truth <= found.high)
        rejected += test.p < 0.05
    assert 0.93 < held.mean() / surveys < 0.97
    # Within 4 standard errors of 5 %; Wald's test of clusters is a little liberal.
    assert 0.006 < rejected / surveys < 0.094


def _pulled_truth() -> np.ndarray:
    """What agrees in a cluster is drawn from the same shares, which thus stay true."""
    return SHARES


def test_that_a_stop_and_an_algorithm_are_used_with_arms_of_sets():
    devices = BY_ARM[0]
    table, design = drawn(2_000, 9, versions=2), designed(devices["A"], devices)
    told = distort(table, design, SeededStreams(2))
    settings = ReconstructOptions(algorithm="em-as")
    found = reconstruct_sample(told, design, ROLES["weights"], None, ["job"], settings)["job"].found
    assert found.algorithm == "em-as"
    assert found.probability.min() >= 0
    assert found.probability.sum() == pytest.approx(1)
