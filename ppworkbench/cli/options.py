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
from typing import TYPE_CHECKING, Any, TypeVar

from ppworkbench.analyses.command_line import flag_of
from ppworkbench.cli.parser import InputPath, UsageError
from ppworkbench.core.data.sampling_roles import (
    REPLICATE_METHODS,
    UNUSED_SAMPLING,
    ReplicateRole,
    Sampling,
    SamplingOptions,
)
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.params import Declaration, Params, declarations
from ppworkbench.results.text import REPORTED

if TYPE_CHECKING:
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.privacy.utility.noncompliance import NonCompliance

P = TypeVar("P", bound=Params)

POOLINGS = ("likelihood", "mean")
"""How arms are put together, the default first."""


def add_options(
    parser: argparse.ArgumentParser,
    declared: type[Params],
    *,
    flags: Mapping[str, str] | None = None,
    title: str | None = None,
    switches: Container[str] = (),
    without: Container[str] = (),
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
    without
        Parameters that mean nothing to the command.
    """
    groups: dict[str, Any] = {"": parser.add_argument_group(title) if title else parser}
    rivals: dict[str, Any] = {}
    for declaration in declarations(declared):
        if declaration.name in without or not _is_option(declaration):
            continue
        spelled = declaration.option
        word = (flags or {}).get(declaration.name) or flag_of(declaration).removeprefix("--")
        if spelled.group not in groups:
            groups[spelled.group] = parser.add_argument_group(spelled.group)
        settings: dict[str, Any] = {
            "dest": _destination(declared, declaration),
            "help": _help(declaration),
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
            settings |= {"type": _reader(declaration), "metavar": metavar}
        if spelled.is_repeated:
            settings |= {"type": str, "action": "append"}
        elif declaration.many:
            settings["action"] = "extend"
        group = groups[spelled.group]
        if spelled.either:
            if spelled.either not in rivals:
                rivals[spelled.either] = group.add_mutually_exclusive_group(required=True)
            group = rivals[spelled.either]
        group.add_argument(f"--{word}", **settings)


def _is_option(one: Declaration) -> bool:
    """Whether a command line has a word for it; a matrix, or a choice with a group, has none."""
    is_plain = one.part is None and one.member is None and one.depth <= 1
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
    """Tell in the words of the command line what is wrong with an argument of the interface."""
    try:
        yield
    except ParameterError as error:
        if error.field in sentences:
            raise UsageError(sentences[error.field]) from None
        raise


def _destination(declared: type[Params], declaration: Declaration) -> str:
    # The class is part of the name, so that two classes of one command cannot collide.
    return f"{declared.__name__}.{declaration.name}"


def _reader(declaration: Declaration) -> Callable[[str], Any]:
    # A text is taken as it is typed: a blank may be the separator that was meant.
    literal = declaration.read is not None or (declaration.type is str and not declaration.many)

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
        one = "{" + "|".join(filter(None, choices)) + "}"
    else:
        one = {int: "N", float: "X"}.get(declaration.type, "TEXT")
    return f"{one},..." if declaration.many else one


def _help(declaration: Declaration) -> str:
    info = declaration.info
    text = declaration.option.help or info.help or info.label
    notes = []
    if info.unit:
        notes.append(info.unit)
    if declaration.within is not None:
        notes.append(f"must {declaration.within}")
    is_told = declaration.default not in (None, (), "") and str(declaration.default)
    if is_told and not isinstance(declaration.default, bool):
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


def add_answers(
    parser: argparse.ArgumentParser,
    words: str = "file with the distorted answers, or folder of Parquet parts",
) -> None:
    """Add the file of the answers that a command works on."""
    parser.add_argument("distorted", metavar="DISTORTED", type=InputPath, help=words)


def add_design_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--design`` to a command whose answers may carry their design along."""
    parser.add_argument(
        "--design", metavar="FILE", type=InputPath,
        help="design of the file (default: the one in its codebook)",
    )  # fmt: skip
    parser.set_defaults(answer_state=REPORTED)


def design_of(path: str, named: str | None) -> Design:
    """Read the design that was named, else the one in the codebook of the answers."""
    from ppworkbench.analyses.inputs import AnswerSource, design_for

    return design_for(AnswerSource(path), named, "give the design with --design")


def add_arm_options(
    parser: argparse.ArgumentParser, *, by_arm: bool = True, pooling: bool = False
) -> None:
    """Add the options that choose among the arms of a design, and that tell them apart."""
    group = parser.add_argument_group("arms")
    group.add_argument(
        "--arm", metavar="NAME", action="append", default=[],
        help="only answers of this arm of the design, may be repeated (default: all arms)",
    )  # fmt: skip
    if by_arm:
        group.add_argument(
            "--by-arm", action="store_true",
            help="also every arm by itself, and the test that all are the same",
        )  # fmt: skip
    if pooling:
        group.add_argument(
            "--pooling", choices=POOLINGS, default=POOLINGS[0],
            help="how arms with different devices are put together: one distribution for all "
            "(default), or the mean of their own estimates, for arms that do not agree",
        )  # fmt: skip


_ROLES = ("weight", "stratum", "cluster", "person", "population", "replicates")


def add_role_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name the columns which tell how people were drawn."""
    group = parser.add_argument_group("sampling roles")
    group.add_argument("--weight", metavar="C", help="column: how many people a row stands for")
    group.add_argument(
        "--stratum",
        metavar="C[,C]",
        type=listed_names,
        help="columns whose combinations are strata",
    )
    group.add_argument("--cluster", metavar="C", help="column of the first-stage units")
    group.add_argument(
        "--person", metavar="C", help="column: who answered, where people answer in several waves"
    )
    group.add_argument(
        "--population", metavar="C|N", type=_population,
        help="first-stage units in the stratum's population, or the sampled fraction",
    )  # fmt: skip
    group.add_argument(
        "--replicates", metavar="PATTERN", type=listed_names,
        help="columns of replicate weights, e.g. repw*; used instead of strata and clusters",
    )  # fmt: skip
    group.add_argument(
        "--replicate-method", choices=REPLICATE_METHODS, help="how the replicates were made"
    )
    group.add_argument(
        "--fay", metavar="X", type=float, help="factor of Fay's method (default 0.3)"
    )


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
        return GivenSampling(None, options, () if known is None else (UNUSED_SAMPLING,))
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


def refuse_sampling(args: argparse.Namespace, known: Sampling | None) -> tuple[str, ...]:
    """Refuse a file whose sampling a command cannot use; a remark where it was turned off."""
    if known is None:
        return ()
    if not args.no_sampling:
        raise ParameterError(
            "The file names weights, strata or clusters, which this command cannot use; "
            "turn them off with --no-sampling.",
            field="sampling",
        )
    return (UNUSED_SAMPLING,)


def add_noncompliance_options(add: Callable[..., object]) -> None:
    """Options for how many do not follow the instructions; ``add`` adds one to a parser.

    The libraries of the measures come along, so call it for a command that needs them anyway.
    """
    from ppworkbench.core.privacy.utility.noncompliance import BEHAVIOURS

    add("--non-compliance", type=float, metavar="X", help="share not following the instructions")
    add("--behaviour", choices=BEHAVIOURS, help="what they do instead (default safe)")
    add(
        "--safe", action="append", metavar="VALUE",
        help="the safe answer, of all attributes or as NAME=VALUE of one (default: the first that "
        "is not sensitive)",
    )  # fmt: skip
    add("--corrected", action="store_true", help="correct the estimates for non-compliance")


def noncompliance_given(args: argparse.Namespace, design: Design) -> NonCompliance | None:
    """How many do not follow the instructions, and what they do; None if all follow them."""
    from ppworkbench.core.privacy.utility.noncompliance import NonCompliance, check_share

    if args.non_compliance is None:
        if args.behaviour is not None or args.safe or args.corrected:
            raise UsageError("What people do instead needs --non-compliance.")
        return None
    check_share(args.non_compliance)
    safe, own = None, []
    for given in args.safe or ():
        name, mark, answer = given.partition("=")
        if mark and name in design:
            own.append((name, answer))
        else:
            safe = given
    return NonCompliance(
        args.non_compliance, args.behaviour or "safe", safe, args.corrected, tuple(own)
    )


def positive_number(text: str) -> float:
    """A number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if 0 < number < float("inf"):
        return number
    raise argparse.ArgumentTypeError(f"it must be a number above 0, not {text!r}")


def positive_count(text: str) -> int:
    """A whole number of at least 1."""
    if text.isascii() and text.isdigit() and 0 < int(text) < 2**53:
        return int(text)
    raise argparse.ArgumentTypeError(f"it must be a whole number of at least 1, not {text!r}")


def add_expected_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which answers are expected."""
    parser.add_argument(
        "--share", action="append", default=[], metavar="X",
        help="expected share of the sensitive answer, e.g. 0.2 or drug=0.2",
    )  # fmt: skip
    parser.add_argument(
        "--expected", action="append", default=[], metavar="NAME=X,...",
        help="expected answers: a weight per value, or per equal part of a number's domain; "
        "or NAME=uniform",
    )  # fmt: skip


def numbers_by_name(
    given: Sequence[str] | None, limit: str, *, may_be_none: bool = False
) -> dict[str, Any] | None:
    """The numbers of all questions, under an empty name, and of single ones."""
    found: dict[str, float | None] = {}
    for text in given or ():
        name, _, written = text.rpartition("=")
        try:
            found[name] = None if may_be_none and name and written == "none" else float(written)
        except ValueError:
            forms = "NAME=number or NAME=none" if may_be_none else "NAME=number"
            start = "a number, " if may_be_none else "a number or "
            option = limit.replace("_", "-")
            raise UsageError(f"--{option} must be {start}{forms}, not {text!r}.") from None
    return found or None


def expected_given(given: Sequence[str]) -> dict[str, Sequence[float] | str]:
    """The expected answers by question: weights, or all alike."""
    found: dict[str, Sequence[float] | str] = {}
    for text in given:
        name, _, listed = text.rpartition("=")
        try:
            weights = listed if listed == "uniform" else tuple(map(float, listed.split(",")))
        except ValueError:
            name = ""
        if not name:
            raise UsageError(
                f"--expected must be NAME=number,number,... or NAME=uniform, not {text!r}."
            )
        found[name] = weights
    return found
