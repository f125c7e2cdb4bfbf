"""The script of a result, alone or in a folder with the files that it reads."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.options import WriteOptions
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.design_file import design_to_json, write_design
from ppworkbench.core.errors import DataError
from ppworkbench.core.files import make_private, write_text
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.outputs.scripts import PYTHON, SCRIPT_SUFFIXES, R
from ppworkbench.outputs.scripts.analysis import Analysis, Origin
from ppworkbench.outputs.scripts.python import python_script
from ppworkbench.outputs.scripts.results import ScriptFiles
from ppworkbench.study.answer_state import AnswerState, analysed_state
from ppworkbench.study.bundle_target import new_folder
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.files.study_file import save_study
from ppworkbench.study.state import invented_note
from ppworkbench.study.study import Say, Study

_SEED = Message(
    "The answers were drawn for a trial with a known seed: with the seed and the design anybody "
    "can find the true ones. Do not pass them on."
)
_TRUE = Message("The script reads true answers. Do not pass them on.")


def origin_of(analysis: Analysis, study: Study, say: Say = str) -> Origin:
    """Where a result of a study comes from, for the head of its script."""
    files = ScriptFiles.of(study)
    holds_truth = files.study in analysis.files and study.original is not None
    uses_true = files.original in analysis.files or holds_truth
    state = analysed_state(study.state, uses_original=uses_true)
    notes: list[str] = []
    if not {files.table, files.original, files.study} & set(analysis.files):
        state = AnswerState.NONE
    elif study.state is AnswerState.INVENTED:
        said = invented_note(study)
        notes += [] if said is None else [said]
    elif study.state is AnswerState.TRUE:
        notes.append(_TRUE if uses_true else _SEED)
    return Origin(study.title, state, tuple(notes), file=script_stem(analysis), say=say)


def script_stem(analysis: Analysis) -> str:
    """How the script of an analysis is called, without its suffix."""
    return analysis.function.replace("_", "-")


def write_script(language: str, analysis: Analysis, design: Design | None, origin: Origin) -> str:
    """The text of a script; where a language cannot do it, the script says why.

    Parameters
    ----------
    design
        The design of the answers; None where nobody randomised them.
    """
    if language == PYTHON:
        return python_script(analysis, origin)
    if language == R:
        from ppworkbench.outputs.scripts.r import r_script

        return r_script(analysis, design, origin)
    from ppworkbench.outputs.scripts.stata import stata_script

    return stata_script(analysis, design, origin)


def write_script_folder(
    folder: Path,
    language: str,
    analysis: Analysis,
    study: Study,
    source: DistortedCache,
    *,
    say: Say = str,
    progress: Progress = silent,
) -> Path:
    """Write a script, its table and its design into a new folder; return the script.

    Files with true answers, or with a draw of them whose seed is known, are for their owner only.

    Raises
    ------
    DataError
        When the folder cannot be made or holds something already.
    """
    files, name = ScriptFiles.of(study), f"{script_stem(analysis)}{SCRIPT_SUFFIXES[language]}"
    origin, closed = origin_of(analysis, study, say), _private_files(analysis, study)
    if closed:
        said = Message("Only the owner can read {files}.", files=Message.joined(closed, ", "))
        origin = dataclasses.replace(origin, notes=(*origin.notes, said))
    text = write_script(language, analysis, study.design, origin)
    # A design says what the columns are; without it the codebook does.
    plain = WriteOptions(codebook=not {files.design, files.study} & set(analysis.files))
    design = design_to_json(study.design) if plain.codebook else None
    with new_folder(folder) as hidden:
        # Parts are too many to be copied; the script reads them where they lie.
        if files.table in analysis.files and not study.has_reported_parts:
            answers = source.of(study, part(progress, 0.0, 0.5))
            write_table(
                answers.distorted, hidden / files.table, plain, part(progress, 0.5, 0.9), design
            )
        if files.original in analysis.files:
            if study.original is None:
                raise DataError("The study holds no true answers.")
            write_table(
                study.original, hidden / files.original, plain, part(progress, 0.5, 0.9),
                sampling=study.sampling if plain.codebook else None,
            )  # fmt: skip
        if files.study in analysis.files:
            save_study(study, hidden / files.study, part(progress, 0.5, 0.9))
        if files.design in analysis.files:
            write_design(study.design, hidden / files.design)
        write_text(hidden / name, text)
        for one in closed:
            make_private(hidden / one)
    return folder / name


def _private_files(analysis: Analysis, study: Study) -> tuple[str, ...]:
    """The files of a script from which true answers can be found."""
    files = ScriptFiles.of(study)
    known = {files.table, files.original, files.study} if study.state is AnswerState.TRUE else set()
    return tuple(one for one in analysis.files if one in known)
