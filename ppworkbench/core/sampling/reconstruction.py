"""Reconstruction of the answers of a sample: weighted counts, and errors under the sampling.

Counts become weighted counts; an estimator of :mod:`ppworkbench.core.reconstruct` solves them or
maximises the pseudo-likelihood ``sum_i w_i log (P x)_{z_i}``. On the support of the maximum, with
``A = sum_s c_s p_s p_s' / l_s^2`` the weighted information (c the weighted counts, p_s the rows of
P, ``l = P x``) and scores ``p_{z_i} / l_{z_i}``, the variance is ``A^-1 B A^-1``, B that of the
scores' weighted sum under the sampling. Moves keep the sum of x, hence the inverse within them.

Where noise is undone there is no such form. Its bounds and stopping rules take the effective number
of answers, ``n`` over the mean sampling effect of the reported ones (Rao and Scott 1981).

Where devices differ by arm, the reports of all arms are cells of one channel. Distributions of arms
are compared by Wald's test: ``(C t)' (C V C')^- (C t)`` with V from influences of the same kind.

References
----------
D. A. Binder (1983), "On the variances of asymptotically normal estimators from complex surveys",
International Statistical Review 51.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag
from scipy.special import ndtr

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.sampling_roles import RESPONDENTS, WALD, Sampling, SamplingOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.by_arm import (
    BOUNDARY,
    ArmSet,
    DeviceCounter,
    SetTests,
    check_sets,
    refuse_single_arm,
)
from ppworkbench.core.reconstruct.channel import CountedChannel
from ppworkbench.core.reconstruct.counting import (
    ColumnCounter,
    information_loss,
    original_counter,
    without_original,
)
from ppworkbench.core.reconstruct.grid import Bins
from ppworkbench.core.reconstruct.intervals import (
    FITTED,
    INFORMATION,
    INVERSE,
    MULTINOMIAL,
    PSEUDO_INVERSE,
    widened_by,
    with_share_error,
)
from ppworkbench.core.reconstruct.inversion import invert
from ppworkbench.core.reconstruct.pooled import Arm, Test, fit_shares, share_slope, wald_test
from ppworkbench.core.reconstruct.reconstruct import (
    ReconstructOptions,
    Source,
    reconstruct_counts,
)
from ppworkbench.core.reconstruct.reconstruction import Reconstruction
from ppworkbench.core.sampling.intervals import line_between, share_interval
from ppworkbench.core.sampling.moments import SampleMoments, Terms, TrueCells
from ppworkbench.core.sampling.results import SampleSummary, finite_or_none, summarise
from ppworkbench.core.sampling.sample import Frame, SampleReader, SampleRows, refuse_randomised
from ppworkbench.core.sampling.variance import (
    SampledValues,
    SampleTotals,
    error_remarks,
    t_factor,
)

EFFECTIVE = "effective-number"
"""The code of the remark about intervals from an effective number of answers."""

LINEARISED = "variance of the weighted answers under the sampling, through the inverse of P"
SANDWICH = (
    "sandwich variance of the pseudo-likelihood on the support; estimates of 0 are treated as known"
)
POOLED_SANDWICH = "sandwich variance of the pseudo-likelihood of all devices together"

_UNBIASED = frozenset({MULTINOMIAL, INVERSE, PSEUDO_INVERSE})
_LIKELIEST = frozenset({FITTED, INFORMATION})
_MOST_GROUPS = 64
"""Groups of reported numbers whose sampling effects are averaged."""
_ABSENT = 1e-9
_MOST_CONFIDENCE = 1 - 1e-12


@dataclass(frozen=True, eq=False)
class SampledReconstruction:
    """A reconstructed distribution with the parts of its error.

    Parameters
    ----------
    interval
        The kind of the intervals of shares.
    device_errors, sampling_errors, sampling_effects
        By cell of the distribution; None where the intervals come from an effective number.
    effective_n
        How many independent answers would tell as much.
    by_arm
        Every arm by itself, where that was asked for.
    not_asked
        How many records are of arms that do not ask the attribute.
    """

    found: Reconstruction
    sample: SampleSummary
    degrees_of_freedom: float
    effective_n: float
    interval: str = WALD
    device_errors: Numbers | None = None
    sampling_errors: Numbers | None = None
    sampling_effects: Numbers | None = None
    remarks: tuple[str, ...] = ()
    by_arm: SampledArms | None = None
    not_asked: int = 0

    def to_json(self) -> dict[str, Any]:
        """The result in plain lists and numbers."""
        parts = {
            "standard_error_device": self.device_errors,
            "standard_error_sampling": self.sampling_errors,
            "sampling_effect": self.sampling_effects,
        }
        return {
            **self.found.to_json(),
            **self.sample.to_json(),
            "degrees_of_freedom": finite_or_none(self.degrees_of_freedom),
            "interval": self.interval,
            **{
                name: [finite_or_none(number) for number in numbers.tolist()]
                for name, numbers in parts.items()
                if numbers is not None
            },
            "effective_n": finite_or_none(self.effective_n),
            "remarks": list(self.remarks),
            **({"not_asked": self.not_asked} if self.not_asked else {}),
            **({} if self.by_arm is None else self.by_arm.to_json()),
        }


@dataclass(frozen=True, eq=False)
class SampledArms:
    """Every arm by itself, as a part of the sample, and Wald's test that all are the same.

    ``equality`` is None for a number, and where a single arm asks the question.
    """

    arms: Mapping[str, SampledReconstruction]
    equality: Test | None
    remarks: tuple[str, ...] = ()
    sets: SetTests | None = None

    def to_json(self) -> dict[str, Any]:
        """What a result of the whole is given in addition."""
        shown = ("rows", "missing", "values", "edges", "probability", "raw", "standard_error",
                 "low", "high", "warnings", "weighted_n", "degrees_of_freedom", "effective_n",
                 "remarks")  # fmt: skip
        documents = {name: one.to_json() for name, one in self.arms.items()}
        test, equality = self.equality, None
        if test is not None:
            equality = wald_to_json(test)
            if self.remarks:
                equality["warnings"] = list(self.remarks)
        return {
            "arms": {
                name: {field: document[field] for field in shown if field in document}
                for name, document in documents.items()
            },
            "equality": equality,
            **({} if self.sets is None else {"sets": self.sets.to_json()}),
        }


def wald_to_json(test: Test) -> dict[str, Any]:
    """Wald's test for other programs."""
    return {"wald": test.statistic, "df": test.df, "p": finite_or_none(test.p)}


@dataclass(frozen=True)
class SampledFile:
    """The number of records and the reconstructed attributes by name."""

    rows: int
    attributes: Mapping[str, SampledReconstruction]

    def to_json(self) -> dict[str, Any]:
        """The result in plain lists and numbers."""
        found = {name: result.to_json() for name, result in self.attributes.items()}
        return {"rows": self.rows, "attributes": found}


def reconstruct_sample(  # noqa: PLR0913 (keywords with defaults)
    table: Table,
    design: Design,
    sampling: Sampling | None,
    options: SamplingOptions | None = None,
    names: Sequence[str] | None = None,
    settings: ReconstructOptions | None = None,
    *,
    original: Table | None = None,
    arms: Sequence[str] = (),
    by_arm: bool = False,
    sets: Sequence[Sequence[str]] = (),
    seed: int = 0,
    progress: Progress = silent,
) -> dict[str, SampledReconstruction]:
    """Reconstruct attributes of people who were drawn as the roles of the columns tell.

    Parameters
    ----------
    sampling, options
        The roles of the table's columns and how they are used.
    names
        The attributes; all designed ones without a role if not given.
    original
        The true answers of the same records, to say how much information is lost.
    arms
        The arms to take the answers from; all if none is named.
    by_arm
        Whether every arm is reconstructed by itself, too.
    sets
        Arms by name that are compared as sets, where every arm is reconstructed.
    """
    counters = _Counters(design, sampling, options, names, settings, arms, by_arm=by_arm, sets=sets)
    counters.add(table)
    truth = None
    if original is not None:
        truth = _Truth(counters, design)
        truth.add(original)
    return counters.reconstruct(truth, seed, progress)


def reconstruct_sampled_file(  # noqa: PLR0913 (keywords with defaults)
    distorted: Source,
    design: Design,
    sampling: Sampling | None,
    options: SamplingOptions | None = None,
    names: Sequence[str] | None = None,
    settings: ReconstructOptions | None = None,
    *,
    original: Source | None = None,
    arms: Sequence[str] = (),
    by_arm: bool = False,
    sets: Sequence[Sequence[str]] = (),
    seed: int = 0,
    progress: Progress = silent,
) -> SampledFile:
    """The same of a file, chunk by chunk; what is kept is as large as the number of clusters.

    ``original`` is the file before the distortion, with the same column of weights.
    """
    counters = _Counters(design, sampling, options, names, settings, arms, by_arm=by_arm, sets=sets)
    schema = [design[name].distorted for name in counters.columns if name in design]
    rows = 0
    for table in distorted.tables(schema, part(progress, 0.0, 0.5)):
        counters.add(table)
        rows += table.rows
    truth = None
    if original is not None:
        truth = _Truth(counters, design)
        for table in original.tables(truth.schema, part(progress, 0.5, 0.7)):
            truth.add(table)
    found = counters.reconstruct(truth, seed, part(progress, 0.7, 1.0))
    progress(1.0, Message("{rows:,} rows", rows=rows))
    return SampledFile(rows, found)


class _Counters:
    """Counts all attributes of a sample whose rows may come in pieces."""

    def __init__(  # noqa: PLR0913 (what the functions above are given)
        self,
        design: Design,
        sampling: Sampling | None,
        options: SamplingOptions | None,
        names: Sequence[str] | None,
        settings: ReconstructOptions | None,
        arms: Sequence[str] = (),
        *,
        by_arm: bool = False,
        sets: Sequence[Sequence[str]] = (),
    ) -> None:
        self.sampling = sampling or Sampling()
        self.settings = settings or ReconstructOptions()
        refuse_randomised(self.sampling, design)
        if by_arm and design.arms is None:
            raise ParameterError("The design has no arms to be told apart.", field="by_arm")
        # The rows of other arms stay: how a part of a sample varies depends on all of it.
        used = design.within_arms(arms) if arms else design
        if by_arm:
            refuse_single_arm(used)
            check_sets(sets, used)
        self._arms = used.arms
        self._reader = SampleReader(self.sampling, options)
        roles = self.sampling.columns
        if names is None:
            column = None if used.arms is None else used.arms.column
            names = [name for name in used.names if name not in roles and name != column]
        self.by_name: dict[str, SampledCounter | ArmCounter] = {}
        for name in dict.fromkeys(names):
            if used.arms is None:
                self.by_name[name] = SampledCounter(
                    used[name].attribute, used.perturbation(name), self._reader, self.settings.bins
                )
            else:
                self.by_name[name] = ArmCounter(
                    name, used, self._reader, self.settings, by_arm=by_arm, sets=sets
                )
        self._spreads = {name: used[name].share_spread for name in self.by_name}
        self._met = np.zeros(0 if used.arms is None else len(used.arms.members), np.int64)
        needed = self.by_name if used.arms is None else used.needed(self.by_name)
        self.columns = tuple(dict.fromkeys([*needed, *roles]))

    @property
    def weight(self) -> str | None:
        """The column of weights that count."""
        is_plain = self._reader.options.target == RESPONDENTS
        return None if is_plain else self.sampling.weight

    def add(self, table: Table) -> None:
        sample = self._reader.read(table)
        codes = None if self._arms is None else self._arms.read(table)
        if codes is not None:
            count = len(self._met)
            self._met += np.bincount(codes[(codes >= 0) & (codes < count)], minlength=count)
        for name, counter in self.by_name.items():
            if isinstance(counter, SampledCounter):
                counter.add(table[name], sample)
            elif codes is not None:
                counter.add(table, codes, sample)

    def reconstruct(
        self, truth: _Truth | None, seed: int, progress: Progress
    ) -> dict[str, SampledReconstruction]:
        if self._arms is not None:
            self._arms.refuse_empty(self._met)
        frame = self._reader.frame()
        results = {}
        for place, (name, counter) in enumerate(self.by_name.items()):
            share = part(progress, place / len(self.by_name), (place + 1) / len(self.by_name))
            result = counter.reconstruct(frame, self.settings, seed, share)
            if isinstance(counter, SampledCounter):
                result = _with_share(result, counter.counted.matrix, self._spreads[name])
            if truth is not None:
                result = dataclasses.replace(result, found=truth.compare(name, result.found))
            results[name] = result
        return results


def _with_share(
    result: SampledReconstruction, matrix: Numbers, spread: Numbers | None
) -> SampledReconstruction:
    """The result with the error of the device's share, where that is not exact."""
    if spread is None:
        return result
    found = with_share_error(result.found, matrix, spread)
    return dataclasses.replace(result, found=found, sample=result.sample.with_share())


class _Truth:
    """The true answers in the cells of what is reconstructed, by the same weights."""

    def __init__(self, counters: _Counters, design: Design) -> None:
        self._reader = SampleReader(Sampling(weight=counters.weight))
        self._counters = {
            name: original_counter(counter.counted) for name, counter in counters.by_name.items()
        }
        named = dict.fromkeys([*self._counters, *([counters.weight] if counters.weight else [])])
        self.schema: list[Attribute] = [design[n].attribute for n in named if n in design]

    def add(self, table: Table) -> None:
        weights = self._reader.read(table).weights
        for name, counter in self._counters.items():
            counter.add(table[name], weights)

    def compare(self, name: str, found: Reconstruction) -> Reconstruction:
        shares = self._counters[name].counted()
        if shares.total <= 0:
            raise without_original(name)
        loss = float(information_loss(shares.shares, found.probability))
        return dataclasses.replace(found, information_loss=loss)


class SampledCounter:
    """Counts a distorted attribute of a sample, altogether and by cluster."""

    def __init__(
        self,
        attribute: Attribute,
        perturbation: Perturbation,
        reader: SampleReader | Frame,
        bins: Bins = None,
    ) -> None:
        self._counter = ColumnCounter(attribute, perturbation, bins)
        grid = self._counter.grid
        cells = grid.z_cells.count
        # Fine cells of noise by cluster are too many, and tell no more than groups of them.
        is_fine = grid.may_be_trimmed and cells > max(grid.k, _MOST_GROUPS)
        self._wide = -(-cells // _MOST_GROUPS) if is_fine else 1
        self._groups = -(-cells // self._wide)
        has_population = reader.sampling.population is not None
        is_plain = reader.options.target == RESPONDENTS
        self._finite = has_population and not is_plain and self._wide == 1
        self._moments = SampleMoments()

    @property
    def counted(self) -> CountedChannel:
        """What was counted so far, by weight."""
        return self._counter.counted()

    def add(self, column: Column, sample: SampleRows, rows: Codes | None = None) -> None:
        """Count the next rows; ``rows`` are those of them that were asked."""
        chosen = column if rows is None else column.take(rows)
        self._counter.add(chosen, sample.take(rows).weights)
        place = self._counter.grid.z_cells.place(chosen.data)
        kept = rows
        if place.min(initial=0) < 0:
            inside = np.flatnonzero(place >= 0)
            place = place[inside]
            kept = inside if rows is None else rows[inside]
        codes = (place // self._wide if self._wide > 1 else place).astype(np.intp, copy=False)
        terms = Terms(len(codes), np.zeros((self._groups, 1)), codes)
        self._moments.add(terms, sample, kept, finite=self._finite)

    def reconstruct(
        self, frame: Frame, settings: ReconstructOptions, seed: int, progress: Progress
    ) -> SampledReconstruction:
        """Estimate the distribution of all people and the errors of its shares."""
        groups = self._moments.totals(_large(frame), Terms(0, self._together()))
        counted, effect = self.counted, mean_effect(groups)
        if counted.rows and (effect > 1 or counted.squares is not None):
            counted = _with_size(counted, counted.rows / effect)
        degrees = frame.options.degrees_of_freedom
        if degrees is None:
            degrees = float(groups.degrees[-1])
        t = t_factor(settings.confidence, degrees)
        found = reconstruct_counts(
            counted,
            settings.algorithm,
            stop=settings.stop,
            # What is worked out with a normal quantile reaches as far as t does.
            confidence=min(1 - 2 * float(ndtr(-t)), _MOST_CONFIDENCE),
            sharpness=settings.sharpest,
            seed=seed,
            progress=progress,
        )
        found = dataclasses.replace(found, confidence=settings.confidence)
        size = counted.rows / effect
        if self._wide > 1 or found.interval_method not in _UNBIASED | _LIKELIEST:
            told = (*groups.remarks, *about_size(size, frame))
            return SampledReconstruction(found, summarise(groups), degrees, size, remarks=told)
        errors = self._errors(counted, found, frame)
        moved, kind = _with_errors(found, errors, t, frame.options.interval)
        return SampledReconstruction(
            moved,
            summarise(errors.values.totals),
            degrees,
            size,
            kind,
            errors.values.device_errors,
            errors.values.sampling_errors,
            errors.values.sampling_effects,
            error_remarks(errors.values, degrees),
        )

    def _terms(self, look_up: Numbers) -> Terms:
        """Functions of the cells that were counted, for those that are kept by cluster."""
        return Terms(0, look_up[self._counter.counted_cells()])

    def _together(self) -> Numbers:
        """Which cells belong to each of not too many groups."""
        wide = -(-self._groups // _MOST_GROUPS)
        group = np.arange(self._groups) // wide
        return np.asarray(group[:, None] == np.arange(group[-1] + 1), np.float64)

    def _errors(self, counted: CountedChannel, found: Reconstruction, frame: Frame) -> _Errors:
        unbiased: SampledValues | None = None
        hidden = np.zeros(counted.k, np.bool_)
        look_up = np.eye(counted.k)
        if counted.is_square:
            if not counted.is_undistorted:
                inverted = invert(counted.matrix)
                look_up, hidden = inverted.inverse.T, inverted.hidden
            look_up = np.where(counted.possible[:, None], look_up, 0.0)
            totals = self._moments.totals(frame, self._terms(look_up))
            unbiased = totals.ratios(np.eye(counted.k), _ones(totals))
        if found.interval_method in _UNBIASED and unbiased is not None:
            return _Errors(unbiased, found.raw, LINEARISED, hidden, look_up)
        x = found.probability
        support = x > _ABSENT
        if unbiased is not None and not support.all():
            # At the border of the simplex the estimate varies less than the solution does, so that
            # these intervals are wider than they need be, never narrower.
            return _Errors(unbiased, x, LINEARISED, hidden)
        totals = self._moments.totals(frame, self._likelihood_terms(counted, x, support))
        moves = totals.sums(np.eye(counted.k))
        # The influences are moves away from the maximum, where their sum is 0.
        values = SampledValues(x, moves.covariance, moves.device, moves.simple, totals)
        return _Errors(values, x, SANDWICH, hidden)

    def _likelihood_terms(
        self, counted: CountedChannel, x: Numbers, support: NDArray[np.bool_]
    ) -> Terms:
        influence = influence_of(counted.matrix, counted.usable, x, support)
        posterior = counted.matrix * x
        total = posterior.sum(axis=1, keepdims=True)
        posterior = np.divide(posterior, total, out=np.zeros_like(posterior), where=total > 0)
        cells = self._counter.counted_cells()
        true = TrueCells(posterior[cells], counted.matrix.T @ influence)
        return Terms(0, influence[cells], true_cells=true)


class ArmCounter:
    """Counts an attribute of a sample that is asked in arms, altogether and by cluster."""

    def __init__(
        self,
        name: str,
        design: Design,
        reader: SampleReader | Frame,
        settings: ReconstructOptions,
        *,
        by_arm: bool = False,
        sets: Sequence[Sequence[str]] = (),
    ) -> None:
        self._sets = sets
        self._counter = DeviceCounter(name, design, settings.bins)
        self._designed = design[name]
        arms = design.arms
        assert arms is not None  # noqa: S101 (there are arms)
        asked = self._counter.arms
        self._places = {arm: arms.names.index(arm) for arm in asked}
        devices = {arm: self._counter.device(arm) for arm in asked}
        if any(device.columns for device in devices.values()):
            raise ParameterError(
                Message(
                    "The device of {attribute!r} depends on another column, which 'reconstruct' "
                    "does not use with a sampling; turn the sampling off.",
                    attribute=name,
                ),
                attribute=name,
                field="sampling",
            )

        def counter(device: Perturbation) -> SampledCounter:
            return SampledCounter(self._designed.attribute, device, reader, settings.bins)

        self._alone = {arm: counter(device) for arm, device in devices.items()} if by_arm else {}
        self._by_arm = by_arm
        self._whole = None
        if len(set(devices.values())) == 1:
            self._whole = counter(next(iter(devices.values())))
        else:
            self._counter.check_settings(settings.algorithm, settings.stop)
        has_population = reader.sampling.population is not None
        self._finite = has_population and reader.options.target != RESPONDENTS
        self._moments = SampleMoments()
        self._unknown = 0

    @property
    def counted(self) -> CountedChannel:
        """Counts of some device, for the cells of the true answers."""
        return self._counter.any_counted() if self._whole is None else self._whole.counted

    @property
    def _compares(self) -> bool:
        """Whether cells of several arms are needed."""
        is_values = self._designed.attribute.kind.is_categorical
        return is_values and (self._whole is None or (self._by_arm and len(self._places) > 1))

    def add(self, table: Table, codes: NDArray[np.intp], sample: SampleRows) -> None:
        """Count the next rows; ``codes`` are the places of their arms."""
        column = table[self._designed.name]
        self._counter.add(table, codes, weights=sample.weights)
        self._unknown += int(np.count_nonzero(codes < 0))
        if self._whole is not None:
            rows = np.flatnonzero(np.isin(codes, list(self._places.values())))
            self._whole.add(column, sample, rows)
        for arm, counter in self._alone.items():
            counter.add(column, sample, np.flatnonzero(codes == self._places[arm]))
        if self._compares:
            k = self._designed.attribute.k
            first = np.full(max(self._places.values()) + 1, -1, np.intp)
            first[list(self._places.values())] = k * np.arange(len(self._places))
            known = (codes >= 0) & (codes < len(first)) & (column.data >= 0)
            kept = np.flatnonzero(known)
            kept = kept[first[codes[kept]] >= 0]
            cells = first[codes[kept]] + column.data[kept]
            terms = Terms(len(cells), np.eye(k * len(self._places)), cells)
            self._moments.add(terms, sample, kept, finite=self._finite)

    def reconstruct(
        self, frame: Frame, settings: ReconstructOptions, seed: int, progress: Progress
    ) -> SampledReconstruction:
        """Estimate the distribution in all arms together, and in each."""
        if self._whole is None:
            result = self._pooled(frame, settings)
        else:
            result = self._whole.reconstruct(frame, settings, seed, progress)
            usual = self._counter.spread_in(next(iter(self._places)))
            result = _with_share(result, self._whole.counted.matrix, usual)
            missing = result.found.missing + self._unknown
            found = dataclasses.replace(result.found, missing=missing)
            result = dataclasses.replace(result, found=found)
        apart = self._apart(frame, settings, seed) if self._by_arm else None
        return dataclasses.replace(result, by_arm=apart, not_asked=self._counter.not_asked)

    def pooled_values(self, frame: Frame, *, number: bool = False) -> SampledValues:
        """The shares in all arms together, or the numbers of people, with their errors."""
        arms = self._arms()
        x = fit_shares(arms).shares
        stacked = np.vstack([arm.matrix for arm in arms])
        counts = np.concatenate([arm.counts for arm in arms])
        # Shares of 0 are free to move: their intervals are too wide rather than too narrow.
        slope, values = influence_of(stacked, counts, x, np.ones(len(x), np.bool_)).T, x
        if number:
            # How many people there are is an estimate of the sample as well.
            slope, values = counts.sum() * slope + x[:, None], counts.sum() * x
        found = self._values(frame, arms, x, slope)
        moved = values - found.values
        replicates = None if found.replicates is None else found.replicates + moved
        return dataclasses.replace(found, values=values, replicates=replicates)

    def _pooled(self, frame: Frame, settings: ReconstructOptions) -> SampledReconstruction:
        found = self._counter.reconstruct(settings.confidence, None)
        values, x = self.pooled_values(frame), found.probability
        cells = len(self._places) * len(x)
        groups = self._moments.totals(_large(frame), Terms(0, np.eye(cells)))
        size = found.rows / mean_effect(groups)
        degrees = self._degrees(frame, groups)
        hidden = np.isinf(found.standard_error) if found.standard_error is not None else x < 0
        errors = _Errors(values, x, POOLED_SANDWICH, hidden)
        t = t_factor(settings.confidence, degrees)
        found, kind = _with_errors(found, errors, t, frame.options.interval)
        sample = summarise(values.totals)
        moved = self._counter.moved_by_share(x)
        if moved is not None:
            found, sample = widened_by(found, moved), sample.with_share()
        return SampledReconstruction(
            found, sample, degrees, size, kind, values.device_errors, values.sampling_errors,
            values.sampling_effects, error_remarks(values, degrees),
        )  # fmt: skip

    def _arms(self) -> list[Arm]:
        """The weighted reports of every arm, in the order of the cells."""
        counted = {arm: self._counter.counted_in(arm) for arm in self._places}
        return [Arm(arm, one.usable, one.matrix) for arm, one in counted.items() if one is not None]

    def _values(
        self, frame: Frame, arms: Sequence[Arm], x: Numbers, slope: Numbers
    ) -> SampledValues:
        """Errors of estimates that change with the cells of all arms by ``slope``."""
        posteriors = []
        for arm in arms:
            joint = arm.matrix * x
            total = joint.sum(axis=1, keepdims=True)
            posteriors.append(np.divide(joint, total, out=np.zeros_like(joint), where=total > 0))
        true = TrueCells(
            np.asarray(block_diag(*posteriors)),
            np.asarray(block_diag(*(arm.matrix for arm in arms))).T @ slope.T,
        )
        totals = self._moments.totals(frame, Terms(0, slope.T, true_cells=true))
        if totals.replicates is not None:
            # These were counted by cell.
            totals = dataclasses.replace(totals, replicates=totals.replicates @ slope.T)
        return totals.sums(np.eye(len(slope)))

    def _degrees(self, frame: Frame, totals: SampleTotals) -> float:
        given = frame.options.degrees_of_freedom
        return float(totals.degrees[-1]) if given is None else given

    def _apart(self, frame: Frame, settings: ReconstructOptions, seed: int) -> SampledArms:
        alone = {}
        for arm, counter in self._alone.items():
            result = counter.reconstruct(frame, settings, seed, silent)
            spread = self._counter.spread_in(arm)
            alone[arm] = _with_share(result, counter.counted.matrix, spread)
        if not self._compares:
            return SampledArms(alone, None)
        arms = self._arms()
        fitted = fit_shares(arms)
        remarks = (BOUNDARY,) if fitted.is_on_boundary else ()
        parts = [[arm] for arm in arms if arm.n > 0]
        test = self._compare(frame, arms, fitted.shares, parts) if len(parts) > 1 else None
        return SampledArms(alone, test, remarks, self._compare_sets(frame, arms, fitted.shares))

    def _compare_sets(self, frame: Frame, arms: Sequence[Arm], x: Numbers) -> SetTests | None:
        pools = [[arm for arm in arms if arm.name in one and arm.n > 0] for one in self._sets]
        pools = [pool for pool in pools if pool]
        if len(pools) < 2:
            return None
        sets = []
        for pool in pools:
            within = Test(0.0, 0, 1.0)
            if len(pool) > 1:
                within = self._compare(frame, arms, x, [[arm] for arm in pool])
            shares, slope = fit_shares(pool).shares, _shares_of(pool, arms)[1]
            errors = self._values(frame, arms, x, slope).errors
            sets.append(ArmSet(tuple(arm.name for arm in pool), shares, errors, within))
        return SetTests(tuple(sets), self._compare(frame, arms, x, pools), "wald")

    def _compare(
        self, frame: Frame, arms: Sequence[Arm], x: Numbers, sets: Sequence[Sequence[Arm]]
    ) -> Test:
        """Wald's test that sets of arms have the same shares."""
        values, slopes = zip(*(_shares_of(part, arms) for part in sets), strict=True)
        found = self._values(frame, arms, x, np.vstack(slopes))
        others = len(sets) - 1
        contrast = np.kron(np.hstack([np.eye(others), -np.ones((others, 1))]), np.eye(len(x)))
        apart, df = contrast @ np.concatenate(values), others * (len(x) - 1)
        spread = contrast @ found.covariance @ contrast.T
        return wald_test(apart, spread, df, self._degrees(frame, found.totals))


def _shares_of(part: Sequence[Arm], arms: Sequence[Arm]) -> tuple[Numbers, Numbers]:
    """Shares of some arms, and how these change with the counts of all.

    A single arm has those that its reports say, whether all of them are possible or not.
    """
    starts = np.cumsum([0, *(len(arm.counts) for arm in arms)])
    if len(part) == 1:
        inverse = invert(part[0].matrix).inverse
        value, own = inverse @ (part[0].counts / part[0].n), inverse @ share_slope(part[0])
    else:
        fit = fit_shares(part)
        value, own = fit.shares, fit.slope
    slope, first = np.zeros((len(value), int(starts[-1]))), 0
    for arm in part:
        place = next(i for i, one in enumerate(arms) if one is arm)
        size = len(arm.counts)
        slope[:, starts[place] : starts[place] + size] = own[:, first : first + size]
        first += size
    return np.asarray(value), slope


@dataclass(frozen=True, eq=False)
class _Errors:
    """Errors of shares, and what their intervals lie around.

    ``look_up`` are the contributions of reports where the shares are their mean.
    """

    values: SampledValues
    centre: Numbers
    method: str
    hidden: NDArray[np.bool_]
    look_up: Numbers | None = None


def _with_errors(
    found: Reconstruction, errors: _Errors, t: float, kind: str
) -> tuple[Reconstruction, str]:
    """The reconstruction with intervals under the sampling, and the kind of these."""
    values, totals = errors.values, errors.values.totals
    error = np.where(errors.hidden, np.inf, values.errors)
    low, high, kinds = np.zeros(found.k), np.ones(found.k), []
    for place in range(found.k):
        line = None if errors.look_up is None else line_between(errors.look_up[:, place])
        used, low[place], high[place] = share_interval(
            kind, float(errors.centre[place]), float(error[place]), t,
            line=line, n=totals.n / totals.weights_effect,
        )  # fmt: skip
        kinds.append(used)
    low, high = np.nan_to_num(low, nan=0.0), np.nan_to_num(high, nan=1.0)
    moved = dataclasses.replace(
        found,
        low=np.minimum(np.clip(low, 0.0, 1.0), found.probability),
        high=np.maximum(np.clip(high, 0.0, 1.0), found.probability),
        standard_error=error,
        covariance=values.covariance,
        interval_method=errors.method,
    )
    # A share at the edge may fall back on another kind than the others.
    return moved, max(set(kinds), key=kinds.count)


def mean_effect(totals: SampleTotals) -> float:
    """The mean sampling effect of the reported answers, 1 at least.

    A few clusters that happen to agree shall not promise more than as many answers can tell.
    """
    frame = totals.frame
    if frame.is_about_respondents or not frame.has_roles or totals.weighted_n <= 0:
        return 1.0
    shares = totals.ratios(np.eye(len(totals.values)), _ones(totals))
    simple = float(np.trace(shares.simple))
    effect = float(np.trace(shares.covariance)) / simple if simple > 0 else math.nan
    return max(effect if math.isfinite(effect) else totals.weights_effect, 1.0)


def influence_of(
    channel: Numbers, counts: Numbers, x: Numbers, support: NDArray[np.bool_]
) -> Numbers:
    """How much a report moves each share, one row per report: 0 off the support."""
    reported = channel @ x
    inverse = np.divide(1.0, reported, out=np.zeros_like(reported), where=reported > 0)
    rows = channel[:, support]
    information = (rows.T * (counts * inverse**2)) @ rows
    # A basis of moves that keep the sum: every column adds up to 0.
    size = int(support.sum())
    influence = np.zeros_like(channel)
    if size > 1:
        basis = np.linalg.qr(np.column_stack([np.ones(size), np.eye(size)[:, 1:]]))[0][:, 1:]
        inner = np.linalg.pinv(basis.T @ information @ basis, hermitian=True)
        influence[:, support] = (rows * inverse[:, None]) @ basis @ inner @ basis.T
    return influence


def _large(frame: Frame) -> Frame:
    """The sample as one of a large population: the device's randomness does not shrink with it."""
    if not frame.has_population:
        return frame
    sampling = dataclasses.replace(frame.sampling, population=None)
    return dataclasses.replace(frame, sampling=sampling, fractions=np.zeros(len(frame.sizes)))


def _with_size(counted: CountedChannel, size: float) -> CountedChannel:
    """The counts with squared weights that make the effective number of answers another one."""
    squares = counted.counts if counted.squares is None else counted.squares
    present = float(squares[counted.possible].sum())
    if present <= 0 or size <= 0:
        return counted
    return dataclasses.replace(counted, squares=squares * (counted.total**2 / (present * size)))


def _ones(totals: SampleTotals) -> Numbers:
    return np.ones((len(totals.values), len(totals.values)))


def about_size(size: float, frame: Frame) -> Iterable[str]:
    """What a reader should know about intervals of a number under noise."""
    if frame.is_about_respondents:
        yield Message(
            "The intervals of a number under noise also hold who happened to be drawn.",
            code=EFFECTIVE,
        )
    elif frame.has_roles:
        yield Message(
            "The intervals are those of {n:,.0f} independent answers, as many as this sample is "
            "worth.",
            code=EFFECTIVE,
            n=size,
        )
