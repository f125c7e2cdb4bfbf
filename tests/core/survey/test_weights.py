"""Weights that undo the distortion of what a condition asks about."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import (
    Additive,
    Custom,
    Design,
    DesignedAttribute,
    Discretise,
    Group,
    Identity,
    Multiplicative,
    Ordinal,
    Related,
    Retention,
    Uniform,
    Unrelated,
)
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.survey.answers import Answers
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.core.survey.conditions.regions import regions_of
from ppworkbench.core.survey.factors.factor import GroupFactor, inverse_weights
from ppworkbench.core.survey.factors.grids import is_well_conditioned
from ppworkbench.core.survey.inquiry import asked_by, factors_of

SEX = Attribute("sex", Kind.BINARY, ("F", "M"))
TRUST = Attribute("trust", Kind.ORDINAL, ("1", "2", "3", "4", "5"))
AGE = Attribute("age", Kind.INTEGER, domain=(18, 90))
INCOME = Attribute("income", Kind.CONTINUOUS, domain=(10, 9000))


def factors(condition, *designed, groups=(), n=5000):
    design = Design(tuple(DesignedAttribute(a, p) for a, p in designed), groups=groups)
    regions = regions_of(parse_condition(condition), design)
    return factors_of(asked_by(regions, design), design, Answers({}, np.arange(n), n))


def expected_weight(factor):
    """E[h(Z) | true cell], by the channel."""
    return factor.channel.T @ factor.weights.matrix


@pytest.mark.parametrize(
    "perturbation",
    [
        Identity(),
        Uniform(keep=0.4),
        Ordinal(weights=(0.5, 0.2), loop=True),
        Ordinal(weights=(0.6, 0.2, 0.1), loop=False),
        Unrelated(theta=0.3, personal=(0.1, 0.2, 0.3, 0.4, 0.0)),
    ],
)
@pytest.mark.parametrize("condition", ["trust = 2", "trust >= 3", "trust in {1, 3, 5}"])
def test_that_the_weight_of_a_value_is_1_on_average_if_it_is_meant_and_0_if_not(
    condition, perturbation
):
    (factor,) = factors(condition, (TRUST, perturbation))
    assert np.allclose(expected_weight(factor), factor.targets, atol=1e-12)
    inverse = np.linalg.inv(factor.channel)
    assert np.allclose(factor.weights.matrix, inverse.T @ factor.targets, atol=1e-12)


@given(st.floats(0.05, 1), st.lists(st.floats(0.01, 1), min_size=4, max_size=4), st.data())
def test_that_a_group_of_unrelated_questions_is_undone_by_its_joint_inverse(theta, weights, data):
    other = tuple(np.array(weights) / sum(weights))
    home = Attribute("home", Kind.NOMINAL, ("a", "b", "c", "d"))
    group = Group(("sex", "home"), "unrelated", theta, (("home", other),))
    chosen = data.draw(st.lists(st.sampled_from(home.values), min_size=1, unique=True))
    condition = f"home in {{{', '.join(chosen)}}} and sex = F"
    (factor,) = factors(condition, (SEX, Identity()), (home, Identity()), groups=(group,))
    assert isinstance(factor, GroupFactor)
    assert factor.names == ("home", "sex")
    assert np.allclose(factor.channel.sum(axis=0), 1)
    inverse = np.linalg.inv(factor.channel)
    assert np.allclose(factor.weights.matrix, inverse.T @ factor.targets, atol=1e-6)
    # Both attributes answered by hand: theta [z = x] + (1 - theta) w(home) / 2.
    assert factor.channel[0, 0] == pytest.approx(theta + (1 - theta) * other[0] / 2)
    assert factor.channel[1, 0] == pytest.approx((1 - theta) * other[0] / 2)


@pytest.mark.parametrize("theta", [0.0, 0.3, 0.7, 1.0])
def test_that_a_group_of_related_questions_is_undone_by_its_joint_inverse(theta):
    names = ("a", "b", "c")
    attributes = [Attribute(name, Kind.BINARY, ("no", "yes")) for name in names]
    group = Group(names, "related", theta)
    (factor,) = factors(
        "a = yes and b = no and c = yes", *((a, Identity()) for a in attributes), groups=(group,)
    )
    # All three reversed: yes, no, yes is cell 5 and no, yes, no is cell 2.
    assert factor.channel[:, 5].tolist() == pytest.approx([0, 0, 1 - theta, 0, 0, theta, 0, 0])
    assert np.allclose(expected_weight(factor), factor.targets, atol=1e-12)


def test_that_one_attribute_of_a_group_is_undone_as_if_alone():
    group = Group(("sex", "x"), "related", 0.8)
    x = Attribute("x", Kind.BINARY, ("0", "1"))
    (grouped,) = factors("sex = F", (SEX, Identity()), (x, Identity()), groups=(group,))
    (alone,) = factors("sex = F", (SEX, Related(theta=0.8)))
    assert np.allclose(grouped.weights.matrix, alone.weights.matrix)


@pytest.mark.parametrize("attribute", [AGE, INCOME])
@pytest.mark.parametrize("condition", ["{} <= 30", "{} > 80", "30 <= {} < 40", "{} != 35"])
def test_that_retention_is_undone_exactly(attribute, condition):
    perturbation = Retention(keep=0.4, replacing=(1, 2, 1))
    (factor,) = factors(condition.format(attribute.name), (attribute, perturbation))
    assert np.allclose(expected_weight(factor), factor.targets, atol=1e-12)
    # (1_S(z) - (1 - p) g(S)) / p has steps of height 1 / p.
    assert np.ptp(factor.weights.matrix) == pytest.approx(1 / 0.4)


@pytest.mark.parametrize(
    ("attribute", "condition"),
    [
        (AGE, "age <= 30"),
        (AGE, "30 <= age < 60"),
        (INCOME, "income > 2500"),
        (INCOME, "income < 99"),
    ],
)
def test_that_uniform_noise_is_undone_in_every_cell(attribute, condition):
    (factor,) = factors(condition, (attribute, Additive(noise="uniform", range_privacy=30)))
    assert factor.weights.holds
    assert np.allclose(expected_weight(factor), factor.targets, atol=1e-6)


@pytest.mark.parametrize(
    ("perturbation", "good"),
    [
        (Additive(noise="uniform", range_privacy=20), True),
        (Additive(noise="normal", range_privacy=100), False),
        (Additive(noise="laplace", range_privacy=200), False),
        (Retention(keep=0.05), True),
        (Identity(), True),
        (Discretise(intervals=4), True),
    ],
)
def test_that_only_noise_that_smooths_a_limit_away_counts_as_ill_conditioned(perturbation, good):
    (factor,) = factors("age <= 40", (AGE, perturbation))
    assert is_well_conditioned(factor) == good


def test_that_the_ends_of_published_intervals_are_exact_and_limits_inside_share_them_evenly():
    intervals = Discretise(edges=(18, 30, 50, 91))
    (exact,) = factors("age < 50", (AGE, intervals))
    assert exact.weights.matrix[:, 0].tolist() == [1, 1, 0]
    assert exact.remarks == ()
    (cut,) = factors("age <= 39", (AGE, intervals))
    # 30 to 39 are 10 of the 20 whole numbers of the middle interval.
    assert cut.weights.matrix[:, 0].tolist() == pytest.approx([1, 0.5, 0])
    assert "inside a reported interval" in cut.remarks[0]


def test_that_cells_begin_and_end_at_the_limits():
    noise = Additive(noise="uniform", half_width=700)
    (factor,) = factors("1234.5 <= income < 2345.6", (INCOME, noise))
    for limit in (10, 1234.5, 2345.6, 9000):
        assert limit in factor.edges
    assert factor.edges[:-1][factor.targets[:, 0] > 0].min() == 1234.5
    (growing,) = factors("income < 99", (INCOME, Multiplicative(sigma=0.05)))
    assert 99 in growing.edges


def test_that_more_respondents_have_finer_cells():
    noise = Additive(noise="uniform", half_width=700)
    few, many = (factors("income < 99", (INCOME, noise), n=n)[0] for n in (1_000, 1_000_000))
    assert len(many.edges) > 2 * len(few.edges)


@pytest.mark.parametrize(
    ("condition", "designed", "groups"),
    [
        ("sex = F", (SEX, Uniform(keep=0.5)), ()),
        ("sex = F", (SEX, Related(theta=0.5)), ()),
        ("trust = 3", (TRUST, Uniform(keep=0.2)), ()),
        ("trust = 3", (TRUST, Unrelated(theta=0.0)), ()),
        ("age < 30", (AGE, Retention(keep=0.0)), ()),
        ("sex = F", (SEX, Identity()), (Group(("sex",), "unrelated", 0.0),)),
        ("sex = F", (SEX, Identity()), (Group(("sex",), "related", 0.5),)),
    ],
)
def test_that_answers_that_tell_nothing_are_refused_in_one_sentence(condition, designed, groups):
    (factor,) = factors(condition, designed, groups=groups)
    with pytest.raises(DesignError, match="is not informative here") as caught:
        _ = factor.weights
    assert caught.value.attribute == designed[0].name


def test_that_a_singular_matrix_still_tells_what_it_keeps():
    # The first two values are mixed up for good, the third is kept.
    x = Attribute("x", Kind.NOMINAL, ("a", "b", "c"))
    mixed = Custom(rows=((0.5, 0.5, 0.0), (0.5, 0.5, 0.0), (0.0, 0.0, 1.0)))
    (together,) = factors("x in {a, b}", (x, mixed))
    assert together.weights.matrix[:, 0].tolist() == pytest.approx([1, 1, 0])
    (single,) = factors("x = a", (x, mixed))
    with pytest.raises(DesignError, match="singular"):
        _ = single.weights


def test_that_a_nearly_singular_matrix_is_remarked():
    (factor,) = factors("sex = F", (SEX, Uniform(keep=0.5001)))
    assert "nearly singular" in factor.remarks[0]


def test_that_a_point_of_a_number_under_noise_cannot_be_asked_for():
    with pytest.raises(ParameterError, match="give a range"):
        factors("income = 500", (INCOME, Additive(noise="uniform", half_width=5)))


def test_that_the_pseudo_inverse_has_the_smallest_mean_square_weight():
    rng = np.random.default_rng(3)
    channel = rng.random((7, 3))
    channel /= channel.sum(axis=0)
    share = np.array([0.2, 0.5, 0.3])
    target = np.array([[1.0], [0.0], [1.0]])
    best = inverse_weights(channel, target, share)
    assert best.holds
    q = channel @ share
    for _ in range(20):
        # Any other right weight differs by something that the channel does not see.
        other = rng.normal(size=7)
        other -= channel @ np.linalg.lstsq(channel, other, rcond=None)[0]
        worse = best.matrix[:, 0] + other
        assert np.allclose(channel.T @ worse, target[:, 0])
        assert q @ worse**2 > q @ best.matrix[:, 0] ** 2
