"""The command that asks whether people followed the device: ``compliance``."""

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
from ppworkbench.cli.options import (
    add_arm_options,
    add_design_option,
    add_sampling_options,
    design_of,
)
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import InputPath, Parser, add_shared_options
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.core.message import Message, titled
from ppworkbench.core.progress import part

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.core.compliance.classes import Estimate
    from ppworkbench.core.compliance.result import Compliance


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``compliance``."""
    subparsers.add_parser(
        "compliance", help="estimate how many followed the device",
        description="Estimate how many people followed the device of a question.", fill=_fill,
    )  # fmt: skip


def _fill(parser: Parser, _words: Sequence[str]) -> None:
    from ppworkbench.core.compliance.question import MODELS

    add_shared_options(parser)
    parser.add_argument(
        "distorted", metavar="DISTORTED", type=InputPath, help="file with the distorted answers"
    )
    add_design_option(parser)
    parser.add_argument("--attribute", metavar="NAME", required=True, help="question to look at")
    parser.add_argument(
        "--behaviour", metavar="NAME", action="append", default=[],
        help="people who do not follow: safe, random or always=VALUE (default safe); may be given "
        "several times",
    )  # fmt: skip
    parser.add_argument(
        "--safe", metavar="VALUE", default="",
        help="answer that nobody minds giving (default: the first that is not sensitive)",
    )  # fmt: skip
    parser.add_argument("--model", choices=MODELS, default="", help="named model of compliance")
    parser.add_argument("--anchor", metavar="NAME", help="anchor question of known share")
    parser.add_argument(
        "--anchor-p", metavar="X", type=_number, help="harmless share of the anchor question"
    )
    parser.add_argument(
        "--anchor-share", metavar="X", type=_number,
        help="true share of the anchor question (default 0)",
    )  # fmt: skip
    parser.add_argument(
        "--share", metavar="X", type=_number,
        help="share of people who do not follow, from a validation study",
    )  # fmt: skip
    parser.add_argument(
        "--share-se", metavar="X", type=_number, default=0.0, help="its standard error (default 0)"
    )
    parser.add_argument(
        "--band", metavar="X:Y", type=_band, default=(0.0, 0.3),
        help="shares of people who do not follow, for the band (default 0:0.3)",
    )  # fmt: skip
    parser.add_argument(
        "--reach", metavar="X", type=_number,
        help="value of the estimate whose tipping point is wanted",
    )  # fmt: skip
    add_arm_options(parser, by_arm=False)
    add_sampling_options(parser)
    parser.set_defaults(run=run_compliance)
    add_read_options(parser)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"it must be a number, not {text!r}") from None


def _band(text: str) -> tuple[float, float]:
    low, sign, high = text.partition(":")
    if not sign:
        raise argparse.ArgumentTypeError(f"it must be two shares as in 0:0.3, not {text!r}")
    return _number(low), _number(high)


def run_compliance(args: argparse.Namespace) -> Answer:
    """Estimate who followed the device."""
    from ppworkbench.core.compliance.assess import assess_compliance
    from ppworkbench.core.compliance.models import ANCHOR
    from ppworkbench.core.compliance.question import ComplianceQuestion
    from ppworkbench.core.design.anchors import Anchor
    from ppworkbench.core.errors import ParameterError

    design = design_of(args.distorted, args.design)
    known = design.anchor_of(args.attribute)
    anchor = known if args.model == ANCHOR else None
    if args.anchor is None and (args.anchor_p, args.anchor_share) != (None, None):
        raise ParameterError("Name the anchor question by --anchor.", field="anchor")
    if args.anchor is not None:
        if args.anchor_p is None:
            raise ParameterError(
                "Give the harmless share of the anchor question by --anchor-p.", field="anchor-p"
            )
        anchor = Anchor(args.anchor, args.anchor_p, args.anchor_share or 0.0)
    question = ComplianceQuestion(
        args.attribute, tuple(args.behaviour), args.safe, args.model, anchor, args.share,
        args.share_se, args.band, args.reach, arms=tuple(args.arm),
    )  # fmt: skip
    with progress_bar() as progress:
        names = [args.attribute, *(one.column for one in (anchor or known,) if one is not None)]
        survey = survey_of(args, progress)
        given = survey.answers(design.needed(names), part(progress, 0.0, 0.7))
        found = assess_compliance(
            given.table, design, question, sampling=given.sampling,
            options=survey.options, seed=args.seed or 0, progress=part(progress, 0.7, 1.0),
        )  # fmt: skip
    found = dataclasses.replace(found, remarks=(*given.remarks, *found.remarks))
    return Answer(found.to_json(), _text(found, naming(one.attribute for one in design)))


def _text(found: Compliance, shown: Naming) -> str:
    told = [harmless(titled(found.sentence, shown)), _arms(found)]
    rows: list[tuple[str, Estimate]] = [("uncorrected", found.uncorrected)]
    classes = found.classes
    if classes is not None:
        rows += zip(map(str, classes.names), classes.estimates, strict=True)
        rows += [(f"share, {name}", one) for name, one in classes.readings.items()]
    rows += [(name, one) for name, one in found.parameters.items() if name != "uncorrected"]
    told.append(_estimates(rows))
    if classes is not None and found.honesty is not None:
        told.append(
            Message(
                "Test that everybody follows: {name} = {lr}, p {p}; 5 % who do not would have been "
                "noticed with probability {power:.2f}.",
                name="LR" if found.sampling is None else "Wald",
                lr=short_number(found.honesty.statistic),
                p=_equals(found.honesty.p),
                power=classes.power,
            )
        )
    if found.fit is not None and not math.isfinite(found.fit.p):
        told.append(
            Message(
                "Fit of the model, on the boundary: G² = {g2}.",
                g2=short_number(found.fit.statistic),
            )
        )
    elif found.fit is not None:
        told.append(
            Message(
                "Fit of the model: {name} = {g2} on {df}, p {p}.",
                name="G²" if found.sampling is None else "Wald",
                g2=short_number(found.fit.statistic),
                df=found.fit.df,
                p=_equals(found.fit.p),
            )
        )
    told += [_direct(found), _band_table(found), "\n".join(note_lines(found.remarks, shown))]
    return "\n\n".join(text for text in told if text)


def _equals(p: float) -> str:
    return short_p(p) if p < 0.001 else f"= {short_p(p)}"


def _arms(found: Compliance) -> str:
    heads = ["answers", *found.attribute.values]
    rows = [
        [
            arm.name,
            f"{found.rows.get(arm.name, arm.n):,.0f}",
            *(f"{count:,.0f}" for count in arm.counts),
        ]
        for arm in found.arms
    ]
    return aligned(["arm", *heads], rows, right=heads)


def _estimates(rows: Sequence[tuple[str, Estimate]]) -> str:
    heads = ["estimate", "low", "high", "standard error"]
    cells = [
        [name, *map(short_number, (one.estimate, one.low, one.high, one.standard_error))]
        for name, one in rows
    ]
    return aligned(["", *heads], cells, right=heads)


def _direct(found: Compliance) -> str:
    direct = found.direct
    if direct is None:
        return ""
    rows = [("asked directly", direct.share), ("difference", direct.difference),
            ("deny when asked", direct.denying)]  # fmt: skip
    lines = [_estimates(rows)]
    lines.append(
        Message(
            "Test of one share for both: {name} = {lr} on {df}, p {p}.",
            name="LR" if found.sampling is None else "Wald",
            lr=short_number(direct.equality.statistic),
            df=direct.equality.df,
            p=_equals(direct.equality.p),
        )
    )
    if direct.random is not None and 0 < direct.random < 1:
        lines.append(
            Message(
                "{share:.1f} % of answers at random would explain the whole difference.",
                share=100 * direct.random,
            )
        )
    return "\n\n".join(lines)


def _band_table(found: Compliance) -> str:
    if not found.points:
        return ""
    heads = ["estimate", "low", "high"]
    shares = list(dict.fromkeys(one.share for one in found.points))[::4]
    shown = [one for one in found.points if one.share in shares]
    rows = [
        [
            f"{100 * one.share:.0f} %, {one.behaviour}",
            *map(short_number, (one.estimate, one.low, one.high)),
        ]
        for one in shown
    ]
    lines = [aligned(["if so many do not follow", *heads], rows, right=heads)]
    largest = [[name, short_number(share), short_number(found.reach.get(name))]
               for name, share in found.largest.items()]  # fmt: skip
    heads = ["largest possible share", "tipping point"]
    lines.append(aligned(["behaviour", *heads], largest, right=heads))
    return "\n\n".join(lines)
