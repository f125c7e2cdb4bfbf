"""Draws, reconstructions and what they are of.

The EM iteration kept step by step, with the places where the stop rules end it.

Early steps change a lot and are all kept. Later ones are kept at equal distances on a logarithmic
scale, which is the scale on which a person moves through them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Perturbation
from ppworkbench.core.design.distort import Distorter
from ppworkbench.core.design.fit import fit_column
from ppworkbench.core.design.matrices.base import condition_number
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct import (
    Auto,
    ColumnCounter,
    CountedChannel,
    estimators,
    original_distribution,
)
from ppworkbench.core.reconstruct.channel import NUMBERS, VALUES
from ppworkbench.core.reconstruct.estimator import IteratedEstimator
from ppworkbench.core.reconstruct.grid import DEFAULT_BINS
from ppworkbench.core.reconstruct.intervals import intervals
from ppworkbench.core.reconstruct.loss import information_loss
from ppworkbench.core.reconstruct.reconstruction import log_likelihood
from ppworkbench.core.reconstruct.stopping import Converged, Published, thinned
from ppworkbench.core.rng import SeededStreams
from ppworkbench.study.language import translatable
from ppworkbench.study.study import Study

MOST_STEPS = 500
"""More steps than pixels show nothing, and every iteration pays for them."""

_EACH_NUMBER = 200
"""Whole numbers up to which each has a step of its own unless somebody asks otherwise."""


@dataclass(frozen=True)
class Subject:
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
    """

    column: Column
    designed: DesignedAttribute
    known: bool
    steps: int | None = None

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
        return not self.perturbation.is_identity


def subject_of(study: Study, name: str | None, steps: int | None = None) -> Subject | None:
    """The subject of that name; None where the study has no answers or no design for it."""
    table = study.table
    if name is None or table is None or name not in table or name not in study.design:
        return None
    designed = replace(study.design[name], perturbation=study.design.perturbation(name))
    if designed.attribute.kind.is_categorical:
        steps = None
    else:
        wanted = default_steps(designed) if steps is None else steps
        steps = max(1, min(wanted, most_steps(designed.attribute)))
    return Subject(table[name], designed, study.original is not None, steps)


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


Numbers = NDArray[np.float64]

_CHUNK = 1 << 17


@dataclass(frozen=True, eq=False)
class Draw:
    """Distorted counts of a subject, with the truth where it is known.

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
    """

    subject: Subject
    seed: int
    counted: CountedChannel
    original: Numbers | None
    distorted: Numbers
    distorted_edges: Numbers | None
    condition: float | None

    @property
    def is_singular(self) -> bool:
        """Whether different truths look the same once distorted."""
        return self.condition is not None and not np.isfinite(self.condition)

    @property
    def is_of(self) -> tuple[Subject, int]:
        """What two draws must share to be the same."""
        return self.subject, self.seed


def take_draw(subject: Subject, seed: int, progress: Progress = silent) -> Draw:
    """Distort the column with the stream that the whole table would use, and count it.

    Parameters
    ----------
    seed
        Where the random numbers start; without a meaning for answers that came distorted.
    """
    attribute, perturbation = subject.attribute, subject.perturbation
    bins = None if _has_own(subject) else subject.steps
    counter = ColumnCounter(attribute, perturbation, bins)
    for done, chunk in _distorted_chunks(subject, seed):
        progress(0.8 * done, translatable("distorting"))
        counter.add(chunk)
    counted = counter.counted()
    original = None
    if subject.known and counted.total > 0 and counted.k > 1:
        progress(0.85, translatable("counting"))
        truth = Column(attribute, fit_column(subject.column, subject.designed))
        original = original_distribution(truth, counted)
    condition = None
    if counted.is_square and counted.cells == VALUES:
        part(progress, 0.9, 1.0)(0.0, translatable("looking at the matrix"))
        condition = condition_number(counted.matrix)
    share, edges = _as_shown(counted)
    return Draw(subject, seed, counted, original, share, edges, condition)


def _has_own(subject: Subject) -> bool:
    """Whether the steps asked for are the intervals that are published anyway."""
    edges = subject.perturbation.interval_edges(subject.attribute)
    return edges is not None and subject.steps == len(edges) - 1


def _distorted_chunks(subject: Subject, seed: int) -> Iterator[tuple[float, Column]]:
    """The share that is done, and the next distorted records."""
    column = subject.column
    if not subject.known:
        yield 0.0, column
        return
    distorter = Distorter(Design((subject.designed,)), SeededStreams(seed))
    # At least one chunk, so that an empty column is checked like any other.
    for start in range(0, max(len(column), 1), _CHUNK):
        chunk = Table((column.take(slice(start, start + _CHUNK)),))
        yield start / max(len(column), 1), distorter.apply(chunk)[subject.name]


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


AUTO, PUBLISHED, CONVERGED, FIXED = "auto", "published", "converged", "fixed"
RULES = (AUTO, PUBLISHED, CONVERGED)

_ALL_UP_TO = 128
_PARTS = 50
_REPORT_EVERY = 16
_TINY = float(np.finfo(np.float64).tiny)
_CAPS = (200, 500, 1000, 2000, 5000, 10_000, 20_000)


@dataclass(frozen=True, eq=False)
class Path:
    """Estimates after some of the iterations.

    Parameters
    ----------
    iterations
        Which are kept, from 0 to the last.
    losses
        The information loss of each; None where the truth is not known.
    stops
        The iteration at which each rule stops.
    finished
        Whether the last estimate has converged.
    deviation
        Standard deviations of the kept estimates, NaN where unknown; None before they are known.
    """

    iterations: NDArray[np.int64]
    estimates: Numbers
    log_likelihood: Numbers
    losses: Numbers | None = None
    stops: Mapping[str, int] = field(default_factory=dict)
    finished: bool = True
    deviation: Numbers | None = None

    @property
    def last(self) -> int:
        """The last iteration."""
        return int(self.iterations[-1])

    @property
    def lowest(self) -> int | None:
        """The iteration with the smallest loss."""
        return None if self.losses is None else int(self.iterations[int(np.argmin(self.losses))])

    def at(self, iteration: int) -> Numbers:
        """The estimate after that iteration, or after the last one."""
        return self._between(self.estimates, iteration)

    def deviation_at(self, iteration: int) -> Numbers | None:
        """How much the estimate varies from survey to survey; None where that is not known."""
        if self.deviation is None:
            return None
        found = self._between(self.deviation, iteration)
        return None if np.isnan(found).any() else found

    def loss_at(self, iteration: int) -> float | None:
        """The information loss after that iteration."""
        return None if self.losses is None else float(self._between(self.losses, iteration))

    def step_from(self, iteration: int, steps: int) -> int:
        """The iteration so many kept ones away."""
        kept = self.iterations
        place = int(np.searchsorted(kept, iteration, side="left"))
        if steps < 0 or (place < len(kept) and kept[place] == iteration):
            place += steps
        else:
            place += steps - 1
        return int(kept[min(max(place, 0), len(kept) - 1)])

    def _between(self, kept: Numbers, iteration: int) -> Numbers:
        after = int(np.searchsorted(self.iterations, iteration, side="left"))
        if after >= len(self.iterations):
            return np.asarray(kept[-1])
        if after == 0 or self.iterations[after] == iteration:
            return np.asarray(kept[after])
        low, high = (math.log1p(int(self.iterations[i])) for i in (after - 1, after))
        share = (math.log1p(iteration) - low) / (high - low)
        return np.asarray((1 - share) * kept[after - 1] + share * kept[after])


def is_kept(iteration: int) -> bool:
    """Whether an iteration is kept for its own sake: all at first, then about every fiftieth part.

    >>> [i for i in range(300, 320) if is_kept(i)]
    [300, 306, 312, 318]
    """
    if iteration <= _ALL_UP_TO:
        return True
    return iteration % max(2, iteration // _PARTS) == 0


def most_iterations(rows: int, k: int, *, values: bool) -> int:
    """How far a path is followed at most: 20,000 for a few values, fewer for large channels."""
    if values:
        allowed = min(1e9 / (4 * rows * k), 20_000)
    else:
        allowed = min(4e9 / (4 * rows * k), 2000)
    return max([cap for cap in _CAPS if cap <= allowed], default=_CAPS[0])


def follow(
    matrix: Numbers,
    counts: Numbers,
    most: int,
    auto: int,
    truth: Numbers | None = None,
    progress: Progress = silent,
) -> Path:
    """Iterate from the uniform distribution until nothing moves or ``most`` is reached.

    ``auto`` is the iteration that the held-out rule chose; the other rules are found on the way.
    """
    used = (counts > 0) & (matrix.max(axis=1, initial=0.0) > 0)
    rows, seen = np.ascontiguousarray(matrix[used]), counts[used]
    columns = np.ascontiguousarray(rows.T)
    n, share = float(seen.sum()), seen / max(float(seen.sum()), 1.0)
    published, converged = Published(), Converged()
    x = np.full(matrix.shape[1], 1 / matrix.shape[1])
    kept, estimates = [0], [x]
    stop, iteration, still = None, 0, not used.any()
    while not still and iteration < most:
        if iteration % _REPORT_EVERY == 0:
            progress(iteration / most, translatable("iterating"))
        new = x * (columns @ (share / np.maximum(rows @ x, _TINY)))
        iteration += 1
        still = bool(converged.met(x, new, n))
        wanted = still or iteration in (auto, most) or is_kept(iteration)
        if stop is None and bool(published.met(x, new, n)):
            stop, wanted = iteration, True
        x = new
        if wanted:
            kept.append(iteration)
            estimates.append(x)
    found = np.array(estimates)
    found /= found.sum(axis=1, keepdims=True)
    stops = {
        AUTO: min(auto, iteration),
        PUBLISHED: iteration if stop is None else stop,
        CONVERGED: iteration,
    }
    losses = None if truth is None else information_loss(truth, found)
    likelihood = log_likelihood(rows, seen, found)
    return Path(np.array(kept), found, likelihood, losses, stops, still)


def with_deviation(path: Path, deviation: Numbers) -> Path:
    """The same path that also knows how much its estimates vary."""
    return replace(path, deviation=deviation)


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
    """

    method: str
    iterates: bool
    path: Path
    raw: Numbers
    low: Numbers | None = None
    high: Numbers | None = None
    interval_method: str = ""

    def stop(self, rule: str, fixed: int) -> int:
        """The iteration at which a rule stops this algorithm."""
        if not self.iterates:
            return self.path.last
        return min(fixed, self.path.last) if rule == FIXED else self.path.stops[rule]

    def at(self, iteration: int) -> Reading:
        """The estimate after an iteration."""
        path, low, high = self.path, None, None
        x = path.at(iteration)
        deviation = path.deviation_at(iteration)
        if deviation is not None:
            low = np.clip(x - _QUANTILE * deviation, 0.0, 1.0)
            high = np.clip(x + _QUANTILE * deviation, 0.0, 1.0)
        elif iteration >= path.last:
            low, high = self.low, self.high
        return Reading(x, low, high, path.loss_at(iteration))


@dataclass(frozen=True, eq=False)
class Result:
    """A draw and what the algorithms made of it."""

    draw: Draw
    runs: Mapping[str, Run] = field(default_factory=dict)

    def with_run(self, run: Run) -> Result:
        """The same with another run in the place of that algorithm's."""
        return replace(self, runs={**self.runs, run.method: run})


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
        path = _iterated(estimator, draw, progress)
        return Run(method, True, path, path.estimates[-1])
    fit = estimator.fit(counted, seed=draw.seed, progress=part(progress, 0.0, 0.8))
    found = intervals(counted, fit, CONFIDENCE, draw.seed, part(progress, 0.8, 1.0))
    trace = fit.trace
    if trace is None:
        path = _point(fit.probability, draw)
    else:
        path = _path_of(trace.iterations, trace.estimates, trace.log_likelihood, draw)
    return Run(method, False, path, fit.raw, found.low, found.high, found.method)


def _iterated(estimator: IteratedEstimator, draw: Draw, progress: Progress) -> Path:
    counted = draw.counted
    matrix, counts = estimator.system(counted)
    cells = estimator.cells(counted)
    auto = Auto().resolve(*cells, draw.seed, part(progress, 0.0, 0.4)).limit
    most = most_iterations(*matrix.shape, values=counted.cells == VALUES)
    path = follow(matrix, counts, most, auto, draw.original, part(progress, 0.4, 1.0))
    if counted.is_undistorted:
        # One step finds undistorted answers: nothing is gained by stopping before it.
        path = replace(path, stops=dict.fromkeys(path.stops, path.last))
    return path


def _point(x: Numbers, draw: Draw) -> Path:
    return _path_of(np.array([0]), x[None, :], np.zeros(1), draw)


def _path_of(iterations: Whole, x: Numbers, likelihood: Numbers, draw: Draw) -> Path:
    losses = None if draw.original is None else information_loss(draw.original, x)
    last = int(iterations[-1])
    # Where two estimates belong to one number, the later one counts.
    kept = np.append(np.diff(iterations) > 0, True)
    return Path(
        iterations[kept].astype(np.int64),
        x[kept],
        likelihood[kept],
        None if losses is None else losses[kept],
        dict.fromkeys((AUTO, PUBLISHED, CONVERGED), last),
    )


Whole = NDArray[np.int64]

_PATHS_REPORT_EVERY = 8
_PATIENCE, _AT_LEAST = 3, 30


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
        if iteration % _PATHS_REPORT_EVERY == 1:
            progress((iteration - 1) / most, translatable("iterating"))
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
        if iteration % _PATHS_REPORT_EVERY == 0:
            progress(iteration / (rule.most + 1), translatable("looking for the best iteration"))
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
