"""One epsilon for a whole questionnaire: shared out, split, shuffled."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design, DesignedAttribute, Geometric, SquareWave, Uniform
from ppworkbench.core.design.budget import RULES, DesignBudget
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.planning.budget import budget_of, share_design
from ppworkbench.core.planning.composition import composed, noise_variance, shuffled, split, splits
from ppworkbench.core.planning.sharing import (
    FLOOR,
    BudgetSettings,
    Need,
    ValueCurve,
    epsilon_for_belief,
    largest_belief,
    share_out,
    share_parts,
)
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.questionnaire import total_epsilon
from ppworkbench.core.privacy.utility.mean_error import moments

LISTS = {str(k): Need(ValueCurve(k)) for k in (2, 5, 20)}


def shared(needs=LISTS, **settings):
    return list(share_out(needs, BudgetSettings(**settings)).epsilons.values())


def variances(epsilons):
    return [need.curve.variance(one) for need, one in zip(LISTS.values(), epsilons, strict=True)]


def test_that_fifty_questions_share_until_none_would_gain_from_another():
    needs = {str(k): Need(ValueCurve(k, 0.3), 1 + k % 7) for k in range(2, 52)}
    for of in ("width", "variance"):
        found = share_out(needs, BudgetSettings(total=60.0, rule="sum", of=of))
        assert found.total == pytest.approx(60.0, abs=1e-9)

        def slope(name, epsilon, power=0.5 if of == "width" else 1.0):
            curve, weight = needs[name].curve, needs[name].weight
            fall = curve.slope(epsilon) * power * curve.variance(epsilon) ** (power - 1)
            return math.log(-weight * fall)

        slopes = [slope(name, epsilon) for name, epsilon in found.epsilons.items()]
        assert max(slopes) - min(slopes) < 1e-6


@pytest.mark.parametrize("ask", [None, 2])
def test_that_a_question_with_one_answer_takes_nothing_of_a_total(ask):
    ring = Attribute("ring", Kind.NOMINAL, ("one",))
    drug, sex = (Attribute(name, Kind.BINARY, ("no", "yes")) for name in ("drug", "sex"))
    listed = tuple(DesignedAttribute(one, Uniform(keep=0.75)) for one in (drug, sex))
    budget = DesignBudget(ask=ask)
    design = Design((DesignedAttribute(ring, Uniform(keep=1.0)), *listed), budget=budget)
    found = share_design(design, BudgetSettings(total=2.0))
    assert total_epsilon(found) == pytest.approx(2.0, abs=1e-9)
    assert found["ring"] == design["ring"]
    with pytest.raises(ParameterError, match="too little for 2 questions"):
        share_design(design, BudgetSettings(total=0.01))


def test_that_numbers_in_a_window_take_part_in_sharing_out():
    ages = Attribute("age", Kind.INTEGER, domain=(0, 100))
    design = Design(
        (
            DesignedAttribute(ages, SquareWave(epsilon=1.0)),
            DesignedAttribute(Attribute("a", Kind.NOMINAL, tuple("abc")), Uniform(keep=0.5)),
        )
    )
    for rule in RULES:
        found = share_design(design, BudgetSettings(total=3.0, rule=rule))
        assert total_epsilon(found) == pytest.approx(3.0, abs=1e-6)


def test_three_lists_with_a_total_of_three():
    assert variances(shared(total=3.0, rule="equal")) == pytest.approx(
        (0.9207, 1.9368, 7.0172), abs=5e-5
    )
    best = shared(total=3.0, rule="sum", of="variance")
    assert best == pytest.approx((0.6814, 0.9456, 1.3729), abs=5e-5)
    assert sum(variances(best)) == pytest.approx(6.8481, abs=5e-5)
    widths = shared(total=3.0, rule="sum", of="width")
    assert widths == pytest.approx((0.7009, 0.9522, 1.3469), abs=5e-5)
    alike = shared(total=3.0, rule="max")
    assert alike == pytest.approx((0.6490, 0.9388, 1.4122), abs=5e-5)
    assert variances(alike) == pytest.approx([2.2926] * 3, abs=5e-5)
    more = shared(total=6.0, rule="max")
    assert more == pytest.approx((1.6682, 1.9272, 2.4047), abs=5e-5)
    assert variances(more) == pytest.approx([0.2864] * 3, abs=5e-5)


class LaplaceCurve:
    """The mean of a number between -1 and 1 under Laplace noise."""

    def variance(self, epsilon: float) -> float:
        return 8 / epsilon**2

    def slope(self, epsilon: float) -> float:
        return -16 / epsilon**3


@pytest.mark.parametrize(
    ("rule", "of", "power"),
    [("sum", "variance", 1 / 3), ("sum", "width", 1 / 2), ("max", "width", 1),
     ("max", "variance", 1 / 2), ("weights", "width", 1)],
)  # fmt: skip
def test_that_laplace_noise_is_shared_by_powers_of_the_weights(rule, of, power):
    weights = (1.0, 8.0, 27.0)
    needs = {str(weight): Need(LaplaceCurve(), weight) for weight in weights}
    parts = [weight**power for weight in weights]
    expected = [6 * part / sum(parts) for part in parts]
    assert shared(needs, total=6.0, rule=rule, of=of) == pytest.approx(expected)


@given(
    st.lists(
        st.tuples(st.integers(2, 60), st.floats(0.0, 0.5), st.floats(0.01, 100)),
        min_size=1, max_size=8,
    ),
    st.floats(0.5, 40), st.sampled_from(RULES), st.sampled_from(["width", "variance"]),
)  # fmt: skip
def test_that_a_total_is_spent_and_no_exchange_is_better(asked, total, rule, of):
    needs = {
        str(place): Need(ValueCurve(k, share), weight)
        for place, (k, share, weight) in enumerate(asked)
    }
    settings = BudgetSettings(total=total, rule=rule, of=of)
    found = share_out(needs, settings)
    assert found.total == pytest.approx(min(total, 20 * len(asked)), abs=1e-9)
    inner = [
        (need, found.epsilons[name])
        for name, need in needs.items()
        if FLOOR * 1.01 < found.epsilons[name] < 19.99
    ]
    if rule == "sum":
        slopes = [math.log(_steepness(need, one, of)) for need, one in inner]
    elif rule == "max":
        slopes = [math.log(need.weight * _cost(need, one, of)) for need, one in inner]
    else:
        return
    assert not slopes or max(slopes) - min(slopes) < 1e-6


def _cost(need, epsilon, of):
    variance = need.curve.variance(epsilon)
    return math.sqrt(variance) if of == "width" else variance


def _steepness(need, epsilon, of):
    slope = -need.weight * need.curve.slope(epsilon)
    return slope / (2 * _cost(need, epsilon, of)) if of == "width" else slope


def test_that_a_locked_question_keeps_its_epsilon():
    needs = {
        "a": Need(ValueCurve(2), locked=2.0),
        "b": Need(ValueCurve(2)),
        "c": Need(ValueCurve(2)),
    }
    assert shared(needs, total=3.0) == pytest.approx((2.0, 0.5, 0.5))
    with pytest.raises(ParameterError, match="The locked questions spend 2 of a total of 1"):
        shared(needs, total=1.0)
    with pytest.raises(ParameterError, match="too little for 3 questions"):
        shared(total=0.01)
    with pytest.raises(ParameterError, match="weight"):
        Need(ValueCurve(2), weight=1e308)


def test_that_belief_and_epsilon_follow_from_each_other():
    assert epsilon_for_belief(0.12, 0.31) == pytest.approx(1.1923, abs=5e-5)
    assert epsilon_for_belief(0.10, 0.50) == pytest.approx(2.1972, abs=5e-5)
    assert largest_belief(0.10, epsilon_for_belief(0.10, 0.50)) == pytest.approx(0.5)
    with pytest.raises(ParameterError, match="believed before any answer"):
        epsilon_for_belief(0.3, 0.3)


@pytest.mark.parametrize(
    ("ask", "noise", "rare", "half", "pair"),
    [(8, 3.9177, 4.0077, 4.1677, 17.78), (4, 1.8413, 2.0213, 2.3413, 6.92),
     (2, 0.7241, 1.0841, 1.7241, 6.25), (1, 0.1520, 0.8720, 2.1520, None)],
)  # fmt: skip
def test_eight_questions_of_which_some_are_asked(ask, noise, rare, half, pair):
    found = split(8, ask, 4.0, 0.1)
    assert found.noise == pytest.approx(noise, abs=6e-5)
    assert found.variance == pytest.approx(rare, abs=6e-5)
    assert split(8, ask, 4.0, 0.5).variance == pytest.approx(half, abs=6e-5)
    assert found.pair is None if pair is None else found.pair == pytest.approx(pair, abs=6e-3)
    assert [one.ask for one in splits(8, 4.0, 0.1)] == [8, 7, 6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize(("share", "border"), [(0.5, 5.88), (0.1, 9.51)])
def test_from_where_on_all_questions_win_again(share, border):
    def gain(total):
        return split(8, 1, total, share).variance - split(8, 8, total, share).variance

    assert gain(border - 0.01) < 0 < gain(border + 0.01)


def test_the_price_of_splitting_one_questionnaire():
    assert 0.2 * 0.8 + noise_variance(0.5) == pytest.approx(4.0777, abs=5e-5)
    assert split(8, 1, 4.0, 0.2).variance == pytest.approx(1.4320, abs=6e-5)


@pytest.mark.parametrize(
    ("times", "epsilon", "total"), [(20, 0.2, 3.8294), (50, 0.1, 3.1729), (8, 0.5, 4.0)]
)
def test_equal_responses_together(times, epsilon, total):
    assert composed(epsilon, times, 1e-6) == pytest.approx(total, abs=6e-5)
    asked = [Attribute(f"q{i}", Kind.BINARY, ("no", "yes")) for i in range(times)]
    design = Design(tuple(DesignedAttribute(one, Geometric(epsilon=epsilon)) for one in asked))
    found = budget_of(design, {}, 1000)
    assert found.total == pytest.approx(times * epsilon)
    # Where nothing is gained, nothing is told.
    assert found.composed == (None if total == 4.0 else pytest.approx(total, abs=6e-5))
    assert ("composed" in found.to_json()) is (total != 4.0)


@pytest.mark.parametrize(
    ("people", "epsilon", "central", "applies"),
    [(1_000, 1, 0.5662, True), (10_000, 1, 0.2140, True), (100_000, 4, 0.5346, True),
     (10_000, 4, 4.0, False)],
)  # fmt: skip
def test_shuffled_reports(people, epsilon, central, applies):
    found = shuffled(float(epsilon), people, 1e-6)
    assert found.epsilon == pytest.approx(central, abs=5e-5)
    assert found.to_json()["applies"] is applies
    assert ("by_clones" in found.to_json()) is applies
    with pytest.raises(ParameterError, match=r"Delta is 0\.5"):
        shuffled(1.0, people, 0.5)


@pytest.mark.parametrize(("people", "central"), [(1_000, 0.1824), (10_000, 0.0530)])
def test_that_an_exact_count_of_clones_is_tighter(people, central):
    found = shuffled(1.0, people, 1e-6)
    assert found.by_clones == pytest.approx(central, abs=5e-5)
    assert found.by_clones < found.epsilon


PARTS = tuple((name,) for name in "abcdef")


def make_needs(locked=None):
    sizes = dict(zip("abcdef", (2, 3, 5, 8, 12, 20), strict=True))
    weights = dict(zip("abcdef", (1.0, 4.0, 1.0, 0.5, 1.0, 2.0), strict=True))
    return {
        name: Need(ValueCurve(k, 0.1), weights[name], locked if name == "c" else None)
        for name, k in sizes.items()
    }


def worst(epsilons, ask, times=None):
    times = times or {}
    return sum(sorted((e * times.get(n, 1) for n, e in epsilons.items()), reverse=True)[:ask])


@pytest.mark.parametrize("of", ["width", "variance"])
@pytest.mark.parametrize("ask", [1, 2, 4, 6])
def test_that_sharing_among_those_asked_satisfies_the_conditions_of_an_optimum(ask, of):
    needs = make_needs()
    found = share_parts(needs, BudgetSettings(4.0, "sum", of), PARTS, ask).epsilons
    assert worst(found, ask) == pytest.approx(4.0, abs=1e-9)
    least = sorted(found.values(), reverse=True)[ask - 1]

    def price(name):
        need, at = needs[name], found[name]
        slope = -need.weight * need.curve.slope(at)
        return slope / (2 * math.sqrt(need.curve.variance(at))) if of == "width" else slope

    above = [price(name) for name, one in found.items() if one > least + 1e-9]
    tied = [price(name) for name, one in found.items() if one <= least + 1e-9]
    # Nobody is below the threshold: raising what is not among the largest costs nothing.
    assert min(found.values()) == pytest.approx(least, abs=1e-9)
    multiplier = above[0] if above else sum(tied) / ask
    assert max([abs(one / multiplier - 1) for one in above], default=0.0) < 1e-6
    assert sum(tied) / multiplier == pytest.approx(ask - len(above), abs=1e-6)
    assert max(tied) <= multiplier * (1 + 1e-6)


def test_that_sharing_with_everybody_asked_is_plain_sharing():
    needs = make_needs()
    for rule in RULES:
        settings = BudgetSettings(4.0, rule)
        plain, split = share_out(needs, settings), share_parts(needs, settings, PARTS)
        assert dict(split.epsilons) == pytest.approx(dict(plain.epsilons), abs=1e-6)


@pytest.mark.parametrize("rule", RULES)
def test_that_locks_blocks_and_waves_spend_the_total_of_the_worst_parts(rule):
    needs, parts = make_needs(locked=0.3), (("a", "b"), *PARTS[2:])
    times = dict.fromkeys("abcdef", 3) | {"a": 2}
    found = share_parts(needs, BudgetSettings(9.0, rule), parts, 2, times).epsilons
    assert found["c"] == 0.3
    costs = [sum(found[name] * times[name] for name in part) for part in parts]
    assert sum(sorted(costs, reverse=True)[:2]) == pytest.approx(9.0, abs=1e-9)
    with pytest.raises(ParameterError, match="The locked questions spend"):
        share_parts(needs, BudgetSettings(0.5, rule), parts, 2, times)


@pytest.mark.parametrize(("width", "total"), [(10, 5.0), (10, 4.0), (20, 5.0), (6, 6.0)])
def test_that_a_number_of_few_steps_costs_what_the_best_share_costs(width, total):
    # A square wave over few numbers moves in steps, which a curve through some epsilons smooths.
    age = Attribute("age", Kind.INTEGER, domain=(0.0, float(width)))
    drug = Attribute("drug", Kind.BINARY, ("no", "yes"))
    design = Design((DesignedAttribute(age, SquareWave()), DesignedAttribute(drug, Geometric())))
    prior = Prior.uniform(age)

    def cost(first: float) -> float:
        own = SquareWave(epsilon=first).unbiased_variance(age, *moments(prior, age))
        assert own is not None
        rest = math.sqrt(ValueCurve(2, 0.5).variance(total - first))
        return math.sqrt(own) / (width / 2) + rest

    found = share_design(design, BudgetSettings(total))["age"].perturbation
    assert isinstance(found, SquareWave)
    best = min(cost(float(one)) for one in np.linspace(0.05, total - 0.05, 500))
    assert cost(found.epsilon) <= best * (1 + 1e-3)
