"""Find the command, run it, and say in one sentence what went wrong.

A group of commands is a module with ``add_commands(subparsers)``; it builds its parsers with
:func:`ppworkbench.cli.parser.add_command` and imports what it works with inside its functions,
so that help and version do not wait for libraries they do not use.
"""

from __future__ import annotations

import argparse
import dataclasses
import io
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ppworkbench.cli import questions
from ppworkbench.cli.commands import (
    data_commands,
    fieldwork_commands,
    guide_commands,
    report_command,
    serve_command,
)
from ppworkbench.cli.output import Answer, to_json, write_answer
from ppworkbench.cli.parser import Parser, UsageError, add_shared_options, check_paths
from ppworkbench.cli.progress_bar import Terminated, catch_termination
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.files import InputFiles, remove_abandoned
from ppworkbench.core.progress import Cancelled
from ppworkbench.results.text import harmless, spaced
from ppworkbench.version import __version__

GROUPS = (
    data_commands,
    questions,
    fieldwork_commands,
    serve_command,
    report_command,
    guide_commands,
)

DONE, FAILED, USAGE, NOBODY_READS = 0, 1, 2, 141


def build_parser() -> Parser:
    parser = Parser(
        prog="ppworkbench",
        description="Design and analyse randomised surveys.",
        epilog="See ppworkbench COMMAND --help for a command.",
    )
    parser.add_argument("--version", action="version", version=f"ppworkbench {__version__}")
    add_shared_options(parser, top=True)
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for group in GROUPS:
        group.add_commands(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _print_on_any_terminal()
    try:
        with catch_termination():
            status = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has seen enough. Python flushes once more at the end, which
        # must not fail again.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
        return NOBODY_READS
    return status


def _run(arguments: list[str]) -> int:
    # Until the arguments are parsed, these two can only be looked for.
    args = argparse.Namespace(json="--json" in arguments, debug="--debug" in arguments)
    try:
        args = build_parser().parse_args(arguments)
        # Rows that a killed command has left on their way to another order.
        remove_abandoned(Path(tempfile.gettempdir()))
        # What no option names is refused where it is written.
        reads = InputFiles(check_paths(args))
        answer = _with_state(args.run(args), args)
        write_answer(answer, as_json=args.json)
        reads.paths = ()
    except SystemExit as end:  # --help and --version
        return int(end.code or DONE)
    except BrokenPipeError:
        raise
    except (Exception, KeyboardInterrupt, Terminated) as error:
        if args.debug:
            traceback.print_exc()
        status, document = explain(error)
        _complain(document, as_json=args.json)
        return status
    return answer.status


def _with_state(answer: Answer, args: argparse.Namespace) -> Answer:
    """The answer with what the answers of its table are, where all results of a command say it."""
    state = getattr(args, "answer_state", None)
    if state is None and getattr(args, "data", None) is not None:
        state = getattr(args, "pilot_state", None)
    if state is None or "state" in answer.document:
        return answer
    return dataclasses.replace(answer, document={**answer.document, "state": state})


def explain(error: BaseException) -> tuple[int, Mapping[str, Any]]:
    """The exit status for an error, and what to say about it."""
    if isinstance(error, UsageError):
        return USAGE, {"error": str(error)}
    if isinstance(error, WorkbenchError):
        return FAILED, error.to_json()
    if isinstance(error, Cancelled | KeyboardInterrupt | Terminated):
        number = error.number if isinstance(error, Terminated) else signal.SIGINT
        whose = "by Ctrl-C" if number == signal.SIGINT else "by the system"
        return 128 + number, {"error": f"Stopped {whose}."}
    if isinstance(error, MemoryError):
        return FAILED, {"error": "There is not enough memory."}
    if isinstance(error, OSError) and error.strerror:
        file = {} if error.filename is None else {"file": str(error.filename)}
        where = "".join(f" ({name})" for name in file.values())
        return FAILED, {"error": f"The system refused: {error.strerror}{where}."} | file
    what = f"{type(error).__name__}: {error}".rstrip(": ")
    return FAILED, {"error": f"Internal error ({what}); report it with the output of --debug."}


def _complain(document: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        print(to_json(document, sys.stdout))
    else:
        said = spaced(harmless(document["error"]), sys.stderr.encoding)
        print(f"ppworkbench: {said}", file=sys.stderr)


def _print_on_any_terminal() -> None:
    """Write letters that the terminal does not have as escapes, rather than fail on them."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
