"""Reads one SPSS or Stata file and writes what it holds to standard output.

ReadStat is written in C, and a damaged file can make it crash. It therefore runs as a program of
its own, which needs nothing of this package: see ``readstat.py`` for who starts it. The answer is
a length, a JSON object and the arrays that it lists.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import warnings
from typing import Any, BinaryIO

import numpy as np

Arrays = list[np.ndarray[Any, Any]]

_MANY_CELLS = 2_000_000
"""From here on arrays are worth the time that it takes to load pandas."""
_BLOCK = 250
"""So many columns at a time where the number of rows is not known: ReadStat's reader then sets
memory aside for 100,000 rows of each."""
_FIELDS = (
    "column_names",
    "column_labels",
    "missing_ranges",
    "original_variable_types",
    "readstat_variable_types",
    "variable_measure",
)


def read(request: dict[str, Any]) -> tuple[dict[str, Any], Arrays]:
    import pyreadstat

    reader: Any = getattr(pyreadstat, f"read_{request['kind']}")
    settings: dict[str, Any] = {"disable_datetime_conversion": True}
    if request["kind"] != "por":
        settings["user_missing"] = True
        if request["encoding"]:
            settings["encoding"] = request["encoding"]
    with warnings.catch_warnings():
        # Two variables of one name; the answer shows it.
        warnings.simplefilter("ignore")
        _, meta = reader(request["path"], metadataonly=True, **settings)
        cells = (meta.number_rows or 0) * (meta.number_columns or 0)
        names = list(meta.column_names)
        if cells > os.path.getsize(request["path"]) * request["density"]:  # noqa: PTH202
            return {"promised": meta.number_rows}, []
        if cells > request["most"]:
            return {"cells": cells}, []
        if meta.number_rows is None and names:
            # One row more than may be, so that it shows.
            settings["row_limit"] = request["most"] // len(names) + 1
        if len({*names}) != len(names) or len(names) != meta.number_columns:
            return {"doubled": True}, []
        columns, meta = _cells(reader, request["path"], meta, settings)
    found = len(columns[names[0]]) * len(names) if names else 0
    if found > request["most"]:
        return {"cells": found}, []
    return _packed(meta, columns)


def _packed(meta: Any, columns: Any) -> tuple[dict[str, Any], Arrays]:
    answer = {field: getattr(meta, field) for field in _FIELDS}
    # Codes may be numbers, which cannot be keys of JSON.
    labels = meta.variable_value_labels
    answer["value_labels"] = {name: [*some.items()] for name, some in labels.items()}
    answer["text"], answer["lettered"] = [], []
    arrays: Arrays = []
    for name in meta.column_names:
        if meta.readstat_variable_types[name] == "string":
            answer["text"].append(name)
            arrays += _text_arrays(columns[name])
        else:
            numbers, letters = _number_arrays(columns[name])
            arrays.append(numbers)
            if letters is not None:
                answer["lettered"].append(name)
                arrays.append(letters)
    return answer, arrays


def _cells(reader: Any, path: str, meta: Any, settings: dict[str, Any]) -> tuple[Any, Any]:
    names = list(meta.column_names)
    if meta.number_rows is None and len(names) > _BLOCK:
        columns: dict[str, Any] = {}
        for i in range(0, len(names), _BLOCK):
            some, _ = reader(path, usecols=names[i : i + _BLOCK], output_format="dict", **settings)
            columns |= some
        return columns, meta
    if (meta.number_rows or 0) * len(names) < _MANY_CELLS:
        columns, meta = reader(path, output_format="dict", **settings)
        return columns, meta
    frame, meta = reader(path, output_format="pandas", **settings)
    columns = {name: frame[name].to_numpy() for name in names}
    # In arrays of whole numbers, pyreadstat 1.3 leaves a plain missing cell that follows a
    # letter as it was set aside, which is mostly 0; in lists it is empty as it should be.
    kinds = meta.readstat_variable_types
    doubtful = [name for name in meta.missing_user_values if kinds[name].startswith("int")]
    if doubtful:
        columns |= reader(path, usecols=doubtful, output_format="dict", **settings)[0]
    return columns, meta


def _text_arrays(cells: Any) -> Arrays:
    encoded = [cell.encode() if isinstance(cell, str) else b"" for cell in cells]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return [ends, np.frombuffer(b"".join(encoded), np.uint8)]


def _number_arrays(cells: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any] | None]:
    if isinstance(cells, np.ndarray) and cells.dtype != object:
        return cells.astype(np.float64), None
    numbers = [np.nan if cell is None or isinstance(cell, str) else cell for cell in cells]
    letters = [ord(cell[0]) if isinstance(cell, str) and cell else 0 for cell in cells]
    return np.array(numbers, np.float64), np.array(letters, np.uint8) if any(letters) else None


class _Pipe:
    """A stream that numpy does not take for a file: it would ask a file where it is."""

    def __init__(self, stream: BinaryIO) -> None:
        self.write = stream.write


def send(stream: BinaryIO, answer: dict[str, Any], arrays: Arrays) -> None:
    text = json.dumps(answer).encode()
    stream.write(struct.pack("<Q", len(text)) + text)
    for array in arrays:
        np.save(_Pipe(stream), array, allow_pickle=False)
    stream.flush()


def main() -> None:
    try:
        answer, arrays = read(json.loads(sys.argv[1]))
    except Exception as error:
        answer, arrays = {"error": type(error).__name__, "message": str(error)}, []
    send(sys.stdout.buffer, answer, arrays)


if __name__ == "__main__":
    main()
