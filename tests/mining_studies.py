"""Small studies and large tables of itemsets, for tests of mining."""

from __future__ import annotations

from functools import cache

import numpy as np
from designs import classic_study

from ppworkbench.analyses.mining.tables import (
    CONFIDENCE,
    LIFT,
    RAW,
    SUPPORT,
    TRUE,
    ItemsetTable,
)
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Additive, Identity, Uniform
from ppworkbench.study.study import Study

PEOPLE = 3000


def survey_table(people: int = PEOPLE) -> Table:
    """Yes-and-no answers that go together, a town, a scale and a number."""
    draw = np.random.default_rng(11)
    busy = draw.random(people) < 0.5

    def answers(when: float, otherwise: float) -> np.ndarray:
        return (draw.random(people) < np.where(busy, when, otherwise)).astype(int)

    columns = [
        Column(Attribute(name, Kind.BINARY, ("no", "yes")), answers(*shares))
        for name, shares in {
            "car": (0.8, 0.3),
            "bike": (0.6, 0.5),
            "pass": (0.2, 0.7),
            "garden": (0.7, 0.4),
        }.items()
    ]
    town = Attribute("town", Kind.NOMINAL, ("Ash", "Beech", "Cedar"))
    mood = Attribute("mood", Kind.ORDINAL, ("low", "middle", "high"))
    pay = Attribute("pay", Kind.CONTINUOUS, domain=(0.0, 100.0))
    vote = Attribute("vote", Kind.BINARY, ("no", "yes"))
    columns += [
        Column(town, draw.choice(3, people, p=(0.5, 0.3, 0.2))),
        Column(mood, draw.choice(3, people)),
        Column(pay, draw.random(people) * 100),
        Column(vote, answers(0.6, 0.4)),
    ]
    return Table(tuple(columns), class_name="vote")


@cache
def survey_study(people: int = PEOPLE, keep: float = 0.9) -> Study:
    """The table under a light design; the class is not distorted."""
    study = classic_study(survey_table(people), "survey")
    names = ("car", "bike", "pass", "garden", "town", "mood")
    changes = dict.fromkeys(names, Uniform(keep=keep))
    return study.with_perturbations(
        {**changes, "pay": Additive(noise="normal", sigma=10.0), "vote": Identity()}
    )


@cache
def many_sets(rows: int = 100_000, items: int = 60, longest: int = 6) -> ItemsetTable:
    """A listing of so many made-up itemsets."""
    draw = np.random.default_rng(3)
    steps = draw.integers(1, items // longest, (rows, longest))
    members = (np.cumsum(steps, axis=1) - 1).astype(np.int32)
    size = draw.integers(1, longest + 1, rows)
    members[np.arange(longest) >= size[:, None]] = -1
    support = draw.random(rows) * 0.4
    values = {SUPPORT: support, RAW: support + 0.02, TRUE: support + draw.normal(0, 0.01, rows)}
    words = tuple(f"item {i:02d}" for i in range(items))
    return ItemsetTable(words, members, SUPPORT, values, support - 0.01, support + 0.01)


def many_rules(rows: int = 100_000) -> ItemsetTable:
    """A listing of so many made-up rules."""
    sets = many_sets(rows, longest=3)
    draw = np.random.default_rng(4)
    heads = draw.integers(0, len(sets.words), (rows, 1)).astype(np.int32)
    confidence = draw.random(rows)
    values = {SUPPORT: sets.values[SUPPORT], CONFIDENCE: confidence, LIFT: 2 * confidence}
    low, high = confidence - 0.05, np.minimum(confidence + 0.05, 1.0)
    return ItemsetTable(sets.words, sets.members, CONFIDENCE, values, low, high, heads)


WORDS = ("Bus", "apple", "car", "bus lane")


def small_sets(**more: np.ndarray) -> ItemsetTable:
    """Four itemsets; ``more`` are further columns."""
    members = np.array([[0, 1, -1], [2, -1, -1], [0, 2, 3], [1, 3, -1]], np.int32)
    support = np.array([0.2, 0.5, 0.1, 0.2])
    values = {SUPPORT: support, RAW: support + 0.05, **more}
    return ItemsetTable(WORDS, members, SUPPORT, values, support - 0.02, support + 0.02)
