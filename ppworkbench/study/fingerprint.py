"""What a result depends on, in a few letters: another fingerprint means another result."""

from __future__ import annotations

import hashlib
import json
from threading import Lock

from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import design_to_json
from ppworkbench.study.study import Study

_lock = Lock()
_last: list[tuple[Design, str]] = []
"""The design that was looked at last: a page asks many times about the same one."""


def fingerprint(study: Study) -> str:
    """Equal for two states of a study whose design, draw and answers are the same.

    Answers are compared by their number and by what is done about missing ones: it is asked at
    every change of a slider, and a table may be large.
    """
    drawn = f"seed {study.settings.seed}" if study.original is not None else "as collected"
    return _joined(study, drawn)


def belongs_to(study: Study, mark: str) -> bool:
    return mark == fingerprint(study) or mark in _earlier_fingerprints(study)


def answers_digest(table: Table) -> str:
    """Equal for two tables with the same answers in the same order; it reads all of them."""
    found = hashlib.sha256()
    for column in table:
        heading = [column.name, column.attribute.values, len(column)]
        found.update(json.dumps(heading).encode())
        found.update(column.data.data if len(column) else b"")
    return found.hexdigest()[:32]


def _earlier_fingerprints(study: Study) -> tuple[str, str]:
    """Those that the pages Classify and Survey wrote into studies when each had its own."""
    seed = None if study.original is None else study.settings.seed
    design = design_to_json(study.design, words=False)
    written = json.dumps([design, seed, study.rows], sort_keys=True)
    return _joined(study, f"{study.settings.seed}"), _digest(written, 16)


def _joined(study: Study, drawn: str) -> str:
    table = study.table
    rows = 0 if table is None else table.rows
    policies = "" if table is None else ",".join(a.missing.value for a in table.attributes)
    whole = study.all_rows.fingerprint
    return f"{_of_design(study.design)}-{_digest(f'{rows} {policies} {drawn}{whole}', 8)}"


def _of_design(design: Design) -> str:
    with _lock:
        for known, found in _last:
            if known is design:
                return found
    found = _digest(json.dumps(design_to_json(design, words=False), sort_keys=True), 16)
    with _lock:
        _last[:] = [(design, found)]
    return found


def _digest(text: str, letters: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:letters]
