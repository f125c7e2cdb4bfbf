"""What a reconstruction tells, and how it came about step by step."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.reconstruct.grid import labels_of
from ppworkbench.core.reconstruct.worst_case import Assumption

_MOST_KEPT = 512
FEW = 30
SINGULAR = (
    "The transition matrix is singular: different true distributions give the "
    "same distorted one; one of them is shown."
)


def nothing_answered(name: str) -> DataError:
    return DataError.saying(
        "No record has an answer to {listed}; nothing can be estimated.",
        listed=Message("{attributes!r}", attributes=(name,)),
    )


def without_stop_rule(algorithm: str) -> ParameterError:
    return ParameterError.saying(
        "The algorithm {name!r} has no stopping rule; leave out the stop, or choose EM or EM/AS.",
        name=algorithm,
        field="stop",
    )


def about_answers(rows: int, outside: int) -> Iterator[str]:
    """What is doubtful where so many answers count, and so many are impossible."""
    if rows == 1:
        yield Message("Only 1 answer; intervals need larger numbers.")
    elif 0 < rows < FEW:
        yield Message("Only {rows} answers; intervals need larger numbers.", rows=rows)
    if outside == 1:
        yield Message(
            "1 answer is impossible under this mechanism and excluded; "
            "check that this is the design of these data."
        )
    elif outside:
        yield Message(
            "{outside} answers are impossible under this mechanism and excluded; "
            "check that this is the design of these data.",
            outside=outside,
        )


def about_iterations(algorithm: str, iterations: int, *, finished: bool) -> Iterator[str]:
    if not finished:
        yield Message(
            "The algorithm {algorithm!r} has not converged after {iterations} "
            "iterations; accelerated EM reaches the maximum.",
            algorithm=algorithm,
            iterations=iterations,
        )


def information_loss(original: Numbers, estimate: Numbers) -> Numbers:
    """Half the sum of absolute differences, along the last axis: 0 for equal, 1 for disjoint.

    >>> float(information_loss(np.array([0.5, 0.5]), np.array([0.4, 0.6])).round(3))
    0.1
    """
    return np.asarray(0.5 * np.abs(original - estimate).sum(axis=-1))


@dataclass(frozen=True, eq=False)
class Trace:
    """Estimates after some iterations, with their log-likelihood.

    Long runs are thinned: every estimate at first, then every second, fourth, … so that what is
    kept stays small. The first is the start, the last is the result. ``losses`` are the information
    losses, where the original distribution is known.
    """

    iterations: NDArray[np.int64]
    estimates: Numbers
    matrix: Numbers
    counts: Numbers
    losses: Numbers | None = None

    @cached_property
    def log_likelihood(self) -> Numbers:
        """The log-likelihood of each estimate, worked out when somebody asks."""
        return log_likelihood(self.matrix, self.counts, self.estimates)


@dataclass
class Recorder:
    most: int = _MOST_KEPT
    _kept: list[Numbers] = field(default_factory=list)
    _numbers: list[int] = field(default_factory=list)
    _stride: int = 1

    def record(self, iteration: int, estimate: Numbers) -> None:
        if iteration % self._stride:
            return
        if len(self._kept) >= self.most:
            self._stride *= 2
            self._kept, self._numbers = self._kept[::2], self._numbers[::2]
            if iteration % self._stride:
                return
        self._kept.append(estimate.copy())
        self._numbers.append(iteration)

    def kept(self, iteration: int, estimate: Numbers) -> tuple[NDArray[np.int64], Numbers]:
        """Numbers and estimates that were kept, ending with the result."""
        if not self._numbers or self._numbers[-1] != iteration:
            self._kept.append(estimate)
            self._numbers.append(iteration)
        self._kept[-1] = estimate
        estimates = np.array(self._kept)
        return np.array(self._numbers), estimates / estimates.sum(axis=1, keepdims=True)


def log_likelihood(matrix: Numbers, counts: Numbers, estimates: Numbers) -> Numbers:
    """``sum_s N_s log (A x)_s`` for one estimate or for each of several.

    Minus infinity where an estimate rules out something that was counted.
    """
    used = counts > 0
    fitted = estimates @ matrix[used].T
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(fitted) @ counts[used])


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """The estimated original distribution of one attribute.

    Parameters
    ----------
    attribute
        The attribute as it was before the distortion.
    algorithm, stop, iterations
        How the estimate was found; ``stop`` is empty where nothing is iterated.
    values, edges
        X's cells: the attribute's values, or the borders of intervals; the other one is None.
    probability
        The distribution: nowhere negative, sum 1.
    raw
        The unbiased vector for sums and intervals, where there is one (P-matrices); it may be
        negative. Elsewhere it is the distribution.
    low, high, standard_error, covariance
        Intervals within [0, 1] and what they come from; None if none were asked for.
    interval_method
        In words, from what the intervals come.
    log_likelihood
        ``sum_s N_s log (A x)_s`` of the distribution.
    trace
        The way to the estimate.
    information_loss
        Half the L1 distance to the original distribution, if that was given.
    rows, missing
        How many answers were used, and how many were missing.
    warnings
        Sentences that a person should read before using the numbers.
    assumption
        What worst-case bounds rest on, where the intervals are such.
    centre
        The estimates that the intervals are of, where these need not be a distribution.
    """

    attribute: Attribute
    algorithm: str
    probability: Numbers
    raw: Numbers
    log_likelihood: float
    rows: int
    missing: int
    warnings: tuple[str, ...]
    values: tuple[str, ...] | None
    edges: Numbers | None = None
    stop: str = ""
    iterations: int = 0
    low: Numbers | None = None
    high: Numbers | None = None
    standard_error: Numbers | None = None
    covariance: Numbers | None = None
    interval_method: str = ""
    confidence: float | None = None
    trace: Trace | None = None
    information_loss: float | None = None
    assumption: Assumption | None = None
    centre: Numbers | None = None

    def around(
        self, error: Numbers, covariance: Numbers, confidence: float | None, method: str
    ) -> Self:
        """The same with normal intervals of the unbiased vector, where any are asked for."""
        if confidence is None:
            return self
        reach = float(ndtri((1 + confidence) / 2)) * error
        return dataclasses.replace(
            self,
            low=np.clip(self.raw - reach, 0.0, 1.0),
            high=np.clip(self.raw + reach, 0.0, 1.0),
            standard_error=error,
            covariance=covariance,
            interval_method=method,
            confidence=confidence,
            centre=self.raw,
        )

    def beside(self, original: Numbers | None) -> Self:
        """The same with what is lost against the original distribution, where that is known."""
        if original is None:
            return self
        trace = self.trace
        if trace is not None:
            losses = information_loss(original, trace.estimates)
            trace = dataclasses.replace(trace, losses=losses)
        loss = float(information_loss(original, self.probability))
        return dataclasses.replace(self, information_loss=loss, trace=trace)

    @property
    def estimate(self) -> Numbers:
        """The number of each cell that stands beside its interval, as a survey tells it."""
        return self.probability if self.centre is None else self.centre

    @property
    def k(self) -> int:
        return len(self.probability)

    @property
    def labels(self) -> tuple[str, ...]:
        if self.values is not None or self.edges is None:
            return self.values or ()
        return labels_of(self.attribute, self.edges)

    def to_json(self) -> dict[str, Any]:
        cells: dict[str, Any] = (
            {"values": list(self.values)}
            if self.values is not None
            else {"edges": [] if self.edges is None else self.edges.tolist()}
        )
        document: dict[str, Any] = {
            "algorithm": self.algorithm,
            "iterations": self.iterations,
            **cells,
            "probability": self.probability.tolist(),
            "raw": self.raw.tolist(),
            "estimate": self.estimate.tolist(),
        }
        if self.low is not None and self.high is not None and self.standard_error is not None:
            document["low"] = self.low.tolist()
            document["high"] = self.high.tolist()
            document["standard_error"] = self.standard_error.tolist()
            document["confidence"] = self.confidence
            document["interval_method"] = self.interval_method
        if self.assumption is not None:
            document["sharpest"] = self.assumption.sharpest
        if self.stop:
            document["stop"] = self.stop
        document["log_likelihood"] = self.log_likelihood
        if self.information_loss is not None:
            document["information_loss"] = self.information_loss
        document["rows"] = self.rows
        document["missing"] = self.missing
        document["warnings"] = list(self.warnings)
        return document
