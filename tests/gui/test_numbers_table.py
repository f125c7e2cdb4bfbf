"""The numbers of pictures as a table."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from ppworkbench.gui.charts.chart_export import (
    NumbersDialog,
    left_columns,
    picture_meant,
    pictures_of,
)
from ppworkbench.gui.charts.histogram import HistogramPlot
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.charts.shares import Histogram
from ppworkbench.gui.numbers import for_people
from ppworkbench.gui.pages.classify.result_cards import confusion_picture
from ppworkbench.gui.widgets.layout import column
from ppworkbench.results.picture import Shares


@pytest.fixture
def page(workbench, qtbot):
    """A histogram over an empty one, both in sight."""
    made = QWidget()
    qtbot.addWidget(made)
    plot = HistogramPlot(workbench.themes, "Answers")
    empty = HistogramPlot(workbench.themes, "Nothing yet")
    column(plot, empty, parent=made)
    half = np.array([0.5, 0.5])
    low, high = half - 0.03, half + 0.03
    plot.show_histogram(
        Histogram(
            (
                Shares("original", np.array([0.27, 0.73])),
                Shares("reconstructed", half, low=low, high=high),
            ),
            ("agree", "disagree"),
        )
    )
    made.resize(500, 400)
    made.show()
    qtbot.waitExposed(made)
    qtbot.waitUntil(lambda: plot.accessibleDescription() != "")
    return made


def test_that_a_picture_tells_its_numbers_with_intervals(page):
    told = pictures_of(page)
    assert [one.name for one in told] == ["Answers", "Nothing yet"]
    assert not told[0].is_cut
    assert told[0].rows[0] == [
        "", "original", "reconstructed", "reconstructed, low", "reconstructed, high",
    ]  # fmt: skip
    assert told[0].rows[1] == ["agree", *(f"{n:.1f}\u202f%" for n in (27, 50, 47, 53))]
    assert told[0].looks == ("", "original", "reconstructed", "", "")
    spoken = told[0].widget.accessibleDescription()
    assert spoken.startswith("agree: original 27.0\u202f%, reconstructed 50.0\u202f% ± 3.0\u202f%")


def test_that_the_picture_in_focus_is_meant_else_the_largest(page, workbench):
    grid = PictureChart(workbench.themes, "Confusion")
    grid.set_picture(confusion_picture(("no", "yes"), np.array([[30.0, 10.0], [5.0, 55.0]])))
    page.layout().addWidget(grid)
    grid.setFixedHeight(60)
    grid.show()
    told = pictures_of(page)
    assert {one.name for one in told} == {"Answers", "Nothing yet", "Confusion"}
    assert picture_meant(told, None).name == "Answers"
    assert picture_meant(told, grid).name == "Confusion"
    assert picture_meant([one for one in told if one.name == "Nothing yet"], None) is None
    assert picture_meant([], None) is None


def test_that_the_table_is_copied_saved_and_closed_by_keys(
    page, workbench, qtbot, tmp_path, dialogs
):
    told = pictures_of(page)
    dialog = NumbersDialog(workbench.themes, told, told[0], page)
    dialog.show()
    assert dialog.table.model().rowCount() == 2
    qtbot.keyClick(dialog.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().mimeData()
    assert copied.text().splitlines()[2].startswith("disagree\t73.0")
    assert "<td>disagree</td>" in copied.html()
    dialog.table.selectRow(0)
    qtbot.keyClick(dialog.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert len(QGuiApplication.clipboard().text().splitlines()) == 2
    path = tmp_path / "numbers.csv"
    dialog.save.click()
    dialogs.choose(path)
    heads = next(csv.reader(path.read_text("utf-8").splitlines()))
    assert heads[1] == "original"
    qtbot.keyClick(dialog.table, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def answers(*shares):
    return Histogram((Shares("original", np.array(shares)),), ("agree", "disagree"))


def test_that_the_table_follows_its_picture(page, workbench, qtbot):
    told = pictures_of(page)
    plot, other = (one.widget for one in told)
    dialog = NumbersDialog(workbench.themes, told, told[0], page)
    dialog.show()

    def cells():
        model = dialog.table.model()
        return [
            [model.index(row, place).data() for place in range(model.columnCount())]
            for row in range(model.rowCount())
        ]

    dialog.table.setCurrentIndex(dialog.table.model().index(1, 1))
    plot.show_histogram(answers(0.1, 0.9))
    qtbot.waitUntil(lambda: cells() == [["agree", "10.0\u202f%"], ["disagree", "90.0\u202f%"]])
    assert (dialog.table.currentIndex().row(), dialog.table.currentIndex().column()) == (1, 1)
    # Longer words than before have room, too.
    long = "neither agree nor disagree with any of this"
    plot.show_histogram(Histogram((Shares("original", np.array([0.1, 0.9])),), (long, "no")))
    qtbot.waitUntil(lambda: cells()[0][0] == long)
    words = dialog.table.fontMetrics().horizontalAdvance(long)
    assert dialog.table.horizontalHeader().sectionSize(0) > words
    # Another one that had no numbers when the table was opened.
    other.show_histogram(answers(0.4, 0.6))
    dialog.choice.setFocus()
    qtbot.keyClick(dialog.choice, Qt.Key.Key_Down)
    assert cells() == [["agree", "40.0\u202f%"], ["disagree", "60.0\u202f%"]]
    other.show_histogram(Histogram())
    qtbot.waitUntil(lambda: cells() == [])
    dialog.close()


def test_that_the_table_closes_with_its_picture(page, workbench, qtbot):
    told = pictures_of(page)
    dialog = NumbersDialog(workbench.themes, told, told[0], page)
    dialog.show()
    told[0].widget.deleteLater()
    qtbot.waitUntil(lambda: not dialog.isVisible())


def test_that_plain_numbers_are_written_as_everywhere(polish_numbers):
    assert [for_people(cell) for cell in ("0.25", "12000", "auto", "27,0 %", "")] == [
        "0,25",
        "12\xa0000",
        "auto",
        "27,0 %",
        "",
    ]
    assert left_columns([["a", "0,5", "tree"], ["b", "12 %", "–"]]) == frozenset({0, 2})
