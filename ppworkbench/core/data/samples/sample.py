"""What a built-in data set is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ppworkbench.core.data.table import Table
from ppworkbench.core.params import Params
from ppworkbench.core.progress import Progress
from ppworkbench.core.registry import Registry


@dataclass(frozen=True)
class NoSizes(Params):
    """The table is what it is."""


@dataclass(frozen=True)
class Sample:
    """A built-in data set.

    Parameters
    ----------
    name, label, description
        What commands and people call it, and one sentence on what it holds.
    sizes
        The parameters that it can be made with; the defaults give the shipped table.
    make
        Makes the table of these sizes from a seed; a table that is not random ignores the seed.
    seed
        The seed of the shipped table.
    """

    name: str
    label: str
    description: str
    sizes: type[Params]
    make: Callable[[Any, int, Progress], Table]
    seed: int = 1


samples: Registry[Sample] = Registry("sample")
"""All built-in data sets."""


def add_sample(sample: Sample) -> Sample:
    """Register a sample under its own name."""
    return samples.register(sample.name, sample.label)(sample)
