"""The six measures of the cards as plain numbers, so that designs can be compared."""

from __future__ import annotations

import math

from PySide6.QtCore import QObject

from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.core.privacy.utility.respondents import needed_respondents
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import number, percent, signed, significant

Z95 = 1.959964
MORE_IS_BETTER = frozenset({"range"})


def measures_of(report: AttributeReport, target: float) -> dict[str, float]:
    """The numbers of one design; a measure that does not apply is left out.

    Parameters
    ----------
    target
        The half-width of every share's interval that the needed respondents bring about.
    """
    privacy, utility = report.privacy, report.utility
    values = {"attack": privacy["attack_success"].value}
    for key, name in (("posterior", "worst_posterior"), ("range", "range_percent"),
                      ("epsilon", "epsilon")):  # fmt: skip
        if name in privacy:
            values[key] = privacy[name].value
    values["loss"] = utility.information_loss
    if math.isinf(utility.information_loss):
        values["interval"] = math.inf
    elif utility.mean_standard_error is not None:
        values["interval"] = Z95 * utility.mean_standard_error
    else:
        values["interval"] = 100 * float(utility.half_width[utility.worst])
    values["needed"] = needed_respondents(
        utility.variances, target, "half-width", bias=utility.bias
    )
    return values


def measure_keys(numeric: bool) -> tuple[str, ...]:
    """The measures in the order of the cards."""
    second = "range" if numeric else "posterior"
    return ("attack", second, "epsilon", "loss", "interval", "needed")


def measure_label(speaker: QObject, key: str, numeric: bool, points: float) -> str:
    """What the card of a measure is called."""
    return {
        "attack": speaker.tr("Attacker's best guess", "short"),
        "posterior": speaker.tr("Strongest suspicion"),
        "range": speaker.tr("Range privacy", "short"),
        "epsilon": speaker.tr("Epsilon (local DP)"),
        "loss": speaker.tr("Information loss"),
        "interval": (
            speaker.tr("Mean known to") if numeric else speaker.tr("Widest 95 % interval")
        ),
        "needed": speaker.tr("Needed for ± %s pts") % number(points, 1),
    }[key]


def shown_measure(key: str, value: float | None, numeric: bool) -> str:
    """A measure as it stands in a table; a dash where it does not apply."""
    if value is None or not math.isfinite(value):
        return "–" if value is None else "∞"
    return {
        "attack": lambda: percent(value),
        "posterior": lambda: percent(value),
        "range": lambda: percent(value / 100),
        "epsilon": lambda: number(value, 2),
        "loss": lambda: number(value, 3),
        "interval": lambda: f"± {significant(value) if numeric else number(value, 1)}",
        "needed": lambda: number(value),
    }[key]()


def change_words(key: str, change: float) -> str:
    """How far a measure moved, with its sign."""
    if key in ("attack", "posterior"):
        return tr("%s pts") % signed(100 * change)
    if key == "loss":
        return signed(change, 3)
    if key == "needed":
        return signed(change)
    return signed(change, 1 if abs(change) < 100 else 0)
