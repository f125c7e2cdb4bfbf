"""Reconstruct attributes whose devices differ from arm to arm, or from row to row.

One distribution has to explain the answers of all devices at once: it is the most likely one, never
the inverse of one matrix applied to answers of several. Every arm can be looked at by itself, too,
and a test says whether all have the same distribution.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers, project
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.fit import fit_column
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.design.row_devices import refuse_noise_by_row, refuse_unknown
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.agreement import (
    LEVEL,
    LIKELIHOOD,
    LR,
    MEAN,
    WALD,
    ArmSet,
    ArmShares,
    SetTests,
    check_sets,
    disagreement,
    mean_of_arms,
)
from ppworkbench.core.reconstruct.channel import CountedChannel
from ppworkbench.core.reconstruct.counting import ColumnCounter
from ppworkbench.core.reconstruct.grid import Bins
from ppworkbench.core.reconstruct.intervals import widened_by
from ppworkbench.core.reconstruct.pooled import (
    Arm,
    Shares,
    Test,
    check_equality,
    equality,
    expected_information,
    fit_shares,
    invert_information,
    is_at_bound,
    known_zeros,
    log_likelihood,
)
from ppworkbench.core.reconstruct.reconstruction import (
    SINGULAR,
    Reconstruction,
    about_answers,
    nothing_answered,
)
from ppworkbench.core.reconstruct.sets import SetCounter, compare_parts, reconstruct_sets
from ppworkbench.core.reconstruct.stopping import StopRule

POOLED, MEAN_OF_ARMS = "pooled", "mean of arms"
_STEP = 1e-3
"""Standard errors by which a device's share is moved to see what depends on it."""
BOUNDARY = Message(
    "Some shares lie at 0 or 1, the ends of their range, where tests of equality are rough."
)
FEW_EXPECTED = Message(
    "Fewer than 5 answers are expected in some cell, or a pooled share is 0, so the p value of "
    "equality comes from 2,000 simulated surveys."
)
FEW_NAMED = Message(
    "Fewer than 5 reports are expected to name some value, or not to name it, in some arm, so the "
    "p value of equality is rough."
)


@dataclass(frozen=True, eq=False)
class ArmResults:
    """Every arm by itself, and whether all have the same distribution.

    ``equality`` is None for a number, and where a single arm asks the question; ``sets`` where none
    were named or fewer than two ask it. ``statistic`` is the name of what the test has.
    """

    arms: Mapping[str, Reconstruction]
    equality: Test | None
    remarks: tuple[str, ...] = ()
    sets: SetTests | None = None
    statistic: str = LR

    @property
    def sentence(self) -> str:
        """The test in plain words; empty where there is none."""
        test = self.equality
        if test is None:
            return ""
        if self.statistic == WALD:
            return Message(
                "If all arms had the same true shares, differences as large as these would have "
                "probability {p:.4g} (Wald {wald:.4f}, {df} degrees of freedom).",
                p=test.p,
                wald=test.statistic,
                df=test.df,
            )
        return Message(
            "If all arms had the same true shares, differences as large as these would have "
            "probability {p:.4g} (likelihood ratio {lr:.4f}, {df} degrees of freedom).",
            p=test.p,
            lr=test.statistic,
            df=test.df,
        )

    def to_json(self) -> dict[str, Any]:
        arms = {}
        for name, found in self.arms.items():
            document = found.to_json()
            shown = ("rows", "missing", "values", "edges", "probability", "raw", "standard_error",
                     "low", "high", "warnings")  # fmt: skip
            arms[name] = {field: document[field] for field in shown if field in document}
        test = self.equality
        equality: dict[str, Any] | None = None
        if test is not None:
            equality = test.to_json(self.statistic)
            if self.remarks:
                equality["warnings"] = list(self.remarks)
        sets = {} if self.sets is None else {"sets": self.sets.to_json()}
        return {"arms": arms, "equality": equality, **sets}


def of_chosen_arms(
    design: Design,
    arms: Sequence[str],
    *,
    by_arm: bool,
    sets: Sequence[Sequence[str]],
    in_sample: bool = False,
) -> Design:
    """The design of the chosen arms; refuse to tell arms apart where there are not two of them.

    ``in_sample`` keeps the rows of the others: how a part of a sample varies depends on all of it.
    """
    if by_arm:
        refuse_without_arms(design)
    choose = design.within_arms if in_sample else design.of_arms
    used = choose(arms) if arms else design
    if by_arm:
        if len(used.versions.members) < 2:
            raise ParameterError(
                "There are not two arms to be told apart; choose more of them.", field="by_arm"
            )
        check_sets(sets, used)
    return used


def refuse_without_arms(design: Design) -> None:
    if not design.has_arms:
        raise ParameterError("The design has no arms to be told apart.", field="by_arm")


class DeviceCounter:
    """Counts one attribute arm by arm and device by device; its rows may come in pieces.

    Reports are counted in cells, those that are sets by :class:`SetDevices`; :meth:`of` chooses.
    ``exact`` as for :class:`ColumnCounter`.
    """

    statistic = LR

    @classmethod
    def of(
        cls, name: str, design: Design, bins: Bins = None, *, exact: bool = False
    ) -> DeviceCounter:
        is_set = design.perturbation(name).reports_sets
        return (SetDevices if is_set else cls)(name, design, bins, exact=exact)

    def __init__(
        self, name: str, design: Design, bins: Bins = None, *, exact: bool = False
    ) -> None:
        self.designed, self.perturbation = design[name], design.perturbation(name)
        self._design, self._bins, self._is_exact = design, bins, exact
        self._asked = {arm.name: name not in arm.omit for arm in design.versions.members}
        self._parts: dict[tuple[str, Perturbation], ColumnCounter] = {}
        self._whole = self._of_everybody()
        self._without_device = self.not_asked = 0

    @property
    def name(self) -> str:
        return self.designed.name

    @property
    def arms(self) -> tuple[str, ...]:
        return tuple(name for name, is_asked in self._asked.items() if is_asked)

    def add(
        self,
        table: Table,
        codes: NDArray[np.intp],
        progress: Progress = silent,
        weights: Numbers | None = None,
    ) -> None:
        """Count the next rows; ``codes`` are the places of their arms."""
        if self._whole is not None and not self._design.has_arms:
            self._whole.add(table[self.name], weights, progress)
            return
        column = table[self.name]
        known = codes >= 0
        data: dict[str, NDArray[Any]] = {self.name: column.data}
        attributes = {}
        by_arm = ((), self._design.versions.columns)
        for other in self.perturbation.columns:
            attributes[other] = self._design[other].attribute
            data[other] = fit_column(table[other], self._design[other])
            is_values = attributes[other].kind.is_categorical
            known &= data[other] >= 0 if is_values else ~np.isnan(data[other])
        self._without_device += int(np.count_nonzero(~known))
        for place, (arm, is_asked) in enumerate(self._asked.items()):
            rows = np.flatnonzero(known & (codes == place))
            if not is_asked:
                self.not_asked += len(rows)
                continue
            chosen = column.take(rows)
            counting = None if weights is None else weights[rows]
            if self._whole is not None:
                self._whole.add(chosen, counting)
            if self.perturbation.columns in by_arm:
                self._part(arm, self.device(arm)).add(chosen, counting)
                continue
            cases = self.perturbation.cases_of(
                {key: values[rows] for key, values in data.items()}, attributes, self.name
            )
            for case in np.unique(cases.codes).tolist():
                part = self._part(arm, cases.devices[case])
                places = np.flatnonzero(cases.codes == case)
                part.add(chosen.take(places), None if counting is None else counting[places])

    def merge(self, other: DeviceCounter) -> None:
        for (arm, device), counted in other._parts.items():
            self._parts.setdefault((arm, device), self._cells(device)).merge(counted)
        if self._whole is not None and other._whole is not None:
            self._whole.merge(other._whole)
        self._without_device += other._without_device
        self.not_asked += other.not_asked

    def _of_everybody(self) -> ColumnCounter | None:
        return None if self.perturbation.columns else self._cells(self.perturbation)

    def _cells(self, device: Perturbation) -> ColumnCounter:
        attribute = self.designed.attribute
        return ColumnCounter(attribute, device, self._bins, exact=self._is_exact)

    def _rank(self, key: tuple[str, Perturbation]) -> tuple[int, str]:
        return list(self._asked).index(key[0]), repr(key[1])

    def settle(self) -> None:
        """Forget in which order devices and sets came, after all parts have been merged."""
        self._parts = {key: self._parts[key] for key in sorted(self._parts, key=self._rank)}

    def device(self, arm: str) -> Perturbation:
        found = self._design.versions[arm].device(self.name, self.designed.perturbation)
        assert found is not None  # noqa: S101 (the arm asks it)
        group = self._design.group_of(self.name)
        return found if group is None else group.marginal(self.name)

    def _part(self, arm: str, device: Perturbation) -> ColumnCounter | SetCounter:
        key = (arm, device)
        if key not in self._parts:
            self._parts[key] = self._cells(device)
        return self._parts[key]

    def counted(self) -> CountedChannel | None:
        """All answers, where one device served everybody; None where devices differ."""
        return None if self._whole is None else self._whole.counted()

    def stacked(self) -> CountedChannel:
        """All answers where devices differ, as one channel in which these stand below each other.

        Report r through device g, which n_g of n people have, is a cell of its own, which the true
        value c leads to with probability ``n_g / n P_g[r, c]``.
        """
        parts = [one.counted() for one in self._parts.values()]
        parts = [one for one in parts if one.total > 0]
        if not parts:
            raise nothing_answered(self.name)
        total = sum(one.total for one in parts)
        return CountedChannel(
            np.vstack([one.total / total * one.matrix for one in parts]),
            np.concatenate([one.usable for one in parts]),
            self.designed.attribute,
            self.perturbation,
            rows=sum(one.rows for one in parts),
            missing=sum(one.missing for one in parts) + self._without_device,
            outside=sum(one.outside for one in parts),
        )

    def counted_in(self, arm: str) -> CountedChannel | None:
        """All answers of an arm, where one device served everybody; None where devices differ."""
        parts = self._of_arm(arm)
        return next(iter(parts.values())).counted() if len(parts) == 1 else None

    def has_answers(self, arm: str) -> bool:
        """Whether anybody in an arm gave a possible answer."""
        return any(one.counted().total > 0 for one in self._of_arm(arm).values())

    def _answered(self) -> list[str]:
        return [arm for arm in self.arms if self.has_answers(arm)]

    def _of_arm(self, arm: str) -> dict[tuple[str, Perturbation], ColumnCounter]:
        return {key: one for key, one in self._parts.items() if key[0] == arm}

    def any_counted(self) -> CountedChannel:
        """Counts of some device, for the cells of the true answers."""
        if self._whole is not None:
            return self._whole.counted()
        if not self._parts:
            raise nothing_answered(self.name)
        return next(iter(self._parts.values())).counted()

    def set_counters(self, *arms: str) -> tuple[SetCounter, ...]:  # noqa: ARG002
        """The reports of some arms, or of all, where they are sets; else nothing."""
        return ()

    def pooled_arms(self) -> list[tuple[str, Arm]]:
        return self._arms_of(self._parts)

    def _arms_of(
        self, parts: Mapping[tuple[str, Perturbation], ColumnCounter]
    ) -> list[tuple[str, Arm]]:
        refuse_noise_by_row(self.perturbation, self.designed.attribute)
        found = []
        for (arm, _), counter in parts.items():
            counted = counter.counted()
            if counted.total > 0:
                found.append((arm, Arm(arm, counted.usable, counted.matrix)))
        return found

    def equality(self, seed: int = 0) -> tuple[Test | None, tuple[str, ...]]:
        """Whether all arms have the same distribution of values."""
        if not self.designed.attribute.kind.is_categorical:
            return None, ()
        sets = list(self._parts_by_arm().values())
        if len(sets) < 2:
            return None, ()
        everybody = [one for part in sets for one in part]
        test, is_simulated = check_equality(everybody, sets, seed)
        is_bound = is_at_bound(everybody, sets)
        remarks = (*((BOUNDARY,) if is_bound else ()), *((FEW_EXPECTED,) if is_simulated else ()))
        return test, remarks

    def _parts_by_arm(self) -> dict[str, list[Arm]]:
        found: dict[str, list[Arm]] = {}
        for name, one in self.pooled_arms():
            found.setdefault(name, []).append(one)
        return found

    def disagreement(
        self, pooling: str = LIKELIHOOD, chosen: Numbers | None = None, seed: int = 0
    ) -> tuple[str, ...]:
        """What is said where the arms do not agree; parameters as for :func:`disagreement`.

        Surveys are drawn for the p value only where chi-square comes near the level: drawing takes
        time, and this is asked for with every estimate.
        """
        if not self._may_disagree():
            return ()
        test, rough = self.equality(seed)
        if test is None or not test.p < LEVEL:
            return ()
        shares, is_mean = self._own_shares()
        values, how = self.designed.attribute.values, MEAN if is_mean else pooling
        return (disagreement(test.p, shares, values, chosen=chosen, pooling=how), *rough)

    def _may_disagree(self) -> bool:
        parts = self._parts_by_arm() if self.designed.attribute.kind.is_categorical else {}
        every = [one for part in parts.values() for one in part]
        return len(parts) > 1 and not equality(every, list(parts.values())).p > 10 * LEVEL

    def _own_shares(self) -> tuple[ArmShares, bool]:
        """What arms say by themselves, and whether they are put together as a mean anyway."""
        return ArmShares.of(self._parts_by_arm()), self._whole is not None

    def compare_sets(self, sets: Sequence[Sequence[str]], seed: int = 0) -> SetTests | None:
        """Whether sets of arms have the same distribution of values, and the arms of each."""
        if not self.designed.attribute.kind.is_categorical:
            return None
        answered = self._answered()
        named = [tuple(name for name in one if name in answered) for one in sets]
        named = [one for one in named if one]
        return self._compare(named, seed) if len(named) > 1 else None

    def _compare(self, named: Sequence[tuple[str, ...]], seed: int) -> SetTests:
        parts = self.pooled_arms()
        found, pools, is_simulated, is_bound = [], [], False, False
        for names in named:
            alone = [[arm for name, arm in parts if name == one] for one in names]
            pool = [arm for part in alone for arm in part]
            within, is_drawn = check_equality(pool, alone, seed)
            fit = fit_shares(pool)
            errors = np.sqrt(np.maximum(np.diag(_covariance(fit)[0]), 0.0))
            found.append(ArmSet(names, fit.shares, errors, within))
            pools.append(pool)
            is_simulated |= is_drawn
            is_bound |= is_at_bound(pool, alone)
        everybody = [arm for pool in pools for arm in pool]
        between, is_drawn = check_equality(everybody, pools, seed)
        is_bound |= is_at_bound(everybody, pools)
        remarks = (
            *((BOUNDARY,) if is_bound else ()),
            *((FEW_EXPECTED,) if is_simulated or is_drawn else ()),
        )
        return SetTests(tuple(found), between, remarks=remarks)

    def fit(self, pooling: str = LIKELIHOOD) -> tuple[Numbers, Numbers, bool]:
        """The shares of all arms together, their covariance, and whether the arms tell them."""
        arms = [one for _, one in self.pooled_arms()]
        if not arms:
            raise nothing_answered(self.name)
        return _fit(arms, pooling)[:3]

    def reconstruct(
        self,
        confidence: float | None,
        original: Numbers | None = None,
        algorithm: str = "default",  # noqa: ARG002
        stop: StopRule | None = None,  # noqa: ARG002
        pooling: str = LIKELIHOOD,
        arm: str | None = None,
    ) -> Reconstruction:
        """The distribution of all arms together, or of one whose devices differ by row.

        Where devices differ it is the most likely one; sets are undone as asked for.
        """
        if arm is not None:
            return self._pooled(self._of_arm(arm), 0, confidence, original, pooling)
        return self._pooled(self._parts, self._without_device, confidence, original, pooling)

    def _pooled(
        self,
        parts: Mapping[tuple[str, Perturbation], ColumnCounter],
        without_device: int,
        confidence: float | None,
        original: Numbers | None,
        pooling: str = LIKELIHOOD,
    ) -> Reconstruction:
        arms = [one for _, one in self._arms_of(parts)]
        counted = [one.counted() for one in parts.values()]
        if not arms:
            raise nothing_answered(self.name)
        raw, covariance, is_known, likelihood = _fit(arms, pooling)
        error = np.sqrt(np.maximum(np.diag(covariance), 0.0))
        rows = sum(one.rows for one in counted)
        doubts = about_answers(rows, sum(one.impossible for one in counted))
        found = Reconstruction(
            attribute=self.designed.attribute,
            algorithm=POOLED if pooling == LIKELIHOOD else MEAN_OF_ARMS,
            values=counted[0].values,
            probability=project(raw),
            raw=raw,
            log_likelihood=likelihood,
            rows=rows,
            missing=sum(one.missing for one in counted) + without_device,
            warnings=(*doubts, *(() if is_known else (SINGULAR,))),
            interval_method=Message("inverse Fisher information of all devices together")
            if pooling == LIKELIHOOD
            else Message("errors of the arms' own estimates"),
        )
        error = np.where(is_known, error, np.inf)
        found = found.around(error, covariance, confidence, found.interval_method).beside(original)
        moved = self._moved_by_share(parts, raw, pooling)
        return found if moved is None else widened_by(found, moved)

    @property
    def share_spread(self) -> Numbers | None:
        """What one standard error of the device's share changes in the matrix; None if nothing."""
        return self.designed.share_spread

    def spread_in(self, arm: str) -> Numbers | None:
        """The same in one arm, which may have a device of its own."""
        is_usual = self.device(arm) == self.designed.perturbation
        return self.designed.share_spread if is_usual else None

    def moved_by_share(self, shares: Numbers, pooling: str = LIKELIHOOD) -> Numbers | None:
        return self._moved_by_share(self._parts, shares, pooling)

    def _moved_by_share(
        self,
        parts: Mapping[tuple[str, Perturbation], ColumnCounter],
        shares: Numbers,
        pooling: str,
    ) -> Numbers | None:
        spread = self.designed.share_spread
        if spread is None:
            return None
        ends = []
        for sign in (_STEP, -_STEP):
            arms = []
            for (name, device), counter in parts.items():
                counted = counter.counted()
                if counted.total > 0:
                    is_usual = device == self.designed.perturbation
                    matrix = counted.matrix + sign * spread if is_usual else counted.matrix
                    arms.append(Arm(name, counted.usable, matrix))
            ends.append(_fit(arms, pooling)[0] if arms else shares)
        return np.asarray((ends[0] - ends[1]) / (2 * _STEP), np.float64)

    def check_settings(self, algorithm: str, stop: object) -> None:
        """Refuse another algorithm than maximum likelihood where devices differ."""
        refuse_noise_by_row(self.perturbation, self.designed.attribute)
        refuse_unknown(self.perturbation, self.name)
        if algorithm != "default" or stop is not None:
            raise ParameterError.saying(
                "The devices of {attribute!r} differ, so its distribution is the most likely "
                "one; leave out algorithm and stop, or choose one arm.",
                attribute=self.name,
                field="algorithm",
            )


class SetDevices(DeviceCounter):
    """Counts reports that are sets of values, which have no cells."""

    statistic = WALD

    def _of_everybody(self) -> None:
        self._sets: dict[tuple[str, Perturbation], SetCounter] = {}

    def _part(self, arm: str, device: Perturbation) -> SetCounter:
        return self._sets.setdefault((arm, device), SetCounter(self.designed.attribute, device))

    def merge(self, other: DeviceCounter) -> None:
        super().merge(other)
        assert isinstance(other, SetDevices)  # noqa: S101 (it counts the same attribute)
        for key, reports in other._sets.items():  # noqa: SLF001 (of the same class)
            self._part(*key).merge(reports)

    def settle(self) -> None:
        self._sets = {key: self._sets[key] for key in sorted(self._sets, key=self._rank)}
        for counter in self._sets.values():
            counter.settle()

    def set_counters(self, *arms: str) -> tuple[SetCounter, ...]:
        if not self._sets:
            raise nothing_answered(self.name)
        return tuple(one for key, one in self._sets.items() if not arms or key[0] in arms)

    def has_answers(self, arm: str) -> bool:
        return any(one.total > 0 for key, one in self._sets.items() if key[0] == arm)

    def any_counted(self) -> CountedChannel:
        return SetCounter(self.designed.attribute, self.perturbation).cells()

    def equality(self, seed: int = 0) -> tuple[Test | None, tuple[str, ...]]:  # noqa: ARG002
        parts = [self.set_counters(arm) for arm in self._answered()]
        if len(parts) < 2:
            return None, ()
        test, is_enough = compare_parts(parts)
        return test, () if is_enough else (FEW_NAMED,)

    def _may_disagree(self) -> bool:
        return True

    def _own_shares(self) -> tuple[ArmShares, bool]:
        own = {arm: reconstruct_sets(self.set_counters(arm)).raw for arm in self._answered()}
        return ArmShares(own), True

    def _compare(self, named: Sequence[tuple[str, ...]], seed: int) -> SetTests:  # noqa: ARG002
        found, enough = [], []
        for names in named:
            pool = self.set_counters(*names)
            within, is_enough = compare_parts([self.set_counters(name) for name in names])
            shares = reconstruct_sets(pool)
            assert shares.standard_error is not None  # noqa: S101 (there is a confidence)
            found.append(ArmSet(names, shares.probability, shares.standard_error, within))
            enough.append(is_enough)
        between, is_enough = compare_parts([self.set_counters(*names) for names in named])
        remarks = () if all([*enough, is_enough]) else (FEW_NAMED,)
        return SetTests(tuple(found), between, WALD, remarks)

    def fit(self, pooling: str = LIKELIHOOD) -> tuple[Numbers, Numbers, bool]:  # noqa: ARG002
        found = reconstruct_sets(self.set_counters())
        assert found.covariance is not None  # noqa: S101 (there is a confidence)
        return found.raw, found.covariance, True

    def reconstruct(
        self,
        confidence: float | None,
        original: Numbers | None = None,
        algorithm: str = "default",
        stop: StopRule | None = None,
        pooling: str = LIKELIHOOD,  # noqa: ARG002
        arm: str | None = None,
    ) -> Reconstruction:
        if arm is not None:
            return reconstruct_sets(self.set_counters(arm), algorithm, stop, confidence, original)
        found = reconstruct_sets(self.set_counters(), algorithm, stop, confidence, original)
        return dataclasses.replace(found, missing=found.missing + self._without_device)

    def check_settings(self, algorithm: str, stop: object) -> None:
        """Nothing to refuse: sets are undone by their scores, which a mean of devices has too."""


def _fit(arms: Sequence[Arm], pooling: str) -> tuple[Numbers, Numbers, bool, float]:
    if pooling == MEAN:
        shares, covariance = mean_of_arms(arms)
        return shares, covariance, True, log_likelihood(arms, project(shares))
    fit = fit_shares(arms)
    return (fit.shares, *_covariance(fit), fit.log_likelihood)


def _covariance(fit: Shares) -> tuple[Numbers, bool]:
    """The inverse information with every share free to move, and whether there is one.

    Shares at 0 vary less than this says: intervals there are too wide rather than too narrow. Those
    that a device without distortion shows to be 0 are known, as they are in an arm by itself.
    """
    free = np.flatnonzero(~known_zeros(fit.arms, fit.shares))
    information = expected_information(fit.arms, fit.shares)[np.ix_(free, free)]
    covariance = np.zeros((len(fit.shares), len(fit.shares)))
    covariance[np.ix_(free, free)], is_known = invert_information(information)
    return covariance, is_known
