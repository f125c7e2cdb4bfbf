"""Ways out: what is offered, what is refused with which reason, and what is written."""

from __future__ import annotations

import json
import zipfile

import pytest
from asked_studies import asked_study
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton

from ppworkbench.core.design import Forced, Identity, Uniform
from ppworkbench.core.design.devices import snap_to
from ppworkbench.core.design.procedures import find_procedure
from ppworkbench.gui.pages.collect.ways_dialogs import KitDialog, NearestDialog
from ppworkbench.gui.window.shell import PAGES
from ppworkbench.study.files.study_file import open_study, write_study


@pytest.fixture
def workbench(kept_workbench):
    return kept_workbench


def show_collect(window, study, qtbot):
    window.store.open(study)
    QTest.keyClick(window, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    page = window.page("collect")
    qtbot.waitUntil(lambda: bool(page.ways.ways))
    return page


def test_that_the_rail_has_eight_pages_and_learn_below(window):
    assert [page.name for page in PAGES] == [
        "data", "design", "collect", "explore", "survey", "mine", "classify", "publish", "learn",
    ]  # fmt: skip
    assert [page.name for page in PAGES if page.apart] == ["learn"]
    assert window.menus.actions["page-learn"].shortcut().toString() == "Ctrl+9"


@pytest.mark.parametrize(("height", "step"), [(700, 58), (768, 62)])
def test_that_pages_of_the_rail_stand_closer_in_a_low_window(window, qtbot, height, step):
    window.resize(1366, height)
    window.show()
    buttons = window.rail.buttons
    qtbot.waitUntil(lambda: buttons["design"].y() - buttons["data"].y() == step)
    assert buttons["learn"].y() > buttons["publish"].y() + step


def test_that_ctrl_3_opens_collect_and_refused_ways_say_why(window, city_study, qtbot):
    page = show_collect(window, city_study, qtbot)
    assert window.current == "collect"
    refused = [way for way in page.ways.ways if way.group == "C"]
    assert "protects nobody" in refused[0].refused
    assert all(way.refused or way.target for way in page.ways.ways)
    shown = page.findChild(QLabel, "words-refused")
    assert shown.text() == refused[0].refused


@pytest.mark.parametrize("device", ["spinner", "deck"])
def test_that_a_saved_study_has_the_ways_by_hand_of_its_device(
    window, qtbot, wait_idle, tmp_path, device
):
    study = asked_study()
    ticket = study.design["ticket"].attribute
    found, forced = snap_to(device, Forced(p_truth=0.6), ticket)
    design = study.design.with_perturbation("town", Identity())
    design = design.with_perturbation("ticket", forced, found.device)
    write_study(study.with_(design=design), tmp_path / "asked.ppw")
    page = show_collect(window, open_study(tmp_path / "asked.ppw"), qtbot)
    wait_idle()
    refused = {way.target: way.refused for way in page.ways.ways}
    assert refused["paper"] == ""


@pytest.mark.slow
def test_that_one_way_is_written_with_the_file_for_the_way_back(
    window, qtbot, wait_idle, dialogs, tmp_path
):
    page = show_collect(window, asked_study(), qtbot)
    button = page.findChild(QPushButton, "export-page")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    dialog = dialogs.front(KitDialog)
    assert dialog.options.targets == ("page",)
    dialog.findChild(QLineEdit, "kitPath").setText(str(tmp_path / "one"))
    QTest.mouseClick(dialog.export, Qt.MouseButton.LeftButton)
    wait_idle()
    names = {path.name for path in (tmp_path / "one").iterdir()}
    assert {"kit.json", "design.json"} < names
    assert any(name.endswith(".html") for name in names)
    if dialogs.is_open:
        dialogs.cancel()


@pytest.mark.slow
@pytest.mark.usefixtures("own_page")
def test_that_the_kit_holds_every_way_that_fits(window, qtbot, wait_idle, dialogs, tmp_path):
    page = show_collect(window, asked_study(), qtbot)
    assert page.primary.text() == "Export questionnaire kit…"
    QTest.keyClick(window, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    dialog = dialogs.front(KitDialog)
    wanted = {way.target for way in page.ways.ways if way.target and not way.refused}
    assert set(dialog.options.targets) == wanted
    dialog.findChild(QLineEdit, "kitPath").setText(str(tmp_path / "kit.zip"))
    QTest.mouseClick(dialog.export, Qt.MouseButton.LeftButton)
    wait_idle()
    with zipfile.ZipFile(tmp_path / "kit.zip") as archive:
        kit = json.loads(archive.read("kit.json"))
    assert {name.partition("-")[0] for name in kit["targets"]} <= wanted
    assert kit["targets"]
    if dialogs.is_open:
        # It stays where there are notes to read.
        dialogs.cancel()


@pytest.mark.usefixtures("own_page")
def test_that_a_double_click_writes_once(window, qtbot, wait_idle, dialogs, tmp_path):
    page = show_collect(window, asked_study(), qtbot)
    page.ways.write_kit()
    dialog = dialogs.front(KitDialog)
    for name, box in dialog.targets.items():
        box.setChecked(name == "text")
    dialog.findChild(QLineEdit, "kitPath").setText(str(tmp_path / "kit"))
    spot = dialog.export.rect().center()
    QTest.mouseClick(dialog.export, Qt.MouseButton.LeftButton, pos=spot)
    # A small kit is written before the second click comes.
    wait_idle()
    assert dialogs.is_open
    said = dialog.state.text()
    assert "files written to kit" in said
    QTest.mouseDClick(dialog.export, Qt.MouseButton.LeftButton, pos=spot)
    wait_idle()
    assert dialog.state.text() == said
    dialogs.cancel()


@pytest.mark.slow
@pytest.mark.usefixtures("own_page")
def test_that_what_is_refused_cannot_be_ticked(window, city_study, qtbot, dialogs):
    page = show_collect(window, city_study, qtbot)
    page.ways.write_kit()
    dialog = dialogs.front(KitDialog)
    refused = {way.target for way in page.ways.ways if way.target and way.refused}
    assert refused
    for target in refused:
        assert not dialog.targets[target].isEnabled()
        assert dialog.targets[target].toolTip()
    assert any(point.good is False for point in dialog.list.points)
    dialogs.cancel()


def show_inexact(window, qtbot, wait_idle):
    """Collect with a design whose questions no device does exactly."""
    study = asked_study()
    design = study.design
    for name in ("ticket", "town"):
        design = design.with_perturbation(name, Uniform(keep=0.731))
    page = show_collect(window, study.with_(design=design), qtbot)
    wait_idle()
    return page


def test_that_the_design_opens_at_the_question_that_no_device_does(window, qtbot, wait_idle):
    study = asked_study()
    design = study.design.with_perturbation("ticket", Uniform(keep=0.731))
    page = show_collect(window, study.with_(design=design), qtbot)
    wait_idle()
    assert window.store.current == "town"
    button = page.findChild(QPushButton, "waysToDesign")
    assert "ticket" in page.ways.note.text()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.current == "design"
    assert window.store.current == "ticket"
    wait_idle()


@pytest.mark.slow
def test_that_the_nearest_devices_are_offered_and_change_the_design(
    window, qtbot, wait_idle, dialogs
):
    page = show_inexact(window, qtbot, wait_idle)
    before = window.store.study.design
    nearest = page.findChild(QPushButton, "waysNearest")
    for is_taken in (False, True):
        QTest.mouseClick(nearest, Qt.MouseButton.LeftButton)
        wait_idle()
        dialog = dialogs.front(NearestDialog)
        heads, *rows = dialog.model.as_texts()
        assert heads == ["Question", "Device", "Largest change", "ε", "Answers needed"]
        assert len(rows) == 2
        assert dialog.devices.count() == 4
        # The second question stays as it is.
        dialog.table.selectRow(1)
        qtbot.keyClick(dialog.devices, Qt.Key.Key_End)
        dialog.devices.activated.emit(dialog.devices.currentIndex())
        assert dialog.model.as_texts()[2][1:] == ["as it is", "–", "–", "–"]
        dialog.table.selectRow(0)
        assert "points" in dialog.model.as_texts()[1][2]
        if not is_taken:
            dialogs.cancel()
            assert window.store.study.design == before
            continue
        QTest.mouseClick(dialog.accept_button, Qt.MouseButton.LeftButton)
    wait_idle()
    after = window.store.study.design
    first, second = (one.name for one in dialog.model.rows)
    assert after[first].device is not None
    assert after[second] == before[second]
    find_procedure(after, first)
    window.store.undo_stack.undo()
    assert window.store.study.design == before


@pytest.mark.slow
def test_that_chosen_devices_are_applied_to_the_study_of_now_or_refused_in_a_sentence(
    window, qtbot, wait_idle, dialogs
):
    page = show_inexact(window, qtbot, wait_idle)
    store, before = window.store, window.store.study.design
    said = []
    page.workbench.toast_requested.connect(lambda words, _: said.append(words))

    def choose_after(change) -> None:
        QTest.mouseClick(page.findChild(QPushButton, "waysNearest"), Qt.MouseButton.LeftButton)
        wait_idle()
        dialog = dialogs.front(NearestDialog)
        change()
        QTest.mouseClick(dialog.accept_button, Qt.MouseButton.LeftButton)
        wait_idle()

    choose_after(lambda: store.lock_design("It is locked."))
    assert said == ["It is locked."]
    assert store.study.design == before
    store.lock_design("")
    other = before.with_perturbation(before.names[0], Uniform(keep=0.31))
    choose_after(lambda: store.apply(store.study.with_(design=other), "other"))
    assert said[1:] == ["The design has changed; nothing was applied. Choose devices again."]
    assert store.study.design == other
    store.undo_stack.undo()
    choose_after(lambda: store.set_settings(seed=77))
    assert len(said) == 2
    assert store.study.settings.seed == 77
    assert store.study.design != before


def test_that_no_device_is_offered_where_all_fit_or_the_design_is_locked(
    window, qtbot, wait_idle, dialogs
):
    page = show_inexact(window, qtbot, wait_idle)
    said = []
    page.workbench.toast_requested.connect(lambda words, _: said.append(words))
    window.store.lock_design("It is locked.")
    QTest.mouseClick(page.findChild(QPushButton, "waysNearest"), Qt.MouseButton.LeftButton)
    wait_idle()
    assert said == ["It is locked."]
    assert not dialogs.is_open
    window.store.lock_design("")
    design = window.store.study.design
    for name in ("ticket", "town"):
        design = design.with_perturbation(name, Identity())
    window.store.apply(window.store.study.with_(design=design), "plain")
    wait_idle()
    qtbot.waitUntil(lambda: not page.findChild(QPushButton, "waysNearest").isVisible())
