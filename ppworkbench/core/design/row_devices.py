"""Devices that are not one known matrix: they differ from row to row, or a parameter is unknown.

They come with files of answers that were collected so. Only an analysis that looks at every row, or
that estimates the parameter, can undo them; all others are told so when they ask for the matrix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.channels import ValueChannel
from ppworkbench.core.design.matrices.base import MatrixPerturbation
from ppworkbench.core.design.matrices.binary import Binary
from ppworkbench.core.design.perturbation import (
    CATEGORICAL,
    Cases,
    Perturbation,
    read_perturbation,
    row_devices,
)
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Within
from ppworkbench.core.rng import Stream

UNKNOWN = "unknown"
_ROUNDING = 1e-6
"""By so much may probabilities in a file leave the possible."""


def refuse_noise_by_row(perturbation: Perturbation, attribute: Attribute) -> None:
    if perturbation.columns and not attribute.kind.is_categorical:
        raise DesignError.saying(
            "The arms randomise the number {attribute!r} in different ways, so it is estimated "
            "in one arm at a time; choose an arm.",
            attribute=attribute.name,
            field="arms",
        )


def refuse_unknown(perturbation: Perturbation, name: str) -> None:
    """Refuse a device with a parameter that has to be estimated."""
    if perturbation.unknown:
        raise DesignError.saying(
            "The device of {attribute!r} has an unknown parameter, which only regression and "
            "compliance estimate.",
            attribute=name,
            field="perturbation",
        )


class RowDevice(Perturbation, ValueChannel):
    """A device that undistorted columns of the same row decide about."""

    def matrix(self, k: int) -> Numbers:  # noqa: ARG002
        columns = ", ".join(map(repr, self.columns))
        raise DesignError.saying(
            "This device differs from row to row by {columns}, so there is no one transition "
            "matrix; regression, reconstruction and the survey's joint estimates can use it.",
            columns=columns,
            field="type",
        )

    def distort(self, data: NDArray[Any], attribute: Attribute, stream: Stream) -> NDArray[Any]:  # noqa: ARG002
        raise self._not_by_itself(attribute)

    def _not_by_itself(self, attribute: Attribute) -> DesignError:
        return DesignError.saying(
            "The device of {attribute!r} differs from row to row, so it only serves answers "
            "that were already randomised by it.",
            attribute=attribute.name,
            field="type",
        )

    def summary(self) -> str:
        return Message("differs by {columns}", columns=", ".join(self.columns))


@row_devices.register("by", "By a column")
@dataclass(frozen=True)
class ByColumn(RowDevice):
    """Another device for every value of a column, such as the version of a questionnaire."""

    column: str
    cases: tuple[tuple[str, Perturbation], ...]

    type_name: ClassVar[str] = "by"
    kinds: ClassVar[frozenset[Kind]] = CATEGORICAL

    def __post_init__(self) -> None:
        """Fields are checked where they are read: they are no plain parameters."""

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    def check(self, attribute: Attribute) -> None:
        super().check(attribute)
        for _, device in self.cases:
            device.check(attribute)
        if len({device.distorted(attribute) for _, device in self.cases}) > 1:
            raise DesignError.saying(
                "The devices of {attribute!r} must publish the same kind of answers for every "
                "value of {column!r}.",
                column=self.column,
                attribute=attribute.name,
                field="cases",
            )

    def distorted(self, attribute: Attribute) -> Attribute:
        return self.cases[0][1].distorted(attribute)

    @property
    def reports_sets(self) -> bool:
        return any(device.reports_sets for _, device in self.cases)

    def why_not_single(self, attribute: Attribute) -> Message | None:
        reasons = (device.why_not_single(attribute) for _, device in self.cases)
        return next(filter(None, reasons), None)

    @property
    def unknown(self) -> str:
        return next((device.unknown for _, device in self.cases if device.unknown), "")

    def cases_of(
        self, data: Mapping[str, NDArray[Any]], attributes: Mapping[str, Attribute], name: str
    ) -> Cases:
        values = attributes[self.column].values
        listed = [value for value, _ in self.cases]
        place = np.array([listed.index(one) if one in listed else -1 for one in values], np.intp)
        codes = place[data[self.column]]
        if (codes < 0).any():
            lacking = codes < 0
            value = values[int(data[self.column][int(np.argmax(lacking))])]
            raise DataError.saying(
                "{count:,} rows have {value!r} in {column!r}, for which {attribute!r} has no "
                "device; add one to the design, or leave these rows out.",
                count=int(lacking.sum()),
                value=value,
                column=self.column,
                attribute=name,
            )
        return Cases(codes, tuple(device for _, device in self.cases), tuple(listed))

    def to_json(self) -> dict[str, Any]:
        cases = {value: device.to_json() for value, device in self.cases}
        return {"type": self.type_name, "column": self.column, "cases": cases}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        column, cases = given.get("column"), given.get("cases")
        if set(given) - {"column", "cases"} or not isinstance(column, str) or not column:
            raise DesignError(
                "A device by a column has the fields 'column', a name, and 'cases'.",
                field="column",
            )
        if not isinstance(cases, Mapping) or not cases:
            raise DesignError(
                "The field 'cases' must be an object with a mechanism for every value.",
                field="cases",
            )
        found = []
        for value, one in cases.items():
            if not isinstance(one, Mapping) or one.get("type") in ("by", "rows"):
                raise DesignError.saying(
                    "The case {value!r} must be an ordinary mechanism.", value=value, field="cases"
                )
            found.append((value, read_perturbation(one, str(value))))
        return cls(column, tuple(found))


@row_devices.register("rows", "By probabilities in columns")
@dataclass(frozen=True)
class ByProbabilities(RowDevice):
    """Two answers, the second reported with ``c + d`` times its share; c and d stand in columns."""

    c: Annotated[str, Info("c", "Column with the share of those without the trait who report it")]
    d: Annotated[str, Info("d", "Column with what having the trait adds to that share")]

    type_name: ClassVar[str] = "rows"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.BINARY})

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.c, self.d)

    def cases_of(
        self,
        data: Mapping[str, NDArray[Any]],
        attributes: Mapping[str, Attribute],
        name: str,
    ) -> Cases:
        numbers = [one for one in self.columns if attributes[one].kind.is_categorical]
        if numbers:
            raise DesignError(
                Message(
                    "{column!r} holds probabilities for {attribute!r}, so it must be a number.",
                    column=numbers[0],
                    attribute=name,
                ),
                attribute=numbers[0],
                field="kind",
            )
        pairs = np.column_stack([data[one] for one in self.columns])
        met, codes = np.unique(pairs, axis=0, return_inverse=True)
        ends = np.column_stack([met[:, 0], met.sum(axis=1)])
        wrong = (ends < -_ROUNDING) | (ends > 1 + _ROUNDING)
        if wrong.any():
            c, d = met[int(np.argmax(wrong.any(axis=1)))]
            raise DataError.saying(
                "{attribute!r} is reported with {c:g} + {d:g} times its share in some rows; "
                "c and c + d must lie between 0 and 1.",
                c=c,
                d=d,
                attribute=name,
            )
        ends = np.clip(ends, 0.0, 1.0)
        devices = tuple(
            Binary(keep_one=float(high), keep_zero=float(1 - low)) for low, high in ends
        )
        names = tuple(f"{c:g} + {d:g}·x" for c, d in met)
        return Cases(np.asarray(codes, np.intp).reshape(-1), devices, names)


@row_devices.register("lie-detector", "Stochastic lie detector")
@dataclass(frozen=True)
class LieDetector(MatrixPerturbation):
    """Who has the trait (the second value) is to say so; who has not denies it with p.

    ``honest`` is the share of those with the trait who do say so; None where it is to be estimated
    (Moshagen, Musch and Erdfelder 2012, A stochastic lie detector, *Behavior Research Methods* 44).

    >>> LieDetector(p=0.25, honest=0.9).matrix(2).round(2).tolist()
    [[0.25, 0.1], [0.75, 0.9]]
    """

    p: Annotated[float, Within(0, 1), Info("p", "Probability that a true no is reported")] = 0.5
    honest: Annotated[
        float | None, Within(0, 1), Info("Honest", "Share of true yes that are reported")
    ] = 1.0

    type_name: ClassVar[str] = "lie-detector"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.BINARY})

    @property
    def unknown(self) -> str:
        """``honest``, unless it is given."""
        return "honest" if self.honest is None else ""

    @property
    def simplest(self) -> Perturbation:
        """A type of its own only where honesty is unknown; else two probabilities tell it all."""
        if self.honest is None:
            return self
        return Binary(keep_one=self.honest, keep_zero=self.p)

    def build(self, k: int) -> Numbers:
        if self.honest is None:
            raise DesignError(
                "How many are honest is unknown, so there is no transition matrix; only regression "
                "and compliance estimate it.",
                field="honest",
            )
        known, slope = _parts_of(self.p)
        del k
        return known + self.honest * slope

    def matrix_parts(self, k: int) -> tuple[Numbers, Numbers | None]:
        return (self.matrix(k), None) if self.honest is not None else _parts_of(self.p)

    def summary(self) -> str:
        if self.honest is None:
            return Message("lie detector, p {p:.3g}, honesty unknown", p=self.p)
        return Message("lie detector, p {p:.3g}, honest {honest:.3g}", p=self.p, honest=self.honest)

    def to_json(self) -> dict[str, Any]:
        return super().to_json() | ({"honest": UNKNOWN} if self.honest is None else {})

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        fields = dict(given)
        if fields.get("honest") == UNKNOWN:
            fields["honest"] = None
        return super().from_json(fields)


def _parts_of(p: float) -> tuple[Numbers, Numbers]:
    return np.array([[p, 1.0], [1 - p, 0.0]]), np.array([[0.0, -1.0], [0.0, 1.0]])
