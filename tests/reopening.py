"""What must hold of a file that was opened: it makes sense, and what it says is what was written.

Whatever opens is written and read again, and each time compared: with what the file says itself,
and with what was read of it before.
"""

from __future__ import annotations

import json
import math
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from mutants import use
from studies import same

from ppworkbench.core.data.attribute import within_rounding
from ppworkbench.core.data.codebook import Codebook, read_codebook
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.numerals import number_text
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, MatrixPerturbation, NoisePerturbation
from ppworkbench.core.design.design_file import design_from_json, design_to_json, read_design
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.reconstruct.grid import make_grid
from ppworkbench.fieldwork.opening import open_anything
from ppworkbench.study.files.study_file import open_study, save_study, study_to_json
from ppworkbench.study.study import Study

EXACT = (".parquet", ".feather", ".csv", ".arff", ".xlsx", ".sav", ".dta")
"""With the codebook inside or beside, all of these give back the very same table."""


class NonsenseError(AssertionError):
    """A file was opened that should have been refused, or says something else than was read."""


def demand(holds: Any, what: str) -> None:
    """Call nonsense by its name."""
    if not holds:
        raise NonsenseError(what)


# Tables


def check_table(table: Table, *, is_distorted: bool = False) -> None:
    """Every column has all rows, and every cell is missing or possible.

    Numbers out of their domain must be told of, unless noise led them there.
    """
    demand(len(set(table.names)) == len(table.columns), "two columns of one name")
    for column in table:
        attribute, data = column.attribute, column.data
        demand(len(data) == table.rows, f"{column.name!r} has {len(data)} of {table.rows} rows")
        if column.is_categorical:
            demand(len(set(attribute.values)) == attribute.k, f"{column.name!r}: values twice")
            demand(((data >= -1) & (data < attribute.k)).all(), f"{column.name!r}: no such value")
        elif not column.is_set:
            low, high = within_rounding(attribute.domain or (0.0, -1.0))
            there = data[~np.isnan(data)]
            demand(np.isfinite(there).all(), f"{column.name!r}: an infinite number")
            told = is_distorted or any("outside the domain" in note for note in table.notes)
            demand(
                told or ((there >= low) & (there <= high)).all(), f"{column.name!r}: out of bounds"
            )
    table.take(slice(0, 3))


def check_rewritten(table: Table, place: Path, suffix: str) -> None:
    """A table comes back from a file of this kind as it was, unless writing is refused."""
    again = place.with_name(f"again{suffix}")
    try:
        write_table(table, again)
    except WorkbenchError as error:
        demand(error.message.endswith((".", "?")), f"not written: {error.message}")
        return
    check_same(table, read_table(again), suffix)


def check_same(table: Table, back: Table, suffix: str) -> None:
    """The table is what it was, up to the last cell."""
    for a, b in zip(table, back, strict=False):
        demand(a.name == b.name, f"{suffix}: {a.name!r} comes back as {b.name!r}")
        demand(a.attribute == b.attribute, f"{suffix}: {a.attribute} comes back as {b.attribute}")
        demand(
            a.equals(b),
            f"{suffix}: {a.name!r}: {a.data} {a.why_missing} comes back as {b.data} "
            f"{b.why_missing}",
        )
    demand(table.equals(back), f"{suffix}: the table comes back as another: {back.notes}")


def open_table(path: Path) -> None:
    """A table of any kind."""
    check_table(read_table(path))


def reopen_table(path: Path) -> None:
    """A table that comes back from another file as well."""
    table = read_table(path)
    check_table(table)
    content = path.read_bytes()
    for suffix in {".parquet", EXACT[zlib.crc32(content) % len(EXACT)]}:
        check_rewritten(table, path, suffix)


def reopen_parquet(path: Path) -> None:
    """Parquet whose cells are those that were read."""
    reopen_table(path)
    table, written = read_table(path), pq.ParquetFile(path).read()
    for name in table.names:
        if written.column_names.count(name) == 1:
            _check_cells(table[name], written.column(name))


def _check_cells(column: Column, written: pa.ChunkedArray) -> None:
    attribute = column.attribute
    plain = written.type.value_type if pa.types.is_dictionary(written.type) else written.type
    if column.is_set or pa.types.is_temporal(plain) or pa.types.is_nested(plain):
        return
    has_codes = attribute.missing_codes or attribute.missing_ranges
    coded = dict(zip(map(_text, attribute.codes), attribute.values, strict=False))
    for row, (cell, got) in enumerate(zip(written.to_pylist(), column.data.tolist(), strict=True)):
        is_missing = got < 0 if column.is_categorical else math.isnan(got)
        where = f"{column.name!r}, row {row}: {cell!r}"
        if cell is None or (isinstance(cell, float) and math.isnan(cell)):
            demand(is_missing, f"{where} was read as {got!r}")
        elif is_missing:
            empty = isinstance(cell, str)
            demand(has_codes or empty, f"{where} was read as missing")
        elif column.is_categorical:
            text, value = _text(cell), attribute.values[got]
            known = {text, text.strip(), coded.get(text), text.casefold(), str(cell)}
            demand(value in known or value.casefold() in known, f"{where} was read as {value!r}")
        else:
            number = float(cell) if not isinstance(cell, str) else got
            demand(number == got, f"{where} was read as {got!r}")


def _text(cell: Any) -> str:
    if isinstance(cell, str | bool):
        return str(cell)
    return number_text(float(cell))


# Documents


def check_design(design: Design) -> None:
    """Channels are finite and sum to 1, and the design comes back from its file the same."""
    text = json.dumps(design_to_json(design), allow_nan=False)
    demand(design_from_json(json.loads(text)) == design, "the design comes back as another")
    for designed in design:
        attribute, perturbation = designed.attribute, design.perturbation(designed.name)
        try:
            if isinstance(perturbation, MatrixPerturbation):
                channel = perturbation.matrix(attribute.k)
            elif isinstance(perturbation, NoisePerturbation):
                channel = make_grid(attribute, perturbation, 8).matrix()
            else:
                continue
        except WorkbenchError as error:
            # Reports that tell a mean only have no channel.
            demand(error.message.endswith("."), error.message)
            continue
        demand(np.isfinite(channel).all(), f"{designed.name!r}: the channel is not finite")
        demand((channel >= 0).all(), f"{designed.name!r}: a negative probability")
        off = np.abs(channel.sum(axis=0) - 1).max()
        demand(off < 1e-3, f"{designed.name!r}: columns are off by {off:g}")


LENIENT = (
    "/description", "/plan/", "/goals/", "/budget/waves=1", "/budget/rule", "/budget/of",
    "/orientation",
)  # fmt: skip
"""What is not written: no wishes or remarks that cannot be, nothing that is as usual (one wave),
and nothing about what is not there (how to share out no budget, the order of no matrix)."""


def unlike(given: Any, told: Any, where: str = "") -> Iterator[str]:
    """Where a file says something that is written otherwise, or not at all, after reading it."""
    if isinstance(given, dict) and isinstance(told, dict):
        for name, value in given.items():
            place = f"{where}/{name}"
            if name == "perturbation" and "device" in told:
                # The outcomes of the device are exact, and the reader refuses other parameters.
                continue
            if name == "ends" and told.get("loop") is True:
                # What goes round has no ends.
                continue
            if name not in told:
                if not _is_nothing(value) and not f"{place}={value}".startswith(LENIENT):
                    yield f"{place} is lost: {str(value)[:60]!r}"
            else:
                yield from unlike(value, told[name], place)
    elif isinstance(given, list) and isinstance(told, list) and len(given) == len(told):
        for i, (one, other) in enumerate(zip(given, told, strict=True)):
            yield from unlike(one, other, f"{where}/{i}")
    elif not _is_alike(given, told) and where != "/version":
        yield f"{where}: {str(given)[:60]!r} became {str(told)[:60]!r}"


def _is_alike(given: Any, told: Any) -> bool:
    if isinstance(given, bool) or isinstance(told, bool):
        return given is told
    if isinstance(given, int | float) and isinstance(told, int | float):
        return float(given) == float(told)
    if isinstance(given, list) and all(isinstance(one, str) for one in given):
        # Names that are listed twice.
        given = list(dict.fromkeys(given))
    return bool(given == told)


def _is_nothing(value: Any) -> bool:
    return value in (None, "", [], {}, "leave", "public", "refuse") or value is False


def check_told(given: Any, told: Any) -> None:
    """What was read is what the file says."""
    found = list(unlike(given, told))
    demand(not found, "; ".join(found[:3]))


def open_design(path: Path) -> None:
    """A design of any kind."""
    check_design(read_design(path))


def reopen_design(path: Path) -> None:
    """A design that says what its file says."""
    design = read_design(path)
    check_design(design)
    check_told(json.loads(path.read_bytes()), design_to_json(design))


def open_codebook(path: Path) -> None:
    """A codebook of any kind."""
    codebook = read_codebook(path)
    demand(Codebook.from_text(codebook.to_text()) == codebook, "the codebook comes back as another")
    open_anything([path])


def reopen_codebook(path: Path) -> None:
    """A codebook that says what its file says."""
    codebook = read_codebook(path)
    demand(Codebook.from_text(codebook.to_text()) == codebook, "the codebook comes back as another")
    check_told(json.loads(path.read_bytes()), codebook.to_json())
    open_anything([path])


# Studies


def open_to_use(path: Path) -> Study:
    """A study of any kind, and what its pages look at first."""
    study = open_study(path)
    check_design(study.design)
    if study.original is not None:
        check_table(study.original)
    if study.distorted is not None:
        check_table(study.distorted, is_distorted=True)
    use(study)
    return study


def _fitting(given: dict[str, Any], study: Study) -> dict[str, Any]:
    """What the file says of the study, but for questions that its design does not have."""
    told = study_to_json(study)
    asked = [_asked(document.get("questionnaire", {})) for document in (given, told)]
    # Messages are kept where something says them.
    given = given | {"notes": [str(note) for note in given.get("notes") or []]}
    left_out = ("messages",) if asked[0] == asked[1] else ("messages", "questionnaire")
    return {name: value for name, value in given.items() if name not in left_out}


def _asked(document: dict[str, Any]) -> dict[str, list[object]]:
    return {
        one["name"]: [(each["value"], each.get("sensitive")) for each in one.get("answers", [])]
        for one in document.get("questions", [])
    }


def reopen_study(path: Path) -> None:
    """A study that says what its file says, and comes back the same."""
    study = open_to_use(path)
    again = path.with_name("again.ppw")
    save_study(study, again)
    back = open_study(again)
    demand(same(study, back), "the study comes back as another")
    demand(study_to_json(study) == study_to_json(back), "study.json comes back as another")
    with zipfile.ZipFile(path) as archive:
        check_told(json.loads(archive.read("design.json")), design_to_json(study.design))
        check_told(_fitting(json.loads(archive.read("study.json")), study), study_to_json(study))
        if "results.json" in archive.namelist():
            check_told(json.loads(archive.read("results.json")), dict(study.results))
        for name in ("original", "distorted"):
            table = getattr(study, name)
            if table is not None:
                with archive.open(f"{name}.parquet") as file:
                    written = pq.ParquetFile(pa.BufferReader(file.read())).read()
                for column in table:
                    _check_cells(column, written.column(column.name))
