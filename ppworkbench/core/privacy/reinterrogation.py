"""Reinterrogation privacy: basic privacy when the attacker also uses what was mined.

For an itemset F with reconstructed pattern distribution π and channel M, the posterior is
``Pr(x_i=1|d) ∝ Σ_{o: o_i=1} M[d,o] π[o]`` and ``R_i(F) = Σ_d Pr(d|x_i=1) Pr(x_i=1|d)``;
``RP_i = 1 - max_F R_i(F)`` (Agrawal, Krishnan and Haritsa 2004). F = {i} gives basic privacy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.reading import Reading, percent

LABEL = "Reinterrogation privacy"
MOST_ITEMS = 20
"""Items of one itemset: 2^20 patterns are the most that are looked at."""

Channel = NDArray[np.float64]


@dataclass(frozen=True)
class ItemPrivacy:
    """RP of one item and the itemset that reveals it most."""

    item: str
    privacy: float
    itemset: tuple[str, ...]


@dataclass(frozen=True)
class ReinterrogationPrivacy:
    """RP of every item that is in one of the itemsets, its minimum and its mean."""

    items: tuple[ItemPrivacy, ...]
    minimum: float
    mean: float

    def to_json(self) -> dict[str, Any]:
        worst_first = sorted(self.items, key=lambda one: (round(one.privacy, 12), one.item))
        items = [
            {"item": one.item, "privacy": one.privacy, "itemset": list(one.itemset)}
            for one in worst_first
        ]
        return {"minimum": self.minimum, "mean": self.mean, "items": items}


def reconstruction_probability(
    patterns: ArrayLike, channels: Iterable[ArrayLike]
) -> NDArray[np.float64]:
    """``R_i(F)`` of every item of one itemset.

    Parameters
    ----------
    patterns
        π: shape (2, …, 2) with one axis per item, index 1 for present, or the same flattened with
        the first item changing slowest. Negative reconstructed values count as 0.
    channels
        One 2 x 2 P-matrix per item, columns the true bit.

    Examples
    --------
    >>> channel = [[0.87, 0.5], [0.13, 0.5]]
    >>> reconstruction_probability([0.9, 0.1], [channel]).round(3).tolist()
    [0.18]
    """
    ways = [np.asarray(channel, np.float64) for channel in channels]
    true = _distribution(patterns, len(ways))
    published = _through(true, ways)
    found = np.zeros(len(ways))
    for i in range(len(ways)):
        present = true.copy()
        present[(slice(None),) * i + (0,)] = 0.0
        support = float(present.sum())
        if support <= 0:
            continue
        seen = _through(present, ways)
        share = np.divide(seen, published, out=np.zeros_like(seen), where=published > 0)
        found[i] = min(1.0, float((seen * share).sum()) / support)
    return found


def reinterrogation_privacy(
    itemsets: Iterable[tuple[tuple[str, ...], ArrayLike]], channels: Mapping[str, ArrayLike]
) -> ReinterrogationPrivacy:
    """RP over all given itemsets.

    Parameters
    ----------
    itemsets
        Pairs of items and π; single items belong to them if the attacker knows their support.
    channels
        The 2 x 2 P-matrix of every item.

    Examples
    --------
    >>> channel = [[0.87, 0.5], [0.13, 0.5]]
    >>> round(reinterrogation_privacy([(("milk",), [0.9, 0.1])], {"milk": channel}).minimum, 3)
    0.82
    """
    worst: dict[str, tuple[float, tuple[str, ...]]] = {}
    for items, patterns in itemsets:
        found = reconstruction_probability(patterns, [_channel(channels, i) for i in items])
        for item, probability in zip(items, found.tolist(), strict=True):
            if item not in worst or probability > worst[item][0]:
                worst[item] = (probability, tuple(items))
    if not worst:
        raise ParameterError("There are no itemsets for reinterrogation.", field="itemsets")
    measured = tuple(ItemPrivacy(item, 1.0 - p, items) for item, (p, items) in worst.items())
    values = [one.privacy for one in measured]
    return ReinterrogationPrivacy(measured, min(values), sum(values) / len(values))


def _channel(channels: Mapping[str, ArrayLike], item: str) -> ArrayLike:
    if item not in channels:
        raise ParameterError.saying(
            "The item {item!r} has no transition matrix.", item=item, field="channels"
        )
    return channels[item]


def _distribution(patterns: ArrayLike, items: int) -> NDArray[np.float64]:
    given = np.asarray(patterns, np.float64)
    if not 1 <= items <= MOST_ITEMS:
        raise ParameterError.saying(
            "An itemset has {items} items; it must have 1 to {most_items}.",
            items=items,
            most_items=MOST_ITEMS,
            field="itemsets",
        )
    if given.size != 2**items:
        raise ParameterError.saying(
            "{items} items have {items2} patterns, not {size}.",
            items=items,
            items2=2**items,
            size=given.size,
            field="patterns",
        )
    # Reconstruction by inversion may leave the simplex; the attacker knows better than that.
    kept = np.maximum(given, 0.0).reshape((2,) * items)
    total = float(kept.sum())
    if not np.isfinite(total) or total <= 0:
        raise ParameterError("The patterns of an itemset have no probability.", field="patterns")
    return np.asarray(kept / total)


def _through(patterns: NDArray[np.float64], ways: list[Channel]) -> NDArray[np.float64]:
    """``M π`` with M the product of the items' channels, one axis at a time."""
    result = patterns
    for axis, way in enumerate(ways):
        result = np.moveaxis(np.tensordot(way, result, axes=(1, axis)), 0, axis)
    return result


def reading(measured: ReinterrogationPrivacy) -> Reading:
    """What the smallest RP says; the mean stands in the sentence."""
    worst = min(measured.items, key=lambda one: one.privacy)
    sentence = Message(
        "Given the mined itemsets, an attacker fails to recover “{item}” {privacy} of "
        "the time; over all items {mean}.",
        item=worst.item,
        privacy=percent(worst.privacy),
        mean=percent(measured.mean),
    )
    return Reading("reinterrogation", LABEL, measured.minimum, sentence, "share")
