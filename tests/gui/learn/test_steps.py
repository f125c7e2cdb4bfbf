"""The steps of a demonstration: what they set, frame and tell."""

from __future__ import annotations

import pytest
from demonstrations_shown import LEFT, OWN, settled
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from ppworkbench.core.design import Uniform
from ppworkbench.gui.demonstrations import open_demonstration
from ppworkbench.gui.window.demonstration_panel import WIDTH
from ppworkbench.gui.window.places import FEWEST
from ppworkbench.outputs.demonstrations.catalogue import shipped_files


@pytest.mark.slow
def test_that_steps_go_on_and_back_with_what_they_set(window, qtbot, start, own):
    stage = start(own)
    settled(window, qtbot)
    respondents = stage.shell.page("design").findChild(QWidget, "respondents")
    assert respondents.value() == 500
    assert stage.panel.figures.ours["n"].text() == "38"
    assert "<b>38</b>" in stage.panel.words.text()
    assert not stage.panel.back.isEnabled()
    QTest.keyClick(window, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    settled(window, qtbot)
    assert (stage.at, respondents.value()) == (1, 900)
    assert stage.workbench.store.study.settings.seed == 7
    assert stage.panel.next.text() == "Finish"
    qtbot.mouseClick(stage.panel.back, LEFT)
    settled(window, qtbot)
    assert (stage.at, respondents.value()) == (0, 500)
    assert stage.workbench.store.study.settings.seed != 7


@pytest.mark.slow
def test_that_page_down_and_page_up_change_the_step(window, qtbot, start, own):
    stage = start(own)
    settled(window, qtbot)
    QTest.keyClick(window, Qt.Key.Key_PageDown)
    settled(window, qtbot)
    assert stage.at == 1
    QTest.keyClick(window, Qt.Key.Key_PageUp)
    settled(window, qtbot)
    assert stage.at == 0


@pytest.mark.slow
def test_that_the_panel_covers_nothing_that_it_speaks_of(window, qtbot, start):
    window.resize(1100, 700)
    stage = start(shipped_files()[0])
    settled(window, qtbot)
    qtbot.waitUntil(lambda: len(stage.badges.shown) == len(stage.step.looks))
    panel = QRect(stage.panel.mapTo(window, QPoint()), stage.panel.size())
    for badge in stage.badges.shown:
        assert not panel.intersects(QRect(badge.mapTo(window, QPoint()), badge.size()))
    stack = stage.shell.stack
    assert not panel.intersects(QRect(stack.mapTo(window, QPoint()), stack.size()))


@pytest.mark.slow
def test_that_ours_follows_what_is_tried_while_the_text_keeps_its_numbers(
    window, qtbot, start, own
):
    stage = start(own)
    settled(window, qtbot)
    qtbot.mouseClick(stage.panel.tries[0], LEFT)
    settled(window, qtbot)
    assert stage.panel.figures.ours["n"].text() == "46"
    stage.workbench.store.set_perturbation(["smokes"], Uniform(keep=1.0))
    qtbot.waitUntil(lambda: stage.panel.figures.ours["n"].text() == "30")
    assert "<b>38</b>" in stage.panel.words.text()


@pytest.mark.slow
def test_that_badges_leave_with_the_page_and_frames_follow_the_pointer(window, qtbot, start, own):
    stage = start(own)
    settled(window, qtbot)
    assert len(stage.badges.shown) == 1
    stage.panel.looks.rows[0].pointed.emit(True)
    assert stage.badges.frame.isVisible()
    stage.panel.looks.rows[0].pointed.emit(False)
    assert not stage.badges.frame.isVisible()
    qtbot.mouseClick(stage.shell.rail.buttons["data"], LEFT)
    stage.badges.follow()
    assert stage.badges.shown == ()
    assert stage.shell.current == "data"


@pytest.mark.slow
def test_that_a_place_pointed_at_before_its_badge_is_there_is_framed_with_it(
    window, qtbot, start, own
):
    stage = start(own)
    for way in (stage.panel.next, stage.panel.back):
        settled(window, qtbot)
        qtbot.mouseClick(way, LEFT)
    assert not stage.badges.shown
    QTest.mouseMove(stage.panel.looks.rows[0].label)
    qtbot.waitUntil(lambda: len(stage.badges.shown) == 1)
    assert stage.badges.frame.isVisible()


@pytest.mark.slow
def test_that_a_name_that_is_not_there_is_told_with_file_and_step(
    window, qtbot, start, own, monkeypatch
):
    own.write_text(OWN.replace("controls = {respondents = 500}", "controls = {respondets = 5}"))
    open_demonstration(window.workbench, own)
    qtbot.waitUntil(lambda: window.stage is not None and window.stage.shell.current == "design")
    stage = window.stage
    monkeypatch.setattr("ppworkbench.gui.window.demonstration_player._MOST_TRYING", 0.1)
    qtbot.waitUntil(lambda: bool(stage.panel.problem.text()))
    assert stage.panel.problem.text().startswith("own.toml, step 1: The page Design has no control")
    window.end_demonstration()
    monkeypatch.undo()
    own.write_text(OWN.replace("controls = {respondents = 500}", "controls = {mechanism = 'x'}"))
    stage = start(own)
    qtbot.waitUntil(lambda: bool(stage.panel.problem.text()))
    assert "has no choice 'x'" in stage.panel.problem.text()


@pytest.mark.slow
def test_that_a_narrow_window_gives_up_a_column_that_nobody_speaks_of(window, qtbot, start, own):
    window.resize(1366, 768)
    stage = start(own)
    settled(window, qtbot)
    columns = stage.shell.page("design").findChild(QWidget, "designColumns")
    room = window.width() - stage.shell.rail.width() - WIDTH
    assert room < FEWEST
    hidden = [columns.widget(place).isHidden() for place in range(columns.count())]
    # The matrix is in the second of them; the list makes room, or the picture as well.
    assert not hidden[1]
    attributes = stage.shell.page("design").list
    assert attributes.isHidden()
    window.resize(1700, 900)
    qtbot.waitUntil(lambda: not attributes.isHidden() and not columns.widget(0).isHidden())


def test_that_learn_in_the_rail_leads_out_of_the_demonstration(window, qtbot, start, own):
    stage = start(own)
    assert stage.shell.rail.buttons["learn"].isChecked()
    qtbot.mouseClick(stage.shell.rail.buttons["learn"], LEFT)
    assert window.stage is None
    assert window.current == "learn"
