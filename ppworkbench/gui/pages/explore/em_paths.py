"""Many EM iterations at once, for the losses at the stop rules only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.held_out import thinned
from ppworkbench.core.reconstruct.loss import information_loss
from ppworkbench.core.reconstruct.stopping import Auto, Converged, Published
from ppworkbench.gui.language.text import later
from ppworkbench.gui.pages.explore.em_path import CONVERGED, PUBLISHED, is_kept

Numbers = NDArray[np.float64]
Whole = NDArray[np.int64]

_REPORT_EVERY = 8
_PATIENCE, _AT_LEAST = 3, 30
_TINY = float(np.finfo(np.float64).tiny)


def losses_by_rule(
    matrix: Numbers,
    counts: Numbers,
    most: int,
    stops: Mapping[str, Whole],
    truth: Numbers,
    progress: Progress = silent,
) -> dict[str, Numbers]:
    """The information loss of every row of counts under every rule.

    Parameters
    ----------
    stops
        Rules whose iteration is known beforehand, with the iteration for each row. The published
        rule and convergence are found on the way.
    """
    runs, k = len(counts), matrix.shape[1]
    n = counts.sum(axis=1)
    shares = counts / np.maximum(n, 1.0)[:, None]
    columns = np.ascontiguousarray(matrix.T)
    published, converged = Published(), Converged()
    x = np.full((runs, k), 1 / k)
    flat = information_loss(truth, x)
    found = {rule: flat.copy() for rule in (*stops, PUBLISHED, CONVERGED)}
    waiting, active = np.ones(runs, bool), np.arange(runs)
    for iteration in range(1, most + 1):
        if iteration % _REPORT_EVERY == 1:
            progress((iteration - 1) / most, later("iterating"))
        new = ((shares / np.maximum(x @ columns, _TINY)) @ matrix) * x
        still = converged.met(x, new, 1.0) | (iteration == most)
        early = waiting[active]
        if early.any():
            # One size for all: every draw has the same respondents.
            early = early & (published.met(x, new, float(n.max())) | still)
        x = new
        due = [(PUBLISHED, early), (CONVERGED, still)]
        for rule, at in stops.items():
            here = at[active]
            due.append((rule, (here == iteration) | ((here > iteration) & still)))
        for rule, which in due:
            if which.any():
                found[rule][active[which]] = information_loss(truth, x[which])
        waiting[active[early]] = False
        if still.any():
            active, x, shares = active[~still], x[~still], shares[~still]
            if not len(active):
                break
    return found


def best_iterations(
    matrix: Numbers, counts: Numbers, seeds: Sequence[int], progress: Progress = silent
) -> Whole:
    """For every row of counts the iteration that foretells held-out answers best.

    The rule of :class:`Auto` for many draws together; late iterations are looked at only where a
    path keeps them, which moves the answer by a hundredth of itself at most.
    """
    rule = Auto()
    runs, k = len(counts), matrix.shape[1]
    held = np.array(
        [thinned(row, rule.parts, seed) for row, seed in zip(counts, seeds, strict=True)]
    )
    rest = counts[:, None, :] - held
    sizes = rest.sum(axis=2, keepdims=True)
    found = np.zeros(runs, np.int64)
    active = np.flatnonzero((sizes.min(axis=(1, 2)) > 0) & (held.sum(axis=(1, 2)) > 0))
    held, rest = held[active], rest[active] / sizes[active]
    best = np.full(len(active), -np.inf)
    columns = np.ascontiguousarray(matrix.T)
    x = np.full((len(active), rule.parts, k), 1 / k)
    for iteration in range(rule.most + 1):
        if not len(active):
            break
        if iteration % _REPORT_EVERY == 0:
            progress(iteration / (rule.most + 1), later("looking for the best iteration"))
        fitted = np.maximum(x @ columns, _TINY)
        if is_kept(iteration):
            foretold = np.einsum("rpm,rpm->r", held, np.log(fitted))
            better = foretold > best
            best[better] = foretold[better]
            found[active[better]] = iteration
            going = better | (iteration <= _PATIENCE * found[active] + _AT_LEAST)
            if not going.all():
                active, best, held, rest = active[going], best[going], held[going], rest[going]
                x, fitted = x[going], fitted[going]
        x = x * ((rest / fitted) @ matrix)
    return found
