"""The search for frequent sets: the same numbers on every way to them."""

from itertools import combinations

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from mask_patterns import invert_patterns, pattern_counts, recursive_estimate
from shopping import as_dict, binary_items, distorted, frequent_sets, structured

from ppworkbench.core.itemsets import Limits, SetList, item_data, search, supports
from ppworkbench.core.itemsets.choosing import choose_kernel, choose_transactions
from ppworkbench.core.itemsets.measures import GradedForm
from ppworkbench.core.itemsets.reduction import Reduction
from ppworkbench.core.itemsets.search import KERNELS, Verdict
from ppworkbench.core.progress import Cancelled, StoppableProgress


@pytest.fixture(scope="module")
def shown():
    return structured()


@pytest.fixture
def compiled():
    """Compiled loops for one test; all others run without them."""
    for kernel in KERNELS:
        assert kernel.compile()
    yield
    for kernel in KERNELS:
        kernel.compiled = None


def keep_all(measured):
    return Verdict(np.ones(len(measured.raw), bool), measured.raw, measured.error)


@st.composite
def distorted_columns(draw):
    items = draw(st.integers(1, 5))
    keep = st.floats(0.55, 1.0)
    p = draw(st.lists(keep, min_size=items, max_size=items))
    q = draw(st.lists(keep, min_size=items, max_size=items))
    rows = draw(st.integers(1, 130))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    return rng.random((items, rows)) < rng.uniform(0.2, 0.9, (items, 1)), p, q


@examples(1.5)
@given(distorted_columns())
def test_that_product_form_inversion_and_recursion_agree(given_columns):
    """The engine, the record-wise form, the 2^n inversion and RE, on any data with any p and q."""
    shown, p, q = given_columns
    data = binary_items(shown, p, q)
    rows = shown.shape[1]
    found = as_dict(search(data, keep_all).itemsets(data, 1.0))
    sets = [
        one for size in range(1, len(shown) + 1) for one in combinations(range(len(shown)), size)
    ]
    assert sorted(found) == sorted(sets)
    listed = SetList.of(data.items, sets)
    by_records = supports(data, listed).raw
    for one, direct in zip(sets, by_records, strict=True):
        columns = shown[list(one)].T
        keep_one, keep_zero = np.array(p)[list(one)], np.array(q)[list(one)]
        inverted = invert_patterns(pattern_counts(columns), keep_one, keep_zero)[-1]
        scale = max(1.0, np.prod(1 / (keep_one + keep_zero - 1)))
        assert found[one] * rows == pytest.approx(inverted, abs=1e-9 * rows * scale)
        assert direct == pytest.approx(found[one], abs=1e-9 * scale)
        recursive = recursive_estimate(columns, keep_one, keep_zero)
        assert recursive == pytest.approx(inverted, abs=1e-9 * rows * scale)


def test_that_the_engine_on_graded_weights_gives_the_same_as_on_bits(shown):
    data = binary_items(shown, 0.7, 0.9)
    bits = search(data, keep_all, Limits(4)).itemsets(data, 1.0)
    graded = search(data, keep_all, Limits(4), measure=GradedForm(data)).itemsets(data, 1.0)
    assert graded.raw == pytest.approx(bits.raw, abs=1e-12)
    assert graded.standard_error == pytest.approx(bits.standard_error, rel=1e-9, abs=1e-9)


def test_that_candidates_are_the_sets_all_of_whose_subsets_are_frequent(shown):
    data = binary_items(shown)
    seen = {}

    def judge(measured):
        members = measured.candidates.members(measured.frontier)
        seen[measured.length] = {tuple(row) for row in members.tolist()}
        return Verdict(measured.raw >= 0.1, measured.raw, measured.error)

    found = as_dict(search(data, judge).itemsets(data, 1.0))
    for length in range(2, max(seen) + 1):
        expected = {
            one
            for one in combinations(range(len(shown)), length)
            if all(part in found for part in combinations(one, length - 1))
        }
        assert seen[length] == expected
    everything = {
        one
        for size in range(1, len(shown) + 1)
        for one in combinations(range(len(shown)), size)
        if shown[list(one)].all(axis=0).mean() >= 0.1
    }
    assert set(found) == everything


def test_that_values_of_one_attribute_are_never_combined():
    from ppworkbench.core.data.samples import load_sample

    data = item_data(load_sample("weather"))
    found = frequent_sets(data, 1 / 14)
    assert len(found) > 50
    for one in found:
        attributes = [data.items[i].attribute for i in one]
        assert len(set(attributes)) == len(attributes)


def test_that_compiled_loops_and_numpy_agree_exactly(shown, compiled):
    published = distorted(shown, 0.6, 0.9, np.random.default_rng(1))
    data = binary_items(published, 0.6, 0.9)
    results = []
    for ready in (True, False):
        if not ready:
            for kernel in KERNELS:
                kernel.compiled = None
        ways = (None, Reduction(data, 2))
        results += [frequent_sets(data, 0.02, measure=measure) for measure in ways]
    for with_loops, without in ((results[0], results[2]), (results[1], results[3])):
        assert len(with_loops) > 50
        assert np.array_equal(with_loops.members, without.members)
        assert with_loops.raw == pytest.approx(without.raw, abs=1e-12)
        assert with_loops.standard_error == pytest.approx(
            without.standard_error, rel=1e-9, nan_ok=True
        )


def test_that_counting_inside_the_records_of_the_first_item_changes_nothing(
    shown, compiled, monkeypatch
):
    data = binary_items(distorted(shown, 0.6, 0.9, np.random.default_rng(1)), 0.6, 0.9)
    plain = frequent_sets(data, 0.02)
    monkeypatch.setattr("ppworkbench.core.itemsets.counting._WORTH_PROJECTING", 1)
    for ready in (True, False):
        if not ready:
            for kernel in KERNELS:
                kernel.compiled = None
        projected = frequent_sets(data, 0.02)
        assert np.array_equal(projected.members, plain.members)
        assert np.array_equal(projected.raw, plain.raw)


def test_that_both_ways_to_choose_transactions_choose_the_same(compiled):
    rng = np.random.default_rng(5)
    data = binary_items(rng.random((3, 1000)) < 0.3, [0.5, 0.8, 0.6], 0.9)
    items, keep_one = np.arange(3, dtype=np.int32), data.keep_one
    for wanted in (0, 1, 10, 300, 999, 1000, 5000):
        fast = choose_transactions(data.bits, 1000, items, keep_one, wanted)
        ready, choose_kernel.compiled = choose_kernel.compiled, None
        slow = choose_transactions(data.bits, 1000, items, keep_one, wanted)
        choose_kernel.compiled = ready
        assert len(fast) == min(wanted, 1000)
        assert np.array_equal(fast, slow)


@pytest.mark.slow
def test_that_standard_errors_are_the_spread_of_estimates():
    """Records and distortion drawn anew 500 times: the spread itself is known to 3 %."""
    rng = np.random.default_rng(8)
    p, q = np.array([0.6, 0.7, 0.8, 0.9]), np.array([0.9, 0.85, 0.8, 0.95])
    sets = SetList.of(binary_items(np.zeros((4, 1))).items, [(0,), (1, 2), (0, 1, 3), (0, 1, 2, 3)])
    raw, errors = [], []
    for _ in range(500):
        shown = rng.random((4, 1500)) < 0.4
        shown[1:] |= shown[0] & (rng.random((3, 1500)) < 0.5)
        found = supports(binary_items(distorted(shown, p, q, rng), p, q), sets)
        raw.append(found.raw)
        errors.append(found.standard_error)
    spread = np.std(raw, axis=0, ddof=1)
    ratio = np.mean(errors, axis=0) / spread
    assert ratio.mean() == pytest.approx(1.0, abs=0.05)
    assert np.all(np.abs(ratio - 1) < 3 / np.sqrt(2 * 500))


def test_that_a_search_stops_when_asked_and_reports_rising_progress(shown):
    data = binary_items(shown)
    reports = []
    frequent_sets(
        data, 0.05, progress=StoppableProgress(lambda done, text: reports.append((done, text)))
    )
    shares = [share for share, _ in reports]
    assert shares == sorted(shares)
    assert shares[-1] < 1
    assert any(text.startswith("Length 3: ") for _, text in reports)
    stopping = StoppableProgress()
    stopping.stop()
    with pytest.raises(Cancelled):
        frequent_sets(data, 0.05, progress=stopping)


def test_that_supports_of_any_sets_need_no_subsets():
    shown = np.random.default_rng(1).random((12, 300)) < 0.8
    data = binary_items(shown)
    whole = tuple(range(12))
    found = supports(data, SetList.of(data.items, [whole, (), (3, 5)]))
    assert found.raw[0] == pytest.approx(shown.all(axis=0).mean())
    assert found.raw[1] == 1.0
    assert found.raw[2] == pytest.approx((shown[3] & shown[5]).mean())


def test_that_sets_are_located_by_their_members():
    data = binary_items(np.zeros((300, 1)))
    many = [tuple(range(start, start + 9)) for start in range(0, 200, 7)]
    sets = SetList.of(data.items, [*many, (1, 2), (4,)])
    assert sets.locate(np.array(many[::-1])).tolist() == list(range(len(many)))[::-1]
    assert sets.locate(np.array([[1, 2], [1, 3]])).tolist() == [len(many), -1]
    assert sets.locate(np.array([[1, 2, 3]])).tolist() == [-1]
