"""Tables and options for tests of publishing: random tables, and one with known groups."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.publish import DeniabilityOptions

SMOKES = Attribute("smokes", Kind.BINARY, ("no", "yes"))
AGE = Attribute("age", Kind.INTEGER, domain=(18, 90))
INCOME = Attribute("income", Kind.CONTINUOUS, domain=(0, 1000))
DISTRICT = Attribute("district", Kind.NOMINAL, ("north", "east", "south"))
MOOD = Attribute("mood", Kind.ORDINAL, ("bad", "fair", "good"))
FREE = DeniabilityOptions(min_deniability=0.0, smallest_group=1)


def rules(**changes: object) -> DeniabilityOptions:
    """Options that let even a single person be a group."""
    return DeniabilityOptions(**({"min_deniability": 0.1, "smallest_group": 1} | changes))


def smokers(rows: int = 400, seed: int = 1) -> Table:
    """Smoking depends on the district and, more, on age; income tells nothing."""
    generator = np.random.default_rng(seed)
    district = generator.integers(0, 3, rows)
    age = generator.integers(18, 91, rows).astype(float)
    chance = 0.2 + 0.2 * (district == 0) + 0.4 * (age < 40)
    smokes = (generator.random(rows) < chance).astype(int)
    # Everybody has another income, so that a shuffled row can be found again.
    income = 1000 * (generator.permutation(rows) + 0.5) / rows
    return Table(
        (Column(DISTRICT, district), Column(AGE, age), Column(INCOME, income),
         Column(SMOKES, smokes)),
        "smokes",
    )  # fmt: skip


@st.composite
def random_tables(draw: st.DrawFn) -> Table:
    """A table with every kind of feature, missing answers, and a sensitive attribute."""
    rows = draw(st.integers(2, 60))
    outcomes = draw(st.integers(2, 4))
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    answer = Attribute("answer", Kind.NOMINAL, tuple("abcd"[:outcomes]))
    least = draw(st.sampled_from([-1, 0]))
    numbers = generator.integers(0, draw(st.sampled_from([3, 20, 1000])), rows).astype(float)
    if least < 0:
        numbers[generator.random(rows) < 0.1] = np.nan
    columns = (
        Column(DISTRICT, generator.integers(least, 3, rows)),
        Column(MOOD, generator.integers(0, 2, rows)),
        Column(INCOME, numbers),
        Column(AGE, generator.integers(18, 30, rows).astype(float)),
        Column(answer, generator.integers(least, outcomes, rows)),
    )
    return Table(columns)
