"""What is found of the people who meet a condition, told once for every face of the program."""

from __future__ import annotations

import dataclasses
import math
import sys
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ppworkbench.core.message import Message
from ppworkbench.results.picture import Axis, Picture, interval_note, intervals
from ppworkbench.results.result import Result
from ppworkbench.results.sheet import Column, Kind, Sheet, bracket_note, estimate_columns
from ppworkbench.results.text import REPORTED, Naming, naming

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from ppworkbench.core.compliance.classes import Estimate as ClassEstimate
    from ppworkbench.core.data.attribute import Attribute
    from ppworkbench.core.data.table import Table
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.reconstruct.worst_case import Limits
    from ppworkbench.core.sampling.results import SampleSummary
    from ppworkbench.core.survey.arm_equality import ArmEquality
    from ppworkbench.core.survey.estimates import Estimate
    from ppworkbench.study.study import Study

Numbers = tuple[float | None, ...]
LabelledEstimates = Mapping[tuple[tuple[str, str], ...], "Estimate"]
"""Estimates under the attributes and values that they belong to."""
_MEASURED = ("estimate", "low", "high", "standard_error", "naive", "true")
"""Columns in the unit of what is estimated."""
_FEW, MOST_DECIMALS = 100, 6
"""Below so many respondents a count is shown with a decimal."""


def count_decimals(respondents: int) -> int:
    """With how many decimals counts are written: whole people, unless there are very few."""
    return 1 if respondents < _FEW else 0


def number_decimals(attribute: Attribute) -> int:
    """With how many decimals means are written: three digits of the range count."""
    width = attribute.width
    return min(max(0, 2 - math.floor(math.log10(width))), MOST_DECIMALS) if width > 0 else 2


def ratio_decimals(value: float) -> int:
    """With how many decimals a ratio is written: four digits count.

    >>> ratio_decimals(0.8370), ratio_decimals(123.4)
    (4, 1)
    """
    if not math.isfinite(value) or value == 0:
        return 3
    return min(max(0, 3 - math.floor(math.log10(abs(value)))), MOST_DECIMALS)


def is_number(given: object) -> bool:
    """Whether it is a number that can be shown, or none at all."""
    if isinstance(given, bool) or not isinstance(given, int | float | None):
        return False
    # A file may hold whole numbers that are too long to be compared as others are.
    return given is None or abs(given) <= sys.float_info.max


def finite_numbers(*numbers: float | None) -> Numbers:
    """Numbers as they are kept: those that cannot be shown are none."""
    return tuple(float(n) if n is not None and is_number(n) else None for n in numbers)


@dataclass(frozen=True, eq=False)
class ArmEstimates:
    """The statistic of every arm by itself, and whether all are the same."""

    results: Mapping[str, Any]
    equality: ArmEquality | None

    def to_json(self) -> dict[str, Any]:
        """What the result of the whole is given in addition."""
        return {
            "arms": {name: found.to_json() for name, found in self.results.items()},
            "equality": None if self.equality is None else self.equality.to_json(),
        }


@dataclass(frozen=True, eq=False, repr=False)
class SurveyResult(Result):
    """A statistic of a survey; ``found`` holds the numbers in full detail.

    Parameters
    ----------
    found
        The result as the library has it.
    design
        The design of the answers, which knows what people call the attributes.
    apart
        Every arm by itself, where that was asked for.
    """

    request: Any
    found: Any
    design: Design
    apart: ArmEstimates | None = None
    state = REPORTED

    @property
    def remarks(self) -> tuple[str, ...]:
        """What must be known to read the numbers, one sentence each."""
        return tuple(map(str, self.found.remarks))

    @property
    def shown(self) -> Naming:
        """What people call the attributes."""
        return naming(one.attribute for one in self.design)

    @property
    def parts(self) -> list[tuple[str, Any]]:
        """The whole, and every arm by itself where that was asked for."""
        return [("", self.found), *({} if self.apart is None else self.apart.results).items()]

    def sentence(self) -> str:
        found: str = self.found.sentence
        return found

    def readings(self) -> tuple[str, ...]:
        contents = self.contents
        said: list[str] = [] if contents is None else [contents]
        if self.apart is not None and self.apart.equality is not None:
            said.append(self.apart.equality.sentence)
        elif self.apart is not None and len(self.apart.results) == 1:
            (arm,) = self.apart.results
            said.append(
                Message(
                    "Only the arm {arm} asks for this, so there is nothing to compare.", arm=arm
                )
            )
        elif self.apart is not None:
            said.append(
                Message("The errors of these estimates allow no test that all arms are equal.")
            )
        return tuple(said)

    def arms_pictures(self) -> tuple[Picture, ...]:
        """Every number of every arm with its interval, the same ones together."""
        if self.apart is None:
            return ()
        arms = {arm: self.of(found) for arm, found in self.apart.results.items()}
        told = {arm: one.arm_estimates() for arm, one in arms.items()}
        rows = []
        for label in next(iter(told.values()), {}):
            values = tuple(value for _, value in label)
            for arm, estimates in told.items():
                n = getattr(arms[arm].found, "respondents", 0)
                alone = Message("{arm} (n = {n:,})", arm=arm, n=n)
                name = Message("{values}: {arm}", values=values, arm=arm) if values else alone
                rows.append((name, estimates[label]))
        labels, numbers = [name for name, _ in rows], [one for _, one in rows]
        axis = Axis(Message("share"), kind=Kind.SHARE)
        if not self.request.is_share:
            axis = Axis(Message.of(self.shown(self.found.of)))
        return (intervals("arms", Message("By arm"), axis, labels, numbers, note=self.note()),)

    def note(self) -> Message:
        """What a picture says of its people and of its bars, which need not be confidence."""
        n, confidence = self._interviewed()
        if self._method is None:
            return interval_note(n, confidence)
        return Message("n = {n:,}; bars are {method}.", n=n, method=self._method)

    def picture(self, name: str = "") -> Picture:
        """As it leaves the program, with what the intervals include."""
        drawn = super().picture(name)
        note = Message.joined([one for one in (drawn.note, self.contents) if one])
        return dataclasses.replace(drawn, note=note)

    def table_note(self) -> Message:
        n, confidence = self._interviewed()
        if self._method is None:
            said = bracket_note(n, confidence)
        else:
            said = Message("n = {n:,}; in brackets {method}.", n=n, method=self._method)
        return Message.joined([said, *filter(None, [self.contents])])

    def tables(self) -> tuple[Sheet, ...]:
        return tuple(one.in_unit(self.unit_of, *_MEASURED) for one in super().tables())

    def _interviewed(self) -> tuple[int, float]:
        """How many answered, and the confidence of the intervals."""
        found = self.found
        n = getattr(found, "respondents", None)
        if n is None:
            n = found.n if self.sample is None else self.sample.n
        return int(n), float(found.confidence)

    @property
    def _method(self) -> Message | None:
        """What the intervals are where they are no confidence intervals."""
        limits = getattr(self.found, "limits", None)
        assumption = getattr(self.found if limits is None else limits, "assumption", None)
        return None if assumption is None else assumption.method

    def _document(self) -> Mapping[str, Any]:
        document: dict[str, Any] = self.found.to_json()
        return document if self.apart is None else document | self.apart.to_json()

    # What a study, a paper and the window want to know of it

    def of(self, found: Any) -> Self:
        """The same told of other answers: of an arm, by another method, of other people."""
        return dataclasses.replace(self, found=found, apart=None)

    @property
    def is_share(self) -> bool:
        """Whether its estimates are shares, which windows write as percentages."""
        return bool(self.request.is_share)

    def decimals(self) -> int:
        """With how many decimals its estimates are written, where they are no shares."""
        return number_decimals(self.design[self.found.of].attribute)

    @property
    def unit_of(self) -> str:
        """The unit of its estimates; empty for shares, numbers of people and ratios."""
        return ""

    def asked(self) -> Any:
        """The request as it was carried out, which scripts ask again."""
        return self.request

    @property
    def number(self) -> Estimate | None:
        """The one number; None where there are several."""
        return None

    def figure(self, name: str) -> Estimate | ClassEstimate | None:  # noqa: ARG002
        """A number as publications call it; None where there is none of that name."""
        return None

    @property
    def limits(self) -> Limits | None:
        return None

    @property
    def sample(self) -> SampleSummary | None:
        """Whom it is about; None where nothing is said about the sampling."""
        sample: SampleSummary | None = getattr(self.found, "sample", None)
        return sample

    @property
    def contents(self) -> Message | None:
        """Which errors the intervals include and leave out: of the sample, else of the device."""
        from ppworkbench.core.survey.sampled import stated_contents

        # Correlations and regressions are of other kinds, and know it themselves.
        contents = getattr(self.found, "contents", None) or stated_contents(self.found)
        return None if contents is None else contents.sentence

    @property
    def bounds_remark(self) -> Message | None:
        """What an interval by worst-case bounds rests on; None for others."""
        from ppworkbench.core.reconstruct.worst_case import WORST_CASE

        if self.limits is None or self.sample is not None:
            # Under a sampling a remark of the result says so.
            return None
        method = self.limits.assumption.method
        return Message("The interval comes from {method}.", code=WORST_CASE, method=method)

    def arm_estimates(self) -> LabelledEstimates:
        """Numbers that arms are compared by; counts as shares, for arms differ in size."""
        return {}

    def people_by_arm(self) -> Mapping[str, int]:
        """How many people answered in each arm, where a form of its own tells it."""
        return {}

    def kept(self) -> tuple[Numbers, int]:
        """The numbers for the list of what was asked, and with how many decimals."""
        return (), 0

    def headline(self, study: Study) -> str:  # noqa: ARG002
        """The answer as a sentence, where that is not the one of the result."""
        return ""

    def described(self, whom: str) -> Message:  # noqa: ARG002
        """What was estimated of whom, as the beginning of a sentence."""
        return Message("")

    def told_numbers(self) -> tuple[str, ...]:
        """What the methods section says of the numbers."""
        return (Message.of(self.found.sentence),)

    def own_methods(self, study: Study) -> tuple[str, ...]:  # noqa: ARG002
        """A methods section of its own; empty where that of all estimates serves."""
        return ()

    def file_sheets(self, reported: Table) -> tuple[Sheet, ...]:  # noqa: ARG002
        """What goes to a clipboard and into files."""
        return self.tables()

    def find_true(self, study: Study, original: Table) -> NDArray[np.bool_] | None:  # noqa: ARG002
        """For every listed record whether its true answers meet the condition."""
        return None

    def write(self, path: Path, study: Study, table: Table, **how: Any) -> bool:  # noqa: ARG002
        """Write it in a form of its own, below a note, which may be empty.

        False where its sheets are all there is to write.
        """
        return False


class EstimatesResult(SurveyResult):
    """A statistic of one or several estimates, each with its interval."""

    @abstractmethod
    def labels(self) -> tuple[tuple[str, Message], ...]:
        """Keys and heads of the columns that tell which number a row holds."""

    @abstractmethod
    def rows(self, found: Any) -> Iterable[tuple[tuple[str, ...], Estimate]]:
        """The numbers of the whole or of an arm, with what tells them apart."""

    def sheets(self) -> tuple[Sheet, ...]:
        """A row for each number, with a column ``arm`` where every arm is told by itself."""
        return (self.sheet_of(self.request.name, self.rows),)

    def sheet_of(self, name: str, rows: Rows) -> Sheet:
        """A sheet of estimates, of the whole and of the arms."""
        told = [(arm, *row) for arm, found in self.parts for row in rows(found)]
        columns = estimate_columns([value for _, _, value in told])
        heads = self.labels()
        for place, (key, head) in reversed(list(enumerate(heads))):
            texts = [labels[place] for _, labels, _ in told]
            columns = (Column(key, head, Kind.TEXT, texts), *columns)
        if self.apart is not None:
            arms = [arm for arm, _, _ in told]
            named = Column("arm", Message("arm"), Kind.TEXT, arms, blank=Message("all"))
            columns = (named, *columns)
        return Sheet(name, self.request.label, columns)


Rows = Callable[[Any], "Iterable[tuple[tuple[str, ...], Estimate]]"]


class NumberResult(EstimatesResult):
    def labels(self) -> tuple[tuple[str, Message], ...]:
        return (("statistic", Message("statistic")),)

    @abstractmethod
    def value_of(self, found: Any) -> Estimate:
        """The number of the whole or of an arm."""

    @abstractmethod
    def measured(self) -> Message:
        """What the number is, for an axis."""

    unit: ClassVar[str] = ""
    scale: ClassVar[float] = 1.0
    """By what the number is multiplied to be told in its unit."""

    @property
    def _value(self) -> Estimate:
        return self.value_of(self.found)

    number = _value

    @property
    def limits(self) -> Limits | None:
        limits: Limits | None = self.found.limits
        return limits

    def figure(self, name: str) -> Estimate | ClassEstimate | None:  # noqa: ARG002
        return self._value

    def arm_estimates(self) -> LabelledEstimates:
        return {(): self._value}

    def kept(self) -> tuple[Numbers, int]:
        value = self.found.value
        ends = (value.low, value.high) if self._has_interval(value) else (None, None)
        told = finite_numbers(value.estimate, *ends, value.naive, value.true)
        return told, self.decimals()

    def _has_interval(self, value: Estimate) -> bool:
        return bool(self.request.has_valid_interval) and math.isfinite(value.standard_error)

    def told_numbers(self) -> tuple[str, ...]:
        if self.limits is not None and self.limits.says_nothing:
            return (Message.of(self.found.sentence),)
        sample = None if self.sample is None else self.sample.sentence
        told = (self._in_methods(), self.bounds_remark, sample)
        return tuple(one for one in told if one is not None)

    def _in_methods(self) -> Message:
        value, scale = self._value, self.scale
        estimate = value.estimate * scale
        if not self._has_interval(value):
            return Message(
                "The estimate is {estimate:.1f}{unit}.", estimate=estimate, unit=self.unit
            )
        return Message(
            "The estimate is {estimate:.1f}{unit} ({level:.0f} % CI {low:.1f} to {high:.1f}).",
            estimate=estimate,
            unit=self.unit,
            level=100 * self.found.confidence,
            low=value.low * scale,
            high=value.high * scale,
        )

    @property
    def estimate(self) -> float:
        return self._value.estimate

    @property
    def low(self) -> float:
        """The lower end of its interval."""
        return self._value.low

    @property
    def high(self) -> float:
        """The upper end of its interval."""
        return self._value.high

    @property
    def standard_error(self) -> float:
        """Its standard error; infinite where nothing is known of it."""
        return self._value.standard_error

    def pictures(self) -> tuple[Picture, ...]:
        labels = [arm or str(Message("all")) for arm, _ in self.parts]
        values = [self.value_of(found) for _, found in self.parts]
        label, axis = self.request.label, Axis(self.measured())
        return (intervals(self.request.name, label, axis, labels, values, note=self.note()),)


def among(what: Message, whom: str) -> Message:
    """What was estimated, and of whom where not of everybody."""
    return Message("{what} among those with {whom}", what=what, whom=whom) if whom else what
