"""Distort a column again and again, reconstruct it, and follow how the estimate comes about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Perturbation
from ppworkbench.core.design.distort import Distorter
from ppworkbench.core.design.fit import fit_column
from ppworkbench.core.design.matrices.base import condition_number
from ppworkbench.core.design.noises.base import domain_of, integer_edges
from ppworkbench.core.design.row_devices import refuse_noise_by_row
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct import (
    ColumnCounter,
    CountedChannel,
    count_column,
    estimators,
    information_loss,
    original_distribution,
)
from ppworkbench.core.reconstruct.by_arm import ArmResults, DeviceCounter
from ppworkbench.core.reconstruct.channel import NUMBERS, VALUES
from ppworkbench.core.reconstruct.estimator import IteratedEstimator
from ppworkbench.core.reconstruct.grid import DEFAULT_BINS, undistorted
from ppworkbench.core.reconstruct.intervals import intervals
from ppworkbench.core.reconstruct.inversion import invert
from ppworkbench.core.reconstruct.reconstruct import results_by_arm
from ppworkbench.core.reconstruct.stopping import average_iterations
from ppworkbench.core.rng import SeededStreams
from ppworkbench.study.analyses.iterations import (
    AUTO,
    CONVERGED,
    FIXED,
    PUBLISHED,
    EmTrace,
    Whole,
    averages,
    em_trace,
    losses_by_rule,
    most_iterations,
)
from ppworkbench.study.language import translatable
from ppworkbench.study.study import Study

MOST_STEPS = 500
"""More steps than pixels show nothing, and every iteration pays for them."""
_EACH_NUMBER = 200
"""Whole numbers up to which each has a step of its own unless somebody asks otherwise."""


@dataclass(frozen=True)
class ExploredColumn:
    """One attribute of a study, ready to be drawn from.

    Parameters
    ----------
    column
        The original answers, or the distorted ones where nobody knows the original.
    designed
        The attribute with its own perturbation, that of its group where it is in one.
    known
        Whether the column holds the true answers.
    steps
        How many intervals a scale of numbers is cut into; None for values.
    design, arms
        The question and the column of the arms, where there are arms; and the arm of every row
        where the answers tell it.
    """

    column: Column
    designed: DesignedAttribute
    known: bool
    steps: int | None = None
    design: Design | None = None
    arms: Column | None = None

    @property
    def name(self) -> str:
        """The attribute's name."""
        return self.designed.name

    @property
    def attribute(self) -> Attribute:
        """The attribute as the design knows it."""
        return self.designed.attribute

    @property
    def perturbation(self) -> Perturbation:
        """How it is distorted."""
        return self.designed.perturbation

    @property
    def cells(self) -> str:
        """Whether its answers are values or numbers."""
        return VALUES if self.attribute.kind.is_categorical else NUMBERS

    @property
    def is_distorted(self) -> bool:
        """Whether the design distorts it at all."""
        return not self.perturbation.is_identity or self.has_noise_by_arm

    @property
    def has_noise_by_arm(self) -> bool:
        """Whether it is a number that arms randomise in different ways."""
        if self.design is None or self.attribute.kind.is_categorical:
            return False
        return bool(self.design.perturbation(self.name).columns)


def explored_column(
    study: Study, name: str | None, steps: int | None = None
) -> ExploredColumn | None:
    """The column of that name; None where the study has no answers or no design for it."""
    table = study.table
    if name is None or table is None or name not in table or name not in study.design:
        return None
    design = _with_arms(study.design, name)
    device = study.design.perturbation(name)
    if device.columns and not study.design[name].attribute.kind.is_categorical:
        device = study.design.usual_device(name)
    designed = replace(study.design[name], perturbation=device)
    if designed.attribute.kind.is_categorical:
        steps = None
    else:
        wanted = default_steps(designed) if steps is None else steps
        steps = max(1, min(wanted, most_steps(designed.attribute)))
    arms = None
    if design is not None and design.arms is not None and design.arms.column in table:
        arms = table[design.arms.column]
    return ExploredColumn(table[name], designed, study.original is not None, steps, design, arms)


def _with_arms(design: Design, name: str) -> Design | None:
    """The question alone with its arms; None where arms have nothing to do with it."""
    arms = design.arms
    if arms is None or name == arms.column:
        return None
    only = replace(design[name], perturbation=design.usual_device(name))
    others = [other for other in design.names if other != name]
    return Design((only, design[arms.column]), arms=arms.without(others))


def default_steps(designed: DesignedAttribute) -> int:
    """How many steps a scale has if nobody asks otherwise."""
    attribute = designed.attribute
    edges = designed.perturbation.interval_edges(attribute)
    if edges is not None:
        return len(edges) - 1
    if attribute.kind is Kind.INTEGER and attribute.width + 1 <= _EACH_NUMBER:
        return int(attribute.width) + 1
    return DEFAULT_BINS


def most_steps(attribute: Attribute) -> int:
    """How many steps a scale can have."""
    if attribute.kind is Kind.INTEGER:
        return min(MOST_STEPS, int(attribute.width) + 1)
    return MOST_STEPS if attribute.width > 0 else 1


_CHUNK = 1 << 17


@dataclass(frozen=True, eq=False)
class Draw:
    """Distorted counts of a column, with the truth where it is known.

    Parameters
    ----------
    original
        The shares of the true answers in X's cells; None where nobody knows them.
    distorted, distorted_edges
        The shares of the distorted answers as a picture shows them: by value, or in steps about
        as wide as those of X between the edges.
    condition
        How much P magnifies errors; infinite for a matrix that cannot be undone. None where the
        channel is not square.
    asked, not_asked
        Whom the question was asked of, where some arms do not ask it; and how many people were not.
    by_arm
        Every arm by itself, for values of a survey with arms.
    """

    explored: ExploredColumn
    seed: int
    counted: CountedChannel
    original: Numbers | None
    distorted: Numbers
    distorted_edges: Numbers | None
    condition: float | None
    asked: NDArray[np.bool_] | None = None
    not_asked: int = 0
    by_arm: ArmResults | None = None

    @property
    def is_singular(self) -> bool:
        """Whether different truths look the same once distorted."""
        return self.condition is not None and not np.isfinite(self.condition)

    @property
    def key(self) -> tuple[ExploredColumn, int]:
        """What two draws must share to be the same."""
        return self.explored, self.seed


def simulate(explored: ExploredColumn, seed: int, progress: Progress = silent) -> Draw:
    """Distort the column with the stream that the whole table would use, and count it.

    Parameters
    ----------
    seed
        Where the random numbers start; without a meaning for answers that came distorted.
    """
    if explored.design is not None:
        return _simulate_arms(explored, explored.design, seed, progress)
    attribute, perturbation = explored.attribute, explored.perturbation
    bins = None if _has_own(explored) else explored.steps
    counter = ColumnCounter(attribute, perturbation, bins)
    for done, chunk in _distorted_chunks(explored, seed):
        progress(0.8 * done, translatable("distorting"))
        counter.add(chunk)
    counted = counter.counted()
    original = None
    if explored.known and counted.total > 0 and counted.k > 1:
        progress(0.85, translatable("counting"))
        truth = Column(attribute, fit_column(explored.column, explored.designed))
        original = original_distribution(truth, counted)
    condition = None
    if counted.is_square and counted.cells == VALUES:
        part(progress, 0.9, 1.0)(0.0, translatable("checking the matrix"))
        condition = condition_number(counted.matrix)
    share, edges = _as_shown(counted)
    return Draw(explored, seed, counted, original, share, edges, condition)


def _simulate_arms(explored: ExploredColumn, design: Design, seed: int, progress: Progress) -> Draw:
    """The same with arms: every row through the device of its own arm."""
    refuse_noise_by_row(design.perturbation(explored.name), explored.attribute)
    bins = None if _has_own(explored) else explored.steps
    counter = DeviceCounter(explored.name, design, bins)
    arms = design.arms
    assert arms is not None  # noqa: S101 (the design has the question and its arms)
    silent_ones = [place for place, arm in enumerate(arms.members) if explored.name in arm.omit]
    asked = []
    for done, table in _chunks_with_arms(explored, design, seed):
        progress(0.7 * done, translatable("distorting"))
        codes = arms.read(table)
        counter.add(table, codes)
        asked.append(~np.isin(codes, silent_ones))
    counted = counter.counted() or counter.stacked()
    told = np.concatenate(asked)
    original = None
    if explored.known and counted.total > 0 and counted.k > 1:
        progress(0.75, translatable("counting"))
        original = original_distribution(_truth(explored, told), counted)
    by_arm = None
    if explored.cells == VALUES and counted.total > 0 and counted.k > 1:
        progress(0.8, translatable("comparing arms"))
        by_arm = results_by_arm(counter, seed=seed)
    condition, share, edges = None, counted.counts, None
    if counted.is_square and counted.cells == VALUES:
        condition = condition_number(counted.matrix)
    if counted.cells == VALUES:
        # The reports of several devices stand one after another.
        reported = counted.counts.reshape(-1, counted.k).sum(axis=0)
        share = reported / max(float(reported.sum()), 1.0)
    else:
        share, edges = _as_shown(counted)
    return Draw(
        explored, seed, counted, original, share, edges, condition, told, counter.not_asked, by_arm
    )


def _truth(explored: ExploredColumn, asked: NDArray[np.bool_] | None) -> Column:
    """The true answers of those who were asked."""
    truth = Column(explored.attribute, fit_column(explored.column, explored.designed))
    return truth if asked is None else truth.take(np.flatnonzero(asked))


def _chunks_with_arms(
    explored: ExploredColumn, design: Design, seed: int
) -> Iterator[tuple[float, Table]]:
    """The share that is done, and the next distorted records with their arms."""
    columns = (explored.column,) if explored.arms is None else (explored.column, explored.arms)
    whole = Table(columns)
    if not explored.known:
        yield 0.0, whole
        return
    distorter = Distorter(design, SeededStreams(seed))
    for start in range(0, max(whole.rows, 1), _CHUNK):
        chunk = whole.take(slice(start, start + _CHUNK))
        yield start / max(whole.rows, 1), distorter.apply(chunk)


def _has_own(explored: ExploredColumn) -> bool:
    """Whether the steps asked for are the intervals that are published anyway."""
    edges = explored.perturbation.interval_edges(explored.attribute)
    return edges is not None and explored.steps == len(edges) - 1


def _distorted_chunks(explored: ExploredColumn, seed: int) -> Iterator[tuple[float, Column]]:
    """The share that is done, and the next distorted records."""
    column = explored.column
    if not explored.known:
        yield 0.0, column
        return
    distorter = Distorter(Design((explored.designed,)), SeededStreams(seed))
    # At least one chunk, so that an empty column is checked like any other.
    for start in range(0, max(len(column), 1), _CHUNK):
        chunk = Table((column.take(slice(start, start + _CHUNK)),))
        yield start / max(len(column), 1), distorter.apply(chunk)[explored.name]


def _as_shown(counted: CountedChannel) -> tuple[Numbers, Numbers | None]:
    total = max(float(counted.counts.sum()), 1.0)
    if counted.x_edges is None or counted.z_edges is None:
        return counted.counts / total, None
    counts, edges = counted.counts, counted.z_edges
    seen = np.flatnonzero(counts)
    if len(seen):
        # Beyond the data the channel has one wide cell to either side, with nothing to show.
        counts = counts[seen[0] : seen[-1] + 1]
        edges = edges[seen[0] : seen[-1] + 2]
    width = float(np.median(np.diff(counted.x_edges)))
    starts = [0]
    for cell in range(1, len(counts)):
        if edges[cell] - edges[starts[-1]] >= 0.99 * width:
            starts.append(cell)
    return np.add.reduceat(counts, starts) / total, np.append(edges[starts], edges[-1])


CONFIDENCE = 0.95
_QUANTILE = 1.959964


@dataclass(frozen=True)
class Reading:
    """An estimate as it is shown: with its interval and its loss where they are known."""

    probability: Numbers
    low: Numbers | None = None
    high: Numbers | None = None
    loss: float | None = None


@dataclass(frozen=True, eq=False)
class Run:
    """The estimate of one algorithm, and the way to it where there is one.

    Parameters
    ----------
    iterates
        Whether a stop rule means anything; without one the last estimate counts.
    low, high, interval_method
        The interval of the last estimate, for algorithms that do not iterate.
    freedom
        The effective degrees of freedom of a smoothed estimate; None for all others.
    """

    method: str
    iterates: bool
    trace: EmTrace
    raw: Numbers
    low: Numbers | None = None
    high: Numbers | None = None
    interval_method: str = ""
    freedom: float | None = None

    def stop(self, rule: str, fixed: int) -> int:
        """The iteration at which a rule stops this algorithm."""
        if not self.iterates:
            return self.trace.last
        return min(fixed, self.trace.last) if rule == FIXED else self.trace.stops[rule]

    def at(self, iteration: int) -> Reading:
        """The estimate after an iteration."""
        trace, low, high = self.trace, None, None
        x = trace.at(iteration)
        deviation = trace.deviation_at(iteration)
        if deviation is not None:
            low = np.clip(x - _QUANTILE * deviation, 0.0, 1.0)
            high = np.clip(x + _QUANTILE * deviation, 0.0, 1.0)
        elif iteration >= trace.last:
            low, high = self.low, self.high
        return Reading(x, low, high, trace.loss_at(iteration))


@dataclass(frozen=True, eq=False)
class Result:
    """A draw and what the algorithms made of it."""

    draw: Draw
    runs: Mapping[str, Run] = field(default_factory=dict)

    def with_run(self, run: Run) -> Result:
        """The same with another run in the place of that algorithm's."""
        return replace(self, runs={**self.runs, run.method: run})

    def covers(self, explored: ExploredColumn, seed: int, methods: Iterable[str]) -> bool:
        """Whether everything is known that these algorithms can say about that draw."""
        if self.draw.key != (explored, seed):
            return False
        if is_trivial(self.draw):
            return True
        return all(name in self.runs or refusal(name, self.draw) for name in methods)


def explore(
    explored: ExploredColumn,
    seed: int,
    methods: Iterable[str],
    before: Result | None = None,
    progress: Progress = silent,
) -> Result:
    """Distort and reconstruct; what an earlier result of the same draw knows is not done again."""
    if before is None or before.draw.key != (explored, seed):
        before = Result(simulate(explored, seed, part(progress, 0.0, 0.3)))
    if is_trivial(before.draw):
        return Result(before.draw)
    return reconstruct_draw(before.draw, methods, before.runs, part(progress, 0.3, 1.0))


def reconstruct_draw(
    draw: Draw,
    methods: Iterable[str],
    known: Mapping[str, Run],
    progress: Progress = silent,
) -> Result:
    """Run the algorithms that are not known yet."""
    wanted = [name for name in methods if refusal(name, draw) == ""]
    missing = [name for name in wanted if name not in known]
    runs = {name: known[name] for name in wanted if name in known}
    for place, name in enumerate(missing):
        share = part(progress, place / len(missing), (place + 1) / len(missing))
        runs[name] = run_method(name, draw, share)
    return Result(draw, runs)


def is_trivial(draw: Draw) -> bool:
    """Whether there is nothing to reconstruct: no answers, or only one possible answer."""
    return draw.counted.k == 1 or draw.counted.total <= 0


def refusal(method: str, draw: Draw) -> str:
    """Why an algorithm cannot serve a draw, as a key of a sentence; empty if it can."""
    counted = draw.counted
    if counted.cells not in estimators[method].serves:
        return "cells"
    if method != "eq":
        return ""
    if not counted.is_square:
        return "square"
    return "singular" if draw.is_singular else ""


def run_method(method: str, draw: Draw, progress: Progress = silent) -> Run:
    """Run one algorithm on one draw."""
    estimator, counted = estimators[method](), draw.counted
    if isinstance(estimator, IteratedEstimator):
        trace = _iterated(estimator, draw, progress)
        return Run(method, True, trace, trace.estimates[-1])
    fit = estimator.fit(counted, seed=draw.seed, progress=part(progress, 0.0, 0.8))
    found = intervals(counted, fit, CONFIDENCE, draw.seed, part(progress, 0.8, 1.0))
    steps = fit.trace
    if steps is None or fit.freedom is not None:
        # The way over the strengths of a penalty is no iteration that anybody would stop.
        trace = _point(fit.probability, draw)
    else:
        trace = _trace_of(steps.iterations, steps.estimates, steps.log_likelihood, draw)
    return Run(method, False, trace, fit.raw, found.low, found.high, found.method, fit.freedom)


def _iterated(estimator: IteratedEstimator, draw: Draw, progress: Progress) -> EmTrace:
    counted = draw.counted
    matrix, counts = estimator.system(counted)
    auto = average_iterations(matrix, counts, counted.size, progress=part(progress, 0.0, 0.4))
    most = most_iterations(*matrix.shape, values=counted.cells == VALUES)
    trace = em_trace(matrix, counts, most, auto, draw.original, part(progress, 0.4, 1.0))
    if counted.is_undistorted:
        # One step finds undistorted answers: nothing is gained by stopping before it.
        trace = replace(trace, stops=dict.fromkeys(trace.stops, trace.last))
    return trace


def _point(x: Numbers, draw: Draw) -> EmTrace:
    return _trace_of(np.array([0]), x[None, :], np.zeros(1), draw)


def _trace_of(iterations: Whole, x: Numbers, likelihood: Numbers, draw: Draw) -> EmTrace:
    losses = None if draw.original is None else information_loss(draw.original, x)
    last = int(iterations[-1])
    # Where two estimates belong to one number, the later one counts.
    kept = np.append(np.diff(iterations) > 0, True)
    return EmTrace(
        iterations[kept].astype(np.int64),
        x[kept],
        likelihood[kept],
        None if losses is None else losses[kept],
        dict.fromkeys((AUTO, PUBLISHED, CONVERGED), last),
    )


MOST_RESAMPLES = 100
_FEWEST_RESAMPLES = 40
_MOST_WORK = 1.2e10
_REPORT_EVERY = 8
_STILL = 1e-7
_TINY = float(np.finfo(np.float64).tiny)


def trace_errors(method: str, draw: Draw, trace: EmTrace, progress: Progress = silent) -> Numbers:
    """Standard deviations of the kept estimates, by a bootstrap of the counts.

    The resamples are iterated together. Where the work would take too long the later steps stay
    unknown (NaN). The bias of an early stop is not in it.
    """
    estimator, counted = estimators[method](), draw.counted
    assert isinstance(estimator, IteratedEstimator)  # noqa: S101 (others have closed forms)
    matrix, counts = estimator.cells(counted)
    found = np.full(trace.estimates.shape, np.nan)
    found[0] = 0.0
    hidden = invert(counted.matrix).hidden if draw.is_singular else np.zeros(counted.k, bool)
    n = round(float(counts.sum()))
    if n < 1:
        return found
    work = 4.0 * matrix.size
    resamples = int(
        np.clip(_MOST_WORK / (work * max(trace.last, 1)), _FEWEST_RESAMPLES, MOST_RESAMPLES)
    )
    most = int(_MOST_WORK / (work * resamples))
    generator = SeededStreams(draw.seed).generator("explore bootstrap", draw.explored.name)
    shares = generator.multinomial(n, counts / counts.sum(), size=resamples) / n
    columns = np.ascontiguousarray(matrix.T)
    x = np.full((resamples, matrix.shape[1]), 1 / matrix.shape[1])
    iteration = 0
    for place, kept in enumerate(trace.iterations.tolist()):
        if kept > most:
            break
        while iteration < kept:
            if iteration % _REPORT_EVERY == 0:
                progress(iteration / max(trace.last, 1), translatable("resampling"))
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

    explored: ExploredColumn
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
        said = Message("{done} of {wanted}", done=tally.done, wanted=tally.wanted)
        share(1.0, said)
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
        truth = _truth(explored, draw.asked)
        perturbation = explored.perturbation
        if counted.x_edges is None or perturbation.is_identity:
            self._matrix = counted.matrix
            plain = undistorted(explored.attribute, counted.x_edges)
        else:
            assert counted.z_edges is not None  # noqa: S101 (noise has borders)
            edges = _finer(counted, explored)
            self._matrix = perturbation.channel(edges, counted.z_edges, explored.attribute)
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
    auto = averages(matrix, counts, counted.size, part(progress, 0.0, 0.5))
    most = most_iterations(*matrix.shape, values=counted.cells == VALUES)
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
