"""Add responses: files are read, shown as they will be, corrected, and added in one step."""

from __future__ import annotations

import csv
import json
import secrets
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Uniform
from ppworkbench.core.design.perturbation import Identity
from ppworkbench.fieldwork.collector.control import open_store, start_collection
from ppworkbench.fieldwork.collector.rows import RowCodec
from ppworkbench.fieldwork.collector.store import Submission
from ppworkbench.fieldwork.responses.kit_file import read_mapping_or_kit
from ppworkbench.gui.responses.add_dialog import AddDialog
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.questionnaire.document import Questionnaire
from ppworkbench.study.questionnaire.texts import Texts
from ppworkbench.study.study import Study

FARE = Attribute("fare", Kind.BINARY, ("no", "yes"))
PLACE = Attribute("place", Kind.NOMINAL, ("old town", "Łódź", "hills"))
AGE = Attribute("age", Kind.INTEGER, domain=(18, 90))
DESIGN = Design(
    (
        DesignedAttribute(FARE, Uniform(keep=0.7)),
        DesignedAttribute(PLACE, Uniform(keep=0.7)),
        DesignedAttribute(AGE, Identity()),
    )
)
NAMES = ["Status", "Finished", "ResponseId", "email", "Q1", "place", "age"]
WORDS = [*NAMES[:4], "Did you ride without a ticket?", "Where do you live?", "How old are you?"]


def write(path: Path, rows: list[list[object]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def qualtrics(path: Path, rows: list[list[object]]) -> Path:
    ids = [json.dumps({"ImportId": name}) for name in NAMES]
    return write(path, [NAMES, WORDS, ids, *rows])


ROWS = [
    ["IP Address", "True", "R_1", "a@b.org", "no", "Old  Town", 30],
    ["IP Address", "True", "R_2", "c@d.org", "YES", "lodz", 31],
    ["Spam", "True", "R_3", "", "no", "hills", 32],
    ["Survey Preview", "True", "R_4", "", "no", "hills", 33],
    ["IP Address", "False", "R_5", "", "no", "hills", 34],
    ["IP Address", "True", "R_6", "", "no", "harbour", 35],
]


@pytest.fixture
def study():
    texts = Texts({"fare": "Did you ride without a ticket?"})
    return Study("rides", design=DESIGN, questionnaire=Questionnaire.of_design(DESIGN, texts, "en"))


@pytest.fixture
def opened(workbench, study):
    workbench.store.open(study)
    return workbench


@pytest.fixture
def show(opened, files, wait_idle):
    """The dialog about some files, read."""

    def made(*paths: Path) -> AddDialog:
        dialog = files.responses.add_paths(paths)
        wait_idle()
        return dialog

    return made


def choose(box: QComboBox, words: str) -> None:
    """Choose an entry as a person does."""
    box.setCurrentIndex(box.findText(words))
    box.activated.emit(box.currentIndex())


def rows_of(model) -> list[list[str]]:
    return model.as_texts()[1:]


def test_that_a_platform_is_recognised_and_shown_before_anything_changes(
    show, opened, tmp_path, wait_idle, study
):
    dialog = show(qualtrics(tmp_path / "q.csv", ROWS))
    assert "Qualtrics" in dialog.platform.text()
    assert "import ids" in dialog.platform.text()
    assert rows_of(dialog.mapping.question_model)[0] == ["fare", "Q1", "texts", "0"]
    assert rows_of(dialog.mapping.question_model)[1] == ["place", "place", "texts", "1"]
    assert "email" in dialog.personal.text()
    assert dialog.unfinished.text() == "Leave out unfinished rows (1)"
    assert dialog.preview.text() == "Leave out preview rows (1)"
    assert len(dialog.first_model.rows) == 3
    assert dialog.state.current == ""
    assert not dialog.add_button.isEnabled()
    assert opened.store.study.state is AnswerState.NONE
    dialog.reject()
    wait_idle()
    assert opened.store.study.state is AnswerState.NONE


def test_that_responses_are_added_in_one_step_and_again_adds_only_new_ones(
    show, opened, tmp_path, wait_idle, qtbot
):
    path = qualtrics(tmp_path / "q.csv", ROWS)
    dialog = show(path)
    dialog.state.buttons["reported"].click()
    wait_idle()
    dialog.statuses["Spam"].click()
    wait_idle()
    assert dialog.add_button.text() == "Add 2 responses"
    qtbot.mouseClick(dialog.add_button, Qt.MouseButton.LeftButton)
    wait_idle()
    store = opened.store
    assert (store.study.state, store.study.rows) == (AnswerState.REPORTED, 2)
    assert store.undo_stack.count() == 1
    store.undo_stack.undo()
    assert store.study.state is AnswerState.NONE
    store.undo_stack.redo()
    qualtrics(path, [*ROWS, ["IP Address", "True", "R_9", "", "yes", "hills", 40]])
    dialog = show(path)
    dialog.state.buttons["reported"].click()
    wait_idle()
    # Without the status, "Spam" is new as well.
    assert dialog.add_button.text() == "Add 2 responses"
    assert not dialog.confirm.isVisible()
    dialog.accept()
    wait_idle()
    assert store.study.rows == 4


def test_that_what_was_undone_can_be_added_again(show, opened, tmp_path, wait_idle):
    path = qualtrics(tmp_path / "q.csv", ROWS)
    for _ in range(2):
        dialog = show(path)
        dialog.state.buttons["reported"].click()
        wait_idle()
        assert dialog.add_button.text() == "Add 3 responses"
        dialog.accept()
        wait_idle()
        assert opened.store.study.rows == 3
        opened.store.undo_stack.undo()


def test_that_an_answer_without_a_meaning_gets_one(show, opened, tmp_path, wait_idle):
    dialog = show(qualtrics(tmp_path / "q.csv", ROWS))
    dialog.state.buttons["reported"].click()
    wait_idle()
    assert dialog.add_button.text() == "Add 3 responses"
    dialog.mapping.questions.selectRow(1)
    assert rows_of(dialog.mapping.unmatched_model) == [["harbour", "1", "Leave the rows out"]]
    choose(dialog.mapping.meaning, "hills")
    wait_idle()
    assert rows_of(dialog.mapping.unmatched_model) == [["harbour", "1", "hills"]]
    assert dialog.add_button.text() == "Add 4 responses"
    choose(dialog.mapping.meaning, "Missing answer")
    wait_idle()
    dialog.accept()
    wait_idle()
    assert opened.store.study.distorted["place"].missing_count == 1


def test_that_columns_and_readings_can_be_chosen_and_saved_for_the_next_time(
    show, tmp_path, wait_idle, dialogs
):
    table = [["a", "b", "c"], ["2", "3", "30"], ["1", "1", "31"]]
    path = write(tmp_path / "t.csv", table)
    dialog = show(path)
    assert "no column" in dialog.problem.text()
    for place, column in enumerate("abc"):
        dialog.mapping.questions.selectRow(place)
        choose(dialog.mapping.column, column)
        wait_idle()
    dialog.state.buttons["reported"].click()
    wait_idle()
    assert [row[1:3] for row in rows_of(dialog.mapping.question_model)] == [
        ["a", "codes"], ["b", "codes"], ["c", "numbers"],
    ]  # fmt: skip
    assert sorted(dialog.first_model.rows) == [("no", "old town", "31"), ("yes", "hills", "30")]
    dialog.save_button.click()
    dialogs.choose(tmp_path / "m.json")
    assert read_mapping_or_kit(tmp_path / "m.json").columns["place"].column == "b"
    dialog.reject()
    dialog = show(path)
    dialog.load_button.click()
    dialogs.choose(tmp_path / "m.json")
    wait_idle()
    assert not dialog.problem.isVisible()
    assert [row[1] for row in rows_of(dialog.mapping.question_model)] == ["a", "b", "c"]
    dialog.reject()


def test_that_a_column_answers_one_question_only(show, tmp_path, wait_idle):
    dialog = show(write(tmp_path / "t.csv", [["fare", "place", "age"], ["no", "hills", "30"]]))
    dialog.mapping.questions.selectRow(0)
    choose(dialog.mapping.column, "place")
    wait_idle()
    assert [row[1] for row in rows_of(dialog.mapping.question_model)] == ["place", "none", "age"]
    assert "place" in dialog.problem.text()
    dialog.reject()


def test_that_invented_respondents_go_when_real_ones_come(show, opened, tmp_path, wait_idle, study):
    invented = Table((Column(FARE, [0] * 50), Column(PLACE, [1] * 50), Column(AGE, [30.0] * 50)))
    opened.store.open(study.with_(original=invented, invented=True))
    dialog = show(qualtrics(tmp_path / "q.csv", ROWS))
    assert "removes the simulated respondents" in dialog.state.note.text()
    dialog.state.buttons["reported"].click()
    wait_idle()
    assert not dialog.confirm.isVisible()
    dialog.accept()
    wait_idle()
    now = opened.store.study
    assert (now.state, now.rows, now.original) == (AnswerState.REPORTED, 3, None)


def test_that_a_folder_is_read_without_its_design(show, opened, tmp_path, wait_idle):
    folder = tmp_path / "answers"
    folder.mkdir()
    for place in range(3):
        row = {"fare": "no", "place": "hills", "age": 30 + place}
        (folder / f"{place}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (folder / "design.json").write_text('{"format": "x"}', encoding="utf-8")
    dialog = show(folder)
    dialog.state.buttons["reported"].click()
    wait_idle()
    assert dialog.add_button.text() == "Add 3 responses"
    dialog.accept()
    wait_idle()
    assert opened.store.study.rows == 3


def test_that_a_file_that_cannot_be_read_is_told_in_the_dialog(show, tmp_path):
    path = tmp_path / "two.zip"
    path.write_bytes(b"PK\x03\x04 nothing")
    dialog = show(path)
    assert "archive" in dialog.problem.text()
    assert not dialog.add_button.isEnabled()
    dialog.reject()


def test_that_answers_in_another_language_find_their_values(show, opened, tmp_path, wait_idle):
    asked = Questionnaire.of_design(DESIGN, Texts(), "en")
    document = asked.to_json()
    document["languages"] = ["en", "pl"]
    document["questions"][0]["text"]["pl"] = "Czy jechał Pan bez biletu?"
    for answer, words in zip(document["questions"][0]["answers"], ("nie", "tak"), strict=True):
        answer["text"]["pl"] = words
    study = opened.store.study.with_(questionnaire=Questionnaire.from_json(document))
    opened.store.open(study)
    rows = [["Czy jechał Pan bez biletu?", "place", "age"], ["tak", "hills", 30], ["no", "", 31]]
    dialog = show(write(tmp_path / "pl.csv", rows))
    dialog.state.buttons["true"].click()
    wait_idle()
    assert sorted(dialog.first_model.rows) == [("no", "", "31"), ("yes", "hills", "30")]
    dialog.accept()
    wait_idle()
    assert opened.store.study.state is AnswerState.TRUE


def test_that_the_database_of_a_collector_is_added_and_one_of_another_design_refused(
    show, opened, tmp_path, wait_idle
):
    path = tmp_path / "answers.sqlite"
    with start_collection(path, DESIGN) as collection:
        codec = RowCodec(collection.design())
    rows = [{"fare": "no", "place": "hills", "age": 30 + place} for place in range(4)]
    store = open_store(path)
    digest = store.current().digest
    store.write(
        [Submission(secrets.token_bytes(16), digest, codec.encode(row)) for row in rows],
        "2026-11-17",
    )
    store.close()
    dialog = show(path)
    assert "collector" in dialog.platform.text()
    dialog.state.buttons["reported"].click()
    wait_idle()
    assert dialog.add_button.text() == "Add 4 responses"
    dialog.accept()
    wait_idle()
    assert sorted(opened.store.study.distorted["age"].data) == [30, 31, 32, 33]
    other = opened.store.study.with_perturbations({"fare": Uniform(keep=0.5)})
    opened.store.open(other.with_(distorted=None))
    dialog = show(path)
    assert "another design" in dialog.problem.text()
    dialog.reject()


def test_that_reading_can_be_stopped_and_another_file_chosen(opened, files, tmp_path, wait_idle):
    folder = tmp_path / "many"
    folder.mkdir()
    row = json.dumps({"fare": "no", "place": "hills", "age": 30}) + "\n"
    for place in range(400):
        (folder / f"{place}.jsonl").write_text(row * 20, encoding="utf-8")
    dialog = files.responses.add_paths([folder])
    dialog.stop_button.click()
    wait_idle()
    assert dialog.problem.text() == "Nothing was read."
    assert not dialog.stop_button.isVisible()
    dialog.set_paths([folder / "7.jsonl"])
    wait_idle()
    dialog.state.buttons["reported"].click()
    wait_idle()
    assert dialog.add_button.text() == "Add 20 responses"
    dialog.reject()


def test_that_a_folder_of_answers_dropped_on_the_window_is_asked_about(
    opened, files, tmp_path, wait_idle, dialogs
):
    folder = tmp_path / "answers"
    folder.mkdir()
    row = {"id": "a" * 32, "row": {"fare": "no", "place": "hills", "age": 30}}
    (folder / "1.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    files.open_paths([str(folder)])
    wait_idle()
    dialog = dialogs.front(AddDialog)
    assert not dialog.state.current
    dialogs.cancel()
    assert opened.store.study.state is AnswerState.NONE


def test_that_what_is_no_mapping_is_refused_in_the_dialog(show, tmp_path, dialogs):
    dialog = show(write(tmp_path / "t.csv", [["fare", "place", "age"], ["no", "hills", "30"]]))
    (tmp_path / "m.json").write_text("[]", encoding="utf-8")
    dialog.load_button.click()
    dialogs.choose(tmp_path / "m.json")
    assert "no mapping" in dialog.problem.text()
    dialog.reject()


def test_that_a_file_with_the_marks_of_two_platforms_is_read_as_the_one_that_is_chosen(
    show, tmp_path, wait_idle
):
    head = ["record_id", "id", "submitdate", "lastpage", "startlanguage", "seed",
            "fare", "place", "age", "form_complete"]  # fmt: skip
    rows = [[1, 1, "2026-01-01", 1, "en", 1, "no", "hills", 30, 2],
            [2, 2, "", 1, "en", 1, "yes", "hills", 31, 2]]  # fmt: skip
    dialog = show(write(tmp_path / "both.csv", [head, *rows]))
    assert "say which one it is" in dialog.problem.text()
    assert dialog.responses is None
    choose(dialog.platforms, "LimeSurvey")
    wait_idle()
    assert dialog.problem.text() == ""
    assert "LimeSurvey" in dialog.platform.text()
    assert dialog.unfinished.text() == "Leave out unfinished rows (1)"
    # Its names may still stand below a title.
    assert dialog.header.isEnabled()
    dialog.reject()


def test_that_names_in_another_row_are_still_those_of_the_platform(show, tmp_path, wait_idle):
    head = ["id", "submitdate", "lastpage", "startlanguage", "fare", "place", "age"]
    rows = [[1, "2026-01-01", 1, "en", "A1", "A3", 30], [2, "", 1, "en", "A2", "A3", 31]]
    dialog = show(write(tmp_path / "t.csv", [["Rides"], head, *rows]))
    assert "LimeSurvey" in dialog.platform.text()
    assert "names in row 2" in dialog.platform.text()
    assert "Rides" in dialog.notes.text()
    choose(dialog.header, "2")
    wait_idle()
    assert "LimeSurvey" in dialog.platform.text()
    assert dialog.unfinished.text() == "Leave out unfinished rows (1)"
    assert dialog.first_model.as_texts()[1:] == [["no", "hills", "30"]]
    choose(dialog.header, "No names")
    wait_idle()
    assert dialog.platform.text() == "Read as a table (chosen); no names."
    dialog.reject()


def test_that_the_row_of_the_names_can_be_chosen(show, tmp_path, wait_idle):
    rows = [["fare", "place", "age"], ["yes", "hills", 40], ["fare", "place", "age"],
            ["no", "hills", 30]]  # fmt: skip
    dialog = show(write(tmp_path / "t.csv", rows))
    assert "names in row 1" in dialog.platform.text()
    choose(dialog.header, "3")
    wait_idle()
    assert "names in row 3" in dialog.platform.text()
    assert dialog.first_model.as_texts()[1:] == [["no", "hills", "30"]]
    # Other files are looked at afresh.
    dialog.set_paths([write(tmp_path / "u.csv", rows[:2])])
    wait_idle()
    assert dialog.header.currentData() is None
    assert "names in row 1" in dialog.platform.text()
    dialog.reject()
