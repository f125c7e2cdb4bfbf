"""The chart that draws any picture: numbers at the pointer, choices, handles and words."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

from ppworkbench.core.message import Message
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape
from ppworkbench.results.sheet import Kind

NOTHING = Message("")
SHARE = Axis(Message("share"), kind=Kind.SHARE, low=0.0, high=1.0)
LEVELS = np.array([0.0, 50.0, 100.0])


def lines(handles=()):
    curve = Mark(
        Shape.LINE, Role.SERIES, Message("tree"), LEVELS, np.array([0.8, 0.7, 0.6]),
        np.array([0.75, 0.65, 0.5]), np.array([0.85, 0.75, 0.7]),
    )  # fmt: skip
    least = Mark(
        Shape.RULE, Role.REFERENCE, Message("majority"), np.array([np.nan]), np.array([0.5])
    )
    here = Mark(Shape.RULE, Role.REFERENCE, Message("here"), np.array([50.0]), np.array([np.nan]))
    return Picture(
        "levels", Message("Accuracy"), Axis(Message("privacy")), SHARE, (curve, least, here),
        handles=handles,
    )  # fmt: skip


@pytest.fixture
def chart(workbench, qtbot):
    made = PictureChart(workbench.themes, "Accuracy")
    qtbot.addWidget(made)
    made.resize(500, 300)
    made.show()
    made.set_picture(lines())
    return made


def test_that_rows_and_words_tell_every_number(chart):
    assert chart.rows()[0] == ["privacy", "tree", "tree, low", "tree, high"]
    assert chart.rows()[1] == ["0", "0.8", "0.75", "0.85"]
    assert chart.rows()[-2] == ["majority", "0.5", "", ""]
    told = chart.accessibleDescription()
    assert told.startswith("privacy: 0: tree 80.0\u202f% (75.0\u202f% to 85.0\u202f%)")
    assert told.endswith("majority 50.0\u202f%")
    assert chart.head_looks() == ("", "series 0", "", "")
    assert chart.legend.entries == (
        ("series 0", "tree"), ("reference", "majority"), ("reference", "here")
    )  # fmt: skip


def test_that_the_title_of_an_axis_is_as_dark_below_things_as_below_numbers(chart):
    things = Axis(Message("group"), labels=("one", "two"))
    mark = Mark(Shape.DOTS, Role.SERIES, NOTHING, np.array([0.2, 0.4]), np.array([0.0, 1.0]))
    colours = {}
    for name, picture in (
        ("numbers", lines()), ("things", Picture("dots", NOTHING, SHARE, things, (mark,)))
    ):  # fmt: skip
        chart.set_picture(picture)
        colours[name] = chart.getAxis("bottom").labelStyle["color"]
    assert set(colours.values()) == {chart.themes.theme.hex("text3")}


def test_that_the_pointer_shows_the_numbers_of_the_nearest_place(chart):
    before = chart.grab().toImage()
    chart.hovered.emit(QPointF(60.0, 0.5))
    assert chart.grab().toImage() != before
    chart.hovered.emit(None)
    assert chart.grab().toImage() == before


def test_that_a_click_and_the_arrow_keys_choose_a_place(chart, qtbot):
    chosen = []
    chart.is_chosen_from = True
    chart.place_chosen.connect(chosen.append)
    at = chart.mapFromScene(chart.getViewBox().mapViewToScene(QPointF(90.0, 0.5)))
    qtbot.mouseClick(chart.viewport(), Qt.MouseButton.LeftButton, pos=at)
    chart.choose(100.0)
    qtbot.keyClick(chart, Qt.Key.Key_Right)
    qtbot.keyClick(chart, Qt.Key.Key_Left)
    assert chosen == [2, 2, 1]


def test_that_a_handle_follows_pointer_and_keys_between_the_ends(chart, qtbot):
    chart.set_picture(lines(("here",)))
    dragged = []
    chart.dragged.connect(lambda name, value: dragged.append((name, round(value, 3))))
    at = chart.mapFromScene(chart.getViewBox().mapViewToScene(QPointF(25.0, 0.5)))
    qtbot.mouseClick(chart.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert dragged[0][1] == pytest.approx(25.0, abs=0.5)
    qtbot.keyClick(chart, Qt.Key.Key_End)
    assert dragged[-1] == ("here", 100.0)


def test_that_stale_pictures_are_dimmed(chart):
    before = chart.grab().toImage()
    chart.set_stale(True)
    assert chart.is_stale
    assert chart.grab().toImage() != before


def test_that_reported_bars_stay_hatched_whatever_the_axes_are(chart, workbench):
    bars = Mark(
        Shape.BARS, Role.REPORTED, Message("reported"), np.arange(2.0), np.array([0.4, 0.6])
    )
    labels = Axis(NOTHING, labels=("no", "yes"))
    chart.set_picture(Picture("bars", Message("Answers"), labels, SHARE, (bars,)))
    role = workbench.theme.role("distorted")
    for width in (300, 900):
        chart.resize(width, 300)
        drawn = chart.grab().toImage()
        at = chart.mapFromScene(chart.getViewBox().mapViewToScene(QPointF(1.0, 0.3)))
        inks = {
            drawn.pixelColor(at.x() + x, at.y() + y).name() for x in range(10) for y in range(10)
        }
        assert len(inks) > 2
        assert role.fill.name() in inks or role.tint.name() in inks


def test_that_a_cloud_names_the_point_under_the_pointer(chart):
    x = np.linspace(0.1, 0.9, 5)
    names = [f"set {place}" for place in range(5)]
    points = Mark(Shape.POINTS, Role.ESTIMATE, Message("estimated"), x, x, names=names)
    chart.set_picture(Picture("cloud", Message("Supports"), SHARE, SHARE, (points,)))
    assert chart.place_at(QPointF(x[3], x[3])) == 3
    assert chart.told.title_of(3) == "set 3"
    assert chart.place_at(QPointF(0.1, 0.9)) == -1


def cloud(count):
    x = np.linspace(0.1, 0.9, count)
    names = [f"set {place}" for place in range(count)]
    points = Mark(
        Shape.POINTS, Role.ESTIMATE, Message("estimated"), x, x, x - 0.05, x + 0.05, names=names
    )
    said = Message("five sets")
    return Picture("cloud", Message("Supports"), SHARE, SHARE, (points,), said)


def test_that_a_cloud_tells_both_coordinates_of_its_points(chart):
    chart.set_picture(cloud(5))
    assert chart.rows()[:2] == [
        ["", "share", "estimated", "estimated, low", "estimated, high"],
        ["set 0", "0.1", "0.1", "0.05", "0.15"],
    ]
    assert chart.head_looks() == ("", "", "reconstructed", "", "")
    assert [words for _, *words in chart.entries(0)] == [
        ["share", "10.0\u202f%"], ["estimated", "10.0\u202f% (5.0\u202f% to 15.0\u202f%)"]
    ]  # fmt: skip
    assert chart.accessibleDescription() == "five sets"


@pytest.mark.parametrize("count", [5, 20_000])
def test_that_the_chosen_point_of_a_cloud_is_in_front(chart, count):
    chart.set_picture(cloud(count))
    before = chart.grab().toImage()
    chart.choose(3)
    assert chart.chosen == 3
    assert chart.grab().toImage() != before
    chart.choose(None)
    assert chart.grab().toImage() == before
    assert len(chart.few_rows()) <= 1001


def test_that_a_click_gives_the_focus_to_a_chart_that_is_dragged(chart, qtbot):
    chart.set_picture(lines(("here",)))
    chart.clearFocus()
    before = chart.grab().toImage()
    at = chart.mapFromScene(chart.getViewBox().mapViewToScene(QPointF(50.0, 0.6)))
    qtbot.mouseClick(chart.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert chart.hasFocus()
    assert chart.grab().toImage() != before
