"""The 7-row example of the papers, as people would have answered and as it was sent.

P. Andruszkiewicz, article on privacy preserving deliberative consultations, 2016, tables I and
II; his thesis of 2011 prints the same rows as tables 3.1 and 3.2. Salary was distorted by adding
uniform noise from [-500, 500], Age from [-10, 10]; Sex and Credits status kept their value with
probability 0.6; Children was not distorted.

As printed, two ages moved a little further than the noise allows: row 3 by 10.27 years, row 6
by 10.72. We keep what is printed.
"""

from __future__ import annotations

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.generators.draws import table_of_rows
from ppworkbench.core.data.table import Table
from ppworkbench.core.message import Message

_ATTRIBUTES = (
    Attribute(
        "Salary",
        Kind.CONTINUOUS,
        domain=(0, 6000),
        label="What is your monthly salary?",
        title="Monthly salary",
    ),
    Attribute(
        "Age", Kind.CONTINUOUS, domain=(18, 65), label="How old are you?", unit=Message("years")
    ),
    Attribute("Sex", Kind.BINARY, ("F", "M"), label="Are you a woman (F) or a man (M)?"),
    Attribute(
        "Credits status",
        Kind.NOMINAL,
        ("none", "present", "repaid", "overdue"),
        label="Have you taken a credit, and what became of it?",
        title="Credit status",
    ),
    Attribute(
        "Children", Kind.BINARY, ("N", "Y"), label="Do you have children?", title="Has children"
    ),
)

_ORIGINAL = """
1000 35 M none    N
1500 37 F overdue Y
5000 41 M present N
3000 44 M repaid  N
4200 50 F repaid  N
2000 28 F none    N
1000 30 M none    Y
"""

_DISTORTED = """
1353.32 33.42 M repaid  N
1611.83 40.64 M overdue Y
5428.27 51.27 M present N
2573.22 39.51 F none    N
4145.89 42.67 M repaid  N
2258.34 38.72 F none    N
1054.03 36.65 M overdue Y
"""


def consultation_table() -> Table:
    """What the seven participants would have answered.

    >>> consultation_table()["Age"].data.tolist()
    [35.0, 37.0, 41.0, 44.0, 50.0, 28.0, 30.0]
    """
    return _table(_ORIGINAL, "consultation")


def distorted_consultation_table() -> Table:
    """What the seven participants sent."""
    return _table(_DISTORTED, "consultation-distorted")


def _table(text: str, source: str) -> Table:
    # The attribute that is not distorted is the class; in the thesis it is called Bad credit.
    rows = [line.split() for line in text.split("\n") if line]
    return table_of_rows(_ATTRIBUTES, rows, class_name="Children", source=source)
