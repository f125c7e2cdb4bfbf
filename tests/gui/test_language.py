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
from ppworkbench.gui.language.speech import speech, understood
from ppworkbench.gui.language.text import told, tr
from ppworkbench.gui.main_window import MainWindow
from ppworkbench.study.language.catalogue import Catalogue, read_catalogue
from ppworkbench.study.language.languages import LANGUAGES
from ppworkbench.study.study import Study


@pytest.fixture
def catalogue() -> Catalogue:
    """A few texts."""
    return Catalogue(
        {
            "Open": "Otwórz",
            "Attribute {1}: {2}.": "Atrybut {1}: {2}.",
            "Attribute {1} has {2} values.": "Wartości atrybutu {1}: {2}.",
            "the value “{1}” is missing": "brakuje wartości „{1}”",
            "{1} of {2}": "{1} z {2}",
            "ordinal": "porządkowy",
            "not yet": "",
        },
        decimal=",",
        thousands="\u00a0",
    )


@pytest.mark.parametrize(
    ("english", "polish"),
    [
        ("Open", "Otwórz"),
        ("Attribute age has 1,200 values.", "Wartości atrybutu age: 1200."),
        ("Attribute age: the value “1.5” is missing.", "Atrybut age: brakuje wartości „1.5”."),
        ("0.5 of 2", "0,5 z 2"),
        ("Attribute Open has 3 values.", "Wartości atrybutu Open: 3."),
        ("weakest of 3", "weakest of 3"),
        ("0.5, 21,200.25 % of 3", "0,5; 21\u00a0200,25 % z 3"),
        ("Attribute a has 3.1e+07 values.", "Wartości atrybutu a: 3,1e+07."),
        ("40.5 %", "40,5 %"),
        ("1.2.3 of 2", "1.2.3 z 2"),
        ("Attribute a: ordinal, binary.", "Atrybut a: porządkowy, binary."),
        ("Attribute 'so 2 of 3 has': the value “a” is missing.",
         "Atrybut 'so 2 of 3 has': brakuje wartości „a”."),
        ("Attribute 'a b', 'c d' has 2 values.", "Wartości atrybutu 'a b', 'c d': 2."),
        ("Attribute a has 2 values. Attribute b has 3 values.",
         "Wartości atrybutu a: 2. Wartości atrybutu b: 3."),
        ("not yet", "not yet"),
        ("Nobody has translated this.", "Nobody has translated this."),
        ("", ""),
    ],
)  # fmt: skip
def test_that_sentences_are_recognised_by_their_pattern(
    catalogue: Catalogue, english: str, polish: str
) -> None:
    assert catalogue.sentence(english) == polish


def test_that_the_most_telling_pattern_is_taken(catalogue: Catalogue) -> None:
    assert catalogue.sentence("Attribute x has 1 of 2 values.").startswith("Wartości atrybutu x")


def test_that_a_language_is_all_files_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"one": "jeden"}), encoding="utf-8")
    (tmp_path / "b.json").write_text(json.dumps({"two": "dwa"}), encoding="utf-8")
    read = read_catalogue(tmp_path)
    assert (read.sentence("one"), read.sentence("two")) == ("jeden", "dwa")


def test_that_a_choice_is_understood() -> None:
    assert understood("pl", QLocale("en_GB")) == "pl"
    assert understood("system", QLocale("pl_PL")) == "pl"
    assert understood("system", QLocale("de_DE")) == "en"
    assert understood("klingon", QLocale("en_US")) == "en"


def test_that_qt_asks_the_catalogue(qtbot: QtBot, catalogue: Catalogue) -> None:
    speech.use("pl", catalogue)
    button = QPushButton()
    qtbot.addWidget(button)
    assert (button.tr("Open"), tr("Open"), told("3 of 4")) == ("Otwórz", "Otwórz", "3 z 4")
    assert button.tr("something else") == "something else"
    speech.choose("en")
    assert (button.tr("Open"), tr("Open"), told("3 of 4")) == ("Open", "Open", "3 of 4")


def test_that_dialogs_of_qt_speak_the_language_and_keys_keep_their_names(qtbot: QtBot) -> None:
    speech.choose("pl")
    asked = QCoreApplication.translate
    assert asked("QPlatformTheme", "&Yes") == "&Tak"
    assert asked("QFileDialog", "Look in:") == "Szukaj w:"
    assert tr("Shift") != "Shift"
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
