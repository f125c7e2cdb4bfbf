"""The command about lists of items: ``list``."""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ppworkbench.api.text import (
    Naming,
    aligned,
    harmless,
    naming,
    note_lines,
    short_number,
    short_p,
)
from ppworkbench.cli.commands.survey_commands import survey_of
from ppworkbench.cli.input_files import add_read_options
from ppworkbench.cli.options import add_design_option, add_sampling_options
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import InputPath, Parser, add_shared_options
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.core.message import Message, titled
from ppworkbench.core.progress import part

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.core.compliance.assess_list import ListResult
    from ppworkbench.core.compliance.classes import Estimate


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``list``."""
    subparsers.add_parser(
        "list", help="estimate the sensitive item of a list",
        description="Estimate how many people have the sensitive item of a list.", fill=_fill,
    )  # fmt: skip


def _fill(parser: Parser, _words: Sequence[str]) -> None:
    from ppworkbench.core.compliance.assess_list import METHODS

    add_shared_options(parser)
    parser.add_argument(
        "distorted", metavar="DISTORTED", type=InputPath, help="file with the answers"
    )
    add_design_option(parser)
    parser.add_argument(
        "--attribute", metavar="NAME", required=True, help="sensitive item of the list"
    )
    parser.add_argument(
        "--method", choices=METHODS,
        help="difference in means, two-step least squares, or likelihood (default ml; difference "
        "where weights, strata or clusters are known)",
    )  # fmt: skip
    parser.add_argument(
        "--predict", metavar="A,B,...", type=_names, default=(),
        help="attributes that the item may go together with; they must not be randomised",
    )  # fmt: skip
    parser.add_argument(
        "--ceiling", action="store_true",
        help="let people with all of the harmless items leave the sensitive one out",
    )  # fmt: skip
    parser.add_argument(
        "--floor", action="store_true",
        help="let people with none of the harmless items leave the sensitive one out",
    )  # fmt: skip
    parser.add_argument(
        "--second", metavar="NAME", default="",
        help="second list of the same item, long where this one is short",
    )  # fmt: skip
    parser.add_argument(
        "--direct", metavar="NAME", default="",
        help="question that asks everybody openly for the item",
    )  # fmt: skip
    add_sampling_options(parser)
    parser.set_defaults(run=run_list)
    add_read_options(parser)


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise argparse.ArgumentTypeError(f"it must be names as in a,b, not {text!r}")
    return names


def run_list(args: argparse.Namespace) -> Answer:
    """Estimate the sensitive item of a list."""
    from ppworkbench.core.compliance.assess_list import DIFFERENCE, ML, ListInquiry, assess_list

    with progress_bar() as progress:
        survey = survey_of(args, progress)
        design = survey.design
        asked = [design.list_of(args.attribute).count, *args.predict]
        asked += [args.direct] if args.direct else []
        asked += [design.list_of(args.second).count] if args.second else []
        given = survey.answers(asked, part(progress, 0.0, 0.6))
        is_sampled = given.sampling is not None or survey.options is not None
        usual = DIFFERENCE if is_sampled and not args.predict else ML
        inquiry = ListInquiry(
            args.attribute, args.method or usual, args.predict, args.ceiling, args.floor,
            args.second, args.direct,
        )  # fmt: skip
        found = assess_list(
            given.table, design, inquiry, sampling=given.sampling,
            sampling_options=survey.options, progress=part(progress, 0.6, 1.0),
        )  # fmt: skip
    found = dataclasses.replace(found, remarks=(*given.remarks, *found.remarks))
    return Answer(found.to_json(), _text(found, naming(one.attribute for one in design)))


def _text(found: ListResult, shown: Naming) -> str:
    told = [
        harmless(titled(found.sentence, shown)),
        _counts(found),
        _estimates(found),
        _types(found),
        Message(
            "Test that no share is negative, as it must be if the sensitive item does not change "
            "the answers to the others: p {p}.",
            p=_equals(found.design_effect_p),
        ),
        _coefficients(found),
        _privacy(found),
        "\n".join(note_lines(found.remarks, shown)),
    ]
    return "\n\n".join(text for text in told if text)


def _equals(p: float) -> str:
    return short_p(p) if p < 0.001 else f"= {short_p(p)}"


def _counts(found: ListResult) -> str:
    size = found.question.size
    heads = ["people", *map(str, range(size + 2))]
    rows = [
        [name, f"{n:,}", *(f"{count:,.0f}" for count in counts), *[""] * (size + 2 - len(counts))]
        for name, n, counts in (
            ("short list", found.people[0], found.counts.short),
            ("long list", found.people[1], found.counts.long),
        )
    ]
    return aligned(["said", *heads], rows, right=heads)


def _estimates(found: ListResult) -> str:
    rows: list[tuple[str, Estimate]] = [("difference in means", found.difference)]
    model = found.model
    if model is not None:
        name = "least squares" if model.log_likelihood is None else "likelihood"
        rows.append((name, model.share))
        rows += [(f"leave it out, {end}", one) for end, one in model.leaving_out.items()]
    if found.direct is not None:
        rows.append(("with the direct question", found.direct))
    if found.double is not None:
        rows.append(("both lists", found.double.share))
    heads = ["estimate", "low", "high", "standard error"]
    cells = [
        [name, *map(_number, (one.estimate, one.low, one.high, one.standard_error))]
        for name, one in rows
    ]
    table = aligned(["share", *heads], cells, right=heads)
    if found.double is None:
        return table
    return "\n\n".join(
        [
            table,
            Message(
                "Alone the lists give {first} and {second}; test that they agree: p {p}.",
                first=short_number(found.double.first),
                second=short_number(found.double.second),
                p=_equals(found.double.p),
            ),
        ]
    )


def _number(value: float) -> str:
    return short_number(value) if math.isfinite(value) else "-"


def _types(found: ListResult) -> str:
    size = found.question.size
    heads = ["with it", "±", "p", "without it", "± ", "p "]
    rows = []
    for count in range(size + 1):
        cells = [str(count)]
        for one in (found.types[count], found.types[size + 1 + count]):
            cells += [short_number(one.share), short_number(one.standard_error), short_p(one.p)]
        rows.append(cells)
    return aligned(["harmless items", *heads], rows, right=heads)


def _coefficients(found: ListResult) -> str:
    if found.model is None or not found.inquiry.predictors:
        return ""
    heads = ["estimate", "standard error"]
    rows = [
        [one.part, harmless(one.term), _number(one.estimate), _number(one.standard_error)]
        for one in found.model.coefficients
    ]
    return aligned(["item", "term", *heads], rows, right=heads)


def _privacy(found: ListResult) -> str:
    heads = [str(count) for count in range(len(found.belief))]
    rows = [["belief", *(f"{100 * one:.1f} %" for one in found.belief)]]
    words = Message(
        "Epsilon is ∞: 0 says no for sure, {most} says yes for sure. About {no:.1f} % of the "
        "people with the long list show that they lack the item, {yes:.1f} % that they have it.",
        most=len(found.belief) - 1,
        no=100 * found.exposed[0],
        yes=100 * found.exposed[1],
    )
    return "\n\n".join([aligned(["after the number", *heads], rows, right=heads), words])
