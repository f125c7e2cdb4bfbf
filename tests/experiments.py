"""Small experiments for tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Identity, Uniform
from ppworkbench.core.experiment import (
    Experiment,
    Plan,
    ResultsTable,
    Setting,
    Sweep,
    run_experiment,
)
from ppworkbench.core.experiment.engines import InProcess

BUYS = Attribute("buys", Kind.BINARY, ("no", "yes"))
TOWN = Attribute("town", Kind.NOMINAL, ("a", "b", "c"))
AGE = Attribute("age", Kind.CONTINUOUS, domain=(0, 100))
DESIGN = Design(
    (
        DesignedAttribute(TOWN, Uniform(keep=0.8)),
        DesignedAttribute(AGE, Additive(noise="uniform", range_privacy=40.0)),
        DesignedAttribute(BUYS, Identity()),
    ),
    "buys",
)


def make_records(rows: int = 120, seed: int = 1) -> Table:
    """Records whose class follows from the age, with a few exceptions."""
    source = np.random.default_rng(seed)
    age = source.uniform(0, 100, rows)
    buys = ((age > 45) ^ (source.random(rows) < 0.1)).astype(int)
    columns = (
        Column(TOWN, source.integers(0, 3, rows)),
        Column(AGE, age),
        Column(BUYS, buys),
    )
    return Table(columns, "buys")


def make_experiment(
    settings: tuple[Setting, ...] = (),
    *,
    table: Table | None = None,
    sweep: Sweep | None = None,
    **plan: Any,
) -> Experiment:
    """Two classifiers in three folds, unless something else is asked for."""
    settings = settings or (Setting.of("naive-bayes"), Setting.of("tree", undistorted=True))
    records = make_records() if table is None else table
    given = {"folds": 3, "seed": 7} | plan
    return Experiment.of(records, DESIGN, settings, plan=Plan(**given), sweep=sweep)


def run(experiment: Experiment, table: ResultsTable | None = None, **more: Any) -> ResultsTable:
    """Run an experiment in this process."""
    return run_experiment(experiment, table, engine=InProcess(), **more)
