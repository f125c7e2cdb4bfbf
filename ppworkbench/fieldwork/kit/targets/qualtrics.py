"""Qualtrics: the Advanced Format, and a check list of what that format cannot say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ppworkbench.core.message import Message
from ppworkbench.fieldwork.kit.form import Form, Item, plain_number
from ppworkbench.fieldwork.kit.target import (
    Output,
    Target,
    platform_names,
    targets,
    unique,
)
from ppworkbench.study.html import escaped

FILE, CHECKLIST = "qualtrics.txt", "qualtrics-checklist.txt"


@targets.register("qualtrics", "Qualtrics", rank=60)
class Qualtrics(Target):
    name: ClassVar[str] = "qualtrics"
    platform: ClassVar[str] = "qualtrics"

    marks: ClassVar[tuple[tuple[str, Message], ...]] = (
        ("[[", Message("A text holds “[[”, with which Qualtrics begins an instruction.")),
        ("${", Message("A text holds “${”, which Qualtrics replaces by other text.")),
    )

    def write(self, form: Form, out: Output) -> None:
        taken = {item.short for item in form.items}
        blocks = []
        for place, items in enumerate(form.pages, 1):
            lines = [f"[[Block:Page {place}]]", ""]
            if place == 1 and form.introduction(form.main):
                lines += _text_question(
                    unique("introduction", taken), html_text(form.introduction(form.main))
                )
            for item in items:
                if item.notes:
                    card = html_text("\n\n".join(item.notes[form.main]))
                    lines += _text_question(unique(f"card_{item.short}", taken, 31), card)
                lines += _question(form, item)
                out.answered(item, item.short)
            blocks.append("\n".join(lines))
        out.text(FILE, "\n".join(["[[AdvancedFormat]]", "", *blocks]))
        out.text(CHECKLIST, "\n".join(_checklist(form, out)) + "\n")


def _text_question(name: str, text: str) -> list[str]:
    return ["[[Question:DB]]", f"[[ID:{name}]]", text, ""]


def _question(form: Form, item: Item) -> list[str]:
    said = [item.text(form.main), item.hint(form.main, form.main)]
    text = html_text("\n".join(one for one in said if one))
    if not item.choices:
        return ["[[Question:TE:SingleLine]]", f"[[ID:{item.short}]]", text, ""]
    kind = "MC:DropDown" if item.is_long else "MC:SingleAnswer:Vertical"
    lines = [f"[[Question:{kind}]]", f"[[ID:{item.short}]]", text, "[[AdvancedChoices]]"]
    for choice in item.choices:
        answer = " ".join(choice.text.get(form.main, "").split())
        lines += [f"[[Choice:{choice.code}]]", escaped(answer, quote=False)]
    return [*lines, ""]


def _checklist(form: Form, out: Output) -> Iterator[str]:
    yield out.said(Message("Qualtrics: what to set by hand after the import"))
    yield ""
    for number, step in enumerate(_steps(form), 1):
        yield f"{number}. {out.said(step)}"
    for code in form.languages[1:]:
        yield ""
        yield f"== {code} =="
        for item in form.items:
            yield f"{item.short}: {item.text(code)}"
            for choice in item.choices:
                yield f"  {choice.code}  {choice.text.get(code, '')}"
            for line in item.notes.get(code, ()):
                yield f"  card_{item.short}: {line}"


def _steps(form: Form) -> list[Message]:
    steps = [
        Message("Survey › Tools › Import/Export › Import survey: choose {file}.", file=FILE),
        Message(
            "Survey options › Security: switch on “{setting}” before anybody answers.",
            setting=platform_names("qualtrics_unnamed"),
        ),
        Message(
            "Survey options › Security: switch off “{setting}”.",
            setting=platform_names("qualtrics_once"),
        ),
    ]
    required = tuple(item.short for item in form.items if item.question.required)
    if required:
        steps.append(
            Message("Question › Response requirements › Force response: {names}.", names=required)
        )
    for item in form.items:
        if item.domain is not None:
            low, high = map(plain_number, item.domain)
            steps.append(
                Message(
                    "Question {name} › Response requirements › Content validation › Number: from "
                    "{low} to {high}.",
                    name=item.short,
                    low=low,
                    high=high,
                )
            )
    if len(form.languages) > 1:
        steps.append(Message("Survey options › Translations: type in the texts below."))
    return steps


def html_text(text: str) -> str:
    return "<br>".join(escaped(line, quote=False) for line in text.split("\n"))
