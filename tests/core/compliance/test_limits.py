"""Estimates of compliance at the ends of their ranges, and questions that have no answer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ppworkbench.core.compliance.assess import assess_compliance
from ppworkbench.core.compliance.band import RANDOM, SAFE, band_point
from ppworkbench.core.compliance.classes import Behaviour, fit_classes, summed_share
from ppworkbench.core.compliance.models import ECWM, SLD, extended_crosswise, parameters
from ppworkbench.core.compliance.question import BAND, DIRECT, ComplianceQuestion
from ppworkbench.core.compliance.result import Compliance
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.design_file import design_from_json
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.reconstruct.pooled import Arm, fit_shares

YES = {"kind": "binary", "values": ["no", "yes"], "sensitive": ["yes"]}
FACTOR = 1.959964


def forced(truth: float, **more: Any) -> dict[str, Any]:
    """A forced answer."""
    return {"type": "forced", "p_truth": truth, **more}


def designed(usual: dict[str, Any], arms: dict[str, dict[str, Any]], **more: Any) -> Design:
    """A question "drug" with a device of its own in some arms."""
    given: dict[str, Any] = {
        "format": "ppworkbench-design", "version": 2,
        "attributes": {"drug": YES | {"perturbation": usual} | more.pop("drug", {}), **more},
    }  # fmt: skip
    if arms:
        members = {
            name: {"share": 1 / len(arms)} | ({"perturbations": {"drug": one}} if one else {})
            for name, one in arms.items()
        }
        given["arms"] = {"column": "version", "members": members}
    return design_from_json(given)


def answered(reports: dict[str, tuple[int, int]], **more: tuple[str, ...]) -> Table:
    """How many say no and yes in each version; ``more`` are values that alternate."""
    versions = Attribute("version", Kind.NOMINAL, tuple(reports))
    codes = np.repeat(np.arange(len(reports)), [sum(one) for one in reports.values()])
    said = np.concatenate([np.repeat([0, 1], one) for one in reports.values()])
    columns = [
        Column(versions, codes.astype(np.int32)),
        Column(Attribute("drug", Kind.BINARY, ("no", "yes")), said.astype(np.int32)),
    ]
    for name, values in more.items():
        places = np.arange(len(codes), dtype=np.int32) % len(values)
        columns.append(Column(Attribute(name, Kind.NOMINAL, values), places))
    return Table(tuple(columns))


def asked(table: Table, design: Design, **more: Any) -> Compliance:
    """Whether people followed the device of "drug"."""
    return assess_compliance(table, design, ComplianceQuestion("drug", **more))


def uniform(counts: list[float], keep: float) -> Arm:
    """An arm in which a value is kept, or any of the others is said."""
    k = len(counts)
    matrix = np.full((k, k), (1 - keep) / (k - 1))
    np.fill_diagonal(matrix, keep)
    return Arm("", np.array(counts, np.float64), matrix)


THREE = (uniform([300, 180, 20], 0.8), uniform([250, 170, 80], 0.5))


def test_that_a_band_of_several_arms_has_an_interval_at_its_end() -> None:
    """The share of the third value is 0, but it is not known to be."""
    for behaviour in (SAFE, RANDOM):
        point = band_point(THREE, behaviour, 0, (2,), 0.1, FACTOR)
        assert (point.estimate, point.low) == (0, 0)
        assert 0 < point.high < 0.1
        assert math.isnan(point.standard_error)


def test_that_the_share_of_several_values_has_the_interval_of_its_likelihood() -> None:
    """That of two values is the rest of that of the third one."""
    fitted = fit_shares(THREE)
    one, others = summed_share(fitted, (2,), FACTOR), summed_share(fitted, (0, 1), FACTOR)
    assert (others.estimate, others.low, others.high) == pytest.approx((1, 1 - one.high, 1))
    assert math.isnan(others.standard_error)
    inside = summed_share(fitted, (1,), FACTOR)
    assert 0 < inside.low < inside.estimate < inside.high < 1
    assert inside.standard_error > 0


def test_that_a_lie_detector_at_the_bound_has_no_standard_error() -> None:
    """Neither has the class that everybody is in."""
    matrices = [np.array([[p, 0], [1 - p, 1]]) for p in (0.2, 0.8)]
    counts = [np.array([90.0, 410.0]), np.array([420.0, 80.0])]
    arms = [Arm("", *one) for one in zip(counts, matrices, strict=True)]
    found = fit_classes(arms, ("no", "yes"), [Behaviour(0)], [1])
    pi = parameters(found, SLD)["pi"]
    assert (pi.estimate, pi.low) == (0, 0)
    assert 0 < pi.high < 0.1
    assert math.isnan(pi.standard_error)
    assert found.estimates[0].estimate == 1
    assert math.isnan(found.estimates[0].standard_error)


def test_that_a_device_that_says_nothing_is_refused() -> None:
    """Half of the answers are turned round."""
    table = answered({"A": (70, 30)})
    with pytest.raises(DataError, match="same reports whatever is true"):
        asked(table, designed({"type": "uniform", "keep": 0.5}, {}))


def test_that_one_cluster_gives_no_test_of_honesty() -> None:
    """Nothing is known of how clusters vary."""
    design = designed(
        forced(0.2, forced=[0.0, 1.0]), {"A": {}, "B": forced(0.8, forced=[0.0, 1.0])}
    )
    table = answered({"A": (21, 29), "B": (22, 28)}, cluster=("p",))
    question = ComplianceQuestion("drug")
    found = assess_compliance(table, design, question, sampling=Sampling(cluster="cluster"))
    assert found.honesty is None
    assert any("test of honesty" in one for one in found.remarks)


def test_that_a_share_with_an_error_is_said_to_be_taken_as_exact() -> None:
    """The share of birthdays is an estimate."""
    device = {"name": "birthday-month", "truth": [1, 2, 3, 4], "share": 0.25}
    table, related = answered({"A": (36, 64)}), {"type": "related", "theta": 0.25}
    for error, codes in (({}, []), ({"standard_error": 0.05}, ["exact-share"])):
        found = asked(table, designed(related, {}, drug={"device": device | error}))
        # Of the shares that would follow from people who do not follow, some are impossible.
        assert [one.code for one in found.remarks if one.code != "cut-band"] == codes


def crosswise(same: float, n: float, p: float) -> Arm:
    """Recorded as yes where both statements are true, or both are not."""
    return Arm("", np.array([n - same, same]), np.array([[p, 1 - p], [1 - p, p]]))


@pytest.mark.parametrize(
    "arms",
    [
        [crosswise(60, 100, 0.2)],
        [crosswise(60, 100, 0.2), crosswise(62, 100, 0.2)],
        [Arm("", np.array([60.0, 40.0]), np.array([[0.9, 0.2], [0.1, 0.8]])),
         Arm("", np.array([60.0, 40.0]), np.array([[0.1, 0.8], [0.9, 0.2]]))],
    ],
)  # fmt: skip
def test_that_the_extended_crosswise_model_needs_a_mirrored_pair(arms: list[Arm]) -> None:
    """One arm, the same in both, and devices that are no crosswise ones."""
    with pytest.raises(DataError, match="p and 1 − p"):
        extended_crosswise(arms, 1, FACTOR)


def test_that_confidence_counts_at_the_bound_of_the_extended_crosswise_model() -> None:
    """A larger one gives a wider interval."""
    arms = [crosswise(440, 500, 0.2), crosswise(60, 500, 0.8)]
    narrow, wide = (extended_crosswise(arms, 1, one).parameters["pi"] for one in (1.645, 2.576))
    assert narrow.estimate == wide.estimate == 0
    assert 0 < narrow.high < wide.high


def test_that_a_chosen_arm_is_found_whatever_its_device() -> None:
    """Arms of one device, and a device by another column."""
    reports = {"A": (70, 30), "B": (40, 60)}
    found = asked(answered(reports), designed(forced(0.7), {"A": {}, "B": {}}), arms=("A",))
    assert [(one.name, one.n) for one in found.arms] == [("A", 100)]
    cases = {"type": "by", "column": "sex", "cases": {"m": forced(0.5), "f": forced(0.8)}}
    sex = {"kind": "binary", "values": ["m", "f"]}
    design, table = designed(cases, {"A": {}, "B": {}}, sex=sex), answered(reports, sex=("m", "f"))
    for arm, counted in (("A", {"m": 50, "f": 50}), ("m", {"m": 100})):
        found = asked(table, design, arms=(arm,))
        assert {one.name: one.n for one in found.arms} == counted
    with pytest.raises(ParameterError, match="no arm 'C'; it has A, B"):
        asked(answered(reports), designed(forced(0.7), {"A": {}, "B": {}}), arms=("C",))


def test_that_an_arm_without_rows_does_not_matter_to_the_chosen_ones() -> None:
    """Those are as if the design had no other."""
    design = designed(forced(0.75), {"A": {}, "B": forced(0.5), "C": {"type": "none"}})
    table = answered({"A": (70, 30), "B": (60, 40)})
    found = asked(table, design, arms=("A", "B"))
    assert [one.name for one in found.arms] == ["A", "B"]
    with pytest.raises(DataError, match="no rows of the arm 'C'"):
        asked(table, design)


@pytest.mark.parametrize(
    "given",
    [
        {"share": 0.1, "behaviours": (SAFE, RANDOM)},
        {"model": BAND, "behaviours": (RANDOM,)},
        {"model": DIRECT, "behaviours": (RANDOM,)},
        {"model": ECWM, "behaviours": (RANDOM,)},
    ],
)
def test_that_behaviours_that_would_not_count_are_refused(given: dict[str, Any]) -> None:
    """Nothing is ignored in silence."""
    with pytest.raises(ParameterError) as refused:
        ComplianceQuestion("drug", **given)
    assert refused.value.field == "behaviour"
