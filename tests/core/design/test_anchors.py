"""Anchors in designs: read, checked, and kept as long as both questions are there."""

from __future__ import annotations

from typing import Any

import pytest

from ppworkbench.core.design.anchors import Anchor
from ppworkbench.core.design.design_file import design_from_json, design_to_json
from ppworkbench.core.errors import DesignError
from ppworkbench.study.release import without_attributes

RELATED = {"type": "related", "theta": 0.15}
YES = {"kind": "binary", "values": ["no", "yes"], "perturbation": RELATED}
THREE = {"kind": "nominal", "values": ["a", "b", "c"], "perturbation": {"type": "none"}}


def given(anchors: Any, **more: Any) -> dict[str, Any]:
    """A design file with anchors."""
    attributes = {"drug": YES, "anchor": YES, "town": THREE}
    return {"format": "ppworkbench-design", "version": 2, "attributes": attributes,
            "anchors": anchors, **more}  # fmt: skip


ANCHORS = {"drug": {"column": "anchor", "p": 0.15, "share": 0.0}}


def test_that_a_file_keeps_anchors() -> None:
    """In version 2; a share of 0 need not be said."""
    design = design_from_json(given({"drug": {"column": "anchor", "p": 0.15}}))
    assert design.anchor_of("drug") == Anchor("anchor", 0.15, 0.0)
    assert design.anchor_of("town") is None
    written = design_to_json(design)
    assert (written["version"], written["anchors"]) == (2, ANCHORS)
    assert design_from_json(written) == design


@pytest.mark.parametrize(
    "anchors",
    [
        [],
        {"drug": "anchor"},
        {"drug": {"column": "anchor"}},
        {"drug": {"column": "anchor", "p": True}},
        {"drug": {"column": "anchor", "p": 0.5}},
        {"drug": {"column": "anchor", "p": 0.15, "share": 2}},
        {"drug": {"column": "anchor", "p": 0.15, "weight": 1}},
        {"drug": {"p": 0.15}},
        {"drug": {"column": "nothing", "p": 0.15}},
        {"nothing": {"column": "anchor", "p": 0.15}},
        {"drug": {"column": "drug", "p": 0.15}},
        {"drug": {"column": "town", "p": 0.15}},
    ],
)
def test_that_anchors_that_are_none_are_refused(anchors: Any) -> None:
    """With the field that is wrong."""
    with pytest.raises(DesignError) as refused:
        design_from_json(given(anchors))
    assert refused.value.field == "anchors"


def test_that_an_anchor_goes_with_either_question() -> None:
    """And stays without the others."""
    design = design_from_json(given(ANCHORS))
    assert without_attributes(design, ["town"]).anchors == design.anchors
    for gone in ("drug", "anchor"):
        assert without_attributes(design, [gone]).anchors == ()


def test_that_arms_keep_the_anchors_of_what_they_ask() -> None:
    """One of them does not ask the check question."""
    members = {"A": {"share": 0.5}, "B": {"share": 0.5, "omit": ["anchor"]}}
    design = design_from_json(given(ANCHORS, arms={"column": "version", "members": members}))
    assert design.of_arm("A").anchors == design.within_arms(["A"]).anchors == design.anchors
    assert design.without_arms().anchors == design.anchors
    assert design.of_arm("B").anchors == ()
