"""The chapter of a report about questions that were asked by a list."""

from __future__ import annotations

import math

from ppworkbench.analyses.command_line import command_of
from ppworkbench.analyses.list_item import ListItem
from ppworkbench.analyses.lists import (
    ask_list,
    end_name,
    fitting_inquiry,
    list_methods,
    share_rows,
)
from ppworkbench.analyses.survey.history import RESULTS, history_from_json
from ppworkbench.core.compliance.assess_list import ListInquiry, ListResult
from ppworkbench.core.compliance.classes import Estimate
from ppworkbench.core.compliance.list_models import SENSITIVE
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.outputs.report.evidence import Evidence
from ppworkbench.study.blocks import Block, Grid, Listing, Paragraph, Section
from ppworkbench.study.distorted_cache import Answers
from ppworkbench.study.study import Study


def list_sections(evidence: Evidence) -> list[Section]:
    """What every list of the design tells, asked as it was last asked on Survey."""
    study = evidence.study
    if not study.design.lists:
        return []
    sections = [Section("Lists", tuple(Paragraph(one.disclosure) for one in study.design.lists))]
    if not evidence.distorted.rows:
        return sections
    return sections + [_section(one, evidence) for one in _inquiries(study)]


def list_sentences(evidence: Evidence) -> list[str]:
    study = evidence.study
    if not study.design.lists or not evidence.distorted.rows:
        return []
    found = (_answer(one, evidence) for one in _inquiries(study))
    # The item stands in no row of the results, so the sentence must name it.
    return [
        Message(
            "{attribute}: {sentence}",
            attribute=study.shown(one.question.name),
            sentence=study.titled(one.sentence),
        )
        for one in found
        if isinstance(one, ListResult)
    ]


def _answer(inquiry: ListInquiry, evidence: Evidence) -> ListResult | str:
    """What a list tells, or why it tells nothing."""
    study, answers = evidence.study, Answers(evidence.distorted, None)
    try:
        return ask_list(inquiry, answers, study.design, sampling=study.sampling)
    except WorkbenchError as error:
        return study.titled(error.message)


def _inquiries(study: Study) -> list[ListInquiry]:
    history = history_from_json(study.results.get(RESULTS))
    asked = [row.question.inquiry for row in history if row.question.inquiry is not None]
    found = []
    for one in study.design.lists:
        own = next((inquiry for inquiry in asked if inquiry.attribute == one.name), None)
        found.append(fitting_inquiry(own or ListInquiry(one.name), study))
    return [one for one in found if one is not None]


def _section(inquiry: ListInquiry, evidence: Evidence) -> Section:
    study = evidence.study
    command = command_of(ListItem.of(inquiry), evidence.table_file, evidence.design_file)
    listing = Listing(command, "Command line", folded=True)
    title = Message("{attribute}", attribute=inquiry.attribute)
    found = _answer(inquiry, evidence)
    if isinstance(found, str):
        return Section(title, (Paragraph(found, "warning"), listing), level=3)
    blocks: list[Block] = [
        Paragraph(study.titled(found.sentence), "lead"),
        _shares(found),
        _types(found),
        _counts(found),
    ]
    if inquiry.predictors and found.model is not None:
        blocks.append(_coefficients(found))
    blocks += [Paragraph(study.titled(said), "warning") for said in found.remarks]
    blocks.append(Paragraph(Message.joined(list_methods(found, study)), "hint"))
    return Section(title, (*blocks, listing), level=3)


def _percent(share: float) -> str:
    return Message("{share:.1f} %", share=100 * share) if math.isfinite(share) else "–"


def _shares(found: ListResult) -> Grid:
    rows: list[tuple[str, Estimate]] = list(share_rows(found))
    if found.model is not None:
        rows += [(end_name(name), one) for name, one in found.model.leaving_out.items()]
    heads = ("Share", "Estimate", "Low", "High", "Standard error")
    cells = tuple(
        (name, *map(_percent, (one.estimate, one.low, one.high, one.standard_error)))
        for name, one in rows
    )
    return Grid(heads, cells, right=heads[1:])


def _types(found: ListResult) -> Grid:
    size = found.question.size
    heads = ("Harmless items", "With the item", "p with it", "Without the item", "p without it")
    rows = []
    for count in range(size + 1):
        own, other = found.types[count], found.types[size + 1 + count]
        rows.append(
            (str(count), _percent(own.share), f"{own.p:.3f}", _percent(other.share),
             f"{other.p:.3f}")
        )  # fmt: skip
    caption = Message(
        "Types of people; test that no share is negative: p = {p:.3f}.", p=found.design_effect_p
    )
    return Grid(heads, tuple(rows), right=heads[1:], caption=caption)


def _counts(found: ListResult) -> Grid:
    heads = ("Count", "Short list", "Long list", "Belief after it")
    short, long = found.counts.short_shares, found.counts.long_shares
    rows = tuple(
        (str(count), _percent(short[count]) if count < len(short) else "–", _percent(long[count]),
         _percent(belief))
        for count, belief in enumerate(found.belief)
    )  # fmt: skip
    return Grid(heads, rows, right=heads[1:])


def _coefficients(found: ListResult) -> Grid:
    assert found.model is not None  # noqa: S101 (seen by the caller)
    heads = ("Term", "Item", "Coefficient", "Standard error")
    rows = tuple(
        (
            one.term,
            Message("sensitive") if one.part == SENSITIVE else Message("harmless"),
            f"{one.estimate:.3f}",
            f"{one.standard_error:.3f}" if math.isfinite(one.standard_error) else "–",
        )
        for one in found.model.coefficients
    )
    return Grid(heads, rows, right=heads[2:])
