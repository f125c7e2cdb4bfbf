"""Classifiers that learn from a published table, to measure what it is still good for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.table import Column
from ppworkbench.core.kernels import library_lock
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.registry import Registry

Learner = Callable[[Numbers, Codes, Numbers, int, Progress], Codes]
"""Learns from features and outcomes, and gives an outcome for each of further features; takes a
seed, and calls the progress often enough to be stopped."""

NEIGHBOURS = 5
TREES = 50
_TREES_AT_ONCE = 5
_PEOPLE_AT_ONCE = 500

learners: Registry[Learner] = Registry("learner")


@learners.register("tree", "decision tree", rank=20)
def learn_tree(
    x: Numbers, y: Codes, wanted: Numbers, seed: int, progress: Progress = silent
) -> Codes:
    """A decision tree by information gain, grown to the end as ID3 does."""
    with library_lock:
        from sklearn.tree import DecisionTreeClassifier

    progress(0.0)
    tree = DecisionTreeClassifier(criterion="entropy", random_state=seed).fit(x, y)
    found: Codes = tree.predict(wanted)
    return found


@learners.register("forest", "random forest", rank=10)
def learn_forest(
    x: Numbers, y: Codes, wanted: Numbers, seed: int, progress: Progress = silent
) -> Codes:
    """A random forest."""
    with library_lock:
        from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(n_estimators=0, warm_start=True, random_state=seed, n_jobs=1)
    # A few trees at a time, so that a stop need not wait for all of them.
    for trees in range(_TREES_AT_ONCE, TREES + 1, _TREES_AT_ONCE):
        progress((trees - _TREES_AT_ONCE) / TREES)
        forest.set_params(n_estimators=trees)
        forest.fit(x, y)
    progress(1.0)
    found: Codes = forest.predict(wanted)
    return found


@learners.register("neighbours", "neighbours", rank=30)
def learn_neighbours(
    x: Numbers,
    y: Codes,
    wanted: Numbers,
    seed: int,  # noqa: ARG001 (neighbours are not random)
    progress: Progress = silent,
) -> Codes:
    """The most frequent outcome among the nearest neighbours."""
    with library_lock:
        from sklearn.neighbors import KNeighborsClassifier

    nearest = KNeighborsClassifier(min(NEIGHBOURS, len(x)), algorithm="brute").fit(x, y)
    found = np.empty(len(wanted), np.intp)
    for start in range(0, len(wanted), _PEOPLE_AT_ONCE):
        progress(start / len(wanted))
        stop = start + _PEOPLE_AT_ONCE
        found[start:stop] = nearest.predict(wanted[start:stop])
    return found


def feature_matrix(columns: list[Column]) -> Numbers:
    """Columns as numbers from 0 to 1 that a learner can take.

    A nominal attribute has a column for every value, an ordinal one its place in the order. A
    missing answer is the mean, and has a column that says so.
    """
    parts: list[Numbers] = []
    for column in columns:
        data = column.data.astype(np.float64)
        missing = column.missing
        if column.attribute.kind is Kind.NOMINAL:
            parts.append((column.data[:, None] == np.arange(column.attribute.k)).astype(np.float64))
        else:
            known = data[~missing]
            low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
            scaled = (data - low) / (high - low) if high > low else np.zeros(len(data))
            middle = float(scaled[~missing].mean()) if len(known) else 0.0
            parts.append(np.where(missing, middle, scaled)[:, None])
        if missing.any():
            parts.append(missing[:, None].astype(np.float64))
    return np.hstack(parts) if parts else np.zeros((0, 0))


def accuracy(
    name: str,
    x: Numbers,
    y: Codes,
    wanted: Numbers,
    truth: Codes,
    *,
    seed: int = 0,
    progress: Progress = silent,
) -> float:
    """The share of people whose true outcome a learner finds."""
    found = learners[name](x, y, wanted, seed, part(progress, 0.0, 1.0))
    return float(np.mean(found == truth))
