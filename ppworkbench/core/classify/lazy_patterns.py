"""lPPCwEP: emerging patterns mined for every test record (DeEPs where nothing is distorted).

Compact summation: the share of a class's records that have at least one emerging pattern.

Patterns are subsets of the attributes in which a training record matches the test record. With few
attributes the supports of all subsets at once come from sums over supersets; with many, only short
patterns are looked at.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.classify.binning import EQUAL_FREQUENCY, BinningParams, Bins, Division
from ppworkbench.core.classify.class_distributions import counts_by_class
from ppworkbench.core.classify.classifier import CellClassifier, classifiers, from_shares
from ppworkbench.core.classify.pattern_items import (
    Growth,
    Jumping,
    MinSupport,
    posterior_tables,
    shown_cells,
)
from ppworkbench.core.classify.training import Predictor, Training
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, OneOf, Within
from ppworkbench.core.progress import Progress

Bits = NDArray[np.bool_]

MOST_ATTRIBUTES = 14
"""Beyond this there are too many subsets to look at all of them."""

_ROUNDING = 1e-9


class CompactScorer:
    """Scores classes by bits of their records.

    Parameters
    ----------
    classes, class_counts
        The class of every training record, and how many records each class has.
    attributes
        How many bits a record has.
    minimum
        The smallest support of a frequent pattern; one that is not frequent in the rest jumps.
    growth
        The smallest growth rate; infinite for jumping patterns only.
    longest
        The most bits of a pattern where there are more than 14 attributes.
    """

    def __init__(
        self,
        classes: Codes,
        class_counts: NDArray[np.int64],
        *,
        attributes: int,
        minimum: float,
        growth: float,
        longest: int,
    ) -> None:
        self._classes = classes
        self._counts = class_counts.astype(np.float64)
        self._attributes = attributes
        self._minimum, self._growth = minimum, growth
        self._places = 1 << np.arange(attributes, dtype=np.int64)
        self._order = np.argsort(classes, kind="stable")
        self._sets = (
            None
            if attributes <= MOST_ATTRIBUTES
            else [
                np.array(list(itertools.combinations(range(attributes), size)), np.intp)
                for size in range(1, longest + 1)
            ]
        )

    def score(self, bits: Bits) -> Numbers:
        """The compact score of every class; ``bits[a, i]`` tells whether record i matches in a."""
        if self._sets is None:
            return self._score_all(bits)
        return self._score_short(bits, self._sets)

    def _emerging(self, inside: Numbers) -> Bits:
        """Which patterns (columns) are emerging ones of which class (rows), from their counts."""
        n = self._counts[:, None]
        total = inside.sum(axis=0, keepdims=True)
        rest_n = np.maximum(self._counts.sum() - n, 1.0)
        support = inside / np.maximum(n, 1.0)
        rest = (total - inside) / rest_n
        frequent = (support >= self._minimum - _ROUNDING) & (inside > 0)
        jumps = (rest < self._minimum - _ROUNDING) | (total - inside <= 0)
        if np.isinf(self._growth):
            return np.asarray(frequent & jumps)
        return np.asarray(frequent & (jumps | (support >= self._growth * rest - _ROUNDING)))

    def _score_all(self, bits: Bits) -> Numbers:
        size = 1 << self._attributes
        pattern = self._places @ bits
        own = np.bincount(self._classes * size + pattern, minlength=len(self._counts) * size)
        records = own.reshape(len(self._counts), size).astype(np.float64)
        emerging = self._emerging(_over_supersets(records.copy(), self._attributes))
        # The empty pattern is in every record and tells nothing.
        emerging[:, 0] = False
        has = _any_subset(emerging, self._attributes)
        return np.asarray((records * has).sum(axis=1) / np.maximum(self._counts, 1.0))

    def _score_short(self, bits: Bits, sets: list[Codes]) -> Numbers:
        has = np.zeros((len(self._counts), bits.shape[1]), bool)
        indicator = np.equal.outer(np.arange(len(self._counts)), self._classes)
        weights = indicator.astype(np.float32)
        for members in sets:
            contained = bits[members[:, 0]]
            for column in members.T[1:]:
                contained = contained & bits[column]
            inside = (weights @ contained.T.astype(np.float32)).astype(np.float64)
            emerging = self._emerging(inside)
            for c in np.flatnonzero(emerging.any(axis=1)):
                has[c] |= contained[emerging[c]].any(axis=0)
        return np.asarray((has & indicator).sum(axis=1) / np.maximum(self._counts, 1.0))


def _over_supersets(counts: Numbers, attributes: int) -> Numbers:
    """Turn counts of exact patterns into counts of records that contain them, in place."""
    for bit in range(attributes):
        folded = counts.reshape(len(counts), -1, 2, 1 << bit)
        folded[:, :, 0, :] += folded[:, :, 1, :]
    return counts


def _any_subset(marked: Bits, attributes: int) -> Bits:
    """Whether a pattern or one of its subsets is marked, in place."""
    for bit in range(attributes):
        folded = marked.reshape(len(marked), -1, 2, 1 << bit)
        folded[:, :, 1, :] |= folded[:, :, 0, :]
    return marked


PUBLISHED, BAYES = "published", "bayes"
MATCHES = (BAYES, PUBLISHED)


def match_tables(predictor: Predictor, counts: Numbers, match: str = BAYES) -> Numbers:
    """``Pr(X in cell p | Z in cell s, class)``, indexed by class, s and p.

    ``bayes``: the posterior with the distribution reconstructed in the class of the training
    record. For retention replacement with density g it is
    ``[p f(z) 1(z in N) + (1 - p) g(z) Pr(X in N)] / [p f(z) + (1 - p) g(z)]``.

    ``published``: the same but for retention replacement, where it is
    ``p 1(z in N) + (1 - p) Pr(the replacing number is in N)``: the probability of a published
    number given the original one, not the reverse.

    Parameters
    ----------
    counts
        Distorted records in the cells of Z, one row per class.

    References
    ----------
    P. Andruszkiewicz, thesis 2011, section 6.2.1 (equation 6.11 is the published form).
    """
    if not predictor.is_distorted:
        shown = np.eye(predictor.k)[shown_cells(predictor)]
        return np.broadcast_to(shown, (len(counts), *shown.shape))
    keep = predictor.perturbation.numbers.exact_share
    if match == PUBLISHED and predictor.is_numeric and keep is not None:
        found = published_retention(predictor, keep)
        return np.broadcast_to(found, (len(counts), *found.shape))
    return posterior_tables(predictor, counts)


def published_retention(predictor: Predictor, keep: float) -> Numbers:
    """``p 1(z in N) + (1 - p) Pr(the replacing number is in N)`` for cells s and N = p."""
    edges = predictor.edges
    assert edges is not None  # noqa: S101 (retention is for numbers)
    replacing = np.diff(predictor.perturbation.numbers.replacing_cdf(edges, predictor.attribute))
    shown = np.eye(predictor.k)[shown_cells(predictor)]
    return np.asarray(keep * shown + (1 - keep) * replacing)


def threshold_of(predictor: Predictor, numbers: float) -> Numbers:
    """Above which probability each cell of X counts as matched.

    For values the probability that the value is kept, ``P[v, v]``, for numbers a given one. Nothing
    can match by chance where a value is kept for sure.
    """
    if predictor.is_numeric or not predictor.is_distorted:
        limit = numbers if predictor.is_distorted else 0.5
        return np.full(predictor.k, limit)
    return np.minimum(np.diag(predictor.channel), 1 - 1e-12)


@dataclass(frozen=True)
class LazyPatternsParams(BinningParams):
    bins: Bins = 5
    binning: Division = EQUAL_FREQUENCY
    min_support: MinSupport = 0.05
    jumping: Jumping = True
    growth: Growth = 2.0
    threshold: Annotated[
        float,
        Within(0, 1, open_high=True),
        Info("Threshold", "Probability above which a number matches"),
    ] = 0.3
    match: Annotated[
        str,
        OneOf(MATCHES),
        Info("Match", "Bayes' posterior, or the published formula for retention replacement"),
    ] = BAYES
    longest: Annotated[
        int,
        Within(1, 6),
        Info("Maximum length", "Maximum number of items with more than 14 attributes"),
    ] = 3


@classifiers.register(
    "lazy-ep", "Emerging patterns, lazy (lPPCwEP, DeEPs)", short="Lazy patterns", rank=50
)
class LazyPatterns(CellClassifier[LazyPatternsParams]):
    """Asks for every test record which patterns of it set a class apart.

    Every training record becomes bits: whether its original answer probably matches that of the
    test record. A class scores the share of its records that have at least one of its emerging
    patterns; the largest share wins, the larger class breaks ties.

    References
    ----------
    J. Li, G. Dong, K. Ramamohanarao and L. Wong (2004), "DeEPs: a new instance-based lazy discovery
    and classification system"; P. Andruszkiewicz, thesis 2011, section 6.2.
    """

    params_type = LazyPatternsParams
    help_topic = "lazy-patterns"

    def _fit(self, training: Training, params: LazyPatternsParams, progress: Progress) -> None:
        counts = counts_by_class(training)
        matched = []
        for place, predictor in enumerate(training.predictors):
            progress(place / len(counts), Message("matching {attribute}", attribute=predictor.name))
            tables = match_tables(predictor, counts[place], params.match)
            above = tables > threshold_of(predictor, params.threshold)
            matched.append(above[training.classes, training.z_codes[place]])
        self.matched_ = tuple(matched)
        self.class_shares_ = training.class_counts / training.rows
        self.scorer_ = CompactScorer(
            training.classes,
            training.class_counts,
            attributes=len(matched),
            minimum=params.min_support,
            growth=math.inf if params.jumping else params.growth,
            longest=params.longest,
        )

    def compact_scores(self, records: Codes, progress: Progress) -> Numbers:
        different, place = np.unique(records, axis=0, return_inverse=True)
        scores = np.empty((len(different), len(self.class_shares_)))
        for number, record in enumerate(different):
            if number % 16 == 0:
                progress(number / len(different), "mining for every record")
            bits = np.stack(
                [matched[:, cell] for matched, cell in zip(self.matched_, record, strict=True)]
            )
            scores[number] = self.scorer_.score(bits)
        return np.asarray(scores[place.ravel()])

    def _probabilities(self, records: Codes, progress: Progress) -> Numbers:
        return from_shares(self.compact_scores(records, progress), self.class_shares_)
