"""What came out of single trainings, as a table that can be saved and gone on with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Counts, Numbers
from ppworkbench.core.errors import DataError

FORMAT = "ppworkbench-experiment"
VERSION = 1


@dataclass(frozen=True, order=True)
class Task:
    """One training with its test: a setting at a level, one fold of one repeat.

    ``level`` is None for the design as it is, and for settings that learn from undistorted records.
    """

    setting: str
    level: float | None
    repeat: int
    fold: int


@dataclass(frozen=True)
class TaskResult:
    """The confusion matrix of one task and how long it took; or why there is none.

    ``estimate`` is the accuracy where it was estimated from distorted records: then no confusion
    matrix can be counted.
    """

    task: Task
    confusion: tuple[tuple[int, ...], ...] = ()
    train_seconds: float = 0.0
    test_seconds: float = 0.0
    error: str = ""
    estimate: float | None = None

    def to_json(self) -> list[Any]:
        """One row of the saved table; the setting is told by its place in a list beside it."""
        task = self.task
        return [
            task.level, task.repeat, task.fold, [list(row) for row in self.confusion],
            round(self.train_seconds, 4), round(self.test_seconds, 4), self.error,
            self.estimate,
        ]  # fmt: skip


class ResultsTable:
    """Results by task, of one experiment on one table; grows while the experiment runs.

    ``fingerprint`` stands for the data, the design and the folds: rows of another experiment would
    be worthless here.
    """

    def __init__(self, fingerprint: str, rows: Iterable[TaskResult] = ()) -> None:
        self.fingerprint = fingerprint
        self._rows: dict[Task, TaskResult] = {row.task: row for row in rows}

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, task: object) -> bool:
        return task in self._rows

    def __iter__(self) -> Iterator[TaskResult]:
        # A copy, because a job may add while the window reads.
        return iter(list(self._rows.values()))

    def add(self, row: TaskResult) -> None:
        self._rows[row.task] = row

    def to_json(self) -> dict[str, Any]:
        by_setting: dict[str, list[Any]] = {}
        for row in self:
            by_setting.setdefault(row.task.setting, []).append(row.to_json())
        return {
            "format": FORMAT,
            "version": VERSION,
            "fingerprint": self.fingerprint,
            "results": [{"setting": key, "rows": rows} for key, rows in by_setting.items()],
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        if not isinstance(given, Mapping) or given.get("format") != FORMAT:
            raise DataError("This is not the results table of an experiment.")
        if given.get("version") != VERSION:
            raise DataError("The results table was made by another version of ppworkbench.")
        try:
            rows = [
                _row(str(entry["setting"]), row)
                for entry in given["results"]
                for row in entry["rows"]
            ]
            return cls(str(given["fingerprint"]), rows)
        except (KeyError, OverflowError, TypeError, ValueError) as error:
            raise DataError("The results table of an experiment is damaged.") from error


def _row(setting: str, given: list[Any]) -> TaskResult:
    level, repeat, fold, matrix, train, test, error, estimate = given
    place = Task(setting, None if level is None else float(level), int(repeat), int(fold))
    counts = tuple(tuple(int(count) for count in row) for row in matrix)
    if any(len(row) != len(counts) for row in counts):
        raise ValueError("a confusion matrix is square")
    if any(not 0 <= count < 2**53 for row in counts for count in row):
        raise ValueError("a confusion matrix counts records")
    accuracy = None if estimate is None else float(estimate)
    return TaskResult(place, counts, float(train), float(test), str(error), accuracy)


MEASURES = ("sensitivity", "specificity", "precision", "f1")
"""The measures that every class has."""


def confusion(true: NDArray[np.intp], predicted: NDArray[np.intp], classes: int) -> Counts:
    """How many records of each class (row) were taken for each class (column).

    >>> confusion(np.array([0, 0, 1]), np.array([0, 1, 1]), 2).tolist()
    [[1, 1], [0, 1]]
    """
    places = np.asarray(true, np.int64) * classes + predicted
    return np.bincount(places, minlength=classes * classes).reshape(classes, classes)


@dataclass(frozen=True, eq=False)
class Metrics:
    """Measures of one confusion matrix or of many at once.

    Every array has the shape of the matrices without their last axis; NaN is what cannot be told,
    such as the sensitivity of a class that no tested record has.

    Parameters
    ----------
    accuracy
        The share of records whose class was predicted.
    sensitivity
        Per class, the share of its records that were recognised: TP / (TP + FN).
    specificity
        Per class, the share of the other records that were not taken for it: TN / (TN + FP).
    precision
        Per class, the share of those taken for it that belong to it: TP / (TP + FP); 0 where
        records of the class were tested but none was ever recognised.
    f1
        The harmonic mean 2PR / (P + R) of precision and sensitivity = 2TP / (2TP + FP + FN).
    """

    accuracy: Numbers
    sensitivity: Numbers
    specificity: Numbers
    precision: Numbers
    f1: Numbers

    @classmethod
    def of(cls, matrices: NDArray[np.int64]) -> Metrics:
        """Measure one matrix, or a stack of them.

        >>> found = Metrics.of(np.array([[8, 2], [1, 9]]))
        >>> float(found.accuracy), found.sensitivity.tolist()
        (0.85, [0.8, 0.9])
        """
        matrices = np.asarray(matrices, np.float64)
        hits = np.diagonal(matrices, axis1=-2, axis2=-1)
        true, taken = matrices.sum(axis=-1), matrices.sum(axis=-2)
        total = matrices.sum(axis=(-2, -1))[..., None]
        with _quiet():
            precision = hits / taken
            precision = np.where((taken == 0) & (true > 0), 0.0, precision)
            return cls(
                hits.sum(axis=-1) / total[..., 0],
                hits / true,
                (total - true - taken + hits) / (total - true),
                precision,
                2 * hits / (true + taken),
            )

    def macro(self, measure: str) -> Numbers:
        """The mean of a measure over the classes for which it can be told."""
        per_class: Numbers = getattr(self, measure)
        told = np.isfinite(per_class)
        with _quiet():
            return np.asarray(np.where(told, per_class, 0.0).sum(axis=-1) / told.sum(axis=-1))


@contextmanager
def _quiet() -> Iterator[None]:
    """Let 0 / 0 be NaN without a word."""
    with np.errstate(invalid="ignore", divide="ignore"):
        yield


@dataclass(frozen=True)
class Spread:
    """A mean with the standard deviation of the single numbers; NaN where it cannot be told."""

    mean: float
    sd: float

    @classmethod
    def of(cls, numbers: Numbers) -> Spread:
        """Mean and standard deviation (n - 1) of the numbers that can be told.

        >>> Spread.of(np.array([0.5, 0.7, np.nan])).mean
        0.6
        """
        told = numbers[np.isfinite(numbers)]
        if not len(told):
            return cls(float("nan"), float("nan"))
        return cls(float(told.mean()), float(told.std(ddof=1)) if len(told) > 1 else float("nan"))


@dataclass(frozen=True, eq=False)
class Summary:
    """All finished folds of one setting at one level.

    Parameters
    ----------
    accuracy
        The share of records classified rightly, over folds.
    macro
        The measures of :data:`MEASURES`, averaged over
        classes within each fold.
    by_class
        The same measures for every class, of all folds together.
    confusion
        Records of each class (row) taken for each class (column), per repeat on average.
    done, failed
        How many folds have a result, and how many have none because something went wrong.
    error
        What went wrong first.
    """

    setting: str
    level: float | None
    accuracy: Spread
    macro: dict[str, Spread]
    by_class: dict[str, Numbers]
    confusion: Numbers
    train_seconds: Spread
    test_seconds: Spread
    done: int
    failed: int = 0
    error: str = ""

    @property
    def is_partial(self) -> bool:
        """Whether folds without a result are missing from the means."""
        return self.failed > 0

    def to_json(self, class_values: Sequence[str]) -> dict[str, Any]:
        return {
            "accuracy": {"mean": self.accuracy.mean, "sd": self.accuracy.sd},
            **{name: self.macro[name].mean for name in MEASURES},
            "train_seconds": self.train_seconds.mean,
            "test_seconds": self.test_seconds.mean,
            "folds": self.done,
            "failed": self.failed,
            "partial": self.is_partial,
            "classes": {
                value: {name: float(self.by_class[name][i]) for name in MEASURES}
                for i, value in enumerate(class_values[: len(self.confusion)])
            },
            "confusion": self.confusion.tolist(),
        } | ({"error": self.error} if self.error else {})


def summarise(rows: Iterable[TaskResult]) -> dict[tuple[str, float | None], Summary]:
    """Draw results together, by setting and level."""
    grouped: dict[tuple[str, float | None], list[TaskResult]] = {}
    for row in rows:
        grouped.setdefault((row.task.setting, row.task.level), []).append(row)
    return {place: _summary(place, found) for place, found in grouped.items()}


def _summary(place: tuple[str, float | None], rows: list[TaskResult]) -> Summary:
    good = [row for row in rows if not row.error]
    first_error = next((row.error for row in rows if row.error), "")
    # A table from another version may hold matrices of other classes; the first one decides.
    size = len(good[0].confusion) if good else 0
    good = [row for row in good if len(row.confusion) == size]
    matrices = np.array([row.confusion for row in good], np.int64)
    matrices = matrices.reshape(len(good), size, size)
    found = Metrics.of(matrices)
    estimates = np.array([row.estimate for row in good if row.estimate is not None], np.float64)
    together = Metrics.of(matrices.sum(axis=0))
    repeats = len({row.task.repeat for row in good})
    return Summary(
        *place,
        accuracy=Spread.of(estimates if len(estimates) else found.accuracy),
        macro={name: Spread.of(found.macro(name)) for name in MEASURES},
        by_class={name: getattr(together, name) for name in MEASURES},
        confusion=matrices.sum(axis=0) / max(repeats, 1),
        train_seconds=Spread.of(np.array([row.train_seconds for row in good])),
        test_seconds=Spread.of(np.array([row.test_seconds for row in good])),
        done=len(good),
        failed=len(rows) - len(good),
        error=first_error,
    )
