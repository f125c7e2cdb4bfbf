"""Every key of the window."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import Qt
from studies import make_study
from window_hands import CTRL, SHIFT, modify, press

from ppworkbench.core.errors import DataError
from ppworkbench.gui.window.shell import PAGES


@pytest.fixture
def workbench(kept_workbench):
    return kept_workbench


@pytest.mark.slow
def test_that_keys_lead_to_every_page_with_and_without_a_study(window):
    for number, page in enumerate(PAGES, 1):
        press(window, Qt.Key(Qt.Key.Key_0 + number), CTRL)
        assert window.current == page.name
    window.store.open(make_study())
    for number, page in enumerate(PAGES, 1):
        press(window, Qt.Key(Qt.Key.Key_0 + number), CTRL)
        assert window.current == page.name


def test_that_control_enter_does_the_next_step_of_the_page(window):
    window.store.open(make_study())
    press(window, Qt.Key.Key_Return, CTRL)
    press(window, Qt.Key.Key_Enter, CTRL)
    assert window.pages["data"].times_done == 2
    window.pages["data"].primary.setEnabled(False)
    press(window, Qt.Key.Key_Return, CTRL)
    assert window.pages["data"].times_done == 2


def test_that_undo_and_redo_have_keys_and_buttons(window, qtbot):
    window.store.open(make_study())
    assert not window.header.undo.isEnabled()
    modify(window)
    assert window.header.undo.isEnabled()
    assert "Change the settings" in window.header.undo.toolTip()
    press(window, Qt.Key.Key_Z, CTRL)
    assert window.store.study.settings.seed == 2024
    press(window, Qt.Key.Key_Z, CTRL | SHIFT)
    assert window.store.study.settings.seed == 2025
    qtbot.mouseClick(window.header.undo, Qt.MouseButton.LeftButton)
    assert window.store.study.settings.seed == 2024
    press(window, Qt.Key.Key_Y, CTRL)
    assert window.store.study.settings.seed == 2025


def test_that_no_two_actions_share_a_key(window):
    keys = [
        key.toString() for action in window.menus.actions.values() for key in action.shortcuts()
    ]
    assert len(keys) == len(set(keys))
    assert {"Ctrl+O", "Ctrl+S", "Ctrl+Shift+S", "Ctrl+E", "F1", "Ctrl+J", "F11"} <= set(keys)


def test_that_escape_cancels_the_newest_job_and_then_closes_the_message(window, qtbot):
    gate = threading.Event()

    def work(progress):
        while not gate.wait(0.01):
            progress(0.5)

    window.show_error(DataError("The file is empty."))
    job = window.workbench.run("long", work, lambda _: None)
    # Nobody waits for what a page begins by itself.
    live = window.workbench.run("live", work, lambda _: None)
    live.begins_again = True
    press(window, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: job.state.is_over)
    assert window.banner.isVisible()
    press(window, Qt.Key.Key_Escape)
    assert not window.banner.isVisible()
    assert not live.state.is_over
    gate.set()


def test_that_full_screen_has_a_key_to_and_fro(window):
    press(window, Qt.Key.Key_F11)
    assert window.isFullScreen()
    press(window, Qt.Key.Key_F11)
    assert not window.isFullScreen()
