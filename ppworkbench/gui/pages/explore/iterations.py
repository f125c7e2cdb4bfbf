"""How far the steps of EM are off, and repeated draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.table import Column
from ppworkbench.core.design.fit import fit_column
from ppworkbench.core.design.noises.base import domain_of, integer_edges
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct import CountedChannel, count_column, estimators, information_loss
from ppworkbench.core.reconstruct.channel import VALUES
from ppworkbench.core.reconstruct.estimator import IteratedEstimator
from ppworkbench.core.reconstruct.grid import undistorted
from ppworkbench.core.reconstruct.inversion import invert
from ppworkbench.core.rng import SeededStreams
from ppworkbench.gui.pages.explore.simulation import (
    AUTO,
    FIXED,
    Draw,
    Path,
    Subject,
    best_iterations,
    losses_by_rule,
    most_iterations,
    refusal,
)
from ppworkbench.study.language import translatable

Numbers = NDArray[np.float64]

MOST_RESAMPLES = 100
_FEWEST_RESAMPLES = 40
_MOST_WORK = 1.2e10
_REPORT_EVERY = 8
_STILL = 1e-7
_TINY = float(np.finfo(np.float64).tiny)


def trace_errors(method: str, draw: Draw, path: Path, progress: Progress = silent) -> Numbers:
    """Standard deviations of the kept estimates, by a bootstrap of the counts.

    The resamples are iterated together. Where the work would take too long the later steps stay
    unknown (NaN). The bias of an early stop is not in it.
    """
    estimator, counted = estimators[method](), draw.counted
    assert isinstance(estimator, IteratedEstimator)  # noqa: S101 (others have closed forms)
    matrix, counts = estimator.cells(counted)
    found = np.full(path.estimates.shape, np.nan)
    found[0] = 0.0
    hidden = invert(counted.matrix).hidden if draw.is_singular else np.zeros(counted.k, bool)
    n = round(float(counts.sum()))
    if n < 1:
        return found
    work = 4.0 * matrix.size
    resamples = int(
        np.clip(_MOST_WORK / (work * max(path.last, 1)), _FEWEST_RESAMPLES, MOST_RESAMPLES)
    )
    most = int(_MOST_WORK / (work * resamples))
    generator = SeededStreams(draw.seed).generator("explore bootstrap", draw.subject.name)
    shares = generator.multinomial(n, counts / counts.sum(), size=resamples) / n
    columns = np.ascontiguousarray(matrix.T)
    x = np.full((resamples, matrix.shape[1]), 1 / matrix.shape[1])
    iteration = 0
    for place, kept in enumerate(path.iterations.tolist()):
        if kept > most:
            break
        while iteration < kept:
            if iteration % _REPORT_EVERY == 0:
                progress(iteration / max(path.last, 1), translatable("resampling"))
            new = ((shares / np.maximum(x @ columns, _TINY)) @ matrix) * x
            iteration += 1
            if np.abs(new - x).sum(axis=1).max() < _STILL:
                # Nothing moves any more, so nothing would differ later on.
                found[place:] = new.std(axis=0, ddof=1)
                found[:, hidden] = np.inf
                return found
            x = new
        if kept:
            found[place] = x.std(axis=0, ddof=1)
    # What the matrix hides stays unknown however alike the resamples are.
    found[:, hidden] = np.inf
    return found


DRAWS = 100
_AT_ONCE = 10
_FINER = 4
_MOST_NUMBERS = 2000


@dataclass(eq=False)
class PartialResult:
    """The losses found so far. One thread appends, others read."""

    subject: Subject
    wanted: int = DRAWS
    fixed: int = 0
    losses: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    done: int = 0

    def of(self, method: str, rule: str) -> Numbers:
        """The losses of one algorithm with one rule; no rule for one that does not iterate."""
        return np.array(self.losses.get((method, rule), ()))


def repeat(
    draw: Draw,
    methods: Sequence[str],
    fixed: int,
    tally: PartialResult,
    progress: Progress = silent,
) -> PartialResult:
    """Distort and reconstruct ``tally.wanted`` times, adding every few draws to the tally."""
    chosen = [name for name in methods if refusal(name, draw) == ""]
    redraw = Redraw(draw)
    while tally.done < tally.wanted:
        runs = min(_AT_ONCE, tally.wanted - tally.done)
        share = part(progress, tally.done / tally.wanted, (tally.done + runs) / tally.wanted)
        rows = redraw.counts(runs)
        found: dict[tuple[str, str], list[float]] = {}
        for place, name in enumerate(chosen):
            own = part(share, place / len(chosen), (place + 1) / len(chosen))
            losses_of = _losses(name, draw, rows, Plan(fixed, draw.seed + tally.done), own)
            for rule, losses in losses_of.items():
                found[name, rule] = losses.tolist()
        for key, added in found.items():
            tally.losses.setdefault(key, []).extend(added)
        tally.done += runs
        share(1.0, f"{tally.done} of {tally.wanted}")
    return tally


@dataclass(frozen=True)
class Plan:
    """The number of iterations of the fixed rule, and the first seed for parts held out."""

    fixed: int
    seed: int


class Redraw:
    """Draws counts of distorted answers of the same respondents.

    Numbers are first counted in cells finer than the steps of the scale, because within a step it
    matters where an answer lies.
    """

    def __init__(self, draw: Draw) -> None:
        subject, counted = draw.subject, draw.counted
        truth = Column(subject.attribute, fit_column(subject.column, subject.designed))
        perturbation = subject.perturbation
        if counted.x_edges is None or perturbation.is_identity:
            self._matrix = counted.matrix
            plain = undistorted(subject.attribute, counted.x_edges)
        else:
            assert counted.z_edges is not None  # noqa: S101 (noise has borders)
            edges = _finer(counted, subject)
            self._matrix = perturbation.channel(edges, counted.z_edges, subject.attribute)
            plain = undistorted(subject.attribute, edges)
        found = count_column(truth, subject.attribute, plain.perturbation, plain.x_edges)
        self._people = found.counts.astype(np.int64)
        self._generator = SeededStreams(draw.seed).generator("explore repeats", subject.name)

    def counts(self, runs: int) -> Numbers:
        """Counts of that many draws, one per row."""
        total = np.zeros((runs, len(self._matrix)))
        for cell in np.flatnonzero(self._people):
            column = self._matrix[:, cell]
            weights = column / column.sum()
            total += self._generator.multinomial(int(self._people[cell]), weights, size=runs)
        return total


def _finer(counted: CountedChannel, subject: Subject) -> Numbers:
    assert counted.x_edges is not None  # noqa: S101 (seen by the caller)
    edges = counted.x_edges
    if subject.attribute.kind is Kind.INTEGER:
        low, high = domain_of(subject.attribute)
        few = high - low < _MOST_NUMBERS and edges[0] <= low and edges[-1] >= high
        return integer_edges(low, high) if few else edges
    parts = np.arange(_FINER) / _FINER
    inner = edges[:-1, None] + np.diff(edges)[:, None] * parts
    return np.append(inner.ravel(), edges[-1])


def _losses(
    method: str, draw: Draw, rows: Numbers, plan: Plan, progress: Progress
) -> dict[str, Numbers]:
    """The loss of every draw, by stop rule."""
    estimator, counted = estimators[method](), draw.counted
    assert draw.original is not None  # noqa: S101 (the page asks for repeats of known truths only)
    if isinstance(estimator, IteratedEstimator):
        return _iterated(estimator, draw, rows, plan, progress)
    found = []
    for place, row in enumerate(rows):
        share = part(progress, place / len(rows), (place + 1) / len(rows))
        fit = estimator.fit(counted.with_counts(row), seed=plan.seed + place, progress=share)
        found.append(fit.probability)
    return {"": information_loss(draw.original, np.array(found))}


def _iterated(
    estimator: IteratedEstimator, draw: Draw, rows: Numbers, plan: Plan, progress: Progress
) -> dict[str, Numbers]:
    counted = draw.counted
    matrix, counts = systems(estimator, counted, rows)
    seeds = [plan.seed + place for place in range(len(rows))]
    auto = best_iterations(matrix, counts, seeds, part(progress, 0.0, 0.5))
    most = most_iterations(*matrix.shape, values=counted.cells == VALUES)
    stops = {AUTO: auto, FIXED: np.full(len(rows), plan.fixed)}
    assert draw.original is not None  # noqa: S101 (as above)
    share = part(progress, 0.5, 1.0)
    return losses_by_rule(matrix, counts, most, stops, draw.original, share)


def systems(
    estimator: IteratedEstimator, counted: CountedChannel, rows: Numbers
) -> tuple[Numbers, Numbers]:
    """One channel for all draws, and the counts of each in its cells.

    An estimator may count Z in cells of its own that depend on where answers were seen. With all
    draws together in the counts the cells are the same for each, and counting adds up.
    """
    together = rows.sum(axis=0)
    matrix, base = estimator.cells(counted.with_counts(together))
    both = (estimator.cells(counted.with_counts(together + row))[1] for row in rows)
    return matrix, np.array([counts - base for counts in both])
