"""How commands are declared: one parser class, and the options that all of them share."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ppworkbench.cli.output import Answer
from ppworkbench.core.errors import DataError
from ppworkbench.core.files import is_same_file

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[Any]  # noqa: SLF001 (argparse has no public name)

_SEED_DIGITS = 39
"""As many as a number of 128 bits has."""
Run = Callable[[argparse.Namespace], Answer]
Fill = Callable[["Parser", Sequence[str]], None]


class UsageError(Exception):
    """A command line that says something impossible."""


class InputPath(str):
    """A file that a command reads, and therefore never writes."""

    __slots__ = ()

    def files(self) -> tuple[Path, ...]:
        """Return the file and the codebooks that may lie beside it."""
        from ppworkbench.core.data.codebook import find_sidecar, sheet_path

        path = Path(self)
        if not path.name:
            return (path,)
        beside = find_sidecar(path)
        return (path, sheet_path(path), *(() if beside is None else (beside,)))


class OutputPath(str):
    """A file that a command writes, if there is none or ``--force`` is given."""

    __slots__ = ()

    def files(self) -> tuple[Path, ...]:
        return (Path(self),)

    def obstacle(self) -> Path | None:
        """Return what is in the way, if anything is."""
        return next((path for path in self.files() if path.exists()), None)


class OutputTable(OutputPath):
    """A table that a command writes with its codebook."""

    __slots__ = ()

    def files(self) -> tuple[Path, ...]:
        from ppworkbench.core.data.files import written_files

        return written_files(self)


class OutputFolder(OutputPath):
    """A folder that a command fills; an empty one is nobody's."""

    __slots__ = ()

    def obstacle(self) -> Path | None:
        """Return the folder if it holds something, or a file of the name."""
        path = Path(self)
        if path.is_dir():
            return path if any(path.iterdir()) else None
        return super().obstacle()


class OutputTables(OutputTable):
    """A table, or a folder of parts: a name without an ending, or an address."""

    __slots__ = ()

    @property
    def is_folder(self) -> bool:
        return "://" in self or not Path(self).suffix or Path(self).is_dir()

    def files(self) -> tuple[Path, ...]:
        return (Path(self),) if self.is_folder else super().files()

    def obstacle(self) -> Path | None:
        """Return what is in the way; of a folder what it holds is looked at later."""
        if self.is_folder and not Path(self).is_file():
            return None
        return super().obstacle()


class UpdatedPath(OutputPath):
    """A file that a command goes on with: it reads what is there and keeps all of it."""

    __slots__ = ()

    def obstacle(self) -> Path | None:
        """Return nothing: the command looks at the file itself."""
        return None


def check_paths(args: argparse.Namespace) -> tuple[Path, ...]:
    """Refuse to write over an input, or unasked over anything; return the files that are read."""
    values = [one for given in vars(args).values() for one in _listed(given)]
    inputs = [path for one in values if isinstance(one, InputPath) for path in one.files()]
    updated = [path for one in values if isinstance(one, UpdatedPath) for path in one.files()]
    seen: list[Path] = []
    # In place of a result a script is printed, and nothing is written.
    may_exist = getattr(args, "force", False) or getattr(args, "script", None) is not None
    for output in (one for one in values if isinstance(one, OutputPath)):
        kept = inputs if isinstance(output, UpdatedPath) else [*inputs, *updated]
        for path in output.files():
            if any(is_same_file(path, read) for read in kept):
                raise DataError(
                    f"{path} is an input of this command and would be lost; choose "
                    "another output name.",
                    file=path,
                )
            if any(os.path.realpath(path) == os.path.realpath(other) for other in seen):
                raise UsageError(f"Two results would be written to {path}; choose another file.")
            seen.append(path)
        obstacle = output.obstacle()
        if obstacle is not None and not may_exist:
            raise DataError(
                f"{obstacle} exists; choose another name, or replace it with --force.",
                file=obstacle,
            )
    return tuple(inputs)


def _listed(given: object) -> list[object]:
    return given if isinstance(given, list) else [given]


class Parser(argparse.ArgumentParser):
    """A parser that reports instead of leaving, and takes ``-9,-8`` for a value.

    ``fill`` adds what costs time to find out or depends on the words that follow; it is called
    with these only when the command line leads to this parser.
    """

    def __init__(self, fill: Fill | None = None, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)
        self._fill = fill
        # Argparse takes what looks like a negative number for a value, not for an option.
        # Missing codes come as lists of such numbers.
        self._negative_number_matcher = re.compile(r"^-[\d.][\d.,e+-]*$")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Fill the parser before its first use."""
        fill, self._fill = self._fill, None
        if fill is not None:
            fill(self, list(args or ()))
        self._add_force()
        return super().parse_known_args(args, namespace)

    def _add_force(self) -> None:
        """Let what exists be replaced where something is written."""
        writes = any(
            isinstance(action.type, type)
            and issubclass(action.type, OutputPath)
            and action.type is not UpdatedPath
            for action in self._actions
        )
        if writes and "--force" not in self._option_string_actions:
            self.add_argument("--force", action="store_true", help="replace existing files")

    def error(self, message: str) -> NoReturn:
        """Raise an error that names the command whose help explains it."""
        sentence = message[:1].upper() + message[1:]
        raise UsageError(f"{sentence.rstrip('.')}. See {self.prog} --help.")


def add_shared_options(parser: argparse.ArgumentParser, *, top: bool = False) -> None:
    """Add what every command understands, before and after the command's name.

    Only the parser on top stores defaults: a value given before the command would otherwise
    be overwritten by the default of the same option behind it.
    """
    absent: dict[str, Any] = {} if top else {"default": argparse.SUPPRESS}
    group = parser.add_argument_group("options of every command")
    group.add_argument("--json", action="store_true", help="print the result as JSON", **absent)
    group.add_argument(
        "--seed", type=_seed, metavar="N", help="random seed",
        **absent,
    )  # fmt: skip
    group.add_argument("--debug", action="store_true", help="print the traceback", **absent)


def add_command(
    subparsers: Subparsers, name: str, run: Run, summary: str, fill: Fill | None = None
) -> Parser:
    """Declare a command that is carried out by ``run``; ``fill`` adds its options when needed."""
    parser = _add_parser(subparsers, name, summary, fill=fill)
    parser.set_defaults(run=run)
    add_shared_options(parser)
    return parser


def add_file(
    parser: argparse._ActionsContainer,
    name: str,
    says: str,
    kind: type[InputPath | OutputPath] = InputPath,
    metavar: str = "FILE",
    **settings: Any,
) -> None:
    """Add an option or an argument that names a file."""
    parser.add_argument(name, metavar=metavar, type=kind, help=says, **settings)


def add_command_group(
    subparsers: Subparsers,
    name: str,
    summary: str,
    add: Callable[[Subparsers, Sequence[str]], None],
    metavar: str = "COMMAND",
) -> None:
    """Declare a word that is followed by a word of its own, as in ``sample list``.

    ``add`` declares the words that may follow; it is called only when this one was given, with
    what stands behind it.
    """

    def fill(parser: Parser, words: Sequence[str]) -> None:
        add_shared_options(parser)
        title = f"{metavar.lower()}s"
        add(parser.add_subparsers(title=title, metavar=metavar, required=True), words)

    _add_parser(subparsers, name, summary, fill=fill)


def _add_parser(subparsers: Subparsers, name: str, summary: str, **settings: Any) -> Parser:
    sentence = f"{summary[:1].upper()}{summary[1:]}."
    parser: Parser = subparsers.add_parser(name, help=summary, description=sentence, **settings)
    return parser


def _seed(text: str) -> int:
    shown = text if len(text) <= 40 else f"{text[:30]}…"
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(
            f"a seed must be a whole number of at least 0, not {shown!r}"
        )
    if len(text) > _SEED_DIGITS:
        raise argparse.ArgumentTypeError(
            f"a seed may have at most {_SEED_DIGITS} digits, not {shown!r}"
        )
    return int(text)
