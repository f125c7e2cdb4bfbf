"""The list of studies that were opened last."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from ppworkbench.core.atomic import write_text
from ppworkbench.core.errors import DataError
from ppworkbench.core.json_values import parse_json
from ppworkbench.study.study import Study

_MOST = 12
_BETWEEN = " · "


@dataclass(frozen=True)
class RecentStudy:
    """A study as the start screen lists it."""

    path: str
    title: str
    summary: str
    when: float


def read_recent(file: Path) -> tuple[RecentStudy, ...]:
    """The list; a damaged one is an empty one, nothing depends on it."""
    try:
        given = parse_json(file.read_text(encoding="utf-8"))
        return tuple(
            RecentStudy(str(e["path"]), str(e["title"]), str(e["summary"]), float(e["when"]))
            for e in given
        )
    except (OSError, ValueError, KeyError, TypeError):
        return ()


def remember(file: Path, study: Study, path: Path) -> None:
    """Put a study on top of the list."""
    entry = RecentStudy(str(path), study.title, summary(study), time.time())
    others = [one for one in read_recent(file) if one.path != entry.path]
    _write(file, [entry, *others][:_MOST])


def forget_all(file: Path) -> None:
    """Empty the list."""
    _write(file, [])


def summary(study: Study) -> str:
    """A study in a few words."""
    has_data = study.table is not None
    facts = [f"{study.rows:,} rows" if has_data else "no data yet"]
    facts.append(f"{len(study.attributes):,} attributes")
    if has_data and study.original is None:
        facts.append("distorted, with design")
    return _BETWEEN.join(facts)


def summary_facts(summary: str) -> list[str]:
    """The facts of a summary one by one, as they can be said in another language."""
    return summary.split(_BETWEEN)


def _write(file: Path, entries: list[RecentStudy]) -> None:
    # A list that cannot be written is a list that is not remembered, nothing worse.
    with suppress(OSError, DataError):
        file.parent.mkdir(parents=True, exist_ok=True)
        write_text(file, json.dumps([asdict(entry) for entry in entries]))
