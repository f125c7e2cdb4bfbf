"""The command ``kit``: what it writes, what it refuses, and how it says so."""

from __future__ import annotations

import json

import pytest
from kits import question, small

from ppworkbench.cli.main import main
from ppworkbench.core.design import Design, DesignedAttribute, Ordinal
from ppworkbench.core.design.design_file import write_design
from ppworkbench.study.files.study_file import save_study
from ppworkbench.study.questionnaire.document import write_document
from ppworkbench.study.study import Study


@pytest.fixture
def study(tmp_path):
    design, asked = small()
    save_study(Study("City", design=design, questionnaire=asked), tmp_path / "city.ppw")
    write_design(design, tmp_path / "design.json")
    write_document(asked, tmp_path / "asked.json")
    return tmp_path


def run(capsys, *words):
    code = main([*map(str, words), "--json"])
    said = capsys.readouterr()
    return code, json.loads(said.out)


def test_that_a_study_is_written_in_its_languages(study, capsys):
    code, told = run(
        capsys, "kit", study / "city.ppw", "--targets", "text,redcap", "--language", "en,pl",
        "--out", study / "kit",
    )  # fmt: skip
    assert code == 0
    assert {"target": "redcap", "file": "redcap.pl.csv"} in told["files"]
    assert told["refused"] == []
    assert sorted(one["file"] for one in told["files"]) == sorted(
        path.name for path in (study / "kit").iterdir()
    )


def test_that_a_design_takes_the_questions_that_are_named(study, capsys):
    code, _ = run(
        capsys, "kit", study / "design.json", "--questions", study / "asked.json",
        "--targets", "text", "--language", "pl", "--out", study / "kit.zip",
    )  # fmt: skip
    assert code == 0
    code, told = run(
        capsys, "kit", study / "design.json", "--questions", study / "asked.json",
        "--targets", "text", "--language", "de", "--out", study / "other",
    )  # fmt: skip
    assert code == 1
    assert "'de'" in told["error"]


def test_that_a_questionnaire_beside_the_design_is_taken(study, capsys):
    (study / "asked.json").rename(study / "questionnaire.json")
    code, _ = run(capsys, "kit", study / "design.json", "--targets", "text", "--out", study / "kit")
    assert code == 0
    text = (study / "kit" / "questions.en.txt").read_text(encoding="utf-8")
    assert "Have you ever done forced?" in text


def test_that_refused_targets_do_not_stop_the_others(tmp_path, capsys):
    one = question("mood", ("bad", "fair", "good"))
    design = Design((DesignedAttribute(one.attribute("en"), Ordinal(weights=(0.7, 0.15))),))
    write_design(design, tmp_path / "design.json")
    code, told = run(
        capsys, "kit", tmp_path / "design.json", "--targets", "redcap,page", "--out",
        tmp_path / "kit",
    )  # fmt: skip
    # The others are there, but not all that was asked for.
    assert code == 1
    assert any(one["target"] == "page" for one in told["files"])
    (refused,) = told["refused"]
    assert (refused["target"], refused["attribute"]) == ("redcap", "mood")
    assert main([
        "kit", str(tmp_path / "design.json"), "--targets", "redcap,page", "--out",
        str(tmp_path / "again"),
    ]) == 1  # fmt: skip
    assert "Not written, redcap (mood)" in capsys.readouterr().out
    code, told = run(
        capsys, "kit", tmp_path / "design.json", "--targets", "redcap", "--out", tmp_path / "none"
    )
    assert code == 1
    assert told["error"].startswith("Nothing was written. 'mood' (redcap): Too complex for a card")
    assert not (tmp_path / "none").exists()


def test_that_every_question_is_named_that_no_target_fits(tmp_path, capsys):
    asked = (question(name, ("bad", "fair", "good")) for name in ("mood", "sleep"))
    device = Ordinal(weights=(0.7, 0.15))
    design = Design(tuple(DesignedAttribute(one.attribute("en"), device) for one in asked))
    write_design(design, tmp_path / "design.json")
    line = ["kit", str(tmp_path / "design.json"), "--targets", "redcap,cards", "--out"]
    assert main([*line, str(tmp_path / "kit")]) == 1
    told = capsys.readouterr().err
    assert "Nothing was written." in told
    for name in ("mood", "sleep"):
        # Once for both targets, not once each.
        assert told.count(f"'{name}' (redcap, cards): Too complex for a card") == 1
    assert not (tmp_path / "kit").exists()


def test_that_a_folder_with_something_in_it_is_kept(study, capsys):
    (study / "kit").mkdir()
    (study / "kit" / "mine.txt").write_text("mine")
    code, _ = run(capsys, "kit", study / "city.ppw", "--targets", "text", "--out", study / "kit")
    assert code == 1
    assert [path.name for path in (study / "kit").iterdir()] == ["mine.txt"]
