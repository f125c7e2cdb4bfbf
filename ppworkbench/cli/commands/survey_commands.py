"""Commands that ask a distorted survey: how many, how much, how distributed, how different, who."""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ppworkbench.cli.input_files import (
    add_engine_option,
    add_read_options,
    read_parted,
    read_survey,
)
from ppworkbench.cli.options import (
    add_arm_options,
    add_design_option,
    add_options,
    add_sampling_options,
    design_of,
    given_values,
)
from ppworkbench.cli.output import Answer, Naming, aligned, harmless, naming, note_lines
from ppworkbench.cli.parser import InputPath, Parser, Run, add_shared_options
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message, titled
from ppworkbench.core.progress import part

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.core.data.table import Table
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.survey import (
        Condition,
        Count,
        CrossTable,
        Distribution,
        Estimate,
        GroupDifferences,
        Mean,
        Participants,
    )
    from ppworkbench.core.survey.parted import PartedAnswers
    from ppworkbench.study.analyses.survey.answers import ArmEstimates
    from ppworkbench.study.analyses.survey.questions import Question

HEADS = ("estimate", "low", "high", "standard error", "naive", "true")


def add_commands(subparsers: Subparsers) -> None:
    """Declare the statistics of a survey, ``compare`` and ``participants``."""
    _add(subparsers, "count", run_count, "estimate how many respondents meet a condition")
    _add(subparsers, "mean", run_mean, "estimate a mean")
    _add(subparsers, "distribution", run_distribution, "estimate a distribution")
    _add(subparsers, "crosstab", run_crosstab, "estimate a cross table")
    _add(subparsers, "quantile", run_quantile, "estimate quantiles of a number")
    _add(subparsers, "compare", run_compare, "compare groups of respondents")
    _add(subparsers, "participants", run_participants, "list probable members of a group")


def _add(subparsers: Subparsers, name: str, run: Run, summary: str) -> None:
    def fill(parser: Parser, _words: Sequence[str]) -> None:
        # The declarations come with the library, which help on other commands need not load.
        from ppworkbench.core.survey.answers import (
            BinnedOptions,
            ComparisonOptions,
            DistributionOptions,
            ParticipantOptions,
            QuantileOptions,
            StatisticOptions,
        )

        add_shared_options(parser)
        _add_arguments(parser, name)
        declared = {
            "distribution": DistributionOptions,
            "crosstab": BinnedOptions,
            "participants": ParticipantOptions,
            "quantile": QuantileOptions,
            "compare": ComparisonOptions,
        }.get(name, StatisticOptions)
        add_options(parser, declared, title="statistic")
        add_arm_options(parser, by_arm=name in ("count", "mean", "distribution", "crosstab"))
        add_sampling_options(parser)
        parser.set_defaults(run=run, declared=declared)
        add_engine_option(parser)
        add_read_options(parser)

    sentence = f"{summary[:1].upper()}{summary[1:]}."
    subparsers.add_parser(name, help=summary, description=sentence, fill=fill)


def _add_arguments(parser: Parser, name: str) -> None:
    parser.add_argument(
        "distorted",
        metavar="DISTORTED",
        type=InputPath,
        help="file with the distorted answers, or folder of Parquet parts",
    )
    add_design_option(parser)
    parser.add_argument(
        "--where", metavar="CONDITION", type=condition, required=name in ("count", "participants"),
        help="condition, e.g. sex = F and 18 <= age < 30 and district in {north, east}",
    )  # fmt: skip
    if name in ("mean", "distribution", "crosstab", "quantile"):
        parser.add_argument("--of", metavar="NAME", required=True, help="attribute")
    if name == "crosstab":
        parser.add_argument("--by", metavar="NAME", required=True, help="column attribute")
    if name == "quantile":
        parser.add_argument(
            "--at", metavar="P,...", type=_shares, default=(0.25, 0.5, 0.75),
            help="shares of people at most there (default 0.25,0.5,0.75)",
        )  # fmt: skip
    if name == "compare":
        parser.add_argument(
            "--of", metavar="NAME[=VALUE]", required=True,
            help="number whose mean is compared, or answer whose share is",
        )  # fmt: skip
        parser.add_argument("--by", metavar="NAME", required=True, help="attribute of the groups")
        parser.add_argument(
            "--reference", metavar="GROUP", help="compare all groups with this one (default: pairs)"
        )
        return
    parser.add_argument(
        "--original",
        metavar="DATA",
        type=InputPath,
        help="true answers for comparison",
    )


def _shares(text: str) -> tuple[float, ...]:
    try:
        shares = tuple(float(one) for one in text.split(","))
    except ValueError:
        shares = ()
    if not shares or not all(0 < share < 1 for share in shares):
        raise argparse.ArgumentTypeError(
            f"it must be shares above 0 and below 1, as in 0.25,0.5, not {text!r}"
        )
    return shares


def condition(text: str) -> Condition:
    """Read a condition of the command line."""
    from ppworkbench.core.survey import parse_condition

    try:
        return parse_condition(text)
    except ParameterError as error:
        raise argparse.ArgumentTypeError(error.message) from None


def _asked(args: argparse.Namespace, statistic: str, **more: Any) -> Question:
    """The question that the options ask."""
    from ppworkbench.core.survey import EVERYBODY
    from ppworkbench.study.analyses.survey.questions import Question

    given = given_values(args, args.declared)
    more |= {"arms": tuple(args.arm)}
    chosen = {name: given[name] for name in ("method", "size", "draw") if name in given}
    return Question(statistic, args.where or EVERYBODY, **chosen, **more)


@dataclasses.dataclass(frozen=True, eq=False)
class _Estimated:
    """A result, what people call the attributes, and every arm by itself if that was asked for."""

    found: Any
    shown: Naming
    apart: ArmEstimates | None = None

    def answer(self, rows_of: Callable[[Any], Iterable[tuple[str, Estimate]]]) -> Answer:
        """The result for programs and for people; ``rows_of`` lists its numbers."""
        document, text = self.found.to_json(), _text(self.found, rows_of(self.found), self.shown)
        if self.apart is None:
            return Answer(document, text)
        rows = [
            (f"{name}: {label}", value)
            for name, one in self.apart.results.items()
            for label, value in rows_of(one)
        ]
        told = [text, "By arm\n" + _table(rows)]
        if self.apart.equality is not None:
            told.append(self.apart.equality.sentence)
        elif len(self.apart.results) > 1:
            told.append("The errors of these estimates allow no test that all arms are equal.")
        return Answer(document | self.apart.to_json(), "\n\n".join(told))


def _estimate(args: argparse.Namespace, question: Question) -> _Estimated:
    """Read the design and the data and estimate; also what people call the attributes."""
    from ppworkbench.study.analyses.survey.answers import estimate, estimate_by_arm
    from ppworkbench.study.analyses.survey.questions import check_attributes, within_arms
    from ppworkbench.study.distorted_cache import Answers

    values = given_values(args, args.declared)
    more: dict[str, Any] = {
        name: values[name] for name in ("confidence", "bins", "sharpest") if name in values
    }
    with progress_bar() as progress:
        design = design_of(args.distorted, args.design)
        used = within_arms(question, design)
        if args.run is run_compare:
            of, value = _compared(question.of, design)
            question = question.with_(of=of, value=value)
        # What the design does not know is told before a large file is read.
        asked = check_attributes(question, used)
        settings: dict[str, Any] = {"seed": args.seed or 0, **more}
        answers: Answers | PartedAnswers
        parted = read_parted(args, design, part(progress, 0.0, 0.5))
        if parted is not None:
            answers, given = parted
            remarks = given.remarks
        else:
            survey = read_survey(args, design, asked, part(progress, 0.0, 0.5))
            answers, given = Answers(survey.table, survey.original), survey.given
            settings |= {"sampling": given.sampling, "options": given.options}
            remarks = (*given.remarks, *_without_arms(args, design, survey.original))
        found = estimate(question, answers, design, progress=part(progress, 0.5, 1.0), **settings)
        apart = None
        if getattr(args, "by_arm", False):
            apart = estimate_by_arm(question, answers, design, **settings)
    shown = naming(one.attribute for one in design)
    return _Estimated(_with_remarks(found, remarks), shown, apart)


def _without_arms(
    args: argparse.Namespace, design: Design, original: Table | None
) -> tuple[str, ...]:
    """That nobody knows the true answers of an arm, unless these tell the arm, too."""
    arms, is_apart = design.arms, bool(args.arm) or getattr(args, "by_arm", False)
    if arms is None or original is None or arms.column in original or not is_apart:
        return ()
    return (
        Message(
            "The true answers have no column {column!r}, so those of single arms are not known.",
            column=arms.column,
        ),
    )


def _with_remarks(found: Any, remarks: Sequence[str]) -> Any:
    if not remarks:
        return found
    return dataclasses.replace(found, remarks=(*remarks, *found.remarks))


def run_count(args: argparse.Namespace) -> Answer:
    """Estimate how many respondents meet a condition."""

    def rows(found: Count) -> list[tuple[str, Estimate]]:
        shares = [] if found.share is None else [("share", found.share)]
        return [("count", found.value), *shares]

    return _estimate(args, _asked(args, "count")).answer(rows)


def run_mean(args: argparse.Namespace) -> Answer:
    """Estimate the mean of a number."""

    def rows(found: Mean) -> list[tuple[str, Estimate]]:
        totals = [] if found.total is None else [("total", found.total)]
        return [("mean", found.value), *totals]

    return _estimate(args, _asked(args, "mean", of=args.of)).answer(rows)


def run_distribution(args: argparse.Namespace) -> Answer:
    """Estimate how the answers to an attribute are distributed."""

    def rows(found: Distribution) -> Iterable[tuple[str, Estimate]]:
        return zip(found.labels, found.shares, strict=True)

    return _estimate(args, _asked(args, "distribution", of=args.of)).answer(rows)


def run_crosstab(args: argparse.Namespace) -> Answer:
    """Estimate the table of two attributes."""

    def rows(found: CrossTable) -> list[tuple[str, Estimate]]:
        return [
            (f"{row} | {column}", found.cells[i][j])
            for i, row in enumerate(found.row_labels)
            for j, column in enumerate(found.column_labels)
        ]

    return _estimate(args, _asked(args, "crosstab", of=args.of, by=args.by)).answer(rows)


def run_quantile(args: argparse.Namespace) -> Answer:
    """Estimate quantiles of a number."""
    asked = _estimate(args, _asked(args, "quantile", of=args.of, at=args.at))
    found = asked.found
    heads = ["share", "estimate", "low", "high", "naive"]
    cells = [
        [f"{one.at:g}", *map(short_number, (one.estimate, one.low, one.high, one.naive, one.true))]
        for one in found.quantiles
    ]
    if found.quantiles[0].true is not None:
        heads.append("true")
    listed = aligned(heads, [row[: len(heads)] for row in cells], right=heads)
    return Answer(found.to_json(), _told(found, asked.shown, listed))


def run_compare(args: argparse.Namespace) -> Answer:
    """Compare a mean or a share between groups."""
    asked = _estimate(
        args, _asked(args, "compare", of=args.of, by=args.by, reference=args.reference or "")
    )
    return Answer(asked.found.to_json(), _compare_text(asked.found, asked.shown))


def _compared(text: str, design: Design) -> tuple[str, str]:
    """The attribute and the value of ``NAME=VALUE``; a name may have an equals sign itself."""
    if text in design or "=" not in text:
        return text, ""
    name, value = text.split("=", 1)
    return name.strip(), value.strip()


def _compare_text(found: GroupDifferences, shown: Naming) -> str:
    heads = ["estimate", "low", "high", "standard error"]
    groups = [
        [label, *(["-"] * len(heads) if value is None else _numbers(value)[: len(heads)])]
        for label, value in zip(found.labels, found.groups, strict=True)
    ]
    listed = aligned(["group", *heads], groups, right=heads)
    if not found.differences:
        return _told(found, shown, listed)
    more = [*heads, "p", "p (Holm)"]
    rows = []
    for one in found.differences:
        numbers = (one.estimate, one.low, one.high, one.standard_error, one.p, one.p_holm)
        rows.append([f"{one.a} - {one.b}", *map(short_number, numbers)])
    return _told(found, shown, listed, aligned(["difference", *more], rows, right=more))


def run_participants(args: argparse.Namespace) -> Answer:
    """List who probably meets a condition."""
    asked = _estimate(args, _asked(args, "participants", seed=args.seed or 0))
    return Answer(asked.found.to_json(), _list_text(asked.found, asked.shown))


def _list_text(found: Participants, shown: Naming) -> str:
    pairs = zip(found.rows.tolist(), found.posterior.tolist(), strict=True)
    rows = [[row, f"{probability:.4f}"] for row, probability in pairs]
    heads = ["row (from 0)", "probability"]
    listed = aligned(heads, rows, right=heads) if rows else ""
    said = [found.sentence, found.count.sentence]
    told = [*(harmless(titled(one, shown)) for one in said), listed]
    told.append(_notes(found.remarks, shown))
    return "\n\n".join(part for part in told if part)


def _text(found: Any, rows: Iterable[tuple[str, Estimate]], shown: Naming) -> str:
    return _told(found, shown, _table(list(rows)))


def _table(listed: Sequence[tuple[str, Estimate]]) -> str:
    heads = [head for head in HEADS if head != "true" or listed[0][1].true is not None]
    cells = [[name, *_numbers(value)][: len(heads) + 1] for name, value in listed]
    return aligned(["", *heads], cells, right=heads)


def _told(found: Any, shown: Naming, *tables: str) -> str:
    """A result for people: its sentence, its numbers, what its intervals mean, remarks."""
    from ppworkbench.core.survey.sampled import stated_contents

    said = harmless(titled(found.sentence, shown))
    contents = stated_contents(found.sample, found.remarks)
    told = [said, *tables, "" if contents is None else contents.sentence]
    told.append(_notes(found.remarks, shown))
    return "\n\n".join(part for part in told if part)


def _notes(remarks: Sequence[str], shown: Naming) -> str:
    return "\n".join(note_lines(remarks, shown))


def _numbers(value: Estimate) -> list[str]:
    given = (
        value.estimate, value.low, value.high, value.standard_error, value.naive, value.true
    )  # fmt: skip
    return [short_number(number) for number in given]


def short_p(p: float | None) -> str:
    """A p value; below one in a thousand the digits say nothing more."""
    return "< 0.001" if p is not None and p < 0.001 else short_number(p)


def short_number(number: float | None) -> str:
    """A number with about four digits; a dash where there is none."""
    if number is None or not math.isfinite(number):
        return "-"
    if abs(number) >= 100:
        return f"{number:,.1f}"
    if abs(number) >= 1e-4 or abs(number) < 1e-12:
        return f"{number:.4g}" if abs(number) >= 1e-12 else "0"
    # Powers of ten are for programs.
    return f"{number:.{1 - math.floor(math.log10(abs(number)))}f}"
