"""Options made of parameter declarations: what a class declares, the command line offers."""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from typing import Any, TypeVar

from ppworkbench.analyses.command_line import flag_of
from ppworkbench.cli.parser import OutputPath, OutputTable, UpdatedPath, UsageError
from ppworkbench.core.data.sampling_roles import (
    REPLICATE_METHODS,
    ReplicateRole,
    Sampling,
    SamplingOptions,
    unused_remarks,
)
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.params import Declaration, Params, declarations

P = TypeVar("P", bound=Params)


def add_options(
    parser: argparse.ArgumentParser,
    declared: type[Params],
    *,
    flags: Mapping[str, str] | None = None,
    title: str | None = None,
    switches: Container[str] = (),
    keys: Container[str] = (),
    groups: Mapping[str, str] | None = None,
) -> None:
    """Add an option for every parameter that a class declares.

    Parameters
    ----------
    flags
        Shorter names of single options; else an option is called as its parameter.
    title
        The heading of these options in the help.
    switches
        Parameters that can only be switched on, because nothing else switches them.
    keys
        Parameters that are given together or not at all, so that they have no default.
    groups
        What the help says below the headings of groups.
    """
    found: dict[str, Any] = {"": parser.add_argument_group(title) if title else parser}
    rivals: dict[str, Any] = {}
    for declaration in declarations(declared):
        if not _is_option(declaration):
            continue
        spelled = declaration.option
        word = (flags or {}).get(declaration.name) or flag_of(declaration).removeprefix("--")
        if spelled.group not in found:
            says = (groups or {}).get(spelled.group)
            found[spelled.group] = parser.add_argument_group(spelled.group, says)
        settings: dict[str, Any] = {
            "dest": _destination(declared, declaration),
            "help": _help(declaration, has_default=declaration.name not in keys),
            "required": declaration.required or spelled.is_required,
            # Nothing is stored unless given: the class itself knows its defaults.
            "default": argparse.SUPPRESS,
        }
        if declaration.name in switches:
            settings |= {"action": "store_const", "const": True}
        elif declaration.type is bool and not declaration.many:
            settings["action"] = argparse.BooleanOptionalAction
        else:
            metavar = spelled.metavar or _metavar(declaration)
            reader = OutputPath if spelled.is_output else _reader(declaration)
            reader = OutputTable if spelled.is_table else reader
            reader = UpdatedPath if spelled.is_updated else reader
            settings |= {"type": reader, "metavar": metavar}
        if spelled.is_repeated:
            settings |= {"type": str, "action": "append"}
            settings |= {"nargs": "+"} if declaration.are_lists else {}
        elif declaration.many:
            settings["action"] = "extend"
        group = found[spelled.group]
        if spelled.either:
            if spelled.either not in rivals:
                rivals[spelled.either] = group.add_mutually_exclusive_group(required=True)
            group = rivals[spelled.either]
        group.add_argument(f"--{word}", **settings)


def _is_option(one: Declaration) -> bool:
    """Whether a command line has a word for it; a matrix, or a choice with a group, has none."""
    is_single = one.depth <= 1 or one.read is not None or one.option.is_repeated
    is_plain = one.part is None and one.member is None and is_single
    is_read = one.read is None or one.read.on_command_line
    return is_plain and is_read and one.option.on_command_line


def add_alias(
    parser: argparse.ArgumentParser,
    declared: type[Params],
    parameter: str,
    flag: str,
    *,
    metavar: str = "",
    const: str = "",
) -> None:
    """Add another option for a parameter: with a value of its own, or one that stands for it."""
    one = next(one for one in declarations(declared) if one.name == parameter)
    settings: dict[str, Any] = {
        "dest": _destination(declared, one),
        "default": argparse.SUPPRESS,
        "help": argparse.SUPPRESS,
    }
    if const:
        parser.add_argument(flag, action="store_const", const=const, **settings)
    else:
        parser.add_argument(flag, metavar=metavar, **settings)


def given_values(args: argparse.Namespace, declared: type[Params]) -> dict[str, Any]:
    """The values that were given on the command line, by the names of their parameters."""
    names = {_destination(declared, one): one.name for one in declarations(declared)}
    return {names[key]: value for key, value in vars(args).items() if key in names}


def given_options(args: argparse.Namespace, declared: type[P], **more: Any) -> P:
    """The parameters as given on the command line, and these further ones."""
    return declared(**(given_values(args, declared) | more))


@contextmanager
def usage_of(**sentences: str) -> Iterator[None]:
    """Tell in the words of the command line what is wrong with an argument of the interface.

    Where a sentence is empty, that of the interface does.
    """
    try:
        yield
    except ParameterError as error:
        if error.field in sentences:
            raise UsageError(sentences[error.field] or error.message) from None
        raise


def _destination(declared: type[Params], declaration: Declaration) -> str:
    # The class is part of the name, so that two classes of one command cannot collide.
    return f"{declared.__name__}.{declaration.name}"


def _reader(declaration: Declaration) -> Callable[[str], Any]:
    # A text is taken as it is typed: a blank may be the separator that was meant.
    is_text = declaration.type is str and not declaration.many and not declaration.choices
    literal = declaration.read is not None or is_text

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
        one = "{" + "|".join(filter(None, choices)).replace("_", "-") + "}"
    else:
        one = {int: "N", float: "X"}.get(declaration.type, "TEXT")
    return f"{one},..." if declaration.many and not declaration.option.is_repeated else one


def _help(declaration: Declaration, *, has_default: bool = True) -> str:
    info = declaration.info
    text = declaration.option.help or info.help or info.label
    notes = []
    if info.unit:
        notes.append(info.unit)
    if declaration.within is not None:
        notes.append(f"must {declaration.within}")
    is_told = declaration.default not in (None, (), "") and str(declaration.default)
    if has_default and is_told and not isinstance(declaration.default, bool):
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


_ROLES = ("weight", "stratum", "cluster", "person", "population", "replicates")


def add_role_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name the columns which tell how people were drawn."""
    add = parser.add_argument_group("sampling roles").add_argument
    add("--weight", metavar="C", help="column: how many people a row stands for")
    says = "columns whose combinations are strata"
    add("--stratum", metavar="C[,C]", type=listed_names, help=says)
    add("--cluster", metavar="C", help="column of the first-stage units")
    says = "column: who answered, where people answer in several waves"
    add("--person", metavar="C", help=says)
    says = "first-stage units in the stratum's population, or the sampled fraction"
    add("--population", metavar="C|N", type=_population, help=says)
    says = "columns of replicate weights, e.g. repw*; used instead of strata and clusters"
    add("--replicates", metavar="PATTERN", type=listed_names, help=says)
    says = "how the replicates were made"
    add("--replicate-method", choices=REPLICATE_METHODS, help=says)
    add("--fay", metavar="X", type=float, help="factor of Fay's method (default 0.3)")


def add_sampling_options(parser: argparse.ArgumentParser) -> None:
    """Add what a command that knows the sampling understands."""
    add_role_options(parser)
    flags = {"degrees_of_freedom": "df"}
    add_options(parser, SamplingOptions, flags=flags, title="sampling settings")
    add_no_sampling_option(parser)


def add_no_sampling_option(parser: argparse._ActionsContainer) -> None:
    """Add the option that turns the sampling of a file off."""
    parser.add_argument(
        "--no-sampling", action="store_true", help="do not use the sampling that the file names"
    )


def listed_names(text: str) -> tuple[str, ...]:
    """Names with commas between them."""
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise argparse.ArgumentTypeError(f"it must be names as in a,b, not {text!r}")
    return names


def _population(text: str) -> str | float:
    try:
        number = float(text)
    except ValueError:
        return text
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"a population must be above 0, not {text!r}")
    return number


@dataclass(frozen=True)
class GivenSampling:
    """The sampling that a command works with, and what is to be said about it."""

    sampling: Sampling | None = None
    options: SamplingOptions | None = None
    remarks: tuple[str, ...] = ()


def given_sampling(
    args: argparse.Namespace, known: Sampling | None, columns: Sequence[str]
) -> GivenSampling:
    """The roles that the command line names, else those that the file names.

    Parameters
    ----------
    known
        The sampling of the design or the codebook.
    columns
        The columns of the data, among which the patterns of replicates choose.
    """
    values = given_values(args, SamplingOptions)
    options = SamplingOptions(**values) if values else None
    named = [role for role in _ROLES if getattr(args, role, None) is not None]
    if getattr(args, "no_sampling", False):
        if named:
            raise UsageError(f"The option --{named[0]} contradicts --no-sampling; drop one.")
        return GivenSampling(None, options, unused_remarks(known))
    return GivenSampling(given_roles(args, known, columns), options)


def given_roles(
    args: argparse.Namespace, known: Sampling | None, columns: Sequence[str]
) -> Sampling | None:
    """The roles that the command line names before those that are known; None without any."""
    changes = {
        role: getattr(args, role)
        for role in _ROLES
        if role != "replicates" and getattr(args, role, None) is not None
    }
    base = known or Sampling()
    replicates = _replicates(args, base.replicates, columns)
    if replicates is not base.replicates:
        changes["replicates"] = replicates
    chosen = dataclasses.replace(base, **changes)
    return chosen if chosen.to_json() else None


def _replicates(
    args: argparse.Namespace, known: ReplicateRole | None, columns: Sequence[str]
) -> ReplicateRole | None:
    if not hasattr(args, "replicates"):
        return known
    if args.replicates is None and args.replicate_method is None and args.fay is None:
        return known
    found = () if known is None else known.columns
    if args.replicates is not None:
        found = tuple(
            name
            for name in columns
            if any(fnmatchcase(name, pattern) for pattern in args.replicates)
        )
        if not found:
            raise UsageError(f"No column is named like {', '.join(args.replicates)}.")
    elif known is None:
        raise UsageError("The options --replicate-method and --fay need --replicates.")
    method = args.replicate_method or (known.method if known is not None else None)
    if method is None:
        raise UsageError(
            f"The option --replicates needs --replicate-method: {', '.join(REPLICATE_METHODS)}."
        )
    fay = args.fay if args.fay is not None else known.fay if known is not None else 0.3
    return ReplicateRole(found, method, fay)


def positive_count(text: str) -> int:
    """A whole number of at least 1."""
    if text.isascii() and text.isdigit() and 0 < int(text) < 2**53:
        return int(text)
    raise argparse.ArgumentTypeError(f"it must be a whole number of at least 1, not {text!r}")
