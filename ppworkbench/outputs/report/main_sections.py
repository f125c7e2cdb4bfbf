"""The part of a report that people read: at most eight pages for any study.

Every table and list has a longest length; what goes beyond it is in the attachments. Long texts
of a study are shortened here and whole there.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from itertools import groupby

from ppworkbench.analyses.budget import BudgetBuilder
from ppworkbench.analyses.compliance.sentences import in_words
from ppworkbench.analyses.regression.tables import headline, rounded_rows
from ppworkbench.core.data.table import list_attributes
from ppworkbench.core.design import Design
from ppworkbench.core.design.linked_waves import linking_column
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.survey.means import Mean, mean
from ppworkbench.fieldwork.page.cards import Card, card_languages, cards_of
from ppworkbench.fieldwork.responses.platforms import COLLECTOR, PAGE, platform_label
from ppworkbench.outputs.report.attribute_section import reported_shares
from ppworkbench.outputs.report.evidence import Evidence, RefusedModel
from ppworkbench.outputs.report.figure import Effect, drawn, effects_picture
from ppworkbench.outputs.report.lists import list_sentences
from ppworkbench.outputs.report.study_sections import (
    ESTIMATION,
    arm_table,
    estimation_commands,
    interval_paragraphs,
    noncompliance_sentences,
)
from ppworkbench.study.answer_state import DIRECT, AnswerState, state_words
from ppworkbench.study.blocks import (
    Block,
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
MOST_ANSWERS = 5
"""Estimates that stand at the beginning."""
MOST_QUESTIONS = 24
MOST_ESTIMATES = 60
MOST_VALUES = 8
"""Values of one question; of more, the most frequent ones are shown."""
MOST_DRAWN = 12
MOST_MODELS = 2
MOST_TERMS = 10
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
    """Whether a report tells of true answers of people."""
    return evidence.study.state is AnswerState.TRUE and evidence.original is not None


def main_sections(
    evidence: Evidence, points: Sequence[Point], method: Sequence[str], tongue: Language
) -> list[Section]:
    """Question and answer in brief, how people were asked, results, privacy, limits, method."""
    results, lists = _Results(evidence), list_sentences(evidence)
    sections = [_brief(evidence, results, lists, method)]
    if evidence.study.design.attributes:
        sections.append(_asking(evidence, results))
    if results.rows or lists:
        sections.append(_results(evidence, results, lists))
    sections.append(_privacy(evidence, results, points, tongue))
    if evidence.distorted.rows and evidence.reconstructed:
        sections.append(_limits(evidence))
    sections.append(_method(evidence))
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
        """A share or a mean as people read it."""
        if number is None or not math.isfinite(number):
            return "–"
        if self.is_share:
            return Message("{share:.1f} %", share=100 * number)
        return Message("{number:,.4g}", number=number)

    @property
    def interval(self) -> str:
        """From where to where the interval goes."""
        if self.low is None or self.high is None:
            return "–"
        if self.is_share:
            low, high = 100 * self.low, 100 * self.high
            return Message("{low:.1f} to {high:.1f} %", low=low, high=high)
        return Message("{low:,.4g} to {high:,.4g}", low=self.low, high=self.high)


class _Results:
    """The estimates of a study, those of sensitive questions first."""

    def __init__(self, evidence: Evidence) -> None:
        design = evidence.study.design
        bare = set(undistorted(design))
        names = [name for name in design.without_arms().names if name in evidence.reconstructed]

        def weight(name: str) -> tuple[bool, bool]:
            return not design[name].attribute.sensitive, name in bare

        self.names = sorted(names, key=weight)
        self.rows = [row for name in self.names for row in _rows(evidence, name)]
        self.left_out = sum(
            found.k
            for name in self.names
            if (found := evidence.reconstructed[name]).values is not None
        ) - sum(row.is_share for row in self.rows)

    @property
    def headlines(self) -> list[_Row]:
        """One row for every question: its sensitive answer, else its last, or its mean."""
        return [row for row in self.rows if row.stands_for_all]

    def whole_questions(self, most: int) -> list[_Row]:
        """The first rows, at most so many: a question has all of its rows or none."""
        kept: list[_Row] = []
        for _, rows in groupby(self.rows, key=lambda row: row.attribute):
            asked = list(rows)
            if len(kept) + len(asked) > most:
                break
            kept += asked
        return kept


def _rows(evidence: Evidence, name: str) -> Iterator[_Row]:
    """The rows of one question, a value each, or its mean."""
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
    study, told = evidence.study, evidence.study.description
    people = (
        Message("{smallest:,} people", smallest=evidence.distorted.rows)
        if evidence.distorted.rows
        else Message("No respondents yet")
    )
    blocks: list[Block] = []
    if told.abstract:
        blocks.append(Paragraph(short(told.abstract, MOST_WORDS), "lead"))
    blocks += [Paragraph(said, "lead") for said in _counted(study.design, people)]
    state = state_words(study.state)
    blocks.append(Paragraph(Message("State of the answers: {state}.", state=state)))
    blocks += [Paragraph(sentence) for sentence in method]
    facts = (
        ("Who was asked", told.population),
        ("Author", told.author),
        ("Distributor", told.distributor),
        ("Identifier", told.identifier),
    )
    blocks += [
        Paragraph(
            Message("{label}: {words}", label=Message(label), words=short(words, 300)), "hint"
        )
        for label, words in facts
        if words
    ]
    if holds_truth(evidence):
        blocks.append(Paragraph(KEEP_IT, "warning"))
    # What is asked by a list is the sensitive question of its survey.
    answers = [*lists, *(_sentence(row, evidence) for row in results.headlines)]
    if answers:
        blocks.append(Points(tuple(("", one) for one in answers[:MOST_ANSWERS])))
        blocks.append(
            Paragraph("Estimates corrected for the device, with 95\u202f% intervals.", "hint")
        )
    return Section("In brief", tuple(blocks))


def _sentence(row: _Row, evidence: Evidence) -> str:
    return Message(
        "{question}, {value}: {estimate} ({interval})",
        question=short(evidence.study.shown(row.attribute)),
        value=row.value if not row.is_share else Message("“{value}”", value=short(row.value, 40)),
        estimate=row.text(row.estimate),
        interval=row.interval,
    )


def _asking(evidence: Evidence, results: _Results) -> Section:
    study, design = evidence.study, evidence.study.design
    blocks: list[Block] = []
    if study.description.mode:
        words = short(study.description.mode, 300)
        blocks.append(Paragraph(Message("Mode of collection: {mode}", mode=words)))
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
    blocks.append(Grid(heads, rows, caption=_more(len(ordered), MOST_QUESTIONS)))
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
        return [
            Paragraph(Message("What respondents read, for {question}:", question=shown)),
            Paragraph(evidence.explained(name), "note"),
        ]
    blocks: list[Block] = [Paragraph(Message("The card for {question}:", question=shown))]
    lines = [short(line, _LONGEST_LINE) for line in card.lines][:8]
    blocks.append(Points(tuple(("", line) for line in lines)))
    picture = card.picture
    if picture is not None and picture.height <= _TALLEST:
        blocks.append(
            Figure(picture.to_svg(), picture.text, round(picture.width), round(picture.height))
        )
    return blocks


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


def _results(evidence: Evidence, results: _Results, lists: Sequence[str]) -> Section:
    shares = [row for row in results.headlines if row.is_share and row.low is not None]
    blocks: list[Block] = []
    if shares:
        blocks.append(_forest(shares[:MOST_DRAWN], evidence))
    has_truth = evidence.original is not None
    heads = ["Attribute", "Value", "Reported", "Estimate", "95\u202f% interval"]
    heads += [_truth_head(evidence)] if has_truth else []
    rows, before = [], ""
    kept = results.whole_questions(MOST_ESTIMATES)
    for row in kept:
        # A question of several values is named once.
        name = "" if row.attribute == before else short(evidence.study.shown(row.attribute), 48)
        before = row.attribute
        cells = [name, short(row.value, 40), row.text(row.reported), row.text(row.estimate)]
        cells += [row.interval, *([row.text(row.true)] if has_truth else [])]
        rows.append(tuple(cells))
    caption = _more(len(results.rows) + results.left_out, len(kept))
    if rows:
        blocks.append(Grid(tuple(heads), tuple(rows), tuple(heads[2:]), caption))
    blocks += _models(evidence)
    said: list[str] = [in_words(one.found) for one in evidence.checked if one.found is not None]
    said += lists
    blocks += [Paragraph(sentence) for sentence in said[:MOST_SENTENCES]]
    return Section("Results", tuple(blocks))


def _truth_head(evidence: Evidence) -> str:
    return "Invented" if evidence.study.state is AnswerState.INVENTED else "Original"


def _forest(rows: Sequence[_Row], evidence: Evidence) -> Figure:
    say, study = evidence.tongue.say, evidence.study
    listed = []
    for row in rows:
        label = say(
            Message(
                "{question}: {value}",
                question=short(evidence.study.shown(row.attribute), 24),
                value=short(row.value, 12),
            )
        )
        numbers = (row.estimate, row.low or 0.0, row.high or 0.0)
        estimate, low, high = (100 * number for number in numbers)
        reported = None if row.reported is None else 100 * row.reported
        true = row.true if study.state is AnswerState.TRUE else None
        truth = None if true is None else 100 * true
        listed.append(Effect(label, estimate, low, high, reported, truth))
    axis = Message("Share of people")
    return drawn(effects_picture(Message("Results"), axis, listed, 0.95, unit="%"), say)


def _models(evidence: Evidence) -> list[Block]:
    blocks: list[Block] = []
    fitted = [one for one in evidence.models if not isinstance(one, RefusedModel)]
    for one in fitted[:MOST_MODELS]:
        heads, *rows = rounded_rows(one.found, evidence.study)
        kept = tuple(tuple(row) for row in rows[:MOST_TERMS])
        caption = _more(len(rows), MOST_TERMS)
        blocks.append(Paragraph(headline(one.found, evidence.study), "lead"))
        blocks.append(Grid(tuple(heads), kept, tuple(heads[1:]), caption))
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
        return Section("What is protected and what is not", tuple(blocks))
    names = results.names or list(evidence.study.design.without_arms().names)
    told = []
    for name in names[:MOST_SENTENCES]:
        readings = {one.name: one.sentence for one in evidence.assessment[name].privacy}
        for measure in ("epsilon", "attack_success"):
            if measure in readings:
                said = Message(
                    "{question}: {sentence}",
                    question=short(evidence.study.shown(name), 48),
                    sentence=Message.of(readings[measure]),
                )
                told.append(("", said))
    if told:
        blocks.append(Points(tuple(told)))
    if not blocks:
        blocks.append(Paragraph("The table was not made by a design; the text above tells how."))
    return Section("Privacy", tuple(blocks))


def _budget(evidence: Evidence) -> list[str]:
    """The privacy budget in words, or that of the arms."""
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
    return Section("What the intervals do not contain", tuple(map(Paragraph, said)))


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


def _method(evidence: Evidence) -> Section:
    study = evidence.study
    blocks: list[Block] = []
    if study.design.attributes:
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
