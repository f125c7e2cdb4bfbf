"""Tables that were attacked."""

import pytest
from attackable import design_of, noisy, people

from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams


@pytest.fixture(scope="session")
def attacked():
    """Original, distorted and design."""
    table = people()
    design = noisy(table)
    return table, distort(table, design, SeededStreams(3)), design


@pytest.fixture(scope="session")
def open_table():
    """A table published as it is."""
    table = people(800)
    design = design_of(table)
    return table, distort(table, design, SeededStreams(3)), design
