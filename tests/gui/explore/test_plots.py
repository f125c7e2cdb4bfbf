"""The plots that the Explore page adds: comparison, curves, strips, legend, ticks."""

import itertools
import math

import numpy as np
import pytest
from exploring import seen_iteration
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QGraphicsTextItem, QWidget
from window_hands import has_ink, picture

from ppworkbench.analyses.experiments.repeats import Losses, losses_picture
from ppworkbench.gui.charts.axes import decade_ticks, number_ticks, short_number
from ppworkbench.gui.charts.comparison import ComparisonPlot
from ppworkbench.gui.charts.curves import Curve, CurvePlot, Curves
from ppworkbench.gui.charts.legend import PictureLegend
from ppworkbench.gui.charts.looks import MARKERS, look_colour, look_marker, series_look
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.charts.shares import Histogram
from ppworkbench.gui.numbers import number
from ppworkbench.results.picture import Shares

EDGES = np.linspace(0, 10, 6)
SHARES = np.array([0.1, 0.3, 0.4, 0.15, 0.05])


def values():
    series = (
        Shares("original", np.array([0.5, 0.5])),
        Shares("distorted", np.array([0.4, 0.6])),
        Shares("reconstructed", np.array([0.45, 0.55]), None, np.zeros(2), np.array([0.6, 0.7])),
    )
    other = Shares("series 0", np.array([0.2, 0.8]), None, np.array([0.1, 0.7]), np.ones(2), "EQ")
    return Histogram((*series, other), ("yes", "no"))


def numbers(share=SHARES):
    series = (
        Shares("original", SHARES, EDGES),
        Shares("distorted", np.full(7, 1 / 7), np.linspace(-2, 12, 8)),
        Shares("reconstructed", share, EDGES, share * 0.5, np.minimum(share * 1.5, 1)),
    )
    other = Shares("series 1", SHARES[::-1], EDGES, name="AS")
    return Histogram((*series, other), (), (0.0, 10.0), "pay")


@pytest.fixture
def framed(qtbot):
    """Shows a plot inside a widget; pyqtgraph does not survive to be closed by itself."""
    frame = QWidget()
    qtbot.addWidget(frame)

    def show(plot, width, height):
        plot.setParent(frame)
        plot.resize(width, height)
        frame.resize(1300, 400)
        frame.show()
        return plot

    return show


@pytest.fixture
def plot(framed, workbench):
    return framed(ComparisonPlot(workbench.themes, "comparison"), 620, 260)


def test_that_other_algorithms_are_drawn_in_their_series_colour(plot, workbench):
    plot.show_histogram(values())
    assert has_ink(plot, look_colour(workbench.theme, series_look(0)))
    plot.show_histogram(numbers())
    assert has_ink(plot, look_colour(workbench.theme, series_look(1)))


def test_that_hovering_tells_every_algorithm(plot):
    plot.show_histogram(values())
    plot.hovered.emit(QPointF(1.0, 0.2))
    assert plot._hover_title == "no"
    assert [(name, value.split()[0]) for _, name, value in plot._told[2]] == [
        ("original", "50.0"),
        ("distorted", "60.0"),
        ("reconstructed", "55.0"),
        ("EQ", "80.0"),
    ]
    plot.show_histogram(numbers())
    plot.hovered.emit(QPointF(3.0, 0.2))
    assert plot._hover_title == "2 to 4"
    assert [look for look, _, _ in plot._told[2]][-1] == "series 1"
    plot.grab()
    plot.hovered.emit(None)
    assert plot._told is None


def test_that_the_table_has_every_number(plot):
    plot.show_histogram(values())
    ends = ["reconstructed", "reconstructed, low", "reconstructed, high"]
    assert plot.rows()[0] == ["", "original", "distorted", *ends, "EQ", "EQ, low", "EQ, high"]
    assert len(plot.rows()) == 3
    plot.show_histogram(numbers())
    rows = plot.rows()
    assert len(rows) == 1 + 5 + 7
    assert rows[1][0] == "0 to 2"
    assert rows[1][2] == ""
    assert rows[1][4] == "5.00\u202f%"


def test_that_the_axis_only_shrinks_by_much(plot):
    plot.show_histogram(numbers())
    top = plot.top
    high = SHARES.copy()
    high[2], high[1] = 0.6, 0.1
    plot.show_histogram(numbers(high))
    assert plot.top > top
    grown = plot.top
    high[2], high[1] = 0.55, 0.15
    plot.show_histogram(numbers(high))
    assert plot.top == grown
    plot.forget_scale()
    plot.show_histogram(numbers())
    assert plot.top == top


def test_that_switching_between_values_and_numbers_leaves_nothing_behind(plot):
    plot.show_histogram(numbers())
    plot.show_histogram(values())
    assert not plot._domain_words.isVisible()
    assert [text for _, text in plot.getAxis("bottom")._tickLevels[0]] == ["yes", "no"]
    plot.show_histogram(numbers())
    assert plot._domain_words.isVisible()
    assert "0" in [text for _, text in plot.getAxis("bottom")._tickLevels[0]]


def test_that_a_narrow_plot_shows_fewer_labels(plot):
    labels = tuple(f"Answer number {i}" for i in range(12))
    many = Histogram((Shares("original", np.full(12, 1 / 12)),), labels)
    plot.show_histogram(many)
    plot.resize(1200, 260)
    wide = len(plot._value_ticks())
    plot.resize(220, 260)
    assert len(plot._value_ticks()) < wide == 12
    assert all(text.count("\n") <= 1 for _, text in plot._value_ticks())


# Curves


@pytest.fixture
def curves(framed, workbench):
    made = framed(CurvePlot(workbench.themes, "loss", lambda value: number(value, 3)), 320, 180)
    kept = np.array([0, 1, 10, 100, 1000])
    first = Curve("reconstructed", "EM", kept, np.array([0.5, 0.4, 0.2, 0.1, 0.3]))
    second = Curve("series 1", "AS", kept[:4], np.array([0.5, 0.4, 0.3, 0.2]))
    made.show_curves(
        Curves(
            (first, second), 1000, 0.0, 0.6, (100, "minimum at 100"), (("series 0", "EQ", 0.25),)
        )
    )
    return made


def test_that_the_cursor_is_set_in_silence_and_chosen_by_a_click(qtbot, curves):
    told = []
    curves.iteration_chosen.connect(told.append)
    curves.set_cursor(30)
    # The ring of the focus has the colour of the cursor.
    curves.clearFocus()
    assert seen_iteration(curves) == pytest.approx(30, rel=0.05)
    assert told == []
    box = curves.getPlotItem().getViewBox()
    spot = curves.mapFromScene(box.mapViewToScene(QPointF(2.0, 0.2)))
    qtbot.mouseClick(curves.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert told[0] == pytest.approx(100, rel=0.06)


def boxes_of(plot, words):
    """Where texts are written."""
    found = [one for one in plot.scene().items() if isinstance(one, QGraphicsTextItem)]
    return [one.sceneBoundingRect() for one in found if one.toPlainText() in words]


@pytest.mark.parametrize("lowest", [200, 312, 800])
@pytest.mark.parametrize("height", [0.045, 0.2])
def test_that_words_about_a_minimum_lie_neither_on_its_curve_nor_on_the_axis(
    curves, lowest, height
):
    kept = np.unique(np.round(np.logspace(0, 3.4, 60)))
    values = height + 0.01 * (np.log10(kept / lowest)) ** 2
    curve = Curve("reconstructed", "EM/AS", kept, values)
    note = (lowest, f"minimum at {lowest}")
    curves.show_curves(Curves((curve,), 2512, 0.0, 0.45, note, (("series 0", "EQ", 0.3),)))
    curves.set_cursor(47)
    (box,) = boxes_of(curves, {note[1]})
    view = curves.getViewBox()
    line = view.mapViewToScene(QPointF(math.log10(lowest), height)).y()
    axis = view.mapViewToScene(QPointF(0.0, 0.0)).y()
    assert box.bottom() <= axis
    assert (box.top() >= line) if height > 0.1 else (box.bottom() <= line)


def test_that_a_plot_without_a_cursor_takes_no_clicks(qtbot, curves):
    shown = curves.shown
    curves.show_curves(Curves(shown.curves, shown.last, 0.0, 0.6, has_cursor=False))
    told = []
    curves.iteration_chosen.connect(told.append)
    qtbot.mouseClick(curves.viewport(), Qt.MouseButton.LeftButton)
    assert told == []


def test_that_values_between_kept_iterations_lie_between(curves):
    curve = curves.shown.curves[0]
    assert 0.1 < curve.at(30) < 0.2
    assert curve.at(5000) == 0.3


def test_that_curves_tell_their_numbers(curves):
    rows = curves.rows()
    assert rows[0] == ["iteration", "EM", "AS"]
    assert rows[3] == ["10", "0.2", "0.3"]
    assert rows[-1] == ["EQ", "0.25", ""]
    told = curves.accessibleDescription().split("; ")
    assert told[1] == "iteration: 10: EM 0.200, AS 0.300"
    assert told[-1] == "EQ 0.250"
    assert len(told) == 4 + 1


def test_that_hovering_tells_every_curve_and_level(curves):
    before = picture(curves)
    curves.hovered.emit(QPointF(1.1, 0.3))
    assert picture(curves) != before
    _, title, entries = curves._told
    assert title == "iteration: 10"
    assert entries == [
        ("reconstructed", "EM", "0.200"), ("series 1", "AS", "0.300"), ("series 0", "EQ", "0.250"),
    ]  # fmt: skip
    curves.hovered.emit(None)
    assert picture(curves) == before


def test_that_keys_move_the_cursor(qtbot, curves):
    told = []
    curves.iteration_chosen.connect(told.append)
    curves.set_cursor(30)
    for key in ("Right", "PageDown", "End", "Home"):
        qtbot.keyClick(curves, getattr(Qt.Key, f"Key_{key}"))
    assert told == [31, 21, 1000, 1]


def test_that_names_of_levels_lie_on_nothing_else(curves):
    levels = (("series 0", "EQ", 0.25), ("series 2", "RR", 0.251), ("series 3", "SB", 0.4))
    curves.show_curves(Curves(curves.shown.curves, 1000, 0.0, 0.6, levels=levels))
    boxes = boxes_of(curves, {f"{name} {value:.3f}" for _, name, value in levels})
    assert len(boxes) == 3
    assert not any(a.intersects(b) for a, b in itertools.combinations(boxes, 2))


@pytest.mark.parametrize("cursor", [0, 1, 30, 999, 1000])
def test_that_the_cursor_is_drawn_at_any_place(curves, cursor):
    curves.set_cursor(cursor)
    assert has_ink(curves, curves.themes.theme.colour("accentInk"))


# Strips, legend, ticks


def test_that_strips_show_every_draw_and_their_mean(framed, workbench):
    plot = framed(PictureChart(workbench.themes, "spread"), 280, 200)
    losses = [Losses("EM", "", np.array([0.1, 0.2, 0.3])), Losses("EQ", "", np.array([]))]
    plot.set_picture(losses_picture(losses))
    assert plot.rows() == [
        ["information loss", "EM", "EQ"],
        ["1", "0.1", ""],
        ["2", "0.2", ""],
        ["3", "0.3", ""],
    ]
    assert plot.accessibleDescription() == "EM: mean 0.2 (0.1 to 0.3); EQ: "
    plot.hovered.emit(QPointF(0.2, 0.0))
    plot.grab()
    plot.set_stale(True)
    plot.set_picture(None)
    plot.grab()


def test_that_the_legend_takes_the_lines_it_needs(qtbot, workbench):
    legend = PictureLegend(workbench.themes)
    qtbot.addWidget(legend)
    legend.resize(600, 20)
    legend.show()
    entries = (("original", "original"), ("distorted", "distorted"), ("series 1", "by AS"))
    legend.show_entries(entries, lines=True)
    one = legend.height()
    assert legend.accessibleName() == "original, distorted, by AS"
    legend.resize(150, one)
    assert legend.height() > one
    legend.grab()


def test_that_every_algorithm_has_its_own_marker_and_colour(workbench):
    looks = [series_look(place) for place in range(6)]
    assert len({look_marker(look) for look in looks}) == len(MARKERS)
    assert len({look_colour(workbench.theme, look).name() for look in looks}) == 6


@pytest.mark.parametrize(
    ("low", "high", "most", "expected"),
    [
        (0, 1, 5, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (-12.6, 0.7, 3, [-10, -5, 0]),
        (3, 3, 4, []),
        (0, float("inf"), 4, []),
        (99.7, 100.3, 3, [99.8, 100, 100.2]),
    ],
)
def test_that_ticks_are_round_numbers(low, high, most, expected):
    assert [value for value, _ in number_ticks(low, high, most)] == pytest.approx(expected)


def test_that_ticks_are_written_by_the_locale():
    assert [text for _, text in decade_ticks(2000)] == ["1", "10", "100", "1,000"]
    assert [text for _, text in decade_ticks(2000, 20)] == ["100", "1,000"]
    assert [text for _, text in number_ticks(-4000, 2500, 4)] == ["−4,000", "−2,000", "0", "2,000"]
    assert short_number(-2.5) == "−2.5"
