"""What the answers of a study are: said by a person, refused where it cannot be."""

from __future__ import annotations

import dataclasses
from types import MappingProxyType

import pytest
from studies import make_study

from ppworkbench.analyses.collecting.rehearsal import rehearse
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Uniform
from ppworkbench.core.design.sets import Subset
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.study.answer_state import AnswerState, invented_sentence, state_words
from ppworkbench.study.distorted_cache import distorted_answers
from ppworkbench.study.state import (
    invented_note,
    refuse_invented,
    why_not_released,
    why_not_state,
    with_state,
    without_invented,
)
from ppworkbench.study.study import Study

REPORTED, TRUE = AnswerState.REPORTED, AnswerState.TRUE
SMOKES = Attribute("smokes", Kind.BINARY, ("no", "yes"), label="Do you smoke?")
AGE = Attribute("age", Kind.INTEGER, domain=(18, 90))


def two_questions(ages=(20.0, 40.0, 90.0)) -> Study:
    design = Design(
        (
            DesignedAttribute(SMOKES, Uniform(keep=0.75)),
            DesignedAttribute(AGE, Additive(noise="uniform", half_width=10, integer="round")),
        )
    )
    table = Table((Column(SMOKES, [0, 1, 1]), Column(AGE, ages)))
    return Study(title="two", original=table, design=design)


def test_that_true_answers_become_reported_ones_and_true_again():
    study = two_questions()
    reported = with_state(study, REPORTED)
    assert (study.state, reported.state) == (TRUE, REPORTED)
    assert reported.original is None
    assert reported.distorted is not None
    assert reported.distorted["age"].attribute.domain == study.design["age"].distorted.domain
    assert reported.label("smokes") == "Do you smoke?"
    again = with_state(reported, TRUE)
    assert again.state is TRUE
    assert again.original is not None
    assert again.original["age"].attribute.domain == (18, 90)
    assert again.original["smokes"].attribute.label == "Do you smoke?"
    assert with_state(again, TRUE) is again


def test_that_numbers_outside_of_the_domain_are_no_true_answers():
    reported = with_state(two_questions((12.0, 40.0, 90.0)), REPORTED)
    with pytest.raises(DataError, match="'age' has 1 number"):
        with_state(reported, TRUE)
    assert "outside of 18 to 90" in (why_not_state(reported, TRUE) or "")
    assert why_not_state(reported, REPORTED) is None
    with pytest.raises(DataError, match="'age' has 1 number"):
        with_state(two_questions((20.0, 40.0, 300.0)), REPORTED)


def test_that_columns_without_a_device_and_sets_are_refused():
    study = two_questions()
    assert study.original is not None
    more = Column(Attribute("id", Kind.INTEGER, domain=(0, 9)), [1, 2, 3])
    wider = study.with_(original=study.original.with_(columns=(*study.original.columns, more)))
    with pytest.raises(DataError, match="'id'"):
        with_state(wider, REPORTED)
    fewer = study.with_(original=study.original.select(["smokes"]))
    with pytest.raises(DesignError, match="'age'"):
        with_state(fewer, REPORTED)
    town = Attribute("town", Kind.NOMINAL, tuple("abcdefghijklmn"))
    table = Table((Column(town, [0, 5, 13]),))
    sets = Study(original=table, design=Design((DesignedAttribute(town, Subset(epsilon=1.0)),)))
    with pytest.raises(DataError, match="sets"):
        with_state(sets, REPORTED)
    told = Study.of_distorted(distorted_answers(sets).distorted, sets.design, "sets")
    with pytest.raises(DataError, match="sets"):
        with_state(told, TRUE)


def test_that_invented_answers_never_become_anything_else():
    empty = Study(design=two_questions().design)
    invented = rehearse(empty)
    for state in (REPORTED, TRUE, AnswerState.NONE):
        with pytest.raises(DataError, match="Invented"):
            with_state(invented, state)
    for state in (REPORTED, TRUE, AnswerState.INVENTED):
        with pytest.raises(DataError):
            with_state(empty, state)
    with pytest.raises(DataError):
        with_state(two_questions(), AnswerState.INVENTED)


def test_that_real_answers_remove_invented_ones_with_what_was_found_in_them():
    empty = Study(design=two_questions().design)
    kept = MappingProxyType({"design pins": {"smokes": []}, "survey": [1], "mine": {"runs": []}})
    bare = without_invented(rehearse(empty).with_(results=kept))
    assert bare.state is AnswerState.NONE
    assert dict(bare.results) == {"design pins": {"smokes": []}}
    study = make_study()
    assert without_invented(study) is study


def test_that_only_real_answers_are_released():
    invented = rehearse(Study(design=two_questions().design))
    assert why_not_released(two_questions()) is None
    assert why_not_released(invented) == "A table of simulated answers cannot be released."
    with pytest.raises(DataError, match="cannot be released"):
        refuse_invented(invented)
    refuse_invented(two_questions())
    assert invented_note(two_questions()) is None
    assert invented_note(invented) == invented_sentence(500)


def test_that_each_state_has_its_own_words():
    words = {state_words(state) for state in AnswerState}
    assert len(words) == len(AnswerState)
    assert invented_sentence(1).startswith("Simulated data: 1 respondent")
    assert invented_sentence(12_000).startswith("Simulated data: 12,000 respondents")


def test_that_a_study_of_both_tables_keeps_its_state():
    study = two_questions()
    both = dataclasses.replace(study, distorted=with_state(study, REPORTED).distorted)
    with pytest.raises(DataError, match="both"):
        with_state(both, REPORTED)
