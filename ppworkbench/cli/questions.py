"""One loop over all questions: their options, their answers, their scripts."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppworkbench.analyses import QUESTIONS, Place
from ppworkbench.analyses.command_line import flag_of
from ppworkbench.cli.input_files import (
    add_engine_option,
    add_pilot_options,
    add_read_options,
    columns_for_replicates,
)
from ppworkbench.cli.options import (
    add_no_sampling_option,
    add_options,
    add_sampling_options,
    given_options,
    given_sampling,
    given_values,
)
from ppworkbench.cli.output import Answer, answer_of
from ppworkbench.cli.parser import InputPath, OutputPath, Parser, UsageError, add_shared_options
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.cli.scripts import (
    add_script_option,
    question_script,
    refuse_design_out,
    script_of_one,
)
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.files import write_text
from ppworkbench.core.params import Declaration, declarations
from ppworkbench.results.result import is_picture_file

if TYPE_CHECKING:
    from ppworkbench.analyses.request import Request
    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.results.result import Result


def add_commands(subparsers: Subparsers) -> None:
    for place in (one for one in QUESTIONS if not one.switch):
        sentence = f"{place.summary[:1].upper()}{place.summary[1:]}."
        subparsers.add_parser(
            place.word, help=place.summary, description=sentence, fill=partial(_fill, place)
        )


def _fill(place: Place, parser: Parser, words: Sequence[str]) -> None:
    others = [one for one in QUESTIONS if one.switch and one.word == place.name]
    for other in others:
        if any(word.partition("=")[0] == f"--{other.switch}" for word in words):
            _fill(other, parser, words)
            return
    # The declarations come with the library, which help on other commands need not load.
    request = place.load()
    add_shared_options(parser)
    for other in others:
        parser.add_argument(f"--{other.switch}", metavar="{...}", help=other.summary)
    if "data" not in request.asked_of:
        parser.add_argument("--design", metavar="FILE", type=InputPath, required=True,
                            help="design")  # fmt: skip
        _add_question(parser, request, words)
        add_pilot_options(parser)
        return
    is_of_parts = "engine" not in request.unused
    state, metavar = ("true", "DATA") if request.of_true else ("distorted", "DISTORTED")
    says = f"file with the {state} answers{', or folder of Parquet parts' if is_of_parts else ''}"
    parser.add_argument("distorted", metavar=metavar, type=InputPath, help=says)
    without = (
        "design"
        if request.of_true
        else "design of the file (default: the one in its codebook)"
        if request.needs_design
        else "design of the file; without it the answers are counted uncorrected"
    )
    if "design" in request.asked_of:
        parser.add_argument(
            "--design", metavar="FILE", type=InputPath, required=request.of_true, help=without
        )
    if "original" not in request.unused:
        parser.add_argument(
            "--original", metavar="DATA", type=InputPath, required="original" in request.leading,
            help="true answers for comparison",
        )  # fmt: skip
    _add_question(parser, request, words)
    if is_of_parts:
        add_engine_option(parser)
    add_read_options(parser)
    parser.set_defaults(answer_state=request.finds.state or None)


def _add_question(parser: Parser, request: type[Request], words: Sequence[str]) -> None:
    add_options(parser, request, switches=switches_of(request), groups=request.headings)
    for one in declarations(request):
        if one.option.family is not None:
            _add_parameters(parser, one, words)
        if one.member is not None:
            flag, names, usual = f"--{one.member.flag}", one.member.family.names, one.default.name
            says = f"{one.info.help} (default {usual})"
            parser.add_argument(flag, choices=names, default=usual, help=says)
            chosen = _chosen(words, flag, names, usual)
            add_options(parser, one.member.family[chosen], title=f"options of {flag} {chosen}")
        elif one.part is not None and one.option.on_command_line:
            if one.part.switch:
                parser.add_argument(f"--{one.part.switch}", action="store_true", help=one.info.help)
            switch = f"options of --{one.part.switch}" if one.part.switch else one.part.title
            add_options(parser, one.type, title=switch, keys=one.part.keys if one.optional else ())
    for option, says in request.files.items():
        parser.add_argument(f"--{option}", metavar="FILE", type=OutputPath, help=says)
    _add_files(parser)
    _add_sampling(parser, request)
    add_script_option(parser)
    parser.set_defaults(run=partial(run_question, request))


def _add_files(parser: Parser) -> None:
    """Offer what ``Result.save`` writes."""
    from ppworkbench.results.figure import FORMATS, SIZES
    from ppworkbench.results.files import TABLES

    tables, pictures = " ".join(one.suffix for one in TABLES), " ".join(FORMATS)
    group = parser.add_argument_group("files of the result", "the ending says what is written")
    group.add_argument(
        "--save", metavar="FILE", type=OutputPath, action="append", default=[],
        help=f"write the table ({tables}) or the picture ({pictures}); may be repeated",
    )  # fmt: skip
    group.add_argument(
        "--table", metavar="NAME", default="",
        help="which table, where there are several (default: the main one)",
    )  # fmt: skip
    group.add_argument(
        "--picture", metavar="NAME", default="",
        help="which picture, where there are several (default: the first)",
    )  # fmt: skip
    group.add_argument(
        "--figure-size", choices=list(SIZES), default=next(iter(SIZES)),
        help="size of the picture: one or two columns, slide (default column)",
    )  # fmt: skip


_COMMON = "parameter of all: "


def _add_parameters(parser: Parser, one: Declaration, words: Sequence[str]) -> None:
    """Add an option for every parameter of the members that were named."""
    flag = flag_of(one)
    group = parser.add_argument_group(f"parameters of the {one.info.label.lower()}")
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word.partition("=")[0] != flag:
            continue
        chosen = _parameters_of(one, following if word == flag else word.partition("=")[2])
        for name, each in chosen.items():
            option = f"--{name.replace('_', '-')}"
            if each.depth <= 1 and option not in parser._option_string_actions:  # noqa: SLF001
                says = (each.info.help or each.info.label).replace("%", "%%")
                group.add_argument(option, dest=f"{_COMMON}{name}", metavar="VALUE",
                                   default=argparse.SUPPRESS, help=says)  # fmt: skip


def _parameters_of(one: Declaration, word: str) -> Mapping[str, Declaration]:
    """What the member declares that a word as ``tree:bins=20`` names."""
    name, family = word.partition(":")[0], one.option.family
    if family is None or name not in family:
        return {}
    return {each.name: each for each in declarations(family[name].params_type)}


def _add_sampling(parser: Parser, request: type[Request]) -> None:
    if "sampling" in request.unused or "data" not in request.asked_of:
        return
    if "strata" not in request.unused:
        add_sampling_options(parser)
        return
    group = parser.add_argument_group("sampling")
    if "weights" not in request.unused:
        group.add_argument("--weight", metavar="C", help="column: how many people a row stands for")
    add_no_sampling_option(group)


def switches_of(request: type[Request]) -> list[str]:
    """What is off unless it is given: nothing else switches it."""
    return [one.name for one in declarations(request) if one.type is bool and one.default is False]


def _chosen(words: Sequence[str], flag: str, known: Sequence[str], usual: str) -> str:
    """The member among the words, which decides over the options; a wrong one is told later."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        named = following if word == flag else word.removeprefix(f"{flag}=")
        if word.startswith(flag) and named in known:
            return named
    return usual


def run_question(request: type[Request], args: argparse.Namespace) -> Answer:
    """Ask a question of files, or print the script that does."""
    from ppworkbench.analyses.inputs import AnswerSource, design_for
    from ppworkbench.api.calls import source_for

    try:
        asked = request.given(dict(_given(request, args)))
        # Told before anything is computed.
        for path in args.save:
            is_picture_file(Path(path))
    except ParameterError as error:
        raise UsageError(error.message) from None
    files = {name: getattr(args, name) for name in request.files if getattr(args, name) is not None}
    if args.script is not None and (files or args.save):
        raise UsageError("The option --script computes nothing, so it writes no table.")
    if len(request.asked_of) == 1:
        return _run_of_one(asked, args)
    design = None
    if args.design is not None or request.needs_design:
        says = "give the design with --design"
        design = design_for(AnswerSource(args.distorted), args.design, says)
    known = None if design is None else design.sampling
    drawn = given_sampling(args, known, columns_for_replicates(args))
    shared: dict[str, Any] = {
        "options": drawn.options, "original": getattr(args, "original", None),
        "reading": given_options(args, ReadOptions), "seed": args.seed,
    }  # fmt: skip
    if args.script is not None:
        return question_script(args, asked, design, drawn.sampling, shared)
    with progress_bar(keeps_partial=request.keeps_partial) as progress:
        kind: Any = source_for(request)
        source = kind(
            args.distorted, design, sampling=drawn.sampling or False,
            engine=getattr(args, "engine", None), progress=progress, **shared,
        )  # fmt: skip
        found = asked.run(source, progress)
    write_files(found, files, args)
    return answer_of(found)


def _run_of_one(asked: Request, args: argparse.Namespace) -> Answer:
    """Ask a question of a design, or of true answers alone, or print the script that does."""
    from ppworkbench.api.calls import source_for
    from ppworkbench.core.design.design_file import read_design

    shared: dict[str, Any] = {"reading": given_options(args, ReadOptions)}
    if "design" in asked.asked_of:
        refuse_design_out(args, getattr(asked, "out", None))
        design, given = read_design(args.design), args.design
        shared["data"] = args.data
    else:
        design, given = None, args.distorted
        shared["seed"] = args.seed
    kind: Any = source_for(type(asked))
    if args.script is not None:
        return script_of_one(args, asked, kind, {asked.asked_of[0]: given, **shared}, design)
    for path in () if getattr(args, "force", False) else asked.beside():
        if path.exists():
            raise DataError(
                f"{path} exists; choose another folder, or replace it with --force.", file=path
            )
    with progress_bar() as progress:
        found = asked.run(kind(design or given, progress=progress, **shared), progress)
    write_files(found, {}, args)
    return answer_of(found)


def write_files(found: Result, files: Mapping[str, str], args: argparse.Namespace) -> None:
    """Write what a result offers to the files that were named, each under its option."""
    texts = found.files() if files else {}
    for name, path in files.items():
        write_text(path, texts[name], private=found.is_private)
    for path in args.save:
        found.save(path, sheet=args.table, picture=args.picture, size=args.figure_size)


def _given(request: type[Request], args: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    given = given_values(args, request)
    common = {key.removeprefix(_COMMON): value for key, value in vars(args).items()}
    for one in declarations(request):
        if one.option.family is not None:
            given[one.name] = [
                (word, {key: common[key] for key in _parameters_of(one, word) if key in common})
                for word in given.get(one.name, ())
            ]
    yield from given.items()
    for one in declarations(request):
        if one.member is not None:
            chosen = getattr(args, one.member.flag)
            yield one.member.flag, chosen
            yield from given_values(args, one.member.family[chosen]).items()
        elif one.part is not None and one.option.on_command_line:
            given = given_values(args, one.type)
            if one.part.is_open:
                yield from given.items()
            elif one.part.switch:
                # To say how is to ask for it.
                yield one.name, given or getattr(args, one.part.switch)
            elif given or not one.optional:
                needed = (key for key in one.part.keys if given and key not in given)
                for key in needed:
                    kept = next(each for each in declarations(one.type) if each.name == key)
                    raise UsageError(f"The options of {one.part.title} need {flag_of(kept)}.")
                yield one.name, given
