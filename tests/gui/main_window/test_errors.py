"""Errors in the window: said in a sentence, with details for those who ask."""

from __future__ import annotations

import logging
import sys

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QPushButton, QWidget
from studies import make_study

from ppworkbench.core.errors import DataError
from ppworkbench.gui import app as app_module
from ppworkbench.gui.dialogs import ErrorDetails


def test_that_an_error_is_one_sentence_with_what_was_left_unchanged(window):
    window.workbench.error_raised.emit(DataError("Row 418 of <b>survey</b>.csv has 9 fields."))
    assert window.banner.isVisible()
    assert window.banner.kind == "error"
    assert "Row 418 of &lt;b&gt;survey&lt;/b&gt;.csv has 9 fields." in window.banner.label.text()
    assert "Nothing was changed." in window.banner.label.text()
    assert not window.banner.button.isVisible()


def test_that_an_unexpected_error_offers_its_details(window, qtbot, dialogs):
    window.show_error(ZeroDivisionError("division by zero"))
    for _ in range(2):
        qtbot.mouseClick(window.banner.button, Qt.MouseButton.LeftButton)
        trace = dialogs.front(ErrorDetails).findChild(QWidget, "trace")
        assert "ZeroDivisionError: division by zero" in trace.toPlainText()
        dialogs.cancel()


def test_that_a_failed_job_reaches_the_banner_and_the_window_goes_on(window, qtbot):
    def work(progress):
        raise DataError("clinic.sav is protected by a password.")

    window.workbench.run("Opening clinic.sav", work, lambda _: None)
    qtbot.waitUntil(window.banner.isVisible)
    assert "protected by a password" in window.banner.label.text()
    assert window.status.jobs.label.text() == "Last job failed"
    window.store.open(make_study())
    assert window.current == "data"
    assert not window.banner.isVisible()


@pytest.mark.slow
@pytest.mark.qt_no_exception_capture
def test_that_an_exception_in_a_slot_reaches_the_banner_and_the_log(
    window, qtbot, monkeypatch, state_folder
):
    from ppworkbench.gui.application import start_log

    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    start_log()
    logger = logging.getLogger("ppworkbench")
    handler = logger.handlers[-1]
    try:
        app_module.catch_everything(window)
        button = QPushButton(window)
        button.clicked.connect(lambda: 1 / 0)
        button.click()
        qtbot.waitUntil(window.banner.isVisible)
        handler.flush()
    finally:
        logger.removeHandler(handler)
        handler.close()
    assert "Internal error." in window.banner.label.text()
    logged = (state_folder / "ppworkbench.log").read_text()
    assert "ZeroDivisionError" in logged
    assert window.isVisible()


@pytest.mark.qt_no_exception_capture
def test_that_an_expected_error_in_a_slot_is_only_its_sentence(window, qtbot, monkeypatch, caplog):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    app_module.catch_everything(window)

    def slot():
        raise DataError("The value 'x' is listed twice.")

    QTimer.singleShot(0, slot)
    qtbot.waitUntil(window.banner.isVisible)
    assert "listed twice" in window.banner.label.text()
    assert caplog.text == ""
