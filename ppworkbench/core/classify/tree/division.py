"""One family of attributes in the open nodes of a level: counts, estimates, best tests, routes.

Class counts of reconstructed values, where all classes were reconstructed together.

Records are assigned values whatever their class; how many of each class a value then has follows
from the counts: numbers in their order, values as they move. The rules are those of
:mod:`ppworkbench.core.reconstruct.assign`, on counts of many groups at once.

The gini index of a division into two.

For a node with ``N`` records the index of a division is ``sum_i N_i/N gini(N_i)`` over both parts,
which is ``1 - purity / N`` with ``purity = sum_i sum_c N_ic^2 / N_i``. The best division has the
largest purity.

The best test ``v in V`` on values, with V at most half of them.

With two classes the best V is a run of values in the order of their share of one class (Breiman
et al. 1984, theorem 4.5), so a sort finds what all subsets would. With more classes all subsets are
tried up to ten values; beyond that runs in the order of each class's share in turn.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Codes, Counts, Mask, Numbers
from ppworkbench.core.classify.tree.estimates import estimate
from ppworkbench.core.classify.tree.families import Family
from ppworkbench.core.classify.tree.level import UNKNOWN, Level, Source
from ppworkbench.core.kernels import Kernel
from ppworkbench.core.reconstruct.stopping import StopRule


def ordered_counts(by_class: Counts, probability: Numbers) -> Numbers:
    """``counts[r, p, c]`` of intervals, the lowest numbers having gone into the first.

    Parameters
    ----------
    by_class
        ``by_class[r, c, s]``: records of class c in cell s of Z.
    probability
        ``probability[r, p]``: the distribution of X, all classes together.
    """
    rows, n_classes, cells = by_class.shape
    n = by_class.sum(axis=(1, 2)).astype(np.float64)
    below = np.zeros((rows, cells + 1))
    np.cumsum(by_class.sum(axis=1), axis=1, out=below[:, 1:])
    below /= np.maximum(n, 1.0)[:, None]
    wanted = np.zeros((rows, probability.shape[1] + 1))
    np.cumsum(probability, axis=1, out=wanted[:, 1:])
    # Rows lie one after the other on a line, with gaps, so that one interpolation serves all.
    start = 3.0 * np.arange(rows)[:, None]
    at, known = (start + np.clip(wanted, 0, 1)).ravel(), (start + below).ravel()
    result = np.empty((rows, probability.shape[1], n_classes))
    for c in range(n_classes):
        up_to = np.zeros((rows, cells + 1))
        np.cumsum(by_class[:, c], axis=1, out=up_to[:, 1:])
        result[:, :, c] = np.diff(np.interp(at, known, up_to.ravel()).reshape(rows, -1), axis=1)
    return result


def moved_counts(by_class: Counts, probability: Numbers, matrix: Numbers) -> Numbers:
    """``counts[r, p, c]`` of values after records have moved from over-full to under-full ones."""
    counts = by_class.sum(axis=1)
    quotas = apportion_rows(probability, counts.sum(axis=1))
    moved = moves(counts, quotas, matrix)
    share = moved / np.maximum(counts, 1)[:, :, None]
    return np.asarray(np.einsum("rcv,rvp->rpc", by_class.astype(np.float64), share))


def choose_records(
    groups: Codes,
    cells: Codes,
    taken: Counts,
    counts: Counts,
    keys: Callable[[Codes], tuple[Numbers, ...]],
) -> Mask:
    """Which records meet the test, given how many of every group and cell do.

    Parameters
    ----------
    groups, cells
        The group (node and class) of every record, and its cell of Z.
    taken, counts
        ``taken[g, s]`` of the ``counts[g, s]`` records of a group in a cell meet the test.
    keys
        Decides within a cell: given positions of records, their keys, a first one from 0 to below
        1 and perhaps a more important one; the records with the lowest are taken.

    >>> zeros = np.zeros(3, np.intp)
    >>> choose_records(zeros, zeros, np.array([[2]]), np.array([[3]]), lambda at: (0.9 - at / 3,))
    array([False,  True,  True])
    """
    flat = taken.ravel()
    # 0: nobody of the cell meets the test, 1: all do, 2: some do.
    state = np.where(flat == counts.ravel(), np.int8(1), np.where(flat > 0, np.int8(2), np.int8(0)))
    boxes = groups * counts.shape[1]
    boxes += cells
    found = state[boxes]
    meets = found == 1
    part = np.flatnonzero(found == 2)
    if len(part):
        box = boxes[part]
        meets[part] = _ranks(box, keys(part)) < flat[box]
    return np.asarray(meets)


def assign_records(
    groups: Codes,
    cells: Codes,
    moved: Counts,
    keys: Callable[[Codes], tuple[Numbers, ...]],
) -> Codes:
    """The value of X of every record, given how many of each group and cell get which.

    Parameters
    ----------
    moved
        ``moved[g, s, p]`` records of group g in cell s get the value p; within a cell those with
        the lowest keys get the first values.
    """
    boxes = groups * moved.shape[1] + cells
    rank = _ranks(boxes, keys(np.arange(len(boxes))))
    upto = np.cumsum(moved.reshape(-1, moved.shape[2]), axis=1)
    return np.asarray((upto[boxes] <= rank[:, None]).sum(axis=1), np.intp)


def _ranks(boxes: Codes, keys: tuple[Numbers, ...]) -> Codes:
    key, *more = keys
    order = np.lexsort((key, *more, boxes)) if more else np.argsort(boxes + key)
    ordered = boxes[order]
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    size = np.diff(np.append(first, len(ordered)))
    rank = np.empty(len(boxes), np.intp)
    rank[order] = np.arange(len(ordered)) - np.repeat(first, size)
    return rank


IMPOSSIBLE = -np.inf
_EMPTY = 1e-9


def purity(left: Numbers, total: Numbers) -> Numbers:
    """The purity of divisions, from counts with classes along the last axis.

    A part without records makes a division impossible.

    >>> purity(np.array([[2.0, 0.0]]), np.array([[2.0, 2.0]])).item()
    4.0
    """
    n_left, squares_left = _sums(left)
    n_right, squares_right = _sums(total - left)
    possible = (n_left > _EMPTY) & (n_right > _EMPTY)
    squares_left /= np.where(possible, n_left, 1.0)
    squares_right /= np.where(possible, n_right, 1.0)
    squares_left += squares_right
    squares_left[~possible] = IMPOSSIBLE
    return squares_left


def _sums(counts: Numbers) -> tuple[Numbers, Numbers]:
    """Sums and sums of squares over classes, which are few: adding one after the other is fast."""
    total = counts[..., 0].copy()
    squares = np.square(total)
    for c in range(1, counts.shape[-1]):
        total += counts[..., c]
        squares += np.square(counts[..., c])
    return total, squares


MOST_EXHAUSTIVE = 10
_CHUNK = 1 << 22


def best_subsets(counts: Numbers, sizes: NDArray[np.intp]) -> tuple[Numbers, Mask]:
    """The largest purity of every row, and which values meet the test that has it.

    Parameters
    ----------
    counts
        ``counts[r, p, c]``: records of class c with value p.
    sizes
        The number of values of every row; cells beyond are padding.

    >>> counts = np.array([[[3.0, 0.0], [0.0, 4.0], [2.0, 0.0]]])
    >>> best, meets = best_subsets(counts, np.array([3]))
    >>> meets.tolist()
    [[False, True, False]]
    """
    rows, k, n_classes = counts.shape
    if k < 2:
        return np.full(rows, -np.inf), np.zeros((rows, k), bool)
    if n_classes == 2:
        found, meets = _runs(counts, 1)
    elif k <= MOST_EXHAUSTIVE:
        found, meets = _all_subsets(counts)
    else:
        found, meets = _runs(counts, 0)
        for c in range(1, n_classes):
            other, other_meets = _runs(counts, c)
            better = other > found
            found[better], meets[better] = other[better], other_meets[better]
    return found, _smaller_side(meets, sizes)


def _runs(counts: Numbers, c: int) -> tuple[Numbers, Mask]:
    """The best run of values in the order of their share of class c."""
    n = counts.sum(axis=2)
    whole = counts.sum(axis=1)
    typical = whole[:, c] / np.maximum(whole.sum(axis=1), 1e-300)
    # A value that nobody has goes where the node as a whole would.
    share = np.where(n > 0, counts[:, :, c] / np.where(n > 0, n, 1.0), typical[:, None])
    order = np.argsort(share, axis=1, kind="stable")
    rows = np.arange(len(counts))[:, None]
    below = np.cumsum(counts[rows, order], axis=1)
    found = purity(below[:, :-1], below[:, -1:])
    rank = np.empty_like(order)
    rank[rows, order] = np.arange(order.shape[1])
    return found.max(axis=1), rank <= np.argmax(found, axis=1)[:, None]


@lru_cache(maxsize=16)
def _masks(k: int) -> Mask:
    """Every division of k values into two once: the last value is never in the subset."""
    numbers = np.arange(1, 1 << (k - 1))
    return (numbers[:, None] >> np.arange(k)) & 1 > 0


def _all_subsets(counts: Numbers) -> tuple[Numbers, Mask]:
    rows, k, n_classes = counts.shape
    masks = _masks(k)
    best, which = np.empty(rows), np.empty(rows, np.intp)
    step = max(1, _CHUNK // (len(masks) * n_classes))
    weights = masks.astype(np.float64)
    for start in range(0, rows, step):
        part = slice(start, start + step)
        found = purity(weights @ counts[part], counts[part].sum(axis=1)[:, None])
        which[part] = np.argmax(found, axis=1)
        best[part] = found.max(axis=1)
    return best, masks[which]


def _smaller_side(meets: Mask, sizes: NDArray[np.intp]) -> Mask:
    """The side with at most half of the values; of two halves the one without the first value."""
    valid = np.arange(meets.shape[1]) < sizes[:, None]
    inside = (meets & valid).sum(axis=1)
    turn = (2 * inside > sizes) | ((2 * inside == sizes) & meets[:, 0])
    return np.where(turn[:, None], ~meets, meets) & valid


def best_thresholds(counts: Numbers) -> tuple[Numbers, NDArray[np.bool_]]:
    """The largest purity of every row, and which cells meet the test that has it.

    Parameters
    ----------
    counts
        ``counts[..., p, c]``: records of class c in cell p, cells in their order.

    >>> counts = np.array([[[3.0, 0.0], [2.0, 0.0], [0.0, 4.0]]])
    >>> best, meets = best_thresholds(counts)
    >>> meets.tolist()
    [[True, True, False]]
    """
    k = counts.shape[-2]
    if k < 2:
        return np.full(counts.shape[:-2], -np.inf), np.zeros(counts.shape[:-1], bool)
    below = np.cumsum(counts, axis=-2)
    found = purity(below[..., :-1, :], below[..., -1:, :])
    best = np.argmax(found, axis=-1)
    meets = np.arange(k) <= best[..., None]
    return np.asarray(found.max(axis=-1)), np.asarray(meets)


class Division:
    """The best test of every node on every attribute of a family, and who meets it.

    Attributes
    ----------
    purity
        ``purity[node, a]`` of the best test; minus infinity where there is none.
    meets
        ``meets[node, a, p]``: whether cell p of X meets that test.
    """

    def __init__(self, source: Source, family: Family, level: Level, rule: StopRule) -> None:
        self.family, self._source, self._level = family, source, level
        self._codes, rows = self._current_codes()
        shape = (len(level), source.n_classes, family.cells)
        classes = source.classes if rows is level.rows else source.classes[level.rows]
        self._counts = histograms(rows, level.nodes, self._codes, classes, shape)
        self._estimates = self._estimated(rule)
        self._by_class = self._class_counts()
        self.purity, self.meets = self._tests()

    def _current_codes(self) -> tuple[NDArray[np.int32], Codes]:
        family, level = self.family, self._level
        if level.assigned is None:
            return family.codes, level.rows
        told = level.assigned[:, family.places]
        codes = np.where(told == UNKNOWN, family.codes[level.rows], family.known + told)
        return codes.astype(np.int32), np.arange(len(level.rows))

    def _estimated(self, rule: StopRule) -> Numbers:
        """``x[node, a, g, p]`` with g the class, or only one g where classes are together."""
        counts = self._counts
        if self._source.together:
            counts = counts.sum(axis=2, keepdims=True)
        nodes, m, groups, cells = counts.shape
        turned = counts.transpose(1, 0, 2, 3).reshape(m, nodes * groups, cells)
        wanted = np.repeat(self._level.free[:, self.family.places].T, groups, axis=1)
        found = estimate(self.family, turned, rule, wanted)
        return found.reshape(m, nodes, groups, self.family.k).transpose(1, 0, 2, 3)

    def _class_counts(self) -> Numbers:
        """``counts[node, a, p, c]``: how many records of every class have each value of X."""
        nodes, m, n_classes, cells = self._counts.shape
        family = self.family
        if not self._source.together:
            n = self._counts.sum(axis=3)
            return np.asarray((self._estimates * n[..., None]).transpose(0, 1, 3, 2))
        counts = self._counts.reshape(nodes * m, n_classes, cells)
        distorted, told = counts[..., : family.known], counts[..., family.known :]
        share = self._estimates.reshape(nodes * m, family.k)
        if family.is_numeric:
            found = ordered_counts(distorted, share)
        else:
            matrix = np.tile(family.matrix[:, : family.known], (nodes, 1, 1))
            found = moved_counts(distorted, share, matrix)
        if told.shape[2]:
            found = found + told.transpose(0, 2, 1)
        return found.reshape(nodes, m, family.k, n_classes)

    def _tests(self) -> tuple[Numbers, Mask]:
        family, nodes = self.family, len(self._level)
        if family.is_numeric:
            return best_thresholds(self._by_class)
        flat = self._by_class.reshape(nodes * family.m, family.k, -1)
        best, meets = best_subsets(flat, np.tile(family.sizes, nodes))
        return best.reshape(nodes, family.m), meets.reshape(nodes, family.m, family.k)

    def distribution(self, nodes: Codes, own: Codes) -> Numbers:
        """The reconstructed distribution of the tested attribute, all classes together."""
        found = self._by_class[nodes, own].sum(axis=2)
        return np.asarray(found / np.maximum(found.sum(axis=1, keepdims=True), 1e-300))

    def send(
        self, nodes: Codes, own: Codes, generator: np.random.Generator
    ) -> tuple[Codes, Mask, Codes | None]:
        """Which records of these nodes meet their tests on attributes ``own``.

        Returns the positions of the records in the level, whether they meet, and the values of X
        that were assigned to them, where these are remembered.
        """
        level, family = self._level, self.family
        where = np.full(len(level), -1)
        where[nodes] = np.arange(len(nodes))
        records = np.flatnonzero(where[level.nodes] >= 0)
        rows, node = level.rows[records], where[level.nodes[records]]
        counts = self._counts[nodes, own]
        if self._source.together:
            groups, counts = node, counts.sum(axis=1)
        else:
            groups = node * self._source.n_classes + self._source.classes[rows]
            counts = counts.reshape(-1, family.cells)

        def keys(at: Codes) -> tuple[Numbers, ...]:
            chance = generator.random(len(at))
            if not family.is_numeric:
                return (chance,)
            return chance, self._source.numbers_of(rows[at], family.places[own[node[at]]])

        met = np.repeat(self.meets[nodes, own], len(counts) // len(nodes), axis=0)
        quotas = self._quotas(nodes, own, counts)
        if level.assigned is None:
            cells = self._codes[rows, own[node]]
            taken = self._taken(own, counts, quotas, met)
            return records, choose_records(groups, cells, taken, counts, keys), None
        cells = self._codes[records, own[node]]
        moved = self._moved(own, counts, quotas, met)
        values = assign_records(groups, cells, moved, keys)
        return records, met[groups, values], values

    def _quotas(self, nodes: Codes, own: Codes, counts: Counts) -> Counts:
        """How many of the records whose value is not known yet get which."""
        share = self._estimates[nodes, own].reshape(len(counts), self.family.k)
        return apportion_rows(share, counts[:, : self.family.known].sum(axis=1))

    def _taken(self, own: Codes, counts: Counts, quotas: Counts, met: Mask) -> Counts:
        """How many records of every group and cell of Z meet the test, by assigned values."""
        if self.family.is_numeric:
            return first_taken(counts, np.where(met, quotas, 0).sum(axis=1))
        moved = self._moved(own, counts, quotas, met)
        return np.asarray(np.where(met[:, None, :], moved, 0).sum(axis=2))

    def _moved(self, own: Codes, counts: Counts, quotas: Counts, met: Mask) -> Counts:
        """``moved[g, s, p]``: how many records of every group and cell get which value of X."""
        family, known = self.family, self.family.known
        if family.is_numeric:
            moved = moves_in_order(counts[:, :known], quotas)
        else:
            matrix = np.repeat(family.matrix[own, :known], len(counts) // len(own), axis=0)
            moved = moves(counts[:, :known], quotas, matrix, met)
        if known == family.cells:
            return moved
        told = counts[:, known:, None] * np.eye(family.k, dtype=np.int64)
        return np.concatenate([moved, told], axis=1)


_ROUNDING = 1e-9


def apportion_rows(probability: Numbers, n: Counts) -> Counts:
    """Share n[r] records out in the proportions of row r by largest remainder.

    >>> apportion_rows(np.array([[0.5, 0.3, 0.2]]), np.array([7])).tolist()
    [[4, 2, 1]]
    """
    quota = n[:, None] * probability
    whole = np.floor(quota + _ROUNDING)
    left = n - whole.sum(axis=1)
    order = np.argsort(whole - quota, axis=1, kind="stable")
    rank = np.empty_like(order)
    rank[np.arange(len(n))[:, None], order] = np.arange(quota.shape[1])
    return np.asarray(whole + (rank < left[:, None]), np.int64)


def moves(counts: Counts, quotas: Counts, matrix: Numbers, test: Mask | None = None) -> Counts:
    """``moved[r, i, j]``: how many records of group r go from value i to value j by ARVeSNA.

    The diagonal holds the records that keep their value.

    Parameters
    ----------
    counts, quotas
        How many records have each value, and how many should; both with one row per group.
    matrix
        ``P[r, i, j]``, the probability that the true value j became i, or one matrix for all.
    test
        ``test[r, p]``: which values meet the test of the group's node. Records move to the same
        side of the test first where a value is kept with more than 0.5, else to the other.
    """
    rows, k = counts.shape
    matrix = np.broadcast_to(matrix, (rows, k, k))
    surplus = np.maximum(counts - quotas, 0)
    wanted = np.maximum(quotas - counts, 0)
    moved = np.zeros((rows, k, k), np.int64)
    moved[:, np.arange(k), np.arange(k)] = counts - surplus
    every = np.arange(rows)[:, None]
    for value in np.flatnonzero(surplus.any(axis=0)).tolist():
        order = np.argsort(-matrix[:, value], axis=1, kind="stable")
        left = surplus[:, value]
        for passing in _passes(value, matrix, test):
            offered = np.where(passing, wanted, 0)[every, order]
            before = np.cumsum(offered, axis=1) - offered
            taken = np.clip(left[:, None] - before, 0, offered)
            given = np.empty_like(taken)
            given[every, order] = taken
            moved[:, value] += given
            wanted = wanted - given
            left = left - taken.sum(axis=1)
    return moved


def _passes(value: int, matrix: Numbers, test: Mask | None) -> tuple[Mask | bool, ...]:
    if test is None:
        return (True,)
    keep = matrix[:, value, value][:, None]
    same = test == test[:, value][:, None]
    preferred = np.where(keep > 0.5, same, (keep < 0.5) & ~same)
    return preferred, ~preferred


def moves_in_order(counts: Counts, quotas: Counts) -> Counts:
    """``moved[r, s, p]``: how many records of cell s get interval p, the lowest the first.

    >>> moves_in_order(np.array([[2, 1]]), np.array([[1, 2]])).tolist()
    [[[1, 1], [0, 1]]]
    """
    have, want = np.cumsum(counts, axis=1), np.cumsum(quotas, axis=1)
    upto = np.minimum(have[:, :, None], want[:, None, :])
    since = np.maximum((have - counts)[:, :, None], (want - quotas)[:, None, :])
    return np.asarray(np.maximum(upto - since, 0))


def first_taken(counts: Counts, n: Counts) -> Counts:
    """How many records of every cell are among the first n[r] of their group.

    >>> first_taken(np.array([[2, 3, 1]]), np.array([4])).tolist()
    [[2, 2, 0]]
    """
    before = np.cumsum(counts, axis=1) - counts
    return np.clip(n[:, None] - before, 0, counts)


def _count_loop(out: Any, rows: Any, nodes: Any, codes: Any, classes: Any) -> None:
    for i in range(rows.size):
        row = rows[i]
        node = nodes[i]
        group = classes[row]
        for a in range(codes.shape[1]):
            out[node, a, group, codes[row, a]] += 1


def _count_example() -> tuple[Any, ...]:
    codes = np.zeros((2, 1), np.int32)
    rows = np.zeros(2, np.intp)
    return np.zeros((1, 1, 1, 1), np.int64), rows, rows.copy(), codes, rows.copy()


count_records = Kernel(_count_loop, _count_example)


def histograms(
    rows: NDArray[np.intp],
    nodes: NDArray[np.intp],
    codes: NDArray[np.int32],
    classes: NDArray[np.intp],
    shape: tuple[int, int, int],
) -> Counts:
    """``counts[node, a, class, cell]`` over the given records.

    Parameters
    ----------
    rows, nodes
        Which records there are, one after the other, and the node that each is in; a record may
        be in several, or several times in one.
    codes
        ``codes[row, a]``: the cell of a record in attribute a.
    shape
        The numbers of nodes, of classes and of cells.

    >>> codes = np.array([[0], [1], [1]], np.int32)
    >>> rows, nodes, classes = np.arange(3), np.zeros(3, np.intp), np.array([0, 0, 1])
    >>> histograms(rows, nodes, codes, classes, (1, 2, 2)).tolist()
    [[[[1, 1], [0, 1]]]]
    """
    count, n_classes, cells = shape
    m = codes.shape[1]
    if count_records.compiled is not None:
        out = np.zeros((count, m, n_classes, cells), np.int64)
        count_records.compiled(out, rows, nodes, codes, classes)
        return out
    # The same by one long list of places.
    place = (nodes[:, None] * m + np.arange(m)) * n_classes + classes[rows][:, None]
    place *= cells
    place += codes[rows]
    flat = np.bincount(place.ravel(), minlength=count * m * n_classes * cells)
    return flat.reshape(count, m, n_classes, cells)
