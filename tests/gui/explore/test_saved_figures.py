"""Charts that are saved or copied: drawn for paper, never a grab of the screen."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from exploring import settle
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QMenu

from ppworkbench.gui.charts.chart_export import pictures_of

_SVG = "{http://www.w3.org/2000/svg}"


def charts(page):
    """The charts in sight that are drawn anew, by name."""
    found = {one.name: one.widget for one in pictures_of(page)}
    return {name: one for name, one in found.items() if getattr(one, "picture", None) is not None}


def choose(menu: QMenu, *names: str) -> None:
    """Trigger an entry of a menu, or of a menu in it."""
    for name in names[:-1]:
        menu = next(one for one in menu.findChildren(QMenu) if one.title() == name)
    next(one for one in menu.actions() if one.text() == names[-1]).trigger()


def wait_for_job(qtbot, page, done) -> None:
    qtbot.waitUntil(done)
    settle(qtbot, page)


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_that_every_chart_is_saved_as_a_figure(qtbot, page, dialogs, tmp_path, suffix):
    assert len(charts(page)) >= 2
    for place, chart in enumerate(charts(page).values()):
        path = tmp_path / f"{place}.{suffix}"
        choose(chart.make_menu(), f"Save as {suffix.upper()}…")
        dialogs.choose(path)
        wait_for_job(qtbot, page, path.exists)
        begins = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix]
        assert path.read_bytes().startswith(begins)


def test_that_a_histogram_keeps_its_legend_and_the_hatch_of_reports(qtbot, page, dialogs, tmp_path):
    page.store.select(["town"])
    settle(qtbot, page)
    chart = max(charts(page).values(), key=lambda one: len(one.picture.marks))
    path = tmp_path / "town.svg"
    choose(chart.make_menu(), "Save as SVG…")
    dialogs.choose(path)
    wait_for_job(qtbot, page, path.exists)
    tree = ET.parse(path)
    words = {"".join(one.itertext()).strip() for one in tree.iter(f"{_SVG}text")}
    assert {"Ash", "Beech", "Cedar", "Oak", "share"} <= words
    assert words >= {str(mark.name) for mark in chart.picture.marks if mark.name}
    assert list(tree.iter(f"{_SVG}pattern"))


def test_that_the_size_of_figures_is_chosen_once(qtbot, page):
    chart = next(iter(charts(page).values()))
    widths = []
    for size in ("One column (85 mm)", "Slide (16:9)"):
        choose(chart.make_menu(), "Figure size", size)
        QGuiApplication.clipboard().clear()
        choose(chart.make_menu(), "Copy chart")
        wait_for_job(qtbot, page, lambda: not QGuiApplication.clipboard().image().isNull())
        widths.append(QImage(QGuiApplication.clipboard().image()).width())
    assert widths == [int(85 / 25.4 * 300), 3000]
