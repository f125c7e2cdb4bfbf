"""The validation gallery: cards, families, a study of a survey, its source, the table."""

from __future__ import annotations

import csv
import dataclasses
import json

import pytest
from PySide6.QtCore import QObject, QPoint, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from ppworkbench.analyses.survey.history import history_from_json
from ppworkbench.gui.language import speech
from ppworkbench.gui.pages.learn import page
from ppworkbench.gui.pages.survey.history_card import HistoryCard
from ppworkbench.outputs.gallery import surveys
from ppworkbench.outputs.gallery.compare import DIFFERS
from ppworkbench.outputs.gallery.surveys import read_gallery
from ppworkbench.study.answer_state import AnswerState


@pytest.fixture
def workbench(kept_workbench):
    return kept_workbench


@pytest.fixture
def gallery(window, qtbot):
    """The Learn page, its gallery in front and worked out."""
    window.resize(1366, 768)
    window.show_page("learn")
    learn = window.page("learn")
    switch = window.header.switch
    assert switch.isVisible()
    QTest.mouseClick(
        switch, Qt.MouseButton.LeftButton, pos=QPoint(switch.width() - 20, switch.height() // 2)
    )
    assert learn.sub_page == "gallery"
    qtbot.waitUntil(lambda: learn.comparison is not None)
    qtbot.waitUntil(lambda: learn.primary.text() == "Compute again")
    return learn


def click(widget):
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def card(gallery, name):
    return gallery.gallery.cards[name]


@pytest.mark.slow
def test_that_cards_show_the_published_number_beside_ours(gallery):
    panel = gallery.gallery
    assert panel.status.text() == "13 of 14 agree to the printed decimals; 1 not recomputed"
    copied = card(gallery, "students-copied")
    told = copied.figures.accessibleName().replace("\u202f", " ")
    assert told == "reference: 84.06 %, SE 3.73; ours, now: 84.06 %, SE 3.73"
    assert copied.sign.accessibleName() == "agrees with the reference"
    assert card(gallery, "race").sign.accessibleName() == "agrees"
    assert card(gallery, "race").figures.accessibleName().startswith("published: 6.8")
    assert copied.counts.text() == "328 “yes” of 710; N = 10,777"
    assert card(gallery, "nigeria").figures.accessibleName().startswith("reference: 26.19")
    assert card(gallery, "cwise-anchor").sign.accessibleName() == "agrees, other standard error"
    doping = card(gallery, "doping")
    told = doping.figures.accessibleName().replace("\u202f", " ")
    assert told == (
        "unrelated question: 43.6 %, 39.4 to 47.9; single sample count: 21.2 %, 9.7 to 32.7"
    )
    assert "counts are not at hand" in doping.note.text()
    assert "14 surveys, counts only" in panel.foot.text()


def test_that_a_family_shows_its_cards_alone(gallery):
    panel = gallery.gallery
    assert len(panel.shown_cards) == 14
    panel.families.setFocus()
    for _ in range(3):
        QTest.keyClick(panel.families, Qt.Key.Key_Right)
    assert [one.survey.name for one in panel.shown_cards] == ["race", "afghanistan"]
    assert [name for name, one in panel.cards.items() if one.isVisible()] == [
        "race", "afghanistan",
    ]  # fmt: skip
    QTest.mouseClick(panel.families, Qt.MouseButton.LeftButton, pos=QPoint(12, 12))
    assert all(one.isVisible() for one in panel.cards.values())


def test_that_a_small_window_has_two_columns(gallery, window):
    panel = gallery.gallery
    assert panel.columns == 4
    window.resize(1100, 700)
    QApplication.processEvents()
    assert panel.columns == 2
    assert panel.cards["nigeria"].y() == panel.cards["minarets"].y()
    assert panel.cards["students-copied"].y() > panel.cards["nigeria"].y()


@pytest.mark.slow
def test_that_a_survey_opens_as_a_study_on_the_survey_page(gallery, window, qtbot):
    click(card(gallery, "students-copied").open_button)
    qtbot.waitUntil(lambda: window.current == "survey")
    study = window.store.study
    assert study.title == "Copied in an exam, students"
    assert study.state is AnswerState.REPORTED
    assert study.rows == 710
    survey = window.page("survey")
    qtbot.waitUntil(lambda: survey.answer is not None)
    assert 100 * survey.answer.result.share.estimate == pytest.approx(84.06103, abs=1e-5)
    asked = survey.findChild(HistoryCard)
    assert asked.rows


def test_that_the_question_of_a_list_stands_in_the_history(gallery, window, qtbot):
    click(card(gallery, "race").open_button)
    qtbot.waitUntil(lambda: window.current == "survey")
    kept = history_from_json(window.store.study.results["survey"])
    assert kept[-1].question.statistic == "list"
    assert kept[-1].numbers[0] == pytest.approx(6.7797, abs=1e-4)


class Browser(QObject):
    """What opens addresses for the user."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        QDesktopServices.setUrlHandler("https", self, "open")

    @Slot(QUrl)
    def open(self, url: QUrl) -> None:
        self.opened.append(url.toString())


def test_that_the_source_is_told_and_opened_only_when_asked_to(gallery, dialogs):
    browser = Browser()
    button = card(gallery, "minarets").source_button
    click(button)
    assert "Journal of Statistical Software 85(2), 2018" in dialogs.answer("Close")
    click(button)
    dialogs.answer("Copy")
    assert "https://doi.org/10.18637/jss.v085.i02" in QApplication.clipboard().text()
    assert browser.opened == []
    click(button)
    dialogs.answer("Open")
    QDesktopServices.unsetUrlHandler("https")
    assert browser.opened == ["https://doi.org/10.18637/jss.v085.i02"]


def test_that_the_table_is_exported_by_the_kind_that_was_chosen(
    gallery, dialogs, wait_idle, tmp_path
):
    gallery.export_action.trigger()
    dialogs.cancel()
    for end in (".csv", ".json", ".html"):
        gallery.export_action.trigger()
        dialogs.choose(tmp_path / f"table{end}")
        wait_idle()
    with (tmp_path / "table.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 14
    assert json.loads((tmp_path / "table.json").read_text(encoding="utf-8"))["agree"] == 13
    assert "84.06" in (tmp_path / "table.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_that_it_can_be_computed_again_and_cancelled(gallery, window, qtbot):
    [button] = [
        one
        for one in window.header.findChildren(QPushButton)
        if one.isVisible() and one.text() == "Compute again"
    ]
    before = gallery.comparison
    click(button)
    assert button.text() == "Cancel"
    assert gallery.gallery.status.text().startswith("Computing…")
    click(button)
    qtbot.waitUntil(lambda: button.text() == "Compute again")
    assert gallery.comparison is before
    assert gallery.gallery.status.text().startswith("13 of 14")
    click(button)
    qtbot.waitUntil(lambda: gallery.comparison is not before)


def test_that_the_doping_card_leads_to_its_demonstration(gallery, window, qtbot):
    button = card(gallery, "doping").open_button
    assert button.text() == "Demonstration: 43.6 or 21.2?"
    click(button)
    qtbot.waitUntil(lambda: window.stage is not None)
    assert window.stage.demonstration.name == "11-compliance"
    window.end_demonstration()


def test_that_demonstrations_keep_their_actions(gallery, window):
    assert not gallery.open_action.isVisible()
    assert gallery.export_action.isVisible()
    window.show_page("learn/demonstrations")
    assert gallery.primary.text() == "Start next"
    assert gallery.open_action.isVisible()
    assert not gallery.export_action.isVisible()


@pytest.mark.slow
@pytest.mark.usefixtures("own_page")
def test_that_a_number_that_does_not_agree_is_marked(window, qtbot, monkeypatch):
    def planted(language):
        first, *others = read_gallery(language)
        wrong = dataclasses.replace(first.published, estimate=30.0)
        return (dataclasses.replace(first, published=wrong), *others)

    monkeypatch.setattr(surveys, "read_gallery", planted)
    window.show_page("learn/gallery")
    learn = window.page("learn")
    qtbot.waitUntil(lambda: learn.comparison is not None)
    assert learn.comparison.comparisons[0].outcome == DIFFERS
    assert card(learn, "nigeria").sign.accessibleName() == "differs"
    assert "1 differ" in learn.gallery.status.text()


@pytest.mark.slow
def test_that_polish_cards_have_polish_words_and_numbers(workbench, qtbot):
    speech.choose("pl")
    learn = page.LearnPage(workbench)
    qtbot.addWidget(learn)
    learn.show_sub_page("gallery")
    qtbot.waitUntil(lambda: learn.comparison is not None)
    copied = card(learn, "students-copied")
    told = copied.figures.accessibleName().replace("\u202f", " ")
    assert told == "odniesienie: 84,06 %, SE 3,73; nasze, teraz: 84,06 %, SE 3,73"
    assert "13 z 14 zgodne" in learn.gallery.status.text()
    # Alone, without files, nothing can be opened.
    assert copied.open_button.isHidden()


def test_that_all_cards_of_the_gallery_are_shown(window, qtbot):
    window.show_page("learn")
    window.show_page("learn/gallery")
    gallery = window.page("learn").gallery

    def is_shown() -> bool:
        shown = [one for one in gallery.shown_cards if one.isVisible()]
        return len(shown) == len(gallery.surveys) > 0

    qtbot.waitUntil(is_shown)
