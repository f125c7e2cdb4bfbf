"""Privacy of a single entry when an attacker also knows the mined rules (Zhan and Matwin 2007).

``PSE - REC`` with REC the recoverability of the entry. Rules about it whose left sides are values
of the same attributes exclude each other, so that what they recover adds up:
``sum Pr(left side) confidence`` where the attacker knows who truly meets the left side, and
``sum confidence Pr(left side | report)`` where only a report is known, that which tells most. The
largest sum over all choices of attributes counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ppworkbench.core.arrays import Numbers, posteriors
from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.design.design import Design
from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.itemsets import Item, Itemsets
from ppworkbench.core.message import Message
from ppworkbench.core.mining.rules import Rules
from ppworkbench.core.privacy.pse import pse_of_share
from ppworkbench.core.progress import Progress, silent

_AT_ONCE = 20_000
"""Rules between two reports of progress."""
_REPORTS = 512
"""Left sides that are weighed at once against all others."""


@dataclass(frozen=True)
class EntryPrivacy:
    """PSE of one item before mining, and how much of it rules recover.

    ``known`` is the recoverability where left sides are truly known, ``reported`` where only the
    reports are. A difference below 0 says that the rules tell more than the distortion hid.
    """

    item: str
    before: float
    known: float
    reported: float

    @property
    def after(self) -> float:
        """What is left of it for the attacker who recovers most."""
        return self.before - max(self.known, self.reported)

    def to_json(self) -> dict[str, Any]:
        return {
            "item": self.item,
            "before": self.before,
            "recoverability": {"known": self.known, "reported": self.reported},
            "after": self.after,
        }


@dataclass
class _Alternatives:
    """Rules about one item whose left sides are values of the same attributes."""

    attributes: tuple[str, ...]
    lefts: list[tuple[int, ...]]
    """By rule, the place of the value of every attribute."""
    support: list[float]
    confidence: list[float]

    def reported(self, posteriors: Mapping[str, Numbers]) -> float:
        """What the report that tells most recovers; 0 where a report cannot be weighed."""
        if not all(name in posteriors for name in self.attributes):
            return 0.0
        lefts, confidence = np.array(self.lefts), np.array(self.confidence)
        best = 0.0
        for start in range(0, len(lefts), _REPORTS):
            told = lefts[start : start + _REPORTS]
            chance = np.ones((len(told), len(lefts)))
            for place, name in enumerate(self.attributes):
                chance *= posteriors[name][told[:, place, None], lefts[None, :, place]]
            best = max(best, float((chance @ confidence).max()))
        return best


def entry_privacy(
    sets: Itemsets, rules: Rules, data: ItemData, design: Design, progress: Progress = silent
) -> tuple[EntryPrivacy, ...]:
    """What rules leave of the privacy of answers to unrelated questions, the least private first.

    Parameters
    ----------
    sets
        The mined sets; items whose own support is not among them are left out.
    data
        The data that were mined: they know with which probabilities items stay or appear.
    """
    shares = _single_shares(sets, len(data.items))
    entries = {place for place, item in enumerate(data.items) if _is_entry(item, design)}
    found: dict[tuple[int, tuple[str, ...]], _Alternatives] = {}
    for number, (left, right) in enumerate(zip(rules.left, rules.right, strict=True)):
        if number % _AT_ONCE == 0:
            progress(number / len(rules), Message("measuring privacy"))
        if len(right) != 1 or right[0] not in entries:
            continue
        held = sorted((data.items[place].attribute, place) for place in left)
        names = tuple(name for name, _ in held)
        one = found.setdefault((right[0], names), _Alternatives(names, [], [], []))
        one.lefts.append(tuple(_value_place(data.items[place], design) for _, place in held))
        one.support.append(float(rules.support[number]))
        one.confidence.append(float(rules.confidence[number]))
    posteriors = _posteriors(design, data, shares)
    told = []
    for place in sorted(entries):
        if not math.isfinite(shares[place]):
            continue
        about = [one for (item, _), one in found.items() if item == place]
        stays, appears = float(data.keep_one[place]), 1 - float(data.keep_zero[place])
        told.append(
            EntryPrivacy(
                data.items[place].name,
                pse_of_share(float(shares[place]), stays, appears),
                max((sum(one.support) for one in about), default=0.0),
                max((one.reported(posteriors) for one in about), default=0.0),
            )
        )
    return tuple(sorted(told, key=lambda one: (round(one.after, 12), one.item)))


def _is_entry(item: Item, design: Design) -> bool:
    """Whether it is an answer to a question that another one may have taken the place of."""
    if design[item.attribute].attribute.kind is not Kind.BINARY:
        return False
    coin = design.perturbation(item.attribute).values.coin
    return coin is not None and coin.is_blind


def _value_place(item: Item, design: Design) -> int:
    """The place of its value; -1 for a bin of a number, which is no value."""
    values = design[item.attribute].attribute.values
    return values.index(item.value) if item.value in values else -1


def _single_shares(sets: Itemsets, items: int) -> Numbers:
    """The supports of single items, as possible shares; NaN for one that was not found."""
    found = np.full(items, math.nan)
    places, members = sets.of_length(1)
    found[members[:, 0]] = np.clip(sets.raw[places], 0.0, 1.0)
    return found


def _posteriors(design: Design, data: ItemData, shares: Numbers) -> dict[str, Numbers]:
    """By attribute of values, the probabilities of true values (columns) given the reported."""
    supports: dict[str, dict[int, float]] = {}
    for item, share in zip(data.items, shares.tolist(), strict=True):
        place = _value_place(item, design)
        if place >= 0 and math.isfinite(share):
            supports.setdefault(item.attribute, {})[place] = share
    found = {}
    for name, known in supports.items():
        perturbation, attribute = design.perturbation(name), design[name].attribute
        differs = perturbation.columns or perturbation.unknown
        matrix = None if differs else perturbation.matrix_for(attribute)
        if matrix is None:
            continue
        k = attribute.k
        prior = np.array([known.get(place, math.nan) for place in range(k)])
        # What is left belongs to the values that are rare, or no items.
        rare = np.isnan(prior)
        prior[rare] = max(1.0 - float(prior[~rare].sum()), 0.0) / max(int(rare.sum()), 1)
        found[name] = posteriors(matrix, prior)
    return found


def entry_sentence(worst: EntryPrivacy) -> Message:
    return Message(
        "Given the mined rules, the privacy of a single entry “{item}” falls from {before:.3f} to "
        "{after:.3f}.",
        item=worst.item,
        before=worst.before,
        after=worst.after,
    )
