"""Demonstrations on the Learn page and the start screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from demonstrations_shown import OWN
from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest

from ppworkbench.gui.demonstrations import DemonstrationRow, own_files
from ppworkbench.outputs.demonstrations.catalogue import shipped_files


@pytest.mark.slow
def test_that_the_learn_page_lists_and_starts_all_and_ticks_what_was_seen(window, qtbot, own):
    window.show_page("learn")
    page = window.page("learn")
    assert [card.head.file for card in page.cards] == list(shipped_files())
    window.workbench.settings.setValue("learn/seen", ["1-coin"])
    page.shown()
    assert [not card._done.isHidden() for card in page.cards] == [True] + [False] * 11
    page.start_next()
    qtbot.waitUntil(lambda: window.stage is not None)
    assert window.stage.demonstration.name == "2-loop"
    window.end_demonstration()
    assert window.current == "learn"


@pytest.mark.slow
def test_that_a_file_of_ones_own_is_opened_and_listed(window, qtbot, own, dialogs):
    window.show_page("learn")
    page = window.page("learn")
    page.open_action.trigger()
    dialogs.cancel()
    page.open_action.trigger()
    dialogs.choose(own)
    qtbot.waitUntil(lambda: window.stage is not None)
    assert window.stage.demonstration.title == "My own"
    window.end_demonstration()
    assert own_files(window.workbench.settings) == (own,)
    assert [card.head.title for card in page.own_cards] == ["My own"]
    own.unlink()
    page.shown()
    assert page.own_cards == []


def test_that_a_bad_file_of_ones_own_is_told_in_the_banner(window, own, wait_idle):
    own.write_text(OWN.replace('page = "design"', 'page = "x"'))
    window.show_page("learn")
    window.page("learn").open_own(own)
    wait_idle()
    assert window.stage is None
    assert "own.toml, step 1: “page” is “x”" in window.banner.label.text()
    assert own_files(window.workbench.settings) == ()


class Editor(QObject):
    """What opens files of the user."""

    def __init__(self) -> None:
        super().__init__()
        self.opened = []
        QDesktopServices.setUrlHandler("file", self, "open")

    @Slot(QUrl)
    def open(self, url):
        self.opened.append(Path(url.toLocalFile()))


@pytest.mark.slow
def test_that_writing_ones_own_begins_with_a_template_that_plays(window, qtbot, dialogs, tmp_path):
    window.show_page("learn")
    page, path, told, editor = window.page("learn"), tmp_path / "mine.toml", [], Editor()
    window.workbench.toast_requested.connect(lambda words, _: told.append(words))
    page.write_action.trigger()
    dialogs.cancel()
    page.write_action.trigger()
    dialogs.choose(path)
    QDesktopServices.unsetUrlHandler("file")
    assert editor.opened == [path]
    assert str(path) in told[-1]
    assert [card.head.title for card in page.own_cards] == ["Smoking in my class"]
    qtbot.mouseClick(page.own_cards[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.stage is not None)
    assert window.stage.demonstration.file == path


@pytest.mark.slow
def test_that_a_demonstration_that_is_opened_as_a_file_is_played(window, qtbot, own, wait_idle):
    study = window.store.study
    window.files.open_paths([str(own)])
    qtbot.waitUntil(lambda: window.stage is not None)
    assert window.stage.demonstration.title == "My own"
    assert own_files(window.workbench.settings) == (own,)
    window.end_demonstration()
    wait_idle()
    assert window.store.study is study


@pytest.mark.slow
def test_that_the_start_screen_starts_a_demonstration(window, qtbot):
    rows = window.pages["start"].findChildren(DemonstrationRow)
    assert len(rows) == len(shipped_files())
    qtbot.keyClick(rows[0], Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.stage is not None)
    assert window.stage.demonstration.name == "1-coin"
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert window.current == "start"
