"""Studies whose reports are as long as reports get."""

from __future__ import annotations

import dataclasses
from types import MappingProxyType

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Forced, Identity, Uniform
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.study.description import SurveyDescription
from ppworkbench.study.study import Study

WORDY = SurveyDescription(
    "An author with a long name and a longer institution, " * 6,
    "An archive " * 30,
    "10.1234/5678",
    "en",
    "What the survey is about is told at some length. " * 60,
    "All adults of the city who could be reached. " * 20,
    "Interviews at home with printed cards. " * 20,
)
"""More words than anybody should write."""


def city_with_arms(rows: int = 800) -> Study:
    """All questions of the city survey, in two arms, with twelve regressions in its history."""
    study = Study.of_table(load_sample("city-survey").take(slice(0, rows)), "city-survey")
    plain = ["age", "sex", "education", "district", "children"]
    study = study.with_perturbations(
        {name: Identity() for name in plain if name in study.design}
        | {"fare_evasion": Forced(p_truth=0.75)}
    )
    study = study.with_sensitive("fare_evasion", ("yes",))
    arms = Arms(
        "version",
        (
            DesignArm("first", 0.5),
            DesignArm("second", 0.5, (("fare_evasion", Forced(p_truth=0.5)),)),
        ),
    )
    asked = [
        {"question": {"statistic": "regression", "condition": "", "model": {"formula": one}}}
        for one in ("fare_evasion='yes' ~ age + sex + education + district", "age ~ sex + district")
    ]
    return study.with_(
        design=dataclasses.replace(study.design, arms=arms),
        description=WORDY,
        results=MappingProxyType({"survey": {"asked": asked}}),
    )


def many_questions(count: int = 60, values: int = 30, rows: int = 300) -> Study:
    """Far more questions and values than a report can show, all of long names."""
    source = np.random.default_rng(4)
    columns, designed = [], []
    for number in range(count):
        attribute = Attribute(
            f"question_{number}_with_a_name_that_is_rather_long_for_a_column",
            Kind.NOMINAL,
            tuple(f"a value of many words, the number {place} of all" for place in range(values)),
            label=f"Which of these many things is it that you would choose, number {number}? " * 4,
        )
        columns.append(Column(attribute, source.integers(0, values, rows)))
        designed.append(DesignedAttribute(attribute, Uniform(keep=0.6)))
    table, design = Table(tuple(columns)), Design(tuple(designed))
    return Study("Many questions", table, design=design, description=WORDY)
