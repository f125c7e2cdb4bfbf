"""Sizes of arms: worked examples, and that nothing beats what is found."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.compliance.classes import Behaviour
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Binary, Design, DesignedAttribute, Identity, Related, Uniform
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.sets import Subset
from ppworkbench.core.errors import DataError, DesignError, ParameterError
from ppworkbench.core.planning.allocation import (
    COMPLIANCE,
    DIFFERENCE,
    PREVALENCE,
    Aim,
    Pooled,
    allocate,
    pooled_variances,
)
from ppworkbench.core.planning.power import Randomised
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.noncompliance import NonCompliance

DRUG = Attribute("drug", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
NEVER = Behaviour(0)


def design_of(*devices, shares=None):
    shares = shares or [1 / len(devices)] * len(devices)
    members = tuple(
        DesignArm(name, share, (("drug", device),))
        for name, share, device in zip("ABCD", shares, devices, strict=False)
    )
    plain = DesignedAttribute(DRUG, Related(theta=0.7))
    return Design((plain,), arms=Arms("version", members))


def forced_yes(p):
    """Who has the trait says yes, the others with probability p."""
    return Binary(keep_one=1.0, keep_zero=1 - p)


def prior(share):
    return Prior.from_weights(DRUG, (1 - share, share))


@pytest.fixture
def cheaters():
    """Two arms that detect cheaters: 30 % carriers, 60 % honest without the trait, 10 % cheat."""
    return design_of(forced_yes(0.2), forced_yes(0.8))


@pytest.mark.parametrize(
    ("serves", "first", "error"), [(PREVALENCE, 0.827, 0.025177), (COMPLIANCE, 0.230, 0.022669)]
)
def test_that_cheater_detection_has_the_best_shares_of_the_chapter(cheaters, serves, first, error):
    found = allocate(cheaters, "drug", prior(1 / 3), Aim(serves, NEVER, 0.1))
    assert found.shares["A"] == pytest.approx(first, abs=5e-4)
    assert found.shares["B"] == pytest.approx(1 - first, abs=5e-4)
    assert found.standard_error == pytest.approx(error, abs=1e-6)
    assert found.only is None
    # With equal halves: the numbers that the chapter gives for 500 each.
    half = {PREVALENCE: 0.030071, COMPLIANCE: 0.025773}[serves]
    assert found.before == pytest.approx(half, abs=1e-6)


def test_that_without_a_compliance_parameter_one_arm_gets_everybody(cheaters):
    found = allocate(cheaters, "drug", prior(0.3), Aim(PREVALENCE))
    assert found.only == "A"
    assert found.shares == {"A": 1.0, "B": 0.0}


def test_that_costs_can_move_everybody_to_the_cheaper_arm(cheaters):
    cheap = allocate(cheaters, "drug", prior(0.3), Aim(PREVALENCE), costs={"A": 100.0, "B": 1.0})
    assert cheap.only == "B"


def test_that_a_difference_is_shared_out_by_the_deviations_of_both_arms():
    design = design_of(Related(theta=0.7), Identity(), Related(theta=0.9))
    found = allocate(design, "drug", prior(0.2), Aim(DIFFERENCE, between=("A", "B")))
    spread = np.sqrt([1.4725, 0.16])
    assert set(found.shares) == {"A", "B"}
    assert found.shares["A"] == pytest.approx(spread[0] / spread.sum(), abs=1e-6)
    assert found.standard_error == pytest.approx(spread.sum() / np.sqrt(1000), abs=1e-6)


def test_that_cost_enters_by_its_root(cheaters):
    free = allocate(cheaters, "drug", prior(1 / 3), Aim(PREVALENCE, NEVER, 0.1)).shares
    dear = allocate(
        cheaters, "drug", prior(1 / 3), Aim(PREVALENCE, NEVER, 0.1), costs={"A": 4.0, "B": 1.0}
    ).shares
    assert dear["A"] / dear["B"] == pytest.approx(free["A"] / free["B"] / 2, rel=1e-6)


@pytest.mark.slow
@given(
    thetas=st.lists(st.floats(0.55, 0.95), min_size=3, max_size=4, unique=True),
    share=st.floats(0.05, 0.6),
    tried=st.lists(st.floats(0.02, 1), min_size=4, max_size=4),
)
def test_that_no_other_shares_are_better(thetas, share, tried):
    devices = [Related(theta=theta) for theta in thetas]
    devices[0] = Binary(keep_one=thetas[0], keep_zero=1.0)
    design = design_of(*devices)
    aim = Aim(COMPLIANCE, NEVER, 0.1)
    best = allocate(design, "drug", prior(share), aim)
    weights = np.array(tried[: len(thetas)])
    other = design_of(*devices, shares=(weights / weights.sum()).tolist())
    assert best.standard_error <= allocate(other, "drug", prior(share), aim).before * (1 + 1e-5)


def test_that_three_answers_are_shared_out_too():
    town = Attribute("town", Kind.NOMINAL, ("a", "b", "c"), sensitive=("c",))
    members = (
        DesignArm("A", 0.5, (("town", Uniform(keep=0.8)),)),
        DesignArm("B", 0.5, (("town", Uniform(keep=0.5)),)),
    )
    design = Design((DesignedAttribute(town, Uniform(keep=0.6)),), arms=Arms("version", members))
    expected = Prior.from_weights(town, (0.5, 0.3, 0.2))
    assert allocate(design, "town", expected, Aim(PREVALENCE)).only == "A"
    shares = allocate(design, "town", expected, Aim(COMPLIANCE, NEVER, 0.1)).shares
    assert 0.05 < shares["A"] < 0.95


def test_that_what_cannot_be_told_is_refused(cheaters):
    alike = design_of(Related(theta=0.7), Related(theta=0.8))
    with pytest.raises(DataError, match="cannot tell apart"):
        allocate(alike, "drug", prior(0.2), Aim(COMPLIANCE, Behaviour(None), 0.1))
    with pytest.raises(DesignError, match="two arms"):
        allocate(design_of(Related(theta=0.7)), "drug", prior(0.2), Aim())
    with pytest.raises(DesignError, match="nothing about its shares"):
        allocate(design_of(*[Related(theta=0.5)] * 2), "drug", prior(0.2), Aim())
    with pytest.raises(ParameterError, match="No arm 'X'"):
        allocate(cheaters, "drug", prior(0.2), Aim(DIFFERENCE, between=("A", "X")))
    with pytest.raises(ParameterError, match="Say what people do"):
        allocate(cheaters, "drug", prior(0.2), Aim(COMPLIANCE))
    with pytest.raises(ParameterError):
        allocate(cheaters, "drug", prior(0.2), Aim(), costs={"A": 0.0})
    no_arms = Design((DesignedAttribute(DRUG, Related(theta=0.7)),))
    with pytest.raises(DesignError, match="no arms"):
        allocate(no_arms, "drug", None, Aim())


def test_that_splitting_trades_noise_for_people():
    def device(epsilon):
        keep = np.exp(epsilon) / (1 + np.exp(epsilon))
        return np.array([[keep, 1 - keep], [1 - keep, keep]])

    shares = np.array([0.8, 0.2])
    whole = pooled_variances([(1.0, device(0.5))], shares)[1]
    split = pooled_variances([(1 / 8, device(4.0))], shares)[1]
    assert (round(whole, 4), round(split, 4)) == (4.0777, 1.4320)
    # The noise alone, without what the sampling of people costs.
    assert round(whole - 0.16, 4) == 3.9177
    assert round(split - 8 * 0.16, 4) == 0.1520
    # Two arms of one device know as much as their people together.
    both = pooled_variances([(0.5, device(0.5)), (0.5, device(0.5))], shares)[1]
    assert both == pytest.approx(whole)
    assert np.isinf(pooled_variances([(1.0, np.full((2, 2), 0.5))], shares)).all()


def test_that_a_direct_answer_that_nobody_gives_is_known():
    found = pooled_variances([(0.5, np.eye(3))], np.array([0.8, 0.2, 0.0]))
    assert found.tolist() == pytest.approx([0.32, 0.32, 0.0])
    assert pooled_variances([(0.5, np.eye(2))], np.array([1.0, 0.0])).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 1.0])
def test_that_the_pooled_share_has_the_variance_of_the_pooled_estimate(share):
    devices = [(0.4, forced_yes(0.2)), (0.3, Related(theta=0.7)), (0.1, Identity())]
    technique = Pooled([(part, Randomised(DRUG, one, prior(0.2))) for part, one in devices])
    parts = [(part, one.matrix(2)) for part, one in devices]
    expected = pooled_variances(parts, np.array([1 - share, share]))[1]
    assert technique.variance(share) == pytest.approx(expected, abs=1e-9)
    assert technique.assumed_variance(share) == pytest.approx(expected, abs=1e-9)
    assert technique.bias(share) == pytest.approx(0, abs=1e-9)


def test_that_people_who_do_not_follow_bias_one_arm_as_a_survey_of_its_own():
    ignoring = NonCompliance(0.1, "safe", "no")
    alone = Randomised(DRUG, Related(theta=0.7), prior(0.2), ignoring)
    half = Pooled([(0.5, alone)])
    for share in (0.1, 0.2, 0.6):
        assert half.bias(share) == pytest.approx(alone.bias(share))
        assert half.variance(share) == pytest.approx(2 * alone.variance(share))
        assert half.assumed_variance(share) == pytest.approx(2 * alone.assumed_variance(share))
    blind = Randomised(DRUG, Binary(keep_one=0.5, keep_zero=0.5), prior(0.2))
    assert Pooled([(1.0, blind)]).is_singular
    assert not Pooled([(0.5, blind), (0.5, alone)]).is_singular


@pytest.mark.parametrize("share", [0, 0.001])
def test_that_an_answer_that_nobody_has_is_best_asked_directly(share):
    """Nobody says yes to a direct question: that tells more than any answer by a device."""
    found = allocate(design_of(Related(theta=0.7), Identity()), "drug", prior(share), Aim())
    assert found.only == "B"
    assert found.standard_error < 0.0011


def test_that_sets_of_a_part_of_the_people_tell_no_more_than_sets():
    job = Attribute("job", Kind.NOMINAL, tuple(f"job {place}" for place in range(40)))
    alone, plain = (Randomised(job, one) for one in (Subset(epsilon=1.0), Uniform(keep=0.5)))
    third = Pooled([(1 / 3, alone)])
    assert third.variance(0.025) == pytest.approx(3 * alone.variance(0.025))
    assert third.assumed_variance(0.025) == pytest.approx(3 * alone.variance(0.025))
    both = Pooled([(0.5, alone), (0.5, plain)])
    best = 2 / (1 / alone.variance(0.1) + 1 / plain.variance(0.1))
    assert both.variance(0.1) == pytest.approx(best)
    assert not both.is_singular
