"""Predicted and measured accuracy against the minimum deniability.

In every fold the table of the other folds is published, classifiers learn from what was published
and are tested on the true outcomes of the fold (Haque and Rizvee, section 4).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.missing import apply_missing_policies
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.kernels import library_lock
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, OneOf, Params, Within
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.publish.making import (
    check_reachable,
    is_reachable,
    make_tree,
    whole_deniability,
)
from ppworkbench.core.publish.options import DRAW, DeniabilityOptions
from ppworkbench.core.publish.ratings import leaf_value
from ppworkbench.core.publish.sample import Sample, draw, shuffle
from ppworkbench.core.publish.tree import SLACK, DeniabilityTree
from ppworkbench.core.registry import Registry
from ppworkbench.core.rng import SeededStreams

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


FOLDS = 10


def predicted_accuracy(tree: DeniabilityTree, table: Table) -> float:
    column = table[tree.attribute.name]
    outcome = column.data.astype(np.intp)
    known = ~column.missing
    if tree.has_missing:
        outcome, known = np.where(known, outcome, tree.attribute.k), np.ones_like(known)
    if not known.any():
        raise DataError.saying(
            "The validation table has no answers to {attribute!r}.", attribute=column.name
        )
    groups = tree.groups_of(table)[known]
    return float(tree.shares[groups, outcome[known]].mean())


def own_prediction(tree: DeniabilityTree) -> float:
    """The accuracy predicted from the tree's own people, each left out in turn.

    It needs no second tree and is slightly too high, because the groups were chosen on the same
    people.
    """
    return sum(leaf_value(leaf.counts) for leaf in tree.leaves) / tree.root.size


def folds_of(rows: int, folds: int, seed: int) -> NDArray[np.intp]:
    """The fold of every person: random, and of sizes that differ by one at most."""
    order = SeededStreams(seed).generator("publish", "folds").permutation(rows)
    fold = np.empty(rows, np.intp)
    fold[order] = np.arange(rows) % min(folds, rows)
    return fold


def cross_validated(
    table: Table,
    sensitive: str,
    options: DeniabilityOptions | None = None,
    *,
    features: tuple[str, ...] | None = None,
    folds: int = FOLDS,
    seed: int = 0,
    progress: Progress = silent,
) -> float:
    """The predicted accuracy, each fold predicted by a tree of the others.

    Raises
    ------
    DataError
        When the table has fewer than two people or misses the minimum.
    """
    options = options or DeniabilityOptions()
    sample = Sample.of(table, sensitive, features, progress)
    check_reachable(sample, options)
    if sample.rows < 2:
        raise DataError("A prediction needs at least 2 records; the table has 1.")
    fold = folds_of(sample.rows, folds, seed)
    count = int(fold.max()) + 1
    total = 0.0
    for number in range(count):
        share = part(progress, number / count, (number + 1) / count)
        held_out = np.flatnonzero(fold == number)
        training = sample.take(np.flatnonzero(fold != number))
        if is_reachable(training, options):
            tree = make_tree(training, options, share)
            total += predicted_accuracy(tree, table.take(held_out)) * len(held_out)
        else:
            # The others alone miss the minimum that all together reach: they are one group.
            shares = training.counts / training.rows
            total += float(shares[sample.outcome[held_out]].sum())
        share(1.0, Message("fold {number} of {count}", number=number + 1, count=count))
    return total / sample.rows


LEARNERS = learners.names
PREDICTED = "predicted"
MINIMUMS = (0.01, 0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.35, 0.40)


@dataclass(frozen=True)
class CurveOptions(Params):
    minimums: Annotated[
        tuple[float, ...], Within(0, 1), Info("Minimums", "Minimum deniabilities, from 0 to 1")
    ] = MINIMUMS
    folds: Annotated[int, Within(2, 100), Info("Folds", "Parts tested in turn")] = 10
    learners: Annotated[
        tuple[str, ...], OneOf(LEARNERS), Info("Classifiers", "Classifier trained on the table")
    ] = LEARNERS
    most_people: Annotated[
        int, Within(10), Info("Maximum records", "Records drawn at random from a longer table")
    ] = 20_000


@dataclass(eq=False)
class AccuracyTally:
    """The accuracies found so far: one thread adds, others read.

    ``original`` holds the accuracies of what learns from the true table.
    """

    options: CurveOptions
    reach: float = 1.0
    found: dict[tuple[str, float], list[float]] = field(default_factory=dict)
    original: dict[str, list[float]] = field(default_factory=dict)
    done: int = 0
    people: int = 0
    seed: int = 0

    @property
    def wanted(self) -> int:
        return self.options.folds * len(self.minimums)

    @property
    def minimums(self) -> tuple[float, ...]:
        return tuple(m for m in sorted(set(self.options.minimums)) if m <= self.reach + SLACK)

    def curve(self, name: str) -> tuple[Numbers, Numbers, Numbers]:
        """Minimums, means and standard deviations of a learner, or of the prediction."""
        held = [(m, self.found[name, m]) for m in self.minimums if self.found.get((name, m))]
        means = [float(np.mean(values)) for _, values in held]
        spread = [float(np.std(values, ddof=1)) if len(values) > 1 else 0.0 for _, values in held]
        return np.array([m for m, _ in held]), np.array(means), np.array(spread)

    def to_json(self) -> dict[str, Any]:
        names = (PREDICTED, *self.options.learners)
        curves: dict[str, Any] = {}
        for name in names:
            minimums, means, spread = self.curve(name)
            curves[name] = {
                "minimum": minimums.tolist(),
                "mean": means.tolist(),
                "sd": spread.tolist(),
            }
        # The thread that measures may add a learner meanwhile.
        held = [(name, values) for name, values in tuple(self.original.items()) if values]
        original = {name: float(np.mean(values)) for name, values in held}
        return {
            "people": self.people,
            "folds": self.options.folds,
            "seed": self.seed,
            "curves": curves,
            "original": original,
        }


def measure_accuracy(
    table: Table,
    sensitive: str,
    options: DeniabilityOptions | None = None,
    tally: AccuracyTally | None = None,
    *,
    features: tuple[str, ...] | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> AccuracyTally:
    """Publish, learn and test over many minimum deniabilities.

    All minimums of a fold come before the next fold, so that a stop leaves whole curves.

    Parameters
    ----------
    tally
        What to measure, and where results are added while they come; the usual if None.

    Raises
    ------
    DataError
        When the attribute cannot be denied, or the table is too short for folds.
    """
    tally = tally or AccuracyTally(CurveOptions())
    curve, options = tally.options, options or DeniabilityOptions()
    prepared = _shortened(apply_missing_policies(table).table, curve.most_people, seed)
    sample = Sample.of(prepared, sensitive, features, progress)
    if sample.rows < 2 * curve.folds:
        raise DataError.saying(
            "{folds} folds need at least {folds2} records; the table has {rows}.",
            folds=curve.folds,
            folds2=2 * curve.folds,
            rows=sample.rows,
        )
    columns = [prepared[feature.name] for feature in sample.features]
    if not columns:
        raise DataError("A classifier needs at least one other attribute to learn from.")
    matrix = feature_matrix(columns)
    tally.reach, tally.people, tally.seed = whole_deniability(sample), sample.rows, seed
    fold = folds_of(sample.rows, curve.folds, seed)
    for number in range(curve.folds):
        share = part(progress, number / curve.folds, (number + 1) / curve.folds)
        work = _Fold(sample, prepared, matrix, fold == number, seed + number)
        _measure_fold(work, options, tally, share)
    return tally


def _shortened(table: Table, most: int, seed: int) -> Table:
    if table.rows <= most:
        return table
    order = SeededStreams(seed).generator("publish", "people").permutation(table.rows)
    return table.take(np.sort(order[:most]))


@dataclass(frozen=True, eq=False)
class _Fold:
    sample: Sample
    table: Table
    matrix: Numbers
    held_out: NDArray[np.bool_]
    seed: int

    def measured(self, name: str, outcome: NDArray[np.intp], progress: Progress) -> float:
        x, wanted = self.matrix[~self.held_out], self.matrix[self.held_out]
        truth = self.sample.outcome[self.held_out]
        return accuracy(name, x, outcome, wanted, truth, seed=self.seed, progress=progress)


def _measure_fold(
    fold: _Fold, options: DeniabilityOptions, tally: AccuracyTally, progress: Progress
) -> None:
    training = fold.sample.take(np.flatnonzero(~fold.held_out))
    steps = len(tally.minimums) + 1
    for name in tally.options.learners:
        found = fold.measured(name, training.outcome, part(progress, 0.0, 1 / steps))
        tally.original.setdefault(name, []).append(found)
    last: _Measured | None = None
    for place, minimum in enumerate(tally.minimums, start=1):
        share = part(progress, place / steps, (place + 1) / steps)
        chosen = replace(options, min_deniability=minimum)
        if is_reachable(training, chosen):
            if last is None or not last.holds_for(minimum):
                last = _measured(fold, training, chosen, tally.options.learners, share)
            for name, value in last.accuracies.items():
                tally.found.setdefault((name, minimum), []).append(value)
        tally.done += 1
        share(1.0, Message("{done} of {total} trainings", done=tally.done, total=tally.wanted))


@dataclass(frozen=True)
class _Measured:
    accuracies: dict[str, float]
    reached: float
    greedy: bool

    def holds_for(self, minimum: float) -> bool:
        """Whether a higher minimum gives the same tree.

        A greedy tree whose groups all reach it is still the best at each step, since a higher
        minimum only takes choices away.
        """
        return self.greedy and self.reached >= minimum


def _measured(
    fold: _Fold,
    training: Sample,
    options: DeniabilityOptions,
    names: tuple[str, ...],
    progress: Progress,
) -> _Measured:
    tree = make_tree(training, options, progress)
    groups = tree.groups_of(fold.table)
    truth = fold.sample.outcome[fold.held_out]
    found = {PREDICTED: float(tree.shares[groups[fold.held_out], truth].mean())}
    stream = SeededStreams(fold.seed).stream("publish", options.manner, tree.attribute.name)
    own = groups[~fold.held_out]
    if options.manner == DRAW:
        outcome = draw(tree, own, stream)
    else:
        outcome = shuffle(own, training.outcome, stream)
    for name in names:
        found[name] = fold.measured(name, outcome, progress)
    return _Measured(found, tree.minimum_deniability, options.look_ahead == 0)
