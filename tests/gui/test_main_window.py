"""The window around the pages."""

from __future__ import annotations

import logging
import sys
import threading

import pytest
from PySide6.QtCore import QEvent, QMimeData, QObject, QPointF, QSettings, Qt, QTimer, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QPushButton, QWidget
from stub_pages import make_stub_page
from studies import make_study

from ppworkbench.core.errors import DataError
from ppworkbench.gui import app as app_module
from ppworkbench.gui import main_window as main_window_module
from ppworkbench.gui.error_details import ErrorDetails
from ppworkbench.gui.main_window import MainWindow
from ppworkbench.gui.page_list import PAGES
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.study import Study
from ppworkbench.study.study_file import open_study, save_study

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture(autouse=True)
def stub_pages(monkeypatch):
    monkeypatch.setattr(main_window_module, "make_page", make_stub_page)


@pytest.fixture
def answer(monkeypatch):
    """What the user clicks when asked about unsaved changes; the questions are counted."""
    asked = []

    def set_answer(button: QMessageBox.StandardButton) -> list[str]:
        def question(parent, title, text, *more):
            asked.append(text)
            return button

        monkeypatch.setattr(QMessageBox, "question", question)
        return asked

    return set_answer


def press(window, key, modifier=Qt.KeyboardModifier.NoModifier):
    QTest.keyClick(window, key, modifier)
    QApplication.processEvents()


def modify(window):
    window.store.set_settings(seed=window.store.study.settings.seed + 1)


# Pages


def test_that_the_window_starts_on_the_start_page_with_everything_else_grey(window):
    assert window.current == "start"
    usable = [name for name, button in window.rail.buttons.items() if button.isEnabled()]
    assert usable == ["learn"]
    assert all(button.toolTip() for button in window.rail.buttons.values())
    assert window.windowTitle() == "ppworkbench"
    assert window.status.facts["data"].text() == "Nothing open"


def test_that_pages_are_made_when_they_are_first_shown(window):
    assert set(window.pages) == {"start"}
    window.store.open(make_study())
    assert set(window.pages) == {"start", "data"}
    assert window.pages["data"].times_shown == 1


def test_that_opening_data_shows_the_data_page_and_a_questionnaire_the_design(window):
    window.store.open(make_study("answers"))
    assert window.current == "data"
    window.store.open(make_study("questions").with_(original=None))
    assert window.current == "design"
    window.store.open(Study())
    assert window.current == "start"


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


def test_that_a_page_without_answers_is_grey_and_says_why(window):
    window.store.open(make_study().with_(original=None))
    explore = window.rail.buttons["explore"]
    assert not explore.isEnabled()
    assert "no answers" in explore.toolTip()
    assert window.rail.buttons["design"].isEnabled()


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
    window.show_page("data")
    window.pages["design"].primary.setText("Changed in the background")
    old = window.header.findChild(QPushButton, "do-designButton")
    assert old is None or not old.isVisible()


def test_that_a_page_can_ask_for_another(window):
    window.store.open(make_study())
    window.workbench.page_requested.emit("explore")
    assert window.current == "explore"


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


# Keys


def test_that_keys_lead_to_pages_that_can_be_used(window):
    press(window, Qt.Key.Key_2, CTRL)
    assert window.current == "start"
    window.store.open(make_study())
    for number, page in enumerate(PAGES, 1):
        press(window, Qt.Key(Qt.Key.Key_0 + number), CTRL)
        assert window.current == page.name


def test_that_control_enter_does_the_next_step_of_the_page(window):
    window.store.open(make_study())
    press(window, Qt.Key.Key_Return, CTRL)
    press(window, Qt.Key.Key_Enter, CTRL)
    assert window.pages["data"].times_done == 2
    window.pages["data"].primary.setEnabled(False)
    press(window, Qt.Key.Key_Return, CTRL)
    assert window.pages["data"].times_done == 2


def test_that_undo_and_redo_have_keys_and_buttons(window, qtbot):
    window.store.open(make_study())
    assert not window.header.undo.isEnabled()
    modify(window)
    assert window.header.undo.isEnabled()
    assert "Change the settings" in window.header.undo.toolTip()
    press(window, Qt.Key.Key_Z, CTRL)
    assert window.store.study.settings.seed == 2024
    press(window, Qt.Key.Key_Z, CTRL | SHIFT)
    assert window.store.study.settings.seed == 2025
    qtbot.mouseClick(window.header.undo, Qt.MouseButton.LeftButton)
    assert window.store.study.settings.seed == 2024
    press(window, Qt.Key.Key_Y, CTRL)
    assert window.store.study.settings.seed == 2025


def test_that_no_two_actions_share_a_key(window):
    keys = [
        key.toString() for action in window.menus.actions.values() for key in action.shortcuts()
    ]
    assert len(keys) == len(set(keys))
    assert {"Ctrl+O", "Ctrl+S", "Ctrl+Shift+S", "Ctrl+E", "F1", "Ctrl+J", "F11"} <= set(keys)


def test_that_escape_cancels_the_newest_job_and_then_closes_the_message(window, qtbot):
    gate = threading.Event()

    def work(progress):
        while not gate.wait(0.01):
            progress(0.5)

    window.show_error(DataError("The file is empty."))
    job = window.workbench.run("long", work, lambda _: None)
    press(window, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: job.state.is_over)
    assert window.banner.isVisible()
    press(window, Qt.Key.Key_Escape)
    assert not window.banner.isVisible()


def test_that_full_screen_has_a_key_to_and_fro(window):
    press(window, Qt.Key.Key_F11)
    assert window.isFullScreen()
    press(window, Qt.Key.Key_F11)
    assert not window.isFullScreen()


# Errors


def test_that_an_error_is_one_sentence_with_what_was_left_unchanged(window):
    window.workbench.error_raised.emit(DataError("Row 418 of <b>survey</b>.csv has 9 fields."))
    assert window.banner.isVisible()
    assert window.banner.kind == "error"
    assert "Row 418 of &lt;b&gt;survey&lt;/b&gt;.csv has 9 fields." in window.banner.label.text()
    assert "Nothing was changed." in window.banner.label.text()
    assert not window.banner.button.isVisible()


def test_that_an_unexpected_error_offers_its_details(window, qtbot):
    window.show_error(ZeroDivisionError("division by zero"))
    shown = []

    def look():
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, ErrorDetails)
        shown.append(dialog.findChild(QWidget, "trace").toPlainText())
        dialog.reject()

    QTimer.singleShot(0, look)
    qtbot.mouseClick(window.banner.button, Qt.MouseButton.LeftButton)
    assert "ZeroDivisionError: division by zero" in shown[0]


def test_that_a_failed_job_reaches_the_banner_and_the_window_goes_on(window, qtbot):
    def work(progress):
        raise DataError("clinic.sav is protected by a password.")

    window.workbench.run("Opening clinic.sav", work, lambda _: None)
    qtbot.waitUntil(window.banner.isVisible)
    assert "protected by a password" in window.banner.label.text()
    assert window.status.jobs.label.text() == "Last job failed"
    window.store.open(make_study())
    assert window.current == "data"
    assert not window.banner.isVisible()


@pytest.mark.qt_no_exception_capture
def test_that_an_exception_in_a_slot_reaches_the_banner_and_the_log(
    window, qtbot, monkeypatch, state_folder
):
    from ppworkbench.gui.log import start_log

    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    start_log()
    logger = logging.getLogger("ppworkbench")
    handler = logger.handlers[-1]
    try:
        app_module.catch_everything(window)
        button = QPushButton(window)
        button.clicked.connect(lambda: 1 / 0)
        button.click()
        qtbot.waitUntil(window.banner.isVisible)
        handler.flush()
    finally:
        logger.removeHandler(handler)
        handler.close()
    assert "Something went wrong in the program." in window.banner.label.text()
    logged = (state_folder / "ppworkbench.log").read_text()
    assert "ZeroDivisionError" in logged
    assert window.isVisible()


@pytest.mark.qt_no_exception_capture
def test_that_an_expected_error_in_a_slot_is_only_its_sentence(window, qtbot, monkeypatch, caplog):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    app_module.catch_everything(window)

    def slot():
        raise DataError("The value 'x' is listed twice.")

    QTimer.singleShot(0, slot)
    qtbot.waitUntil(window.banner.isVisible)
    assert "listed twice" in window.banner.label.text()
    assert caplog.text == ""


# Files


def drop(window, *paths):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    event = QDropEvent(
        QPointF(10, 10), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    window.dropEvent(event)


def test_that_a_dropped_study_opens(window, tmp_path, wait_idle):
    save_study(make_study("dropped"), tmp_path / "dropped.ppw")
    drop(window, tmp_path / "dropped.ppw")
    wait_idle()
    assert window.store.study.title == "dropped"
    assert window.store.path == tmp_path / "dropped.ppw"
    assert window.windowTitle() == "dropped – ppworkbench"
    assert [one.title for one in window.files.recent()] == ["dropped"]


def test_that_a_dropped_table_with_its_design_opens_as_distorted_answers(
    window, tmp_path, wait_idle
):
    from ppworkbench.core.data.files import write_table
    from ppworkbench.core.design.design_file import write_design

    study = make_study(rows=30)
    write_table(study.original, tmp_path / "answers.csv")
    write_design(study.design, tmp_path / "design.json")
    drop(window, tmp_path / "answers.csv", tmp_path / "design.json")
    wait_idle()
    assert window.store.study.original is None
    assert window.store.study.distorted.rows == 30
    assert window.store.path is None


def test_that_what_cannot_be_opened_leaves_the_study_as_it_was(window, tmp_path, wait_idle):
    window.store.open(make_study("before"))
    (tmp_path / "bad.ppw").write_bytes(b"nothing")
    drop(window, tmp_path / "bad.ppw")
    wait_idle()
    assert window.store.study.title == "before"
    assert "bad.ppw is not a study" in window.banner.label.text()


def test_that_save_as_writes_the_study_under_its_new_name(window, tmp_path, wait_idle, monkeypatch):
    window.store.open(make_study("before"))
    modify(window)
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "my study.v2"), "")
    )
    window.menus.actions["saveAs"].trigger()
    wait_idle()
    assert window.store.path == tmp_path / "my study.v2.ppw"
    assert window.windowTitle() == "my study.v2 – ppworkbench"
    assert window.status.facts["saved"].text() == "saved"
    assert open_study(window.store.path).settings.seed == 2025


def test_that_save_writes_to_the_same_file_and_a_change_shows_in_the_title(
    window, tmp_path, wait_idle
):
    path = tmp_path / "mine.ppw"
    save_study(make_study("mine"), path)
    window.store.open(open_study(path), path)
    modify(window)
    assert window.windowTitle() == "mine* – ppworkbench"
    assert window.status.facts["saved"].text() == "unsaved changes"
    press(window, Qt.Key.Key_S, CTRL)
    wait_idle()
    assert window.windowTitle() == "mine – ppworkbench"
    assert open_study(path).settings.seed == 2025
    assert open_study(tmp_path / "mine.ppw~").settings.seed == 2024


def test_that_a_change_while_saving_stays_unsaved(window, tmp_path, wait_idle):
    window.store.open(make_study(), tmp_path / "mine.ppw")
    modify(window)
    window.files.save()
    modify(window)
    wait_idle()
    assert window.store.is_modified
    assert open_study(tmp_path / "mine.ppw").settings.seed == 2025


def test_that_a_failed_save_says_so_and_nothing_counts_as_saved(window, tmp_path, wait_idle):
    window.store.open(make_study(), tmp_path / "no folder" / "mine.ppw")
    modify(window)
    window.files.save()
    wait_idle()
    assert window.store.is_modified
    assert "cannot be written" in window.banner.label.text()


def test_that_a_save_goes_on_when_another_study_is_opened(window, tmp_path, wait_idle):
    window.store.open(make_study("first", rows=20_000), tmp_path / "first.ppw")
    window.files.save()
    window.store.open(make_study("second"))
    wait_idle()
    assert open_study(tmp_path / "first.ppw").title == "first"
    assert window.store.study.title == "second"
    assert window.store.path is None


def test_that_the_design_alone_can_be_saved(window, tmp_path, monkeypatch):
    from ppworkbench.core.design.design_file import read_design

    window.store.open(make_study())
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "d.json"), ""))
    window.menus.actions["saveDesign"].trigger()
    assert read_design(tmp_path / "d.json") == window.store.study.design
    assert "d.json" in window.toast.label.text()


def test_that_actions_on_a_study_need_one(window):
    names = ("save", "saveAs", "start", "saveDesign", "export")
    assert not any(window.menus.actions[name].isEnabled() for name in names)
    window.store.open(make_study())
    assert all(window.menus.actions[name].isEnabled() for name in names)
    window.store.open(make_study().with_(original=None))
    assert not window.menus.actions["export"].isEnabled()


# Leaving


def test_that_a_study_without_changes_is_left_without_a_question(window, answer, wait_idle):
    asked = answer(QMessageBox.StandardButton.Cancel)
    window.store.open(make_study())
    window.files.open_sample("weather")
    wait_idle()
    assert window.store.study.title == "weather"
    assert asked == []


@pytest.mark.parametrize(
    ("button", "title"),
    [
        (QMessageBox.StandardButton.Cancel, "mine"),
        (QMessageBox.StandardButton.Discard, "weather"),
        (QMessageBox.StandardButton.Save, "weather"),
    ],
)
def test_that_unsaved_changes_are_asked_about(window, answer, wait_idle, tmp_path, button, title):
    window.store.open(make_study("mine"), tmp_path / "mine.ppw")
    modify(window)
    asked = answer(button)
    window.files.open_sample("weather")
    wait_idle()
    assert asked == ["Save the changes to mine?"]
    assert window.store.study.title == title
    assert (tmp_path / "mine.ppw").exists() is (button == QMessageBox.StandardButton.Save)


def test_that_saving_can_be_given_up_before_leaving(window, answer, wait_idle, monkeypatch):
    window.store.open(make_study("mine"))
    modify(window)
    answer(QMessageBox.StandardButton.Save)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    window.files.open_sample("weather")
    wait_idle()
    assert window.store.study.title == "mine"


def test_that_closing_asks_too_and_stays_when_told_so(window, answer):
    window.store.open(make_study("mine"))
    modify(window)
    asked = answer(QMessageBox.StandardButton.Cancel)
    assert not window.close()
    assert window.isVisible()
    answer(QMessageBox.StandardButton.Discard)
    assert window.close()
    assert len(asked) == 2


def test_that_closing_waits_for_a_save_that_is_under_way(window, tmp_path):
    window.store.open(make_study("mine", rows=20_000), tmp_path / "mine.ppw")
    window.files.save()
    assert window.close()
    assert open_study(tmp_path / "mine.ppw").rows == 20_000


def test_that_a_typed_questionnaire_is_not_lost_without_a_question(window, answer):
    window.files.new_questionnaire(make_study("typed").with_(original=None))
    asked = answer(QMessageBox.StandardButton.Cancel)
    assert not window.close()
    assert asked == ["Save the changes to typed?"]


def test_that_a_normal_end_leaves_no_recovery_file(window, wait_idle, state_folder, answer):
    window.store.open(make_study())
    modify(window)
    window.files.autosave()
    wait_idle()
    assert list((state_folder / "recovery").glob("*.ppw"))
    answer(QMessageBox.StandardButton.Discard)
    assert window.close()
    assert list((state_folder / "recovery").iterdir()) == []


def test_that_a_copy_is_written_again_only_after_a_change(window, wait_idle, state_folder, answer):
    window.store.open(make_study())
    modify(window)
    assert window.files.autosave() is not None
    wait_idle()
    assert window.files.autosave() is None
    window.store.undo_stack.undo()
    modify(window)
    assert window.files.autosave() is not None
    wait_idle()
    answer(QMessageBox.StandardButton.Discard)
    assert window.close()


def test_that_nothing_is_kept_of_a_study_without_changes(window, wait_idle, state_folder):
    window.store.open(make_study())
    assert window.files.autosave() is None
    assert not (state_folder / "recovery").exists()


def test_that_saving_removes_the_recovery_file(window, wait_idle, state_folder, tmp_path):
    window.store.open(make_study(), tmp_path / "mine.ppw")
    modify(window)
    window.files.autosave()
    wait_idle()
    window.files.save()
    wait_idle()
    assert list((state_folder / "recovery").glob("*.ppw")) == []


# What is remembered


def make_another(settings: QSettings, qtbot) -> MainWindow:
    window = MainWindow(Workbench(settings, ThemeManager("light")))
    qtbot.addWidget(window)
    window.show()
    return window


def test_that_size_and_columns_are_remembered(window, settings, qtbot):
    window.store.open(make_study())
    window.resize(1200, 710)
    window.pages["data"].columns.setSizes([300, 800])
    sizes = window.pages["data"].columns.sizes()
    window.close()
    again = make_another(settings, qtbot)
    again.store.open(make_study())
    # The screen of the tests is only 800 by 800.
    assert again.size().height() == 710
    assert again.size().width() < 1366
    share = again.pages["data"].columns.sizes()[0] / sum(again.pages["data"].columns.sizes())
    assert share == pytest.approx(sizes[0] / sum(sizes), abs=0.02)
    again.close()


def test_that_damaged_settings_do_no_harm(settings, qtbot, workbench):
    for key in ("window/geometry", "view/theme", "view/scale"):
        settings.setValue(key, "nonsense")
    window = app_module.make_window(settings)
    qtbot.addWidget(window)
    assert window.size().height() == 768
    assert window.workbench.themes.scale == 1.0
    assert window.workbench.themes.choice == "system"
    window.close()


def test_that_the_theme_is_switched_at_once_and_remembered(window, settings, qapp):
    light = qapp.palette().window().color().lightness()
    window.menus.actions["theme-dark"].trigger()
    assert qapp.palette().window().color().lightness() < light
    assert window.workbench.theme.is_dark
    assert settings.value("view/theme") == "dark"
    assert window.menus.actions["theme-dark"].isChecked()
    window.menus.actions["theme-light"].trigger()
    assert not window.workbench.theme.is_dark


def test_that_text_grows_and_shrinks_within_bounds(window, settings, qapp):
    size = qapp.font().pixelSize()
    press(window, Qt.Key.Key_Plus, CTRL)
    assert window.workbench.themes.scale == pytest.approx(1.1)
    assert qapp.font().pixelSize() > size
    assert float(settings.value("view/scale")) == pytest.approx(1.1)
    # Each step lays out all pages again.
    window.workbench.themes.zoom(1.85)
    for _ in range(3):
        window.menus.actions["zoomIn"].trigger()
    assert window.workbench.themes.scale == pytest.approx(2.0)
    press(window, Qt.Key.Key_0, CTRL)
    assert qapp.font().pixelSize() == size
    for _ in range(4):
        press(window, Qt.Key.Key_Minus, CTRL)
    assert window.workbench.themes.scale == pytest.approx(0.8)


# Jobs


def test_that_the_status_bar_shows_the_newest_job_and_cancels_it(window, qtbot):
    def work(progress):
        for step in range(2_000):
            progress(step / 2_000)
            threading.Event().wait(0.01)

    first = window.workbench.run("First", work, lambda _: None)
    second = window.workbench.run("Second", work, lambda _: None)
    qtbot.waitUntil(lambda: window.status.jobs.label.text() == "Second (+1)")
    assert window.status.jobs.bar.isVisible()
    qtbot.mouseClick(window.status.jobs.cancel, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: second.state.is_over)
    assert window.status.jobs.label.text() == "First"
    first.cancel()
    qtbot.waitUntil(lambda: first.state.is_over)
    assert window.status.jobs.label.text() == "No jobs running"
    assert not window.status.jobs.bar.isVisible()


def test_that_the_job_list_tells_what_became_of_every_job(window, qtbot, wait_idle):
    def fail(progress):
        raise DataError("The file is protected.")

    window.workbench.run("Good", lambda progress: 1, lambda _: None)
    window.workbench.run("Bad", fail, lambda _: None)
    wait_idle()
    press(window, Qt.Key.Key_J, CTRL)
    assert window.job_list.isVisible()
    words = " ".join(
        label.text() for label in window.job_list.findChildren(type(window.banner.label))
    )
    assert "Good" in words
    assert "done in" in words
    assert "failed: The file is protected." in words
    window.job_list.close()


def test_that_a_toast_offers_undo_and_goes_away(window, qtbot):
    window.store.open(make_study())
    modify(window)
    window.workbench.toast_requested.emit("Seed changed.", True)
    assert window.toast.isVisible()
    assert window.toast.button.isVisible()
    qtbot.mouseClick(window.toast.button, Qt.MouseButton.LeftButton)
    assert window.store.study.settings.seed == 2024
    assert not window.toast.isVisible()


def test_that_everything_that_can_be_clicked_has_a_name(window):
    from PySide6.QtWidgets import QAbstractButton

    nameless = [
        button.objectName() or type(button).__name__
        for button in window.findChildren(QAbstractButton)
        if button.isVisible() and not (button.accessibleName() or button.text())
    ]
    assert nameless == []
