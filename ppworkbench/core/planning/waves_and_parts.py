"""Who is asked what, and how often: parts of a questionnaire, and waves of the same people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ppworkbench.core.design.budget import Parts
from ppworkbench.core.message import Message

_MOST_PAIRS = 6


@dataclass(frozen=True)
class Waves:
    """What asking the same people several times discloses."""

    count: int
    memoised: bool
    linked: bool
    one: float
    """Epsilon of a single wave."""
    total: float
    """Epsilon of all waves at most."""

    @property
    def unchanged(self) -> float:
        """Epsilon of all waves for people whose answers never change."""
        return self.one if self.memoised else self.total

    @property
    def sentences(self) -> tuple[Message, ...]:
        """The waves in words."""
        spent = (
            Message(
                "In {waves} waves the same true answer always gives the same report: epsilon stays "
                "{one:.4g} for people whose answers never change, and is at most {total:.4g}. A "
                "changed report shows a change.",
                waves=self.count,
                one=self.one,
                total=self.total,
            )
            if self.memoised
            else Message(
                "In {waves} waves with fresh coins epsilon adds up to {total:.4g}.",
                waves=self.count,
                total=self.total,
            )
        )
        linked = (
            Message("The data link the waves of one person.")
            if self.linked
            else Message("Waves are not linked: nothing tells which reports are of one person.")
        )
        return spent, linked

    def to_json(self) -> dict[str, Any]:
        """The field of ``budget --json``."""
        return {
            "count": self.count,
            "memoise": self.memoised,
            "linked": self.linked,
            "one": self.one,
            "unchanged": self.unchanged,
            "total": self.total,
        }


@dataclass(frozen=True)
class AskedParts:
    """How many parts of a questionnaire each person is asked, and which pairs never together."""

    ask: int
    parts: Parts
    never_together: tuple[tuple[str, str], ...]

    @property
    def sentences(self) -> tuple[Message, ...]:
        """Who is asked what, in words."""
        has_blocks = any(len(part) > 1 for part in self.parts)
        count = len(self.parts)
        if self.ask == 1 and has_blocks:
            drawn = Message(
                "Each person is asked 1 of {count} parts of the questionnaire, drawn at random; "
                "the total is that of the part that discloses most.",
                count=count,
            )
        elif self.ask == 1:
            drawn = Message(
                "Each person is asked 1 of {count} randomised questions, drawn at random; the "
                "total is that of the question that discloses most.",
                count=count,
            )
        elif has_blocks:
            drawn = Message(
                "Each person is asked {ask} of {count} parts of the questionnaire, drawn at "
                "random; the total is that of the {ask} parts that disclose most.",
                ask=self.ask,
                count=count,
            )
        else:
            drawn = Message(
                "Each person is asked {ask} of {count} randomised questions, drawn at random; the "
                "total is that of the {ask} questions that disclose most.",
                ask=self.ask,
                count=count,
            )
        if not self.never_together:
            return (drawn,)
        pairs = [
            Message("{first} and {second}", first=first, second=second)
            for first, second in self.never_together[:_MOST_PAIRS]
        ]
        if len(self.never_together) > _MOST_PAIRS:
            pairs.append(Message("…"))
        never = Message(
            "Nobody is asked both of these, so that nothing can be estimated about them together: "
            "{pairs}. A block keeps a pair together.",
            pairs=tuple(pairs),
        )
        return drawn, never

    def to_json(self) -> dict[str, Any]:
        """The field of ``budget --json``."""
        return {
            "count": self.ask,
            "parts": [list(part) for part in self.parts],
            "never_together": [list(pair) for pair in self.never_together],
        }
