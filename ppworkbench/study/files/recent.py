"""The list of studies that were opened last."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from ppworkbench.core.errors import DataError
from ppworkbench.core.files import make_private_folder, write_text
from ppworkbench.core.json_values import read_note
from ppworkbench.core.message import Message
from ppworkbench.study.study import Study

_MOST = 12
_LONGEST = 200
_END_OF_CALENDARS = 2**33
"""The year 2242, in seconds."""
_BETWEEN = " · "


@dataclass(frozen=True)
class RecentStudy:
    path: str
    title: str
    summary: Message
    when: float


def read_recent(file: Path) -> tuple[RecentStudy, ...]:
    """The list without entries that are damaged; nothing depends on it."""
    given = read_note(file)
    entries = map(_entry, given) if isinstance(given, list) else ()
    return tuple(entry for entry in entries if entry is not None)[:_MOST]


def _entry(given: object) -> RecentStudy | None:
    if not isinstance(given, Mapping):
        return None
    path, title, when = given.get("path"), given.get("title"), time_of(given.get("when"))
    if not isinstance(path, str) or not isinstance(title, str) or when is None:
        return None
    try:
        summary = Message.from_json(given.get("summary"))
    except ValueError:
        return None
    # No system has a file whose name holds a zero, and asking for one is an error.
    if "\0" in path or len(summary) > _LONGEST:
        return None
    return RecentStudy(path, title[:_LONGEST], summary, when)


def time_of(given: object) -> float | None:
    """Return the time that a note tells, in seconds; None if no calendar has it."""
    if isinstance(given, int | float) and 0 <= given < _END_OF_CALENDARS:
        return float(given)
    return None


def remember(file: Path, study: Study, path: Path) -> None:
    entry = RecentStudy(str(path), study.title, summary(study), time.time())
    others = [one for one in read_recent(file) if one.path != entry.path]
    _write(file, [entry, *others][:_MOST])


def forget_all(file: Path) -> None:
    _write(file, [])


def summary(study: Study) -> Message:
    has_data = study.table is not None
    facts = [Message("{rows:,} rows", rows=study.rows) if has_data else Message("no data yet")]
    facts.append(Message("{count:,} attributes", count=len(study.attributes)))
    if has_data and study.original is None:
        facts.append(Message("distorted, with design"))
    return Message.joined(facts, _BETWEEN)


def _to_json(entry: RecentStudy) -> dict[str, object]:
    return asdict(entry) | {"summary": entry.summary.to_json()}


def _write(file: Path, entries: list[RecentStudy]) -> None:
    # A list that cannot be written is a list that is not remembered, nothing worse.
    with suppress(OSError, DataError):
        make_private_folder(file.parent)
        write_text(file, json.dumps([_to_json(entry) for entry in entries]), private=True)
