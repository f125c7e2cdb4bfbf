"""Ways to wait for the Publish page."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from ppworkbench.results.picture import Shape


def settle(wait_idle):
    """Wait until nothing is on its way any more."""
    for _ in range(2):
        QApplication.processEvents()
        wait_idle()
    QApplication.processEvents()


def curves(picture):
    """The lines of the chart of accuracies."""
    return [mark for mark in picture.marks if mark.shape is Shape.LINE]


def guessed(picture):
    """How often the most frequent answer would be right, as the chart has it."""
    [rule] = [mark for mark in picture.rules if mark.name == "most frequent answer"]
    return float(rule.y[0])
