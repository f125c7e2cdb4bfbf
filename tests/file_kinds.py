"""Kinds of files: a sound one of each, the ways to change it, and what must hold if it opens."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from damage import ANY, TEXT, Mutate, distorted_json, inside, lying
from inner_changes import (
    edited_cells,
    edited_json,
    edited_parquet,
    edited_study,
    rewritten_cells,
    rewritten_json,
    rewritten_parquet,
    rewritten_study,
)
from mutants import ROWS, TABLES, TEXTS
from reopening import (
    check_same,
    check_table,
    demand,
    open_codebook,
    open_design,
    open_table,
    open_to_use,
    reopen_codebook,
    reopen_design,
    reopen_parquet,
    reopen_study,
    reopen_table,
)
from sound_files import sound_designs, sound_studies, sound_tables
from studies import make_study, same

from ppworkbench.core.data.codebook import Codebook, read_codebook, sidecar_path
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.options import WriteOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import read_design, write_design
from ppworkbench.fieldwork.collected import read_collected
from ppworkbench.study.files.study_file import open_study, save_study, study_to_json
from ppworkbench.study.study import Study

Check = Callable[[Path], object]
FAMILIES = ("study", "parquet", "design", "codebook", "csv")
"""Of each of these, most files have to open, or what comes after the first check is not tried."""


def family(kind: str) -> str:
    """What a file is, whichever way it is changed."""
    return next((one for one in FAMILIES if one in kind), kind)


@dataclass(frozen=True)
class Kind:
    """A sound file, the ways to damage it, and what must hold of what is opened."""

    path: Path
    check: Check
    mutations: tuple[Mutate, ...]
    beside: Path | None = None
    """A codebook that lies beside it, undamaged."""


def make_kinds(folder: Path) -> dict[str, Kind]:
    """Sound files, made by our own writers, and how they are changed from within or damaged."""
    study = make_study(rows=30)
    table = study.original
    assert table is not None
    kinds: dict[str, Kind] = {}
    save_study(study, folder / "study.ppw")
    packed = tuple(map(inside, TEXT))
    kinds["study"] = Kind(folder / "study.ppw", open_to_use, (*ANY[:2], *packed))
    kinds["study values"] = Kind(folder / "study.ppw", open_to_use, (inside(_values_of),))
    write_design(study.design, folder / "design.json")
    kinds["design"] = Kind(folder / "design.json", open_design, (*TEXT, distorted_json))
    for suffix in TABLES:
        path = folder / f"table{suffix}"
        write_table(table, path)
        kinds[suffix] = Kind(path, open_table, TEXT if suffix in (".csv", ".arff") else ANY)
    kinds[".xlsx"] = Kind(folder / "table.xlsx", open_table, (*ANY[:2], *packed))
    kinds["lying parquet"] = Kind(folder / "table.parquet", open_table, (lying,))
    bare = folder / "bare"
    bare.mkdir()
    for suffix in (".csv", ".arff"):
        path = (bare / "table").with_suffix(suffix)
        path.write_bytes((folder / f"table{suffix}").read_bytes())
        kinds[f"bare {suffix}"] = Kind(path, open_table, TEXT)
    codebook = folder / "table.codebook.json"
    kinds[".csv"] = Kind(folder / "table.csv", open_table, TEXT, codebook)
    kinds["codebook"] = Kind(codebook, open_codebook, (*TEXT, distorted_json))
    for suffix, content in TEXTS.items():
        path = folder / f"text{suffix}"
        path.write_bytes(content)
        kinds[suffix] = Kind(path, open_table, TEXT)
    rows = folder / "rows.jsonl"
    rows.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    kinds["collected"] = Kind(
        rows,
        lambda path: check_table(read_collected([path], study.design), is_distorted=True),
        TEXT,
    )
    return kinds | inner_kinds(folder)


def inner_kinds(folder: Path) -> dict[str, Kind]:
    """Files that are changed inside of what holds them: most open, and what is read is compared."""
    kinds: dict[str, Kind] = {}
    for name, study in sound_studies().items():
        path = folder / f"{name}.ppw"
        save_study(study, path)
        kinds[f"study: {name}"] = Kind(path, reopen_study, (edited_study,))
        kinds[f"study: {name}, rewritten"] = Kind(
            path, partial(_same_study, study), (rewritten_study,)
        )
    for name, design in sound_designs().items():
        path = folder / f"{name}.json"
        write_design(design, path)
        kinds[f"design: {name}"] = Kind(path, reopen_design, (edited_json,))
        kinds[f"design: {name}, rewritten"] = Kind(
            path, partial(_same_design, design), (rewritten_json,)
        )
    for name, table in sound_tables().items():
        parquet, text = folder / f"{name}.parquet", folder / f"{name}.csv"
        write_table(table, parquet)
        write_table(table, text)
        beside = sidecar_path(text)
        kinds[f"parquet: {name}"] = Kind(parquet, reopen_parquet, (edited_parquet,))
        kinds[f"parquet: {name}, rewritten"] = Kind(
            parquet, partial(_same_table, table), (rewritten_parquet,)
        )
        kinds[f"codebook: {name}"] = Kind(beside, reopen_codebook, (edited_json,))
        kinds[f"codebook: {name}, rewritten"] = Kind(
            beside, partial(_same_codebook, read_codebook(beside)), (rewritten_json,)
        )
        kinds[f"csv: {name}"] = Kind(text, reopen_table, (edited_cells,), beside)
        kinds[f"csv: {name}, rewritten"] = Kind(
            text, partial(_same_table, table), (rewritten_cells,), beside
        )
        bare = folder / f"bare {name}"
        bare.mkdir()
        for kind in (parquet, text):
            write_table(table, bare / kind.name, WriteOptions(codebook=False))
        kinds[f"parquet: bare {name}"] = Kind(
            bare / parquet.name, reopen_parquet, (edited_parquet,)
        )
        kinds[f"csv: bare {name}"] = Kind(bare / text.name, reopen_table, (edited_cells,))
    return kinds


def _same_study(study: Study, path: Path) -> None:
    found = open_study(path)
    demand(same(found, study), "the rewritten study is another")
    demand(study_to_json(found) == study_to_json(study), "the rewritten study.json is another")


def _same_design(design: Design, path: Path) -> None:
    demand(read_design(path) == design, "the rewritten design is another")


def _same_table(table: Table, path: Path) -> None:
    check_same(table, read_table(path), "rewritten")


def _same_codebook(codebook: Codebook, path: Path) -> None:
    demand(read_codebook(path) == codebook, "the rewritten codebook is another")


def _values_of(content: bytes, source: np.random.Generator) -> bytes:
    return distorted_json(content, source) if content[:1] == b"{" else ANY[0](content, source)
