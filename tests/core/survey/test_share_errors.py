"""Shares that devices rest on are estimates, and the intervals of results know it."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Related
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.devices import Device
from ppworkbench.core.design.perturbation import Identity
from ppworkbench.core.design.presets import Crosswise, Triangular
from ppworkbench.core.reconstruct.reconstruct import reconstruct_table
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.crosstabs import crosstab
from ppworkbench.core.survey.distributions import distribution

DRUG = Attribute("drug", Kind.BINARY, ("no", "yes"))
SEX = Attribute("sex", Kind.BINARY, ("f", "m"))
MONTH = Device("birthday-month", (("truth", (1, 2, 3)),))
P, ERROR = 0.25, 0.01


def design_of(preset, error=ERROR, share=P):
    device = MONTH.with_share(share, error)
    made = device.applied(preset.perturbation(DRUG.values), DRUG)
    drug = DesignedAttribute(DRUG, made, device=device)
    return Design((drug, DesignedAttribute(SEX, Identity())))


def reports(yes, n):
    sexes = np.arange(n) % 2
    return Table((Column(DRUG, np.repeat([1, 0], [yes, n - yes])), Column(SEX, sexes)))


def test_that_a_crosswise_count_holds_the_error_of_the_birthdays():
    # "Same" is the report that stands for the sensitive answer.
    table, n = reports(198, 310), 310
    exact = count(table, design_of(Crosswise(p=P), None), "drug = yes")
    found = count(table, design_of(Crosswise(p=P)), "drug = yes")
    share = exact.value.estimate / n
    moved = (1 - 2 * share) / (2 * P - 1) * ERROR
    assert found.value.estimate == exact.value.estimate
    expected = math.hypot(exact.value.standard_error, n * moved)
    assert found.value.standard_error == pytest.approx(expected, rel=1e-6)
    reach = found.value.high - found.value.estimate
    assert reach == pytest.approx(1.959964 * expected, rel=1e-6)
    assert "device-share" in {one.code for one in found.remarks}
    assert "device-share" in {one.code for one in found.to_json()["contains"]}
    assert "device-share" not in {one.code for one in exact.to_json()["contains"]}


@pytest.mark.parametrize("preset", [Crosswise(p=P), Triangular(p=P)])
def test_that_a_reconstruction_moves_by_the_derivative_of_the_matrix(preset):
    table = reports(180, 400)
    exact = reconstruct_table(table, design_of(preset, None), ["drug"])["drug"]
    found = reconstruct_table(table, design_of(preset), ["drug"])["drug"]
    step = 1e-5
    ends = [
        reconstruct_table(table, design_of(preset, None, P + by), ["drug"])["drug"].raw[1]
        for by in (step, -step)
    ]
    moved = (ends[0] - ends[1]) / (2 * step) * ERROR
    assert found.standard_error[1] == pytest.approx(math.hypot(exact.standard_error[1], moved))
    assert found.low[1] < exact.low[1] < exact.high[1] < found.high[1]
    assert "share" in found.interval_method
    assert "share" not in exact.interval_method.replace("shares", "")


def test_that_count_and_distribution_agree_also_within_a_group():
    table, design = reports(180, 400), design_of(Crosswise(p=P))
    counted = count(table, design, "drug = yes and sex = m").value
    shares = distribution(table, design, "drug", "sex = m").shares[1]
    assert counted.standard_error > 0
    plain = count(table, design_of(Crosswise(p=P), None), "drug = yes and sex = m").value
    assert counted.standard_error > plain.standard_error
    assert shares.estimate == pytest.approx(counted.estimate / 200, abs=1e-9)
    exact = distribution(table, design_of(Crosswise(p=P), None), "drug", "sex = m").shares[1]
    assert shares.standard_error > exact.standard_error


def test_that_other_statistics_say_that_they_take_the_share_as_exact():
    table = reports(180, 400)
    codes = []
    for error in (None, ERROR):
        design = design_of(Crosswise(p=P), error)
        found = crosstab(table, design, "drug", "sex")
        codes.append({getattr(one, "code", "") for one in found.remarks})
        counted = count(table, design, "drug = yes").remarks
        assert "exact-share" not in {getattr(one, "code", "") for one in counted}
    assert "exact-share" in codes[1] - codes[0]


def test_that_a_sampled_count_holds_it_as_well():
    table = reports(180, 400)
    options = SamplingOptions()
    found = [
        count(table, design, "drug = yes", sampling=Sampling(), options=options)
        for design in (design_of(Crosswise(p=P), None), design_of(Crosswise(p=P)))
    ]
    assert found[1].share.standard_error > found[0].share.standard_error
    assert "device-share" in {one.code for one in found[1].sample.contains}


def test_that_arms_that_use_the_device_move_with_it_and_others_do_not():
    table = reports(180, 400)
    version = Attribute("version", Kind.NOMINAL, ("A", "B"))
    table = table.with_(columns=(*table.columns, Column(version, np.arange(400) % 2)))
    members = (
        DesignArm("A", 0.5),
        DesignArm("B", 0.5, perturbations=(("drug", Related(theta=0.8)),)),
    )
    with_arms = [
        dataclasses.replace(design_of(Crosswise(p=P), error), arms=Arms("version", members))
        for error in (None, 0.02)
    ]
    exact, found = (reconstruct_table(table, one, ["drug"])["drug"] for one in with_arms)
    alone = design_of(Crosswise(p=P), 0.02)
    most = reconstruct_table(table, alone, ["drug"])["drug"].standard_error[1]
    assert exact.standard_error[1] < found.standard_error[1] < most


@pytest.mark.slow
@pytest.mark.parametrize(
    ("draws", "off"), [(100, 0.06), pytest.param(600, 0.025, marks=pytest.mark.slow)]
)
def test_that_intervals_cover_where_the_share_is_drawn_too(draws, off):
    rng = np.random.default_rng(7)
    p, error, truth, n, hits = 0.25, 0.03, 0.2, 2000, 0
    for _ in range(draws):
        known = p + error * rng.standard_normal()
        same = p * truth + (1 - p) * (1 - truth)
        told = reports(int(rng.binomial(n, same)), n)
        value = count(told, design_of(Crosswise(p=p), error, known), "drug = yes").value
        hits += value.low <= n * truth <= value.high
    assert hits / draws == pytest.approx(0.95, abs=off)
