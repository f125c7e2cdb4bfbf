"""No collector runs unseen: leaving a study asks, and every window lists and stops what runs."""

from __future__ import annotations

import pytest
from asked_studies import free_port
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QMessageBox

from ppworkbench.fieldwork.collector.control import (
    find_server,
    open_collection,
    start_collection,
    start_server,
)
from ppworkbench.gui.window.collectors import CollectorsDialog

pytestmark = pytest.mark.slow


def save(field, tmp_path, wait_idle):
    field.window.files._save_to(tmp_path / "study.ppw", None, None)
    field.wait(lambda: not field.window.store.is_modified, "saved")


def labels(dialogs):
    return {one.text().replace("&", "") for one in dialogs.front(QMessageBox).buttons()}


def test_that_an_unsaved_study_leaves_no_collector_behind(field, dialogs):
    field.start()
    files, store = field.window.files, field.window.store
    files.close_study()
    dialogs.answer("Discard")
    assert labels(dialogs) == {"Save and keep collecting", "Stop the collector", "Cancel"}
    said = dialogs.answer("Cancel")
    assert field.address.rstrip("/") in said
    assert "not saved" in said
    assert not store.study.is_empty
    assert find_server(field.database) is not None
    files.close_study()
    dialogs.answer("Discard")
    dialogs.answer("Stop the collector")
    field.wait(lambda: store.study.is_empty, "left")
    assert find_server(field.database) is None


def test_that_a_collector_that_is_just_starting_is_asked_about(field, dialogs):
    field.fill(free_port())
    field.window.store.forget_changes()
    field.click("startCollecting")
    field.window.files.close_study()
    assert "people reach it" in dialogs.answer("Stop the collector")
    field.wait(lambda: field.window.store.study.is_empty, "left")
    assert find_server(field.database) is None


def test_that_a_saved_study_keeps_collecting_and_every_page_tells(
    field, dialogs, tmp_path, wait_idle
):
    field.start()
    window = field.window
    save(field, tmp_path, wait_idle)
    assert not window.status.collectors.isVisible(), "the study tells of its own"
    window.files.close_study()
    assert labels(dialogs) == {"Keep collecting", "Pause", "Stop the collector", "Cancel"}
    assert "Running collectors" in dialogs.answer("Keep collecting")
    field.wait(lambda: window.store.study.is_empty, "left")
    server = find_server(field.database)
    assert server is not None
    window.collectors.look()
    field.wait(window.status.collectors.isVisible, "told")
    assert window.status.collectors.text() == "1 collector runs"
    assert "nothing leaves" not in window.status.facts["rows"].text()
    QTest.mouseClick(window.status.collectors, Qt.MouseButton.LeftButton)
    dialog = dialogs.front(CollectorsDialog)
    stop = dialog.findChild(QAbstractButton, "stopCollector")
    assert server.address in stop.accessibleName()
    QTest.mouseClick(stop, Qt.MouseButton.LeftButton)
    field.wait(lambda: find_server(field.database) is None, "stopped")
    field.wait(lambda: not window.status.collectors.isVisible(), "no longer told")
    dialogs.cancel()


def test_that_a_study_can_be_left_paused(field, dialogs, tmp_path, wait_idle):
    field.start()
    save(field, tmp_path, wait_idle)
    field.window.files.close_study()
    dialogs.answer("Pause")
    field.wait(lambda: field.window.store.study.is_empty, "left")
    with open_collection(field.database) as collection:
        assert collection.state.value == "paused"


def test_that_closing_the_window_names_what_goes_on_running(field, dialogs, wait_idle):
    # Another program has started it, before this window or after.
    start_collection(field.database, field.study.design).disconnect()
    server = start_server(field.database, ["--port", str(free_port())])
    window = field.window
    window.collectors.look()
    field.wait(window.status.collectors.isVisible, "told")
    window.close()
    assert server.address in dialogs.answer("Cancel")
    assert window.isVisible()
    window.close()
    dialogs.answer("Running collectors…")
    dialogs.front(CollectorsDialog)
    dialogs.cancel()
    window.close()
    dialogs.answer("Close the window")
    field.wait(lambda: not window.isVisible(), "closed")
    assert find_server(field.database) is not None
