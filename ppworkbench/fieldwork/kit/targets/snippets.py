"""What draws in the respondent's browser (class B): our page, and scripts for other platforms.

The page fits every mechanism. On a platform, inputs are the script's own and have no names, so that
a form does not send them; the platform gets the drawn code alone. Its other scripts run in the same
page, which is said with every script.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from ppworkbench.core.design.design_file import design_digest
from ppworkbench.core.files import resource
from ppworkbench.core.message import Message
from ppworkbench.fieldwork.kit.form import Form, Item
from ppworkbench.fieldwork.kit.hand_cards import FOLDER, kit_words
from ppworkbench.fieldwork.kit.target import Output, Target, targets
from ppworkbench.fieldwork.kit.targets.limesurvey import (
    LimeQuestion,
    LimeSurvey,
    html_text,
    letter_code,
    question_code,
    survey_text,
)
from ppworkbench.fieldwork.kit.targets.qualtrics import Qualtrics
from ppworkbench.fieldwork.kit.targets.surveyjs import survey_json
from ppworkbench.fieldwork.page.model import words_language
from ppworkbench.fieldwork.page.page import mechanism_of, write_questionnaire

_DRAWING = (("questionnaire", "chance.js"), ("questionnaire", "mechanisms.js"))
_WORDS = ("choose", "send", "answered", "please_answer", "first_counts", "drawn_here")
_SAME_PAGE = Message(
    "Scripts of a platform run in the same page and could read a click, its staff can change the "
    "page, and its logs hold addresses and times. The questionnaire page has none of these."
)
_PIPED = "${e://Field/Q_Language}"
"""What Qualtrics replaces by the language of the respondent."""


@targets.register("page", "Questionnaire page", rank=90)
class QuestionnairePage(Target):
    name: ClassVar[str] = "page"
    is_by_hand: ClassVar[bool] = False

    def write(self, form: Form, out: Output) -> None:
        options = dataclasses.replace(out.page, language=",".join(form.languages))
        write_questionnaire(form.design, out.path("page.html"), form.questionnaire, options)


@targets.register("snippets", "Scripts for platforms", rank=100)
class Snippets(Target):
    name: ClassVar[str] = "snippets"
    is_by_hand: ClassVar[bool] = False
    marks = (*LimeSurvey.marks, Qualtrics.marks[0])

    def faults(self, form: Form) -> Iterator[tuple[str, Message]]:
        """What only our own page can do, and texts that a platform would carry out."""
        design = form.design
        has_memory = design.budget is not None and design.budget.memoise
        if design.has_arms or design.lists or design.ask is not None or has_memory:
            yield "", Message("Arms, lists, parts and later waves need the page.")
        for item in form.items:
            if design[item.name].why_not_single is not None:
                yield item.name, Message("Its reports are sets of answers, which need the page.")
        yield from super().faults(form)

    def write(self, form: Form, out: Output) -> None:
        drawing = "\n".join(_script(*one) for one in _DRAWING) + _script(FOLDER, "snippet.js")
        self._write_surveyjs(form, out, drawing)
        self._write_qualtrics(form, out, drawing)
        self._write_limesurvey(form, out, drawing)
        out.text("snippets.txt", "\n\n".join(_told(out)) + "\n")
        out.note(_SAME_PAGE)

    def _write_surveyjs(self, form: Form, out: Output, drawing: str) -> None:
        out.text("snippets-surveyjs.json", survey_json(form))
        script = _wrapped(form, drawing + _script(FOLDER, "snippet_surveyjs.js"))
        out.text("snippets-surveyjs.js", script)
        self._answered(form, out, "surveyjs", lambda item: item.short)

    def _write_qualtrics(self, form: Form, out: Output, drawing: str) -> None:
        lines = ["[[AdvancedFormat]]", ""]
        lines += [f"[[ED:__js_{item.short}]]" for item in form.items]
        lines += ["", "[[Block:Page 1]]", "", "[[Question:DB]]", "[[ID:questions]]"]
        out.text("snippets-qualtrics.txt", "\n".join([*lines, "<div></div>", ""]))
        own = _script(FOLDER, "snippet_qualtrics.js").replace("PIPED_LANGUAGE", _PIPED)
        out.text("snippets-qualtrics.js", _wrapped(form, drawing + own))
        self._answered(form, out, "qualtrics", lambda item: f"__js_{item.short}")

    def _write_limesurvey(self, form: Form, out: Output, drawing: str) -> None:
        taken: set[str] = set()
        codes = {item.name: question_code(item.short, taken) for item in form.items}
        script = _wrapped(form, drawing + _script(FOLDER, "snippet_limesurvey.js"))
        # A brace that is followed by a blank begins no expression.
        inline = " ".join(script.replace("{", "{ ").split())
        last = form.items[-1]
        asked = [
            _hidden(item, codes[item.name], inline if item is last else "") for item in form.items
        ]
        out.text("snippets-limesurvey.txt", survey_text(form, [asked], "A"), bom=True)
        self._answered(form, out, "limesurvey", lambda item: codes[item.name], letter_code)

    @staticmethod
    def _answered(
        form: Form,
        out: Output,
        platform: str,
        column: Callable[[Item], str],
        code: Callable[[int], str] = str,
    ) -> None:
        for item in form.items:
            values = form.design[item.name].distorted.values
            out.reported(item, platform, column(item), {
                code(place): value for place, value in enumerate(values, 1)
            })  # fmt: skip


def _hidden(item: Item, code: str, script: str) -> LimeQuestion:
    """A short text in whose place the script asks; the last one brings the script."""

    def text(_: str) -> str:
        # LimeSurvey lists questions by their first words, and would strip an empty element.
        mark = f'<div data-ppworkbench="{item.number}">{html_text(item.short)}</div>'
        return f"{mark}<script>{script}</script>" if script else mark

    return LimeQuestion(code, "S", text, lambda _: "", item)


def _script(folder: str, name: str) -> str:
    return resource(folder, name).read_text(encoding="utf-8")


def _wrapped(form: Form, script: str) -> str:
    data = json.dumps(_survey(form), ensure_ascii=False)
    for mark, harmless in (("</", "<\\/"), ("<!--", "<\\!--"), ("\u2028", " "), ("\u2029", " ")):
        data = data.replace(mark, harmless)
    # Texts of strangers come last, so that nothing in them is replaced.
    frame = _script(FOLDER, "snippet_frame.js").replace("/* SCRIPT */", script)
    return frame.replace("SURVEY_DATA", data, 1)


def _survey(form: Form) -> dict[str, Any]:
    own = {code: kit_words(words_language(code, form.main)) for code in form.languages}
    return {
        "digest": design_digest(form.design),
        "languages": list(form.languages),
        "words": {code: {key: words[key] for key in _WORDS} for code, words in own.items()},
        "groups": len(form.design.groups),
        "questions": [_question(form, item) for item in form.items],
    }


def _question(form: Form, item: Item) -> dict[str, Any]:
    codes = form.languages
    low, high = item.domain or (0.0, 0.0)
    return {
        "name": item.short,
        "text": {code: item.text(code) for code in codes},
        "help": {code: item.question.help.get(code, "") for code in codes},
        "range": {code: item.range_text(code, form.main) for code in codes},
        "answers": {code: [one.text.get(code, "") for one in item.choices] for code in codes}
        if item.choices
        else None,
        "low": low,
        "high": high,
        "whole": item.is_whole,
        "required": item.question.required,
        "coded": bool(form.design[item.name].distorted.values),
        "mechanism": mechanism_of(form.design, item.name),
    }


def _told(out: Output) -> Iterator[str]:
    for message in (
        Message(
            "SurveyJS: load snippets-surveyjs.json and snippets-surveyjs.js, and call "
            "ppworkbenchRandomise(survey) before the survey is shown. Answers are drawn when the "
            "survey is completed. Other scripts of your page are your own business."
        ),
        Message(
            "Qualtrics: import snippets-qualtrics.txt, open the JavaScript of its only question, "
            "and paste snippets-qualtrics.js. Set the survey's own settings as the check list of "
            "the kit says."
        ),
        Message(
            "LimeSurvey: import snippets-limesurvey.txt with an account that may use scripts, and "
            "answer the survey once yourself: the fields of the platform must stay hidden."
        ),
        _SAME_PAGE,
        Message("Going back does not draw again. A reload does; only the first sending counts."),
    ):
        yield out.said(message)
