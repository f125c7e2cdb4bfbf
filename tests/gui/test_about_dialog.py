"""The About dialog: versions to copy, licence, citation and papers."""

from __future__ import annotations

import platform

import numpy as np
import pytest
from PySide6.QtCore import qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel

from ppworkbench import __version__
from ppworkbench.gui.window.about_dialog import AboutDialog
from ppworkbench.study.about import PAPERS, how_to_cite, versions


@pytest.fixture
def dialog(workbench, qtbot) -> AboutDialog:
    made = AboutDialog(workbench)
    qtbot.addWidget(made)
    return made


def words(dialog: AboutDialog) -> str:
    return "\n".join(label.text() for label in dialog.findChildren(QLabel))


def test_that_it_names_versions_licence_and_papers(dialog) -> None:
    said = words(dialog)
    for part in (__version__, platform.python_version(), qVersion(), np.__version__, "MIT"):
        assert part in said
    assert how_to_cite() in said
    assert all(paper.citation in said for paper in PAPERS)


def test_that_versions_can_be_copied(dialog) -> None:
    dialog.copy_versions.click()
    copied = QGuiApplication.clipboard().text()
    assert f"ppworkbench {__version__}" in copied
    assert f"Qt {qVersion()}" in copied
    assert dialog.copy_versions.text() == "Copied"
    dialog.copy_citation.click()
    assert QGuiApplication.clipboard().text() == how_to_cite()


def test_that_a_library_that_is_missing_is_left_out(monkeypatch) -> None:
    monkeypatch.setattr("ppworkbench.study.about.LIBRARIES", {"no-such-lib": "no_such_lib"})
    assert list(versions()) == ["ppworkbench", "Python", "System"]


@pytest.mark.slow
def test_that_the_menu_opens_it(window, dialogs) -> None:
    for _ in range(2):
        window.menus.actions["about"].trigger()
        assert dialogs.front(AboutDialog).isModal()
        dialogs.cancel()
