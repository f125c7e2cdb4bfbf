"""Printable cards: what a respondent does with a device, one sheet for each question and arm.

The words are templates of a language; whatever they cannot decline is set in quotation marks. They
can be edited before they are printed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType

import numpy as np

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Design, DesignedAttribute
from ppworkbench.core.design.devices import Device, Outcome, exact_device, use_of
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.files import resource, write_text
from ppworkbench.fieldwork.page.pictures import (
    BLACK,
    WIDE,
    Picture,
    Sector,
    placed_tiles,
    stacked_cards,
)
from ppworkbench.study.html import Page, css_variables
from ppworkbench.study.questionnaire.texts import Texts, list_items

FOLDER = "cards"
_MOST_LISTED = 6
"""More numbers than this in a row are told by the first and the last."""
_TRUTH = "truth"


@cache
def card_languages() -> tuple[str, ...]:
    files = sorted(resource(FOLDER).glob("words.*.json"))
    return tuple(path.name.split(".")[1] for path in files)


@cache
def card_words(language: str) -> Mapping[str, str]:
    if language not in card_languages():
        raise ParameterError.saying(
            "There are no cards in the language {language!r}; choose of {known}.",
            language=language,
            known=", ".join(card_languages()),
            field="language",
        )
    text = resource(FOLDER, f"words.{language}.json").read_text(encoding="utf-8")
    return MappingProxyType(json.loads(text))


@dataclass(frozen=True)
class Card:
    """One sheet. ``why`` is empty where an answer does give something away; warnings say which.

    ``arm`` is empty where all get the same version, ``version`` tells it to whoever hands it out.
    """

    attribute: str
    arm: str
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
    version: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        """What the respondent reads below the title: sentences, and what to do."""
        return (*self.sentences, *self.steps)

    def with_words(self, title: str, lines: Sequence[str]) -> Card:
        """The same card in words that somebody has edited; what it promises stays as it is."""
        kept = tuple(line.strip() for line in lines if line.strip())
        first = len(self.sentences)
        return replace(
            self, title=title.strip() or self.title, sentences=kept[:first], steps=kept[first:]
        )


def cards_of(
    design: Design,
    languages: Sequence[str] = ("en",),
    texts: Texts | None = None,
    only: Sequence[str] = (),
    arms: Sequence[str] = (),
) -> tuple[Card, ...]:
    """The cards of all questions that people randomise by hand, by language and arm.

    Parameters
    ----------
    only, arms
        Questions and arms to write cards for; all where none is named.

    Raises
    ------
    DesignError
        When a randomised question has no device that does it exactly, or none needs a card.
    """
    for language in languages:
        card_words(language)
    names = {one.name for one in design.lists}
    for name in only:
        if name not in names:
            design[name]  # An error says what there is.
    versions = [*_versions(design, arms)]
    found = [
        card
        for language in languages
        for arm, own in versions
        for card in _cards_of_arm(arm, own, design.lists, language, texts or Texts(), only)
    ]
    if not found:
        raise DesignError("No question of the design is randomised by a device.", field="device")
    return tuple(found)


def _cards_of_arm(
    arm: str,
    own: Design,
    lists: Sequence[ListQuestion],
    language: str,
    texts: Texts,
    only: Sequence[str],
) -> Iterator[Card]:
    """The cards of one version in one language; the design of an arm alone has no lists."""
    for one in own:
        if (not only or one.name in only) and needs_card(own, one):
            yield _Writer(one, language, texts, arm).card()
    for asked in lists:
        is_heard = arm in (*asked.short, *asked.long)
        if is_heard and (not only or asked.name in only):
            yield _list_card(asked, arm, language, texts)


def _versions(design: Design, arms: Sequence[str]) -> Iterator[tuple[str, Design]]:
    """The plain design of every arm with its name; without arms the design itself."""
    if arms:
        yield from ((arm, design.of_arm(arm)) for arm in arms)
    else:
        yield from design.plain_designs().items()


def card_of(designed: DesignedAttribute, language: str, texts: Texts, wide: int = WIDE) -> Card:
    """The card of one question whose device is known, with a picture of at most that width.

    Raises
    ------
    DesignError
        When no device does its probabilities exactly.
    """
    return _Writer(designed, language, texts, wide=wide).card()


class DeviceWords:
    """The words of a language for what is thrown, without a question."""

    def __init__(self, device: Device, language: str) -> None:
        self._device, self._say = device, card_words(language)

    @property
    def start(self) -> str:
        return self._say[f"start_{self._device.name}"]

    def outcomes(self, part: str) -> str:
        names = [name for name, _ in self._device.parts]
        return outcome_words(
            self._device, self._say, self._device.outcomes(part), names.index(part)
        )

    @property
    def others(self) -> str:
        named = {one for _, outcomes in self._device.parts for one in outcomes}
        rest = tuple(one for one in self._device.kind.outcomes if one not in named)
        return outcome_words(self._device, self._say, rest, len(self._device.parts))


def needs_card(design: Design, designed: DesignedAttribute) -> bool:
    is_page = designed.device is not None and designed.device.kind.does_anything
    is_alone = design.group_of(designed.name) is None
    use = designed.perturbation.device_use(designed.attribute)
    return use is not None and is_alone and not is_page


def cards_html(cards: Sequence[Card]) -> str:
    words = card_words(cards[0].language)
    page = Page(
        title=words["title"],
        # Paper is white, whatever the screen prefers.
        style=css_variables(dark=False) + resource(FOLDER, "cards.css").read_text(encoding="utf-8"),
        language=cards[0].language,
        direction=words["direction"],
    )
    return page.to_html("cards/cards.html", cards=cards)


def write_cards(cards: Sequence[Card], path: str | Path) -> None:
    write_text(path, cards_html(cards))


def _list_card(asked: ListQuestion, arm: str, language: str, texts: Texts) -> Card:
    """The items of a list, of which the respondent says only how many are true."""
    say = card_words(language)
    items = list_items(asked, arm, texts)
    most = len(items)
    quoted = say["quoted"].format
    return Card(
        attribute=asked.name,
        arm=arm,
        language=language,
        direction=say["direction"],
        title=say["list_title"],
        sentences=items,
        steps=(say["list"],),
        boxes=tuple(map(str, range(most + 1))),
        # Who says "all" or "none" has said it of every sentence.
        why="",
        warnings=(say["list_away"].format(none=quoted(text=0), all=quoted(text=most)),),
        prepare="",
        picture=None,
        version=say["version"].format(arm=arm),
    )


def outcome_words(
    device: Device, say: Mapping[str, str], outcomes: tuple[Outcome, ...], place: int
) -> str:
    """Outcomes in words; sectors and cards by the colour of their place."""
    if device.kind.is_counted:
        return _colour(say, place)
    if _are_in_a_row(device, outcomes) and len(outcomes) > _MOST_LISTED:
        first, last = (_outcome_word(device, say, one) for one in (outcomes[0], outcomes[-1]))
        return say["to"].format(first=first, last=last)
    names = [_outcome_word(device, say, one) for one in outcomes]
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {say['or']} {names[-1]}"


def answer_words(say: Mapping[str, str], texts: Texts, attribute: Attribute, place: int) -> str:
    """The text of an answer; a bare yes or no is said in the language of the card."""
    told = texts.answer(attribute.name, attribute.values[place])
    return say[told.lower()] if told.lower() in ("yes", "no") else told


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _are_in_a_row(device: Device, outcomes: tuple[Outcome, ...]) -> bool:
    if device.name == "birthday-month":
        return False  # Months are declined, which "from … to" would do in another way.
    numbers = [one for one in outcomes if isinstance(one, int)]
    in_a_row = numbers == list(range(numbers[0], numbers[-1] + 1)) if numbers else False
    return in_a_row and len(numbers) == len(outcomes)


def _outcome_word(device: Device, say: Mapping[str, str], one: Outcome) -> str:
    if device.name == "birthday-month":
        return say["months"].split(",")[int(one) - 1]
    return say[one] if isinstance(one, str) else str(one)


def _colour(say: Mapping[str, str], place: int) -> str:
    colours = say["colours"].split(",")
    return colours[place % len(colours)]


class _Writer:
    def __init__(
        self,
        designed: DesignedAttribute,
        language: str,
        texts: Texts,
        arm: str = "",
        wide: int = WIDE,
    ) -> None:
        self._designed, self._language, self._texts = designed, language, texts
        self._arm, self._wide = arm, wide
        self._say = card_words(language)
        attribute = designed.attribute
        self._use = use_of(designed.perturbation, attribute)
        device = designed.device or exact_device(designed.perturbation, attribute)
        if device is None:
            raise DesignError.saying(
                "Attribute {attribute!r}: no device does its probabilities exactly; choose a "
                "device for it first.",
                attribute=designed.name,
                field="device",
            )
        self._device: Device = device

    def card(self) -> Card:
        say = self._say
        warnings = tuple(self._gives_away())
        return Card(
            attribute=self._designed.name,
            arm=self._arm,
            language=self._language,
            direction=say["direction"],
            title=self._question,
            sentences=self._sentences(),
            steps=tuple(self._steps()),
            boxes=self._boxes(),
            why="" if warnings else say["why"],
            warnings=warnings,
            prepare=self._prepare(),
            picture=self._picture(),
            version=say["version"].format(arm=self._arm) if self._arm else "",
        )

    @property
    def _question(self) -> str:
        return self._texts.question(self._designed.attribute)

    def _answer(self, place: int) -> str:
        return answer_words(self._say, self._texts, self._designed.attribute, place)

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

    def _steps(self) -> Iterator[str]:
        scheme, truth = self._use.scheme, dict(self._device.parts).get(_TRUTH, ())
        # Nothing is thrown for a birthday.
        if scheme not in ("crosswise", "triangular") or not self._device.kind.is_natural:
            yield self._start()
        if scheme == "forced":
            yield from self._forced(truth)
            return
        others = tuple(one for one in self._device.kind.outcomes if one not in truth)
        yield self._say[scheme].format(
            outcomes=capital(self._set(truth, 0)), others=capital(self._set(others, 1)),
            yes=self._quoted(-1), no=self._quoted(0),
        )  # fmt: skip

    def _forced(self, truth: tuple[Outcome, ...]) -> Iterator[str]:
        values = self._designed.attribute.values
        lines = []
        for place, (part, outcomes) in enumerate(self._device.parts):
            if part != _TRUTH and outcomes:
                told = capital(self._set(outcomes, place))
                answer = self._quoted(values.index(part))
                lines.append(self._say["forced"].format(outcomes=told, answer=answer))
        yield from lines if len(lines) <= 3 else [" ".join(lines)]
        if truth:
            yield self._say["forced_truth"].format(outcomes=capital(self._set(truth, 0)))

    def _set(self, outcomes: tuple[Outcome, ...], place: int) -> str:
        return outcome_words(self._device, self._say, outcomes, place)

    def _colour(self, place: int) -> str:
        return _colour(self._say, place)

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
        matrix = self._designed.perturbation.values.matrix(self._designed.attribute.k)
        boxes = self._boxes()
        for report, row in enumerate(matrix):
            for place in np.flatnonzero(row == 0) if row.max() > 0 else ():
                yield self._say["gives_away"].format(
                    report=self._say["quoted"].format(text=boxes[len(matrix) - 1 - report]),
                    value=self._quoted(int(place)),
                )

    # The device

    def _counts(self) -> Iterator[tuple[str, int]]:
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

    def _picture(self) -> Picture:
        kind = self._device.kind
        if self._use.is_separate:
            tiles = stacked_cards([[*self._deck(side)] for side in (0, 1)], *self._stacked)
            return Picture(self._prepare(), tiles)
        if self._device.name == "deck":
            return Picture(self._prepare(), stacked_cards([[*self._cards()]], *self._stacked))
        if kind.is_counted:
            shares = [n / len(kind.outcomes) for _, n in self._counts()]
            sectors = [
                Sector(share, name, place)
                for place, ((name, _), share) in enumerate(zip(self._counts(), shares, strict=True))
                if share > 0
            ]
            words = [self._say["share"].format(label=name, share=n) for name, n in self._counts()]
            return Picture(", ".join(words), sectors=tuple(sectors))
        meanings = dict(self._meanings())
        # Months are declined in sentences; their numbers are understood everywhere.
        faces = [
            str(one) if isinstance(one, int) else _outcome_word(self._device, self._say, one)
            for one in kind.outcomes
        ]
        tiles = placed_tiles(
            faces,
            [meanings[one] for one in kind.outcomes],
            pips=self._device.name == "die",
            wide=self._wide,
        )
        return Picture(", ".join(f"{tile.face}: {tile.meaning}" for tile in tiles), tiles)

    @property
    def _stacked(self) -> tuple[int, int]:
        """The width of a deck, whose parts may need more room for words, and that of a letter."""
        return 7 * self._wide // 10, 7 if self._wide >= WIDE else 9

    def _cards(self) -> Iterator[tuple[str, int, int, str]]:
        """Colours of one deck: face, number, place of the colour, meaning."""
        values = self._designed.attribute.values
        parts = [part for part, _ in self._device.parts]
        for place, (name, count) in enumerate(self._counts()):
            if place >= len(parts):
                meaning = self._rest_meaning()
            elif parts[place] == _TRUTH:
                meaning = self._truth_meaning()
            else:
                meaning = self._answer(values.index(parts[place]))
            yield f"{count} × {name}", count, place, meaning

    def _deck(self, side: int) -> Iterator[tuple[str, int, int, str]]:
        (_, red), size = self._device.parts[side], len(self._device.kind.outcomes)
        meaning = self._say[("left", "right")[side]]
        yield f"{len(red)} × {self._say['red']}", len(red), 1, meaning
        black = size - len(red)
        yield f"{black} × {self._say['black']}", black, BLACK, meaning

    def _meanings(self) -> Iterator[tuple[Outcome, tuple[int, str]]]:
        rest = self._rest_meaning()
        for one in self._device.kind.outcomes:
            yield one, (1, rest)
        values = self._designed.attribute.values
        for place, (part, outcomes) in enumerate(self._device.parts):
            is_truth = part == _TRUTH
            meaning = self._truth_meaning() if is_truth else self._answer(values.index(part))
            for one in outcomes:
                yield one, (0 if is_truth else place, meaning)

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
