"""A run from the study to its tables; it works in the background."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from ppworkbench.core.errors import DataError
from ppworkbench.core.itemsets import Itemsets
from ppworkbench.core.itemsets.face_value import shown_shares
from ppworkbench.core.mining import (
    Apriori,
    Level,
    MiningResult,
    RuleParams,
    Rules,
    find_rules,
    length_errors,
    mine,
)
from ppworkbench.core.progress import Progress, part
from ppworkbench.gui.language.text import tr
from ppworkbench.gui.pages.mine.belonging import mark_of
from ppworkbench.gui.pages.mine.items import offer_of
from ppworkbench.gui.pages.mine.listing import Numbers
from ppworkbench.gui.pages.mine.request import Request
from ppworkbench.gui.pages.mine.run import Run
from ppworkbench.gui.pages.mine.sources import SourceKeeper, Sources
from ppworkbench.gui.pages.mine.tables import (
    both_sides,
    places_of,
    rule_listing,
    set_listing,
    size_errors,
)
from ppworkbench.study.reported import ReportedAnswers
from ppworkbench.study.study import Study

_MOST_RULES = 200_000
"""Nobody reads more; beyond them longer sets are not split, and a note says so."""


@dataclass(eq=False)
class Tally:
    """The sizes that are done; one thread appends, others read."""

    levels: list[Level] = field(default_factory=list)


def carry_out(
    study: Study,
    kept: tuple[ReportedAnswers, SourceKeeper],
    request: Request,
    tally: Tally,
    progress: Progress,
) -> Run:
    """Mine what was asked for, compare it with the truth where that is known, and list it.

    ``kept`` are the distorted answers and their items, both shared with other runs.
    """
    if request.miner.on_original and study.original is None:
        raise DataError("The original answers are not known, so they cannot be mined.")
    answers = kept[0].of(study, part(progress, 0.0, 0.1))
    sources = kept[1].of(answers, study.design, request, part(progress, 0.1, 0.2))
    started = time.perf_counter()
    data = sources.truth if request.miner.on_original else sources.published
    assert data is not None  # noqa: S101 (asked for above)
    share = part(progress, 0.2, 0.6)
    result = mine(data, request.miner, progress=share, on_level=tally.levels.append)
    seconds = time.perf_counter() - started
    share = part(progress, 0.6, 0.75)
    wanted = RuleParams(min_confidence=request.min_confidence, rule_limit=_MOST_RULES)
    rules = find_rules(result, data, wanted, progress=share)
    return _listed(study, request, sources, result, rules, seconds, part(progress, 0.75, 1.0))


def _listed(
    study: Study,
    request: Request,
    sources: Sources,
    result: MiningResult,
    rules: Rules,
    seconds: float,
    progress: Progress,
) -> Run:
    found, truth = result.itemsets, sources.truth
    on_original = request.miner.on_original
    known = offer_of(study).by_key
    words = tuple(
        known[item.attribute, item.value].words
        if (item.attribute, item.value) in known
        else item.name
        for item in result.items
    )
    progress(0.0, tr("counting without correction"))
    raw = None
    if not on_original:
        raw = shown_shares(sources.published, found.sets, part(progress, 0.0, 0.25))
    true, errors, true_confidence = None, (), None
    if truth is not None and not on_original:
        progress(0.25, tr("comparing with the truth"))
        true = shown_shares(truth, found.sets, part(progress, 0.25, 0.5))
        true_confidence = _true_confidence(found, true, rules)
        reference = Apriori(
            min_support=request.min_support,
            max_length=request.miner.max_length,
            candidate_limit=request.miner.candidate_limit,
        )
        truly = mine(truth, reference, progress=part(progress, 0.5, 1.0))
        errors = size_errors(length_errors(found, truly.itemsets))
    sizes = np.bincount(found.lengths, minlength=1)[1:]
    return Run(
        number=0,
        request=request,
        at=time.strftime("%H:%M"),
        belongs_to=mark_of(study),
        transactions=result.transactions,
        seconds=seconds,
        names=tuple(item.name for item in result.items),
        found=tuple(int(size) for size in sizes),
        rule_count=len(rules),
        errors=errors,
        notes=(*result.notes, *rules.notes),
        sets=set_listing(found, words, raw, true, exact=on_original),
        rules=rule_listing(rules, words, true_confidence, exact=on_original),
    )


def _true_confidence(found: Itemsets, true: Numbers, rules: Rules) -> Numbers:
    """The confidence of rules in the original answers; NaN where nobody has the left side."""
    known = np.append(true, np.nan)
    whole = known[places_of(both_sides(rules), found)]
    left = known[places_of(rules.left, found)]
    nothing = np.full(len(whole), np.nan)
    return np.divide(whole, left, out=nothing, where=left > 0)
