"""Cells into which answers are counted: codes, equal steps, or given borders."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers, Places

NOWHERE = -1
"""The place of an answer that is missing or that no cell holds."""


class Cells(ABC):
    """A row of cells side by side."""

    @property
    @abstractmethod
    def count(self) -> int:
        """How many cells there are."""

    @abstractmethod
    def place(self, data: NDArray[Any]) -> Places:
        """The cell of every answer; :data:`NOWHERE` for one that is in none."""

    @property
    @abstractmethod
    def edges(self) -> Numbers | None:
        """The borders of the cells; None where cells are codes."""


@dataclass(frozen=True)
class CodeCells(Cells):
    """One cell per code of a categorical column."""

    k: int
    borders: tuple[float, ...] | None = None

    @property
    def count(self) -> int:
        return self.k

    def place(self, data: NDArray[Any]) -> Places:
        return data.astype(np.intp)

    @property
    def edges(self) -> Numbers | None:
        """The borders of the intervals that the codes stand for, if they do."""
        return None if self.borders is None else np.array(self.borders)


@dataclass(frozen=True)
class StepCells(Cells):
    """Cells of one width, on the numbers themselves or on their logarithms."""

    start: float
    width: float
    steps: int
    logarithmic: bool = False

    @property
    def count(self) -> int:
        return self.steps

    @property
    def edges(self) -> Numbers:
        edges = self.start + self.width * np.arange(self.steps + 1)
        return np.asarray(np.exp(edges) if self.logarithmic else edges)

    def place(self, data: NDArray[Any]) -> Places:
        """Count the steps from the start: no search, so a million numbers take milliseconds."""
        return self.locate(data)[0]

    def locate(self, data: NDArray[Any]) -> tuple[Places, Numbers]:
        """The cell of every number and the position within it, 0 to 1."""
        with np.errstate(invalid="ignore", divide="ignore"):
            position = np.log(data) if self.logarithmic else data
            position = position - self.start
            position *= 1 / self.width
            # Comparisons with NaN are false, which sends a missing number nowhere.
            if not (position.size and position.min() >= 0 and position.max() < self.steps):
                # A number on the last border belongs to the last cell.
                inside = (position >= -1e-9) & (position <= self.steps + 1e-9)
                position[~inside] = NOWHERE
        placed = position.astype(np.intp)
        np.minimum(placed, self.steps - 1, out=placed)
        position -= placed
        return placed, position


@dataclass(frozen=True, eq=False)
class EdgeCells(Cells):
    """Cells between given borders; the last one includes its upper border."""

    borders: Numbers

    @property
    def count(self) -> int:
        return len(self.borders) - 1

    @property
    def edges(self) -> Numbers:
        return self.borders

    def place(self, data: NDArray[Any]) -> Places:
        placed = np.searchsorted(self.borders, data, side="right") - 1
        placed[data == self.borders[-1]] = self.count - 1
        placed[(placed >= self.count) | np.isnan(data)] = NOWHERE
        return placed.astype(np.intp)
