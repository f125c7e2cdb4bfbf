"""Commands about data: the built-in samples, what a file holds, and distorted copies."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ppworkbench.cli.calls import Call
from ppworkbench.cli.input_files import add_engine_option, add_read_options
from ppworkbench.cli.options import add_options, add_role_options, given_options, given_roles
from ppworkbench.cli.output import Answer, answer_of, write_warnings
from ppworkbench.cli.parser import (
    OutputPath,
    OutputTable,
    OutputTables,
    Parser,
    UsageError,
    add_command,
    add_command_group,
    add_file,
)
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.cli.scripts import add_script_option, answer_script, refuse_design_out
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.params import declarations

if TYPE_CHECKING:
    from ppworkbench.api.data import Inspection
    from ppworkbench.api.designs import Design
    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.core.data.samples import Sample


def add_commands(subparsers: Subparsers) -> None:
    add_command_group(subparsers, "sample", "list or write the built-in data sets", _add_samples)
    add_command(subparsers, "inspect", run_inspect, "describe a data file", _fill_inspect)
    says = "write a distorted copy of a file"
    add_command(subparsers, "distort", run_distort, says, _fill_distort)


def _fill_inspect(inspect: Parser, _words: Sequence[str]) -> None:
    from ppworkbench.core.design.budget import RULES
    from ppworkbench.core.design.starting import EPSILON_EACH

    add_file(inspect, "data", "file to read", metavar="DATA")
    add_file(inspect, "--design-out", "write a starting design", OutputPath)
    aims = inspect.add_mutually_exclusive_group()
    aims.add_argument(
        "--epsilon", type=float, metavar="X",
        help=f"epsilon of each question of the starting design (default {EPSILON_EACH:g})",
    )  # fmt: skip
    aims.add_argument(
        "--total", type=float, metavar="X",
        help="epsilon of all questions of the starting design together",
    )  # fmt: skip
    aims.add_argument(
        "--open", action="store_true", help="randomise nothing in the design that is written"
    )
    inspect.add_argument("--rule", choices=RULES, help="how the total is shared out (default sum)")
    add_role_options(inspect)
    add_script_option(inspect)
    add_read_options(inspect)


def run_inspect(args: argparse.Namespace) -> Answer:
    """Say what a data file holds, and write a starting design if asked to."""
    from ppworkbench.api.data import inspect

    if args.rule and args.total is None:
        raise UsageError("Give what to share out: --total.")
    if not args.design_out and (args.total is not None or args.epsilon is not None or args.open):
        raise UsageError(
            "--epsilon, --total and --open are for a starting design; give --design-out."
        )
    refuse_design_out(args, args.design_out)
    reading = given_options(args, ReadOptions)
    with progress_bar() as progress:
        found = inspect(args.data, reading=reading, progress=progress)
    roles = given_roles(args, found.sampling, found.table.names)
    if args.script is not None:
        sampling = None if roles is None or roles == found.sampling else roles.to_json()
        asked = {"data": args.data, "sampling": sampling, "reading": reading}
        return answer_script(args, inspect, asked)
    found = found.with_sampling(roles)
    if args.design_out:
        _starting(found, args).save(args.design_out)
    return answer_of(found)


def _starting(found: Inspection, args: argparse.Namespace) -> Design:
    """The starting design with what one question, or all of them, may spend, or an open one."""
    from ppworkbench.api.designs import Design, design
    from ppworkbench.core.data.sampling_roles import role_columns
    from ppworkbench.core.design.perturbation import EPSILON

    if args.open:
        roles = role_columns(found.sampling)
        kept = [c.name for c in found.table if not c.attribute.may_name_people or c.name in roles]
        return design(found.table.select(kept), sampling=found.sampling)
    if args.epsilon is not None and not EPSILON.low <= args.epsilon <= EPSILON.high:
        raise UsageError(f"--epsilon must lie between {EPSILON.low:g} and {EPSILON.high:g}.")
    return Design.starting(
        found.table, epsilon=args.epsilon, total=args.total, rule=args.rule or "sum",
        sampling=found.sampling,
    )  # fmt: skip


def _add_samples(subparsers: Subparsers, _words: Sequence[str]) -> None:
    add_command(subparsers, "list", Call("data", "samples"), "list the built-in data sets")
    summary = "write a built-in data set to a file"
    add_command_group(subparsers, "write", summary, _add_writers, metavar="NAME")


def _add_writers(subparsers: Subparsers, words: Sequence[str]) -> None:
    from ppworkbench.core.data.generators.quest import QuestParams
    from ppworkbench.core.data.samples import samples

    for entry in samples:
        _add_writer(subparsers, entry.name, entry.item)
    for word in words:
        # A basket data set is also known by its sizes, as T10.I8.D100k.N100.
        if QuestParams.names(word):
            _add_writer(subparsers, word, samples["baskets"])


def _add_writer(subparsers: Subparsers, name: str, sample: Sample) -> None:
    summary = sample.description.removesuffix(".")
    writer = add_command(subparsers, name, Call("data", "write_sample"), summary)
    writer.set_defaults(name=name, declared=sample.sizes)
    add_file(writer, "out", "output file; the extension is the format", OutputTable)
    if declarations(sample.sizes):
        add_options(writer, sample.sizes, title="generator settings")
    add_options(writer, WriteOptions, title="output settings")


def _fill_distort(distort: Parser, _words: Sequence[str]) -> None:
    says = "file with the true answers, or folder of Parquet parts"
    add_file(distort, "data", says, metavar="DATA")
    add_file(distort, "--design", "randomisation", required=True)
    says = "output file; of a folder of parts a new folder"
    add_file(distort, "--out", says, OutputTables, required=True)
    distort.add_argument(
        "--shuffle", action=argparse.BooleanOptionalAction,
        help="shuffle the rows (default: yes for a release, no with --seed)",
    )  # fmt: skip
    distort.add_argument(
        "--escape-formulas", action=argparse.BooleanOptionalAction, default=True,
        help="escape cells that a spreadsheet would execute (default: yes)",
    )  # fmt: skip
    add_script_option(distort)
    add_engine_option(distort)
    add_read_options(distort)


def run_distort(args: argparse.Namespace) -> Answer:
    from ppworkbench.core.data.parts import is_parts

    if is_parts(args.data) and not args.out.is_folder:
        raise UsageError("Parts are distorted into a folder; give one with --out.")
    return _RELEASE(args)


def _warn(found: Any) -> int:
    write_warnings(found.warnings, found.shown)
    return 0


_RELEASE = Call("data", "release", finish=_warn)
