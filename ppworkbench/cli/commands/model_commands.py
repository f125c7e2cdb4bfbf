"""Commands that relate answers to each other: ``regress`` and ``correlate``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ppworkbench.cli.commands.survey_commands import condition, short_number
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
    given_options,
)
from ppworkbench.cli.output import Answer, Naming, aligned, harmless, naming, note_lines
from ppworkbench.cli.parser import InputPath, OutputPath, Parser, add_shared_options
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import titled
from ppworkbench.core.progress import part

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.core.data.table import Table
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.models import Correlations, Formula, Regression
    from ppworkbench.core.survey.parted import PartedAnswers


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
    parser.set_defaults(run=run_correlate)
    add_read_options(parser)


def _add_files(parser: Parser) -> None:
    add_shared_options(parser)
    parser.add_argument(
        "distorted",
        metavar="DISTORTED",
        type=InputPath,
        help="file with the distorted answers; of regress also a folder of Parquet parts",
    )
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
    from ppworkbench.study.analyses.regression.questions import read_values

    try:
        return read_values(text)
    except ParameterError as error:
        raise argparse.ArgumentTypeError(error.message) from None


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if len(names) < 2 or not all(names):
        raise argparse.ArgumentTypeError(f"it must be two names or more, as in a,b, not {text!r}")
    return names


def run_regress(args: argparse.Namespace) -> Answer:
    """Fit a regression."""
    from ppworkbench.core.models import RegressionOptions
    from ppworkbench.core.survey import EVERYBODY
    from ppworkbench.study.analyses.regression.questions import ModelQuestion, fit_model
    from ppworkbench.study.distorted_cache import Answers

    question = ModelQuestion(
        args.formula, given_options(args, RegressionOptions), args.where or EVERYBODY,
        args.effects, tuple(args.predict), args.compare_with, args.fit,
    )  # fmt: skip
    with progress_bar(keeps_partial=True) as progress:
        design = design_of(args.distorted, args.design)
        used = design.within_arms(args.arm) if args.arm else design
        answers: Answers | PartedAnswers
        parted = read_parted(args, design, part(progress, 0.0, 0.4))
        if parted is not None:
            answers, given = parted
        else:
            survey = read_survey(args, design, question.attributes, part(progress, 0.0, 0.4))
            answers, given = Answers(survey.table, survey.original), survey.given
        found = fit_model(
            question, answers, used, seed=args.seed or 0,
            sampling=given.sampling, options=given.options, progress=part(progress, 0.4, 1.0),
        )  # fmt: skip
    if isinstance(answers, Answers):
        _write_tables(args, found, answers.distorted, design)
    else:
        _write_tables(args, found, answers.first_row(design, question.attributes), design)
    return Answer(
        found.to_json(),
        _regression_text(found, given.remarks, naming(one.attribute for one in design)),
    )


def _write_tables(
    args: argparse.Namespace, found: Regression, table: Table, design: Design
) -> None:
    if args.csv is None and args.latex is None:
        return
    from ppworkbench.core.design.design import Design, DesignedAttribute
    from ppworkbench.core.design.identity import Identity
    from ppworkbench.core.files import write_text
    from ppworkbench.study.analyses.regression.tables import model_csv, model_latex
    from ppworkbench.study.study import Study

    # Tables need the words of the attributes only; a study takes no device that differs by row.
    plain = Design(tuple(DesignedAttribute(one.attribute, Identity()) for one in design))
    study = Study.of_distorted(table, plain, "")
    for path, text_of in ((args.csv, model_csv), (args.latex, model_latex)):
        if path is not None:
            write_text(path, text_of(found, study))


def run_correlate(args: argparse.Namespace) -> Answer:
    """Estimate correlations."""
    from ppworkbench.core.models import correlate

    with progress_bar() as progress:
        design = design_of(args.distorted, args.design)
        names = [one if one in design else one.split("=")[0].strip() for one in args.of]
        survey = read_survey(args, design, names, part(progress, 0.0, 0.5))
        given = survey.given
        found = correlate(
            survey.table, design, args.of, original=survey.original, sampling=given.sampling,
            options=given.options, progress=part(progress, 0.5, 1.0),
        )  # fmt: skip
    return Answer(
        found.to_json(),
        _correlation_text(found, given.remarks, naming(one.attribute for one in design)),
    )


def _regression_text(found: Regression, remarks: Sequence[str], shown: Naming) -> str:
    heads = ["estimate", "low", "high", "standard error", "p"]
    has_odds = any(one.odds_ratio is not None for one in found.terms)
    heads += ["odds ratio"] if has_odds else []
    heads += ["naive"]
    heads += ["true"] if any(one.true is not None for one in found.terms) else []
    rows = []
    for one in found.terms:
        numbers: list[float | None] = [one.estimate, one.low, one.high, one.standard_error, one.p]
        if has_odds:
            numbers.append(None if one.odds_ratio is None else one.odds_ratio.estimate)
        numbers += [one.naive, one.true]
        rows.append([one.label, *map(short_number, numbers)][: len(heads) + 1])
    told = [harmless(titled(found.sentence, shown)), aligned(["term", *heads], rows, right=heads)]
    told += _device_table(found)
    told += _more_tables(found)
    told += [found.contents.sentence, "\n".join(note_lines((*remarks, *found.remarks), shown))]
    return "\n\n".join(text for text in told if text)


def _device_table(found: Regression) -> list[str]:
    """The unknown parameter of a device, tested against 1."""
    one = found.device
    if one is None:
        return []
    heads = ["estimate", "low", "high", "standard error", "p of 1"]
    numbers = (one.estimate, one.low, one.high, one.standard_error, one.p)
    row = [f"{one.attribute}: {one.parameter}", *map(short_number, numbers)]
    return [aligned(["device", *heads], [row], right=heads)]


def _more_tables(found: Regression) -> list[str]:
    """What was asked for besides the coefficients."""
    tables = []
    numbers = ["estimate", "low", "high", "standard error"]
    if found.effects:
        rows = [
            [f"{one.attribute}[{one.level}]" if one.level else one.attribute, one.outcome,
             *_four(one)]
            for one in found.effects
        ]  # fmt: skip
        tables.append(aligned(["average effect", "outcome", *numbers], rows, right=numbers))
    if found.predictions:
        rows = [
            ["; ".join(f"{k}={v}" for k, v in one.given.items()), one.outcome, *_four(one)]
            for one in found.predictions
        ]
        tables.append(aligned(["everybody with", "outcome", *numbers], rows, right=numbers))
    if found.tests:
        heads = ["statistic", "df", "p"]
        rows = [
            [" + ".join(one.terms), one.kind, short_number(one.statistic), str(one.df),
             short_number(one.p)]
            for one in found.tests
        ]  # fmt: skip
        tables.append(aligned(["terms together", "test", *heads], rows, right=heads))
    if found.fit is not None:
        tables.append(
            f"Fit: X² = {short_number(found.fit.statistic)}, p = {short_number(found.fit.p)} by "
            f"{found.fit.replicates} simulated surveys."
        )
    return tables


def _four(one: Any) -> list[str]:
    return [short_number(x) for x in (one.estimate, one.low, one.high, one.standard_error)]


def _correlation_text(found: Correlations, remarks: Sequence[str], shown: Naming) -> str:
    heads = ["correlation", "low", "high", "standard error", "naive"]
    heads += ["true"] if any(one.true is not None for one in found.correlations) else []
    rows = [
        [f"{one.a} and {one.b}", *map(short_number, (one.estimate, one.low, one.high,
         one.standard_error, one.naive, one.true))][: len(heads) + 1]
        for one in found.correlations
    ]  # fmt: skip
    told = [harmless(titled(found.sentence, shown)), aligned(["", *heads], rows, right=heads)]
    told += [found.contents.sentence, "\n".join(note_lines((*remarks, *found.remarks), shown))]
    return "\n\n".join(text for text in told if text)
