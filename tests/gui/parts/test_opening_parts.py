"""A folder of parts is opened as a sample, and says what it is a sample of."""

from __future__ import annotations

from pathlib import Path

import pytest
from examples import sweep
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QPushButton

from ppworkbench.fieldwork.parts_opening import look_at_folder, open_folder
from ppworkbench.gui.window.parts_dialog import PartsDialog
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.files.study_file import open_study
from ppworkbench.study.parts.study_parts import StudyParts


@pytest.fixture
def workbench(new_workbench):
    return new_workbench


def open_parts(window, dialogs, qtbot, folder: Path, sample: int = 150) -> None:
    """What a person does: choose the folder, a size of the sample, and open it."""
    window.menus.actions["openParts"].trigger()
    dialog = dialogs.front(PartsDialog)
    qtbot.mouseClick(dialog.choose, Qt.MouseButton.LeftButton)
    dialogs.choose(folder)
    qtbot.waitUntil(dialog.open_button.isEnabled)
    dialog.rows.setValue(sample)
    qtbot.mouseClick(dialog.open_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.store.study.parts is not None)


@pytest.mark.slow
def test_that_a_folder_of_reported_answers_is_opened_as_a_sample(window, dialogs, qtbot, folders):
    window.menus.actions["openParts"].trigger()
    dialog = dialogs.front(PartsDialog)
    assert not dialog.open_button.isEnabled()
    qtbot.mouseClick(dialog.choose, Qt.MouseButton.LeftButton)
    dialogs.choose(folders.reported)
    qtbot.waitUntil(dialog.open_button.isEnabled)
    assert dialog.found.text() == "4 parts with 900 rows of reported answers and their design."
    assert dialog.rows.value() == 100_000
    dialog.rows.setValue(150)
    qtbot.mouseClick(dialog.open_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.store.study.parts is not None)
    study = window.store.study
    assert study.state is AnswerState.REPORTED
    assert study.rows == 150
    assert study.parts == StudyParts(str(folders.reported.resolve()), 4, 900, "local")
    assert window.header.state.words == "reported answers, sample of 150 of 900 rows"
    assert window.status.facts["rows"].text() == "sample of 150 of 900 rows"
    assert str(folders.reported.resolve()) in window.header.state.toolTip()


def test_that_the_dialog_is_there_once_however_often_it_is_asked_for(window, dialogs):
    for _ in range(2):
        window.menus.actions["openParts"].trigger()
    dialogs.front(PartsDialog).reject()
    assert not any(one.isVisible() for one in window.findChildren(PartsDialog))


@pytest.mark.slow
def test_that_true_answers_are_opened_as_such_and_saved_with_their_folder(
    window, dialogs, qtbot, folders, tmp_path, wait_idle
):
    open_parts(window, dialogs, qtbot, folders.true)
    before = window.store.study
    assert before.state is AnswerState.TRUE
    window.files.save()
    dialogs.choose(tmp_path / "city.ppw")
    wait_idle()
    again = open_study(tmp_path / "city.ppw")
    assert again.parts == before.parts
    assert again.rows == 150
    window.files.close_study()
    assert window.store.study.parts is None
    window.files.open_paths([str(tmp_path / "city.ppw")])
    qtbot.waitUntil(lambda: window.store.study.parts == before.parts)
    assert window.header.state.words == "true answers, sample of 150 of 900 rows"


@pytest.mark.slow
def test_that_the_same_rows_are_drawn_again_over_all_parts(window, dialogs, qtbot, folders):
    drawn = []
    for _ in range(2):
        open_parts(window, dialogs, qtbot, folders.true, 60)
        drawn.append(window.store.study.original)
        window.files.close_study()
    for name in drawn[0].names:
        assert drawn[0][name].data.tobytes() == drawn[1][name].data.tobytes()


def drop(window, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    window.dropEvent(
        QDropEvent(
            QPointF(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
    )  # fmt: skip


@pytest.mark.slow
def test_that_a_dropped_folder_is_looked_at_over_any_study(
    window, dialogs, qtbot, folders, city_study
):
    window.store.open(city_study)
    drop(window, folders.reported)
    dialog = dialogs.front(PartsDialog)
    qtbot.waitUntil(dialog.open_button.isEnabled)
    assert "900 rows of reported" in dialog.found.text()
    dialogs.cancel()
    assert window.store.study.original is city_study.original


def test_that_a_design_says_that_parts_hold_reported_answers(window, dialogs, qtbot, folders):
    drop(window, folders.true, folders.design)
    dialog = dialogs.front(PartsDialog)
    qtbot.waitUntil(dialog.open_button.isEnabled)
    assert "reported answers" in dialog.found.text()
    dialogs.cancel()


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", sweep(["mixed", "empty", "absent", "unknown scheme", "broken"], quick=1)
)
def test_that_what_is_no_folder_of_parts_is_said_in_one_sentence(
    kind, window, dialogs, qtbot, folders, tmp_path
):
    place = tmp_path / "folder"
    said = {
        "empty": "has no part",
        "mixed": "other columns",
        "absent": "folder",
        "unknown scheme": "begin with nowhere://",
        "broken": "part.0.parquet",
    }
    if kind != "absent":
        place.mkdir()
    if kind in ("mixed", "broken"):
        whole = (folders.true / "part.0.parquet").read_bytes()
        (place / "part.0.parquet").write_bytes(whole if kind == "mixed" else whole[:-200])
    if kind == "mixed":
        from part_files import write_parts

        from ppworkbench.core.data.samples import load_sample

        write_parts(tmp_path / "other", load_sample("city-survey", rows=9).select(["car"]), [])
        (tmp_path / "other" / "part.0.parquet").rename(place / "part.1.parquet")
    window.menus.actions["openParts"].trigger()
    dialog = dialogs.front(PartsDialog)
    dialog.address.setText("nowhere://bucket" if kind == "unknown scheme" else str(place))
    qtbot.waitUntil(lambda: dialog.found.property("type") == "error")
    assert said[kind] in dialog.found.text()
    assert not dialog.open_button.isEnabled()
    dialogs.cancel()


@pytest.mark.slow
def test_that_a_cluster_that_does_not_respond_is_said_and_nothing_is_opened(
    window, dialogs, qtbot, folders, monkeypatch
):
    pytest.importorskip("distributed")
    monkeypatch.setattr("ppworkbench.core.engines._CONNECT", 1)
    window.files.open_paths([str(folders.reported)])
    dialog = dialogs.front(PartsDialog)
    qtbot.waitUntil(dialog.open_button.isEnabled)
    dialog.cluster.setChecked(True)
    assert not dialog.open_button.isEnabled()
    dialog.host.setText("no engine")
    qtbot.mouseClick(dialog.open_button, Qt.MouseButton.LeftButton)
    assert "is no engine" in dialog.state.text()
    dialog.host.setText("127.0.0.1:9")
    qtbot.mouseClick(dialog.open_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "No cluster responds" in dialog.state.text())
    assert window.store.study.is_empty
    dialogs.cancel()


@pytest.mark.slow
def test_that_answers_are_not_added_to_a_sample(window, dialogs, qtbot, folders, wait_idle):
    open_parts(window, dialogs, qtbot, folders.reported)
    for name in ("addResponses", "typeAnswers"):
        action = window.menus.actions[name]
        assert not action.isEnabled()
        assert "sample of a folder of parts" in action.toolTip()
    window.show_page("data")
    button = window.findChild(QPushButton, "addResponsesHereButton")
    if button is not None and button.isVisible() and button.isEnabled():
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert not dialogs.is_open
        assert "sample of a folder of parts" in window.banner.label.text()
    wait_idle()


@pytest.mark.slow
def test_that_the_header_makes_room_for_what_the_sample_is_of(window, qtbot, folders):
    window.resize(1366, 768)
    window.show_page("data")
    window.store.open(open_folder(look_at_folder(str(folders.reported)), 150))
    chip = window.header.state
    qtbot.waitUntil(lambda: "sample of" in chip.words)
    qtbot.waitUntil(lambda: chip.width() >= chip.sizeHint().width())
    window.resize(1920, 1080)
    qtbot.waitUntil(lambda: "\n" not in chip.text())
    assert chip.width() >= chip.sizeHint().width()
