"""The privacy budget that a design is made for: a total, how it is shared out, who is asked what.

With ``ask`` every respondent gets only some parts of the questionnaire, drawn evenly. Which ones is
public: the others are empty in the data.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Within
from ppworkbench.core.rng import Stream

RULES = ("equal", "weights", "sum", "max")
EQUAL, WEIGHTS, SUM, MAX = RULES
WIDTH, VARIANCE = MEASURES = ("width", "variance")
TOTAL = Within(0, 1000, open_low=True)
WEIGHT = Within(1e-12, 1e12)
_MOST_WAVES = 10_000
_ROWS_AT_ONCE = 1 << 15
"""Rows whose questions are drawn at a time, so that long tables need little memory."""

Parts = tuple[tuple[str, ...], ...]
"""What is asked or left out as a whole: single questions, groups with one coin, and blocks."""


@dataclass(frozen=True)
class DesignBudget:
    """One epsilon for all answers of a person, and the questionnaire that it is meant for.

    Parameters
    ----------
    total
        Epsilon of all answers of one person in all waves; None where none is wanted.
    rule, of
        How the total is shared out, and what is made small.
    weights
        How much questions matter; 1 where nothing is said.
    locked
        Questions that keep their epsilon when the total is shared out.
    ask
        Parts of the questionnaire that each person gets, drawn evenly; None for all of them.
    blocks
        Randomised questions that are asked together or not at all.
    waves
        How often the same people are asked.
    memoise
        Whether the same true answer gives the same report in every wave.
    linked
        Whether the data tell which reports of several waves are of one person.
    """

    total: float | None = None
    rule: str = SUM
    of: str = WIDTH
    weights: tuple[tuple[str, float], ...] = ()
    locked: tuple[str, ...] = ()
    ask: int | None = None
    blocks: Parts = ()
    waves: int = 1
    memoise: bool = False
    linked: bool = False

    def __post_init__(self) -> None:
        if self.total is not None and not TOTAL.holds(self.total):
            raise _wrong(
                "total",
                Message("The total is {total:g}; {demand}.", total=self.total, demand=TOTAL.demand),
            )
        for field, given, known in (("rule", self.rule, RULES), ("of", self.of, MEASURES)):
            if given not in known:
                raise _wrong(
                    field,
                    Message(
                        "{field!r} is {given!r}; it is one of {known}.",
                        field=field,
                        given=given,
                        known=", ".join(known),
                    ),
                )
        for name, weight in self.weights:
            if not WEIGHT.holds(weight):
                raise _wrong(
                    "weights",
                    Message(
                        "The weight of {attribute!r} is {weight:g}; it must lie between 1e-12 and "
                        "1e+12.",
                        attribute=name,
                        weight=weight,
                    ),
                )
        if self.ask is not None and self.ask < 1:
            raise _wrong("ask", Message("'ask' is {ask}; it must be at least 1.", ask=self.ask))
        if not 1 <= self.waves <= _MOST_WAVES:
            raise _wrong(
                "waves",
                Message(
                    "'waves' is {waves}; it must lie between 1 and {most}.",
                    waves=self.waves,
                    most=_MOST_WAVES,
                ),
            )
        named = [name for block in self.blocks for name in block]
        if len(set(named)) < len(named):
            twice = next(name for name in named if named.count(name) > 1)
            raise _wrong("blocks", Message("{attribute!r} is in two blocks.", attribute=twice))

    @property
    def is_empty(self) -> bool:
        """Whether nothing is said that a design without a budget does not say."""
        return self == DesignBudget()

    def check_names(self, names: Iterable[str]) -> None:
        known = set(names)
        for field, listed in (
            ("weights", [name for name, _ in self.weights]),
            ("locked", self.locked),
            ("blocks", [name for block in self.blocks for name in block]),
        ):
            for name in listed:
                if name not in known:
                    raise _wrong(
                        field,
                        Message(
                            "The budget names {attribute!r}, which is no question of the design.",
                            attribute=name,
                        ),
                    )

    def check_ask(self, parts: Parts) -> None:
        if self.ask is None or self.ask <= len(parts):
            return
        sentence = (
            Message(
                "{ask} of {count} parts cannot be asked; choose 1 to {count}.",
                ask=self.ask,
                count=len(parts),
            )
            if self.blocks
            else Message(
                "{ask} of {questions} questions cannot be asked; choose 1 to {questions}.",
                ask=self.ask,
                questions=len(parts),
            )
        )
        raise _wrong("ask", sentence)

    def keeping(self, pairs: Iterable[Sequence[str]]) -> Self:
        """The same budget with blocks that keep these questions together, too.

        >>> DesignBudget(blocks=(("age", "sex"),)).keeping([("age", "drug")]).blocks
        (('age', 'sex', 'drug'),)
        """
        return dataclasses.replace(self, blocks=suggest_blocks((*self.blocks, *pairs)))

    def weight(self, name: str) -> float:
        return dict(self.weights).get(name, 1.0)

    def parts(self, questions: Iterable[str], groups: Iterable[Sequence[str]]) -> Parts:
        """What is asked as a whole: blocks, groups with one coin, and the questions left.

        A block that holds a member of a group holds the whole group.
        """
        listed = tuple(questions)
        found: dict[str, set[str]] = {name: {name} for name in listed}
        for together in (*self.blocks, *groups):
            members = [name for name in together if name in found]
            joined = set().union(*(found[name] for name in members))
            for name in joined:
                found[name] = joined
        parts = dict.fromkeys(tuple(one for one in listed if one in found[name]) for name in listed)
        return tuple(parts)

    def times(self, values: int | None) -> int:
        """How often one answer of so many possible ones counts; None stands for any number."""
        if not self.memoise or values is None:
            return self.waves
        return min(self.waves, values)

    def among(self, names: Iterable[str]) -> Self | None:
        """What is left of the budget where only some of the questions are."""
        kept = set(names)
        blocks = (tuple(name for name in block if name in kept) for block in self.blocks)
        found = dataclasses.replace(
            self,
            weights=tuple(pair for pair in self.weights if pair[0] in kept),
            locked=tuple(name for name in self.locked if name in kept),
            blocks=tuple(block for block in blocks if len(block) > 1),
        )
        return None if found.is_empty else found

    def renamed(self, call: Callable[[str], str]) -> Self:
        return dataclasses.replace(
            self,
            weights=tuple((call(name), weight) for name, weight in self.weights),
            locked=tuple(map(call, self.locked)),
            blocks=tuple(tuple(map(call, block)) for block in self.blocks),
        )

    def to_json(self, *, words: bool = True) -> dict[str, Any]:
        """The budget as it stands in a design file; without ``words`` what data depend on."""
        result: dict[str, Any] = {}
        if words and self.total is not None:
            result |= {"total": self.total, "rule": self.rule, "of": self.of}
        elif words:
            plain = DesignBudget()
            result |= {"rule": self.rule} if self.rule != plain.rule else {}
            result |= {"of": self.of} if self.of != plain.of else {}
        if words and self.weights:
            result["weights"] = dict(self.weights)
        if words and self.locked:
            result["locked"] = list(self.locked)
        if self.ask is not None:
            result["ask"] = self.ask
        if self.blocks and (words or self.ask is not None):
            result["blocks"] = [list(block) for block in self.blocks]
        if words and self.waves > 1:
            result["waves"] = self.waves
        result |= {field: True for field in ("memoise", "linked") if words and getattr(self, field)}
        return result

    @classmethod
    def from_json(cls, given: Any) -> Self:
        known = tuple(field.name for field in dataclasses.fields(cls))
        if not isinstance(given, Mapping):
            raise _wrong("budget", Message("The field 'budget' must be an object."))
        for field in given:
            DesignError.unless_known(
                "The budget has the unknown field {name!r}; known are {known}.", field, known,
                field=f"budget.{field}",
            )  # fmt: skip
        read = {field: _READERS[field](field, value) for field, value in given.items()}
        return cls(**read)


def _number(field: str, given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise _wrong(field, Message("{field!r} must be a number.", field=field))
    try:
        return float(given)
    except OverflowError:
        return math.inf


def _count(field: str, given: Any) -> int:
    if isinstance(given, bool) or not isinstance(given, int):
        raise _wrong(field, Message("{field!r} must be a whole number.", field=field))
    return given


def _flag(field: str, given: Any) -> bool:
    if not isinstance(given, bool):
        raise _wrong(field, Message("{field!r} must be true or false.", field=field))
    return given


def _text(field: str, given: Any) -> str:
    if not isinstance(given, str):
        raise _wrong(field, Message("{field!r} must be a text.", field=field))
    return given


def _names(field: str, given: Any) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise _wrong(field, Message("{field!r} must be a list of names.", field=field))
    return tuple(dict.fromkeys(given))


def _weights(field: str, given: Any) -> tuple[tuple[str, float], ...]:
    if not isinstance(given, Mapping):
        raise _wrong(field, Message("{field!r} must be an object of numbers.", field=field))
    return tuple((name, _number(field, weight)) for name, weight in given.items())


def _blocks(field: str, given: Any) -> Parts:
    if not isinstance(given, list):
        raise _wrong(field, Message("{field!r} must be a list of lists of names.", field=field))
    return tuple(_names(field, block) for block in given)


_READERS: Mapping[str, Callable[[str, Any], Any]] = {
    "total": _number,
    "rule": _text,
    "of": _text,
    "weights": _weights,
    "locked": _names,
    "ask": _count,
    "blocks": _blocks,
    "waves": _count,
    "memoise": _flag,
    "linked": _flag,
}


def draw_parts(rows: int, parts: int, ask: int, stream: Stream) -> NDArray[np.bool_]:
    """Which parts each respondent gets: ``ask`` of them, all choices equally likely.

    Rows take their numbers one after the other, so that tables in pieces draw the same.

    >>> from ppworkbench.core.rng import SeededStreams
    >>> draw_parts(3, 4, 2, SeededStreams(1).stream("ask")).sum(axis=1).tolist()
    [2, 2, 2]
    """
    asked = np.zeros((rows, parts), np.bool_)
    for start in range(0, rows, _ROWS_AT_ONCE):
        end = min(start + _ROWS_AT_ONCE, rows)
        keys = stream.random((end - start) * parts).reshape(-1, parts)
        chosen = np.argpartition(keys, ask - 1, axis=1)[:, :ask]
        np.put_along_axis(asked[start:end], chosen, values=True, axis=1)
    return asked


def suggest_blocks(pairs: Iterable[Sequence[str]]) -> Parts:
    """Blocks that keep these pairs (or more) of questions together.

    Those with a question in common go into one block.

    >>> suggest_blocks([("drug", "age"), ("pay", "job"), ("age", "sex")])
    (('drug', 'age', 'sex'), ('pay', 'job'))
    """
    blocks: list[list[str]] = []
    for pair in pairs:
        touched = [block for block in blocks if set(pair) & set(block)]
        joined = list(dict.fromkeys([*(name for block in touched for name in block), *pair]))
        place = blocks.index(touched[0]) if touched else len(blocks)
        blocks = [block for block in blocks if block not in touched]
        blocks.insert(min(place, len(blocks)), joined)
    return tuple(tuple(block) for block in blocks)


def _wrong(field: str, sentence: Message) -> DesignError:
    return DesignError(sentence, field="budget" if field == "budget" else f"budget.{field}")
