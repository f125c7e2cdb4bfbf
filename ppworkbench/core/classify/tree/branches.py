"""Distorted records in a tree: down every branch, with the probability that the test holds.

With the distribution x reconstructed in the node and the channel A of the tested attribute,
``Pr(test holds | z) = sum_{p meets} x_p A[z, p] / sum_p x_p A[z, p]`` (Bayes). A leaf is reached
with the product of the probabilities on its path; the probabilities of leaves add up per class
(Andruszkiewicz, thesis 2011, section 7.1).

For numbers under retention replacement the thesis takes ``p 1(z < t) + (1 - p) G(t)`` instead, with
the cumulated replacing density G. That leaves out how likely the number itself is; it is kept for
comparison as "published".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify.training import Codes, Predictor
from ppworkbench.core.classify.tree.flat import FlatTree
from ppworkbench.core.classify.tree.params import PUBLISHED

Numbers = NDArray[np.float64]

_TINY = 1e-300


def holding_probability(
    predictor: Predictor, meets: NDArray[np.bool_], x: Numbers, retention: str
) -> Numbers:
    """``Pr(test holds | Z in cell s)`` for every cell s of Z."""
    perturbation, edges = predictor.perturbation, predictor.edges
    keep = None if perturbation.is_identity else perturbation.exact_share
    if retention == PUBLISHED and keep is not None and edges is not None:
        t = edges[[np.count_nonzero(meets)]]
        below = perturbation.replacing_cdf(t, predictor.attribute)[0]
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
