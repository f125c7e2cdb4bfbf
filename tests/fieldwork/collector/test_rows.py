"""Rows are stored if the design can give them, and read back as they were sent."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from collecting import DESIGN, codec, rows
from designs import AGE, ALL_CASES, COLOURS, SET_CASES, YES_NO

from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Custom,
    Design,
    DesignedAttribute,
    Duchi,
    Identity,
    Perturbation,
    Retention,
    Subset,
    Uniform,
)
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.design_file import publishable
from ppworkbench.core.design.distort import Distorter
from ppworkbench.core.design.noises.base import on_grid
from ppworkbench.core.design.perturbation import perturbations
from ppworkbench.core.rng import SeededStreams
from ppworkbench.fieldwork.collector.rows import RowCodec


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
            data = np.clip(np.rint(rng.uniform(low, high, count)), low, high)
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
    counted = made.counts(["\n".join(lines[:120]), "", "\n".join(lines[120:])])
    assert counted.answers == found.rows
    for column in found:
        assert counted.missing[column.name] == column.missing_count
        if column.name in counted.numbers:
            number, *moments = counted.numbers[column.name]
            known = column.data[~column.missing]
            assert number == len(known)
            assert moments == pytest.approx([known.mean(), known.var()])
        else:
            assert counted.counts[column.name].tolist() == column.counts.tolist()


@pytest.mark.parametrize("few", [COLOURS, AGE], ids=["letters", "columns"])
def test_that_counts_are_those_of_the_table(few):
    mechanism = Uniform(keep=0.5) if few is COLOURS else Identity()
    design = Design(
        (DesignedAttribute(YES_NO, Uniform(keep=0.7)), DesignedAttribute(few, mechanism))
    )
    made = RowCodec(design)
    lines = ["1,-", "0,-", "-,-", "1,3" if few is COLOURS else "1,33"]
    assert made.counts(()).answers == 0
    counted = made.counts(["\n".join(lines[:3]), lines[3]])
    assert counted.answers == 4
    assert counted.counts["smokes"].tolist() == [1, 2]
    assert counted.missing == {"smokes": 1, few.name: 3}
    if few is AGE:
        assert counted.numbers == {"age": (1, 33.0, 0.0)}


def test_that_every_mechanism_is_tried():
    assert {case[1].type_name for case in ALL_CASES} == set(perturbations.names)


NUMBERS = [case for case in ALL_CASES if not case[0].kind.is_categorical and case[0].domain]
NUMBERS = [case for case in NUMBERS if case[1].type_name != "discretise"]


def possible(device: Perturbation, attribute: Attribute, number: float, step: float) -> bool | None:
    """Whether some true number can become this one; None if it comes next to never."""
    low, high = attribute.domain
    true = np.append(np.rint(np.linspace(low, high, 150)), np.clip(number, low, high))
    above, below = (
        device.conditional_cdf(np.array(number + sign * step / 2), true, attribute)
        for sign in (1, -1)
    )
    chance = (above - below).max()
    if chance > 1e-11:
        return True
    first, last = device.support(attribute)
    is_beyond = number < first - step / 2 or number > last + step / 2
    is_in_gap = chance == 0 and bool(np.any((below > 1e-9) & (below < 1 - 1e-9)))
    return False if is_beyond or is_in_gap else None


@pytest.mark.parametrize("case", NUMBERS, ids=lambda case: f"{case[1].type_name} {case[0].name}")
def test_that_numbers_are_taken_exactly_if_the_noise_can_give_them(case):
    attribute, device = case[0], case[1].on_grid(case[0])
    made = RowCodec(Design((DesignedAttribute(attribute, device),)))
    step = 1.0 if attribute.kind is Kind.INTEGER else device.published_step
    if device.is_identity:
        low, high = attribute.domain
        assert made.encode({attribute.name: low}) is not None
        assert made.encode({attribute.name: high + 1}) is None
        return
    low, high = (round(end / step) for end in device.support(attribute))
    steps = np.unique(
        [
            *np.linspace(low - 3, high + 3, 200).astype(int), *range(low - 3, low + 4),
            *range(high - 3, high + 4),
        ]
    )  # fmt: skip
    numbers = on_grid(steps.astype(float), step)
    for number in numbers.tolist():
        is_taken = made.encode({attribute.name: number}) is not None
        assert possible(device, attribute, number, step) in (is_taken, None), number
    assert made.encode({attribute.name: 10**400}) is None


def test_that_of_two_numbers_only_these_are_taken():
    made = RowCodec(Design((DesignedAttribute(AGE, Duchi(epsilon=2.0)),)))
    low, high = (int(end) for end in Duchi(epsilon=2.0).support(AGE))
    taken = [z for z in range(low - 50, high + 50) if made.encode({"age": z}) is not None]
    assert taken == [low, high]


def test_that_ends_of_a_domain_that_are_off_the_grid_are_taken():
    amount = Attribute("amount", Kind.CONTINUOUS, domain=(0.3, 10.7))
    design = Design((DesignedAttribute(amount, Retention(keep=0.4, grid=1.0)),))
    made = RowCodec(design)
    sent = as_rows(reports(design, 400))
    assert {0.3, 10.7} <= {row["amount"] for row in sent}
    assert all(made.encode(row) is not None for row in sent)
    refused = (0, 0.4, 2.5, 10.6, 11)
    assert [made.encode({"amount": one}) for one in refused] == [None] * len(refused)


def test_that_an_arm_takes_what_its_own_mechanism_gives():
    own = DesignArm("b", 0.5, perturbations=(("age", Duchi(epsilon=1.0)),))
    noise = Additive(noise="uniform", half_width=5, integer="staircase")
    arms = Arms("arm", (DesignArm("a", 0.5), own))
    made = RowCodec(Design((DesignedAttribute(AGE, noise),), arms=arms))
    low, _ = Duchi(epsilon=1.0).support(AGE)
    assert made.encode({"arm": "a", "age": 40}) is not None
    assert made.encode({"arm": "b", "age": 40}) is None
    assert made.encode({"arm": "b", "age": low}) is not None
    assert made.encode({"arm": "a", "age": low}) is None


@pytest.mark.parametrize("case", SET_CASES, ids=lambda case: case[1].type_name)
def test_that_sets_are_taken_exactly_if_the_mechanism_can_give_them(case):
    attribute, device = case
    design = Design((DesignedAttribute(attribute, device),))
    made = RowCodec(design)
    drawn = {row[attribute.name] for row in as_rows(reports(design, 4_000))}
    for size in range(attribute.k + 1):
        for named in combinations(attribute.values, size):
            text = "|".join(named)
            is_taken = made.encode({attribute.name: text}) is not None
            assert is_taken == (text in drawn), text


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
