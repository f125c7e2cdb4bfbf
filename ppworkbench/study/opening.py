"""From a file of any kind to a study."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.codebook import FORMAT as CODEBOOK
from ppworkbench.core.data.codebook import Codebook, read_codebook
from ppworkbench.core.data.files import codebook_of, read_table
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design, DesignedAttribute
from ppworkbench.core.design.design_file import FORMAT, design_from_json, read_design
from ppworkbench.core.design.release import publishable
from ppworkbench.core.design.starting import answered, starting_perturbation
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Progress, silent
from ppworkbench.study.collected import SUFFIXES, read_collected
from ppworkbench.study.study import Study
from ppworkbench.study.study_file import SUFFIX, open_study

TAKEN_FOR_TRUE = (
    "These answers are treated as true; if a questionnaire page randomised them, open "
    "the file together with its design."
)
_COLLECTED = (".jsonl", ".ndjson")
_SAME_QUESTIONS = 0.6
_FORMAT = re.compile(r'"format"\s*:\s*"([^"]*)"')


def open_anything(
    paths: Sequence[Path], options: ReadOptions | None = None, progress: Progress = silent
) -> Study:
    """Open a study, a table, a design, or distorted answers together with their design.

    A table whose codebook carries a design was made by an export and holds distorted answers; the
    codebook lies beside it, or is opened with it. Several files of answers together with their
    design are what questionnaire pages sent.
    """
    formats = {path: _format(path) for path in paths}
    designs = [path for path in paths if formats[path] == FORMAT]
    codebooks = [path for path in paths if formats[path] == CODEBOOK]
    others = [path for path in paths if path not in (*designs, *codebooks)]
    if not paths:
        raise DataError("No file is chosen.")
    if len(designs) > 1 or len(codebooks) > 1 or (len(others) > 1 and not designs):
        raise DataError("Open one table at a time, alone or together with its design.")
    codebook = read_codebook(codebooks[0]) if codebooks else None
    design = read_design(designs[0]) if designs else _design_of(codebook)
    if not others:
        return _without_data(_title((designs or codebooks)[0]), design, codebook)
    path = others[0]
    if any(path.suffix.lower() == SUFFIX for path in others):
        if len(paths) > 1:
            raise DataError("A study has its own design; open the study alone.")
        return open_study(path, progress)
    if design is not None and (len(others) > 1 or is_collected(path)):
        return Study.of_distorted(read_collected(others, design, progress), design, _title(path))
    study = _open_table(path, design, codebook, options, progress)
    if is_collected(path) and study.original is not None:
        table = study.original.with_(notes=(*study.original.notes, TAKEN_FOR_TRUE))
        study = study.with_(original=table)
    return study


def is_collected(path: Path) -> bool:
    """Whether a file is one that questionnaire pages write, unless they are told to write CSV."""
    return path.suffix.lower() in _COLLECTED


def has_questions_of(opened: Study, study: Study) -> bool:
    """Whether a table that was opened may be what people reported to a study.

    A page or a platform keeps most names of the questions; answers that came with a design say
    themselves what they are.
    """
    if opened.original is None or not study.design.attributes:
        return False
    shared = {*study.design.names} & {*opened.original.names}
    return len(shared) >= _SAME_QUESTIONS * len(study.design.names)


def open_reported(
    paths: Sequence[Path],
    study: Study,
    options: ReadOptions | None = None,
    progress: Progress = silent,
) -> Study:
    """Open answers that people reported to a study, distorted by its design.

    Raises
    ------
    DataError
        When a file cannot be read, or its answers are none that the design gives.
    """
    design = publishable(study.design)
    if len(paths) > 1 or paths[0].suffix.lower() in SUFFIXES:
        table = read_collected(paths, design, progress)
    else:
        schema = design.distorted_schema
        table = read_table(paths[0], options or ReadOptions(), schema, progress)
        table = table.select(design.names)
    known = {attribute.name: attribute for attribute in study.attributes}
    columns = tuple(
        column.with_(attribute=_described(column.attribute, known.get(column.name)))
        for column in table
    )
    made = Study.of_distorted(table.with_(columns=columns), design, study.title)
    return made.with_(questions=study.questions)


def _without_data(title: str, design: Design | None, codebook: Codebook | None) -> Study:
    """A study that has no answers yet: a design, or the attributes of a codebook."""
    attributes = () if codebook is None else codebook.attributes
    if design is None:
        design = Design(
            tuple(DesignedAttribute(answered(a), starting_perturbation(a)) for a in attributes)
        )
    labels = {a.name: a.label for a in attributes if a.label}
    told = {a.name: a for a in attributes}
    listed = tuple(
        dataclasses.replace(d, attribute=_described(d.attribute, told.get(d.name))) for d in design
    )
    design = dataclasses.replace(design, attributes=listed)
    return Study(title=title, design=design, questions=MappingProxyType(labels))


def _open_table(
    path: Path,
    design: Design | None,
    codebook: Codebook | None,
    options: ReadOptions | None,
    progress: Progress,
) -> Study:
    options = options or ReadOptions()
    beside = codebook_of(path) if codebook is None else codebook
    design = design or _design_of(beside)
    if design is None:
        schema = None if codebook is None else codebook.attributes
        study = Study.of_table(read_table(path, options, schema, progress), _title(path))
        return study if beside is None else study.with_sampling(beside.sampling)
    table = read_table(path, options, design.distorted_schema, progress).select(design.names)
    return Study.of_distorted(_labelled(table, beside), design, _title(path))


def _labelled(table: Table, codebook: Codebook | None) -> Table:
    """The table with the questions and codes of its codebook, which a design does not hold."""
    known = {} if codebook is None else {a.name: a for a in codebook.attributes}
    columns = []
    for column in table:
        attribute, told = column.attribute, known.get(column.name)
        if told is not None:
            codes = told.codes if told.values == attribute.values else ()
            attribute = _described(attribute, told).with_(codes=codes, measure=told.measure)
        columns.append(column.with_(attribute=attribute))
    return table.with_(columns=tuple(columns))


def _described(attribute: Attribute, told: Attribute | None) -> Attribute:
    """The attribute with the question, title and unit that are told of it elsewhere."""
    if told is None:
        return attribute.with_(label="")
    title, unit = told.title or attribute.title, told.unit or attribute.unit
    return attribute.with_(label=told.label, title=title, unit=unit)


def _design_of(codebook: Codebook | None) -> Design | None:
    if codebook is None or codebook.design is None:
        return None
    design = design_from_json(codebook.design)
    if design.sampling is not None or codebook.sampling is None:
        return design
    return dataclasses.replace(design, sampling=codebook.sampling)


def _format(path: Path) -> str:
    """The format that a JSON file claims at its beginning; empty for all others.

    A codebook may carry a design, but its own format stands first.
    """
    if path.suffix.lower() != ".json":
        return ""
    try:
        with path.open(encoding="utf-8-sig") as file:
            head = file.read(4096)
    except (OSError, UnicodeDecodeError):
        return ""
    found = _FORMAT.search(head)
    return "" if found is None else found.group(1)


def _title(path: Path) -> str:
    return path.name.removesuffix(path.suffix)
