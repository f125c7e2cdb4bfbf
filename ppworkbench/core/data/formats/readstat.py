"""SPSS and Stata files through ReadStat, in a process that may crash without harm."""

from __future__ import annotations

import io
import json
import math
import os
import struct
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Code
from ppworkbench.core.data.delimited.text import detect_charset
from ppworkbench.core.data.formats import parquet, readstat_process
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress

APART = True
"""Whether ReadStat runs apart."""
BUNDLED = "--read-statistics-file"
"""What a bundled program is started with to read a file; packaging/launch.py knows it."""

_PROGRAM = Path(readstat_process.__file__)
_TICK = 0.2
_PATIENCE, _BYTES_A_SECOND = 120.0, 10_000
"""A sound file takes a hundredth of this time; only a damaged one would be waited for forever."""
_STARVED = 10
"""So many times longer a reader may take that gets next to no processor time."""
_CELL = 8
_COMPRESSED = 1100
"""Cells per byte: zlib shortens a thousandfold at most, other files have a byte for each cell."""


@dataclass(frozen=True, eq=False)
class Variable:
    """One variable as the file has it.

    ``numbers`` or ``texts`` is set; ``letters`` holds the character codes of Stata's lettered
    missing values, 0 elsewhere.
    """

    name: str
    label: str
    value_labels: Mapping[Code, str]
    missing_ranges: tuple[tuple[Code, Code], ...]
    measure: str
    display: str | None
    numbers: NDArray[np.float64] | None
    texts: pa.Array | None
    letters: NDArray[np.uint8] | None

    @property
    def data(self) -> pa.ChunkedArray:
        cells = pa.array(self.numbers, from_pandas=True) if self.texts is None else self.texts
        return pa.chunked_array([cells])


@dataclass(frozen=True, eq=False)
class Parsed:
    variables: tuple[Variable, ...]
    notes: tuple[str, ...] = ()


class _Undecodable(Exception):  # noqa: N818 (leads to another try)
    """The text of a file is not in the encoding that it declares."""


def parse(path: Path, kind: str, encoding: str | None, progress: Progress) -> Parsed:
    """Read a ``sav``, ``por`` or ``dta`` file.

    When its text cannot be decoded as declared, the Windows code pages are tried.
    """
    progress(0.0, Message("Reading {file}", file=path.name))
    try:
        return Parsed(_parse_once(path, kind, encoding, progress))
    except _Undecodable as error:
        if encoding is not None or kind == "por":
            raise DataError.saying(
                "The text of {file} is not in the expected encoding; name another one.", file=path
            ) from error
    progress(0.3, "Trying another encoding")
    variables, used = _parse_once(path, kind, "windows-1250", progress), "windows-1250"
    charset = detect_charset(_all_text(variables).encode("cp1250", "replace"))
    if charset is not None and charset.name not in ("cp1250", "utf-8"):
        used = {"cp1252": "windows-1252"}.get(charset.name, charset.name)
        variables = _parse_once(path, kind, used, progress)
    note = Message(
        "The text of {file} has another encoding than declared and was read as {used}; "
        "set the encoding if letters look wrong.",
        file=path.name,
        used=used,
    )
    return Parsed(variables, (note,))


def _parse_once(
    path: Path, kind: str, encoding: str | None, progress: Progress
) -> tuple[Variable, ...]:
    with path.open("rb") as file:
        density = _COMPRESSED if file.read(4) == b"$FL3" else 1
    request = {
        "path": str(path.resolve()),
        "kind": kind,
        "encoding": encoding,
        "density": density,
        "most": most_cells(path.stat().st_size),
    }
    if APART:
        answer, arrays = _ask(request, path, progress)
    else:
        answer, arrays = _answer_here(request)
    _check(answer, path)
    return _variables(answer, arrays)


def most_cells(packed: int) -> int:
    dense = max(parquet.HARMLESS, parquet.HIGHEST_RATIO * packed)
    return min(dense, parquet.MOST_BYTES) // _CELL


def _answer_here(request: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    stream = io.BytesIO()
    try:
        readstat_process.send(stream, *readstat_process.read(request))
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error)}, []
    return _receive(stream.getvalue())


def _ask(
    request: dict[str, Any], path: Path, progress: Progress
) -> tuple[dict[str, Any], list[Any]]:
    """Have the file read by another process; stopping ends that process too."""
    quiet = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    with subprocess.Popen(  # noqa: S603 (our own program; the file's name is data to it)
        _command(json.dumps(request)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        creationflags=quiet,
    ) as process:
        try:
            content = _wait(process, path, progress)
        finally:
            process.kill()
    try:
        return _receive(content)
    except (ValueError, EOFError, struct.error):
        raise DataError.saying("{file} is damaged: its reader crashed.", file=path) from None


def _command(request: str) -> list[str]:
    if getattr(sys, "frozen", False):
        # A bundle has no interpreter. On Windows its window has no standard output, so that the
        # program of that name that has one is asked.
        here = Path(sys.executable)
        return [str(here.with_name("ppworkbench").with_suffix(here.suffix)), BUNDLED, request]
    # -P keeps this folder, whose files are named like libraries, out of the search for them.
    return [sys.executable, "-P", str(_PROGRAM), request]


def _wait(process: subprocess.Popen[bytes], path: Path, progress: Progress) -> bytes:
    allowed = _PATIENCE + path.stat().st_size / _BYTES_A_SECOND
    began = time.monotonic()
    while True:
        try:
            return process.communicate(timeout=_TICK)[0]
        except subprocess.TimeoutExpired:
            progress(0.1, Message("Reading {file}", file=path.name))
        spent = time.monotonic() - began
        if spent > allowed and (spent > _STARVED * allowed or _busy(process.pid) > allowed / 4):
            raise DataError.saying(
                "{file} is probably damaged: its reader did not finish and was stopped.", file=path
            )


def _busy(pid: int) -> float:
    """The processor time that a process has had, in seconds; infinite where nothing tells it."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
        user, system = told.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, AttributeError):
        return math.inf


def _receive(content: bytes) -> tuple[dict[str, Any], list[Any]]:
    stream = io.BytesIO(content)
    (length,) = struct.unpack("<Q", stream.read(8))
    answer = json.loads(stream.read(length))
    arrays = []
    while stream.tell() < len(content):
        arrays.append(np.load(stream, allow_pickle=False))
    return answer, arrays


def _check(answer: dict[str, Any], path: Path) -> None:
    if "promised" in answer:
        raise DataError.saying(
            "{file} declares {answer} rows but is too short for them; it is incomplete or damaged.",
            answer=answer["promised"],
            file=path,
        )
    if "cells" in answer:
        size = path.stat().st_size
        parquet.check_size(path.name, path, answer["cells"] * _CELL, size)
    if "doubled" in answer:
        raise DataError.saying("{file}: two variables have the same name.", file=path)
    if "error" in answer:
        name, message = answer["error"], " ".join(answer["message"].split())[:200]
        if name == "UnicodeDecodeError" or "convert string" in message:
            raise _Undecodable(message)
        if name == "MemoryError":
            raise MemoryError
        raise DataError.saying(
            "{file} cannot be read: it is damaged or has another format ({message}).",
            message=message.rstrip(".") or name,
            file=path,
        )


def _variables(answer: dict[str, Any], arrays: list[Any]) -> tuple[Variable, ...]:
    waiting = iter(arrays)
    text, lettered = {*answer["text"]}, {*answer["lettered"]}
    variables = []
    for name, label in zip(answer["column_names"], answer["column_labels"], strict=True):
        is_text = name in text
        ranges = answer["missing_ranges"].get(name, ())
        first = next(waiting)
        variables.append(
            Variable(
                # A damaged file may have none.
                name=name or "",
                label=label or "",
                value_labels={
                    _code(code): label for code, label in answer["value_labels"].get(name, ())
                },
                missing_ranges=tuple((_code(one["lo"]), _code(one["hi"])) for one in ranges),
                measure=answer["variable_measure"].get(name, ""),
                display=answer["original_variable_types"].get(name),
                numbers=None if is_text else first,
                texts=_texts(first, next(waiting)) if is_text else None,
                letters=next(waiting) if name in lettered else None,
            )
        )
    return tuple(variables)


def _texts(ends: NDArray[np.int64], content: NDArray[np.uint8]) -> pa.Array:
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(content)]
    texts = pa.LargeStringArray.from_buffers(len(ends) - 1, *buffers[1:], None)
    texts.validate(full=True)
    return texts.cast(pa.string())


def _code(code: Any) -> Code:
    return code if isinstance(code, str) else float(code)


def _all_text(variables: tuple[Variable, ...]) -> str:
    words: list[str] = []
    for one in variables:
        words += [one.name, one.label, *one.value_labels.values()]
        if one.texts is not None:
            words += one.texts.unique().to_pylist()
    return " ".join(words)
