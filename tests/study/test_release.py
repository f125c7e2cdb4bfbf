"""What a checklist says before a release, and in which order."""

from __future__ import annotations

import dataclasses

import numpy as np
from studies import make_study

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.inference.determined import determining_pairs
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Geometric,
    Group,
    Identity,
    Related,
    Subset,
    Uniform,
)
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.privacy.assess import assess
from ppworkbench.core.privacy.questionnaire import total_epsilon
from ppworkbench.study.release import release_points

TICKET = Attribute("ticket", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
TOWN = Attribute("town", Kind.NOMINAL, ("a", "b", "c", "d"))
REGION = Attribute("region", Kind.NOMINAL, ("north", "south"))
AGE = Attribute("age", Kind.INTEGER, domain=(0, 100))


def town_and_region(rows: int = 400) -> Table:
    draws = np.random.default_rng(3)
    town = draws.integers(0, 4, rows)
    return Table(
        (
            Column(TICKET, (draws.random(rows) < 0.1).astype(np.int64)),
            Column(TOWN, town),
            Column(REGION, town // 2),
        )
    )


def test_that_protection_comes_first_with_epsilon_of_each_and_of_all() -> None:
    design = Design(
        (DesignedAttribute(TICKET, Related(theta=0.75)), DesignedAttribute(TOWN, Uniform(keep=0.4)))
    )
    first, second, third, fourth, *_ = (point.said() for point in release_points(design))
    assert first == ("2 attributes are randomised with a bound: epsilon of ticket 1.10, town 0.69.")
    assert second == (
        "Epsilon is 1.79 in total: all answers of one person change the odds at most 6-fold."
    )
    assert third == "Every released attribute is distorted."
    assert fourth.startswith("ticket: belief in “yes” is at most 75 % after a report")


def test_that_a_large_total_has_no_practical_bound() -> None:
    many = tuple(
        DesignedAttribute(dataclasses.replace(TICKET, name=f"q{place}"), Geometric(epsilon=3.0))
        for place in range(7)
    )
    total = next(one for one in release_points(Design(many)) if "in total" in one.sentence)
    assert total.said() == (
        "Epsilon is 21.00 in total: all answers of one person change the odds without a "
        "practical bound."
    )


def test_that_sensitive_answers_reported_as_sets_have_a_belief() -> None:
    marked = dataclasses.replace(TOWN, sensitive=("a",))
    design = Design((DesignedAttribute(marked, Subset(epsilon=1.0, size=2)),))
    said = [point.said() for point in release_points(design, None)]
    # Of four equal values a set of two holds the true one with g = e/(e+1): belief is g/2.
    start = "25 % before it, if all answers are equally likely."
    assert f"town: belief in “a” is at most 37 % after a report: {start}" in said


def test_that_a_belief_next_to_certainty_is_told_as_no_bound() -> None:
    marked = dataclasses.replace(TOWN, sensitive=("a",))
    design = Design((DesignedAttribute(marked, Uniform(keep=0.99999)),))
    said = [point.said() for point in release_points(design, None)]
    assert any(
        one.startswith("town: belief in “a” can be more than 99.99 % after a report: 25 % before")
        for one in said
    )


def test_that_the_most_exposed_arm_is_compared_with_the_budget() -> None:
    arms = Arms("arm", (DesignArm("A", 0.5), DesignArm("B", 0.5)))
    designed = (DesignedAttribute(TICKET, Geometric(epsilon=2.0)),)
    design = Design(designed, arms=arms, budget=DesignBudget(total=1.5))
    said = [point.said() for point in release_points(design)]
    assert (
        "The privacy budget of 1.5 is exceeded by 0.5: share it out on the Design page, "
        "or raise it." in said
    )


def test_that_an_unbounded_total_names_what_has_no_bound() -> None:
    design = Design(
        (
            DesignedAttribute(TICKET, Related(theta=0.75)),
            DesignedAttribute(AGE, Additive(noise="uniform", half_width=10)),
            DesignedAttribute(REGION, Identity()),
        )
    )
    said = [point.said() for point in release_points(design)]
    assert said[0] == "1 attribute is randomised with a bound: epsilon of ticket 1.10."
    assert said[1] == (
        "Epsilon of all answers together has no bound: age, region have no finite epsilon."
    )


def test_that_the_total_is_that_of_the_measures() -> None:
    group = Group(("ticket", "region"), "unrelated", 0.7)
    design = Design(
        (
            DesignedAttribute(TICKET, Identity()),
            DesignedAttribute(REGION, Identity()),
            DesignedAttribute(TOWN, Uniform(keep=0.6)),
        ),
        groups=(group,),
    )
    values = {reading.name: reading.value for reading in assess(design).readings}
    assert total_epsilon(design) == values["epsilon"]


def test_that_an_attribute_that_tells_another_is_named() -> None:
    table = town_and_region()
    design = Design(
        tuple(DesignedAttribute(column.attribute, Uniform(keep=0.4)) for column in table)
    )
    said = [point.said() for point in release_points(design, table)]
    assert any(one.startswith("town tells region: 100 % of the true answers agree") for one in said)
    assert not any("ticket tells" in one or "tells ticket" in one for one in said)
    # The belief is that of these answers, not of a flat prior.
    assert any("belief in “yes” is at most" in one and "75 %" not in one for one in said)


def test_that_identifiers_and_obvious_answers_tell_nothing() -> None:
    rows = 100
    every = Attribute("person", Kind.NOMINAL, tuple(f"p{i}" for i in range(rows)))
    rare = np.zeros(rows, np.int64)
    rare[0] = 1
    table = Table(
        (
            Column(every, np.arange(rows)),
            Column(REGION, np.arange(rows) % 2),
            Column(TICKET, rare),
        )
    )
    assert determining_pairs(table, table.names) == ()


def test_that_independent_columns_do_not_determine_each_other() -> None:
    draws = np.random.default_rng(4)
    columns = (Column(TOWN.with_(name=f"q{i}"), draws.integers(0, 4, 20_000)) for i in range(60))
    table = Table(tuple(columns))
    assert determining_pairs(table, table.names) == ()


def test_that_nothing_is_said_of_rows_and_draws_where_there_is_no_table():
    design = make_study(rows=20).design
    with_table, without = release_points(design), release_points(design, has_table=False)
    gone = {str(one.sentence) for one in with_table} - {str(one.sentence) for one in without}
    assert gone == {"No seed is saved", "The rows are in random order"}
