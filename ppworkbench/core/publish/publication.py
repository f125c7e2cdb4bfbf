"""Publishing a table whose sensitive column can be denied."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppworkbench.core.data.missing import apply_missing_policies
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.publish.making import make_tree
from ppworkbench.core.publish.options import DRAW, DeniabilityOptions
from ppworkbench.core.publish.sample import Sample, draw, shuffle
from ppworkbench.core.publish.tree import DeniabilityTree
from ppworkbench.core.rng import SecureStreams, Streams


@dataclass(frozen=True, eq=False)
class Publication:
    """A published table, the groups behind it, and how many answers differ from the truth."""

    table: Table
    tree: DeniabilityTree
    changed: int
    notes: tuple[str, ...] = ()


def publish(
    table: Table,
    sensitive: str,
    options: DeniabilityOptions | None = None,
    *,
    features: tuple[str, ...] | None = None,
    streams: Streams | None = None,
    progress: Progress = silent,
) -> Publication:
    """Exchange the answers to one attribute within groups that are deniable enough.

    Rows keep their order and all other columns stay as they are.

    Parameters
    ----------
    features
        The attributes that groups may be split on; all others if None.
    streams
        Where random numbers come from; the operating system if None. Seeded ones are for study:
        who knows the seed knows who was exchanged.

    Raises
    ------
    DataError
        In one sentence, when the attribute cannot be denied or the minimum cannot be reached.
    """
    prepared = apply_missing_policies(table)
    sample = Sample.of(prepared.table, sensitive, features, progress)
    tree = make_tree(sample, options, part(progress, 0.0, 0.9))
    made = publish_with(tree, prepared.table, options, streams)
    progress(1.0, Message("{changed:,} answers changed", changed=made.changed))
    notes = tuple(
        Message("{attribute}: {sentence}", attribute=name, sentence=Message.of(said))
        for name, said in prepared.sentences.items()
    )
    return Publication(made.table, tree, made.changed, notes)


def publish_with(
    tree: DeniabilityTree,
    table: Table,
    options: DeniabilityOptions | None = None,
    streams: Streams | None = None,
) -> Publication:
    """Exchange the answers of a table within the groups of a tree that is made already."""
    options, streams = options or DeniabilityOptions(), streams or SecureStreams()
    column = table[tree.attribute.name]
    outcome = np.where(column.missing, column.attribute.k, column.data).astype(np.intp)
    stream = streams.stream("publish", options.manner, column.name)
    groups = tree.groups_of(table)
    if options.manner == DRAW:
        published = draw(tree, groups, stream)
    else:
        published = shuffle(groups, outcome, stream)
    data = np.where(published == column.attribute.k, -1, published)
    changed = int(np.count_nonzero(published != outcome))
    # Which code a missing answer held is the truth about one person.
    return Publication(table.replace(Column(column.attribute, data)), tree, changed)
