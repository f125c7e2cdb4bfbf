"""The window while its language is switched: nothing old is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Event
from typing import Any

import mining_page
import pytest
from asking import ask, asked_questions, settle
from mining_studies import survey_study
from patience import PATIENCE
from PySide6.QtCore import QEvent
from PySide6.QtGui import QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from ppworkbench.core.design import Uniform
from ppworkbench.gui.help_window import HelpViewer
from ppworkbench.gui.language import speech
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.design.budget.dialog import BudgetDialog
from ppworkbench.gui.pages.survey import history_card
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.study.study import Study


@pytest.fixture
def settled(wait_idle: Callable[[], None]) -> Callable[[], None]:
    """Wait until the old shell is gone."""

    def wait() -> None:
        wait_idle()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    return wait


@pytest.mark.slow
def test_that_a_part_of_a_page_stays_in_front(
    window: MainWindow, open_city: Study, settled: Callable[[], None]
) -> None:
    window.show_page("design")
    window.page("design").show_sub_page("plan")
    window.speak("pl")
    settled()
    assert window.page("design").sub_page == "plan"


@pytest.mark.slow
def test_that_nothing_of_the_old_language_is_left(
    window: MainWindow, open_city: Study, settled: Callable[[], None]
) -> None:
    for name in ("publish", "data"):
        window.show_page(name)
    window.menus.show_help("design")
    old, pages = window.shell, list(window.pages.values())
    menus = [action.menu() for action in window.menuBar().actions()]
    count = len(window.findChildren(QMenu))
    window.speak("pl")
    settled()
    assert [gone for gone in (old, *pages, *menus) if isValid(gone)] == []
    assert len(window.findChildren(QMenu)) <= count
    assert window.current == "data"
    assert window.pages["data"].title == "Dane"
    own = [key for key in window.findChildren(QShortcut) if key.parent() is window]
    assert {key.whatsThis() for key in own} == {
        "Główne działanie", "Anuluj zadanie, zamknij komunikat, opuść widok"
    }  # fmt: skip
    (viewer,) = (one for one in window.findChildren(HelpViewer) if one.isVisible())
    assert viewer.windowTitle() == "Pomoc"
    assert viewer.shown is not None
    assert viewer.shown.key == "design-page"
    viewer.close()
    # Whoever still listened would be asked for widgets that are gone.
    window.store.set_perturbation(["district"], Uniform(keep=0.7))
    settled()


@pytest.mark.slow
def test_that_an_open_dialog_does_not_stay_in_the_old_language(
    window: MainWindow, open_city: Study, settled: Callable[[], None]
) -> None:
    window.show_page("design")
    settled()
    before = window.store.study
    titles = []
    for language in ("en", "pl"):
        window.page("design").summary.share_out.click()
        (dialog,) = (one for one in window.findChildren(BudgetDialog) if one.isVisible())
        titles.append(dialog.windowTitle())
        window.speak("pl" if language == "en" else "en")
        settled()
        assert not any(one.isVisible() for one in window.findChildren(BudgetDialog))
    assert titles == ["Divide the privacy budget", "Podział budżetu prywatności"]
    assert window.store.study == before


def test_that_no_job_is_dropped_for_another_language(
    window: MainWindow, open_city: Study, settled: Callable[[], None]
) -> None:
    entries, release, results = window.menus.actions, Event(), []
    job = window.workbench.jobs.start("Slow", lambda progress: release.wait(PATIENCE))
    job.finished.connect(results.append)
    entries["language-pl"].trigger()
    assert "Jobs are running" in window.toast.label.text()
    assert not entries["language-pl"].isChecked()
    assert speech.language == "en"
    release.set()
    settled()
    assert results == [True]
    entries["language-pl"].trigger()
    settled()
    assert window.menus.actions["language-pl"].isChecked()
    assert speech.language == "pl"


def test_that_work_which_a_page_begins_by_itself_does_not_hold_the_language_back(
    window: MainWindow, open_city: Study, settled: Callable[[], None]
) -> None:
    window.show_page("design")
    settled()
    release = Event()
    task: PageTask[bool] = PageTask(window.workbench, "live", window, begins_again=True)
    task.start("Live", lambda progress: release.wait(PATIENCE))
    window.menus.actions["language-pl"].trigger()
    release.set()
    assert speech.language == "pl"
    settled()


def _on_data(page: Any) -> object:
    page.show_sub_page("answers")
    QTest.keyClicks(page.attributes.filter, "inc")
    return None


KEPT: dict[str, tuple[Callable[[Any], object], Callable[[Any], object]]] = {
    "data": (_on_data, lambda page: (page.sub_page, page.attributes.filter.text())),
    "design": (lambda page: page._on_measure("epsilon"), lambda page: page.view.measure),
    "explore": (
        lambda page: (
            page.choose(page.settings.with_tick("values", "em", True)),
            page.show_half("attack"),
            page.lab.choose("repeated"),
        ),
        lambda page: (page.settings, page.is_attacking, page.lab.attack, page.lab.known),
    ),
    "mine": (
        lambda page: (
            page.choose(replace(page.settings, min_support=0.33)),
            QTest.keyClicks(page.results.filter, "car"),
        ),
        lambda page: (page.settings, page.state, page.results.filter.text()),
    ),
    "classify": (
        lambda page: page.choose(page.choices.with_(class_name="car", folds=4)),
        lambda page: page.choices,
    ),
    "publish": (
        lambda page: page.bundle.report.click(),
        lambda page: page.bundle.options,
    ),
    "collect": (
        lambda page: (
            page.start_card.port.setValue(8123),
            page.start_card.database.selectAll(),
            QTest.keyClicks(page.start_card.database, "/tmp/own.sqlite"),
        ),
        lambda page: page.start_card.request,
    ),
}
"""What is chosen or typed on a page, and what is read there afterwards."""


@pytest.mark.slow
@pytest.mark.parametrize("name", list(KEPT))
def test_that_a_page_keeps_what_was_chosen_and_typed(
    window: MainWindow, open_city: Study, settled: Callable[[], None], qtbot: QtBot, name: str
) -> None:
    do, read = KEPT[name]
    window.show_page(name)
    settled()
    first = read(window.page(name)) if name != "explore" else None
    do(window.page(name))
    settled()
    before = read(window.page(name))
    assert before != first
    study = window.store.study
    for language in ("pl", "en"):
        window.speak(language)
        settled()
        qtbot.waitUntil(lambda: read(window.page(name)) == before)
    # Also a page that is behind another one.
    window.show_page("learn")
    window.speak("pl")
    window.show_page(name)
    qtbot.waitUntil(lambda: read(window.page(name)) == before)
    settled()
    assert window.store.study is study


@pytest.mark.slow
def test_that_survey_keeps_its_question_its_answer_and_what_was_asked(
    window: MainWindow, open_city: Study, settled: Callable[[], None], qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    # However quickly the questions follow each other, none is a step on the way.
    monkeypatch.setattr(history_card, "BRIEF", 0.0)
    window.show_page("survey")
    page: Any = window.page("survey")
    ask(qtbot, page, "car = yes", statistic="crosstab", of="district", by="home")
    ask(qtbot, page, "car = yes and age < 40")
    page.model.set_text("car = yes and age <")
    asked, study = asked_questions(page), window.store.study
    assert len(asked) == 2
    window.speak("pl")
    settled()
    page = window.page("survey")
    settle(qtbot, page)
    assert page.card.text.text() == "car = yes and age <"
    assert page.card.problem.isVisible()
    assert asked_questions(page) == asked
    page.bring_back(asked[0])
    settle(qtbot, page)
    assert page.answer.question == asked[0]
    assert window.store.study is study


@pytest.mark.slow
def test_that_what_was_mined_stays_in_its_table(
    window: MainWindow, settled: Callable[[], None], qtbot: QtBot
) -> None:
    window.store.open(survey_study())
    window.show_page("mine")
    page: Any = window.page("mine")
    mining_page.settle(qtbot, page)
    mining_page.mine(qtbot, page)
    run, study = page.current, window.store.study
    assert run is not None
    window.speak("pl")
    page = window.page("mine")
    mining_page.settle(qtbot, page)
    assert page.view.run is run
    assert window.store.study is study
