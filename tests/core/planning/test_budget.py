"""One epsilon for a whole questionnaire: shared out, split, shuffled."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.planning.composition import composed, noise_variance, shuffled, split, splits
from ppworkbench.core.planning.sharing import (
    FLOOR,
    RULES,
    BudgetSettings,
    Need,
    NumberCurve,
    ValueCurve,
    epsilon_for_belief,
    largest_belief,
    share_out,
)

LISTS = {str(k): Need(ValueCurve(k)) for k in (2, 5, 20)}


def shared(needs=LISTS, **settings):
    return list(share_out(needs, BudgetSettings(**settings)).epsilons.values())


def variances(epsilons):
    return [need.curve.variance(one) for need, one in zip(LISTS.values(), epsilons, strict=True)]


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


@pytest.mark.parametrize(
    ("rule", "of", "power"),
    [("sum", "variance", 1 / 3), ("sum", "width", 1 / 2), ("max", "width", 1),
     ("max", "variance", 1 / 2), ("weights", "width", 1)],
)  # fmt: skip
def test_that_laplace_noise_is_shared_by_powers_of_the_weights(rule, of, power):
    weights = (1.0, 8.0, 27.0)
    needs = {str(weight): Need(NumberCurve(2.0), weight) for weight in weights}
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


@pytest.mark.parametrize(
    ("people", "epsilon", "central", "applies"),
    [(1_000, 1, 0.5662, True), (10_000, 1, 0.2140, True), (100_000, 4, 0.5346, True),
     (10_000, 4, 4.0, False)],
)  # fmt: skip
def test_shuffled_reports(people, epsilon, central, applies):
    found = shuffled(float(epsilon), people, 1e-6)
    assert found.epsilon == pytest.approx(central, abs=5e-5)
    assert found.to_json()["applies"] is applies
    with pytest.raises(ParameterError, match=r"Delta is 0\.5"):
        shuffled(1.0, people, 0.5)
