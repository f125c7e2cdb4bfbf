"""What would be added, shown before anything is: which column answers what, and what is left out.

A person changes the mapping until it is right; every change makes another draft of the same files,
which are read once.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping as Pairs
from collections.abc import Sequence
from dataclasses import dataclass

from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import publishable
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.fieldwork.collected import column_texts
from ppworkbench.fieldwork.responses.add import (
    REPORTED,
    AddOptions,
    Responses,
    as_reported,
    equal_sources,
    gather,
    known_responses,
    study_questions,
)
from ppworkbench.fieldwork.responses.kit_file import Kit, find_kit
from ppworkbench.fieldwork.responses.mapping import (
    CODES,
    NUMBERS,
    TEXTS,
    VALUES,
    ColumnChoice,
    Mapping,
    Question,
    cell_reader,
    find_mapping,
    find_way,
)
from ppworkbench.fieldwork.responses.platforms import Sheet
from ppworkbench.fieldwork.responses.sources import Source, personal_columns
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.study import Study

FIRST_ROWS = 10
_MOST_UNMATCHED = 50


@dataclass(frozen=True)
class QuestionDraft:
    """A question with its column, how that is read, and the answers that mean nothing yet.

    ``column`` is empty where none was found; ``unmatched`` are cells with their counts, the most
    frequent first; ``chosen`` is what a person made of some of them.
    """

    question: Question
    column: str
    read: str
    ways: tuple[str, ...]
    unmatched: tuple[tuple[str, int], ...] = ()
    chosen: Pairs[str, str | None] = dataclasses.field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.question.name

    @property
    def open_rows(self) -> int:
        return sum(count for cell, count in self.unmatched if cell not in self.chosen)


@dataclass(frozen=True)
class Draft:
    """All that is known before responses are added.

    Parameters
    ----------
    responses
        What would be added; None where ``problem`` says why nothing can be.
    columns
        All columns that may answer a question.
    offered
        Those that can be kept without being a question.
    first
        The first rows as they will be, under ``heads``.
    must_confirm
        Whether a person has to say that the rows are new, because nothing tells them apart from
        those that the study has, or those of another file.
    """

    platform: str
    why: Message
    header_row: int
    mapping: Mapping
    questions: tuple[QuestionDraft, ...]
    columns: tuple[str, ...]
    columns_out: tuple[str, ...]
    personal: tuple[str, ...]
    preview: int
    unfinished: int
    remarks: int
    statuses: tuple[tuple[str, int], ...]
    heads: tuple[str, ...] = ()
    first: tuple[tuple[str, ...], ...] = ()
    responses: Responses | None = None
    problem: Message | None = None
    must_confirm: bool = False
    offered: tuple[str, ...] = ()


def add_design(study: Study, state: str) -> Design:
    asked = study.asked_design
    return publishable(asked) if state == REPORTED else asked


def why_not_state(study: Study, state: str) -> Message | None:
    """Why answers of a state cannot be added to a study; None if they can.

    Reported and true answers are never mixed; invented ones give way to either.
    """
    if study.state in (AnswerState.NONE, AnswerState.INVENTED) or study.state == state:
        return None
    return Message(
        "The study holds {state} answers; the two are never mixed. Choose another study.",
        state=Message(str(study.state)),
    )


def make_draft(
    sources: Sequence[Source],
    study: Study,
    options: AddOptions,
    progress: Progress = silent,
) -> Draft:
    """What the files bring under a mapping and other choices; nothing is raised for bad ones."""
    design = add_design(study, options.state)
    salt, known = known_responses(study)
    options = dataclasses.replace(
        options, salt=options.salt or salt, known=known, kept=study.kept_columns
    )
    questions = study_questions(study, design)
    if options.state == REPORTED:
        questions = tuple(as_reported(one, design) for one in questions)
    sheet = sources[0].sheet
    chosen, columns_of_kit = _chosen(sources, design, options)
    options = dataclasses.replace(options, mapping=chosen)
    mapping = _whole_mapping(sheet, questions, columns_of_kit)
    drafts = tuple(_question(one, sources, mapping.columns.get(one.name)) for one in questions)
    used = {one.column for one in mapping.columns.values()}
    columns = dict.fromkeys(n for s in sources for n in s.sheet.names if n)
    statuses: Counter[str] = Counter()
    for source in sources:
        statuses.update(dict(source.sheet.statuses))
    personal = dict.fromkeys(n for s in sources for n in personal_columns(s.sheet, used))
    own = {name for source in sources for name in (*source.sheet.own, *personal)}
    offered = tuple(n for n in columns if n not in {*used, *own, *options.kept, *design.names})
    options = dataclasses.replace(options, keep=tuple(n for n in options.keep if n in offered))
    taken = {*used, *options.kept, *options.keep}
    draft = Draft(
        sheet.platform,
        sources[0].why,
        sheet.header_row,
        mapping,
        drafts,
        tuple(columns),
        tuple(name for name in columns if name not in taken),
        tuple(personal),
        sum(sum(s.sheet.is_preview) for s in sources),
        sum(sum(s.sheet.is_unfinished) for s in sources),
        sum(s.sheet.remarks for s in sources),
        tuple(statuses.items()),
        offered=offered,
        must_confirm=bool(equal_sources(sources))
        or (study.rows > 0 and not study.invented and not all(s.sheet.ids for s in sources)),
    )
    try:
        if isinstance(options.mapping, Mapping):
            options = dataclasses.replace(options, mapping=mapping)
        found = gather(sources, design, questions, options, progress)
    except DataError as error:
        return dataclasses.replace(draft, problem=Message.of(error.message))
    heads, first = first_rows(found.table)
    return dataclasses.replace(draft, responses=found, heads=heads, first=first)


def with_column(draft: Draft, name: str, column: str, sources: Sequence[Source]) -> Mapping:
    """The mapping with another column for a question, which no other question keeps.

    An empty column takes the question's away.
    """
    kept = {
        question: one
        for question, one in draft.mapping.columns.items()
        if question != name and one.column != column
    }
    if column:
        question = next(one.question for one in draft.questions if one.name == name)
        sheet = next(s.sheet for s in sources if column in s.sheet.names)
        kept[name] = ColumnChoice(column, find_way(sheet, column, question))
    return Mapping(kept)


def with_reading(draft: Draft, name: str, read: str) -> Mapping:
    changed = dataclasses.replace(draft.mapping.columns[name], read=read)
    return Mapping({**draft.mapping.columns, name: changed})


def with_answer(draft: Draft, name: str, cell: str, value: str | None, *, out: bool) -> Mapping:
    """The mapping with a meaning for one cell; ``out`` leaves its rows out again."""
    before = draft.mapping.columns[name]
    answers = {one: meant for one, meant in before.answers.items() if one != cell}
    if not out:
        answers[cell] = value
    return Mapping({**draft.mapping.columns, name: dataclasses.replace(before, answers=answers)})


def first_rows(table: Table) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The heads and first rows of a table as texts; missing answers are empty."""
    head = table.take(slice(0, FIRST_ROWS))
    cells = [column_texts(column) for column in head]
    return head.names, tuple(zip(*cells, strict=True))


def _chosen(
    sources: Sequence[Source], design: Design, options: AddOptions
) -> tuple[Mapping | Kit | None, Mapping | None]:
    """The mapping of a person, or a kit that was chosen or lies beside the files; its columns.

    A kit knows every file by itself: those of two languages have other columns.
    """
    given = options.mapping
    if given is None and options.state == REPORTED:
        given = find_kit([source.path for source in sources], design)
    if not isinstance(given, Kit):
        return given, given
    try:
        found, _ = given.mapping(sources[0].sheet)
    except DataError:
        return None, None
    return dataclasses.replace(given, is_chosen=False), found


def _whole_mapping(sheet: Sheet, questions: Sequence[Question], given: Mapping | None) -> Mapping:
    """The mapping of a person, without what the file lacks; else what the file suggests."""
    if given is None:
        found, _, _ = find_mapping(sheet, questions)
        return found
    asked = {one.name for one in questions}
    return Mapping(
        {
            name: one
            for name, one in given.columns.items()
            if name in asked and one.column in sheet.names
        }
    )


def _question(
    question: Question, sources: Sequence[Source], choice: ColumnChoice | None
) -> QuestionDraft:
    attribute = question.attribute
    ways = (NUMBERS,) if attribute.kind.is_numeric else (TEXTS, VALUES, CODES)
    draft = QuestionDraft(question, "", ways[0], ways)
    if choice is None:
        return draft
    unmatched: Counter[str] = Counter()
    for source in sources:
        sheet = source.sheet
        if choice.column not in sheet.names:
            continue
        read = cell_reader(sheet, choice.column, question, choice.read)
        cells = Counter(cell.strip() for cell in sheet.column(choice.column))
        unmatched.update(
            {cell: count for cell, count in cells.items() if cell and read(cell) is None}
        )
    return dataclasses.replace(
        draft,
        column=choice.column,
        read=choice.read,
        unmatched=tuple(unmatched.most_common(_MOST_UNMATCHED)),
        chosen=choice.answers,
    )
