"""Every result about answers says what the answers are."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ppworkbench.cli.main import main
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Identity, Uniform
from ppworkbench.core.design.design_file import write_design
from ppworkbench.core.design.release import release_table
from ppworkbench.study.files.study_file import save_study
from ppworkbench.study.study import Study

DESIGN = ("--design", "design.json")
PILOT = (*DESIGN, "--data", "true.csv")
REPORTED = {
    "reconstruct": ("reports.csv", *DESIGN),
    "count": ("reports.csv", *DESIGN, "--where", "drug=yes"),
    "mean": ("reports.csv", *DESIGN, "--of", "age"),
    "distribution": ("reports.csv", *DESIGN, "--of", "drug"),
    "crosstab": ("reports.csv", *DESIGN, "--of", "drug", "--by", "town"),
    "quantile": ("reports.csv", *DESIGN, "--of", "age"),
    "compare": ("reports.csv", *DESIGN, "--of", "drug=yes", "--by", "town"),
    "participants": ("reports.csv", *DESIGN, "--where", "drug=yes"),
    "regress": ("reports.csv", *DESIGN, "--formula", "drug ~ town"),
    "correlate": ("reports.csv", *DESIGN, "--of", "drug,age"),
    "mine": ("reports.csv", *DESIGN, "--attribute", "drug", "--attribute", "town"),
    "compliance": ("reports.csv", *DESIGN, "--attribute", "drug", "--share", "0.1"),
    "inspect": ("reports.csv",),
    "distort": ("true.csv", *DESIGN, "--out", "again.csv"),
}
"""A small use of commands that estimate from reports or make them."""
TRUE = {
    "classify": (
        "true.csv",
        *DESIGN,
        "--class",
        "town",
        "--classifier",
        "naive-bayes",
        "--folds",
        "2",
    ),
    "publish": ("true.csv", "--sensitive", "drug", "--out", "published.csv"),
    "measure": PILOT,
    "plan": (*PILOT, "--half-width", "0.05"),
    "budget": PILOT,
    "devices": (*PILOT, "--attribute", "drug"),
    "optimise": (*PILOT, "--attribute", "drug"),
    "trade-off": (*PILOT, "--attribute", "drug", "--no-frontier"),
}
"""Uses of true answers, also as what is expected of a survey."""
NO_ANSWERS = {
    "measure": DESIGN,
    "plan": (*DESIGN, "--half-width", "0.05"),
    "budget": DESIGN,
    "mine": ("true.csv", "--method", "apriori", "--attribute", "drug", "--attribute", "town"),
    "inspect": ("true.csv",),
}
"""Uses of no answers, or of a table of which nobody says what it holds."""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """True answers, a design, reports with their codebook, and a study."""
    folder = tmp_path_factory.mktemp("states")
    source = np.random.default_rng(2)
    drug = Attribute("drug", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
    town = Attribute("town", Kind.NOMINAL, ("A", "B", "C"))
    age = Attribute("age", Kind.INTEGER, domain=(18.0, 90.0))
    columns = (
        Column(drug, source.integers(0, 2, 120)),
        Column(town, source.integers(0, 3, 120)),
        Column(age, source.integers(18, 91, 120).astype(float)),
    )
    table = Table(columns)
    design = Design(
        (
            DesignedAttribute(drug, Uniform(keep=0.8)),
            DesignedAttribute(town, Identity()),
            DesignedAttribute(age, Identity()),
        )
    )
    write_table(table, folder / "true.csv")
    write_design(design, folder / "design.json")
    release_table(table, design, folder / "reports.csv")
    save_study(Study("States", table, design=design), folder / "study.ppw")
    return folder


def result(folder, capsys, monkeypatch, *words):
    monkeypatch.chdir(folder)
    assert main([*words, "--json"]) == 0, capsys.readouterr()
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("command", REPORTED)
def test_that_a_result_from_reports_says_so(files, capsys, monkeypatch, command):
    assert result(files, capsys, monkeypatch, command, *REPORTED[command])["state"] == "reported"


@pytest.mark.parametrize("command", TRUE)
def test_that_a_result_from_true_answers_says_so(files, capsys, monkeypatch, command):
    assert result(files, capsys, monkeypatch, command, *TRUE[command])["state"] == "true"


@pytest.mark.parametrize("command", NO_ANSWERS)
def test_that_a_state_is_never_guessed(files, capsys, monkeypatch, command):
    assert "state" not in result(files, capsys, monkeypatch, command, *NO_ANSWERS[command])


def test_that_mining_reports_with_their_design_and_no_correction_says_what_they_are(
    files, capsys, monkeypatch
):
    words = ("mine", "reports.csv", *DESIGN, "--method", "apriori", "--attribute", "drug")
    assert result(files, capsys, monkeypatch, *words)["state"] == "reported"


def test_that_mining_reports_without_their_design_still_says_what_they_are(
    files, capsys, monkeypatch
):
    words = (
        "mine",
        "reports.csv",
        "--method",
        "apriori",
        "--attribute",
        "drug",
        "--attribute",
        "town",
    )
    assert result(files, capsys, monkeypatch, *words)["state"] == "reported"


@pytest.mark.parametrize(
    ("command", "target"), [("report", "report.html"), ("bundle", "bundle.zip")]
)
def test_that_what_is_made_of_a_study_says_its_state(files, capsys, monkeypatch, command, target):
    words = (command, "study.ppw", "--out", target)
    assert result(files, capsys, monkeypatch, *words)["state"] == "true"


def test_that_invented_answers_are_called_invented(files, capsys, monkeypatch):
    words = ("rehearse", "design.json", "--n", "30", "--out", "rehearsed.ppw")
    assert result(files, capsys, monkeypatch, *words)["state"] == "invented"
    words = ("report", "rehearsed.ppw", "--out", "rehearsed.html")
    assert result(files, capsys, monkeypatch, *words)["state"] == "invented"
