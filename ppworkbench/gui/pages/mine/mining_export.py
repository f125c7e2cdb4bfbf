"""Itemsets as files."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ppworkbench.core.data.csv_writer import escape_formula
from ppworkbench.core.files import atomic_file
from ppworkbench.core.progress import Progress
from ppworkbench.gui.pages.mine.mining import SIZE, ItemsetTable, Order, Run

_CHUNK = 2_000
_SPELLED = {"true": "true_support", "raw": "raw_support"}


def write_csv(
    listing: ItemsetTable, order: Order, names: tuple[str, ...], path: Path, progress: Progress
) -> int:
    """Write the rows of a table in the order they are shown; how many they are.

    Items are called as on the command line; shares are between 0 and 1.
    """
    columns = [name for name in listing.columns if name in listing.values]
    is_rules = listing.heads is not None
    head = ["if", "then"] if is_rules else ["items", SIZE]
    spelled = [_heading(name, is_rules) for name in columns]
    with atomic_file(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*head, *spelled, "interval_from", "interval_to"])
        for start in range(0, len(order), _CHUNK):
            progress(start / max(len(order), 1), path.name)
            part = order[start : start + _CHUNK]
            writer.writerows(_rows(listing, part, names, columns))
    return len(order)


def _heading(column: str, is_rules: bool) -> str:
    return "true_confidence" if is_rules and column == "true" else _SPELLED.get(column, column)


def _rows(
    listing: ItemsetTable, part: Order, names: tuple[str, ...], columns: list[str]
) -> Iterator[list[str]]:
    numbers = [listing.values[name][part].tolist() for name in columns]
    numbers += [listing.low[part].tolist(), listing.high[part].tolist()]
    members = listing.members[part].tolist()
    heads = None if listing.heads is None else listing.heads[part].tolist()
    for place, row in enumerate(members):
        left = _joined(row, names)
        second = str(sum(m >= 0 for m in row)) if heads is None else _joined(heads[place], names)
        yield [left, second, *(_written(column[place]) for column in numbers)]


def _joined(row: list[int], names: tuple[str, ...]) -> str:
    return escape_formula(" + ".join(names[member] for member in row if member >= 0))


def _written(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.10g}"


def write_json(run: Run, path: Path, progress: Progress) -> int:
    """Write a whole run: what was asked for, all itemsets and rules, errors by size."""
    document: dict[str, Any] = {
        "method": run.request.method,
        "parameters": run.request.miner.to_json(),
        "certainty": run.request.certainty,
        "min_confidence": run.request.min_confidence,
        "transactions": run.transactions,
        "seconds": run.seconds,
        "itemsets": _plain_listing(run.sets, run.names, progress),
        "rules": _plain_listing(run.rules, run.names, progress),
        "errors": [
            {
                "length": e.size,
                "true": e.true,
                "found": e.found,
                "correct": e.correct,
                "support_error": _plain(100 * e.support_error),
                "false_negative": _plain(100 * e.missed),
                "false_positive": _plain(100 * e.extra),
                "f1": _plain(e.f1),
            }
            for e in run.errors
        ],
        "notes": list(run.notes),
    }
    progress(0.9, path.name)
    with atomic_file(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        json.dump(document, file, indent=1, ensure_ascii=False)
    return run.total


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _plain_listing(
    listing: ItemsetTable | None, names: tuple[str, ...], progress: Progress
) -> list[dict[str, Any]]:
    if listing is None:
        return []
    is_rules = listing.heads is not None
    found = []
    columns = {_heading(name, is_rules): numbers for name, numbers in listing.values.items()}
    columns |= {"interval_from": listing.low, "interval_to": listing.high}
    for start in range(0, listing.rows, _CHUNK):
        progress(0.8 * start / listing.rows)
        part = slice(start, start + _CHUNK)
        numbers = {name: column[part].tolist() for name, column in columns.items()}
        members = _names(listing.members[part], names)
        heads = None if listing.heads is None else _names(listing.heads[part], names)
        for place, row in enumerate(members):
            sides = {"items": row} if heads is None else {"if": row, "then": heads[place]}
            found.append(sides | {n: _plain(column[place]) for n, column in numbers.items()})
    return found


def _names(rows: np.ndarray, names: tuple[str, ...]) -> list[list[str]]:
    return [[names[member] for member in row if member >= 0] for row in rows.tolist()]
