"""Columns that may tell who answered, so that people are warned before they keep such a file."""

from __future__ import annotations

import re
from collections.abc import Collection

from ppworkbench.study.questionnaire.texts import fold
from ppworkbench.study.responses.platforms import Sheet

_WORDS = re.compile(
    r"(^|[^a-z])(e-?mail|mail|name|surname|imie|nazwisko|phone|telefon|mobile|address|adres|"
    r"street|ulica|zip|postcode|ip|ipaddr|ipaddress|gps|geo|latitude|longitude|location|"
    r"recipient\w*|submitter\w*|username|deviceid|token)([^a-z]|$)"
)
_CELLS = re.compile(
    r"^\S+@\S+\.\w+$|^\d{1,3}(\.\d{1,3}){3}$|^-?\d{1,3}\.\d{4,}[ ,;]+-?\d{1,3}\.\d{4,}"
)
_FREE_TEXT = 40
"""Answers that are longer than so many letters on average were typed by hand."""


def personal_columns(sheet: Sheet, used: Collection[str]) -> tuple[str, ...]:
    """Columns beside those used that name people, addresses or places, or hold free text."""
    found = []
    for place, name in enumerate(sheet.names):
        if not name or name in used:
            continue
        cells = [row[place].strip() for row in sheet.rows if row[place].strip()]
        plain = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
        if cells and (
            _WORDS.search(fold(plain))
            or any(map(_CELLS.match, cells))
            or (name not in sheet.own and sum(map(len, cells)) > _FREE_TEXT * len(cells))
        ):
            found.append(name)
    return tuple(found)
