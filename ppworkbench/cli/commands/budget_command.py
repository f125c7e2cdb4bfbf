"""The command that tells what one person's answers disclose together, and shares out a total."""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ppworkbench.api.text import RESPONDENTS, aligned, harmless, naming
from ppworkbench.cli.input_files import add_pilot_options
from ppworkbench.cli.options import positive_count, priors_given, unweighted_priors
from ppworkbench.cli.output import Answer, with_notes
from ppworkbench.cli.parser import (
    InputPath,
    OutputPath,
    Parser,
    UsageError,
    add_shared_options,
)

if TYPE_CHECKING:
    from ppworkbench.api.text import Naming
    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.core.planning.budget import Budget


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``budget``."""
    subparsers.add_parser(
        "budget", help="tell the epsilon of all answers, and share out a total",
        description="Tell the epsilon of all answers of one person, and share out a total.",
        fill=_fill,
    )  # fmt: skip


def _fill(parser: Parser, _words: Sequence[str]) -> None:
    from ppworkbench.core.design.budget import MEASURES, RULES

    parser.set_defaults(run=run_budget)
    add_shared_options(parser)
    add = parser.add_argument
    add("--design", metavar="FILE", type=InputPath, required=True, help="design")
    aims = parser.add_mutually_exclusive_group()
    aims.add_argument("--total", type=float, metavar="X", help="epsilon to share out")
    aims.add_argument(
        "--belief", type=float, metavar="X",
        help="share out the total with which belief in no sensitive answer rises above this",
    )  # fmt: skip
    add("--rule", choices=RULES,
        help="how the total is shared out (default: that of the design, or sum)")  # fmt: skip
    add("--of", choices=MEASURES,
        help="what is made small (default: that of the design, or width)")  # fmt: skip
    add(
        "--weight", action="append", default=[], metavar="NAME=X",
        help="weight of a question (default 1); may be given several times",
    )  # fmt: skip
    add(
        "--lock", action="append", default=[], metavar="NAME",
        help="question that keeps its epsilon; may be given several times",
    )  # fmt: skip
    add("--ask", type=positive_count, metavar="M",
        help="questions that each person is asked, drawn at random (default: all)")  # fmt: skip
    add(
        "--together", action="append", nargs="+", default=[], metavar="NAME",
        help="questions that a person gets all or none of; may be given several times",
    )  # fmt: skip
    add(
        "--n",
        type=positive_count,
        metavar="N",
        help=f"number of respondents (default {RESPONDENTS:,})",
    )
    add("--delta", type=float, metavar="X", help="delta of shuffled reports (default 1e-6)")
    add("--out", metavar="FILE", type=OutputPath, help="write the design with this budget")
    add_pilot_options(parser)


def run_budget(args: argparse.Namespace) -> Answer:
    """Tell the budget, shared out or as it is."""
    from ppworkbench.core.design.budget import DesignBudget
    from ppworkbench.core.design.design_file import read_design, write_design
    from ppworkbench.core.planning.budget import (
        DELTA,
        budget_of,
        share_design,
        sharing_remarks,
        total_for_belief,
    )
    from ppworkbench.core.planning.sharing import BudgetSettings

    design = read_design(args.design)
    planned = design.budget or DesignBudget()
    total = planned.total if args.total is None else args.total
    asks = args.ask is not None or bool(args.together)
    changes = args.rule or args.of or args.weight or args.lock or args.out
    shares = args.total is not None or args.belief is not None or (total is not None and changes)
    if changes and not shares and not asks:
        raise UsageError("Give what to share out: --total or --belief.")
    priors, rows = priors_given(design, args)
    remarks: tuple[str, ...] = ()
    if asks:
        for name in (name for names in args.together for name in names):
            design[name]  # Refuses a name that is no attribute.
        planned = dataclasses.replace(planned, ask=args.ask or planned.ask).keeping(args.together)
        design = dataclasses.replace(design, budget=planned)
        planned.check_ask(design.parts)
    if args.belief is not None:
        total = total_for_belief(design, priors, args.belief)
    if total is not None and (shares or asks):
        settings = BudgetSettings(total, args.rule or planned.rule, args.of or planned.of)
        before = design
        weights = dict(planned.weights) | _weights(args.weight)
        design = share_design(design, settings, priors, weights, args.lock or None)
        remarks = sharing_remarks(before, design, total)
    if args.out:
        write_design(design, args.out)
    n = args.n or rows or RESPONDENTS
    found = budget_of(design, priors, n, DELTA if args.delta is None else args.delta)
    shown = naming(designed.attribute for designed in design)
    document, texts = found.to_json(), [_text(found, shown, n)]
    if args.out:
        document["file"] = args.out
        texts.append(f"Wrote {harmless(args.out)}.")
    told = Answer(document, "\n\n".join(texts))
    return with_notes(told, (*remarks, *unweighted_priors(design, args)))


def _weights(given: Sequence[str]) -> dict[str, float]:
    weights = {}
    for text in given:
        name, _, number = text.rpartition("=")
        try:
            weights[name] = float(number)
        except ValueError:
            name = ""
        if not name:
            raise UsageError(f"--weight must be NAME=number, not {text!r}.")
    return weights


def _text(found: Budget, shown: Naming, n: int) -> str:
    heads = ["question", "epsilon", "share of the total", "standard error"]
    rows = [
        [
            harmless(shown(one.name)),
            _number(one.epsilon),
            _share(one.share),
            "∞" if one.error == float("inf") else f"{one.error:.4g}",
        ]
        for one in found.questions
    ]
    lines = [aligned(heads, rows, right=heads[1:]), str(found.sentence)]
    lines += [harmless(str(remark)) for remark in found.remarks]
    if found.undistorted:
        names = ", ".join(harmless(shown(name)) for name in found.undistorted)
        lines.append(f"Not randomised, and so without any bound: {names}.")
    if found.shuffled.reason is None:
        lines.append(
            f"Shuffled with those of {n:,} people: epsilon {found.shuffled.epsilon:.4g} but for a "
            f"probability of {found.shuffled.delta:g}; by an exact count of clones "
            f"{found.shuffled.by_clones or 0.0:.4g}. This holds only if the rows are shuffled."
        )
    else:
        lines.append(f"Shuffling promises no more. {found.shuffled.reason}")
    return "\n\n".join(lines)


def _share(share: float | None) -> str:
    if share is None:
        return "in a group"
    return "–" if math.isnan(share) else f"{100 * share:.3g} %"


def _number(epsilon: float) -> str:
    return "∞" if epsilon == float("inf") else f"{epsilon:.4g}"
