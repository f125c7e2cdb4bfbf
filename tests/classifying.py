"""A small study for the tests of the Classify page, and what its table shows."""

from __future__ import annotations

from designs import classic_study
from experiments import DESIGN, make_records


def make_study(rows=60, design=DESIGN):
    """Records of buyers under a design."""
    table = make_records(rows)
    return classic_study(table, "buyers").with_(design=design)


def cells(page, column=0):
    """A column of the table of results."""
    model = page.results.model
    return [model.index(row, column).data() for row in range(model.rowCount())]
