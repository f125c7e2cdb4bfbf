"""How accurate a classifier will be that learns from the published table.

The mean, over people who were not used to make the groups, of the probability that their group
draws their true outcome (Haque and Rizvee, 3.4).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.table import Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.publish.branch import leaf_value
from ppworkbench.core.publish.making import check_reachable, is_reachable, make_tree
from ppworkbench.core.publish.options import DeniabilityOptions
from ppworkbench.core.publish.sample import Sample
from ppworkbench.core.publish.tree import DeniabilityTree
from ppworkbench.core.rng import SeededStreams

FOLDS = 10


def predicted_accuracy(tree: DeniabilityTree, table: Table) -> float:
    """The accuracy that a tree predicts from a validation table."""
    column = table[tree.attribute.name]
    outcome = column.data.astype(np.intp)
    known = ~column.missing
    if tree.has_missing:
        outcome, known = np.where(known, outcome, tree.attribute.k), np.ones_like(known)
    if not known.any():
        raise DataError(
            Message("The validation table has no answers to {attribute!r}.", attribute=column.name),
            attribute=column.name,
        )
    groups = tree.groups_of(table)[known]
    return float(tree.shares[groups, outcome[known]].mean())


def own_prediction(tree: DeniabilityTree) -> float:
    """The accuracy predicted from the tree's own people, each left out in turn.

    It needs no second tree and is slightly too high, because the groups were chosen on the same
    people.
    """
    return sum(leaf_value(leaf.counts) for leaf in tree.leaves) / tree.root.size


def folds_of(rows: int, folds: int, seed: int) -> NDArray[np.intp]:
    """The fold of every person: random, and of sizes that differ by one at most."""
    order = SeededStreams(seed).generator("publish", "folds").permutation(rows)
    fold = np.empty(rows, np.intp)
    fold[order] = np.arange(rows) % min(folds, rows)
    return fold


def cross_validated(
    table: Table,
    sensitive: str,
    options: DeniabilityOptions | None = None,
    *,
    features: tuple[str, ...] | None = None,
    folds: int = FOLDS,
    seed: int = 0,
    progress: Progress = silent,
) -> float:
    """The predicted accuracy, each fold predicted by a tree of the others.

    Raises
    ------
    DataError
        When the table has fewer than two people or misses the minimum.
    """
    options = options or DeniabilityOptions()
    sample = Sample.of(table, sensitive, features, progress)
    check_reachable(sample, options)
    if sample.rows < 2:
        raise DataError("A prediction needs at least 2 records; the table has 1.")
    fold = folds_of(sample.rows, folds, seed)
    count = int(fold.max()) + 1
    total = 0.0
    for number in range(count):
        share = part(progress, number / count, (number + 1) / count)
        held_out = np.flatnonzero(fold == number)
        training = sample.take(np.flatnonzero(fold != number))
        if is_reachable(training, options):
            tree = make_tree(training, options, share)
            total += predicted_accuracy(tree, table.take(held_out)) * len(held_out)
        else:
            # The others alone miss the minimum that all together reach: they are one group.
            shares = training.counts / training.rows
            total += float(shares[sample.outcome[held_out]].sum())
        share(1.0, Message("fold {number} of {count}", number=number + 1, count=count))
    return total / sample.rows
