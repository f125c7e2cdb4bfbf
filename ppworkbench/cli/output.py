"""What a command answers, for programs as JSON and for people as text."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from ppworkbench.results.text import Naming, note_lines, plain, spaced

if TYPE_CHECKING:
    from ppworkbench.results.result import Result


@dataclass(frozen=True)
class Answer:
    """The result of a command: a document for ``--json``, a text for people, an exit status.

    A status other than 0 is that of a check which found something wrong.
    """

    document: Mapping[str, Any]
    text: str
    status: int = 0


def answer_of(result: Result) -> Answer:
    """A result of the Python interface as the answer of a command."""
    return Answer(result.to_dict(), result.summary())


def write_answer(answer: Answer, *, as_json: bool) -> None:
    """Print the answer on standard output in the form that was asked for."""
    if as_json:
        print(to_json(answer.document, sys.stdout))
    else:
        print(spaced(answer.text, sys.stdout.encoding))


def to_json(document: Mapping[str, Any], stream: TextIO) -> str:
    """The document as JSON: one line in a pipe, indented on a terminal.

    Letters beyond ASCII are written as they are only where the stream can carry them.
    """
    carries_all = (stream.encoding or "").lower().replace("-", "").startswith("utf8")
    return json.dumps(
        plain(document),
        ensure_ascii=not carries_all,
        allow_nan=False,
        indent=2 if stream.isatty() else None,
    )


def write_warnings(warnings: Iterable[str], shown: Naming = str) -> None:
    """Print what must not be overlooked on standard error, wherever the answer goes."""
    for said in note_lines(warnings, shown, "Warning"):
        print(f"ppworkbench: {spaced(said, sys.stderr.encoding)}", file=sys.stderr)
