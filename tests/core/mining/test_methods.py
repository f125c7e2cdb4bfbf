"""What tells the methods of mining apart."""

import numpy as np
import pytest
from shopping import as_dict, binary_items, distorted, structured

from ppworkbench.core.itemsets.choosing import choose_transactions
from ppworkbench.core.mining import (
    Apriori,
    Mask,
    Mmask,
    ShrinkageMask,
    find_rules,
    length_errors,
    mine,
)
from ppworkbench.core.mining.mask import NO_INTERVAL
from ppworkbench.core.mining.shrinkage import Spread, SubsetSums, signs

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def shown():
    return structured(items=10, rows=4000)


@pytest.fixture(scope="module")
def published(shown):
    return binary_items(distorted(shown, 0.6, 0.9, np.random.default_rng(2)), 0.6, 0.9)


@pytest.fixture(scope="module")
def quest():
    shown = structured(items=40, rows=20_000, length=7, pattern=6, patterns=200)
    rng = np.random.default_rng(3)
    data = binary_items(distorted(shown, 0.5, 0.87, rng), 0.5, 0.87)
    truth = mine(binary_items(shown), Apriori(min_support=0.02))
    return shown, data, truth


def test_that_mmask_with_a_high_threshold_is_mask(published):
    longest = int(mine(published, Mask(min_support=0.03)).itemsets.lengths.max())
    mask = as_dict(mine(published, Mask(min_support=0.03)).itemsets)
    assert as_dict(mine(published, Mmask(min_support=0.03, r_threshold=longest)).itemsets) == mask
    assert as_dict(mine(published, Mmask(min_support=0.03, r_threshold=2)).itemsets) != mask


def test_that_mmask_measures_reduced_sets_inside_nested_transactions(published):
    """Threshold 2: {a,b,c} as {c} in D_ab; {a,b,c,d} as {c,d} in D_ab; five as {e} in D_abcd."""
    found = as_dict(mine(published, Mmask(min_support=0.02, r_threshold=2)).itemsets)
    bits = np.stack([published.shown()[i] for i in range(len(published))])
    weight = np.where(bits, published.present[:, None], published.absent[:, None])
    rows = published.rows

    def chosen(pair, support, among=None):
        items = np.array(pair, np.int32)
        wanted = round(support * rows)
        keep = published.keep_one[items]
        return choose_transactions(published.bits, rows, items, keep, wanted, among)

    longest = max(found, key=len)
    assert len(longest) >= 5
    a, b, c, d, e = longest[:5]
    places = chosen((a, b), found[a, b])
    assert found[a, b, c] == pytest.approx(weight[c, places].sum() / rows)
    assert found[a, b, c, d] == pytest.approx((weight[c] * weight[d])[places].sum() / rows)
    nested = chosen((c, d), found[a, b, c, d], places)
    assert set(nested) <= set(places)
    assert found[a, b, c, d, e] == pytest.approx(weight[e, nested].sum() / rows)


def test_that_relaxation_grows_at_every_reduction():
    miner = Mmask(min_support=0.1, r_threshold=3, relax=0.01, r_relax=0.02)
    assert [miner.relaxation(length) for length in (1, 3, 4, 6, 7)] == pytest.approx(
        [0.01, 0.01, 0.03, 0.03, 0.05]
    )


def test_that_relaxed_thresholds_are_divided_by_one_plus_the_relaxation(published):
    plain = as_dict(mine(published, Mmask(min_support=0.05, r_threshold=2)).itemsets)
    relaxed = mine(published, Mmask(min_support=0.05, r_threshold=2, relax=0.25)).itemsets
    as_lower = mine(published, Mmask(min_support=0.04, r_threshold=2)).itemsets
    assert as_dict(relaxed) == as_dict(as_lower)
    assert plain.keys() < set(relaxed)
    reduced = mine(published, Mmask(min_support=0.05, r_threshold=2, r_relax=0.25)).itemsets
    short = {one for one in plain if len(one) <= 2}
    assert {one for one in reduced if len(one) <= 2} == short
    assert min(v for one, v in as_dict(reduced).items() if len(one) in (3, 4)) < 0.05


def test_that_a_random_choice_is_repeatable_and_differs_from_the_first(published):
    def found(**settings):
        return as_dict(mine(published, Mmask(min_support=0.03, r_threshold=2, **settings)).itemsets)

    drawn = found(choice="random", choice_seed=1)
    assert drawn == found(choice="random", choice_seed=1)
    assert drawn != found(choice="random", choice_seed=2)
    assert drawn != found()
    # Up to the threshold nothing is chosen; shuffled records sum to the same.
    short = {one: v for one, v in found().items() if len(one) <= 2}
    assert {one: v for one, v in drawn.items() if len(one) <= 2} == pytest.approx(short)


def test_that_mmask_gives_no_error_where_records_are_selected(published):
    result = mine(published, Mmask(min_support=0.05, r_threshold=2))
    found, mask = result.itemsets, mine(published, Mask(min_support=0.05)).itemsets
    short = found.lengths <= 2
    assert np.isnan(found.standard_error[~short]).all()
    # Up to the threshold they are MASK's.
    assert found.standard_error[short] == pytest.approx(mask.standard_error[mask.lengths <= 2])
    assert [note.code for note in result.notes] == [NO_INTERVAL]
    document = result.to_json()
    errors = [one["standard_error"] for one in document["itemsets"]]
    assert [one is None for one in errors] == (~short).tolist()
    rules = find_rules(result, published)
    told = np.isfinite(rules.standard_error)
    assert np.array_equal(told, rules.left.lengths + rules.right.lengths <= 2)
    assert np.array_equal(told, np.isfinite(rules.low))
    assert [one["low"] is not None for one in rules.to_json()] == told.tolist()


def test_that_mmask_says_nothing_of_intervals_where_all_sets_have_one(published, shown):
    short = mine(published, Mmask(min_support=0.05, max_length=3))
    exact = mine(binary_items(shown), Mmask(min_support=0.05, r_threshold=1))
    for result in (short, exact):
        assert result.notes == ()
        assert np.isfinite(result.itemsets.standard_error).all()


@pytest.mark.slow
def test_that_intervals_of_mmask_hold_the_truth_and_that_none_could_beyond_its_threshold(shown):
    actual = as_dict(mine(binary_items(shown), Apriori(min_support=0.08, max_length=4)).itemsets)
    # Those well above the minimum are found in every draw: none is chosen for its estimate.
    draws: dict[tuple[int, ...], list[tuple[float, float, float]]] = {one: [] for one in actual}
    for seed in range(40):
        data = binary_items(distorted(shown, 0.6, 0.9, np.random.default_rng(seed)), 0.6, 0.9)
        found = mine(data, Mmask(min_support=0.02, max_length=4, confidence=0.9)).itemsets
        for i, one in enumerate(found):
            if one in draws:
                draws[one].append((found.raw[i], found.low[i], found.high[i]))
    held: dict[bool, list[float]] = {True: [], False: []}
    for one, rows in draws.items():
        raw, low, high = np.array(rows).T
        if len(one) > 3:
            # What the best resampling could give: the spread over the draws themselves.
            low, high = raw - 1.645 * raw.std(ddof=1), raw + 1.645 * raw.std(ddof=1)
        held[len(one) <= 3].append(float(np.mean((low <= actual[one]) & (actual[one] <= high))))
    assert np.mean(held[True]) == pytest.approx(0.9, abs=0.03)
    assert np.mean(held[False]) < 0.8


def test_that_surely_frequent_sets_are_probably_and_those_possibly_frequent(published):
    found = {
        how: set(mine(published, Mask(min_support=0.05, frequent=how)).itemsets)
        for how in ("surely", "probably", "possibly")
    }
    assert found["surely"] < found["probably"] < found["possibly"]


@pytest.mark.slow
def test_that_surely_frequent_sets_hardly_hold_a_wrong_one(quest):
    _, data, truth = quest
    true = set(truth.itemsets)
    surely = set(mine(data, Mask(min_support=0.02, frequent="surely")).itemsets)
    probably = set(mine(data, Mask(min_support=0.02)).itemsets)
    assert len(surely - true) <= 0.05 * len(surely)
    assert len(probably - true) > len(surely - true)


def test_that_different_items_may_have_different_p_and_q(shown):
    rng = np.random.default_rng(4)
    p, q = np.linspace(0.6, 0.9, 10), np.linspace(0.95, 0.8, 10)
    data = binary_items(distorted(shown, p, q, rng), p, q)
    found = mine(data, Mask(min_support=0.1)).itemsets
    actual = np.array([shown[list(one)].all(axis=0).mean() for one in found])
    assert np.all(np.abs(found.raw - actual) < 4.5 * found.standard_error)


def test_that_subset_sums_follow_from_those_of_shorter_sets():
    """All subsets of {0,1,2}, every set worth 10 to its number of items."""
    singles = SubsetSums(np.full((3, 1), 10))
    pairs = singles.inherited(np.array([[1, 0], [2, 0], [2, 1]]))
    assert pairs.tolist() == [[20]] * 3
    both = SubsetSums(np.column_stack([pairs, np.full(3, 100)]))
    assert both.inherited(np.array([[2, 1, 0]])).tolist() == [[30, 300]]


def test_that_signs_make_kirkwoods_closure():
    assert signs(2).tolist() == [1]
    assert signs(3).tolist() == [-1, 1]
    assert signs(4).tolist() == [1, -1, 1]


def test_that_the_spread_of_guesses_is_found_again():
    rng = np.random.default_rng(6)
    guess = rng.uniform(0.5, 4, 20_000) * 0.01
    true = Spread(size=0.2, power=1.5)
    noise = np.full(len(guess), 0.004**2)
    truth = guess + rng.normal(size=len(guess)) * np.sqrt(true.variance(guess, 0.01))
    raw = truth + rng.normal(size=len(guess)) * np.sqrt(noise)
    found = Spread().fitted(raw, guess, noise, np.zeros(len(guess)), 0.01)
    assert found.size == pytest.approx(0.2, rel=0.15)
    assert found.power == pytest.approx(1.5, abs=0.3)


@pytest.fixture(scope="module")
def errors(quest):
    """The errors of all methods; the full comparison is in the benchmark."""
    _, data, truth = quest
    methods = {
        "mask": Mask(min_support=0.02, max_length=4),
        "mmask 2": Mmask(min_support=0.02, max_length=4, r_threshold=2),
        "mmask 3": Mmask(min_support=0.02, max_length=4, r_threshold=3),
        "shrinkage": ShrinkageMask(min_support=0.02, max_length=4),
    }
    return {
        name: length_errors(mine(data, method).itemsets, truth.itemsets)
        for name, method in methods.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("other", ["mask", "mmask 2", "mmask 3"])
def test_that_shrinkage_identifies_frequent_sets_better_at_every_length(errors, other):
    assert np.all(errors["shrinkage"].f1[1:4] > errors[other].f1[1:4])


@pytest.mark.slow
def test_that_shrunk_supports_are_nearer_to_the_truth_than_masks(errors):
    ours, masks = errors["shrinkage"].support_error, errors["mask"].support_error
    assert np.all(ours[1:4] < masks[1:4])


@pytest.mark.slow
def test_that_masks_false_positives_explode_with_length_and_mmasks_do_not(errors):
    mask, mmask = errors["mask"].false_positive, errors["mmask 3"].false_positive
    assert mask[1] < mask[2] < mask[3]
    assert mask[3] > 2 * mmask[3]
    assert errors["mask"].support_error[3] > 2 * errors["mmask 3"].support_error[3]


@pytest.mark.slow
def test_that_shrunk_intervals_cover_the_truth(quest):
    shown, data, _ = quest
    found = mine(data, ShrinkageMask(min_support=0.02, confidence=0.9)).itemsets
    for length in (2, 3, 4):
        places, members = found.of_length(length)
        actual = np.array([shown[row].all(axis=0).mean() for row in members])
        covered = (found.low[places] <= actual) & (actual <= found.high[places])
        assert covered.mean() >= 0.8


@pytest.mark.slow
def test_that_a_lower_probability_keeps_more_sets(quest):
    _, data, _ = quest
    counts = [
        len(mine(data, ShrinkageMask(min_support=0.02, min_probability=p)).itemsets)
        for p in (0.8, 0.5, 0.2)
    ]
    assert counts == sorted(counts)
    half = mine(data, ShrinkageMask(min_support=0.02, min_probability=0.5)).itemsets
    assert half.raw.min() >= 0.02 * (1 - 1e-9)
