"""Commands that ask a distorted survey: how many, how much, how distributed, and who."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ppworkbench.cli.data_commands import add_read_options
from ppworkbench.cli.options import (
    add_design_option,
    add_options,
    design_of,
    given_options,
    given_values,
)
from ppworkbench.cli.output import Answer, aligned, harmless
from ppworkbench.cli.parser import InputPath, Parser, Run, add_shared_options
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.progress import part

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.core.survey import Condition, Estimate, Participants
    from ppworkbench.study.analyses.survey import Question

HEADS = ("estimate", "low", "high", "standard error", "naive", "true")


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``count``, ``mean``, ``distribution``, ``crosstab`` and ``participants``."""
    _add(subparsers, "count", run_count, "estimate how many respondents meet a condition")
    _add(subparsers, "mean", run_mean, "estimate a mean")
    _add(subparsers, "distribution", run_distribution, "estimate a distribution")
    _add(subparsers, "crosstab", run_crosstab, "estimate a cross table")
    _add(subparsers, "participants", run_participants, "list probable members of a group")


def _add(subparsers: Subparsers, name: str, run: Run, summary: str) -> None:
    def fill(parser: Parser, _words: Sequence[str]) -> None:
        # The declarations come with the library, which help on other commands need not load.
        from ppworkbench.core.survey.asked import (
            BinnedOptions,
            DistributionOptions,
            ParticipantOptions,
            StatisticOptions,
        )

        add_shared_options(parser)
        _add_arguments(parser, name)
        declared = {
            "distribution": DistributionOptions,
            "crosstab": BinnedOptions,
            "participants": ParticipantOptions,
        }.get(name, StatisticOptions)
        add_options(parser, declared, title="statistic")
        parser.set_defaults(run=run, declared=declared)
        add_read_options(parser)

    sentence = f"{summary[:1].upper()}{summary[1:]}."
    subparsers.add_parser(name, help=summary, description=sentence, fill=fill)


def _add_arguments(parser: Parser, name: str) -> None:
    parser.add_argument(
        "distorted", metavar="DISTORTED", type=InputPath, help="file with the distorted answers"
    )
    add_design_option(parser)
    parser.add_argument(
        "--where", metavar="CONDITION", type=_condition, required=name in ("count", "participants"),
        help="condition, e.g. sex = F and 18 <= age < 30 and district in {north, east}",
    )  # fmt: skip
    if name in ("mean", "distribution", "crosstab"):
        parser.add_argument("--of", metavar="NAME", required=True, help="attribute")
    if name == "crosstab":
        parser.add_argument("--by", metavar="NAME", required=True, help="column attribute")
    parser.add_argument(
        "--original",
        metavar="DATA",
        type=InputPath,
        help="true answers for comparison",
    )


def _condition(text: str) -> Condition:
    from ppworkbench.core.survey import parse_condition

    try:
        return parse_condition(text)
    except ParameterError as error:
        raise argparse.ArgumentTypeError(error.message) from None


def _asked(args: argparse.Namespace, statistic: str, **more: Any) -> Question:
    """The question that the options ask."""
    from ppworkbench.core.survey import EVERYBODY
    from ppworkbench.study.analyses.survey import Question

    given = given_values(args, args.declared)
    chosen = {name: given[name] for name in ("method", "size", "draw") if name in given}
    return Question(statistic, args.where or EVERYBODY, **chosen, **more)


def _estimate(args: argparse.Namespace, question: Question) -> Any:
    """Read the design and the data and estimate; only what is asked for must be there."""
    from ppworkbench.core.data.files import read_table
    from ppworkbench.study.analyses.survey import check_attributes, estimate
    from ppworkbench.study.distorted_cache import Answers

    given = given_values(args, args.declared)
    more = {name: given[name] for name in ("confidence", "bins", "sharpest") if name in given}
    with progress_bar() as progress:
        design = design_of(args.distorted, args.design)
        # What the design does not know is told before a large file is read.
        asked = check_attributes(question, design)
        reading = given_options(args, ReadOptions)
        published = [design[name].distorted for name in asked]
        table = read_table(args.distorted, reading, published, part(progress, 0.0, 0.4))
        original = None
        if args.original is not None:
            true = [design[name].attribute for name in asked]
            original = read_table(args.original, reading, true, part(progress, 0.4, 0.5))
        return estimate(
            question, Answers(table, original), design,
            seed=args.seed or 0, progress=part(progress, 0.5, 1.0), **more,
        )  # fmt: skip


def run_count(args: argparse.Namespace) -> Answer:
    """Estimate how many respondents meet a condition."""
    found = _estimate(args, _asked(args, "count"))
    return Answer(found.to_json(), _text(found.sentence, [("count", found.value)], found.remarks))


def run_mean(args: argparse.Namespace) -> Answer:
    """Estimate the mean of a number."""
    found = _estimate(args, _asked(args, "mean", of=args.of))
    return Answer(found.to_json(), _text(found.sentence, [("mean", found.value)], found.remarks))


def run_distribution(args: argparse.Namespace) -> Answer:
    """Estimate how the answers to an attribute are distributed."""
    found = _estimate(args, _asked(args, "distribution", of=args.of))
    rows = zip(found.labels, found.shares, strict=True)
    return Answer(found.to_json(), _text(found.sentence, rows, found.remarks))


def run_crosstab(args: argparse.Namespace) -> Answer:
    """Estimate the table of two attributes."""
    found = _estimate(args, _asked(args, "crosstab", of=args.of, by=args.by))
    rows = [
        (f"{row} | {column}", found.cells[i][j])
        for i, row in enumerate(found.row_labels)
        for j, column in enumerate(found.column_labels)
    ]
    return Answer(found.to_json(), _text(found.sentence, rows, found.remarks))


def run_participants(args: argparse.Namespace) -> Answer:
    """List who probably meets a condition."""
    found = _estimate(args, _asked(args, "participants", seed=args.seed or 0))
    return Answer(found.to_json(), _list_text(found))


def _list_text(found: Participants) -> str:
    pairs = zip(found.rows.tolist(), found.posterior.tolist(), strict=True)
    rows = [[row, f"{probability:.4f}"] for row, probability in pairs]
    heads = ["row (from 0)", "probability"]
    listed = aligned(heads, rows, right=heads) if rows else ""
    told = [harmless(found.sentence), harmless(found.count.sentence), listed]
    told.append(_notes(found.remarks))
    return "\n\n".join(part for part in told if part)


def _text(sentence: str, rows: Iterable[tuple[str, Estimate]], remarks: Sequence[str]) -> str:
    listed = list(rows)
    heads = [head for head in HEADS if head != "true" or listed[0][1].true is not None]
    cells = [[name, *_numbers(value)][: len(heads) + 1] for name, value in listed]
    told = [harmless(sentence), aligned(["", *heads], cells, right=heads)]
    told.append(_notes(remarks))
    return "\n\n".join(part for part in told if part)


def _notes(remarks: Sequence[str]) -> str:
    return "\n".join(f"Note: {harmless(remark)}" for remark in remarks)


def _numbers(value: Estimate) -> list[str]:
    given = (
        value.estimate, value.low, value.high, value.standard_error, value.naive, value.true
    )  # fmt: skip
    return [_number(number) for number in given]


def _number(number: float | None) -> str:
    if number is None or not math.isfinite(number):
        return "-"
    return f"{number:,.1f}" if abs(number) >= 100 else f"{number:.4g}"
