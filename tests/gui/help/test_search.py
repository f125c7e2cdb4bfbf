"""The help: every topic is found, by its key, by words, from the page and from a measure."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import Qt
from stub_pages import make_stub_page
from studies import make_study

from ppworkbench.core.files import resource
from ppworkbench.gui import help_window
from ppworkbench.gui.help_window import HelpViewer, show_help
from ppworkbench.gui.language import speech
from ppworkbench.gui.window import main_window
from ppworkbench.gui.window.shell import PAGES, START
from ppworkbench.outputs.help.page import pages
from ppworkbench.outputs.help.topic import Topic, find_topic, search, slug, topics
from ppworkbench.study.language import Catalogue

ROLE = Qt.ItemDataRole.UserRole


def titles(viewer: HelpViewer) -> list[str]:
    return [item.text(0) for item in viewer.list.items()]


def marked(viewer: HelpViewer) -> Topic | None:
    item = viewer.list.currentItem()
    return None if item is None else item.data(0, ROLE)


def test_that_every_file_is_a_topic_and_every_heading_too():
    keys = [topic.key for topic in topics()]
    files = {path.stem for path in resource("help").rglob("*.md")}
    assert files <= set(keys)
    assert "information-loss" in keys
    assert all(topic.text.startswith("#") for topic in topics())


def test_that_examples_in_a_text_are_not_taken_for_headings():
    for topic in topics():
        source = (resource("help") / f"{topic.file}.md").read_text(encoding="utf-8")
        plain = re.sub(r"^```.*?^```", "", source, flags=re.MULTILINE | re.DOTALL)
        assert topic.title in plain.replace("`", ""), topic


@pytest.mark.parametrize("page", [START.name, *(page.name for page in PAGES)])
def test_that_every_page_has_its_help(viewer, page):
    viewer.show_topic(page)
    assert viewer.browser.toPlainText()
    assert marked(viewer) is not None
    assert marked(viewer).file in ("getting-started", f"{page}-page")


def test_that_a_topic_is_found_by_its_key_or_by_the_words_of_it():
    assert find_topic("Attack success") is find_topic("attack-success")
    assert find_topic("attack-success") is not None
    assert find_topic("loop") is not None
    assert find_topic("no-such-thing-at-all") is None
    assert slug("What is added?") == "what-is-added"


def test_that_a_search_holds_all_words_and_puts_titles_first():
    found = search("Epsilon")
    assert found
    assert "epsilon" in found[0].title.lower()
    assert all("epsilon" in topic.text.lower() for topic in found)
    assert search("epsilon zebra") == ()
    assert search("  ") == topics()


def test_that_typing_narrows_the_list_and_shows_the_first_hit(viewer, qtbot):
    everything = titles(viewer)
    qtbot.keyClicks(viewer.field, "epsilon")
    assert 0 < len(titles(viewer)) < len(topics())
    assert titles(viewer) != everything
    assert "psilon" in viewer.browser.toPlainText()
    viewer.field.setText("qqqqq")
    assert titles(viewer) == []
    viewer.field.clear()
    assert titles(viewer) == everything


def test_that_choosing_a_topic_shows_its_text(viewer):
    item = viewer.list.items()[3]
    viewer.list.setCurrentItem(item)
    assert viewer.browser.toPlainText().startswith(item.data(0, ROLE).title)


def test_that_an_unknown_topic_shows_the_index(viewer):
    viewer.show_topic("no-such-thing-at-all")
    assert viewer.browser.toPlainText().startswith("Index")
    assert len(titles(viewer)) == len(pages())


def test_that_links_in_a_text_open_nothing_outside(viewer):
    assert not viewer.browser.openLinks()
    assert not viewer.browser.openExternalLinks()


def test_that_f1_opens_the_help_of_the_page_and_a_measure_its_own(window, monkeypatch):
    monkeypatch.setattr(main_window, "make_page", make_stub_page)
    window.store.open(make_study())
    window.show_page("design")
    window.menus.actions["help"].trigger()
    viewer = help_window._viewer
    assert viewer.isVisible()
    assert marked(viewer).file == "design-page"
    window.workbench.help_requested.emit("epsilon")
    assert help_window._viewer is viewer
    assert "epsilon" in viewer.list.currentItem().text(0).lower()


def test_that_a_window_that_was_closed_does_not_keep_the_help(workbench, qtbot):
    from PySide6.QtWidgets import QWidget

    first, second = QWidget(), QWidget()
    qtbot.addWidget(first)
    qtbot.addWidget(second)
    one = show_help("design", workbench, first)
    assert show_help("data", workbench, first) is one
    assert show_help("data", workbench, second) is not one


def test_that_the_help_speaks_the_language_of_the_window(workbench, qtbot):
    speech.use("pl", Catalogue({"Pages of the window": "Strony okna", "Index": "Indeks"}))
    viewer = HelpViewer(workbench)
    qtbot.addWidget(viewer)
    assert viewer.list.topLevelItem(1).text(0) == "Strony okna"
    viewer.show_topic("Missing answers on the Data page")
    assert viewer.shown.title == "Braki odpowiedzi na stronie Dane"
    assert viewer.place.text() == "Strony okna"
    viewer.field.setText("histogram słupki")
    assert "Zakres liczby – Strona Dane" in titles(viewer)
    viewer.index.click()
    assert viewer.browser.toPlainText().startswith("Indeks")
