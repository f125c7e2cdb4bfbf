"""Predicted and measured accuracy against the minimum deniability.

In every fold the table of the other folds is published, classifiers learn from what was published
and are tested on the true outcomes of the fold (Haque and Rizvee, section 4).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.missing import apply_missing_policies
from ppworkbench.core.data.table import Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, OneOf, Params, Within
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.publish.learners import accuracy, feature_matrix, learners
from ppworkbench.core.publish.making import is_reachable, make_tree, whole_deniability
from ppworkbench.core.publish.options import DRAW, DeniabilityOptions
from ppworkbench.core.publish.prediction import folds_of
from ppworkbench.core.publish.sample import Sample, draw, shuffle
from ppworkbench.core.publish.uncertainty import SLACK
from ppworkbench.core.rng import SeededStreams

LEARNERS = learners.names
PREDICTED = "predicted"
MINIMUMS = (0.01, 0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.35, 0.40)


@dataclass(frozen=True)
class CurveOptions(Params):
    """Which accuracies are measured and how often."""

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
        """How many tables are published in all."""
        return self.options.folds * len(self.minimums)

    @property
    def minimums(self) -> tuple[float, ...]:
        """The minimums that the table reaches, in order."""
        return tuple(m for m in sorted(set(self.options.minimums)) if m <= self.reach + SLACK)

    def curve(self, name: str) -> tuple[Numbers, Numbers, Numbers]:
        """Minimums, means and standard deviations of a learner, or of the prediction."""
        held = [(m, self.found[name, m]) for m in self.minimums if self.found.get((name, m))]
        means = [float(np.mean(values)) for _, values in held]
        spread = [float(np.std(values, ddof=1)) if len(values) > 1 else 0.0 for _, values in held]
        return np.array([m for m, _ in held]), np.array(means), np.array(spread)

    def to_json(self) -> dict[str, Any]:
        """What was found as plain JSON values."""
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
        raise DataError(
            Message(
                "{folds} folds need at least {folds2} records; the table has {rows}.",
                folds=curve.folds,
                folds2=2 * curve.folds,
                rows=sample.rows,
            )
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
        """The accuracy of a learner that saw these outcomes of the other folds."""
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
    """Publish the other folds, and compare the prediction with what learners make of them."""
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
