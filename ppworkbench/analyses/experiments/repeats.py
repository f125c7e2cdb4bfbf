"""Many draws: how far each method is from the truth on average."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ppworkbench.analyses.experiments.draws import Draw, ExploredColumn, simulate, truth_of
from ppworkbench.analyses.experiments.iterations import (
    AUTO,
    FIXED,
    averages,
    losses_by_rule,
    most_iterations,
)
from ppworkbench.analyses.experiments.runs import refusal
from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.design.noises.base import domain_of, integer_edges
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct import CountedChannel, count_column, estimators, information_loss
from ppworkbench.core.reconstruct.channel import NUMBERS, VALUES
from ppworkbench.core.reconstruct.estimator import IteratedEstimator
from ppworkbench.core.reconstruct.grid import undistorted
from ppworkbench.core.reconstruct.sets import reconstruct_sets
from ppworkbench.core.rng import SeededStreams
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape

DRAWS = 100
USUAL_FIXED = 100
"""Iterations of the fixed rule unless somebody asks otherwise."""
# An iteration that stops too late shows peaks that are only noise, also where a rule stops it, so
# that numbers are first estimated in the way that needs no stopping rule.
USUAL_METHODS = {VALUES: ("eq", "em-as"), NUMBERS: ("smooth",)}
"""The algorithms to begin with, by what the answers are."""
_AT_ONCE = 10
_FINER = 4
_MOST_NUMBERS = 2000


@dataclass(frozen=True, eq=False)
class Losses:
    """The information loss of every draw, by an algorithm and the rule that stopped it."""

    algorithm: str
    stop: str
    loss: Numbers

    @property
    def mean(self) -> float | None:
        """The mean over the draws; None without any."""
        return float(self.loss.mean()) if len(self.loss) else None

    @property
    def deviation(self) -> float | None:
        """The standard deviation over the draws; None for a single one."""
        return float(self.loss.std(ddof=1)) if len(self.loss) > 1 else None

    @property
    def title(self) -> str:
        """Both in words."""
        return f"{self.algorithm}, {self.stop}" if self.stop else self.algorithm


def losses_picture(losses: Sequence[Losses]) -> Picture:
    """A row of dots for every algorithm."""
    mark = Mark(
        Shape.DOTS, Role.ESTIMATE, Message("mean"), np.concatenate([one.loss for one in losses]),
        np.repeat(np.arange(1.0 * len(losses)), [len(one.loss) for one in losses]),
    )  # fmt: skip
    things = Axis(Message(""), labels=tuple(one.title for one in losses))
    loss = Axis(Message("information loss"), low=0.0)
    return Picture("losses", Message("Information loss of the draws"), loss, things, (mark,))


@dataclass(eq=False)
class PartialResult:
    """The losses found so far. One thread appends, others read.

    ``seed`` is that of the draw which is repeated; the page may have gone on to another one.
    """

    explored: ExploredColumn
    wanted: int = DRAWS
    fixed: int = 0
    losses: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    done: int = 0
    seed: int = 0

    def of(self, method: str, rule: str) -> Numbers:
        """The losses of one algorithm with one rule; no rule for one that does not iterate."""
        return np.array(self.losses.get((method, rule), ()))

    @property
    def listed(self) -> tuple[Losses, ...]:
        """The losses by algorithm and rule, the fixed one by its number of iterations."""
        return tuple(
            Losses(method, str(self.fixed) if rule == FIXED else rule, self.of(method, rule))
            for method, rule in self.losses
        )

    @property
    def methods(self) -> tuple[str, ...]:
        """The algorithms that were repeated."""
        # A copy: the thread that repeats may add an algorithm meanwhile.
        return tuple(dict.fromkeys(method for method, _ in tuple(self.losses)))


def repeat(
    draw: Draw,
    methods: Sequence[str],
    fixed: int,
    tally: PartialResult,
    progress: Progress = silent,
) -> PartialResult:
    """Distort and reconstruct ``tally.wanted`` times, adding every few draws to the tally."""
    chosen = [name for name in methods if refusal(name, draw) == ""]
    tally.seed = draw.seed
    if draw.sets:
        return _repeat_sets(draw, chosen, tally, progress)
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
        said = Message("{done} of {wanted}", done=tally.done, wanted=tally.wanted)
        share(1.0, said)
    return tally


def _repeat_sets(
    draw: Draw, methods: Sequence[str], tally: PartialResult, progress: Progress
) -> PartialResult:
    """The same for reports that are sets: counts of values alone do not tell a likelihood."""
    while tally.done < tally.wanted:
        share = part(progress, tally.done / tally.wanted, (tally.done + 1) / tally.wanted)
        again = simulate(draw.explored, draw.seed + 1 + tally.done, share)
        for name in methods:
            found = reconstruct_sets(again.sets, name, confidence=None, original=draw.original)
            assert found.information_loss is not None  # noqa: S101 (the truth is known)
            tally.losses.setdefault((name, ""), []).append(found.information_loss)
        tally.done += 1
        share(1.0, Message("{done} of {wanted}", done=tally.done, wanted=tally.wanted))
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
        explored, counted = draw.explored, draw.counted
        truth = truth_of(explored, draw.asked)
        perturbation = explored.perturbation
        if counted.x_edges is None or perturbation.is_identity:
            self._matrix = counted.matrix
            plain = undistorted(explored.attribute, counted.x_edges)
        else:
            assert counted.z_edges is not None  # noqa: S101 (noise has borders)
            edges = _finer(counted, explored)
            self._matrix = perturbation.numbers.channel(edges, counted.z_edges, explored.attribute)
            plain = undistorted(explored.attribute, edges)
        found = count_column(truth, explored.attribute, plain.perturbation, plain.x_edges)
        self._people = found.counts.astype(np.int64)
        self._generator = SeededStreams(draw.seed).generator("explore repeats", explored.name)

    def counts(self, runs: int) -> Numbers:
        """Counts of that many draws, one per row."""
        total = np.zeros((runs, len(self._matrix)))
        for cell in np.flatnonzero(self._people):
            column = self._matrix[:, cell]
            weights = column / column.sum()
            total += self._generator.multinomial(int(self._people[cell]), weights, size=runs)
        return total


def _finer(counted: CountedChannel, explored: ExploredColumn) -> Numbers:
    assert counted.x_edges is not None  # noqa: S101 (seen by the caller)
    edges = counted.x_edges
    if explored.attribute.kind is Kind.INTEGER:
        low, high = domain_of(explored.attribute)
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
        return _iterated_losses(estimator, draw, rows, plan, progress)
    found = []
    for place, row in enumerate(rows):
        share = part(progress, place / len(rows), (place + 1) / len(rows))
        fit = estimator.fit(counted.with_counts(row), seed=plan.seed + place, progress=share)
        found.append(fit.probability)
    return {"": information_loss(draw.original, np.array(found))}


def _iterated_losses(
    estimator: IteratedEstimator, draw: Draw, rows: Numbers, plan: Plan, progress: Progress
) -> dict[str, Numbers]:
    counted = draw.counted
    matrix, counts = systems(estimator, counted, rows)
    charge = estimator.charge(counted.size)
    auto = averages(matrix, counts, counted.size, part(progress, 0.0, 0.5), charge)
    most = most_iterations(*matrix.shape, values=counted.cells == VALUES, draws=len(rows))
    stops = {FIXED: np.full(len(rows), plan.fixed)}
    assert draw.original is not None  # noqa: S101 (as above)
    share = part(progress, 0.5, 1.0)
    found = losses_by_rule(matrix, counts, most, stops, draw.original, share)
    return {AUTO: information_loss(draw.original, auto)} | found


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
