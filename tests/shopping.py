"""Baskets for tests of the miners: a small table with structure, and its distortion."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from ppworkbench.core.data.generators.quest import QuestParams, quest_baskets
from ppworkbench.core.itemsets import Item, ItemData, Verdict, search
from ppworkbench.core.itemsets.item_data import pack


def binary_items(shown, keep_one=1.0, keep_zero=1.0):
    """Items from a matrix with one row per item, published with these probabilities."""
    shown = np.asarray(shown, bool)
    p = np.broadcast_to(np.asarray(keep_one, float), len(shown))
    q = np.broadcast_to(np.asarray(keep_zero, float), len(shown))
    gap = p + q - 1
    items = tuple(Item(f"i{i}", f"i{i}", "1") for i in range(len(shown)))
    blocks = np.arange(len(shown), dtype=np.int32)
    return ItemData(items, shown.shape[1], pack(shown), q / gap, -(1 - q) / gap, blocks)


def distorted(shown, keep_one, keep_zero, rng):
    """Keep every 1 with p and every 0 with q."""
    draw = rng.random(np.shape(shown))
    p, q = np.reshape(keep_one, (-1, 1)), np.reshape(keep_zero, (-1, 1))
    return np.where(shown, draw < p, draw >= q)


def structured(items=8, rows=2000, seed=1, **sizes):
    """Baskets in which some items are bought together; one row per item."""
    asked = {"length": 4, "pattern": 3, "patterns": 10} | sizes
    sizes = QuestParams(transactions=rows, items=items, **asked)
    table = quest_baskets(sizes, seed).to_table()
    return np.stack([column.data for column in table]).astype(bool)


def as_dict(itemsets):
    """Supports by set."""
    return dict(zip(itemsets, itemsets.raw.tolist(), strict=True))


def frequent_sets(data, min_support, limits=None, *, confidence=0.9, **more):
    """All sets whose unbiased support reaches the minimum, by the search alone."""

    def judge(measured):
        return Verdict(measured.raw >= min_support * (1 - 1e-12), measured.raw, measured.error)

    found = search(data, judge, limits, **more)
    return found.itemsets(data, NormalDist().inv_cdf((1 + confidence) / 2))
