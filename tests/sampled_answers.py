"""Twelve answers with weights, strata and clusters, whose estimates were worked out by hand."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Identity, Uniform
from ppworkbench.core.sampling.variance import SampleTotals

TWELVE = """
N 1 10 a 3 · N 1 12 b 5 · N 2 8 a 4 · N 2 10 c 9 · N 3 15 a 2 · N 3 5 b 7 ·
S 4 20 c 8 · S 4 25 b 6 · S 4 20 a 1 · S 5 30 c 10 · S 5 15 a 4 · S 5 10 c 6
"""

STRATUM = Attribute("stratum", Kind.BINARY, ("N", "S"))
CLUSTER = Attribute("cluster", Kind.INTEGER, domain=(1, 9))
WEIGHT = Attribute("weight", Kind.CONTINUOUS, domain=(0, 100))
Z = Attribute("z", Kind.NOMINAL, ("a", "b", "c"))
Y = Attribute("y", Kind.INTEGER, domain=(1, 10))
FPC = Attribute("fpc", Kind.INTEGER, domain=(1, 100))

Survey = tuple[Table, Design]


def twelve_answers(
    clusters: Sequence[int] | None = None,
    population: dict[str, int] | None = None,
    weights: Sequence[float] | None = None,
    keep: float = 0.6,
) -> Survey:
    """The twelve answers, some of their columns exchanged."""
    rows = [row.split() for row in " ".join(TWELVE.split()).split(" · ")]
    stratum, cluster, weight, z, y = zip(*rows, strict=True)
    columns = [
        Column(STRATUM, np.array([STRATUM.values.index(one) for one in stratum])),
        Column(CLUSTER, np.array(clusters or cluster, float)),
        Column(WEIGHT, np.array(weights or weight, float)),
        Column(Z, np.array([Z.values.index(one) for one in z])),
        Column(Y, np.array(y, float)),
    ]
    if population:
        columns.append(Column(FPC, np.array([population[one] for one in stratum], float)))
    designed = [
        DesignedAttribute(column.attribute, Identity()) for column in columns if column.name != "z"
    ]
    design = Design((DesignedAttribute(Z, Uniform(keep=keep)), *designed))
    return Table(tuple(columns)), design


def with_replicates(totals: SampleTotals, factors: Numbers, scale: Numbers) -> SampleTotals:
    """The same with replicates made by weighting clusters: one column of factors each."""
    found = factors.T @ totals.group_sums
    return dataclasses.replace(totals, replicates=found, replicate_scale=scale)
