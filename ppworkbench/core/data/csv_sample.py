"""Column types of a long file, judged by a sample of its lines."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ppworkbench.core.data.charset import Charset, detect_charset, stray_byte
from ppworkbench.core.data.csv_parse import TEXT, Layout, bad_utf8
from ppworkbench.core.data.numerals import NumberFormat, plain_kind
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.sniff import Dialect, Sample, decimal_mark
from ppworkbench.core.data.typical_codes import FAST_NULLS

_ENOUGH = 1 << 15


def parse_sample(path: Path, dialect: Dialect, sample: Sample) -> pa.Table:
    """The sampled lines as columns of text; lines that do not fit are left out here."""
    from pyarrow import csv

    text = sample.head[dialect.charset.bom :]
    if not sample.is_whole:
        text = text[:_ENOUGH]
        text = text[: text.rfind(b"\n") + 1] or text
    if dialect.charset.name == "utf-8":
        content = text + b"".join(sample.blocks)
    else:
        content = text.decode(dialect.charset.name, "replace").encode("utf-8", "replace")
    layout = Layout(path, dialect, dict.fromkeys(dialect.names, pa.string()), newlines=True)
    options = layout.options()
    options["parse_options"].invalid_row_handler = _skip
    options["convert_options"].check_utf8 = False
    options["read_options"].block_size = max(len(content), 1 << 16)
    return csv.read_csv(io.BytesIO(content + b"\n"), **options)


def guess_types(sample: pa.Table, form: NumberFormat) -> dict[str, pa.DataType]:
    """For each column whole numbers, doubles or text; text wherever there is a doubt."""
    return {
        name: _guess_type(column, form)
        for name, column in zip(sample.column_names, sample.columns, strict=True)
    }


def number_format_of(cells: pa.Table, dialect: Dialect, options: ReadOptions) -> NumberFormat:
    """The number format that was chosen or that the cells speak for."""
    if options.decimal is not None:
        return NumberFormat(options.decimal, forced=True)
    return NumberFormat(decimal_mark(cells, dialect.separator))


def whole_charset(path: Path) -> Charset:
    """The encoding by all lines of a file that have other letters than ASCII."""
    gathered = b""
    with path.open("rb") as file:
        while (block := file.read(1 << 20)) and len(gathered) < 1 << 22:
            if not block.isascii():
                gathered += block
    stray = stray_byte(gathered)
    if stray is not None:
        raise bad_utf8(path, Charset("utf-8"))
    return detect_charset(gathered) or Charset("utf-8")


def _guess_type(column: pa.ChunkedArray, form: NumberFormat) -> pa.DataType:
    texts = column.unique().cast(pa.string())
    texts = texts.filter(pc.invert(pc.is_in(texts, pa.array(FAST_NULLS, pa.string()))))
    kind = plain_kind(texts, form)
    if kind == "whole":
        # Half the memory for all the numbers that surveys have; a longer one later on makes the
        # column text, which is looked at more closely.
        short = pc.all(pc.less(pc.utf8_length(texts), 10)).as_py()
        return pa.int32() if short else pa.int64()
    return pa.float64() if kind == "decimal" else TEXT


def _skip(row: Any) -> str:  # noqa: ARG001 (Arrow hands it over)
    return "skip"
