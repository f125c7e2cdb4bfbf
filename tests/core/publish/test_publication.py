"""Deniable tables: what is exchanged, and what can be predicted afterwards."""

from __future__ import annotations

import numpy as np
import pytest
from publish_tables import SMOKES, smokers

from ppworkbench.core.data.attribute import Attribute, MissingCode, MissingPolicy
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.publish import (
    DeniabilityOptions,
    cross_validated,
    own_prediction,
    predicted_accuracy,
    publish,
    publish_with,
)
from ppworkbench.core.publish.accuracy_curve import folds_of
from ppworkbench.core.rng import SeededStreams

OPTIONS = DeniabilityOptions(min_deniability=0.2)
SHUFFLED = DeniabilityOptions(min_deniability=0.2, manner="shuffle")


def test_that_draws_follow_the_shares_of_their_group():
    table = smokers(4000)
    made = publish(table, "smokes", OPTIONS, features=("district",), streams=SeededStreams(1))
    groups = made.tree.groups_of(table)
    for leaf in made.tree.leaves:
        drawn = made.table["smokes"].data[groups == leaf.place]
        error = np.sqrt(leaf.shares[1] * leaf.shares[0] / len(drawn))
        assert abs(drawn.mean() - leaf.shares[1]) < 4.5 * error
        # A draw is independent of the truth, so it hits it as often as chance does.
        truth = table["smokes"].data[groups == leaf.place]
        hit = float((leaf.shares**2).sum())
        assert abs((drawn == truth).mean() - hit) < 4.5 * np.sqrt(hit * (1 - hit) / len(drawn))


def test_that_shuffling_keeps_the_counts_of_every_group_and_moves_answers():
    table = smokers(2000)
    made = publish(table, "smokes", SHUFFLED, streams=SeededStreams(1))
    groups = made.tree.groups_of(table)
    for leaf in made.tree.leaves:
        published = made.table["smokes"].data[groups == leaf.place]
        assert np.bincount(published, minlength=2).tolist() == leaf.counts.tolist()
    assert made.changed == int((made.table["smokes"].data != table["smokes"].data).sum())
    expected = sum(2 * np.prod(leaf.counts) / leaf.size for leaf in made.tree.leaves)
    assert made.changed == pytest.approx(expected, abs=4 * np.sqrt(expected))


@pytest.mark.parametrize("options", [OPTIONS, SHUFFLED], ids=["draw", "shuffle"])
def test_that_only_the_sensitive_column_changes_and_a_seed_repeats_it(options):
    table = smokers()
    made = publish(table, "smokes", options, streams=SeededStreams(5))
    for name in ("district", "age", "income"):
        assert made.table[name].equals(table[name])
    again = publish(table, "smokes", options, streams=SeededStreams(5))
    assert made.table.equals(again.table)
    other = publish(table, "smokes", options, streams=SeededStreams(6))
    assert not made.table.equals(other.table)


def test_that_without_a_seed_the_operating_system_draws():
    table = smokers()
    first, second = (publish(table, "smokes", OPTIONS).table for _ in range(2))
    assert not first.equals(second)


def test_that_an_answer_nobody_of_a_group_gave_is_never_drawn():
    table = Table((Column(Attribute("a", "nominal", ("x", "y", "z")), np.array([0, 1] * 500)),))
    made = publish(table, "a", OPTIONS, streams=SeededStreams(2))
    assert set(made.table["a"].data.tolist()) == {0, 1}


def test_that_skipped_answers_are_exchanged_too_and_their_reasons_forgotten():
    attribute = SMOKES.with_(missing_codes=(MissingCode(-9.0, "refused"),))
    data = np.array([0, 1, -1, -1] * 100)
    column = Column(attribute, data, (data < 0).astype(np.int16))
    made = publish(Table((column,)), "smokes", SHUFFLED, streams=SeededStreams(2))
    published = made.table["smokes"]
    assert published.missing_count == 200
    assert (published.missing != column.missing).any()
    assert published.why_missing is None


def test_that_missing_answers_are_dropped_first_where_the_policy_says_so():
    data = np.array([0, 1, -1, -1] * 100)
    attribute = SMOKES.with_(missing=MissingPolicy.DROP)
    made = publish(Table((Column(attribute, data),)), "smokes", OPTIONS)
    assert made.table.rows == 200
    assert "smokes: " in made.notes[0]


def test_that_the_prediction_is_the_mean_share_of_the_true_outcome():
    table = smokers()
    made = publish(table, "smokes", OPTIONS, streams=SeededStreams(1))
    groups = made.tree.groups_of(table)
    shares = [
        made.tree.nodes[group].shares[truth]
        for group, truth in zip(groups, table["smokes"].data, strict=True)
    ]
    assert predicted_accuracy(made.tree, table) == pytest.approx(np.mean(shares))


def test_that_the_prediction_leaves_out_who_is_predicted():
    # Answers that nothing tells: in so small groups everybody's own answer counts for much.
    table = smokers(300)
    mixed = np.random.default_rng(1).permutation(table["smokes"].data)
    table = table.replace(Column(SMOKES, mixed))
    options = DeniabilityOptions(min_deniability=0.0, smallest_group=5)
    made = publish(table, "smokes", options)
    chance = float((made.tree.root.shares**2).sum())
    naive = predicted_accuracy(made.tree, table)
    honest = cross_validated(table, "smokes", options)
    assert naive > chance + 0.1
    assert honest == pytest.approx(chance, abs=0.05)
    assert own_prediction(made.tree) < naive


def test_that_a_prediction_of_one_group_is_the_chance_to_draw_the_same():
    table = smokers(1000)
    alone = cross_validated(table, "smokes", OPTIONS, features=())
    shares = np.bincount(table["smokes"].data) / 1000
    assert alone == pytest.approx(float((shares**2).sum()), abs=0.002)


def test_that_folds_that_miss_the_minimum_do_not_stop_a_prediction():
    data = np.array([0] * 9 + [1])
    table = Table((Column(SMOKES, data),))
    limit = DeniabilityOptions(min_deniability=0.46)
    assert 0 < cross_validated(table, "smokes", limit, folds=10) < 1


def test_that_one_person_cannot_be_predicted_and_folds_are_even():
    table = Table((Column(SMOKES, np.array([1])),))
    with pytest.raises(DataError, match="at least 2"):
        cross_validated(table, "smokes", DeniabilityOptions(min_deniability=0))
    sizes = np.bincount(folds_of(103, 10, 1))
    assert sizes.min() == 10
    assert sizes.max() == 11


def test_that_new_people_fall_into_the_groups_by_their_values_names():
    table = smokers()
    made = publish(table, "smokes", OPTIONS, features=("district",))
    turned = Attribute("district", "nominal", ("south", "west", "north"))
    new = Table((Column(turned, np.array([0, 1, 2, -1])), Column(SMOKES, np.array([0, 1, 0, 1]))))
    groups = made.tree.groups_of(new)
    root = made.tree.root
    # West was not known and skipped was not seen: they stay with everybody.
    assert groups.tolist() == [root.children[2], 0, root.children[0], 0]
    assert publish_with(made.tree, new, OPTIONS).table.rows == 4
