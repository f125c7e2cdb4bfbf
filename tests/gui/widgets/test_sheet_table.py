"""The table of results: sorted, with intervals told, and further columns for whoever asks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication

from ppworkbench.core.message import Message
from ppworkbench.gui.widgets.sheet_table import RowLooks, SheetTable
from ppworkbench.results.sheet import Column, Kind, Sheet


def make_sheet() -> Sheet:
    """Three groups, one of them without an estimate."""
    nothing = float("nan")
    return Sheet(
        "groups", Message("Groups"),
        (
            Column("group", Message("Group"), Kind.TEXT, ["north", "south", "east"]),
            Column("share", Message("Share"), Kind.SHARE, [0.25, 0.5, nothing],
                   low="low", high="high", level=0.95, best={1}),
            Column("low", Message("low"), Kind.SHARE, [0.2, 0.4, nothing]),
            Column("high", Message("high"), Kind.SHARE, [0.3, 0.6, nothing]),
            Column("accuracy", Message("Accuracy"), Kind.NUMBER, [0.8, 0.9, 0.7], spread="sd",
                   decimals=3),
            Column("sd", Message("sd"), Kind.NUMBER, [0.01, 0.02, nothing], decimals=3),
            Column("people", Message("People"), Kind.COUNT, [1000, 2000, 30], is_detail=True),
        ),
        sort="share",
    )  # fmt: skip


@pytest.fixture
def table(qtbot, workbench):
    made = SheetTable(workbench.themes, "groups", "Groups")
    qtbot.addWidget(made)
    made.resize(600, 300)
    made.set_sheet(make_sheet())
    made.show()
    return made


def column_of(table, section):
    model = table.model()
    return [model.index(row, section).data() for row in range(model.rowCount())]


def test_that_rows_come_as_people_read_them_and_what_is_unknown_stands_last(table):
    assert column_of(table, 0) == ["south", "north", "east"]
    assert column_of(table, 1) == ["50.0\u202f%", "25.0\u202f%", "–"]
    assert table.model().headerData(1, Qt.Orientation.Horizontal) == "Share ± 95\u202f%"


def test_that_a_head_sorts_and_turns_the_order_round(qtbot, table):
    for expected in (["east", "north", "south"], ["south", "north", "east"]):
        place = QPoint(table.columnViewportPosition(0) + 20, 8)
        qtbot.mouseClick(table.head.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert column_of(table, 0) == expected


def test_that_a_row_stays_chosen_while_others_are_sorted_around_it(table):
    table.select_place(0)
    table.sort_by("group", falls=False)
    assert table.place == 0
    assert table.currentIndex().row() == 1


def test_that_intervals_and_the_best_are_said_aloud(table):
    spoken = table.model().index(0, 1).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "50.0\u202f%, best, interval 40.0\u202f% to 60.0\u202f%" in spoken
    assert "interval" not in table.model().index(2, 1).data(Qt.ItemDataRole.ToolTipRole)


def test_that_details_are_shown_when_somebody_asks(table):
    assert table.model().columnCount() == 3
    table.turn_detail("people")
    assert column_of(table, 3) == ["2,000", "1,000", "30"]
    table.turn_detail("people")
    assert table.model().columnCount() == 3


def test_that_spreads_are_copied_with_their_numbers(table):
    assert table.copy() == 3
    assert "0.900 ± 0.020" in QGuiApplication.clipboard().text()


def test_that_a_shorter_sheet_follows_a_longer_one(table):
    columns = tuple(replace(one, values=one.values[:1]) for one in make_sheet().columns)
    table.set_sheet(Sheet("groups", Message("Groups"), columns, sort="share"))
    assert column_of(table, 0) == ["north"]


def test_that_stale_rows_are_drawn_paler(table):
    fresh = table.grab().toImage()
    table.set_sheet(table.sheet, RowLooks(is_stale=True))
    assert table.grab().toImage() != fresh


def test_that_an_empty_sheet_has_heads_only(table):
    columns = (
        Column("group", Message("Group"), Kind.TEXT, []),
        Column("n", Message("n"), Kind.COUNT, np.empty(0)),
    )
    table.set_sheet(Sheet("none", Message("None"), columns))
    assert (table.model().rowCount(), table.model().columnCount()) == (0, 2)
