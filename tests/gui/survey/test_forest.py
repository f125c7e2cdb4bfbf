"""The pictures of a regression: odds ratios on their axis, and the line of predictions."""

from __future__ import annotations

import math
from dataclasses import replace

from explaining import plain_study

from ppworkbench.analyses.estimates.request import estimate
from ppworkbench.analyses.regression.regress import Regress
from ppworkbench.core.models import parse_formula
from ppworkbench.gui.charts.axes import log_ticks
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.study.distorted_cache import DistortedCache


def told(words, **more):
    """A regression on the answers of a study."""
    study = plain_study()
    request = Regress(formula=parse_formula(words), **more)
    answers = DistortedCache().of(study)
    return request.finds(request, estimate(request, answers, study.design), study.design)


def test_that_odds_ratios_stand_at_their_logarithms_around_1():
    picture = told("vote=yes ~ town + age").picture("coefficients")
    assert picture.x.is_log
    assert picture.x.low < 1 < picture.x.high
    (rule,) = picture.rules
    assert rule.x.tolist() == [1.0]
    assert picture.y.labels[0] == "town: Beech (reference: Ash)"


def test_that_an_endless_interval_leaves_the_others_readable():
    found = told("vote=yes ~ town + age")
    terms = list(found.found.terms)
    terms[1] = replace(terms[1], low=-35.0, high=23.0)
    endless = found.of(replace(found.found, terms=tuple(terms))).picture("coefficients")
    assert math.log(endless.x.high) < 20
    assert math.log(endless.x.low) > -20


def test_that_a_number_of_the_outcome_has_a_linear_axis_around_0():
    picture = told("age ~ town + pay").picture("coefficients")
    assert not picture.x.is_log
    assert picture.rules[0].x.tolist() == [0.0]


def test_that_few_decades_have_numbers_between_them():
    shown = [words for _, words in log_ticks(8.0, 0.5, 8)]
    assert shown == ["0.5", "1", "2", "5"]
    assert [words for _, words in log_ticks(5000.0, 1.0, 8)] == ["1", "10", "100", "1,000"]


def test_that_a_line_of_predictions_is_told_and_copied(qtbot, workbench):
    predict = tuple({"age": str(age)} for age in (20, 35, 50))
    found = told("vote=yes ~ age", predict=predict)
    plot = PictureChart(workbench.themes, "Predictions")
    qtbot.addWidget(plot)
    plot.resize(400, 260)
    plot.set_picture(found.picture("predictions"))
    assert plot.rows()[0][0] == "age"
    first, *_ = found.found.predictions
    assert plot.rows()[1][:2] == ["20", f"{first.estimate:.10g}"]
    assert plot.summary().startswith("age: 20: prediction ")
    bottom, top = plot.viewRange()[1]
    assert bottom == 0
    assert top >= max(one.high for one in found.found.predictions)


def test_that_several_answers_have_a_picture_each():
    predict = tuple({"town": town} for town in ("Ash", "Cedar"))
    found = told("mood ~ town", predict=predict)
    names = [one.name for one in found.pictures()]
    assert names == ["coefficients", "predictions bad", "predictions fair", "predictions good"]
    assert found.picture("predictions good").y.labels == ("Ash", "Cedar")
