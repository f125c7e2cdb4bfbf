"""One experiment of the page: what was asked, and what came out so far."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import design_to_json
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.experiment import (
    Experiment,
    Plan,
    ResultsTable,
    Setting,
    Summary,
    Sweep,
    summarise,
)
from ppworkbench.core.message import Message
from ppworkbench.study.study import Study

_marked: list[tuple[Design, str]] = []
"""The design that was looked at last: a page asks many times about the same one."""


def mark_of(study: Study) -> str:
    """Equal for two states of a study in which the same experiment would have the same result."""
    table = study.original
    rows = 0 if table is None else table.rows
    policies = "" if table is None else ",".join(a.missing.value for a in table.attributes)
    rest = hashlib.sha256(f"{rows} {policies} {study.settings.seed}".encode()).hexdigest()[:8]
    return f"{_mark_of_design(study.design)}-{rest}"


def _mark_of_design(design: Design) -> str:
    for known, mark in _marked[:]:
        if known is design:
            return mark
    text = json.dumps(design_to_json(design), sort_keys=True)
    mark = hashlib.sha256(text.encode()).hexdigest()[:16]
    _marked[:] = [(design, mark)]
    return mark


@dataclass(frozen=True)
class Request:
    """What a person asked for. Two equal requests have the same results."""

    class_name: str
    settings: tuple[Setting, ...]
    plan: Plan
    sweep: Sweep
    mark: str
    larger_line: bool = True

    def experiment(self, table: Table, design: Design) -> Experiment:
        """The experiment itself; takes its time with a large table."""
        return Experiment.of(
            table, design, self.settings,
            class_name=self.class_name, plan=self.plan, sweep=self.sweep,
        )  # fmt: skip

    @property
    def levels(self) -> tuple[float | None, ...]:
        """The levels of distorted settings."""
        return self.sweep.levels or (None,)

    @property
    def total(self) -> int:
        """How many trainings there are."""
        distorted = sum(not s.undistorted for s in self.settings)
        references = len(self.settings) - distorted
        return self.folds * (distorted * len(self.levels) + references)

    @property
    def folds(self) -> int:
        """How often every setting is trained at every level."""
        return self.plan.folds * self.plan.repeats

    def to_json(self) -> dict[str, Any]:
        """The request as plain JSON values."""
        return {
            "class": self.class_name,
            "settings": [setting.to_json() for setting in self.settings],
            "plan": self.plan.to_json(),
            "sweep": self.sweep.to_json(),
            "mark": self.mark,
            "larger_line": self.larger_line,
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Request:
        """Read a saved request."""
        return cls(
            str(given["class"]),
            tuple(Setting.from_json(one) for one in given["settings"]),
            Plan.from_json(given["plan"]),
            Sweep.from_json(given["sweep"]),
            str(given["mark"]),
            bool(given["larger_line"]),
        )


@dataclass(eq=False)
class Run:
    """A request with its results. The job adds to ``table``, the window reads."""

    request: Request
    when: float = field(default_factory=time.time)
    table: ResultsTable | None = None
    class_values: tuple[str, ...] = ()
    larger_class: float = float("nan")
    records: int = 0
    notes: tuple[str, ...] = ()
    experiment: Experiment | None = None
    """Only in the session that ran it: a tree can be trained again from it."""

    @property
    def done(self) -> int:
        """How many trainings have ended, well or badly."""
        return 0 if self.table is None else len(self.table)

    @property
    def is_complete(self) -> bool:
        """Whether there is nothing left to do."""
        return self.done >= self.request.total

    def summaries(self) -> dict[tuple[str, float | None], Summary]:
        """The results so far, by setting and level."""
        return {} if self.table is None else summarise(self.table)

    def begin(self, experiment: Experiment, earlier: Sequence[ResultsTable] = ()) -> ResultsTable:
        """Take over what is known of the experiment, and give the table to fill.

        Results of earlier runs are used where they would only be found again.
        """
        self.experiment = experiment
        self.class_values = experiment.class_values
        self.larger_class = experiment.larger_class
        self.records = experiment.table.rows
        self.notes = experiment.notes
        if self.table is None or self.table.fingerprint != experiment.fingerprint:
            self.table = ResultsTable(experiment.fingerprint)
        wanted = set(experiment.tasks)
        for table in earlier:
            if table.fingerprint == experiment.fingerprint:
                for row in table:
                    if row.task in wanted and row.task not in self.table and not row.error:
                        self.table.add(row)
        return self.table

    def to_json(self) -> dict[str, Any]:
        """The run as plain JSON values."""
        return {
            "request": self.request.to_json(),
            "when": self.when,
            "results": None if self.table is None else self.table.to_json(),
            "classes": list(self.class_values),
            "larger_class": None if self.larger_class != self.larger_class else self.larger_class,
            "records": self.records,
            "notes": [Message.of(note).to_json() for note in self.notes],
        }

    @classmethod
    def from_json(cls, given: object) -> Run:
        """Read a saved run; a damaged one is an error."""
        try:
            assert isinstance(given, Mapping)  # noqa: S101 (caught below)
            results, larger = given["results"], given["larger_class"]
            return cls(
                Request.from_json(given["request"]),
                float(given["when"]),
                None if results is None else ResultsTable.from_json(results),
                tuple(str(value) for value in given["classes"]),
                float("nan") if larger is None else float(larger),
                int(given["records"]),
                tuple(Message.from_json(note) for note in given["notes"]),
            )
        except (AssertionError, KeyError, TypeError, ValueError, WorkbenchError) as error:
            raise DataError("A kept experiment of this study cannot be read.") from error
