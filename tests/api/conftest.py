"""A small survey of fare dodgers, true and randomised, as frames and as files."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ppworkbench as pp
from ppworkbench.study.questionnaire.document import Questionnaire, write_document
from ppworkbench.study.questionnaire.texts import Texts

DESIGN = {
    "format": "ppworkbench-design",
    "version": 1,
    "attributes": {
        "sex": {"kind": "binary", "values": ["F", "M"], "perturbation": {"type": "none"}},
        "district": {
            "kind": "nominal",
            "values": ["north", "east", "south"],
            "perturbation": {"type": "uniform", "keep": 0.7},
        },
        "age": {
            "kind": "integer",
            "domain": [18, 80],
            "perturbation": {"type": "square_wave", "epsilon": 2.0},
        },
        "fare_evasion": {
            "kind": "binary",
            "values": ["no", "yes"],
            "sensitive": ["yes"],
            "perturbation": {"type": "uniform", "keep": 0.8},
        },
    },
}


@pytest.fixture(scope="session")
def true_answers() -> pd.DataFrame:
    draw = np.random.default_rng(1)
    n = 300
    return pd.DataFrame(
        {
            "sex": draw.choice(["F", "M"], n),
            "district": draw.choice(["north", "east", "south"], n),
            "age": draw.integers(18, 80, n),
            "fare_evasion": np.where(draw.random(n) < 0.3, "yes", "no"),
        }
    )


@pytest.fixture(scope="session")
def answers(true_answers: pd.DataFrame) -> pd.DataFrame:
    """Reported answers, with a weight and a cluster that the design does not know."""
    reported = pp.distort(true_answers, DESIGN, seed=7)
    draw = np.random.default_rng(2)
    reported["weight"] = draw.choice([1.0, 2.0, 3.5], len(reported))
    reported["school"] = draw.integers(1, 30, len(reported))
    return reported


@pytest.fixture
def design() -> pp.Design:
    return pp.Design.from_dict(DESIGN)


@pytest.fixture
def files(tmp_path, monkeypatch, answers, true_answers):
    """The same as files in the current folder."""
    monkeypatch.chdir(tmp_path)
    answers.to_csv("reported.csv", index=False)
    true_answers.to_csv("true.csv", index=False)
    (tmp_path / "design.json").write_text(json.dumps(DESIGN), encoding="utf-8")
    return tmp_path


FORCED = {
    "format": "ppworkbench-design",
    "version": 1,
    "attributes": {
        "smokes": {
            "kind": "binary", "values": ["no", "yes"], "sensitive": ["yes"],
            "perturbation": {"type": "uniform", "keep": 2 / 3},
        },
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, true_answers: pd.DataFrame) -> Path:
    """True and reported answers, a design, and a study that was rehearsed."""
    where = tmp_path_factory.mktemp("field")
    with contextlib.chdir(where):
        true_answers.to_csv("true.csv", index=False)
        pp.Design.starting(true_answers).save("design.json")
        pp.release("true.csv", "design.json", "reported.csv", seed=1)
        reported = pp.read("reported.csv").to_frame()
        lines = "".join(f"{json.dumps(row)}\n" for row in reported.to_dict("records"))
        Path("answers.jsonl").write_text(lines, encoding="utf-8")
        pp.rehearse("design.json", "trial.ppw", n=50, seed=3)
        pp.devices(FORCED, "smokes", use="die", out="die.json")
        asked = Questionnaire.of_design(pp.Design.from_dict(FORCED), Texts(), "en")
        write_document(asked, "asked.json")
    return where
