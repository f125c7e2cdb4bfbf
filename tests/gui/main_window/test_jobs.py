"""Jobs in the window: shown, cancelled, listed."""

from __future__ import annotations

import threading

import pytest
from layout_check.named import unnamed
from PySide6.QtCore import Qt
from studies import make_study
from window_hands import CTRL, modify, press

from ppworkbench.core.errors import DataError


def test_that_the_status_bar_shows_the_newest_job_and_cancels_it(window, qtbot):
    def work(progress):
        for step in range(2_000):
            progress(step / 2_000)
            threading.Event().wait(0.01)

    first = window.workbench.run("First", work, lambda _: None)
    second = window.workbench.run("Second", work, lambda _: None)
    qtbot.waitUntil(lambda: window.status.jobs.label.text() == "Second (+1)")
    assert window.status.jobs.bar.isVisible()
    qtbot.mouseClick(window.status.jobs.cancel, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: second.state.is_over)
    assert window.status.jobs.label.text() == "First"
    first.cancel()
    qtbot.waitUntil(lambda: first.state.is_over)
    assert window.status.jobs.label.text() == "No jobs running"
    assert not window.status.jobs.bar.isVisible()


def test_that_the_job_list_tells_what_became_of_every_job(window, wait_idle):
    def fail(progress):
        raise DataError("The file is protected.")

    window.workbench.run("Good", lambda progress: 1, lambda _: None)
    window.workbench.run("Bad", fail, lambda _: None)
    wait_idle()
    press(window, Qt.Key.Key_J, CTRL)
    assert window.job_list.isVisible()
    words = " ".join(
        label.text() for label in window.job_list.findChildren(type(window.banner.label))
    )
    assert "Good" in words
    assert "done in" in words
    assert "failed: The file is protected." in words
    window.job_list.close()


def test_that_a_toast_offers_undo_and_goes_away(window, qtbot):
    window.store.open(make_study())
    modify(window)
    window.workbench.toast_requested.emit("Seed changed.", True)
    assert window.toast.isVisible()
    assert window.toast.button.isVisible()
    qtbot.mouseClick(window.toast.button, Qt.MouseButton.LeftButton)
    assert window.store.study.settings.seed == 2024
    assert not window.toast.isVisible()


def test_that_a_toast_stays_in_the_middle_when_the_window_gets_another_size(window):
    window.store.open(make_study())
    window.workbench.toast_requested.emit("Seed changed.", True)
    for width in (1500, 1100):
        window.resize(width, window.height() - 20)
        room = window.toast.parentWidget()
        assert abs(window.toast.geometry().center().x() - room.rect().center().x()) <= 1
        assert room.height() - window.toast.geometry().bottom() == 17


@pytest.mark.slow
def test_that_everything_that_can_be_clicked_has_a_name(window):
    assert unnamed(window) == []
