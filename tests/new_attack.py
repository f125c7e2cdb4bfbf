"""An attack that the program does not know, to see what it takes to add one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from ppworkbench.core.attacks import Attack, AttackedAnswers, Counted, Finding, attacks
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress


@dataclass(frozen=True)
class Echo(Finding):
    """How often the reported answer is the true one."""

    name: str
    right: Counted
    measure: ClassVar[str] = "share of correct echoes"

    @property
    def sentence(self) -> Message:
        return Message("Every report is believed; {hits} are true.", hits=self.right.hits)

    def rows(self) -> list[Mapping[str, object]]:
        return [{"attribute": self.name, "right": self.right.share}]

    def points(self) -> list[tuple[str, float, tuple[float, float]]]:
        return [(self.name, self.right.share, self.right.interval)]


class EchoAttack(Attack):
    """Believe what was reported."""

    words = "believes every report"
    takes_attribute = True

    @classmethod
    def run(cls, answers: AttackedAnswers, progress: Progress) -> Echo:
        true, told = (one.data for one in answers.columns)
        return Echo(answers.name, Counted(int((true == told).sum()), len(true)))


@contextmanager
def echo_attack() -> Iterator[str]:
    """Register the attack for a while."""
    attacks.register("echo", "Echo of reports", hint="Who believes reports?", rank=50)(EchoAttack)
    try:
        yield "echo"
    finally:
        attacks.remove("echo")
