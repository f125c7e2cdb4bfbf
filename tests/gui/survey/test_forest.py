"""The axis of coefficients, and the line of predictions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ppworkbench.gui.charts.intervals import Mark
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.charts.regression import make_scale
from ppworkbench.gui.pages.survey.regression.cards import prediction_picture
from ppworkbench.gui.pages.survey.texts import EstimateFormat


def test_that_ratios_stand_at_their_logarithms():
    scale = make_scale([Mark("reconstructed", "", 2.0, 0.5, 8.0)], is_ratio=True)
    assert scale.neutral == 1.0
    assert scale.at(2.0) - scale.at(1.0) == pytest.approx(scale.at(4.0) - scale.at(2.0))
    assert scale.at(0.0) < 0
    assert [value for value, _ in scale.ticks(8)] == [0.5, 1, 2, 4, 8]


def test_that_both_sides_of_no_difference_are_seen():
    scale = make_scale([Mark("reconstructed", "", 3.0, 2.0, 5.0)], is_ratio=True)
    assert scale.at(0.5) > 0
    scale = make_scale([Mark("reconstructed", "", 3.0, 2.0, 5.0)], is_ratio=False)
    assert 0 < scale.at(0.0) < scale.at(5.0) < 1


def test_that_an_endless_interval_leaves_the_others_readable():
    marks = [
        Mark("reconstructed", "", 1.5, 1e-15, 1e10),
        Mark("reconstructed", "", 0.8, math.nan, math.nan),
    ]
    scale = make_scale(marks, is_ratio=True)
    assert scale.at(1e10) > 1
    assert scale.at(1e-15) < 0
    assert scale.high < 100
    assert scale.ticks(4)
    assert make_scale([], is_ratio=False).ticks(4)


def test_that_a_line_of_predictions_is_told_and_copied(qtbot, workbench):
    plot = PictureChart(workbench.themes, "Predictions")
    qtbot.addWidget(plot)
    x = np.linspace(20, 80, 5)
    y = np.array([0.3, 0.26, 0.22, 0.19, 0.16])
    told = (0, 4), ("30 ± 4 %", "16 ± 4 %")
    plot.resize(400, 260)
    plot.set_picture(
        prediction_picture("age", x, (y, y - 0.04, y + 0.05), told, True),
        EstimateFormat.of_share().text,
    )
    assert plot.rows()[0][0] == "age"
    assert plot.rows()[-1] == ["80", "0.16", "0.12", "0.21"]
    assert plot.summary().startswith("age: 20: prediction 30.0\u202f% (26.0\u202f% to 35.0\u202f%)")
    assert plot.accessibleDescription() == plot.summary()
    bottom, top = plot.viewRange()[1]
    assert bottom == 0
    assert top >= 0.35
