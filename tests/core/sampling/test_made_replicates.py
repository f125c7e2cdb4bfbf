"""Replicates made from strata and clusters, and those that cannot be used."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from sampled_answers import twelve_answers

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import ReplicateRole, Sampling, SamplingOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Identity
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.sampling.variance import MADE
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.crosstabs import crosstab
from ppworkbench.core.survey.distributions import distribution
from ppworkbench.core.survey.means import mean
from ppworkbench.core.survey.quantiles import quantile

ROLES = Sampling("weight", ("stratum",), "cluster")


def made(method):
    return SamplingOptions(make_replicates=method)


def pairs(strata=5, seed=3):
    """Numbers of people in two clusters of each stratum."""
    random = np.random.default_rng(seed)
    n = strata * 2 * 6
    parts = {
        "stratum": np.repeat(np.arange(strata), 12), "cluster": np.repeat(np.arange(2 * strata), 6),
        "weight": random.integers(2, 9, n), "y": random.normal(10, 3, n),
        "fpc": 4 + np.repeat(np.arange(strata), 12),
    }  # fmt: skip
    columns = [
        Column(Attribute(name, Kind.CONTINUOUS, domain=(-100, 100)), np.asarray(data, float))
        for name, data in parts.items()
    ]
    design = Design((DesignedAttribute(columns[3].attribute, Identity()),))
    return Table(tuple(columns)), design


def test_that_the_jackknife_of_twelve_answers_is_the_one_worked_out_by_hand():
    table, design = twelve_answers()
    found = distribution(table, design, "z", sampling=ROLES, options=made("jkn"))
    assert found.sampled.raw_errors == pytest.approx((0.085164, 0.343553, 0.367282), abs=1e-6)
    assert found.shares[0].details.degrees_of_freedom == 3
    assert MADE in [getattr(remark, "code", "") for remark in found.remarks]


@pytest.mark.parametrize("population", [None, "fpc"])
def test_that_balanced_half_samples_of_a_total_are_the_linearised_error(population):
    table, design = pairs()
    roles = dataclasses.replace(ROLES, population=population)
    linear = mean(table, design, "y", sampling=roles).total
    halves = mean(table, design, "y", sampling=roles, options=made("brr")).total
    assert halves.standard_error == pytest.approx(linear.standard_error, rel=1e-9)
    assert halves.details.degrees_of_freedom == linear.details.degrees_of_freedom == 5


@pytest.mark.parametrize("method", ["jkn", "brr", "bootstrap"])
def test_that_made_replicates_are_near_the_linearised_error(method):
    table, design = pairs(strata=12)
    linear = mean(table, design, "y", sampling=ROLES).value.standard_error
    found = mean(table, design, "y", sampling=ROLES, options=made(method)).value
    assert found.standard_error == pytest.approx(linear, rel=0.15)
    assert found.details.degrees_of_freedom == 12


def test_that_jk1_is_for_samples_without_strata():
    table, design = pairs()
    roles = Sampling("weight", cluster="cluster")
    linear = mean(table, design, "y", sampling=roles).total.standard_error
    found = mean(table, design, "y", sampling=roles, options=made("jk1")).total.standard_error
    assert found == pytest.approx(linear, rel=1e-9)
    with pytest.raises(ParameterError, match="jk1 knows no strata"):
        mean(table, design, "y", sampling=ROLES, options=made("jk1"))


def test_that_other_statistics_take_made_replicates():
    table, design = twelve_answers()
    settings = {"sampling": ROLES, "options": made("jkn")}
    assert count(table, design, "z = a", **settings).share.standard_error > 0
    assert quantile(table, design, "y", **settings).quantiles[1].estimate == 6
    assert crosstab(table, design, "z", "stratum", **settings).independence.p > 0


def test_that_half_samples_need_two_clusters_in_every_stratum():
    table, design = twelve_answers()
    with pytest.raises(DataError, match="'N' has 3"):
        mean(table, design, "y", sampling=ROLES, options=made("brr"))


def replicated(table):
    base = np.asarray(table["weight"].data, float)
    random = np.random.default_rng(1)
    more = [
        Column(Attribute(name, Kind.CONTINUOUS, domain=(0, 1e3)), base * random.uniform(0, 2, 12))
        for name in ("r1", "r2", "r3")
    ]
    return table.with_(columns=(*table.columns, *more))


def test_that_replicates_with_a_population_count_need_their_clusters():
    """Rows are not what was drawn; a fraction says how much was, whatever it was."""
    table, design = twelve_answers(population={"N": 12, "S": 40})
    table, role = replicated(table), ReplicateRole(("r1", "r2", "r3"), "bootstrap")
    roles = Sampling("weight", ("stratum",), population="fpc", replicates=role)
    with pytest.raises(ParameterError, match="need the cluster column"):
        mean(table, design, "y", sampling=roles)
    for given in (
        dataclasses.replace(roles, cluster="cluster"),
        dataclasses.replace(roles, population=0.25),
        dataclasses.replace(roles, population=None),
    ):
        assert mean(table, design, "y", sampling=given).value.standard_error > 0


def test_that_replicates_are_not_made_beside_others():
    table, design = twelve_answers()
    role = ReplicateRole(("r1", "r2", "r3"), "bootstrap")
    roles = Sampling("weight", replicates=role)
    with pytest.raises(ParameterError, match="of its own"):
        mean(replicated(table), design, "y", sampling=roles, options=made("jk1"))
