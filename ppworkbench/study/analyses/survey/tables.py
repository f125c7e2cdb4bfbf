"""Answers to questions as rows of numbers, for the clipboard and for files."""

from __future__ import annotations

import csv
import dataclasses
import math
from pathlib import Path

import numpy as np

from ppworkbench.core.compliance.assess_list import ListResult
from ppworkbench.core.compliance.result import Compliance
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.delimited.writer import escape_formula
from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.sampling_roles import POPULATION, RESPONDENTS
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.files import atomic_file
from ppworkbench.core.message import Message
from ppworkbench.core.models import Regression
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.survey.counts import Count
from ppworkbench.core.survey.crosstabs import CrossTable
from ppworkbench.core.survey.distributions import Distribution
from ppworkbench.core.survey.estimates import JOINT, SEQUENTIAL, Estimate
from ppworkbench.core.survey.group_differences import GroupDifferences
from ppworkbench.core.survey.means import Mean
from ppworkbench.core.survey.participants import Participants
from ppworkbench.core.survey.quantiles import Quantiles
from ppworkbench.study.analyses.compliance.tables import compliance_rows, write_compliance
from ppworkbench.study.analyses.lists import list_rows
from ppworkbench.study.analyses.regression.tables import Say, model_rows, write_model
from ppworkbench.study.analyses.survey.answers import SurveyResult
from ppworkbench.study.analyses.survey.questions import uses_sampling
from ppworkbench.study.state import invented_note, refuse_invented

Rows = list[list[str]]

_NUMBERS = ("estimate", "low", "high", "standard error", "uncorrected", "true")
_COPIED = 1_000
"""Participants beyond these are for a file, not for the clipboard."""


def result_rows(answer: SurveyResult) -> Rows:
    """The numbers of an answer under their names, arm by arm below where that was asked for."""
    heads, *rows = _result_rows(answer)
    if answer.by_arm is None:
        return [heads, *rows]
    told = [["arm", *heads], *(["all", *row] for row in rows)]
    for arm, found in answer.by_arm.results.items():
        alone = dataclasses.replace(answer, result=found, beside=None, by_arm=None)
        told += [[arm, *row] for row in _result_rows(alone)[1:]]
    return told


def _result_rows(answer: SurveyResult) -> Rows:  # noqa: PLR0911 (one for each kind)
    """The numbers of an answer under their names."""
    result = answer.result
    if isinstance(result, Regression):
        return model_rows(result, answer.study)
    if isinstance(result, ListResult):
        return list_rows(result)
    if isinstance(result, Compliance):
        return compliance_rows(result)
    if isinstance(result, Count | Mean):
        return _estimate_rows(answer, result)
    if isinstance(result, Quantiles):
        return _quantile_rows(result)
    if isinstance(result, GroupDifferences):
        return _group_rows(result)
    if isinstance(result, Distribution):
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
        return _participant_rows(answer, result)
    return [[*heads, *_NUMBERS], *([*names, *_numbers(value)] for names, value in values)]


def _estimate_rows(answer: SurveyResult, result: Count | Mean) -> Rows:
    """The number, and the one beside it: by the other method or for the other target."""
    asked = answer.question
    of_method = {JOINT: SEQUENTIAL, SEQUENTIAL: JOINT}
    of_target = {POPULATION: RESPONDENTS, RESPONDENTS: POPULATION}
    if uses_sampling(asked, answer.study):
        head, own, other = "target", asked.target, of_target[asked.target]
    else:
        head, own, other = "method", result.method, of_method[result.method]
    rows = [["statistic", head, *_NUMBERS]]
    for which, found in ((own, result), (other, answer.beside)):
        if isinstance(found, Mean):
            rows.append([f"mean of {found.of}", which, *_numbers(found.value)])
        elif found is not None:
            rows.append(["count", which, *_numbers(found.value)])
            if found.share is not None:
                rows.append(["share", which, *_numbers(found.share)])
    return rows


def _quantile_rows(result: Quantiles) -> Rows:
    return [
        ["share", f"quantile of {result.of}", "low", "high", "uncorrected", "true"],
        *(
            _cells(one.at, one.estimate, one.low, one.high, one.naive, one.true)
            for one in result.quantiles
        ),
    ]


def _group_rows(result: GroupDifferences) -> Rows:
    """The groups, then their differences."""
    rows = [["group", "minus", "estimate", "low", "high", "standard error", "p", "p (Holm)"]]
    for label, value in zip(result.labels, result.groups, strict=True):
        told = [""] * 4 if value is None else _numbers(value)[:4]
        rows.append([label, "", *told, "", ""])
    for one in result.differences:
        numbers = (one.estimate, one.low, one.high, one.standard_error, one.p, one.p_holm)
        rows.append([one.a, one.b, *_cells(*numbers)])
    return rows


def _numbers(value: Estimate) -> list[str]:
    return _cells(
        value.estimate, value.low, value.high, value.standard_error, value.naive, value.true
    )


def _cells(*numbers: float | None) -> list[str]:
    return ["" if n is None or not math.isfinite(n) else f"{n:.10g}" for n in numbers]


def _participant_rows(answer: SurveyResult, found: Participants) -> Rows:
    names = found.condition.attributes
    shown = found.rows[:_COPIED]
    columns = [answer.distorted[name].take(shown).to_series().astype(str) for name in names]
    rows: Rows = [["record", *names, "posterior"]]
    for place, record in enumerate(shown.tolist()):
        answers = [str(column.iloc[place]) for column in columns]
        rows.append([str(record + 1), *answers, f"{found.posterior[place]:.6g}"])
    return rows


def write_result(
    answer: SurveyResult, path: Path, progress: Progress = silent, say: Say = str
) -> None:
    """Write an answer to a file, whole or not at all; run it in a job.

    ``say`` tells words of a table for readers in their language.
    """
    progress(0.0, Message("writing"))
    invented = invented_note(answer.study)
    note = "" if invented is None else say(invented)
    if isinstance(answer.result, Participants):
        # A table of records has no place for a sentence, and would look like any other.
        refuse_invented(answer.study)
        write_table(participants_table(answer), path, progress=progress)
        return
    if isinstance(answer.result, Regression):
        write_model(answer.result, answer.study, path, say, note)
        return
    if isinstance(answer.result, Compliance):
        write_compliance(answer.result, path, say, note)
        return
    if path.suffix.lower() != ".csv":
        raise DataError.saying(
            "{name} cannot be written; end the name in .csv.", name=path.name, file=path
        )
    rows = [[escape_formula(cell) for cell in row] for row in result_rows(answer)]
    rows = [[note], *rows] if note else rows
    with (
        atomic_file(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        csv.writer(file).writerows(rows)


def participants_table(answer: SurveyResult) -> Table:
    """The listed records with all their reported answers, their number and their posterior."""
    found = answer.result
    assert isinstance(found, Participants)  # noqa: S101 (only these are listed)
    listed = answer.distorted.take(found.rows)
    taken = set(listed.names)
    last = float(max(answer.distorted.rows, 1))
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
