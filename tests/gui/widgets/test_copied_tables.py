"""Tables on the clipboard: columns for spreadsheets, finished tables for documents."""

from __future__ import annotations

import csv
import io

import pytest
from PySide6.QtGui import QGuiApplication, QTextDocument
from PySide6.QtWidgets import QMenu

from ppworkbench.core.message import Message
from ppworkbench.gui.language import speech
from ppworkbench.gui.widgets.provenance import set_invented_note
from ppworkbench.gui.widgets.sheet_table import SheetTable
from ppworkbench.results.files import TABLES
from ppworkbench.results.sheet import Column, Kind, Sheet, bracket_note

SHEET = Sheet(
    "supports", Message("Supports"),
    (
        Column("item", Message("itemset"), Kind.TEXT, ["bread", "a_b & c", "milk"]),
        Column("support", Message("support"), Kind.SHARE, [0.5, 0.25, 0.125], "low", "high"),
        Column("low", Message("low"), Kind.SHARE, [0.4, 0.2, 0.1]),
        Column("high", Message("high"), Kind.SHARE, [0.6, 0.3, 0.15]),
        Column("weight", Message("weight"), Kind.NUMBER, [1.5, 2.5, 3.5], unit="kg"),
        Column("length", Message("length"), Kind.COUNT, [1, 2, 1], is_detail=True),
    ),
    note=bracket_note(1200, 0.95),
)  # fmt: skip


@pytest.fixture
def table(workbench, qtbot) -> SheetTable:
    made = SheetTable(workbench.themes, "supportsTable", "Supports")
    qtbot.addWidget(made)
    made.set_sheet(SHEET)
    made.resize(700, 200)
    made.show()
    return made


def choose(table: SheetTable, *names: str) -> None:
    """Trigger an entry of the menu of the right button, or of a menu in it."""
    menu = table.make_menu(table.mapToGlobal(table.rect().center()))
    for name in names[:-1]:
        menu = next(one for one in menu.findChildren(QMenu) if one.title() == name)
    next(one for one in menu.actions() if one.text() == names[-1]).trigger()


def test_that_a_copied_table_is_columns_for_spreadsheets_and_a_finished_table_for_documents(table):
    for _ in range(2):
        choose(table, "Copy table")
        data = QGuiApplication.clipboard().mimeData()
        rows = [line.split("\t") for line in data.text().split("\n")]
        assert rows[0] == ["itemset", "support", "low", "high", "weight (kg)"]
        assert [row[0] for row in rows[1:]] == ["bread", "a_b & c", "milk"]
        assert all(len(row) == 5 for row in rows)
        assert rows[2][1:4] == ["25.0\u202f%", "20.0\u202f%", "30.0\u202f%"]
        pasted = QTextDocument()
        pasted.setHtml(data.html())
        shown = pasted.toPlainText()
        assert "0.2500 [0.2000, 0.3000]" in shown
        assert "weight (kg)" in shown
        assert "n = 1,200; 95 % confidence intervals in brackets." in shown


def test_that_rows_that_are_chosen_are_copied_in_their_order_with_the_columns_that_are_shown(table):
    table.turn_detail("length")
    table.sort_by("support", falls=False)
    table.selectRow(0)
    assert table.copy() == 1
    data = QGuiApplication.clipboard().mimeData()
    assert [line.split("\t")[0] for line in data.text().split("\n")] == ["itemset", "milk"]
    assert "length" in data.html()
    assert "bread" not in data.html()


@pytest.mark.parametrize("kind", TABLES, ids=lambda one: one.suffix)
def test_that_a_table_is_copied_as_the_text_of_every_kind_of_file(table, kind):
    set_invented_note("Simulated data.")
    choose(table, "Copy as", str(kind.name))
    set_invented_note("")
    data = QGuiApplication.clipboard().mimeData()
    # What documents take is there as a table, not as its source.
    assert data.hasHtml() == (kind.suffix == ".html")
    assert data.text() == kind.text([SHEET], note="Simulated data.")
    if kind.separator:
        _, head, *rows = csv.reader(io.StringIO(data.text()), delimiter=kind.separator)
        assert head == [one.key for one in SHEET.columns]
        assert len(rows) == 3


def test_that_a_polish_window_copies_polish_numbers(table):
    speech.choose("pl")
    choose(table, "Kopiuj jako", "LaTeX")
    text = QGuiApplication.clipboard().text()
    assert "0,2500 [0,2000; 0,3000]" in text
    assert "w nawiasach przedziały ufności" in text
    # Older engines know no narrow spaces.
    assert not {"\u202f", "\xa0"} & set(text)
