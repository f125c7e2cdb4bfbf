"""Our own page: it draws in the respondent's browser, so that every mechanism fits (class B)."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from ppworkbench.study.kit.form import Form
from ppworkbench.study.kit.target import Output, Target, targets
from ppworkbench.study.questionnaire.page import write_questionnaire

FILE = "page.html"


@targets.register("page", "Questionnaire page", rank=90)
class QuestionnairePage(Target):
    """One file for all languages, without anything of anybody else."""

    name: ClassVar[str] = "page"
    is_by_hand: ClassVar[bool] = False

    def write(self, form: Form, out: Output) -> None:
        """Write the page."""
        options = dataclasses.replace(out.page, language=",".join(form.languages))
        write_questionnaire(form.design, out.path(FILE), form.questionnaire, options)
