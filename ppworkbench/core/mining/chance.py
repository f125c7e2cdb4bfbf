"""What chance alone would bring: itemsets and rules of items that have nothing in common.

Each block of items (an attribute, or attributes that share a coin) is put into an order of its own.
Reports of different blocks then belong to different people, so that they are independent, and
everything else stays: how frequent each item is, the device, the number of records. What the same
miner finds there at the same limits is what chance brings.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ppworkbench.core.itemsets.item_data import Bits, ItemData, pack, unpack
from ppworkbench.core.message import Message
from ppworkbench.core.mining.miner import MiningResult, mine
from ppworkbench.core.mining.rules import RuleParams, find_rules
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.rng import SeededStreams

_WORK = 2e8
"""Records times candidates that are looked at for a better mean; one copy is always made."""
_MOST_COPIES = 10


@dataclass(frozen=True)
class Chance:
    """Itemsets of two items or more, and rules, that independent items would bring.

    ``rules`` is None where nobody asked for rules; the numbers are means over ``copies``.
    """

    itemsets: float
    rules: float | None
    copies: int

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"itemsets": self.itemsets, "copies": self.copies}
        return found if self.rules is None else found | {"rules": self.rules}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Chance:
        rules = given.get("rules")
        own = None if rules is None else float(rules)
        return cls(float(given["itemsets"]), own, int(given["copies"]))

    def sentence(self, itemsets: int, rules: int | None) -> str:
        if self.rules is None or rules is None:
            return Message(
                "{itemsets:,} itemsets have two items or more; items that have nothing in common "
                "would bring about {expected:,.0f}.",
                itemsets=itemsets,
                expected=self.itemsets,
            )
        return Message(
            "{itemsets:,} itemsets have two items or more, and {rules:,} rules reach the limits; "
            "items that have nothing in common would bring about {expected:,.0f} and "
            "{expected_rules:,.0f}.",
            itemsets=itemsets,
            rules=rules,
            expected=self.itemsets,
            expected_rules=self.rules,
        )


def expected_by_chance(
    data: ItemData,
    result: MiningResult,
    wanted: RuleParams | None = None,
    progress: Progress = silent,
) -> Chance | None:
    """Mine the reports again as if items had nothing in common; None where records lie elsewhere.

    A false-discovery rate plays no part: this tells what it is needed for.
    """
    if data.counter is not None:
        return None
    cost = data.rows * max(sum(level.candidates for level in result.levels), 1)
    copies = int(np.clip(_WORK // cost, 1, _MOST_COPIES))
    if wanted is not None:
        wanted = dataclasses.replace(wanted, false_discovery=None)
    itemsets, rules = 0, 0
    for copy in range(copies):
        share = part(progress, copy / copies, (copy + 1) / copies)
        share(0.0, Message("Counting what chance would bring"))
        alike = independent_copy(data, copy)
        found = mine(alike, result.miner, progress=part(share, 0.0, 0.7))
        itemsets += int((found.itemsets.lengths > 1).sum())
        if wanted is not None:
            rules += len(find_rules(found, alike, wanted, progress=part(share, 0.7, 1.0)))
    return Chance(itemsets / copies, None if wanted is None else rules / copies, copies)


def independent_copy(data: ItemData, copy: int) -> ItemData:
    """The same reports, each block of items matched with other people's reports of the others.

    Where records count differently, people are drawn by their weights, so that every item stays as
    frequent as it is in the population.
    """
    weights = data.record_weights
    bits: Bits = np.empty_like(data.bits)
    graded = data.graded
    codes = None if graded is None else graded.codes.copy()
    streams = SeededStreams(copy)
    for block in np.unique(data.blocks).tolist():
        own = np.flatnonzero(data.blocks == block)
        drawn = streams.stream(f"block-{block}").random(data.rows)
        if weights is None:
            order = np.argsort(drawn)
        else:
            reached = np.cumsum(weights)
            order = np.searchsorted(reached, drawn * reached[-1], side="right")
        bits[own] = pack(unpack(data.bits[own], data.rows)[:, order])
        if graded is not None and codes is not None:
            for column in np.unique(graded.column[own]).tolist():
                codes[column] = graded.codes[column, order]
    if graded is not None and codes is not None:
        graded = dataclasses.replace(graded, codes=codes)
    return dataclasses.replace(data, bits=bits, graded=graded)
