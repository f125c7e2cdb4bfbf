"""A questionnaire as it is given: a file or a spreadsheet, in a study, or beside a design."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ppworkbench.analyses.arguments import StudyPath
    from ppworkbench.core.design import Design
    from ppworkbench.study.questionnaire.document import Questionnaire


def read_questions(path: str | os.PathLike[str], language: str) -> Questionnaire:
    """A questionnaire from its file or a spreadsheet."""
    from ppworkbench.study.questionnaire.document import read_document
    from ppworkbench.study.questionnaire.sheet import read_questions_sheet

    name = os.fspath(path)
    if name.lower().endswith(".json"):
        return read_document(name)
    return read_questions_sheet(name, language)


def open_questionnaire(
    path: StudyPath, questions: str | os.PathLike[str] | None, language: str
) -> tuple[Design, Questionnaire | None]:
    """The design and the questionnaire, which may lie beside it or in the study."""
    from ppworkbench.core.design.design_file import read_design
    from ppworkbench.study.files.study_file import SUFFIX, open_study
    from ppworkbench.study.questionnaire.document import read_beside

    where = Path(path)
    study = open_study(where) if where.suffix.lower() == SUFFIX else None
    design = read_design(where) if study is None else study.asked_design
    if questions is not None:
        return design, read_questions(questions, language)
    if study is None:
        return design, read_beside(where)
    from ppworkbench.fieldwork.kit.kit import asked_in

    return design, asked_in(study, language)
