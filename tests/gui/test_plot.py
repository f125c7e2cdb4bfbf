"""What every plot of the window is made of."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox
from pytestqt.qtbot import QtBot

from ppworkbench.gui.charts.chart import Plot
from ppworkbench.gui.workbench import Workbench


def test_that_a_plot_makes_no_panel_of_controls(qtbot: QtBot, workbench: Workbench) -> None:
    plot = Plot(workbench.themes, "a plot")
    qtbot.addWidget(plot)
    menu = plot.getPlotItem().ctrlMenu
    assert menu.actions()
    assert not menu.findChildren(QCheckBox)


def test_that_a_plot_that_had_much_room_asks_for_no_more(
    qtbot: QtBot, workbench: Workbench
) -> None:
    plot = Plot(workbench.themes, "a plot")
    qtbot.addWidget(plot)
    plot.show()
    asked = plot.sizeHint()
    plot.resize(1200, 900)
    assert plot.sizeHint() == asked
    assert asked.height() < 300


def test_that_what_the_panel_would_set_can_still_be_set(qtbot: QtBot, workbench: Workbench) -> None:
    plot = Plot(workbench.themes, "a plot")
    qtbot.addWidget(plot)
    plot.setLogMode(x=True)
    assert plot.getAxis("bottom").logMode
    plot.setLogMode(x=False)
    assert not plot.getAxis("bottom").logMode


def test_that_only_two_sides_have_an_axis(qtbot: QtBot, workbench: Workbench) -> None:
    plot = Plot(workbench.themes, "a plot")
    qtbot.addWidget(plot)
    sides = ("left", "bottom", "right", "top")
    assert [plot.getAxis(side).isVisible() for side in sides] == [True, True, False, False]


def test_that_numbers_below_one_are_written_in_full(qtbot: QtBot, workbench: Workbench) -> None:
    plot = Plot(workbench.themes, "a plot")
    qtbot.addWidget(plot)
    plot.label_axes(bottom="share")
    plot.setXRange(0.0, 0.002, padding=0)
    axis = plot.getAxis("bottom")
    assert axis.label.toPlainText().strip() == "share"
    assert axis.tickStrings([0.001], axis.autoSIPrefixScale * axis.scale, 0.001) == ["0.001"]


def test_that_a_label_that_comes_later_is_laid_out(qtbot: QtBot, workbench: Workbench) -> None:
    plot = Plot(workbench.themes, "a plot")
    qtbot.addWidget(plot)
    low = plot.getAxis("bottom").height()
    plot.label_axes(bottom="income")
    assert plot.getAxis("bottom").label.isVisible()
    assert plot.getAxis("bottom").maximumHeight() > low
    plot.setLabel("bottom", "")
    assert not plot.getAxis("bottom").label.isVisible()
