"""A P-matrix given cell by cell, also as the text of a spreadsheet or of a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Matrix
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design.matrices.base import MatrixPerturbation, check_matrix
from ppworkbench.core.design.perturbation import Perturbation, perturbations
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, refuse_unknown_field


@perturbations.register(
    "custom",
    "Custom matrix",
    short="Custom",
    rank=900,
    hint="any probabilities",
)
@dataclass(frozen=True)
class Custom(MatrixPerturbation):
    """Any matrix whose columns are distributions; rows are listed as the matrix is written.

    >>> Custom(((0.9, 0.2), (0.1, 0.8))).matrix(2)[:, 1].tolist()
    [0.2, 0.8]
    """

    rows: Annotated[
        tuple[tuple[float, ...], ...],
        Info("Matrix", "Rows of the transition matrix: reported answer; columns: true answer"),
    ]

    type_name: ClassVar[str] = "custom"

    def __post_init__(self) -> None:
        super().__post_init__()
        if len({len(row) for row in self.rows}) > 1:
            raise DesignError(
                "The rows of the transition matrix have different lengths.", field="matrix"
            )
        check_matrix(np.array(self.rows, dtype=np.float64))

    @classmethod
    def of(cls, matrix: NDArray[np.float64]) -> Self:
        return cls(tuple(tuple(row) for row in matrix.tolist()))

    def to_json(self) -> dict[str, Any]:
        result = super().to_json()
        result["matrix"] = result.pop("rows")
        return result

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        for name in given:
            refuse_unknown_field(name, ("named_design", "matrix"))
        if "matrix" not in given:
            raise ParameterError("The field 'matrix' is missing.", field="matrix")
        fields = dict(given)
        return super().from_json({"rows": fields.pop("matrix"), **fields})

    def check_k(self, k: int) -> None:
        if len(self.rows) != k:
            n = len(self.rows)
            raise DesignError.saying(
                "a {n} x {n} matrix does not fit {k} values.", n=n, k=k, field="matrix"
            )

    def build(self, k: int) -> Matrix:  # noqa: ARG002 (the matrix has its own size)
        return np.array(self.rows)

    @classmethod
    def start(cls, attribute: Attribute, before: Matrix | None = None) -> Perturbation:
        return cls.of(np.eye(attribute.k) if before is None else before)

    def summary(self) -> str:
        return Message("custom {count} x {count} matrix", count=len(self.rows))


class Orientation(StrEnum):
    """Which side of a matrix the true answers are on."""

    COLUMNS_ARE_TRUE = "columns"
    ROWS_ARE_TRUE = "rows"


def parse_matrix(
    text: str, orientation: Orientation, values: tuple[str, ...] | None = None
) -> Custom:
    r"""Read a matrix from text: a line a row, fields split by tab, semicolon, comma or blank.

    PRAM programs write the true answer in rows; then the matrix is transposed. A first line
    and a first column of names are passed over.

    >>> parse_matrix("0.9 0.1\n0.2 0.8", Orientation.ROWS_ARE_TRUE).matrix(2).tolist()
    [[0.9, 0.2], [0.1, 0.8]]
    """
    rows = [_fields(line) for line in text.splitlines() if line.strip()]
    if rows and _number(rows[0][-1]) is None:
        rows = rows[1:]
    if not rows:
        raise DesignError("There is no matrix in the text.", field="matrix")
    numbers = [_numbers(row, line) for line, row in enumerate(rows, 1)]
    if len({len(row) for row in numbers}) > 1:
        lengths = tuple(len(row) for row in numbers)
        raise DesignError.saying(
            "The rows of the matrix have {lengths} numbers.", lengths=lengths, field="matrix"
        )
    matrix = np.array(numbers)
    if orientation is Orientation.ROWS_ARE_TRUE:
        matrix = matrix.T
    check_matrix(matrix, values)
    return Custom.of(matrix)


def _fields(line: str) -> list[str]:
    for separator in ("\t", ";"):
        if separator in line:
            return [field.strip().strip('"') for field in line.split(separator)]
    if re.search(r",\s|,.*\.|\.\d*,", line) or (
        "," in line and "." not in line and " " not in line
    ):
        return [field.strip().strip('"') for field in line.split(",")]
    return [field.strip('"') for field in line.split()]


def _numbers(row: list[str], line: int) -> list[float]:
    numbers = [_number(field) for field in row]
    if numbers[0] is None:
        numbers, row = numbers[1:], row[1:]
    bad = next((field for field, n in zip(row, numbers, strict=True) if n is None), None)
    if bad is not None:
        raise DesignError.saying(
            "Row {line} of the matrix has {bad!r}, which is not a number.",
            line=line,
            bad=bad,
            field="matrix",
        )
    return [number for number in numbers if number is not None]


def _number(field: str) -> float | None:
    try:
        return float(field.replace(",", "."))
    except ValueError:
        return None
