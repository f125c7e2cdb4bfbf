"""The kept runs of an analysis."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.study.run_history import RunHistory


@dataclass(frozen=True)
class Run:
    name: str


def test_that_an_added_run_is_shown_and_the_oldest_goes():
    runs = [Run(name) for name in "abcd"]
    history = RunHistory[Run](limit=3)
    for run in runs:
        history = history.add(run)
    assert history.runs == tuple(runs[1:])
    assert history.shown is history.newest is runs[-1]


def test_that_equal_runs_are_told_apart():
    one, other = Run("a"), Run("a")
    history = RunHistory[Run]().add(one).add(other).remove(one)
    assert len(history) == 1
    assert history.newest is other


def test_that_a_run_added_again_becomes_the_newest():
    one, other = Run("a"), Run("b")
    assert RunHistory[Run]().add(one).add(other).add(one).runs == (other, one)


def test_that_the_newest_is_shown_when_the_shown_one_is_removed():
    one, other = Run("a"), Run("b")
    history = RunHistory[Run]().add(one).add(other)
    assert history.remove(other).shown is one
    assert history.select(one).remove(other).shown is one
    assert history.remove(one).remove(other).shown is None


def test_that_a_replaced_run_keeps_its_place():
    one, other, new = Run("a"), Run("b"), Run("c")
    history = RunHistory[Run]().add(one).add(other)
    assert history.replace(one, new).runs == (new, other)
    assert history.replace(one, new).shown is other
    assert history.replace(other, new).shown is new


@given(st.lists(st.tuples(st.sampled_from(["add", "remove", "select"]), st.integers(0, 5))))
def test_that_what_is_shown_is_always_among_the_runs(steps):
    runs = [Run(str(number)) for number in range(6)]
    history = RunHistory[Run](limit=4)
    for step, number in steps:
        if step == "select" and not any(one is runs[number] for one in history):
            continue
        history = getattr(history, step)(runs[number])
        assert len(history) <= 4
        assert history.shown is None or any(one is history.shown for one in history)
