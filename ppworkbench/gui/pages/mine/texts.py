"""What the page says about items, methods, limits and runs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ppworkbench.analyses.mining.items import AvailableItems
from ppworkbench.analyses.mining.mine import Mine
from ppworkbench.analyses.mining.runs import (
    F1,
    FOUND,
    LIKELY,
    POSSIBLY,
    PROBABLY,
    SUPPORT_ERROR,
    SURELY,
    Sizes,
    certainty_of,
    knows_certainty,
    with_certainty,
)
from ppworkbench.analyses.runs import Run
from ppworkbench.core.mining import Chance, Miner, miners
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import counted, number, percent
from ppworkbench.gui.widgets.card import EmptyReason
from ppworkbench.study.parts.study_parts import estimated_words
from ppworkbench.study.study import Study


def level(value: float) -> str:
    """A minimum with as many digits as it needs: 5 %, 0.5 %, 0.05 %.

    >>> level(0.05) == percent(0.05), level(0.005) == percent(0.005, 1)
    (True, True)
    """
    digits = next((d for d in range(4) if abs(round(100 * value, d) - 100 * value) < 1e-9), 4)
    return percent(value, digits)


def seconds(value: float) -> str:
    if value < 0.01:
        return f"{number(1000 * value)} ms" if value >= 0.001 else "< 1 ms"
    if value < 10:
        return f"{number(value, 2)} s"
    return f"{number(value, 0)} s" if value < 600 else f"{number(value / 60, 0)} min"


def method_names() -> tuple[str, ...]:
    """All methods: the recommended one first, those for original answers last."""
    listed = sorted(miners.ranked, key=lambda entry: entry.item.on_original)
    return tuple(entry.name for entry in listed)


def short_name(name: str) -> str:
    """The name of a method in a narrow place."""
    return translate(miners.entry(name).title)


def full_name(name: str) -> str:
    return translate(miners.entry(name).label)


def method_hint(name: str) -> str:
    return translate(miners.entry(name).hint)


def why_not(name: str, study: Study) -> str:
    if miners[name].on_original and study.original is None:
        return tr("This study has no original answers.")
    if study.has_reported_parts and not miners[name].uses_counts:
        return tr("It looks at single records, which never leave their parts.")
    return ""


def certainty_words(certainty: str, minimum: float, miner: Miner | None = None) -> tuple[str, str]:
    """A certainty and what it means for a minimum support."""
    words = {
        PROBABLY: (tr("estimate above minimum"), tr("estimate at least %s")),
        SURELY: (tr("lower limit above minimum"), tr("lower limit at least %s")),
        POSSIBLY: (tr("upper limit above minimum"), tr("upper limit at least %s")),
    }
    title, reading = words[certainty]
    if miner is not None and hasattr(miner, LIKELY):
        likely = getattr(with_certainty(miner, certainty), LIKELY)
        return title, tr("at least %s probability of %s") % (percent(likely), level(minimum))
    return title, reading % level(minimum)


def why_no_certainty(certainty: str, method: str) -> str:
    if miners[method].on_original and certainty != PROBABLY:
        return tr("Exact count of the original answers.")
    if certainty != PROBABLY and not knows_certainty(method):
        words = tr("%s uses estimates only; relax the minimum instead.")
        return words % full_name(method)
    return ""


def why_no_field(name: str, certainty: str) -> str:
    if name == LIKELY and certainty != PROBABLY:
        return tr("Set by “%s”.") % certainty_words(certainty, 0.0)[0]
    return ""


def why_no_false_discovery(study: Study) -> str:
    if study.has_reported_parts:
        return tr("It looks at single records, which never leave their parts.")
    return ""


def false_discovery_hint(level: float) -> str:
    words = tr("Keeps rules whose sides go together more often than chance would have it; of all "
        "kept rules at most %s are expected to be false.")  # fmt: skip
    return words % percent(level)


_FEW = 30
_MUCH_CHANCE = 0.5
"""If so large a part of the rules comes by chance, a banner says so."""
_MANY_WRONG = 0.3


def errors_sentence(run: Run[Mine]) -> str:
    request, sizes = run.request, Sizes(run)
    if request.miner.on_original:
        return tr("Exact count of the original answers.")
    if not sizes.has_errors:
        return tr(
            "This study has no original answers, so missed and false sets are unknown. "
            "The intervals show the possible error."
        )
    true, found, correct = (sizes.values(key) for key in ("true", FOUND, "correct"))
    least = level(request.miner.min_support)
    if not sizes.total and not any(true):
        words = tr("No set reaches %s in the original answers, and none was found.")
        return words % least
    for size, (all_found, right) in enumerate(zip(found, correct, strict=True), 1):
        wrong = all_found - right
        if all_found and wrong / all_found >= _MANY_WRONG and wrong > 1:
            return _about_extra(int(wrong), int(all_found), size, request.miner)
    for size, (frequent, right) in enumerate(zip(true, correct, strict=True), 1):
        if frequent and (frequent - right) / frequent >= _MANY_WRONG:
            words = tr(
                "%s of %s frequent sets of size %s are missed: their estimates fell below "
                "%s. A lower minimum finds them, with some false positives."
            )
            return words % (number(frequent - right), number(frequent), size, least)
    right = sum(correct)
    words = tr("%s of %s frequent sets are found; %s of %s found sets are false positives.")
    extra, total = sizes.total - right, sizes.total
    return words % (number(right), number(sum(true)), number(extra), number(total))


def _about_extra(wrong: int, found: int, size: int, miner: Miner) -> str:
    told = tr("%s of %s found sets of size %s are false positives.") % (
        number(wrong), number(found), size,
    )  # fmt: skip
    certainty = certainty_of(miner)
    if certainty == SURELY:
        return tr("%s Sets of this size need more respondents or less randomisation.") % told
    if certainty == PROBABLY:
        words = tr("%s Their lower limits are below %s: choose “lower limit above minimum” to "
            "exclude them.")  # fmt: skip
        return words % (told, level(miner.min_support))
    return tr("%s Only the upper limit had to reach the minimum.") % told


def truth_words(run: Run[Mine] | None) -> str:
    if run is None:
        return tr("Mine first. Each itemset is a point; exact estimates lie on the line.")
    if run.request.miner.on_original:
        return tr("These are the true supports. Mine with another method to compare.")
    sizes = Sizes(run)
    if not sizes.has_errors:
        return tr("This study has no original answers to compare with. The table shows intervals.")
    if not sizes.total:
        return tr("No itemset was found.")
    return ""


def items_hint(kept: tuple[tuple[float, float], ...], refused: int) -> str:
    words = _keeping(kept)
    if refused == 0:
        return words
    said = tr("1 question cannot be used; see why."), tr("%s questions cannot be used; see why.")
    return f"{words} {counted(refused, *said)}".strip()


def _keeping(kept: tuple[tuple[float, float], ...]) -> str:
    if not kept:
        return ""
    ones, zeros = {round(p, 3) for p, _ in kept}, {round(q, 3) for _, q in kept}
    if len(ones) == len(zeros) == 1:
        one, zero = ones.pop(), zeros.pop()
        if one == zero == 1.0:
            return tr("Not randomised.")
        if one == zero:
            return tr("“Yes” and “no” are kept with probability %s.") % number(one, 2)
        return tr("“Yes” is kept with probability %s, “no” with %s.") % (
            number(one, 2),
            number(zero, 2),
        )
    return tr("“Yes” is kept with probability %s, “no” with %s.") % (_span(ones), _span(zeros))


def _span(shares: set[float]) -> str:
    low, high = number(min(shares), 2), number(max(shares), 2)
    return low if low == high else tr("%s to %s") % (low, high)


def chance_of(run: Run[Mine]) -> Chance | None:
    given = run.facts.get("chance")
    return None if given is None else Chance.from_json(given)


def run_notes(run: Run[Mine] | None, study: Study) -> tuple[str, ...]:
    """What is to be said about a run, with a warning about a handful of records."""
    if run is None:
        return ()
    notes = tuple(translate(study.titled(note)) for note in run.remarks if note)
    chance, reached, rules = chance_of(run), run.facts["reached"], run.request.rules
    expected = None if chance is None else chance.rules
    is_tested = rules is not None and rules.false_discovery is not None
    if expected and expected >= _MUCH_CHANCE * reached and not is_tested:
        words = tr("About %s of %s rules would come by chance alone; choose “Only rules beyond "
            "chance”.")  # fmt: skip
        notes = (words % (number(round(expected)), number(reached)), *notes)
    if run.facts["records"] >= _FEW:
        return notes
    words = tr("Only %s records: too few for a usable estimate.")
    return (*notes, words % number(run.facts["records"]))


def notes_kind(notes: Sequence[str], study: Study) -> str:
    """How notes look: that all rows were counted is no warning."""
    parts = study.reported_parts
    is_usual = parts is not None and list(notes) == [translate(estimated_words(parts))]
    return "info" if is_usual else "warning"


def chance_words(run: Run[Mine], *, of_rules: bool, told: str) -> str:
    chance = chance_of(run)
    expected = None if chance is None else chance.rules if of_rules else chance.itemsets
    if expected is None:
        return told
    words = (
        tr("By chance alone: about %s rules of %s.")
        if of_rules
        else tr("By chance alone: about %s of %s sets of 2 or more items.")
    )
    found = run.facts["reached"] if of_rules else sum(Sizes(run).values(FOUND)[1:])
    return f"{told} {words % (number(round(expected)), number(found))}"


def value_words(measure: str, value: float) -> str:
    if math.isnan(value):
        return "–"
    if measure in (F1, FOUND):
        return number(value, 2 if measure == F1 else 0)
    return percent(value / 100, 1 if measure == SUPPORT_ERROR else 0)


TO_DESIGN, CHOOSE, MINE = "design", "choose", "mine"


def why_not_mine(study: Study, offer: AvailableItems, chosen: int) -> EmptyReason | None:
    if study.table is None:
        missing = tr("There are no answers to mine.")
        if study.design.attributes:
            advice = tr(
                "This study has only a design. Open its collected table, or a sample, on "
                "the Data page."
            )
        else:
            advice = tr("Open a table or a sample first.")
        return EmptyReason(missing, advice)
    if not study.rows:
        return EmptyReason(
            tr("The table has no records."), tr("Open another one on the Data page.")
        )
    if study.design.has_arms:
        advice = tr(
            "The arms ask in different ways, and itemsets need one version for everybody. Survey "
            "estimates cross tables across arms."
        )
        return EmptyReason(tr("A survey with arms cannot be mined."), advice)
    if not offer.items:
        missing = tr("No attribute of this study can be mined.")
        names = ", ".join(name for name, _ in offer.refused[:6])
        reasons = "; ".join(dict.fromkeys(why for _, why in offer.refused))
        advice = tr(
            "Items are values of binary, nominal and ordinal attributes, or intervals of "
            "numbers. To mine a number, choose intervals or retention on the Design page."
        )
        if names:
            advice = tr("%s (%s: %s)") % (advice, names, reasons)
        return EmptyReason(missing, advice, tr("Go to Design"), TO_DESIGN)
    if not chosen:
        advice = tr("Choose values that may occur together.")
        return EmptyReason(tr("No item is chosen."), advice, tr("Choose…"), CHOOSE)
    return None


def nothing_mined() -> EmptyReason:
    advice = tr(
        "Choose items, a method and a minimum support on the left, then mine. The table "
        "shows itemsets and rules with intervals."
    )
    return EmptyReason(tr("No itemsets yet."), advice, tr("Mine", "verb"), MINE)


def nothing_found(run: Run[Mine]) -> EmptyReason:
    missing = tr("No itemset reaches %s.") % level(run.request.miner.min_support)
    advice = tr("Lower the minimum support, or choose items that occur more often.")
    return EmptyReason(missing, advice)


def no_rules(run: Run[Mine]) -> EmptyReason:
    if run.facts["reached"]:
        missing = tr("None of %s rules is more than chance.") % number(run.facts["reached"])
        advice = tr("More respondents or less randomisation would tell more.")
        return EmptyReason(missing, advice)
    least = 0.0 if run.request.rules is None else run.request.rules.min_confidence
    missing = tr("No rule reaches a confidence of %s.") % level(least)
    advice = tr("Lower the minimum confidence or the minimum support, then mine again.")
    return EmptyReason(missing, advice)
