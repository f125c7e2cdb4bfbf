"""What is known about columns, and what to look at before anything is randomised."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from ppworkbench.core.data.attribute import Attribute, Code, Kind, MissingPolicy
from ppworkbench.core.data.edits import set_kind
from ppworkbench.core.data.inference.text import lookalikes
from ppworkbench.core.data.numerals import number_text
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress
from ppworkbench.gui.jobs import Job, Work
from ppworkbench.gui.language import speech, tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.workbench import Workbench

AT_ONCE = 50_000
"""So many answers are looked through faster than anybody notices; more of them are a job."""

HeldCode = tuple[Code, str, int]
"""A missing code of the file, its label, and how many cells held it."""


@dataclass(frozen=True, eq=False)
class ColumnSummary:
    """What the inspector tells about one column.

    ``reasons`` are the missing codes of the file that cells held, with their counts; ``counts``
    belong to categorical columns, the numbers to numeric ones. ``impossible`` are the kinds that
    the column cannot have, with the reasons.
    """

    rows: int
    missing: int
    reasons: tuple[HeldCode, ...] = ()
    counts: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    low: float = np.nan
    high: float = np.nan
    mean: float = np.nan
    median: float = np.nan
    impossible: Mapping[Kind, str] = field(default_factory=dict)

    @property
    def present(self) -> int:
        """How many answers there are."""
        return self.rows - self.missing


def find_facts(column: Column) -> ColumnSummary:
    """Look through a column."""
    missing, reasons = column.missing_count, _reasons(column)
    if column.is_categorical:
        impossible = _refused_values(column)
        return ColumnSummary(len(column), missing, reasons, column.counts, impossible=impossible)
    present = column.data[~column.missing] if missing else column.data
    distinct = np.unique(present)
    impossible = _refused_numbers(column, distinct)
    if not len(present):
        return ColumnSummary(len(column), missing, reasons, impossible=impossible)
    return ColumnSummary(
        len(column),
        missing,
        reasons,
        low=float(distinct[0]),
        high=float(distinct[-1]),
        mean=float(present.mean()),
        median=float(np.median(present)),
        impossible=impossible,
    )


def _refused_values(column: Column) -> dict[Kind, str]:
    """The kinds that a categorical column cannot have; its values alone decide that."""
    table = Table((column.take(slice(0, 0)),))
    reasons = {kind: _trial(table, kind) for kind in Kind if kind is not column.attribute.kind}
    return {kind: reason for kind, reason in reasons.items() if reason}


def _refused_numbers(column: Column, distinct: NDArray[np.float64]) -> dict[Kind, str]:
    """The kinds that a numeric column cannot have, by its different numbers."""
    table = Table((column.with_(data=distinct, why_missing=None),))
    as_values = _trial(table, Kind.NOMINAL)
    as_whole = "" if column.attribute.kind is Kind.INTEGER else _trial(table, Kind.INTEGER)
    as_pair = as_values
    if not as_values and len(distinct) != 2:
        words = tr("It has %s different numbers, and a binary attribute has 2 values.")
        as_pair = words % number(len(distinct))
    reasons = {
        Kind.BINARY: as_pair,
        Kind.NOMINAL: as_values,
        Kind.ORDINAL: as_values,
        Kind.INTEGER: as_whole,
    }
    return {kind: reason for kind, reason in reasons.items() if reason}


def _trial(table: Table, kind: Kind) -> str:
    """Why a column of the different answers is refused a kind; empty when it is not."""
    name = table.names[0]
    try:
        set_kind(table, name, kind)
    except DataError as error:
        args = error.message.args
        if error.message.code == "no-whole-numbers":
            # The record of the first decimal number is that of a shortened column.
            words = tr("%s answers are no whole numbers, such as %s.")
            return words % tuple(translate(Message("{n}", n=args[n])) for n in ("broken", "shown"))
        what = args.get("what")
        said = translate(what if isinstance(what, Message) else error.message).removesuffix(".")
        return f"{said[:1].upper()}{said[1:]}."
    return ""


def _reasons(column: Column) -> tuple[HeldCode, ...]:
    codes = column.attribute.missing_codes
    if column.why_missing is None or not codes:
        return ()
    counts = np.bincount(column.why_missing, minlength=len(codes) + 1)
    return tuple(
        (code.code, code.label, int(count))
        for code, count in zip(codes, counts[1:], strict=False)
        if count
    )


def code_text(code: Code) -> str:
    """A code of a file as it is written there."""
    return code if isinstance(code, str) else number_text(code)


class SummaryCache(QObject):
    """Gives facts at once for short columns; for long ones they arrive later, from a job."""

    facts_arrived = Signal(str)
    """The facts of this attribute can be asked for now."""
    missing_counted = Signal()
    """The missing answers of every column are counted."""

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._known: WeakKeyDictionary[Column, ColumnSummary] = WeakKeyDictionary()
        self._asked: WeakSet[Column] = WeakSet()

    def facts(self, column: Column) -> ColumnSummary | None:
        """What is known of a column; None while a job is finding it out."""
        if column in self._known:
            return self._known[column]
        if len(column) <= AT_ONCE:
            self._known[column] = find_facts(column)
            return self._known[column]
        if column not in self._asked:
            self._find_later(column)
        return None

    def _find_later(self, column: Column) -> None:
        def done(found: ColumnSummary) -> None:
            self._known[column] = found
            self.facts_arrived.emit(column.name)

        self._asked.add(column)
        job = self._run(f"facts of {column.name}", lambda _: find_facts(column), done)
        # A job that was stopped may be asked for again.
        job.ended.connect(lambda: self._asked.discard(column))

    def missing(self, column: Column) -> int | None:
        """How many answers of a column are missing; None while they are being counted."""
        if len(column) <= AT_ONCE or "missing_count" in vars(column):
            return column.missing_count
        return None

    def count_missing(self, table: Table) -> None:
        """See to it that missing answers are counted; columns keep the count themselves."""
        if table.rows <= AT_ONCE or all(self.missing(c) is not None for c in table):
            return

        def work(progress: Progress) -> None:
            for position, column in enumerate(table):
                progress(position / len(table.columns))
                _ = column.missing_count

        self._run("missing", work, lambda _: self.missing_counted.emit())

    def _run(self, key: str, work: Work, done: Callable[[Any], None]) -> Job:
        name = self.tr("Looking through the answers")
        return self._workbench.run(name, work, done, key=f"data {key}", quiet=True)


def show_spaces(value: str) -> str:
    """A value whose spaces at the ends can be seen; many look-alikes differ in nothing else.

    >>> show_spaces(" yes")
    '␣yes'
    """
    inner = value.strip(" ")
    before = len(value) - len(value.lstrip(" "))
    return "␣" * before + inner + "␣" * (len(value) - before - len(inner))


MOST_COMPARED = 2000
"""Attributes with more values hold names or free text, where look-alikes are no surprise."""

_FEW_NUMBERS = 11
_TAKEN_FOR_MISSING = "read-as-missing"
_DOUBTFUL_REASONS = {
    "record-number": "record",
    "numbers-as-text": "text",
    "names": "names",
    "no-order": "order",
}
"""Codes of the reasons that the guessing gives when it is not sure, and of which doubt."""


@dataclass(frozen=True)
class DataWarning:
    """One thing to look at, as a sentence; without an attribute it is about the file.

    ``about_import`` says that the import settings are the place to repair it.
    """

    text: str
    attribute: str = ""
    about_import: bool = False


_known: WeakKeyDictionary[Column, tuple[str, tuple[DataWarning, ...]]] = WeakKeyDictionary()
"""What was found, and the language in which it is said."""


def find_warnings(
    table: Table, count_missing: Callable[[Column], int | None]
) -> tuple[DataWarning, ...]:
    """All concerns: the file's first, then attribute by attribute in the order of the table."""
    about_file, noted = _noted(table)
    found = list(about_file)
    for column in table:
        found += _about_attribute(column)
        missing = count_missing(column) or 0
        notes = [n for n in noted.get(column.name, ()) if _still_holds(n, column, missing)]
        found += [DataWarning(_typeset(note, column.name), column.name) for note in notes]
        is_told = any(note.code == _TAKEN_FOR_MISSING for note in notes)
        if missing and not is_told and column.attribute.missing is MissingPolicy.LEAVE:
            found.append(DataWarning(_missing_text(column.name, missing), column.name))
    return tuple(found)


def _about_attribute(column: Column) -> tuple[DataWarning, ...]:
    """What is told by the attribute alone; remembered, since most columns never change."""
    if column not in _known or _known[column][0] != speech.language:
        doubt, name = find_warning(column.attribute), column.name
        doubted = [DataWarning(_doubt_text(doubt, name), name)] if doubt else []
        _known[column] = speech.language, (*doubted, *_alike(column.attribute))
    return _known[column][1]


def find_warning(attribute: Attribute) -> str:
    """The name of the doubt about a guessed kind; empty when there is none.

    A kind that a person or a codebook set is not doubted.
    """
    if attribute.kind.is_categorical and attribute.k < 2:
        return "one" if attribute.k else "none"
    reason = attribute.reason
    doubt = _DOUBTFUL_REASONS.get(Message.of(reason).code, "")
    if not doubt and reason and attribute.kind is Kind.INTEGER and attribute.width < _FEW_NUMBERS:
        return "few"
    return doubt


def short_doubt(doubt: str) -> str:
    """A doubt in the few words that fit into a table."""
    return {
        "none": tr("no answers at all"),
        "one": tr("only one answer"),
        "record": tr("perhaps a record number"),
        "names": tr("names or free text?"),
        "text": tr("numbers, but read as text"),
        "order": tr("the order is not known"),
        "few": tr("few different numbers"),
    }[doubt]


def _doubt_text(doubt: str, name: str) -> str:
    sentences = {
        "none": tr("“%s” has no answers at all."),
        "one": tr("“%s” has only one answer."),
        "record": tr("“%s” may be a record number."),
        "names": tr("“%s” holds names or free text."),
        "text": tr("“%s” looks like numbers but was read as text."),
        "order": tr("“%s” is ordinal, but its order is not known."),
        "few": tr("“%s” could be ordinal."),
    }
    return sentences[doubt] % name


def _noted(table: Table) -> tuple[list[DataWarning], dict[str, list[Message]]]:
    """The reader's own notes, those about the file apart from those about attributes."""
    about_file: list[DataWarning] = []
    noted: dict[str, list[Message]] = {}
    for note in map(Message.of, table.notes):
        name = note.args.get("attribute")
        if isinstance(name, str) and name in table:
            noted.setdefault(name, []).append(note)
        elif note.code != "plain-reading":
            about_file.append(
                DataWarning(translate(note), about_import=note.code == "unsure-reading")
            )
    return about_file, noted


def _still_holds(note: Message, column: Column, missing: int) -> bool:
    """Whether a note is true of the column as it is now; notes stay when the table is edited."""
    attribute = column.attribute
    if note.code == "look-alike":
        # They are found afresh, because merging them settles the matter.
        return False
    if note.code == "outside-domain":
        domain = note.args["shown"]
        said = domain.args if isinstance(domain, Message) else {}
        return attribute.domain == (said.get("low"), said.get("high"))
    if note.code == _TAKEN_FOR_MISSING:
        return missing > 0
    if note.code == "stands-apart":
        return note.args["value"] not in {code.code for code in attribute.missing_codes}
    return True


def alike_values(values: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Groups of values that look alike."""
    return lookalikes(values) if len(values) <= MOST_COMPARED else ()


def _typeset(note: Message, name: str) -> str:
    """A note with the quotation marks that all other sentences have."""
    return translate(note).replace(repr(name), tr("“%s”") % name, 1)


def _alike(attribute: Attribute) -> list[DataWarning]:
    groups = alike_values(attribute.values)
    if not groups:
        return []
    shown = ", ".join(tr("“%s”") % show_spaces(value) for value in groups[0][:4])
    text = tr("“%s” has answers that look alike: %s.") % (attribute.name, shown)
    return [DataWarning(text, attribute.name)]


def _missing_text(name: str, missing: int) -> str:
    if missing == 1:
        return tr("“%s” has one missing answer.") % name
    return tr("“%s” has %s missing answers.") % (name, number(missing))


def reason_words(reason: str) -> str:
    """The reason that the core gives; it calls scales by names of its own."""
    if isinstance(reason, Message) and reason.code == "scale":
        return tr("The answers are steps of a scale (%s).") % _topic(str(reason.args["topic"]))
    return translate(reason)


def _topic(name: str) -> str:
    words = {
        "frequency": tr("frequency"),
        "how often in time": tr("how often in time"),
        "quality": tr("quality"),
        "ocena": tr("quality"),
        "degree": tr("degree"),
        "level": tr("level"),
        "size": tr("size"),
        "temperature": tr("temperature"),
        "wrongness": tr("wrongness"),
        "share": tr("share"),
        "education": tr("education"),
        "school grades": tr("school grades"),
        "agreement": tr("agreement"),
        "zgoda": tr("agreement"),
        "yes or no": tr("yes or no"),
        "tak lub nie": tr("yes or no"),
        "satisfaction": tr("satisfaction"),
        "zadowolenie": tr("satisfaction"),
        "likelihood": tr("likelihood"),
        "importance": tr("importance"),
        "waznosc": tr("importance"),
        "attitude": tr("attitude"),
        "politics": tr("politics"),
        "polityka": tr("politics"),
        "happiness": tr("happiness"),
        "szczescie": tr("happiness"),
        "safety": tr("safety"),
        "difficulty": tr("difficulty"),
        "comparison": tr("comparison"),
        "porownanie": tr("comparison"),
        "trust": tr("trust"),
        "nie ufam": tr("trust"),
        "ranges of numbers": tr("ranges of numbers"),
    }
    return words.get(name, name)
