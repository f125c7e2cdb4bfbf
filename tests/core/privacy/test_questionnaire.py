"""The questionnaire as a whole: epsilons that add up, groups, and right guesses."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Group,
    Identity,
    Related,
    Uniform,
)
from ppworkbench.core.privacy.assess import assess
from ppworkbench.core.privacy.epsilon import epsilon as matrix_epsilon
from ppworkbench.core.privacy.epsilon import joint_epsilon
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.questionnaire import at_least, summarise


def values(name: str, k: int) -> Attribute:
    return Attribute(name, Kind.NOMINAL, tuple(f"v{i}" for i in range(k)))


def binary(name: str) -> Attribute:
    return Attribute(name, Kind.BINARY, ("no", "yes"))


@given(st.lists(st.floats(0, 1), max_size=7))
def test_that_right_guesses_agree_with_counting_every_outcome(successes: list[float]) -> None:
    expected = np.zeros(len(successes) + 1)
    for outcome in itertools.product((0, 1), repeat=len(successes)):
        chance = math.prod(s if hit else 1 - s for s, hit in zip(successes, outcome, strict=True))
        expected[: sum(outcome) + 1] += chance
    found = at_least(successes)
    assert found == pytest.approx(expected.tolist())
    assert all(a >= b for a, b in itertools.pairwise(found))


def test_that_many_questions_leave_probabilities_probabilities() -> None:
    found = at_least([1.0] * 300 + [0.7] * 300)
    assert found[300] == pytest.approx(1)
    assert 0 <= found[600] < 1e-40
    assert max(found) <= 1


def _joint_matrix(group: Group, k: dict[str, int]) -> np.ndarray:
    """The channel over all combinations, coin outcome by coin outcome."""
    truth, other = np.ones((1, 1)), np.ones((1, 1))
    for name in group.attributes:
        lie = Group((name,), group.type, 0.0, tuple(p for p in group.personal if p[0] == name))
        truth = np.kron(truth, np.eye(k[name]))
        other = np.kron(other, lie.marginal(name).matrix(k[name]))
    return group.theta * truth + (1 - group.theta) * other


@given(
    st.lists(st.integers(1, 3), min_size=1, max_size=3),
    st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0.01, 0.99)),
    st.booleans(),
)
def test_that_a_groups_epsilon_is_that_of_its_joint_matrix(
    sizes: list[int], theta: float, uneven: bool
) -> None:
    names = tuple("abc"[: len(sizes)])
    k = dict(zip(names, sizes, strict=True))
    personal: tuple[tuple[str, tuple[float, ...]], ...] = ()
    if uneven:
        weights = np.arange(1.0, sizes[0] + 1)
        personal = (("a", tuple((weights / weights.sum()).tolist())),)
    group = Group(names, "unrelated", theta, personal)
    assert joint_epsilon(group, k) == pytest.approx(matrix_epsilon(_joint_matrix(group, k)))


@pytest.mark.parametrize("names", [("a",), ("a", "b"), ("a", "b", "c")])
@pytest.mark.parametrize("theta", [0.0, 0.3, 0.5, 0.8, 1.0])
def test_that_a_related_groups_epsilon_is_that_of_its_joint_matrix(
    names: tuple[str, ...], theta: float
) -> None:
    group = Group(names, "related", theta)
    k = dict.fromkeys(names, 2)
    assert joint_epsilon(group, k) == pytest.approx(matrix_epsilon(_joint_matrix(group, k)))


def test_that_a_personal_answer_that_never_comes_rules_out() -> None:
    group = Group(("a", "b"), "unrelated", 0.5, (("a", (0.0, 1.0)),))
    assert joint_epsilon(group, {"a": 2, "b": 2}) == math.inf


def test_that_epsilons_add_up_and_a_group_counts_once() -> None:
    design = Design(
        (
            DesignedAttribute(binary("a"), Identity()),
            DesignedAttribute(binary("b"), Identity()),
            DesignedAttribute(values("c", 4), Uniform(keep=0.5)),
            DesignedAttribute(binary("d"), Related(theta=0.8)),
        ),
        groups=(Group(("a", "b"), "unrelated", 0.7),),
    )
    report = assess(design)
    group = math.log(1 + 0.7 / (0.3 * 0.25))
    total = group + math.log(0.5 / (0.5 / 3)) + math.log(4)
    by_name = {reading.name: reading for reading in report.readings}
    assert by_name["epsilon"].value == pytest.approx(total)
    assert by_name["epsilon_distorted"].value == pytest.approx(total)
    assert report["a"].privacy["epsilon"].value == pytest.approx(math.log(0.85 / 0.15))
    assert report.groups[0].attributes == ("a", "b")
    shown = report.groups[0].to_json()
    assert shown["epsilon"] == pytest.approx(group)
    assert shown["pse"] == pytest.approx(report["a"].privacy["pse"].value)


def test_that_the_entry_with_least_privacy_stands_for_the_group() -> None:
    design = Design(
        (DesignedAttribute(binary("a"), Identity()), DesignedAttribute(binary("b"), Identity())),
        groups=(Group(("a", "b"), "unrelated", 0.7),),
    )
    rare = Prior.from_weights(binary("b"), [0.95, 0.05])
    report = assess(design, {"b": rare})
    entries = [report[name].privacy["pse"].value for name in "ab"]
    assert entries[1] < entries[0]
    assert report.groups[0].to_json()["pse"] == entries[1]


def test_that_an_undistorted_answer_makes_the_whole_infinite_but_not_the_rest() -> None:
    design = Design(
        (
            DesignedAttribute(binary("a"), Identity()),
            DesignedAttribute(binary("d"), Related(theta=0.8)),
        )
    )
    by_name = {reading.name: reading for reading in assess(design).readings}
    assert by_name["epsilon"].value == math.inf
    assert "1 of 2 answers is not randomised" in by_name["epsilon"].sentence
    assert by_name["epsilon_distorted"].value == pytest.approx(math.log(4))


def test_that_right_guesses_come_from_each_answers_attack_success() -> None:
    design = Design(
        (
            DesignedAttribute(binary("a"), Identity()),
            DesignedAttribute(binary("d"), Related(theta=0.8)),
            DesignedAttribute(
                Attribute("n", Kind.INTEGER, domain=(1, 3)), Additive("uniform", half_width=1)
            ),
        )
    )
    report = assess(design)
    third = report["n"].privacy["attack_success"].value
    assert report.right_at_least == pytest.approx(at_least([1.0, 0.8, third]))
    assert report.blind_at_least == pytest.approx(at_least([0.5, 0.5, 1 / 3]))
    shown = report.readings[-1]
    assert shown.name == "expected_right"
    assert shown.value == pytest.approx(1.8 + third)
    assert "independent" in shown.sentence


def test_that_one_new_report_is_enough_after_one_change() -> None:
    design = Design(
        (
            DesignedAttribute(binary("a"), Related(theta=0.6)),
            DesignedAttribute(binary("d"), Related(theta=0.8)),
        )
    )
    reports = {report.name: report for report in assess(design).attributes}
    changed = design.with_perturbation("a", Related(theta=0.9))
    reports["a"] = assess(changed)["a"]
    assert summarise(changed, reports).to_json() == assess(changed).to_json()


def test_that_missing_answers_and_mirrored_groups_are_warned_of() -> None:
    pair = (DesignedAttribute(binary("a"), Identity()), DesignedAttribute(binary("b"), Identity()))
    report = assess(Design(pair, groups=(Group(("a", "b"), "related", 0.7),)))
    assert any("missing answer stays missing" in said for said in report.warnings)
    assert any("whether the true ones agree" in said for said in report.warnings)
    assert report.groups[0].readings[0].value == math.inf


def test_that_an_empty_design_has_an_empty_report() -> None:
    report = assess(Design(()))
    assert report.right_at_least == (1.0,)
    assert report.to_json()["attributes"] == {}
