"""SurveyJS: the survey as JSON, all languages in one file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from ppworkbench.core.message import Message
from ppworkbench.fieldwork.kit.form import Form, Item
from ppworkbench.fieldwork.kit.target import Output, Target, targets, unique
from ppworkbench.study.html import escaped

FILE = "surveyjs.json"


@targets.register("surveyjs", "SurveyJS", rank=70)
class SurveyJs(Target):
    """Pages with elements; texts by language, the main one being the default."""

    name: ClassVar[str] = "surveyjs"

    marks: ClassVar[tuple[tuple[str, Message], ...]] = (
        ("{", Message("A text holds “{”, with which SurveyJS begins the name of an answer.")),
    )

    def write(self, form: Form, out: Output) -> None:
        out.text(FILE, survey_json(form))
        for item in form.items:
            out.answered(item, item.short)


def survey_json(form: Form) -> str:
    taken = {item.short for item in form.items}
    survey: dict[str, Any] = {
        "locale": form.main,
        "title": _words(form, {code: form.title(code) for code in form.languages}),
        "showQuestionNumbers": "on",
        "pages": [
            {
                "name": f"page{place}",
                "elements": [one for item in items for one in _elements(form, item, taken)],
            }
            for place, items in enumerate(form.pages, 1)
        ],
    }
    introduction = {code: form.introduction(code) for code in form.languages}
    if all(introduction.values()):
        survey["description"] = _words(form, introduction)
    thanks = {code: form.thanks(code) for code in form.languages}
    if all(thanks.values()):
        survey["completedHtml"] = _words(form, {c: _html((t,)) for c, t in thanks.items()})
    return json.dumps(survey, ensure_ascii=False, indent=2) + "\n"


def _elements(form: Form, item: Item, taken: set[str]) -> Iterator[dict[str, Any]]:
    if item.notes:
        yield {
            "type": "html",
            "name": unique(f"card_{item.short}", taken, 31),
            "html": _words(form, {code: _html(lines) for code, lines in item.notes.items()}),
        }
    element: dict[str, Any] = {
        "type": "text",
        "name": item.short,
        "title": _words(form, {code: item.text(code) for code in form.languages}),
    }
    hint = {code: item.hint(code, form.main) for code in form.languages}
    if any(hint.values()):
        element["description"] = _words(form, hint)
    if item.question.required:
        element["isRequired"] = True
    if item.choices:
        element["type"] = "dropdown" if item.is_long else "radiogroup"
        element["choices"] = [
            {
                "value": choice.code,
                "text": _words(form, {c: choice.text.get(c, "") for c in form.languages}),
            }
            for choice in item.choices
        ]
    else:
        element["inputType"] = "number"
        if item.domain is not None:
            low, high = item.domain
            element |= {"min": _number(low), "max": _number(high)}
        step = 1 if item.is_whole else item.question.step
        if step:
            element["step"] = step
    yield element


def _words(form: Form, text: Mapping[str, str]) -> str | dict[str, str]:
    """A text by language; a single language needs no names."""
    if len(form.languages) == 1:
        return text[form.main]
    others = {code: text[code] for code in form.languages[1:]}
    return {"default": text[form.main], **others}


def _html(lines: tuple[str, ...]) -> str:
    return "".join(f"<p>{escaped(line)}</p>" for line in lines).replace("\n", "<br>")


def _number(number: float) -> int | float:
    return int(number) if float(number).is_integer() else number
