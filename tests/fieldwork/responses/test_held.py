"""Reported answers hold the design that randomised them."""

from __future__ import annotations

import dataclasses
from types import MappingProxyType

import pytest
from asked_studies import asked_study, reported_study

from ppworkbench.core.design import Uniform
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.fieldwork.responses.held import is_randomised_otherwise, next_wave
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.renaming import renamed_study
from ppworkbench.study.state import why_no_next_wave


def changed(study, **parts):
    return study.with_(design=dataclasses.replace(study.design, **parts))


@pytest.mark.parametrize(
    "change",
    [
        lambda one: one.with_perturbations({"ticket": Uniform(keep=0.6)}),
        lambda one: changed(one, attributes=one.design.attributes[:2]),
        lambda one: changed(one, budget=DesignBudget(ask=1)),
        lambda one: changed(
            one,
            arms=Arms(
                "version",
                (
                    DesignArm("a", 0.5, (("ticket", Uniform(keep=0.5)),)),
                    DesignArm("b", 0.5),
                ),
            ),
        ),
    ],
    ids=["keep", "no longer designed", "some questions only", "arms"],
)
def test_that_another_way_of_asking_is_another_randomisation(change):
    study = reported_study()
    assert is_randomised_otherwise(study, change(study))
    # Who has no answers yet, or takes them out, may change everything.
    assert not is_randomised_otherwise(asked_study(), change(asked_study()))
    assert not is_randomised_otherwise(study, change(study).with_(distorted=None))


def test_that_words_marks_and_budgets_are_no_other_randomisation():
    study = reported_study()
    marked = study.with_sensitive("town", ["north"])
    assert marked.design != study.design
    assert not is_randomised_otherwise(study, marked)
    assert not is_randomised_otherwise(study, changed(study, budget=DesignBudget(total=3.0)))
    renamed = ("ticket", "fare")
    called = study.distorted["ticket"].attribute.with_(name="fare")
    columns = tuple(
        column.with_(attribute=called) if column.name == "ticket" else column
        for column in study.distorted
    )
    table = study.distorted.with_(columns=columns)
    after = renamed_study(study, renamed, distorted=table)
    assert not is_randomised_otherwise(study, after, renamed)
    otherwise = after.with_perturbations({"fare": Uniform(keep=0.6)})
    assert is_randomised_otherwise(study, otherwise, renamed)


def test_that_the_next_wave_asks_the_same_and_has_no_answers():
    study = reported_study()
    kept = {
        "survey": {"question": "old"},
        "responses": {"salt": "00", "ids": []},
        "collect": {"database": "answers.sqlite"},
        "pins": {"ticket": []},
    }
    study = study.with_(
        results=MappingProxyType(kept),
        settings=dataclasses.replace(study.settings, respondents=840),
    )
    wave = next_wave(study, "Second", "en")
    assert wave.state is AnswerState.NONE
    assert wave.design == study.design
    assert wave.settings.respondents == 840
    assert dict(wave.results) == {"pins": {"ticket": []}}
    assert wave.questionnaire.names == study.design.names
    assert why_no_next_wave(study) is None
    assert why_no_next_wave(wave) is not None
    assert study.rows == 27
