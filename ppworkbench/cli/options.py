"""Options made of parameter declarations: what a class declares, the command line offers."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

from ppworkbench.cli.parser import InputPath
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.params import Declaration, Params, declarations

if TYPE_CHECKING:
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.privacy.prior import Prior

RESPONDENTS = 1_000
"""How many people a design is measured for where nobody says it."""

P = TypeVar("P", bound=Params)


def add_options(
    parser: argparse.ArgumentParser,
    declared: type[Params],
    *,
    flags: Mapping[str, str] | None = None,
    title: str | None = None,
) -> None:
    """Add an option for every parameter that a class declares.

    Parameters
    ----------
    flags
        Shorter names of single options; else an option is called as its parameter.
    title
        The heading of these options in the help.
    """
    group = parser.add_argument_group(title) if title else parser
    for declaration in declarations(declared):
        if declaration.depth > 1:
            continue  # A matrix is not written on a command line.
        word = (flags or {}).get(declaration.name, declaration.name.replace("_", "-"))
        settings: dict[str, Any] = {
            "dest": _destination(declared, declaration),
            "help": _help(declaration),
            "required": declaration.required,
            # Nothing is stored unless given: the class itself knows its defaults.
            "default": argparse.SUPPRESS,
        }
        if declaration.type is bool and not declaration.many:
            settings["action"] = argparse.BooleanOptionalAction
        else:
            settings |= {"type": _reader(declaration), "metavar": _metavar(declaration)}
        if declaration.many:
            settings["action"] = "extend"
        group.add_argument(f"--{word}", **settings)


def given_values(args: argparse.Namespace, declared: type[Params]) -> dict[str, Any]:
    """The values that were given on the command line, by the names of their parameters."""
    names = {_destination(declared, one): one.name for one in declarations(declared)}
    return {names[key]: value for key, value in vars(args).items() if key in names}


def given_options(args: argparse.Namespace, declared: type[P], **more: Any) -> P:
    """The parameters as given on the command line, and these further ones."""
    return declared(**(given_values(args, declared) | more))


def _destination(declared: type[Params], declaration: Declaration) -> str:
    # The class is part of the name, so that two classes of one command cannot collide.
    return f"{declared.__name__}.{declaration.name}"


def _reader(declaration: Declaration) -> Callable[[str], Any]:
    # A text is taken as it is typed: a blank may be the separator that was meant.
    literal = declaration.type is str and not declaration.many

    def read(text: str) -> Any:
        try:
            return declaration.check(text) if literal else declaration.parse(text)
        except ParameterError as error:
            raise argparse.ArgumentTypeError(error.message) from None

    return read


def _metavar(declaration: Declaration) -> str:
    choices = declaration.choices
    if isinstance(declaration.type, type) and issubclass(declaration.type, Enum):
        choices = tuple(str(member.value) for member in declaration.type)
    if choices:
        one = "{" + "|".join(choices) + "}"
    else:
        one = {int: "N", float: "X"}.get(declaration.type, "TEXT")
    return f"{one},..." if declaration.many else one


def _help(declaration: Declaration) -> str:
    info = declaration.info
    text = info.help or info.label
    notes = []
    if info.unit:
        notes.append(info.unit)
    if declaration.within is not None:
        notes.append(f"must {declaration.within}")
    if declaration.default not in (None, (), "") and not isinstance(declaration.default, bool):
        notes.append(f"default {_shown(declaration.default)}")
    if declaration.default is True:
        notes.append("on by default")
    text = f"{text} ({'; '.join(notes)})" if notes else text
    return text.replace("%", "%%")


def _shown(default: Any) -> str:
    if isinstance(default, tuple):
        return ",".join(_shown(one) for one in default)
    if isinstance(default, Enum):
        return str(default.value)
    return f"{default:g}" if isinstance(default, float) else str(default)


def add_design_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--design`` to a command whose answers may carry their design along."""
    parser.add_argument(
        "--design", metavar="FILE", type=InputPath,
        help="design of the file (default: the one in its codebook)",
    )  # fmt: skip


def design_of(path: str, named: str | None) -> Design:
    """Read the design that was named, else the one in the codebook of the answers."""
    from ppworkbench.core.data.files import codebook_of
    from ppworkbench.core.design.design_file import design_from_json, read_design

    if named is not None:
        return read_design(named)
    codebook = codebook_of(path)
    if codebook is None or codebook.design is None:
        raise DesignError(
            f"{path} has no codebook with a design; give the design with --design.", file=path
        )
    return design_from_json(codebook.design)


def priors_given(design: Design, args: argparse.Namespace) -> tuple[dict[str, Prior], int]:
    """The distributions of the answers that ``--data`` names, and how many rows these have."""
    if args.data is None:
        return {}, 0
    from ppworkbench.core.data.files import read_table
    from ppworkbench.core.privacy.assess import priors_of

    options = given_options(args, ReadOptions)
    with progress_bar() as progress:
        table = read_table(args.data, options, design.original_schema, progress)
    return priors_of(table, design), table.rows
