"""The tree that is drawn beside the results of classifiers, while it is trained."""

from __future__ import annotations

import threading

import pytest

from ppworkbench.gui.pages.classify import page
from ppworkbench.gui.pages.classify.page import Trees
from ppworkbench.study.study import Study


class Unfinished:
    """A run whose experiment is never looked at."""

    experiment = object()
    table = None


@pytest.fixture
def begun(monkeypatch):
    """An event that tells that training has begun; it ends only when it is stopped."""
    told = threading.Event()

    def train(experiment, key, level, progress):
        told.set()
        while True:
            progress(0.5)

    monkeypatch.setattr(page, "train_tree", train)
    return told


@pytest.mark.parametrize("end", ["drop", "forget"])
def test_that_a_tree_which_nobody_wants_any_more_is_not_trained_to_its_end(
    workbench, qtbot, begun, end
):
    trees = Trees(workbench)
    trees.find(Study(), Unfinished(), "tree", 1.0)
    qtbot.waitUntil(begun.is_set)
    getattr(trees, end)()
    qtbot.waitUntil(lambda: workbench.jobs.is_idle)
