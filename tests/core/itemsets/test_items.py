"""Items of tables: which there are, and the weights that undo their distortion."""

import dataclasses

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.data.transactions import Transactions
from ppworkbench.core.design import (
    Additive,
    Binary,
    Custom,
    Design,
    DesignedAttribute,
    Discretise,
    Identity,
    Retention,
    Uniform,
)
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.design.distort import distort
from ppworkbench.core.design.group import Group
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.itemsets import ItemOptions, SetList, item_data, supports
from ppworkbench.core.itemsets.item_data import pack, unpack
from ppworkbench.core.itemsets.items import LEFT_OUT
from ppworkbench.core.mining import Apriori, mine
from ppworkbench.core.rng import SeededStreams

SKEWED = Custom(rows=((0.7, 0.2, 0.1), (0.2, 0.6, 0.2), (0.1, 0.2, 0.7)))


def nominal(name, codes, k=3):
    return Column(Attribute(name, Kind.NOMINAL, values=tuple("abcdefgh"[:k])), np.array(codes))


def designed(table, **perturbations):
    listed = (DesignedAttribute(table[name].attribute, p) for name, p in perturbations.items())
    return Design(tuple(listed))


@pytest.fixture(scope="module")
def answers():
    rng = np.random.default_rng(3)
    codes = rng.choice(3, 4000, p=[0.5, 0.3, 0.2])
    other = np.where(rng.random(4000) < 0.6, codes, rng.integers(0, 3, 4000))
    return Table((nominal("a", codes), nominal("b", other)))


def test_that_packing_and_unpacking_cancel():
    shown = np.random.default_rng(1).random((5, 131)) < 0.4
    assert np.array_equal(unpack(pack(shown), 131), shown)


def test_that_a_basket_table_has_one_item_per_column_called_as_it():
    table = Transactions(("rye", "salt"), np.array([0, 2, 3]), np.array([0, 1, 1])).to_table()
    data = item_data(table)
    assert [item.name for item in data.items] == ["rye", "salt"]
    assert data.counts.tolist() == [1, 2]
    assert not data.is_distorted


def test_that_zeros_become_items_only_when_asked_for():
    table = Transactions(("rye",), np.array([0, 1, 1]), np.array([0])).to_table()
    names = [item.name for item in item_data(table, options=ItemOptions(absences=True)).items]
    assert names == ["rye=0", "rye=1"]


def test_that_values_of_one_attribute_are_in_one_block(answers):
    data = item_data(answers)
    assert [item.name for item in data.items] == ["a=a", "a=b", "a=c", "b=a", "b=b", "b=c"]
    assert data.blocks.tolist() == [0, 0, 0, 1, 1, 1]


def test_that_a_binary_item_keeps_its_p_and_q():
    table = Transactions(("rye",), np.array([0, 1, 1]), np.array([0])).to_table()
    design = designed(table, rye=Binary(keep_one=0.5, keep_zero=0.87))
    data = item_data(table, design)
    assert data.keep_one == pytest.approx([0.5])
    assert data.keep_zero == pytest.approx([0.87])
    assert data.graded is None


def test_that_the_independent_approximation_of_a_uniform_matrix_has_the_corrected_q(answers):
    for k, keep in ((3, 0.7), (2, 0.8)):
        table = Table((nominal("a", answers["a"].data % k, k),))
        design = designed(table, a=Uniform(keep=keep))
        data = item_data(table, design, options=ItemOptions(transform="independent"))
        assert data.keep_one == pytest.approx([keep] * k)
        assert data.keep_zero == pytest.approx([(k - 2 + keep) / (k - 1)] * k)


def test_that_a_uniform_matrix_needs_only_bits_and_any_other_graded_weights(answers):
    assert item_data(answers, designed(answers, a=Uniform(keep=0.7))).graded is None
    assert item_data(answers, designed(answers, a=SKEWED)).graded is not None


def test_that_exact_weights_of_any_matrix_are_unbiased(answers):
    design = designed(answers, a=SKEWED, b=Uniform(keep=0.8))
    truth = item_data(answers, design, original=True)
    sets = SetList.of(truth.items, [(0,), (1,), (0, 3), (1, 4), (2, 3)])
    actual = supports(truth, sets).raw
    draws = [
        supports(item_data(distort(answers, design, SeededStreams(seed)), design), sets)
        for seed in range(60)
    ]
    raw = np.stack([draw.raw for draw in draws])
    error = raw.std(axis=0, ddof=1) / np.sqrt(len(raw))
    assert np.all(np.abs(raw.mean(axis=0) - actual) < 4 * error)


def test_that_the_independent_approximation_of_a_skewed_matrix_is_biased_for_pairs(answers):
    """Otherwise the exact transform would not be worth its cost."""
    design = designed(answers, a=SKEWED, b=SKEWED)
    sets = SetList.of(item_data(answers).items, [(0, 3), (0, 5), (1, 3)])
    actual = supports(item_data(answers), sets).raw
    published = [distort(answers, design, SeededStreams(seed)) for seed in range(30)]
    for transform, biased in (("exact", False), ("independent", True)):
        options = ItemOptions(transform=transform)
        raw = [supports(item_data(one, design, options=options), sets).raw for one in published]
        error = np.std(raw, axis=0, ddof=1) / np.sqrt(30)
        assert np.any(np.abs(np.mean(raw, axis=0) - actual) > 5 * error) == biased


def with_missing(answers):
    """Every fourth record lacks an answer."""
    codes = answers["a"].data.copy()
    codes[::4] = -1
    return Table((answers["a"].with_(data=codes), answers["b"]))


def test_that_records_that_lack_an_answer_are_left_out_and_counted(answers):
    table = with_missing(answers)
    design = designed(table, a=Uniform(keep=0.7), b=Identity())
    truth = item_data(table, design, original=True)
    assert (truth.rows, truth.left_out) == (3000, 1000)
    assert [note.code for note in truth.notes] == [LEFT_OUT]
    complete = table["a"].data >= 0
    sets = SetList.of(truth.items, [(0,), (3,), (0, 3)])
    actual = supports(truth, sets).raw
    a, b = (table[name].data[complete] == 0 for name in "ab")
    assert actual == pytest.approx([a.mean(), b.mean(), (a & b).mean()])
    found = supports(item_data(distort(table, design, SeededStreams(1)), design), sets)
    assert np.all(np.abs(found.raw - actual) < 4 * found.standard_error)


def test_that_a_missing_answer_counts_only_where_its_attribute_is_mined(answers):
    table = with_missing(answers)
    assert item_data(table, attributes=["b"]).rows == 4000
    assert item_data(answers).left_out == 0


def test_that_weights_stay_with_their_records_where_some_are_left_out(answers):
    table, weights = with_missing(answers), np.arange(4000.0)
    data = item_data(table).weighted(weights)
    complete = weights[table["a"].data >= 0]
    assert data.record_weights == pytest.approx(complete * 3000 / complete.sum())


def test_that_nobody_with_all_answers_is_an_error_that_says_what_to_do(answers):
    codes = np.full(4000, -1)
    table = Table((answers["a"].with_(data=codes), answers["b"]))
    with pytest.raises(DataError, match="None of the 4,000 records has an answer to all"):
        mine(item_data(table), Apriori(min_support=0.1))


def numbers(perturbation):
    age = Column(
        Attribute("age", Kind.CONTINUOUS, domain=(0, 100)),
        np.random.default_rng(2).beta(2, 4, 3000) * 100,
    )
    table = Table((age,))
    return table, designed(table, age=perturbation)


@pytest.mark.parametrize("perturbation", [Identity(), Discretise(intervals=5), Retention(keep=0.6)])
def test_that_numbers_become_intervals_whose_shares_are_recovered(perturbation):
    table, design = numbers(perturbation)
    truth = item_data(table, design, original=True)
    data = item_data(distort(table, design, SeededStreams(1)), design)
    assert data.items == truth.items
    assert data.items[0].name == "age=0 to 20"
    sets = SetList.of(data.items, [(i,) for i in range(5)])
    found, actual = supports(data, sets), supports(truth, sets).raw
    assert actual.sum() == pytest.approx(1)
    assert np.all(np.abs(found.raw - actual) <= 4 * found.standard_error + 1e-12)


def test_that_a_number_under_noise_is_left_out_with_a_note_or_refused_by_name(answers):
    table, design = numbers(Additive(noise="normal", range_privacy=50))
    both = Table((*table.columns, answers["a"].take(slice(0, 3000))))
    design = Design((design["age"], DesignedAttribute(both["a"].attribute, Identity())))
    for original in (False, True):
        data = item_data(both, design, original=original)
        assert {item.attribute for item in data.items} == {"a"}
        assert "'age' is a number with noise" in data.notes[0]
    with pytest.raises(DesignError, match="with noise"):
        item_data(both, design, ["age"])


def test_that_a_singular_matrix_is_refused(answers):
    design = designed(answers, a=Uniform(keep=1 / 3))
    with pytest.raises(DesignError, match="singular"):
        item_data(answers, design, ["a"])
    with pytest.raises(DataError, match="No attribute has values"):
        item_data(answers, design)


def test_that_attributes_that_share_a_coin_are_not_combined(answers):
    design = Design(
        tuple(DesignedAttribute(column.attribute, Identity()) for column in answers),
        groups=(Group(("a", "b"), "unrelated", 0.6),),
    )
    data = item_data(answers, design)
    assert set(data.blocks.tolist()) == {0}
    assert data.notes == ("The answers to 'a', 'b' are in one group, so no set combines them.",)


def test_that_an_unknown_column_is_named(answers):
    with pytest.raises(DataError, match="no column 'z'"):
        item_data(answers, None, ["z"])


def test_that_taking_records_keeps_their_answers(answers):
    design = designed(answers, a=SKEWED, b=Uniform(keep=0.9))
    data = item_data(answers, design)
    chosen = np.random.default_rng(1).random(answers.rows) < 0.3
    part = data.take(chosen)
    again = item_data(answers.take(np.flatnonzero(chosen)), design)
    sets = SetList.of(data.items, [(0,), (2, 4)])
    assert part.rows == chosen.sum()
    assert supports(part, sets).raw == pytest.approx(supports(again, sets).raw)


def test_that_questions_that_not_everybody_is_asked_are_refused(answers):
    everybody = designed(answers, a=SKEWED, b=SKEWED)
    design = dataclasses.replace(everybody, budget=DesignBudget(ask=1))
    told = distort(answers, design, SeededStreams(1))
    with pytest.raises(DesignError, match="Not everybody is asked 'a'"):
        item_data(told, design, ["a", "b"])
    with pytest.raises(DataError, match="Not everybody is asked 'a'"):
        item_data(told, design)
