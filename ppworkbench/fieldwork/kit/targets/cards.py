"""Cards on paper: A6, and A4 with four cards to cut, a sheet for interviewers and a rehearsal."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import ClassVar

from ppworkbench.core.files import resource
from ppworkbench.core.message import Message
from ppworkbench.fieldwork.kit.form import Form
from ppworkbench.fieldwork.kit.hand_cards import FOLDER, HandCard, kit_words
from ppworkbench.fieldwork.kit.target import Output, PdfJob, Target, targets
from ppworkbench.fieldwork.page.cards import card_words
from ppworkbench.fieldwork.page.model import direction_of, words_language
from ppworkbench.fieldwork.page.pictures import PRINT, Picture
from ppworkbench.study.blocks import Figure
from ppworkbench.study.html import render

_ON_PAPER = 1.0 / 0.85
"""Drawings are shrunk with a report; a card's words are as large as its pixels."""


@targets.register("cards", "Cards (PDF)", rank=10)
class Cards(Target):
    """One card per question or group and language."""

    name: ClassVar[str] = "cards"
    needs_printer: ClassVar[bool] = True

    def faults(self, form: Form) -> Iterator[tuple[str, Message]]:
        """Cards are of use only for what is randomised by hand."""
        yield from super().faults(form)
        if not form.refusals and not form.cards:
            yield "", Message("No question of the design is randomised by a device.")

    def write(self, form: Form, out: Output) -> None:
        style, *compact = (
            resource(FOLDER, name).read_text(encoding="utf-8")
            for name in ("cards.css", "cards-compact.css", "cards-long.css")
        )
        for code in form.languages:
            cards = [card for card in form.cards if card.language == code]
            language = words_language(code, form.main)
            say, own = card_words(language), kit_words(language)
            figures: dict[str, Figure] = {}
            blocks = tuple(
                render(
                    f"{FOLDER}/card.html",
                    card=card,
                    label=_label(card, own),
                    words=own,
                    direction=direction_of(code),
                    name_picture=_Names(figures),
                )
                for card in cards
            )
            title, direction = say["title"], say["direction"]
            single = PdfJob(
                title,
                blocks,
                figures,
                style,
                "A6",
                direction=direction,
                compact=tuple(compact),
                labels=tuple(_label(card, own) for card in cards),
                continued=own["continued"],
            )
            out.pdf(f"cards.{code}.pdf", single)
            out.pdf(f"cards-to-cut.{code}.pdf", dataclasses.replace(single, is_cut=True))
            sheet = render(
                f"{FOLDER}/interviewer.html",
                words=own,
                steps=own["sheet_steps"].split("|"),
                needed=", ".join(dict.fromkeys(one for card in cards for one in card.needed)),
                prepare=[card for card in cards if card.prepare],
                cards=cards,
            )
            job = PdfJob(own["sheet_title"], (sheet,), {}, style, direction=direction)
            out.pdf(f"interviewer.{code}.pdf", job)
            if any(say["question_b"] in card.sentences for card in cards):
                out.note(
                    Message(
                        "Write the harmless question onto the cards of unrelated questions; its "
                        "share is that of the design."
                    )
                )


def _label(card: HandCard, own: Mapping[str, str]) -> str:
    """The question that a card is for; all cards of a group are called cards."""
    if len(card.numbers) == 1:
        return own["question"].format(number=card.numbers[0])
    return own["card"]


class _Names:
    """Remembers drawings by the names that a page knows them by."""

    def __init__(self, figures: dict[str, Figure]) -> None:
        self._figures = figures

    def __call__(self, picture: Picture) -> str:
        name = f"picture{len(self._figures)}"
        width, height = picture.size(PRINT)
        size = round(width * _ON_PAPER), round(height * _ON_PAPER)
        self._figures[name] = Figure(picture.to_svg(PRINT), picture.text, *size)
        return name
