"""What came out of single trainings, as a table that can be saved and gone on with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

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
        """How many tasks are done."""
        return len(self._rows)

    def __contains__(self, task: object) -> bool:
        """Whether a task is done."""
        return task in self._rows

    def __iter__(self) -> Iterator[TaskResult]:
        """All results, in the order in which they came."""
        # A copy, because a job may add while the window reads.
        return iter(list(self._rows.values()))

    def add(self, row: TaskResult) -> None:
        """Take up one result."""
        self._rows[row.task] = row

    def to_json(self) -> dict[str, Any]:
        """The table as plain JSON values: the results under their settings."""
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
        """Read a table; a damaged one is an error."""
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
