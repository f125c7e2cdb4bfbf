"""The methods that a person can choose, and what they are called on the page."""

from __future__ import annotations

from ppworkbench.core.mining import Miner, miners
from ppworkbench.gui.language.text import told, tr
from ppworkbench.gui.pages.mine.request import (
    LIKELY,
    POSSIBLY,
    PROBABLY,
    SURELY,
    knows_certainty,
    with_certainty,
)
from ppworkbench.gui.pages.mine.words import level
from ppworkbench.gui.words import percent
from ppworkbench.study.study import Study

RELAXED = "mmask"


def method_names() -> tuple[str, ...]:
    """All methods: the recommended one first, those for original answers last."""
    listed = sorted(miners.ranked, key=lambda entry: entry.item.on_original)
    return tuple(entry.name for entry in listed)


def short_name(name: str) -> str:
    """The name of a method in a narrow place."""
    return told(miners.entry(name).title)


def full_name(name: str) -> str:
    """The name of a method."""
    return told(miners.entry(name).label)


def method_hint(name: str) -> str:
    """What a method does, in a line or two."""
    return told(miners.entry(name).hint)


def why_not(name: str, study: Study) -> str:
    """Why a method cannot be used; empty if it can."""
    if miners[name].on_original and study.original is None:
        return tr("The original answers are not part of this study.")
    return ""


def relaxed_fields(method: type[Miner]) -> tuple[str, ...]:
    """The parameters that belong under "Relaxation"."""
    return ("relax", "r_relax") if method.name == RELAXED else ()


def certainty_words(certainty: str, minimum: float, miner: Miner | None = None) -> tuple[str, str]:
    """A certainty and what it means for a minimum support."""
    words = {
        PROBABLY: (tr("probably frequent"), tr("estimate reaches %s")),
        SURELY: (tr("surely frequent"), tr("whole interval reaches %s")),
        POSSIBLY: (tr("not surely infrequent"), tr("interval touches %s")),
    }
    title, reading = words[certainty]
    if miner is not None and hasattr(miner, LIKELY):
        likely = getattr(with_certainty(miner, certainty), LIKELY)
        return title, tr("at least %s likely to reach %s") % (percent(likely), level(minimum))
    return title, reading % level(minimum)


def why_no_certainty(certainty: str, method: str) -> str:
    """Why a certainty cannot be asked of a method; empty if it can."""
    if miners[method].on_original and certainty != PROBABLY:
        return tr("Original answers are counted, not estimated: there is no doubt.")
    if certainty != PROBABLY and not knows_certainty(method):
        words = tr("%s looks at estimates only; it can relax the minimum instead.")
        return words % full_name(method)
    return ""


def why_no_field(name: str, certainty: str) -> str:
    """Why a parameter has no effect; empty if it has one."""
    if name == LIKELY and certainty != PROBABLY:
        return tr("Set by “%s”.") % certainty_words(certainty, 0.0)[0]
    return ""
