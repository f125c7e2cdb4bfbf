"""Pages of the window: which can be opened, and what is shown of them."""

from __future__ import annotations

import pytest
from asked_studies import asked_study
from examples import sweep
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QPushButton, QWidget
from studies import make_study

from ppworkbench.gui.pages.no_answers import NoStudyPage
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.gui.window.shell import PAGES
from ppworkbench.study.study import Study


def test_that_the_window_starts_on_the_start_page_with_no_page_grey(window):
    assert window.current == "start"
    assert all(button.isEnabled() for button in window.rail.buttons.values())
    assert all(button.toolTip() for button in window.rail.buttons.values())
    assert window.windowTitle() == "ppworkbench"
    assert window.status.facts["data"].words() == "No study open"


@pytest.mark.parametrize(
    "name", sweep([one.name for one in PAGES if one.needs_study], quick=("design", "survey"))
)
def test_that_a_page_without_a_study_leads_to_one(window, qtbot, name):
    qtbot.mouseClick(window.rail.buttons[name], Qt.MouseButton.LeftButton)
    page = window.shell.front_page
    assert window.current == name
    assert isinstance(page, NoStudyPage)
    assert page.isVisible()
    assert set(window.pages) == {"start"}
    offered = {one.objectName() for one in page.findChildren(QPushButton) if one.isVisible()}
    assert offered == {"beginQuestions", "openStudy", "goToStart"}
    qtbot.keyClick(page.state.button, Qt.Key.Key_Space)
    assert window.current == "data"
    window.show_page(name)
    qtbot.mouseClick(page.findChild(QPushButton, "goToStart"), Qt.MouseButton.LeftButton)
    assert window.current == "start"


def test_that_a_page_without_a_study_makes_room_for_the_page_itself(window, qtbot):
    window.show_page("design")
    assert isinstance(window.shell.front_page, NoStudyPage)
    # A study that is opened is looked at first, as from the start screen.
    window.store.open(make_study())
    assert window.current == "data"
    window.show_page("design")
    assert window.shell.front_page is window.pages["design"]
    assert window.stack.currentWidget() is window.pages["design"]


def test_that_pages_are_made_when_they_are_first_shown(window, qtbot):
    assert set(window.pages) == {"start"}
    window.store.open(make_study())
    assert set(window.pages) == {"start", "data"}
    qtbot.waitUntil(lambda: window.pages["data"].times_shown == 1)


def test_that_a_page_comes_to_the_front_up_to_date(window, qtbot):
    window.store.open(make_study())
    window.show_page("explore")
    window.show_page("design")
    design, explore = window.pages["design"], window.pages["explore"]
    assert window.current == "design"
    assert design.isVisible()
    assert (design.times_shown, explore.times_shown) == (1, 1)
    assert (design.is_behind, explore.is_behind) == (False, True)


def test_that_a_page_within_a_page_can_be_asked_for(window):
    window.store.open(make_study())
    window.workbench.page_requested.emit("design/arms")
    assert window.current == "design"
    assert window.pages["design"].sub_page == "arms"


def test_that_the_next_step_is_taken_on_a_page_that_is_up_to_date(window):
    window.store.open(make_study())
    window.show_page("design")
    times = []
    window.pages["design"].primary.triggered.connect(
        lambda *_: times.append(window.pages["design"].times_shown)
    )
    window.shell.do_primary()
    assert times == [1]


def test_that_opening_data_shows_the_data_page_and_a_questionnaire_the_design(window):
    window.store.open(make_study("answers"))
    assert window.current == "data"
    window.store.open(Study())
    assert window.current == "start"
    window.store.open(make_study("questions").with_(original=None))
    assert window.current == "design"


def test_that_a_page_stays_in_front_when_another_study_can_use_it(window):
    window.store.open(make_study())
    window.show_page("explore")
    window.store.open(make_study("other"))
    assert window.current == "explore"


def test_that_the_rail_shows_and_changes_the_page(window, qtbot):
    window.store.open(make_study())
    button = window.rail.buttons["design"]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.current == "design"
    assert button.isChecked()
    window.show_page("data")
    assert not button.isChecked()
    assert window.rail.buttons["data"].isChecked()


def test_that_the_header_shows_title_question_and_the_next_step(window, qtbot):
    window.store.open(make_study())
    window.show_page("design")
    assert window.header.title.text() == "Design"
    assert window.header.question.text() == "What about design?"
    button = window.header.findChild(QPushButton, "do-designButton")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.pages["design"].times_done == 1
    window.pages["design"].primary.setEnabled(False)
    window.pages["design"].primary.setText("Running…")
    assert not button.isEnabled()
    assert button.text() == "Running…"


def test_that_buttons_of_the_former_page_do_not_come_back(window):
    window.store.open(make_study())
    window.show_page("design")

    def seen():
        return [one.text() for one in window.header.findChildren(QPushButton) if one.isVisible()]

    assert "Do design" in seen()
    window.show_page("data")
    window.pages["design"].primary.setText("Changed in the background")
    assert "Do data" in seen()
    assert not {"Do design", "Changed in the background"} & set(seen())


def test_that_a_page_can_ask_for_another(window):
    window.store.open(make_study())
    window.workbench.page_requested.emit("explore")
    assert window.current == "explore"


@pytest.mark.slow
def test_that_no_other_window_flashes_up(workbench, qtbot, qapp):
    shown = []

    class Watcher(QObject):
        def eventFilter(self, seen, event):  # noqa: N802
            if event.type() == QEvent.Type.Show and isinstance(seen, QWidget) and seen.isWindow():
                shown.append(type(seen).__name__)
            return False

    watcher = Watcher()
    qapp.installEventFilter(watcher)
    try:
        window = MainWindow(workbench)
        qtbot.addWidget(window, before_close_func=lambda _: workbench.store.forget_changes())
        window.show()
        workbench.store.open(make_study())
        for page in PAGES:
            window.show_page(page.name)
        qapp.processEvents()
    finally:
        qapp.removeEventFilter(watcher)
    assert shown == ["MainWindow"]


def test_that_the_status_bar_says_once_that_there_are_no_answers(window):
    window.store.open(asked_study())
    assert not window.status.state.isHidden()
    assert window.status.facts["rows"].isHidden()
