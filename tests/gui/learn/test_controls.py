"""Controls that a demonstration sets and reads."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from ppworkbench.core.errors import DataError
from ppworkbench.gui.demonstrations import DemonstrationCard
from ppworkbench.gui.widgets.controls import Segmented
from ppworkbench.gui.widgets.number_fields import SliderRow
from ppworkbench.gui.window.demonstration_panel import plain
from ppworkbench.gui.window.demonstration_player import press, read, write
from ppworkbench.outputs.demonstrations.catalogue import shipped_files


def test_that_controls_of_every_kind_are_set_and_read(qtbot, workbench):
    page = QWidget()
    qtbot.addWidget(page)
    row, box, line, tick = SliderRow("x", 0, 10), QComboBox(), QLineEdit(page), QCheckBox(page)
    segments = Segmented(workbench.themes, "s", [("a", "A"), ("b", "B")])
    box.addItem("One", "one")
    box.addItem("Two", "two")
    told: list[object] = []
    row.moved.connect(lambda value, _: told.append(value))
    box.activated.connect(told.append)
    line.textEdited.connect(told.append)
    tick.toggled.connect(told.append)
    segments.chosen.connect(told.append)
    for widget, value in ((row, 3), (box, "two"), (line, "text"), (tick, True), (segments, "b")):
        qtbot.addWidget(widget)
        write(widget, value)
    assert told == [3.0, 1, "text", True, "b"]
    assert [read(w) for w in (row, box, line, tick, segments)] == [3.0, "Two", "text", True, "b"]
    assert read(page) is None
    for widget, value in ((row, "x"), (box, "three"), (tick, "yes"), (segments, "c"), (page, 1)):
        with pytest.raises(DataError):
            write(widget, value)
    assert not press([page], "nothing")


@pytest.mark.slow
def test_that_cards_tell_their_title_to_screen_readers(window):
    window.show_page("learn")
    cards = window.page("learn").findChildren(DemonstrationCard)
    assert len(cards) == len(shipped_files())
    for card in cards:
        assert card.accessibleName() == card.head.title
        assert card.focusPolicy() == Qt.FocusPolicy.StrongFocus


def test_that_a_text_read_aloud_has_no_marks_and_dots_for_numbers_to_come():
    assert plain("**A** {n}", {}) == "A …"
