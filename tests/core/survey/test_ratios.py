"""Ratios of the totals of two numbers: as published, under noise, and with an error that holds."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import ppworkbench as pp
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Identity, Uniform
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.survey.means import mean
from ppworkbench.core.survey.ratios import NEAR_ZERO, ratio

UP = Attribute("up", Kind.CONTINUOUS, domain=(0, 100))
DOWN = Attribute("down", Kind.CONTINUOUS, domain=(0, 100))
GROUP = Attribute("group", Kind.BINARY, ("a", "b"))
CLUSTER = Attribute("cluster", Kind.INTEGER, domain=(0, 1000))


def design_of(sigma=0.0, keep=1.0):
    noise = Additive(noise="normal", sigma=sigma) if sigma else Identity()
    group = Uniform(keep=keep) if keep < 1 else Identity()
    pairs = ((UP, noise), (DOWN, noise), (GROUP, group))
    return Design(tuple(DesignedAttribute(attribute, device) for attribute, device in pairs))


def answers(random, n=400, sigma=0.0, keep=1.0, clusters=40):
    """Twice as much up as down in group b, three times as much in group a."""
    group = (random.random(n) < 0.6).astype(int)
    down = random.uniform(5, 25, n)
    up = (3 - group) * down + random.normal(0, 2, n)
    kept = random.random(n) < keep
    columns = (
        Column(UP, up + random.normal(0, sigma, n)),
        Column(DOWN, down + random.normal(0, sigma, n)),
        Column(GROUP, np.where(kept, group, 1 - group)),
        Column(CLUSTER, np.arange(n) % clusters * 1.0),
    )  # fmt: skip
    return Table(columns)


def test_that_a_ratio_among_some_is_that_of_their_means():
    table, design = answers(np.random.default_rng(1)), design_of()
    found = ratio(table, design, "up", "down", "group = a")
    upper, lower = (mean(table, design, name, "group = a").value for name in ("up", "down"))
    assert found.value.estimate == pytest.approx(upper.estimate / lower.estimate)
    assert found.value.naive == pytest.approx(found.value.estimate)
    assert found.value.low < 3 < found.value.high


def test_that_the_error_of_a_ratio_under_noise_is_how_much_it_varies():
    """Both numbers, the group that is asked about and the clusters are chance."""
    design = design_of(sigma=4.0, keep=0.8)
    roles = Sampling(cluster="cluster")
    found = [
        ratio(answers(np.random.default_rng(seed), sigma=4.0, keep=0.8), design, "up", "down",
              "group = a", sampling=roles).value
        for seed in range(120)
    ]  # fmt: skip
    estimates = np.array([one.estimate for one in found])
    errors = np.array([one.standard_error for one in found])
    spread = float(estimates.std(ddof=1))
    assert abs(estimates.mean() - 3) < 4 * spread / np.sqrt(len(found)) + 0.01
    # The spread of 120 draws is known to 1 / sqrt(240), 3 of which are 20 %.
    assert np.sqrt((errors**2).mean()) == pytest.approx(spread, rel=0.2)


def test_that_the_people_who_answered_have_the_error_of_the_noise_alone():
    table, options = answers(np.random.default_rng(2)), SamplingOptions(target="respondents")
    assert ratio(table, design_of(), "up", "down", options=options).value.standard_error == 0
    noisy = ratio(table, design_of(sigma=4.0), "up", "down", options=options).value
    sampled = ratio(table, design_of(sigma=4.0), "up", "down").value
    assert noisy.standard_error > 0
    # Of the same reports the error given the truth is that of the noise alone.
    total = float(table["down"].data.sum())
    known = 4.0 * np.sqrt(table.rows * (1 + noisy.estimate**2)) / total
    assert noisy.standard_error == pytest.approx(known, rel=1e-6)
    assert sampled.details.standard_error_device == pytest.approx(known, rel=1e-6)


def test_that_a_divisor_near_zero_is_marked_or_refused():
    table = answers(np.random.default_rng(3))
    centred = np.asarray(table["down"].data) - float(np.mean(table["down"].data)) + 0.01
    wide = dataclasses.replace(DOWN, domain=(-100, 100))
    columns = {one.name: one for one in table.columns} | {"down": Column(wide, centred)}
    design = Design(
        tuple(DesignedAttribute(columns[name].attribute, Identity()) for name in ("up", "down"))
    )
    assert NEAR_ZERO in ratio(Table(tuple(columns.values())), design, "up", "down").remarks
    columns["down"] = Column(wide, np.zeros(table.rows))
    with pytest.raises(DataError, match="nothing can be divided"):
        ratio(Table(tuple(columns.values())), design, "up", "down")


@pytest.mark.parametrize(
    ("of", "by", "words"),
    [
        ("up", "up", "2 different numbers"),
        ("group", "up", "no number"),
        ("up", "group", "no number"),
    ],
)
def test_that_a_ratio_takes_two_numbers(of, by, words):
    with pytest.raises(ParameterError, match=words):
        ratio(answers(np.random.default_rng(4)), design_of(), of, by)


def test_that_the_interface_has_ratios():
    table, design = answers(np.random.default_rng(5)), design_of(sigma=2.0)
    found = pp.Survey(table, design, cluster="cluster").ratio("up", "down", "group = b")
    expected = ratio(table, design, "up", "down", "group = b", sampling=Sampling(cluster="cluster"))
    assert found.estimate == expected.value.estimate
    assert found.to_dict()["standard_error"] == expected.value.standard_error
    assert list(found.to_frame()["estimate"]) == [expected.value.estimate]
    assert "ratio of up to down" in found.summary()
