"""One thing worth knowing about a run, in a sentence or two."""

from __future__ import annotations

from ppworkbench.gui.language.text import told, tr
from ppworkbench.gui.pages.mine.request import PROBABLY, SURELY
from ppworkbench.gui.pages.mine.run import Run, SizeErrors
from ppworkbench.gui.pages.mine.words import level
from ppworkbench.gui.words import number

_FEW = 30
_MANY_WRONG = 0.3


def errors_sentence(run: Run) -> str:
    """What the errors by size say."""
    if run.request.miner.on_original:
        return tr("These are counts of the original answers: there is nothing to be wrong.")
    if not run.knows_truth:
        return tr(
            "The original answers are not part of this study, so nobody can tell which sets are "
            "missed or extra. The intervals say how far the truth may be away."
        )
    if not run.total and not any(e.true for e in run.errors):
        words = tr("No set truly reaches %s, and none was found.")
        return words % level(run.request.min_support)
    worst = _worst(run.errors)
    if worst is not None:
        return _about_extra(worst, run)
    missed = _most_missed(run.errors)
    if missed is not None:
        words = tr(
            "%s of %s truly frequent sets of size %s are missed: their estimates fell below %s. "
            "A lower minimum brings them back, with some false alarms."
        )
        gone = missed.true - missed.correct
        minimum = level(run.request.min_support)
        return words % (number(gone), number(missed.true), missed.size, minimum)
    right, frequent = (
        sum(e.correct for e in run.errors), sum(e.true for e in run.errors),
    )  # fmt: skip
    words = tr("%s of %s truly frequent sets are found, and %s of %s found ones are false alarms.")
    extra = run.total - right
    return words % (number(right), number(frequent), number(extra), number(run.total))


def _worst(errors: tuple[SizeErrors, ...]) -> SizeErrors | None:
    """The smallest size at which false alarms are many."""
    for one in errors:
        wrong = one.found - one.correct
        if one.found and wrong / one.found >= _MANY_WRONG and wrong > 1:
            return one
    return None


def _about_extra(worst: SizeErrors, run: Run) -> str:
    wrong = worst.found - worst.correct
    told = tr("%s of %s found sets of size %s are false alarms.") % (
        number(wrong), number(worst.found), worst.size,
    )  # fmt: skip
    if run.request.certainty == SURELY:
        return tr("%s Ask more people, or distort less, for sets of that size.") % told
    if run.request.certainty == PROBABLY:
        words = tr("%s Their intervals reach below %s: choose “surely frequent” to leave such "
                   "sets out.")  # fmt: skip
        return words % (told, level(run.request.min_support))
    return tr("%s Sets that are only possibly frequent were asked for.") % told


def _most_missed(errors: tuple[SizeErrors, ...]) -> SizeErrors | None:
    for one in errors:
        if one.true and (one.true - one.correct) / one.true >= _MANY_WRONG:
            return one
    return None


def truth_words(run: Run | None) -> str:
    """Why there is no picture of the truth; empty if there is one."""
    if run is None:
        return tr("Mine first: every itemset becomes a point, on the line where it is exact.")
    if run.request.miner.on_original:
        return tr("These supports are the truth. Mine with another method to compare it with them.")
    if not run.knows_truth:
        return tr(
            "The original answers are not part of this study, so estimates cannot be compared with "
            "the truth. Their intervals are in the table."
        )
    if run.total == 0:
        return tr("No itemset was found.")
    return ""


def items_hint(kept: tuple[tuple[float, float], ...], refused: int) -> str:
    """How the chosen items are distorted, and how many attributes cannot be items."""
    words = _keeping(kept)
    if refused == 0:
        return words
    more = (
        tr("One attribute cannot be mined; see the list.")
        if refused == 1
        else tr("%s attributes cannot be mined; see the list.") % number(refused)
    )
    return f"{words} {more}".strip()


def _keeping(kept: tuple[tuple[float, float], ...]) -> str:
    if not kept:
        return ""
    ones, zeros = {round(p, 3) for p, _ in kept}, {round(q, 3) for _, q in kept}
    if len(ones) == len(zeros) == 1:
        one, zero = ones.pop(), zeros.pop()
        if one == zero == 1.0:
            return tr("Not distorted.")
        if one == zero:
            return tr("Each kept with %s, yes and no alike.") % number(one, 2)
        return tr("A yes is kept with %s, a no with %s.") % (number(one, 2), number(zero, 2))
    return tr("A yes is kept with %s, a no with %s.") % (_span(ones), _span(zeros))


def _span(shares: set[float]) -> str:
    low, high = number(min(shares), 2), number(max(shares), 2)
    return low if low == high else tr("%s to %s") % (low, high)


def stopped_words(levels: int) -> str:
    """What to say when a run was cancelled."""
    if levels == 0:
        return tr("Stopped. The results before it are shown.")
    return tr("Stopped after size %s. The results before it are shown.") % number(levels)


def running_words(message: str, levels: list[tuple[int, int]]) -> str:
    """What a run is doing: the sizes that are done, and the one that is worked on."""
    message = told(message)
    if not levels:
        return message or tr("Preparing the answers")
    size, found = levels[-1]
    done = tr("size %s: %s found") % (number(size), number(found))
    return f"{done}; {message}" if message else done


def few_words(run: Run) -> str:
    """A warning about a handful of records; empty for more."""
    if run.transactions >= _FEW:
        return ""
    words = tr("Only %s records. Every interval is wider than the scale; show it, do not quote it.")
    return words % number(run.transactions)
