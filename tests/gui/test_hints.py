"""Hints: shown once on every page, one after the other, and never again if somebody says so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from ppworkbench.gui.window import hints as trail_module
from ppworkbench.gui.window.hints import HINTS, Hints, best_spot
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.gui.window.shell import PAGES, START
from ppworkbench.gui.workbench import Workbench


class Pages(QWidget):
    """Pages that have nothing but the widgets that hints point at."""

    page_shown = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.stack, self.header, self.current = QStackedWidget(), QWidget(), "start"
        layout = QVBoxLayout(self)
        layout.addWidget(self.header)
        layout.addWidget(self.stack)
        self.places = {}
        for name, hints in HINTS.items():
            page = QWidget()
            column = QVBoxLayout(page)
            for hint in hints:
                button = QPushButton(hint.target)
                button.setObjectName(hint.target)
                column.addWidget(button)
            self.places[name] = self.stack.addWidget(page)

    def show_page(self, name: str) -> None:
        self.current = name
        self.stack.setCurrentIndex(self.places[name])
        self.page_shown.emit(name)


class Host(QWidget):
    """What hints need of a window."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self.workbench, self.stage, self.shell = workbench, None, Pages()
        QVBoxLayout(self).addWidget(self.shell)
        self.hints = Hints(self)
        self.hints.watch(self.shell)
        self.resize(900, 600)


@pytest.fixture
def host(workbench: Workbench, qtbot, monkeypatch) -> Iterator[Host]:
    monkeypatch.setattr(trail_module, "_DELAY", 0)
    made = Host(workbench)
    qtbot.addWidget(made)
    made.show()
    yield made
    made.hints.hide()


@pytest.fixture
def started(host: Host, qtbot) -> Host:
    host.hints.start()
    qtbot.waitUntil(lambda: host.hints.is_shown)
    return host


def title(host: Host) -> str:
    return host.hints.bubble.title.text()


def test_that_every_page_has_hints_and_each_says_something() -> None:
    assert set(HINTS) == {START.name, *(page.name for page in PAGES)}
    for hints in HINTS.values():
        assert hints
        assert all(hint.title and hint.text.endswith((".", "?")) for hint in hints)
        assert len({hint.target for hint in hints}) == len(hints)


def test_that_nothing_is_shown_before_hints_are_started(host, qtbot) -> None:
    host.shell.show_page("data")
    qtbot.wait(20)
    assert not host.hints.is_shown


def test_that_hints_come_one_after_the_other_and_once(started, qtbot) -> None:
    bubble, hints = started.hints.bubble, HINTS["start"]
    for place, hint in enumerate(hints, 1):
        assert title(started) == hint.title
        assert bubble.says.text() == hint.text
        assert bubble.count.text() == f"{place} of {len(hints)}"
        assert bubble.next_button.text() == ("OK" if hint is hints[-1] else "Next")
        bubble.next_button.click()
    assert not started.hints.is_shown
    assert started.hints.seen == {"start"}
    started.shell.show_page("data")
    qtbot.waitUntil(lambda: started.hints.is_shown)
    assert title(started) == HINTS["data"][0].title
    started.shell.show_page("start")
    qtbot.wait(20)
    assert not started.hints.is_shown
    assert started.hints.seen == {"start", "data"}


def test_that_hints_can_be_turned_off_and_on_again(started, workbench, qtbot) -> None:
    said, switched = [], []
    workbench.toast_requested.connect(lambda words, _: said.append(words))
    started.hints.switched.connect(switched.append)
    started.hints.bubble.off_button.click()
    assert not started.hints.is_shown
    assert "Show hints" in said[0]
    assert not Hints(started).is_on
    started.shell.show_page("data")
    qtbot.wait(20)
    assert not started.hints.is_shown
    started.hints.set_on(True)
    qtbot.waitUntil(lambda: started.hints.is_shown)
    assert switched == [False, True]


def test_that_the_close_button_closes_the_hints_of_the_page(started) -> None:
    started.hints.bubble.close_button.click()
    assert not started.hints.is_shown
    assert started.hints.seen == {"start"}
    assert not started.hints.dismiss()


def test_that_the_keyboard_reaches_a_hint_without_being_taken_from_a_field(started, qtbot) -> None:
    bubble = started.hints.bubble
    for button in (bubble.next_button, bubble.off_button, bubble.close_button):
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
        assert button.accessibleName() or button.text()
    field = QLineEdit(started)
    field.show()
    started.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    started.hints._meet_keyboard()
    assert field.hasFocus()
    qtbot.keyClick(field, Qt.Key.Key_Tab)
    assert bubble.next_button.hasFocus()
    qtbot.keyClick(bubble.next_button, Qt.Key.Key_Space)
    assert title(started) == HINTS["start"][1].title


def test_that_a_hint_without_its_widget_is_left_out(started) -> None:
    started.findChild(QPushButton, HINTS["start"][1].target).hide()
    started.hints.bubble.next_button.click()
    assert title(started) == HINTS["start"][2].title
    assert started.hints.bubble.count.text() == "2 of 2"


def test_that_a_hint_stays_beside_its_widget_when_the_window_grows(started, qtbot) -> None:
    before = started.hints.bubble.geometry()
    started.resize(1500, 900)
    qtbot.waitUntil(lambda: started.hints.bubble.geometry() != before)
    assert started.shell.rect().contains(started.hints.bubble.geometry())
    target = started.findChild(QPushButton, HINTS["start"][0].target)
    target.setFixedHeight(target.height() + 60)
    ring = started.hints._ring
    qtbot.waitUntil(lambda: ring.height() >= target.height())


def test_that_a_demonstration_has_no_hints(host, qtbot) -> None:
    host.stage = object()
    host.hints.start()
    qtbot.wait(20)
    assert not host.hints.is_shown


@pytest.mark.slow
def test_that_the_window_has_a_menu_entry_and_escape_for_hints(
    window: MainWindow, qtbot, monkeypatch
) -> None:
    monkeypatch.setattr(trail_module, "_DELAY", 0)
    action = window.menus.actions["hints"]
    assert action.isChecked()
    assert not window.hints.is_shown
    window.show()
    window.hints.start()
    qtbot.waitUntil(lambda: window.hints.is_shown)
    targets = [window.hints._target(hint) for hint in HINTS["start"]]
    assert None not in targets
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.hints.is_shown
    assert window.hints.seen == {"start"}
    action.trigger()
    assert not action.isChecked()
    assert not window.hints.is_on


ROOM = QRect(0, 0, 1000, 700)


@pytest.mark.parametrize(
    ("target", "side"),
    [
        (QRect(400, 20, 100, 30), "below"),
        (QRect(10, 560, 100, 100), "right"),
        (QRect(890, 560, 100, 100), "left"),
        (QRect(20, 640, 960, 40), "above"),
        (QRect(0, 0, 1000, 700), "below"),
    ],
)
def test_that_a_call_out_stands_where_there_is_room(target: QRect, side: str) -> None:
    spot = best_spot(target, QSize(300, 150), ROOM)
    assert spot.side == side
    assert ROOM.contains(spot.box)
    assert QRect(QPoint(0, 0), spot.box.size()).contains(
        QPoint(spot.along, 1) if side in ("below", "above") else QPoint(1, spot.along)
    )
