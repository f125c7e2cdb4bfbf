"""The command that compares classifiers on records that it distorts."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ppworkbench.cli.input_files import add_read_options
from ppworkbench.cli.options import (
    add_no_sampling_option,
    add_options,
    given_options,
    given_values,
    refuse_sampling,
)
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import InputPath, Parser, UpdatedPath, add_shared_options
from ppworkbench.cli.scripts import add_script_option, answer_function
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.errors import ParameterError
from ppworkbench.results.text import TRUE

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.core.experiment import Setting
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
    add_script_option(parser)
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
    from ppworkbench.api.experiments import classify
    from ppworkbench.core.design.design_file import read_design
    from ppworkbench.core.experiment import Sweep
    from ppworkbench.core.experiment.experiment import Folding

    design = read_design(args.design)
    if not args.no_sampling and not design.has_arms:
        refuse_sampling(args, design.sampling)
    asked = {
        "data": args.data, "classifiers": _settings(args), "class_name": args.class_name,
        "sweep": given_values(args, Sweep), "sampling": not args.no_sampling,
        "engine": _engine(args), "resume": args.resume,
        "reading": given_options(args, ReadOptions), "seed": args.seed or 0,
        **given_values(args, Folding),
    }  # fmt: skip
    return answer_function(args, classify, asked, design)


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
