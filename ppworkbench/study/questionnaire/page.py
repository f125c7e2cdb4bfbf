"""The questionnaire as one file: form, explanations, the design, and the script that draws."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from ppworkbench.core.atomic import write_text
from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.design import Design
from ppworkbench.core.design.publishable import publishable
from ppworkbench.core.errors import DesignError
from ppworkbench.core.resources import resource
from ppworkbench.study.html import Page, css_variables, escaped
from ppworkbench.study.questionnaire.form import (
    Asked,
    asked_questions,
    number_range,
    question_html,
)
from ppworkbench.study.questionnaire.mechanism import mechanism_of
from ppworkbench.study.questionnaire.options import QuestionnaireOptions
from ppworkbench.study.questionnaire.texts import Texts
from ppworkbench.study.questionnaire.words import FOLDER, words_of

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
        body=_body(asked, options),
        script="".join(_part(name) for name in _SCRIPTS),
        data=_survey(design, asked, options),
        data_id="survey",
        connect=options.connect,
        language=options.language,
        direction=words["direction"],
    )
    return page.to_html()


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
        "questions": [_question(design, one, options.language) for one in asked],
    }


def _question(design: Design, asked: Asked, language: str) -> dict[str, Any]:
    attribute = asked.attribute
    published = design[attribute.name].distorted
    numeric = attribute.kind.is_numeric
    # Intervals are shown as they are published; answers in the respondent's words.
    drawn = published.values if numeric else asked.answers
    return {
        "name": attribute.name,
        "text": asked.text,
        "domain": list(attribute.domain) if attribute.domain is not None else None,
        "whole": attribute.kind is Kind.INTEGER,
        "range": number_range(asked, language) if numeric else {},
        "texts": None if numeric else list(asked.answers),
        "published": list(published.values) or None,
        "drawn": list(drawn) or None,
        "mechanism": mechanism_of(design, attribute.name),
    }


def _body(asked: tuple[Asked, ...], options: QuestionnaireOptions) -> str:
    words = {name: escaped(text) for name, text in words_of(options.language).items()}
    title = escaped(options.title) or words["default_title"]
    intro = "".join(
        f"<p>{escaped(line)}</p>" for line in options.introduction.splitlines() if line.strip()
    )
    bare = f"<p>{words['promise_bare']}</p>" if any(one.bare for one in asked) else ""
    cards = "\n".join(question_html(one, options.language) for one in asked)
    send = ""
    if options.post:
        send = f'<button type="button" class="primary" id="send">{words["send"]}</button>'
    saving = 'class="primary"' if not options.post else "hidden"
    return f"""<main>
<header id="top"><h1 id="title" tabindex="-1">{title}</h1>{intro}
<section class="promise"><h2>{words["promise_title"]}</h2><p>{words["promise"]}</p>{bare}</section>
</header>
<p class="card error" id="noscript">{words["no_script"]}</p>
<form id="form" autocomplete="off" novalidate hidden>
{cards}
<div class="foot"><div class="state"><progress id="bar" value="0" max="{len(asked)}"
 aria-labelledby="progress"></progress><span id="progress" aria-live="polite"></span></div>
<button type="submit" class="primary" id="show">{words["review"]}</button></div>
</form>
<section id="review" hidden aria-labelledby="reviewTitle">
<h2 id="reviewTitle" tabindex="-1">{words["review_title"]}</h2><p>{words["review_text"]}</p>
<ol class="card" id="pairs"></ol>
<details><summary>{words["exactly"]}</summary><pre id="line"></pre></details>
<p class="error" id="problem" role="alert" hidden></p>
<div class="foot"><button type="button" id="back">{words["back"]}</button>
<button type="button" {saving} id="save">{words["save"]}</button>{send}</div>
</section>
<section id="done" hidden aria-labelledby="doneTitle">
<h2 id="doneTitle" tabindex="-1">{words["done_title"]}</h2><p id="outcome"></p>
<button type="button" id="again" hidden>{words["save_again"]}</button>
</section>
</main>"""
