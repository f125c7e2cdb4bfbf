"""A questionnaire on paper: wording, boxes, codes in grey, and the instruction at each question.

No serial number, date or anything else marks a sheet.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ppworkbench.core.files import resource
from ppworkbench.fieldwork.kit.form import Form
from ppworkbench.fieldwork.kit.hand_cards import FOLDER, kit_words
from ppworkbench.fieldwork.kit.target import Output, PdfJob, Target, targets
from ppworkbench.fieldwork.page.cards import card_words
from ppworkbench.fieldwork.page.model import direction_of, words_language
from ppworkbench.study.blocks import Figure
from ppworkbench.study.html import escaped, render

_BOX = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20"><rect x="2" y="2" width="15" '
    'height="15" fill="none" stroke="#000000" stroke-width="1.3"/></svg>'
)
_LINE = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 24"><rect x="1" y="1" width="158" '
    'height="22" fill="none" stroke="#000000" stroke-width="1.3"/></svg>'
)


@targets.register("paper", "Paper questionnaire (PDF)", rank=20)
class Paper(Target):
    """A4 pages in every language."""

    name: ClassVar[str] = "paper"
    needs_printer: ClassVar[bool] = True

    def write(self, form: Form, out: Output) -> None:
        for code in form.languages:
            direction = direction_of(code)
            job = PdfJob(
                form.title(code),
                tuple(_blocks(form, code, direction)),
                {"box": Figure(_BOX, "", 20, 20), "line": Figure(_LINE, "", 160, 24)},
                resource(FOLDER, "paper.css").read_text(encoding="utf-8"),
                direction=direction,
                is_flowing=True,
            )
            out.pdf(f"paper.{code}.pdf", job)
        for item in form.items:
            out.answered(item, item.short)


def _blocks(form: Form, code: str, direction: str) -> Iterator[str]:
    """What is kept together on a page: the heading, every question, the end."""
    said = [line for line in form.introduction(code).split("\n") if line]
    head = f"<h1>{escaped(form.title(code))}</h1>"
    yield head + "".join(f"<p>{escaped(line)}</p>" for line in said)
    is_told = False
    for item in form.items:
        card = item.cards.get(code)
        lines = list(item.notes.get(code, ()))
        if card is not None:
            # Why one answer proves nothing is said once; every sheet would be twice as long.
            lines = [*card.sentences, *card.steps, card.nobody, *card.warnings]
            lines += [] if is_told else [card.why, card.example]
            is_told = True
        yield render(
            f"{FOLDER}/paper.html",
            form=form,
            item=item,
            code=code,
            lines=[line for line in lines if line],
            words=kit_words(words_language(code, form.main)),
            direction=direction,
            words_direction=card_words(words_language(code, form.main))["direction"],
        )
    if form.thanks(code):
        yield f"<p></p><p>{escaped(form.thanks(code))}</p>"
