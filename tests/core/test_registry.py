"""Registries: members found by name, and what is said of names that nobody has."""

from __future__ import annotations

import pytest

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.registry import Registry


@pytest.fixture
def estimators() -> Registry[str]:
    registry: Registry[str] = Registry("estimator")
    for name, label in [("matrix", "Matrix"), ("iterate", "Iterate"), ("best", "Best")]:
        registry.register(name, label)(name.upper())
    return registry


def test_that_members_keep_the_order_of_registration(estimators):
    assert estimators.names == ("matrix", "iterate", "best")
    assert [entry.label for entry in estimators] == ["Matrix", "Iterate", "Best"]
    assert len(estimators) == 3


def test_that_a_member_is_found_by_its_name(estimators):
    assert estimators["iterate"] == "ITERATE"
    assert estimators.entry("iterate").label == "Iterate"
    assert "iterate" in estimators
    assert "guess" not in estimators


def test_that_registering_gives_the_thing_back(estimators):
    thing = object()
    assert Registry[object]("thing").register("one", "One")(thing) is thing


def test_that_a_misspelt_name_is_answered_with_the_nearest(estimators):
    with pytest.raises(ParameterError) as caught:
        estimators["matrx"]
    assert str(caught.value) == "There is no estimator called 'matrx'; did you mean 'matrix'?"
    assert caught.value.field == "estimator"


def test_that_a_name_unlike_all_others_is_answered_with_the_known(estimators):
    with pytest.raises(ParameterError, match=r"'xyz'; known are matrix, iterate, best\."):
        estimators["xyz"]


def test_that_a_name_is_given_only_once(estimators):
    with pytest.raises(ValueError, match="estimator 'best' is registered twice"):
        estimators.register("best", "Better")("BETTER")


def test_that_people_choose_in_the_order_of_ranks_and_commands_list_as_registered():
    registry: Registry[int] = Registry("number")
    registry.register("late", "Late number")(1)
    registry.register("second", "Second number", rank=20, short="2nd", hint="after the first")(2)
    registry.register("first", "First number", rank=10)(3)
    assert registry.names == ("late", "second", "first")
    assert [entry.name for entry in registry.ranked] == ["first", "second", "late"]
    assert [entry.title for entry in registry.ranked] == ["First number", "2nd", "Late number"]
    assert registry.entry("second").hint == "after the first"


def test_that_a_member_that_is_removed_can_be_registered_again(estimators):
    estimators.remove("iterate")
    assert "iterate" not in estimators
    assert estimators.register("iterate", "Iterate")("again") == "again"
