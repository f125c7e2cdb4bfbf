"""Synthetic baskets in the manner of IBM's Quest generator."""

from __future__ import annotations

from ppworkbench.core.data.generators.quest import quest_baskets
from ppworkbench.core.data.generators.quest_name import QuestParams
from ppworkbench.core.data.samples.sample import Sample, add_sample
from ppworkbench.core.data.table import Table
from ppworkbench.core.progress import Progress


def _baskets(sizes: QuestParams, seed: int, progress: Progress) -> Table:
    return quest_baskets(sizes, seed, progress).to_table(source=str(sizes))


add_sample(
    Sample(
        "baskets",
        "Baskets",
        "Synthetic shopping baskets in which some items are bought together; one attribute each.",
        QuestParams,
        _baskets,
    )
)
