"""The command that compares classifiers on records that it distorts."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppworkbench.api.text import TRUE, aligned, harmless, naming
from ppworkbench.cli.input_files import add_read_options
from ppworkbench.cli.options import (
    add_no_sampling_option,
    add_options,
    given_options,
    given_values,
    refuse_sampling,
)
from ppworkbench.cli.output import Answer, with_notes
from ppworkbench.cli.parser import InputPath, Parser, UpdatedPath, add_shared_options
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.files import check_file
from ppworkbench.core.json_values import parse_json
from ppworkbench.core.message import titled

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.core.experiment import Experiment, ResultsTable, Setting, Summary
    from ppworkbench.core.experiment.engines import Engine
    from ppworkbench.core.params import Declaration

_FLAG = "--classifier"


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``classify``."""
    summary = "compare classifiers trained on distorted records"
    subparsers.add_parser(
        "classify", help=summary, description=f"{summary.capitalize()}.", fill=_fill
    )


def _fill(parser: Parser, words: Sequence[str]) -> None:
    # The classifiers come with their libraries, which help on other commands need not load.
    from ppworkbench.core.experiment.experiment import Folding, Sweep

    add_shared_options(parser)
    parser.add_argument(
        "data", metavar="DATA", type=InputPath, help="file with the original records"
    )
    parser.add_argument("--design", metavar="FILE", type=InputPath, required=True, help="design")
    parser.add_argument(
        _FLAG, metavar="NAME[:PARAMETER=VALUE,...]", action="append", required=True,
        help=f"classifier, may be repeated; known are {', '.join(_names())}",
    )  # fmt: skip
    parser.add_argument("--class", dest="class_name", metavar="NAME", help="class attribute")
    parser.add_argument(
        "--undistorted", metavar="NAME[:PARAMETER=VALUE,...]", action="append", default=[],
        help="classifier trained on undistorted records, for comparison",
    )  # fmt: skip
    add_options(parser, Folding, title="cross-validation")
    add_options(parser, Sweep, title="privacy sweep instead of the current design")
    add_no_sampling_option(parser)
    where = parser.add_argument_group("processes and cluster")
    where.add_argument(
        "--workers", type=_count, metavar="N",
        help="processes on this computer (default: one per processor)",
    )  # fmt: skip
    where.add_argument("--cluster", metavar="ADDR", help="Dask scheduler, e.g. tcp://host:8786")
    where.add_argument(
        "--resume", metavar="FILE", type=UpdatedPath,
        help="file of single results: resume from it and save to it",
    )  # fmt: skip
    _add_parameters(parser, words)
    parser.set_defaults(run=run_classify, answer_state=TRUE)
    add_read_options(parser)


def _names() -> tuple[str, ...]:
    from ppworkbench.core.classify import classifiers

    return classifiers.names


def _count(text: str) -> int:
    if text.isascii() and text.isdigit() and 1 <= int(text) <= 1_000:
        return int(text)
    raise argparse.ArgumentTypeError(f"it must be a number between 1 and 1000, not {text!r}")


def _add_parameters(parser: Parser, words: Sequence[str]) -> None:
    """An option for every parameter of the classifiers that were named."""
    group = parser.add_argument_group("parameters of the classifiers")
    taken = {action.dest for action in parser._actions}  # noqa: SLF001 (argparse tells it nowhere else)
    for name, declaration in _declared(_named(words)).items():
        if declaration.depth > 1 or name in taken:
            continue
        help_text = (declaration.info.help or declaration.info.label).replace("%", "%%")
        group.add_argument(
            f"--{name.replace('_', '-')}", dest=f"parameter.{name}", metavar="VALUE",
            default=argparse.SUPPRESS, help=help_text,
        )  # fmt: skip


def _named(words: Sequence[str]) -> list[str]:
    """The classifiers on a command line that is not parsed yet."""
    pairs = zip(words, [*words[1:], ""], strict=True)
    found = [word if flag == _FLAG else flag.partition("=")[2] for flag, word in pairs
             if flag == _FLAG or flag.startswith(f"{_FLAG}=")]  # fmt: skip
    return [name.partition(":")[0] for name in found]


def _declared(names: Sequence[str]) -> dict[str, Declaration]:
    from ppworkbench.core.classify import classifiers
    from ppworkbench.core.params import declarations

    found: dict[str, Declaration] = {}
    for name in names:
        if name in classifiers:
            found |= {d.name: d for d in declarations(classifiers[name].params_type)}
    return found


def run_classify(args: argparse.Namespace) -> Answer:
    """Distort inside each training fold, learn, test on the fold left out, and sum up."""
    from ppworkbench.api.inputs import refuse_reported
    from ppworkbench.core.data.files import read_table
    from ppworkbench.core.design.design_file import read_design
    from ppworkbench.core.experiment import Plan, Sweep, run_experiment, summarise
    from ppworkbench.core.experiment.experiment import Folding
    from ppworkbench.study.analyses.classification import ClassifyRequest

    design = read_design(args.design)
    design.refuse_arms()
    remarks = refuse_sampling(args, design.sampling)
    refuse_reported(args.data)
    plan = Plan(**given_values(args, Folding), seed=args.seed or 0)
    settings = _settings(args)
    with progress_bar() as progress:
        reading = given_options(args, ReadOptions)
        table = read_table(args.data, reading, design.original_schema, progress)
    request = ClassifyRequest(args.class_name, settings, plan, given_options(args, Sweep))
    experiment = request.experiment(table, design)
    with _kept(experiment, args.resume) as results, progress_bar() as progress:
        run_experiment(experiment, results, engine=_engine(args), progress=progress)
    # As they were asked for, not as several processes happened to finish.
    place = {task: place for place, task in enumerate(experiment.tasks)}
    rows = [row for row in results if row.task in place]
    found = summarise(sorted(rows, key=lambda row: place[row.task]))
    if all(not summary.done for summary in found.values()):
        raise DataError(next(iter(found.values())).error)
    return with_notes(Answer(_document(experiment, found), _text(experiment, found)), remarks)


def _settings(args: argparse.Namespace) -> tuple[Setting, ...]:
    common = {
        key.partition(".")[2]: value
        for key, value in vars(args).items()
        if key.startswith("parameter.")
    }
    distorted = [_setting(word, common) for word in args.classifier]
    return (*distorted, *(_setting(word, common, undistorted=True) for word in args.undistorted))


def _setting(word: str, common: Mapping[str, str], *, undistorted: bool = False) -> Setting:
    """A setting from ``tree:reconstruction=local,bins=20`` and the parameters given for all."""
    from ppworkbench.core.classify import classifiers
    from ppworkbench.core.experiment import Setting
    from ppworkbench.core.params import declarations

    name, _, rest = word.partition(":")
    known = {d.name: d for d in declarations(classifiers[name].params_type)}
    own = dict(part.partition("=")[::2] for part in rest.split(",") if part)
    given = {key: value for key, value in common.items() if key in known}
    given |= {key.strip().replace("-", "_"): value for key, value in own.items()}
    for key in given:
        if key not in known:
            raise ParameterError(
                f"The classifier {name!r} has no parameter {key!r}; it has {', '.join(known)}.",
                field=key,
            )
    values = {key: known[key].parse(value) for key, value in given.items()}
    return Setting.of(name, undistorted=undistorted, **values)


def _engine(args: argparse.Namespace) -> Engine | None:
    from ppworkbench.core.experiment.engines import DaskCluster, InProcess, LocalProcesses

    if args.cluster:
        return DaskCluster(args.cluster)
    if args.workers is None:
        return None
    return InProcess() if args.workers == 1 else LocalProcesses(args.workers)


@contextmanager
def _kept(experiment: Experiment, file: str | None) -> Iterator[ResultsTable]:
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
