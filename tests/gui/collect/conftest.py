"""What tests of the Collect page share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from asked_studies import asked_study, free_port, post_rows
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from ppworkbench.fieldwork.collector.control import stop_server
from ppworkbench.gui.pages.collect import CollectPage
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.study.study import Study


@dataclass
class Field:
    """The Collect page of a window, with hands."""

    window: MainWindow
    page: CollectPage
    qtbot: QtBot
    study: Study
    database: Path

    def click(self, name: str) -> None:
        """Press a button of the window by its name."""
        button = self.window.findChild(QAbstractButton, name)
        assert button is not None, name
        self.wait(lambda: button.isVisible() and button.isEnabled(), name)
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    def wait(self, check: Callable[[], bool], what: str = "") -> None:
        """Wait until something is so."""
        try:
            self.qtbot.waitUntil(check)
        except Exception as error:
            raise AssertionError(f"{what}: {self.window.banner.label.text()}") from error

    def text(self, name: str) -> str:
        """What a label says."""
        label = self.page.findChild(QLabel, name)
        assert label is not None, name
        return label.text()

    def fill(self, port: int) -> None:
        """Say where to store answers and at which port to listen."""
        self.page.findChild(QLineEdit, "collectDatabase").setText(str(self.database))
        self.page.findChild(QSpinBox, "collectPort").setValue(port)

    def start(self) -> None:
        """Start collecting and wait until the page can be reached."""
        self.fill(free_port())
        self.click("startCollecting")
        self.wait(lambda: self.address != "", "start")

    @property
    def address(self) -> str:
        """The address that people are given."""
        field = self.page.findChild(QLineEdit, "collectAddress")
        assert field is not None
        return field.text()

    def answer(self, rows: list[dict[str, str]]) -> list[int]:
        """Let people answer."""
        return post_rows(self.address, self.study, rows)

    def find(self, kind: type[QWidget], name: str) -> QWidget:
        """A part of the page."""
        found = self.page.findChild(kind, name)
        assert found is not None, name
        return found


@pytest.fixture
def field(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> Iterator[Field]:
    """The page in front with a study that nobody has answered."""
    study = asked_study()
    window.store.open(study)
    window.show_page("collect")
    page = window.page("collect")
    assert isinstance(page, CollectPage)
    made = Field(window, page, qtbot, study, tmp_path / "answers.sqlite")
    made.wait(lambda: bool(page.ways.ways), "ways out")
    yield made
    stop_server(made.database)
