"""Rows of segments, and the switch."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication
from window_hands import LEFT, picture

from ppworkbench.gui.widgets.controls import Segmented, Switch


@pytest.fixture
def segmented(themes, show):
    return show(Segmented(themes, "View", [("a", "First"), ("b", "Second"), ("c", "Third")]))


# Segmented


def test_that_a_click_chooses_a_segment_once(segmented, qtbot):
    chosen = []
    segmented.chosen.connect(chosen.append)
    middle = segmented.rect().center()
    qtbot.mouseClick(segmented, LEFT, pos=middle)
    qtbot.mouseClick(segmented, LEFT, pos=middle)
    assert chosen == ["b"]
    assert segmented.current == "b"
    assert segmented.accessibleName() == "View"
    assert segmented.accessibleDescription() == "Second"


def test_that_showing_a_segment_is_not_choosing_it(segmented):
    segmented.chosen.connect(lambda _: pytest.fail("nobody chose"))
    before = picture(segmented)
    segmented.set_current("c")
    assert segmented.current == "c"
    assert picture(segmented) != before


def test_that_arrows_move_over_segments_that_can_be_chosen(segmented, qtbot):
    segmented.set_disabled({"b": "Needs numbers."})
    qtbot.keyClick(segmented, Qt.Key.Key_Right)
    assert segmented.current == "c"
    qtbot.keyClick(segmented, Qt.Key.Key_Right)
    assert segmented.current == "c"
    qtbot.keyClick(segmented, Qt.Key.Key_Left)
    assert segmented.current == "a"


def test_that_a_grey_segment_says_why_and_cannot_be_chosen(segmented, qtbot):
    segmented.set_disabled({"b": "Needs numbers."})
    middle = segmented.rect().center()
    qtbot.mouseClick(segmented, LEFT, pos=middle)
    assert segmented.current == "a"
    # Sent straight to the widget: a pointer that is moved on a busy machine arrives at any time.
    none = Qt.MouseButton.NoButton
    where = QPointF(middle)
    moved = QMouseEvent(
        QEvent.Type.MouseMove, where, segmented.mapToGlobal(where), none, none,
        Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    QApplication.sendEvent(segmented, moved)
    assert segmented.toolTip() == "Needs numbers."


def test_that_a_disabled_row_of_segments_ignores_everything(segmented):
    segmented.setEnabled(False)
    segmented.choose("b")
    assert segmented.current == "a"


# Switch


def test_that_a_switch_is_turned_by_click_and_space(themes, show, qtbot):
    switch = show(Switch(themes, "Loop effect"), 36)
    off = picture(switch)
    qtbot.mouseClick(switch, LEFT)
    assert switch.isChecked()
    assert picture(switch) != off
    qtbot.keyClick(switch, Qt.Key.Key_Space)
    assert not switch.isChecked()
    assert switch.accessibleName() == "Loop effect"
