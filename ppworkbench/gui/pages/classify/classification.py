"""Runs of classifiers, in the background."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Signal

from ppworkbench.core.classify import BinningParams, classifiers
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
    run_experiment,
    summarise,
)
from ppworkbench.core.experiment.engines import Engine
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress
from ppworkbench.gui.charts.axes import short_number
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.widgets.form import choice_words
from ppworkbench.gui.workbench import Workbench
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


PAGE = "classify"
_KEPT = 8
IDLE, RUNNING, PAUSED = "idle", "running", "paused"


class Runs(QObject):
    """All kept runs, the one that is shown, and the one under way."""

    changed = Signal()
    """Another run is shown, or one began, paused or ended."""
    progressed = Signal()
    """The run under way has more results."""
    stopped = Signal(int, int)
    """A run was cancelled after so many of so many trainings."""
    failed = Signal(object)

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self.engine: Engine | None = None
        """Where trainings are done; None for the usual place."""
        self.runs: list[Run] = []
        self.current: Run | None = None
        self.state = IDLE
        self._job: Job | None = None
        self._told = -1
        self._preparing: Run | None = None

    @property
    def running(self) -> Run | None:
        """The run that is under way or paused."""
        return None if self.state == IDLE else self.runs[-1]

    def matching(self, request: Request) -> Run | None:
        """An earlier run of the same request."""
        return next((run for run in reversed(self.runs) if run.request == request), None)

    def show(self, run: Run) -> None:
        """Show an earlier run."""
        if run is not self.current:
            self.current = run
            self.changed.emit()

    # A run

    def start(self, study: Study, request: Request) -> None:
        """Begin a run, or go on with an unfinished one of the same request."""
        run = self.matching(request)
        if run is not None and not run.is_complete:
            self.runs.remove(run)
        else:
            run = Run(request)
        self.runs = [*self.runs, run][-_KEPT:]
        self.current = run
        self._carry_out(study, run)

    def pause(self) -> None:
        """Stop for now; the settings stay as they are."""
        if self._job is not None and self.state == RUNNING:
            self.state = PAUSED
            self._job.cancel()
            self.changed.emit()

    def go_on(self, study: Study) -> None:
        """Go on with the paused run."""
        run = self.running
        if self.state == PAUSED and run is not None and self._job is None:
            self._carry_out(study, run)

    def cancel(self) -> None:
        """Stop; what is finished stays."""
        if self._job is not None:
            self.state = RUNNING
            self._job.cancel()
        elif self.state == PAUSED:
            self._come_to_rest(self.runs[-1])

    def _carry_out(self, study: Study, run: Run) -> None:
        table, design = study.original, study.design
        if table is None:
            raise DataError("There are no original answers to distort.")
        engine = self.engine
        earlier = [one.table for one in self.runs if one.table is not None and one is not run]

        def work(progress: Progress) -> None:
            experiment = run.experiment
            if experiment is None:
                experiment = run.request.experiment(table, design)
            results = run.begin(experiment, earlier)
            run_experiment(experiment, results, engine=engine, progress=progress)

        self.state = RUNNING
        self._told = -1
        job = self._workbench.run(self._words(run), work, lambda _: None, key="classify")
        self._job = job
        job.progressed.connect(lambda *_: self._on_progressed(job, run))
        job.failed.connect(self.failed)
        job.ended.connect(lambda: self._on_ended(job, run))
        self.changed.emit()

    def _words(self, run: Run) -> str:
        done, total = number(run.done), number(run.request.total)
        if run.request.sweep.levels:
            return self.tr("Privacy sweep: %s of %s trainings") % (done, total)
        return self.tr("Comparison: %s of %s trainings") % (done, total)

    def _on_progressed(self, job: Job, run: Run) -> None:
        if job is self._job and run.done != self._told:
            self._told = run.done
            job.name = self._words(run)
            self.progressed.emit()

    def _on_ended(self, job: Job, run: Run) -> None:
        job.name = self._words(run)
        if job is not self._job:
            return
        self._job = None
        if self.state == PAUSED and not run.is_complete:
            self.keep()
            self.changed.emit()
            return
        self._come_to_rest(run)

    def _come_to_rest(self, run: Run) -> None:
        self.state = IDLE
        self.keep()
        if not run.is_complete:
            self.stopped.emit(run.done, run.request.total)
        self.changed.emit()

    @property
    def is_stopping(self) -> bool:
        """Whether a paused run is still on its way to a halt."""
        return self.state == PAUSED and self._job is not None

    def forget_run(self, run: Run) -> None:
        """Remove a kept run."""
        if run in self.runs and run is not self.running:
            self.runs.remove(run)
            if self.current is run:
                self.current = self.runs[-1] if self.runs else None
            self.keep()
            self.changed.emit()

    def prepare(self, run: Run) -> bool:
        """Whether a run of another session knows its experiment; if not, it is made meanwhile."""
        if run.experiment is not None:
            return True
        table, design = self._workbench.store.study.original, self._workbench.store.study.design
        if table is None or self._preparing is run:
            return False
        self._preparing = run

        def work(_: Progress) -> Experiment:
            return run.request.experiment(table, design)

        def done(experiment: Experiment) -> None:
            self._preparing = None
            if run.table is not None and experiment.fingerprint == run.table.fingerprint:
                run.experiment = experiment
                self.changed.emit()

        self._workbench.run(
            self.tr("Preparing the tree"), work, done, key="classify prepare", quiet=True
        )
        return False

    # The study

    def keep(self, choices: Mapping[str, object] | None = None) -> None:
        """Put the runs that have results into the study."""
        before = self._workbench.store.study.results.get(PAGE)
        known = before.get("choices") if isinstance(before, Mapping) else None
        kept = {
            "choices": known if choices is None else dict(choices),
            "runs": [run.to_json() for run in self.runs if run.done],
        }
        self._workbench.store.set_results(PAGE, kept)

    def restore(self) -> object:
        """Read the runs of the study that was opened; gives back its saved choices."""
        self._leave()
        given = self._workbench.store.study.results.get(PAGE)
        self.runs, choices = [], None
        if isinstance(given, Mapping):
            choices = given.get("choices")
            listed = given.get("runs")
            for one in listed if isinstance(listed, list) else ():
                try:
                    self.runs.append(Run.from_json(one))
                except DataError as error:
                    self._workbench.error_raised.emit(error)
        self.current = self.runs[-1] if self.runs else None
        self.changed.emit()
        return choices

    def _leave(self) -> None:
        if self._job is not None:
            self._job.disown()
            self._job = None
        self._preparing = None
        self.state = IDLE


FOREST = "sklearn-forest"


def offered() -> tuple[str, ...]:
    """All classifiers that know of distortion, in the order of the page."""
    return tuple(entry.name for entry in classifiers.ranked if not entry.item.is_reference)


def short_name(classifier: str) -> str:
    """A classifier in a few words; the registry's own for one that is new."""
    entry = classifiers.entry(classifier)
    # Some languages shorten even a name that is short in English.
    return tr(entry.title, "short")


def setting_name(setting: Setting) -> str:
    """A setting as tables and curves name it."""
    name = short_name(setting.classifier)
    if not setting.undistorted or classifiers[setting.classifier].is_reference:
        return name
    if setting.classifier == "tree":
        return tr("Undistorted tree")
    return tr("%s, undistorted") % name


def how_reconstructed(setting: Setting) -> str:
    """How a setting undoes the distortion, for the table."""
    if setting.undistorted:
        return choice_words("none")
    params = setting.params
    types = getattr(params, "reconstruction", None) or getattr(params, "reconstructions", None)
    if types is None:
        return choice_words("by-class")
    listed = (types,) if isinstance(types, str) else types
    words = [choice_words(one) for one in listed]
    algorithms = getattr(params, "algorithms", ())
    if listed != ("none",):
        words += [algorithms] if isinstance(algorithms, str) else _few(algorithms)
    return ", ".join(words)


def _few(algorithms: tuple[str, ...]) -> list[str]:
    return list(algorithms) if len(algorithms) < 2 else [tr("%s algorithms") % len(algorithms)]


def level_words(level: float | None) -> str:
    """A level of the sweep, or the design as it is."""
    if level is None:
        return tr("the design as it is")
    return tr("range privacy %s\u202f%%") % short_number(level)


SAME_TREE, LARGER, FOREST_TOO = "same-tree", "larger-class", "forest"
REFERENCES = (SAME_TREE, LARGER, FOREST_TOO)
MOST_FOLDS, MOST_REPEATS, MOST_LEVELS = 100, 1_000, 21
HIGHEST_LEVEL = 1_000


class Choices(QObject):
    """Classifiers with their parameters, references, folds, and the sweep."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._set_defaults()

    def _set_defaults(self) -> None:
        self.class_name: str | None = None
        self.ticked = {name for name in ("tree", "naive-bayes") if name in classifiers}
        self.params: dict[str, BinningParams] = {}
        self.references = {SAME_TREE, LARGER}
        self.folds, self.repeats = 10, 1
        self.sweeps = True
        self.low, self.high, self.steps = 0.0, 200.0, 5

    def forget(self) -> None:
        """Begin anew: another study is shown."""
        self._set_defaults()
        self.changed.emit()

    def params_of(self, name: str) -> BinningParams:
        """The parameters of a classifier."""
        return self.params.get(name) or classifiers[name].params_type()

    def tick(self, name: str, on: bool) -> None:
        """Take a classifier in or leave it out."""
        (self.ticked.add if on else self.ticked.discard)(name)
        self.changed.emit()

    def set_params(self, name: str, params: BinningParams) -> None:
        """Change parameters of a classifier."""
        if params != self.params_of(name):
            self.params[name] = params
            self.changed.emit()

    def refer(self, name: str, on: bool) -> None:
        """Compare with something undistorted, or not."""
        (self.references.add if on else self.references.discard)(name)
        self.changed.emit()

    def set(self, **changes: object) -> None:
        """Change class, folds, repeats or the sweep."""
        if any(getattr(self, name) != value for name, value in changes.items()):
            for name, value in changes.items():
                setattr(self, name, value)
            self.changed.emit()

    # What follows from it

    def class_of(self, study: Study) -> str | None:
        """The attribute to be foretold: the chosen one, else the class of the study."""
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
        """Folds and repeats."""
        return Plan(folds=self.folds, repeats=self.repeats, seed=seed)

    @property
    def sweep(self) -> Sweep:
        """The sweep."""
        return Sweep(levels=self.levels)

    # In a study

    def to_json(self) -> dict[str, Any]:
        """The choices as plain JSON values."""
        return {
            "class": self.class_name,
            "ticked": sorted(self.ticked),
            "params": {name: params.to_json() for name, params in self.params.items()},
            "references": sorted(self.references),
            "folds": self.folds,
            "repeats": self.repeats,
            "sweep": [self.sweeps, self.low, self.high, self.steps],
        }

    def restore(self, given: object) -> None:
        """Take over saved choices; what cannot be understood stays as it is by default."""
        self._set_defaults()
        if isinstance(given, Mapping):
            try:
                self._read(given)
            except (WorkbenchError, KeyError, TypeError, ValueError):
                self._set_defaults()
        self.changed.emit()

    def _read(self, given: Mapping[str, Any]) -> None:
        known = set(offered())
        name = given["class"]
        self.class_name = None if name is None else str(name)
        self.ticked = {str(name) for name in given["ticked"]} & known
        self.params = {
            name: classifiers[name].params_type.from_json(params)
            for name, params in given["params"].items()
            if name in classifiers
        }
        self.references = set(given["references"]) & set(REFERENCES)
        self.folds = min(max(int(given["folds"]), 2), MOST_FOLDS)
        self.repeats = min(max(int(given["repeats"]), 1), MOST_REPEATS)
        sweeps, low, high, steps = given["sweep"]
        self.sweeps = bool(sweeps)
        self.low, self.high = (float(min(max(level, 0), HIGHEST_LEVEL)) for level in (low, high))
        self.steps = min(max(int(steps), 2), MOST_LEVELS)


def class_names(study: Study) -> list[str]:
    """The attributes that could be foretold: those with values, in the design."""
    return [attribute.name for attribute in study.attributes if can_be_class(study, attribute.name)]


def can_be_class(study: Study, name: str | None) -> bool:
    """Whether an attribute could be foretold."""
    if study.original is None or name is None or name not in study.design:
        return False
    return study.attribute(name).kind.is_categorical


def why_not_run(study: Study, choices: Choices) -> str:
    """A sentence, or nothing where a run is possible."""
    if study.original is None:
        return no_original(study)
    why_not = _why_no_class(study, choices)
    if why_not:
        return why_not
    if not choices.ticked:
        return tr("Tick at least one classifier.")
    if study.rows < choices.folds:
        words = tr("There are %s records; use at most as many folds.")
        return words % number(study.rows)
    return ""


def _why_no_class(study: Study, choices: Choices) -> str:
    name = choices.class_of(study)
    if name is None:
        # The first that can be is enough: there may be thousands.
        if any(can_be_class(study, attribute.name) for attribute in study.attributes):
            return tr("Choose the attribute that is to be foretold.")
        return tr("No attribute has a few values that could be foretold.")
    if not any(d.name != name for d in study.design):
        return tr("There is no attribute beside the class to learn from.")
    return ""


def no_original(study: Study) -> str:
    """Why a study without original answers has nothing to compare."""
    if study.distorted is not None:
        return tr(
            "An experiment distorts original answers itself and is tested on them. This study came "
            "distorted, so nobody could say which predictions are right."
        )
    return tr("There are no answers yet. Open a table or a sample.")


def class_hint(study: Study, name: str | None) -> str:
    """What is odd about the chosen class: it is distorted too."""
    if name is None or name not in study.design:
        return ""
    perturbation = study.design.perturbation(name)
    if perturbation.is_identity:
        return ""
    words = tr("The design distorts it too (%s). Training sees it so; the test knows the truth.")
    return words % translate(perturbation.summary())
