"""The document: what follows from what, and that nothing is changed in place."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from designs import classic_study
from studies import make_study

from ppworkbench.core.data.attribute import Attribute, Kind, MissingPolicy
from ppworkbench.core.data.edits import merge_values, reorder_values, set_kind, set_missing_policy
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Custom,
    Design,
    DesignedAttribute,
    Identity,
    Ordinal,
    Related,
    Uniform,
)
from ppworkbench.core.design.distort import distort
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.starting import starting_perturbation
from ppworkbench.core.errors import DesignError
from ppworkbench.core.rng import SeededStreams
from ppworkbench.study.study import PriorChoice, Study


@pytest.fixture
def study() -> Study:
    return make_study(rows=50)


def test_that_a_study_of_a_table_has_a_design_for_every_question(study):
    assert study.design.names == study.original.names
    assert study.settings.respondents == 50
    assert study.rows == 50
    assert study.table is study.original
    assert not study.is_empty


def test_that_an_empty_study_is_empty():
    empty = Study()
    assert empty.is_empty
    assert empty.table is None
    assert empty.rows == 0
    assert empty.attributes == ()


def test_that_a_change_makes_a_new_study_and_shares_the_data(study):
    changed = study.with_perturbations({"town": Uniform(keep=0.3)})
    assert study.design["town"].perturbation == Uniform(keep=0.55)
    assert changed.design["town"].perturbation == Uniform(keep=0.3)
    assert changed.original is study.original
    with pytest.raises(dataclasses.FrozenInstanceError):
        study.title = "other"


def test_that_an_unknown_attribute_is_named_in_the_error(study):
    with pytest.raises(DesignError, match="no attribute 'colour'"):
        study.attribute("colour")


def test_that_a_label_is_the_question_or_the_name(study):
    column = study.original["age"]
    asked = column.attribute.with_(label="How old are you?")
    table = study.original.replace(column.with_(attribute=asked))
    assert study.label("age") == "age"
    assert study.with_table(table).label("age") == "How old are you?"


def named(study: Study, name: str, **words: str) -> Study:
    column = study.original[name]
    changed = column.with_(attribute=column.attribute.with_(**words))
    return study.with_table(study.original.replace(changed))


def test_that_people_read_the_title_else_a_short_label_else_the_name(study):
    assert named(study, "age", label="Age in years", title="Age").shown("age") == "Age"
    assert named(study, "age", label="Age in years").shown("age") == "Age in years"
    assert named(study, "age", label="How old are you?").shown("age") == "age"
    assert named(study, "age", label=41 * "a").shown("age") == "age"


def test_that_attributes_with_the_same_title_are_told_apart_by_their_columns(study):
    alike = named(named(study, "age", title="Answer"), "town", title="Answer")
    assert (alike.shown("age"), alike.shown("town")) == ("Answer (age)", "Answer (town)")
    assert alike.shown("sex") == "sex"


def test_that_a_title_goes_into_the_design_and_changes_nothing_else(study):
    drawn = study.with_choice("town", PriorChoice("drawn", (1.0, 2.0, 3.0)))
    changed = named(drawn, "town", title="Home town", unit="km")
    assert changed.design["town"].attribute.title == "Home town"
    assert changed.design["town"].perturbation == study.design["town"].perturbation
    assert changed.choice("town") == drawn.choice("town")
    alone = Study(design=changed.design)
    assert alone.shown("town") == "Home town"
    assert alone.attribute("town").unit == "km"


def test_that_the_prior_comes_from_the_data_unless_drawn(study):
    counts = study.original["sex"].counts
    assert study.prior("sex").probabilities == pytest.approx(counts / 50)
    assert study.prior("town").probabilities == pytest.approx([3 / 6, 2 / 6, 1 / 6])
    from_data = study.with_choice("town", PriorChoice("data", (3.0, 2.0, 1.0)))
    assert from_data.prior("town").probabilities == pytest.approx(
        study.original["town"].counts / 50
    )
    uniform = study.with_choice("town", PriorChoice("uniform"))
    assert uniform.prior("town").probabilities == pytest.approx([1 / 3] * 3)


def test_that_without_data_the_prior_is_drawn_or_uniform(study):
    bare = study.with_(original=None)
    assert bare.choice("town") == PriorChoice("drawn", (3.0, 2.0, 1.0))
    assert bare.choice("sex") == PriorChoice("uniform")
    assert bare.prior("sex").probabilities == pytest.approx([0.5, 0.5])


def test_that_a_column_without_answers_has_no_prior_of_its_own():
    sex = Attribute("sex", Kind.BINARY, ("F", "M"))
    table = Table((Column(sex, np.array([-1, -1])),))
    study = classic_study(table, "nobody answered")
    assert study.data_prior("sex") is None
    assert study.choice("sex").source == "uniform"


def test_that_the_design_keeps_what_still_fits_other_data(study):
    table = reorder_values(study.original, "town", ["=1+1", "Łódź", "Riverside"])
    followed = study.with_table(table)
    assert followed.design["town"].perturbation == Uniform(keep=0.55)
    assert followed.design["town"].attribute.values == ("=1+1", "Łódź", "Riverside")


def test_that_the_design_starts_anew_where_a_perturbation_does_not_fit_any_more(study):
    rows = ((0.8, 0.1, 0.1), (0.1, 0.8, 0.1), (0.1, 0.1, 0.8))
    custom = study.with_perturbations({"town": Custom(rows)})
    merged = merge_values(study.original, "town", ["Łódź", "=1+1"], "elsewhere")
    assert custom.with_table(merged).design["town"].perturbation == starting_perturbation(
        merged["town"].attribute
    )
    numbers = set_kind(study.original, "mood", Kind.INTEGER)
    assert study.design["mood"].perturbation == Ordinal(weights=(0.6, 0.2))
    assert study.with_table(numbers).design["mood"].attribute.kind is Kind.INTEGER


def test_that_a_drawing_over_other_values_is_forgotten(study):
    merged = merge_values(study.original, "town", ["Łódź", "=1+1"], "elsewhere")
    followed = study.with_table(merged)
    assert followed.choice("town").source == "data"
    assert len(followed.prior("town").probabilities) == 2
    same_values = study.with_table(study.original.take(slice(0, 10)))
    assert same_values.choice("town") == study.choice("town")


@pytest.fixture
def grouped() -> Study:
    """Three questions, of which two share a coin."""
    attributes = [Attribute(name, Kind.BINARY, ("no", "yes")) for name in "abc"]
    table = Table(tuple(Column(a, np.array([0, 1])) for a in attributes))
    design = Design(
        tuple(DesignedAttribute(a, Identity()) for a in attributes),
        groups=(Group(("a", "b"), "related", 0.7),),
    )
    return classic_study(table, "group").with_(design=design)


def test_that_a_group_goes_when_one_of_its_attributes_changes(grouped):
    table, groups = grouped.original, grouped.design.groups
    assert len(groups) == 1
    assert grouped.with_table(table).design.groups == groups
    turned = reorder_values(table, "a", ["yes", "no"])
    assert grouped.with_table(turned).design.groups == ()
    assert grouped.without_groups_of(["c"]).design.groups == groups
    assert grouped.without_groups_of(["b"]).design.groups == ()


def test_that_attributes_of_a_dissolved_group_stay_as_distorted_as_they_were(grouped):
    alone = grouped.without_groups_of(["a"])
    turned = grouped.with_table(reorder_values(grouped.original, "a", ["yes", "no"]))
    for changed in (alone, turned):
        assert changed.design["a"].perturbation == Related(theta=0.7)
        assert changed.design["b"].perturbation == Related(theta=0.7)
        assert changed.design["c"].perturbation == Identity()


def test_that_a_study_of_distorted_answers_lists_the_attributes_of_the_design(study):
    analyst = Study.of_distorted(study.original, study.design, "collected")
    assert analyst.original is None
    assert analyst.table is study.original
    assert [a.name for a in analyst.attributes] == list(study.design.names)
    assert analyst.data_prior("sex") is None


SMOKES = Attribute("smokes", Kind.BINARY, ("no", "yes"))


def test_that_missing_becomes_a_distorted_answer_when_the_policy_says_so():
    table = Table((Column(SMOKES, np.array([0, 1, -1, -1])),))
    study = classic_study(table, "gaps")
    changed = study.with_table(set_missing_policy(table, "smokes", MissingPolicy.VALUE))
    designed = changed.design["smokes"]
    assert designed.missing_is_value
    assert designed.attribute.values == ("no", "yes", "missing")
    np.testing.assert_allclose(changed.prior("smokes").probabilities, [0.25, 0.25, 0.5])
    out = distort(changed.original, changed.design, SeededStreams(1))
    assert (out["smokes"].data >= 0).all()
    again = changed.with_table(set_missing_policy(changed.original, "smokes", MissingPolicy.LEAVE))
    assert again.design["smokes"].attribute.values == ("no", "yes")
