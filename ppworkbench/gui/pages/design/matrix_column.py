"""One column of a P-matrix: editing a cell of it, and reading it out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from ppworkbench.core.design import Perturbation
from ppworkbench.gui.pages.design.matrix_ink import short_probability
from ppworkbench.gui.words import number
from ppworkbench.gui.words import percent as whole_percent

Vector = NDArray[np.float64]


def edited_column(column: Vector, row: int, value: float, locked: set[int]) -> Vector | None:
    """The column with one cell set and the unlocked others rescaled to sum 1.

    None when the locked cells leave no room.

    >>> edited_column(np.array([0.5, 0.3, 0.2]), 0, 0.7, set()).round(2).tolist()
    [0.7, 0.18, 0.12]
    """
    fixed = sorted(locked - {row})
    free = [i for i in range(len(column)) if i != row and i not in locked]
    result = column.copy()
    result[row] = value
    left = 1 - value - float(column[fixed].sum())
    if left < -1e-9 or (not free and left > 1e-9):
        return None
    if free:
        weight = float(column[free].sum())
        left = max(left, 0.0)
        result[free] = column[free] * left / weight if weight > 0 else left / len(free)
    return result / result.sum()


def percent(share: float) -> str:
    """A percentage with a digit after the point where it would be lost otherwise."""
    return whole_percent(share, 0 if abs(100 * share - round(100 * share)) < 0.05 else 1)


def column_reading(
    speaker: QObject,
    perturbation: Perturbation,
    matrix: Vector,
    values: tuple[str, ...],
    chosen: int,
) -> str:
    """What happens to one true answer, and what was normalised."""
    column = matrix[:, chosen]
    order = [i for i in np.argsort(-column) if i != chosen and column[i] > 0]
    stays = speaker.tr("%s say so") % percent(float(column[chosen]))
    moves = [speaker.tr("%s say “%s”") % (percent(float(column[i])), values[i]) for i in order[:3]]
    if len(order) > 3:
        rest = float(column[order[3:]].sum())
        moves.append(speaker.tr("%s say something else") % percent(rest))
    sentence = speaker.tr("<b>True answer “%s”:</b> %s.") % (
        _safe(values[chosen]), _safe(", ".join([stays, *moves]))
    )  # fmt: skip
    sums = perturbation.end_weights()
    if sums is not None and len(values) > 1:
        total, inner = sums
        if abs(total - inner) > 1e-9:
            sentence += " " + speaker.tr(
                "The end columns add up to %s and are scaled to 1, so keep becomes %s there."
            ) % (number(total, 2), short_probability(float(matrix[0, 0])))
    return sentence


def _safe(words: str) -> str:
    return words.replace("&", "&amp;").replace("<", "&lt;")
