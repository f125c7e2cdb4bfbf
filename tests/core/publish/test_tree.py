"""Groups of people: what they are split on, and that every one of them can deny."""

from __future__ import annotations

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from publish_tables import DISTRICT, FREE, INCOME, MOOD, SMOKES, random_tables, rules, smokers
from scipy.stats import entropy

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.progress import Cancelled, StoppableProgress
from ppworkbench.core.publish import (
    DeniabilityOptions,
    Sample,
    make_tree,
    own_prediction,
    whole_deniability,
)
from ppworkbench.core.publish.tree import SLACK


@examples(1.25)
@given(
    table=random_tables(),
    minimum=st.floats(0, 1),
    distance=st.sampled_from(["squared", "cosine", "hellinger"]),
    merge=st.booleans(),
    ahead=st.sampled_from([0, 0, 1]),
    smallest=st.sampled_from([1, 3]),
)
def test_that_every_leaf_is_as_deniable_as_promised(
    table, minimum, distance, merge, ahead, smallest
):
    sample = Sample.of(table, "answer")
    options = DeniabilityOptions(
        min_deniability=min(minimum, whole_deniability(sample)),
        distance=distance,
        merge_values=merge,
        look_ahead=ahead,
        smallest_group=smallest,
        seconds=60,
    )
    tree = make_tree(sample, options)
    groups = tree.groups_of(table)
    assert {tree.nodes[place].is_leaf for place in groups} == {True}
    for leaf in tree.leaves:
        outcomes = np.bincount(sample.outcome[groups == leaf.place], minlength=sample.outcomes)
        assert outcomes.tolist() == leaf.counts.tolist()
        assert entropy(outcomes, base=len(outcomes)) >= options.min_deniability - SLACK
        assert leaf.size >= min(smallest, table.rows)
        assert leaf.shares == pytest.approx(outcomes / outcomes.sum())
        names = [feature.name for feature, _ in tree.path(leaf)]
        assert len(set(names)) == len(names)


def test_that_the_best_feature_is_split_first_and_its_gain_is_the_published_metric():
    table = smokers()
    tree = make_tree(Sample.of(table, "smokes", ["district"]), rules(min_deniability=0.2))
    root = tree.root
    assert root.feature.name == "district"
    whole = root.counts / root.size
    expected = 0.0
    for code in range(3):
        own = table["smokes"].data[table["district"].data == code]
        shares = np.bincount(own, minlength=2) / len(own)
        expected += len(own) / table.rows * ((whole - shares) ** 2).sum() / 2
    assert root.gain == pytest.approx(expected)
    large = rules(smallest_group=50)
    assert make_tree(Sample.of(table, "smokes"), large).root.feature.name == "age"


def test_that_a_value_that_tells_all_keeps_its_attribute_from_splitting():
    answer = np.array([0, 1] * 20 + [0] * 10)
    place = np.array([0] * 20 + [1] * 20 + [2] * 10)
    table = Table((Column(DISTRICT, place), Column(SMOKES, answer)))
    sample = Sample.of(table, "smokes")
    assert make_tree(sample, rules(min_deniability=0.01)).root.is_leaf
    assert not make_tree(sample, FREE).root.is_leaf


def test_that_values_may_share_a_group_when_asked():
    answer = np.array([0, 1] * 10 + [0, 0, 0, 1] * 5 + [0] * 10)
    place = np.array([0] * 20 + [1] * 20 + [2] * 10)
    table = Table((Column(DISTRICT, place), Column(SMOKES, answer)))
    tree = make_tree(Sample.of(table, "smokes"), rules(min_deniability=0.3, merge_values=True))
    names = {tree.root.part_name(part) for part in range(len(tree.root.children))}
    assert names == {"north", "east, south"}
    assert [leaf.counts.tolist() for leaf in tree.leaves] in (
        [[10, 10], [25, 5]],
        [[25, 5], [10, 10]],
    )


def test_that_a_part_that_nobody_is_in_has_the_shares_of_its_group():
    answer, mood = np.array([0, 0, 0, 1, 1, 1, 1, 0]), np.array([0, 0, 0, 0, 1, 1, 1, 1])
    table = Table((Column(MOOD, mood), Column(SMOKES, answer)))
    tree = make_tree(Sample.of(table, "smokes"), rules())
    nobody = tree.nodes[tree.root.children[2]]
    assert nobody.size == 0
    assert nobody.shares.tolist() == tree.root.shares.tolist() == [0.5, 0.5]
    assert nobody.deniability == tree.root.deniability
    good = Table((Column(MOOD, np.array([2])), Column(SMOKES, np.array([0]))))
    assert tree.groups_of(good).tolist() == [nobody.place]


def test_that_a_leaf_holds_its_own_shares_and_not_those_of_the_group_above():
    table = smokers()
    tree = make_tree(Sample.of(table, "smokes", ["district"]), rules())
    assert all(leaf.parent == 0 for leaf in tree.leaves)
    assert len({tuple(leaf.shares) for leaf in tree.leaves}) == 3


@pytest.mark.parametrize(("epsilon", "grown"), [(0.0, True), (1.0, False)])
def test_that_a_split_must_gain_more_than_epsilon(epsilon, grown):
    tree = make_tree(Sample.of(smokers(), "smokes"), rules(epsilon=epsilon))
    assert tree.root.is_leaf is not grown


def test_that_the_default_epsilon_is_the_papers_in_shares():
    assert DeniabilityOptions().epsilon == pytest.approx(1.5 / 100**2)


def test_that_missing_answers_to_a_feature_are_a_part_of_their_own():
    answer = np.array([0, 1, 1, 1] * 5 + [0, 0, 0, 1] * 5)
    numbers = np.array([np.nan] * 20 + [5.0] * 20)
    table = Table((Column(INCOME, numbers), Column(SMOKES, answer)))
    tree = make_tree(Sample.of(table, "smokes"), rules())
    names = [tree.root.part_name(part) for part in range(2)]
    assert names == ["any number", "missing"]
    assert [leaf.counts.tolist() for leaf in tree.leaves] == [[15, 5], [5, 15]]


def test_that_a_skipped_sensitive_question_is_one_more_outcome():
    table = Table((Column(SMOKES, np.array([0, 1, -1, -1])),))
    tree = make_tree(Sample.of(table, "smokes"), rules())
    assert tree.outcomes == ("no", "yes", "missing")
    assert tree.root.counts.tolist() == [1, 1, 2]
    assert tree.root.deniability == pytest.approx(entropy([1, 1, 2], base=3))


def test_that_looking_ahead_never_predicts_less_and_finds_a_parity():
    # The answer is whether both coins agree: neither tells anything alone.
    generator = np.random.default_rng(3)
    one, two = generator.integers(0, 2, (2, 800))
    answer = np.where(generator.random(800) < 0.9, one ^ two, 1 - (one ^ two))
    coins = [Attribute(name, Kind.BINARY, ("a", "b")) for name in ("one", "two")]
    noise = Column(Attribute("noise", Kind.NOMINAL, tuple("abcd")), generator.integers(0, 4, 800))
    table = Table((noise, Column(coins[0], one), Column(coins[1], two), Column(SMOKES, answer)))
    sample = Sample.of(table, "smokes")
    options = rules(min_deniability=0.2, epsilon=0.0, smallest_group=30)
    greedy = make_tree(sample, options)
    ahead = make_tree(
        sample,
        DeniabilityOptions(
            min_deniability=0.2, epsilon=0.0, smallest_group=30, look_ahead=2, seconds=60
        ),
    )
    assert own_prediction(ahead) >= own_prediction(greedy)
    # 0.9^2 + 0.1^2 = 0.82; greedy splits on noise first and runs out of people.
    assert own_prediction(ahead) == pytest.approx(0.82, abs=0.03)
    assert {part[0].name for leaf in ahead.leaves for part in ahead.path(leaf)} == {"one", "two"}


def test_that_looking_ahead_ends_with_its_time():
    ticks = iter(range(10_000))
    options = rules(look_ahead=6, seconds=3.0)
    tree = make_tree(Sample.of(smokers(), "smokes"), options, clock=lambda: float(next(ticks)))
    assert next(ticks) < 10
    assert tree.minimum_deniability >= 0.1


def test_that_a_stop_takes_effect_while_groups_are_made():
    progress = StoppableProgress()
    progress.stop()
    with pytest.raises(Cancelled):
        make_tree(Sample.of(smokers(), "smokes"), FREE, progress)


def test_that_a_tree_tells_its_groups_as_json():
    tree = make_tree(Sample.of(smokers(), "smokes", ["age", "district"]), rules(smallest_group=60))
    told = tree.to_json()
    assert told["sensitive"] == "smokes"
    assert told["outcomes"] == ["no", "yes"]
    root = told["nodes"][0]
    assert root["split_on"] == "age"
    assert root["people"] == 400
    assert sum(told["nodes"][place]["people"] for place in root["children"]) == 400
    assert told["nodes"][root["children"][0]]["part"].startswith("under ")
