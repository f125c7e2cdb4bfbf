"""Rows are stored if the design can give them, and read back as they were sent."""

from __future__ import annotations

import numpy as np
import pytest
from collecting import DESIGN, codec, rows
from designs import AGE, ALL_CASES, COLOURS, YES_NO

from ppworkbench.core.data import sets
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Custom, Design, DesignedAttribute, Identity, Subset, Uniform
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.distort import Distorter
from ppworkbench.core.design.release import publishable
from ppworkbench.core.rng import SeededStreams
from ppworkbench.study.collector.rows import RowCodec


def reports(design: Design, count: int = 200) -> Table:
    """What respondents of a design would send."""
    rng = np.random.default_rng(1)
    columns = []
    for one in design:
        attribute = one.attribute
        if attribute.kind.is_categorical:
            data = rng.integers(0, attribute.k, count)
        else:
            low, high = attribute.domain
            data = np.rint(rng.uniform(low, high, count))
            data[:2] = low, high
        columns.append(Column(attribute, data))
    return Distorter(publishable(design), SeededStreams(3)).apply(Table(tuple(columns)))


def as_rows(table: Table) -> list[dict[str, object]]:
    """Rows as the page writes them."""
    columns = {}
    for column in table:
        values = column.attribute.values
        if column.is_set:
            columns[column.name] = sets.to_texts(column.data, values)
        elif column.is_categorical:
            columns[column.name] = [None if c < 0 else values[c] for c in column.data.tolist()]
        else:
            columns[column.name] = [None if np.isnan(x) else x for x in column.data.tolist()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def sorted_rows(table: Table) -> list[str]:
    return sorted(map(repr, as_rows(table)))


@pytest.mark.parametrize("case", ALL_CASES, ids=lambda case: f"{case[1].type_name} {case[0].name}")
def test_that_whatever_a_mechanism_gives_is_taken_and_read_back(case):
    design = Design((DesignedAttribute(*case), DesignedAttribute(AGE.with_(name="x"), Identity())))
    made = RowCodec(design)
    sent = reports(design)
    lines = [made.encode(row) for row in as_rows(sent)]
    assert None not in lines
    found = made.table(["\n".join(lines[:120]), "\n".join(lines[120:])])
    assert sorted_rows(found) == sorted_rows(sent)


def test_that_missing_answers_and_empty_sets_are_told_apart():
    design = Design((DesignedAttribute(COLOURS, Subset(epsilon=1.0)),))
    size = publishable(design)["colour"].distorted.set_size
    made = RowCodec(design)
    named = "|".join(COLOURS.values[: size or 1])
    lines = [made.encode({"colour": one}) for one in (None, named)]
    assert lines[0] == "-"
    table = made.table(["\n".join(lines)])
    assert table["colour"].missing_count == 1
    assert made.encode({"colour": "red|red"}) is None
    assert made.encode({"colour": "mauve"}) is None


def test_that_a_value_that_no_answer_becomes_is_refused():
    never = Custom(((0.5, 0.5, 0.5, 0.5), (0.5, 0.5, 0.5, 0.5), (0, 0, 0, 0), (0, 0, 0, 0)))
    made = RowCodec(Design((DesignedAttribute(COLOURS, never),)))
    assert made.encode({"colour": "green"}) == "1"
    assert made.encode({"colour": "white"}) is None


def test_that_a_row_answers_what_its_arm_asks():
    arms = Arms("arm", (DesignArm("a", 0.5), DesignArm("b", 0.5, omit=("colour",))))
    design = Design(
        (
            DesignedAttribute(YES_NO, Uniform(keep=0.7)),
            DesignedAttribute(COLOURS, Uniform(keep=0.5)),
        ),
        arms=arms,
    )
    made = RowCodec(design)
    row = {"smokes": "yes", "colour": "red"}
    assert made.encode(row | {"arm": "a"}) is not None
    assert made.encode(row | {"arm": "b"}) is None
    assert made.encode(row | {"arm": "c"}) is None
    assert made.encode(row | {"arm": "b", "colour": None}) is not None
    assert made.encode(row) is None


def test_that_numbers_keep_no_digits_beyond_the_grid():
    grid = publishable(DESIGN)["salary"].perturbation.published_step
    row = rows(1)[0]
    assert codec().encode(row | {"salary": 40 * grid}) is not None
    assert codec().encode(row | {"salary": 40 * grid + grid / 3}) is None
    almost = codec().encode(row | {"salary": 40 * grid * (1 + 1e-15)})
    assert almost == codec().encode(row | {"salary": 40 * grid})
