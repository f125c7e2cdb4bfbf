"""Printable cards: what a respondent does with a device, one sheet for each question.

The words are templates of a language; whatever they cannot decline is set in quotation marks. They
can be edited on the page before it is printed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

import numpy as np

from ppworkbench.core.design import Design, DesignedAttribute
from ppworkbench.core.design.devices import Device, Outcome, exact_device, use_of
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.files import resource, write_text
from ppworkbench.core.message import Message
from ppworkbench.study.html import Page, css_variables
from ppworkbench.study.questionnaire.page import Texts

FOLDER = "cards"
_TILE, _GAP, _ROW, _WIDE = 44, 6, 66, 600
_DIE = "⚀⚁⚂⚃⚄⚅"
_MOST_LISTED = 6
"""More numbers than this in a row are told by the first and the last."""
_TRUTH = "truth"


@cache
def card_languages() -> tuple[str, ...]:
    """The languages that cards can be written in."""
    files = sorted(resource(FOLDER).glob("words.*.json"))
    return tuple(path.name.split(".")[1] for path in files)


@cache
def card_words(language: str) -> Mapping[str, str]:
    """The words of a language."""
    if language not in card_languages():
        raise ParameterError(
            Message(
                "There are no cards in the language {language!r}; choose of {known}.",
                language=language,
                known=", ".join(card_languages()),
            ),
            field="language",
        )
    text = resource(FOLDER, f"words.{language}.json").read_text(encoding="utf-8")
    return MappingProxyType(json.loads(text))


@dataclass(frozen=True)
class Tile:
    """One outcome in the picture of a device."""

    x: int
    y: int
    width: int
    face: str
    part: str
    meaning: str

    @property
    def middle(self) -> float:
        """Where its text stands."""
        return self.x + self.width / 2


@dataclass(frozen=True)
class Sector:
    """One part of a disc."""

    path: str
    x: float
    y: float
    face: str
    part: str


@dataclass(frozen=True)
class Picture:
    """A device with its decisive outcomes: a row of tiles, or a disc."""

    text: str
    tiles: tuple[Tile, ...] = ()
    sectors: tuple[Sector, ...] = ()
    width: int = 0
    height: int = 0


@dataclass(frozen=True)
class Card:
    """One sheet. ``why`` is empty where an answer does give something away; warnings say which."""

    attribute: str
    language: str
    direction: str
    title: str
    sentences: tuple[str, ...]
    steps: tuple[str, ...]
    boxes: tuple[str, ...]
    why: str
    warnings: tuple[str, ...]
    prepare: str
    picture: Picture | None


def cards_of(
    design: Design,
    languages: Sequence[str] = ("en",),
    texts: Texts | None = None,
    only: Sequence[str] = (),
) -> tuple[Card, ...]:
    """The cards of all questions that a device randomises, or only of some, by language.

    Raises
    ------
    DesignError
        When a randomised question has no device that does it exactly, or none needs a card.
    """
    for language in languages:
        card_words(language)
    chosen = [design[name] for name in only] or design
    asked = [designed for designed in chosen if needs_card(design, designed)]
    if not asked:
        raise DesignError("No question of the design is randomised by a device.", field="device")
    texts = texts or Texts()
    return tuple(_Writer(one, language, texts).card() for language in languages for one in asked)


def needs_card(design: Design, designed: DesignedAttribute) -> bool:
    """Whether a respondent randomises the question by hand."""
    is_page = designed.device is not None and designed.device.kind.does_anything
    is_alone = design.group_of(designed.name) is None
    use = designed.perturbation.device_use(designed.attribute)
    return use is not None and is_alone and not is_page


def write_cards(
    design: Design,
    path: str | Path,
    languages: Sequence[str] = ("en",),
    texts: Texts | None = None,
    only: Sequence[str] = (),
) -> tuple[Card, ...]:
    """Write the cards as one page, whole or not at all."""
    cards = cards_of(design, languages, texts, only)
    words = card_words(languages[0])
    style = resource(FOLDER, "cards.css").read_text(encoding="utf-8")
    page = Page(
        title=words["title"],
        # Paper is white, whatever the screen prefers.
        style=css_variables(dark=False) + style,
        language=languages[0],
        direction=words["direction"],
    )
    write_text(path, page.to_html("cards/cards.html", cards=cards))
    return cards


class _Writer:
    """Writes the card of one question in one language."""

    def __init__(self, designed: DesignedAttribute, language: str, texts: Texts) -> None:
        self._designed, self._language, self._texts = designed, language, texts
        self._say = card_words(language)
        attribute = designed.attribute
        self._use = use_of(designed.perturbation, attribute)
        device = designed.device or exact_device(designed.perturbation, attribute)
        if device is None:
            raise DesignError(
                Message(
                    "Attribute {attribute!r}: no device does its probabilities exactly; choose one "
                    "with 'devices --use'.",
                    attribute=designed.name,
                ),
                attribute=designed.name,
                field="device",
            )
        self._device: Device = device

    def card(self) -> Card:
        say, scheme = self._say, self._use.scheme
        steps = {
            "forced": self._forced,
            "warner": self._warner,
            "unrelated": self._unrelated,
            "crosswise": self._crosswise,
            "triangular": self._triangular,
            "mangat": self._mangat,
            "kuk": self._kuk,
        }[scheme]
        warnings = tuple(self._gives_away())
        return Card(
            attribute=self._designed.name,
            language=self._language,
            direction=say["direction"],
            title=self._question,
            sentences=self._sentences(),
            steps=tuple(steps()),
            boxes=self._boxes(),
            why="" if warnings else say["why"],
            warnings=warnings,
            prepare=self._prepare(),
            picture=self._picture(),
        )

    @property
    def _question(self) -> str:
        return self._texts.question(self._designed.attribute)

    def _answer(self, place: int) -> str:
        """The text of an answer; a bare yes or no is said in the language of the card."""
        value = self._designed.attribute.values[place]
        told = self._texts.answer(self._designed.name, value)
        return self._say[told.lower()] if told.lower() in ("yes", "no") else told

    def _quoted(self, place: int) -> str:
        return self._say["quoted"].format(text=self._answer(place))

    def _start(self) -> str:
        name = "decks" if self._use.is_separate else self._device.name
        return self._say[f"start_{name}"]

    def _sentences(self) -> tuple[str, ...]:
        say, question = self._say, self._question
        known = {"question": question, "yes": self._answer(-1), "no": self._answer(0)}
        first, second = say["sentence_a"].format(**known), say["sentence_b"].format(**known)
        if self._use.scheme == "warner":
            return first, second
        if self._use.scheme in ("crosswise", "triangular"):
            return first, say["statement_b"].format(statement=self._statement())
        if self._use.scheme == "unrelated":
            return say["question_a"].format(question=question), say["question_b"]
        return ()

    def _statement(self) -> str:
        key = f"statement_{self._device.name}"
        template = self._say.get(key, self._say["statement"])
        return template.format(outcomes=self._set(self._device.outcomes(_TRUTH), 0))

    # What to do

    def _forced(self) -> Iterator[str]:
        yield self._start()
        values = self._designed.attribute.values
        lines = []
        for place, (part, outcomes) in enumerate(self._device.parts):
            if part != _TRUTH and outcomes:
                told = self._capital(self._set(outcomes, place))
                answer = self._quoted(values.index(part))
                lines.append(self._say["forced"].format(outcomes=told, answer=answer))
        yield from lines if len(lines) <= 3 else [" ".join(lines)]
        truth = self._device.outcomes(_TRUTH)
        if truth:
            yield self._say["forced_truth"].format(outcomes=self._capital(self._set(truth, 0)))

    def _warner(self) -> Iterator[str]:
        yield self._start()
        yield self._say["warner"].format(outcomes=self._truth(), others=self._others())

    def _unrelated(self) -> Iterator[str]:
        yield self._start()
        yield self._say["unrelated"].format(others=self._others())

    def _crosswise(self) -> Iterator[str]:
        if not self._device.kind.is_natural:
            yield self._start()
        yield self._say["crosswise"]

    def _triangular(self) -> Iterator[str]:
        if not self._device.kind.is_natural:
            yield self._start()
        yield self._say["triangular"]

    def _mangat(self) -> Iterator[str]:
        yield self._start()
        yield self._say["mangat"].format(
            outcomes=self._truth(), yes=self._quoted(-1), no=self._quoted(0)
        )

    def _kuk(self) -> Iterator[str]:
        yield self._start()
        yield self._say["kuk"].format(yes=self._quoted(-1), no=self._quoted(0))

    def _truth(self) -> str:
        return self._capital(self._set(self._device.outcomes(_TRUTH), 0))

    def _others(self) -> str:
        """The outcomes that no part names."""
        truth = set(self._device.outcomes(_TRUTH))
        rest = tuple(one for one in self._device.kind.outcomes if one not in truth)
        return self._capital(self._set(rest, 1))

    def _set(self, outcomes: tuple[Outcome, ...], place: int) -> str:
        """Outcomes in words; sectors and cards by the colour of their place."""
        if self._device.kind.is_counted:
            return self._colour(place)
        if self._are_in_a_row(outcomes) and len(outcomes) > _MOST_LISTED:
            first, last = (self._outcome(one) for one in (outcomes[0], outcomes[-1]))
            return self._say["to"].format(first=first, last=last)
        names = [self._outcome(one) for one in outcomes]
        if len(names) < 2:
            return "".join(names)
        return f"{', '.join(names[:-1])} {self._say['or']} {names[-1]}"

    def _are_in_a_row(self, outcomes: tuple[Outcome, ...]) -> bool:
        if self._device.name == "birthday-month":
            return False  # Months are declined, which "from … to" would do in another way.
        numbers = [one for one in outcomes if isinstance(one, int)]
        in_a_row = numbers == list(range(numbers[0], numbers[-1] + 1)) if numbers else False
        return in_a_row and len(numbers) == len(outcomes)

    def _outcome(self, one: Outcome) -> str:
        if self._device.name == "birthday-month":
            return self._say["months"].split(",")[int(one) - 1]
        return self._say[one] if isinstance(one, str) else str(one)

    def _colour(self, place: int) -> str:
        colours = self._say["colours"].split(",")
        return colours[place % len(colours)]

    @staticmethod
    def _capital(text: str) -> str:
        return text[:1].upper() + text[1:]

    # Answers and what they tell

    def _boxes(self) -> tuple[str, ...]:
        """What is ticked, the record of the last value first."""
        named = {
            "warner": ("true", "not_true"),
            "crosswise": ("same", "different"),
            "triangular": ("triangle", "circle"),
            "kuk": ("red", "black"),
        }.get(self._use.scheme)
        if named is None:
            count = self._designed.attribute.k
            return tuple(self._answer(place) for place in range(count - 1, -1, -1))
        signs = {"triangle": "△ ", "circle": "○ "}
        return tuple(signs.get(name, "") + self._say[name] for name in named)

    def _gives_away(self) -> Iterator[str]:
        matrix = self._designed.perturbation.matrix(self._designed.attribute.k)
        boxes = self._boxes()
        for report, row in enumerate(matrix):
            for place in np.flatnonzero(row == 0) if row.max() > 0 else ():
                yield self._say["gives_away"].format(
                    report=self._say["quoted"].format(text=boxes[len(matrix) - 1 - report]),
                    value=self._quoted(int(place)),
                )

    # The device

    def _counts(self) -> Iterator[tuple[str, int]]:
        """Colours and numbers of sectors or cards."""
        size, used = len(self._device.kind.outcomes), 0
        for place, (_, outcomes) in enumerate(self._device.parts):
            used += len(outcomes)
            yield self._colour(place), len(outcomes)
        if used < size:
            yield self._colour(len(self._device.parts)), size - used

    def _prepare(self) -> str:
        kind, say = self._device.kind, self._say
        if not kind.is_counted:
            return ""
        size = len(kind.outcomes)
        if self._use.is_separate:
            sides = zip(("left", "right"), self._device.parts, strict=True)
            parts = [
                say["count"].format(
                    label=f"{say[side]}: {say['red']}", count=len(outcomes), size=size
                )
                for side, (_, outcomes) in sides
            ]
        elif self._device.name == "spinner":
            parts = [say["share"].format(label=name, share=n) for name, n in self._counts()]
        else:
            parts = [
                say["count"].format(label=name, count=n, size=size) for name, n in self._counts()
            ]
        return say["prepare"].format(parts=", ".join(parts))

    def _picture(self) -> Picture | None:
        kind = self._device.kind
        if self._use.is_separate or kind.is_natural or self._device.name == "deck":
            return None
        if kind.is_counted:
            return Picture(", ".join(self._sector_texts()), sectors=tuple(self._sectors()))
        meanings = dict(self._meanings())
        faces = [self._face(one) for one in kind.outcomes]
        widest = max(len(meaning) for _, meaning in meanings.values())
        width = max(_TILE, 9 * max(map(len, faces)) + 12, 6 * widest)
        across = max(1, _WIDE // (width + _GAP))
        tiles = []
        for place, one in enumerate(kind.outcomes):
            row, column = divmod(place, across)
            part, meaning = meanings[one]
            x, y = 1 + column * (width + _GAP), 1 + row * _ROW
            tiles.append(Tile(x, y, width, faces[place], part, meaning))
        rows = -(-len(tiles) // across)
        reach = max(tile.x + tile.width for tile in tiles) + 1
        text = ", ".join(f"{tile.face}: {tile.meaning}" for tile in tiles)
        return Picture(text, tuple(tiles), width=reach, height=rows * _ROW)

    def _face(self, one: Outcome) -> str:
        if self._device.name == "die":
            return f"{_DIE[int(one) - 1]} {one}"
        return self._outcome(one)

    def _meanings(self) -> Iterator[tuple[Outcome, tuple[str, str]]]:
        """What every outcome means, and how it is filled."""
        rest = self._rest_meaning()
        for one in self._device.kind.outcomes:
            yield one, ("other1", rest)
        values = self._designed.attribute.values
        for place, (part, outcomes) in enumerate(self._device.parts):
            is_truth = part == _TRUTH
            meaning = self._truth_meaning() if is_truth else self._answer(values.index(part))
            for one in outcomes:
                yield one, ("truth" if is_truth else f"other{(place - 1) % 3 + 1}", meaning)

    def _truth_meaning(self) -> str:
        if self._use.scheme in ("warner", "unrelated"):
            return "A"
        if self._use.scheme in ("crosswise", "triangular"):
            return "B ✓"
        return self._answer(0) if self._use.scheme == "mangat" else self._say["truth"]

    def _rest_meaning(self) -> str:
        if self._use.scheme in ("crosswise", "triangular"):
            return "B ✗"
        return "B" if self._use.scheme in ("warner", "unrelated") else self._say["otherwise"]

    def _sector_texts(self) -> list[str]:
        return [self._say["share"].format(label=name, share=n) for name, n in self._counts()]

    def _sectors(self) -> Iterator[Sector]:
        """The parts of a disc of radius 110, clockwise from the top."""
        start = 0.0
        for place, (name, count) in enumerate(self._counts()):
            share = count / len(self._device.kind.outcomes)
            end = min(start + share, 0.99999)
            (x1, y1), (x2, y2) = (_on_circle(turn, 110) for turn in (start, end))
            large = int(share > 0.5)
            path = f"M120,120 L{x1},{y1} A110,110 0 {large} 1 {x2},{y2} Z"
            x, y = _on_circle(start + share / 2, 65)
            if share > 0:
                yield Sector(path, x, y, name, "truth" if place == 0 else f"other{place}")
            start += share


def _on_circle(turn: float, radius: float) -> tuple[float, float]:
    angle = 2 * math.pi * turn
    return round(120 + radius * math.sin(angle), 2), round(120 - radius * math.cos(angle), 2)
