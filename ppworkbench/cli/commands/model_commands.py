"""Commands that relate answers to each other: ``regress`` and ``correlate``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ppworkbench.cli.commands.survey_commands import condition
from ppworkbench.cli.input_files import add_engine_option, add_read_options
from ppworkbench.cli.options import (
    add_answers,
    add_arm_options,
    add_design_option,
    add_options,
    add_sampling_options,
    given_values,
    listed_names,
)
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import InputPath, OutputPath, Parser, UsageError, add_shared_options
from ppworkbench.cli.scripts import add_script_option, answer_survey
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.files import write_text

if TYPE_CHECKING:
    from ppworkbench.api.models import RegressionResult
    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.core.models import Formula


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``regress`` and ``correlate``."""
    summary = "fit a regression to randomised answers"
    subparsers.add_parser(
        "regress", help=summary, description="Fit a regression to randomised answers.",
        fill=_fill_regress,
    )  # fmt: skip
    subparsers.add_parser(
        "correlate", help="estimate correlations of randomised answers",
        description="Estimate correlations of randomised answers.", fill=_fill_correlate,
    )  # fmt: skip


def _fill_regress(parser: Parser, _words: Sequence[str]) -> None:
    from ppworkbench.core.models import RegressionOptions

    _add_files(parser)
    parser.add_argument(
        "--formula", metavar="FORMULA", type=_formula, required=True,
        help="what is explained by what, e.g. 'drug=yes ~ sex + age + sex:age'",
    )  # fmt: skip
    parser.add_argument(
        "--where", metavar="CONDITION", type=condition,
        help="condition on answers that are not randomised, e.g. 18 <= age < 30",
    )  # fmt: skip
    parser.add_argument(
        "--effects", action="store_true", help="add average effects of the predictors"
    )
    parser.add_argument(
        "--predict", metavar="VALUES", action="append", type=_values, default=[],
        help="expected outcome if everybody had these values, e.g. 'sex=F; age=30'; may be given "
        "several times",
    )  # fmt: skip
    parser.add_argument(
        "--compare-with", metavar="FORMULA", type=_formula,
        help="formula with fewer terms, which this one is tested against",
    )  # fmt: skip
    parser.add_argument(
        "--fit", action="store_true", help="judge the fit by surveys simulated from the model"
    )
    parser.add_argument(
        "--csv", metavar="FILE", type=OutputPath, help="write the table of coefficients as CSV"
    )
    parser.add_argument(
        "--latex", metavar="FILE", type=OutputPath, help="write the table, rounded, as LaTeX"
    )
    add_options(parser, RegressionOptions, title="regression")
    add_arm_options(parser, by_arm=False)
    add_sampling_options(parser)
    add_script_option(parser)
    parser.set_defaults(run=run_regress)
    add_engine_option(parser)
    add_read_options(parser)


def _fill_correlate(parser: Parser, _words: Sequence[str]) -> None:
    _add_files(parser)
    parser.add_argument(
        "--of", metavar="A,B,...", required=True, type=_names,
        help="numbers, attributes with two values, or name=value",
    )  # fmt: skip
    add_sampling_options(parser)
    add_script_option(parser)
    parser.set_defaults(run=run_correlate)
    add_engine_option(parser)
    add_read_options(parser)


def _add_files(parser: Parser) -> None:
    add_shared_options(parser)
    add_answers(parser)
    add_design_option(parser)
    parser.add_argument(
        "--original", metavar="DATA", type=InputPath, help="true answers for comparison"
    )


def _formula(text: str) -> Formula:
    from ppworkbench.core.models import parse_formula

    try:
        return parse_formula(text)
    except ParameterError as error:
        raise argparse.ArgumentTypeError(error.message) from None


def _values(text: str) -> dict[str, str]:
    from ppworkbench.api.models import predicted_values

    try:
        return predicted_values(text)
    except ParameterError as error:
        raise argparse.ArgumentTypeError(error.message) from None


def _names(text: str) -> tuple[str, ...]:
    names = listed_names(text)
    if len(names) < 2:
        raise argparse.ArgumentTypeError(f"it must be two names or more, as in a,b, not {text!r}")
    return names


def run_regress(args: argparse.Namespace) -> Answer:
    """Fit a regression."""
    from ppworkbench.core.models import RegressionOptions

    asked = {
        "formula": args.formula, "where": args.where, "effects": args.effects,
        "predict": args.predict, "compare_with": args.compare_with, "fit": args.fit,
        "arms": args.arm, **given_values(args, RegressionOptions),
    }  # fmt: skip
    if args.script is not None and (args.csv or args.latex):
        raise UsageError("The option --script computes nothing, so it writes no table.")
    return answer_survey(
        args, "regress", asked, keeps_partial=True, use=lambda found: _write_tables(args, found)
    )


def _write_tables(args: argparse.Namespace, found: RegressionResult) -> None:
    for path, text_of in ((args.csv, found.to_csv), (args.latex, found.to_latex)):
        if path is not None:
            write_text(path, text_of())


def run_correlate(args: argparse.Namespace) -> Answer:
    """Estimate correlations."""
    return answer_survey(args, "correlate", {"names": args.of})
