"""The viewer of the help: topics shown, linked, listed and found."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from ppworkbench.gui.help_window import HelpViewer
from ppworkbench.gui.keys import show_help_here
from ppworkbench.gui.widgets.card import ReadoutCard
from ppworkbench.gui.workbench import Workbench
from ppworkbench.outputs.help.page import pages
from ppworkbench.outputs.help.topic import search, slug


def shown(viewer: HelpViewer) -> str:
    return viewer.browser.toPlainText()


def test_that_the_viewer_shows_and_marks_a_topic(viewer: HelpViewer) -> None:
    viewer.show_topic("loop-effect")
    assert "ring" in shown(viewer)
    chosen = viewer.list.currentItem()
    assert chosen is not None
    assert chosen.data(0, Qt.ItemDataRole.UserRole).key == "loop-effect"


def test_that_a_link_in_the_viewer_leads_to_its_topic(viewer: HelpViewer) -> None:
    viewer.show_topic("design")
    viewer.browser.anchorClicked.emit(QUrl("mechanisms/groups.md"))
    assert shown(viewer).startswith("Groups")
    viewer.browser.anchorClicked.emit(QUrl("no-such-page.md"))
    assert shown(viewer).startswith("Groups")
    viewer.browser.anchorClicked.emit(QUrl("../mechanisms.md"))
    assert shown(viewer).startswith("Mechanisms")


def test_that_the_viewer_goes_back_and_forward(viewer: HelpViewer) -> None:
    viewer.show_topic("uniform")
    viewer.show_topic("mask")
    assert viewer.back.isEnabled()
    assert not viewer.forward.isEnabled()
    viewer.back.click()
    assert shown(viewer).startswith("Uniform")
    viewer.forward.click()
    assert shown(viewer).startswith("MASK")
    viewer.index.click()
    assert shown(viewer).startswith("Index")
    assert not viewer.forward.isEnabled()


def test_that_a_heading_is_shown_within_its_page(viewer: HelpViewer) -> None:
    viewer.resize(900, 400)
    viewer.show()
    viewer.show_topic("commands-for-statistics")
    assert shown(viewer).startswith("Survey statistics")
    assert viewer.browser.verticalScrollBar().value() > 0


def test_that_topics_are_listed_by_chapter_and_from_a_to_z(viewer: HelpViewer) -> None:
    by_chapter = [item.text(0) for item in viewer.list.items()]
    viewer.order.choose("letters")
    letters = [item.text(0) for item in viewer.list.items()]
    assert len(letters) > len(by_chapter) == len(pages())
    assert [slug(one) for one in letters[:3]] == sorted(slug(one) for one in letters[:3])
    viewer.show_topic("uniform")
    assert viewer.list.currentItem().text(0) == "Uniform"


def test_that_searching_lists_topics_with_the_words_and_titles_first(viewer: HelpViewer) -> None:
    viewer.field.setText("loop")
    assert len(viewer.list.items()) == len(search("loop")) > 0
    assert "loop" in viewer.list.items()[0].text(0).lower()
    viewer.field.setText("qwertyuiop")
    assert viewer.list.items() == []


def test_that_the_help_follows_the_theme(viewer: HelpViewer, workbench: Workbench) -> None:
    viewer.show_topic("uniform")
    before = viewer.browser.document().defaultStyleSheet()
    workbench.themes.choose("dark")
    assert viewer.browser.document().defaultStyleSheet() != before
    assert shown(viewer).startswith("Uniform")
    workbench.themes.choose("light")


def test_that_help_for_the_focus_finds_the_nearest_topic(
    workbench: Workbench, qtbot: QtBot
) -> None:
    outer, inner = QWidget(), QWidget()
    inner.setParent(outer)
    qtbot.addWidget(outer)
    asked: list[str] = []
    show_help_here(inner, asked.append, "design")
    show_help_here(None, asked.append, "data")
    outer.help = QPushButton(outer)
    outer.help.clicked.connect(lambda: asked.append("pressed"))
    show_help_here(inner, asked.append, "design")
    inner.setProperty("helpTopic", "mask")
    show_help_here(inner, asked.append, "design")
    show_help_here(ReadoutCard(workbench.themes, "epsilon"), asked.append, "design")
    assert asked == ["design", "data", "pressed", "mask", "epsilon"]
