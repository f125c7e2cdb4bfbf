"""An attribute under another name keeps its design and what pages know about it."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest
from studies import make_study, same

from ppworkbench.core.data.edits import rename_attribute, set_title
from ppworkbench.core.design import Design, Identity, Uniform
from ppworkbench.core.design.anchors import Anchor
from ppworkbench.core.design.group import Group
from ppworkbench.study.renaming import (
    COMPLIANCE,
    PINS,
    REHEARSAL,
    RELEASE,
    renamed_results,
    results_restored,
    results_without,
    retyped,
)
from ppworkbench.study.study import PriorChoice, Study

PINNED = {"active": "A", "pins": {"A": {"type": "uniform", "keep": 0.3}}}
PLAN = {"sensitive": "town", "excluded": ["age", "town"], "options": {}}


def rename(study: Study, old: str, new: str) -> Study:
    assert study.original is not None
    return retyped(study, rename_attribute(study.original, old, new), (old, new))


def test_that_design_and_expected_answers_go_along() -> None:
    study = make_study()
    found = rename(study, "town", "city")
    assert found.original is not None
    assert found.original.names == found.design.names == ("sex", "city", "mood", "age", "income")
    assert found.design["city"].perturbation == Uniform(keep=0.55)
    assert found.design["city"].attribute.values == study.design["town"].attribute.values
    assert dict(found.choices) == {"city": PriorChoice("drawn", (3.0, 2.0, 1.0))}
    assert found.design["age"] == study.design["age"]


def test_that_a_title_stays_with_its_attribute() -> None:
    study = make_study()
    assert study.original is not None
    study = study.with_table(set_title(study.original, "town", "Home town"))
    found = rename(study, "town", "city")
    assert found.shown("city") == found.design["city"].attribute.shown == "Home town"


def test_that_the_class_and_a_shared_coin_go_along() -> None:
    study = make_study()
    bare = study.with_perturbations({"town": Identity(), "sex": Identity()}).design
    personal = (("town", (0.2, 0.3, 0.5)),)
    group = Group(("sex", "town"), "unrelated", 0.7, personal)
    study = study.with_(design=Design(bare.attributes, "sex", (group,)))
    found = rename(rename(study, "town", "city"), "sex", "gender").design
    assert found.class_name == "gender"
    moved = Group(("gender", "city"), "unrelated", 0.7, (("city", (0.2, 0.3, 0.5)),))
    assert found.groups == (moved,)


def test_that_renaming_back_gives_the_same_study() -> None:
    study = make_study()
    assert not same(rename(study, "town", "city"), study)
    assert same(rename(rename(study, "town", "city"), "city", "town"), study)


def test_that_another_typing_is_no_rename() -> None:
    study = make_study()
    assert study.original is not None
    found = retyped(study, rename_attribute(study.original, "town", "city"))
    assert found.design["city"].perturbation != Uniform(keep=0.55)


def test_that_pins_and_the_plan_of_a_release_go_along() -> None:
    curve = {"plan": PLAN, "accuracies": [1]}
    kept = {PINS: {"town": PINNED}, RELEASE: {"mode": "deniable", "plan": PLAN, "curve": curve}}
    found = renamed_results(MappingProxyType({**kept, "mine": {"runs": ["town"]}}), ("town", "x"))
    moved = {"sensitive": "x", "excluded": ["age", "x"], "options": {}}
    assert found[PINS] == {"x": PINNED}
    assert found[RELEASE] == {
        "mode": "deniable", "plan": moved, "curve": {"plan": moved, "accuracies": [1]},
    }  # fmt: skip
    assert found["mine"] == {"runs": ["town"]}


def test_that_pins_left_under_the_new_name_come_back_with_the_old_one() -> None:
    kept = {PINS: {"town": PINNED, "city": {"active": "", "pins": {}}}}
    there = renamed_results(kept, ("town", "city"))
    assert there[PINS] == {"city": PINNED, "town": {"active": "", "pins": {}}}
    assert dict(renamed_results(there, ("city", "town"))) == kept


@pytest.mark.parametrize(
    "kept", [{}, {PINS: 3}, {PINS: {}}, {RELEASE: []}, {RELEASE: {"plan": {"sensitive": 1}}}]
)
def test_that_what_does_not_name_the_attribute_stays_the_same_object(kept: dict) -> None:
    assert renamed_results(kept, ("town", "city")) is kept


def test_that_the_safe_answer_of_a_question_goes_along() -> None:
    study = make_study()
    settings = replace(study.settings, safe_answers=(("town", "b"), ("sex", "f")))
    found = rename(study.with_(settings=settings), "town", "city").settings
    assert dict(found.safe_answers) == {"city": "b", "sex": "f"}


def test_that_an_anchor_goes_along_and_ends_with_its_answers() -> None:
    study = make_study()
    binary = [d.name for d in study.design if d.attribute.k == 2][:1]
    assert binary == ["sex"]
    assert study.original is not None
    other = study.original["sex"]
    twice = other.with_(attribute=other.attribute.with_(name="check"))
    study = study.with_table(study.original.with_(columns=(*study.original.columns, twice)))
    anchors = (("sex", Anchor("check", 0.15)),)
    study = study.with_(design=replace(study.design, anchors=anchors))
    found = rename(rename(study, "sex", "gender"), "check", "control")
    assert found.design.anchors == (("gender", Anchor("control", 0.15)),)
    left = study.with_table(study.original.select(n for n in study.original.names if n != "check"))
    assert left.design.anchors == ()


def test_that_the_strength_of_a_rehearsal_goes_along() -> None:
    kept = {REHEARSAL: {"n": 500, "strengths": {"town": "strong"}}}
    found = renamed_results(kept, ("town", "city"))
    assert found == {REHEARSAL: {"n": 500, "strengths": {"city": "strong"}}}


def test_that_what_is_kept_of_a_deleted_question_goes_and_comes_back() -> None:
    before = {
        PINS: {"town": PINNED, "age": PINNED},
        REHEARSAL: {"n": 500, "strengths": {"town": "strong", "age": "none"}},
    }
    after = results_without(before, {"town"})
    assert after == {
        PINS: {"age": PINNED},
        REHEARSAL: {"n": 500, "strengths": {"age": "none"}},
    }
    assert results_without(after, {"town"}) is after
    assert results_restored(after, before, after) == before
    # What was pinned in between stays, and so does another number of people.
    now = {PINS: {"sex": PINNED}, REHEARSAL: {"n": 9, "strengths": {}}}
    assert results_restored(now, before, after) == {
        PINS: {"town": PINNED, "sex": PINNED},
        REHEARSAL: {"n": 9, "strengths": {"town": "strong"}},
    }
    assert results_restored({}, before, results_without(before, {"sex"})) == {}


COMPLIED = {"attribute": "town", "model": "p", "anchor": {"column": "check", "p": 0.2}}


def test_that_the_kept_compliance_question_is_renamed_and_goes_with_its_question() -> None:
    kept = {COMPLIANCE: COMPLIED}
    assert renamed_results(kept, ("town", "city"))[COMPLIANCE]["attribute"] == "city"
    found = renamed_results(kept, ("check", "control"))[COMPLIANCE]
    assert found == {**COMPLIED, "anchor": {"column": "control", "p": 0.2}}
    for gone in ("town", "check"):
        after = results_without(kept, {gone})
        assert after == {}
        assert results_restored(after, kept, after) == kept
        # Another question that was kept since then is not mixed with the old one.
        assert results_restored({COMPLIANCE: {"attribute": "sex"}}, kept, after) == {
            COMPLIANCE: {"attribute": "sex"}
        }
    assert results_without(kept, {"age"}) is kept


def test_that_a_deleted_question_leaves_the_plan_of_a_release() -> None:
    plan = {"sensitive": "sex", "excluded": ["age", "town"], "parts": 3}
    before = {
        RELEASE: {"mode": "deniable", "plan": plan, "left_out": ["town"], "curve": {"plan": plan}}
    }
    after = results_without(before, {"town"})
    left = {**plan, "excluded": ["age"]}
    assert after == {RELEASE: {"mode": "deniable", "plan": left, "curve": {"plan": left}}}
    assert results_restored(after, before, after) == before
    assert results_without(before, {"sex"}) == {RELEASE: {"mode": "deniable", "left_out": ["town"]}}
    assert results_without(before, {"weight"}) is before
