"""The window in another language."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QLocale, QSettings, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from ppworkbench.core.design import Uniform
from ppworkbench.core.message import Message
from ppworkbench.gui.language import detect_language, speech, tr, translate
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.study.language import LANGUAGES, Catalogue, read_catalogue
from ppworkbench.study.study import Study


@pytest.fixture
def catalogue() -> Catalogue:
    """A few texts."""
    return Catalogue(
        {
            "Open": "Otwórz",
            "Attribute {name}: {what}.": "Atrybut {name}: {what}.",
            "Attribute {name} has {count} values.": "Liczba wartości: {count} (atrybut {name}).",
            "{done} of {all}": "{done} z {all}",
            "ordinal": "porządkowy",
            "“%s”": "„%s”",
            "not yet": "",
        },
        decimal=",",
        thousands="\u00a0",
    )


_COUNTED = Message("Attribute {name} has {count:,} values.", name="Open", count=1200)


@pytest.mark.parametrize(
    ("english", "polish"),
    [
        ("Open", "Otwórz"),
        ("40.5 %", "40,5 %"),
        ("3.1e+07", "3,1e+07"),
        ("1.2.3", "1.2.3"),
        ("not yet", "not yet"),
        ("Nobody has translated this.", "Nobody has translated this."),
        ("", ""),
        # No sentence is recognised by its words: they may be somebody's own.
        ("0.5 of 2", "0.5 of 2"),
        ("Attribute age has 2 values.", "Attribute age has 2 values."),
        (_COUNTED, "Liczba wartości: 1200 (atrybut Open)."),
        (_COUNTED.with_(count=21200), "Liczba wartości: 21\u00a0200 (atrybut Open)."),
        (_COUNTED.with_(name="1.5", count=0.5), "Liczba wartości: 0,5 (atrybut 1.5)."),
        (Message("Attribute {name}: {what}.", name="a b", what=Message("ordinal")),
         "Atrybut a b: porządkowy."),
        (Message("Attribute {name}: {what}.", name="a", what="ordinal"), "Atrybut a: ordinal."),
        (Message("{done:.1f} of {all}", done=0.25, all=(1, 2.5)), "0,2 z 1; 2,5"),
        (Message("{done} of {all}", done=("a", "b"), all=Message("Open")), "a, b z Otwórz"),
        (Message("{share:.1f} %", share=12.25), "12,2 %"),
        (Message("{nobody} knows {count}", nobody="x", count=1.5), "x knows 1,5"),
        (Message.joined((_COUNTED, "Open", "not yet")),
         "Liczba wartości: 1200 (atrybut Open). Otwórz not yet"),
    ],
)  # fmt: skip
def test_that_messages_are_found_by_their_template_and_texts_as_they_are(
    catalogue: Catalogue, english: str, polish: str
) -> None:
    assert catalogue.sentence(english) == polish
    assert Catalogue({}).sentence(english) == str(english)


@pytest.mark.parametrize(
    ("said", "plain", "english", "polish"),
    [
        (Message("Attribute {name!r}: {what}.", name="a b", what=Message("ordinal")),
         "Attribute 'a b': ordinal.", "Attribute “a b”: ordinal.", "Atrybut „a b”: porządkowy."),
        (Message("{done} of {all!r}", done=1, all=("50 %", Message("ordinal"), "it's\n")),
         "1 of '50 %', 'ordinal', \"it's\\n\"", "1 of “50 %”, “ordinal”, “it's\\n”",
         "1 z „50 %”, „porządkowy”, „it's\\n”"),
        (Message("{done!r} of {all}", done=0.5, all=2), "0.5 of 2", "0.5 of 2", "0,5 z 2"),
    ],
)  # fmt: skip
def test_that_names_stand_in_the_quotation_marks_of_the_language(
    catalogue: Catalogue, said: Message, plain: str, english: str, polish: str
) -> None:
    assert said == plain
    assert Catalogue({}).sentence(said) == english
    assert catalogue.sentence(said) == polish


def test_that_a_language_is_all_files_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"one": "jeden"}), encoding="utf-8")
    (tmp_path / "b.json").write_text(json.dumps({"two": "dwa"}), encoding="utf-8")
    read = read_catalogue(tmp_path)
    assert (read.sentence("one"), read.sentence("two")) == ("jeden", "dwa")


def test_that_a_choice_is_understood() -> None:
    assert detect_language("pl", QLocale("en_GB")) == "pl"
    assert detect_language("system", QLocale("pl_PL")) == "pl"
    assert detect_language("system", QLocale("de_DE")) == "en"
    assert detect_language("klingon", QLocale("en_US")) == "en"


def test_that_qt_asks_the_catalogue(qtbot: QtBot, catalogue: Catalogue) -> None:
    speech.use("pl", catalogue)
    said = Message("{done} of {all}", done=3, all=4)
    button = QPushButton()
    qtbot.addWidget(button)
    assert (button.tr("Open"), tr("Open"), translate(said)) == ("Otwórz", "Otwórz", "3 z 4")
    assert button.tr("something else") == "something else"
    speech.choose("en")
    assert (button.tr("Open"), tr("Open"), translate(said)) == ("Open", "Open", "3 of 4")


def test_that_dialogs_of_qt_speak_the_language_and_keys_keep_their_names(qtbot: QtBot) -> None:
    speech.choose("pl")
    asked = QCoreApplication.translate
    assert asked("QPlatformTheme", "&Yes") == "&Tak"
    assert asked("QFileDialog", "Look in:") == "Szukaj w:"
    assert tr("Noise value") != "Shift"
    assert QKeySequence("Ctrl+Shift+S").toString(QKeySequence.SequenceFormat.NativeText) == (
        "Ctrl+Shift+S"
    )


def test_that_words_of_several_meanings_are_told_apart() -> None:
    speech.use("pl", Catalogue({"Run": "Przebieg", "Run (verb)": "Uruchom"}))
    assert [tr("Run"), tr("Run", "verb"), tr("Stop", "verb")] == ["Przebieg", "Uruchom", "Stop"]


def test_that_the_menu_switches_the_language_at_once(
    window: MainWindow, open_city: Study, wait_idle: Callable[[], None], settings: QSettings
) -> None:
    window.show_page("design")
    window.store.set_perturbation(["district"], Uniform(keep=0.7))
    before = window.store.study
    window.menus.actions["language-pl"].trigger()
    wait_idle()
    assert window.menuBar().actions()[0].text() == "&Plik"
    assert window.menus.actions["language-pl"].isChecked()
    assert settings.value("view/language") == "pl"
    assert window.current == "design"
    assert window.store.study is before
    assert QLocale().decimalPoint() == ","
    assert window.rail.buttons["design"].text() != "Design"
    window.menus.actions["language-en"].trigger()
    wait_idle()
    assert window.menuBar().actions()[0].text() == "&File"
    assert QLocale().decimalPoint() == "."


@pytest.mark.slow
def test_that_changes_can_be_undone_after_a_switch(
    window: MainWindow, open_city: Study, qtbot: QtBot, wait_idle: Callable[[], None]
) -> None:
    window.show_page("design")
    before = window.store.study.design
    window.store.set_perturbation(["district"], Uniform(keep=0.7))
    window.speak("pl")
    wait_idle()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert window.store.study.design == before


def test_that_every_language_has_a_name_and_texts() -> None:
    folder = Path(__file__).resolve().parents[2] / "resources" / "languages"
    assert {path.name for path in folder.iterdir() if path.is_dir()} == set(LANGUAGES) - {"en"}
