"""From an empty start screen to a bundle: a person who has only questions.

Three questions in two languages, a device, a rehearsal on every page, the kit, a collector that 100
people without browsers answer, the estimate, and the bundle. No page is disabled on the way.
Nothing but keys is used: every widget is reached by Tab, none is given the focus.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from asked_studies import free_port, post_row
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QMessageBox, QWidget
from window_hands import CTRL, press

from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.design_file import publishable
from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams
from ppworkbench.fieldwork.collector.control import find_server, stop_server
from ppworkbench.gui.pages.collect.ways_dialogs import KitDialog
from ppworkbench.gui.pages.data.questions.languages_dialog import LanguagesDialog
from ppworkbench.gui.pages.design.devices import DeviceDialog
from ppworkbench.gui.pages.publish.bundle_dialog import ReleaseDialog
from ppworkbench.study.answer_state import AnswerState

QUESTIONS = (
    "Rode without a ticket?: no, yes*",
    "Which part of town?: north, south, west",
    "How do you travel?: bus, tram",
)
TRUTH = 0.3
PEOPLE = 100
PAGES = ["data", "design", "collect", "explore", "survey", "mine", "classify", "publish"]


ALT = Qt.KeyboardModifier.AltModifier
LONGEST = 180_000
"""Milliseconds that a job of a whole page may take on a busy machine."""
MOST_STOPS = 250
"""Stops of the tab key in a page, more than any has."""


class Walk:
    """A person at the keyboard."""

    def __init__(self, window, qtbot, dialogs):
        self.window, self.qtbot, self.dialogs = window, qtbot, dialogs
        self.errors = []
        window.workbench.error_raised.connect(self.errors.append)

    @property
    def study(self):
        return self.window.store.study

    def go(self, name):
        """Go to a page by its number; the rail never refuses."""
        assert all(self.window.rail.buttons[page].isEnabled() for page in PAGES)
        self.wait(lambda: not self.dialogs.is_open)
        self.window.activateWindow()
        self.wait(self.window.isActiveWindow)
        press(self.window, getattr(Qt.Key, f"Key_{PAGES.index(name) + 1}"), CTRL)
        assert self.window.current == name
        self.settle()
        assert self.errors == [], name
        return self.window.page(name)

    def settle(self):
        """Wait until the page has done what it put off."""
        for _ in range(3):
            QApplication.processEvents()
            self.qtbot.wait(60)
            self.wait(lambda: self.window.workbench.jobs.is_idle)
        QApplication.processEvents()

    def wait(self, check):
        self.qtbot.waitUntil(lambda: bool(self.errors) or check())
        assert [str(error) for error in self.errors] == []

    def key(self, key, modifier=Qt.KeyboardModifier.NoModifier):
        """Press a key wherever the keyboard is."""
        press(self._listener(), key, modifier)

    def keys(self, words):
        """Type wherever the keyboard is."""
        QTest.keyClicks(self._listener(), words)
        QApplication.processEvents()

    def _listener(self):
        front = QApplication.activeModalWidget() or self.window
        if not front.isActiveWindow():
            # As the desktop does when a dialog has gone.
            front.activateWindow()
            self.wait(front.isActiveWindow)
        focus = QApplication.focusWidget()
        return focus if focus is not None and focus.window() is front else front

    def reach(self, widget):
        """Tab on until the keyboard is at a widget; whatever cannot be reached so is a fault."""
        self.wait(lambda: widget.isVisible() and widget.isEnabled())
        seen = []
        for _ in range(MOST_STOPS):
            if widget.hasFocus() or widget.isAncestorOf(QApplication.focusWidget() or self.window):
                return
            self.key(Qt.Key.Key_Tab)
            focus = QApplication.focusWidget()
            seen.append("" if focus is None else focus.objectName() or type(focus).__name__)
        raise AssertionError(f"{widget.objectName()} is not reached by Tab: {seen[:60]}")

    def press(self, name, parent=None):
        """Press a button by the space bar."""
        button = (parent or self.window).findChild(QAbstractButton, name)
        assert button is not None, name
        self.reach(button)
        self.key(Qt.Key.Key_Space)

    def answer(self, label):
        """Answer the question in front."""
        box = self.dialogs.front(QMessageBox)
        self.reach(next(one for one in box.buttons() if one.text().replace("&", "") == label))
        self.key(Qt.Key.Key_Space)
        self.wait(lambda: not self.dialogs.is_open)

    def type(self, name, words, parent):
        """Replace what stands in a field."""
        self.reach(parent.findChild(QWidget, name))
        self.key(Qt.Key.Key_A, CTRL)
        self.keys(words)


def write_questions(walk):
    walk.reach(walk.go("data").questions.list.quick)
    for line in QUESTIONS:
        walk.keys(line)
        walk.key(Qt.Key.Key_Return)
    assert len(walk.study.design.names) == len(QUESTIONS)


def translate_questions(walk):
    walk.press("languages")
    dialog = walk.dialogs.front(LanguagesDialog)
    # The program's own words exist in Polish, so that it is offered first.
    assert dialog.offered.current == "pl"
    walk.press("addLanguage", dialog)
    walk.reach(dialog.table)
    walk.key(Qt.Key.Key_Home, CTRL)
    for _ in range(2):
        walk.key(Qt.Key.Key_Right)
    for row in range(dialog.model.rowCount()):
        index = dialog.table.currentIndex()
        assert (index.row(), index.column()) == (row, 2)
        if index.data() == "no text yet":
            walk.key(Qt.Key.Key_F2)
            walk.keys(f"tekst {row}")
            walk.key(Qt.Key.Key_Return)
        walk.key(Qt.Key.Key_Down)
    assert walk.study.questionnaire.gaps("pl") == ()
    walk.dialogs.cancel()


def choose_devices(walk):
    """Let every question be randomised by a device that people have at hand."""
    page = walk.go("design")
    for place, name in enumerate(walk.study.design.names):
        for _ in walk.study.design.names if not place else [name]:
            walk.key(Qt.Key.Key_Down if place else Qt.Key.Key_Up, ALT)
        walk.settle()
        assert walk.window.store.current == name
        if walk.study.design.usual_device(name).is_identity:
            # Only sensitive questions are randomised; the others are asked openly.
            continue
        walk.press("chooseDevice", page)
        dialog = walk.dialogs.front(DeviceDialog)
        walk.reach(dialog.table)
        while dialog.offer is None or dialog.offer.is_page:
            walk.key(Qt.Key.Key_Down)
        walk.key(Qt.Key.Key_Return)
        walk.settle()
    with_device = [one.name for one in walk.study.design if one.device is not None]
    assert with_device == [one.name for one in walk.study.attributes if one.sensitive]


def rehearse(walk):
    walk.go("design")
    press(walk.window, Qt.Key.Key_Return, CTRL)
    walk.wait(lambda: walk.study.state is AnswerState.INVENTED)
    for page in PAGES:
        walk.go(page)


def write_kit(walk, folder):
    walk.wait(lambda: bool(walk.go("collect").ways.fits))
    press(walk.window, Qt.Key.Key_Return, CTRL)
    dialog = walk.dialogs.front(KitDialog)
    walk.reach(dialog.languages["pl"])
    if not dialog.languages["pl"].isChecked():
        walk.key(Qt.Key.Key_Space)
    walk.type("kitPath", str(folder), dialog)
    walk.press("exportNow", dialog)
    walk.settle()
    walk.wait((folder / "kit.json").exists)
    if walk.dialogs.is_open:
        walk.dialogs.cancel()


def reported_rows(design):
    """What people send: true answers with a known share, randomised by the design."""
    random = np.random.default_rng(3)
    columns = []
    for one in design:
        size = len(one.attribute.values)
        codes = random.integers(size, size=PEOPLE)
        if one.attribute.sensitive:
            codes = (np.arange(PEOPLE) < TRUTH * PEOPLE).astype(int)
        columns.append(Column(one.attribute, codes.astype(np.int8)))
    sent = distort(Table(tuple(columns)), design, SeededStreams(11))
    return [
        {one.name: one.attribute.values[one.data[row]] for one in sent} for row in range(PEOPLE)
    ]


def collect(walk, database):
    page = walk.go("collect")
    walk.type("collectDatabase", str(database), page)
    walk.type("collectPort", str(free_port()), page)
    walk.press("startCollecting")
    walk.wait(lambda: page.collecting.is_served)
    walk.settle()
    address, study = page.hand_out.address.text(), walk.study
    with ThreadPoolExecutor(20) as people:
        rows = reported_rows(publishable(study.design))
        said = list(people.map(lambda row: post_row(address, study, row), rows))
    assert said == [204] * PEOPLE
    walk.wait(lambda: page.strip.count.text() == str(PEOPLE))
    walk.press("closeCollectingButton")
    walk.answer("Close")
    walk.wait(lambda: page.collecting.state == "closed" and not page.collecting.is_busy)
    assert find_server(database) is None
    walk.press("takeOver")
    walk.wait(lambda: walk.study.state is AnswerState.REPORTED)
    assert walk.study.rows == PEOPLE
    return page.estimate.chart.shown


@pytest.mark.slow
def test_that_a_person_who_has_only_questions_gets_to_an_estimate_and_a_bundle(
    window, qtbot, dialogs, tmp_path
):
    walk = Walk(window, qtbot, dialogs)
    database = tmp_path / "answers.sqlite"
    assert window.current == "start"
    try:
        write_questions(walk)
        translate_questions(walk)
        choose_devices(walk)
        rehearse(walk)
        write_kit(walk, tmp_path / "kit")
        found = collect(walk, database)
    finally:
        stop_server(database)
    assert found.target.values == ("yes",)
    assert found.now.answers == PEOPLE
    assert found.now.low <= TRUTH <= found.now.high
    for page in PAGES:
        walk.go(page)
    press(window, Qt.Key.Key_Return, CTRL)
    dialog = dialogs.front(ReleaseDialog)
    walk.type("bundlePath", str(tmp_path / "bundle"), dialog)
    walk.press("exportNow", dialog)
    walk.settle()
    walk.wait((tmp_path / "bundle" / "README.txt").exists)
    if dialogs.is_open:
        dialogs.cancel()
    assert walk.errors == []
