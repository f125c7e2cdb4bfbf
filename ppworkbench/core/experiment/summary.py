"""The results of many tasks drawn together: a mean and a standard deviation for every setting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.experiment.metrics import MEASURES, Metrics
from ppworkbench.core.experiment.results import TaskResult

Numbers = NDArray[np.float64]


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
        The measures of :data:`~ppworkbench.core.experiment.metrics.MEASURES`, averaged over
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
        """The summary as the command line prints it."""
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
