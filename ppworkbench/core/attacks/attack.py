"""What every attack is: what it needs, why it may not apply, and how it is carried out.

:data:`attacks` lists them by name; the window, the command line and Python read that list.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from ppworkbench.core.attacks.published_data import Finding
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress
from ppworkbench.core.registry import Registry


@dataclass(frozen=True, eq=False)
class AttackedAnswers:
    """Reported answers beside the true ones, row by row of the same people.

    Parameters
    ----------
    name
        The attribute that is attacked, by an attack on a single one.
    known
        The attributes that the attacker knows of everybody, where the attack takes some.
    seed
        Where draws start.
    """

    original: Table
    reported: Table
    design: Design
    name: str = ""
    known: Sequence[str] = ()
    seed: int = 0

    @property
    def columns(self) -> tuple[Column, Column]:
        """The true and the reported answers to the attacked attribute."""
        return self.original[self.name], self.reported[self.name]

    @property
    def designed(self) -> DesignedAttribute:
        """The attacked attribute; in a group the coin of the group is the one that counts."""
        return replace(self.design[self.name], perturbation=self.design.perturbation(self.name))


class Attack(ABC):
    """An attack, known by its class: there is nothing to be set."""

    words: ClassVar[str]
    """What it does, in a list of all attacks."""
    takes_attribute: ClassVar[bool] = False
    """Whether a single attribute is attacked."""
    takes_known: ClassVar[bool] = False
    """Whether the attacker is taken to know some answers of everybody."""
    target: ClassVar[Message] = Message("the answers")
    """What is attacked where it is no single attribute."""

    @classmethod
    def why_not(cls, original: Table, design: Design, name: str) -> Message | None:
        """Why it cannot be carried out on true answers and a design; None if it can."""
        if cls.takes_attribute and (name not in original or name not in design):
            return Message("Choose an attribute that is part of the design.")
        return None

    @classmethod
    @abstractmethod
    def run(cls, answers: AttackedAnswers, progress: Progress) -> Finding:
        """Carry it out and count how often it succeeds."""


attacks: Registry[type[Attack]] = Registry("attack")


def linkable(original: Table, design: Design) -> tuple[str, ...]:
    """The attributes that an attacker may know of people."""
    return tuple(name for name in design.names if name in original)
