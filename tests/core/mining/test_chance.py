"""What chance alone brings, and which rules are more than that."""

import numpy as np
import pytest
from scipy.stats import hypergeom
from shopping import binary_items, distorted

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.mining import (
    Apriori,
    Mask,
    RuleParams,
    ShrinkageMask,
    expected_by_chance,
    find_rules,
    mine,
)
from ppworkbench.core.mining.chance import independent_copy
from ppworkbench.core.mining.dependence import kept_rules, possible_rules

pytestmark = pytest.mark.thorough

LEVEL = 0.05


def independent(rng: np.random.Generator, rows: int = 500, items: int = 8) -> np.ndarray:
    return rng.random((items, rows)) < np.linspace(0.15, 0.5, items)[:, None]


def dependent(rng: np.random.Generator, rows: int = 1500) -> np.ndarray:
    """The first item brings the second with 90 %; the others have nothing to do with anything."""
    shown = independent(rng, rows)
    shown[1] = np.where(shown[0], rng.random(rows) < 0.9, rng.random(rows) < 0.2)
    return shown


def published(shown: np.ndarray, seed: int, p: float = 0.8, q: float = 0.9) -> ItemData:
    return binary_items(distorted(shown, p, q, np.random.default_rng(seed)), p, q)


def test_that_twelve_independent_items_bring_about_as_many_rules_as_chance():
    data = binary_items(np.random.default_rng(1).random((12, 1000)) < 0.5)
    found = mine(data, Apriori(min_support=0.0005))
    limits = RuleParams(min_confidence=0.4)
    rules = find_rules(found, data, limits)
    chance = expected_by_chance(data, found, limits)
    assert len(rules) > 10_000
    assert chance.rules == pytest.approx(len(rules), rel=0.2)
    assert chance.itemsets == pytest.approx((found.itemsets.lengths > 1).sum(), rel=0.1)
    strict = RuleParams(min_confidence=0.4, false_discovery=LEVEL)
    kept = find_rules(found, data, strict)
    assert (len(kept), kept.reached) == (0, len(rules))


@pytest.mark.parametrize("miner", [Mask(min_support=0.02), ShrinkageMask(min_support=0.02)])
def test_that_true_dependence_is_more_than_chance_brings(miner):
    data = published(dependent(np.random.default_rng(2)), 3)
    found = mine(data, miner)
    limits = RuleParams(min_confidence=0.6)
    rules, chance = find_rules(found, data, limits), expected_by_chance(data, found, limits)
    assert chance.rules < 0.5 * len(rules)


def test_that_an_independent_copy_keeps_every_item_and_no_pair():
    data = published(dependent(np.random.default_rng(4), 4000), 5)
    copy = independent_copy(data, 0)
    assert copy.counts.tolist() == data.counts.tolist()
    first, second = copy.shown()[:2]
    together, apart = (first & second).mean(), first.mean() * second.mean()
    error = np.sqrt(apart * (1 - apart) / 4000)
    assert abs(together - apart) < 4 * error
    assert abs((data.shown()[0] & data.shown()[1]).mean() - apart) > 10 * error


def test_that_a_copy_of_weighted_records_keeps_the_weighted_shares():
    rng = np.random.default_rng(6)
    shown = independent(rng, 20_000)
    weights = np.where(shown[0], 3.0, 1.0)
    data = binary_items(shown).weighted(weights)
    copy = independent_copy(data, 0)
    true = (shown @ weights) / weights.sum()
    drawn = (copy.shown() @ weights) / weights.sum()
    error = np.sqrt(true * (1 - true) / data.effective_rows)
    assert np.all(np.abs(drawn - true) < 4 * np.sqrt(2) * error)


@pytest.mark.parametrize(("p", "q"), [(1.0, 1.0), (0.8, 0.9), (0.5, 0.87)])
def test_that_independent_items_leave_a_rule_in_at_most_one_of_twenty_surveys(p, q):
    left = 0
    surveys = 60
    for seed in range(surveys):
        shown = independent(np.random.default_rng(seed))
        data = published(shown, 1000 + seed, p, q) if p < 1 else binary_items(shown)
        found = mine(data, Mask(min_support=0.01, max_length=4))
        limits = RuleParams(min_confidence=0.0, false_discovery=LEVEL)
        left += bool(len(find_rules(found, data, limits)))
    # Three standard errors above the level.
    assert left / surveys <= LEVEL + 3 * np.sqrt(LEVEL * (1 - LEVEL) / surveys)


def test_that_true_rules_survive_and_hardly_any_other():
    false, kept, missed = 0, 0, 0
    for seed in range(30):
        data = published(dependent(np.random.default_rng(seed)), 500 + seed)
        found = mine(data, Mask(min_support=0.02, max_length=3))
        limits = RuleParams(min_confidence=0.0, false_discovery=LEVEL)
        rules = find_rules(found, data, limits)
        sides = [
            {*rules.left.set_at(i), *rules.right.set_at(i)} for i in range(len(rules))
        ]  # fmt: skip
        # A rule is true if its sides hold one of the two each.
        split = [
            (0 in rules.left.set_at(i)) != (0 in rules.right.set_at(i))
            and (1 in rules.left.set_at(i)) != (1 in rules.right.set_at(i))
            and {0, 1} <= both
            for i, both in enumerate(sides)
        ]
        kept += len(rules)
        false += len(rules) - sum(split)
        missed += {0, 1} not in sides
        assert rules.p is not None
        assert np.all(np.diff(np.sort(rules.p)) >= 0)
    assert missed == 0
    assert false / kept <= LEVEL


def test_that_the_test_of_a_plain_rule_is_near_fishers():
    rng = np.random.default_rng(7)
    shown = dependent(rng, 300)
    shown[1] = np.where(rng.random(300) < 0.2, shown[0], rng.random(300) < 0.3)
    data = binary_items(shown)
    found = mine(data, Apriori(min_support=0.01, max_length=2))
    limits = RuleParams(min_confidence=0.0, false_discovery=0.999)
    rules = find_rules(found, data, limits)
    assert rules.p is not None
    for i in range(len(rules)):
        a, b = shown[rules.left.set_at(i)[0]], shown[rules.right.set_at(i)[0]]
        exact = hypergeom.sf((a & b).sum() - 1, 300, a.sum(), b.sum())
        assert rules.p[i] == pytest.approx(exact, rel=0.3, abs=1e-12)


def test_that_all_pairs_of_frequent_sides_count_as_tests():
    data = binary_items(np.ones((4, 50), bool))
    found = mine(data, Apriori(min_support=0.5))
    # Every non-empty set of the other three on the left of each of the four.
    assert possible_rules(found.itemsets, data.blocks, 20, 1) == 4 * 7
    assert possible_rules(found.itemsets, data.blocks, 2, 1) == 4 * 3


def test_that_the_limit_falls_with_the_number_of_tests():
    p = np.array([0.001, 0.3])
    assert kept_rules(p, LEVEL, 2).tolist() == [True, False]
    assert kept_rules(p, LEVEL, 200).tolist() == [False, False]
    assert kept_rules(np.zeros(0), LEVEL, 10).tolist() == []


def test_that_a_false_discovery_rate_is_a_share():
    with pytest.raises(ParameterError, match="False discoveries is 1"):
        RuleParams(false_discovery=1.0)
