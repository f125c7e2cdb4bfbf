"""The drawing of groups: folded, unfolded, and the weakest in sight."""

from __future__ import annotations

import os
import stat

import numpy as np
import pytest
from publish_tables import INCOME, SMOKES, smokers

from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.publish import DeniabilityOptions, Sample, make_tree
from ppworkbench.gui.charts.chart_export import figure_of, picture_menu
from ppworkbench.gui.charts.tree_layout import walk
from ppworkbench.gui.pages.publish.groups_card import MORE, MOST_PARTS, REST, GroupLabels, TreeCard


@pytest.fixture(scope="module")
def deep():
    options = DeniabilityOptions(min_deniability=0.1, smallest_group=10, cuts=4)
    return make_tree(Sample.of(smokers(1500), "smokes"), options)


@pytest.fixture(scope="module")
def wide():
    answer = np.arange(300) % 3 > np.repeat(np.arange(30) % 2, 10)
    numbers = np.repeat(np.arange(30.0), 10)
    table = Table((Column(INCOME, numbers), Column(SMOKES, answer.astype(int))))
    options = DeniabilityOptions(min_deniability=0.1, smallest_group=5)
    return make_tree(Sample.of(table, "smokes"), options)


@pytest.fixture
def card(workbench, qtbot):
    made = TreeCard(workbench.themes)
    qtbot.addWidget(made)
    return made


def boxes(root):
    return {node.key: node for node, _ in walk(root)}


def test_that_a_small_tree_is_drawn_whole_with_the_weakest_marked():
    options = DeniabilityOptions(min_deniability=0.2)
    tree = make_tree(Sample.of(smokers(400), "smokes", ["district"]), options)
    drawn = boxes(GroupLabels(tree, 0.2).root())
    assert len(drawn) == 4
    weakest = drawn[str(tree.weakest.place)]
    assert weakest.border == "warning"
    assert weakest.note == "weakest group"
    assert weakest.mark == 0.2
    assert weakest.share == tree.minimum_deniability
    assert drawn["0"].badge == "by district"
    assert [node.border for node in drawn.values()].count("warning") == 1


def test_that_the_weakest_of_a_deep_tree_is_in_sight_from_the_start(deep):
    assert len(deep.leaves) > 10
    assert deep.weakest.depth > 2
    root = GroupLabels(deep, 0.1).root()
    drawn = boxes(root)
    assert str(deep.weakest.place) in drawn
    assert max(depth for _, depth in walk(root)) == 2
    rest = next(node for key, node in drawn.items() if key.startswith(REST))
    assert "more group" in rest.title
    people = sum(int(node.lines[0].split()[0].replace(",", "")) for node in root.children)
    assert people == 1500


def test_that_a_wide_split_shows_some_parts_and_the_rest_when_asked(wide, card):
    assert len([c for c in wide.root.children if wide.nodes[c].size]) > MOST_PARTS + 1
    root = GroupLabels(wide, 0.1).root()
    assert len(root.children) == MOST_PARTS + 1
    assert root.children[-1].key == f"{MORE}0"
    card.show_tree(wide, 0.1, "groups")
    card.view.node_chosen.emit(f"{MORE}0")
    assert len(card.view.root.children) == len(wide.root.children)


def test_that_a_click_unfolds_and_folds(deep, card):
    card.show_tree(deep, 0.1, "groups")
    before = boxes(card.view.root)
    rest = next(key for key in before if key.startswith(REST))
    card.view.node_chosen.emit(rest)
    unfolded = boxes(card.view.root)
    assert rest not in unfolded
    key = rest.removeprefix(REST)
    assert len(unfolded[key].children) >= 2
    card.view.node_chosen.emit(key)
    assert boxes(card.view.root).keys() == before.keys()
    card.view.node_chosen.emit(str(deep.weakest.place))
    assert boxes(card.view.root).keys() == before.keys()


def test_that_folded_groups_tell_the_least_deniability_inside(deep):
    drawn = GroupLabels(deep, 0.1).root().children
    inside = {node: deep.nodes[int(node.key)] for node in drawn if not node.children}
    folded = {node: inner for node, inner in inside.items() if not inner.is_leaf}
    assert folded
    for node, inner in folded.items():
        waiting, found = [inner], []
        while waiting:
            one = waiting.pop()
            waiting += [deep.nodes[place] for place in one.children]
            found += [one.deniability] if one.is_leaf and one.size else []
        assert node.share == min(found)
        assert node.note == f"{len(found)} groups"


def test_that_the_weakest_can_be_found_and_an_empty_card_says_why(deep, card):
    card.show_tree(deep, 0.1, "groups")
    card.find_button.click()
    assert card.view.chosen == str(deep.weakest.place)
    card.show_empty("No groups are possible.", "Lower the minimum.")
    assert card.is_empty
    assert not card.find_button.isEnabled()
    card.find_button.click()
    card.show_tree(deep, 0.1, "groups")
    assert not card.is_empty


@pytest.mark.skipif(os.name == "nt", reason="there are no such modes")
def test_that_the_numbers_of_the_groups_are_saved_for_their_owner_only(
    deep, card, dialogs, tmp_path
):
    card.show_tree(deep, 0.1, "groups")
    card.show()
    menu = picture_menu(card.view, card.view.rows)
    (save,) = (one for one in menu.actions() if one.text() == "Save data as CSV…")
    save.trigger()
    dialogs.choose(tmp_path / "groups.csv")
    assert stat.S_IMODE((tmp_path / "groups.csv").stat().st_mode) == 0o600
    figure = figure_of(card.view)
    assert figure is None or figure.holds_truth
