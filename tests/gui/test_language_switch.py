"""The window while its language is switched: nothing old is left."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

import pytest
from patience import PATIENCE
from PySide6.QtCore import QEvent
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QApplication, QMenu
from shiboken6 import isValid

from ppworkbench.core.design import Uniform
from ppworkbench.gui.help_window import HelpViewer
from ppworkbench.gui.language import speech
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.design.budget.dialog import BudgetDialog
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
    assert titles == ["Share out the privacy budget", "Rozdzielenie budżetu prywatności"]
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
