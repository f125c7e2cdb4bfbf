"""What people do by hand gives exactly the probabilities of the design, or is refused."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from kits import designed, every_procedure, number, question

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import (
    Additive,
    Binary,
    Custom,
    Design,
    DesignedAttribute,
    Forced,
    Identity,
    Ordinal,
    Related,
    Uniform,
    perturbations,
)
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.devices import Device, snap_to
from ppworkbench.core.design.procedures import (
    BY_ARMS,
    NO_DEVICE,
    NONE,
    OTHER_TABLE,
    SLIPS,
    find_procedure,
    is_page_only,
)
from ppworkbench.core.design.sets import Subset
from ppworkbench.core.errors import DesignError

DRUG = question("drug")
MOOD = Attribute("mood", Kind.NOMINAL, ("bad", "fair", "good"))
AGE = Attribute("age", Kind.INTEGER, domain=(18, 90))


@pytest.mark.parametrize("group", ["unrelated", "related"])
def test_that_the_outcomes_of_every_device_are_the_matrix_of_the_design(group):
    design, _ = every_procedure(group)
    for one in design:
        found = find_procedure(design, one.name)
        if found.scheme in (NONE, SLIPS):
            continue
        wanted = design.perturbation(one.name).matrix(one.attribute.k)
        np.testing.assert_allclose(found.matrix(), wanted, rtol=0, atol=1e-9)
        assert abs(float(sum(chance for chance, _ in found.outcomes())) - 1) < 1e-12


def test_that_two_questions_of_a_group_are_reported_together_as_the_design_says():
    design, _ = every_procedure("related")
    one, other = (find_procedure(design, name) for name in ("first of two", "second of two"))
    assert one.device == other.device
    joint = {cell: Fraction(0) for cell in itertools.product((0, 1), repeat=2)}
    # One throw: the same outcome decides about both.
    for (chance, first), (_, second) in zip(one.outcomes(), other.outcomes(), strict=True):
        joint[first(1), second(0)] += chance
    assert joint == {(1, 0): Fraction(2, 3), (0, 1): Fraction(1, 3), (0, 0): 0, (1, 1): 0}


@pytest.mark.parametrize("reach", [1, 5, 10])
def test_that_slips_have_the_noise_of_the_design(reach):
    design = Design((DesignedAttribute(AGE, Additive(half_width=reach)),))
    found = find_procedure(design, "age")
    steps, mass = design["age"].perturbation.steps_of(AGE).pmf()
    assert found.slips().keys() == set(steps.tolist())
    np.testing.assert_allclose([float(one) for one in found.slips().values()], mass, atol=1e-12)


def test_that_an_own_share_of_a_birthday_counts():
    attribute = DRUG.attribute("en")
    snapped, made = snap_to("birthday-month", Related(theta=0.25), attribute, nearest=True)
    device = snapped.device.with_share(0.26, 0.01)
    one = DesignedAttribute(attribute, device.applied(made, attribute), device=device)
    found = find_procedure(Design((one,)), "drug")
    assert found.is_assumed
    assert abs(found.matrix()[1, 1] - 0.26) < 1e-9


@pytest.mark.parametrize("keep", [0.5, 0.6, 0.68])
def test_that_uniform_answers_are_the_truth_or_any_answer_alike(keep):
    attribute = Attribute("q", Kind.NOMINAL, ("a", "b", "c", "d", "e"))
    design = Design((DesignedAttribute(attribute, Uniform(keep=keep)),))
    found = find_procedure(design, "q")
    assert found.scheme == "forced"
    np.testing.assert_allclose(found.matrix(), Uniform(keep=keep).matrix(5), atol=1e-9)


@pytest.mark.parametrize(
    ("attribute", "perturbation", "code"),
    [
        (MOOD, Ordinal(weights=(0.7, 0.15)), OTHER_TABLE),
        (MOOD, Custom.of(np.full((3, 3), 0.1) + 0.7 * np.eye(3)), OTHER_TABLE),
        (MOOD, Subset(epsilon=1.0), OTHER_TABLE),
        (MOOD, Uniform(keep=0.2), OTHER_TABLE),
        (MOOD, Uniform(keep=0.61), NO_DEVICE),
        (DRUG.attribute("en"), Forced(p_truth=0.123456), NO_DEVICE),
        (DRUG.attribute("en"), Binary(keep_one=0.7311, keep_zero=0.8), NO_DEVICE),
        (AGE, Additive(noise="laplace", scale=3.0), OTHER_TABLE),
        (AGE, Additive(half_width=5, truncate=True), OTHER_TABLE),
        (AGE, Additive(half_width=5, integer="round"), OTHER_TABLE),
        (AGE, Additive(half_width=11), NO_DEVICE),
        (Attribute("x", Kind.CONTINUOUS, domain=(0, 1)), Additive(half_width=0.2), OTHER_TABLE),
    ],
)
def test_that_what_no_card_can_do_is_refused_with_a_reason(attribute, perturbation, code):
    design = Design((DesignedAttribute(attribute, perturbation),))
    with pytest.raises(DesignError) as caught:
        find_procedure(design, attribute.name)
    assert caught.value.message.code == code
    assert caught.value.attribute == attribute.name


@pytest.mark.parametrize(
    ("attribute", "by_hand"),
    [
        (DRUG.attribute("en"), {"none", "uniform", "binary"}),
        (MOOD, {"none", "uniform"}),
        (AGE, {"none", "additive"}),
        (Attribute("x", Kind.CONTINUOUS, domain=(0, 1)), {"none"}),
    ],
)
def test_that_what_only_a_page_can_do_is_known_by_its_mechanism(attribute, by_hand):
    offered = [one for one in perturbations.ranked if one.item.is_offered(attribute.kind)]
    assert {one.name for one in offered if not is_page_only(one.item, attribute.kind)} == by_hand


def test_that_arms_are_refused():
    arms = Arms("version", (DesignArm("A", 0.5), DesignArm("B", 0.5)))
    design = Design((designed(DRUG, Forced(p_truth=2 / 3), "die"),), arms=arms)
    with pytest.raises(DesignError) as caught:
        find_procedure(design, "drug")
    assert caught.value.message.code == BY_ARMS


def test_that_answers_as_they_are_need_nothing():
    design = Design((designed(number("age"), Identity()),))
    assert find_procedure(design, "age").scheme == NONE


def test_that_a_device_that_differs_from_its_design_is_refused():
    attribute = DRUG.attribute("en")
    die = Device("die", (("truth", (2, 3, 4, 5)), ("yes", (1,)), ("no", (6,))))
    one = DesignedAttribute(attribute, Forced(p_truth=2 / 3), device=die)
    # A design keeps to its device, so that only a damaged one can differ.
    object.__setattr__(one, "perturbation", Forced(p_truth=0.6))
    with pytest.raises(DesignError) as caught:
        find_procedure(Design((one,)), "drug")
    assert caught.value.message.code == NO_DEVICE
