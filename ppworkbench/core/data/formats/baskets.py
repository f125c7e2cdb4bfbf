"""Transaction baskets: one transaction a line, by item numbers or item names."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

import numpy as np
import pyarrow as pa

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.delimited.text import find_encoding
from ppworkbench.core.data.formats.format import Format
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.data.transactions import ABSENT_PRESENT, Transactions
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent

MOST_ITEMS = 20_000
"""So many different items become the columns of a table; more are only mined as transactions."""
MOST_CELLS = 2_000_000_000
_DETECT = ReadOptions()
_SAMPLE = 1000
_LINES = 50_000


def read_transactions(
    path: Path, options: ReadOptions = _DETECT, progress: Progress = silent
) -> Transactions:
    """Read baskets without making a table of them.

    Items are separated by tabs, by commas (names, which may be quoted) or by spaces (numbers);
    an empty line is an empty basket.
    """
    encoding = find_encoding(path, options.encoding)
    size = max(path.stat().st_size, 1)
    positions: dict[str, int] = {}
    indices: list[int] = []
    lengths: list[int] = []
    done = 0
    with path.open(encoding=encoding.name, newline="") as file:
        head = list(islice(file, _SAMPLE))
        separator = _separator(head, options.separator)
        for number, items in enumerate(_baskets(chain(head, file), separator, path), start=1):
            indices.extend(positions.setdefault(item, len(positions)) for item in items)
            lengths.append(len(items))
            done += sum(map(len, items)) + len(items) + 1
            if number % _LINES == 0:
                progress(min(done / size, 0.95), Message("Reading {file}", file=path.name))
    if not positions:
        raise DataError.saying("{file} has no items.", file=path)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    names, order = _ordered(tuple(positions))
    places = order[np.array(indices, np.int64)]
    return Transactions.from_pairs(names, len(lengths), rows, places)


def read_baskets(path: Path, options: ReadOptions, progress: Progress) -> RawTable:
    """Read baskets as one binary attribute per item, ``1`` where the basket holds it."""
    baskets = read_transactions(path, options, part(progress, 0.0, 0.7))
    items, rows = len(baskets.items), len(baskets)
    if items > MOST_ITEMS or items * rows > MOST_CELLS:
        raise DataError.saying(
            "{file} has {items} distinct items in {rows} baskets, too many for "
            "columns; mine it as transactions or remove rare items.",
            items=items,
            rows=rows,
            file=path,
        )
    notes = [
        Message(
            "{rows} baskets of {items} items became one attribute per item.", rows=rows, items=items
        )
    ]
    by_item = np.argsort(baskets.indices, kind="stable")
    owners = np.repeat(np.arange(rows), baskets.lengths)[by_item]
    starts = np.concatenate([[0], np.cumsum(baskets.supports)])
    words = pa.array(ABSENT_PRESENT, pa.string())
    columns = []
    for i, name in enumerate(baskets.items):
        held = np.zeros(rows, np.int8)
        held[owners[starts[i] : starts[i + 1]]] = 1
        data = pa.chunked_array([pa.DictionaryArray.from_arrays(pa.array(held), words)])
        columns.append(RawColumn(name, data, values=ABSENT_PRESENT, kind=Kind.BINARY))
        if i % 100 == 0:
            progress(0.7 + 0.3 * i / items, "Making columns")
    return RawTable(tuple(columns), str(path), notes=tuple(notes))


def _separator(head: list[str], asked: str | None) -> str:
    """Tabs and commas separate names; spaces only separate where every word is a number."""
    if asked is not None:
        return "\t" if asked == "tab" else asked
    text = "".join(head)
    if "\t" in text:
        return "\t"
    if "," in text:
        return ","
    if ";" in text:
        return ";"
    words = text.split()
    if all(re.fullmatch(r"\d+", word) for word in words):
        return " "
    # Words without any comma: one name a line, or names that are single words.
    return " " if sum(" " in line.strip() for line in head) > len(head) / 2 else ","


def _baskets(lines: Iterator[str], separator: str, path: Path) -> Iterator[list[str]]:
    if separator == " ":
        for line in lines:
            yield line.split()
        return
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    try:
        for fields in reader:
            yield [item for item in map(str.strip, fields) if item]
    except csv.Error as error:
        raise DataError.saying(
            "{file}, line {line_num}: {error}; quotes must be closed.",
            line_num=reader.line_num,
            error=error,
            file=path,
            row=reader.line_num,
        ) from None


def _ordered(
    names: tuple[str, ...],
) -> tuple[tuple[str, ...], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Numbered items by number, named ones as they come; and each one's new place."""
    order = np.arange(len(names))
    if all(re.fullmatch(r"\d{1,15}", name) for name in names):
        order = np.array(sorted(order.tolist(), key=lambda i: int(names[i])), np.int64)
    places = np.empty(len(names), np.int64)
    places[order] = np.arange(len(names))
    return tuple(names[i] for i in order.tolist()), places


BASKETS = Format("baskets", "Transaction baskets", (".basket", ".baskets", ".dat"), read_baskets)
