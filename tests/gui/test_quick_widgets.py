"""Widgets that do not hold up the window, however much they show."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QStyleOptionComboBox

from ppworkbench.gui.widgets.attribute_box import AttributeBox, AttributeTicks
from ppworkbench.gui.widgets.controls import ProgressBar


class CountedBar(ProgressBar):
    """Knows how often it was painted."""

    paints = 0

    def paintEvent(self, event):  # noqa: N802
        self.paints += 1
        super().paintEvent(event)


def test_that_progress_waits_to_be_painted(qtbot):
    bar = CountedBar(90)
    qtbot.addWidget(bar)
    bar.show()
    qtbot.waitUntil(lambda: bar.paints > 0)
    before = bar.paints
    bar.show_share(0.5)
    assert bar.paints == before
    assert bar.value() == 500
    qtbot.waitUntil(lambda: bar.paints > before)


def test_that_thousands_of_attributes_are_offered(qtbot, workbench):
    box = AttributeBox(workbench.themes, "box", "Attribute")
    qtbot.addWidget(box)
    box.show()
    offered = [(f"question {i}", "nominal", f"Question {i}?", "") for i in range(5_000)]
    box.offer(offered, "question 4000")
    assert box.count() == 5_000
    assert box.currentText() == "question 4000"
    assert box.itemData(4_000) == "question 4000"
    assert box.itemData(4_000, Qt.ItemDataRole.ToolTipRole) == "Question 4000?"
    assert not box.itemIcon(4_000).isNull()


def test_that_an_attribute_is_found_by_its_title_and_by_its_name(qtbot, workbench):
    box = AttributeBox(workbench.themes, "box", "Attribute")
    qtbot.addWidget(box)
    offered = [
        ("sex", "binary", "", "Sex"),
        ("fare_evasion", "binary", "Did you ride?", "Rode without a ticket"),
        ("v17", "integer", "", "Age"),
    ]
    box.offer(offered, "sex")
    box.show()
    chosen = []
    box.chosen.connect(chosen.append)
    qtbot.keyClicks(box, "ro")
    assert box.currentData() == "fare_evasion"
    assert box.itemData(1, Qt.ItemDataRole.ToolTipRole) == "Did you ride?\nColumn: fare_evasion"
    QTest.qWait(QApplication.keyboardInputInterval() + 100)
    qtbot.keyClicks(box, "v17")
    assert (box.currentData(), box.currentText()) == ("v17", "Age")


def test_that_thousands_of_ticks_are_shown_and_told(qtbot, workbench):
    splits = AttributeTicks(workbench.themes, "splits", "Split by", rows=7)
    qtbot.addWidget(splits)
    splits.show()
    told = []
    splits.ticked.connect(lambda name, on: told.append((name, on)))
    features = [(f"question {i}", "nominal", "", f"Title {i}") for i in range(5_000)]
    splits.show_attributes(features, {name for name, *_ in features} - {"question 7"})
    assert splits.count.text() == "4,999 of 5,000"
    splits.tick("question 7", True)
    splits.tick("question 8", False)
    splits.tick("question 8", False)
    assert told == [("question 7", True), ("question 8", False)]


def test_that_a_title_without_room_ends_in_dots(qtbot, workbench):
    box = AttributeBox(workbench.themes, "box", "Attribute")
    qtbot.addWidget(box)
    title = "Rode without a ticket in the last twelve months"
    box.offer([("fare", "binary", "", title)], "fare")

    def written(width):
        box.resize(width, 32)
        option = QStyleOptionComboBox()
        box.initStyleOption(option)
        return option.currentText

    assert written(700) == title
    short = written(180)
    assert short.endswith("…")
    assert title.startswith(short[:-1].rstrip())
    room = box.fontMetrics().horizontalAdvance(short) + box.iconSize().width()
    assert room < 180
