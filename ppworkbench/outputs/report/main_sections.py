"""The part of a report that people read: at most ten pages for any study.

Sensitive questions come first, then what was asked of the answers, then other questions. Every
table and list has a longest length; what goes beyond it is in the appendix or in the attachments.
Long texts of a study are shortened here and whole there.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import metadata

from ppworkbench.analyses.planning.study_budget import BudgetBuilder
from ppworkbench.analyses.regression.tables import headline, rounded_rows
from ppworkbench.analyses.survey.answers import SurveyResult, told_answer
from ppworkbench.core.data.table import list_attributes
from ppworkbench.core.design import Design
from ppworkbench.core.design.linked_waves import linking_column
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message, attributes_in
from ppworkbench.core.survey.means import Mean, mean
from ppworkbench.fieldwork.page.cards import Card, card_languages, cards_of
from ppworkbench.fieldwork.responses.platforms import COLLECTOR, PAGE, platform_label
from ppworkbench.outputs.report.attribute_section import reported_shares
from ppworkbench.outputs.report.evidence import Evidence
from ppworkbench.outputs.report.figure import (
    Effect,
    cells_grid,
    drawn,
    effects_picture,
    sheet_grid,
)
from ppworkbench.outputs.report.study_sections import (
    ESTIMATION,
    arm_table,
    estimation_commands,
    interval_paragraphs,
    letters,
    list_sentences,
    noncompliance_sentences,
)
from ppworkbench.results.picture import Shape
from ppworkbench.study.answer_state import DIRECT, AnswerState, state_words
from ppworkbench.study.blocks import (
    Block,
    Facts,
    Figure,
    Grid,
    Listing,
    Paragraph,
    Points,
    Section,
)
from ppworkbench.study.language import Language
from ppworkbench.study.questionnaire.texts import texts_of
from ppworkbench.study.release import Point, describe_device, devices_of, undistorted
from ppworkbench.study.state import sources_of
from ppworkbench.version import __version__

LIBRARIES = ("numpy", "scipy", "pandas", "pyarrow")
KEEP_IT = (
    "This report contains the true distribution and the seed. Seed and design together "
    "reveal the true answers: store it with them, and release the report of a bundle "
    "instead."
)
NO_SEED = (
    "This report contains no seed: the answers were drawn with secure randomness, or "
    "were already distorted."
)
NO_TRUTH = "Nothing in it comes from the true answers."
MOST_QUESTIONS = 24
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
MOST_PROTECTED = 40
MOST_SENTENCES = 3
MOST_POINTS = 12
MOST_LETTERS = 90
"""Letters of a cell; a longer question is whole in the attachments."""
MOST_WORDS = 700
"""Letters of a paragraph that somebody wrote."""


def short(text: str, most: int = MOST_LETTERS) -> str:
    """What somebody wrote, cut where it would need too much room."""
    if isinstance(text, Message) and text.args:
        return text
    one_line = " ".join(str(text).split())
    return text if len(one_line) <= most else f"{one_line[: most - 1].rstrip()}…"


def holds_truth(evidence: Evidence) -> bool:
    return evidence.study.state is AnswerState.TRUE and evidence.original is not None


def main_sections(
    evidence: Evidence, points: Sequence[Point], method: Sequence[str], tongue: Language
) -> list[Section]:
    """Question and answer in brief, results, how people were asked, privacy, limits, method."""
    results, lists = _Results(evidence), list_sentences(evidence)
    sections = [_brief(evidence, results, lists, method)]
    if results.rows or lists:
        sections += _results(evidence, results, lists)
    if evidence.study.design.attributes:
        sections.append(_asking(evidence, results))
    sections.append(_privacy(evidence, results, points, tongue))
    if evidence.distorted.rows and evidence.reconstructed:
        sections.append(_limits(evidence))
    sections.append(_method(evidence))
    if results.appended:
        table = _estimates("Further questions", results.appended, evidence, MOST_APPENDED)
        sections.append(Section("Appendix: further questions", (table,)))
    return sections


@dataclass(frozen=True)
class _Row:
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
    def interval(self) -> str:
        if self.low is None or self.high is None:
            return "–"
        if self.is_share:
            low, high = 100 * self.low, 100 * self.high
            return Message("{low:.1f} to {high:.1f} %", low=low, high=high)
        return Message("{low:,.4g} to {high:,.4g}", low=self.low, high=self.high)


class _Results:
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


def _headlines(questions: Sequence[Sequence[_Row]]) -> list[_Row]:
    """One row for every question: its sensitive answer, else its last, or its mean."""
    return [row for rows in questions for row in rows if row.stands_for_all]


def _fitting(questions: Sequence[Sequence[_Row]], most: int) -> list[Sequence[_Row]]:
    """As many whole questions as their rows leave room for."""
    kept: list[Sequence[_Row]] = []
    for rows in questions:
        if sum(map(len, kept)) + len(rows) > most:
            break
        kept.append(rows)
    return kept


def _rows(evidence: Evidence, name: str) -> Iterator[_Row]:
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
        yield _Row(
            name,
            str(found.values[place]),
            None if reported is None else float(reported[place]),
            float(found.estimate[place]),
            None if found.low is None else float(found.low[place]),
            None if found.high is None else float(found.high[place]),
            None if truth is None else float(truth[place]),
            stands_for_all=place == lead,
        )


def _mean_row(evidence: Evidence, name: str) -> _Row | None:
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
    return _Row(
        name, Message("mean"), value.naive, value.estimate, value.low, value.high, value.true,
        is_share=False,
    )  # fmt: skip


def _counted(design: Design, people: Message) -> Iterator[Message]:
    """How many people answered how many questions; arms and counts of lists are no questions."""
    asked = [name for name in design.names if name not in design.drawn_columns]
    distorted = len(set(asked) - set(undistorted(design)))
    if len(asked) == 1 and distorted:
        yield Message("{people}, 1 attribute, which is distorted.", people=people)
    elif len(asked) == 1:
        yield Message("{people}, 1 attribute, which is not distorted.", people=people)
    elif asked or not design.lists:
        yield Message(
            "{people}, {count} attributes, {distorted} of them distorted.",
            people=people,
            count=len(asked),
            distorted=distorted,
        )
    if len(design.lists) == 1:
        yield Message("1 question is asked by a list; the table holds its count alone.")
    elif design.lists:
        yield Message(
            "{count} questions are asked by lists; the table holds their counts alone.",
            count=len(design.lists),
        )


def _brief(
    evidence: Evidence, results: _Results, lists: Sequence[str], method: Sequence[str]
) -> Section:
    """What fits on the first page: the question, its answer in a sentence and a figure, facts."""
    study, told = evidence.study, evidence.study.description
    leading = _headlines(results.sensitive or results.others)
    blocks: list[Block] = []
    if told.abstract:
        blocks.append(Paragraph(short(told.abstract, MOST_WORDS), "lead"))
    elif leading and (asked := study.attribute(leading[0].attribute).label):
        blocks.append(
            Paragraph(Message("Question: “{question}”", question=short(asked, 300)), "lead")
        )
    # What is asked by a list is the sensitive question of its survey.
    if lists:
        blocks.append(Paragraph(lists[0], "key"))
    elif leading:
        blocks.append(Paragraph(_key_result(leading[0], evidence), "key"))
    blocks += _forest("The main results", leading, evidence)
    people = (
        Message("{smallest:,} people", smallest=evidence.distorted.rows)
        if evidence.distorted.rows
        else Message("No respondents yet")
    )
    facts: list[tuple[str, str]] = [
        ("Respondents", said) for said in _counted(study.design, people)
    ]
    facts += [
        (label, short(words, 300))
        for label, words in (
            ("Who was asked", told.population),
            ("Dates", told.dates),
            ("Mode of collection", told.mode),
        )
        if words
    ]
    facts.append(("Answers", state_words(study.state)))
    if study.design.attributes and evidence.reconstructed:
        facts.append(
            (
                "Method",
                Message(
                    "Estimates corrected for the known randomisation, with {level} % intervals",
                    level=95,
                ),
            )
        )
    facts += [
        (label, short(words, 300))
        for label, words in (
            ("Author", told.author),
            ("Distributor", told.distributor),
            ("Identifier", told.identifier),
        )
        if words
    ]
    blocks.append(Facts(tuple(facts)))
    blocks += [Paragraph(sentence) for sentence in method]
    if holds_truth(evidence):
        blocks.append(Paragraph(KEEP_IT, "warning"))
    return Section("In brief", tuple(blocks))


def _key_result(row: _Row, evidence: Evidence) -> Message:
    question = short(evidence.study.shown(row.attribute))
    known = {"question": question, "estimate": row.text(row.estimate), "interval": row.interval}
    if not row.is_share:
        return Message(
            "The mean of “{question}” is estimated at {estimate} (95\u202f% interval {interval}).",
            **known,
        )
    return Message(
        "An estimated {estimate} of people have the answer “{value}” to “{question}” "
        "(95\u202f% interval {interval}).",
        value=short(row.value, 40), **known,
    )  # fmt: skip


def _asking(evidence: Evidence, results: _Results) -> Section:
    study, design = evidence.study, evidence.study.design
    blocks: list[Block] = []
    blocks += [Paragraph(said) for said in _about_sources(evidence)]
    blocks += _card(evidence, results)
    blocks += arm_table(evidence)
    heads = ("Attribute", "Question", "Mechanism")
    names = design.without_arms().names
    ordered = [*results.names, *(name for name in names if name not in results.names)]
    rows = tuple(
        (
            short(evidence.heading(name)),
            short(study.attribute(name).label or "–"),
            describe_device(name, design),
        )
        for name in ordered[:MOST_QUESTIONS]
    )
    title = Message("Questions and how their answers were randomised")
    caption = _more(len(ordered), MOST_QUESTIONS)
    blocks.append(Grid(heads, rows, caption=caption, title=title))
    return Section("How people were asked", tuple(blocks))


def _about_sources(evidence: Evidence) -> list[str]:
    """How people were really asked, as far as the places that the answers came from tell."""
    sources = sources_of(evidence.study)
    if DIRECT in sources:
        said = "People were asked directly; their answers were randomised for the release."
        return [Message(said)]
    if not sources:
        return []
    labels = tuple(platform_label(one) for one in sources)
    return [Message("The answers come from {sources}.", sources=labels)]


def _more(count: int, most: int) -> str:
    if count <= most:
        return ""
    return Message("{count:,} more are in the attachments.", count=count - most)


def _card(evidence: Evidence, results: _Results) -> list[Block]:
    """What the respondents of the first randomised question read, with its device if it has one."""
    design = evidence.study.design
    bare = set(undistorted(design))
    names = results.names or list(design.without_arms().names)
    name = next((one for one in names if one not in bare), None)
    if name is None:
        return []
    sources = set(sources_of(evidence.study))
    if DIRECT in sources:
        return []
    shown = short(evidence.heading(name))
    # A page draws by itself, whatever device was chosen for cards.
    is_page = bool(sources) and sources <= {PAGE, COLLECTOR}
    card = None if is_page else _printed_card(evidence, name)
    if card is None:
        told = Paragraph(Message("What respondents read, for {question}:", question=shown))
        return [told, *_page(evidence, name)]
    blocks: list[Block] = [Paragraph(Message("The card for {question}:", question=shown))]
    lines = [short(line, _LONGEST_LINE) for line in card.lines][:8]
    blocks.append(Points(tuple(("", line) for line in lines)))
    picture = card.picture
    if picture is not None and picture.height <= _TALLEST:
        size = round(picture.width), round(picture.height)
        blocks.append(
            Figure(picture.to_svg(), picture.text, *size, Message("What the card shows below"))
        )
    return blocks


def _page(evidence: Evidence, name: str) -> list[Block]:
    """A question as a page or an interviewer shows it: its words, its answers, what happens."""
    asked = evidence.study.attribute(name)
    is_short = asked.kind.is_categorical and asked.k <= MOST_VALUES
    choices = "   ".join(f"○ {value}" for value in asked.values) if is_short else ""
    lines = (short(asked.label, 300), short(choices, 300), evidence.explained(name))
    return [Paragraph(line, "note") for line in lines if line]


_LONGEST_LINE = 700
"""Letters of a line of a card: the outcomes of three coins are told whole."""
_TALLEST = 260
"""Pixels of a picture of a device."""


def _printed_card(evidence: Evidence, name: str) -> Card | None:
    study = evidence.study
    language = evidence.tongue.code if evidence.tongue.code in card_languages() else "en"
    if study.design[name].device is None:
        # The page randomises, or nobody said by what.
        return None
    try:
        return cards_of(study.design, (language,), texts_of(study.attributes), (name,))[0]
    except (WorkbenchError, IndexError):
        return None


def _results(evidence: Evidence, results: _Results, lists: Sequence[str]) -> list[Section]:
    """Sensitive questions first, then what was asked of the answers, then the others."""
    chapter: list[Block] = [Paragraph(sentence) for sentence in lists[:MOST_SENTENCES]]
    blocks: list[tuple[str, list[Block]]] = []
    if results.sensitive:
        title = "Sensitive questions"
        table = _estimates(title, results.sensitive, evidence, MOST_ESTIMATES)
        blocks.append((title, [table]))
    if asked := [*_kept(evidence), *_models(evidence), *_followers(evidence)]:
        blocks.append(("Analyses", asked))
    if results.others:
        title = "Other questions" if blocks else "Questions"
        shown, count = len(results.others), len(results.others) + len(results.appended)
        told: list[Block] = []
        if results.appended:
            said = "{shown} of {count} questions are shown; the others are in the appendix."
            told.append(Paragraph(Message(said, shown=shown, count=count), "hint"))
        if results.sensitive:
            told += _forest(title, _headlines(results.others), evidence)
        told.append(_estimates(title, results.others, evidence, MOST_ESTIMATES))
        blocks.append((title, told))
    return [
        Section("Results", tuple(chapter)),
        *(Section(title, tuple(told), level=3) for title, told in blocks),
    ]


def _estimates(
    title: str, questions: Sequence[Sequence[_Row]], evidence: Evidence, most: int
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
    caption = _more(every, shown)
    named = Message("{what}: estimates with 95\u202f% intervals", what=Message(title))
    return Grid(tuple(heads), tuple(rows), tuple(heads[2:]), caption, title=named)


_SHARES = {"estimate", "low", "high", "standard_error", "naive", "true"}


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


def _truth_head(evidence: Evidence) -> str:
    return "Invented" if evidence.study.state is AnswerState.INVENTED else "Original"


def _forest(title: str, rows: Sequence[_Row], evidence: Evidence) -> list[Block]:
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
            [letters(one.result), *filter(None, [_more(len(rows), MOST_TERMS)])]
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


def _privacy(
    evidence: Evidence, results: _Results, points: Sequence[Point], tongue: Language
) -> Section:
    blocks: list[Block] = [*map(Paragraph, _budget(evidence))]
    if points:
        looks = {True: "good", False: "bad", None: "info"}
        # What is wrong comes first, as a long list is cut.
        ordered = sorted(points, key=lambda point: point.good is not False)
        titled = (point.titled(evidence.study) for point in ordered[:MOST_POINTS])
        items = tuple((looks[point.good], point.said(tongue)) for point in titled)
        blocks.append(Points(items))
        if len(points) > MOST_POINTS:
            blocks.append(Paragraph(_more(len(points), MOST_POINTS), "hint"))
        blocks += _protection(evidence, results)
        return Section("What is protected and what is not", tuple(blocks))
    blocks += _protection(evidence, results)
    if not blocks:
        blocks.append(Paragraph("The table was not made by a design; the text above tells how."))
    return Section("Privacy", tuple(blocks))


_MEASURES = {
    "epsilon": "Epsilon",
    "prior_guess": "Guess without the report",
    "attack_success": "Guess with the report",
    "belief": "Belief in the sensitive answer",
}


def _protection(evidence: Evidence, results: _Results) -> list[Block]:
    """The privacy of every randomised question, one on each line."""
    design = evidence.study.design
    bare = set(undistorted(design))
    names = results.names or list(design.without_arms().names)
    rows = []
    for name in names:
        if name in bare:
            continue
        texts = {one.name: one.text for one in evidence.assessment[name].privacy}
        if not design[name].attribute.sensitive:
            texts.pop("belief", None)
        heading = short(evidence.study.shown(name), 48)
        rows.append((heading, *(texts.get(measure, "–") for measure in _MEASURES)))
    if not rows:
        return []
    heads = ("Attribute", *_MEASURES.values())
    said = Message(
        "Epsilon limits how far a report can change the odds between two true answers. The guesses "
        "are the share of people whose true answer an attacker finds out who knows the "
        "distribution; the belief is the largest that a report gives in a sensitive answer."
    )
    caption = Message.joined([said, *filter(None, [_more(len(rows), MOST_PROTECTED)])])
    title = Message("Privacy of every randomised question")
    return [Grid(heads, tuple(rows[:MOST_PROTECTED]), heads[1:], caption, title=title)]


def _budget(evidence: Evidence) -> list[str]:
    if evidence.arms is not None:
        return [evidence.arms.sentence]
    view = BudgetBuilder().build(evidence.study.design)
    if not view.segments:
        return []
    said: list[str] = []
    if math.isfinite(view.spent):
        said.append(
            Message("Privacy budget: epsilon {spent:.2f}.", spent=view.spent)
            if view.total is None
            else Message(
                "Privacy budget: epsilon {spent:.2f} of {total:g}.",
                spent=view.spent,
                total=view.total,
            )
        )
    return [*said, *view.sentences]


def _limits(evidence: Evidence) -> Section:
    design = evidence.study.design
    said = [*interval_paragraphs(evidence), *noncompliance_sentences(evidence)]
    assumed = tuple(d.name for d in design if d.device is not None and d.device.kind.is_natural)
    if assumed:
        said.append(
            Message(
                "The shares of birthdays or digits behind {attributes} are assumed, not measured.",
                attributes=assumed,
            )
        )
    return Section("Limits of these results", tuple(map(Paragraph, said)))


def _about_truth(design: Design) -> list[str]:
    """That no true answer is in a report of reported ones, or which ones are as people answered."""
    drawn = {linking_column(design), *design.versions.columns}
    direct = tuple(
        name
        for name in design.names
        if name not in drawn and any(one.is_identity for one in devices_of(design, name).values())
    )
    if not design.attributes:
        return []
    if not direct:
        return [NO_TRUTH]
    return [Message("As people answered: {listed}.", listed=list_attributes(direct, 6))]


def _citable(evidence: Evidence) -> Message:
    """The method in a paragraph, for those who write about the survey."""
    design = evidence.study.design
    asked = [name for name in design.names if name not in design.drawn_columns]
    return Message(
        "The answers of {n:,} respondents to {randomised} of {count} questions were randomised by "
        "known mechanisms. Shares were estimated by inverting the matrix of the reporting "
        "probabilities of each question, means by correcting the known noise; intervals have a "
        "confidence level of {level} %. Computed with ppworkbench {version}.",
        n=evidence.distorted.rows, randomised=len(set(asked) - set(undistorted(design))),
        count=len(asked), level=95, version=__version__,
    )  # fmt: skip


def _method(evidence: Evidence) -> Section:
    study = evidence.study
    blocks: list[Block] = []
    if study.design.attributes:
        if evidence.distorted.rows:
            blocks.append(Paragraph(_citable(evidence)))
        blocks.append(Paragraph(ESTIMATION))
        table, file = evidence.table_file, evidence.design_file
        if not evidence.distorted.rows:
            later = Message("There are no answers yet; {file} is to hold them.", file=table)
            blocks.append(Paragraph(later))
        blocks.append(Listing(estimation_commands(table, file), "Command line"))
    rows = [("ppworkbench", __version__), ("Python", platform.python_version())]
    rows += [(name, metadata.version(name)) for name in LIBRARIES]
    listed = ", ".join(f"{name} {version}" for name, version in rows)
    blocks.append(Paragraph(Message("Versions: {listed}.", listed=listed), "hint"))
    if study.original is not None:
        seed = Message(
            "Seed of the study: {seed}. These versions and the seed reproduce the distorted "
            "answers.",
            seed=str(study.settings.seed),
        )
        blocks.append(Paragraph(seed, "hint"))
    elif study.table is not None:
        blocks.append(Paragraph(NO_SEED, "hint"))
        blocks += [Paragraph(said, "hint") for said in _about_truth(study.design)]
    blocks.append(
        Paragraph("Matrices, all measures and long tables are in the attachments.", "hint")
    )
    return Section("Method", tuple(blocks))
