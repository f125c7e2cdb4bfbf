"""Items of emerging patterns: one per value or interval, and how much each record has of them.

A distorted record does not show which items it truly has. Its weight for an item stands in their
place, so that the product of the weights of several items, averaged over records, estimates the
share of records that truly have them all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.classify.class_distributions import class_distributions, counts_by_class
from ppworkbench.core.classify.training import Predictor, Training
from ppworkbench.core.params import Annotated, Info, Within

AUTO, UNBIASED, BINARY, POSTERIOR = "auto", "unbiased", "binary", "posterior"
ESTIMATES = (AUTO, UNBIASED, BINARY, POSTERIOR)

_PRIOR_PULL = 5.0
_PRIOR_SMOOTHING = 0.6
_SMALLEST = 1e-9


@dataclass(frozen=True, eq=False)
class PatternItems:
    """The items of all predictors, side by side.

    Parameters
    ----------
    predictors
        The attributes with their cells.
    attribute
        The place of every item's predictor.
    value
        The cell of X that the item stands for.
    """

    predictors: tuple[Predictor, ...]
    attribute: Codes
    value: Codes

    @property
    def count(self) -> int:
        return len(self.value)

    @property
    def names(self) -> tuple[str, ...]:
        pairs = zip(self.attribute.tolist(), self.value.tolist(), strict=True)
        return tuple(
            f"{self.predictors[a].name} = {self.predictors[a].labels[v]}" for a, v in pairs
        )

    def held(self, records: Codes) -> NDArray[np.bool_]:
        """Which items original records have; ``records[i, j]`` is a cell of predictor j."""
        return np.asarray(records[:, self.attribute] == self.value)


def items_of(predictors: tuple[Predictor, ...], present_only: bool = False) -> PatternItems:
    """One item for every cell of every predictor.

    ``present_only`` leaves out the first value of attributes with two: where attributes are
    yes-or-no questions, only a yes is an item.
    """
    sizes = np.array([predictor.k for predictor in predictors])
    attribute = np.repeat(np.arange(len(sizes)), sizes)
    value = np.concatenate([np.arange(k) for k in sizes])
    kept = (value > 0) | (sizes[attribute] != 2) | (not present_only)
    return PatternItems(predictors, attribute[kept], value[kept])


def shown_cells(predictor: Predictor) -> Codes:
    """For every cell of Z the cell of X that a distorted answer there seems to lie in.

    Numbers that noise pushed beyond the domain seem to lie at its ends.
    """
    edges = predictor.grid.z_cells.edges
    if predictor.edges is None or edges is None:
        return np.arange(predictor.z_count)
    middles = (edges[:-1] + edges[1:]) / 2
    return np.clip(np.searchsorted(predictor.edges, middles, side="right") - 1, 0, predictor.k - 1)


def shown_records(training: Training) -> Codes:
    """The cells of X that distorted records seem to lie in, one column per predictor."""
    pairs = zip(training.predictors, training.z_codes, strict=True)
    return np.stack([shown_cells(predictor)[codes] for predictor, codes in pairs], axis=1)


def item_weights(training: Training, items: PatternItems, estimate: str) -> Numbers:
    """The weight of every record (rows) for every item (columns).

    - ``unbiased``: the transform h of the attribute's whole channel with ``sum_s A[s, p] h_v(s) =
      1 (p = v)``, of all such the one with the smallest variance. The product form of MASK for
      any channel.
    - ``binary``: every item for itself, kept with p if present and with q if absent,
      ``(z - (1 - q)) / (p + q - 1)``, as the thesis has it.
    - ``posterior``: ``Pr(X = v | Z = z, class)``, never negative; joint supports lean towards
      independence within the class.
    - ``auto``: posterior for noise, whose undoing has a large variance, else unbiased.

    Undistorted records weigh 1 for what they have and 0 for the rest in all three.
    """
    counts = counts_by_class(training)
    blocks = []
    for place, predictor in enumerate(training.predictors):
        codes = training.z_codes[place]
        if not predictor.is_distorted:
            blocks.append(np.eye(predictor.k)[codes])
            continue
        if _choice(predictor, estimate) == POSTERIOR:
            tables = posterior_tables(predictor, counts[place])
            blocks.append(tables[training.classes, codes])
            continue
        together = class_distributions(
            predictor, counts[place].sum(axis=0, keepdims=True), smoothing=_PRIOR_SMOOTHING, pull=1
        )[0]
        build = binary_transform if estimate == BINARY else unbiased_transform
        blocks.append(build(predictor.channel, together, shown_cells(predictor))[codes])
    starts = np.cumsum([0, *(predictor.k for predictor in training.predictors)])
    return np.concatenate(blocks, axis=1)[:, starts[items.attribute] + items.value]


def _choice(predictor: Predictor, estimate: str) -> str:
    if estimate != AUTO:
        return estimate
    return POSTERIOR if predictor.is_noisy else UNBIASED


def posterior_tables(predictor: Predictor, counts: Numbers) -> Numbers:
    """``Pr(X = p | Z = s, class)``, indexed by class, s and p.

    ``A[s, p] x_p / sum_p A[s, p] x_p`` with x reconstructed in every class.
    """
    distributions = class_distributions(
        predictor, counts, smoothing=_PRIOR_SMOOTHING, pull=_PRIOR_PULL
    )
    joint = predictor.channel[None, :, :] * distributions[:, None, :]
    total = joint.sum(axis=2, keepdims=True)
    return np.where(total > 0, joint / np.where(total > 0, total, 1.0), distributions[:, None, :])


def unbiased_transform(channel: Numbers, prior: Numbers, nearest: Codes) -> Numbers:  # noqa: ARG001
    """``h[s, v] = (D^-1 A (A' D^-1 A)^+)[s, v]`` with D the probabilities of Z's cells.

    A singular channel has no such transform; what it cannot tell gets equal weights.

    >>> A = np.array([[0.8, 0.2], [0.2, 0.8]])
    >>> unbiased_transform(A, np.array([0.5, 0.5]), np.array([0, 1])).round(3).tolist()
    [[1.333, -0.333], [-0.333, 1.333]]
    """
    expected = np.maximum(channel @ prior, _SMALLEST)
    weighted = channel / expected[:, None]
    return np.asarray(weighted @ np.linalg.pinv(channel.T @ weighted, rcond=1e-8, hermitian=True))


def binary_transform(channel: Numbers, prior: Numbers, nearest: Codes) -> Numbers:
    """``h[s, v] = (1 (s is v) - (1 - q_v)) / (p_v + q_v - 1)``, every value a binary attribute.

    ``p_v`` is the probability that v stays v; ``q_v = 1 - sum_{c != v} prior_c Pr(c becomes v) /
    sum_{c != v} prior_c`` that something else does not become v.

    >>> binary_transform(np.array([[0.8, 0.2], [0.2, 0.8]]), np.array([0.5, 0.5]), np.array([0, 1]))
    ... # doctest: +NORMALIZE_WHITESPACE
    array([[ 1.33333333, -0.33333333], [-0.33333333,  1.33333333]])
    """
    k = channel.shape[1]
    shown = np.zeros((len(channel), k))
    shown[np.arange(len(channel)), nearest] = 1.0
    becomes = shown.T @ channel
    kept = np.diag(becomes)
    others = np.maximum(1.0 - prior, _SMALLEST)
    gained = (becomes @ prior - kept * prior) / others
    spread = kept - gained
    usable = np.abs(spread) > 1e-6
    weight = (shown - gained) / np.where(usable, spread, 1.0)
    return np.where(usable, weight, prior)


MinSupport = Annotated[
    float,
    Within(0, 1),
    Info("Minimum support", "Minimum share of a class's records with a pattern"),
]
Growth = Annotated[
    float,
    Within(1),
    Info("Growth rate", "Ratio of the pattern's frequency in its class to that elsewhere"),
]
Jumping = Annotated[
    bool, Info("Jumping only", "Use only patterns that are not frequent outside the class")
]
