"""From a file of any kind to a study."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.codebook import FORMAT as CODEBOOK
from ppworkbench.core.data.codebook import Codebook, read_codebook
from ppworkbench.core.data.files import codebook_of, read_table
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.sampling_roles import stated_sampling
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design, DesignedAttribute, Identity
from ppworkbench.core.design.design_file import FORMAT, design_of, read_design
from ppworkbench.core.design.linked_waves import naming_persons
from ppworkbench.core.design.starting import answered, has_sensitive, starting_perturbation
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Progress, silent
from ppworkbench.fieldwork.collected import read_collected
from ppworkbench.fieldwork.responses.add import study_questions
from ppworkbench.fieldwork.responses.sources import find_export, find_files, may_hold_answers
from ppworkbench.study.files.study_file import SUFFIX, open_study
from ppworkbench.study.questionnaire.document import FORMAT as QUESTIONNAIRE
from ppworkbench.study.questionnaire.document import Questionnaire, read_document
from ppworkbench.study.questionnaire.edits import study_of_questionnaire
from ppworkbench.study.questionnaire.texts import texts_of
from ppworkbench.study.study import Study, described_design, worded_as

TAKEN_FOR_TRUE = (
    "These answers are treated as true; if a questionnaire page randomised them, open "
    "the file together with its design."
)
_COLLECTED = (".jsonl", ".ndjson")
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
    if QUESTIONNAIRE in formats.values():
        if len(paths) > 1:
            raise DataError("Open a questionnaire alone; it starts a study of its own.")
        return study_of_questionnaire(read_document(paths[0]), _title(paths[0]))
    designs = [path for path in paths if formats[path] == FORMAT]
    codebooks = [path for path in paths if formats[path] == CODEBOOK]
    others = [path for path in paths if path not in (*designs, *codebooks)]
    if not paths:
        raise DataError("No file is chosen.")
    if len(designs) > 1 or len(codebooks) > 1 or (len(others) > 1 and not designs):
        raise DataError("Open one table at a time, alone or together with its design.")
    codebook = read_codebook(codebooks[0]) if codebooks else None
    design = read_design(designs[0]) if designs else design_of(codebook)
    if not others:
        return _without_data(_title((designs or codebooks)[0]), design, codebook)
    path = others[0]
    if any(path.suffix.lower() == SUFFIX for path in others):
        if len(paths) > 1:
            raise DataError("A study has its own design; open the study alone.")
        return open_study(path, progress)
    if design is not None and (len(others) > 1 or is_collected(path)):
        table = read_collected(others, design, progress)
        return Study.of_distorted(table, naming_persons(design, table.names), _title(path))
    study = _open_table(path, design, codebook, options, progress)
    if is_collected(path) and study.original is not None:
        table = study.original.with_(notes=(*study.original.notes, TAKEN_FOR_TRUE))
        study = study.with_(original=table)
    return study


def is_collected(path: Path) -> bool:
    """Whether a file is one that questionnaire pages write, unless they are told to write CSV."""
    return path.suffix.lower() in _COLLECTED


def may_answer(paths: Sequence[Path], study: Study, progress: Progress = silent) -> bool:
    """Whether files may hold answers to the questions of a study.

    A study says itself what it is, and so does a design.
    """
    own = (FORMAT, CODEBOOK, QUESTIONNAIRE)
    if any(path.suffix.lower() == SUFFIX or _format(path) in own for path in paths):
        return False
    questions = study_questions(study)
    try:
        files = find_files(paths)
    except DataError:
        return False
    for place, path in enumerate(files):
        progress(place / len(files))
        if may_hold_answers(path, questions):
            return True
    return False


def find_exports(paths: Sequence[Path]) -> str:
    """The platform that exported one of some files; empty where none of them is an export.

    A codebook that is opened with a table says what it is.
    """
    if any(_format(path) == CODEBOOK for path in paths):
        return ""
    return next((found for found, _ in map(find_export, paths) if found), "")


def _without_data(title: str, design: Design | None, codebook: Codebook | None) -> Study:
    attributes = () if codebook is None else codebook.attributes
    is_new = design is None
    if design is None:
        is_marked = has_sensitive(attributes)
        design = Design(
            tuple(
                DesignedAttribute(
                    answered(a),
                    starting_perturbation(a) if a.sensitive or not is_marked else Identity(),
                )
                for a in attributes
                if a.kind is not Kind.SET
            )
        )
    texts = texts_of(attributes)
    told = {a.name: a for a in attributes}
    design = described_design(design, lambda one: worded_as(one, told.get(one.name)))
    asked = Questionnaire.of_design(design, texts, "en") if texts.questions else None
    study = Study(title=title, design=design, questionnaire=asked)
    return study.expecting_few(design.names if is_new else ())


def _open_table(
    path: Path,
    design: Design | None,
    codebook: Codebook | None,
    options: ReadOptions | None,
    progress: Progress,
) -> Study:
    options = options or ReadOptions()
    beside = codebook_of(path) if codebook is None else codebook
    design = design or design_of(beside)
    if design is None:
        schema = None if codebook is None else codebook.attributes
        table = read_table(path, options, schema, progress)
        study = Study.of_table(table, _title(path))
        sampling = stated_sampling(table.notes) if beside is None else beside.sampling
        return study.with_sampling(sampling) if sampling is not None or beside else study
    table = read_table(path, options, design.distorted_schema, progress).select(design.names)
    return Study.of_distorted(labelled(table, beside), design, _title(path))


def labelled(table: Table, codebook: Codebook | None) -> Table:
    """The table with the questions and codes of its codebook, which a design does not hold."""
    known = {} if codebook is None else {a.name: a for a in codebook.attributes}

    def described(now: Attribute) -> Attribute:
        told = known.get(now.name)
        if told is None:
            return now
        codes = told.codes if told.values == now.values else ()
        return worded_as(now, told).with_(codes=codes, measure=told.measure)

    return table.described_by(described)


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
