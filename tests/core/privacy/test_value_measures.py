"""Properties of the measures of attributes with values, over matrices and priors of any kind."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Custom, Identity, Uniform
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.privacy.assess import assess_attribute
from ppworkbench.core.privacy.attack import attack_success
from ppworkbench.core.privacy.basic import basic_privacy
from ppworkbench.core.privacy.conditional import conditional_privacy
from ppworkbench.core.privacy.entropy import entropy_privacy
from ppworkbench.core.privacy.epsilon import amplification
from ppworkbench.core.privacy.epsilon import epsilon as matrix_epsilon
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.privacy.posterior import breach, largest_rise, worst_posterior
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.pse import group_pse, pse_of_share
from ppworkbench.core.privacy.reading import percent
from ppworkbench.core.privacy.reinterrogation import (
    reconstruction_probability,
    reinterrogation_privacy,
)

probability = st.floats(0, 1, allow_subnormal=False)
weight = st.one_of(st.just(0.0), st.floats(1e-6, 1))


@st.composite
def distributions(draw: st.DrawFn, k: int) -> np.ndarray:
    weights = np.array(draw(st.lists(weight, min_size=k, max_size=k)))
    weights[draw(st.integers(0, k - 1))] += 0.1
    return weights / weights.sum()


@st.composite
def joints(draw: st.DrawFn, least: int = 1) -> Joint:
    k = draw(st.integers(least, 6))
    matrix = np.column_stack([draw(distributions(k)) for _ in range(k)])
    return Joint.of(matrix, draw(distributions(k)))


def values(k: int) -> Attribute:
    return Attribute("asked", Kind.NOMINAL, tuple(f"v{i}" for i in range(k)))


@given(joints())
def test_that_entropy_measures_stay_within_their_bounds(seen: Joint) -> None:
    k = len(seen.prior)
    left = conditional_privacy(seen)
    assert 1 <= left.after <= left.before * (1 + 1e-12)
    assert left.before <= k * (1 + 1e-12)
    assert 0 <= left.loss <= 1 - 1 / k + 1e-12
    assert left.loss == pytest.approx(1 - left.after / left.before, abs=1e-9)
    assert 1 <= entropy_privacy(seen) <= k * (1 + 1e-12)


@given(joints())
def test_that_the_best_guess_lies_between_the_blind_one_and_the_worst_posterior(
    seen: Joint,
) -> None:
    guess = attack_success(seen)
    worst = worst_posterior(seen).after
    assert seen.prior.max() <= guess.success <= 1
    assert guess.success <= worst + 1e-12
    assert guess.surest == pytest.approx(worst)


@given(joints())
def test_that_beliefs_follow_from_bayes_rule(seen: Joint) -> None:
    for belief in (worst_posterior(seen), largest_rise(seen)):
        r, c = belief.published, belief.true
        expected = seen.matrix[r, c] * seen.prior[c] / (seen.matrix[r] @ seen.prior)
        assert belief.after == pytest.approx(expected)
        assert belief.before == seen.prior[c]
    rises = [
        seen.matrix[r, c] * seen.prior[c] / (seen.matrix[r] @ seen.prior) - seen.prior[c]
        for r in range(len(seen.matrix))
        if seen.matrix[r] @ seen.prior > 0
        for c in range(len(seen.prior))
    ]
    found = largest_rise(seen)
    assert found.after - found.before == pytest.approx(max(rises))


@given(joints())
def test_that_a_breach_that_amplification_excludes_never_happens(seen: Joint) -> None:
    found = breach(seen, unlikely=0.3)
    if found is None:
        assert not np.any((seen.prior > 0) & (seen.prior <= 0.3))
    elif amplification(seen.matrix) < (0.6 * (1 - 0.3)) / (0.3 * (1 - 0.6)):
        assert found.after < 0.6


@given(st.integers(1, 6), st.data())
def test_that_a_matrix_of_equal_columns_tells_nothing(k: int, data: st.DataObject) -> None:
    column, prior = data.draw(distributions(k)), data.draw(distributions(k))
    seen = Joint.of(np.tile(column[:, None], (1, k)), prior)
    left = conditional_privacy(seen)
    assert left.after == pytest.approx(left.before)
    assert left.loss == pytest.approx(0, abs=1e-9)
    assert matrix_epsilon(seen.matrix) == 0
    assert attack_success(seen).success == pytest.approx(prior.max())


@given(st.integers(2, 8), st.floats(0, 1), st.floats(0, 1))
def test_that_epsilon_falls_as_keep_falls(k: int, one: float, other: float) -> None:
    low, high = sorted(1 / k + (1 - 1 / k) * share for share in (one, other))
    lower = matrix_epsilon(Uniform(keep=min(low, 1.0)).matrix(k))
    higher = matrix_epsilon(Uniform(keep=min(high, 1.0)).matrix(k))
    assert lower <= higher + 1e-9


@given(st.integers(2, 8), st.floats(0.01, 5))
def test_that_generalised_randomised_response_has_the_epsilon_it_is_made_for(
    k: int, epsilon: float
) -> None:
    keep = math.exp(epsilon) / (math.exp(epsilon) + k - 1)
    assert matrix_epsilon(Uniform(keep=keep).matrix(k)) == pytest.approx(epsilon)


@given(probability, probability, probability)
def test_that_basic_privacy_is_a_probability_and_reinterrogation_of_the_item_alone(
    support: float, keep_one: float, keep_zero: float
) -> None:
    value = basic_privacy(support, keep_one, keep_zero)
    assert 0 <= value <= 1
    channel = [[keep_zero, 1 - keep_one], [1 - keep_zero, keep_one]]
    alone = reinterrogation_privacy([(("i",), [1 - support, support])], {"i": channel})
    assert alone.minimum == pytest.approx(value, abs=1e-9)
    assert alone.mean == alone.minimum


@given(st.data(), st.integers(1, 3))
def test_that_reinterrogation_follows_from_its_definition(data: st.DataObject, n: int) -> None:
    pattern = data.draw(distributions(2**n))
    keeps = [data.draw(st.tuples(probability, probability)) for _ in range(n)]
    ways = [np.array([[q, 1 - p], [1 - q, p]]) for p, q in keeps]
    whole = np.ones((1, 1))
    for way in ways:
        whole = np.kron(whole, way)
    found = reconstruction_probability(pattern, ways)
    for i in range(n):
        present = np.array([(o >> (n - 1 - i)) & 1 for o in range(2**n)], bool)
        with_item = whole[:, present] @ pattern[present]
        seen = whole @ pattern
        support = pattern[present].sum()
        expected = 0.0
        for d in range(2**n):
            if seen[d] > 0 and support > 0:
                expected += with_item[d] / support * (with_item[d] / seen[d])
        assert found[i] == pytest.approx(expected, abs=1e-9)


def test_that_reinterrogation_takes_the_itemset_that_reveals_most() -> None:
    channel = [[0.9, 0.1], [0.1, 0.9]]
    sets = [
        (("a",), [0.9, 0.1]),
        (("b",), [0.9, 0.1]),
        (("a", "b"), [0.9, 0.0, 0.0, 0.1]),
        (("c",), [0.5, 0.5]),
    ]
    found = reinterrogation_privacy(sets, {"a": channel, "b": channel, "c": channel})
    by_name = {one.item: one for one in found.items}
    assert by_name["a"].itemset == ("a", "b")
    assert by_name["a"].privacy < basic_privacy(0.1, 0.9, 0.9)
    assert by_name["c"].privacy == pytest.approx(basic_privacy(0.5, 0.9, 0.9))
    assert found.minimum == min(one.privacy for one in found.items)
    assert found.mean == pytest.approx(np.mean([one.privacy for one in found.items]))


@pytest.mark.parametrize(
    ("sets", "channels", "words"),
    [
        ([], {}, "no itemsets"),
        ([(("a",), [0.5, 0.5])], {}, "'a' has no transition matrix"),
        ([(("a",), [0.2, 0.3, 0.5])], {"a": np.eye(2)}, "2 patterns, not 3"),
        ([(("a",), [-0.1, 0.0])], {"a": np.eye(2)}, "no probability"),
    ],
)
def test_that_reinterrogation_says_what_is_wrong(sets: list, channels: dict, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        reinterrogation_privacy(sets, channels)


@given(probability, probability, probability)
def test_that_pse_is_the_chance_that_a_guess_from_the_posterior_is_wrong(
    share: float, theta: float, personal: float
) -> None:
    one = np.array([1 - theta - (1 - theta) * personal, theta + (1 - theta) * personal])
    zero = np.array([1 - (1 - theta) * personal, (1 - theta) * personal])
    expected = 0.0
    for r in (0, 1):
        total = share * one[r] + (1 - share) * zero[r]
        if total > 0:
            expected += share * one[r] * (1 - share) * zero[r] / total * 2
    found = pse_of_share(share, float(one[1]), float(zero[1]))
    assert found == pytest.approx(expected, abs=1e-12)
    assert 0 <= found <= 0.5


def test_that_pse_of_a_group_is_its_smallest() -> None:
    assert group_pse([0.3, 0.2, 0.4]) == 0.2


@pytest.mark.parametrize("k", [1, 2, 5])
def test_that_an_undistorted_answer_is_always_guessed(k: int) -> None:
    report = assess_attribute((values(k), Identity()))
    assert report.privacy["attack_success"].value == 1
    assert report.privacy["worst_posterior"].value == 1
    assert report.privacy["epsilon"].value == (math.inf if k > 1 else 0)
    assert report.privacy["conditional"].value == 1


@given(joints())
def test_that_no_report_holds_nan_or_warns(seen: Joint) -> None:
    attribute = values(len(seen.prior))
    prior = Prior.from_weights(attribute, seen.prior)
    report = assess_attribute((attribute, Custom.of(seen.matrix)), prior)
    for reading in report.privacy:
        assert not math.isnan(reading.value)
        assert reading.sentence.endswith(".")
        assert "nan" not in reading.sentence
        assert "anonymous" not in reading.sentence


@given(st.floats(0, 1))
def test_that_percent_says_certain_only_where_it_is(share: float) -> None:
    text = percent(share)
    if text == "0 %":
        assert share < 1e-12
    if text == "100 %":
        assert share > 1 - 1e-12
    digits = [float(word) for word in text.split() if word[0].isdigit()]
    assert digits[0] == pytest.approx(100 * share, abs=0.5)
