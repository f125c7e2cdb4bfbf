"""Tables distorted by a design: repeatable, and nothing else gets out."""

import itertools
import pickle
from copy import deepcopy

import numpy as np
import pytest
from designs import AGE, ALL_CASES, COLOURS, LIKERT, SALARY, YES_NO
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Group,
    Identity,
    Related,
    Uniform,
)
from ppworkbench.core.design.distort import Distorter, distort
from ppworkbench.core.errors import DesignError
from ppworkbench.core.rng import SecureStreams, SeededStreams

ROWS = 3_000


def column(attribute, rng, rows=ROWS):
    if attribute.kind.is_categorical:
        return Column(attribute, rng.integers(-1, attribute.k, rows))
    low, high = attribute.domain
    data = rng.uniform(low, high, rows)
    return Column(attribute, np.rint(data) if attribute.kind is Kind.INTEGER else data)


def everything():
    """A table and a design with every perturbation, and a group."""
    rng = np.random.default_rng(0)
    columns, designed = [], []
    for number, (attribute, perturbation) in enumerate(ALL_CASES):
        named = attribute.with_(name=f"{attribute.name}{number}")
        columns.append(column(named, rng))
        designed.append(DesignedAttribute(named, perturbation))
    pair = YES_NO.with_(name="first"), COLOURS.with_(name="second")
    columns += [column(attribute, rng) for attribute in pair]
    designed += [DesignedAttribute(attribute, Identity()) for attribute in pair]
    group = Group(("first", "second"), "unrelated", 0.6)
    return Table(tuple(columns)), Design(tuple(designed), None, (group,))


TABLE, DESIGN = everything()
WHOLE = distort(TABLE, DESIGN, SeededStreams(42))


@examples(0.625)
@given(st.lists(st.integers(1, ROWS - 1), max_size=6, unique=True))
def test_that_the_same_seed_gives_the_same_table_in_any_chunking(cuts):
    distorter = Distorter(DESIGN, SeededStreams(42))
    borders = [0, *sorted(cuts), ROWS]
    chunks = [distorter.apply(TABLE.take(slice(a, b))) for a, b in itertools.pairwise(borders)]
    for whole in WHOLE:
        joined = np.concatenate([chunk[whole.name].data for chunk in chunks])
        np.testing.assert_array_equal(joined, whole.data)


def test_that_draws_go_on_in_another_process_and_can_be_repeated_from_a_copy():
    distorter = Distorter(DESIGN, SeededStreams(42))
    distorter.apply(TABLE.take(slice(0, 1_001)))
    sent = pickle.dumps(distorter)
    deepcopy(distorter).apply(TABLE.take(slice(1_001, 2_000)))
    for one in (distorter, pickle.loads(sent)):
        rest = one.apply(TABLE.take(slice(1_001, None)))
        for whole in WHOLE:
            np.testing.assert_array_equal(rest[whole.name].data, whole.data[1_001:])


def test_that_neither_order_nor_absence_of_attributes_changes_the_others():
    some = [d for d in DESIGN.attributes if d.name not in ("first", "second")][::-2]
    design = Design(tuple(some))
    again = distort(TABLE.select([d.name for d in some]), design, SeededStreams(42))
    for one in again:
        np.testing.assert_array_equal(one.data, WHOLE[one.name].data)


def test_that_another_seed_and_secure_draws_give_other_tables():
    for streams in (SeededStreams(43), SecureStreams()):
        other = distort(TABLE, DESIGN, streams)
        assert not np.array_equal(other["colour0"].data, WHOLE["colour0"].data)


def test_that_a_group_shares_its_coin():
    n = 200_000
    pair = YES_NO.with_(name="a"), YES_NO.with_(name="b")
    table = Table(tuple(Column(one, np.ones(n, np.int8)) for one in pair))
    group = Group(("a", "b"), "related", 0.7)
    design = Design(tuple(DesignedAttribute(one, Identity()) for one in pair), None, (group,))
    out = distort(table, design, SeededStreams(1))
    np.testing.assert_array_equal(out["a"].data, out["b"].data)
    assert abs(out["a"].data.mean() - 0.7) < 5 * np.sqrt(0.21 / n)


def test_that_an_unrelated_group_draws_its_personal_answers_apart():
    n = 200_000
    pair = YES_NO.with_(name="a"), YES_NO.with_(name="b")
    table = Table(tuple(Column(one, np.zeros(n, np.int8)) for one in pair))
    group = Group(("a", "b"), "unrelated", 0.4, (("a", (0.2, 0.8)),))
    design = Design(tuple(DesignedAttribute(one, Identity()) for one in pair), None, (group,))
    out = distort(table, design, SeededStreams(1))
    both = np.mean((out["a"].data == 1) & (out["b"].data == 1))
    assert abs(both - 0.6 * 0.8 * 0.5) < 5 * np.sqrt(0.24 * 0.76 / n)


def test_that_columns_the_design_does_not_know_never_get_out():
    design = Design((DesignedAttribute(COLOURS, Uniform()),))
    rng = np.random.default_rng(1)
    table = Table((column(COLOURS, rng), column(AGE, rng)))
    out = distort(table, design, SeededStreams(1))
    assert out.names == ("colour",)
    assert out.notes == ("Excluded, not in the design: age.",)


def test_that_values_in_another_order_are_matched_by_name():
    design = Design((DesignedAttribute(COLOURS, Identity()),))
    turned = COLOURS.with_(values=COLOURS.values[::-1])
    out = distort(Table((Column(turned, np.array([0, 3, -1])),)), design, SeededStreams(1))
    assert out["colour"].data.tolist() == [3, 0, -1]


@pytest.mark.parametrize(
    ("given_column", "designed", "sentence"),
    [
        (
            Column(COLOURS.with_(values=("red", "pink")), np.array([0, 1, 1])),
            DesignedAttribute(COLOURS, Uniform()),
            "'colour' has 'pink' in 2 row",
        ),
        (
            Column(SALARY, np.array([200.0])),
            DesignedAttribute(COLOURS, Uniform()),
            "have no column 'colour'",
        ),
        (
            Column(Attribute("colour", Kind.INTEGER, domain=(0, 9)), np.array([2.0])),
            DesignedAttribute(COLOURS, Uniform()),
            "is nominal in the design but integer in the data",
        ),
        (
            Column(SALARY.with_(name="age"), np.array([20.5])),
            DesignedAttribute(AGE, Additive(half_width=3)),
            "not whole numbers",
        ),
    ],
)
def test_that_a_table_that_does_not_fit_is_refused_in_one_sentence(
    given_column, designed, sentence
):
    with pytest.raises(DesignError, match=sentence):
        distort(Table((given_column,)), Design((designed,)), SeededStreams(1))


def test_that_missing_can_be_one_of_the_distorted_values():
    likert = LIKERT.with_(kind=Kind.NOMINAL, values=(*LIKERT.values, "missing"))
    designed = DesignedAttribute(likert, Uniform(keep=0.0), missing_is_value=True)
    table = Table((Column(LIKERT, np.full(500, -1)),))
    out = distort(table, Design((designed,)), SeededStreams(1))
    assert set(out["mood"].data.tolist()) == {0, 1, 2, 3, 4}


def test_that_a_group_and_an_own_perturbation_exclude_each_other():
    with pytest.raises(DesignError, match="no mechanism of its own"):
        Design((DesignedAttribute(YES_NO, Related()),), None, (Group(("smokes",), "related", 0.7),))
