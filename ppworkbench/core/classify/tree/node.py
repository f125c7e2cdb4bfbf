"""A tree as people see it: nodes with tests in words, records and class distributions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify.training import Predictor
from ppworkbench.core.classify.tree.flat import FlatTree
from ppworkbench.core.data.attribute import Kind


@dataclass(frozen=True)
class Test:
    """The question that a node asks.

    Parameters
    ----------
    attribute
        The name of the tested attribute, ``place`` its position among the predictors.
    threshold
        Numbers meet the test ``v < threshold``; None for a test on values.
    values
        Values that meet the test; empty for a test on numbers.
    cells
        Which cells of X meet the test.
    labels, distribution
        The cells in words and the reconstructed distribution over them in the node.
    """

    attribute: str
    place: int
    threshold: float | None
    values: tuple[str, ...]
    cells: tuple[bool, ...]
    labels: tuple[str, ...]
    distribution: tuple[float, ...]

    @property
    def text(self) -> str:
        """The test in words."""
        if self.threshold is not None:
            return f"{self.attribute} < {self.threshold:.6g}"
        if len(self.values) == 1:
            return f"{self.attribute} is {self.values[0]}"
        return f"{self.attribute} in {{{', '.join(self.values)}}}"

    def to_json(self) -> dict[str, Any]:
        """The test in plain JSON values."""
        if self.threshold is not None:
            return {"attribute": self.attribute, "below": self.threshold}
        return {"attribute": self.attribute, "values": list(self.values)}


@dataclass(frozen=True)
class Node:
    """A leaf, or a test with two children.

    Parameters
    ----------
    number
        The position in the order in which nodes are listed; the root is 0.
    counts
        How many training records of every class came here, by their assigned values: the
        reconstructed class distribution, in the order of the classes.
    shares
        The same as proportions; an empty node has those of its parent.
    prediction
        The class that most records here have.
    test, yes, no
        None in a leaf; ``yes`` is the child of records that meet the test.
    """

    number: int
    depth: int
    counts: tuple[int, ...]
    shares: tuple[float, ...]
    prediction: Any
    test: Test | None = None
    yes: Node | None = None
    no: Node | None = None

    @property
    def is_leaf(self) -> bool:
        """Whether the node asks nothing."""
        return self.test is None

    @property
    def records(self) -> int:
        """How many training records came here."""
        return sum(self.counts)

    def walk(self) -> Iterator[Node]:
        """The node itself and all below it, parents first, the branch that meets the test first."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            if node.yes is not None and node.no is not None:
                waiting += [node.no, node.yes]

    def path(self, record: Sequence[int] | NDArray[np.intp]) -> tuple[Node, ...]:
        """The nodes through which a record goes, given by its cells of X, one per predictor."""
        passed, node = [self], self
        while node.test is not None and node.yes is not None and node.no is not None:
            node = node.yes if node.test.cells[record[node.test.place]] else node.no
            passed.append(node)
        return tuple(passed)


def nodes_of(tree: FlatTree, predictors: Sequence[Predictor], classes: Sequence[Any]) -> Node:
    """The root of a tree, with everything below it."""
    shares = tree.shares
    made: dict[int, Node] = {}
    # Children come after their parents, so from the end every child is ready in time.
    for number in range(len(tree) - 1, -1, -1):
        place, first = int(tree.place[number]), int(tree.left[number])
        test = None
        if not tree.is_leaf[number]:
            test = _test(predictors[place], place, tree, number)
        made[number] = Node(
            number,
            int(tree.level[number]),
            tuple(tree.counts[number].tolist()),
            tuple(shares[number].tolist()),
            classes[int(np.argmax(shares[number]))],
            test,
            None if test is None else made[first],
            None if test is None else made[first + 1],
        )
    return made[0]


def _test(predictor: Predictor, place: int, tree: FlatTree, number: int) -> Test:
    cells = tree.meets[number, : predictor.k]
    threshold: float | None = None
    values: tuple[str, ...] = ()
    if predictor.edges is not None:
        threshold = float(predictor.edges[np.count_nonzero(cells)])
        if predictor.attribute.kind is Kind.INTEGER:
            threshold = float(np.ceil(threshold))
    else:
        values = tuple(predictor.labels[p] for p in np.flatnonzero(cells))
    return Test(
        predictor.name,
        place,
        threshold,
        values,
        tuple(cells.tolist()),
        predictor.labels,
        tuple(tree.distribution[number, : predictor.k].tolist()),
    )
