"""The results of a report: sensitive questions first, then what was asked, then other questions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ppworkbench.analyses.mining.mine import MiningResult
from ppworkbench.analyses.regression.tables import headline, rounded_rows
from ppworkbench.analyses.survey.answers import SurveyResult, told_answer
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message, attributes_in
from ppworkbench.core.share_intervals import outside_remarks
from ppworkbench.core.survey.means import Mean, mean
from ppworkbench.outputs.report.attribute_section import reported_shares
from ppworkbench.outputs.report.evidence import Evidence
from ppworkbench.outputs.report.figure import (
    Effect,
    cells_grid,
    drawn,
    effects_picture,
    sheet_grid,
)
from ppworkbench.outputs.report.study_sections import letters
from ppworkbench.results.picture import Shape
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.blocks import Block, Grid, Paragraph, Section
from ppworkbench.study.release import undistorted

MOST_SHOWN = 12
"""Questions that are not sensitive and stand in the results; others are in the appendix."""
MOST_ESTIMATES = 60
MOST_APPENDED = 48
"""Estimates of a table of the results, and of the appendix."""
MOST_VALUES = 8
"""Values of one question; of more, the most frequent ones are shown."""
MOST_DRAWN = 12
MOST_LABEL = 40
"""Letters of a question or of a value in a figure, which has lines enough for both."""
MOST_MODELS = 2
MOST_TERMS = 10
MOST_SENTENCES = 3
MOST_LETTERS = 90
"""Letters of a cell; a longer question is whole in the attachments."""


def short(text: str, most: int = MOST_LETTERS) -> str:
    """What somebody wrote, cut where it would need too much room."""
    if isinstance(text, Message) and text.args:
        return text
    one_line = " ".join(str(text).split())
    return text if len(one_line) <= most else f"{one_line[: most - 1].rstrip()}…"


@dataclass(frozen=True)
class Row:
    """One estimated share or mean."""

    attribute: str
    value: str
    reported: float | None
    estimate: float
    low: float | None
    high: float | None
    true: float | None = None
    is_share: bool = True
    stands_for_all: bool = True
    """Whether it is the one row that tells the question in brief."""

    def text(self, number: float | None) -> str:
        if number is None or not math.isfinite(number):
            return "–"
        if self.is_share:
            return Message("{share:.1f} %", share=100 * number)
        return Message("{number:,.4g}", number=number)

    @property
    def remarks(self) -> tuple[Message, ...]:
        """How to read an estimate that no share can be."""
        return outside_remarks(self.estimate) if self.is_share else ()

    @property
    def interval(self) -> str:
        if self.low is None or self.high is None:
            return "–"
        if self.is_share:
            low, high = 100 * self.low, 100 * self.high
            return Message("{low:.1f} to {high:.1f} %", low=low, high=high)
        return Message("{low:,.4g} to {high:,.4g}", low=self.low, high=self.high)


class Results:
    """The estimates of a study: of sensitive questions, of others, and of those that are left."""

    def __init__(self, evidence: Evidence) -> None:
        design = evidence.study.design
        bare = set(undistorted(design))
        names = [name for name in design.without_arms().names if name in evidence.reconstructed]

        def weight(name: str) -> tuple[bool, bool]:
            return not design[name].attribute.sensitive, name in bare

        self.names = sorted(names, key=weight)
        by_question = {name: [*_rows(evidence, name)] for name in self.names}
        told = [rows for rows in by_question.values() if rows]
        self.rows = [row for rows in told for row in rows]
        self.sensitive = [rows for rows in told if design[rows[0].attribute].attribute.sensitive]
        others = told[len(self.sensitive) :]
        self.others, self.appended = others[:MOST_SHOWN], others[MOST_SHOWN:]
        while sum(map(len, self.others)) > MOST_ESTIMATES:
            self.appended.insert(0, self.others.pop())


def headlines(questions: Sequence[Sequence[Row]]) -> list[Row]:
    """One row for every question: its sensitive answer, else its last, or its mean."""
    return [row for rows in questions for row in rows if row.stands_for_all]


def _fitting(questions: Sequence[Sequence[Row]], most: int) -> list[Sequence[Row]]:
    """As many whole questions as their rows leave room for."""
    kept: list[Sequence[Row]] = []
    for rows in questions:
        if sum(map(len, kept)) + len(rows) > most:
            break
        kept.append(rows)
    return kept


def _rows(evidence: Evidence, name: str) -> Iterator[Row]:
    found = evidence.reconstructed[name]
    if not found.rows:
        return
    if found.values is None:
        row = _mean_row(evidence, name)
        if row is not None:
            yield row
        return
    attribute = evidence.study.design[name].attribute
    reported, truth = reported_shares(evidence, found)
    marked = [place for place in range(found.k) if attribute.values[place] in attribute.sensitive]
    lead = marked[0] if marked else found.k - 1
    frequent = sorted(range(found.k), key=lambda place: -float(found.probability[place]))
    shown = {lead, *frequent[: MOST_VALUES - 1]} if found.k > MOST_VALUES else set(frequent)
    for place in sorted(shown):
        yield Row(
            name,
            str(found.values[place]),
            None if reported is None else float(reported[place]),
            float(found.estimate[place]),
            None if found.low is None else float(found.low[place]),
            None if found.high is None else float(found.high[place]),
            None if truth is None else float(truth[place]),
            stands_for_all=place == lead,
        )


def _mean_row(evidence: Evidence, name: str) -> Row | None:
    """The mean of a number; None where the reports do not tell it."""
    study = evidence.study
    try:
        found: Mean = mean(
            evidence.distorted, study.design, name,
            original=evidence.original, sampling=study.sampling,
        )  # fmt: skip
    except WorkbenchError:
        return None
    value = found.value
    if not math.isfinite(value.estimate):
        return None
    return Row(
        name, Message("mean"), value.naive, value.estimate, value.low, value.high, value.true,
        is_share=False,
    )  # fmt: skip


def more(count: int, most: int) -> str:
    if count <= most:
        return ""
    return Message("{count:,} more are in the attachments.", count=count - most)


def results_sections(evidence: Evidence, results: Results, lists: Sequence[str]) -> list[Section]:
    """Sensitive questions first, then what was asked of the answers, then the others."""
    chapter: list[Block] = [Paragraph(sentence) for sentence in lists[:MOST_SENTENCES]]
    blocks: list[tuple[str, list[Block]]] = []
    if results.sensitive:
        title = "Sensitive questions"
        table = estimates_table(title, results.sensitive, evidence, MOST_ESTIMATES)
        blocks.append((title, [table]))
    asked = [*_kept(evidence), *_models(evidence), *_followers(evidence)]
    if asked := [*asked, *_itemsets(evidence.mined)]:
        blocks.append(("Analyses", asked))
    if results.others:
        title = "Other questions" if blocks else "Questions"
        shown, count = len(results.others), len(results.others) + len(results.appended)
        told: list[Block] = []
        if results.appended:
            said = "{shown} of {count} questions are shown; the others are in the appendix."
            told.append(Paragraph(Message(said, shown=shown, count=count), "hint"))
        if results.sensitive:
            told += shares_figure(title, headlines(results.others), evidence)
        told.append(estimates_table(title, results.others, evidence, MOST_ESTIMATES))
        blocks.append((title, told))
    return [
        Section("Results", tuple(chapter)),
        *(Section(title, tuple(told), level=3) for title, told in blocks),
    ]


def estimates_table(
    title: str, questions: Sequence[Sequence[Row]], evidence: Evidence, most: int
) -> Grid:
    """The table of some questions; one of several values is named once."""
    has_truth = evidence.original is not None
    heads = ["Attribute", "Value", "Reported", "Estimate", "95\u202f% interval"]
    heads += [_truth_head(evidence)] if has_truth else []
    kept, rows = _fitting(questions, most), []
    for asked in kept:
        name = short(evidence.study.shown(asked[0].attribute), 48)
        for row in asked:
            cells = [name, short(row.value, 40), row.text(row.reported), row.text(row.estimate)]
            cells += [row.interval, *([row.text(row.true)] if has_truth else [])]
            rows.append(tuple(cells))
            name = ""
    shown = sum(row.is_share for asked in kept for row in asked)
    every = sum(
        found.k
        for asked in questions
        if (found := evidence.reconstructed[asked[0].attribute]).values is not None
    )
    beyond = dict.fromkeys(said for asked in kept for row in asked for said in row.remarks)
    caption = Message.joined([*beyond, *filter(None, [more(every, shown)])])
    named = Message("{what}: estimates with 95\u202f% intervals", what=Message(title))
    return Grid(tuple(heads), tuple(rows), tuple(heads[2:]), caption, title=named)


_SHARES = {"estimate", "low", "high", "standard_error", "naive", "true"}
_SUPPORTS = {"support", "low", "high", "standard_error", "raw", "uncorrected", "true"}


def _kept(evidence: Evidence) -> list[Block]:
    """What was asked on Survey and kept, asked again of these answers."""
    study = evidence.study
    blocks: list[Block] = []
    for one in evidence.kept:
        asked, said = one.question, told_answer(one)
        what = one.titled(one.told.described(str(asked.condition.titled(study.shown))))
        if asked.of and not {asked.of, study.shown(asked.of)} & {*attributes_in(said)}:
            said = Message(
                "{attribute}: {sentence}", attribute=study.shown(asked.of), sentence=said
            )
        blocks.append(Paragraph(one.titled(said)))
        grid = _asked_table(one)
        if grid is not None and 1 < len(grid.rows) <= MOST_TERMS:
            blocks.append(replace(grid, title=what))
    return blocks


def _asked_table(one: SurveyResult) -> Grid | None:
    """The answer as a table: of two questions a row for each value of one of them."""
    if one.kind.is_number:
        return None
    for picture in one.told.pictures()[:1]:
        if picture.marks[0].shape is Shape.CELLS:
            return cells_grid(picture)
    sheet = one.told.sheets()[0]
    shares = _SHARES & {column.key for column in sheet.columns} if one.told.is_share else ()
    return sheet_grid(sheet, *shares)


def _followers(evidence: Evidence) -> list[Block]:
    study = evidence.study
    found = [one for one in evidence.checked if isinstance(one, SurveyResult)]
    return [
        Paragraph(
            Message(
                "{attribute}: {sentence}",
                attribute=study.shown(one.result.attribute.name),
                sentence=one.result.sentence,
            )
        )
        for one in found[:MOST_SENTENCES]
    ]


def _itemsets(found: MiningResult | None) -> list[Block]:
    """What goes together, in a sentence, and the most frequent sets of several answers."""
    if found is None:
        return []
    sheet = found.sheet("itemsets")
    length, support = (np.asarray(sheet[key].values) for key in ("length", "support"))
    joint = np.flatnonzero(length > 1)
    first = joint[np.argsort(-support[joint], kind="stable")][:MOST_TERMS]
    blocks: list[Block] = [Paragraph(said) for said in found.methods()]
    if len(first):
        level = Message("{level:g} % intervals", level=100 * found.found.miner.confidence)
        listed = sheet.take(first).titled(found.shown)
        grid = sheet_grid(listed, *_SUPPORTS & {one.key for one in sheet.columns}, caption=level)
        blocks.append(replace(grid, title=Message("The most frequent sets of several answers")))
    return blocks


def _truth_head(evidence: Evidence) -> str:
    return "Invented" if evidence.study.state is AnswerState.INVENTED else "Original"


def shares_figure(title: str, rows: Sequence[Row], evidence: Evidence) -> list[Block]:
    """The shares of some questions as a figure; nothing where none has an interval."""
    say, study = evidence.tongue.say, evidence.study
    listed = []
    drawable = [row for row in rows if row.is_share and row.low is not None]
    for row in drawable[:MOST_DRAWN]:
        label = say(
            Message(
                "{question}: {value}",
                question=short(evidence.study.shown(row.attribute), MOST_LABEL),
                value=short(row.value, MOST_LABEL),
            )
        )
        numbers = (row.estimate, row.low or 0.0, row.high or 0.0)
        estimate, low, high = (100 * number for number in numbers)
        reported = None if row.reported is None else 100 * row.reported
        true = row.true if study.state is AnswerState.TRUE else None
        truth = None if true is None else 100 * true
        listed.append(Effect(label, estimate, low, high, reported, truth))
    if not listed:
        return []
    axis, named = Message("Share of people"), Message("{what}: shares", what=Message(title))
    return [drawn(effects_picture(named, axis, listed, 0.95, unit="%"), say)]


def _models(evidence: Evidence) -> list[Block]:
    blocks: list[Block] = []
    fitted = [one for one in evidence.models if isinstance(one, SurveyResult)]
    for one in fitted[:MOST_MODELS]:
        heads, *rows = rounded_rows(one.result, evidence.study)
        kept = tuple(tuple(row) for row in rows[:MOST_TERMS])
        caption = Message.joined(
            [letters(one.result), *filter(None, [more(len(rows), MOST_TERMS)])]
        )
        blocks.append(Paragraph(headline(one.result, evidence.study), "lead"))
        of = evidence.study.shown(one.result.formula.outcome)
        title = Message("Regression of {of}", of=of)
        blocks.append(Grid(tuple(heads), kept, tuple(heads[1:]), caption, title=title))
    others = len(evidence.models) + evidence.more_models - min(len(fitted), MOST_MODELS)
    if others > 0:
        said = Message("Further regressions in the attachments: {count:,}.", count=others)
        blocks.append(Paragraph(said, "hint"))
    return blocks
