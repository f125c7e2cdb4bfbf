"""Making the deniability-ensuring tree of a table."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np

from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.publish.branch import Branch
from ppworkbench.core.publish.freeze import freeze
from ppworkbench.core.publish.growth import Frontier, Used, grow
from ppworkbench.core.publish.look_ahead import LookAhead
from ppworkbench.core.publish.options import DeniabilityOptions
from ppworkbench.core.publish.sample import Sample
from ppworkbench.core.publish.tree import DeniabilityTree
from ppworkbench.core.publish.uncertainty import SLACK, deniabilities


def make_tree(
    sample: Sample,
    options: DeniabilityOptions | None = None,
    progress: Progress = silent,
    clock: Callable[[], float] = time.monotonic,
) -> DeniabilityTree:
    """Group people so that outcomes differ between groups, but nobody's is certain.

    Parameters
    ----------
    sample
        The people, their features and outcomes.
    clock
        Seconds that pass, for the time of looking ahead.

    Raises
    ------
    DataError
        When the whole table is less deniable than the minimum.
    """
    options = options or DeniabilityOptions()
    check_reachable(sample, options)
    root, everybody = Branch(sample.counts), np.arange(sample.rows)
    used: Used = np.zeros(len(sample.features), np.bool_)
    grow(sample, Frontier.of(root, everybody, used), options, progress)
    if options.look_ahead:
        LookAhead(sample, options, progress, clock).improve(root, everybody, used)
    return freeze(sample, root)


def whole_deniability(sample: Sample) -> float:
    """The deniability of everybody as one group: no minimum can be higher."""
    return float(deniabilities(sample.counts, sample.outcomes))


def is_reachable(sample: Sample, options: DeniabilityOptions) -> bool:
    """Whether everybody as one group would do."""
    return whole_deniability(sample) >= options.min_deniability - SLACK


def check_reachable(sample: Sample, options: DeniabilityOptions) -> None:
    """Refuse in one sentence what not even the table as a whole reaches."""
    if is_reachable(sample, options):
        return
    name = sample.attribute.name
    whole = whole_deniability(sample)
    if whole == 0:
        who = Message(
            "The only person in the table" if sample.rows == 1 else "Everybody in the table"
        )
        said = Message(
            "{who} gave one and the same answer to {name!r}, which cannot be denied; "
            "choose another attribute or more people.",
            who=who,
            name=name,
        )
    else:
        # Rounded down, so that the advice can be followed.
        reached = Message("{percent:g} %", percent=math.floor(1000 * whole) / 10)
        said = Message(
            "The answers to {name!r} have a deniability of {reached} in the whole "
            "table, so no group can be promised {min_deniability:.4g} %; ask for "
            "{reached} or less.",
            name=name,
            reached=reached,
            min_deniability=100 * options.min_deniability,
        )
    raise DataError(said, attribute=name, field="min_deniability")
