"""Every page of the window shows a study whose design has arms."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ppworkbench.gui.window.main_window import MainWindow
from tests.arm_studies import distorted_study, original_study

PAGES = ("data", "design", "explore", "survey", "mine", "classify", "publish")
from ppworkbench.study.study import Study


@pytest.mark.parametrize("make", [original_study, distorted_study])
@pytest.mark.usefixtures("quick_frontier")
def test_that_every_page_shows_every_attribute(
    window: MainWindow, qtbot: QtBot, make: type[Study]
) -> None:
    workbench, raised = window.workbench, []
    workbench.error_raised.connect(lambda error: raised.append(repr(error)))
    workbench.store.open(make(400))  # type: ignore[call-arg]
    for name in PAGES:
        window.show_page(name)
        for attribute in ("drug", "pay", "version"):
            workbench.store.select([attribute])
            qtbot.waitUntil(lambda: workbench.jobs.is_idle, timeout=20_000)
            QApplication.processEvents()
            qtbot.wait(250)
            qtbot.waitUntil(lambda: workbench.jobs.is_idle, timeout=20_000)
    assert raised == []
