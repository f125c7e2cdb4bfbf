"""The part of a report that people read: at most ten pages for any study.

Sensitive questions come first, then what was asked of the answers, then other questions. Every
table and list has a longest length; what goes beyond it is in the appendix or in the attachments.
Long texts of a study are shortened here and whole there.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Iterator, Sequence
from importlib import metadata

from ppworkbench.analyses.planning.study_budget import BudgetBuilder
from ppworkbench.core.data.table import list_attributes
from ppworkbench.core.design import Design
from ppworkbench.core.design.linked_waves import linking_column
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.fieldwork.page.cards import Card, card_languages, cards_of
from ppworkbench.fieldwork.responses.platforms import COLLECTOR, PAGE, platform_label
from ppworkbench.outputs.report.evidence import Evidence
from ppworkbench.outputs.report.results_sections import (
    MOST_APPENDED,
    MOST_VALUES,
    Results,
    Row,
    estimates_table,
    headlines,
    more,
    results_sections,
    shares_figure,
    short,
)
from ppworkbench.outputs.report.study_sections import (
    ESTIMATION,
    arm_table,
    estimation_commands,
    interval_paragraphs,
    list_sentences,
    noncompliance_sentences,
)
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
MOST_PROTECTED = 40
MOST_POINTS = 12
MOST_WORDS = 700
"""Letters of a paragraph that somebody wrote."""


def holds_truth(evidence: Evidence) -> bool:
    return evidence.study.state is AnswerState.TRUE and evidence.original is not None


def main_sections(
    evidence: Evidence, points: Sequence[Point], method: Sequence[str], tongue: Language
) -> list[Section]:
    """Question and answer in brief, results, how people were asked, privacy, limits, method."""
    results, lists = Results(evidence), list_sentences(evidence)
    sections = [_brief(evidence, results, lists, method)]
    if results.rows or lists:
        sections += results_sections(evidence, results, lists)
    if evidence.study.design.attributes:
        sections.append(_asking(evidence, results))
    sections.append(_privacy(evidence, results, points, tongue))
    if evidence.distorted.rows and evidence.reconstructed:
        sections.append(_limits(evidence))
    sections.append(_method(evidence))
    if results.appended:
        table = estimates_table("Further questions", results.appended, evidence, MOST_APPENDED)
        sections.append(Section("Appendix: further questions", (table,)))
    return sections


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
    evidence: Evidence, results: Results, lists: Sequence[str], method: Sequence[str]
) -> Section:
    """What fits on the first page: the question, its answer in a sentence and a figure, facts."""
    study, told = evidence.study, evidence.study.description
    leading = headlines(results.sensitive or results.others)
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
        blocks += [Paragraph(said, "hint") for said in leading[0].remarks]
    blocks += shares_figure("The main results", leading, evidence)
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


def _key_result(row: Row, evidence: Evidence) -> Message:
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


def _asking(evidence: Evidence, results: Results) -> Section:
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
    caption = more(len(ordered), MOST_QUESTIONS)
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


def _card(evidence: Evidence, results: Results) -> list[Block]:
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


def _privacy(
    evidence: Evidence, results: Results, points: Sequence[Point], tongue: Language
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
            blocks.append(Paragraph(more(len(points), MOST_POINTS), "hint"))
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


def _protection(evidence: Evidence, results: Results) -> list[Block]:
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
        "are the share of people whose true answer is found out by an attacker who expects the "
        "shares of the design; the belief is the largest that a report gives in a sensitive answer."
    )
    caption = Message.joined([said, *filter(None, [more(len(rows), MOST_PROTECTED)])])
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
