"""Streams: the same in any chunking, keyed by name, and distributed as they should be.

Statistical limits are five standard errors, or the quantile of the same probability (about one
in two million); seeded draws are fixed, and the secure ones fail less often than that.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ppworkbench.core.rng import SecureStreams, SeededStreams

DRAWS = 200_000
RARE = 5e-7
KINDS = ["bytes", "second_bytes", "words", "rare_words", "random", "normal"]

FIRST_BYTES = [175, 132, 233, 153, 176, 137, 21, 238]
FIRST_DOUBLES = [0.7382352545262915, 0.6920567253764677]
FIRST_NORMALS = [0.3156655545740139, -1.1358106991890915]


@given(
    seed=st.integers(0, 2**64),
    pieces=st.lists(st.integers(0, 40), min_size=1, max_size=12),
    kind=st.sampled_from(KINDS),
)
def test_that_a_stream_is_the_same_in_any_chunking(seed, pieces, kind):
    whole = getattr(SeededStreams(seed).stream("age"), kind)(sum(pieces))
    stream = SeededStreams(seed).stream("age")
    chunks = [getattr(stream, kind)(piece) for piece in pieces]
    assert [len(chunk) for chunk in chunks] == pieces
    np.testing.assert_array_equal(np.concatenate(chunks), whole)


@given(st.lists(st.sampled_from(KINDS), max_size=12))
def test_that_the_sequences_of_a_stream_do_not_disturb_each_other(calls):
    stream = SeededStreams(3).stream("age")
    drawn = {kind: [] for kind in KINDS}
    for kind in calls:
        drawn[kind].append(getattr(stream, kind)(5))
    for kind, chunks in drawn.items():
        alone = getattr(SeededStreams(3).stream("age"), kind)(5 * len(chunks))
        np.testing.assert_array_equal(np.concatenate([*chunks, alone[:0]]), alone)


@given(st.permutations(["sex", "age", "income", "żółw"]))
def test_that_neither_order_nor_company_changes_a_stream(names):
    streams = SeededStreams(11)
    drawn = {name: streams.stream(name).random(8) for name in names}
    np.testing.assert_array_equal(drawn["age"], SeededStreams(11).stream("age").random(8))


@given(
    st.lists(
        st.tuples(st.integers(0, 2**32), st.lists(st.text(max_size=6), max_size=3).map(tuple)),
        min_size=2,
        max_size=8,
        unique=True,
    )
)
def test_that_every_seed_and_name_has_a_stream_of_its_own(keys):
    # Names may not hold the character that joins them, which no column name does either.
    keys = [key for key in keys if not any("\x1f" in word for word in key[1])]
    firsts = {SeededStreams(seed).stream(*name).bytes(16).tobytes() for seed, name in keys}
    assert len(firsts) == len(keys)


def test_that_the_seeded_numbers_never_change():
    # A saved study must give the same answers in a later version.
    stream = SeededStreams(2026).stream("sex")
    assert stream.bytes(8).tolist() == FIRST_BYTES
    np.testing.assert_allclose(stream.random(2), FIRST_DOUBLES, rtol=1e-15)
    np.testing.assert_allclose(stream.normal(2), FIRST_NORMALS, rtol=1e-15)


def test_that_a_generator_is_keyed_like_a_stream_but_apart_from_it():
    streams = SeededStreams(5)
    first = streams.generator("folds").random(4)
    np.testing.assert_array_equal(first, SeededStreams(5).generator("folds").random(4))
    assert not np.array_equal(first, streams.generator("trees").random(4))
    assert not np.array_equal(first, streams.stream("folds").random(4))


@pytest.fixture(params=["seeded", "secure"])
def stream(request):
    return (SeededStreams(1) if request.param == "seeded" else SecureStreams()).stream("sex")


def test_that_bytes_are_uniform(stream):
    counts = np.bincount(stream.bytes(DRAWS), minlength=256)
    assert stats.chisquare(counts).pvalue > RARE


def test_that_neighbouring_bytes_are_independent(stream):
    high = (stream.bytes(DRAWS) >> 4).astype(int)
    pairs = np.bincount(16 * high[::2] + high[1::2], minlength=256)
    assert stats.chisquare(pairs).pvalue > RARE


def test_that_doubles_are_uniform_below_one(stream):
    drawn = stream.random(DRAWS)
    assert drawn.min() >= 0
    assert drawn.max() < 1
    assert abs(drawn.mean() - 0.5) < 5 * math.sqrt(1 / 12 / DRAWS)
    assert stats.kstest(drawn, "uniform").pvalue > RARE


def test_that_doubles_have_53_random_bits(stream):
    words = stream.random(DRAWS) * 2.0**53
    np.testing.assert_array_equal(words, np.rint(words))
    odd = np.mean(words.astype(np.uint64) & np.uint64(1))
    assert abs(odd - 0.5) < 5 * 0.5 / math.sqrt(DRAWS)


def test_that_normals_are_standard_normal(stream):
    drawn = stream.normal(DRAWS)
    assert abs(drawn.mean()) < 5 / math.sqrt(DRAWS)
    assert abs(drawn.var() - 1) < 5 * math.sqrt(2 / DRAWS)
    assert stats.kstest(drawn, "norm").pvalue > RARE


def test_that_the_two_halves_of_secure_normals_are_uncorrelated():
    # Both come from one radius and angle; their product, and that of their squares, shows it.
    drawn = SecureStreams().stream().normal(DRAWS)
    first, second = drawn[: DRAWS // 2], drawn[DRAWS // 2 :]
    for a, b in [(first, second), (first**2, second**2)]:
        assert abs(np.corrcoef(a, b)[0, 1]) < 5 / math.sqrt(DRAWS / 2)


@pytest.mark.parametrize("n", [0, 1, 2, 7])
@pytest.mark.parametrize("kind", KINDS)
def test_that_a_stream_gives_as_many_numbers_as_asked(stream, kind, n):
    assert len(getattr(stream, kind)(n)) == n


def test_that_a_secure_stream_cannot_be_repeated():
    streams = SecureStreams()
    assert streams.stream("sex").bytes(32).tobytes() != streams.stream("sex").bytes(32).tobytes()


def test_that_streams_of_two_names_are_uncorrelated():
    streams = SeededStreams(9)
    a, b = streams.stream("a").random(DRAWS), streams.stream("b").random(DRAWS)
    assert abs(np.corrcoef(a, b)[0, 1]) < 5 / math.sqrt(DRAWS)
