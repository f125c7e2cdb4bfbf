"""Samples, files and recent studies on the start screen."""

from __future__ import annotations

import warnings

import pytest
from asked_studies import reported_study
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel
from studies import make_study
from window_hands import LEFT, picture

from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.options import WriteOptions
from ppworkbench.core.data.samples import samples
from ppworkbench.core.design.design_file import write_design
from ppworkbench.gui.pages.start.page import SAMPLES, ListRow
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.files.study_file import save_study


def entry(start, name: str) -> ListRow:
    found = start.findChild(ListRow, name)
    assert found is not None
    return found


# Samples


@pytest.mark.slow
def test_that_a_sample_opens_with_a_click_and_has_as_many_rows_as_promised(
    window, start, qtbot, wait_idle
):
    for name, _, _, promised, *_ in SAMPLES:
        qtbot.mouseClick(entry(start, f"sample-{name}"), LEFT)
        wait_idle()
        assert window.store.study.rows == promised, name
        assert window.current == "data"
        assert not window.banner.isVisible()
        window.files.close_study()
        assert window.current == "start"


def test_that_every_sample_of_the_list_exists():
    assert {sample[0] for sample in SAMPLES} <= set(samples.names)


def test_that_a_sample_opens_with_enter(window, start, qtbot, wait_idle):
    qtbot.keyClick(entry(start, "sample-weather"), Qt.Key.Key_Return)
    wait_idle()
    assert window.store.study.title == "weather"


def test_that_the_demonstrations_are_shown_from_the_teaching_card(window, start, qtbot):
    qtbot.mouseClick(start.teaching.first, LEFT)
    assert window.current == "learn"


@pytest.mark.slow
def test_that_larger_text_grows_and_comes_back(window, start, qtbot):
    sizes = []
    for _ in range(3):
        qtbot.mouseClick(start.teaching.second, LEFT)
        sizes.append(round(window.workbench.themes.scale, 2))
    assert sizes == [1.2, 1.4, 1.0]
    assert float(window.workbench.settings.value("view/scale")) == 1.0


@pytest.mark.parametrize("button", ["table.first", "table.second", "questionnaire.second"])
def test_that_files_are_opened_from_the_cards(
    window, start, qtbot, wait_idle, tmp_path, dialogs, button
):
    save_study(make_study("chosen"), tmp_path / "chosen.ppw")
    card, _, which = button.partition(".")
    qtbot.mouseClick(getattr(getattr(start, card), which), LEFT)
    dialogs.cancel()
    qtbot.mouseClick(getattr(getattr(start, card), which), LEFT)
    dialogs.choose(tmp_path / "chosen.ppw")
    wait_idle()
    assert window.store.study.title == "chosen"
    assert window.workbench.settings.value("files/folder") == str(tmp_path)


def test_that_the_door_for_distorted_data_asks_for_their_design(
    window, start, qtbot, wait_idle, tmp_path, dialogs
):
    study = reported_study()
    path, design = tmp_path / "answers.csv", tmp_path / "design.json"
    write_table(study.distorted, path, WriteOptions(codebook=False))
    write_design(study.design, design)
    qtbot.mouseClick(start.table.second, LEFT)
    dialogs.choose(path)
    wait_idle()
    assert window.store.study.is_empty
    assert dialogs.front(QFileDialog).windowTitle() == "Choose the design of these answers"
    dialogs.choose(design)
    wait_idle()
    opened = window.store.study
    assert (opened.state, opened.rows) == (AnswerState.REPORTED, 27)
    assert opened.design["ticket"].perturbation == study.design["ticket"].perturbation


@pytest.mark.slow
def test_that_nothing_happens_when_no_file_is_chosen(window, start, wait_idle, dialogs):
    before = window.store.study
    for _ in range(3):
        start.primary.trigger()
        dialogs.cancel()
    # The window looks for running collectors beside: what counts is where its jobs end.
    wait_idle()
    assert window.store.study is before
    assert window.current == "start"


# Recent studies


@pytest.mark.slow
def test_that_recent_studies_are_listed_opened_and_forgotten(
    window, start, qtbot, wait_idle, tmp_path
):
    path = tmp_path / "mine.ppw"
    save_study(make_study("mine", rows=12), path)
    window.files.open_paths([str(path)])
    wait_idle()
    window.files.close_study()

    def rows():
        return [row for row in start.recent.findChildren(ListRow) if row.isVisible()]

    qtbot.waitUntil(lambda: len(rows()) > 0)
    [row] = rows()
    assert row.accessibleName() == "mine"
    assert row.accessibleDescription() == "12 rows · 5 attributes"
    assert row.toolTip() == str(path)
    qtbot.mouseClick(row, LEFT)
    wait_idle()
    assert window.store.path == path
    window.files.close_study()
    qtbot.mouseClick(start.recent.clear_button, LEFT)
    QApplication.processEvents()
    assert window.files.recent() == ()
    assert not start.recent.clear_button.isVisible()


def test_that_a_recent_study_that_was_deleted_is_not_listed(window, wait_idle, tmp_path):
    path = tmp_path / "mine.ppw"
    save_study(make_study(), path)
    window.files.open_paths([str(path)])
    wait_idle()
    path.unlink()
    assert window.files.recent() == ()


def test_that_an_empty_list_says_what_will_be_there(start):
    words = " ".join(label.text() for label in start.recent.findChildren(QLabel))
    assert "Saved studies appear here" in words


def test_that_a_study_dropped_on_the_drop_zone_opens(window, start, tmp_path, wait_idle):
    save_study(make_study("dropped"), tmp_path / "dropped.ppw")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "dropped.ppw"))])
    zone = start.recent.drop_zone
    told = [label.text() for label in zone.findChildren(QLabel)]
    assert "Drop a data file, a study or a questionnaire here" in told
    before = picture(zone)
    with warnings.catch_warnings():
        # Newer versions would rather have a QPointF, which older ones refuse.
        warnings.simplefilter("ignore", DeprecationWarning)
        entering = QDragEnterEvent(
            QPoint(20, 20), Qt.DropAction.CopyAction, data, LEFT, Qt.KeyboardModifier.NoModifier
        )
    QApplication.sendEvent(zone, entering)
    assert entering.isAccepted()
    assert picture(zone) != before
    falling = QDropEvent(
        QPointF(20, 20), Qt.DropAction.CopyAction, data, LEFT, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(zone, falling)
    wait_idle()
    assert window.store.study.title == "dropped"


def test_that_a_click_on_the_drop_zone_asks_for_a_file(start, qtbot, dialogs):
    for _ in range(2):
        qtbot.mouseClick(start.recent.drop_zone, LEFT)
        assert dialogs.is_open
        dialogs.cancel()
        assert not dialogs.is_open


def test_that_every_way_in_says_what_it_does(start):
    for card in (start.questionnaire, start.table, start.teaching):
        for button in (card.first, card.second):
            assert button.toolTip().endswith(".")
    assert all(row.toolTip() for row in start.samples.findChildren(ListRow))


def test_that_a_damaged_list_does_no_harm(state_folder, window, start):
    (state_folder / "recent.json").write_text("{")
    start.recent.refresh()
    assert not any(row.isVisible() for row in start.recent.findChildren(ListRow))
