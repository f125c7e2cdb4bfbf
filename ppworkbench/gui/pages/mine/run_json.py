"""Runs as plain values, to be kept in the study."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.gui.pages.mine.listing import CONFIDENCE, SUPPORT, Listing, Numbers
from ppworkbench.gui.pages.mine.request import Request
from ppworkbench.gui.pages.mine.run import Run, SizeErrors

MOST_ROWS = 5_000
"""A table with more rows is not kept: the run is repeated when somebody wants it back."""


def run_to_json(run: Run) -> dict[str, Any]:
    """A run with its tables, where those are small."""
    return {
        "number": run.number,
        "request": run.request.to_json(),
        "at": run.at,
        "belongs_to": run.belongs_to,
        "transactions": run.transactions,
        "seconds": round(run.seconds, 4),
        "names": list(run.names),
        "found": list(run.found),
        "rule_count": run.rule_count,
        "errors": [_plain_errors(errors) for errors in run.errors],
        "notes": [Message.of(note).to_json() for note in run.notes],
        "sets": _plain_listing(run.sets),
        "rules": _plain_listing(run.rules),
    }


def run_from_json(given: Any) -> Run:
    """The summary of a kept run; its tables are read when they are wanted."""
    try:
        return Run(
            number=int(given["number"]),
            request=Request.from_json(given["request"]),
            at=str(given["at"]),
            belongs_to=str(given["belongs_to"]),
            transactions=int(given["transactions"]),
            seconds=float(given["seconds"]),
            names=tuple(str(name) for name in given["names"]),
            found=tuple(int(count) for count in given["found"]),
            rule_count=int(given["rule_count"]),
            errors=tuple(_errors(errors) for errors in given["errors"]),
            notes=tuple(Message.from_json(note) for note in given["notes"]),
        )
    except (KeyError, TypeError, ValueError, WorkbenchError) as error:
        raise _damaged() from error


def with_tables(run: Run, given: Mapping[str, Any]) -> Run:
    """The run with the tables that were kept; as it is where none were."""
    try:
        sets, rules = (_listing(given.get(name), name) for name in ("sets", "rules"))
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged() from error
    return dataclasses.replace(run, sets=sets, rules=rules)


def _damaged() -> DataError:
    return DataError("A kept run of the Mine page is damaged.")


def _plain_errors(errors: SizeErrors) -> dict[str, Any]:
    return {name: _plain(value) for name, value in dataclasses.asdict(errors).items()}


def _errors(given: Mapping[str, Any]) -> SizeErrors:
    counts = {name: int(given[name]) for name in ("size", "true", "found", "correct")}
    names = ("support_error", "missed", "extra", "f1")
    shares = {name: math.nan if given[name] is None else float(given[name]) for name in names}
    return SizeErrors(**counts, **shares)


def _plain(value: float) -> float | int | None:
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value


def _plain_listing(listing: Listing | None) -> dict[str, Any] | None:
    if listing is None or listing.rows > MOST_ROWS:
        return None
    return {
        "words": list(listing.words),
        "members": [[m for m in row if m >= 0] for row in listing.members.tolist()],
        "heads": None
        if listing.heads is None
        else [[m for m in row if m >= 0] for row in listing.heads.tolist()],
        "values": {name: _plain_numbers(numbers) for name, numbers in listing.values.items()},
        "low": _plain_numbers(listing.low),
        "high": _plain_numbers(listing.high),
    }


def _plain_numbers(numbers: Numbers) -> list[float | int | None]:
    return [_plain(value) for value in numbers.tolist()]


def _listing(given: Any, kind: str) -> Listing | None:
    if given is None:
        return None
    values = {str(name): _numbers(column) for name, column in given["values"].items()}
    bar = SUPPORT if kind == "sets" else CONFIDENCE
    members = _padded(given["members"])
    heads = None if given["heads"] is None else _padded(given["heads"])
    low, high = _numbers(given["low"]), _numbers(given["high"])
    columns = (*values.values(), low, high, *(() if heads is None else (heads,)))
    words = tuple(str(word) for word in given["words"])
    if any(len(column) != len(members) for column in columns) or bar not in values:
        raise _damaged()
    if members.max(initial=-1) >= len(words) or (
        heads is not None and heads.max(initial=-1) >= len(words)
    ):
        raise _damaged()
    return Listing(words, members, bar, values, low, high, heads)


def _numbers(given: list[float | None]) -> Numbers:
    return np.array([math.nan if value is None else value for value in given], float)


def _padded(given: list[list[int]]) -> np.ndarray:
    longest = max((len(row) for row in given), default=0)
    rows = np.full((len(given), longest), -1, np.int32)
    for place, row in enumerate(given):
        rows[place, : len(row)] = row
    return rows
