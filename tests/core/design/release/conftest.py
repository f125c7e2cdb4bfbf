"""What tests of releases share."""

from __future__ import annotations

import numpy as np
import pytest
from releasing import MARKER, ROWS, SECRET

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Uniform,
)


@pytest.fixture
def people() -> Table:
    """Answers with a name that no design lists and a number that nobody else has."""
    source = np.random.default_rng(5)
    income = source.normal(3_000, 500, ROWS)
    income[7] = MARKER
    names = tuple([f"person {i}" for i in range(ROWS - 1)] + [SECRET])
    return Table(
        (
            Column(Attribute("name", Kind.NOMINAL, names), np.arange(ROWS)[::-1]),
            Column(Attribute("income", Kind.CONTINUOUS, domain=(1, 10_000)), income),
            Column(Attribute("age", Kind.INTEGER, domain=(18, 90)), source.integers(18, 91, ROWS)),
            Column(Attribute("voted", Kind.BINARY, ("no", "yes")), source.integers(0, 2, ROWS)),
        )
    )


@pytest.fixture
def design(people) -> Design:
    noise = {
        "income": Additive(noise="laplace", scale=700.0),
        "age": Additive(noise="uniform", half_width=10, integer="staircase"),
        "voted": Uniform(keep=0.7),
    }
    return Design(tuple(DesignedAttribute(people[n].attribute, p) for n, p in noise.items()))
