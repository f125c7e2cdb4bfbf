"""Comparisons of classifiers that learn from records which are randomised for the comparison."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from ppworkbench.analyses.request import STRATA, Request
from ppworkbench.analyses.source import Source
from ppworkbench.core.classify import classifiers
from ppworkbench.core.data.sampling_roles import unused_remarks
from ppworkbench.core.errors import DataError, ParameterError
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
from ppworkbench.core.experiment.engines import DaskCluster, Engine, InProcess, LocalProcesses
from ppworkbench.core.experiment.experiment import Folding
from ppworkbench.core.files import check_file, write_text
from ppworkbench.core.json_values import parse_json
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, Option, Part, Read, Within, declarations
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.results.picture import Axis, Interval, Picture, intervals
from ppworkbench.results.result import Result
from ppworkbench.results.sheet import Column, Kind, Sheet
from ppworkbench.results.text import TRUE, Naming, naming

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class ClassificationResult(Result):
    """How often each classifier was right, by setting and level of privacy."""

    experiment: Experiment
    found: Mapping[tuple[str, float | None], Summary]
    remarks: tuple[str, ...] = ()
    state = TRUE

    @property
    def shown(self) -> Naming:
        return naming(self.experiment.table.attributes)

    def sentence(self) -> str:
        one = self.experiment
        return Message(
            "{records:,} records, class {attribute}, {folds} folds x {repeats}; always the "
            "majority class: {share:.3f}",
            records=one.table.rows, attribute=one.class_name, folds=one.plan.folds,
            repeats=one.plan.repeats, share=one.larger_class,
        )  # fmt: skip

    def sheets(self) -> tuple[Sheet, ...]:
        found = list(self.found.values())
        # A mean over the folds that happened to succeed is not compared with whole ones.
        whole = [one.accuracy.mean for one in found if one.done and not one.is_partial]
        best = max(whole, default=float("nan"))
        labels = [self.experiment.labels[key] for key, _ in self.found]
        marks = [" *" if one.accuracy.mean == best and not one.is_partial else "" for one in found]
        level = Column("level", Message("level"), Kind.NUMBER, [at for _, at in self.found],
                       unit="%")  # fmt: skip
        columns = (
            Column("classifier", Message("classifier"), Kind.TEXT,
                   [f"{label}{mark}" for label, mark in zip(labels, marks, strict=True)]),
            *([level] if self.experiment.sweep.levels else []),
            _column("accuracy", Message("accuracy"), [one.accuracy.mean for one in found]),
            _column("sd", Message("sd"), [one.accuracy.sd for one in found]),
            _column("f1", Message("f1"), [one.macro["f1"].mean for one in found]),
            Column("train", Message("train"), Kind.TEXT,
                   [f"{one.train_seconds.mean:.2f} s" for one in found]),
            Column("folds", Message("folds"), Kind.TEXT, list(map(_folds, found))),
        )  # fmt: skip
        return (Sheet("accuracy", Classify.label, columns),)

    def readings(self) -> tuple[str, ...]:
        problems = (
            Message(
                "{label}{level}: means of {folds} folds; the others failed. {error}",
                label=self.experiment.labels[key], folds=_folds(one), error=one.error,
                level="" if level is None else Message(" at {level:g} %", level=level),
            )
            for (key, level), one in self.found.items()
            if one.is_partial
        )  # fmt: skip
        return (*problems, *self.experiment.notes)

    def to_frame(self) -> pd.DataFrame:
        """One row per classifier and level: accuracy, its spread over folds, and more measures."""
        import pandas as pd

        rows = []
        for (key, level), one in self.found.items():
            row: dict[str, Any] = {"classifier": self.experiment.labels[key], "level": level}
            row |= {"accuracy": one.accuracy.mean, "sd": one.accuracy.sd}
            row |= {name: spread.mean for name, spread in one.macro.items()}
            rows.append(row | {"folds": one.done, "failed": one.failed})
        frame = pd.DataFrame(rows)
        return frame if self.experiment.sweep.levels else frame.drop(columns="level")

    def pictures(self) -> tuple[Picture, ...]:
        labels, values = [], []
        for (key, level), one in self.found.items():
            label = self.experiment.labels[key]
            labels.append(label if level is None else f"{label}, {level:g} %")
            middle, reach = one.accuracy.mean, one.accuracy.sd
            values.append(Interval(middle, middle - reach, middle + reach))
        title, axis = Message("Accuracy of classifiers"), Axis(Message("accuracy"))
        note = Message("Bars reach one standard deviation to both sides.")
        return (intervals("accuracy", title, axis, labels, values, note=note),)

    def _document(self) -> Mapping[str, Any]:
        experiment = self.experiment
        results = []
        for (key, level), summary in self.found.items():
            setting = experiment.setting(key)
            place: dict[str, Any] = {} if level is None else {"level": level}
            named = {"label": experiment.labels[key]} | setting.to_json()
            results.append(named | place | summary.to_json(experiment.class_values))
        return {
            "records": experiment.table.rows,
            "class": experiment.class_name,
            "classes": list(experiment.class_values),
            "larger_class": experiment.larger_class,
            "folds": experiment.plan.folds,
            "repeats": experiment.plan.repeats,
            "results": results,
            "notes": list(experiment.notes),
            **({"remarks": list(self.remarks)} if self.remarks else {}),
        }


def _column(key: str, head: Message, values: list[float]) -> Column:
    return Column(key, head, Kind.NUMBER, values, decimals=3)


def _folds(one: Summary) -> str:
    asked = one.done + one.failed
    return f"{one.done} of {asked}" if one.is_partial else str(one.done)


@contextmanager
def _kept(experiment: Experiment, file: str | os.PathLike[str] | None) -> Iterator[ResultsTable]:
    """The results so far, written back however the work ends."""
    results = ResultsTable(experiment.fingerprint)
    path = None if file is None else Path(file)
    if path is not None and path.exists():
        check_file(path)
        try:
            results = ResultsTable.from_json(parse_json(path.read_text(encoding="utf-8")))
        except (ValueError, DataError):
            raise DataError(
                f"{path.name} has no results to resume from; choose another file.", file=path
            ) from None
        if results.fingerprint != experiment.fingerprint:
            raise DataError(
                f"{path.name} has results of other data, another design or other folds; "
                "choose another file.",
                file=path,
            )
    try:
        yield results
    finally:
        if path is not None:
            write_text(path, json.dumps(results.to_json()), private=True)


def _setting(given: Any, *, undistorted: bool = False) -> Setting:
    """A setting from ``tree:reconstruction=local,bins=20``, or with its parameters beside it."""
    if isinstance(given, Setting):
        return given
    word, more = (given, {}) if isinstance(given, str) else given
    name, _, rest = word.partition(":")
    known = {one.name: one for one in declarations(classifiers[name].params_type)}
    own = (each.partition("=") for each in rest.split(",") if each)
    values = {**more, **{key.strip().replace("-", "_"): value for key, _, value in own}}
    for key in values:
        if key not in known:
            raise ParameterError(
                f"The classifier {name!r} has no parameter {key!r}; it has {', '.join(known)}.",
                field=key,
            )
    read = {key: known[key].parse(value) if isinstance(value, str) else value
            for key, value in values.items()}  # fmt: skip
    return Setting.of(name, undistorted=undistorted, **read)


def _settings(given: Any, *, undistorted: bool = False) -> tuple[Setting, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise TypeError(Message("it must be a list of names, with parameters or without"))
    return tuple(_setting(one, undistorted=undistorted) for one in given)


def _references(given: Any) -> tuple[Setting, ...]:
    return _settings(given, undistorted=True)


def _written(settings: Sequence[Setting]) -> list[Any]:
    told = [(one.classifier, one.params.changed()) for one in settings]
    return [(name, own) if own else name for name, own in told]


def _same(given: Any) -> Any:
    return given


_SETTINGS = "Sequence[str | tuple[str, Mapping[str, Any]] | Setting]"
_WHERE = "processes and cluster"


@dataclass(frozen=True, kw_only=True)
class Classify(Request):
    """Compare classifiers: distort inside each training fold, learn, test on the fold left out.

    A classifier is a name, a name and its parameters, or both in one text as
    ``"tree:bins=20"``. Weights, strata and clusters cannot be used; ``sampling=False`` ignores
    those that the design names.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> weather = pp.sample("weather")
    >>> design = pp.Design.starting(weather, epsilon=3)
    >>> found = pp.classify(weather, design, ["naive-bayes"], class_name="class", folds=2)
    >>> found.to_frame()[["classifier", "folds"]].values.tolist()
    [['Naive Bayes, reconstructed', 2]]
    """

    name: ClassVar[str] = "classify"
    label: ClassVar[Message] = Message("Comparison of classifiers")
    leading: ClassVar[tuple[str, ...]] = ("classifiers",)
    of_true: ClassVar[bool] = True
    unused: ClassVar[tuple[str, ...]] = ("weights", *STRATA, "original", "engine")
    only_here: ClassVar[tuple[str, ...]] = ("workers", "cluster", "resume", "engine")
    finds: ClassVar[type[Result]] = ClassificationResult

    classifiers: Annotated[
        tuple[Setting, ...],
        Read(_settings, _written, annotation=_SETTINGS),
        Option("classifier", "NAME[:PARAMETER=VALUE,...]", is_repeated=True, family=classifiers),
        Info(
            "Classifiers", f"classifier, may be repeated; known are {', '.join(classifiers.names)}"
        ),
    ]
    class_name: Annotated[str | None, Option("class", "NAME"), Info("Class", "class attribute")] = (
        None
    )
    undistorted: Annotated[
        tuple[Setting, ...],
        Read(_references, _written, annotation=_SETTINGS),
        Option(metavar="NAME[:PARAMETER=VALUE,...]", is_repeated=True),
        Info("Undistorted", "classifier trained on undistorted records, for comparison"),
    ] = ()
    folding: Annotated[
        Folding, Part("cross-validation", is_open=True), Info("Folding", "cross-validation")
    ] = Folding()  # noqa: RUF009 (frozen)
    sweep: Annotated[
        Sweep,
        Part("privacy sweep instead of the current design"),
        Info("Sweep", "levels of privacy in place of the current design"),
    ] = Sweep()  # noqa: RUF009 (frozen)
    workers: Annotated[
        int | None,
        Within(1, 1_000),
        Option(group=_WHERE),
        Info("Workers", "processes on this computer (default: one per processor)"),
    ] = None
    cluster: Annotated[
        str | None,
        Option(metavar="ADDR", group=_WHERE),
        Info("Cluster", "Dask scheduler, e.g. tcp://host:8786"),
    ] = None
    resume: Annotated[
        str | None,
        Read(os.fspath, annotation="StudyPath"),
        Option(metavar="FILE", group=_WHERE, is_updated=True),
        Info("Resume", "file of single results: resume from it and save to it"),
    ] = None
    engine: Annotated[
        Engine | None,
        Read(_same, on_command_line=False, annotation="Any"),
        Info("Engine", "where the work is done, beside workers and cluster"),
    ] = None

    def run(self, source: Source, progress: Progress = silent) -> ClassificationResult:
        design = source.design
        design.refuse_arms()
        if source.sampling is not None:
            raise ParameterError(
                "The design names weights, strata or clusters, which classifiers cannot use; turn "
                "them off with --no-sampling (in Python sampling=False).",
                field="sampling",
            )
        table = source.data.whole_true(design, part(progress, 0.0, 0.1))
        plan = Plan(**self.folding.to_json(), seed=source.seed or 0)
        settings = (*self.classifiers, *self.undistorted)
        experiment = Experiment.of(
            table, design, settings, class_name=self.class_name, plan=plan, sweep=self.sweep
        )
        with _kept(experiment, self.resume) as results:
            run_experiment(
                experiment, results, engine=self._engine(), progress=part(progress, 0.1, 1.0)
            )
        # As they were asked for, not as several processes happened to finish.
        place = {task: place for place, task in enumerate(experiment.tasks)}
        rows = [row for row in results if row.task in place]
        found = summarise(sorted(rows, key=lambda row: place[row.task]))
        if all(not summary.done for summary in found.values()):
            raise DataError(next(iter(found.values())).error)
        return ClassificationResult(experiment, found, unused_remarks(design.sampling))

    def _engine(self) -> Engine | None:
        if self.engine is not None or (self.cluster is None and self.workers is None):
            return self.engine
        if self.cluster is not None:
            return DaskCluster(self.cluster)
        return InProcess() if self.workers == 1 else LocalProcesses(self.workers)


QUESTION = Classify
