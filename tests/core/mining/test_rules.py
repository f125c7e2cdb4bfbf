"""Rules of frequent sets, and the errors of what was mined."""

import dataclasses

import numpy as np
import pytest
from shopping import as_dict, binary_items, distorted, structured

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.itemsets import Itemsets, SetList
from ppworkbench.core.mining import (
    Apriori,
    Mask,
    RuleParams,
    ShrinkageMask,
    find_rules,
    length_errors,
    match,
    mine,
    mined_privacy,
)
from ppworkbench.core.mining.reinterrogation import pattern_shares, subset_places, subset_supports
from ppworkbench.core.progress import Cancelled

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def shown():
    return structured(items=8, rows=3000)


def listed(rules):
    return {(rules.left.set_at(i), rules.right.set_at(i)): i for i in range(len(rules))}


def test_that_rules_of_undistorted_answers_have_the_textbook_figures(shown):
    data = binary_items(shown)
    result = mine(data, Apriori(min_support=0.05, confidence=0.95))
    rules = find_rules(result, data, RuleParams(min_confidence=0.4, then_items=3))
    n = shown.shape[1]
    assert len(rules) > 30
    for (left, right), i in listed(rules).items():
        base = shown[list(left)].all(axis=0)
        both = base & shown[list(right)].all(axis=0)
        confidence = both.sum() / base.sum()
        assert rules.support[i] == pytest.approx(both.mean())
        assert rules.confidence[i] == pytest.approx(confidence)
        assert rules.lift[i] == pytest.approx(confidence / shown[list(right)].all(axis=0).mean())
        error = np.sqrt(confidence * (1 - confidence) / base.sum())
        assert rules.standard_error[i] == pytest.approx(error * np.sqrt(n / (n - 1)), rel=1e-6)
    assert np.all(np.diff(rules.confidence) <= 1e-12)


def test_that_all_rules_above_the_minimum_are_found(shown):
    data = binary_items(shown)
    result = mine(data, Apriori(min_support=0.05))
    found = as_dict(result.itemsets)
    rules = listed(find_rules(result, data, RuleParams(min_confidence=0.5)))
    expected = {
        (tuple(x for x in one if x != then), (then,))
        for one, support in found.items()
        if len(one) > 1
        for then in one
        if support / found[tuple(x for x in one if x != then)] >= 0.5
    }
    assert rules.keys() == expected


def test_that_the_last_digits_of_supports_do_not_order_equal_rules():
    shown = np.array([[i >> k & 1 for i in range(64)] for k in range(4)], bool)
    data = binary_items(shown)
    result = mine(data, Apriori(min_support=0.1))
    expected = listed(find_rules(result, data, RuleParams(min_confidence=0.3)))
    sets, rng = result.itemsets, np.random.default_rng(1)
    raw = sets.raw * (1 + 1e-15 * rng.integers(-3, 4, len(sets)))
    assert np.any(raw != sets.raw)
    other = dataclasses.replace(result, itemsets=dataclasses.replace(sets, raw=raw))
    found = listed(find_rules(other, data, RuleParams(min_confidence=0.3)))
    assert list(found) == list(expected)
    assert len(found) > 20


@pytest.mark.slow
def test_that_a_confidence_error_is_its_spread_over_distortions():
    """Records and distortion anew 300 times: the spread is known to 4 %."""
    rng = np.random.default_rng(9)
    confidences, errors = [], []
    for _ in range(300):
        shown = rng.random((3, 3000)) < 0.5
        shown[2] |= shown[0] & shown[1]
        data = binary_items(distorted(shown, 0.7, 0.85, rng), 0.7, 0.85)
        rules = find_rules(mine(data, Mask(min_support=0.01)), data, RuleParams(min_confidence=0.0))
        at = listed(rules)[(0, 2), (1,)]
        confidences.append(rules.confidence[at])
        errors.append(rules.standard_error[at])
    assert np.mean(errors) == pytest.approx(np.std(confidences, ddof=1), rel=0.12)


def test_that_rules_of_shrunk_sets_have_finite_errors(shown):
    data = binary_items(distorted(shown, 0.6, 0.9, np.random.default_rng(1)), 0.6, 0.9)
    rules = find_rules(mine(data, ShrinkageMask(min_support=0.05)), data)
    assert len(rules)
    assert np.all(np.isfinite(rules.standard_error))
    assert np.all((rules.low <= rules.confidence) & (rules.confidence <= rules.high))
    assert set(rules.to_json()[0]) >= {"if", "then", "support", "confidence", "lift"}


@pytest.mark.parametrize("miner", [Mask(min_support=0.05), ShrinkageMask(min_support=0.05)])
def test_that_a_confidence_above_one_still_has_an_interval(miner):
    rng = np.random.default_rng(4)
    shown = rng.random((5, 500)) < 0.4
    # Who has the first item has all others: chance takes half of these confidences above 1.
    shown[1:] |= shown[0]
    data = binary_items(distorted(shown, 0.6, 0.8, rng), 0.6, 0.8)
    rules = find_rules(mine(data, miner), data, RuleParams(min_confidence=0.9))
    whole = rules.confidence == 1.0
    assert whole.any()
    assert np.all(rules.high[whole] == 1.0)
    assert np.all(rules.low[whole] < 1.0)


def test_that_rules_can_be_stopped_while_their_errors_are_worked_out(shown):
    data = binary_items(distorted(shown, 0.6, 0.9, np.random.default_rng(1)), 0.6, 0.9)
    result = mine(data, Mask(min_support=0.05))

    def stop(done, message=""):
        if message.startswith("Errors"):
            raise Cancelled

    with pytest.raises(Cancelled):
        find_rules(result, data, progress=stop)


def test_that_too_many_rules_end_with_a_note(shown):
    data = binary_items(shown)
    result = mine(data, Apriori(min_support=0.01))
    rules = find_rules(result, data, RuleParams(min_confidence=0.0, rule_limit=10))
    assert "more than 10 rules" in rules.notes[0]


def test_that_no_sets_give_no_rules(shown):
    data = binary_items(shown)
    assert len(find_rules(mine(data, Apriori(min_support=1.0)), data)) == 0


def sets_of(entries):
    items = binary_items(np.zeros((5, 1))).items
    listed = SetList.of(items, entries)
    raw = np.array(list(entries.values()), float)
    return Itemsets(items, listed.members, listed.offsets, raw, raw, raw, raw)


def test_that_error_measures_follow_their_definitions():
    true = sets_of({(0,): 0.5, (1,): 0.4, (2,): 0.3, (0, 1): 0.2, (1, 2): 0.1})
    found = sets_of({(0,): 0.4, (1,): 0.5, (3,): 0.3, (0, 1): 0.3, (0, 2): 0.2, (0, 1, 2): 0.2})
    errors = length_errors(found, true)
    assert errors.lengths.tolist() == [1, 2, 3]
    assert errors.true.tolist() == [3, 2, 0]
    assert errors.found.tolist() == [3, 2, 1]
    assert errors.correct.tolist() == [2, 1, 0]
    assert errors.support_error[:2] == pytest.approx([(20 + 25) / 2, 50])
    assert errors.false_negative[:2] == pytest.approx([100 / 3, 50])
    assert errors.false_positive[:2] == pytest.approx([100 / 3, 50])
    assert errors.f1 == pytest.approx([2 / 3, 0.5, 0])
    assert np.isnan(errors.false_positive[2])
    assert errors.to_json()[2]["false_positive"] is None
    assert match(found, true).tolist() == [0, 1, -1, 3, -1, -1]


def test_that_patterns_follow_from_the_supports_of_all_subsets(shown):
    result = mine(binary_items(shown), Apriori(min_support=0.001))
    _, members = result.itemsets.of_length(3)
    places = subset_places(result.itemsets, members)
    shares = pattern_shares(subset_supports(result.itemsets, places))
    assert shares.sum(axis=1) == pytest.approx(np.ones(len(members)))
    a, b, c = shown[members[0]]
    assert shares[0, 0b101] == pytest.approx((a & ~b & c).mean())


def test_that_mined_sets_reveal_more_than_single_items(shown):
    data = binary_items(distorted(shown, 0.6, 0.9, np.random.default_rng(1)), 0.6, 0.9)
    single = mined_privacy(mine(data, Mask(min_support=0.05, max_length=1)), data)
    longer = mined_privacy(mine(data, Mask(min_support=0.05)), data)
    alone = {one.item: one.privacy for one in single.items}
    for one in longer.items:
        assert one.privacy <= alone[one.item] + 1e-12
    assert longer.mean < single.mean


def test_that_the_privacy_of_a_single_item_is_basic_privacy():
    """Section 4.6.2 of the thesis: p 0.5 and q 0.87 leave 81 % where items are rare enough."""
    shown = np.zeros((1, 10_000), bool)
    shown[0, :1000] = True
    data = binary_items(shown, 0.5, 0.87)
    support = mine(data, Mask(min_support=1e-6, max_length=1))
    truth = binary_items(shown)
    result = mine(truth, Apriori(min_support=0.01))
    assert mined_privacy(result, data).minimum == pytest.approx(0.82, abs=0.001)
    assert len(support.itemsets) <= 1


def test_that_nothing_mined_cannot_be_reinterrogated(shown):
    data = binary_items(shown)
    with pytest.raises(ParameterError, match="lower minimum support"):
        mined_privacy(mine(data, Apriori(min_support=1.0)), data)
