"""What the inspector is about at the moment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.gui.pages.data.corrections import Corrections
from ppworkbench.gui.pages.data.facts import FactKeeper, Facts
from ppworkbench.gui.store import Store

_MOST_LOOKED_AT = 40
"""With more attributes selected than this, a kind is simply tried."""


@dataclass(frozen=True, eq=False)
class Subject:
    """The selected attributes, the current one in detail.

    ``facts`` is None while they are being found out; ``reason_against`` says why nothing can be
    corrected, ``role`` whether the answers are original or distorted.
    """

    table: Table
    names: tuple[str, ...]
    column: Column
    facts: Facts | None
    impossible: dict[Kind, str]
    reason_against: str
    role: str

    @property
    def attribute(self) -> Attribute:
        """The current attribute."""
        return self.column.attribute

    @property
    def name(self) -> str:
        """The name of the current attribute."""
        return self.column.name

    @property
    def is_single(self) -> bool:
        """Whether only one attribute is selected."""
        return len(self.names) == 1

    @cached_property
    def attributes(self) -> tuple[Attribute, ...]:
        """All selected attributes."""
        return tuple(self.table[name].attribute for name in self.names)


def find_subject(store: Store, keeper: FactKeeper, corrections: Corrections) -> Subject | None:
    """What is selected now; None without answers."""
    table = store.study.table
    if table is None or not table.columns:
        return None
    names = tuple(name for name in store.selected if name in table) or table.names[:1]
    impossible: dict[Kind, str] = {}
    for name in names[:_MOST_LOOKED_AT] if len(names) <= _MOST_LOOKED_AT else names[:1]:
        facts = keeper.facts(table[name])
        for kind, reason in ({} if facts is None else facts.impossible).items():
            impossible.setdefault(kind, reason if len(names) == 1 else f"{name}: {reason}")
    return Subject(
        table,
        names,
        table[names[0]],
        keeper.facts(table[names[0]]),
        impossible,
        corrections.reason_against,
        "original" if store.study.original is not None else "distorted",
    )
