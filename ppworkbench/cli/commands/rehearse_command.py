"""The command that tries a study out with invented respondents: ``rehearse``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from ppworkbench.api.text import harmless
from ppworkbench.cli.options import positive_count
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import InputPath, OutputPath, Parser, UsageError, add_shared_options
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.core.progress import part

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.study.analyses.rehearsal import Strength
    from ppworkbench.study.study import Study


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``rehearse``."""
    summary = "fill a study with invented answers, to try everything out"
    subparsers.add_parser(
        "rehearse", help=summary, description=f"{summary.capitalize()}.", fill=_fill
    )


def _fill(rehearse: Parser, _words: Sequence[str]) -> None:
    rehearse.set_defaults(run=run_rehearse)
    add_shared_options(rehearse)
    rehearse.add_argument(
        "study", metavar="STUDY", type=InputPath, help="study without answers, or design"
    )
    rehearse.add_argument(
        "--n", type=positive_count, metavar="N", help="number of invented respondents (default 500)"
    )
    rehearse.add_argument(
        "--strength", action="append", default=[], metavar="WORD",
        help="how strongly questions go together: none, some, strong, some-opposite or "
        "strong-opposite, of all or as NAME=WORD of one (default some)",
    )  # fmt: skip
    rehearse.add_argument(
        "--out", metavar="FILE", type=OutputPath, required=True, help="study with these answers"
    )


def run_rehearse(args: argparse.Namespace) -> Answer:
    """Write a study with invented answers."""
    from ppworkbench.study.analyses.rehearsal import RehearsalSettings, rehearse
    from ppworkbench.study.files.opening import open_anything
    from ppworkbench.study.files.study_file import SUFFIX, save_study
    from ppworkbench.study.questionnaire.document import read_beside
    from ppworkbench.study.state import invented_sentence

    if not args.out.lower().endswith(SUFFIX):
        raise UsageError(f"Invented answers are kept in a study; --out must end in {SUFFIX}.")
    with progress_bar() as progress:
        study = open_anything([Path(args.study)], progress=part(progress, 0, 0.2))
        if study.table is None and study.questionnaire is None:
            study = study.with_(questionnaire=read_beside(args.study))
        usual = RehearsalSettings.of(study)
        seed = study.settings.seed if args.seed is None else args.seed
        strengths = MappingProxyType({**usual.strengths, **_strengths(args.strength, study)})
        settings = RehearsalSettings(usual.n if args.n is None else args.n, seed, strengths)
        rehearsed = rehearse(study, settings, part(progress, 0.2, 0.8))
        save_study(rehearsed, args.out, part(progress, 0.8, 1.0))
    document = {"rows": rehearsed.rows, "seed": seed, "state": str(rehearsed.state)}
    said = f"{invented_sentence(rehearsed.rows)}\nSeed {seed}. Wrote {harmless(args.out)}."
    return Answer(document, said)


def _strengths(given: Sequence[str], study: Study) -> dict[str, Strength]:
    """How strongly questions go with the others, by their names."""
    from ppworkbench.core.planning.questionnaire import planned_names
    from ppworkbench.study.analyses.rehearsal import Strength

    found: dict[str, Strength] = {}
    for text in given:
        name, _, word = text.rpartition("=")
        if word not in {str(one) for one in Strength}:
            known = ", ".join(Strength)
            raise UsageError(f"--strength must be one of {known}, or NAME=one, not {text!r}.")
        names = (study.design.question(name).name,) if name else planned_names(study.design)
        found |= dict.fromkeys(names, Strength(word))
    return found
