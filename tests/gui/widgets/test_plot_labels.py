"""Words in plots: they are seen as a whole, and lie on nothing else."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication, QBoxLayout, QWidget

from ppworkbench.core.message import Message
from ppworkbench.gui.charts.axes import OVER_END, _cut, value_ticks
from ppworkbench.gui.charts.histogram import HistogramPlot
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.charts.shares import Histogram
from ppworkbench.gui.pages.design.editors.matrix_panels import NeighboursPanel
from ppworkbench.results.picture import Axis, Interval, Shares, intervals

DISTRICTS = ("Old Town", "Riverside", "Harbour", "Northfield", "Millbrook", "Southgate", "Hill")


@pytest.fixture
def font(workbench):
    return workbench.theme.font("caption")


def test_that_labels_of_bars_stand_in_two_lines_of_whole_words(font):
    room = int(QFontMetricsF(font).horizontalAdvance("dissatisfied")) + 4
    ticks = value_ticks(("very dissatisfied", "neutral", "very satisfied"), 1, room, font)
    assert [words for _, words in ticks] == ["very\ndissatisfied", "neutral", "very\nsatisfied"]


def test_that_every_other_label_stands_below_where_a_word_is_wider_than_its_bars(font):
    width = QFontMetricsF(font).horizontalAdvance
    room = int(width("Northfield")) - 6
    ticks = value_ticks(DISTRICTS, 1, room, font)
    assert [words.strip() for _, words in ticks] == list(DISTRICTS)
    assert [words.startswith("\n") for _, words in ticks] == [False, True] * 3 + [False]


def test_that_a_label_that_has_no_room_at_the_end_of_the_axis_is_cut_with_dots(font):
    width = QFontMetricsF(font).horizontalAdvance
    ticks = value_ticks((*DISTRICTS[:-1], "the hill with the large gardens"), 1, 40, font)
    last = ticks[-1][1]
    assert last.endswith("…")
    assert width(last) <= 40 + 2 * OVER_END


def test_that_names_of_rows_are_whole_where_the_plot_is_wide(qtbot, workbench):
    frame = QWidget()
    qtbot.addWidget(frame)
    plot = PictureChart(workbench.themes, "readings", is_wide=True)
    plot.setParent(frame)
    plot.resize(790, 140)
    frame.resize(800, 150)
    frame.show()
    name = "bez korekty: jakby wszyscy się stosowali"
    plot.set_picture(shares_picture([name], [Interval(0.18, 0.17, 0.2)]))
    QApplication.processEvents()
    whole = QFontMetricsF(workbench.theme.font("body")).horizontalAdvance(name)
    assert plot.getAxis("left").width() >= whole
    plot.resize(400, 140)
    QApplication.processEvents()
    assert plot.getAxis("left").width() < 220


def shares_picture(labels, shares):
    axis = Axis(Message(""), low=-0.3, high=1.3)
    return intervals("shares", Message(""), axis, labels, shares)


@pytest.mark.parametrize(("value", "points"), [(0.5, False), (-3.0, True)])
def test_that_an_arrow_stands_where_an_interval_leaves_the_picture(show, workbench, value, points):
    plot = show(PictureChart(workbench.themes, "towns"))
    mark = Interval(value, value - 0.4, value + 0.4)
    plot.set_picture(shares_picture(["Ash", "Oak"], [mark, None]))
    (low, high), _ = plot.viewRange()
    assert -0.5 < low < high < 1.5
    view = plot.getPlotItem().getViewBox()
    edge = plot.mapFromScene(view.mapViewToScene(QPointF(low, 0.0)))
    drawn = plot.grab().toImage()
    ratio = drawn.devicePixelRatio()
    ink = workbench.theme.role("reconstructed").fill
    there = [
        drawn.pixelColor(round((edge.x() + x) * ratio), round((edge.y() + y) * ratio)) == ink
        for x in range(3, 9)
        for y in (-2, -1, 0, 1, 2)
    ]
    assert any(there) == points
    assert plot.rows()[1][1:] == [f"{end:.10g}" for end in (mark.estimate, mark.low, mark.high)]


def income(high: float = 15_000.0) -> Histogram:
    shares = Shares("original", np.full(20, 0.05), np.linspace(0.0, high, 21))
    return Histogram((shares,), domain=(0.0, high))


@pytest.mark.parametrize("high", [15_000.0, 1_500_000.0])
def test_that_the_last_number_of_an_axis_is_seen_whole(show, workbench, high):
    plot = show(HistogramPlot(workbench.themes, "income"), 380)
    plot.show_histogram(income(high))
    QApplication.processEvents()
    half = QFontMetricsF(workbench.theme.font("caption")).horizontalAdvance(f"{high:,.0f}") / 2
    end = plot.mapFromScene(plot.getPlotItem().getViewBox().mapViewToScene(QPointF(high, 0.0)))
    assert end.x() + half <= plot.width()


@pytest.mark.parametrize(("height", "numbers"), [(260, 6), (85, 3), (50, 2)])
def test_that_a_low_picture_has_fewer_numbers(show, workbench, height, numbers):
    plot = show(HistogramPlot(workbench.themes, "income"), 380)
    plot.show_histogram(income())
    plot.resize(380, height)
    QApplication.processEvents()
    ticks = [value for value, _ in plot.getAxis("left")._tickLevels[0]]
    assert len(ticks) <= numbers
    view = plot.getPlotItem().getViewBox()
    rows = [view.mapViewToScene(QPointF(0.0, value)).y() for value in ticks]
    line = QFontMetricsF(workbench.theme.font("caption")).height()
    assert all(lower - upper >= 0.9 * line for lower, upper in itertools.pairwise(rows))


def test_that_sliders_lie_above_the_ring_where_an_audience_reads_their_names(qtbot, workbench):
    panel = NeighboursPanel(workbench.themes)
    qtbot.addWidget(panel)
    assert panel._halves.direction() == QBoxLayout.Direction.LeftToRight
    workbench.themes.project(True)
    assert panel._halves.direction() == QBoxLayout.Direction.TopToBottom
    workbench.themes.project(False)
    assert panel._halves.direction() == QBoxLayout.Direction.LeftToRight


def test_that_a_long_label_is_measured_only_a_few_times(font):
    width = QFontMetricsF(font).horizontalAdvance
    letters = []
    long = "an answer of many words " * 200

    def measure(words):
        letters.append(len(words))
        return width(words)

    cut = _cut(long, 100.0, measure)
    assert cut.endswith("…")
    assert width(cut) <= 100 < width(cut[:-1] + long[len(cut) - 1 : len(cut) + 1] + "…")
    assert sum(letters) <= 20 * len(long)
