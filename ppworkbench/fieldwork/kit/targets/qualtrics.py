"""Qualtrics: the Advanced Format, and a check list of what that format cannot say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ppworkbench.core.message import Message
from ppworkbench.fieldwork.kit.form import Form, Item, plain_number
from ppworkbench.fieldwork.kit.target import (
    Output,
    Target,
    marked_texts,
    platform_names,
    targets,
    unique,
)
from ppworkbench.study.html import escaped

FILE, CHECKLIST = "qualtrics.txt", "qualtrics-checklist.txt"


@targets.register("qualtrics", "Qualtrics", rank=60)
class Qualtrics(Target):
    """Text that is imported, in the main language."""

    name: ClassVar[str] = "qualtrics"
    platform: ClassVar[str] = "qualtrics"

    def faults(self, form: Form) -> Iterator[tuple[str, Message]]:
        """``[[`` would begin an instruction, ``${`` a text that is put in its place."""
        yield from super().faults(form)
        yield from bracket_faults(form)
        yield from marked_texts(
            form, "${", Message("A text holds “${”, which Qualtrics replaces by other text.")
        )

    def write(self, form: Form, out: Output) -> None:
        """Write the survey and its check list."""
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


def bracket_faults(form: Form) -> Iterator[tuple[str, Message]]:
    """Texts with two brackets."""
    yield from marked_texts(
        form, "[[", Message("A text holds “[[”, with which Qualtrics begins an instruction.")
    )


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
        lines += [f"[[Choice:{choice.code}]]", escaped_text(answer)]
    return [*lines, ""]


def _checklist(form: Form, out: Output) -> Iterator[str]:
    say = out.said
    yield say(Message("Qualtrics: what to set by hand after the import"))
    yield ""
    steps = (
        Message("Survey › Tools › Import/Export › Import survey: choose {file}.", file=FILE),
        Message(
            "Survey options › Security: switch on “{setting}” before anybody answers.",
            setting=platform_names("qualtrics_unnamed"),
        ),
        Message(
            "Survey options › Security: switch off “{setting}”.",
            setting=platform_names("qualtrics_once"),
        ),
    )
    for number, step in enumerate(steps, 1):
        yield f"{number}. {say(step)}"
    number = 4
    required = [item.short for item in form.items if item.question.required]
    if required:
        yield f"{number}. " + say(
            Message(
                "Question › Response requirements › Force response: {names}.", names=tuple(required)
            )
        )
        number += 1
    for item in form.items:
        if item.domain is not None:
            low, high = map(plain_number, item.domain)
            yield f"{number}. " + say(
                Message(
                    "Question {name} › Response requirements › Content validation › Number: from "
                    "{low} to {high}.",
                    name=item.short,
                    low=low,
                    high=high,
                )
            )
            number += 1
    if len(form.languages) > 1:
        yield f"{number}. " + say(
            Message("Survey options › Translations: type in the texts below.")
        )
        for code in form.languages[1:]:
            yield ""
            yield f"== {code} =="
            for item in form.items:
                yield f"{item.short}: {item.text(code)}"
                for choice in item.choices:
                    yield f"  {choice.code}  {choice.text.get(code, '')}"
                for line in item.notes.get(code, ()):
                    yield f"  card_{item.short}: {line}"


def escaped_text(text: str) -> str:
    """A text that Qualtrics shows as it is."""
    return escaped(text).replace("&quot;", '"').replace("&#x27;", "'")


def html_text(text: str) -> str:
    """The same on one line."""
    return "<br>".join(escaped_text(line) for line in text.split("\n"))
