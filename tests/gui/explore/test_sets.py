"""Exploring a question whose reports are sets."""

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLabel
from window_hands import add_widget

from ppworkbench.core.design import Subset, UnaryEncoding
from ppworkbench.gui.charts.histogram import HistogramPlot
from ppworkbench.gui.pages.explore import ExplorePage
from ppworkbench.gui.widgets.controls import Segmented


@pytest.fixture(params=[Subset(epsilon=2.0), UnaryEncoding(epsilon=2.0)], ids=["subset", "oue"])
def page(qtbot, workbench, city_study, request):
    name = next(one.name for one in city_study.design if one.attribute.kind == "ordinal")
    workbench.store.open(city_study.with_perturbations({name: request.param}))
    workbench.store.select([name])
    page = ExplorePage(workbench)
    add_widget(qtbot, page)
    page.resize(1290, 690)
    page.show()
    page.shown()
    qtbot.waitUntil(lambda: page.result is not None and bool(page.result.runs))
    return page


def test_that_named_shares_and_reconstructed_shares_are_shown(page):
    view = page.view
    draw = view.result.draw
    naming = draw.explored.perturbation.naming(draw.counted.k)
    expected = naming.named(draw.original)
    error = np.sqrt(naming.variance(draw.original) / draw.counted.rows)
    assert np.all(np.abs(draw.distorted - expected) < 5 * error)
    for name, reading in view.readings.items():
        assert np.all(np.abs(reading.probability - draw.original) < 6 * error), name
        assert reading.low is not None
        assert np.all(reading.low <= reading.high)
    assert set(view.readings) == {"eq", "em-as"}


def test_that_nobody_is_asked_when_to_stop(page):
    rule = page.findChild(Segmented, "stopRule")
    assert not any(button.isEnabled() for button in rule.findChildren(QAbstractButton))
    told = {label.text() for label in page.findChildren(QLabel) if label.isVisible()}
    assert "Reports are sets: every algorithm runs to its end." in told
    assert not any("select EM" in words for words in told)


def test_that_repeating_counts_its_draws(page, qtbot):
    page.repeat()
    name = page.result.draw.explored.name
    qtbot.waitUntil(lambda: page.draws.found[name].done >= 3)
    page.draws.task.drop()
    losses = page.draws.found[name].of("eq", "")
    assert np.all(losses > 0)
    assert len(set(losses.tolist())) > 1


def test_that_what_chance_names_is_drawn_as_a_line(page):
    draw = page.result.draw
    naming = draw.explored.perturbation.naming(draw.counted.k)
    plots = [plot for plot in page.findChildren(HistogramPlot) if plot.isVisible()]
    lines = [
        item.value()
        for plot in plots
        for item in plot.getPlotItem().items
        if isinstance(item, pg.InfiniteLine) and item.pen.style() == Qt.PenStyle.DashLine
    ]
    assert lines
    assert all(value == pytest.approx(naming.h) for value in lines)
