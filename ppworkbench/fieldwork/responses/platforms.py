"""How survey platforms export answers: what marks their files, and which rows are no answers.

A platform is recognised by marks that others do not leave. Whatever else a file carries (times,
addresses, names of people) is left out; of response ids only what tells a row from others is used.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ppworkbench.core.data.header import (
    is_sparse,
    looks_like_record,
    no_header_note,
    remarks_note,
    title_note,
    title_rows,
)
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.registry import Registry
from ppworkbench.study.files.grid import Grid
from ppworkbench.study.questionnaire.texts import fold, short_name

TABLE = "table"
"""A file of no known platform: names above, a row for each person below."""
PAGE = "page"
"""Rows that a questionnaire page saved or sent."""
COLLECTOR = "collector"
"""The database of a collector."""
_MOST_TITLES = 10
"""So many rows may stand above a platform's names."""
_OWN_LABELS = {
    TABLE: Message("a table"),
    PAGE: Message("a questionnaire page"),
    COLLECTOR: Message("a collector"),
}


@dataclass(frozen=True)
class Sheet:
    """The answers in a platform's file, without its header rows.

    Parameters
    ----------
    header_row
        The row of the names, counted from 1.
    wording
        The question of each column; empty where the file has none.
    own
        Columns that are the platform's and hold no answers to questions.
    is_preview, is_unfinished
        Rows that are left out unless somebody wants them; one truth value per row.
    ids
        What tells one response from another, empty where the platform has nothing like it.
    remarks
        Rows below an empty one, which are no answers.
    statuses, status
        Rows that may be no answers: how many there are of each status, and the status of every
        row.
    faults
        How many rows could not be read at all, by the reason.
    notes
        What was guessed about the file, with its row.
    code
        What stands for the first answer, the second and so on.
    has_counted_ids
        Whether ids count responses, so that two surveys have the same ones.
    open_source, is_renumbered
        What names the source of answers that get other ids when it is closed, and whether they
        have got them.
    """

    platform: str
    header_row: int
    names: tuple[str, ...]
    wording: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    own: frozenset[str] = frozenset()
    is_preview: tuple[bool, ...] = ()
    is_unfinished: tuple[bool, ...] = ()
    ids: tuple[str, ...] = ()
    remarks: int = 0
    statuses: tuple[tuple[str, int], ...] = ()
    status: tuple[str, ...] = ()
    faults: tuple[tuple[Message, int], ...] = ()
    notes: tuple[Message, ...] = ()
    labels: dict[str, dict[str, str]] = field(default_factory=dict)
    code: Callable[[int], str] = str
    has_counted_ids: bool = False
    open_source: str = ""
    is_renumbered: bool = False

    def column(self, name: str) -> tuple[str, ...]:
        place = self.names.index(name)
        return tuple(row[place] for row in self.rows)


class Platform(ABC):
    name: ClassVar[str]

    def marks(self, grid: Grid) -> Message | None:  # noqa: ARG002
        """By what a file is known to be the platform's and no other's; None if it is not."""
        return None

    def general_marks(self, grid: Grid) -> Message | None:  # noqa: ARG002
        """By what a file looks like the platform's, as others may, too; None if it does not."""
        return None

    @abstractmethod
    def read(self, grid: Grid, answered: Collection[str] = ()) -> Sheet:
        """The answers of a file of the platform.

        Columns that are known to be ``answered`` are nobody's bookkeeping, whatever they are
        called: a question may be named "status" or "end".
        """

    def _sheet(
        self,
        names: tuple[str, ...],
        rows: tuple[tuple[str, ...], ...],
        own: frozenset[str],
        wording: tuple[str, ...] = (),
        **more: Any,
    ) -> Sheet:
        return Sheet(self.name, 1, names, wording or ("",) * len(names), rows, own, **more)


platforms: Registry[type[Platform]] = Registry("platform")


def find_platform(grid: Grid, asked: str | None = None) -> tuple[str, Message]:
    """The platform of a file and how that is known; one that was asked for is taken.

    What others may look like as well decides nothing against marks, nor against what was asked for.
    """
    own = _marked(grid)
    found = own or _looking_alike(grid)
    if asked is not None:
        entry = platforms.entry(asked)
        if own and entry.name not in dict(own):
            # Its rows would be taken for names, and those that are no answers for answers.
            raise DataError.saying(
                "{file} bears the marks of {first}, not of {second}.",
                first=platforms.entry(own[0][0]).label,
                second=entry.label,
                file=grid.file,
                field="platform",
            )
        return entry.name, Message("chosen")
    if len(found) > 1:
        raise DataError.saying(
            "{file} bears the marks of {first} and of {second}; say which one it is.",
            first=platforms.entry(found[0][0]).label,
            second=platforms.entry(found[1][0]).label,
            file=grid.file,
            field="platform",
        )
    return found[0] if found else (TABLE, Message("no platform's marks"))


def is_marked(grid: Grid) -> bool:
    """Whether a file bears marks that only one platform leaves."""
    return bool(_marked(grid))


def _marked(grid: Grid) -> list[tuple[str, Message]]:
    return [(one.name, why) for one in platforms if (why := one.item().marks(grid)) is not None]


def _looking_alike(grid: Grid) -> list[tuple[str, Message]]:
    return [
        (one.name, why) for one in platforms if (why := one.item().general_marks(grid)) is not None
    ]


def from_names(grid: Grid, header_row: int | None = None) -> tuple[Grid, int]:
    """The rows from a platform's names on, and how many stand above them.

    Somebody may have written a title above what a platform exported.
    """
    if header_row is not None:
        if header_row > len(grid.rows):
            raise _no_such_row(grid, header_row)
        return dataclasses.replace(grid, rows=grid.rows[header_row - 1 :]), header_row - 1
    width = len(grid.header)
    for above in range(min(_MOST_TITLES + 1, len(grid.rows))):
        below = dataclasses.replace(grid, rows=grid.rows[above:])
        if _marked(below) or _looking_alike(below):
            return below, above
        if not is_sparse(sum(bool(cell.strip()) for cell in below.header), width):
            break
    return grid, 0


def titles_note(grid: Grid, above: int) -> tuple[Message, ...]:
    """What is said about so many rows of titles above the names; nothing where there are none."""
    words = next((cell for row in grid.rows[:above] for cell in row if cell.strip()), "")
    return (Message.of(title_note(" ".join(words.split()), above + 1)),) if words else ()


def _no_such_row(grid: Grid, header_row: int) -> DataError:
    return DataError.saying(
        "{file} has no line {header} for the column names.",
        header=header_row,
        file=grid.file,
        field="header",
    )


def platform_label(name: str) -> str:
    if name not in platforms:
        return _OWN_LABELS.get(name, name)
    return platforms.entry(name).label


def _plain(name: str) -> str:
    return name.strip().casefold().replace(" ", "_")


def _index(names: Sequence[str], own: Collection[str], *wanted: str) -> int | None:
    """The place of the platform's own column with the first of these names, whatever their case."""
    folded = [_plain(name) if name in own else "" for name in names]
    return next((folded.index(one) for one in wanted if one in folded), None)


def _own_columns(
    names: Sequence[str],
    known: Mapping[str, str],
    answered: Collection[str],
    is_own: Callable[[str], bool] = lambda _: False,
) -> frozenset[str]:
    """The columns of a platform, which are ``known`` by their plain names, each as it is spelled.

    Where one is spelled so, another that differs in its case is a question. ``is_own`` tells more.
    """
    exact = {name for name in names if known.get(_plain(name)) == name}
    spelled = {_plain(name) for name in exact}
    others = {name for name in names if _plain(name) in known and _plain(name) not in spelled}
    return frozenset((exact | others | set(filter(is_own, names))) - set(answered))


def _spelled(*names: str) -> dict[str, str]:
    return {_plain(name): name for name in names}


def _cells(rows: Sequence[tuple[str, ...]], place: int | None) -> tuple[str, ...]:
    return () if place is None else tuple(row[place].strip() for row in rows)


def _filled(rows: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    return tuple(row for row in rows if any(cell.strip() for cell in row))


_FALSE = frozenset({"false", "0", "no", "falsch", "fałsz"})


@platforms.register("qualtrics", "Qualtrics")
class Qualtrics(Platform):
    """Three header rows in text files: names, wording, import ids as JSON."""

    name = "qualtrics"
    _IMPORT = re.compile(r'^\s*\{\s*"+ImportId"+')
    _OWN = _spelled(
        "StartDate", "EndDate", "Status", "IPAddress", "Progress", "Finished", "RecordedDate",
        "ResponseId", "RecipientLastName", "RecipientFirstName", "RecipientEmail",
        "ExternalReference", "ExternalDataReference", "LocationLatitude", "LocationLongitude",
        "DistributionChannel", "UserLanguage", "Duration__in_seconds_", "Duration (in seconds)",
        "Q_RecaptchaScore",
    )  # fmt: skip
    _USUAL = frozenset({"ip_address", "0", ""})
    _PREVIEW = frozenset({"survey_preview", "1"})

    def marks(self, grid: Grid) -> Message | None:
        """A third row of import ids; in SPSS files the columns that only Qualtrics has."""
        if len(grid.rows) > 2 and any(map(self._IMPORT.match, grid.rows[2])):
            return Message("a third row with import ids")
        if grid.wording and {"ResponseId", "Finished"} <= {*grid.header}:
            return Message("columns named ResponseId and Finished")
        return None

    def read(self, grid: Grid, answered: Collection[str] = ()) -> Sheet:
        """Rows from the fourth on, or all of an SPSS file."""
        names = tuple(name.strip() for name in grid.header)
        if grid.wording:
            wording, rows = grid.wording, _filled(grid.rows[1:])
        else:
            # Without a row of import ids nothing but the names stands above the answers.
            has_ids = self.marks(grid) is not None
            said = grid.rows[1] if has_ids else ("",) * len(names)
            wording = tuple(" ".join(cell.split()) for cell in said)
            rows = _filled(grid.rows[3 if has_ids else 1 :])
        own = _own_columns(names, self._OWN, answered)
        status = _cells(rows, _index(names, own, "status"))
        finished = _cells(rows, _index(names, own, "finished"))
        known = self._USUAL | self._PREVIEW
        others = Counter(one for one in status if _plain(one) not in known)
        return self._sheet(
            names,
            rows,
            own,
            wording,
            is_preview=tuple(_plain(one) in self._PREVIEW for one in status),
            is_unfinished=tuple(_plain(one) in _FALSE for one in finished),
            ids=_cells(rows, _index(names, own, "responseid")),
            statuses=tuple(others.items()),
            status=status,
            labels={name: dict(one) for name, one in grid.labels.items()},
        )


@platforms.register("limesurvey", "LimeSurvey")
class LimeSurvey(Platform):
    """Columns of the survey's bookkeeping, then questions by code, perhaps with their text."""

    name = "limesurvey"
    _OWN = _spelled(
        "id", "submitdate", "lastpage", "startlanguage", "seed", "token", "startdate",
        "datestamp", "ipaddr", "refurl", "interviewtime",
    )  # fmt: skip
    _MARKS = frozenset({"id", "submitdate", "lastpage", "startlanguage"})
    _CODED = re.compile(r"^([A-Za-z][A-Za-z0-9_]*(?:\[[^\]]*\])?)\.\s+(.*)$", re.DOTALL)

    def _split(self, name: str) -> tuple[str, str]:
        found = self._CODED.match(name.strip())
        return (found[1], found[2].strip()) if found else (name.strip(), "")

    def marks(self, grid: Grid) -> Message | None:
        heads = {self._split(name)[0].casefold() for name in grid.header}
        if heads >= self._MARKS:
            return Message("columns named id, submitdate, lastpage and startlanguage")
        return None

    def read(self, grid: Grid, answered: Collection[str] = ()) -> Sheet:
        """Codes are A1, A2 and so on; a response without a date of sending is unfinished."""
        parts = [self._split(name) for name in grid.header]
        names = tuple(name for name, _ in parts)
        rows = _filled(grid.rows[1:])
        own = _own_columns(names, self._OWN, answered, self._is_time)
        sent = _cells(rows, _index(names, own, "submitdate"))
        return self._sheet(
            names,
            rows,
            own,
            tuple(text for _, text in parts),
            is_unfinished=tuple(not one for one in sent),
            ids=_cells(rows, _index(names, own, "id")),
            code="A{}".format,
            has_counted_ids=True,
        )

    def _is_time(self, name: str) -> bool:
        return name.casefold().startswith(("grouptime", "qtime"))


@platforms.register("redcap", "REDCap")
class RedCap(Platform):
    """A record id first, and for every form a column that says whether it is complete."""

    name = "redcap"
    _OWN = frozenset(
        {
            "record_id", "redcap_event_name", "redcap_survey_identifier",
            "redcap_data_access_group", "redcap_repeat_instrument", "redcap_repeat_instance",
        }
    ) | {
        "event_name", "survey_identifier", "survey_timestamp", "complete?",
        "repeat_instrument", "repeat_instance", "data_access_group",
    }  # fmt: skip

    def _is_complete(self, name: str) -> bool:
        folded = name.strip().casefold()
        return folded.endswith("_complete") or folded == "complete?"

    def marks(self, grid: Grid) -> Message | None:
        if self._project(grid.header) is not None and any(map(self._is_complete, grid.header)):
            return Message("a record id and a column that says whether the form is complete")
        return None

    def read(self, grid: Grid, answered: Collection[str] = ()) -> Sheet:
        names = tuple(name.strip() for name in grid.header)
        rows = _filled(grid.rows[1:])
        own = frozenset(name for name in names if self._is_own(name, names)) - set(answered)
        place = _index(names, own, "redcap_repeat_instrument", "repeat_instrument")
        repeated = set(_cells(rows, place)) - {""}
        if repeated:
            raise DataError.saying(
                "{file} has a form that is filled in several times, {form!r}; export the "
                "other forms without it.",
                form=min(repeated),
                file=grid.file,
            )
        places = [
            place for place, name in enumerate(names) if name in own and self._is_complete(name)
        ]
        unfinished = tuple(
            any(row[place].strip().casefold() not in ("2", "complete") for place in places)
            for row in rows
        )
        ids = self._ids(names, own, rows)
        return self._sheet(
            names, rows, own, is_unfinished=unfinished, ids=ids, has_counted_ids=True
        )

    def _is_own(self, name: str, names: Sequence[str]) -> bool:
        return (
            _plain(name) in self._OWN
            or (self._project([name]) is not None and name == names[0])
            or self._is_complete(name)
            or name.casefold().endswith("_timestamp")
        )

    def _project(self, names: Sequence[str]) -> str | None:
        """What stands behind ``record_id`` in the name of the first column; None without it."""
        name = _plain(names[0])
        return name.removeprefix("record_id") if re.match(r"record_id(_|$)", name) else None

    def _ids(
        self, names: Sequence[str], own: Collection[str], rows: Sequence[tuple[str, ...]]
    ) -> tuple[str, ...]:
        """Records are counted from 1 in every project, so that the project belongs to the id."""
        project = self._project(names)
        if project is None:
            return _cells(rows, _index(names, own, "record_id"))
        return tuple(f"{project} {cell}".strip() if cell else "" for cell in _cells(rows, 0))


_TIME = re.compile(
    r"^\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4},? \d{1,2}:\d{2}(:\d{2})?"
    r"( ?[AaPp]\.?[Mm]\.?)?( (GMT|UTC)?([+-]\d+(:?\d+)?)?)?$"
)


def _has_times(grid: Grid) -> bool:
    """Whether the first column holds moments, and nothing else."""
    cells = [row[0].strip() for row in grid.rows[1:] if row[0].strip()]
    return bool(cells) and all(map(_is_time, cells))


def _is_time(cell: str) -> bool:
    if _TIME.match(cell):
        return True
    try:
        return dt.datetime.fromisoformat(cell).time() != dt.time()
    except ValueError:
        return False


@platforms.register("kobo", "Kobo or ODK")
class Kobo(Platform):
    """Columns that begin with an underscore, or ODK's key; groups stand before a question."""

    name = "kobo"
    _OWN = _spelled(
        "start", "end", "today", "deviceid", "subscriberid", "simserial", "phonenumber",
        "username", "audit", "KEY", "SubmissionDate", "SubmitterID", "SubmitterName",
        "AttachmentsPresent", "AttachmentsExpected", "Status", "ReviewState", "Edits",
        "FormVersion", "instanceID", "instanceName", "meta/instanceID", "meta/instanceName",
        "formhub/uuid", "__version__",
    )  # fmt: skip
    _TIMES = ("start", "end")

    def marks(self, grid: Grid) -> Message | None:
        names = {name.strip() for name in grid.header}
        if {"_uuid", "_submission_time"} <= names:
            return Message("columns named _uuid and _submission_time")
        tails = {re.split(r"[/-]", name)[-1] for name in names}
        if "KEY" in names and "instanceID" in tails:
            return Message("columns named KEY and instanceID")
        return None

    def general_marks(self, grid: Grid) -> Message | None:
        """Who leaves the ids out keeps the times at which forms were begun and finished, first."""
        first, *others = (name.strip() for name in grid.header)
        if not others or first not in self._TIMES or not _has_times(grid):
            return None
        if others[0] in self._TIMES:
            return Message("times in columns named start and end")
        if any("/" in name for name in others):
            return Message("times in a first column named {column}, and groups", column=first)
        if any(" " in name for name in others):
            return Message("times in a first column named {column}", column=first)
        return None

    def read(self, grid: Grid, answered: Collection[str] = ()) -> Sheet:
        """All rows; further sheets hold repeats, which are no single answers."""
        if grid.sheets:
            raise DataError.saying(
                "{file} has a repeated group in the sheet {sheet!r}; export the form without "
                "repeats.",
                sheet=grid.sheets[0],
                file=grid.file,
            )
        names = tuple(name.strip() for name in grid.header)
        rows = _filled(grid.rows[1:])
        own = _own_columns(names, self._OWN, answered, self._is_own)
        ids = _cells(rows, _index(names, own, "_uuid", "key", "instanceid", "meta-instanceid"))
        return self._sheet(names, rows, own, ids=ids)

    def _is_own(self, name: str) -> bool:
        tail = re.split(r"[/-]", name)[-1].casefold()
        return name.startswith("_") or tail in ("instanceid", "instancename")


@platforms.register("google-forms", "Google Forms")
class GoogleForms(Platform):
    """A time first, then a column for every question under its wording."""

    name = "google-forms"

    def general_marks(self, grid: Grid) -> Message | None:
        """Times in the first column and sentences in the first row."""
        heads = [name.strip() for name in grid.header]
        if len(heads) < 2 or not all(heads) or not _has_times(grid):
            return None
        if not any(" " in name for name in heads[1:]) or Kobo().general_marks(grid) is not None:
            return None
        return Message("times in the first column and questions as names")

    def read(self, grid: Grid, answered: Collection[str] = ()) -> Sheet:  # noqa: ARG002
        names = tuple(" ".join(name.split()) for name in grid.header)
        return self._sheet(names, _filled(grid.rows[1:]), frozenset({names[0]}), names)


def read_table_sheet(grid: Grid, header_row: int | None = None, asked: Iterable[str] = ()) -> Sheet:
    """A table of no known platform: titles above its names and remarks below it are left out.

    Row 0 for the names says that there are none. A row with a name that is ``asked`` for holds
    names, even if it looks like a record.
    """
    first = next(i for i, row in enumerate(grid.rows) if any(cell.strip() for cell in row))
    notes: list[Message] = []
    if header_row is None:
        top = first + title_rows(grid.rows[first : first + 100])
        notes += titles_note(grid, top)
        below = grid.rows[top + 1 : top + 100]
        known = {key for name in asked for key in (fold(name), short_name(name))}
        has_names = (
            bool(grid.wording)
            or not known.isdisjoint(map(fold, grid.rows[top]))
            or not looks_like_record(grid.rows[top], below)
        )
    elif 0 <= header_row <= len(grid.rows):
        has_names = header_row > 0
        top = header_row - 1 if has_names else first
    else:
        raise _no_such_row(grid, header_row)
    names = tuple(" ".join(name.split()) for name in grid.rows[top])
    start = top + 1
    if not has_names:
        names, start = tuple(f"column_{place + 1}" for place in range(len(names))), top
        if header_row is None:
            notes.append(Message.of(no_header_note(names)))
    body = grid.rows[start:]
    rows, remarks, place = _above_remarks(body)
    if remarks:
        words = next(cell for cell in body[place] if cell.strip())
        notes.append(Message.of(remarks_note(" ".join(words.split()), start + place + 1, remarks)))
    return Sheet(
        TABLE,
        start,
        names,
        grid.wording or names,
        rows,
        remarks=remarks,
        notes=tuple(notes),
        labels={name: dict(one) for name, one in grid.labels.items()},
    )


def _above_remarks(
    body: Sequence[tuple[str, ...]],
) -> tuple[tuple[tuple[str, ...], ...], int, int]:
    """The rows of a table, how many stand below an empty row with few cells each, and where."""
    filled = [sum(bool(cell.strip()) for cell in row) for row in body]
    gap = next((i for i, count in enumerate(filled) if not count), len(body))
    below = [place for place in range(gap, len(body)) if filled[place]]
    width = len(body[0]) if body else 0
    if below and width > 1 and all(is_sparse(filled[place], width) for place in below):
        return _filled(body[:gap]), len(below), below[0]
    return _filled(body), 0, 0
