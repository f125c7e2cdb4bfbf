"""The released files as a Frictionless data package, which many programs load in one line."""

from __future__ import annotations

import csv
import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.delimited.writer import are_whole, missing_word
from ppworkbench.core.data.table import Column
from ppworkbench.outputs.handover.delivery import TEXT_FILES, Delivery
from ppworkbench.study.bundle_target import file_stem

FILE = "datapackage.json"
_MEDIA = {
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".json": "application/json",
    ".xml": "application/xml",
    ".md": "text/markdown",
    ".txt": "text/plain",
}


def package_text(delivery: Delivery, files: Sequence[Path], texts: Mapping[Path, str]) -> str:
    """The text of ``datapackage.json`` for files of its folder.

    The table is a tabular resource; design and descriptions are plain ones, so that the package as
    a whole has no tabular profile.

    Parameters
    ----------
    texts
        Files that will be written with the package, and what they say.
    """
    resources = [_resource(path, delivery, *_measured(path)) for path in files]
    for path, text in texts.items():
        content = text.encode()
        digest = hashlib.sha256(content).hexdigest()
        resources.append(_resource(path, delivery, len(content), digest))
    told = delivery.description
    document: dict[str, Any] = {"name": package_name(delivery.title), "title": delivery.title}
    if told.abstract:
        document["description"] = told.abstract
    if told.identifier:
        document["id"] = told.identifier
    if delivery.date:
        document["created"] = f"{delivery.date}T00:00:00Z"
    people = (("author", told.author), ("publisher", told.distributor))
    named = [{"title": who, "role": role} for role, who in people if who]
    if named:
        document["contributors"] = named
    document["state"] = str(delivery.state)
    document["resources"] = resources
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def package_name(title: str) -> str:
    """A name of small letters, digits, points, underscores and hyphens.

    >>> package_name("Ankieta miejska: Łódź 2024?")
    'ankieta-miejska-lodz-2024'
    """
    return re.sub(r"[^a-z0-9._-]+", "-", file_stem(title).lower())


def _measured(path: Path) -> tuple[int, str]:
    with path.open("rb") as file:
        return path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest()


def _resource(path: Path, delivery: Delivery, size: int, digest: str) -> dict[str, Any]:
    suffix = path.suffix.lower()
    result: dict[str, Any] = {"name": package_name(path.name.replace(".", "-")), "path": path.name}
    is_table = path.name == delivery.file and suffix in TEXT_FILES
    if is_table:
        result["profile"] = "tabular-data-resource"
    result["format"] = suffix.removeprefix(".")
    if suffix in _MEDIA:
        result["mediatype"] = _MEDIA[suffix]
    result |= {
        "encoding": "utf-8",
        "bytes": size,
        "hash": f"sha256:{digest}",
    }
    if not is_table:
        return result | _attachment(path) if suffix == ".csv" else result
    if suffix == ".tsv":
        result["dialect"] = {"delimiter": TEXT_FILES[suffix]}
    columns = () if delivery.table is None else delivery.table.columns
    words = {word for column in columns if (word := missing_word(column)) is not None}
    result["schema"] = {
        "fields": [_field(column, delivery) for column in columns],
        "missingValues": ["", *sorted(words)],
    }
    return result


def _attachment(path: Path) -> dict[str, Any]:
    """What the columns of another table are: programs that guess look at its first rows only."""
    with path.open(encoding="utf-8", newline="") as file:
        heads, *rows = csv.reader(file)
    types = (
        "number" if all(map(_is_number, filter(None, cells))) else "string"
        for cells in zip(*rows, strict=True)
    )
    fields = [{"name": name, "type": one} for name, one in zip(heads, types, strict=True)]
    return {"schema": {"fields": fields, "missingValues": [""]}}


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", cell) is not None


def _field(column: Column, delivery: Delivery) -> dict[str, Any]:
    attribute = column.attribute
    result: dict[str, Any] = {"name": delivery.written(column.name)}
    if attribute.kind.is_numeric:
        result["type"] = "integer" if are_whole(column) else "number"
    else:
        result["type"] = "string"
    result["title"] = str(attribute.label or attribute.shown)
    result["description"] = delivery.tongue.say(delivery.state_of(column.name))
    if attribute.kind is Kind.SET:
        # A cell names several values with bars between them.
        return result
    if attribute.kind.is_categorical:
        values = [delivery.written(str(value)) for value in attribute.values]
        return result | {"constraints": {"enum": values}}
    bounds = _bounds(column)
    return result if bounds is None else result | {"constraints": bounds}


def _bounds(column: Column) -> dict[str, float] | None:
    """Between what the numbers of the file lie: the domain, and as far as reports go beyond."""
    present = column.data[~column.missing]
    ends = [float(end) for end in column.attribute.domain or ()]
    ends += [float(present.min()), float(present.max())] if len(present) else []
    if not ends or not all(map(math.isfinite, ends)):
        return None
    low, high = min(ends), max(ends)
    if are_whole(column):
        return {"minimum": math.floor(low), "maximum": math.ceil(high)}
    return {"minimum": low, "maximum": high}
