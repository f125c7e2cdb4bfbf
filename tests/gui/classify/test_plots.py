"""Pictures of the Classify page: curves with bands, and the confusion matrix."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from window_hands import picture

from ppworkbench.analyses.experiments.classification import ClassifyRun
from ppworkbench.core.message import Message
from ppworkbench.gui.charts.legend import role_of
from ppworkbench.gui.charts.looks import look_colour, look_marker
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.pages.classify.result_cards import accuracy_picture, confusion_picture
from ppworkbench.gui.pages.classify.view import RUNNING
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape


def test_that_the_range_holds_everything_that_is_drawn(ran):
    drawn = ran.curve.plot.picture
    ends = [(one.y, one.low, one.high) for one in drawn.marks]
    known = np.concatenate([end for three in ends for end in three if end is not None])
    known = known[np.isfinite(known)]
    assert len(known) >= 8
    assert drawn.y.low <= known.min() < known.max() <= drawn.y.high


def test_that_a_click_and_the_arrow_keys_choose_a_level(ran, qtbot):
    plot = ran.curve.plot
    middle = (plot.picture.y.low + plot.picture.y.high) / 2
    ran.choose_level(0.0)
    right = plot.mapFromScene(plot.getViewBox().mapViewToScene(QPointF(99.0, middle)))
    qtbot.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=right)
    assert ran.focus.level == 100.0
    qtbot.keyClick(plot, Qt.Key.Key_Right)
    assert ran.focus.level == 100.0
    qtbot.keyClick(plot, Qt.Key.Key_Left)
    assert ran.focus.level == 0.0


def test_that_the_picture_is_told_in_words_and_numbers(ran):
    plot = ran.curve.plot
    tree = next(one for one in plot.picture.marks if one.name == "Decision tree")
    rows = plot.rows()
    assert rows[1][0] == "0"
    assert float(rows[1][1]) == pytest.approx(tree.y[0])
    assert rows[-1][0] == "majority class"
    assert len(rows) == 1 + 2 + 2
    assert "0: Decision tree" in plot.accessibleDescription()
    assert [words for _, words in plot.legend.entries] == ["Decision tree", "Naive Bayes"]


def test_that_levels_without_results_yet_are_marked(ran):
    def bands(view):
        drawn = accuracy_picture("Accuracy", view.run, view)
        return [float(one.x[0]) for one in drawn.marks if one.shape is Shape.BAND]

    view = ran.view
    partly = {key: one for key, one in view.summaries.items() if key[1] != 100.0}
    assert bands(view) == []
    assert bands(dataclasses.replace(view, state=RUNNING, summaries=partly)) == [100.0]


def test_that_nothing_is_drawn_without_results(ran):
    request = dataclasses.replace(ran.view.run.request, larger_line=False)
    view = dataclasses.replace(ran.view, run=ClassifyRun(request), summaries={})
    assert accuracy_picture("Accuracy", view.run, view) is None


def test_that_the_same_results_are_not_drawn_anew(ran):
    drawn = ran.curve.plot.picture
    ran.refresh()
    assert ran.curve.plot.picture is drawn


def test_that_curves_at_the_same_place_are_all_seen(grid, workbench):
    grid.resize(500, 300)
    levels, same = np.array([0.0, 50.0, 100.0]), np.full(3, 0.7)
    lines = tuple(
        Mark(
            Shape.LINE,
            Role.SERIES,
            Message(f"curve {place}"),
            levels,
            same,
            same - 0.02,
            same + 0.02,
            series=role_of(f"series {place}")[1],
        )
        for place in range(3)
    )
    up = Axis(Message("share"), low=0.64, high=0.75)
    grid.set_picture(Picture("curves", Message("Curves"), Axis(Message("level")), up, lines))
    image, view = picture(grid), grid.getViewBox()
    first, last = (grid.mapFromScene(view.mapViewToScene(QPointF(x, 0.7))) for x in (5, 45))
    spots = itertools.product(range(first.x(), last.x()), range(first.y() - 1, first.y() + 2))
    seen = np.array([image.pixelColor(*spot).getRgb()[:3] for spot in spots])
    looks = [f"series {place}" for place in range(3)]
    for look in looks:
        ink = look_colour(workbench.theme, look).getRgb()[:3]
        assert (np.abs(seen - ink).sum(axis=1) < 60).sum() > (last.x() - first.x()) / 6
    assert len(set(map(look_marker, looks))) == 3


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
