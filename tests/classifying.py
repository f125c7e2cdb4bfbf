"""A small study for the tests of the Classify page, and what its table shows."""

from __future__ import annotations

from designs import classic_study
from experiments import DESIGN, make_records
from PySide6.QtCore import Qt


def make_study(rows=60, design=DESIGN):
    """Records of buyers under a design."""
    table = make_records(rows)
    return classic_study(table, "buyers").with_(design=design)


def spoken(page):
    """What is said of the rows of the table of results."""
    model, role = page.results.table.model(), Qt.ItemDataRole.AccessibleTextRole
    return [model.index(row, 0).data(role) for row in range(model.rowCount())]


def cells(page, column=0):
    """A column of the table of results."""
    model = page.results.table.model()
    return [model.index(row, column).data() for row in range(model.rowCount())]
