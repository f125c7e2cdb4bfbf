"""Answers of platform files as rows of a design, with an account of what was left out and why."""

from __future__ import annotations

import dataclasses
import hashlib
import secrets
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from collections.abc import Mapping as Pairs
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.build import frame_to_table
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Identity
from ppworkbench.core.design.design_file import design_digest, publishable
from ppworkbench.core.design.linked_waves import (
    linking_column,
    naming_persons,
    with_persons,
    without_linking,
)
from ppworkbench.core.design.shuffle import shuffled
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.rng import SecureStreams
from ppworkbench.fieldwork.collected import column_texts
from ppworkbench.fieldwork.responses.kit_file import Kit
from ppworkbench.fieldwork.responses.mapping import (
    Mapping,
    Question,
    Read,
    cell_reader,
    find_mapping,
)
from ppworkbench.fieldwork.responses.platforms import COLLECTOR, Sheet
from ppworkbench.fieldwork.responses.sources import (
    Source,
    collection_label,
    personal_columns,
    read_sources,
)
from ppworkbench.fieldwork.row_fitter import RowFitter
from ppworkbench.study.answer_state import KEPT, RESPONSES, SOURCES
from ppworkbench.study.state import sources_of, without_invented
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.study.questionnaire.document import Questionnaire

REPORTED, TRUE = "reported", "true"
_SALT = 16
_REPORT_EVERY = 5_000
_LEAST_EQUAL = 5
"""Fewer rows than that are equal in two files by chance."""
OFFERED = "offered"
"""The code of remarks about what the window shows, or offers a choice about, by itself."""


@dataclass(frozen=True)
class AddOptions:
    """What a person says about the files.

    ``salt`` and ``known`` tell which responses a study has already: salted hashes of their ids.
    Rows of ``statuses_out`` are left out like those of a preview. Columns to ``keep``, such as a
    weight, are taken over although they are no questions; ``kept`` ones, where a file has them.
    """

    state: str
    platform: str | None = None
    header_row: int | None = None
    mapping: Mapping | Kit | None = None
    salt: bytes = b""
    known: frozenset[str] = frozenset()
    keeps_preview: bool = False
    keeps_unfinished: bool = False
    statuses_out: frozenset[str] = frozenset()
    keep: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


@dataclass(frozen=True)
class Responses:
    table: Table
    state: str
    platform: str
    why: Message
    header_row: int
    mapping: Mapping
    columns_out: tuple[str, ...]
    personal: tuple[str, ...]
    preview: int
    unfinished: int
    remarks: int
    known: int
    unfit: tuple[tuple[str, str, int], ...]
    notes: tuple[Message, ...]
    refused: tuple[Message, ...] = ()
    ids: frozenset[str] = field(default_factory=frozenset)
    kept: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "rows": self.table.rows,
            "state": self.state,
            "platform": self.platform,
            "header_row": self.header_row,
            "columns": {name: one.column for name, one in self.mapping.columns.items()},
            **({"kept": list(self.kept)} if self.kept else {}),
            "left_out": {
                "columns": list(self.columns_out),
                "preview": self.preview,
                "unfinished": self.unfinished,
                "remarks": self.remarks,
                "known": self.known,
                "unfit": [
                    {"attribute": name, "value": value, "rows": rows}
                    for name, value, rows in self.unfit
                ],
            },
            "notes": list(self.notes),
        }


def questions_of(
    design: Design,
    wording: Pairs[str, str],
    texts: Pairs[str, Pairs[str, str]],
    questionnaire: Questionnaire | None = None,
) -> tuple[Question, ...]:
    asked = {} if questionnaire is None else {one.name: one for one in questionnaire.questions}
    shorts = {} if questionnaire is None else questionnaire.short_names()
    found = []
    for one in without_linking(design):
        name, values = one.name, one.attribute.values
        told = texts.get(name, {})
        others: list[tuple[str, tuple[str, ...]]] = []
        if questionnaire is not None and name in asked:
            answers = {answer.value: answer.text for answer in asked[name].answers}
            others = [
                (
                    asked[name].text.get(language, ""),
                    tuple(answers.get(value, {}).get(language) or value for value in values),
                )
                for language in questionnaire.languages
            ]
        found.append(
            Question(
                one.attribute,
                wording.get(name, ""),
                tuple(told.get(value) or value for value in values),
                tuple(others),
                shorts.get(name, ""),
            )
        )
    return tuple(found)


def study_questions(study: Study, design: Design | None = None) -> tuple[Question, ...]:
    wording = {one.name: one.label for one in study.attributes}
    return questions_of(design or study.asked_design, wording, {}, study.questionnaire)


def read_responses(
    paths: Sequence[str | Path],
    design: Design,
    questions: Sequence[Question],
    options: AddOptions,
    progress: Progress = silent,
) -> Responses:
    kit = options.mapping if isinstance(options.mapping, Kit) else None
    sources = read_sources(paths, design, options.platform, options.header_row, progress, kit)
    return gather(sources, design, questions, options)


def gather(
    sources: Sequence[Source],
    design: Design,
    questions: Sequence[Question],
    options: AddOptions,
    progress: Progress = silent,
) -> Responses:
    if options.state not in (REPORTED, TRUE):
        raise DataError("Say whether the answers are 'reported' or 'true'.", field="state")
    if isinstance(options.mapping, Kit):
        check_kit(options.mapping, design, options.state)
    if not sources:
        raise DataError("No file is chosen.")
    if options.state == REPORTED:
        questions = [as_reported(one, design) for one in questions]
    known = {name for one in sources for name in one.sheet.names}
    kept = dict.fromkeys((*(name for name in options.kept if name in known), *options.keep))
    gathered = _Gathered(design, dataclasses.replace(options, keep=tuple(kept)))
    for first, again in equal_sources(sources):
        gathered.note(
            Message(
                "{file} and {other} hold the same rows; if one is a copy, leave it out.",
                file=again.path.name,
                other=first.path.name,
            )
        )
    for place, source in enumerate(sources):
        progress(place / len(sources), Message("Reading {file}", file=source.path.name))
        gathered.take(source, questions, progress)
    return gathered.result(sources[0].path)


def equal_sources(sources: Sequence[Source]) -> list[tuple[Source, Source]]:
    """Files whose rows are those of one before them, and that have no ids to tell."""
    found: list[tuple[Source, Source]] = []
    seen: dict[object, Source] = {}
    for one in sources:
        # A page saves one row a file, and many people answer alike.
        if one.sheet.ids or len(one.sheet.rows) < _LEAST_EQUAL:
            continue
        before = seen.setdefault((one.sheet.names, one.sheet.rows), one)
        if before is not one:
            found.append((before, one))
    return found


def check_kit(kit: Kit, design: Design, state: str) -> None:
    """Refuse a kit of another design, and true answers to questions that were randomised."""
    if kit.digest != design_digest(design):
        raise DataError(
            "The kit belongs to another design than the study; choose the study that it was "
            "written from.",
            field="map",
        )
    if state != REPORTED and any(not one.perturbation.is_identity for one in design):
        raise DataError(
            "Answers to the forms of a kit are randomised; add them as reported.", field="state"
        )


def as_reported(question: Question, design: Design) -> Question:
    """The question with the sets that are reported instead of its values, where they are."""
    one = design[question.name]
    if not one.perturbation.reports_sets:
        return question
    return dataclasses.replace(question, attribute=one.distorted)


def known_responses(study: Study) -> tuple[bytes, frozenset[str]]:
    """The salt of a study and the hashes of the responses it has; a new salt to begin with."""
    kept = study.results.get(RESPONSES)
    if isinstance(kept, dict):
        salt, ids = kept.get("salt"), kept.get("ids")
        if isinstance(salt, str) and isinstance(ids, list) and all(isinstance(i, str) for i in ids):
            try:
                return bytes.fromhex(salt), frozenset(ids)
            except ValueError:
                pass
    return secrets.token_bytes(_SALT), frozenset()


def taken_hash(salt: bytes, place: str | Path, number: int) -> str:
    """What a study notes, among the ids of responses, of a collection that it took over."""
    return _salted_hash(salt, f"{COLLECTOR}/taken/{collection_label(place, number)}")


def _salted_hash(salt: bytes, text: str) -> str:
    return hashlib.sha256(salt + text.encode()).hexdigest()[:32]


def add_to_study(study: Study, responses: Responses, salt: bytes) -> Study:
    """The study with more answers of the same state; all rows are shuffled again.

    Invented answers are removed: they are never mixed with real ones.
    """
    why_not = study.all_rows.why_not_added
    if why_not is not None:
        raise DataError(why_not)
    worded = with_wording(responses.table, study)
    study = without_invented(study)
    is_reported = responses.state == REPORTED
    other = study.original if is_reported else study.distorted
    if other is not None:
        raise DataError.saying(
            "The study holds {state} answers; the two are never mixed. Choose another study.",
            state=Message(TRUE if is_reported else REPORTED),
        )
    before = study.distorted if is_reported else study.original
    table = worded if before is None else _joined(before, worded, study)
    _, known = known_responses(study)
    ids = known | responses.ids
    sources = {*(sources_of(study) if before is not None else ()), responses.platform}
    columns = list(dict.fromkeys((*study.kept_columns, *responses.kept)))
    kept = {"salt": salt.hex(), "ids": sorted(ids), SOURCES: sorted(sources), KEPT: columns}
    design = study.design
    if is_reported:
        design = naming_persons(publishable(design), table.names)
    design = with_kept(design, table, columns)
    changed = study.with_(**{"distorted" if is_reported else "original": table}, design=design)
    return changed.with_results(RESPONSES, kept)


def with_kept(design: Design, table: Table, names: Iterable[str]) -> Design:
    """The design with columns that nobody was asked, which are what they are."""
    fresh = {name: DesignedAttribute(table[name].attribute, Identity()) for name in names}
    listed = [fresh.pop(one.name, one) for one in design]
    return dataclasses.replace(design, attributes=(*listed, *fresh.values()))


def _kept_columns(cells: Pairs[str, Sequence[str]]) -> tuple[Column, ...]:
    import pandas as pd

    frame = pd.DataFrame(
        {
            name: pd.Series([cell or None for cell in one], dtype=object)
            for name, one in cells.items()
        }
    )
    for name in frame.columns:
        numbers = pd.to_numeric(frame[name], errors="coerce")
        if numbers.notna().sum() == frame[name].notna().sum():
            frame[name] = numbers
    return frame_to_table(frame, list(frame.columns)).columns if len(frame.columns) else ()


def with_wording(table: Table, study: Study) -> Table:
    told = {attribute.name: attribute for attribute in study.attributes}

    def worded(given: Attribute) -> Attribute:
        one = told.get(given.name)
        if one is None:
            return given
        title, unit = one.title or given.title, one.unit or given.unit
        return given.with_(label=one.label, title=title, unit=unit)

    return table.described_by(worded)


def _joined(before: Table, more: Table, study: Study) -> Table:
    """The rows of both in random order, so that nobody can tell who came later."""
    asked = study.asked_design
    person = linking_column(asked)
    if person is not None and (person in before) != (person in more):
        before, more = with_persons(before, person), with_persons(more, person)
    columns = tuple(
        column.with_(data=np.concatenate([column.data, more[column.name].data]), why_missing=None)
        for column in before
        if column.name in more and (column.name in asked or column.name == person)
    )
    others = [
        name for name in (*before.names, *more.names) if name not in {c.name for c in columns}
    ]
    kept = _kept_columns({name: _texts(before, name) + _texts(more, name) for name in others})
    joined = before.with_(columns=(*columns, *kept))
    return shuffled(joined, SecureStreams().stream("shuffle", "rows"))


def _texts(table: Table, name: str) -> list[str]:
    return column_texts(table[name]) if name in table else [""] * table.rows


def _remarks(sheet: Sheet, path: Path, out: Container[str]) -> Iterator[Message]:
    yield from sheet.notes
    for status, count in sheet.statuses:
        if status in out:
            continue
        yield Message(
            "{count} row(s) have the status {status!r} and were kept; leave them out in the file "
            "if they are no answers.",
            code=OFFERED,
            count=count,
            status=status,
        )
    if not sheet.ids:
        yield Message(
            "{file} has no ids of responses, so rows that were added before cannot be told from "
            "new ones.",
            file=path.name,
        )


class _Gathered:
    def __init__(self, design: Design, options: AddOptions) -> None:
        self._fitter = RowFitter(design, is_reported=options.state == REPORTED)
        self._person = linking_column(design) or ""
        self._options = options
        self._counts: Counter[str] = Counter()
        self._unfit: Counter[tuple[str, str]] = Counter()
        self._notes: dict[Message, None] = {}
        self._columns_out: dict[str, None] = {}
        self._personal: dict[str, None] = {}
        self._ids: set[str] = set()
        self._kept: list[tuple[str, ...]] = []
        self._first: tuple[Sheet, Message, Mapping] | None = None

    def note(self, remark: Message) -> None:
        self._notes[remark] = None

    def take(self, source: Source, questions: Sequence[Question], progress: Progress) -> None:
        sheet, path = source.sheet, source.path
        mapping = self._mapping(sheet, questions, path)
        if self._first is None:
            self._first = sheet, source.why, mapping
        used = {one.column for one in mapping.columns.values()} | {self._person}
        personal = personal_columns(sheet, used)
        places = self._kept_places(sheet, path, used | set(mapping.columns), personal)
        used |= set(self._options.keep)
        self._columns_out |= dict.fromkeys(n for n in sheet.names if n and n not in used)
        self._personal |= dict.fromkeys(personal)
        self._counts["remarks"] += sheet.remarks
        self._notes |= dict.fromkeys(_remarks(sheet, path, self._options.statuses_out))
        for why, count in sheet.faults:
            self._fitter.refused[why] += count
        by_name = {question.name: question for question in questions}
        readers = {
            name: (
                sheet.names.index(one.column),
                one.answers,
                cell_reader(sheet, one.column, by_name[name], one.read),
            )
            for name, one in mapping.columns.items()
        }
        person = sheet.names.index(self._person) if self._person in sheet.names else None
        before = self._counts["known"]
        self._check_collection(sheet, path)
        for number, row in enumerate(sheet.rows):
            if number % _REPORT_EVERY == 0:
                progress(number / len(sheet.rows))
            salted = self._salted(sheet, number)
            named = {} if person is None else {self._person: row[person]}
            if not self._is_left_out(sheet, number, salted) and self._take_row(row, readers, named):
                # Who did not fit may come again, better understood.
                self._ids |= {salted} - {""}
                self._kept.append(tuple(row[place].strip() for place in places))
        if sheet.has_counted_ids and self._counts["known"] > before:
            self.note(
                Message(
                    "{count} row(s) of {file} have ids that were added before and were left out. "
                    "Another survey can have the same ids; add that to a study of its own.",
                    count=self._counts["known"] - before,
                    file=path.name,
                )
            )

    def _kept_places(
        self, sheet: Sheet, path: Path, used: Container[str], personal: Container[str]
    ) -> list[int]:
        for name in self._options.keep:
            if name not in sheet.names:
                raise DataError.saying(
                    "{file} has no column {column!r} to keep.", file=path, column=name
                )
            if name in used:
                raise DataError.saying(
                    "The column {column!r} of {file} answers a question, or is called like one.",
                    file=path,
                    column=name,
                )
            if name in sheet.own or name in personal:
                raise DataError.saying(
                    "The column {column!r} of {file} may tell who answered or when; leave it out.",
                    file=path,
                    column=name,
                )
        return [sheet.names.index(name) for name in self._options.keep]

    def _take_row(
        self,
        row: Sequence[str],
        readers: Pairs[str, tuple[int, Pairs[str, str | None], Read]],
        person: Pairs[str, object],
    ) -> bool:
        """Take a row if all its answers are of the design; count what is not."""
        cells: dict[str, object] = {**person}
        is_fit = True
        for name, (place, answers, read) in readers.items():
            cell = row[place].strip()
            meant = answers[cell] if cell in answers else read(cell) if cell else None
            if meant is None and cell and cell not in answers:
                self._unfit[name, cell] += 1
                is_fit = False
            cells[name] = meant
        before = len(self._fitter.rows)
        if is_fit:
            self._fitter.take(cells)
        return len(self._fitter.rows) > before

    def _mapping(self, sheet: Sheet, questions: Sequence[Question], path: Path) -> Mapping:
        given = self._options.mapping
        if isinstance(given, Kit):
            given = self._of_kit(given, sheet)
        if given is None:
            found, absent, remarks = find_mapping(sheet, questions)
            self._notes |= dict.fromkeys(remarks)
        else:
            found = given
            absent = tuple(one.name for one in questions if one.name not in given.columns)
            for name, one in given.columns.items():
                if one.column not in sheet.names:
                    raise DataError.saying(
                        "{file} has no column {column!r}, which the mapping uses for "
                        "{attribute!r}.",
                        column=one.column,
                        file=path,
                        attribute=name,
                    )
            unknown = [name for name in given.columns if name not in {q.name for q in questions}]
            if unknown:
                raise DataError.saying(
                    "The mapping names {attribute!r}, which is no question of the design.",
                    attribute=unknown[0],
                )
        if absent:
            raise DataError.saying(
                "{file} has no column for {attribute!r}. Choose one or load a mapping.",
                file=path,
                attribute=absent[0],
            )
        return found

    def _of_kit(self, kit: Kit, sheet: Sheet) -> Mapping | None:
        """The columns of a kit; None where it only lies beside a file that is not its own."""
        try:
            found, remarks = kit.mapping(sheet)
        except DataError:
            if kit.is_chosen:
                raise
            return None
        self._notes |= dict.fromkeys(remarks)
        return found

    def _is_left_out(self, sheet: Sheet, number: int, salted: str) -> bool:
        options = self._options
        for reason, rows, is_kept in (
            ("preview", sheet.is_preview, options.keeps_preview),
            ("unfinished", sheet.is_unfinished, options.keeps_unfinished),
        ):
            if rows and rows[number]:
                self._counts[reason] += 1
                if not is_kept:
                    return True
        if sheet.status and sheet.status[number] in options.statuses_out:
            self._counts["status"] += 1
            return True
        if salted and (salted in self._ids or salted in options.known):
            self._counts["known"] += 1
            return True
        return False

    def _salted(self, sheet: Sheet, number: int) -> str:
        """What tells a response from others without naming it; empty where nothing does."""
        if not sheet.ids or not sheet.ids[number]:
            return ""
        return self._hash(f"{sheet.platform} {sheet.ids[number]}")

    def _hash(self, text: str) -> str:
        return _salted_hash(self._options.salt, text)

    def _check_collection(self, sheet: Sheet, path: Path) -> None:
        """Refuse a collection whose answers the study has, but under other ids or none."""
        if not sheet.open_source:
            return
        if self._hash(f"{sheet.platform}/taken/{sheet.open_source}") in self._options.known:
            raise DataError.saying(
                "The study has imported the answers of {file}. Press “Import the answers” on "
                "Collect again to get those that have arrived since.",
                file=path,
            )
        was_open = self._hash(f"{sheet.platform} open {sheet.open_source}")
        if not sheet.is_renumbered:
            self._ids.add(was_open)
            return
        known = self._options.known
        places = range(len(sheet.rows))
        if was_open in known and not any(self._salted(sheet, one) in known for one in places):
            raise DataError.saying(
                "{file} was closed after some of its answers were added. Closing gave all of them "
                "new numbers, so that the others cannot be told from these; add them all to a "
                "study that has none of them.",
                file=path,
            )

    def result(self, path: Path) -> Responses:
        assert self._first is not None  # noqa: S101 (there is a file)
        sheet, why, mapping = self._first
        if not self._fitter.rows and not self._counts["known"]:
            raise self._nothing(path)
        table = self._fitter.table()
        keep = self._options.keep
        cells = {name: [row[place] for row in self._kept] for place, name in enumerate(keep)}
        table = table.with_(columns=(*table.columns, *_kept_columns(cells)))
        if table.rows:
            table = shuffled(table, SecureStreams().stream("shuffle", "rows"))
        personal = tuple(self._personal)
        if personal:
            self.note(
                Message(
                    "Columns that may name people or places were left out: {columns}.",
                    code=OFFERED,
                    columns=personal,
                )
            )
        return Responses(
            table.with_(notes=()),
            self._options.state,
            sheet.platform,
            why,
            sheet.header_row,
            mapping,
            tuple(self._columns_out),
            personal,
            self._counts["preview"],
            self._counts["unfinished"],
            self._counts["remarks"],
            self._counts["known"],
            tuple((name, cell, rows) for (name, cell), rows in self._unfit.most_common()),
            (*self._notes, *map(Message.of, table.notes)),
            tuple(map(Message.of, table.notes)),
            frozenset(self._ids),
            keep,
        )

    def _nothing(self, path: Path) -> DataError:
        if self._unfit:
            (name, cell), _ = self._unfit.most_common(1)[0]
            why = Message("{attribute!r} has no answer {cell!r}", attribute=name, cell=cell[:60])
        elif self._fitter.refused:
            why = Message.of(next(iter(self._fitter.refused)))
        elif self._counts["unfinished"] or self._counts["preview"]:
            why = Message("no response is finished")
        else:
            why = Message("there are none")
        return DataError.saying(
            "No row of {paths} fits the design: {why}.", paths=path.name, why=why
        )
