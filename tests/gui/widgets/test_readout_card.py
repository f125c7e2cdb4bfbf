"""Cards that read out a number."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from window_hands import LEFT, picture

from ppworkbench.gui.widgets.card import ReadoutCard


@pytest.fixture
def card(themes, show):
    made = show(ReadoutCard(themes, "epsilon"), 180)
    made.say("Epsilon", "1.6", "any answer is at most 5 times as likely", "nats")
    return made


def test_that_a_card_reads_out_all_it_shows(card):
    card.set_change("−0.2", good=True)
    assert card.accessibleName() == "Epsilon: 1.6 nats"
    assert card.accessibleDescription() == "any answer is at most 5 times as likely −0.2"
    assert card.toolTip().startswith("any answer")


def test_that_a_card_keeps_its_size_whatever_it_says(card):
    before = card.sizeHint(), card.minimumSizeHint()
    card.say("Epsilon", "1,234,567.8", "a very long reading " * 20, "nats")
    card.set_change("+1,000,000")
    assert (card.sizeHint(), card.minimumSizeHint()) == before


def test_that_a_stale_card_keeps_its_number_but_dimmed(card):
    fresh = picture(card)
    card.set_stale(True)
    assert card.number == "1.6"
    assert card.state == "stale"
    assert picture(card) != fresh
    card.set_stale(False)
    assert picture(card) == fresh


def test_that_a_measure_that_does_not_apply_says_why(card):
    card.set_change("+1")
    card.say_not_applicable("Range privacy", "only for numbers")
    assert card.number == "–"
    assert card.change == ""
    assert card.accessibleDescription() == "only for numbers"
    card.set_stale(True)
    assert card.state == "absent"


def test_that_help_opens_from_the_question_mark_enter_and_a_double_click(card, qtbot):
    asked = []
    card.help_requested.connect(asked.append)
    qtbot.mouseClick(card, LEFT, pos=QPoint(card.width() - 17, 16))
    qtbot.keyClick(card, Qt.Key.Key_Return)
    qtbot.mouseDClick(card, LEFT, pos=QPoint(20, 40))
    qtbot.mouseClick(card, LEFT, pos=QPoint(20, 40))
    assert asked == ["epsilon"] * 3
