"""The table of records: labels or codes, missing chips, marked columns, a million rows."""

import numpy as np
import pytest
from answers import small_table
from designs import classic_study
from PySide6.QtCore import QPoint, Qt
from window_hands import picture, pixels

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.gui.pages.data.rows_table import RowsView


@pytest.fixture
def card(page):
    return page.rows


@pytest.fixture
def store(workbench):
    return workbench.store


def row(card, place):
    return [card.model.index(place, i).data() for i in range(card.model.columnCount())]


def test_that_answers_are_shown_as_people_read_them(card):
    assert row(card, 1) == ["south", "fair", "yes", "21", "1,100.25"]


def test_that_missing_answers_are_marked_and_say_why(card):
    cell = card.model.index(3, 3)
    assert cell.data() == "missing"
    assert card.model.columns[3].is_chip(3)
    assert cell.data(Qt.ItemDataRole.ToolTipRole) == "The file has -9 here: ?."
    empty = card.model.index(0, 4)
    assert empty.data(Qt.ItemDataRole.ToolTipRole) == "The cell is empty."


def test_that_codes_are_what_the_file_holds(card):
    card.shown_as.choose("codes")
    assert row(card, 3)[:4] == ["north", "4", "yes", "-9"]
    card.shown_as.choose("labels")
    assert row(card, 3)[:4] == ["north", "great", "yes", "missing"]


def test_that_codes_cannot_be_chosen_where_the_file_has_none(card, store):
    card.shown_as.choose("codes")
    plain = Table((Column(Attribute("town", Kind.NOMINAL, ("north", "south")), [0, 1]),))
    store.open(classic_study(plain, "plain"))
    assert card.shown_as.current == "labels"
    card.shown_as.choose("codes")
    assert card.shown_as.current == "labels"
    assert row(card, 1) == ["south"]


def test_that_numbers_stand_at_the_right_and_words_at_the_left(card):
    role = Qt.ItemDataRole.TextAlignmentRole
    assert card.model.index(0, 3).data(role) & Qt.AlignmentFlag.AlignRight
    assert card.model.index(0, 0).data(role) & Qt.AlignmentFlag.AlignLeft


def test_that_the_selected_attributes_are_marked(card, store, workbench):
    store.select(["income", "town"])
    head, ink = card.view.head, workbench.themes.theme.colour("accentInk").rgb()
    columns = np.flatnonzero((pixels(picture(head.viewport())) == ink).any(axis=0))
    assert {head.logicalIndexAt(int(x)) for x in columns} == {0, 4}


def test_that_a_click_on_a_name_selects_the_attribute(card, store, qtbot):
    head = card.view.head
    middle = head.sectionViewportPosition(1) + head.sectionSize(1) // 2
    qtbot.mouseClick(
        head.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(middle, head.height() // 2)
    )
    assert store.selected == ("mood",)


def test_that_the_hint_follows_the_scroll_bar(card):
    assert card.hint.text().startswith("rows 1–")
    assert card.hint.text().endswith("of 60; scroll for the rest")
    bar = card.view.verticalScrollBar()
    bar.setValue(bar.maximum())
    assert "–60 of 60" in card.hint.text()


def test_that_few_rows_are_all_told(card, store):
    store.open(classic_study(small_table().take(slice(0, 3)), "three"))
    assert card.hint.text() == "all 3 rows"


def test_that_a_table_without_records_says_so(card, store):
    store.open(classic_study(small_table().take(slice(0, 0)), "none"))
    assert card.hint.text() == "there are no records"
    card.grab()


def test_that_an_edit_keeps_the_place_in_the_table(card, store):
    card.view.verticalScrollBar().setValue(200)
    store.set_table(store.study.original.with_(class_name="town"), "class")
    assert card.view.verticalScrollBar().value() == 200


def test_that_a_column_out_of_sight_is_scrolled_to(card, store):
    wide = Table(
        tuple(
            Column(Attribute(f"question {i}", Kind.BINARY, ("no", "yes")), [0, 1])
            for i in range(60)
        )
    )
    store.open(classic_study(wide, "wide"))
    store.select(["question 50"])
    left = card.view.columnViewportPosition(50)
    assert left >= 0
    assert left + card.view.columnWidth(50) <= card.view.viewport().width()
    store.select(["question 0"])
    assert card.view.columnViewportPosition(0) == 0


def test_that_decimals_are_as_many_as_the_column_needs(qtbot, workbench):
    view = RowsView(workbench.themes)
    qtbot.addWidget(view)
    attribute = Attribute("x", Kind.CONTINUOUS, domain=(0, 1e6))
    for numbers, shown in (
        ([1.0, 2.0], "1"),
        ([1.5, 2.25], "1.50"),
        ([-3317.834312, 2.0], "−3,317.83"),
        ([0.000123, 0.5], "0.000123"),
    ):
        view.show_table(Table((Column(attribute, np.array(numbers)),)))
        assert view.model().index(0, 0).data() == shown


def test_that_a_million_rows_scroll_to_the_end(card, store, qapp):
    rows = 1_000_000
    answers = (np.arange(rows) % 5).astype(np.int8)
    likert = tuple(
        Column(Attribute(f"q{i}", Kind.ORDINAL, ("a", "b", "c", "d", "e")), answers)
        for i in range(10)
    )
    numbers = np.arange(rows) / 7
    incomes = tuple(
        Column(Attribute(f"income{i}", Kind.CONTINUOUS, domain=(0, rows)), numbers)
        for i in range(10)
    )
    store.open(classic_study(Table(likert + incomes), "big"))
    qapp.processEvents()
    bar = card.view.verticalScrollBar()
    for step in range(5):
        bar.setValue(bar.maximum() * step // 4)
        qapp.processEvents()
    assert card.hint.text().endswith("of 1,000,000; scroll for the rest")
    assert card.view.visible_rows()[1] == rows
