"""What tests of the window share: no screen, no traces on this computer, nothing left running."""

from __future__ import annotations

import os

from designs import classic_study

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import gc
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import shiboken6
from dialog_hands import DialogHands
from kept_pages import KeptWorkbench, KeptWorkbenches, take_page
from patience import PATIENCE
from PySide6.QtCore import QEvent, QSettings, QStandardPaths, Qt, QTimer, SignalInstance
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from ppworkbench.analyses.designs import frontier
from ppworkbench.core.data.samples import load_sample
from ppworkbench.gui import page_task
from ppworkbench.gui.application import GuiCollector, load_everything
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.language import speech, use_locale
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.window import demonstration_player, status
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.language import ENGLISH
from ppworkbench.study.study import Study


@pytest.fixture(scope="session", autouse=True)
def _program_is_loaded(qapp: QApplication) -> None:
    # As in the program, where jobs begin only then.
    load_everything()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Let Python collect no garbage but where the program does, not between fixtures either.

    Qt does not survive windows that are deleted while it goes through the list of them, as it does
    when the locale changes.
    """
    if "qapp" not in getattr(item, "fixturenames", ()):
        return (yield)
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


class PatientBot(QtBot):
    """Waits until the thing has happened; there is no shorter time to be told."""

    def waitUntil(self, callback: Callable[[], bool | None]) -> None:  # noqa: N802 (of the plugin)
        super().waitUntil(callback, timeout=1000 * PATIENCE)

    def waitSignal(self, signal: SignalInstance, **more: Any) -> Any:  # noqa: N802
        # Whoever wants to see that nothing comes looks for no longer than it says.
        return super().waitSignal(signal, **({"timeout": 1000 * PATIENCE} | more))

    def waitExposed(self, widget: QWidget) -> Any:  # noqa: N802
        return super().waitExposed(widget, timeout=1000 * PATIENCE)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """The hands of the plugin, with more patience."""
    return PatientBot(request)


@pytest.fixture(scope="session")
def collector(qapp: QApplication) -> GuiCollector:
    """What deletes Qt's objects in the thread of the window only, as in the program."""
    made = GuiCollector(qapp)
    made.stop()
    return made


@pytest.fixture(autouse=True)
def _garbage_is_collected_as_in_the_program(collector: GuiCollector) -> Iterator[None]:
    collector.start()
    yield
    collector.stop()
    gc.disable()


@pytest.fixture(scope="session")
def city_study() -> Study:
    """The city survey with the design that the program starts from."""
    return classic_study(load_sample("city-survey"), "city-survey")


@pytest.fixture
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the test's own for all that the program remembers between starts."""
    home = tmp_path / "home"
    folder = home / "state"
    folder.mkdir(parents=True)
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(home))
    QStandardPaths.setTestModeEnabled(True)
    for module in ("application", "files"):
        monkeypatch.setattr(f"ppworkbench.gui.{module}.state_folder", lambda: folder)
    return folder


@pytest.fixture
def settings(tmp_path: Path) -> QSettings:
    """Settings in a file of the test's own, in English whatever the system speaks."""
    made = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    made.setValue("view/language", ENGLISH)
    return made


@pytest.fixture
def new_workbench(
    qapp: QApplication, qtbot: QtBot, settings: QSettings, state_folder: Path
) -> Iterator[Workbench]:
    """An empty workbench in light colours; whatever it started has to be over after the test."""
    themes = ThemeManager("light")
    themes.apply()
    made = Workbench(settings, themes)
    yield made
    if not made.jobs.close(PATIENCE):
        pytest.fail("a job did not stop after it was cancelled")
    _delete_what_waits(qapp)
    shiboken6.delete(made)
    _fail_on_leftovers()


@pytest.fixture
def workbench(new_workbench: Workbench) -> Workbench:
    """A workbench of the test's own; folders of tests of a page share one by module."""
    return new_workbench


@pytest.fixture(scope="module")
def kept_workbenches(
    qapp: QApplication, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[KeptWorkbenches]:
    """Where the workbench of a module is kept; tests take it as ``kept_workbench``."""
    held = KeptWorkbenches(lambda: tmp_path_factory.mktemp("kept"))
    yield held
    _end(held)
    _fail_on_leftovers()


@pytest.fixture
def kept_workbench(
    kept_workbenches: KeptWorkbenches, qtbot: QtBot, state_folder: Path
) -> Iterator[KeptWorkbench]:
    """A workbench with the pages, or the window, that the test before had."""
    made = kept_workbenches.get()
    made.start_test()
    yield made
    if not made.end_test():
        pytest.fail("a job did not stop after it was cancelled")


@pytest.fixture
def own_page(kept_workbenches: KeptWorkbenches) -> Iterator[None]:
    """Give a test a workbench and pages of its own: it folds or chooses what stays with a page."""
    _end(kept_workbenches)
    yield
    _end(kept_workbenches)


def _end(held: KeptWorkbenches) -> None:
    if not held.end():
        pytest.fail("a job did not stop after it was cancelled")


@pytest.fixture
def new_files(workbench: Workbench) -> Iterator[FileActions]:
    """File actions without a window."""
    made = FileActions(workbench)
    yield made
    made.close()
    shiboken6.delete(made)


@pytest.fixture
def files(new_files: FileActions) -> FileActions:
    """File actions, shared as the workbench is."""
    return new_files


@pytest.fixture
def window(qapp: QApplication, workbench: Workbench, qtbot: QtBot) -> MainWindow:
    """The whole window, shown, with nothing open where the workbench is new."""
    if isinstance(workbench, KeptWorkbench):
        kept = take_page(qtbot, workbench, MainWindow)
        kept.show_page("start")
        kept.show()
        return kept
    made = MainWindow(workbench)
    # Painted at the end of the test, as pages are: most of the time of a test would go into it.
    made.setUpdatesEnabled(False)

    def end(_: QWidget) -> None:
        # A question about unsaved changes would wait for an answer that nobody gives.
        workbench.store.forget_changes()
        made.setUpdatesEnabled(True)
        qapp.processEvents()

    qtbot.addWidget(made, before_close_func=end)
    made.show()
    return made


@pytest.fixture
def dialogs(qtbot: QtBot) -> DialogHands:
    """What a person does with the dialogs of the program."""
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    return DialogHands(qtbot)


@pytest.fixture
def open_city(workbench: Workbench, city_study: Study) -> Study:
    """The city survey, opened in the workbench."""
    workbench.store.open(city_study)
    return city_study


@pytest.fixture(autouse=True)
def _quick_frontier(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A frontier of few designs: to search a whole one takes seconds wherever Design is shown.

    Sweeps have the whole one.
    """
    if request.node.get_closest_marker("slow"):
        return
    monkeypatch.setattr(frontier, "_FRONTIER_POINTS", {})
    monkeypatch.setattr(frontier, "_LEAST_FRONTIER", 3)


@pytest.fixture(autouse=True)
def _window_is_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine things may take longer than the window makes a person wait for them.

    Cancelled jobs are let go then, steps of a demonstration given up, and messages taken away.
    """
    monkeypatch.setattr(page_task, "_PATIENCE", 1000 * PATIENCE)
    monkeypatch.setattr(demonstration_player, "_MOST_WAITING", PATIENCE)
    monkeypatch.setattr(demonstration_player, "_MOST_TRYING", PATIENCE)
    monkeypatch.setattr(status, "_SHOWN_FOR", 1000 * PATIENCE)


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    """Every test begins in English, words and numbers, whatever the system or the last one has."""
    speech.choose(ENGLISH)
    yield
    speech.choose(ENGLISH)


@pytest.fixture
def polish_numbers(_english: None) -> None:
    """A decimal comma and spaces between thousands."""
    use_locale("pl")


@pytest.fixture
def wait_idle(workbench: Workbench, qtbot: QtBot) -> Callable[[], None]:
    """Wait until no job is under way."""

    def wait() -> None:
        qtbot.waitUntil(lambda: workbench.jobs.is_idle)

    return wait


def _delete_what_waits(app: QApplication) -> None:
    app.processEvents()
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    app.processEvents()


def _fail_on_leftovers() -> None:
    for thread in _job_threads():
        thread.join(PATIENCE)
    timers = [
        timer
        for timer in shiboken6.getAllValidWrappers()
        if isinstance(timer, QTimer)
        and timer.isActive()
        and not isinstance(timer.parent(), GuiCollector)
    ]
    for timer in timers:
        timer.stop()
    left = [thread.name for thread in _job_threads()]
    left += [f"timer of {timer.parent()!r}" for timer in timers]
    if left:
        pytest.fail(f"the test left something running: {', '.join(left)}")


def _job_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("job thread")]
