"""The tree as nodes, as text and as JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest
from learnable import distorted, mixed_table, moderate_design

from ppworkbench.core.classify import DecisionTree
from ppworkbench.core.classify.tree.node import Node
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table

TABLE = mixed_table(400)
DESIGN = moderate_design(TABLE)
TREE = DecisionTree(design=DESIGN).fit(distorted(TABLE, DESIGN))


def play() -> Table:
    outlook = Attribute("outlook", Kind.NOMINAL, ("sunny", "rain", "cloudy"))
    windy = Attribute("humidity", Kind.INTEGER, domain=(60, 100))
    play = Attribute("play", Kind.BINARY, ("no", "yes"))
    codes = np.repeat([0, 1, 2], 10)
    humidity = np.tile([65, 70, 75, 80, 85, 90, 92, 95, 97, 99], 3)
    answer = np.where(codes == 2, 1, np.where(codes == 1, 0, humidity < 80))
    columns = (Column(outlook, codes), Column(windy, humidity), Column(play, answer))
    return Table(columns, "play")


def test_that_a_small_tree_reads_as_it_should() -> None:
    tree = DecisionTree(bins=4, smallest=2, prune=False).fit(play())
    assert tree.to_text().splitlines() == [
        "classes: no, yes",
        "no (17, 13)",
        "outlook is cloudy: yes (0, 10)",
        "not outlook is cloudy: no (17, 3)",
        "|   humidity < 81: no (5, 3)",
        "|   not humidity < 81: no (12, 0)",
    ]


def test_that_the_json_tells_the_same_as_the_nodes() -> None:
    document = json.loads(json.dumps(TREE.to_json()))
    nodes = list(TREE.root_.walk())
    assert document["classes"] == ["A", "B"]
    assert len(document["nodes"]) == len(nodes) == len(TREE.tree_)
    for node, told in zip(nodes, document["nodes"], strict=True):
        assert told["counts"] == list(node.counts)
        assert told["class"] == node.prediction
        assert ("test" in told) == (not node.is_leaf)
        if node.yes is not None and node.no is not None:
            assert document["nodes"][told["yes"]]["counts"] == list(node.yes.counts)
            assert document["nodes"][told["no"]]["counts"] == list(node.no.counts)


def test_that_every_line_of_the_text_is_a_node() -> None:
    assert len(TREE.to_text().splitlines()) == len(TREE.tree_) + 1


def test_that_the_path_of_a_record_ends_in_the_leaf_that_foretells_its_class() -> None:
    for row in range(0, 400, 40):
        record = TABLE.take(np.array([row]))
        path = TREE.path(record)
        assert path[0] is TREE.root_
        assert path[-1].is_leaf
        assert path[-1].prediction == TREE.predict(record)[0]
        assert [node.depth for node in path] == list(range(len(path)))


def test_that_inner_nodes_show_a_reconstructed_distribution() -> None:
    for node in TREE.root_.walk():
        assert sum(node.shares) == pytest.approx(1)
        if node.test is not None:
            assert sum(node.test.distribution) == pytest.approx(1)
            assert len(node.test.distribution) == len(node.test.labels) == len(node.test.cells)


def test_that_thresholds_on_whole_numbers_are_whole() -> None:
    whole = [
        node.test.threshold
        for node in DecisionTree(prune=False, smallest=2).fit(TABLE).root_.walk()
        if node.test is not None and node.test.attribute == "age"
    ]
    assert whole
    assert all(float(threshold or 0).is_integer() for threshold in whole)


def test_that_a_tree_of_one_class_is_a_leaf() -> None:
    one = TABLE.replace(TABLE["vote"].with_(data=np.zeros(TABLE.rows, np.int8)))
    tree = DecisionTree().fit(one)
    assert isinstance(tree.root_, Node)
    assert tree.root_.is_leaf
    assert tree.root_.prediction == "A"


def test_that_another_fit_forgets_the_nodes_of_the_last() -> None:
    tree = DecisionTree(depth=1).fit(TABLE)
    before = tree.root_
    assert tree.fit(TABLE.take(np.arange(100))).root_ is not before
