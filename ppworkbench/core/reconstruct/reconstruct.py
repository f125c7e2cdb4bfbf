"""Reconstruct original distributions from distorted answers."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.matrices.base import NEARLY_SINGULAR
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.message import Message
from ppworkbench.core.params import (
    Annotated,
    Info,
    OneOf,
    Option,
    Params,
    Read,
    Within,
    check_confidence,
)
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.agreement import LIKELIHOOD, Pooling
from ppworkbench.core.reconstruct.algorithms.accelerated import Accelerated
from ppworkbench.core.reconstruct.algorithms.as_noise import AsNoise
from ppworkbench.core.reconstruct.algorithms.em import Em, EmAs
from ppworkbench.core.reconstruct.algorithms.ems import Ems
from ppworkbench.core.reconstruct.algorithms.eq import Eq
from ppworkbench.core.reconstruct.algorithms.smooth import Smooth
from ppworkbench.core.reconstruct.by_arm import (
    ArmResults,
    DeviceCounter,
    of_chosen_arms,
    refuse_without_arms,
)
from ppworkbench.core.reconstruct.channel import NUMBERS, CountedChannel, invert
from ppworkbench.core.reconstruct.counting import (
    count_column,
    original_counter,
    original_distribution,
    without_original,
)
from ppworkbench.core.reconstruct.estimator import Estimator, Fit, estimators
from ppworkbench.core.reconstruct.grid import MOST_BINS, Bins
from ppworkbench.core.reconstruct.intervals import Intervals, intervals, with_share_error
from ppworkbench.core.reconstruct.reconstruction import (
    SINGULAR,
    Reconstruction,
    about_answers,
    about_iterations,
    log_likelihood,
    without_stop_rule,
)
from ppworkbench.core.reconstruct.sets import SetCounter
from ppworkbench.core.reconstruct.sharpness import AUTO, Sharpest, Sharpness
from ppworkbench.core.reconstruct.stopping import StopRule, stop_rule
from ppworkbench.core.reconstruct.worst_case import move_inside
from ppworkbench.core.share_intervals import channel_remarks


def warnings_of(counted: CountedChannel, fit: Fit, algorithm: str) -> tuple[str, ...]:
    """What is doubtful about an estimate, one sentence each."""
    about_fit = about_iterations(algorithm, fit.iterations, finished=fit.finished)
    return (*_about_data(counted), *_about_channel(counted), *about_fit)


def _about_data(counted: CountedChannel) -> Iterator[str]:
    if counted.total <= 0:
        yield "There are no answers; the uniform distribution is shown."
    yield from about_answers(counted.rows if counted.total > 0 else 0, counted.impossible)


def _about_channel(counted: CountedChannel) -> Iterator[str]:
    if counted.is_undistorted or counted.k == 1 or not counted.is_square:
        return
    condition = invert(counted.matrix).condition
    if not np.isfinite(condition):
        yield SINGULAR
    elif condition > NEARLY_SINGULAR:
        yield (
            Message(
                "The transition matrix is nearly singular (condition number "
                "{condition:.3g}); the estimate varies much between draws.",
                condition=condition,
            )
        )
    elif counted.cells != NUMBERS:
        yield from channel_remarks(counted.solution, counted.matrix, counted.total)


DEFAULT = "default"
ALGORITHMS = (DEFAULT, *(one.name for one in (Eq, EmAs, Em, AsNoise, Accelerated, Ems, Smooth)))

_ROUNDING = 1e-12


def choose(
    counted: CountedChannel, algorithm: str, stop: StopRule | None
) -> tuple[Estimator, StopRule | None]:
    """The estimator of that name or the default, with the rule it stops by.

    A stop rule without an algorithm asks for the iteration: EM/AS for values, EM for numbers. An
    algorithm for the other kind of cells is exchanged for its counterpart, so that one name can
    be given for all attributes of a questionnaire.
    """
    if counted.is_undistorted:
        return Eq(), None
    if algorithm == DEFAULT:
        return _default(counted, stop)
    estimator = estimators[algorithm]()
    if counted.cells not in estimator.serves:
        estimator = estimators[estimator.counterpart]()
    if stop is not None and not estimator.iterates:
        raise without_stop_rule(estimator.name)
    return estimator, stop


def _default(counted: CountedChannel, stop: StopRule | None) -> tuple[Estimator, StopRule | None]:
    numbers = counted.cells == NUMBERS
    if stop is not None and stop.name == "converged":
        return (Accelerated() if numbers else _likeliest(counted)), None
    if stop is not None:
        return (Em() if numbers else EmAs()), stop
    if numbers and counted.is_square and counted.perturbation.numbers.exact_share is not None:
        # Replaced numbers can be taken away again: nothing has to be smoothed.
        return Eq(), None
    if numbers and counted.is_noisy and counted.perturbation.best_algorithm:
        best = estimators[counted.perturbation.best_algorithm]()
        if best.suits(counted):
            return best, None
    return (Smooth() if numbers else _likeliest(counted)), None


def _likeliest(counted: CountedChannel) -> Estimator:
    # Without negative entries the solution has the largest likelihood: nothing to iterate.
    return Eq() if counted.solution.min() >= -_ROUNDING else Accelerated()


def _stop(given: Any) -> str:
    rule = stop_rule(given)
    assert rule is not None  # noqa: S101 (what is not given is not read)
    return rule.words


@dataclass(frozen=True)
class ReconstructOptions(Params):
    algorithm: Annotated[
        str,
        OneOf(ALGORITHMS),
        Info("Algorithm", "By default eq or accelerated for values, smooth for numbers"),
    ] = DEFAULT
    stop: Annotated[
        str | None,
        Read(_stop, annotation="str | int"),
        Option(metavar="{published|converged|auto|N}"),
        Info("Stop", "Stopping rule; without an algorithm it implies em-as or em"),
    ] = None
    bins: Annotated[
        int | None,
        Within(1, MOST_BINS),
        Option(group="statistic"),
        Info("Bins", "Number of bins of a numeric attribute"),
    ] = None
    confidence: Annotated[
        float,
        Within(0, 1, open_low=True, open_high=True),
        Option(group="statistic"),
        Info("Confidence", "Confidence of the intervals"),
    ] = 0.95
    sharpest: Sharpest = AUTO
    pooling: Pooling = LIKELIHOOD


def reconstruct(  # noqa: PLR0913 (keywords with defaults)
    column: Column,
    attribute: Attribute,
    perturbation: Perturbation,
    algorithm: str = DEFAULT,
    *,
    stop: StopRule | str | int | None = None,
    bins: Bins = None,
    confidence: float | None = 0.95,
    original: Column | Numbers | None = None,
    weights: Numbers | None = None,
    sharpness: Sharpness = AUTO,
    seed: int = 0,
    progress: Progress = silent,
) -> Reconstruction:
    """Estimate the distribution that a column had before it was distorted.

    Parameters
    ----------
    column
        The distorted answers.
    attribute, perturbation
        The attribute before the distortion, and how it was distorted.
    algorithm
        A name of :data:`estimators`, or ``default``: EQ for values while it has no negative
        entry, else the maximum-likelihood estimate; smoothed likelihood for numbers under noise,
        EMS for those reported by a square wave if they have at least 50 cells.
    stop
        A rule, ``published``, ``converged``, ``auto`` or a number of iterations.
    bins
        The number or the borders of X's intervals.
    confidence
        Confidence of the intervals; None for none.
    original
        The original answers or their distribution, to say how much information is lost.
    weights
        How much each respondent counts.
    sharpness
        The sharpest feature of a number under noise that its intervals allow: ``auto``, ``none``
        or a number in the attribute's unit.
    seed
        Start of the random numbers of held-out parts and resamples.

    Examples
    --------
    >>> from ppworkbench.core.data.attribute import Kind
    >>> from ppworkbench.core.design import Uniform
    >>> sex = Attribute("sex", Kind.BINARY, ("F", "M"))
    >>> told = Column(sex, np.repeat([0, 1], [62, 38]))
    >>> reconstruct(told, sex, Uniform(keep=0.8)).probability.round(3).tolist()
    [0.7, 0.3]
    """
    if perturbation.reports_sets:
        counter = SetCounter(attribute, perturbation)
        counter.add(column, weights)
        truth = None if original is None else original_distribution(original, counter.cells())
        return counter.reconstruct(algorithm, stop_rule(stop), confidence, truth, progress)
    counted = count_column(column, attribute, perturbation, bins, weights, part(progress, 0.0, 0.2))
    return reconstruct_counts(
        counted,
        algorithm,
        stop=stop,
        confidence=confidence,
        original=original,
        sharpness=sharpness,
        seed=seed,
        progress=part(progress, 0.2, 1.0),
    )


def reconstruct_counts(  # noqa: PLR0913 (keywords with defaults)
    counted: CountedChannel,
    algorithm: str = DEFAULT,
    *,
    stop: StopRule | str | int | None = None,
    confidence: float | None = 0.95,
    original: Column | Numbers | None = None,
    sharpness: Sharpness = AUTO,
    seed: int = 0,
    progress: Progress = silent,
) -> Reconstruction:
    """Estimate the distribution from counts; see :func:`reconstruct`."""
    if confidence is not None:
        check_confidence(confidence)
    estimator, rule = choose(counted, algorithm, stop_rule(stop))
    fit = estimator.fit(counted, rule, seed, part(progress, 0.0, 0.6))
    found: Intervals | None = None
    if confidence is not None:
        share = part(progress, 0.6, 1.0)
        found = intervals(counted, fit, confidence, seed, share, sharpness)
        if found.assumption is not None:
            fit, found = _agree(fit, found)
    reference = None if original is None else original_distribution(original, counted)
    progress(1.0, counted.attribute.name)
    return _result(counted, estimator.name, fit, found, confidence).beside(reference)


def _agree(fit: Fit, found: Intervals) -> tuple[Fit, Intervals]:
    """Move a smooth estimate into its bounds; what somebody iterated stays as it is."""
    if fit.covariance is None:
        low, high = np.minimum(found.low, fit.probability), np.maximum(found.high, fit.probability)
        return fit, dataclasses.replace(found, low=low, high=high)
    moved = move_inside(fit.probability, found.low, found.high)
    trace = fit.trace
    if trace is not None:
        estimates = np.vstack([trace.estimates[:-1], moved])
        trace = dataclasses.replace(trace, estimates=estimates)
    return dataclasses.replace(fit, probability=moved, raw=moved, trace=trace), found


def _result(
    counted: CountedChannel,
    name: str,
    fit: Fit,
    found: Intervals | None,
    confidence: float | None,
) -> Reconstruction:
    is_solved = counted.is_square and counted.cells != NUMBERS
    result = Reconstruction(
        attribute=counted.attribute,
        algorithm=name,
        stop="" if fit.stop is None else fit.stop.words,
        iterations=fit.iterations,
        values=counted.values,
        edges=counted.x_edges,
        probability=fit.probability,
        raw=counted.solution if is_solved else fit.raw,
        confidence=confidence,
        log_likelihood=float(log_likelihood(counted.matrix, counted.usable, fit.probability)),
        trace=fit.trace,
        rows=counted.rows,
        missing=counted.missing,
        warnings=warnings_of(counted, fit, name),
    )
    if found is None:
        return result
    return dataclasses.replace(
        result,
        low=found.low,
        high=found.high,
        standard_error=found.standard_error,
        covariance=found.covariance,
        interval_method=found.method,
        assumption=found.assumption,
        centre=found.centre,
    )


def reconstruct_table(
    table: Table,
    design: Design,
    names: Iterable[str] | None = None,
    options: ReconstructOptions | None = None,
    *,
    original: Table | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> Mapping[str, Reconstruction]:
    """Reconstruct several attributes of a distorted table, all that are designed by default."""
    options = options or ReconstructOptions()
    if names is None:
        names = [name for name in _questions(design) if name in table]
    counters = _counters(design, names, options)
    ArmCounts(design, counters).add([table])
    truth = None if original is None else _truth([original], _cells_of(counters))
    return reconstruct_counters(
        counters, table.rows, options, truth, seed=seed, progress=progress
    ).attributes


class ArmCounts:
    """What some attributes have in rows that come in pieces, and how many rows every arm has."""

    def __init__(self, design: Design, counters: dict[str, DeviceCounter]) -> None:
        self.counters, self._arms, self.rows = counters, design.versions, 0
        self.arm_rows = np.zeros(len(self._arms.members), np.int64)

    def add(self, tables: Iterable[Table]) -> None:
        for table in tables:
            codes, arms = self._arms.read(table), len(self.arm_rows)
            self.arm_rows += np.bincount(codes[codes >= 0], minlength=arms)[:arms]
            for counter in self.counters.values():
                counter.add(table, codes)
            self.rows += table.rows

    def merge(self, other: ArmCounts) -> None:
        for name, counter in self.counters.items():
            counter.merge(other.counters[name])
        self.rows += other.rows
        self.arm_rows += other.arm_rows


def _counters(
    design: Design, names: Iterable[str], options: ReconstructOptions
) -> dict[str, DeviceCounter]:
    """Counters of some attributes; refuse what cannot be chosen where devices differ."""
    found = {name: DeviceCounter.of(name, design, options.bins) for name in names}
    for counter in found.values():
        if counter.perturbation.columns:
            counter.check_settings(options.algorithm, options.stop)
    return found


def _with_agreement(
    found: Reconstruction, counter: DeviceCounter, pooling: str, seed: int
) -> Reconstruction:
    """The same with a warning where the arms do not agree."""
    said = counter.disagreement(pooling, seed=seed)
    return dataclasses.replace(found, warnings=(*found.warnings, *said)) if said else found


@dataclass(frozen=True)
class ReconstructedFile:
    """The number of records and the reconstructed attributes by name.

    Parameters
    ----------
    by_arm
        Every arm by itself, where that was asked for.
    not_asked
        How many records are of arms that do not ask an attribute, where there are such.
    """

    rows: int
    attributes: Mapping[str, Reconstruction]
    by_arm: Mapping[str, ArmResults] = field(default_factory=dict)
    not_asked: Mapping[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        found = {name: result.to_json() for name, result in self.attributes.items()}
        for name, count in self.not_asked.items():
            found[name]["not_asked"] = count
        for name, arms in self.by_arm.items():
            found[name] |= arms.to_json()
        return {"rows": self.rows, "attributes": found}


class TableSource(Protocol):
    def tables(self, schema: Sequence[Attribute], progress: Progress) -> Iterator[Table]:
        """The answers under a schema."""


@dataclass(frozen=True)
class Source:
    path: str | Path
    options: ReadOptions = ReadOptions()  # noqa: RUF009 (frozen)

    def tables(self, schema: Sequence[Attribute], progress: Progress) -> Iterator[Table]:
        from ppworkbench.core.data.chunks import read_chunks

        return read_chunks(self.path, self.options, schema, progress=progress)


def reconstruct_file(  # noqa: PLR0913 (keywords with defaults)
    distorted: TableSource,
    design: Design,
    names: Sequence[str] | None = None,
    options: ReconstructOptions | None = None,
    *,
    original: TableSource | None = None,
    arms: Sequence[str] = (),
    by_arm: bool = False,
    sets: Sequence[Sequence[str]] = (),
    seed: int = 0,
    progress: Progress = silent,
) -> ReconstructedFile:
    """Reconstruct attributes of a file that was distorted with a design.

    Parameters
    ----------
    names
        The attributes; all designed ones if not given.
    original
        The file before the distortion, to say how much information is lost.
    arms
        The arms to take the answers from; all if none is named.
    by_arm
        Whether every arm is reconstructed by itself, too.
    sets
        Arms by name that are compared as sets, where every arm is reconstructed.
    """
    options = options or ReconstructOptions()
    chosen = check_choice(design, names, options, arms, by_arm=by_arm, sets=sets)
    used = design.of_arms(arms) if arms else design
    counters = _counters(used, chosen, options)
    schema = [design[name].distorted for name in design.needed(used.needed(chosen))]
    tables = distorted.tables(schema, part(progress, 0.0, 0.5))
    if arms:
        tables = (design.versions.take(table, arms) for table in tables)
    counted = ArmCounts(used, counters)
    counted.add(tables)
    used.versions.refuse_empty(counted.arm_rows)
    truth = None
    if original is not None:
        cells = _cells_of(counters)
        true_schema = [channel.attribute for channel in cells.values()]
        truth = _truth(original.tables(true_schema, part(progress, 0.5, 0.7)), cells)
    return reconstruct_counters(
        counters, counted.rows, options, truth, by_arm=by_arm, sets=sets, seed=seed,
        progress=progress,
    )  # fmt: skip


def check_choice(
    design: Design,
    names: Sequence[str] | None,
    options: ReconstructOptions,
    arms: Sequence[str],
    *,
    by_arm: bool,
    sets: Sequence[Sequence[str]],
) -> list[str]:
    """The attributes to reconstruct; refuse what the design does not allow before data are read."""
    used = of_chosen_arms(design, arms, by_arm=by_arm, sets=sets)
    chosen = list(dict.fromkeys(_questions(used) if names is None else names))
    _counters(used, [name for name in chosen if used.perturbation(name).columns], options)
    return chosen


def reconstruct_counters(  # noqa: PLR0913 (keywords with defaults)
    counters: Mapping[str, DeviceCounter],
    rows: int,
    options: ReconstructOptions,
    truth: Mapping[str, CountedChannel] | None,
    *,
    by_arm: bool = False,
    sets: Sequence[Sequence[str]] = (),
    seed: int = 0,
    progress: Progress = silent,
) -> ReconstructedFile:
    results, apart = {}, {}
    for position, (name, counter) in enumerate(counters.items()):
        share = 0.3 / len(counters)
        step = part(progress, 0.7 + position * share, 0.7 + (position + 1) * share)
        shares = truth[name].shares if truth else None
        channel = counter.counted()
        if channel is None:
            found = counter.reconstruct(
                options.confidence, shares, options.algorithm, stop_rule(options.stop),
                options.pooling,
            )  # fmt: skip
        else:
            found = _of_counts(channel, options, shares, seed, step)
            found = with_share_error(found, channel.matrix, counter.share_spread)
        results[name] = _with_agreement(found, counter, options.pooling, seed)
        if by_arm:
            apart[name] = results_by_arm(counter, options, seed, sets)
    progress(1.0, Message("{rows:,} rows", rows=rows))
    not_asked = {name: one.not_asked for name, one in counters.items() if one.not_asked}
    return ReconstructedFile(rows, results, apart, not_asked)


def reconstruct_by_arm(table: Table, design: Design, name: str, seed: int = 0) -> ArmResults:
    """Every arm by itself, and the test that all have the same distribution."""
    refuse_without_arms(design)
    counter = DeviceCounter.of(name, design)
    counter.add(table, design.versions.read(table))
    return results_by_arm(counter, seed=seed)


def results_by_arm(
    counter: DeviceCounter,
    options: ReconstructOptions | None = None,
    seed: int = 0,
    sets: Sequence[Sequence[str]] = (),
) -> ArmResults:
    """What was counted, arm by arm; an arm without answers has no estimate."""
    options = options or ReconstructOptions()
    alone, silent_arms = {}, []
    for arm in counter.arms:
        counted = counter.counted_in(arm)
        if not counter.has_answers(arm):
            silent_arms.append(Message("Nobody answered in the arm {arm!r}.", arm=arm))
        elif counted is None:
            alone[arm] = counter.reconstruct(
                options.confidence, None, options.algorithm, stop_rule(options.stop), arm=arm
            )
        else:
            found = _of_counts(counted, options, None, seed, silent)
            alone[arm] = with_share_error(found, counted.matrix, counter.spread_in(arm))
    test, remarks = counter.equality(seed)
    sets_found = counter.compare_sets(sets, seed)
    return ArmResults(alone, test, (*silent_arms, *remarks), sets_found, counter.statistic)


def _questions(design: Design) -> tuple[str, ...]:
    return tuple(name for name in design.names if name not in design.versions.columns)


def _of_counts(
    counted: CountedChannel,
    options: ReconstructOptions,
    original: Numbers | None,
    seed: int,
    progress: Progress,
) -> Reconstruction:
    return reconstruct_counts(
        counted,
        options.algorithm,
        stop=options.stop,
        confidence=options.confidence,
        original=original,
        sharpness=options.sharpest,
        seed=seed,
        progress=progress,
    )


def _cells_of(counters: Mapping[str, DeviceCounter]) -> dict[str, CountedChannel]:
    return {name: counter.any_counted() for name, counter in counters.items()}


def _truth(
    tables: Iterable[Table], cells: Mapping[str, CountedChannel]
) -> dict[str, CountedChannel]:
    counters = {name: original_counter(channel) for name, channel in cells.items()}
    for table in tables:
        for name, counter in counters.items():
            counter.add(table[name])
    found = {name: counter.counted() for name, counter in counters.items()}
    for name, channel in found.items():
        if channel.total <= 0:
            raise without_original(name)
    return found
