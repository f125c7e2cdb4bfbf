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
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, OneOf, Params, Within, check_confidence
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.agreement import LIKELIHOOD, LR, POOLINGS, WALD
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
from ppworkbench.core.reconstruct.channel import NUMBERS, CountedChannel
from ppworkbench.core.reconstruct.counting import (
    ColumnCounter,
    count_column,
    information_loss,
    original_counter,
    original_distribution,
    without_original,
)
from ppworkbench.core.reconstruct.estimator import Estimator, Fit, estimators
from ppworkbench.core.reconstruct.grid import MOST_BINS, Bins
from ppworkbench.core.reconstruct.intervals import Intervals, intervals, with_share_error
from ppworkbench.core.reconstruct.inversion import invert
from ppworkbench.core.reconstruct.reconstruction import Reconstruction, log_likelihood
from ppworkbench.core.reconstruct.sets import SetCounter
from ppworkbench.core.reconstruct.sharpness import AUTO, Sharpness
from ppworkbench.core.reconstruct.stopping import StopRule, stop_rule
from ppworkbench.core.reconstruct.worst_case import move_inside
from ppworkbench.core.share_fit import channel_remarks

FEW = 30


def warnings_of(counted: CountedChannel, fit: Fit, algorithm: str) -> tuple[str, ...]:
    """What is doubtful about an estimate, one sentence each."""
    return (*_about_data(counted), *_about_channel(counted), *_about_fit(fit, algorithm))


def _about_data(counted: CountedChannel) -> Iterator[str]:
    if counted.total <= 0:
        yield "There are no answers; the uniform distribution is shown."
    elif counted.rows < FEW:
        yield (
            Message("Only 1 answer; intervals need larger numbers.")
            if counted.rows == 1
            else Message("Only {rows} answers; intervals need larger numbers.", rows=counted.rows)
        )
    impossible = float(counted.counts.sum()) - counted.total
    outside = counted.outside + round(impossible)
    if outside:
        yield (
            Message(
                "1 answer is impossible under this mechanism and excluded; "
                "check that this is the design of these data."
            )
            if outside == 1
            else Message(
                "{outside} answers are impossible under this mechanism and excluded; "
                "check that this is the design of these data.",
                outside=outside,
            )
        )


def _about_channel(counted: CountedChannel) -> Iterator[str]:
    if counted.is_undistorted or counted.k == 1 or not counted.is_square:
        return
    condition = invert(counted.matrix).condition
    if not np.isfinite(condition):
        yield (
            "The transition matrix is singular: different true distributions give the "
            "same distorted one; one of them is shown."
        )
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


def _about_fit(fit: Fit, algorithm: str) -> Iterator[str]:
    if not fit.finished:
        yield (
            Message(
                "The algorithm {algorithm!r} has not converged after {iterations} "
                "iterations; accelerated EM reaches the maximum.",
                algorithm=algorithm,
                iterations=fit.iterations,
            )
        )


DEFAULT = "default"
ALGORITHMS = (DEFAULT, *(one.name for one in (Eq, EmAs, AsNoise, Em, Accelerated, Ems, Smooth)))

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
        raise ParameterError.saying(
            "The algorithm {name!r} has no stopping rule; leave out the stop, or choose EM or "
            "EM/AS.",
            name=estimator.name,
            field="stop",
        )
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


@dataclass(frozen=True)
class ReconstructOptions(Params):
    """What a person may choose about a reconstruction."""

    algorithm: Annotated[
        str,
        OneOf(ALGORITHMS),
        Info("Algorithm", "Algorithm; the default depends on the kind of the attribute"),
    ] = DEFAULT
    stop: Annotated[
        str | None,
        Info("Stop", "When to stop: published, converged, auto or a number of iterations"),
    ] = None
    bins: Annotated[
        int | None, Within(1, MOST_BINS), Info("Bins", "Number of bins of a numeric attribute")
    ] = None
    confidence: Annotated[
        float,
        Within(0, 1, open_low=True, open_high=True),
        Info("Confidence", "Confidence of the intervals"),
    ] = 0.95
    sharpest: Annotated[
        str,
        Info(
            "Sharpest feature",
            "Narrowest peak of a number under noise that intervals allow: auto, none or a number",
        ),
    ] = AUTO
    pooling: Annotated[
        str,
        OneOf(POOLINGS),
        Info(
            "Pooling",
            "How arms with different devices are put together: likelihood (one distribution for "
            "all) or mean (of the arms' own estimates)",
        ),
    ] = LIKELIHOOD


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
    result = _result(counted, estimator.name, fit, found, reference)
    progress(1.0, counted.attribute.name)
    return dataclasses.replace(
        result, confidence=confidence, warnings=warnings_of(counted, fit, estimator.name)
    )


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
    original: Numbers | None,
) -> Reconstruction:
    trace, loss = fit.trace, None
    if original is not None:
        loss = float(information_loss(original, fit.probability))
        if trace is not None:
            losses = information_loss(original, trace.estimates)
            trace = dataclasses.replace(trace, losses=losses)
    raw = fit.raw
    if counted.is_square and counted.cells != NUMBERS:
        raw = counted.solution
    return Reconstruction(
        attribute=counted.attribute,
        algorithm=name,
        stop="" if fit.stop is None else fit.stop.words,
        iterations=fit.iterations,
        values=counted.values,
        edges=counted.x_edges,
        probability=fit.probability,
        raw=raw,
        low=None if found is None else found.low,
        high=None if found is None else found.high,
        standard_error=None if found is None else found.standard_error,
        covariance=None if found is None else found.covariance,
        interval_method="" if found is None else found.method,
        confidence=None,
        log_likelihood=float(log_likelihood(counted.matrix, counted.usable, fit.probability)),
        trace=trace,
        information_loss=loss,
        rows=counted.rows,
        missing=counted.missing,
        warnings=(),
        assumption=None if found is None else found.assumption,
        centre=None if found is None else found.centre,
    )


def reconstruct_table(  # noqa: PLR0913 (keywords with defaults)
    table: Table,
    design: Design,
    names: Iterable[str] | None = None,
    algorithm: str = DEFAULT,
    *,
    stop: StopRule | str | int | None = None,
    bins: int | None = None,
    confidence: float | None = 0.95,
    original: Table | None = None,
    sharpness: Sharpness = AUTO,
    pooling: str = LIKELIHOOD,
    seed: int = 0,
    progress: Progress = silent,
) -> dict[str, Reconstruction]:
    """Reconstruct several attributes of a distorted table, all that are designed by default."""
    chosen = [name for name in _questions(design) if name in table]
    if names is not None:
        chosen = list(names)
    codes = design.versions.read(table)
    results = {}
    for position, name in enumerate(chosen):
        step = part(progress, position / len(chosen), (position + 1) / len(chosen))
        counter = DeviceCounter(name, design, bins)
        if counter.perturbation.columns:
            counter.check_settings(algorithm, stop)
        counter.add(table, codes, part(step, 0.0, 0.2))
        channel, truth = counter.counted(), None if original is None else original[name]
        if channel is None:
            any_counted = counter.any_counted()
            shares = None if truth is None else original_distribution(truth, any_counted)
            found = counter.reconstruct(confidence, shares, algorithm, stop_rule(stop), pooling)
            results[name] = _with_agreement(found, counter, pooling, seed)
            continue
        found = reconstruct_counts(
            channel,
            algorithm,
            stop=stop,
            confidence=confidence,
            original=truth,
            sharpness=sharpness,
            seed=seed,
            progress=part(step, 0.2, 1.0),
        )
        found = with_share_error(found, channel.matrix, counter.share_spread)
        results[name] = _with_agreement(found, counter, pooling, seed)
    return results


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
        """The result in plain lists and numbers."""
        found = {name: result.to_json() for name, result in self.attributes.items()}
        for name, count in self.not_asked.items():
            found[name]["not_asked"] = count
        for name, arms in self.by_arm.items():
            found[name] |= arms.to_json()
        return {"rows": self.rows, "attributes": found}


class TableSource(Protocol):
    """Answers that come as one table or as several with the same columns."""

    def tables(self, schema: Sequence[Attribute], progress: Progress) -> Iterator[Table]:
        """The answers under a schema."""


@dataclass(frozen=True)
class Source:
    """A file and how to read it."""

    path: str | Path
    options: ReadOptions = ReadOptions()  # noqa: RUF009 (frozen)

    def tables(self, schema: Sequence[Attribute], progress: Progress) -> Iterator[Table]:
        """The file as one table, or as many when it is large."""
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
    counters = {name: DeviceCounter(name, used, options.bins) for name in chosen}
    schema = [design[name].distorted for name in design.needed(used.needed(chosen))]
    tables = distorted.tables(schema, part(progress, 0.0, 0.5))
    if arms:
        tables = (design.versions.take(table, arms) for table in tables)
    rows = _count_by_arm(tables, used, counters)
    truth: dict[str, CountedChannel] = {}
    if original is not None:
        cells = {name: one.any_counted() for name, one in counters.items()}
        truth = _truth(original, cells, part(progress, 0.5, 0.7))
    return reconstruct_counters(
        counters, rows, options, truth, by_arm=by_arm, sets=sets, seed=seed, progress=progress
    )


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
    questions = [name for name in used.names if name not in design.versions.columns]
    chosen = list(dict.fromkeys(questions if names is None else names))
    for name in chosen:
        if used.perturbation(name).columns:
            DeviceCounter(name, used, options.bins).check_settings(options.algorithm, options.stop)
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
    """Reconstruct attributes from what was counted of them."""
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
    counter = DeviceCounter(name, design)
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
            alone[arm] = counter.reconstruct_arm(
                arm, options.confidence, options.algorithm, stop_rule(options.stop)
            )
        else:
            found = _of_counts(counted, options, None, seed, silent)
            alone[arm] = with_share_error(found, counted.matrix, counter.spread_in(arm))
    test, remarks = counter.equality(seed)
    sets_found = counter.compare_sets(sets, seed)
    statistic = WALD if counter.reports_sets else LR
    return ArmResults(alone, test, (*silent_arms, *remarks), sets_found, statistic)


def _questions(design: Design) -> tuple[str, ...]:
    """All attributes but the one that tells the arm."""
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


def _count_by_arm(
    tables: Iterable[Table], design: Design, counters: Mapping[str, DeviceCounter]
) -> int:
    rows, met = 0, np.zeros(len(design.versions.members), np.int64)
    for table in tables:
        codes = design.versions.read(table)
        met += np.bincount(codes[codes >= 0], minlength=len(met))
        for counter in counters.values():
            counter.add(table, codes)
        rows += table.rows
    design.versions.refuse_empty(met)
    return rows


def _count(
    source: TableSource,
    schema: Sequence[Attribute],
    counters: Mapping[str, ColumnCounter],
    progress: Progress,
) -> int:
    rows = 0
    for table in source.tables(schema, progress):
        for name, counter in counters.items():
            counter.add(table[name])
        rows += table.rows
    return rows


def _truth(
    source: TableSource, counted: Mapping[str, CountedChannel], progress: Progress
) -> dict[str, CountedChannel]:
    """The original answers in the cells of X."""
    counters = {name: original_counter(channel) for name, channel in counted.items()}
    schema = [channel.attribute for channel in counted.values()]
    _count(source, schema, counters, progress)
    found = {name: counter.counted() for name, counter in counters.items()}
    for name, channel in found.items():
        if channel.total <= 0:
            raise without_original(name)
    return found
