"""Answers to questions as rows of numbers, for the clipboard and for files."""

from __future__ import annotations

import csv
import dataclasses
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppworkbench.core.data.delimited.writer import escape_formula
from ppworkbench.core.errors import DataError
from ppworkbench.core.files import atomic_file
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.survey.estimates import Estimate
from ppworkbench.study.state import invented_note
from ppworkbench.study.study import Say

if TYPE_CHECKING:
    from ppworkbench.analyses.survey.answers import SurveyResult

Rows = list[list[str]]

NUMBERS = ("estimate", "low", "high", "standard error", "uncorrected", "true")
"""What the columns of an estimate are called."""


def result_rows(answer: SurveyResult) -> Rows:
    """The numbers of an answer under their names, arm by arm below where that was asked for."""
    heads, *rows = _rows_of(answer)
    if answer.by_arm is None:
        return [heads, *rows]
    told = [["arm", *heads], *(["all", *row] for row in rows)]
    for arm, found in answer.by_arm.results.items():
        alone = dataclasses.replace(answer, result=found, beside=None, by_arm=None)
        told += [[arm, *row] for row in _rows_of(alone)[1:]]
    return told


def _rows_of(answer: SurveyResult) -> Rows:
    return answer.kind.rows(answer.result, answer)


def number_cells(value: Estimate) -> list[str]:
    """An estimate in the columns of `NUMBERS`."""
    return cells(
        value.estimate, value.low, value.high, value.standard_error, value.naive, value.true
    )


def cells(*numbers: float | None) -> list[str]:
    """Numbers with all of their digits; nothing where there is none."""
    return ["" if n is None or not math.isfinite(n) else f"{n:.10g}" for n in numbers]


def write_result(
    answer: SurveyResult, path: Path, progress: Progress = silent, say: Say = str
) -> None:
    """Write an answer to a file, whole or not at all; run it in a job.

    ``say`` tells words of a table for readers in their language.
    """
    progress(0.0, Message("writing"))
    invented = invented_note(answer.study)
    note = "" if invented is None else say(invented)
    how: dict[str, Any] = {"say": say, "note": note, "progress": progress}
    if not answer.kind.write(answer.result, answer, path, **how):
        write_rows(result_rows(answer), path, note)


def write_rows(rows: Rows, path: Path, note: str = "") -> None:
    """Write rows as CSV, below a note where there is one."""
    if path.suffix.lower() != ".csv":
        raise DataError.saying(
            "{name} cannot be written; end the name in .csv.", name=path.name, file=path
        )
    rows = [[escape_formula(cell) for cell in row] for row in rows]
    rows = [[note], *rows] if note else rows
    with (
        atomic_file(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        csv.writer(file).writerows(rows)
