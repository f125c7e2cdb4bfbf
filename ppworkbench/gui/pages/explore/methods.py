"""The algorithms that a person can tick, and what they are called on the page."""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.core.reconstruct import estimators
from ppworkbench.core.reconstruct.channel import VALUES
from ppworkbench.core.reconstruct.estimator import IteratedEstimator
from ppworkbench.gui.language.text import told, tr
from ppworkbench.gui.pages.explore.draw import Draw
from ppworkbench.gui.pages.explore.em_path import AUTO, CONVERGED
from ppworkbench.gui.pages.explore.runs import refusal
from ppworkbench.gui.words import number


@dataclass(frozen=True)
class Method:
    """An algorithm in the list; ``reason`` says why it cannot be ticked, if it cannot."""

    name: str
    title: str
    hint: str
    iterates: bool
    reason: str = ""


def title_of(name: str) -> str:
    """What an algorithm is called."""
    return told(estimators.entry(name).title)


def methods_of(cells: str, draw: Draw | None = None) -> tuple[Method, ...]:
    """The algorithms for values or numbers, those that fit the draw if there is one."""
    found = []
    for entry in estimators.ranked:
        name = entry.name
        if cells not in entry.item.serves:
            continue
        if draw is None and name == "eq" and cells != VALUES:
            continue
        why = "" if draw is None else refusal(name, draw)
        if why in ("cells", "square"):
            continue
        reason = _singular_words(draw) if why == "singular" and draw is not None else ""
        iterates = issubclass(entry.item, IteratedEstimator)
        found.append(Method(name, told(entry.title), told(entry.hint), iterates, reason))
    return tuple(found)


def _singular_words(draw: Draw) -> str:
    perturbation, k = draw.subject.perturbation, draw.counted.k
    level = perturbation.invertible_above(k)
    if level is not None:
        words = tr("EQ needs a matrix that can be inverted. Raise “keep” above %s to use it.")
        return words % number(level, 2)
    return tr("EQ needs a matrix that can be inverted; this one cannot.")


def first_ticked(cells: str) -> tuple[str, ...]:
    """The algorithms that are ticked before anybody chooses."""
    return ("eq", "em-as") if cells == VALUES else ("em", "as")


def first_focus(cells: str) -> str:
    """The algorithm in focus before anybody chooses."""
    return "em-as" if cells == VALUES else "em"


def first_rule(cells: str) -> str:
    """The stop rule before anybody chooses."""
    return CONVERGED if cells == VALUES else AUTO
