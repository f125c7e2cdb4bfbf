"""Estimates where each respondent is asked some of the questions only."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from ppworkbench.core.data.attribute import MISSING_VALUE, Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Geometric
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.design.distort import Distorter, distort
from ppworkbench.core.errors import DataError
from ppworkbench.core.planning.composition import split
from ppworkbench.core.privacy.assess import assess, assess_attribute
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.sampling.reconstruction import reconstruct_sample
from ppworkbench.core.survey.counts import count

NAMES = tuple("abcdefgh")
TOTAL = 4.0


def make_design(ask: int, blocks: tuple[tuple[str, ...], ...] = ()) -> Design:
    listed = (Attribute(name, Kind.BINARY, ("no", "yes")) for name in NAMES)
    asked = tuple(DesignedAttribute(one, Geometric(epsilon=TOTAL / ask)) for one in listed)
    return Design(asked, budget=DesignBudget(TOTAL, ask=ask, blocks=blocks))


def make_table(design: Design, rows: int, seed: int) -> Table:
    draws = np.random.default_rng(seed)
    return Table(
        tuple(Column(one.attribute, (draws.random(rows) < 0.3).astype(np.int8)) for one in design)
    )


def test_that_everybody_is_asked_so_many_and_the_rest_is_empty() -> None:
    design = make_design(2)
    table = make_table(design, 500, 1)
    released = distort(table, design, SeededStreams(3))
    answered = np.stack([column.data >= 0 for column in released])
    assert (answered.sum(axis=0) == 2).all()
    assert any("2 of 8 parts" in note for note in released.notes)
    # Pieces draw the same as the whole.
    distorter = Distorter(design, SeededStreams(3))
    pieces = [
        distorter.apply(table.take(np.arange(low, high))) for low, high in ((0, 99), (99, 500))
    ]
    for name in NAMES:
        joined = np.concatenate([piece[name].data for piece in pieces])
        np.testing.assert_array_equal(joined, released[name].data)


def test_that_a_block_is_asked_as_a_whole() -> None:
    design = make_design(1, blocks=(("a", "b"),))
    released = distort(make_table(design, 500, 1), design, SeededStreams(3))
    asked = released["a"].data >= 0
    np.testing.assert_array_equal(asked, released["b"].data >= 0)
    assert 0 < np.count_nonzero(asked) < 500
    assert count(released, design, "a = yes and b = yes").respondents == np.count_nonzero(asked)


def test_that_pairs_that_nobody_is_asked_are_named() -> None:
    design = make_design(1)
    released = distort(make_table(design, 500, 1), design, SeededStreams(3))
    with pytest.raises(DataError, match="Nobody is asked both 'a' and 'c'"):
        count(released, design, "a = yes and c = yes")


def test_that_not_asked_is_not_the_value_missing() -> None:
    attribute = Attribute("a", Kind.NOMINAL, ("no", "yes", MISSING_VALUE))
    other = attribute.with_(name="b")
    design = Design(
        tuple(
            DesignedAttribute(one, Geometric(epsilon=2.0), missing_is_value=True)
            for one in (attribute, other)
        ),
        budget=DesignBudget(ask=1),
    )
    codes = np.zeros(400, np.int8)
    table = Table((Column(attribute, codes), Column(other, codes)))
    released = distort(table, design, SeededStreams(1))
    found = count(released, design, "a = no")
    assert found.respondents == np.count_nonzero(released["a"].data >= 0) < 300
    assert found.value.estimate == pytest.approx(
        found.respondents, abs=5 * found.value.standard_error
    )


def test_that_the_truth_beside_an_estimate_is_that_of_those_asked() -> None:
    design = make_design(2)
    table = make_table(design, 4000, 2)
    released = distort(table, design, SeededStreams(1))
    found = count(released, design, "a = yes", original=table)
    share = float((table["a"].data == 1).mean())
    assert found.value.true == pytest.approx(share * found.respondents)


@pytest.mark.slow
@pytest.mark.parametrize(("condition", "share"), [("a = yes", 0.3), ("a = yes and b = yes", 0.09)])
def test_that_intervals_cover_and_errors_are_those_of_the_plan(
    condition: str, share: float
) -> None:
    design, rows, repeats = make_design(2), 6000, 400
    covered, found = 0, []
    for seed in range(repeats):
        table = make_table(design, rows, seed)
        one = count(distort(table, design, SeededStreams(seed)), design, condition)
        n = one.respondents
        covered += one.value.low <= share * n <= one.value.high
        found.append(one.value.estimate / n)
    assert 0.93 <= covered / repeats <= 0.97
    planned = split(8, 2, TOTAL, 0.3)
    variance = planned.variance if share == 0.3 else planned.pair
    assert np.var(found) * rows == pytest.approx(variance, rel=5 * math.sqrt(2 / repeats))


def test_that_the_golden_table_and_its_break_evens_hold() -> None:
    golden = {8: (3.9177, 4.0077, 4.1677, 17.78), 4: (1.8413, 2.0213, 2.3413, 6.92),
              2: (0.7241, 1.0841, 1.7241, 6.25), 1: (0.1520, 0.8720, 2.1520, None)}  # fmt: skip
    for ask, (noise, rare, even, pair) in golden.items():
        few, many = split(8, ask, 4.0, 0.1), split(8, ask, 4.0, 0.5)
        assert (round(few.noise, 4), round(few.variance, 4)) == (noise, rare)
        assert round(many.variance, 4) == even
        assert pair is None if few.pair is None else round(few.pair, 2) == pair
    # From these totals on, asking everybody everything is better than one question each.
    for share, total in ((0.5, 5.88), (0.1, 9.51)):
        one, every = (
            [split(8, ask, total + step, share).variance for step in (-0.01, 0.01)]
            for ask in (1, 8)
        )
        assert one[0] < every[0]
        assert one[1] > every[1]


def test_that_errors_about_a_finite_population_count_who_happened_to_be_asked() -> None:
    # Everybody of a population of 1,000 answers, but each person one question of eight only.
    design = make_design(1)
    codes = (np.arange(1000) % 10 < 3).astype(np.int8)
    table = Table(tuple(Column(one.attribute, codes) for one in design))
    released = distort(table, design, SeededStreams(5))
    roles = Sampling(population=1000.0)
    found = count(released, design, "a = yes", sampling=roles)
    assert found.share is not None
    # Those who are asked are a random eighth of the population.
    noise = math.exp(TOTAL) / math.expm1(TOTAL) ** 2
    expected = math.sqrt((0.21 * (1 - 1 / 8) + noise) / (1000 / 8))
    assert found.share.standard_error == pytest.approx(expected, rel=0.15)
    rebuilt = reconstruct_sample(released, design, roles, names=["a"])["a"].found
    assert rebuilt.standard_error is not None
    assert rebuilt.standard_error[1] == pytest.approx(found.share.standard_error, rel=1e-6)


def test_that_readouts_are_about_those_who_are_asked() -> None:
    design = make_design(2)
    report = assess(design, n=1000)["a"]
    alone = assess_attribute(design["a"], n=250)
    assert report.utility.n == 250
    np.testing.assert_allclose(report.utility.half_width, alone.utility.half_width)
    assert any("of 1,000 respondents 250 are asked" in said for said in report.warnings)
    everybody = dataclasses.replace(design, budget=None)
    assert assess(everybody, n=1000)["a"].utility.n == 1000
