"""Banners, empty states and buttons."""

from __future__ import annotations

import pytest
from window_hands import LEFT, picture

from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.card import EmptyState
from ppworkbench.gui.widgets.controls import Button, IconButton, IconLabel


@pytest.fixture
def banner(themes, qtbot):
    made = Banner(themes)
    qtbot.addWidget(made)
    return made


# Banner


def test_that_a_banner_is_hidden_until_it_has_something_to_say(banner):
    assert not banner.isVisible()
    banner.say("warning", "This matrix cannot be undone.", "Use 0.60.")
    assert banner.isVisible()
    assert banner.kind == "warning"
    assert banner.accessibleDescription() == "This matrix cannot be undone. Use 0.60."
    assert not banner.button.isVisible()


def test_that_a_banner_shows_markup_as_text(banner):
    banner.say("error", "<script>alert(1)</script> & more")
    assert "<script>" not in banner.label.text()
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in banner.label.text()


def test_that_a_banner_does_what_its_links_say(banner, qtbot):
    done = []
    banner.say(
        "info", "It can be restored.", "",
        ("Restore", lambda: done.append("restore")),
        ("Discard", lambda: done.append("discard")),
        closable=False,
    )  # fmt: skip
    assert banner.button.text() == "Restore"
    assert not banner.close_button.isVisible()
    qtbot.mouseClick(banner.other_button, LEFT)
    qtbot.mouseClick(banner.button, LEFT)
    assert done == ["discard", "restore"]
    banner.say("info", "Only information.")
    assert not banner.button.isVisible()
    assert not banner.other_button.isVisible()


def test_that_a_banner_closes_and_says_so(banner, qtbot):
    closed = []
    banner.closed.connect(lambda: closed.append(True))
    banner.say("info", "Hello.")
    qtbot.mouseClick(banner.close_button, LEFT)
    assert not banner.isVisible()
    assert closed == [True]


# Others


def test_that_an_empty_state_offers_what_to_do(themes, show, qtbot):
    state = show(EmptyState(themes, "design", "Nothing here", "Open a table.", "Go to Start"))
    clicked = []
    state.button.clicked.connect(lambda: clicked.append(True))
    qtbot.mouseClick(state.button, LEFT)
    assert clicked == [True]
    without = show(EmptyState(themes, "design", "Nothing here", "Open a table."))
    assert not without.button.isVisible()


def test_that_deleted_buttons_hear_of_no_theme(themes, qtbot, qapp):
    from PySide6.QtCore import QEvent

    made = [
        IconButton(themes, "undo", "Undo"),
        Button(themes, "Open", "open"),
        IconLabel(themes, "info"),
    ]
    for widget in made:
        widget.deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    with qtbot.captureExceptions() as raised:
        themes.theme_changed.emit()
    assert raised == []


def test_that_icons_take_the_colour_of_the_theme(themes, show):
    button = show(IconButton(themes, "undo", "Undo"), 40)
    light = picture(button)
    themes.choose("dark")
    assert picture(button) != light
    assert button.accessibleName() == button.toolTip() == "Undo"
