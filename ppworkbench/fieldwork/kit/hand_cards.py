"""What a respondent reads before a question that is randomised by hand, in one language.

Named devices have the words of :mod:`ppworkbench.fieldwork.page.cards`; slips and groups with
one throw have theirs here. Every card has an example that is worked out from its own procedure.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from ppworkbench.core.design import DesignedAttribute
from ppworkbench.core.design.devices import Device, Outcome
from ppworkbench.core.design.procedures import GROUP, SLIPS, Procedure
from ppworkbench.core.files import resource
from ppworkbench.fieldwork.page.cards import (
    Card,
    DeviceWords,
    answer_words,
    capital,
    card_of,
    card_words,
    outcome_words,
)
from ppworkbench.fieldwork.page.model import words_language
from ppworkbench.fieldwork.page.pictures import Picture, fit_on_paper, placed_tiles
from ppworkbench.study.questionnaire.texts import Texts

FOLDER = "kit"
WIDE = 340
"""The width of a picture on a card of A6, in pixels of three quarters of a point."""
_OWN_WORDS = frozenset({"warner", "crosswise", "triangular", "kuk"})
"""Schemes whose answers are not those of the question."""


@cache
def kit_words(language: str) -> Mapping[str, str]:
    text = resource(FOLDER, f"words.{language}.json").read_text(encoding="utf-8")
    return MappingProxyType(json.loads(text))


@dataclass(frozen=True)
class HandCard(Card):
    """One card: for a question, or for all questions of a group.

    ``boxes`` are the answers that the device words itself, in the order of the values; empty where
    the answers are those of the question.
    """

    names: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    nobody: str = ""
    example: str = ""
    needed: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        said = (*self.sentences, *self.steps, self.nobody, self.why, *self.warnings, self.example)
        return tuple(line for line in said if line)


@dataclass(frozen=True)
class _Asked:
    number: int
    designed: DesignedAttribute
    procedure: Procedure


class CardWriter:
    def __init__(self, language: str, main: str, texts: Texts) -> None:
        self._language, self._spoken = language, words_language(language, main)
        self._texts = texts
        self._say, self._own = card_words(self._spoken), kit_words(self._spoken)

    def card(self, number: int, designed: DesignedAttribute, procedure: Procedure) -> HandCard:
        if procedure.scheme == SLIPS:
            return self._slips(number, designed, procedure)
        device = procedure.device
        made = card_of(
            dataclasses.replace(designed, device=device), self._spoken, self._texts, WIDE
        )
        own = procedure.scheme in _OWN_WORDS
        return dataclasses.replace(
            HandCard(**vars(made)), names=(designed.name,), numbers=(number,),
            language=self._language, boxes=tuple(reversed(made.boxes)) if own else (),
            prepare=_after(made.prepare), picture=self._picture(device, made.picture),
            nobody=self._nobody(device), example=self._example(procedure, made),
            needed=self._needed(device),
        )  # fmt: skip

    def group(self, members: Sequence[tuple[int, DesignedAttribute, Procedure]]) -> HandCard:
        asked = [_Asked(*one) for one in members]
        first = asked[0].procedure
        assert first.device is not None  # noqa: S101 (a group has a throw)
        assert first.group is not None  # noqa: S101
        words, numbers = DeviceWords(first.device, self._spoken), tuple(one.number for one in asked)
        title = self._own["questions"].format(numbers=", ".join(map(str, numbers)))
        return dataclasses.replace(
            self._blank(tuple(one.designed.name for one in asked), numbers, title),
            steps=tuple(self._group_steps(asked, words)), why=self._say["why"],
            picture=self._group_picture(first), nobody=self._nobody(first.device),
            sentences=tuple(f"{one.number}. {self._question(one.designed)}" for one in asked),
            example=self._group_example(asked[0], words),
            needed=self._needed(first.device, first.other),
        )  # fmt: skip

    def _blank(self, names: tuple[str, ...], numbers: tuple[int, ...], title: str) -> HandCard:
        """A card that no device words, without its words."""
        around = "", "", self._language, self._say["direction"], title
        return HandCard(*around, (), (), (), "", (), "", None, names=names, numbers=numbers)

    def same_throw(self, question: str) -> tuple[str, ...]:
        """What stands before a later question of a group."""
        return (self._own["group_again"].format(question=question), self._own["nobody"])

    def _question(self, designed: DesignedAttribute) -> str:
        return self._texts.question(designed.attribute)

    def _answer(self, designed: DesignedAttribute, place: int) -> str:
        told = answer_words(self._say, self._texts, designed.attribute, place)
        return self._say["quoted"].format(text=told)

    @staticmethod
    def _picture(device: Device | None, made: Picture | None) -> Picture | None:
        if made is None or (device is not None and device.kind.is_natural):
            # A birthday needs no picture: nothing is thrown.
            return None
        return fit_on_paper(made, WIDE)

    def _nobody(self, device: Device | None) -> str:
        is_natural = device is not None and device.kind.is_natural
        return self._own["nobody_natural" if is_natural else "nobody"]

    def _needed(self, *devices: Device | None) -> tuple[str, ...]:
        named = (
            self._own.get(f"device_{device.name}", "") for device in devices if device is not None
        )
        return tuple(dict.fromkeys(one for one in named if one))

    # Groups

    def _group_steps(self, asked: Sequence[_Asked], words: DeviceWords) -> Iterator[str]:
        own, group = self._own, asked[0].procedure.group
        yield words.start
        yield own["group_start"].format(count=len(asked))
        yield own["group_truth"].format(outcomes=capital(words.outcomes("truth")))
        others = capital(words.others)
        if group is not None and group.type == "related":
            yield own["group_reversed"].format(others=others)
            return
        seconds = [one.procedure.other for one in asked]
        starts = dict.fromkeys(
            DeviceWords(one, self._spoken).start for one in seconds if one is not None
        )
        yield own["group_other"].format(others=others, again=" ".join(starts))
        for one in asked:
            lines = " ".join(self._forced_lines(one))
            yield own["group_line"].format(question=self._question(one.designed), lines=lines)

    def _forced_lines(self, one: _Asked) -> Iterator[str]:
        other = one.procedure.other
        for place, (part, outcomes) in enumerate(() if other is None else other.parts):
            if part != "truth" and outcomes and other is not None:
                told = capital(outcome_words(other, self._say, outcomes, place - 1))
                answer = self._answer(one.designed, one.designed.attribute.values.index(part))
                yield self._say["forced"].format(outcomes=told, answer=answer)

    def _group_example(self, one: _Asked, words: DeviceWords) -> str:
        group = one.procedure.group
        if group is None or group.type != "related":
            return self._own["example_group"].format(outcome=words.others)
        return self._own["example"].format(
            outcome=words.others, truth=self._answer(one.designed, 0),
            report=self._answer(one.designed, 1),
        )  # fmt: skip

    def _group_picture(self, procedure: Procedure) -> Picture | None:
        device = procedure.device
        if device is None or device.kind.is_counted:
            return None
        truth = set(device.outcomes("truth"))
        meanings = [
            # Grey without a word: what it means takes more room than a tile has.
            (0, self._say["truth"]) if one in truth else (1, "")
            for one in device.kind.outcomes
        ]
        faces = [
            str(one) if isinstance(one, int) else self._say[one] for one in device.kind.outcomes
        ]
        tiles = placed_tiles(faces, meanings, pips=device.name == "die", wide=WIDE)
        text = ", ".join(f"{t.face}: {t.meaning}" for t in tiles)
        return fit_on_paper(Picture(text, tiles), WIDE)

    # Slips

    def _slips(self, number: int, designed: DesignedAttribute, procedure: Procedure) -> HandCard:
        own, reach = self._own, procedure.reach
        low, high = designed.attribute.domain or (0.0, 1.0)
        truth = round((low + high) / 2)
        slip = -min(2, reach)
        faces = [_signed(one) for one in range(-reach, reach + 1)]
        tiles = placed_tiles(faces, [(0, "")] * len(faces), wide=WIDE)
        return dataclasses.replace(
            self._blank((designed.name,), (number,), self._question(designed)),
            nobody=own["nobody"],
            steps=(own["start_slips"], own["slips"], own["put_back"]), why=own["why_slips"],
            example=own["example_slips"].format(truth=truth, slip=_signed(slip), sum=truth + slip),
            prepare=own["prepare_slips"].format(count=2 * reach + 1, reach=reach),
            picture=Picture(", ".join(faces), tiles), needed=(own["device_slips"],),
        )  # fmt: skip

    # Examples

    def _example(self, procedure: Procedure, card: Card) -> str:
        """One outcome that is not "the truth", carried out."""
        own, say, scheme, device = self._own, self._say, procedure.scheme, procedure.device
        if scheme == "crosswise":
            return own["example_crosswise"].format(different=say["different"])
        if scheme == "triangular":
            return own["example_triangular"]
        if scheme == "kuk":
            yes = say["quoted"].format(text=self._boxed(procedure, 1))
            return own["example_kuk"].format(yes=yes, red=say["red"])
        found = None if device is None else self._other_outcome(device)
        if device is None or found is None:
            return ""
        place, outcome, part = found
        told = outcome_words(device, say, (outcome,), place)
        if scheme == "unrelated":
            return own["example_unrelated"].format(outcome=told)
        values = procedure.attribute.values
        truth = 0 if scheme == "mangat" or part not in values else int(values.index(part) == 0)
        report = values.index(part) if part in values else 1 - truth
        shown = self._reported(procedure, card, report)
        quoted = say["quoted"].format
        return own["example"].format(
            outcome=told,
            truth=quoted(text=self._boxed(procedure, truth)),
            report=quoted(text=shown),
        )

    def _reported(self, procedure: Procedure, card: Card, place: int) -> str:
        if procedure.scheme in _OWN_WORDS:
            return card.boxes[len(card.boxes) - 1 - place]
        return self._boxed(procedure, place)

    def _boxed(self, procedure: Procedure, place: int) -> str:
        return answer_words(self._say, self._texts, procedure.attribute, place)

    @staticmethod
    def _other_outcome(device: Device) -> tuple[int, Outcome, str] | None:
        """The first outcome that does not mean the truth: place of its part, itself, its part."""
        for place, (part, outcomes) in enumerate(device.parts):
            if part != "truth" and outcomes:
                return place, outcomes[0], part
        named = {one for _, outcomes in device.parts for one in outcomes}
        rest = [one for one in device.kind.outcomes if one not in named]
        return (len(device.parts), rest[0], "") if rest else None


def is_own_worded(procedure: Procedure) -> bool:
    """Whether the answers are words of the device, such as "red"."""
    return procedure.scheme in _OWN_WORDS


def is_grouped(procedure: Procedure) -> bool:
    return procedure.scheme == GROUP


def _signed(number: int) -> str:
    return f"−{-number}" if number < 0 else f"+{number}" if number else "0"


def _after(prepare: str) -> str:
    """What a surveyor prepares, without the words before it."""
    return prepare.partition(": ")[2].rstrip(".") if prepare else ""
