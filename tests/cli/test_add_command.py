"""Answers of a platform on the command line: into a study, or into a table with its design."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ppworkbench.cli.main import main
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design, DesignedAttribute, Uniform
from ppworkbench.core.design.design_file import write_design
from ppworkbench.core.design.perturbation import Identity
from ppworkbench.fieldwork.collector.control import open_store, start_collection
from ppworkbench.fieldwork.collector.rows import RowCodec
from ppworkbench.fieldwork.collector.store import Submission
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.files.study_file import open_study, save_study
from ppworkbench.study.questionnaire.document import Questionnaire, write_document
from ppworkbench.study.questionnaire.texts import Texts
from ppworkbench.study.study import Study

SMOKES = Attribute("smokes", Kind.BINARY, ("no", "yes"))
DESIGN = Design((DesignedAttribute(SMOKES, Uniform(keep=0.75)),))
EXPORT = "record_id,smokes,form_complete\n1,2,2\n2,1,2\n3,2,0\n4,3,2\n"


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_design(DESIGN, "design.json")
    save_study(Study(title="Smoking", design=DESIGN), "study.ppw")
    (tmp_path / "export.csv").write_text(EXPORT, encoding="utf-8")


def test_that_answers_go_into_the_study_once(capsys):
    words = ["add", "study.ppw", "export.csv", "--state", "reported", "--json"]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["rows"], told["state"], told["platform"]) == (2, "reported", "redcap")
    assert told["columns"] == {"smokes": "smokes"}
    assert told["left_out"]["unfinished"] == 1
    assert told["left_out"]["unfit"] == [{"attribute": "smokes", "value": "3", "rows": 1}]
    table = open_study("study.ppw").distorted
    assert table is not None
    assert sorted(table["smokes"].data.tolist()) == [0, 1]
    assert main(words) == 0
    left_out = json.loads(capsys.readouterr().out)["left_out"]
    # What was not added may come again, better understood.
    assert (left_out["known"], len(left_out["unfit"])) == (2, 1)
    again = open_study("study.ppw").distorted
    assert again is not None
    assert again.rows == 2


def test_that_a_design_gives_a_table_that_can_be_reconstructed(capsys):
    assert main(["add", "design.json", "export.csv", "--state", "reported"]) == 2
    assert "--out" in capsys.readouterr().err
    words = ["add", "design.json", "export.csv", "--state", "reported", "--out", "table.csv"]
    assert main([*words, "--map-out", "map.json"]) == 0
    assert "Added 2 reported answers from REDCap" in capsys.readouterr().out
    assert main(["reconstruct", "table.csv", "--design", "design.json", "--json"]) == 0
    capsys.readouterr()
    assert main([*words[:5], "--out", "again.csv", "--map", "map.json"]) == 0


def test_that_a_design_and_the_questionnaire_beside_it_give_a_study(tmp_path, capsys):
    asked = Questionnaire.of_design(DESIGN, Texts({"smokes": "Do you smoke?"}), "en")
    write_document(asked, "questionnaire.json")
    form = "Timestamp,Do you smoke?\n2026/01/01 10:00:00,yes\n2026/01/01 11:00:00,no\n"
    (tmp_path / "form.csv").write_text(form, encoding="utf-8")
    words = ["add", "design.json", "form.csv", "--state", "reported", "--out"]
    assert main([*words, "table.csv"]) == 0
    assert main([*words, "new.ppw"]) == 0
    assert "Added 2 reported answers from Google Forms" in capsys.readouterr().out
    study = open_study("new.ppw")
    assert (study.state, study.rows) == (AnswerState.REPORTED, 2)
    assert study.questionnaire is not None
    assert study.questionnaire.questions[0].text == {"en": "Do you smoke?"}
    assert main(["rehearse", "design.json", "--n", "5", "--out", "trial.ppw"]) == 0
    assert open_study("trial.ppw").questionnaire == study.questionnaire
    assert main([*words, "new.ppw"]) == 1
    assert "--force" in capsys.readouterr().err


def test_that_strict_fails_and_changes_nothing(capsys):
    before = Path("study.ppw").read_bytes()
    words = ["add", "study.ppw", "export.csv", "--state", "reported", "--strict"]
    assert main(words) == 1
    assert "'3', which is not in the design" in capsys.readouterr().err
    assert Path("study.ppw").read_bytes() == before


def test_that_strict_fails_at_a_number_that_the_design_cannot_give(tmp_path, capsys):
    age = Attribute("age", Kind.INTEGER, domain=(18, 90))
    write_design(Design((DesignedAttribute(age, Identity()),)), "age.json")
    (tmp_path / "ages.csv").write_text("age\n20\n200\n", encoding="utf-8")
    words = ["add", "age.json", "ages.csv", "--state", "reported", "--out", "table.csv"]
    assert main([*words, "--strict"]) == 1
    assert "cannot produce" in capsys.readouterr().err
    assert not (tmp_path / "table.csv").exists()
    assert main(words) == 0


def test_that_the_state_has_no_default(capsys):
    assert main(["add", "study.ppw", "export.csv"]) == 2
    assert "--state" in capsys.readouterr().err


def test_that_true_answers_make_a_true_study_and_are_not_mixed_with_reported_ones(capsys):
    assert main(["add", "study.ppw", "export.csv", "--state", "true", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["state"] == "true"
    assert open_study("study.ppw").state == "true"
    assert main(["add", "study.ppw", "export.csv", "--state", "reported"]) == 1
    assert "never mixed" in capsys.readouterr().err


def test_that_the_database_of_a_collector_is_collected_and_added(capsys):
    with start_collection("answers.sqlite", DESIGN) as collection:
        codec = RowCodec(collection.design())
    store = open_store("answers.sqlite")
    lines = [codec.encode({"smokes": value}) for value in ("no", "yes", "yes")]
    sent = [
        Submission(bytes([place] * 16), store.current().digest, line)
        for place, line in enumerate(lines)
    ]
    store.write(sent, "2026-11-17")
    store.close()
    words = ["collect", "answers.sqlite", "--design", "design.json", "--out", "rows.csv", "--json"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 3
    words = ["add", "study.ppw", "answers.sqlite", "--state", "reported", "--json"]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["rows"], told["platform"]) == (3, "collector")
    other = Design((DesignedAttribute(SMOKES, Uniform(keep=0.5)),))
    write_design(other, "other.json")
    words = ["collect", "answers.sqlite", "--design", "other.json", "--out", "o.csv"]
    assert main(words) == 1
    assert "another design" in capsys.readouterr().err
