"""Distributions from several arms: the most likely one of all, each arm alone, and their test."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Binary,
    ByColumn,
    Design,
    DesignedAttribute,
    Forced,
    Identity,
    Uniform,
)
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.distort import distort
from ppworkbench.core.errors import DataError, DesignError, ParameterError
from ppworkbench.core.reconstruct import ReconstructOptions, reconstruct_table
from ppworkbench.core.reconstruct.by_arm import BOUNDARY, DeviceCounter
from ppworkbench.core.reconstruct.pooled import (
    Arm,
    check_equality,
    drawn_likelihoods,
    equality,
    fit_shares,
)
from ppworkbench.core.reconstruct.reconstruct import (
    ReconstructedFile,
    Source,
    reconstruct_by_arm,
    reconstruct_file,
)
from ppworkbench.core.rng import SeededStreams

QUESTION = Attribute("drug", Kind.BINARY, ("no", "yes"))
DRAWS = 1500
TECHNIQUES = {"Crosswise": "crosswise", "DQ": "direct", "Forced": "forced", "UQM": "unrelated"}


def asked_in(table: Table, question: str) -> tuple[Table, Design]:
    """The answers to one question of the survey, with its arms, and their design."""
    names = ("RRmodel", "expcond")
    words = [np.array([*table[n].attribute.values, "?"], object)[table[n].data] for n in names]
    c, d = (table[f"{part}_{question}"].data for part in ("c", "d"))
    keys = list(zip(*words, c.tolist(), d.tolist(), strict=True))
    listed = sorted(set(keys))
    labels = tuple("|".join(map(str, key)) for key in listed)
    place = {key: at for at, key in enumerate(listed)}
    answers = table[question]
    column = Column(
        Attribute("arm", Kind.NOMINAL, labels), np.array([place[key] for key in keys], np.int16)
    )
    yes = answers.data if not answers.is_categorical else (
        np.array([*map(float, answers.attribute.values), np.nan])[answers.data]
    )  # fmt: skip
    codes = np.where(np.isnan(yes), -1, yes).astype(np.int8)
    members = tuple(
        DesignArm(
            label,
            1 / len(labels),
            (("drug", Binary(keep_one=min(low + add, 1.0), keep_zero=1 - low)),),
        )
        for label, (_, _, low, add) in zip(labels, listed, strict=True)
    )
    design = Design((DesignedAttribute(QUESTION, Identity()),), arms=Arms("arm", members))
    return Table((Column(QUESTION, codes), column)), design


@pytest.fixture(scope="module")
def survey(shared_data: Path) -> Table:
    """The experiment with direct, forced, unrelated and crosswise questions."""
    return read_table(shared_data / "rr-ethbe.csv")


def by_technique(table: Table, design: Design) -> dict[str, list[Arm]]:
    """The arms of every technique."""
    assert design.arms is not None
    counter = DeviceCounter.of("drug", design)
    counter.add(table, design.arms.read(table))
    parts = counter.pooled_arms()
    found: dict[str, list[Arm]] = {}
    for name, arm in parts:
        found.setdefault(name.split("|")[0], []).append(arm)
    return found


def test_the_published_experiment(survey: Table, tmp_path: Path) -> None:
    """All 25 arms of one question together, as the chapter has it."""
    table, design = asked_in(survey, "copied")
    write_table(table, tmp_path / "copied.csv")
    found = reconstruct_file(Source(tmp_path / "copied.csv"), design, by_arm=True)
    whole = found.attributes["drug"]
    assert whole.probability[1] == pytest.approx(0.231163, abs=1e-6)
    assert whole.standard_error is not None
    assert whole.standard_error[1] == pytest.approx(0.009424, abs=1e-6)
    arms = found.by_arm["drug"]
    assert len(arms.arms) == 25
    assert arms.equality is not None
    assert arms.equality.statistic == pytest.approx(25.2680, abs=1e-4)
    assert arms.equality.df == 24
    document = found.to_json()["attributes"]["drug"]
    assert set(document["equality"]) >= {"lr", "df", "p"}
    assert {"rows", "probability", "standard_error", "low", "high"} <= set(
        next(iter(document["arms"].values()))
    )
    table_found = reconstruct_table(table, design)["drug"]
    assert table_found.probability == pytest.approx(whole.probability, abs=1e-12)


def test_the_techniques_of_the_experiment(survey: Table) -> None:
    """Pooled within techniques, and compared between them."""
    parts = by_technique(*asked_in(survey, "copied"))
    names = {TECHNIQUES.get(name, name): name for name in parts}
    assert set(names) == set(TECHNIQUES.values())
    expected = {
        "crosswise": (0.282815, 0.022107, 3.8415, 9),
        "direct": (0.218056, 0.015389, 0.0, 0),
        "forced": (0.246359, 0.017777, 2.5168, 3),
        "unrelated": (0.174659, 0.022108, 5.7433, 9),
    }
    for technique, (share, error, statistic, df) in expected.items():
        arms = parts[names[technique]]
        fit = fit_shares(arms)
        assert fit.shares[1] == pytest.approx(share, abs=1e-6)
        assert fit.standard_errors[1] == pytest.approx(error, abs=1e-6)
        test = equality(arms)
        assert (test.statistic, test.df) == (pytest.approx(statistic, abs=1e-4), df)
    everybody = [arm for arms in parts.values() for arm in arms]
    between = equality(everybody, list(parts.values()))
    assert (between.statistic, between.df) == (pytest.approx(13.1664, abs=1e-4), 3)
    assert between.p == pytest.approx(0.00429, abs=1e-5)
    assert equality(everybody).p == pytest.approx(0.3913, abs=1e-4)
    two = [parts[names["crosswise"]], parts[names["direct"]]]
    against = equality([*two[0], *two[1]], two)
    assert against.statistic == pytest.approx(5.7613, abs=1e-4)
    assert against.p == pytest.approx(0.0164, abs=1e-4)


def test_that_named_sets_of_arms_are_compared(survey: Table, tmp_path: Path) -> None:
    table, design = asked_in(survey, "copied")
    parts = by_technique(table, design)
    write_table(table, tmp_path / "copied.csv")
    sets = [[arm.name for arm in arms] for arms in parts.values()]
    found = reconstruct_file(Source(tmp_path / "copied.csv"), design, by_arm=True, sets=sets)
    told = found.to_json()["attributes"]["drug"]["sets"]
    assert told["between"]["lr"] == pytest.approx(13.1664, abs=1e-4)
    assert told["between"]["df"] == 3
    assert told["between"]["p"] == pytest.approx(0.00429, abs=1e-5)
    within = {one["lr"]: one["df"] for one in told["within"]}
    assert sorted(within) == pytest.approx([0.0, 2.5168, 3.8415, 5.7433], abs=1e-4)
    for wrong in ([sets[0]], [sets[0], sets[0]], [sets[0], ["nothing"]]):
        with pytest.raises(ParameterError):
            reconstruct_file(Source(tmp_path / "copied.csv"), design, by_arm=True, sets=wrong)


def test_a_share_on_the_boundary(survey: Table) -> None:
    """Fewer forced yes than the device makes: nobody."""
    parts = by_technique(*asked_in(survey, "drugs"))
    names = {TECHNIQUES.get(name, name): name for name in parts}
    forced = fit_shares(parts[names["forced"]])
    assert forced.shares[1] == pytest.approx(0, abs=1e-9)
    assert forced.is_on_boundary
    crosswise = parts[names["crosswise"]]
    fit = fit_shares(crosswise)
    assert fit.shares[1] == pytest.approx(0.094625, abs=1e-6)
    assert fit.standard_errors[1] == pytest.approx(0.020033, abs=1e-6)
    within = equality(crosswise)
    # The 21.5892 of saturated arms let some of them have shares below 0.
    assert (within.statistic, within.df) == (pytest.approx(19.6799, abs=1e-4), 9)
    assert within.p == pytest.approx(0.0200, abs=1e-4)
    everybody = [arm for arms in parts.values() for arm in arms]
    between = equality(everybody, list(parts.values()))
    assert between.statistic == pytest.approx(17.2184, abs=1e-4)
    assert between.p == pytest.approx(0.00064, abs=1e-5)
    apart = sum(equality(arms).statistic for arms in parts.values())
    assert equality(everybody).statistic == pytest.approx(apart + between.statistic, abs=1e-8)


def town_design(*devices: Any, omit: tuple[int, ...] = ()) -> Design:
    """One question of three values, another device in every arm."""
    town = Attribute("town", Kind.NOMINAL, ("a", "b", "c"))
    share = 1 / len(devices)
    members = tuple(
        DesignArm(f"arm {i}", share, () if i in omit else (("town", one),),
                  ("town",) if i in omit else ())
        for i, one in enumerate(devices)
    )  # fmt: skip
    other = DesignedAttribute(QUESTION, Forced(p_truth=0.7))
    return Design((DesignedAttribute(town, Identity()), other), arms=Arms("version", members))


def towns(n: int, seed: int = 1) -> Table:
    """True answers."""
    random = np.random.default_rng(seed)
    town = Attribute("town", Kind.NOMINAL, ("a", "b", "c"))
    drug = (random.random(n) < 0.25).astype(np.int8)
    return Table(
        (
            Column(town, random.choice(3, n, p=[0.5, 0.3, 0.2]).astype(np.int8)),
            Column(QUESTION, drug),
        )
    )


def test_that_one_arm_gives_what_a_plain_design_does() -> None:
    design = town_design(Uniform(keep=0.7))
    table = distort(towns(2000), design, SeededStreams(1))
    pooled = reconstruct_table(table, design, ["town"])["town"]
    plain = reconstruct_table(table, design.of_arm("arm 0"), ["town"])["town"]
    assert pooled.probability == pytest.approx(plain.probability, abs=1e-9)
    # The information of n answers is that of a variance over n, not over n - 1.
    in_sample = math.sqrt(1999 / 2000) * plain.standard_error
    assert pooled.standard_error == pytest.approx(in_sample, rel=1e-6)
    assert pooled.low == pytest.approx(plain.low, abs=2e-5)


def test_that_equal_devices_in_all_arms_give_what_a_plain_design_does() -> None:
    design = town_design(Uniform(keep=0.7), Uniform(keep=0.7))
    table = distort(towns(2000), design, SeededStreams(1))
    pooled = reconstruct_table(table, design, ["town"])["town"]
    plain = reconstruct_table(table, design.of_arm("arm 0"), ["town"])["town"]
    assert pooled.probability == pytest.approx(plain.probability, abs=1e-7)
    in_sample = math.sqrt(1999 / 2000) * plain.standard_error
    assert pooled.standard_error == pytest.approx(in_sample, rel=1e-5)


def test_that_the_order_of_arms_means_nothing() -> None:
    devices = (Uniform(keep=0.6), Uniform(keep=0.9), Identity())
    design = town_design(*devices)
    table = distort(towns(900), design, SeededStreams(2))
    assert design.arms is not None
    found = reconstruct_table(table, design, ["town"])["town"]
    for order in itertools.permutations(design.arms.members):
        turned = Design(design.attributes, arms=Arms("version", order))
        again = reconstruct_table(table, turned, ["town"])["town"]
        assert again.probability == pytest.approx(found.probability, abs=1e-9)
        assert again.covariance == pytest.approx(found.covariance, abs=1e-12)


def test_that_arms_without_the_question_are_not_missing_answers(tmp_path: Path) -> None:
    design = town_design(Uniform(keep=0.7), Identity(), Identity(), omit=(1,))
    table = distort(towns(3000), design, SeededStreams(3))
    path = tmp_path / "told.csv"
    write_table(table, path)
    found = reconstruct_file(Source(path), design, by_arm=True)
    not_asked = int(np.count_nonzero(table["version"].data == 1))
    assert found.not_asked == {"town": not_asked}
    assert found.to_json()["attributes"]["town"]["not_asked"] == not_asked
    town = found.attributes["town"]
    assert (town.rows, town.missing) == (3000 - not_asked, 0)
    assert town.probability == pytest.approx([0.5, 0.3, 0.2], abs=0.04)
    assert set(found.by_arm["town"].arms) == {"arm 0", "arm 2"}
    assert set(found.by_arm["drug"].arms) == {"arm 0", "arm 1", "arm 2"}
    assert "version" not in found.attributes


def test_that_chosen_arms_give_what_their_rows_do(tmp_path: Path) -> None:
    design = town_design(Uniform(keep=0.7), Uniform(keep=0.9), Identity())
    table = distort(towns(1500), design, SeededStreams(4))
    path = tmp_path / "told.csv"
    write_table(table, path)
    one = reconstruct_file(Source(path), design, ["town"], arms=["arm 1"])
    own = table.take(np.flatnonzero(table["version"].data == 1))
    plain = reconstruct_table(own, design.of_arm("arm 1"), ["town"])["town"]
    assert one.rows == own.rows
    assert one.attributes["town"].probability == pytest.approx(plain.probability, abs=1e-12)
    two = reconstruct_file(Source(path), design, ["town"], arms=["arm 1", "arm 2"])
    assert two.rows == int(np.count_nonzero(table["version"].data >= 1))
    assert two.attributes["town"].algorithm == "pooled"
    with pytest.raises(ParameterError, match="no arm 'arm 9'"):
        reconstruct_file(Source(path), design, arms=["arm 9"])


def test_that_what_cannot_be_done_is_said(tmp_path: Path) -> None:
    design = town_design(Uniform(keep=0.7), Uniform(keep=0.9))
    table = distort(towns(200), design, SeededStreams(4))
    path = tmp_path / "told.csv"
    write_table(table, path)
    with pytest.raises(ParameterError, match="leave out algorithm and stop, or choose one arm"):
        reconstruct_file(Source(path), design, ["town"], ReconstructOptions(algorithm="em-as"))
    with pytest.raises(ParameterError, match="has no arms to be told apart"):
        reconstruct_file(Source(path), design.of_arm("arm 0"), ["town"], by_arm=True)
    own = table.take(np.flatnonzero(table["version"].data == 1))
    write_table(own, path)
    with pytest.raises(DataError, match="no rows of the arm 'arm 0'"):
        reconstruct_file(Source(path), design, ["town"])
    write_table(table.select(["town", "drug"]), path)
    with pytest.raises(DataError, match="no column 'version'"):
        reconstruct_file(Source(path), design, ["town"])


def test_that_a_number_with_another_noise_is_estimated_arm_by_arm() -> None:
    from ppworkbench.core.design import Additive

    pay = Attribute("pay", Kind.CONTINUOUS, domain=(0, 100))
    noise = Additive(noise="normal", sigma=5.0)
    arms = Arms("v", (DesignArm("A", 0.5), DesignArm("B", 0.5, (("pay", noise),))))
    design = Design((DesignedAttribute(pay, Additive(noise="normal", sigma=9.0)),), arms=arms)
    true = Table((Column(pay, np.random.default_rng(1).uniform(20, 60, 400)),))
    told = distort(true, design, SeededStreams(1))
    with pytest.raises(DesignError, match="one arm at a time"):
        reconstruct_table(told, design, ["pay"])
    assert design.arms is not None
    own = design.arms.take(told, ["B"])
    found = reconstruct_table(own, design.of_arm("B"), ["pay"])["pay"]
    assert found.rows == own.rows


def test_that_a_device_by_another_column_is_pooled_the_same_way() -> None:
    devices = (Uniform(keep=0.6), Uniform(keep=0.9))
    design = town_design(*devices)
    table = distort(towns(1200), design, SeededStreams(5))
    by = ByColumn("version", tuple(zip(("arm 0", "arm 1"), devices, strict=True)))
    plain = Design(
        (DesignedAttribute(design["town"].attribute, by), design["drug"], design["version"])
    )
    pooled = reconstruct_table(table, design, ["town"])["town"]
    found = reconstruct_table(table, plain, ["town"])["town"]
    assert found.probability == pytest.approx(pooled.probability, abs=1e-12)
    assert found.covariance == pytest.approx(pooled.covariance, abs=1e-15)


def test_that_a_share_of_0_is_as_known_from_all_arms_as_from_the_direct_one() -> None:
    """Ten people more, whose answers are distorted, cannot make it less known."""
    design = town_design(Uniform(keep=0.7), Identity())
    town, version = design["town"].attribute, design["version"].attribute
    answers = np.repeat([0, 1, 0, 1], [5, 5, 700, 300]).astype(np.int8)
    arm = np.repeat([0, 1], [10, 1000]).astype(np.int8)
    told = Table((Column(town, answers), Column(QUESTION, arm), Column(version, arm)))
    found = reconstruct_table(told, design, ["town"])["town"]
    assert found.standard_error is not None
    assert found.probability[2] == found.standard_error[2] == 0
    assert found.standard_error[0] == pytest.approx(np.sqrt(0.7 * 0.3 / 1000), rel=0.01)


def test_that_an_arm_with_several_devices_has_its_own_pooled_estimate() -> None:
    """The device depends on another column than the arm."""
    drug = DesignedAttribute(QUESTION, Identity())
    town = town_design(Identity())["town"].attribute
    by = ByColumn("drug", (("no", Uniform(keep=0.6)), ("yes", Uniform(keep=0.9))))
    arms = Arms("version", (DesignArm("A", 0.5), DesignArm("B", 0.5)))
    design = Design((DesignedAttribute(town, by), drug), arms=arms)
    version = np.arange(3000, dtype=np.int8) % 2
    told = Table((*towns(3000).columns, Column(design["version"].attribute, version)))
    found = reconstruct_by_arm(told, design, "town")
    assert list(found.arms) == ["A", "B"]
    plain = Design((DesignedAttribute(town, by), drug))
    own = reconstruct_table(arms.take(told, ["B"]), plain, ["town"])["town"]
    assert found.arms["B"].probability == pytest.approx(own.probability, abs=1e-12)
    assert found.arms["B"].standard_error == pytest.approx(own.standard_error, abs=1e-12)
    assert found.equality is not None


def test_that_an_arm_without_answers_has_no_estimate() -> None:
    design = town_design(Uniform(keep=0.7), Uniform(keep=0.8), Uniform(keep=0.9))
    told = distort(towns(900), design, SeededStreams(2))
    codes = np.where(told["version"].data == 1, -1, told["town"].data).astype(np.int8)
    found = reconstruct_by_arm(told.replace(told["town"].with_(data=codes)), design, "town")
    assert list(found.arms) == ["arm 0", "arm 2"]
    assert any("arm 1" in one for one in found.remarks)


def drawn(arms: list[tuple[int, Numbers]], shares: Numbers, seed: int) -> list[Arm]:
    """Reports of some arms."""
    random = np.random.default_rng(seed)
    return [
        Arm(str(at), random.multinomial(n, matrix @ shares).astype(np.float64), matrix)
        for at, (n, matrix) in enumerate(arms)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("draws", [300, pytest.param(DRAWS, marks=pytest.mark.slow)])
def test_coverage_of_the_pooled_estimate(draws: int) -> None:
    """Of many surveys, 95 in 100 intervals hold the truth."""
    arms = [
        (400, Forced(p_truth=0.75).matrix(2)),
        (400, Forced(p_truth=0.5).matrix(2)),
        (100, np.eye(2)),
    ]
    shares, held = np.array([0.7, 0.3]), 0
    for seed in range(draws):
        fit = fit_shares(drawn(arms, shares, seed))
        held += abs(fit.shares[1] - 0.3) <= 1.959964 * fit.standard_errors[1]
    assert held / draws == pytest.approx(0.95, abs=3 * np.sqrt(0.95 * 0.05 / draws))


@pytest.mark.slow
def test_that_small_cells_are_tested_by_simulation() -> None:
    """Its p is about as uniform as it ought to be, and repeats with the seed."""
    arms = [(25, Forced(p_truth=0.8).matrix(2)), (20, np.eye(2)), (22, Uniform(keep=0.8).matrix(2))]
    shares = np.array([0.9, 0.1])
    ps = []
    for seed in range(30):
        parts = drawn(arms, shares, seed)
        test, is_simulated = check_equality(parts, [[one] for one in parts], seed)
        assert is_simulated
        ps.append(test.p)
    assert 0.3 < np.mean(ps) < 0.75
    assert np.mean(np.array(ps) <= 0.1) <= 0.22
    again, _ = check_equality(parts, [[one] for one in parts], seed)
    assert again.p == ps[-1]


def test_that_equal_reports_do_not_differ_where_no_device_makes_them() -> None:
    """Too few of the last answer, in both arms alike: that is no difference between them."""
    matrix = Uniform(keep=0.8).matrix(3)
    parts = [Arm(name, np.array([300.0, 180.0, 20.0]), matrix) for name in "AB"]
    assert fit_shares(parts).is_on_boundary
    test, is_simulated = check_equality(parts, [[one] for one in parts])
    assert is_simulated
    assert test.statistic == pytest.approx(0, abs=1e-6)
    assert test.p == 1


def test_that_a_single_arm_is_tested_by_a_share_that_is_possible() -> None:
    """Fewer yes than the device makes alone: that arm has nobody, not a share below 0."""
    forced, direct = Forced(p_truth=0.5).matrix(2), np.eye(2)
    parts = [Arm("A", np.array([340.0, 60.0]), forced), Arm("B", np.array([320.0, 80.0]), direct)]
    assert not fit_shares(parts).is_on_boundary
    shares = fit_shares(parts).shares
    # Log-likelihoods by hand: at 0 arm A says yes with 1/4, arm B is free.
    alone = 340 * np.log(0.75) + 60 * np.log(0.25) + 320 * np.log(0.8) + 80 * np.log(0.2)
    reported = [one.matrix @ shares for one in parts]
    pooled = sum(one.counts @ np.log(chance) for one, chance in zip(parts, reported, strict=True))
    test, is_simulated = check_equality(parts, [[one] for one in parts])
    assert not is_simulated
    assert test.statistic == pytest.approx(2 * (alone - pooled), abs=1e-8)


def test_that_a_test_with_an_arm_at_its_bound_is_called_rough() -> None:
    counts = {"A": (340, 60), "B": (320, 80)}
    members = (
        DesignArm("A", 0.5, (("drug", Forced(p_truth=0.5)),)),
        DesignArm("B", 0.5, (("drug", Identity()),)),
    )
    design = Design((DesignedAttribute(QUESTION, Identity()),), arms=Arms("version", members))
    version = Attribute("version", Kind.NOMINAL, ("A", "B"))
    for yes, is_rough in ((60, True), (160, False)):
        counts["A"] = (400 - yes, yes)
        told = np.concatenate([np.repeat([0, 1], counts[arm]) for arm in "AB"]).astype(np.int8)
        table = Table((Column(QUESTION, told), Column(version, np.repeat([0, 1], 400))))
        found = reconstruct_by_arm(table, design, "drug")
        assert (BOUNDARY in found.remarks) == is_rough


def test_that_drawn_surveys_are_fitted_to_the_end() -> None:
    """Two devices that are nearly alike, and a class that only their difference shows."""
    devices = [np.array([[5 / 6, 1 / 6], [1 / 6, 5 / 6]]), np.array([[3 / 4, 0], [1 / 4, 1]])]
    counts = [
        np.random.default_rng(3).multinomial(25, one @ [0.9, 0.1], 60).astype(np.float64)
        for one in devices
    ]
    for columns in (np.zeros((2, 0)), np.eye(2)[:, :1]):
        matrices = [np.hstack([one, columns]) for one in devices]
        arms = [Arm("", counts[at][0], one) for at, one in enumerate(matrices)]
        start = np.append([0.9, 0.1], np.zeros(columns.shape[1]))
        singly = [
            fit_shares([Arm("", counts[at][row], one) for at, one in enumerate(matrices)])
            for row in range(60)
        ]
        found = drawn_likelihoods(arms, counts, start)
        assert found == pytest.approx([one.log_likelihood for one in singly], abs=1e-6)


def test_that_large_cells_need_no_simulation() -> None:
    parts = drawn([(500, np.eye(2)), (500, Forced(p_truth=0.8).matrix(2))], np.array([0.6, 0.4]), 1)
    test, is_simulated = check_equality(parts, [[one] for one in parts])
    assert not is_simulated
    assert test.p == equality(parts).p


def test_that_what_is_returned_is_plain(tmp_path: Path) -> None:
    assert ReconstructedFile(0, {}).to_json() == {"rows": 0, "attributes": {}}
