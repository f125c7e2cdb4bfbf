"""What comes back from the field: files of pages, databases, exports of survey platforms."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppworkbench.analyses.arguments import StudyPath, check_arguments
from ppworkbench.analyses.inputs import DesignLike, refuse_export
from ppworkbench.core.data.options import WriteOptions
from ppworkbench.core.design.design_file import as_design
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.fieldwork.responses.platforms import platforms
from ppworkbench.results.result import Result
from ppworkbench.results.text import REPORTED, Naming, harmless, naming, note_lines

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.core.data.table import Table
    from ppworkbench.core.design import Design
    from ppworkbench.fieldwork.responses.add import Responses

__all__ = ["add_answers", "collect", "platforms"]

Files = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


@check_arguments
def collect(
    answers: Files,
    design: DesignLike,
    out: str | os.PathLike[str] | None = None,
    *,
    progress: Progress = silent,
) -> CollectedResult:
    """Join the answers that questionnaire pages sent, in random order.

    Parameters
    ----------
    answers
        One or more files of JSON lines or CSV, or a collector's database.
    design
        The design of the page.
    out
        A file for the table with its codebook, replaced if it exists.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> found = pp.collect(["a.jsonl", "b.jsonl"], "design.json", "answers.csv")  # doctest: +SKIP
    >>> pp.Survey(found.table, "design.json").share("smokes=yes")  # doctest: +SKIP
    """
    from ppworkbench.core.data.files import write_table
    from ppworkbench.core.design.design_file import design_to_json
    from ppworkbench.core.design.linked_waves import naming_persons
    from ppworkbench.fieldwork.collected import read_collected

    chosen, listed = as_design(design), _listed(answers)
    for one in listed:
        refuse_export(one)
    table = read_collected(listed, chosen, part(progress, 0, 0.8))
    chosen = naming_persons(chosen, table.names)
    said: Sequence[str] = ()
    target = "" if out is None else os.fspath(out)
    if target:
        said = write_table(
            table, target, WriteOptions(escape_formulas=True, readable_codebook=True),
            part(progress, 0.8, 1), design=design_to_json(chosen),
        )  # fmt: skip
    return CollectedResult(table, chosen, target, (*table.notes, *said))


@dataclass(frozen=True, eq=False, repr=False)
class CollectedResult(Result):
    """Reported answers; ``table`` has them."""

    table: Table
    design: Design
    file: str = ""
    notes: tuple[str, ...] = ()
    state = REPORTED

    def _document(self) -> Mapping[str, Any]:
        file = {"file": self.file} if self.file else {}
        return {"rows": self.table.rows, **file, "notes": list(self.notes)}

    def summary(self) -> str:
        """What was written, as the command line prints it."""
        text = f"{self.table.rows:,} distorted rows in random order."
        text = f"Wrote {harmless(self.file)}: {text}" if self.file else text
        return "\n".join([text, *note_lines(self.notes, _shown(self.design))])

    def to_frame(self) -> pd.DataFrame:
        """The answers, one row per person."""
        return self.table.to_frame()


@check_arguments
def add_answers(  # noqa: PLR0913 (keywords with defaults)
    study: StudyPath,
    answers: Files,
    *,
    state: str,
    platform: str | None = None,
    mapping: str | os.PathLike[str] | None = None,
    mapping_out: str | os.PathLike[str] | None = None,
    texts: str | os.PathLike[str] | None = None,
    header_row: int | None = None,
    keep: str | Sequence[str] = (),
    strict: bool = False,
    out: str | os.PathLike[str] | None = None,
    progress: Progress = silent,
) -> AddedResult:
    """Add the answers of a survey platform's export to a study, or write them as a table.

    Parameters
    ----------
    study
        The study (``.ppw``) to add to, or the path of a design, which needs ``out``.
    answers
        One or more exports, answers of pages, or a collector's database.
    state
        ``"reported"`` where a card or a page randomised them, ``"true"`` where they were asked
        directly.
    platform
        The platform, where it is not recognised; ``"table"`` for a plain table.
    mapping, mapping_out
        A file that maps columns to questions, or ``kit.json``; a file for the mapping used.
    texts
        The wording of questions and answers, as for the page.
    header_row
        The line of the column names, counted from 1; 0 for a file without names.
    keep
        Columns to take over although they are no questions, such as a weight or a stratum.
    strict
        Whether an answer that is not in the design is an error.
    out
        Another study, or a new study or table for a design; without it the study is changed.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> found = pp.add_answers("survey.ppw", "export.csv", state="reported")  # doctest: +SKIP
    >>> found.to_frame()  # doctest: +SKIP
    """
    from ppworkbench.core.data.files import write_table
    from ppworkbench.core.design.design_file import design_to_json, publishable, read_design
    from ppworkbench.fieldwork.responses.add import (
        AddOptions,
        add_to_study,
        known_responses,
        questions_of,
        read_responses,
        with_kept,
    )
    from ppworkbench.fieldwork.responses.kit_file import find_kit, read_mapping_or_kit
    from ppworkbench.fieldwork.responses.mapping import write_mapping
    from ppworkbench.study.files.study_file import SUFFIX, open_study, save_study
    from ppworkbench.study.questionnaire.document import read_beside
    from ppworkbench.study.questionnaire.texts import Texts, read_texts
    from ppworkbench.study.study import Study

    if state not in ("reported", "true"):
        raise ParameterError(f"state must be reported or true, not {state!r}.", field="state")
    path = Path(study)
    opened = open_study(path) if path.suffix.lower() == SUFFIX else None
    if opened is None and out is None:
        raise ParameterError(
            "A design holds no answers; name a study or a table with out.", field="out"
        )
    beside = read_beside(path) if opened is None else None
    if opened is None and os.fspath(out or "").lower().endswith(SUFFIX):
        opened = Study(path.stem, design=read_design(path), questionnaire=beside)
    design = read_design(path) if opened is None else opened.asked_design
    if state == "reported":
        design = publishable(design)
    files = [one if "://" in one else Path(one) for one in _listed(answers)]
    salt, known = (b"", frozenset[str]()) if opened is None else known_responses(opened)
    beside_files = [one for one in files if isinstance(one, Path)]
    kit = find_kit(beside_files, design) if state == "reported" else None
    used = kit if mapping is None else read_mapping_or_kit(os.fspath(mapping))
    options = AddOptions(
        state, platform, header_row, used, salt, known,
        keep=(keep,) if isinstance(keep, str) else tuple(keep),
        kept=() if opened is None else opened.kept_columns,
    )  # fmt: skip
    wording = {} if opened is None else {one.name: one.label for one in opened.attributes}
    words = Texts(wording) if texts is None else read_texts(os.fspath(texts))
    questionnaire = beside if opened is None else opened.questionnaire
    asked = questions_of(design, words.questions, words.answers, questionnaire)
    found = read_responses(files, design, asked, options, part(progress, 0, 0.8))
    if strict:
        _refuse_unfit(found)
    notes: list[str] = list(found.notes)
    if opened is not None:
        target = path if out is None else Path(out)
        save_study(add_to_study(opened, found, options.salt), target)
    elif out is not None:
        whole = design_to_json(with_kept(design, found.table, found.kept))
        notes += write_table(
            found.table, os.fspath(out), WriteOptions(escape_formulas=True, readable_codebook=True),
            part(progress, 0.8, 1), design=whole if state == "reported" else None,
        )  # fmt: skip
    if mapping_out is not None:
        write_mapping(found.mapping, os.fspath(mapping_out))
    return AddedResult(found, design, tuple(notes))


def _refuse_unfit(found: Responses) -> None:
    if found.unfit:
        name, cell, rows = found.unfit[0]
        raise DataError.saying(
            "{rows} row(s) answer {attribute!r} with {cell!r}, which is not in the design.",
            rows=rows,
            cell=cell[:60],
            attribute=name,
        )
    if found.refused:
        raise DataError(found.refused[0])


@dataclass(frozen=True, eq=False, repr=False)
class AddedResult(Result):
    """What was added and what was left out; ``found.table`` has the answers."""

    found: Responses
    design: Design
    notes: tuple[str, ...] = ()

    def _document(self) -> Mapping[str, Any]:
        return {**self.found.to_json(), "notes": list(self.notes)}

    def summary(self) -> str:
        """What was added and what was left out, as the command line prints it."""
        from ppworkbench.fieldwork.responses.platforms import platform_label

        found = self.found
        names = f"names in line {found.header_row}" if found.header_row else "no names"
        source = f"{platform_label(found.platform)} ({found.why}), {names}"
        lines = [f"Added {found.table.rows:,} {found.state} answers from {source}."]
        width = max(map(len, found.mapping.columns), default=0)
        lines += [
            f"  {harmless(name):{width}}  {harmless(one.column)} ({one.read})"
            for name, one in found.mapping.columns.items()
        ]
        left_out = {
            "preview": found.preview,
            "unfinished": found.unfinished,
            "remark": found.remarks,
            "known already": found.known,
        }
        lines += [f"Left out, {why}: {count:,} row(s)." for why, count in left_out.items() if count]
        lines += [
            f"Left out, {harmless(repr(cell[:60]))} is no answer to {harmless(name)}: "
            f"{rows:,} row(s)."
            for name, cell, rows in found.unfit
        ]
        if found.kept:
            lines.append(f"Kept, no questions: {harmless(', '.join(found.kept))}.")
        if found.columns_out:
            lines.append(f"Left out, columns: {harmless(', '.join(found.columns_out))}.")
        return "\n".join([*lines, *note_lines(self.notes, _shown(self.design))])

    def to_frame(self) -> pd.DataFrame:
        """One row per question: the column that answers it, and how it was read."""
        import pandas as pd

        rows = [(name, x.column, str(x.read)) for name, x in self.found.mapping.columns.items()]
        return pd.DataFrame(rows, columns=["attribute", "column", "read"])


def _listed(files: Files) -> list[str]:
    listed = [files] if isinstance(files, str | os.PathLike) else list(files)
    if not listed:
        raise ParameterError("answers must name at least 1 file.", field="answers")
    return [os.fspath(one) for one in listed]


def _shown(design: Design) -> Naming:
    return naming(designed.attribute for designed in design)
