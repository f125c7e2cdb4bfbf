"""Linkage by rare combinations."""

import numpy as np
import pytest
from attackable import design_of, people

from ppworkbench.core.attacks import link_records
from ppworkbench.core.design import Uniform
from ppworkbench.core.design.distort import distort
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.progress import Cancelled, StoppableProgress
from ppworkbench.core.rng import SeededStreams


def test_that_unique_records_are_counted(open_table):
    table, distorted, design = open_table
    found = link_records(table, distorted, design, ["town", "age"])
    pairs = list(zip(table["town"].data.tolist(), table["age"].data.tolist(), strict=True))
    alone = sum(pairs.count(pair) == 1 for pair in set(pairs))
    assert found.steps[1].unique_original == alone
    assert found.steps[1].unique_distorted == alone
    assert found.steps[1].undistorted == pytest.approx(len(set(pairs)) / 800)


def test_that_links_to_an_open_table_are_right_as_often_as_combinations_are_rare(open_table):
    found = link_records(*open_table, ["town", "age", "pay"], 3)
    for step in found.steps:
        p = step.undistorted
        assert abs(step.linked.share - p) < 4 * np.sqrt(p * (1 - p) / step.linked.n) + 1e-9
    assert found.steps[-1].linked.share > 0.85


def test_that_distortion_makes_links_wrong(attacked):
    found = link_records(*attacked, ["town", "age", "pay"], 3)
    last = found.steps[-1]
    assert last.linked.interval[1] < 0.1 < last.undistorted
    assert found.blind == 1 / 4000
    assert [len(step.names) for step in found.steps] == [1, 2, 3]


def test_that_an_answer_without_information_is_linked_by_lot():
    table = people(300).select(["town"])
    design = design_of(table, town=Uniform(keep=1 / 3))
    distorted = distort(table, design, SeededStreams(1))
    found = link_records(table, distorted, design, ["town"], 4)
    low, high = found.steps[0].linked.interval
    assert low <= found.blind <= high


def test_that_an_attacker_also_uses_an_answer_that_always_lies(open_table):
    table = open_table[0].select(["town", "age"])
    # Nobody reports the own town: the attacker rules it out, and is right more often than by lot.
    design = design_of(table, town=Uniform(keep=0.0))
    distorted = distort(table, design, SeededStreams(2))
    hits = sum(
        link_records(table, distorted, design, ["age", "town"], seed).steps[1].linked.hits
        for seed in range(3)
    )
    assert hits / (3 * 800) > 41 / 800


def test_that_the_same_seed_links_the_same_records(attacked):
    first, again = (link_records(*attacked, ["town", "age"], 9) for _ in range(2))
    assert first == again


def test_that_nothing_to_link_by_is_refused(attacked):
    with pytest.raises(ParameterError):
        link_records(*attacked, [])


def test_that_linking_stops_when_asked(attacked):
    progress = StoppableProgress()

    def once(done, message=""):
        progress(done, message)
        progress.stop()

    with pytest.raises(Cancelled):
        link_records(*attacked, ["town", "age"], progress=once)
