"""What somebody typed is kept, by whichever key or menu the field is left."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QSpinBox
from window_hands import CTRL, SHIFT, press

from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.study.files.study_file import open_study, save_study
from ppworkbench.study.questionnaire import edits
from ppworkbench.study.questionnaire.pasted import questions_of_text
from ppworkbench.study.study import Study

ALT = Qt.KeyboardModifier.AltModifier
LIST = "Ridden without a ticket?: yes*, no\nHow old are you?: 18 to 90"


@pytest.fixture
def file(window: MainWindow, tmp_path: Path, wait_idle: Callable[[], None]) -> Path:
    """A questionnaire that is open in the window, with its questions in front."""
    asked = questions_of_text(LIST, "en", ("yes", "no"))
    path = tmp_path / "city.ppw"
    save_study(edits.add_questions(Study(title="City"), asked), path)
    window.files.open_paths([str(path)])
    wait_idle()
    window.show_page("data")
    window.activateWindow()
    QApplication.processEvents()
    return path


def type_name(window: MainWindow, words: str = "dodging") -> QLineEdit:
    field = window.page("data").questions.editor.name
    field.setFocus()
    assert field.hasFocus()
    field.selectAll()
    QTest.keyClicks(field, words)
    assert window.store.study.questionnaire.names[0] == "ridden_without_a"
    return field


@pytest.mark.parametrize(
    ("key", "modifier"),
    [
        (Qt.Key.Key_Down, ALT),
        (Qt.Key.Key_N, CTRL | SHIFT),
        (Qt.Key.Key_D, CTRL | SHIFT),
        (Qt.Key.Key_2, CTRL),
        (Qt.Key.Key_Return, CTRL),
        (Qt.Key.Key_F6, Qt.KeyboardModifier.NoModifier),
    ],
)
def test_that_a_name_is_kept_when_a_key_leaves_it(
    window: MainWindow, file: Path, key: Qt.Key, modifier: Qt.KeyboardModifier
) -> None:
    press(type_name(window), key, modifier)
    names = window.store.study.questionnaire.names
    assert (names[0], "how_old_are_you" in names) == ("dodging", True)


def test_that_the_next_question_keeps_its_own_name(window: MainWindow, file: Path) -> None:
    field = type_name(window)
    press(field, Qt.Key.Key_Down, ALT)
    assert field.text() == "how_old_are_you"
    press(field, Qt.Key.Key_Up, ALT)
    assert field.text() == "dodging"


def test_that_saving_saves_what_is_just_being_typed(
    window: MainWindow, file: Path, wait_idle: Callable[[], None]
) -> None:
    field = type_name(window)
    press(field, Qt.Key.Key_S, CTRL)
    wait_idle()
    assert open_study(file).questionnaire.names[0] == "dodging"
    assert not window.store.is_modified
    # Whoever saves goes on typing where they were.
    assert field.hasFocus()
    assert field.cursorPosition() == len("dodging")


def test_that_a_number_is_kept_when_a_key_leaves_it(window: MainWindow, file: Path) -> None:
    editor = window.page("data").questions.editor
    editor.more.reveal(editor.page)
    box: QSpinBox = editor.page
    box.setFocus()
    box.selectAll()
    QTest.keyClicks(box, "3")
    press(box, Qt.Key.Key_Down, ALT)
    assert [one.page for one in window.store.study.questionnaire.questions] == [3, 1]


def test_that_closing_the_window_asks_about_what_was_just_typed(
    window: MainWindow, file: Path, dialogs
) -> None:
    type_name(window)
    window.close()
    assert dialogs.is_open
    dialogs.answer("Cancel")
    assert window.store.is_modified
