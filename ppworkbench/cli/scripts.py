"""``--script``: print the script that gives a result again, in place of the result."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ppworkbench.cli.input_files import columns_for_replicates
from ppworkbench.cli.options import design_of, given_options, given_sampling
from ppworkbench.cli.output import Answer, answer_of
from ppworkbench.cli.parser import UsageError
from ppworkbench.cli.progress_bar import progress_bar
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


def answer_survey(
    args: argparse.Namespace,
    method: str,
    arguments: Mapping[str, Any],
    *,
    keeps_partial: bool = False,
    use: Callable[[Any], None] | None = None,
) -> Answer:
    """Ask the survey of the options by one of its methods, or print the script that does.

    ``use`` is called with the result, to write it elsewhere as well.
    """
    from ppworkbench.api.survey import Survey

    design = design_of(args.distorted, args.design)
    given = given_sampling(args, design.sampling, columns_for_replicates(args))
    shared: dict[str, Any] = {
        "options": given.options, "original": getattr(args, "original", None),
        "reading": given_options(args, ReadOptions), "seed": args.seed,
    }  # fmt: skip
    if args.script is not None:
        from ppworkbench.outputs.scripts.analysis import Analysis, sampling_arguments

        files = {"data": args.distorted, "design": args.design}
        roles = sampling_arguments(given.sampling, design.sampling)
        survey = _without_defaults(Survey, {**files, **roles, **shared})
        asked = _without_defaults(getattr(Survey, method), arguments)
        return _script(args, Analysis(method, asked, survey), design)
    with progress_bar(keeps_partial=keeps_partial) as progress:
        survey_asked = Survey(
            args.distorted, design, sampling=given.sampling or False,
            engine=getattr(args, "engine", None), progress=progress, **shared,
        )  # fmt: skip
        given_names = arguments.get("names", ())
        more = {name: value for name, value in arguments.items() if name != "names"}
        found: Result = getattr(survey_asked, method)(*given_names, **more)
    if use is not None:
        use(found)
    return answer_of(found)


def answer_function(
    args: argparse.Namespace,
    function: Callable[..., Result],
    arguments: Mapping[str, Any],
    design: Design | str | None,
) -> Answer:
    """Call a function of the interface with a design, or print the script that does."""
    if args.script is None:
        with progress_bar() as progress:
            return answer_of(function(design=design, progress=progress, **arguments))
    refuse_design_out(args, arguments.get("out"))
    from ppworkbench.outputs.scripts.analysis import Analysis
    from ppworkbench.outputs.scripts.results import classifier_arguments

    # A script works on the computer that runs it, and keeps no single results.
    named = {name: value for name, value in arguments.items() if name not in ("engine", "resume")}
    roles = None if design is None or isinstance(design, str) else design.sampling
    used = named.get("sampling")
    if isinstance(used, Sampling):
        named["sampling"] = True if used == roles else used.to_json()
    elif used is False and roles is None and not args.no_sampling:
        del named["sampling"]
    if "classifiers" in named:
        named |= classifier_arguments(named["classifiers"])
    data = {"data": named.pop("data")} if "data" in named else {}
    asked = _without_defaults(function, {**data, "design": args.design, **named})
    return _script(args, Analysis(function.__name__, asked), design)


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
    source = _without_defaults(Source.__init__, {**files, **roles, **shared})
    if place_of(asked.name).of_survey:
        return _script(args, Analysis(asked.name, asked.changed(), source), design)
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


def _script(args: argparse.Namespace, analysis: Analysis, design: Design | str | None) -> Answer:
    from ppworkbench.outputs.scripts.analysis import Origin
    from ppworkbench.outputs.scripts.folder import write_script
    from ppworkbench.study.answer_state import AnswerState

    state = getattr(args, "answer_state", "") or (
        getattr(args, "pilot_state", "") if getattr(args, "data", None) is not None else ""
    )
    origin = Origin(state=AnswerState(state) if state else AnswerState.NONE)
    known = None if isinstance(design, str) else design
    text = write_script(args.script, analysis, known, origin)
    return Answer({"language": args.script, "script": text}, text.rstrip("\n"))
