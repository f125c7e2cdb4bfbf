"""Comparisons of classifiers: what is asked for, and the runs with their results."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from ppworkbench.core.classify import BinningParams, classifiers
from ppworkbench.core.classify.tree.node import Node
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.experiment import (
    Experiment,
    Plan,
    ResultsTable,
    Setting,
    Summary,
    Sweep,
    Task,
    TrainedTask,
    run_experiment,
    summarise,
    train,
)
from ppworkbench.core.experiment.engines import Engine
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.results.sheet import Column, Kind, Sheet
from ppworkbench.study.fingerprint import fingerprint
from ppworkbench.study.sampling import unused_in
from ppworkbench.study.study import Study

FOREST = "sklearn-forest"
SAME_TREE, LARGER, FOREST_TOO = "same-tree", "larger-class", "forest"
REFERENCES = (SAME_TREE, LARGER, FOREST_TOO)
MOST_FOLDS, MOST_REPEATS, MOST_LEVELS = 100, 1_000, 21
HIGHEST_LEVEL = 1_000


def offered() -> tuple[str, ...]:
    """All classifiers that know of distortion, in the order of the page."""
    return tuple(entry.name for entry in classifiers.ranked if not entry.item.is_reference)


def class_names(study: Study) -> list[str]:
    """The attributes that could be predicted: those with values, in the design."""
    return [attribute.name for attribute in study.attributes if can_be_class(study, attribute.name)]


def can_be_class(study: Study, name: str | None) -> bool:
    if study.original is None or name is None or name not in study.design:
        return False
    return study.attribute(name).kind.is_categorical


@dataclass(frozen=True)
class ClassifyRequest:
    """What a person asked for. Two equal requests have the same results."""

    class_name: str | None
    """None for the class of the table."""
    settings: tuple[Setting, ...]
    plan: Plan
    sweep: Sweep
    mark: str = ""
    """The fingerprint of the study."""
    larger_line: bool = True

    def experiment(self, table: Table, design: Design) -> Experiment:
        """The experiment itself; takes its time with a large table."""
        return Experiment.of(
            table, design, self.settings,
            class_name=self.class_name, plan=self.plan, sweep=self.sweep,
        )  # fmt: skip

    @property
    def levels(self) -> tuple[float | None, ...]:
        return self.sweep.levels or (None,)

    @property
    def total(self) -> int:
        distorted = sum(not s.undistorted for s in self.settings)
        references = len(self.settings) - distorted
        return self.folds * (distorted * len(self.levels) + references)

    @property
    def folds(self) -> int:
        """How often every setting is trained at every level."""
        return self.plan.folds * self.plan.repeats

    def to_json(self) -> dict[str, Any]:
        return {
            "class": self.class_name,
            "settings": [setting.to_json() for setting in self.settings],
            "plan": self.plan.to_json(),
            "sweep": self.sweep.to_json(),
            "mark": self.mark,
            "larger_line": self.larger_line,
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> ClassifyRequest:
        return cls(
            str(given["class"]),
            tuple(Setting.from_json(one) for one in given["settings"]),
            Plan.from_json(given["plan"]),
            Sweep.from_json(given["sweep"]),
            str(given["mark"]),
            bool(given["larger_line"]),
        )


@dataclass(eq=False)
class ClassifyRun:
    """A request with its results. The job adds to ``table``, the window reads."""

    request: ClassifyRequest
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
        return 0 if self.table is None else len(self.table)

    @property
    def is_complete(self) -> bool:
        return self.done >= self.request.total

    def summaries(self) -> dict[tuple[str, float | None], Summary]:
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
    def from_json(cls, given: object) -> ClassifyRun:
        """Read a saved run; a damaged one is an error."""
        try:
            assert isinstance(given, Mapping)  # noqa: S101 (caught below)
            results, larger = given["results"], given["larger_class"]
            return cls(
                ClassifyRequest.from_json(given["request"]),
                float(given["when"]),
                None if results is None else ResultsTable.from_json(results),
                tuple(str(value) for value in given["classes"]),
                float("nan") if larger is None else float(larger),
                int(given["records"]),
                tuple(Message.from_json(note) for note in given["notes"]),
            )
        except (AssertionError, KeyError, TypeError, ValueError, WorkbenchError) as error:
            raise DataError("A saved experiment of this study cannot be read.") from error


def run_request(
    run: ClassifyRun,
    study: Study,
    earlier: Sequence[ResultsTable] = (),
    engine: Engine | None = None,
    progress: Progress = silent,
) -> None:
    """Carry a run out, or go on with it; what it finds is in its table at once."""
    if study.original is None:
        raise DataError("There are no original answers to distort.")
    experiment = run.experiment or run.request.experiment(study.original, study.design)
    results = run.begin(experiment, earlier)
    # Classifiers learn from records, whoever these stand for.
    run.notes = (*unused_in(study), *run.notes)
    run_experiment(experiment, results, engine=engine, progress=progress)


@dataclass(frozen=True, eq=False)
class TrainedTree:
    trained: TrainedTask
    root: Node
    classes: tuple[str, ...]

    def path(self, place: int) -> tuple[Node, ...]:
        """The nodes through which a tested record goes."""
        record = self.trained.test.take(slice(place, place + 1))
        classifier: Any = self.trained.classifier
        found: tuple[Node, ...] = classifier.path(record)
        return found


def train_tree(
    experiment: Experiment, key: str, level: float | None, progress: Progress = silent
) -> TrainedTree:
    """Train the tree of a setting once more, on the first fold."""
    trained = train(experiment, Task(key, level, 0, 0), progress)
    classifier: Any = trained.classifier
    return TrainedTree(trained, classifier.root_, tuple(str(c) for c in classifier.classes_))


@dataclass(frozen=True)
class ClassifySettings:
    """Class, classifiers with their parameters, references, folds, and the sweep."""

    class_name: str | None = None
    ticked: frozenset[str] = frozenset({"tree", "naive-bayes"})
    params: Mapping[str, BinningParams] = field(default_factory=dict)
    references: frozenset[str] = frozenset({SAME_TREE, LARGER})
    folds: int = 10
    repeats: int = 1
    sweeps: bool = True
    low: float = 0.0
    high: float = 200.0
    steps: int = 5

    def with_(self, **changes: Any) -> Self:
        return dataclasses.replace(self, **changes)

    def with_classifier(self, name: str, on: bool) -> Self:
        return self.with_(ticked=self.ticked | {name} if on else self.ticked - {name})

    def with_params(self, name: str, params: BinningParams) -> Self:
        if params == self.params_of(name):
            return self
        return self.with_(params={**self.params, name: params})

    def with_reference(self, name: str, on: bool) -> Self:
        return self.with_(references=self.references | {name} if on else self.references - {name})

    def params_of(self, name: str) -> BinningParams:
        return self.params.get(name) or classifiers[name].params_type()

    def class_of(self, study: Study) -> str | None:
        """The attribute to be predicted: the chosen one, else the class of the study."""
        marked = None if study.original is None else study.original.class_name
        return next((name for name in (self.class_name, marked) if can_be_class(study, name)), None)

    @property
    def settings(self) -> tuple[Setting, ...]:
        """What is compared: the ticked classifiers, then the references that are trained."""
        chosen = [Setting(n, self.params_of(n)) for n in offered() if n in self.ticked]
        if SAME_TREE in self.references and "tree" in classifiers:
            chosen.append(Setting("tree", self.params_of("tree"), undistorted=True))
        if FOREST_TOO in self.references and FOREST in classifiers:
            chosen.append(Setting.of(FOREST))
        return tuple(chosen)

    @property
    def levels(self) -> tuple[float, ...]:
        """The levels of the sweep; none for the design as it is."""
        if not self.sweeps:
            return ()
        found = np.linspace(min(self.low, self.high), max(self.low, self.high), self.steps)
        return tuple(float(level) for level in np.round(found, 1))

    def plan(self, seed: int) -> Plan:
        return Plan(folds=self.folds, repeats=self.repeats, seed=seed)

    @property
    def sweep(self) -> Sweep:
        return Sweep(levels=self.levels)

    def to_json(self) -> dict[str, Any]:
        return {
            "class": self.class_name,
            "ticked": sorted(self.ticked),
            "params": {name: params.to_json() for name, params in self.params.items()},
            "references": sorted(self.references),
            "folds": self.folds,
            "repeats": self.repeats,
            "sweep": [self.sweeps, self.low, self.high, self.steps],
        }

    @classmethod
    def from_json(cls, given: object) -> Self:
        """Read saved settings; the usual ones where these cannot be understood."""
        if isinstance(given, Mapping):
            try:
                return cls._read(given)
            except (WorkbenchError, KeyError, TypeError, ValueError):
                pass
        return cls()

    @classmethod
    def _read(cls, given: Mapping[str, Any]) -> Self:
        name = given["class"]
        sweeps, low, high, steps = given["sweep"]
        low, high = (float(min(max(level, 0), HIGHEST_LEVEL)) for level in (low, high))
        return cls(
            None if name is None else str(name),
            frozenset(str(name) for name in given["ticked"]) & set(offered()),
            {
                name: classifiers[name].params_type.from_json(params)
                for name, params in given["params"].items()
                if name in classifiers
            },
            frozenset(given["references"]) & set(REFERENCES),
            min(max(int(given["folds"]), 2), MOST_FOLDS),
            min(max(int(given["repeats"]), 1), MOST_REPEATS),
            bool(sweeps),
            low,
            high,
            min(max(int(steps), 2), MOST_LEVELS),
        )

    def request(self, study: Study) -> ClassifyRequest:
        """What these settings ask of a study that has a class."""
        name = self.class_of(study)
        if name is None:
            raise DataError("There is no class attribute.")
        return ClassifyRequest(
            name, self.settings, self.plan(study.settings.seed), self.sweep,
            fingerprint(study), LARGER in self.references,
        )  # fmt: skip


# Tables


@dataclass(frozen=True)
class ResultRow:
    """One setting at one level, or a reference."""

    key: str
    name: str
    how: str
    look: str
    """One of the series, ``dash`` or ``dots``."""
    mean: float
    sd: float = math.nan
    f1: float = math.nan
    seconds: float = math.nan
    done: int = 0
    total: int = 0
    failed: int = 0
    error: str = ""
    is_best: bool = False
    run: ClassifyRun | None = None

    @property
    def may_be_best(self) -> bool:
        """Whether it learns from distorted records and no fold is missing from its accuracy."""
        return self.look.startswith("series") and math.isfinite(self.mean) and not self.failed

    @property
    def folds(self) -> Message:
        if not self.total:
            return Message("")
        return Message("{done} of {total}", done=self.done, total=self.total)


def results_sheet(rows: Sequence[ResultRow]) -> Sheet:
    """A row for each setting; the best of those that learn from distorted records stand out."""
    best = {place for place, row in enumerate(rows) if row.is_best}
    number = Kind.NUMBER
    return Sheet(
        "results", Message("Results"),
        (
            Column("classifier", Message("Classifier"), Kind.TEXT, [r.name for r in rows],
                   best=best),
            Column("reconstruction", Message("Reconstruction"), Kind.TEXT, [r.how for r in rows]),
            Column("accuracy", Message("Accuracy"), number, [r.mean for r in rows], best=best,
                   spread="accuracy_sd", decimals=3,
                   meaning=Message("Share of records that are predicted right, mean of folds")),
            Column("accuracy_sd", Message("Standard deviation"), number, [r.sd for r in rows],
                   decimals=3),
            Column("f1", Message("F1"), number, [r.f1 for r in rows], best=best, decimals=2),
            Column("train_seconds", Message("Train"), number,
                   [float(f"{r.seconds:.2g}") for r in rows], unit="s"),
            Column("folds", Message("Folds"), Kind.TEXT, [r.folds for r in rows]),
        ),
    )  # fmt: skip
