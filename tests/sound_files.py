"""Studies, designs and tables that use as much as possible of what their files can say."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np
from arm_studies import distorted_study
from designs import ALL_CASES, YES_NO
from studies import listed_study, make_study

from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import CLIP, FROM_DATA, Attribute, Kind, MissingCode
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Forced, Identity, Uniform
from ppworkbench.core.design.anchors import Anchor
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.design.devices import Device
from ppworkbench.core.design.group import Group
from ppworkbench.study.description import SurveyDescription
from ppworkbench.study.plan_choices import PlanChoices
from ppworkbench.study.questionnaire.edits import set_text
from ppworkbench.study.study import Study, StudySettings


def sound_studies() -> dict[str, Study]:
    """With true answers, with lists and arms, with reported answers, and planned only."""
    told = make_study(rows=30)
    told = told.with_results("classify", {"runs": [{"accuracy": 0.71, "best": None}]})
    told = told.with_(
        goals=MappingProxyType({"belief": 0.6, "half_width": 0.05}),
        description=SurveyDescription(author="Ada", abstract="Who sleeps how long."),
    )
    planned = Study(
        "Planned",
        design=_roles_and_devices(),
        settings=StudySettings(respondents=500, seed=7, noncompliance=0.1),
        plan=PlanChoices(aim="power", groups=(0.4, 0.2), budget=900.0),
    )
    planned = set_text(planned, "smokes", "text", "en", "Do you smoke?")
    return {
        "true answers": told,
        "lists": listed_study(),
        "reported answers": distorted_study(60),
        "planned": planned,
    }


def sound_designs() -> dict[str, Design]:
    """One of every mechanism, and one of everything else that a design can say."""
    cases = (
        DesignedAttribute(attribute.with_(name=f"{attribute.name} {i}"), perturbation)
        for i, (attribute, perturbation) in enumerate(ALL_CASES)
    )
    arms = distorted_study(10).design
    return {
        "mechanisms": Design(tuple(cases)),
        "roles": _roles_and_devices(),
        "lists": listed_study().design,
        "arms": arms,
    }


def _roles_and_devices() -> Design:
    die = Device("die", (("truth", (2, 3, 4, 5)), ("yes", (1,)), ("no", (6,))))
    forced = die.applied(Forced(p_truth=2 / 3), YES_NO)
    grouped = [YES_NO.with_(name=name) for name in ("first", "second")]
    asked = [YES_NO.with_(name=name) for name in ("third", "check")]
    plain = (
        Attribute("pw", Kind.CONTINUOUS, domain=(0, 40)),
        Attribute("region", Kind.NOMINAL, ("east", "north"), domain_source=FROM_DATA),
        Attribute("village", Kind.INTEGER, domain=(0, 40), outside=CLIP, unit="km"),
    )
    return Design(
        (
            DesignedAttribute(replace(YES_NO, sensitive=("yes",)), forced, device=die),
            *(DesignedAttribute(one, Uniform(keep=0.7)) for one in asked),
            *(DesignedAttribute(one, Identity()) for one in (*grouped, *plain)),
        ),
        class_name="region",
        groups=(Group(("first", "second"), "related", 0.7),),
        sampling=Sampling("pw", ("region",), "village"),
        anchors=(("third", Anchor("check", 0.2, 0.1)),),
        budget=DesignBudget(total=6.0, weights=(("third", 2.0),), locked=("check",), waves=2),
    )


def sound_tables() -> dict[str, Table]:
    """Plain answers, and answers with codes, labels and reasons why some are missing."""
    plain = make_study(rows=30).original
    assert plain is not None
    draw = np.random.default_rng(5)
    rows = 40
    likert = Attribute(
        "answer", Kind.ORDINAL, ("never", "often", "always"), codes=(1.0, 2.0, 3.0),
        label="How often do you lie?", title="Lies", sensitive=("always",), measure="ordinal",
        missing_codes=(MissingCode(98.0, "refused"), MissingCode(99.0)),
        missing_ranges=((97.0, 99.0),),
    )  # fmt: skip
    hours = Attribute(
        "hours", Kind.INTEGER, domain=(0, 24), unit="hours", number_labels=((24.0, "all day"),),
        missing_codes=(MissingCode(-1.0, "not asked"),), outside=CLIP,
    )  # fmt: skip
    pay = Attribute("pay", Kind.CONTINUOUS, domain=(-1e6, 1e6))
    named = Attribute("named", Kind.SET, ("red", "green", "blue"), set_size=2)
    answers = draw.integers(-1, 3, rows)
    slept = np.where(draw.random(rows) < 0.2, np.nan, draw.integers(0, 25, rows))
    pairs = [sorted(draw.permutation(3)[:2].tolist()) for _ in range(rows)]
    reports = sets.of_lists([[named.values[i] for i in pair] for pair in pairs], named)
    coded = Table(
        (
            Column(likert, answers, np.where(answers < 0, draw.integers(0, 3, rows), 0)),
            Column(hours, slept, np.where(np.isnan(slept), 1, 0).astype(np.int16)),
            Column(named, reports),
            Column(pay, draw.normal(0, 1e4, rows)),
        ),
        "answer",
    )
    return {"plain": plain, "coded": coded}
