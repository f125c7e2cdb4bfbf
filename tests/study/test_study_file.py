"""A study file gives back what was put in, and holds nothing else."""

from __future__ import annotations

import json
import os
import stat
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from designs import classic_study
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from strategies import tables
from studies import make_study, same

from ppworkbench.analyses.designs.design import noncompliance_of
from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.design.distort import distort
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Cancelled, StoppableProgress
from ppworkbench.core.rng import SeededStreams
from ppworkbench.fieldwork.opening import open_anything
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.files import study_file
from ppworkbench.study.files.study_file import (
    ChangedOnDiskError,
    FileVersion,
    open_study,
    save_study,
    study_from_json,
    study_to_json,
)
from ppworkbench.study.language import tongue_of
from ppworkbench.study.questionnaire.document import Question as DocumentQuestion
from ppworkbench.study.questionnaire.document import Questionnaire
from ppworkbench.study.questionnaire.edits import set_text
from ppworkbench.study.study import PriorChoice, Study, StudySettings


def test_that_a_study_comes_back_as_it_was_saved(saved):
    assert same(open_study(saved), make_study())


def test_that_a_study_of_distorted_answers_comes_back(tmp_path):
    study = make_study(rows=40)
    answers = distort(study.original, study.design, SeededStreams(3))
    analyst = Study.of_distorted(answers, study.design, "collected")
    save_study(analyst, tmp_path / "a.ppw")
    back = open_study(tmp_path / "a.ppw")
    assert same(back, analyst)
    assert back.original is None


def test_that_the_state_of_the_answers_and_the_questionnaire_come_back(tmp_path):
    asked = Questionnaire(("en", "pl"), (DocumentQuestion("age", Kind.INTEGER, domain=(0, 99)),))
    study = make_study().with_(questionnaire=asked, invented=True)
    save_study(study, tmp_path / "a.ppw")
    back = open_study(tmp_path / "a.ppw")
    assert back.state is AnswerState.INVENTED
    assert back.questionnaire.languages == asked.languages
    assert back.questionnaire.names == study.questionnaire.names


def test_that_a_state_which_the_tables_contradict_is_refused():
    study = make_study()
    assert study.state is AnswerState.TRUE
    given = study_to_json(study) | {"state": "reported"}
    with pytest.raises(DataError, match="contradict"):
        study_from_json(given, study.design, {"original": study.original})


def test_that_a_file_without_a_state_opens_as_before():
    study = make_study()
    given = study_to_json(study)
    del given["state"]
    assert study_from_json(given, study.design, {}).state is AnswerState.NONE
    tables = {"original": study.original}
    assert study_from_json(given, study.design, tables).state is AnswerState.TRUE


def test_that_a_questionnaire_without_data_comes_back(tmp_path):
    plain = make_study().with_(original=None)
    study = set_text(plain, "age", "text", "en", "How old are you?")
    save_study(study, tmp_path / "a.ppw")
    assert same(open_study(tmp_path / "a.ppw"), study)
    assert study.label("age") == "How old are you?"


def test_that_wordings_of_an_older_file_become_a_questionnaire():
    study = make_study().with_(original=None)
    given = study_to_json(study) | {"questions": {"age": "How old are you?"}}
    found = study_from_json(given, study.design, {})
    assert found.label("age") == "How old are you?"
    assert found.questionnaire is not None
    assert found.questionnaire["age"].text == {"en": "How old are you?"}


def test_that_a_budget_comes_back(tmp_path):
    study = make_study()
    budget = DesignBudget(
        total=3.5, rule="max", of="variance", weights=(("town", 4.0),), locked=("mood",), ask=2,
        blocks=(("town", "mood"),), waves=3, memoise=False, linked=True,
    )  # fmt: skip
    planned = study.with_(design=replace(study.design, budget=budget))
    save_study(planned, tmp_path / "planned.ppw")
    found = open_study(tmp_path / "planned.ppw")
    assert found.design.budget == budget
    assert same(found, planned)


def test_that_an_empty_study_comes_back(tmp_path):
    save_study(Study(), tmp_path / "a.ppw")
    assert same(open_study(tmp_path / "a.ppw"), Study())


def test_that_results_of_pages_come_back(tmp_path):
    study = make_study().with_results("classify", {"runs": [{"accuracy": 0.71, "best": None}]})
    study = study.with_results("mine", ["ł", 3])
    save_study(study, tmp_path / "a.ppw")
    assert same(open_study(tmp_path / "a.ppw"), study)


def test_that_goals_come_back_and_those_among_the_results_of_old_files_too(tmp_path):
    study = make_study().with_(goals={"belief": 0.4, "points": 2.5})
    save_study(study, tmp_path / "a.ppw")
    assert dict(open_study(tmp_path / "a.ppw").goals) == {"belief": 0.4, "points": 2.5}
    old = make_study().with_results("goals", {"belief": 0.5, "epsilon": "odd"})
    save_study(old.with_results("mine", [1]), tmp_path / "b.ppw")
    back = open_study(tmp_path / "b.ppw")
    assert dict(back.goals) == {"belief": 0.5}
    assert dict(back.results) == {"mine": [1]}


def test_that_a_study_saved_before_there_were_results_has_none(saved):
    with zipfile.ZipFile(saved) as archive:
        assert "results.json" not in archive.namelist()
    assert dict(open_study(saved).results) == {}


@pytest.mark.parametrize("value", [float("inf"), {1, 2}, np.float64("nan")])
def test_that_results_which_are_no_plain_values_are_refused_before_the_file_is_touched(
    saved, value
):
    before = saved.read_bytes()
    with pytest.raises(DataError, match="page mine"):
        save_study(make_study("other").with_results("mine", value), saved)
    assert saved.read_bytes() == before


def test_that_results_too_large_to_be_read_again_are_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(study_file, "_LARGEST_TEXT", 8_000)
    with pytest.raises(DataError, match="too large"):
        save_study(make_study().with_results("mine", "x" * 1_000), tmp_path / "a.ppw")
    assert not (tmp_path / "a.ppw").exists()


@examples(0.75)
@given(table=tables(), title=st.text(max_size=20), seed=st.integers(0, 2**63 - 1))
def test_that_any_table_comes_back(tmp_path_factory, table: Table, title, seed):
    path = tmp_path_factory.mktemp("any") / "a.ppw"
    study = classic_study(table, title)
    study = study.with_(settings=study.settings.__class__(seed=seed))
    save_study(study, path)
    back = open_study(path)
    assert same(back, study)
    assert back.original.class_name == table.class_name


def test_that_many_rows_are_written_in_pieces_and_come_back(tmp_path, monkeypatch):
    monkeypatch.setattr(study_file, "_ROWS_AT_ONCE", 100)
    monkeypatch.setattr(study_file, "_BYTES_AT_ONCE", 1_000)
    study = make_study(rows=1_234)
    seen = []
    save_study(study, tmp_path / "a.ppw", lambda done, message="": seen.append(done))
    assert len(seen) > 12
    assert seen == sorted(seen)
    assert same(open_study(tmp_path / "a.ppw"), study)


def test_that_saving_and_opening_can_be_cancelled(saved, monkeypatch):
    monkeypatch.setattr(study_file, "_ROWS_AT_ONCE", 1)
    before = saved.read_bytes()
    progress = StoppableProgress(lambda done, message: progress.stop() if done > 0.2 else None)
    with pytest.raises(Cancelled):
        save_study(make_study("other"), saved, progress)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["small.ppw"]
    progress = StoppableProgress(lambda done, message: progress.stop() if done > 0.2 else None)
    with pytest.raises(Cancelled):
        open_study(saved, progress)


def test_that_a_study_file_holds_no_machine_path_and_no_code(saved):
    with zipfile.ZipFile(saved) as archive:
        assert set(archive.namelist()) == {"study.json", "design.json", "original.parquet"}
        content = b"".join(archive.read(name) for name in archive.namelist())
    assert b"/home" not in content
    assert str(saved.parent).encode() not in content


def test_that_the_seed_is_not_in_the_design(saved):
    with zipfile.ZipFile(saved) as archive:
        assert b"seed" not in archive.read("design.json")
        assert json.loads(archive.read("study.json"))["settings"]["seed"] == 2024


def test_that_non_compliance_is_kept_and_files_without_its_new_fields_open(tmp_path):
    study, path = make_study(), tmp_path / "a.ppw"
    name = next(d.name for d in study.design if d.attribute.kind.is_categorical)
    answer = study.design[name].attribute.values[-1]
    settings = replace(
        study.settings, noncompliance=0.1, noncompliance_manner="safe",
        noncompliance_corrected=True, safe_answers=((name, answer), ("gone", "no")),
    )  # fmt: skip
    study = study.with_(settings=settings)
    save_study(study, path)
    back = open_study(path)
    assert back.settings == settings
    ignoring = noncompliance_of(back)
    assert ignoring.corrected
    assert ignoring.own_safe == ((name, answer),), "an answer of no question has no effect"
    written = study.settings.to_json()
    assert written["safe_answers"] == {name: answer, "gone": "no"}
    old = {key: value for key, value in written.items() if key in BEFORE}
    assert StudySettings.from_json(old) == replace(
        settings, noncompliance_corrected=False, safe_answers=()
    )
    for wrong in ([["a", "b"]], {"a": 1}):
        with pytest.raises(ParameterError):
            StudySettings.from_json({**old, "safe_answers": wrong})


BEFORE = ("respondents", "seed", "noncompliance", "noncompliance_manner", "least_rows")
"""Settings that files of the first version have."""


def test_that_the_former_version_is_kept_as_a_backup(saved):
    save_study(make_study("second"), saved)
    save_study(make_study("third"), saved)
    assert open_study(saved).title == "third"
    assert open_study(saved.with_suffix(".ppw~")).title == "second"
    assert {path.name for path in saved.parent.iterdir()} == {"small.ppw", "small.ppw~"}


def test_that_a_link_to_a_study_stays_a_link(saved):
    link = saved.with_name("link.ppw")
    link.symlink_to(saved)
    save_study(make_study("through the link"), link)
    assert link.is_symlink()
    assert open_study(saved).title == "through the link"


def test_that_a_choice_for_an_attribute_that_is_gone_does_no_harm(saved):
    study = make_study().with_choice("gone", PriorChoice("drawn", (1.0,)))
    save_study(study, saved)
    assert open_study(saved).choices["gone"] == PriorChoice("drawn", (1.0,))


def test_that_a_study_saved_through_a_link_keeps_link_and_backup(tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "real.ppw", tmp_path / "link.ppw"
    save_study(make_study("first"), target)
    link.symlink_to(target)
    save_study(make_study("second"), link)
    assert link.is_symlink()
    assert open_study(target).title == "second"
    backup = target.with_name("real.ppw~")
    assert not backup.is_symlink()
    assert open_study(backup).title == "first"
    assert {path.name for path in tmp_path.iterdir()} == {"there", "link.ppw"}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_that_only_its_owner_reads_a_study_and_one_that_exists_keeps_its_mode(tmp_path):
    path = tmp_path / "a.ppw"
    before = os.umask(0o022)
    try:
        save_study(make_study("first"), path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        path.chmod(0o640)
        save_study(make_study("second"), path)
    finally:
        os.umask(before)
    modes = {stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()}
    assert modes == {0o640}


def test_that_a_file_of_the_users_beside_the_study_stays(tmp_path):
    theirs = [tmp_path / name for name in (".a-old.ppw", "a.ppw~new", "a.ppw.bak")]
    for path in theirs:
        path.write_text("mine")
        os.utime(path, (0, 0))
    for title in ("first", "second"):
        save_study(make_study(title), tmp_path / "a.ppw")
    assert {path.read_text() for path in theirs} == {"mine"}


def test_that_a_study_changed_on_disk_is_not_saved_over(tmp_path):
    path = tmp_path / "a.ppw"
    mine = save_study(make_study("mine"), path)
    theirs = save_study(make_study("theirs"), path)
    with pytest.raises(ChangedOnDiskError, match=r"^Another window or program has changed a\.ppw"):
        save_study(make_study("mine again"), path, known=mine)
    assert open_study(path).title == "theirs"
    assert theirs == FileVersion.of(path)
    again = save_study(make_study("theirs again"), path, known=theirs)
    assert again == FileVersion.of(path)
    path.unlink()
    save_study(make_study("nobody is in the way"), path, known=again)


def test_that_a_change_while_a_study_is_written_is_noticed(tmp_path):
    path = tmp_path / "a.ppw"
    known = save_study(make_study("mine"), path)

    def meanwhile(done: float, message: str = "") -> None:
        if open_study(path).title == "mine":
            save_study(make_study("theirs"), path)

    with pytest.raises(ChangedOnDiskError):
        save_study(make_study("new"), path, meanwhile, known=known)
    assert open_study(path).title == "theirs"


def test_that_notes_and_reasons_can_be_translated_when_a_study_is_opened_again(tmp_path):
    (tmp_path / "a.csv").write_text("height,size\n1.5,1\n2.5,1.0\n1.75,2\n", encoding="utf-8")
    study = open_anything([tmp_path / "a.csv"])
    table = study.original
    codes = {note.code for note in table.notes if isinstance(note, Message)}
    save_study(study, tmp_path / "a.ppw")
    back = open_study(tmp_path / "a.ppw").original
    assert back.notes == table.notes
    assert {note.code for note in back.notes if isinstance(note, Message)} == codes != set()
    say = tongue_of("pl").say
    reason = back["height"].attribute.reason
    assert reason == "Numbers with decimals from 1.5 to 2.5."
    assert say(reason).startswith("Liczby z częścią dziesiętną")


@pytest.mark.parametrize("messages", [None, 5, [5], [{"template": "{a:999999999}", "args": {}}]])
def test_that_damaged_messages_leave_the_texts(tmp_path, messages):
    (tmp_path / "a.csv").write_text("height\n1.5\n2.5\n1.75\n", encoding="utf-8")
    study = open_anything([tmp_path / "a.csv"])
    given = study_to_json(study) | {"messages": messages}
    plain = study.original.with_(notes=())
    back = study_from_json(given, study.design, {"original": plain})
    assert back.original.notes == study.original.notes
