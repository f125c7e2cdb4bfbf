"""Stepping through iterations."""

import numpy as np
import pytest
from exploring import iterate, seen_iteration, select, settle
from PySide6.QtCore import QPoint, QPointF, Qt

from ppworkbench.analyses.experiments.iterations import AUTO, PUBLISHED, EmTrace
from ppworkbench.gui.pages.explore.scrubber import Mark, Scrubber

LEFT = Qt.MouseButton.LeftButton


def path_of(last):
    kept = np.array([*range(11), *range(20, last, 10), last])
    estimates = np.stack([np.array([1 / (2 + t), 1 - 1 / (2 + t)]) for t in kept])
    return EmTrace(kept, estimates, -1.0 / (1 + kept))


@pytest.fixture
def scrubber(qtbot, workbench):
    made = Scrubber(workbench.themes)
    qtbot.addWidget(made)
    made.resize(640, 60)
    made.show_trace(path_of(200), (Mark("published 20", 20), Mark("auto 60", 60, True)), "")
    made.set_iteration(60)
    made.show()
    return made


def moves(scrubber):
    told = []
    scrubber.moved.connect(told.append)
    return told


def test_that_setting_an_iteration_moves_slider_and_box_in_silence(scrubber):
    told = moves(scrubber)
    scrubber.set_iteration(8)
    assert scrubber.box.value() == 8
    share = np.log1p(8) / np.log1p(200)
    assert scrubber.slider.value() == pytest.approx(1000 * share, abs=1)
    assert told == []


@pytest.mark.parametrize(
    ("button", "end"), [("first", 0), ("back", 50), ("forward", 70), ("last", 200)]
)
def test_that_every_button_goes_where_it_says(qtbot, scrubber, button, end):
    told = moves(scrubber)
    qtbot.mouseClick(scrubber.buttons[button], LEFT)
    assert told == [end]
    assert scrubber.box.value() == end


@pytest.mark.parametrize(
    ("key", "end"),
    [
        (Qt.Key.Key_Left, 50),
        (Qt.Key.Key_Right, 70),
        (Qt.Key.Key_PageUp, 160),
        (Qt.Key.Key_PageDown, 5),
        (Qt.Key.Key_Home, 0),
        (Qt.Key.Key_End, 200),
    ],
)
def test_that_keys_step_on_the_slider(qtbot, scrubber, key, end):
    told = moves(scrubber)
    qtbot.keyClick(scrubber.slider, key)
    assert told == [end]


def test_that_early_iterations_are_reached_one_by_one(qtbot, scrubber):
    scrubber.set_iteration(0)
    told = moves(scrubber)
    for _ in range(4):
        qtbot.keyClick(scrubber.slider, Qt.Key.Key_Right)
    assert told == [1, 2, 3, 4]


def test_that_a_click_on_the_groove_brings_the_handle_there(qtbot, scrubber):
    told = moves(scrubber)
    slider = scrubber.slider
    spot = QPoint(round(slider.x_of(20)), slider.height() // 2)
    qtbot.mousePress(slider, LEFT, pos=spot)
    qtbot.mouseRelease(slider, LEFT, pos=spot)
    assert told
    assert told[-1] == pytest.approx(20, abs=2)


def test_that_typing_a_number_goes_there(qtbot, scrubber):
    told = moves(scrubber)
    scrubber.box.selectAll()
    qtbot.keyClicks(scrubber.box, "33")
    qtbot.keyClick(scrubber.box, Qt.Key.Key_Return)
    assert told == [33]
    assert scrubber.slider.value() == pytest.approx(1000 * np.log1p(33) / np.log1p(200), abs=1)


def test_that_a_number_beyond_the_end_is_refused(scrubber):
    scrubber.box.setValue(5000)
    assert scrubber.box.value() == 200


def test_that_a_click_on_a_mark_goes_to_its_rule(qtbot, scrubber):
    told = moves(scrubber)
    place = next(x for mark, x, _ in scrubber.marks.placed() if mark.words == "published 20")
    qtbot.mouseClick(scrubber.marks, LEFT, pos=QPoint(round(place), 2))
    assert told == [20]


def test_that_words_of_marks_never_lie_on_each_other(scrubber):
    close = (Mark("published 58", 58), Mark("auto 60", 60, True), Mark("converged", 200))
    scrubber.show_trace(path_of(200), close, "")
    boxes = [box for _, _, box in scrubber.marks.placed() if box is not None]
    assert len(boxes) == 2
    assert not boxes[0].intersects(boxes[1])
    chosen = next(box for mark, _, box in scrubber.marks.placed() if mark.is_chosen)
    assert chosen is not None


def test_that_playing_goes_to_the_end_and_stops_there(qtbot, scrubber):
    scrubber.set_iteration(150)
    told = moves(scrubber)
    qtbot.keyClick(scrubber.slider, Qt.Key.Key_Space)
    assert scrubber.is_playing
    assert scrubber.buttons["play"].accessibleName() == "Pause (Space)"
    qtbot.waitUntil(lambda: not scrubber.is_playing)
    assert told == sorted(told)
    assert told[-1] == 200
    assert scrubber.buttons["play"].accessibleName() == "Play (Space)"


def test_that_playing_from_the_end_starts_again(qtbot, scrubber):
    scrubber.set_iteration(200)
    scrubber.toggle_play()
    assert scrubber.box.value() == 0
    qtbot.waitUntil(lambda: scrubber.box.value() > 0)
    scrubber.toggle_play()
    assert not scrubber.is_playing


def test_that_a_hand_on_the_slider_ends_playing(scrubber):
    scrubber.set_iteration(0)
    scrubber.toggle_play()
    scrubber.slider.setValue(400)
    assert not scrubber.is_playing


def test_that_nothing_plays_unseen(scrubber):
    scrubber.set_iteration(0)
    scrubber.toggle_play()
    scrubber.hide()
    assert not scrubber.is_playing


def test_that_a_path_of_one_step_is_grey_with_a_reason(scrubber):
    point = EmTrace(np.array([0]), np.array([[0.5, 0.5]]), np.zeros(1))
    scrubber.show_trace(point, (), "There is nothing to step through.")
    assert not any(button.isEnabled() for button in scrubber.buttons.values())
    assert not scrubber.slider.isEnabled()
    assert scrubber.slider.toolTip() == "There is nothing to step through."


# On the page


@pytest.fixture
def page(qtbot, page):
    select(qtbot, page, "pay")
    iterate(qtbot, page)
    return page


@pytest.mark.slow
def test_that_all_plots_share_the_cursor(page):
    page.picture.scrubber.box.setValue(12)
    run = page.result.runs["em"]
    for plot in (page.loss.plot, page.likelihood.plot):
        assert seen_iteration(plot) == pytest.approx(12, rel=0.05)
    shown = page.picture.plot._shown
    estimate = next(s.share for s in shown.series if s.role == "reconstructed")
    assert estimate == pytest.approx(run.trace.at(12))
    other = page.result.runs["as"].trace.at(12)
    assert shown.series[-1].share == pytest.approx(other)


@pytest.mark.slow
def test_that_every_algorithm_stands_at_its_own_stop_before_anybody_steps(page):
    shown = page.picture.plot._shown
    by_as = page.result.runs["as"].trace
    assert shown.series[-1].share == pytest.approx(by_as.at(by_as.stops[AUTO]))


@pytest.mark.slow
def test_that_a_new_draw_keeps_the_cursor_where_a_person_put_it(qtbot, page):
    page.picture.scrubber.box.setValue(9)
    page.primary.trigger()
    settle(qtbot, page)
    assert page.view.cursor == page.picture.scrubber.box.value() == 9
    page.settings_card.rule.choose(PUBLISHED)
    stop = page.result.runs["em"].trace.stops[PUBLISHED]
    assert page.view.cursor == stop


@pytest.mark.slow
def test_that_a_click_into_a_small_plot_goes_to_its_iteration(qtbot, page):
    plot = page.loss.plot
    box = plot.getPlotItem().getViewBox()
    spot = plot.mapFromScene(box.mapViewToScene(QPointF(1.0, 0.05)))
    qtbot.mouseClick(plot.viewport(), LEFT, pos=spot)
    assert page.view.cursor == pytest.approx(10, abs=1)
    assert seen_iteration(page.likelihood.plot) == pytest.approx(page.view.cursor, rel=0.05)


@pytest.mark.slow
def test_that_three_thousand_iterations_are_kept_small(page):
    trace = page.result.runs["em"].trace
    assert trace.last > 3000
    assert len(trace.iterations) < 400
    assert trace.iterations[:129].tolist() == list(range(129))
