"""Domains that are read off the data, and those that a person sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data import edits
from ppworkbench.core.data.attribute import (
    CLIP,
    FROM_DATA,
    PUBLIC,
    REFUSE,
    Attribute,
    Kind,
    rounded_domain,
)
from ppworkbench.core.data.codebook import (
    Codebook,
    attribute_from_json,
    attribute_to_json,
    codebook_sheet,
)
from ppworkbench.core.data.files import read_table
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Identity, SquareWave
from ppworkbench.core.design.design_file import design_from_json, design_to_json
from ppworkbench.core.design.distort import distort
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.rng import SeededStreams

AGE = Attribute("age", Kind.INTEGER, domain=(0, 100))


@pytest.mark.parametrize(
    ("low", "high", "domain"),
    [
        (18, 89, (0, 100)),
        (1234.56, 98765.4, (0, 100_000)),
        (0, 7, (0, 8)),
        (0.13, 0.97, (0, 1)),
        (-3.2, 41, (-10, 50)),
        (5, 5, (5, 6)),
        (0.3, 0.6, (0.3, 0.6)),
        (-0.5, -0.5, (-1, 0)),
        (-1.6e-8, 1200.00000001, (0, 1200)),
    ],
)
def test_that_a_domain_of_data_is_rounded_out(low, high, domain):
    assert rounded_domain(low, high) == domain


@given(st.floats(-1e12, 1e12), st.floats(0, 1e12))
def test_that_a_rounded_domain_holds_the_data_and_is_never_a_point(low, width):
    high = low + width
    first, last = rounded_domain(low, high)
    assert first <= low + 1e-9 * width
    assert high - 1e-9 * width <= last
    assert first < last


def test_that_a_rounding_error_beyond_a_domain_is_on_its_end(tmp_path):
    numbers = np.random.default_rng(3).uniform(1, 1199, 200)
    numbers[:3] = -1.6e-8, 1200.00000001, np.nan
    path = tmp_path / "paid.csv"
    path.write_text(
        "paid,row\n" + "".join(f"{one!r},{i % 7}\n" for i, one in enumerate(numbers.tolist()))
    )
    table = read_table(path)
    attribute = table["paid"].attribute
    assert attribute.domain == (0, 1200)
    edits.set_domain(table, "paid", 0, 1200)
    design = Design((DesignedAttribute(attribute, SquareWave()),))
    assert distort(table, design, SeededStreams(1)).rows == 200
    with pytest.raises(DataError, match="1 value lies outside"):
        edits.set_domain(table, "paid", 1, 1200)


def test_that_a_file_says_that_its_bounds_come_from_the_data(tmp_path):
    path = tmp_path / "ages.csv"
    path.write_text("age\n" + "\n".join(map(str, range(18, 90))) + "\n" + "20\n" * 9)
    attribute = read_table(path)["age"].attribute
    assert attribute.domain == (0, 100)
    assert attribute.domain_source == FROM_DATA


def _table(*numbers: float, attribute: Attribute = AGE) -> Table:
    return Table((Column(attribute, np.array(numbers, float)),))


def test_that_typed_and_confirmed_bounds_are_public_and_fitted_ones_are_not():
    table = edits.fit_domain(_table(18, 89), "age")
    assert table["age"].attribute.domain == (0, 100)
    assert table["age"].attribute.domain_source == FROM_DATA
    assert edits.confirm_domain(table, "age")["age"].attribute.domain_source == PUBLIC
    typed = edits.set_domain(table, "age", 0, 120)
    assert typed["age"].attribute.domain_source == PUBLIC


def test_that_numbers_outside_of_bounds_are_refused_unless_they_are_clipped():
    table = _table(18, 101, 120, 130, np.nan, attribute=AGE.with_(domain=(0, 130)))
    with pytest.raises(DataError) as error:
        edits.set_domain(table, "age", 0, 100)
    assert str(error.value) == (
        "Attribute 'age': 3 values lie outside the domain [0, 100]; widen it or clip values to it."
    )
    clipped = edits.set_domain(edits.set_outside(table, "age", CLIP), "age", 0, 100)
    assert clipped["age"].attribute.outside == CLIP
    with pytest.raises(DataError):
        edits.set_outside(clipped, "age", REFUSE)


def test_that_distortion_refuses_or_clips_as_the_design_says():
    table = _table(18, 120, 130, attribute=AGE.with_(domain=(0, 130)))
    refusing = Design((DesignedAttribute(AGE, SquareWave(epsilon=1.0)),))
    with pytest.raises(DesignError, match="2 values lie outside"):
        distort(table, refusing, SeededStreams(1))
    clipping = AGE.with_(outside=CLIP)
    plain = distort(table, Design((DesignedAttribute(clipping, Identity()),)), SeededStreams(1))
    assert plain["age"].data.tolist() == [18, 100, 100]
    drawn = Design((DesignedAttribute(clipping, SquareWave(epsilon=1.0)),))
    assert np.isfinite(distort(table, drawn, SeededStreams(1))["age"].data).all()
    assert Prior.from_column(table["age"], clipping).probabilities[-1] == pytest.approx(2 / 3)


def test_that_files_keep_where_bounds_come_from():
    attribute = AGE.with_(domain_source=FROM_DATA, outside=CLIP)
    assert attribute_from_json(attribute_to_json(attribute)) == attribute
    assert "bounds taken from the data" in codebook_sheet(Codebook((attribute,)), "a.csv")
    design = Design((DesignedAttribute(attribute, Identity()),))
    told = design_to_json(design)
    assert told["version"] == 2
    assert told["attributes"]["age"]["domain_source"] == "data"
    assert design_from_json(told) == design
    usual = design_to_json(Design((DesignedAttribute(AGE, Identity()),)))
    assert usual["version"] == 1
    assert "domain_source" not in usual["attributes"]["age"]
    told["attributes"]["age"]["domain_source"] = "rumour"
    with pytest.raises(DesignError, match="domain_source"):
        design_from_json(told)
