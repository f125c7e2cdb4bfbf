"""A tree as people see it: nodes with tests in words, records and class distributions.

Distorted records in a tree: down every branch, with the probability that the test holds.

With the distribution x reconstructed in the node and the channel A of the tested attribute,
``Pr(test holds | z) = sum_{p meets} x_p A[z, p] / sum_p x_p A[z, p]`` (Bayes). A leaf is reached
with the product of the probabilities on its path; the probabilities of leaves add up per class
(Andruszkiewicz, thesis 2011, section 7.1).

For numbers under retention replacement the thesis takes ``p 1(z < t) + (1 - p) G(t)`` instead, with
the cumulated replacing density G. That leaves out how likely the number itself is; it is kept for
comparison as "published".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.classify.training import Predictor
from ppworkbench.core.classify.tree.flat import FlatTree
from ppworkbench.core.classify.tree.params import PUBLISHED
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
        if self.threshold is not None:
            return f"{self.attribute} < {self.threshold:.6g}"
        if len(self.values) == 1:
            return f"{self.attribute} is {self.values[0]}"
        return f"{self.attribute} in {{{', '.join(self.values)}}}"

    def to_json(self) -> dict[str, Any]:
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
        return self.test is None

    @property
    def records(self) -> int:
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
        passed, node = [self], self
        while node.test is not None and node.yes is not None and node.no is not None:
            node = node.yes if node.test.cells[record[node.test.place]] else node.no
            passed.append(node)
        return tuple(passed)


def nodes_of(tree: FlatTree, predictors: Sequence[Predictor], classes: Sequence[Any]) -> Node:
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


def tree_text(root: Node, classes: Sequence[Any]) -> str:
    """The tree for people: one line per node, branches indented.

    Every line ends with the class that is predicted and how many records of each class came there.
    """
    lines = [f"classes: {', '.join(str(name) for name in classes)}", _summary(root)]
    # A waiting node comes with the words that lead to it.
    waiting = _branches(root)
    while waiting:
        words, node = waiting.pop()
        lines.append(f"{'|   ' * (node.depth - 1)}{words}: {_summary(node)}")
        waiting += _branches(node)
    return "\n".join(lines) + "\n"


def _branches(node: Node) -> list[tuple[str, Node]]:
    if node.test is None or node.yes is None or node.no is None:
        return []
    return [(f"not {node.test.text}", node.no), (node.test.text, node.yes)]


def _summary(node: Node) -> str:
    counts = ", ".join(str(count) for count in node.counts)
    return f"{node.prediction} ({counts})"


def tree_json(root: Node, classes: Sequence[Any]) -> dict[str, Any]:
    """The tree in plain JSON values, for other programs.

    Nodes stand in one list; ``yes`` and ``no`` are positions in it.
    """
    position = {node.number: place for place, node in enumerate(root.walk())}
    return {
        "classes": [_plain(name) for name in classes],
        "nodes": [_node_json(node, position) for node in root.walk()],
    }


def _node_json(node: Node, position: dict[int, int]) -> dict[str, Any]:
    document: dict[str, Any] = {
        "depth": node.depth,
        "counts": list(node.counts),
        "class": _plain(node.prediction),
    }
    if node.test is not None and node.yes is not None and node.no is not None:
        document["test"] = node.test.to_json()
        document["distribution"] = list(node.test.distribution)
        document["yes"] = position[node.yes.number]
        document["no"] = position[node.no.number]
    return document


def _plain(name: Any) -> Any:
    return name.item() if hasattr(name, "item") else name


_TINY = 1e-300


def holding_probability(
    predictor: Predictor, meets: NDArray[np.bool_], x: Numbers, retention: str
) -> Numbers:
    """``Pr(test holds | Z in cell s)`` for every cell s of Z."""
    perturbation, edges = predictor.perturbation, predictor.edges
    keep = None if perturbation.is_identity else perturbation.numbers.exact_share
    if retention == PUBLISHED and keep is not None and edges is not None:
        t = edges[[np.count_nonzero(meets)]]
        below = perturbation.numbers.replacing_cdf(t, predictor.attribute)[0]
        return np.asarray(keep * meets + (1 - keep) * below)
    joint = predictor.channel * x
    whole = joint.sum(axis=1)
    # A cell that this node's distribution rules out tells nothing beyond that distribution.
    blank = whole <= _TINY
    held = joint[:, meets].sum(axis=1) / np.where(blank, 1.0, whole)
    return np.asarray(np.where(blank, x[meets].sum(), held))


def leaf_class_probabilities(
    tree: FlatTree,
    predictors: Sequence[Predictor],
    z_codes: Sequence[Codes],
    retention: str,
    posterior: bool = True,
) -> Numbers:
    """The probability of every class for distorted records.

    Parameters
    ----------
    z_codes
        The cells of Z of the records, one array per predictor; cells of X where ``posterior`` is
        off.
    posterior
        Whether values are distorted and the tests hold with some probability only.
    """
    n, n_classes = len(z_codes[0]), tree.counts.shape[1]
    labels = np.argmax(tree.shares, axis=1)
    result = np.zeros((n, n_classes))
    waiting: list[tuple[int, Numbers]] = [(0, np.ones(n))]
    while waiting:
        node, weight = waiting.pop()
        if tree.is_leaf[node]:
            result[:, labels[node]] += weight
            continue
        place = int(tree.place[node])
        predictor = predictors[place]
        meets = tree.meets[node, : predictor.k]
        held = meets.astype(np.float64)
        if posterior:
            x = tree.distribution[node, : predictor.k]
            held = holding_probability(predictor, meets, x, retention)
        yes = weight * held[z_codes[place]]
        first = int(tree.left[node])
        waiting += [(first + 1, weight - yes), (first, yes)]
    return result
