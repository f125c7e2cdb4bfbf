"""Numbers and dates are those of the language chosen in the program, whatever the system has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from patience import PATIENCE
from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QDialog, QDoubleSpinBox, QLabel, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from ppworkbench.gui.language import speech, use_locale
from ppworkbench.gui.numbers import number, read_number, significant
from ppworkbench.gui.pages.start.page import ListRow
from ppworkbench.gui.widgets.number_fields import NumberBox
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.study.study import Study

SPACE = QLocale("pl").groupSeparator()
ENVIRONMENTS = [
    ("C", {}, "en"),
    ("POSIX", {}, "en"),
    ("C.UTF-8", {}, "en"),
    ("C.UTF-8", {"LC_NUMERIC": "pl_PL.UTF-8"}, "en"),
    ("en_US.UTF-8", {}, "en"),
    ("en_US.UTF-8", {"LC_NUMERIC": "pl_PL.UTF-8"}, "en"),
    ("en_ZA.UTF-8", {}, "en"),
    ("de_DE.UTF-8", {}, "en"),
    ("de_DE.UTF-8", {"LANGUAGE": "pl:de"}, "pl"),
    ("pl_PL.UTF-8", {}, "pl"),
    ("pl_PL.UTF-8", {"LC_NUMERIC": "C"}, "pl"),
    ("pl_PL.UTF-8", {"LC_ALL": "en_GB.UTF-8"}, "en"),
]
_TELL = """
import json, sys
from ppworkbench.gui.language import speech
from ppworkbench.gui.numbers import number, percent, read_number
speech.choose(sys.argv[1])
told = [speech.language, number(14000.25, 2), percent(0.125, 1), read_number("5,000")]
print(json.dumps(told))
"""
_C_LIBRARY = """
import ctypes, locale
from ppworkbench.gui.application import make_application
locale.setlocale(locale.LC_NUMERIC, "pl_PL.UTF-8")
app = make_application()
read = ctypes.CDLL(None).strtod
read.restype, read.argtypes = ctypes.c_double, (ctypes.c_char_p, ctypes.c_void_p)
print(read(b"2.5", None))
"""


def run_python(code: str, *arguments: str, **variables: str) -> str:
    """What a program of its own prints, with no other settings of the locale than these."""
    ours = ("LANG", "LANGUAGE", "LC_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=kept | {"QT_QPA_PLATFORM": "offscreen", "PYTHONUTF8": "1"} | variables,
        capture_output=True, text=True, encoding="utf-8", timeout=PATIENCE, check=True,
    )  # fmt: skip
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere these variables mean nothing")
@pytest.mark.parametrize(("system", "others", "language"), ENVIRONMENTS)
def test_that_the_locale_of_the_system_only_chooses_the_language(
    system: str, others: dict[str, str], language: str
) -> None:
    told = json.loads(run_python(_TELL, "system", LANG=system, **others))
    if language == "pl":
        assert told == ["pl", f"14{SPACE}000,25", "12,5\u202f%", 5.0]
    else:
        assert told == ["en", "14,000.25", "12.5\u202f%", 5000.0]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere these variables mean nothing")
@pytest.mark.parametrize(
    "system",
    [
        "C.UTF-8",
        pytest.param("de_DE.UTF-8", marks=pytest.mark.slow),
        pytest.param("pl_PL.UTF-8", marks=pytest.mark.slow),
    ],
)
def test_that_a_chosen_language_has_its_own_numbers_on_every_system(system: str) -> None:
    english = json.loads(run_python(_TELL, "en", LANG=system, LC_NUMERIC=system))
    assert english == ["en", "14,000.25", "12.5\u202f%", 5000.0]
    polish = json.loads(run_python(_TELL, "pl", LANG=system, LC_NUMERIC=system))
    assert polish == ["pl", f"14{SPACE}000,25", "12,5\u202f%", 5.0]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other C libraries")
def test_that_libraries_go_on_reading_numbers_with_a_point() -> None:
    try:
        told = run_python(_C_LIBRARY, LANG="pl_PL.UTF-8")
    except subprocess.CalledProcessError as error:
        if "unsupported locale" in error.stderr:
            pytest.skip("this system has no Polish locale")
        raise
    assert told == "2.5\n"


@pytest.mark.parametrize(
    ("language", "typed", "value"),
    [
        ("en", "5,000", 5000.0), ("en", "5,000.5", 5000.5), ("en", "1,234,567", 1234567.0),
        ("en", "2,5", 2.5), ("en", "12,34", 12.34), ("en", "0.5", 0.5), ("en", "1 200", 1200.0),
        ("en", "\u22121.5e-3", -0.0015), ("en", "1.234,5", None), ("en", "1,23,456", None),
        ("pl", "5,000", 5.0), ("pl", "5.000", 5.0), ("pl", "2,5", 2.5), ("pl", "2.5", 2.5),
        ("pl", "14\u00a0000,25", 14000.25), ("pl", "1 200", 1200.0), ("pl", "1,234.5", None),
        ("en", "1_000", None), ("en", "nan", None), ("en", "1e999", None), ("en", "", None),
        ("pl", "\u0663", None), ("pl", "-", None),
    ],
)  # fmt: skip
def test_that_typed_numbers_are_read_as_the_language_writes_them(
    language: str, typed: str, value: float | None
) -> None:
    use_locale(language)
    assert read_number(typed) == value


@pytest.mark.parametrize("language", ["en", "pl"])
@pytest.mark.parametrize("value", [0.0, -1.5, 999.0, 1000.0, 4000.25, 14000.0, 1234567.5, 3e-12])
def test_that_every_number_is_read_as_it_was_written(language: str, value: float) -> None:
    use_locale(language)
    assert read_number(number(value, 2)) == pytest.approx(value, abs=0.005)
    assert read_number(significant(value, 9)) == pytest.approx(value)


@pytest.mark.parametrize(
    ("language", "typed", "value"),
    [
        ("en", "2.5", 2.5), ("en", "2,5", 2.5), ("en", "5,000", 5000.0), ("en", "1,234.5", 1234.5),
        ("pl", "2,5", 2.5), ("pl", "2.5", 2.5), ("pl", "5,000", 5.0), ("pl", "5 000", 5000.0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("ends", [("", ""), ("± ", " %")])
def test_that_a_number_typed_into_a_box_is_what_the_language_means(
    qtbot: QtBot, language: str, typed: str, value: float, ends: tuple[str, str]
) -> None:
    use_locale(language)
    box = NumberBox()
    qtbot.addWidget(box)
    box.setRange(0, 1e6)
    box.setPrefix(ends[0])
    box.setSuffix(ends[1])
    box.show()
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, typed)
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert box.value() == pytest.approx(value)


def test_that_boxes_of_every_window_follow_the_language_at_once(qtbot: QtBot) -> None:
    window, child, dialog = QWidget(), QWidget(), QDialog()
    child.setParent(window)
    boxes = []
    for place in (window, child, dialog, None):
        box = QDoubleSpinBox(place)
        box.setRange(0, 1e6)
        box.setGroupSeparatorShown(True)
        box.setValue(14000.25)
        boxes.append(box)
    for top in (window, dialog, boxes[-1]):
        qtbot.addWidget(top)
    changes: list[float] = []
    for box in boxes:
        box.valueChanged.connect(changes.append)
    speech.choose("pl")
    late = QDoubleSpinBox()
    late.setValue(2.5)
    late.setParent(child)
    assert [box.text() for box in boxes] == [f"14{SPACE}000,25"] * 4
    assert late.text() == "2,50"
    speech.choose("en")
    assert [box.text() for box in boxes] == ["14,000.25"] * 4
    assert late.text() == "2.50"
    assert changes == []


@pytest.mark.slow
def test_that_the_fields_of_the_window_follow_its_language(
    window: MainWindow, open_city: Study, qtbot: QtBot, wait_idle: Callable[[], None]
) -> None:
    def speak(language: str, shown: list[str]) -> NumberBox:
        window.speak(language)
        wait_idle()
        qtbot.waitUntil(lambda: [box.text() for box in boxes()] == shown)
        return boxes()[1]

    def boxes() -> tuple[QSpinBox, NumberBox]:
        page = window.page("design")
        respondents = page.findChild(QSpinBox, "respondents")
        points = page.findChild(NumberBox, "targetPoints")
        assert respondents is not None
        assert points is not None
        return respondents, points

    window.show_page("design")
    window.store.set_settings(respondents=14_000)
    assert [box.text() for box in boxes()] == ["14,000", "–"]
    points = speak("pl", [f"14{SPACE}000", "–"])
    points.setFocus()
    points.selectAll()
    qtbot.keyClicks(points, "2,5")
    qtbot.keyClick(points, Qt.Key.Key_Return)
    assert points.value() == 2.5
    speak("en", ["14,000", "± 2.5"])
    assert window.store.study.settings.respondents == 14_000


@pytest.mark.parametrize(("language", "day"), [("en", "5 Nov"), ("pl", "5 lis")])
def test_that_days_have_their_names_in_the_language(
    state_folder: Path, request: pytest.FixtureRequest, language: str, day: str
) -> None:
    study = state_folder / "old.ppw"
    study.touch()
    noon = time.mktime((2020, 11, 5, 12, 0, 0, 0, 0, -1))
    kept = [{"path": str(study), "title": "old", "summary": "12,000 rows", "when": noon}]
    (state_folder / "recent.json").write_text(json.dumps(kept), encoding="utf-8")
    speech.choose(language)
    window: MainWindow = request.getfixturevalue("window")
    rows = window.page("start").recent.findChildren(ListRow)
    assert day in [label.text() for row in rows for label in row.findChildren(QLabel)]
