"""Invented answers on the command line, and what every command says and refuses by state."""

from __future__ import annotations

import json

import pytest
from studies import make_study

from ppworkbench.cli.main import main
from ppworkbench.core.data.files import write_table
from ppworkbench.core.design.design_file import write_design
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.files.study_file import open_study, save_study
from ppworkbench.study.study import Study


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    study = make_study(rows=80)
    write_design(study.design, "design.json")
    write_table(study.original, "true.csv")
    save_study(study, "true.ppw")
    save_study(Study(title="empty", design=study.design), "empty.ppw")


def told(capsys, *words: str) -> dict:
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def refused(capsys, *words: str) -> str:
    assert main([*words]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return said


@pytest.mark.parametrize("source", ["design.json", "empty.ppw"])
def test_that_a_study_or_design_is_filled_with_invented_answers(capsys, source):
    words = ("rehearse", source, "--n", "300", "--seed", "5", "--out", "rehearsal.ppw")
    assert told(capsys, *words) == {"rows": 300, "seed": 5, "state": "invented"}
    study = open_study("rehearsal.ppw")
    assert (study.state, study.rows, study.settings.seed) == (AnswerState.INVENTED, 300, 5)
    again = ("rehearse", "rehearsal.ppw", "--strength", "strong", "--strength", "age=none")
    assert told(capsys, *again, "--out", "again.ppw")["rows"] == 300
    assert main([*again, "--out", "third.ppw"]) == 0
    said = capsys.readouterr().out
    assert "Simulated data: 300 respondents, no real people." in said
    assert "Seed 5." in said


def test_that_wrong_wishes_and_real_answers_are_refused(capsys):
    assert "true answers" in refused(capsys, "rehearse", "true.ppw", "--out", "x.ppw")
    assert main(["rehearse", "design.json", "--out", "x.csv"]) == 2
    assert main(["rehearse", "design.json", "--strength", "huge", "--out", "x.ppw"]) == 2
    assert main(["rehearse", "design.json", "--n", "0", "--out", "x.ppw"]) == 2
    capsys.readouterr()
    many = ("rehearse", "design.json", "--n", "2000000", "--out", "x.ppw")
    assert "1,000,000" in refused(capsys, *many)


@pytest.mark.slow
def test_that_invented_answers_are_never_released(capsys):
    told(capsys, "rehearse", "design.json", "--out", "rehearsal.ppw")
    bundle = told(capsys, "bundle", "rehearsal.ppw", "--out", "bundle", "--no-report")
    assert bundle["notes"] == ["A table of simulated answers cannot be released."]
    assert (bundle["rows"], bundle["state"]) == (0, "invented")
    assert not [name for name in bundle["files"] if name.endswith(".csv")]
    assert told(capsys, "report", "rehearsal.ppw", "--out", "r.html")["state"] == "invented"


@pytest.mark.slow
def test_that_results_say_what_the_answers_are(capsys):
    distort = ("distort", "true.csv", "--design", "design.json", "--out", "reported.csv")
    assert told(capsys, *distort)["state"] == "reported"
    assert told(capsys, "inspect", "reported.csv")["state"] == "reported"
    assert "state" not in told(capsys, "inspect", "true.csv")
    for words in (
        ("reconstruct", "reported.csv"),
        ("count", "reported.csv", "--where", "sex = F"),
        ("mine", "reported.csv", "--design", "design.json", "--attribute", "sex"),
    ):
        assert told(capsys, *words)["state"] == "reported", words
    assert told(capsys, "report", "true.ppw", "--out", "r.html")["state"] == "true"


def test_that_reported_answers_are_neither_distorted_again_nor_taken_for_true(capsys):
    told(capsys, "distort", "true.csv", "--design", "design.json", "--out", "reported.csv")
    again = "They are never randomised again"
    design = ("--design", "design.json")
    for words in (
        ("distort", "reported.csv", *design, "--out", "twice.csv"),
        ("publish", "reported.csv", "--sensitive", "sex", "--out", "twice.csv"),
        ("reconstruct", "reported.csv", "--original", "reported.csv"),
        ("count", "reported.csv", "--where", "sex = F", "--original", "reported.csv"),
        ("measure", *design, "--data", "reported.csv"),
        ("classify", "reported.csv", *design, "--class", "sex", "--classifier", "tree"),
    ):
        assert again in refused(capsys, *words), words


@pytest.mark.parametrize("words", [("inspect",), ("distribution", "--of", "age"), ("mine",)])
def test_that_a_study_in_the_place_of_a_table_is_told(capsys, words):
    command, *more = words
    assert "is a study, not a table" in refused(capsys, command, "true.ppw", *more)
