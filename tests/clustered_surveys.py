"""Surveys of people in clusters, made with a seed: for R, and for tests of independence."""

from __future__ import annotations

import math
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache

import numpy as np
import pandas as pd

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Identity, Uniform
from ppworkbench.core.sampling.independence import TESTS
from ppworkbench.core.survey.crosstabs import crosstab

ROWS = Attribute("a", Kind.NOMINAL, tuple("abcd"))
COLUMNS = Attribute("b", Kind.NOMINAL, tuple("xyz"))
CLUSTER = Attribute("cluster", Kind.INTEGER, domain=(0, 10_000))
ROW_SHARES, COLUMN_SHARES = (0.4, 0.3, 0.2, 0.1), (0.5, 0.3, 0.2)


def clustered_survey(seed: int = 7, clusters: int = 14) -> pd.DataFrame:
    """Answers of people in clusters of two strata, with weights and the strata's clusters."""
    random = np.random.default_rng(seed)
    rows = []
    for cluster in range(clusters):
        size = int(random.integers(8, 30))
        rate = random.dirichlet(12 * np.array(ROW_SHARES))
        other = random.dirichlet(12 * np.array(COLUMN_SHARES))
        level, weight = random.normal(0, 2), 5 + 3 * int(random.integers(0, 4))
        for _ in range(size):
            enrolled = round(float(random.gamma(6, 20))) + 20
            first = random.choice(4, p=rate)
            tilted = other * (1 + 0.6 * first * np.arange(3))
            rows.append(
                (
                    "NS"[cluster % 2], cluster, weight + int(random.integers(0, 3)),
                    (40, 60)[cluster % 2], "abcd"[first],
                    "xyz"[random.choice(3, p=tilted / tilted.sum())],
                    ("no", "yes")[int(random.random() < 0.3 + 0.05 * first)],
                    round(float(random.normal(50 + level + first, 8)), 1),
                    enrolled, round(enrolled * float(random.uniform(0.6, 1.0))),
                )
            )  # fmt: skip
    names = [
        "stratum", "cluster", "weight", "fpc", "a", "b", "urban", "score", "enrolled", "tested",
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=names)


def independent_answers(
    random: np.random.Generator, clusters: int, size: int, keep: float, alike: float
) -> Table:
    """Two answers that have nothing to do with each other, reported with the probability ``keep``.

    The shares of both answers differ between clusters; ``alike`` is the correlation within one.
    Clusters of one person are a simple random sample.
    """
    columns = []
    which = np.repeat(np.arange(clusters), size)
    for attribute, shares in ((ROWS, ROW_SHARES), (COLUMNS, COLUMN_SHARES)):
        rates = np.tile(shares, (clusters, 1))
        if size > 1:
            rates = random.dirichlet(np.array(shares) * (1 - alike) / alike, clusters)
        borders = np.cumsum(rates, axis=1)[which, :-1]
        true = (random.random(len(which))[:, None] > borders).sum(axis=1)
        kept = random.random(len(which)) < keep
        another = (true + random.integers(1, attribute.k, len(which))) % attribute.k
        told = np.where(kept, true, another)
        columns.append(Column(attribute, told))
    return Table((*columns, Column(CLUSTER, which.astype(np.float64))))


def rejections(
    draws: int,
    clusters: int,
    size: int,
    keep: float,
    alike: float = 0.1,
    *,
    tests: Sequence[str] = TESTS,
    seed: int = 1,
) -> dict[str, float]:
    """How often a true independence is rejected at 5 %, by test."""
    random = np.random.default_rng(seed)
    device = Identity() if keep == 1 else Uniform(keep=keep)
    design = Design((DesignedAttribute(ROWS, device), DesignedAttribute(COLUMNS, device)))
    sampling = Sampling(cluster="cluster") if size > 1 else None
    found: dict[str, list[float]] = {test: [] for test in tests}
    for _ in range(draws):
        table = independent_answers(random, clusters, size, keep, alike)
        for test, p in found.items():
            tested = crosstab(table, design, "a", "b", sampling=sampling, test=test).independence
            p.append(math.nan if tested is None else tested.p)
    return {test: float(np.mean(np.array(p) < 0.05)) for test, p in found.items()}


@cache
def r_survey() -> str:
    """The program that runs R scripts; empty where it or its package survey is missing."""
    program = shutil.which("Rscript")
    if program is None:
        return ""
    has = [program, "-e", "quit(status = !requireNamespace('survey', quietly = TRUE))"]
    done = subprocess.run(has, capture_output=True, timeout=300, check=False)
    return program if done.returncode == 0 else ""


def run_r(program: str, script: str) -> dict[str, Numbers]:
    """The numbers that a script printed as ``name: number number …``."""
    done = subprocess.run(
        [program, "-e", script], capture_output=True, encoding="utf-8", timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = (line.partition(":") for line in done.stdout.splitlines() if ":" in line)
    return {name.strip(): np.array(rest.split(), float) for name, _, rest in lines}
