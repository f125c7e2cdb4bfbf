"""Lists of values have a source as bounds have: read off the answers, or known before."""

from __future__ import annotations

import dataclasses
import json

import pytest

from ppworkbench.core.data.attribute import FROM_DATA, PUBLIC, Attribute, Kind
from ppworkbench.core.data.codebook import attribute_from_json, attribute_to_json
from ppworkbench.core.data.edits import confirm_domain, set_kind
from ppworkbench.core.data.files import read_table
from ppworkbench.core.design import Design, DesignedAttribute, Forced, Identity, Uniform
from ppworkbench.core.design.design_file import design_digest, design_from_json, design_to_json
from ppworkbench.core.design.release import (
    VALUES_OF_DATA,
    ReleaseOptions,
    epsilon_conditions,
    release_table,
    values_of_data,
)
from ppworkbench.core.design.starting import starting_design
from ppworkbench.study.files.study_file import open_study, save_study
from ppworkbench.study.questionnaire.document import Questionnaire
from ppworkbench.study.questionnaire.texts import texts_of
from ppworkbench.study.release import CONFIRM_VALUES, release_points
from ppworkbench.study.study import Study, with_public_domains


@pytest.fixture
def clinic(tmp_path):
    """One rare illness among 400 answers."""
    path = tmp_path / "clinic.csv"
    told = ["flu", "cold"] * 199 + ["HIV", "flu"]
    lines = ["illness,visits"] + [f"{one},{place % 7}" for place, one in enumerate(told)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_that_a_list_that_was_read_off_the_answers_says_so(clinic):
    table = read_table(clinic)
    assert table["illness"].attribute.domain_source == FROM_DATA
    design = starting_design(table)
    assert values_of_data(design) == ("illness",)
    assert set_kind(table, "visits", Kind.NOMINAL)["visits"].attribute.domain_source == FROM_DATA
    confirmed = confirm_domain(table, "illness")
    assert values_of_data(starting_design(confirmed)) == ()


def test_that_lists_that_a_file_declares_are_public(tmp_path):
    path = tmp_path / "clinic.arff"
    path.write_text(
        "@relation c\n@attribute illness {flu, cold, HIV}\n@attribute free string\n@data\n"
        "flu, a\ncold, b\nflu, a\ncold, a\n",
        encoding="utf-8",
    )
    table = read_table(path)
    assert table["illness"].attribute.domain_source == PUBLIC
    assert table["free"].attribute.domain_source == FROM_DATA


@pytest.mark.parametrize("source", [PUBLIC, FROM_DATA])
def test_that_the_source_survives_designs_and_codebooks(source):
    attribute = Attribute("illness", Kind.NOMINAL, ("flu", "HIV"), domain_source=source)
    design = Design((DesignedAttribute(attribute, Uniform(keep=0.6)),))
    written = design_to_json(design)
    # The newest version would lock out programs that know nothing of it.
    assert written["version"] == 1
    back = design_from_json(json.loads(json.dumps(written)))
    assert back["illness"].attribute.domain_source == source
    assert attribute_from_json(attribute_to_json(attribute)).domain_source == source
    # It changes no result, so that a confirmed list is no other design.
    other = dataclasses.replace(attribute, domain_source=PUBLIC)
    public = Design((DesignedAttribute(other, Uniform(keep=0.6)),))
    assert design_digest(public) == design_digest(design)


def test_that_a_design_file_that_says_nothing_may_have_its_values_from_the_data():
    asked = {"kind": "binary", "values": ["no", "yes"], "perturbation": {"type": "forced"}}
    given = {"format": "ppworkbench-design", "version": 1, "attributes": {"drug": asked}}
    design = design_from_json(given)
    assert values_of_data(design) == ("drug",)
    (condition,) = epsilon_conditions(design)
    assert condition.code == VALUES_OF_DATA
    assert epsilon_conditions(design_from_json(given | {"attributes": {
        "drug": asked | {"domain_source": "public"}
    }})) == ()  # fmt: skip


def test_that_a_release_says_which_lists_may_tell_that_somebody_gave_a_rare_answer(
    clinic, tmp_path
):
    table = read_table(clinic)
    design = starting_design(table)
    options = ReleaseOptions()
    made = release_table(table, design, tmp_path / "out.csv", options)
    (note,) = [one for one in made.notes if getattr(one, "code", "") == VALUES_OF_DATA]
    assert "illness" in note
    (point,) = [one for one in release_points(design, table) if one.action == CONFIRM_VALUES]
    assert point.good is False
    study = Study.of_table(table, "clinic").with_(design=design)
    confirmed = with_public_domains(study, values_of_data(design))
    assert values_of_data(confirmed.design) == ()
    assert CONFIRM_VALUES not in [one.action for one in release_points(confirmed.design, table)]
    # What is not randomised is published as it is: a list tells nothing besides.
    bare = dataclasses.replace(design["illness"], perturbation=Identity())
    assert values_of_data(Design((bare,))) == ()


def test_that_the_answers_of_a_questionnaire_are_public_also_in_older_studies(tmp_path):
    asked = Attribute("drug", Kind.BINARY, ("no", "yes"))
    design = Design((DesignedAttribute(asked, Forced(p_truth=0.7)),))
    assert values_of_data(design) == ()
    older = Design((DesignedAttribute(asked.with_(domain_source=FROM_DATA), Forced(p_truth=0.7)),))
    questionnaire = Questionnaire.of_design(older, texts_of([asked]), "en")
    study = Study("Asked", design=older, questionnaire=questionnaire)
    save_study(study, tmp_path / "asked.ppw")
    assert values_of_data(open_study(tmp_path / "asked.ppw").design) == ()
    save_study(study.with_(questionnaire=None), tmp_path / "bare.ppw")
    assert values_of_data(open_study(tmp_path / "bare.ppw").design) == ("drug",)
