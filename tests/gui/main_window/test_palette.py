"""Every action by name, from the keyboard."""

from __future__ import annotations

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from studies import make_study
from window_hands import CTRL, SHIFT, modify, press

from ppworkbench.gui.keys import menu_actions
from ppworkbench.gui.window.commands import Command, find, match
from ppworkbench.study.study import Study


@pytest.fixture
def workbench(kept_workbench):
    return kept_workbench


def opened(window):
    """The palette, by its keys."""
    window.activateWindow()
    QApplication.processEvents()
    press(window, Qt.Key.Key_P, CTRL | SHIFT)
    palette = window.menus.palette
    assert palette.isVisible()
    assert palette.field.text() == ""
    return palette


def found(palette, words):
    """The commands that fit, best first."""
    palette.field.clear()
    QTest.keyClicks(palette.field, words)
    return [one.command for one in palette.matches.found]


def test_that_a_button_that_has_gone_meanwhile_is_not_pressed(window, qapp):
    button = QPushButton("Vanishing", window.pages["start"])
    button.setObjectName("vanishing")
    button.show()
    palette = opened(window)
    assert found(palette, "vanishing")[0].words == "Vanishing"
    shiboken6.delete(button)
    press(palette.field, Qt.Key.Key_Return)
    # Qt swallows the error, and whatever Python does next would fail for no reason.
    assert [len(words) for words in ("a", "bc")] == [1, 2]
    assert window.property("nothing") is None
    assert not palette.isVisible()


def test_that_everything_is_offered_and_what_cannot_be_done_says_why(window):
    window.store.open(Study())
    assert window.menus.actions["save"].toolTip() == "Open data or start a questionnaire first."
    palette = opened(window)
    assert found(palette, "save as")[0].reason.startswith("Open data or start")
    press(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()
    assert found(palette, "go survey")[0].can_run
    window.store.open(make_study())
    palette.open_anew()
    offered = {one.key: one for one in palette._commands}
    for _, action in menu_actions(window.menuBar()):
        if action.objectName() != "palette":
            told = offered[f"menu {action.objectName()}"]
            assert told.keys == action.shortcut().toString(), action.objectName()
    assert offered["menu save"].can_run
    assert offered["menu undo"].reason == "Nothing to undo."
    modify(window)
    palette.open_anew()
    (undo,) = (one for one in palette._commands if one.key == "menu undo")
    assert undo.can_run
    press(palette.field, Qt.Key.Key_Escape)
    assert not palette.isVisible()


def test_that_enter_does_what_was_found(window):
    window.store.open(make_study())
    window.page("survey")
    palette = opened(window)
    assert found(palette, "do survey")[0].place == "Survey"
    press(palette.field, Qt.Key.Key_Return)
    assert not palette.isVisible()
    assert window.current == "survey"
    assert window.pages["survey"].times_done == 1
    palette = opened(window)
    assert palette.matches.found[0].command.words == "Do survey"
    name = window.store.study.design.names[-1]
    assert found(palette, name)[0].place == "Attribute"
    press(palette.field, Qt.Key.Key_Return)
    assert window.store.current == name
    assert window.current == "design"


def test_that_arrows_choose_and_escape_does_nothing(window):
    palette = opened(window)
    last = len(palette.matches.found) - 1
    assert palette.matches.rowCount() <= 20
    assert palette.list.currentIndex().row() == 0
    for key, row in ((Qt.Key.Key_Down, 1), (Qt.Key.Key_Up, 0), (Qt.Key.Key_Up, last)):
        press(palette.field, key)
        assert palette.list.currentIndex().row() == row
    assert found(palette, "qqqq") == []
    assert palette.nothing.isVisible()
    press(palette.field, Qt.Key.Key_Return)
    assert found(palette, "go to learn")[0].can_run
    press(palette.field, Qt.Key.Key_Escape)
    assert not palette.isVisible()
    assert window.current == "start"


def test_that_opening_it_gives_no_part_of_the_window_a_window_of_the_system(window):
    window.menus.actions["palette"].trigger()
    QApplication.processEvents()
    # Such parts are painted one by one, and the whole of each with every change of its size.
    parts = [window.menuBar(), window.centralWidget(), *window.findChildren(QWidget)]
    assert not [part for part in parts if part.windowHandle() and not part.isWindow()]


def test_that_a_few_letters_find_a_name():
    assert match("exp dat", "Export distorted data").places == (0, 1, 2, 17, 18, 19)
    assert match("zolty", "Żółty ślad").places == (0, 1, 2, 3, 4)
    assert match("gte", "Go to Explore") is not None
    assert match("view", "Dark", "View › Theme") is not None
    assert match("port", "Save") is None
    assert match("dtexp", "Export distorted data") is None


def test_that_starts_of_words_near_pages_and_what_can_be_done_come_first():
    def offered(words, **more):
        return Command(words, words, "", lambda: None, **more)

    commands = [
        offered("Report"),
        offered("Portrait"),
        offered("Port of a page behind", is_far=True),
        offered("Portable", reason="not now"),
    ]
    first = [one.command.words for one in find(commands, "port", [])]
    assert first == ["Portrait", "Port of a page behind", "Portable", "Report"]
    assert find(commands, "", ["Report"])[0].command.words == "Report"
    assert find(commands, "", [])[-1].command.words == "Portable"


def test_that_nothing_happens_to_a_demonstration_without_a_page_yet(window, monkeypatch):
    monkeypatch.setattr(window.shell, "current", "")
    palette = opened(window)
    assert "menu quit" in {one.key for one in palette._commands}
    palette.close()
    window.front.do_primary()
    assert window.pages["start"].isVisible()
