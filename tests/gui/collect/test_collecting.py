"""Collecting in the window: a real collector in its own process, real posts, real clicks."""

from __future__ import annotations

import socket

import pytest
from asked_studies import asked_study, free_port, post_row, reported_rows
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QWidget
from window_hands import ink_box, picture, pixels

from ppworkbench.core.design import Uniform
from ppworkbench.fieldwork.collector.control import find_server, open_collection
from ppworkbench.fieldwork.collector.server import own_addresses
from ppworkbench.fieldwork.poster import code_modules
from ppworkbench.gui.pages.collect.hand_out_card import AddressScreen, QrCode
from ppworkbench.gui.widgets.controls import Switch
from ppworkbench.study.answer_state import AnswerState


def painted_code(code, address):
    """The squares of a QR code as they are painted, for as many as the address needs."""
    dark = pixels(picture(code)) == QColor("black").rgb()
    box, count = ink_box(code, QColor("black")), len(code_modules(address))
    side = box.width() / count
    middles = [int((place + 0.5) * side) for place in range(count)]
    return tuple(tuple(int(dark[box.top() + y, box.left() + x]) for x in middles) for y in middles)


@pytest.mark.slow
def test_that_answers_arrive_in_steps_and_come_home(field, dialogs, wait_idle):
    """One collection from the first answer to the closed database."""
    page, store = field.page, field.window.store
    field.start()
    assert painted_code(page.hand_out.code, field.address) == code_modules(field.address)
    rows = reported_rows(37)
    assert set(field.answer(rows)) == {204}
    field.wait(lambda: field.text("collectCount") == "30", "30 of 37 answers")
    assert page.days.chart.shown[-1].total == 30
    assert "%" in field.text("liveNumber")
    assert "too few" not in field.text("liveTiny") or not page.estimate.tiny.isVisible()
    listed = [texts[0] for texts in page.monitoring.model.as_texts()[1:]]
    names = [one for one in listed if one == one.strip()]
    assert names == [field.study.shown(name) for name in field.study.design.names]
    assert len(listed) == len(names) + 7

    # The design is locked meanwhile, and Design says so.
    store.set_perturbation(["ticket"], Uniform(keep=0.6))
    assert store.study.design == field.study.design
    field.window.show_page("design")
    banner = field.window.page("design").banner
    field.wait(lambda: banner.isVisible() and "locked" in banner.label.text(), "lock")
    QTest.mouseClick(banner.button, Qt.MouseButton.LeftButton)
    assert field.window.current == "collect"

    # A pause refuses, and the refusal is counted by reason.
    field.click("pauseCollectingButton")
    field.wait(lambda: page.collecting.state == "paused", "pause")
    field.wait(lambda: post_row(field.address, field.study, rows[0]) == 503, "refused")
    field.click("pauseCollectingButton")
    field.wait(lambda: page.collecting.state == "open", "resume")
    field.wait(lambda: field.text("collectRefused") not in ("", "0"), "counted")

    # The answers come home while it is open.
    field.click("takeOver")
    field.wait(lambda: store.study.state is AnswerState.REPORTED, "taken over")
    assert store.study.rows == 37
    assert store.is_modified

    # Closing asks once, shows all answers and ends the process.
    field.click("closeCollectingButton")
    assert "cannot be opened again" in dialogs.answer("Close")
    field.wait(lambda: page.collecting.state == "closed", "closed")
    field.wait(lambda: field.text("collectCount") == "37", "all")
    field.wait(lambda: find_server(field.database) is None, "ended")
    assert field.text("daysPace") == "", "a closed collection has no pace"
    # The answers that were taken over go on holding the design that randomised them.
    assert not store.is_collected
    store.set_perturbation(["ticket"], Uniform(keep=0.6))
    assert store.study.design == field.study.design
    store.unlock_held(True)
    store.set_perturbation(["ticket"], Uniform(keep=0.6))
    assert store.study.design != field.study.design


@pytest.mark.slow
def test_that_pressing_twice_starts_and_pauses_once(field):
    errors = []
    field.window.workbench.error_raised.connect(errors.append)
    field.fill(free_port())
    button = field.find(QAbstractButton, "startCollecting")
    QTest.mouseDClick(button, Qt.MouseButton.LeftButton)
    button.click()
    button.click()
    field.wait(lambda: field.address != "", "start")
    field.page.pause.trigger()
    field.page.pause.trigger()
    field.wait(lambda: field.page.collecting.state == "paused", "paused")
    field.wait(lambda: not field.page.collecting.is_busy, "done")
    assert field.page.collecting.state == "paused"
    assert errors == []


@pytest.mark.slow
def test_that_a_port_in_use_is_said_beside_the_button(field):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        errors = []
        field.window.workbench.error_raised.connect(errors.append)
        field.fill(port)
        field.click("startCollecting")
        field.wait(lambda: str(port) in field.text("startProblem"), "port in use")
    assert field.page.collecting.request is None
    assert errors == []


@pytest.mark.slow
def test_that_a_running_collector_is_found_again(field, wait_idle):
    field.start()
    field.answer(reported_rows(12))
    store = field.window.store
    kept = store.study
    # Another study is opened, then this one again: from its file, or without any results.
    store.forget_changes()
    store.open(asked_study().with_(title="Other", design=field.study.design))
    for study in (kept, kept.with_results("collect", None)):
        store.open(study)
        field.window.show_page("collect")
        field.wait(lambda: bool(store.design_lock), "found again")
        field.wait(lambda: field.text("collectCount") == "10", "count")
        assert field.address
        store.forget_changes()


@pytest.mark.slow
def test_that_closing_the_window_asks_whether_collecting_goes_on(
    field, dialogs, tmp_path, wait_idle
):
    field.start()
    field.window.files._save_to(tmp_path / "study.ppw", None, None)
    field.wait(lambda: not field.window.store.is_modified, "saved")
    field.window.close()
    assert "process of its own" in dialogs.answer("Cancel")
    assert field.window.isVisible()
    field.window.close()
    dialogs.answer("Keep collecting")
    field.wait(lambda: not field.window.isVisible(), "closed")
    assert find_server(field.database) is not None


@pytest.mark.slow
def test_that_stopping_ends_the_process_but_not_the_collection(field, dialogs):
    field.start()
    field.window.store.forget_changes()
    field.window.close()
    dialogs.answer("Stop the collector")
    field.wait(lambda: not field.window.isVisible(), "closed")
    assert find_server(field.database) is None
    with open_collection(field.database) as collection:
        assert collection.status().state.value == "open"


@pytest.mark.slow
def test_that_a_new_round_begins_at_zero_and_rounds_stay_apart(field, dialogs):
    field.start()
    field.answer(reported_rows(20))
    field.wait(lambda: field.text("collectCount") == "20", "first round")
    field.click("closeCollectingButton")
    dialogs.answer("Start a new round")
    field.wait(lambda: field.text("collectCount") == "0" and field.address != "", "second")
    field.answer(reported_rows(10, seed=6))
    field.wait(lambda: field.text("collectCount") == "10", "ten more")
    with open_collection(field.database) as collection:
        assert [collection.table(number).rows for number in (1, 2)] == [20, 10]
        assert collection.status().round == 2


@pytest.mark.slow
def test_that_tokens_are_made_saved_and_needed(field, dialogs, tmp_path, wait_idle):
    field.start()
    field.click("makeTokens")
    from PySide6.QtWidgets import QInputDialog

    box = dialogs.front(QInputDialog)
    assert "bowl" in box.labelText()
    box.setDoubleValue(3)
    box.accept()
    dialogs.choose(tmp_path / "tokens.csv")
    field.wait((tmp_path / "tokens.csv").exists, "saved")
    head, *words = (tmp_path / "tokens.csv").read_text(encoding="utf-8").split()
    assert (head, len(words)) == ("token", 3)
    row = reported_rows(1)[0]
    field.wait(lambda: post_row(field.address, field.study, row) == 403, "needed")
    field.wait(lambda: post_row(field.address, field.study, row, token=words[0]) == 204, "taken")
    assert post_row(field.address, field.study, row, token=words[0]) == 403
    field.wait(lambda: field.text("tokenWords").startswith("2 "), "two left")


@pytest.mark.slow
def test_that_letting_others_in_warns_without_a_certificate(field):
    switch = field.find(Switch, "letOthersIn")
    QTest.mouseClick(switch, Qt.MouseButton.LeftButton)
    assert field.find(QLabel, "startWarning").isVisible()
    hosts = field.find(QComboBox, "collectHost")
    found = list(own_addresses())
    field.wait(lambda: [hosts.itemText(at) for at in range(hosts.count())] == found, "addresses")


@pytest.mark.slow
def test_that_the_address_fills_a_screen_and_esc_leaves_it(field, qtbot):
    address = "http://192.168.1.20:8421/"
    screen = AddressScreen(field.window.workbench.themes, "Asked", address, field.window)
    screen.open()
    assert painted_code(screen.findChild(QrCode, "qrCode"), address) == code_modules(address)
    assert screen.windowState() & Qt.WindowState.WindowFullScreen
    assert screen.geometry() == field.window.screen().geometry()
    QTest.keyClick(screen, Qt.Key.Key_Escape)
    assert not screen.isVisible()
    screen.deleteLater()


@pytest.mark.slow
def test_that_an_audience_does_without_the_ways_out_however_often_answers_arrive(field):
    field.start()
    field.window.projector.enter()
    assert not field.page.ways.isVisible()
    field.answer(reported_rows(10))
    field.wait(lambda: field.text("collectCount") == "10", "ten")
    assert not field.page.ways.isVisible()
    assert field.page.hand_out.isVisible()
    field.window.projector.leave()
    field.wait(field.page.ways.isVisible, "ways out")


@pytest.mark.slow
def test_that_ways_out_are_a_tab_in_a_small_window(field, qtbot):
    field.window.resize(1100, 700)
    tabs = field.find(QWidget, "collectTabs")
    qtbot.waitUntil(tabs.isVisible)
    assert field.page.here.isVisible()
    assert not field.page.ways.isVisible()
    tabs.setFocus()
    QTest.keyClick(tabs, Qt.Key.Key_Right)
    assert field.page.ways.isVisible()
    assert not field.page.here.isVisible()


@pytest.mark.slow
def test_that_the_focus_stays_where_collecting_was_started(field):
    bar = field.page.ways.area.verticalScrollBar()
    field.page.start_card.start.setFocus()
    field.start()
    field.wait(field.find(QAbstractButton, "fullScreenCode").hasFocus, "focus")
    assert bar.value() == 0


@pytest.mark.slow
def test_that_responses_are_added_by_one_button_of_the_page(field):
    second = field.find(QAbstractButton, "addResponses")
    assert second.isVisible()
    field.start()
    field.wait(lambda: field.page.primary.text().startswith("Add"), "primary")
    assert not second.isVisible()


@pytest.mark.slow
def test_that_a_chosen_address_stays_chosen(field):
    card = field.page.start_card
    card.show_addresses(("10.0.0.1", "10.0.0.2"))
    card.host.setCurrentText("10.0.0.2")
    card.show_addresses(("10.0.0.1", "10.0.0.2", "10.0.0.3"))
    assert card.host.currentText() == "10.0.0.2"
