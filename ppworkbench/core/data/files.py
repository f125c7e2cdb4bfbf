"""Tables from files and back; whatever goes wrong becomes one sentence.

A table is written to a temporary file in the same folder, flushed to the disk and then renamed,
so that a target is always the old file or the new one.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.build import build_restored, build_table, named_texts
from ppworkbench.core.data.codebook import (
    Codebook,
    Enclosure,
    codebook_sheet,
    find_sidecar,
    read_codebook,
    sheet_path,
    sidecar_path,
)
from ppworkbench.core.data.delimited.reader import read_own_csv
from ppworkbench.core.data.edits import mark_missing, outside_notes
from ppworkbench.core.data.formats import Format, resolve_format, writable_format
from ppworkbench.core.data.numerals import code_text
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.data.raw import RawTable
from ppworkbench.core.data.restore import restore
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table, counted_values
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.files import (
    Temporaries,
    check_file,
    check_target,
    finish_mode,
    flush,
    flush_folder,
    temporaries,
)
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Cancelled, Progress, part, silent


def write_texts(texts: Mapping[Path, str], temporary: Temporaries) -> dict[Path, Path]:
    """Write texts under temporary names; tells for which place each of them is."""
    moves = {}
    for place, text in texts.items():
        new = temporary.create(place)
        new.write_text(text, encoding="utf-8")
        flush(new)
        moves[new] = place
    return moves


def replace_files(
    moves: Mapping[Path, Path], former: Sequence[Path], temporary: Temporaries
) -> None:
    """Rename the new files; when that fails half way, everything is as it was.

    The former codebook goes away first and the new one comes last: codes may mean something else,
    and a crash must never leave a codebook beside a file that it does not belong to.
    """
    undo: list[Callable[[], object]] = []
    try:
        for new, target in moves.items():
            finish_mode(new, target)
        for beside in former:
            if beside.exists():
                check_target(beside)
                old = temporary.name(beside)
                beside.replace(old)
                undo.append(partial(old.replace, beside))
        for new, target in moves.items():
            backup = temporary.name(target)
            way_back: Callable[[], object] = partial(target.unlink, missing_ok=True)
            if target.exists():
                # Some file systems know no second names; then there is just no way back.
                with suppress(OSError):
                    os.link(target, backup)
                way_back = partial(backup.replace, target)
            new.replace(target)
            undo.append(way_back)
    except (OSError, DataError):
        for step in reversed(undo):
            with suppress(OSError):
                step()
        raise
    for folder in {target.parent for target in moves.values()}:
        flush_folder(folder)


_DETECT = ReadOptions()
_PLAIN = WriteOptions()
_HEAD = 4096
_RANDOMISED = "randomised"
"""The code of the note that a design came with a file."""


def read_table(
    path: str | Path,
    options: ReadOptions = _DETECT,
    schema: Sequence[Attribute] | None = None,
    progress: Progress = silent,
) -> Table:
    """Read a table of any known format.

    Parameters
    ----------
    options
        What to do differently from what is detected.
    schema
        The attributes that the file must hold, for instance of a design; without it they come
        from a codebook in or beside the file, or are guessed.

    Raises
    ------
    DataError
        In one sentence: what is wrong with which file, where, and what to do.
    """
    path = Path(path)
    with sentences(path, "read"):
        chosen, notes = resolve_format(path, _head(path), options.format)
        raw, said = _read(chosen, path, options, part(progress, 0.0, 0.7))
        if schema is not None and options.header is None and not _has_any(raw, schema):
            # A line of names may look like a record; names that are known tell it from one.
            again = dataclasses.replace(options, header="1")
            with suppress(DataError):
                named, more = _read(chosen, path, again, part(progress, 0.0, 0.7))
                raw, said = (named, more) if _has_any(named, schema) else (raw, said)
        progress(0.7, "Finding kinds")
        table, more = _build(raw, options, schema, path)
        said += more
        if raw.has_design and schema is None:
            said += (
                Message(
                    "These answers were randomised; the codebook of the file holds their design.",
                    code=_RANDOMISED,
                ),
            )
    table = table.with_(notes=(*notes, *said, *table.notes))
    progress(1.0, Message("{done} records", done=table.rows))
    return table


def was_randomised(table: Table) -> bool:
    """Whether a table was read from a file whose codebook holds the design of its answers."""
    return any(isinstance(one, Message) and one.code == _RANDOMISED for one in table.notes)


def write_table(
    table: Table,
    path: str | Path,
    options: WriteOptions = _PLAIN,
    progress: Progress = silent,
    design: Mapping[str, Any] | None = None,
    remarks: tuple[str, ...] = (),
    sampling: Sampling | None = None,
) -> tuple[str, ...]:
    """Write a table in the format that the file's name tells.

    Parameters
    ----------
    design
        A design, as JSON values, that goes along in the codebook; so does its sampling.
    remarks
        Sentences for the codebook and its readable form.
    sampling
        How people were drawn, where no design says so.

    Returns
    -------
    tuple of str
        Sentences about what the format could not hold as it is.
    """
    path = Path(path)
    chosen = writable_format(path)
    # The file behind a link is written, not the link.
    target = Path(os.path.realpath(path))
    with sentences(path, "written"), temporaries() as temporary:
        if not table.columns:
            raise DataError("The table has no columns to write.", file=path)
        if target.is_dir():
            raise DataError.saying("{file} is a folder; choose the name of a file.", file=path)
        check_file(target)
        named = next((column.name for column in table if column.is_set), None)
        if named is not None and not chosen.holds_sets:
            raise DataError.saying(
                "Attribute {attribute!r} is reported as sets of values, which {format} cannot "
                "store; choose CSV, Excel or Parquet.",
                format=chosen.title,
                file=path,
                attribute=named,
            )
        assert chosen.write is not None  # noqa: S101 (writable_format saw to it)
        new = temporary.create(target)
        enclosure = Enclosure(design, remarks, sampling, target.stem)
        written = chosen.write(table, new, options, part(progress, 0.0, 0.9), enclosure)
        flush(new)
        notes = written.notes
        beside, sheet = sidecar_path(target), sheet_path(target)
        codebook = enclosure.codebook(table, written.stored, notes)
        texts = {}
        if not chosen.holds_codebook and options.codebook:
            texts[beside] = codebook.to_text()
        elif not chosen.holds_codebook and beside.exists():
            notes += (
                Message("The codebook {file} of the former file was removed.", file=beside.name),
            )
        if options.readable_codebook:
            texts[sheet] = codebook_sheet(codebook, path.name, table.rows)
        moves = {new: target, **write_texts(texts, temporary)}
        progress(0.95, Message("Saving {file}", file=path.name))
        former = [sheet] if chosen.holds_codebook else [sheet, beside]
        replace_files(moves, former, temporary)
    progress(1.0, Message("{done} records", done=table.rows))
    return notes


def written_files(path: str | Path) -> tuple[Path, ...]:
    path = Path(path)
    # Codebooks lie beside the file, wherever a link to it may lie.
    target = Path(os.path.realpath(path))
    try:
        holds_codebook = writable_format(path).holds_codebook
    except DataError:
        # Whoever writes it will say so.
        return (path,)
    if holds_codebook:
        return path, sheet_path(target)
    return path, sidecar_path(target), sheet_path(target)


def codebook_of(path: str | Path) -> Codebook | None:
    """The codebook that lies beside a file or inside it, with its design if it has one."""
    from ppworkbench.core.data.formats.excel import workbook_codebook
    from ppworkbench.core.data.formats.parquet import arrow_codebook

    path = Path(path)
    with sentences(path, "read"):
        head = _head(path)
        chosen, _ = resolve_format(path, head, None)
        if chosen.name == "excel":
            return workbook_codebook(path)
        if chosen.holds_codebook:
            return arrow_codebook(path)
        found = find_sidecar(path)
        return None if found is None else read_codebook(found)


@contextmanager
def sentences(path: Path, done: str) -> Iterator[None]:
    """Turn whatever a library raises about a file into one sentence.

    Files of strangers make libraries raise anything; the cause stays attached for ``--debug``.
    """
    try:
        yield
    except Cancelled:
        raise
    except WorkbenchError as error:
        error.file = error.file or str(path)
        raise
    except MemoryError as error:
        what = Message("there is not enough memory; process it in chunks on the command line")
        raise _cannot(path, done, what) from error
    except UnicodeError as error:
        what = Message("its text has another encoding; choose it")
        raise _cannot(path, done, what) from error
    except OSError as error:
        raise _cannot(path, done, _os_reason(error)) from error
    except Exception as error:
        words = _words(error)
        what = (
            Message("it is damaged or has another format ({words})", words=Message(words))
            if done == "read"
            else Message(words)
        )
        raise _cannot(path, done, what) from error


def _cannot(path: Path, done: str, why: str) -> DataError:
    if done == "read":
        return DataError.saying("{file} cannot be read: {strerror}.", strerror=why, file=path)
    return DataError.saying("{file} cannot be written: {why}.", why=why, file=path)


def _os_reason(error: OSError) -> str:
    if isinstance(error, PermissionError):
        return Message("there is no permission; choose another place or ask for access")
    if isinstance(error, FileNotFoundError):
        return Message("there is no such file or folder")
    return _words(error.strerror or error)


def _words(error: object) -> str:
    """What a library says, fit for a sentence: one line, no strange characters, not endless."""
    if isinstance(error, OverflowError) or "int_max_str_digits" in str(error):
        return Message("a number is too large")
    words = "".join(c if c.isprintable() else " " for c in str(error))
    return " ".join(words.split())[:200].rstrip(". ") or type(error).__name__


def _head(path: Path) -> bytes:
    if path.is_dir():
        raise DataError.saying("{file} is a folder; choose a file in it.", file=path)
    check_file(path)
    if not path.exists():
        raise DataError.saying(
            "There is no file {file} in {parent}.", parent=path.absolute().parent, file=path
        )
    if not path.is_file():
        raise DataError.saying("{file} cannot be read.", file=path)
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head:
        raise DataError.saying(
            "{file} is empty: it has 0 bytes; export or download it again.", file=path
        )
    return head


def _read(
    chosen: Format, path: Path, options: ReadOptions, progress: Progress
) -> tuple[RawTable, tuple[str, ...]]:
    beside = None if chosen.holds_codebook else find_sidecar(path)
    if beside is None:
        return chosen.read(path, options, progress), ()
    raw = None
    try:
        codebook = read_codebook(beside)
        if chosen.name == "csv" and codebook.stored and options == _DETECT:
            # A spreadsheet may have saved it again in another dialect since.
            with suppress(DataError):
                return restore(read_own_csv(path, codebook, progress), codebook), ()
        raw = chosen.read(path, options, progress)
        return restore(raw, codebook), ()
    except DataError as error:
        note = Message(
            "The codebook {file} was not used: {why}", file=beside.name, why=error.message
        )
        return raw or chosen.read(path, options, progress), (note,)


def _has_any(raw: RawTable, schema: Sequence[Attribute]) -> bool:
    return not {column.name for column in raw.columns}.isdisjoint(one.name for one in schema)


def _build(
    raw: RawTable, options: ReadOptions, schema: Sequence[Attribute] | None, path: Path
) -> tuple[Table, tuple[str, ...]]:
    """The table under its codebook; guessing afresh when the codebook does not fit."""
    designed = {attribute.name for attribute in schema or ()}
    if raw.schema is None:
        table = build_table(raw, options, schema)
        return table, _kept_notes(table, options, designed)
    try:
        table = build_restored(raw, options, schema)
        if raw.has_design or schema is not None:
            return table, _kept_notes(table, options, designed or set(table.names))
        table, notes = _without_named_codes(table, options)
        return table, notes + outside_notes(table)
    except DataError as error:
        if schema is not None:
            raise
        columns = (dataclasses.replace(c, kind=None, values=()) for c in raw.columns)
        plain = dataclasses.replace(raw, schema=None, class_name=None, columns=tuple(columns))
        note = Message(
            "The codebook of {file} was not used: {why}", file=path.name, why=error.message
        )
        return build_table(plain, options), (note,)


def _named_values(column: Column, options: ReadOptions) -> list[str]:
    named = set(named_texts(options))
    if not named or not column.is_categorical or column.is_set:
        return []
    attribute = column.attribute
    codes = list(map(code_text, attribute.codes))
    pairs = zip(attribute.values, codes or attribute.values, strict=True)
    return [value for value, code in pairs if not named.isdisjoint((value.strip(), code.strip()))]


def _without_named_codes(table: Table, options: ReadOptions) -> tuple[Table, tuple[str, ...]]:
    notes: list[str] = []
    for column in table:
        found = _named_values(column, options)
        if found:
            counts = [int((column.data == column.attribute.values.index(v)).sum()) for v in found]
            said = Message(
                "{attribute!r}: read as missing: {listed}.",
                code="read-as-missing",
                attribute=column.name,
                listed=counted_values(zip(found, counts, strict=True)),
            )
            table = mark_missing(table, column.name, found)
            notes.append(said)
    return table, tuple(notes)


def _kept_notes(table: Table, options: ReadOptions, designed: Collection[str]) -> tuple[str, ...]:
    """Which missing codes were not used: the values of a design are what its device reports."""
    return tuple(
        Message(
            "{attribute!r}: {value!r} is a value in the design and was not read as missing.",
            attribute=column.name,
            value=value,
        )
        for column in table
        if column.name in designed
        for value in _named_values(column, options)
    )
