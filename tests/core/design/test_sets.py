"""Reports that are sets: their probabilities, how they are drawn, and how files hold them."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from examples import sweep
from scipy import stats

from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import QUESTION_KINDS, Attribute, Kind
from ppworkbench.core.data.edits import set_kind
from ppworkbench.core.data.files import codebook_of, read_table, write_table
from ppworkbench.core.data.options import WriteOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Design,
    DesignedAttribute,
    Subset,
    UnaryEncoding,
    Uniform,
)
from ppworkbench.core.design.distort import Distorter, distort
from ppworkbench.core.design.release import ReleaseOptions, release_table
from ppworkbench.core.design.sets import subset as drawing
from ppworkbench.core.design.sets.base import WeightedDraw, whole_numbers
from ppworkbench.core.design.sets.oue import other_cells
from ppworkbench.core.design.sets.subset import best_size, true_cells
from ppworkbench.core.design.shuffle import shuffled, shuffled_chunks
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.kernels import Kernel
from ppworkbench.core.rng import SecureStreams, SeededStreams
from ppworkbench.study.data_checks import summarise_column

WHOLE = 1 << 62


def question(k: int, name: str = "job") -> Attribute:
    return Attribute(name, Kind.NOMINAL, tuple(f"v{i}" for i in range(k)))


def keep_variance(epsilon: float, k: int) -> float:
    """The variance of a rare value under the uniform matrix."""
    return (math.exp(epsilon) + k - 2) / math.expm1(epsilon) ** 2


@pytest.mark.parametrize(
    ("epsilon", "k", "size", "variance"),
    [
        (0.5, 10, 4, 12.5661), (0.5, 20, 7, 14.0721), (0.5, 100, 38, 15.3399),
        (1, 10, 2, 2.8217), (1, 20, 5, 3.2238), (1, 100, 27, 3.5896),
        (2, 10, 1, 0.3770), (2, 20, 2, 0.5490), (2, 100, 12, 0.6899),
        (4, 10, 1, 0.0218), (4, 20, 1, 0.0253), (4, 100, 1, 0.0531),
    ],
)  # fmt: skip
def test_that_the_better_size_has_the_variance_of_the_table(epsilon, k, size, variance):
    naming = Subset(epsilon=epsilon).naming(k)
    assert naming.size == best_size(epsilon, k) == size
    assert float(naming.variance(0.0)) == pytest.approx(variance, abs=6e-5)


@pytest.mark.parametrize(
    ("epsilon", "variance", "wins", "beats"),
    [(0.5, 15.6708, 5, 7), (1, 3.6827, 7, 11), (2, 0.7241, 16, 25), (4, 0.0760, 111, 166)],
)
def test_that_sets_win_from_the_number_of_values_in_the_table(epsilon, variance, wins, beats):
    encoded = float(UnaryEncoding(epsilon=epsilon).naming(10).variance(0.0))
    assert encoded == pytest.approx(variance, abs=6e-5)
    better = [
        k
        for k in range(3, 200)
        if Subset(epsilon=epsilon).naming(k).variance(0.0) < keep_variance(epsilon, k) - 1e-9
    ]
    assert better[0] == wins
    assert next(k for k in range(3, 200) if encoded < keep_variance(epsilon, k)) == beats


@pytest.mark.parametrize("k", sweep([3, 5, 8], quick=2))
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_that_all_sets_enumerated_have_the_stated_epsilon_and_no_bias(k, size):
    if size >= k:
        return
    epsilon = 1.3
    inside = Fraction(true_cells(epsilon, k, size), WHOLE)
    reports = list(itertools.combinations(range(k), size))

    def chance(report: tuple[int, ...], true: int) -> Fraction:
        if true in report:
            return inside / math.comb(k - 1, size - 1)
        return (1 - inside) / math.comb(k - 1, size)

    named = [sum(chance(one, 0) for one in reports if value in one) for value in range(k)]
    assert sum(chance(one, 0) for one in reports) == 1
    assert len(set(named[1:])) == 1
    naming = Subset(epsilon=epsilon, size=size).naming(k)
    assert float(named[0]) == pytest.approx(naming.g, abs=1e-15)
    assert float(named[1]) == pytest.approx(naming.h, abs=1e-15)
    both = sum(chance(one, 0) for one in reports if {0, 1} <= set(one))
    assert float(both) == pytest.approx(naming.g_pair, abs=1e-15)
    others = sum(chance(one, 0) for one in reports if {1, 2} <= set(one))
    assert float(others) == pytest.approx(naming.h_pair, abs=1e-15)
    # The score of a value is its share for every true answer, exactly.
    g, h = named[0], named[1]
    for true in range(k):
        scores = [
            sum(chance(one, true) * (Fraction(int(value in one)) - h) / (g - h) for one in reports)
            for value in range(k)
        ]
        assert scores == [Fraction(int(value == true)) for value in range(k)]
    ratios = {
        chance(one, c) / chance(one, d) for one in reports for c in range(k) for d in range(k)
    }
    exact = math.log(max(ratios))
    assert exact == pytest.approx(epsilon, abs=1e-9)
    assert exact <= epsilon + 1e-12
    stated = Subset(epsilon=epsilon, size=size).epsilon_of(question(k))
    assert stated == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("k", [3, 5])
def test_that_encoded_sets_enumerated_have_the_stated_epsilon(k):
    epsilon = 0.7
    h, half = Fraction(other_cells(epsilon), 1 << 61), Fraction(1, 2)
    largest = Fraction(0)
    for report in itertools.product((False, True), repeat=k):
        chances = []
        for true in range(k):
            chance = Fraction(1)
            for value, is_named in enumerate(report):
                p = half if value == true else h
                chance *= p if is_named else 1 - p
            chances.append(chance)
        largest = max(largest, max(chances) / min(chances))
    assert math.log(largest) == pytest.approx(epsilon, abs=1e-9)
    assert math.log(largest) <= epsilon + 1e-12
    assert UnaryEncoding(epsilon=epsilon).epsilon_of(question(k)) == pytest.approx(epsilon)


@pytest.mark.parametrize("size", [1, 2, 39])
def test_that_covariances_are_those_of_all_scores(size):
    k, shares = 40, np.random.default_rng(1).dirichlet(np.ones(40))
    covariance = Subset(epsilon=1.0, size=size).naming(k).covariance(shares)
    # A set of one size has scores that always sum to 1.
    np.testing.assert_allclose(covariance.sum(axis=0), 0, atol=1e-9 * covariance.max())


# Drawing


@pytest.mark.parametrize("streams", [SeededStreams(5), SecureStreams()], ids=["seeded", "secure"])
@pytest.mark.parametrize(
    "mechanism", [Subset(epsilon=1.0, size=3), UnaryEncoding(epsilon=1.5)], ids=["subset", "oue"]
)
def test_that_a_million_sets_come_as_often_as_stated(streams, mechanism):
    asked, n = question(6), 1_000_000
    drawn = mechanism.distort(np.full(n, 2, np.int8), asked, streams.stream("sets"))
    naming = mechanism.naming(6)
    observed = np.bincount(drawn[:, 0], minlength=64)
    named = sets.unpack(np.arange(64, dtype=np.uint8)[:, None], 6)
    if naming.size is None:
        chance = np.where(named, naming.h, 1 - naming.h)
        chance[:, 2] = 0.5
        expected = chance.prod(axis=1)
    else:
        fits = named.sum(axis=1) == 3
        expected = np.where(named[:, 2], naming.g / math.comb(5, 2), (1 - naming.g) / 10) * fits
    assert observed[expected == 0].sum() == 0
    used = expected > 0
    statistic = ((observed[used] - n * expected[used]) ** 2 / (n * expected[used])).sum()
    assert stats.chi2.sf(statistic, np.count_nonzero(used) - 1) > 1e-6


@pytest.mark.parametrize(
    "mechanism",
    sweep([Subset(epsilon=1.0), Subset(epsilon=0.2), UnaryEncoding()], quick=1),
    ids=repr,
)
def test_that_sets_are_the_same_in_any_chunking(mechanism):
    asked = question(300)
    codes = np.random.default_rng(3).integers(-1, 300, 20_000).astype(np.int16)
    whole = mechanism.distort(codes, asked, SeededStreams(2).stream("x"))
    stream, parts = SeededStreams(2).stream("x"), (0, 1, 700, 9_001, 20_000)
    found = [mechanism.distort(codes[a:b], asked, stream) for a, b in itertools.pairwise(parts)]
    assert np.array_equal(np.concatenate(found), whole)
    assert np.array_equal(sets.names(whole, 300), codes < 0)


def test_that_the_compiled_loop_draws_the_same_sets():
    codes = np.random.default_rng(3).integers(-1, 40, 30_000).astype(np.int8)
    kernel: Kernel = drawing.SUBSET_KERNELS[0]
    before, kernel.compiled = kernel.compiled, None
    plain = Subset(epsilon=1.0).distort(codes, question(40), SeededStreams(2).stream("x"))
    kernel.compiled = before
    assert kernel.compile()
    fast = Subset(epsilon=1.0).distort(codes, question(40), SeededStreams(2).stream("x"))
    assert np.array_equal(plain, fast)


@pytest.mark.parametrize("second", [230, 0], ids=["once", "twice"])
@pytest.mark.parametrize("k", [70, 300])
def test_that_words_which_would_favour_some_values_are_drawn_again(k, second):
    class Low:
        """A stream whose first words are all 0, which no even draw may use."""

        def bytes(self, n):
            return np.zeros(n, np.uint8)

        def second_bytes(self, n):
            return np.full(n, second, np.uint8)

        def words(self, n):
            return np.zeros(n, np.uint64)

        def rare_words(self, n):
            return np.full(n, 230 << 56, np.uint64)

    drawn = drawing.draw_subsets(np.zeros(2, np.int16), k, 2, 0, Low())
    assert sets.sizes(drawn, k).tolist() == [2, 2]
    # A word of 0 would name the first free value; 230 of 256 parts of them are others.
    assert not sets.names(drawn, 1).any()


@pytest.mark.parametrize("is_compiled", [False, True])
def test_that_every_set_of_a_long_list_has_its_exact_share_of_all_words(is_compiled, monkeypatch):
    """Two values of 70, the true one not among them: 68 places, then 69."""
    kernel: Kernel = drawing.SUBSET_KERNELS[0]
    if is_compiled:
        assert kernel.compile()
    else:
        monkeypatch.setattr(kernel, "compiled", None)
    every = np.arange(1 << 16)

    def draw(first, second):
        words = np.stack([first, second], axis=1).astype(np.uint16)
        out = np.zeros((len(words), sets.width(70)), np.uint8)
        codes, decisions = np.zeros(len(words), np.int8), np.zeros(len(words), np.uint64)
        left = drawing._EvenDraw(70, 2, 0).draw(codes, decisions, words, out)
        return np.unpackbits(out, axis=1, bitorder="little")[:, :70], left

    # Of all words for a place equally many are used for each.
    used = []
    for end, words in ((68, (every, every * 0 + 1000)), (69, (every * 0 + 1000, every))):
        _, left = draw(*words)
        assert len(left) == (1 << 16) % end
        places = np.delete(every, left) * end >> 16
        assert set(np.bincount(places).tolist()) == {(1 << 16) // end}
        kept = np.delete(every, left)
        used.append(kept[np.unique(places, return_index=True)[1]])
    # With one word for each pair of places every set comes up equally often.
    named, left = draw(np.repeat(used[0], 69), np.tile(used[1], 68))
    assert not len(left)
    pairs, counts = np.unique(named, axis=0, return_counts=True)
    assert len(pairs) == 69 * 68 // 2
    assert set(counts.tolist()) == {2}
    assert not pairs[:, 0].any()


WEIGHTS = ([1, 2, 3], [5] * 8, [7**40, 1, 10**30], [1] * 100 + [2**70], list(range(1, 600)))


@pytest.mark.parametrize("weights", WEIGHTS, ids=lambda some: f"{len(some)} outcomes")
def test_that_outcomes_have_their_exact_share_of_all_numbers(weights):
    class Fixed:
        """A stream that gives the same bytes and words to everybody."""

        def __init__(self, again=0, word=0):
            self.again, self.word = again, word

        def second_bytes(self, n):
            return np.full(n, self.again, np.uint8)

        def words(self, n):
            return np.full(n, self.word, np.uint64)

        def rare_words(self, n):
            return np.full(n, 12345, np.uint64)

    outcomes = np.arange(1, len(weights) + 1)
    draw = WeightedDraw(weights, outcomes)
    every = 1 << draw.bits
    first = np.bincount(draw.table, minlength=len(weights) + 1)
    exact = [Fraction(weight, sum(weights)) for weight in weights]
    # Whole shares come first. No outcome lacks a whole number more.
    lacking = [share * every - int(count) for share, count in zip(exact, first[1:], strict=True)]
    assert all(0 <= share < 1 for share in lacking)
    assert sum(lacking) == first[0]
    numbers = np.flatnonzero(draw.table == 0)
    for fixed in (Fixed(), Fixed(255, 0), Fixed(255, 2**64 - 1)):
        found = draw.draw(numbers, fixed)
        # What is left over goes to outcomes that lack something only.
        assert all(lacking[outcome - 1] > 0 for outcome in found)
    assert np.array_equal(draw.draw(np.arange(draw.used), Fixed()), np.repeat(outcomes, first[1:]))


@pytest.mark.parametrize("streams", [SeededStreams(6), SecureStreams()], ids=["seeded", "secure"])
def test_that_outcomes_far_from_whole_shares_come_as_often_as_stated(streams):
    # Four numbers of ten are left over at first, and as many of those again.
    weights, n, stream = [2] * 39_999 + [3], 1_000_000, streams.stream("x")
    draw = WeightedDraw(weights, np.arange(1, 40_001))
    numbers = whole_numbers(stream.bytes(2 * n), draw.bits)
    observed = np.bincount(draw.draw(numbers, stream), minlength=40_001)[1:]
    expected = n * np.array(weights) / sum(weights)
    statistic = ((observed - expected) ** 2 / expected).sum()
    assert stats.chi2.sf(statistic, len(expected) - 1) > 1e-6


# Tables, chunks and files


def survey(rows: int = 400) -> tuple[Table, Design]:
    draw = np.random.default_rng(8)
    job, sex = question(12), Attribute("sex", Kind.BINARY, ("F", "M"))
    odd = Attribute("odd", Kind.NOMINAL, ("a|b", "=1", "", "x\\y", "7", "NA"))
    codes = draw.integers(0, 12, rows)
    codes[:2] = -1
    table = Table(
        (
            Column(job, codes),
            Column(sex, draw.integers(0, 2, rows)),
            Column(odd, draw.integers(0, 6, rows)),
        )
    )
    design = Design(
        (
            DesignedAttribute(job, Subset(epsilon=1.0, size=3)),
            DesignedAttribute(sex, Uniform(keep=0.8)),
            DesignedAttribute(odd, UnaryEncoding(epsilon=3.0)),
        )
    )
    return table, design


def test_that_a_distorted_column_of_sets_behaves_like_a_column():
    table, design = survey()
    column = distort(table, design, SeededStreams(1))["job"]
    assert column.attribute.kind is Kind.SET
    assert column.attribute.set_size == 3
    assert column.data.shape == (400, 2)
    assert column.missing_count == 2
    assert len(column.take(column.missing)) == 2
    assert column.counts.sum() == 3 * 398
    assert column.to_series().isna().sum() == 2
    assert column.equals(column.take(slice(None)))


def test_that_chunks_and_shuffled_chunks_hold_the_same_sets():
    table, design = survey()
    whole = distort(table, design, SeededStreams(1))
    distorter = Distorter(design, SeededStreams(1))
    pieces = [distorter.apply(table.take(slice(a, a + 100))) for a in range(0, 400, 100)]
    assert np.array_equal(np.concatenate([one["job"].data for one in pieces]), whole["job"].data)
    mixed = list(shuffled_chunks(pieces, 3, SeededStreams(4).stream("order")))
    for name in ("job", "odd"):
        found = np.concatenate([one[name].data for one in mixed])
        assert np.array_equal(np.sort(found, axis=0), np.sort(whole[name].data, axis=0))
    assert shuffled(whole, SeededStreams(4).stream("order")).rows == 400


@pytest.mark.parametrize(
    "suffix", sweep([".csv", ".tsv", ".xlsx", ".parquet", ".feather"], quick=(".csv", ".parquet"))
)
@pytest.mark.parametrize("with_codebook", [True, False])
def test_that_sets_survive_a_file(tmp_path, suffix, with_codebook):
    table, design = survey()
    distorted = distort(table, design, SeededStreams(1))
    path = tmp_path / f"answers{suffix}"
    write_table(distorted, path, WriteOptions(codebook=with_codebook))
    schema = [one.distorted for one in design]
    again = read_table(path, schema=schema)
    for name in distorted.names:
        assert np.array_equal(again[name].data, distorted[name].data), name
    if with_codebook:
        assert read_table(path).equals(distorted)


@pytest.mark.parametrize("suffix", [".arff", ".sav", ".dta"])
def test_that_other_formats_refuse_sets(tmp_path, suffix):
    table, design = survey()
    with pytest.raises(DataError, match="'job' is reported as sets"):
        write_table(distort(table, design, SeededStreams(1)), tmp_path / f"answers{suffix}")


@pytest.mark.parametrize(
    ("cell", "sentence"),
    [
        ("v1|v2", "the set in record 3 names 2 values instead of 3"),
        ("v1|v2|v3|v4", "the set in record 3 names 4 values instead of 3"),
        ("v1|v2|v1", "the set in record 3 names 'v1' twice"),
        ("v1|v2|tram", "the set in record 3 names 'tram', which is not one of the values"),
    ],
)
def test_that_a_wrong_set_is_refused_with_its_record(tmp_path, cell, sentence):
    path = tmp_path / "answers.csv"
    path.write_text(f"job,sex\nv0|v1|v2,F\nv0|v1|v3,M\n{cell},F\nv4|v5|v6,M\n", encoding="utf-8")
    _, design = survey()
    with pytest.raises(DataError, match=sentence) as caught:
        read_table(path, schema=[design["job"].distorted])
    assert caught.value.row == 3


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_that_a_release_says_how_often_sets_name_a_value(tmp_path, suffix):
    table, design = survey()
    path = tmp_path / f"answers{suffix}"
    release_table(table, design, path, ReleaseOptions(seed=1))
    notes = " ".join(codebook_of(path).notes)
    naming = design["job"].perturbation.naming(12)
    assert "w = 3" in notes
    assert f"g = {naming.g:.10g}" in notes
    assert f"h = {naming.h:.10g}" in notes


# Refusals


@pytest.mark.parametrize("size", [12, 40])
def test_that_a_set_of_all_answers_is_refused(size):
    with pytest.raises(DesignError, match=f"a set of {size} of 12 answers says nothing"):
        DesignedAttribute(question(12), Subset(size=size))


def test_that_two_values_make_no_sets():
    assert Subset.why_not(question(2))
    assert not Subset.why_not(question(3))
    with pytest.raises(DesignError, match="sets are reported of 3 to 1000"):
        DesignedAttribute(question(2), UnaryEncoding())


def test_that_a_column_of_sets_keeps_its_kind_and_is_summarised_by_names():
    table, design = survey()
    told = distort(table, design, SeededStreams(1))
    with pytest.raises(DataError, match="they stay sets"):
        set_kind(told, "job", Kind.NOMINAL)
    found = summarise_column(told["job"])
    assert found.counts.tolist() == told["job"].counts.tolist()
    assert set(found.impossible) == set(QUESTION_KINDS)
