"""Small tables whose class can be learnt, and designs for them."""

from __future__ import annotations

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Discretise,
    Identity,
    Ordinal,
    Perturbation,
    Retention,
    Uniform,
)
from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams

CLASS = "vote"


def mixed_table(rows: int = 400, classes: int = 2, seed: int = 1) -> Table:
    """Attributes of every kind; the class depends on some of them."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 81, rows)
    income = rng.gamma(3.0, 900.0, rows).clip(0, 9_999)
    region = rng.integers(0, 4, rows)
    mood = rng.integers(0, 5, rows)
    smokes = (rng.random(rows) < 0.2 + 0.1 * region).astype(int)
    liking = (age - 50) / 12 + (income - 2_700) / 1_500 + 1.4 * (region == 2) - 1.2 * smokes
    liking += rng.logistic(0, 0.6, rows)
    borders = np.quantile(liking, np.arange(1, classes) / classes)
    columns = (
        Column(Attribute("age", Kind.INTEGER, domain=(18, 80)), age),
        Column(Attribute("income", Kind.CONTINUOUS, domain=(0, 10_000)), income),
        Column(Attribute("region", Kind.NOMINAL, ("north", "east", "south", "west")), region),
        Column(Attribute("mood", Kind.ORDINAL, ("1", "2", "3", "4", "5")), mood),
        Column(Attribute("smokes", Kind.BINARY, ("no", "yes")), smokes),
        class_column(np.searchsorted(borders, liking), classes),
    )
    return Table(columns, CLASS)


def class_column(codes: object, classes: int = 2) -> Column:
    """A class of the parties A, B, C, …"""
    parties = tuple("ABCDEFGH"[:classes])
    kind = Kind.BINARY if classes == 2 else Kind.NOMINAL
    return Column(Attribute(CLASS, kind, parties), np.asarray(codes))


def moderate_design(table: Table) -> Design:
    """Every attribute but the class distorted, each kind in its own way."""
    by_kind: dict[Kind, Perturbation] = {
        Kind.BINARY: Uniform(keep=0.8),
        Kind.NOMINAL: Uniform(keep=0.7),
        Kind.ORDINAL: Ordinal(weights=(0.6, 0.2), loop=False),
        Kind.INTEGER: Additive(noise="uniform", range_privacy=40.0, integer="staircase"),
        Kind.CONTINUOUS: Additive(noise="normal", range_privacy=40.0),
    }
    return design_by(table, lambda attribute: by_kind[attribute.kind])


def other_design(table: Table) -> Design:
    """Retention replacement of whole numbers, intervals of real ones, values as they are."""

    def choose(attribute: Attribute) -> Perturbation:
        if attribute.kind is Kind.INTEGER:
            return Retention(keep=0.5)
        return Discretise(intervals=6) if attribute.kind is Kind.CONTINUOUS else Identity()

    return design_by(table, choose)


def open_design(table: Table) -> Design:
    """Nothing distorted."""
    return design_by(table, lambda attribute: Identity())


def design_by(table: Table, choose: object) -> Design:
    """A design that leaves the class and attributes of one answer alone."""
    assert callable(choose)

    def perturbation(attribute: Attribute) -> Perturbation:
        constant = attribute.k == 1 or (attribute.kind.is_numeric and attribute.width == 0)
        if attribute.name == table.class_name or constant:
            return Identity()
        chosen: Perturbation = choose(attribute)
        return chosen

    designed = (DesignedAttribute(a, perturbation(a)) for a in table.attributes)
    return Design(tuple(designed), table.class_name)


def distorted(table: Table, design: Design, seed: int = 1) -> Table:
    """The table distorted by the design."""
    return distort(table, design, SeededStreams(seed))
