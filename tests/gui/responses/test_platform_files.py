"""Exports of platforms, added by hand in the window: menus, drops, and what people get wrong."""

from __future__ import annotations

import csv
import shutil
import zipfile
from collections import Counter

import pytest
from examples import sweep
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDropEvent

from ppworkbench.core.design.design_file import read_design
from ppworkbench.gui.responses.add_dialog import AddDialog
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.questionnaire.document import Questionnaire
from ppworkbench.study.questionnaire.texts import read_texts
from ppworkbench.study.study import Study


@pytest.fixture
def workbench(kept_workbench):
    return kept_workbench


EXPORTS = ("qualtrics.csv", "limesurvey.csv", "redcap.csv", "kobo.xlsx", "google-forms.csv")
UNFIT = "google-forms.csv"
"""The export without ids of responses."""


@pytest.fixture(scope="session")
def exports(shared_data):
    return shared_data / "platforms"


@pytest.fixture
def expected(exports):
    with (exports / "answers.csv").open(encoding="utf-8", newline="") as file:
        return Counter(tuple(row.items()) for row in csv.DictReader(file))


@pytest.fixture
def field(window, exports):
    """The window with the questions of the exports and no answers."""
    design = read_design(exports / "design.json")
    texts = read_texts(exports / "texts.json")
    questionnaire = Questionnaire.of_design(design, texts, "en")
    window.store.open(Study("rides", design=design, questionnaire=questionnaire))
    return window


def drop(window, *paths):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    event = QDropEvent(
        QPointF(10, 10), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    window.dropEvent(event)


def answers(study, expected):
    """The answers of a study as the file of what is expected writes them."""
    names = [name for name, _ in next(iter(expected))]
    columns = []
    for name in names:
        column = study.distorted[name]
        cells = [
            "" if gone else column.attribute.values[cell] if column.is_categorical else f"{cell:g}"
            for cell, gone in zip(column.data.tolist(), column.missing.tolist(), strict=True)
        ]
        columns.append([(name, cell) for cell in cells])
    return Counter(zip(*columns, strict=True))


def choose(dialog, state, wait_idle):
    dialog.state.buttons[state].click()
    wait_idle()


@pytest.mark.slow
@pytest.mark.parametrize("name", sweep(EXPORTS, quick=1))
def test_that_an_export_chosen_in_the_menu_becomes_the_answers(
    field, exports, expected, dialogs, wait_idle, qtbot, name
):
    field.findChild(QAction, "addResponses").trigger()
    dialog = dialogs.front(AddDialog)
    qtbot.mouseClick(dialog.files_button, Qt.MouseButton.LeftButton)
    dialogs.choose(exports / name)
    wait_idle()
    choose(dialog, "reported", wait_idle)
    assert dialog.problem.text() == ""
    assert dialog.add_button.text() == "Add 20 responses"
    qtbot.mouseClick(dialog.add_button, Qt.MouseButton.LeftButton)
    wait_idle()
    assert field.store.study.state is AnswerState.REPORTED
    assert answers(field.store.study, expected) == expected


@pytest.mark.slow
def test_that_a_zip_a_folder_and_several_files_are_dropped(
    field, exports, expected, dialogs, wait_idle, tmp_path
):
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as packed:
        packed.write(exports / "qualtrics.csv", "Travel/qualtrics.csv")
    folder = tmp_path / "answers"
    folder.mkdir()
    shutil.copy(exports / "redcap.csv", folder)
    (folder / "notes.docx").write_bytes(b"no answers")
    for paths, rows in (
        ([tmp_path / "export.zip"], 20),
        ([folder], 40),
        ([exports / "limesurvey.csv", exports / "kobo.xlsx"], 80),
    ):
        drop(field, *paths)
        wait_idle()
        dialog = dialogs.front(AddDialog)
        choose(dialog, "reported", wait_idle)
        assert dialog.problem.text() == ""
        assert not dialog.confirm.isVisible()
        dialog.add_button.click()
        wait_idle()
        assert field.store.study.rows == rows
    assert answers(field.store.study, expected) == Counter(
        {row: 4 * count for row, count in expected.items()}
    )


def test_that_the_same_file_again_brings_nothing_and_says_so(
    field, exports, dialogs, wait_idle, tmp_path
):
    copy = shutil.copy(exports / "redcap.csv", tmp_path / "again.csv")
    # Twice at once, by its own name and by another one.
    drop(field, exports / "redcap.csv", exports / "redcap.csv", copy)
    wait_idle()
    dialog = dialogs.front(AddDialog)
    choose(dialog, "reported", wait_idle)
    assert dialog.add_button.text() == "Add 20 responses"
    dialog.add_button.click()
    wait_idle()
    drop(field, copy)
    wait_idle()
    dialog = dialogs.front(AddDialog)
    choose(dialog, "reported", wait_idle)
    assert not dialog.add_button.isEnabled()
    assert dialog.problem.text() == "The study has all of these responses already."
    dialogs.cancel()
    assert field.store.study.rows == 20


@pytest.mark.slow
def test_that_equal_files_without_ids_are_asked_about(field, exports, dialogs, wait_idle, tmp_path):
    copy = shutil.copy(exports / UNFIT, tmp_path / "copy.csv")
    drop(field, exports / UNFIT, copy)
    wait_idle()
    dialog = dialogs.front(AddDialog)
    choose(dialog, "reported", wait_idle)
    assert "copy.csv" in dialog.notes.text()
    assert dialog.confirm.isVisible()
    assert not dialog.add_button.isEnabled()
    dialogs.cancel()
    drop(field, exports / UNFIT)
    wait_idle()
    dialog = dialogs.front(AddDialog)
    choose(dialog, "reported", wait_idle)
    assert not dialog.confirm.isVisible()
    dialog.add_button.click()
    wait_idle()
    # Now the study has rows that nothing tells from these.
    drop(field, copy)
    wait_idle()
    dialog = dialogs.front(AddDialog)
    choose(dialog, "reported", wait_idle)
    assert dialog.confirm.isVisible()
    assert not dialog.add_button.isEnabled()
    dialog.confirm.click()
    dialog.add_button.click()
    wait_idle()
    assert field.store.study.rows == 40


def wrong_files(folder):
    (folder / "wrong.csv").write_text("height,width\n1,2\n3,4\n", encoding="utf-8")
    (folder / "empty.csv").write_bytes(b"")
    (folder / "picture.csv").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0" * 40)
    (folder / "broken.xlsx").write_bytes(b"PK\3\4 no workbook")
    (folder / "broken.sav").write_bytes(b"$FL2 no file of SPSS")
    (folder / "broken.jsonl").write_text('{"fare": ', encoding="utf-8")
    with zipfile.ZipFile(folder / "two.zip", "w") as packed:
        packed.writestr("a.csv", "fare\nno\n")
        packed.writestr("b.csv", "fare\nno\n")
    (folder / "nothing").mkdir()
    return [*sorted(one for one in folder.iterdir() if one.name != "home"), folder / "absent.csv"]


@pytest.mark.slow
def test_that_a_wrong_file_is_told_in_one_sentence_and_changes_nothing(
    field, exports, dialogs, wait_idle, tmp_path
):
    before = field.store.study
    place = tmp_path / "wrong"
    place.mkdir()
    field.findChild(QAction, "addResponses").trigger()
    dialog = dialogs.front(AddDialog)
    for path in wrong_files(place):
        dialog.set_paths([path])
        wait_idle()
        choose(dialog, "reported", wait_idle)
        assert dialog.problem.text().count(". ") <= 1, path.name
        assert dialog.problem.text(), path.name
        assert not dialog.add_button.isEnabled(), path.name
    # The right one still works in the same dialog.
    dialog.set_paths([exports / "redcap.csv"])
    wait_idle()
    assert dialog.problem.text() == ""
    assert dialog.add_button.isEnabled()
    dialogs.cancel()
    assert field.store.study is before


@pytest.mark.slow
def test_that_cancelling_while_files_are_read_adds_nothing(
    field, exports, dialogs, wait_idle, tmp_path
):
    text = (exports / "redcap.csv").read_text(encoding="utf-8-sig").splitlines()
    rows = [
        f"{place}{line[line.index(',') :]}" for place, line in enumerate(text[1:] * 5_000, start=1)
    ]
    (tmp_path / "many.csv").write_text("\n".join([text[0], *rows]), encoding="utf-8")
    before = field.store.study
    field.findChild(QAction, "addResponses").trigger()
    dialog = dialogs.front(AddDialog)
    dialog.set_paths([tmp_path / "many.csv"])
    assert dialog.progress.isVisible()
    dialogs.cancel()
    assert not dialogs.is_open
    wait_idle()
    assert field.store.study is before
