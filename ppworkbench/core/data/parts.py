"""A data set as a folder of Parquet files, the parts, that together are one long table.

The rows are numbered through all parts in the order of their names. Any stretch of rows can be
read, wherever parts begin and end, and of a part only the columns and row groups that are needed.
The folder lies on this computer, or at an address that fsspec understands (``s3://…``).
"""

from __future__ import annotations

import dataclasses
import re
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.build import build_restored
from ppworkbench.core.data.codebook import Codebook
from ppworkbench.core.data.files import sentences
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.restore import parse_declared
from ppworkbench.core.data.table import Table, refuse_absent, shorten
from ppworkbench.core.errors import DataError
from ppworkbench.core.files import temporary_folder

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

SUFFIXES = (".parquet", ".pq")
ROWS = 1 << 18
"""The most rows that are in memory at once."""
_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+://")


def is_address(path: str) -> bool:
    """Whether a path is an address with a scheme rather than a path of this computer."""
    return _SCHEME.match(path) is not None


def is_parts(path: str) -> bool:
    """Whether a path names a folder of parts: an address, or a folder of this computer."""
    if is_address(path):
        return True
    # A name that is too long for the system names no folder; who reads the file says so.
    with suppress(OSError):
        return Path(path).is_dir()
    return False


def has_parts(path: str) -> bool:
    """Whether a folder has at least one part in it; an address is not asked."""
    if is_address(path):
        return True
    try:
        return any(_is_part(one.name) for one in Path(path).iterdir())
    except OSError:
        return False


@dataclass(frozen=True)
class Part:
    address: str
    first: int
    rows: int

    @property
    def name(self) -> str:
        return self.address.rsplit("/", 1)[-1]

    @property
    def end(self) -> int:
        """The number of the row behind its last one."""
        return self.first + self.rows


@dataclass(frozen=True)
class Parts:
    """A folder of parts.

    Parameters
    ----------
    files
        The parts in the order of their names; numbers in names count as numbers.
    names
        The columns, which all parts have.
    """

    address: str
    files: tuple[Part, ...]
    names: tuple[str, ...]

    @property
    def rows(self) -> int:
        return self.files[-1].end

    def codebook(self) -> Codebook | None:
        """The codebook inside the first part, with its design if it has one."""
        with open_part(self.files[0].address) as file:
            return _codebook(file)

    def check(self, schema: Sequence[Attribute]) -> None:
        refuse_absent(schema, self.names, self.address)

    @property
    def filled(self) -> tuple[Part, ...]:
        found = tuple(part for part in self.files if part.rows)
        if not found:
            raise DataError("The data have no records; nothing can be estimated.")
        return found

    def cells(self, part: Part, names: Sequence[str]) -> pd.DataFrame:
        """Columns of one part as they are stored: those that no design knows."""
        with open_part(part.address) as file:
            found: pd.DataFrame = file.read(columns=list(names)).to_pandas()
        # Parts have dictionaries of their own, which would keep equal texts apart.
        return found.astype({one: object for one in names if found[one].dtype == "category"})

    def tables(
        self,
        start: int,
        stop: int,
        schema: Sequence[Attribute],
        options: ReadOptions = ReadOptions(),  # noqa: B008 (frozen)
        rows: int = ROWS,
    ) -> Iterator[Table]:
        """Rows ``start`` up to ``stop`` in tables of at most so many, typed by the schema.

        Only columns of the schema are read. A table never reaches over the end of a part.
        """
        self.check(schema)
        for part in self.files:
            low, high = max(start, part.first), min(stop, part.end)
            if low < high:
                yield from _read(part, low - part.first, high - part.first, schema, options, rows)


def open_parts(address: str) -> Parts:
    """Look at all parts of a folder: their order, their rows, and whether their columns agree."""
    address = address.rstrip("/") if len(address) > 1 else address
    found = sorted(_listed(address), key=_natural)
    if not found:
        raise DataError.saying(
            "{file} has no part that ends in .parquet; choose the folder that holds the parts.",
            file=address,
        )
    files: list[Part] = []
    names: tuple[str, ...] = ()
    first = 0
    for one in found:
        with open_part(one) as file:
            count, own = file.metadata.num_rows, tuple(file.schema_arrow.names)
        names = names or own
        if set(own) != set(names):
            raise DataError.saying(
                "{file} has other columns than {other}: {odd}; all parts of a folder must have "
                "the same columns.",
                file=one,
                other=files[0].name,
                odd=shorten(sorted({*own} ^ {*names}), quoted=True),
            )
        files.append(Part(one, first, count))
        first += count
    return Parts(address, tuple(files), names)


def _natural(address: str) -> tuple[tuple[int, int | str], ...]:
    """The key by which part 2 comes before part 10."""
    pieces = re.split(r"(\d+)", address.rsplit("/", 1)[-1])
    return (*((0, int(one)) if one.isdigit() else (1, one) for one in pieces), (1, address))


def _listed(address: str) -> list[str]:
    if not is_address(address):
        with sentences(Path(address), "read"):
            names = [one.as_posix() for one in Path(address).iterdir() if one.is_file()]
        return [one for one in names if _is_part(one)]
    system, root = file_system(address)
    scheme = address.split("://", 1)[0]
    with sentences(Path(address), "read"):
        listed = system.ls(root, detail=True)
    files = [str(one["name"]) for one in listed if one.get("type") == "file"]
    return [f"{scheme}://{one.lstrip('/')}" if scheme != "file" else f"file://{one}"
            for one in files if _is_part(one)]  # fmt: skip


def _is_part(address: str) -> bool:
    # Names such as _metadata and .part.tmp belong to the program that writes the folder.
    name = address.rsplit("/", 1)[-1]
    return name.lower().endswith(SUFFIXES) and not name.startswith(("_", "."))


def file_system(address: str) -> tuple[Any, str]:
    try:
        import fsspec  # type: ignore[import-untyped]
    except ImportError:
        raise DataError.saying(
            "Addresses such as {address} need fsspec; install it with "
            "'pip install \"ppworkbench[cluster]\"'.",
            address=address,
            file=address,
        ) from None
    try:
        system, root = fsspec.core.url_to_fs(address)
    except (ValueError, ImportError) as error:
        raise DataError.saying(
            "Nothing is known of addresses that begin with {scheme}:// ({error}); choose another "
            "address or install what reads it.",
            scheme=address.split("://", 1)[0],
            error=str(error).rstrip("."),
            file=address,
        ) from None
    return system, str(root)


@contextmanager
def open_part(address: str) -> Iterator[Any]:
    import pyarrow.parquet as pq

    with sentences(Path(address), "read"):
        if not is_address(address):
            with pq.ParquetFile(address) as file:
                yield file
            return
        system, path = file_system(address)
        with system.open(path, "rb") as source, pq.ParquetFile(source) as file:
            yield file


def _codebook(file: Any) -> Codebook | None:
    from ppworkbench.core.data.formats.parquet import CODEBOOK_KEY

    text = (file.schema_arrow.metadata or {}).get(CODEBOOK_KEY)
    return None if text is None else Codebook.from_text(text.decode())


def _read(
    part: Part,
    start: int,
    stop: int,
    schema: Sequence[Attribute],
    options: ReadOptions,
    rows: int,
) -> Iterator[Table]:
    """Some rows of one part; row groups before and behind them are not touched."""
    with open_part(part.address) as file:
        codebook = None
        with suppress(DataError, UnicodeDecodeError):
            codebook = _codebook(file)
        wanted = [attribute.name for attribute in schema]
        if codebook is not None and codebook.stored:
            # Columns have other names in the file; the codebook tells which.
            wanted = list(file.schema_arrow.names)
        counts = [file.metadata.row_group(i).num_rows for i in range(file.metadata.num_row_groups)]
        ends = np.cumsum(counts, dtype=np.int64)
        first = int(np.searchsorted(ends, start, side="right"))
        last = int(np.searchsorted(ends, stop, side="left"))
        groups = list(range(first, last + 1))
        place = int(ends[first] - counts[first])
        for batch in file.iter_batches(batch_size=rows, row_groups=groups, columns=wanted):
            low, high = max(start - place, 0), min(stop - place, batch.num_rows)
            if low < high:
                yield _built(batch.slice(low, high - low), part, codebook, schema, options)
            place += batch.num_rows


def _built(
    batch: pa.RecordBatch,
    part: Part,
    codebook: Codebook | None,
    schema: Sequence[Attribute],
    options: ReadOptions,
) -> Table:
    import pyarrow as pa

    from ppworkbench.core.data.formats.parquet import arrow_to_raw

    found = pa.Table.from_batches([batch])
    if codebook is None or codebook.stored:
        raw = arrow_to_raw(found, Path(part.address))
    else:
        raw = arrow_to_raw(found.replace_schema_metadata(None), Path(part.name))
        names = {column.name for column in raw.columns}
        known = tuple(one for one in codebook.attributes if one.name in names)
        raw = raw.without_codes(schema=known)
    raw = dataclasses.replace(
        raw, columns=tuple(c for c in raw.columns if any(c.name == a.name for a in schema))
    )
    if raw.schema is not None:
        return build_restored(raw, options, schema)
    declared = {attribute.name: attribute for attribute in schema}
    columns = tuple(parse_declared(one, declared[one.name], options) for one in raw.columns)
    return Table(columns, None, part.address)


class _LocalFiles:
    """What is done in a folder of this computer, in the words of fsspec, which may be absent."""

    def makedirs(self, path: str, *, exist_ok: bool) -> None:
        Path(path).mkdir(parents=True, exist_ok=exist_ok)

    def mv(self, old: str, new: str) -> None:
        Path(old).replace(new)

    def exists(self, path: str) -> bool:
        return Path(path).exists()

    def rmdir(self, path: str) -> None:
        Path(path).rmdir()

    def rm(self, path: str, *, recursive: bool) -> None:
        assert recursive  # noqa: S101 (only folders are removed)
        shutil.rmtree(path)


def _system(address: str) -> tuple[Any, str]:
    return file_system(address) if is_address(address) else (_LocalFiles(), address)


@dataclass(frozen=True)
class NewParts:
    """A folder that parts are written to, in any order and by anybody.

    They wait in a folder inside and take their places together, at the end. Two workers may write
    the same part, one of which was given up; either result is whole.
    """

    folder: str
    waiting: str
    is_made: bool = False

    @classmethod
    def begin(cls, folder: str) -> NewParts:
        """Make the folder; refuse one with parts in it, which nobody could tell from new ones."""
        folder = folder.rstrip("/") if len(folder) > 1 else folder
        system, root = _system(folder)
        waiting = f"{folder}/.new-{secrets.token_hex(8)}"
        with sentences(Path(folder), "written"):
            new = cls(folder, waiting, not system.exists(root))
            system.makedirs(root, exist_ok=True)
            if _listed(folder):
                raise DataError.saying(
                    "{file} has parts already; choose a new or an empty folder.", file=folder
                )
            system.makedirs(_system(new.waiting)[1], exist_ok=True)
        return new

    @contextmanager
    def part(self, name: str) -> Iterator[Path]:
        """A file on this computer that becomes a part when it is finished."""
        system, root = _system(self.waiting)
        hidden = f"{root}/.{secrets.token_hex(8)}"
        with sentences(Path(self.folder) / name, "written"):
            if not is_address(self.waiting):
                yield Path(hidden)
            else:
                with temporary_folder() as here:
                    yield here / name
                    system.put_file(str(here / name), hidden)
            system.mv(hidden, f"{root}/{name}")

    def finish(self, names: Sequence[str]) -> None:
        """Give all parts their places, or none."""
        (system, root), (_, waiting) = _system(self.folder), _system(self.waiting)
        placed: list[str] = []
        with sentences(Path(self.folder), "written"):
            try:
                for name in names:
                    system.mv(f"{waiting}/{name}", f"{root}/{name}")
                    placed.append(name)
            except BaseException:
                # Half of a table would pass for the whole; what waits is removed by the caller.
                for name in placed:
                    system.mv(f"{root}/{name}", f"{waiting}/{name}")
                raise

    def clear(self) -> None:
        """Remove what still waits, after an error as well as at the end."""
        (system, root), (_, waiting) = _system(self.folder), _system(self.waiting)
        with suppress(OSError):
            if system.exists(waiting):
                system.rm(waiting, recursive=True)
            if self.is_made and not _listed(self.folder):
                system.rmdir(root)
