"""Estimates from reports that are sets, against the truth and against other ways to get them."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from examples import sweep

from ppworkbench.core.classify.binning import BinningParams
from ppworkbench.core.classify.training import prepare
from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Identity,
    Subset,
    UnaryEncoding,
    Uniform,
)
from ppworkbench.core.design.distort import distort
from ppworkbench.core.errors import DesignError
from ppworkbench.core.itemsets.items import check_minable
from ppworkbench.core.planning.budget import with_epsilon
from ppworkbench.core.privacy.assess import assess
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.privacy.sets import attack_success, set_belief, surest_set
from ppworkbench.core.privacy.utility.planning import plan_attribute
from ppworkbench.core.reconstruct import reconstruct, reconstruct_table
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.crosstabs import crosstab
from ppworkbench.core.survey.distributions import distribution
from ppworkbench.core.survey.means import mean
from ppworkbench.core.survey.participants import participants

JOB = Attribute("job", Kind.NOMINAL, tuple(f"v{i}" for i in range(12)))
SEX = Attribute("sex", Kind.BINARY, ("F", "M"))
AGE = Attribute("age", Kind.INTEGER, domain=(0, 99))
SHARES = np.array([0.3, 0.2, 0.15, 0.1, 0.08, 0.06, 0.04, 0.03, 0.02, 0.01, 0.01, 0.0])
MECHANISMS = [Subset(epsilon=2.0), Subset(epsilon=1.0, size=4), UnaryEncoding(epsilon=2.0)]


def survey(mechanism, rows: int = 40_000, seed: int = 1) -> tuple[Table, Design]:
    draw = np.random.default_rng(seed)
    job = draw.choice(12, rows, p=SHARES)
    # The lower the code the more women.
    sex = (draw.random(rows) < 0.2 + 0.05 * job).astype(int)
    table = Table((Column(JOB, job), Column(SEX, sex), Column(AGE, draw.integers(0, 100, rows))))
    design = Design(
        (
            DesignedAttribute(JOB, mechanism),
            DesignedAttribute(SEX, Uniform(keep=0.85)),
            DesignedAttribute(AGE, Identity()),
        )
    )
    return table, design


@pytest.mark.parametrize("mechanism", sweep(MECHANISMS, quick=1), ids=repr)
def test_that_reconstruction_meets_the_truth_within_its_errors(mechanism):
    table, design = survey(mechanism)
    told = distort(table, design, SeededStreams(2))
    found = reconstruct_table(told, design, ["job"], original=table)["job"]
    truth = table["job"].counts / table.rows
    assert np.all(np.abs(found.raw - truth) < 4.5 * found.standard_error)
    assert found.probability.sum() == pytest.approx(1)
    assert found.probability.min() >= 0
    assert found.information_loss < 0.1
    for algorithm in ("eq", "em-as"):
        again = reconstruct(told["job"], JOB, mechanism, algorithm)
        assert np.abs(again.probability - truth).sum() < 0.15


def test_that_em_finds_the_same_as_em_over_all_sets():
    mechanism, few = Subset(epsilon=1.0, size=2), Attribute("q", Kind.NOMINAL, tuple("abcd"))
    draw = np.random.default_rng(4)
    codes = draw.choice(4, 300, p=[0.9, 0.1, 0.0, 0.0])
    column = Column(
        mechanism.distorted(few), mechanism.distort(codes, few, SeededStreams(1).stream("q"))
    )
    found = reconstruct(column, few, mechanism, "em-as")
    reports = list(itertools.combinations(range(4), 2))
    naming = mechanism.naming(4)
    channel = np.array(
        [[naming.g / 3 if c in one else (1 - naming.g) / 3 for c in range(4)] for one in reports]
    )
    named = sets.unpack(column.data, 4)
    counts = np.array([np.count_nonzero(named[:, a] & named[:, b]) for a, b in reports])
    x = np.full(4, 0.25)
    for _ in range(20_000):
        x = x * (channel.T @ (counts / (channel @ x))) / counts.sum()
    np.testing.assert_allclose(found.probability, x, atol=2e-4)


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_that_intervals_cover_the_truth_as_often_as_they_say(mechanism):
    draw, held, errors = np.random.default_rng(7), [], []
    stream = SeededStreams(9).stream("cover")
    naming = mechanism.naming(12)
    for _ in range(400):
        codes = draw.choice(12, 2_000, p=SHARES)
        column = Column(mechanism.distorted(JOB), mechanism.distort(codes, JOB, stream))
        found = reconstruct(column, JOB, mechanism, "eq")
        held.append(np.abs(found.raw - SHARES) <= 1.959964 * found.standard_error)
        errors.append(found.standard_error)
    expected = np.sqrt(naming.variance(SHARES) / 2_000)
    np.testing.assert_allclose(np.mean(errors, axis=0), expected, rtol=0.02)
    assert 0.93 <= np.mean(held) <= 0.97


@pytest.mark.parametrize("mechanism", sweep(MECHANISMS, quick=1), ids=repr)
def test_that_joint_counts_and_tables_meet_the_truth(mechanism):
    table, design = survey(mechanism)
    told = distort(table, design, SeededStreams(2))
    for condition in ("job = v0 and sex = M", "job in (v1, v2)", "job = v3 and age < 50"):
        found = count(told, design, condition, original=table).value
        assert abs(found.estimate - found.true) < 4 * found.standard_error
        assert found.naive is None
    shares = distribution(told, design, "job", "sex = F", original=table)
    for one in shares.shares:
        assert abs(one.estimate - one.true) < 4 * one.standard_error + 0.02
    cells = crosstab(told, design, "job", "sex", original=table)
    assert cells.raw.shape == (12, 2)
    true = np.array([[np.count_nonzero((table["job"].data == v) & (table["sex"].data == s))
                      for s in range(2)] for v in range(12)])  # fmt: skip
    assert np.abs(cells.raw - true).max() < 3_000
    older = mean(told, design, "age", "job = v0", original=table).value
    assert abs(older.estimate - older.true) < 4 * older.standard_error


def test_that_a_table_of_two_questions_of_sets_is_estimated_by_record():
    rows, draw = 20_000, np.random.default_rng(3)
    other = Attribute("town", Kind.NOMINAL, tuple("abcde"))
    job = draw.choice(12, rows, p=SHARES)
    table = Table((Column(JOB, job), Column(other, np.minimum(job, 4))))
    design = Design(
        (
            DesignedAttribute(JOB, UnaryEncoding(epsilon=3.0)),
            DesignedAttribute(other, Subset(epsilon=3.0)),
        )
    )
    found = crosstab(distort(table, design, SeededStreams(1)), design, "job", "town")
    assert found.raw[0, 0] == pytest.approx(0.3 * rows, rel=0.15)
    assert abs(found.raw[0, 1]) < 0.05 * rows


def test_that_weighted_counts_use_the_scores():
    table, design = survey(Subset(epsilon=2.0))
    told = distort(table, design, SeededStreams(2))
    weight = Attribute("w", Kind.CONTINUOUS, domain=(0, 10))
    heavy = np.where(table["sex"].data == 1, 3.0, 1.0)
    told = told.with_(columns=(*told.columns, Column(weight, heavy)))
    found = count(told, design, "job = v0", sampling=Sampling(weight="w"))
    true = float(heavy[table["job"].data == 0].sum())
    assert abs(found.value.estimate - true) < 4 * found.value.standard_error
    shares = distribution(told, design, "job", sampling=Sampling(weight="w"))
    assert shares.shares[0].estimate == pytest.approx(true / heavy.sum(), abs=0.03)


# Measures


@pytest.mark.parametrize("mechanism", [Subset(epsilon=1.2, size=2), UnaryEncoding(epsilon=1.2)])
def test_that_attack_and_belief_are_those_of_all_sets_enumerated(mechanism):
    k, naming = 5, mechanism.naming(5)
    prior = np.array([0.5, 0.2, 0.15, 0.1, 0.05])
    rows, reports = [], []
    for size in range(k + 1) if naming.size is None else (naming.size,):
        for one in itertools.combinations(range(k), size):
            reports.append(one)
            if naming.size is None:
                rows.append([
                    math.prod(
                        (p if v in one else 1 - p)
                        for v in range(k)
                        for p in [0.5 if v == c else naming.h]
                    )
                    for c in range(k)
                ])  # fmt: skip
            else:
                out = (1 - naming.g) / math.comb(k - 1, naming.size)
                into = naming.g / math.comb(k - 1, naming.size - 1)
                rows.append([into if c in one else out for c in range(k)])
    seen = Joint.of(np.array(rows), prior)
    np.testing.assert_allclose(np.array(rows).sum(axis=0), 1)
    assert attack_success(naming, prior) == pytest.approx(float(seen.joint.max(axis=1).sum()))
    for meant in ([4], [0], [3, 4], [1, 2, 3]):
        named, after = surest_set(naming, prior, meant)
        beliefs = seen.posterior[:, meant].sum(axis=1)
        assert after == pytest.approx(float(beliefs.max()))
        assert beliefs[reports.index(tuple(named))] == pytest.approx(after)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_that_measures_plans_and_budgets_know_sets(mechanism):
    design = Design((DesignedAttribute(JOB, mechanism),))
    report = assess(design).attributes[0]
    assert report.matrix is None
    assert report.privacy["epsilon"].value == pytest.approx(mechanism.epsilon, abs=1e-9)
    expected = math.sqrt(float(mechanism.naming(12).variance(1 / 12)) / 1000)
    assert report.utility.standard_error[0] == pytest.approx(expected)
    needed = plan_attribute(JOB, mechanism, None, 0.02).respondents
    assert needed == math.ceil(float(mechanism.naming(12).variance(1 / 12)) / 0.02**2)
    assert with_epsilon(mechanism, JOB, 0.5).epsilon == pytest.approx(0.5, abs=1e-5)


# What needs single answers


def test_that_what_needs_single_answers_names_the_attribute():
    table, design = survey(Subset(epsilon=2.0), rows=200)
    told = distort(table, design, SeededStreams(2))
    for refused in (
        lambda: check_minable(design, "job"),
        lambda: participants(told, design, "job = v0"),
        lambda: count(told, design, "job = v0", "sequential"),
        lambda: prepare(told, design, np.zeros(200, np.intp), ("a", "b"), BinningParams()),
    ):
        with pytest.raises(DesignError, match="Reports of 'job' are sets of values"):
            refused()
    assert design.why_not_single(["sex", "age"]) is None


def test_that_a_mean_among_sets_says_nothing_about_uncorrected_reports():
    table, design = survey(Subset(epsilon=2.0), rows=4_000)
    told = distort(table, design, SeededStreams(2))
    found = mean(told, design, "age", "job = v0")
    assert found.value.naive is None
    assert "reported" not in found.sentence


def test_that_sets_are_not_joined_with_numbers_under_noise():
    table, design = survey(Subset(epsilon=2.0), rows=500)
    noise = Additive(noise="normal", sigma=30, integer="staircase")
    noisy = Design((*list(design)[:2], DesignedAttribute(AGE, noise)))
    told = distort(table, noisy, SeededStreams(2))
    with pytest.raises(DesignError, match="'job' are sets"):
        count(told, noisy, "job = v0 and age < 50")


def test_that_the_surest_set_is_told_as_a_list_of_its_values():
    town = Attribute("town", Kind.NOMINAL, tuple("abcdefgh"))
    shares = np.array([0.05, 0.1, 0.1, 0.1, 0.1, 0.15, 0.2, 0.2])
    told = {w: set_belief(Subset(epsilon=1.0, size=w).naming(8), town, shares) for w in (2, 5)}
    assert told[2].reported == "a, b"
    assert told[5].reported == "a, b, c, …"
