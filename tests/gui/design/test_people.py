"""The 100 people view of the Design page."""

import numpy as np
import pytest
from designing import select
from pyqtgraph import ScatterPlotItem
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication

from ppworkbench.core.design import Uniform
from ppworkbench.results.picture import Shape

NAME = "fare_evasion"


@pytest.fixture
def page(page):
    select(page, NAME)
    page.store.set_perturbation([NAME], Uniform(keep=0.7))
    page.views_card.tabs.choose("people")
    return page


def test_that_people_are_counted_by_the_expected_answers(page):
    draw = page.people.draw
    assert len(draw.true) == len(draw.reported) == 100
    share = page.report.prior.probabilities[1]
    assert sum(draw.truly) == pytest.approx(100 * share, abs=1)
    assert page.people.words.text().startswith("“yes” reported in this draw: true for")
    page.people.picture.grab()


def test_that_redraw_changes_the_draw_and_not_the_average(page, qtbot):
    before, average = page.people.draw, page.people.average.text()
    qtbot.mouseClick(page.people.redraw_button, Qt.MouseButton.LeftButton)
    after = page.people.draw
    assert after.true == before.true
    assert after.reported != before.reported
    assert after.belief == before.belief
    assert page.people.average.text() == average


def test_that_reporters_are_shown_beside_the_average(page):
    draw, icons = page.people.draw, page.people.reporters
    words = f"{sum(draw.reports)} report it in this draw; it is true for {draw.hits}"
    assert icons.accessibleName() == words
    assert icons.isVisible()
    (diamonds,) = (mark for mark in icons.picture.marks if mark.shape is Shape.POINTS)
    assert len(diamonds.x) == draw.hits > 0
    assert page.people.average.text() == f"{100 * draw.belief:.0f}\u202f%"
    assert page.people.average_words.text().startswith("belief on average; ")


def test_that_keys_redraw_while_the_people_are_in_front(page, qtbot):
    page.activateWindow()
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    before = page.people.draw
    qtbot.keyClick(page, Qt.Key.Key_R, keys)
    assert page.people.draw != before


def test_that_people_follow_the_design_and_the_marks(page):
    before = page.people.draw
    page.store.set_perturbation([NAME], Uniform(keep=0.95))
    after = page.people.draw
    assert after.belief > before.belief
    # Everybody keeps their luck, so that only some change their report.
    changed = sum(one != two for one, two in zip(before.reported, after.reported, strict=True))
    assert 0 < changed < 60
    page.strip.toggle("yes")
    page.strip.toggle("no")
    assert page.people.draw.sensitive == (0,)


def test_that_a_number_shows_the_trade_off_instead(page):
    select(page, "income")
    assert page.views_card.tabs.current == "trade"
    assert page.trade.chart.isVisible()
    assert page.view.trade.is_shown
    page.views_card.tabs.choose("people")
    assert page.views_card.tabs.current == "trade"
    select(page, NAME)
    page.views_card.tabs.choose("people")
    assert page.people.isVisible()


def test_that_every_person_is_a_row_of_the_table(page):
    rows = page.people.picture.rows()
    assert len(rows) == 101
    draw = page.people.draw
    assert rows[1] == ["1", draw.answers[draw.true[0]], draw.answers[draw.reported[0]]]


@pytest.mark.parametrize("size", [(0, 0), (1, 1), (0, 80), (80, 0)])
def test_that_people_can_be_drawn_where_there_is_no_room(page, size):
    people = page.people
    for part in (people, people.picture, people.reporters):
        part.setMinimumSize(0, 0)
        part.setMaximumSize(QSize(*size))
        part.resize(*size)
        QApplication.processEvents()
    for chart in (people.picture, people.reporters):
        # As Qt calls it; an exception in there ends the program with some versions of PySide.
        chart.resizeEvent(QResizeEvent(QSize(*size), QSize(200, 200)))
    people.resizeEvent(QResizeEvent(QSize(*size), QSize(200, 200)))
    # Everybody is still drawn, and can be seen again where there is room.
    assert people.draw is not None
    for chart in (people.picture, people.reporters):
        drawn = [item for item in chart.plotItem.items if isinstance(item, ScatterPlotItem)]
        assert drawn
        assert all(np.isfinite(item.opts["size"]) and item.opts["size"] > 0 for item in drawn)
