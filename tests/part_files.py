"""Folders of Parquet parts for tests: a table cut wherever one likes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet as pq

from ppworkbench.core.data.codebook import Enclosure
from ppworkbench.core.data.formats.parquet import table_to_arrow
from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Uniform
from ppworkbench.core.design.design_file import design_to_json


def write_parts(
    folder: Path, table: Table, cuts: Sequence[int] = (), design: Design | None = None
) -> Path:
    """The rows of a table in parts that begin at these rows; numbers in names are not padded."""
    folder.mkdir(parents=True, exist_ok=True)
    enclosed = Enclosure(None if design is None else design_to_json(design), ())
    arrow = table_to_arrow(table, enclosed, with_codebook=design is not None)
    borders = sorted({0, table.rows, *(cut for cut in cuts if 0 <= cut <= table.rows)})
    for place, (start, stop) in enumerate(pairwise(borders)):
        pq.write_table(arrow.slice(start, stop - start), folder / f"part.{place}.parquet")
    return folder


def city_answers(rows: int) -> tuple[Table, Design]:
    """True answers of so many people to three questions, and a design for them."""
    original = load_sample("city-survey", rows=rows).select(["sex", "district", "income"])
    mechanisms = (
        Uniform(keep=0.8), Uniform(keep=0.7), Additive(noise="uniform", range_privacy=20),
    )  # fmt: skip
    pairs = zip(original.attributes, mechanisms, strict=True)
    return original, Design(tuple(DesignedAttribute(*pair) for pair in pairs))
