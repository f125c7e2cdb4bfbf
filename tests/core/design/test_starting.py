"""The design that a study begins with."""

from __future__ import annotations

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.distort import distort
from ppworkbench.core.design.starting import starting_design
from ppworkbench.core.rng import SeededStreams


@pytest.mark.parametrize("width", [5e-247, 1e-60, 1e-9, 1.0, 1e12, 1e60])
def test_that_numbers_of_any_range_have_a_design_to_begin_with(width):
    attribute = Attribute("x", Kind.CONTINUOUS, domain=(0.0, width))
    table = Table((Column(attribute, np.array([0.0, width / 2, width])),))
    distorted = distort(table, starting_design(table), SeededStreams(1))
    assert np.isfinite(distorted["x"].data).all()
