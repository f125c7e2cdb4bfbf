"""Records that count differently: supports as if each came as often as it weighs."""

from __future__ import annotations

import numpy as np
import pytest
from shopping import frequent_sets

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Uniform
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.itemsets import item_data
from ppworkbench.core.itemsets.supports import shown_shares
from ppworkbench.core.mining import Apriori, Mask, Mmask, ShrinkageMask, find_rules, mine

NAMES = ("car", "job", "pet")


def survey(n=600, seed=1, keep=0.8, values=("no", "yes")):
    random = np.random.default_rng(seed)
    kind = Kind.BINARY if len(values) == 2 else Kind.NOMINAL
    attributes = [Attribute(name, kind, values) for name in NAMES]
    first = random.integers(0, len(values), n)
    columns = [
        Column(one, np.where(random.random(n) < 0.7, first, random.integers(0, len(values), n)))
        for one in attributes
    ]
    design = Design(tuple(DesignedAttribute(one, Uniform(keep=keep)) for one in attributes))
    return Table(tuple(columns)), design, random.integers(1, 5, n).astype(float)


def repeated(table, weights):
    return table.take(np.repeat(np.arange(table.rows), weights.astype(int)))


@pytest.mark.parametrize("values", [("no", "yes"), ("a", "b", "c")])
@pytest.mark.parametrize("is_distorted", [True, False])
def test_that_a_weight_counts_a_record_as_often(values, is_distorted):
    table, design, weights = survey(values=values)
    design = design if is_distorted else None
    found = frequent_sets(item_data(table, design).weighted(weights), 0.01)
    again = frequent_sets(item_data(repeated(table, weights), design), 0.01)
    assert found.members.tolist() == again.members.tolist()
    assert found.raw == pytest.approx(again.raw)
    # A record that counts 4 times is one record: the error is that of fewer.
    assert (found.standard_error > again.standard_error).all()


def test_that_equal_weights_are_none():
    table, design, _ = survey()
    plain = frequent_sets(item_data(table, design), 0.01)
    data = item_data(table, design).weighted(np.full(table.rows, 7.0))
    found = frequent_sets(data, 0.01)
    assert data.effective_rows == pytest.approx(table.rows)
    assert found.raw == pytest.approx(plain.raw)
    assert found.standard_error == pytest.approx(plain.standard_error)


def test_that_the_error_is_that_of_a_ratio():
    table, design, weights = survey()
    data = item_data(table, design, ["car"]).weighted(weights)
    found = frequent_sets(data, 0.001)
    h = np.where(table["car"].data == 1, data.present[1], data.absent[1])
    ratio = weights @ h / weights.sum()
    n = table.rows
    variance = (weights**2 @ (h - ratio) ** 2) / weights.sum() ** 2 * n / (n - 1)
    place = found.names(0).index("car=yes") if "car=yes" in found.names(0) else 1
    assert found.raw[place] == pytest.approx(ratio)
    assert found.standard_error[place] == pytest.approx(np.sqrt(variance))


def test_that_uncorrected_shares_are_weighted():
    table, design, weights = survey()
    data = item_data(table, design)
    found = frequent_sets(data, 0.01)
    weighted = shown_shares(data.weighted(weights), found.sets)
    assert weighted == pytest.approx(
        shown_shares(item_data(repeated(table, weights), design), found.sets)
    )


def test_that_some_of_the_records_keep_their_weights():
    table, design, weights = survey()
    data = item_data(table, design).weighted(weights)
    some = data.take(np.arange(0, table.rows, 3))
    assert some.record_weights == pytest.approx(data.record_weights[::3])


@pytest.mark.parametrize("miner", [Apriori(min_support=0.1), Mask(min_support=0.1)])
def test_that_miners_and_their_rules_take_weights(miner):
    table, design, weights = survey()
    design = None if miner.on_original else design
    data = item_data(table, design).weighted(weights, "by weight")
    again = item_data(repeated(table, weights), design)
    found, expected = mine(data, miner), mine(again, miner)
    assert found.itemsets.raw == pytest.approx(expected.itemsets.raw)
    assert found.notes[0] == "by weight"
    rules, same = find_rules(found, data), find_rules(expected, again)
    assert sorted(rules.confidence) == pytest.approx(sorted(same.confidence))


def test_that_shrunk_supports_are_near_the_weighted_ones():
    table, design, weights = survey(n=3000)
    data = item_data(table, design).weighted(weights)
    found = mine(data, ShrinkageMask(min_support=0.05)).itemsets
    assert len(found)
    unbiased = frequent_sets(data, 1e-6, confidence=0.9)
    names = {unbiased.names(i): unbiased.raw[i] for i in range(len(unbiased))}
    for i in range(len(found)):
        reach = 4 * found.standard_error[i] + 0.02
        assert found.raw[i] == pytest.approx(names[found.names(i)], abs=reach)


def test_that_a_method_which_knows_no_weights_refuses_them():
    table, design, weights = survey()
    data = item_data(table, design).weighted(weights)
    with pytest.raises(ParameterError, match="weights"):
        mine(data, Mmask(min_support=0.1))
