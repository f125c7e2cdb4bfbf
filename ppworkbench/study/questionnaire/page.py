"""The questionnaire as one file: form, explanations, the design, and the script that draws."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from ppworkbench.core.atomic import write_text
from ppworkbench.core.design import Design
from ppworkbench.core.design.publishable import publishable
from ppworkbench.core.errors import DesignError
from ppworkbench.core.resources import resource
from ppworkbench.study.html import Page, css_variables
from ppworkbench.study.questionnaire.form import Asked, asked_questions
from ppworkbench.study.questionnaire.mechanism import mechanism_of
from ppworkbench.study.questionnaire.options import QuestionnaireOptions
from ppworkbench.study.questionnaire.texts import Texts
from ppworkbench.study.questionnaire.words import FOLDER, words_of

MOST_BUTTONS = 12
"""More answers than this are offered as a list to choose from."""
_SCRIPTS = ("chance.js", "mechanisms.js", "row.js", "page.js")
_FOR_SCRIPT = (
    "progress", "skipped", "unanswered", "not_whole", "not_number", "your_answer",
    "will_be_sent", "sent", "saved", "not_sent",
)  # fmt: skip


def questionnaire_html(
    design: Design, texts: Texts | None = None, options: QuestionnaireOptions | None = None
) -> str:
    """The text of the page; numbers are sent on the grid of the published design.

    Raises
    ------
    DesignError
        When the design has no attribute to ask for.
    """
    texts, options = texts or Texts(), options or QuestionnaireOptions()
    if not design.attributes:
        raise DesignError("The design has no attributes; there is nothing to ask.")
    design = publishable(design)
    words = words_of(options.language)
    asked = asked_questions(design, texts, options.language, skipping=options.skipping)
    page = Page(
        title=options.title or words["default_title"],
        style=css_variables() + _part("page.css"),
        script="".join(_part(name) for name in _SCRIPTS),
        data=_survey(design, asked, options),
        data_id="survey",
        connect=options.connect,
        language=options.language,
        direction=words["direction"],
    )
    introduction = [line for line in options.introduction.splitlines() if line.strip()]
    return page.to_html(
        "questionnaire/page.html",
        words=words,
        introduction=introduction,
        questions=asked,
        most_buttons=MOST_BUTTONS,
        post=options.post,
    )


def write_questionnaire(
    design: Design,
    path: str | Path,
    texts: Texts | None = None,
    options: QuestionnaireOptions | None = None,
) -> None:
    """Write the page as a file, whole or not at all."""
    write_text(path, questionnaire_html(design, texts, options))


@cache
def _part(name: str) -> str:
    return resource(FOLDER, name).read_text(encoding="utf-8")


def _survey(
    design: Design, asked: tuple[Asked, ...], options: QuestionnaireOptions
) -> dict[str, Any]:
    """All that the script must know."""
    words = words_of(options.language)
    return {
        "language": options.language,
        "post": options.post,
        "format": options.answers,
        "groups": len(design.groups),
        "words": {name: words[name] for name in _FOR_SCRIPT},
        "questions": [_question(design, one) for one in asked],
    }


def _question(design: Design, asked: Asked) -> dict[str, Any]:
    attribute = asked.attribute
    published = design[attribute.name].distorted
    numeric = attribute.kind.is_numeric
    # Intervals are shown as they are published; answers in the respondent's words.
    drawn = published.values if numeric else asked.answers
    return {
        "name": attribute.name,
        "text": asked.text,
        "domain": list(attribute.domain) if attribute.domain is not None else None,
        "whole": asked.is_whole,
        "range": {"low": asked.domain[0], "high": asked.domain[1]} if asked.domain else {},
        "texts": None if numeric else list(asked.answers),
        "published": list(published.values) or None,
        "drawn": list(drawn) or None,
        "mechanism": mechanism_of(design, attribute.name),
    }
