"""One loop over all questions: their options, their answers, their scripts."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ppworkbench.analyses import QUESTIONS, Place
from ppworkbench.cli.input_files import add_engine_option, add_read_options, columns_for_replicates
from ppworkbench.cli.options import (
    add_answers,
    add_no_sampling_option,
    add_options,
    add_sampling_options,
    design_of,
    given_options,
    given_sampling,
    given_values,
)
from ppworkbench.cli.output import Answer, answer_of
from ppworkbench.cli.parser import InputPath, OutputPath, Parser, UsageError, add_shared_options
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.cli.scripts import add_script_option, question_script
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.files import write_text
from ppworkbench.core.params import declarations
from ppworkbench.results.text import REPORTED

if TYPE_CHECKING:
    from ppworkbench.analyses.request import Request
    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.results.result import Result


def add_commands(subparsers: Subparsers) -> None:
    """Declare a command for every question."""
    for place in QUESTIONS:
        sentence = f"{place.summary[:1].upper()}{place.summary[1:]}."
        subparsers.add_parser(
            place.word, help=place.summary, description=sentence, fill=partial(_fill, place)
        )


def _fill(place: Place, parser: Parser, words: Sequence[str]) -> None:
    # The declarations come with the library, which help on other commands need not load.
    request = place.load()
    add_shared_options(parser)
    add_answers(parser)
    without = (
        "design of the file (default: the one in its codebook)"
        if request.needs_design
        else "design of the file; without it the answers are counted uncorrected"
    )
    parser.add_argument("--design", metavar="FILE", type=InputPath, help=without)
    if "original" not in request.unused:
        parser.add_argument(
            "--original", metavar="DATA", type=InputPath, help="true answers for comparison"
        )
    add_options(parser, request, switches=switches_of(request))
    for one in declarations(request):
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
            add_options(parser, one.type, title=switch)
    for option, says in request.files.items():
        parser.add_argument(f"--{option}", metavar="FILE", type=OutputPath, help=says)
    _add_sampling(parser, request)
    add_script_option(parser)
    if "engine" not in request.unused:
        add_engine_option(parser)
    add_read_options(parser)
    parser.set_defaults(run=partial(run_question, request))
    if request.needs_design:
        parser.set_defaults(answer_state=REPORTED)


def _add_sampling(parser: Parser, request: type[Request]) -> None:
    if "sampling" in request.unused:
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
    from ppworkbench.api.calls import source_for

    asked = request.given(dict(_given(request, args)))
    files = {name: getattr(args, name) for name in request.files if getattr(args, name) is not None}
    if args.script is not None and files:
        raise UsageError("The option --script computes nothing, so it writes no table.")
    design = None
    if args.design is not None or request.needs_design:
        design = design_of(args.distorted, args.design)
    known = None if design is None else design.sampling
    drawn = given_sampling(args, known, columns_for_replicates(args))
    shared: dict[str, Any] = {
        "options": drawn.options, "original": getattr(args, "original", None),
        "reading": given_options(args, ReadOptions), "seed": args.seed,
    }  # fmt: skip
    if args.script is not None:
        return question_script(args, asked, design, drawn.sampling, shared)
    with progress_bar(keeps_partial=request.keeps_partial) as progress:
        source = source_for(request)(
            args.distorted, design, sampling=drawn.sampling or False,
            engine=getattr(args, "engine", None), progress=progress, **shared,
        )  # fmt: skip
        found = asked.run(source, progress)
    write_files(found, files)
    return answer_of(found)


def write_files(found: Result, files: Mapping[str, str]) -> None:
    """Write what a result offers to the files that were named, each under its option."""
    texts = found.files() if files else {}
    for name, path in files.items():
        write_text(path, texts[name])


def _given(request: type[Request], args: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """What the command line says, as the keywords of the request."""
    yield from given_values(args, request).items()
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
            else:
                yield one.name, given
