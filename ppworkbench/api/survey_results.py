"""What a survey answers: estimates with intervals, for people, programs, notebooks and pictures."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ppworkbench.api.pictures import draw_bars, draw_intervals, draw_table
from ppworkbench.core.message import titled
from ppworkbench.results.result import Result
from ppworkbench.results.text import (
    REPORTED,
    Naming,
    aligned,
    harmless,
    naming,
    note_lines,
    short_number,
    short_p,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from ppworkbench.analyses.survey.answers import ArmEstimates
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.survey import (
        Count,
        CrossTable,
        Distribution,
        Estimate,
        GroupDifferences,
        Mean,
        Participants,
        Ratio,
    )

HEADS = ("estimate", "low", "high", "standard error", "uncorrected", "true")
_NUMBERS = ("estimate", "low", "high", "standard_error", "naive")


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

    found: Any
    design: Design
    apart: ArmEstimates | None = None
    state = REPORTED

    @property
    def remarks(self) -> tuple[str, ...]:
        """What must be known to read the numbers, one sentence each."""
        return tuple(map(str, self.found.remarks))

    def _document(self) -> Mapping[str, Any]:
        told: dict[str, Any] = self.found.to_json()
        return told if self.apart is None else told | self.apart.to_json()

    @property
    def _shown(self) -> Naming:
        return naming(one.attribute for one in self.design)

    @property
    def _sentence(self) -> str:
        told: str = self.found.sentence
        return told

    def _told(self, *tables: str) -> str:
        """A result for people: its sentence, its numbers, what its intervals mean, remarks."""
        from ppworkbench.core.survey.sampled import stated_contents

        found = self.found
        said = harmless(titled(self._sentence, self._shown))
        contents = stated_contents(found)
        told = [said, *tables, "" if contents is None else contents.sentence]
        told.append("\n".join(note_lines(found.remarks, self._shown)))
        return "\n\n".join(part for part in told if part)


class EstimateResult(SurveyResult):
    """A statistic of one or several estimates, each with its interval."""

    _labels: ClassVar[tuple[str, ...]] = ("statistic",)
    """The columns of the tidy table that tell which number a row holds."""

    @classmethod
    @abstractmethod
    def _rows(cls, found: Any) -> Iterable[tuple[tuple[str, ...], Estimate]]:
        """The numbers of a result with what tells them apart."""

    def summary(self) -> str:
        """The result for people, as the command line prints it."""
        text = self._told(_number_table(self._named_rows(self.found)))
        if self.apart is None:
            return text
        rows = [
            (f"{arm}: {label}", value)
            for arm, one in self.apart.results.items()
            for label, value in self._named_rows(one)
        ]
        told = [text, "By arm\n" + _number_table(rows)]
        if self.apart.equality is not None:
            told.append(self.apart.equality.sentence)
        elif len(self.apart.results) > 1:
            told.append("The errors of these estimates allow no test that all arms are equal.")
        return "\n\n".join(told)

    def _named_rows(self, found: Any) -> list[tuple[str, Estimate]]:
        return [(" | ".join(labels), value) for labels, value in self._rows(found)]

    def to_frame(self) -> pd.DataFrame:
        """One row per estimate, with a column ``arm`` where every arm is told by itself."""
        import pandas as pd

        rows = [self._row(labels, value) for labels, value in self._rows(self.found)]
        if self.apart is not None:
            rows = [{"arm": ""} | row for row in rows]
            rows += [
                {"arm": arm} | self._row(labels, value)
                for arm, one in self.apart.results.items()
                for labels, value in self._rows(one)
            ]
        return pd.DataFrame(rows)

    def _row(self, labels: Sequence[str], value: Estimate) -> dict[str, Any]:
        row: dict[str, Any] = dict(zip(self._labels, labels, strict=True))
        row |= {name: getattr(value, name) for name in _NUMBERS}
        return row if value.true is None else row | {"true": value.true}

    def _draw(self, axes: Axes) -> None:
        rows = self._named_rows(self.found)
        if self.apart is not None:
            rows += [
                (f"{arm}: {label}", value)
                for arm, one in self.apart.results.items()
                for label, value in self._named_rows(one)
            ]
        draw_intervals(axes, [label for label, _ in rows], [value for _, value in rows])


class HasValue(ABC):
    """A result that is one number."""

    @property
    @abstractmethod
    def _value(self) -> Estimate:
        """The number with its interval."""

    @property
    def estimate(self) -> float:
        """The number itself."""
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


class SingleResult(HasValue, EstimateResult):
    """A statistic that is one number."""

    @property
    def _value(self) -> Estimate:
        value: Estimate = self.found.value
        return value

    def _draw(self, axes: Axes) -> None:
        # Numbers and shares of the same result have scales that do not go together.
        labels, values = ["all"], [self._value]
        if self.apart is not None:
            for arm, one in self.apart.results.items():
                labels.append(arm)
                values.append(self._of_arm(one))
        draw_intervals(axes, labels, values)
        axes.set_xlabel(self._measured())

    def _measured(self) -> str:
        """What the number is, for an axis."""
        return "people"

    def _of_arm(self, found: Any) -> Estimate:
        value: Estimate = found.value
        return value


class CountResult(SingleResult):
    """How many people meet a condition."""

    @classmethod
    def _rows(cls, found: Count) -> list[tuple[tuple[str, ...], Estimate]]:
        return [(("count",), found.value), (("share",), found.share)]


class ShareResult(CountResult):
    """Which share of people meet a condition; the document has their number beside it."""

    def _document(self) -> Mapping[str, Any]:
        count: dict[str, Any] = self.found.value.to_json()
        shared = {name: one for name, one in super()._document().items() if name not in count}
        return {**self.found.share.to_json(), **shared, "count": count}

    @property
    def _value(self) -> Estimate:
        return self._of_arm(self.found)

    @property
    def _sentence(self) -> str:
        told: str = self.found.share_sentence
        return told

    def _of_arm(self, found: Any) -> Estimate:
        share: Estimate = found.share
        return share

    def _measured(self) -> str:
        return "share"

    def to_frame(self) -> pd.DataFrame:
        """The share, with a column ``arm`` where every arm is told by itself."""
        import pandas as pd

        rows = [self._row(("share",), self._value)]
        if self.apart is not None:
            rows = [{"arm": ""} | rows[0]]
            rows += [
                {"arm": arm} | self._row(("share",), self._of_arm(one))
                for arm, one in self.apart.results.items()
            ]
        return pd.DataFrame(rows)


class MeanResult(SingleResult):
    """The mean of a number."""

    @classmethod
    def _rows(cls, found: Mean) -> list[tuple[tuple[str, ...], Estimate]]:
        totals = [] if found.total is None else [(("total",), found.total)]
        return [(("mean",), found.value), *totals]

    def _measured(self) -> str:
        return f"mean of {self._shown(self.found.of)}"


class RatioResult(SingleResult):
    """The total of a number divided by that of another."""

    @classmethod
    def _rows(cls, found: Ratio) -> list[tuple[tuple[str, ...], Estimate]]:
        return [(("ratio",), found.value)]

    def _measured(self) -> str:
        return f"{self._shown(self.found.of)} / {self._shown(self.found.by)}"


class DistributionResult(EstimateResult):
    """How the answers to an attribute are distributed."""

    _labels: ClassVar[tuple[str, ...]] = ("value",)

    @classmethod
    def _rows(cls, found: Distribution) -> list[tuple[tuple[str, ...], Estimate]]:
        return [((label,), one) for label, one in zip(found.labels, found.shares, strict=True)]

    def _draw(self, axes: Axes) -> None:
        draw_bars(axes, self.found.labels, self.found.shares)
        axes.set_xlabel(self._shown(self.found.of))


@dataclass(frozen=True, eq=False, repr=False)
class AnswerShareResult(HasValue, DistributionResult):
    """The share of one answer among people who meet a condition.

    The document has the distribution which it is a part of beside it.
    """

    value: str = ""

    def _document(self) -> Mapping[str, Any]:
        return {**self._value.to_json(), "value": self.value, **super()._document()}

    @property
    def _value(self) -> Estimate:
        place = self.found.labels.index(self.value)
        one: Estimate = self.found.shares[place]
        return one

    def to_frame(self) -> pd.DataFrame:
        """The share of the answer, in one row."""
        import pandas as pd

        return pd.DataFrame([self._row((self.value,), self._value)])


class TableResult(EstimateResult):
    """The cross table of two attributes: numbers of people who give both answers."""

    _labels: ClassVar[tuple[str, ...]] = ("row", "column")

    @classmethod
    def _rows(cls, found: CrossTable) -> list[tuple[tuple[str, ...], Estimate]]:
        return [
            ((row, column), found.cells[i][j])
            for i, row in enumerate(found.row_labels)
            for j, column in enumerate(found.column_labels)
        ]

    def _draw(self, axes: Axes) -> None:
        found: CrossTable = self.found
        counts = [[cell.estimate for cell in row] for row in found.cells]
        draw_table(axes, found.row_labels, found.column_labels, counts)
        axes.set_ylabel(self._shown(found.rows_of))
        axes.set_xlabel(self._shown(found.columns_of))


class ComparisonResult(SurveyResult):
    """A mean or a share in groups, and the differences between these."""

    def summary(self) -> str:
        """The result for people, as the command line prints it."""
        found: GroupDifferences = self.found
        heads = ["estimate", "low", "high", "standard error"]
        groups = [
            [
                label, f"{people:,}",
                *(["-"] * len(heads) if value is None else _numbers(value)[: len(heads)]),
            ]
            for label, people, value in zip(found.labels, found.people, found.groups, strict=True)
        ]  # fmt: skip
        listed = aligned(["group", "people", *heads], groups, right=["people", *heads])
        if not found.differences:
            return self._told(listed)
        more = [*heads, "p", "p (Holm)"]
        rows = []
        for one in found.differences:
            numbers = (one.estimate, one.low, one.high, one.standard_error)
            cells = [*map(short_number, numbers), short_p(one.p), short_p(one.p_holm)]
            rows.append([f"{one.a} - {one.b}", *cells])
        return self._told(listed, aligned(["difference", *more], rows, right=more))

    def to_frame(self) -> pd.DataFrame:
        """One row per difference between two groups; :meth:`groups` has the groups."""
        import pandas as pd

        return pd.DataFrame([one.to_json() for one in self.found.differences])

    def groups(self) -> pd.DataFrame:
        """One row per group; empty numbers where by the estimate nobody is a member."""
        import pandas as pd

        pairs = zip(self.found.labels, self.found.groups, strict=True)
        rows = [
            {"group": label} | {name: getattr(value, name, math.nan) for name in _NUMBERS}
            for label, value in pairs
        ]
        return pd.DataFrame(rows)

    def _draw(self, axes: Axes) -> None:
        pairs = zip(self.found.labels, self.found.groups, strict=True)
        known = [(label, value) for label, value in pairs if value is not None]
        draw_intervals(axes, [label for label, _ in known], [value for _, value in known])
        axes.set_ylabel(self._shown(self.found.by))
        axes.set_xlabel(self._shown(self.found.of))


class ParticipantsResult(SurveyResult):
    """Who probably meets a condition; rows are counted from 0."""

    def summary(self) -> str:
        """The result for people, as the command line prints it."""
        found: Participants = self.found
        pairs = zip(found.rows.tolist(), found.posterior.tolist(), strict=True)
        rows = [[row, f"{probability:.4f}"] for row, probability in pairs]
        heads = ["row (from 0)", "probability"]
        listed = aligned(heads, rows, right=heads) if rows else ""
        said = [found.sentence, found.count.sentence]
        told = [*(harmless(titled(one, self._shown)) for one in said), listed]
        told.append("\n".join(note_lines(found.remarks, self._shown)))
        return "\n\n".join(part for part in told if part)

    def to_frame(self) -> pd.DataFrame:
        """One row per listed record: its number and the probability that it meets the condition."""
        import pandas as pd

        return pd.DataFrame({"row": self.found.rows, "probability": self.found.posterior})


def _number_table(listed: Sequence[tuple[str, Estimate]]) -> str:
    heads = [head for head in HEADS if head != "true" or listed[0][1].true is not None]
    cells = [[name, *_numbers(value)][: len(heads) + 1] for name, value in listed]
    return aligned(["", *heads], cells, right=heads)


def _numbers(value: Estimate) -> list[str]:
    given = (
        value.estimate, value.low, value.high, value.standard_error, value.naive, value.true
    )  # fmt: skip
    return [short_number(number) for number in given]
