"""How long the Mine page keeps a person waiting, with results of a hundred thousand rows."""

from __future__ import annotations

import threading

import pytest
from designs import classic_study
from gui.mine.conftest import mined, page
from gui.mine.test_listings import show, view
from gui.mine.test_running import slow
from mining_page import choose, mine, settle
from mining_studies import many_rules, many_sets, survey_study
from patience import PATIENCE
from PySide6.QtCore import QPoint
from slowness import Stopwatch

from ppworkbench.analyses.mining.items import available_items
from ppworkbench.analyses.mining.mine import Mine
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.gui.pages.mine import MinePage
from ppworkbench.gui.pages.mine.item_dialog import ItemDialog

STEP, PAGE = 100, 400


def test_that_the_page_is_made_and_shown(qtbot, workbench, max_block):
    workbench.store.open(survey_study(200))
    with max_block(PAGE):
        made = MinePage(workbench)
        qtbot.addWidget(made)
        made.resize(1290, 660)
        made.show()
        made.shown()
    settle(qtbot, made)


def test_that_a_study_is_mined(qtbot, mined, max_block):
    # Letters are drawn for the first time with the first result.
    choose(mined, min_support=0.05)
    with max_block(STEP):
        mine(qtbot, mined)


def test_that_a_run_is_cancelled(qtbot, mined, slow, within):
    mined.primary.trigger()
    qtbot.waitUntil(lambda: "size" in mined.results.strip.label.words())
    watch = Stopwatch()
    mined.cancel_action.trigger()
    qtbot.waitUntil(lambda: not mined.task.is_running)
    within({"cancel": watch.milliseconds}, 500)


def test_that_a_run_that_does_not_listen_is_let_go(qtbot, mined, monkeypatch, within):
    deaf = threading.Event()

    def run_mining(request, source, progress):
        deaf.wait(PATIENCE)
        progress(0.5)

    monkeypatch.setattr(Mine, "run", run_mining)
    mined.primary.trigger()
    qtbot.waitUntil(lambda: mined.task.is_running)
    watch = Stopwatch()
    mined.cancel_action.trigger()
    qtbot.waitUntil(lambda: not mined.task.is_running)
    deaf.set()
    within({"cancel": watch.milliseconds}, 500)


def test_that_thousands_of_items_are_filtered(qtbot, workbench, max_block):
    columns = [Column(Attribute(f"thing{i}", Kind.BINARY, ("0", "1")), [0, 1]) for i in range(3000)]
    offer = available_items(classic_study(Table(tuple(columns)), "baskets"))
    made = ItemDialog(workbench.themes, offer, offer.usual)
    qtbot.addWidget(made)
    made.show()
    qtbot.wait(1)
    with max_block(STEP):
        for key in "g29":
            qtbot.keyClick(made.field, key)
            qtbot.wait(1)


@pytest.mark.parametrize("make", [many_sets, many_rules])
def test_that_a_hundred_thousand_rows_are_shown_and_scrolled(qtbot, view, max_block, make):
    listing = make()
    with max_block(STEP):
        show(view, listing)
        qtbot.wait(1)
    bar = view.verticalScrollBar()
    with max_block(STEP):
        for share in (0.1, 0.5, 0.9, 1.0):
            bar.setValue(round(share * bar.maximum()))
            view.viewport().repaint()
            qtbot.wait(1)
        view.select_place(int(view.rows[-5]))
        qtbot.wait(1)


def test_that_a_hundred_thousand_rows_are_filtered(qtbot, view, max_block):
    listing = many_sets()
    view.sorting = "itemset", False
    with max_block(STEP):
        for text in ("i", "it", "item 0", "item 01", "item 01 item 02"):
            show(view, listing, text, 2)
            qtbot.wait(5)


def test_that_a_hundred_thousand_points_are_drawn(qtbot, page, max_block):
    listing = many_sets()
    with max_block(STEP):
        page.truth.show_listing(listing)
        page.truth.stack.setCurrentWidget(page.truth.plot)
        page.truth.plot.viewport().repaint()
        qtbot.wait(1)
        qtbot.mouseMove(page.truth.plot.viewport(), QPoint(150, 100))
        qtbot.wait(1)
        page.truth.plot.choose(7)
        page.truth.plot.viewport().repaint()
