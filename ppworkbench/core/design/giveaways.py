"""Columns that are published as they are and tell a randomised one, or follow from it.

Epsilon of a randomised answer counts its own report only: an age that is published beside a
randomised age group gives the group away, and an age group beside a randomised age narrows the age
down, whatever the device.
"""

from __future__ import annotations

from ppworkbench.core.data.determined import DeterminedPair, determining_pairs
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.message import Message

GIVEAWAY = "giveaway"
"""The code of a note that a published column tells a randomised one, or follows from it."""


def giveaway(pair: DeterminedPair, design: Design) -> Message | None:
    """What a pair discloses without a full stop; None where both or none are randomised."""
    one, other = (name in design.randomised for name in (pair.determining, pair.determined))
    if one == other:
        return None
    if other:
        return Message(
            "{attribute} is published as it is and tells the randomised {other_attribute}",
            code=GIVEAWAY,
            attribute=pair.determining,
            other_attribute=pair.determined,
        )
    return Message(
        "{other_attribute} is published as it is and follows from the randomised {attribute}",
        code=GIVEAWAY,
        attribute=pair.determining,
        other_attribute=pair.determined,
    )


def giveaway_advice(pair: DeterminedPair, design: Design) -> Message:
    """What to do about the column of a pair that is published as it is."""
    is_first = pair.determined in design.randomised
    return Message(
        "epsilon does not count that; randomise {attribute} or leave it out",
        attribute=pair.determining if is_first else pair.determined,
    )


def giveaway_notes(table: Table, design: Design) -> tuple[Message, ...]:
    """A sentence about every such pair in a table of true answers."""
    notes = []
    for pair in determining_pairs(table, design.names):
        said = giveaway(pair, design)
        if said is not None:
            notes.append(
                Message(
                    "{said}: {advice}.",
                    code=GIVEAWAY,
                    said=said,
                    advice=giveaway_advice(pair, design),
                )
            )
    return tuple(notes)
