"""The budget of a design: its fields, its file, and who is asked what."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design, DesignedAttribute, Group, Identity, Uniform
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.budget import DesignBudget, draw_parts, suggest_blocks
from ppworkbench.core.design.design_file import design_from_json, design_to_json
from ppworkbench.core.errors import DesignError
from ppworkbench.core.rng import SecureStreams, SeededStreams
from ppworkbench.study.release import without_attributes

FULL = DesignBudget(
    8.0, "max", "variance", (("a", 4.0),), ("b",), 2, (("a", "b"),), 3, memoise=True, linked=True
)


def design(budget: DesignBudget | None = None, names: str = "abcd") -> Design:
    listed = [Attribute(name, Kind.BINARY, ("no", "yes")) for name in names]
    asked = tuple(DesignedAttribute(one, Uniform(keep=0.75)) for one in listed)
    sex = DesignedAttribute(Attribute("sex", Kind.BINARY, ("f", "m")), Identity())
    return Design((*asked, sex), budget=budget)


def test_that_a_file_keeps_the_budget_and_has_the_newer_version() -> None:
    given = design(FULL)
    told = design_to_json(given)
    assert told["version"] == 2
    assert told["budget"] == {
        "total": 8.0, "rule": "max", "of": "variance", "weights": {"a": 4.0}, "locked": ["b"],
        "ask": 2, "blocks": [["a", "b"]], "waves": 3, "memoise": True, "linked": True,
    }  # fmt: skip
    assert design_from_json(told) == given
    assert design_to_json(design())["version"] == 1


def test_that_data_depend_on_who_is_asked_what_alone() -> None:
    assert design_to_json(design(FULL), words=False)["budget"] == {
        "ask": 2, "blocks": [["a", "b"]],
    }  # fmt: skip
    waves = design(DesignBudget(total=4.0, waves=3, memoise=True))
    assert design_to_json(waves, words=False) == design_to_json(design(), words=False)


@pytest.mark.parametrize(
    ("given", "field", "said"),
    [
        ({"total": 0}, "total", "The total is 0; it must be above 0 and at most 1000."),
        ({"total": "8"}, "total", "'total' must be a number."),
        ({"rule": "best"}, "rule", "'rule' is 'best'; it is one of equal, weights, sum, max."),
        ({"weights": {"a": 0}}, "weights", "The weight of 'a' is 0; it must lie between 1e-12"),
        ({"weights": {"x": 1}}, "weights", "The budget names 'x', which is no question"),
        ({"locked": "a"}, "locked", "'locked' must be a list of names."),
        ({"ask": 5}, "ask", "5 of 4 questions cannot be asked; choose 1 to 4."),
        ({"ask": 4, "blocks": [["a", "b"]]}, "ask", "4 of 3 parts cannot be asked; choose 1 to 3."),
        ({"ask": 0}, "ask", "'ask' is 0; it must be at least 1."),
        ({"ask": 2.5}, "ask", "'ask' must be a whole number."),
        ({"blocks": [["a", "b"], ["b", "c"]]}, "blocks", "'b' is in two blocks."),
        ({"waves": 0}, "waves", "'waves' is 0; it must lie between 1 and 10000."),
        ({"memoise": 1}, "memoise", "'memoise' must be true or false."),
        ({"sum": 1}, "sum", "The budget has the unknown field 'sum'; known are total, rule"),
    ],
)
def test_that_a_wrong_budget_is_refused_in_a_sentence(given, field, said) -> None:
    told = design_to_json(design()) | {"version": 2, "budget": given}
    with pytest.raises(DesignError) as caught:
        design_from_json(told)
    assert str(caught.value).startswith(said)
    assert caught.value.field == f"budget.{field}"


def test_that_groups_and_blocks_are_asked_as_a_whole() -> None:
    names = ("a", "b", "c")
    listed = tuple(
        DesignedAttribute(Attribute(name, Kind.BINARY, ("no", "yes")), one)
        for name, one in zip(
            (*names, "d"), (Identity(), Identity(), Uniform(), Uniform()), strict=True
        )
    )
    grouped = Design(
        listed,
        groups=(Group(("a", "b"), "unrelated", 0.6),),
        budget=DesignBudget(ask=1, blocks=(("b", "c"),)),
    )
    assert grouped.parts == (("a", "b", "c"), ("d",))
    assert grouped.ask == 1


def test_that_what_is_left_of_a_design_keeps_what_is_left_of_its_budget() -> None:
    given = design(FULL)
    left = without_attributes(given, ["b", "sex"])
    assert left.budget == dataclasses.replace(FULL, locked=(), blocks=())
    assert left.ask == 2
    # Fewer are left than everybody should be asked: everybody is asked all of them.
    few = without_attributes(given, ["b", "c"])
    assert few.ask is None
    assert design_from_json(design_to_json(few)).names == few.names
    arms = Arms("arm", (DesignArm("x", 0.5, omit=("a",)), DesignArm("y", 0.5)))
    split = dataclasses.replace(given, arms=arms)
    assert split.of_arm("x").budget == dataclasses.replace(FULL, weights=(), blocks=())
    assert split.of_arm("y").budget == split.without_arms().budget == FULL


@pytest.mark.parametrize("streams", [SeededStreams(5), SecureStreams()])
def test_that_every_choice_of_parts_is_equally_likely(streams) -> None:
    drawn = draw_parts(60_000, 4, 2, streams.stream("ask", "parts"))
    assert (drawn.sum(axis=1) == 2).all()
    counts = np.bincount(drawn @ (1 << np.arange(4)), minlength=16)
    chosen = counts[counts > 0]
    assert len(chosen) == 6
    chi_square = float(((chosen - 10_000) ** 2 / 10_000).sum())
    assert chi_square < 25.7  # 1 in 10,000 with 5 degrees of freedom


def test_that_tables_in_pieces_draw_the_same_parts() -> None:
    whole = draw_parts(70_000, 5, 3, SeededStreams(3).stream("ask", "parts"))
    stream = SeededStreams(3).stream("ask", "parts")
    pieces = [draw_parts(rows, 5, 3, stream) for rows in (1, 40_000, 29_999)]
    np.testing.assert_array_equal(np.concatenate(pieces), whole)


def test_that_blocks_keep_needed_pairs_together() -> None:
    assert suggest_blocks([]) == ()
    assert suggest_blocks([("a", "b"), ("c", "d"), ("b", "c")]) == (("a", "b", "c", "d"),)
