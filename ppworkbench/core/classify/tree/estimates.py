"""Distributions of many nodes, classes and attributes, reconstructed at once.

The EM iteration of many nodes as a compiled loop.

A small node has records in few cells of Z; the loop visits only those, which no product of
matrices can do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers, project
from ppworkbench.core.classify.tree.families import Family
from ppworkbench.core.kernels import Kernel
from ppworkbench.core.reconstruct.stopping import Converged, Published, StopRule

CHI_SQUARED, CHANGE, NEVER = 0, 1, 2
"""Rules: the published distance, the sum of absolute changes, a fixed number of iterations."""

_TINY = float(np.finfo(np.float64).tiny)


def _em_loop(  # noqa: C901, PLR0912, PLR0913, PLR0917 (numba calls cost more than lines)
    x: Any,
    counts: Any,
    matrix: Any,
    sizes: Any,
    todo: Any,
    kind: int,
    limits: Any,
    most: int,
) -> None:
    cells = np.empty(counts.shape[2], np.int64)
    shares = np.empty(counts.shape[2])
    new = np.empty(x.shape[2])
    for a in range(x.shape[0]):
        k = sizes[a]
        even = k - k % 4
        for r in range(x.shape[1]):
            if not todo[a, r]:
                continue
            used, n = 0, 0
            for s in range(counts.shape[2]):
                if counts[a, r, s] > 0:
                    cells[used] = s
                    shares[used] = counts[a, r, s]
                    n += counts[a, r, s]
                    used += 1
            for i in range(used):
                shares[i] /= n
            for iteration in range(most):
                for p in range(k):
                    new[p] = 0.0
                for i in range(used):
                    s = cells[i]
                    # Four sums side by side: one alone would wait for itself.
                    one = two = three = four = 0.0
                    for p in range(0, even, 4):
                        one += matrix[a, s, p] * x[a, r, p]
                        two += matrix[a, s, p + 1] * x[a, r, p + 1]
                        three += matrix[a, s, p + 2] * x[a, r, p + 2]
                        four += matrix[a, s, p + 3] * x[a, r, p + 3]
                    for p in range(even, k):
                        one += matrix[a, s, p] * x[a, r, p]
                    share = shares[i] / max((one + two) + (three + four), _TINY)
                    for p in range(k):
                        new[p] += share * matrix[a, s, p]
                change = 0.0
                for p in range(k):
                    old = x[a, r, p]
                    fresh = new[p] * old
                    if kind == CHI_SQUARED:
                        change += (fresh - old) * (fresh - old) / max(old, _TINY)
                    else:
                        change += abs(fresh - old)
                    x[a, r, p] = fresh
                if kind == CHI_SQUARED:
                    change *= n
                if kind != NEVER and iteration + 1 < most and change < limits[a]:
                    break
            total = 0.0
            for p in range(k):
                total += x[a, r, p]
            for p in range(k):
                x[a, r, p] /= max(total, _TINY)


def _em_example() -> tuple[Any, ...]:
    x, matrix, limits = np.ones((1, 1, 1)), np.ones((1, 1, 1)), np.ones(1)
    counts, sizes = np.ones((1, 1, 1), np.int64), np.ones(1, np.intp)
    return x, counts, matrix, sizes, np.ones((1, 1), np.bool_), 0, limits, 1


em_rows = Kernel(_em_loop, _em_example)


_ROUNDING = 1e-12
_DIGITS = 11
"""Beyond these digits two ways to add up may differ, and the tests chosen must not."""


def estimate(
    family: Family, counts: NDArray[np.int64], rule: StopRule, wanted: NDArray[np.bool_]
) -> Numbers:
    """``x[a, r, p]``: for attribute a the distribution of X in every row r.

    Parameters
    ----------
    counts
        ``counts[a, r, s]``: how many records have cell s of Z.
    rule
        When the iteration stops, where there is one.
    wanted
        ``wanted[a, r]``: whether anybody asks; what nobody asks for stays uniform.
    """
    n = counts.sum(axis=2)
    shares = counts / np.maximum(n, 1)[..., None]
    start = family.valid / family.sizes[:, None]
    x = np.repeat(start[:, None, :], counts.shape[1], axis=1)
    plain = family.undistorted
    if plain.any():
        # A row without records stays uniform.
        there = (n[plain] > 0)[..., None]
        x[plain] = np.where(there, _seen(family, shares[plain]), x[plain])
    todo = wanted & (n > 0) & ~plain[:, None]
    if not todo.any():
        return x
    if family.solved or rule.name == "converged":
        todo = _solve(family, shares, x, todo)
    if not family.solved and todo.any():
        if em_rows.compiled is None:
            _iterate(family, shares, n.astype(np.float64), x, todo, rule)
        else:
            kind, limits = _kind(family, rule)
            em_rows.compiled(x, counts, family.matrix, family.sizes, todo, kind, limits, rule.limit)
    return np.round(x, _DIGITS)


def _seen(family: Family, shares: Numbers) -> Numbers:
    """Shares of X where Z is X: in its own cells, or in those of assigned values."""
    seen = shares[..., : family.k]
    return seen + shares[..., family.known :] if family.cells > family.known else seen


def _solve(
    family: Family, shares: Numbers, x: Numbers, todo: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Solve Z = P X where it can be; True remains where the solution is not the likeliest."""
    if family.inverse is None:
        return todo
    raw = shares @ family.inverse.transpose(0, 2, 1)
    if family.solved:
        padded = np.where(family.valid[:, None, :], raw, -np.inf)
        x[todo] = project(padded[todo])
        return np.zeros_like(todo)
    likeliest = todo & (raw.min(axis=2) >= -_ROUNDING)
    x[likeliest] = np.maximum(raw[likeliest], 0.0)
    return np.asarray(todo & ~likeliest)


def _iterate(
    family: Family,
    shares: Numbers,
    n: Numbers,
    x: Numbers,
    todo: NDArray[np.bool_],
    rule: StopRule,
) -> None:
    """``x_p <- x_p * sum_s z_s A[s, p] / (A x)_s``, in place, until the rule is met everywhere."""
    todo = todo.copy()
    rows = np.flatnonzero(todo.any(axis=0))
    matrix = family.matrix
    turned = np.ascontiguousarray(matrix.transpose(0, 2, 1))
    current, share = x[:, rows], shares[:, rows]
    threshold = _thresholds(family, rule)
    for iteration in range(1, rule.limit + 1):
        fitted = current @ turned
        np.maximum(fitted, _TINY, out=fitted)
        np.divide(share, fitted, out=fitted)
        new = fitted @ matrix
        new *= current
        done = todo[:, rows]
        if iteration < rule.limit:
            done = done & _met(current, new, n[:, rows], rule, threshold)
        current = new
        if not done.any():
            continue
        attribute, row = np.nonzero(done)
        x[attribute, rows[row]] = new[attribute, row]
        todo[attribute, rows[row]] = False
        left = todo[:, rows].any(axis=0)
        if not left.any():
            break
        if not left.all():
            rows, current, share = rows[left], current[:, left], share[:, left]
    x /= np.maximum(x.sum(axis=2, keepdims=True), _TINY)


def _thresholds(family: Family, rule: StopRule) -> Numbers:
    if not isinstance(rule, Published):
        return np.zeros(family.m)
    return np.array([rule.threshold(int(size)) for size in family.sizes])


def _kind(family: Family, rule: StopRule) -> tuple[int, Numbers]:
    if isinstance(rule, Published):
        return CHI_SQUARED, _thresholds(family, rule)
    if isinstance(rule, Converged):
        return CHANGE, np.full(family.m, rule.tolerance)
    return NEVER, np.zeros(family.m)


def _met(
    old: Numbers, new: Numbers, n: Numbers, rule: StopRule, threshold: Numbers
) -> NDArray[np.bool_]:
    if isinstance(rule, Published):
        change = np.square(new - old)
        change /= np.maximum(old, _TINY)
        return np.asarray(n * change.sum(axis=2) < threshold[:, None])
    if rule.name == "fixed":
        return np.zeros(old.shape[:2], bool)
    return rule.met(old, new, 1.0)
