"""What is handed out and said while a collection is open: closing time, poster, phone, signs."""

from __future__ import annotations

import dataclasses
import datetime as dt
import os
import re
import signal

import pytest
from asked_studies import asked_study, free_port, reported_rows
from PySide6.QtCore import QDateTime, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QDateTimeEdit, QLabel, QLineEdit, QPushButton

from ppworkbench.fieldwork.collector.control import find_server
from ppworkbench.fieldwork.poster import code_modules, make_poster
from ppworkbench.gui.collecting import StartRequest
from ppworkbench.gui.pages.collect.collection import ClosingDialog, closing_words
from ppworkbench.gui.pages.collect.hand_out_card import PhonePicture
from ppworkbench.gui.pdf.kit import print_kit
from ppworkbench.gui.widgets.controls import Switch
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.questionnaire.document import Questionnaire


def in_minutes(minutes: int) -> dt.datetime:
    return dt.datetime.now().astimezone().replace(second=0, microsecond=0) + dt.timedelta(
        minutes=minutes
    )


def sign(field) -> QPushButton:
    found = field.window.status.findChild(QPushButton, "collectingSign")
    assert found is not None
    return found


@pytest.mark.slow
def test_that_every_page_says_that_answers_are_being_collected(field):
    assert not sign(field).isVisible()
    assert field.window.status.facts["attributes"].text() == "3 questions"
    field.start()
    field.answer(reported_rows(20))
    field.wait(lambda: sign(field).text() == "Collecting · 20 answers", "sign")
    # Nothing is in the study yet, and both chips say so.
    assert field.window.store.study.state is AnswerState.NONE
    said = "20 answers to import"
    assert (field.window.header.state.words, field.window.status.state.words) == (said, said)
    field.window.show_page("survey")
    advice = field.window.shell.front_page.state.advice.text()
    assert advice.startswith("20 answers are collected")
    QTest.mouseClick(sign(field), Qt.MouseButton.LeftButton)
    assert field.window.current == "collect"
    field.click("takeOver")
    field.wait(lambda: field.window.header.state.words == "reported answers", "taken over")
    field.page.collecting.close_collection()
    field.wait(lambda: not sign(field).isVisible(), "closed")


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="there is no such signal")
def test_that_a_killed_collector_is_said_and_runs_again_at_another_port(field):
    field.start()
    field.answer(reported_rows(10))
    field.wait(lambda: field.text("collectCount") == "10", "ten")
    server = find_server(field.database)
    assert server is not None
    os.kill(server.pid, signal.SIGKILL)
    card = field.page.start_card
    field.wait(lambda: card.isVisible() and sign(field).text().startswith("Collector st"), "killed")
    assert field.text("startHeading") == "Server stopped"
    database = field.find(QLineEdit, "collectDatabase")
    assert database.isReadOnly()
    assert database.text() == str(field.database)
    card.port.setValue(free_port())
    field.click("startCollecting")
    field.wait(lambda: find_server(field.database) is not None and not card.isVisible(), "again")
    assert field.text("collectCount") == "10"
    assert set(field.answer(reported_rows(10, seed=8))) == {204}
    field.wait(lambda: field.text("collectCount") == "20", "ten more")


@pytest.mark.slow
def test_that_a_closing_time_is_shown_changed_and_refused_in_the_past(field, dialogs):
    until = in_minutes(24 * 60)
    QTest.mouseClick(field.find(Switch, "closeByItself"), Qt.MouseButton.LeftButton)
    edit = field.find(QDateTimeEdit, "closingTime")
    edit.setDateTime(QDateTime.currentDateTime().addDays(-1))
    assert "has passed" in field.text("closingProblem")
    field.fill(1)
    field.click("startCollecting")
    assert not field.page.collecting.is_busy
    edit.setDateTime(QDateTime.fromSecsSinceEpoch(int(until.timestamp())))
    field.start()
    found = find_server(field.database)
    assert found is not None
    assert dt.datetime.fromisoformat(found.until) == until
    link = field.find(QAbstractButton, "changeClosing")
    assert link.text() == closing_words(until.isoformat())

    later = in_minutes(3 * 24 * 60)
    field.click("changeClosing")
    dialog = dialogs.front(ClosingDialog)
    dialog.field.time.setDateTime(QDateTime.currentDateTime().addSecs(-60))
    assert not dialog.set_button.isEnabled()
    dialog.field.time.setDateTime(QDateTime.fromSecsSinceEpoch(int(later.timestamp())))
    QTest.mouseClick(dialog.set_button, Qt.MouseButton.LeftButton)
    field.wait(lambda: link.text() == closing_words(later.isoformat()), "changed")
    found = find_server(field.database)
    assert found is not None
    assert dt.datetime.fromisoformat(found.until) == later
    # The same people reach the same address.
    assert set(field.answer(reported_rows(1))) == {204}


def test_that_how_a_study_collects_is_kept_with_its_closing_time():
    request = StartRequest("a.sqlite", "10.0.0.1", 8000, until="2030-05-04T18:00")
    assert StartRequest.from_json(request.to_json()) == request
    assert request.options()[-2:] == ["--until", "2030-05-04T18:00"]
    # A study of an earlier version knows none.
    assert StartRequest.from_json({"database": "a.sqlite"}).until == ""


@pytest.mark.parametrize(
    ("language", "lead"), [("en", "Scan the code"), ("pl", "Zeskanuj kod aparatem telefonu")]
)
def test_that_a_poster_is_one_page_with_title_address_and_what_happens(tmp_path, language, lead):
    address = "http://192.168.1.20:8421/"
    poster = make_poster(asked_study(), address, language)
    (said,) = poster.blocks
    assert ">Asked</p>" in said
    assert address in said
    assert lead in said
    # One of the questions is not randomised, and that is said.
    assert "not randomised" in said if language == "en" else "bez randomizacji" in said
    dark = sum(map(sum, code_modules(address)))
    assert poster.figures["code"].svg.count("h1v1h-1z") == dark
    print_kit(poster, tmp_path / "poster.pdf")
    printed = (tmp_path / "poster.pdf").read_bytes()
    assert len(re.findall(rb"/Type\s*/Page\b[^s]", printed)) == 1
    assert re.search(rb"/MediaBox \[0 0 595[.\d]* 842", printed)


def test_that_a_poster_with_a_long_introduction_stays_one_page(tmp_path):
    asked = Questionnaire.of_design(asked_study().design, {}, "en", "A title of several words")
    long = "We ask how people travel in this city and what they think of its transport. " * 9
    asked = dataclasses.replace(asked, introduction={"en": long})
    poster = make_poster(asked_study().with_(questionnaire=asked), "http://10.0.0.1:1/", "en")
    print_kit(poster, tmp_path / "poster.pdf")
    printed = (tmp_path / "poster.pdf").read_bytes()
    assert len(re.findall(rb"/Type\s*/Page\b[^s]", printed)) == 1


@pytest.mark.slow
def test_that_the_phone_shows_the_first_question_of_the_page(field):
    field.start()
    picture = field.find(PhonePicture, "phonePicture")
    assert picture.isVisible()
    said = picture.accessibleDescription()
    assert all(value in said for value in ("north", "south", "west"))
    shown = picture.grab().toImage()
    colours = {shown.pixel(x, y) for x in range(10, 110, 3) for y in range(20, 200, 3)}
    assert len(colours) > 3
    assert not field.find(QAbstractButton, "printPoster").isEnabled()
    assert "this computer" in field.find(QAbstractButton, "printPoster").toolTip()
    assert "can answer" in field.find(QLabel, "tokenWords").text()
