"""``--script``: print the script that gives a result again, in place of the result."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import UsageError
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.outputs.scripts import SCRIPT_NAMES

if TYPE_CHECKING:
    from ppworkbench.analyses.request import Request
    from ppworkbench.core.design.design import Design
    from ppworkbench.outputs.scripts.analysis import Analysis
    from ppworkbench.results.result import Result


def add_script_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--script`` to a command whose result a script can give again."""
    parser.add_argument(
        "--script", choices=tuple(SCRIPT_NAMES),
        help="print a script that gives the result again from the same files, and compute nothing",
    )  # fmt: skip


def refuse_design_out(args: argparse.Namespace, path: str | None) -> None:
    """Refuse a file for a design beside ``--script``, which would leave it unwritten."""
    if args.script is not None and path is not None:
        raise UsageError("The option --script computes nothing, so it writes no design.")


def answer_script(
    args: argparse.Namespace, function: Callable[..., Result], arguments: Mapping[str, Any]
) -> Answer:
    """Print the script that calls a function which needs no design; nothing is written."""
    from ppworkbench.outputs.scripts.analysis import Analysis

    asked = _without_defaults(function, arguments)
    return _script(args, Analysis(function.__name__, asked), None)


def question_script(
    args: argparse.Namespace,
    asked: Request,
    design: Design | None,
    sampling: Sampling | None,
    shared: Mapping[str, Any],
) -> Answer:
    """Print the script that asks a question of the same files."""
    from ppworkbench.analyses import place_of
    from ppworkbench.analyses.source import Source
    from ppworkbench.outputs.scripts.analysis import Analysis, sampling_arguments

    files = {"data": args.distorted, "design": args.design}
    roles = sampling_arguments(sampling, None if design is None else design.sampling)
    roles = {name: one for name, one in roles.items() if name not in asked.unused}
    source = _without_defaults(Source.__init__, {**files, **roles, **shared})
    own = {name: one for name, one in asked.changed().items() if name not in asked.only_here}
    if place_of(asked.name).of_survey:
        return _script(args, Analysis(asked.name, own, source), design)
    return _script(args, Analysis(asked.name, source | own), design)


def script_of_one(
    args: argparse.Namespace,
    asked: Request,
    kind: type[Any],
    given: Mapping[str, Any],
    design: Design | None,
) -> Answer:
    """Print the script that asks a question of the same design, or of the same true answers."""
    from ppworkbench.outputs.scripts.analysis import Analysis

    source = _without_defaults(kind.__init__, given)
    return _script(args, Analysis(asked.name, source | asked.changed()), design)


def _without_defaults(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """What a script has to say: values that the function would not take anyway."""
    known = inspect.signature(function).parameters
    usual = {name: one.default for name, one in known.items()}
    empty: tuple[Any, ...] = (None, (), [], {}, ReadOptions())
    return {
        name: str(value) if isinstance(value, str) else value
        for name, value in given.items()
        if not any(type(value) is type(one) and value == one for one in empty)
        and not (type(value) is type(usual.get(name)) and value == usual.get(name))
    }


def _script(args: argparse.Namespace, analysis: Analysis, design: Design | None) -> Answer:
    from ppworkbench.outputs.scripts.analysis import Origin
    from ppworkbench.outputs.scripts.folder import write_script
    from ppworkbench.study.answer_state import AnswerState

    state = getattr(args, "answer_state", "") or (
        getattr(args, "pilot_state", "") if getattr(args, "data", None) is not None else ""
    )
    origin = Origin(state=AnswerState(state) if state else AnswerState.NONE)
    text = write_script(args.script, analysis, design, origin)
    return Answer({"language": args.script, "script": text}, text.rstrip("\n"))
