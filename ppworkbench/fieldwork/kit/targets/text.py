"""Plain text: everything in the order in which it is asked, for forms that import nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ppworkbench.core.message import Message
from ppworkbench.fieldwork.kit.form import Form
from ppworkbench.fieldwork.kit.target import Output, Target, targets


@targets.register("text", "Plain text", rank=80)
class PlainText(Target):
    name: ClassVar[str] = "text"
    platform: ClassVar[str] = "google-forms"

    def write(self, form: Form, out: Output) -> None:
        out.note(
            Message(
                "Google Forms and e-mail import no file: copy the questions from the plain text."
            )
        )
        for code in form.languages:
            out.text(f"questions.{code}.txt", "\n".join(_lines(form, code)) + "\n")
        for item in form.items:
            # Such forms export the wording as the name of a column.
            column, *also = (" ".join(item.text(code).split()) for code in form.languages)
            out.answered(item, column, None, tuple(also))


def _lines(form: Form, code: str) -> Iterator[str]:
    yield form.title(code)
    yield ""
    if form.introduction(code):
        yield from (form.introduction(code), "")
    for item in form.items:
        for line in item.notes.get(code, ()):
            yield f"    {line}"
        if item.notes:
            yield ""
        yield f"{item.number}. {item.text(code)}"
        hint = item.hint(code, form.main)
        if hint:
            yield f"   {hint}"
        if item.domain is not None:
            yield f"   {item.range_text(code, form.main)}"
        for choice in item.choices:
            yield f"   {choice.code}) {choice.text.get(code, '')}"
        yield ""
    if form.thanks(code):
        yield form.thanks(code)
