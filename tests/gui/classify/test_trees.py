"""The tree that is drawn beside the results of classifiers, while it is trained."""

from __future__ import annotations

import threading

import pytest

from ppworkbench.gui.pages.classify import tree_card
from ppworkbench.gui.pages.classify.tree_card import Trees


class Unfinished:
    """A run whose experiment is never looked at."""

    experiment = object()


@pytest.fixture
def begun(monkeypatch):
    """An event that tells that training has begun; it ends only when it is stopped."""
    told = threading.Event()

    def train(experiment, task, progress):
        told.set()
        while True:
            progress(0.5)

    monkeypatch.setattr(tree_card, "_tree", train)
    return told


@pytest.mark.parametrize("end", ["nothing", "forget"])
def test_that_a_tree_which_nobody_wants_any_more_is_not_trained_to_its_end(
    workbench, qtbot, begun, end
):
    trees = Trees(workbench)
    trees.draw(Unfinished(), "tree", 1.0)
    qtbot.waitUntil(begun.is_set)
    getattr(trees, end)()
    qtbot.waitUntil(lambda: workbench.jobs.is_idle)
