"""Small tables of answers for tests of the window."""

from __future__ import annotations

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind, MissingCode
from ppworkbench.core.data.table import Column, Table
from ppworkbench.gui.pages.page import Page

MOOD = ("bad", "fair", "good", "great")


def small_table(rows: int = 60) -> Table:
    """One attribute of each kind; ``income`` lacks every tenth answer, ``age`` holds a code."""
    place = np.arange(rows)
    income = 1000.25 + 100.0 * place
    income[::10] = np.nan
    age = 20.0 + place % 50
    age[3] = np.nan
    why = np.zeros(rows, np.int16)
    why[3] = 1
    town = Attribute("town", Kind.NOMINAL, ("north", "south", "east"), label="Where do you live?")
    mood = Attribute("mood", Kind.ORDINAL, MOOD, codes=(1.0, 2.0, 3.0, 4.0), reason="A scale.")
    columns = (
        Column(town, place % 3),
        Column(mood, place % 4),
        Column(Attribute("smokes", Kind.BINARY, ("no", "yes"), reason="Two values."), place % 2),
        Column(
            Attribute(
                "age", Kind.INTEGER, domain=(18, 90), missing_codes=(MissingCode(-9.0, "?"),)
            ),
            age,
            why,
        ),
        Column(
            Attribute("income", Kind.CONTINUOUS, domain=(0, 10_000), reason="Decimals."), income
        ),
    )
    return Table(columns, class_name="smokes", source="small")


def wide_table(columns: int = 2000, rows: int = 100) -> Table:
    """Very many questions with answers from 1 to 5."""
    answers = np.arange(rows) % 5
    return Table(
        tuple(
            Column(Attribute(f"q{i + 1}", Kind.ORDINAL, tuple("12345"), reason="A scale."), answers)
            for i in range(columns)
        )
    )


def attribute(page: Page, name: str) -> Attribute:
    """An attribute of the answers as the study of a page has it now."""
    table = page.workbench.store.study.original
    assert table is not None
    return table[name].attribute
