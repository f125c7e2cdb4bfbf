"""A run from the study to its tables; it works in the background."""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass, field

import numpy as np

from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.errors import DataError
from ppworkbench.core.itemsets import ItemData, item_data
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
from ppworkbench.gui.pages.mine.belonging import mark_of
from ppworkbench.gui.pages.mine.items import offer_of
from ppworkbench.gui.pages.mine.listing import Numbers
from ppworkbench.gui.pages.mine.plain_counts import shown_shares
from ppworkbench.gui.pages.mine.request import Key, Request
from ppworkbench.gui.pages.mine.run import Run
from ppworkbench.gui.pages.mine.tables import (
    both_sides,
    rule_listing,
    set_listing,
    size_errors,
)
from ppworkbench.gui.pages.mine.words import tr
from ppworkbench.study.reported import ReportedAnswers
from ppworkbench.study.study import Study


@dataclass(eq=False)
class Tally:
    """The sizes that are done; one thread appends, others read."""

    levels: list[Level] = field(default_factory=list)


def carry_out(
    study: Study, kept: ReportedAnswers, request: Request, tally: Tally, progress: Progress
) -> Run:
    """Mine what was asked for, compare it with the truth where that is known, and list it."""
    if request.miner.on_original and study.original is None:
        raise DataError("The original answers are not known, so they cannot be mined.")
    answers = kept.of(study, part(progress, 0.0, 0.15))
    sources = _Sources(answers.distorted, answers.original, study.design, request)
    started = time.perf_counter()
    data = sources.truth if request.miner.on_original else sources.published
    assert data is not None  # noqa: S101 (asked for above)
    share = part(progress, 0.2, 0.6)
    result = mine(data, request.miner, progress=share, on_level=tally.levels.append)
    seconds = time.perf_counter() - started
    share = part(progress, 0.6, 0.75)
    rules = find_rules(result, data, RuleParams(min_confidence=request.min_confidence),
                       progress=share)  # fmt: skip
    return _listed(study, request, sources, result, rules, seconds, part(progress, 0.75, 1.0))


class _Sources:
    """The items of the distorted answers and, where they are known, of the original ones."""

    def __init__(
        self, distorted: Table, original: Table | None, design: Design, request: Request
    ) -> None:
        names = request.attributes
        everything = item_data(distorted, design, names)
        self.published = only_items(everything, request.items)
        self.truth = None
        if original is not None:
            truth = item_data(original, design, names, original=True)
            self.truth = only_items(truth, request.items)


def only_items(data: ItemData, keys: tuple[Key, ...]) -> ItemData:
    """The data with no other items than these."""
    wanted = set(keys)
    chosen = np.array(
        [i for i, item in enumerate(data.items) if (item.attribute, item.value) in wanted], np.intp
    )
    if not len(chosen):
        raise DataError("None of the chosen items is left in this study; choose items again.")
    if len(chosen) == len(data.items):
        return data
    graded = data.graded
    if graded is not None:
        graded = dataclasses.replace(
            graded, column=graded.column[chosen], weights=graded.weights[chosen]
        )
    return dataclasses.replace(
        data,
        items=tuple(data.items[i] for i in chosen.tolist()),
        bits=np.ascontiguousarray(data.bits[chosen]),
        present=data.present[chosen],
        absent=data.absent[chosen],
        blocks=data.blocks[chosen],
        graded=graded,
    )


def _listed(
    study: Study,
    request: Request,
    sources: _Sources,
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
        true_confidence = _confidence(truth, rules, part(progress, 0.5, 0.7))
        reference = Apriori(
            min_support=request.min_support,
            max_length=request.miner.max_length,
            candidate_limit=request.miner.candidate_limit,
        )
        truly = mine(truth, reference, progress=part(progress, 0.7, 1.0))
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


def _confidence(truth: ItemData, rules: Rules, progress: Progress) -> Numbers:
    """The confidence of rules in the original answers; NaN where nobody has the left side."""
    if not len(rules):
        return np.empty(0)
    both = shown_shares(truth, both_sides(rules), part(progress, 0.0, 0.5))
    left = shown_shares(truth, rules.left, part(progress, 0.5, 1.0))
    nothing = np.full(len(both), np.nan)
    return np.divide(both, left, out=nothing, where=left > 0)
