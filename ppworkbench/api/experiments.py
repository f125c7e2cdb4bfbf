"""Comparisons of classifiers that learn from records which are randomised for the comparison."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppworkbench.analyses.arguments import check_arguments
from ppworkbench.analyses.inputs import (
    AnswerSource,
    Data,
    DesignLike,
    given_options,
    refuse_reported,
    settings,
)
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.sampling_roles import UNUSED_SAMPLING
from ppworkbench.core.design.design_file import as_design
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.files import check_file
from ppworkbench.core.json_values import parse_json
from ppworkbench.core.message import Message, titled
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.results.picture import Axis, Interval, Picture, intervals
from ppworkbench.results.result import Result
from ppworkbench.results.text import TRUE, aligned, harmless, naming, note_lines

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.core.experiment import Experiment, ResultsTable, Setting, Summary
    from ppworkbench.core.experiment.engines import Engine


@check_arguments
def classify(  # noqa: PLR0913 (keywords with defaults)
    data: Data,
    design: DesignLike,
    classifiers: Sequence[str | tuple[str, Mapping[str, Any]] | Setting],
    *,
    undistorted: Sequence[str | tuple[str, Mapping[str, Any]]] = (),
    class_name: str | None = None,
    sweep: Mapping[str, Any] | None = None,
    sampling: bool = True,
    engine: Engine | None = None,
    resume: str | os.PathLike[str] | None = None,
    reading: ReadOptions | Mapping[str, Any] | None = None,
    seed: int = 0,
    progress: Progress = silent,
    **folding: Any,
) -> ClassificationResult:
    """Compare classifiers: distort inside each training fold, learn, test on the fold left out.

    Parameters
    ----------
    data
        True records: a frame, a table or a file.
    design
        How training records are randomised.
    classifiers
        Names that the command ``classify`` knows, such as ``"tree"``, or pairs of a name and its
        parameters.
    undistorted
        The same for classifiers that learn from the records as they are.
    class_name
        The attribute to foretell; the class of the design if not given.
    sweep
        Levels of privacy in place of the current design.
    sampling
        Weights, strata and clusters cannot be used; False ignores those that the design names.
    engine
        Where the work is done; in processes on this computer if not given.
    resume
        A file of single results, to resume from and to save to.
    reading, seed, progress
        As for :class:`Survey`.
    **folding
        ``folds`` and ``repeats`` of the cross-validation.

    Examples
    --------
    >>> from ppworkbench import Design, sample
    >>> weather = sample("weather")
    >>> design = Design.starting(weather, epsilon=3)
    >>> found = classify(weather, design, ["naive-bayes"], class_name="class", folds=2)
    >>> found.to_frame()[["classifier", "folds"]].values.tolist()
    [['Naive Bayes, reconstructed', 2]]
    """
    from ppworkbench.analyses.classification import ClassifyRequest
    from ppworkbench.core.experiment import Plan, Sweep, run_experiment, summarise

    how = given_options(ReadOptions, reading)
    source, chosen = AnswerSource(data, how), as_design(design)
    chosen.refuse_arms()
    if chosen.sampling is not None and sampling:
        raise ParameterError(
            "The design names weights, strata or clusters, which classifiers cannot use; give "
            "sampling=False.",
            field="sampling",
        )
    refuse_reported(source.path)
    plan = settings(Plan, folding, seed=seed)
    asked = (
        *(_setting(one) for one in classifiers),
        *(_setting(one, undistorted=True) for one in undistorted),
    )
    table = source.whole(chosen.original_schema, part(progress, 0.0, 0.1))
    request = ClassifyRequest(class_name, asked, plan, settings(Sweep, sweep or {}))
    experiment = request.experiment(table, chosen)
    with _kept(experiment, resume) as results:
        run_experiment(experiment, results, engine=engine, progress=part(progress, 0.1, 1.0))
    # As they were asked for, not as several processes happened to finish.
    place = {task: place for place, task in enumerate(experiment.tasks)}
    rows = [row for row in results if row.task in place]
    found = summarise(sorted(rows, key=lambda row: place[row.task]))
    if all(not summary.done for summary in found.values()):
        raise DataError(next(iter(found.values())).error)
    remarks = () if chosen.sampling is None else (UNUSED_SAMPLING,)
    return ClassificationResult(experiment, found, remarks)


def _setting(
    given: str | tuple[str, Mapping[str, Any]] | Setting, *, undistorted: bool = False
) -> Setting:
    from ppworkbench.core.experiment import Setting

    if isinstance(given, Setting):
        return given
    name, parameters = (given, {}) if isinstance(given, str) else given
    return Setting.of(name, undistorted=undistorted, **parameters)


@contextmanager
def _kept(experiment: Experiment, file: str | os.PathLike[str] | None) -> Iterator[ResultsTable]:
    """The results so far, written back however the work ends."""
    from ppworkbench.core.experiment import ResultsTable
    from ppworkbench.core.files import write_text

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
            write_text(path, json.dumps(results.to_json()))


@dataclass(frozen=True, eq=False, repr=False)
class ClassificationResult(Result):
    """How often each classifier was right, by setting and level of privacy."""

    experiment: Experiment
    found: Mapping[tuple[str, float | None], Summary]
    remarks: tuple[str, ...] = ()
    state = TRUE

    def _document(self) -> Mapping[str, Any]:
        document = _document(self.experiment, self.found)
        if self.remarks:
            document["remarks"] = list(self.remarks)
        return document

    def summary(self) -> str:
        """The comparison for people, as the command line prints it."""
        return "\n\n".join([_text(self.experiment, self.found), *note_lines(self.remarks)])

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
        """The mean accuracy of each setting, with the standard deviation over folds."""
        labels, values = [], []
        for (key, level), one in self.found.items():
            label = self.experiment.labels[key]
            labels.append(label if level is None else f"{label}, {level:g} %")
            middle, reach = one.accuracy.mean, one.accuracy.sd
            values.append(Interval(middle, middle - reach, middle + reach))
        title, axis = Message("Accuracy of classifiers"), Axis(Message("accuracy"))
        note = Message("Bars reach one standard deviation to both sides.")
        return (intervals("accuracy", title, axis, labels, values, note=note),)


def _document(
    experiment: Experiment, found: Mapping[tuple[str, float | None], Summary]
) -> dict[str, Any]:
    results = []
    for (key, level), summary in found.items():
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
    }


def _text(experiment: Experiment, found: Mapping[tuple[str, float | None], Summary]) -> str:
    levels = bool(experiment.sweep.levels)
    heads = ["classifier", *(["level"] if levels else []), "accuracy", "sd", "f1", "train", "folds"]
    # A mean over the folds that happened to succeed is not compared with whole ones.
    whole = (s.accuracy.mean for s in found.values() if s.done and not s.is_partial)
    best = max(whole, default=float("nan"))
    rows, problems, shown = [], [], naming(experiment.table.attributes)
    for (key, level), summary in found.items():
        label = experiment.labels[key]
        is_best = summary.accuracy.mean == best and not summary.is_partial
        mark = " *" if is_best else ""
        name = f"{label}{mark}"
        place = ["" if level is None else f"{level:g} %"] if levels else []
        spread = summary.accuracy
        numbers = [f"{spread.mean:.3f}", f"{spread.sd:.3f}", f"{summary.macro['f1'].mean:.3f}"]
        seconds = f"{summary.train_seconds.mean:.2f} s"
        asked = summary.done + summary.failed
        folds = f"{summary.done} of {asked}" if summary.is_partial else str(summary.done)
        rows.append([name, *place, *numbers, seconds, folds])
        if summary.is_partial:
            where = f" at {level:g} %" if level is not None else ""
            problems.append(
                f"{label}{where}: means of {summary.done} of {asked} folds; the "
                f"others failed. {titled(summary.error, shown)}"
            )
    predicted = experiment.table[experiment.class_name].attribute
    head = (
        f"{experiment.table.rows:,} records, class {harmless(predicted.heading)}, "
        f"{experiment.plan.folds} folds x {experiment.plan.repeats}; always the majority "
        f"class: {experiment.larger_class:.3f}"
    )
    told = [
        head,
        aligned(heads, rows, right=heads[1:]),
        *(harmless(problem) for problem in problems),
        *(harmless(titled(note, shown)) for note in experiment.notes),
    ]
    return "\n".join(told)
