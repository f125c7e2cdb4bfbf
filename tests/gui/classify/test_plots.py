"""Pictures of the Classify page: curves with bands, and the confusion matrix."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from window_hands import picture

from ppworkbench.gui.charts.levels import (
    EndLabel,
    LevelLine,
    LevelPlot,
    LevelPoint,
    Levels,
    Reference,
    end_label_boxes,
    spread,
)
from ppworkbench.gui.charts.looks import look_colour, look_marker
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.pages.classify.curve_card import confusion_picture


def line(name, place, means):
    points = tuple(LevelPoint(50.0 * i, mean, 0.02) for i, mean in enumerate(means))
    return LevelLine(name, name, f"series {place}", points)


SHOWN = Levels(
    (line("naive Bayes", 0, (0.75, 0.74, 0.72)), line("tree", 1, (0.76, 0.7))),
    (Reference("undistorted", 0.78), Reference("majority class", 0.6, dotted=True)),
    (0.0, 50.0, 100.0),
    100.0,
)


@pytest.fixture
def plot(workbench, qtbot):
    made = LevelPlot(workbench.themes, "Accuracy")
    qtbot.addWidget(made)
    made.resize(500, 300)
    made.show()
    made.show_levels(SHOWN)
    return made


def test_that_the_range_holds_everything_that_is_drawn():
    low, high = SHOWN.y_range
    assert low <= 0.6
    assert high >= 0.78
    assert Levels().y_range == (0.0, 1.0)
    assert Levels(references=(Reference("all right", 1.0),)).y_range[1] == 1.0


def test_that_a_click_and_the_arrow_keys_choose_a_level(plot, qtbot):
    chosen = []
    plot.level_chosen.connect(chosen.append)
    area = plot._ground().area
    right = QPoint(int(area.right()) - 2, int(area.center().y()))
    qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=right)
    plot.choose(100.0, "tree")
    qtbot.keyClick(plot, Qt.Key.Key_Right)
    qtbot.keyClick(plot, Qt.Key.Key_Left)
    assert chosen == [100.0, 100.0, 50.0]


def test_that_the_picture_is_told_in_words_and_numbers(plot):
    assert "naive Bayes: 0\u202f%: 75.0 ± 2.0\u202f%" in plot.accessibleDescription()
    rows = plot.rows()
    assert rows[1] == ["0", "naive Bayes", "0.75", "0.02"]
    assert rows[-1] == ["", "majority class", "0.6", ""]
    assert len(rows) == 1 + 5 + 2


def test_that_unfinished_and_stale_pictures_look_different(plot):
    running = plot.grab().toImage()
    plot.show_levels(Levels(SHOWN.lines, SHOWN.references, SHOWN.levels))
    finished = plot.grab().toImage()
    plot.show_levels(Levels(SHOWN.lines, SHOWN.references, SHOWN.levels, is_stale=True))
    stale = plot.grab().toImage()
    assert running != finished != stale


def test_that_the_pointer_shows_values(plot, qtbot):
    before = plot.grab().toImage()
    qtbot.mouseMove(plot, plot._ground().area.center().toPoint())
    qtbot.waitUntil(lambda: plot.grab().toImage() != before)


def test_that_names_at_line_ends_do_not_overlap():
    rows = spread([50.0, 51.0, 52.0, 90.0], 12.0, 0.0, 100.0)
    assert all(b - a >= 12 - 1e-9 for a, b in itertools.pairwise(rows))
    assert rows[3] == pytest.approx(90.0)
    assert min(spread([1.0, 2.0], 12.0, 0.0, 100.0)) >= 0.0


def test_that_curves_at_the_same_place_are_all_seen(plot, workbench):
    same = (0.7, 0.7, 0.7)
    lines = tuple(line(f"curve {place}", place, same) for place in range(3))
    plot.show_levels(Levels(lines, (), (0.0, 50.0, 100.0)))
    image, ground = picture(plot), plot._ground()
    y = int(ground.y(0.7))
    # Between the marks of two levels; the edges of a line are mixed with the ground.
    first, last = round(ground.x(0.0)) + 20, round(ground.x(50.0)) - 20
    spots = itertools.product(range(first, last), (y - 1, y, y + 1))
    seen = np.array([image.pixelColor(*spot).getRgb()[:3] for spot in spots])
    for place in range(3):
        ink = look_colour(workbench.theme, f"series {place}").getRgb()[:3]
        assert (np.abs(seen - ink).sum(axis=1) < 60).sum() > (last - first) / 6
    spots = [ground.x(50.0) + ground.shift(place) for place in range(3)]
    assert all(b - a >= 5 for a, b in itertools.pairwise(spots))
    assert len({look_marker(one.look) for one in lines}) == 3


@pytest.fixture
def grid(workbench, qtbot):
    made = PictureChart(workbench.themes, "Confusion matrix")
    qtbot.addWidget(made)
    made.resize(340, 140)
    made.show()
    return made


def test_that_the_matrix_shows_shares_of_its_rows(grid):
    empty = picture(grid)
    grid.set_picture(confusion_picture(("no", "yes"), np.array([[30, 10], [0, 20]])))
    np.testing.assert_allclose(grid.picture.marks[0].y, [[0.75, 0.25], [0, 1]])
    assert grid.rows()[1] == ["true no", "30", "10"]
    assert "true yes 0 20" in grid.accessibleDescription()
    assert picture(grid) != empty


def test_that_a_class_without_records_is_empty_and_not_an_error(grid):
    grid.set_picture(confusion_picture(("a", "b"), np.array([[3, 1], [0, 0]])))
    assert np.isnan(grid.picture.marks[0].y[1]).all()
    grid.grab()


def test_that_rare_classes_are_drawn_together(grid):
    counts = np.diag(np.arange(20, 0, -1)) + 1
    grid.set_picture(confusion_picture(tuple(f"c{i}" for i in range(20)), counts))
    assert grid.picture.y.labels == (*(f"true c{i}" for i in range(7)), "true others")
    told = [float(cell) for row in grid.rows()[1:] for cell in row[1:]]
    assert sum(told) == counts.sum()
    grid.grab()


def test_that_the_name_of_a_curve_that_ends_before_a_line_of_comparison_leaves_it_its_room(
    workbench,
):
    theme, area = workbench.themes.theme, QRectF(46, 10, 300, 200)
    ink = theme.colour("text2")
    ends = [("majority class", 346, 80), ("undistorted tree", 346, 82), ("naive Bayes", 340, 79)]
    labels = [EndLabel(QPointF(x, y), name, ink) for name, x, y in ends]
    boxes = [box for _, box in end_label_boxes(theme, labels, area, 500)]
    assert not any(one.intersects(other) for one, other in itertools.combinations(boxes, 2))
    # One in the middle of the picture keeps the height of its curve.
    far = EndLabel(QPointF(60, 81), "tree", ink)
    found = end_label_boxes(theme, [*labels, far], area, 500)
    (box,) = (box for label, box in found if label is far)
    assert box.center().y() == pytest.approx(81)
