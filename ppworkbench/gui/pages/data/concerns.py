"""What a person should look at before going on: doubtful guesses, gaps, look-alikes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from ppworkbench.core.data.attribute import Attribute, Kind, MissingPolicy
from ppworkbench.core.data.lookalikes import lookalikes
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.message import Message
from ppworkbench.gui.language.speech import speech
from ppworkbench.gui.language.text import told, tr
from ppworkbench.gui.pages.data.visible_spaces import visible_spaces
from ppworkbench.gui.words import number

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
class Concern:
    """One thing to look at, as a sentence; without an attribute it is about the file.

    ``about_import`` says that the import settings are the place to repair it.
    """

    text: str
    attribute: str = ""
    about_import: bool = False


_known: WeakKeyDictionary[Column, tuple[str, tuple[Concern, ...]]] = WeakKeyDictionary()
"""What was found, and the language in which it is said."""


def find_concerns(
    table: Table, count_missing: Callable[[Column], int | None]
) -> tuple[Concern, ...]:
    """All concerns: the file's first, then attribute by attribute in the order of the table."""
    about_file, noted = _noted(table)
    found = list(about_file)
    for column in table:
        found += _about_attribute(column)
        missing = count_missing(column) or 0
        notes = [n for n in noted.get(column.name, ()) if _still_holds(n, column, missing)]
        found += [Concern(_typeset(note, column.name), column.name) for note in notes]
        is_told = any(note.code == _TAKEN_FOR_MISSING for note in notes)
        if missing and not is_told and column.attribute.missing is MissingPolicy.LEAVE:
            found.append(Concern(_missing_text(column.name, missing), column.name))
    return tuple(found)


def _about_attribute(column: Column) -> tuple[Concern, ...]:
    """What is told by the attribute alone; remembered, since most columns never change."""
    if column not in _known or _known[column][0] != speech.language:
        doubt, name = find_doubt(column.attribute), column.name
        doubted = [Concern(_doubt_text(doubt, name), name)] if doubt else []
        _known[column] = speech.language, (*doubted, *_alike(column.attribute))
    return _known[column][1]


def find_doubt(attribute: Attribute) -> str:
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


def _noted(table: Table) -> tuple[list[Concern], dict[str, list[Message]]]:
    """The reader's own notes, those about the file apart from those about attributes."""
    about_file: list[Concern] = []
    noted: dict[str, list[Message]] = {}
    for note in map(Message.of, table.notes):
        name = note.args.get("attribute")
        if isinstance(name, str) and name in table:
            noted.setdefault(name, []).append(note)
        elif note.code != "plain-reading":
            about_file.append(Concern(told(note), about_import=note.code == "unsure-reading"))
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
    return told(note).replace(repr(name), tr("“%s”") % name, 1)


def _alike(attribute: Attribute) -> list[Concern]:
    groups = alike_values(attribute.values)
    if not groups:
        return []
    shown = ", ".join(tr("“%s”") % visible_spaces(value) for value in groups[0][:4])
    text = tr("“%s” has answers that look alike: %s.") % (attribute.name, shown)
    return [Concern(text, attribute.name)]


def _missing_text(name: str, missing: int) -> str:
    if missing == 1:
        return tr("“%s” has one missing answer.") % name
    return tr("“%s” has %s missing answers.") % (name, number(missing))
