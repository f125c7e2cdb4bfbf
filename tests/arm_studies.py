"""A small survey with arms: other devices, a direct question, and a shorter questionnaire."""

from __future__ import annotations

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Forced,
    Identity,
    Uniform,
)
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams
from ppworkbench.study.study import Study, StudySettings

DRUG = Attribute("drug", Kind.BINARY, ("no", "yes"))
TOWN = Attribute("town", Kind.NOMINAL, ("a", "b", "c"))
PAY = Attribute("pay", Kind.INTEGER, domain=(0, 100))
CLASS = Attribute("job", Kind.NOMINAL, ("farm", "office"))
ARMS = Arms(
    "version",
    (
        DesignArm("A", 0.4),
        DesignArm("B", 0.4, (("drug", Forced(p_truth=0.5)), ("town", Uniform(keep=0.9)))),
        DesignArm("direct", 0.2, (("drug", Identity()),), ("pay",)),
    ),
)


def arm_design(arms: Arms | None = ARMS) -> Design:
    """Four questions, three of them randomised."""
    return Design(
        (
            DesignedAttribute(DRUG, Forced(p_truth=0.75)),
            DesignedAttribute(TOWN, Uniform(keep=0.7)),
            DesignedAttribute(PAY, Additive(noise="normal", sigma=8.0, integer="round")),
            DesignedAttribute(CLASS, Identity()),
        ),
        arms=arms,
    )


def people(n: int = 1_500, seed: int = 1) -> Table:
    """More drugs in town a, less pay with them."""
    random = np.random.default_rng(seed)
    town = random.choice(3, n, p=[0.5, 0.3, 0.2]).astype(np.int8)
    drug = (random.random(n) < np.array([0.4, 0.2, 0.1])[town]).astype(np.int8)
    pay = np.clip(np.rint(50 - 10 * drug + random.normal(0, 10, n)), 0, 100)
    job = (random.random(n) < 0.4).astype(np.int8)
    return Table((Column(DRUG, drug), Column(TOWN, town), Column(PAY, pay), Column(CLASS, job)))


def original_study(n: int = 1_500) -> Study:
    """Original answers that do not tell the arm."""
    settings = StudySettings(respondents=n, seed=7)
    return Study("arms", people(n), design=arm_design(), settings=settings)


def distorted_study(n: int = 1_500, arms: Arms | None = ARMS) -> Study:
    """Distorted answers as an analyst gets them."""
    design = arm_design(arms)
    return Study.of_distorted(distort(people(n), design, SeededStreams(5)), design, "arms")
