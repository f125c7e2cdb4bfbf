"""Why there is nothing to see, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.gui.language.text import tr
from ppworkbench.gui.pages.mine.items import Offer
from ppworkbench.gui.pages.mine.run import Run
from ppworkbench.gui.pages.mine.words import level
from ppworkbench.study.study import Study

TO_DESIGN, CHOOSE, MINE = "design", "choose", "mine"


@dataclass(frozen=True)
class Absence:
    """What is missing, what to do, and a button that leads ``to`` it."""

    missing: str
    advice: str
    action: str = ""
    to: str = ""


def why_not_mine(study: Study, offer: Offer, chosen: int) -> Absence | None:
    """Why nothing can be mined; None if something can."""
    if study.table is None:
        missing = tr("There are no answers to mine.")
        if study.design.attributes:
            advice = tr(
                "This study has only a design. Open the table that was collected with it, or a "
                "sample, on the Data page."
            )
        else:
            advice = tr("Open a table or a sample first.")
        return Absence(missing, advice)
    if not study.rows:
        return Absence(tr("The table has no records."), tr("Open another one on the Data page."))
    if not offer.items:
        missing = tr("No attribute of this study can be mined.")
        names = ", ".join(name for name, _ in offer.refused[:6])
        reasons = "; ".join(dict.fromkeys(why for _, why in offer.refused))
        advice = tr(
            "Items are values: of binary, nominal and ordinal attributes, or intervals of numbers. "
            "Distort a number with intervals or by retention on the Design page to mine it."
        )
        if names:
            advice = tr("%s (%s: %s)") % (advice, names, reasons)
        return Absence(missing, advice, tr("Go to Design"), TO_DESIGN)
    if not chosen:
        advice = tr("Choose the values that may occur together.")
        return Absence(tr("No item is chosen."), advice, tr("Choose…"), CHOOSE)
    return None


def nothing_mined() -> Absence:
    """Before the first run."""
    advice = tr(
        "Choose items, a method and a minimum support at the left, then mine: the table shows "
        "which answers go together, with intervals."
    )
    return Absence(tr("Nothing mined yet."), advice, tr("Mine", "verb"), MINE)


def nothing_found(run: Run) -> Absence:
    """A run that found nothing."""
    missing = tr("No itemset reaches %s.") % level(run.request.min_support)
    advice = tr("Lower the minimum support, or choose items that occur more often.")
    return Absence(missing, advice)


def no_rules(run: Run) -> Absence:
    """A run without rules."""
    missing = tr("No rule reaches a confidence of %s.") % level(run.request.min_confidence)
    advice = tr("Lower the minimum confidence or the minimum support, then mine again.")
    return Absence(missing, advice)
