"""An answer as a table of plain numbers, for the clipboard and for files."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np

from ppworkbench.core.atomic import atomic_file
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.escapes import escape_formula
from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.survey.counts import Count
from ppworkbench.core.survey.crosstabs import CrossTable
from ppworkbench.core.survey.distributions import Distribution
from ppworkbench.core.survey.estimates import Estimate
from ppworkbench.core.survey.means import Mean
from ppworkbench.core.survey.participants import Participants
from ppworkbench.gui.language.text import tr
from ppworkbench.gui.pages.survey.replies import Reply

Rows = list[list[str]]

_NUMBERS = ("estimate", "low", "high", "standard error", "at face value", "true")
_COPIED = 1_000
"""Participants beyond these are for a file, not for the clipboard."""


def result_rows(reply: Reply) -> Rows:
    """The numbers of an answer under their names."""
    result = reply.result
    if isinstance(result, Count | Mean):
        what = "count" if isinstance(result, Count) else f"mean of {result.of}"
        values: list[tuple[list[str], Estimate]] = [([what, result.method], result.value)]
        heads = ["statistic", "method"]
        if reply.beside is not None:
            other = "sequential" if result.method == "joint" else "joint"
            values.append(([what, other], reply.beside))
    elif isinstance(result, Distribution):
        heads = [result.of]
        values = [([label], s) for label, s in zip(result.labels, result.shares, strict=True)]
    elif isinstance(result, CrossTable):
        heads = [result.rows_of, result.columns_of]
        values = [
            ([down, across], result.cells[i][j])
            for i, down in enumerate(result.row_labels)
            for j, across in enumerate(result.column_labels)
        ]
    else:
        return _participant_rows(reply, result)
    return [[*heads, *_NUMBERS], *([*names, *_numbers(value)] for names, value in values)]


def _numbers(value: Estimate) -> list[str]:
    given = (
        value.estimate, value.low, value.high, value.standard_error, value.naive, value.true
    )  # fmt: skip
    return ["" if n is None or not math.isfinite(n) else f"{n:.10g}" for n in given]


def _participant_rows(reply: Reply, found: Participants) -> Rows:
    names = found.condition.attributes
    shown = found.rows[:_COPIED]
    columns = [reply.distorted[name].take(shown).to_series().astype(str) for name in names]
    rows: Rows = [["record", *names, "posterior"]]
    for place, record in enumerate(shown.tolist()):
        answers = [str(column.iloc[place]) for column in columns]
        rows.append([str(record + 1), *answers, f"{found.posterior[place]:.6g}"])
    return rows


def write_result(reply: Reply, path: Path, progress: Progress = silent) -> None:
    """Write an answer to a file, whole or not at all; run it in a job."""
    progress(0.0, tr("writing"))
    if isinstance(reply.result, Participants):
        write_table(participants_table(reply), path, progress=progress)
        return
    if path.suffix.lower() != ".csv":
        words = tr("%s cannot be written; give it the ending .csv.")
        raise DataError(words % path.name, file=path)
    rows = [[escape_formula(cell) for cell in row] for row in result_rows(reply)]
    with (
        atomic_file(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        csv.writer(file).writerows(rows)


def participants_table(reply: Reply) -> Table:
    """The listed records with all their reported answers, their number and their posterior."""
    found = reply.result
    assert isinstance(found, Participants)  # noqa: S101 (only these are listed)
    listed = reply.distorted.take(found.rows)
    taken = set(listed.names)
    last = float(max(reply.distorted.rows, 1))
    record = Attribute(_free("record", taken), Kind.INTEGER, domain=(1.0, last))
    posterior = Attribute(_free("posterior", taken), Kind.CONTINUOUS, domain=(0.0, 1.0))
    return Table(
        (
            Column(record, found.rows.astype(np.float64) + 1),
            *listed.columns,
            Column(posterior, found.posterior),
        ),
        listed.class_name,
    )


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name = f"{name}_"
    return name
