"""What a person should look at before going on: doubtful guesses, gaps, look-alikes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from ppworkbench.core.data.attribute import Attribute, Kind, MissingPolicy
from ppworkbench.core.data.lookalikes import lookalikes
from ppworkbench.core.data.numerals import number_text
from ppworkbench.core.data.table import Column, Table
from ppworkbench.gui.language.speech import speech
from ppworkbench.gui.language.text import told, tr
from ppworkbench.gui.pages.data.facts import code_text
from ppworkbench.gui.pages.data.visible_spaces import visible_spaces
from ppworkbench.gui.words import number

MOST_COMPARED = 2000
"""Attributes with more values hold names or free text, where look-alikes are no surprise."""

_FEW_NUMBERS = 11
_OF_ATTRIBUTE = re.compile(r"""^(?P<quote>['"])(?P<name>.+?)(?P=quote)(?=: | has )""")
_UNSURE_READING = ("judged by its", "Sheet ", "The first line looks", "The lines above")
_PLAIN_READING = "Read as "
_TAKEN_FOR_MISSING = "read as missing"
_DOUBTFUL_REASONS = {
    "record": "record number",
    "text": "It is text because",
    "names": "looks like",
    "order": "put the values in order",
}
"""Words of the reasons that the guessing gives when it is not sure."""


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
        found += [Concern(_typeset(note), column.name) for note in notes]
        is_told = any(_TAKEN_FOR_MISSING in note for note in notes)
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
    doubt = next((name for name, words in _DOUBTFUL_REASONS.items() if words in reason), "")
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


def _noted(table: Table) -> tuple[list[Concern], dict[str, list[str]]]:
    """The reader's own notes, those about the file apart from those about attributes."""
    about_file: list[Concern] = []
    noted: dict[str, list[str]] = {}
    for note in table.notes:
        match = _OF_ATTRIBUTE.match(note)
        if match and match["name"] in table:
            noted.setdefault(match["name"], []).append(note)
        elif any(words in note for words in _UNSURE_READING):
            about_file.append(Concern(told(note), about_import=True))
        elif not note.startswith(_PLAIN_READING):
            about_file.append(Concern(told(note)))
    return about_file, noted


def _still_holds(note: str, column: Column, missing: int) -> bool:
    """Whether a note is true of the column as it is now; notes stay when the table is edited."""
    attribute = column.attribute
    if "look alike" in note:
        # They are found afresh, because merging them settles the matter.
        return False
    if "outside the domain" in note:
        low, high = attribute.domain or (0.0, 0.0)
        return f"[{number_text(low)}, {number_text(high)}]" in note
    if _TAKEN_FOR_MISSING in note:
        return missing > 0
    if "stands apart" in note:
        known = {code_text(code.code) for code in attribute.missing_codes}
        apart = re.search(r": (\S+) \(", note)
        return apart is None or apart[1] not in known
    return True


def alike_values(values: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Groups of values that look alike."""
    return lookalikes(values) if len(values) <= MOST_COMPARED else ()


def _typeset(note: str) -> str:
    """A note with the quotation marks that all other sentences have."""
    quoted = _OF_ATTRIBUTE.sub(lambda match: tr("“%s”") % match["name"], note)
    said = told(quoted)
    if said != quoted:
        return said
    # Of some notes only what stands behind the name is a text of the core.
    whose, colon, what = quoted.partition(": ")
    return f"{whose}{colon}{told(what.removesuffix('.'))}." if colon else quoted


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
