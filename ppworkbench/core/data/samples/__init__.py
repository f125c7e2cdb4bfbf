"""Built-in data sets: made by the program itself, at hand without a network or a file."""

from __future__ import annotations

from typing import Any

# Importing a module registers its samples; the order here is the order of every list.
from ppworkbench.core.data.samples import (  # isort: skip
    consultation as consultation,
    city_survey as city_survey,
    led24 as led24,
    baskets as baskets,
    weather as weather,
    textbook as textbook,
)
from ppworkbench.core.data.generators.quest_name import QuestParams
from ppworkbench.core.data.samples.sample import NoSizes, Sample, samples
from ppworkbench.core.data.table import Table
from ppworkbench.core.progress import Progress, silent

__all__ = ["NoSizes", "Sample", "load_sample", "samples"]


def load_sample(
    name: str, *, seed: int | None = None, progress: Progress = silent, **sizes: Any
) -> Table:
    """A built-in data set as a table.

    The table is generated, never read from a file. A name such as ``T10.I8.D100k.N100`` gives
    baskets of these sizes.

    Parameters
    ----------
    name
        One of ``samples.names``, or the name of a basket data set.
    seed
        Another seed than the sample's own.
    sizes
        Fields of the sample's ``sizes``; what is not given has its default.

    >>> load_sample("weather").rows
    14
    >>> load_sample("led24", rows=100).rows
    100
    """
    if name not in samples and QuestParams.names(name):
        sizes = QuestParams.parse(name).to_json() | sizes
        name = "baskets"
    sample = samples[name]
    chosen = sample.sizes.from_json(sizes)
    return sample.make(chosen, sample.seed if seed is None else seed, progress)
