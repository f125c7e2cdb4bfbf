"""The files that transcripts of commands and calls work on: a small survey with all that may come.

The same numbers on every machine: true answers and reports are drawn with fixed seeds.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import arm_studies
import numpy as np
from kits import small

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Forced,
    Identity,
    Ordinal,
    Related,
    Uniform,
)
from ppworkbench.core.design.design_file import write_design
from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams
from ppworkbench.study.files.study_file import save_study
from ppworkbench.study.questionnaire.document import write_document
from ppworkbench.study.study import Study

PEOPLE = 400
YES_NO = ("no", "yes")
ATTRIBUTES = (
    Attribute("town", Kind.NOMINAL, ("Ash", "Beech", "Cedar"), label="Where do you live?"),
    Attribute("drug", Kind.BINARY, YES_NO, label="Have you ever?", sensitive=("yes",)),
    Attribute("mood", Kind.ORDINAL, ("bad", "poor", "fair", "good", "fine")),
    Attribute("age", Kind.INTEGER, domain=(18, 60)),
    Attribute("pay", Kind.CONTINUOUS, domain=(0.0, 100.0), unit="€"),
    Attribute("car", Kind.BINARY, YES_NO),
    Attribute("bike", Kind.BINARY, YES_NO),
    Attribute("job", Kind.NOMINAL, ("farm", "office")),
    Attribute("w", Kind.CONTINUOUS, domain=(0.0, 10.0)),
    Attribute("region", Kind.NOMINAL, ("east", "west")),
    Attribute("block", Kind.NOMINAL, tuple(f"b{number:02}" for number in range(20))),
)
DESIGN = Design(
    (
        DesignedAttribute(ATTRIBUTES[0], Uniform(keep=0.8)),
        DesignedAttribute(ATTRIBUTES[1], Forced(p_truth=0.75)),
        DesignedAttribute(ATTRIBUTES[2], Ordinal(weights=(0.6, 0.15, 0.1), loop=True)),
        DesignedAttribute(ATTRIBUTES[3], Identity()),
        DesignedAttribute(ATTRIBUTES[4], Additive(noise="normal", sigma=8.0)),
        DesignedAttribute(ATTRIBUTES[5], Related(theta=0.85)),
        DesignedAttribute(ATTRIBUTES[6], Uniform(keep=0.9)),
        *(DesignedAttribute(one, Identity()) for one in ATTRIBUTES[7:]),
    )
)
LIST: dict[str, Any] = {
    "format": "ppworkbench-design",
    "version": 2,
    "attributes": {"south": {"kind": "binary", "values": ["no", "yes"]}},
    "arms": {"column": "version", "members": {"A": {"share": 0.5}, "B": {"share": 0.5}}},
    "lists": {
        "neighbour": {
            "count": "y", "items": ["gas", "sport", "firms"], "short": ["A"], "long": ["B"],
        }
    },
}  # fmt: skip
COUNTS = {"A": (8, 132, 222, 227), "B": (19, 123, 229, 219, 34)}
"""The published counts of a list of three or four items."""
CHEATING: dict[str, Any] = {
    "format": "ppworkbench-design",
    "version": 2,
    "attributes": {
        "drug": {
            "kind": "binary", "values": ["no", "yes"],
            "perturbation": {"type": "forced", "p_truth": 0.8, "forced": [0.0, 1.0]},
        }
    },
    "arms": {
        "column": "version",
        "members": {
            "A": {"share": 0.5},
            "B": {
                "share": 0.5,
                "perturbations": {
                    "drug": {"type": "forced", "p_truth": 0.2, "forced": [0.0, 1.0]}
                },
            },
        },
    },
}  # fmt: skip


def people(n: int = PEOPLE) -> Table:
    """True answers in which the towns, the drug, pay and cars go together."""
    draw = np.random.default_rng(11)
    town = draw.choice(3, n, p=(0.5, 0.3, 0.2))
    drug = draw.random(n) < np.array([0.15, 0.3, 0.5])[town]
    mood = np.clip(draw.choice(5, n, p=(0.1, 0.2, 0.3, 0.2, 0.2)) - drug, 0, 4)
    age = draw.integers(18, 61, n)
    pay = np.round(np.clip(30 + 0.4 * age - 8 * drug + draw.normal(0, 10, n), 0, 100), 1)
    car = draw.random(n) < 0.2 + 0.006 * pay
    bike = draw.random(n) < np.where(car, 0.3, 0.7)
    job = draw.random(n) < 0.6
    weight = np.round(draw.uniform(0.5, 3.0, n), 2)
    block = draw.integers(0, 20, n)
    data = (town, drug, mood, age, pay, car, bike, job, weight, block % 2, block)
    return Table(
        tuple(
            Column(
                attribute, np.asarray(values, np.int8 if attribute.kind.is_categorical else None)
            )
            for attribute, values in zip(ATTRIBUTES, data, strict=True)
        )
    )


def write_files(folder: Path) -> None:
    """Write all of them into a folder."""
    true = people()
    told = distort(true, DESIGN, SeededStreams(3))
    write_table(true, folder / "true.csv")
    write_table(told, folder / "told.csv")
    write_design(DESIGN, folder / "design.json")
    save_study(Study("True answers", true, design=DESIGN), folder / "true.ppw")
    save_study(Study.of_distorted(told, DESIGN, "Reported answers"), folder / "told.ppw")
    armed = arm_studies.distorted_study(600)
    assert armed.distorted is not None
    write_table(armed.distorted, folder / "arms.csv")
    write_design(armed.design, folder / "arms.json")
    design, asked = small()
    save_study(Study("City", design=design, questionnaire=asked), folder / "city.ppw")
    write_design(design, folder / "city.json")
    write_document(asked, folder / "asked.json")
    _write_list(folder)
    _write_cheating(folder)


def _write_list(folder: Path) -> None:
    (folder / "list.json").write_text(json.dumps(LIST), encoding="utf-8")
    rows = [
        f"{'yes' if place % 3 else 'no'},{arm},{number}"
        for arm, counts in COUNTS.items()
        for number, count in enumerate(counts)
        for place in range(count)
    ]
    (folder / "list.csv").write_text("\n".join(("south,version,y", *rows, "")), encoding="utf-8")


def _write_cheating(folder: Path) -> None:
    (folder / "cheating.json").write_text(json.dumps(CHEATING), encoding="utf-8")
    rows = [
        f"{arm},{'yes' if place < yes else 'no'}"
        for arm, yes in (("A", 210), ("B", 390))
        for place in range(500)
    ]
    (folder / "cheating.csv").write_text("\n".join(("version,drug", *rows, "")), encoding="utf-8")
