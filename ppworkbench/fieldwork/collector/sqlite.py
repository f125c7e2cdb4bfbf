"""A collection in a file of SQLite; see ``store``."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ppworkbench.core.errors import DataError
from ppworkbench.core.files import open_private
from ppworkbench.core.message import Message
from ppworkbench.fieldwork.collector.store import (
    ANSWER_TABLE,
    ROUND_COLUMNS,
    DamagedError,
    LostError,
    Round,
    Store,
    StoreError,
    check_format,
    make_round,
    no_collection,
    undamaged,
)

_BUSY_SECONDS = 5.0


class SqliteStore(Store):
    """A collection in a file.

    The log is written before the file (WAL), every commit is flushed (``synchronous=FULL``), and
    what is deleted is overwritten (``secure_delete``).
    """

    _types = {"bytes": "BLOB", "count": "INTEGER", "end": " WITHOUT ROWID"}  # noqa: RUF012
    _joined = "group_concat(row, char(10))"

    def __init__(self, path: Path, first: Round | None = None) -> None:
        super().__init__(str(path))
        self.path = path
        self._was_there = path.exists()
        self.is_new = first is not None and (not self._was_there or path.stat().st_size == 0)
        if not self._was_there:
            _create(path)
        self._connection = _connect(path)
        self._file = _identity(path)
        try:
            self._set_up(first if self.is_new else None)
        except BaseException as error:
            # Whatever it was, also Ctrl+C: the file must not stay open, nor a new one stay empty.
            said = _opening_error(path, error) if isinstance(error, sqlite3.Error) else None
            if self._was_there:
                # Another process may be about to make its own of an empty file.
                self.disconnect()
            else:
                self.remove()
            if said is not None:
                raise said from None
            raise

    def _set_up(self, first: Round | None) -> None:
        run = self._connection.execute
        if first is None:
            # Before anything of the file is changed.
            self._check_format()
        run("PRAGMA journal_mode=WAL")
        run("PRAGMA synchronous=FULL")
        run("PRAGMA secure_delete=ON")
        run("BEGIN IMMEDIATE")
        if first is not None:
            self._make_tables()
            self.add_round(first)
        run("COMMIT")

    def _check_format(self) -> None:
        run = self._connection.execute
        columns = {name for _, name, *_ in run("PRAGMA table_info(meta)")}
        found = None
        if {"format", "version", "round"} <= columns:
            found = run("SELECT format, version FROM meta ORDER BY round DESC LIMIT 1").fetchone()
        if found is None and has_store_tables(self._connection):
            raise DataError(DamagedError(Message("the state of a round")).sentence(self.path.name))
        check_format(self.path, found)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        run = self._connection.execute
        try:
            run("BEGIN IMMEDIATE")
            yield
            run("COMMIT")
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                run("ROLLBACK")
            raise _failure(error) from error
        except BaseException:
            # Whoever leaves a transaction by an error, be it Ctrl+C, must not leave it open.
            with suppress(sqlite3.Error):
                run("ROLLBACK")
            raise

    def _read(self, query: str, **values: object) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise _failure(error, query) from error

    def current(self) -> Round:
        self.check_place()
        query = f"SELECT {ROUND_COLUMNS} FROM meta ORDER BY round DESC LIMIT 1"  # noqa: S608
        found = self._read(query)
        with undamaged(Message("the state of a round")):
            return make_round(found[0])

    def check_place(self) -> None:
        """Refuse a file that was moved, replaced or deleted.

        SQLite goes on writing into a file that has no name any more, where nobody finds the answers
        afterwards.
        """
        if _identity(self.path) != self._file:
            raise LostError(Message("it was moved, replaced or deleted"))

    def _run(self, query: str, **values: object) -> None:
        self._connection.execute(query, values)

    def known(self, ids: Sequence[bytes]) -> dict[bytes, str]:
        one = "SELECT row FROM answer WHERE id = ?"
        found = ((id_, self._connection.execute(one, (id_,)).fetchone()) for id_ in ids)
        return {id_: row[0] for id_, row in found if row is not None}

    def valid_tokens(self, hashes: Sequence[bytes]) -> set[bytes]:
        one = "SELECT 1 FROM token WHERE hash = ?"
        return {each for each in hashes if self._connection.execute(one, (each,)).fetchone()}

    def spend(self, hashes: Sequence[bytes]) -> None:
        self._connection.executemany(
            "DELETE FROM token WHERE hash = ?", [(each,) for each in hashes]
        )

    def insert(self, rows: Sequence[tuple[bytes, str, int, str]]) -> None:
        self._connection.executemany("INSERT INTO answer VALUES (?, ?, ?, ?)", rows)

    def _put_tokens(self, hashes: Sequence[bytes]) -> None:
        query = "INSERT OR IGNORE INTO token VALUES (?)"
        self._connection.executemany(query, [(each,) for each in hashes])

    @contextmanager
    def _looking(self) -> Iterator[None]:
        self._read("BEGIN")
        try:
            yield
        finally:
            with suppress(StoreError):
                self._read("ROLLBACK")

    def rewrite(self) -> None:
        run = self._connection.execute
        with self.transaction():
            run("DELETE FROM token")
            run(ANSWER_TABLE.format(name="fresh", **self._types))
            run(
                "INSERT INTO fresh SELECT randomblob(16) AS fresh_id, day, round, row FROM answer "
                "ORDER BY fresh_id"
            )
            run("DROP TABLE answer")
            run("ALTER TABLE fresh RENAME TO answer")
        try:
            run("VACUUM")
        except sqlite3.Error as error:
            raise _failure(error) from error
        self.fold()

    def fold(self) -> None:
        """Copy the log into the file and cut it off, as soon as nobody reads from it."""
        limit = time.monotonic() + _BUSY_SECONDS
        while True:
            is_busy = self._read("PRAGMA wal_checkpoint(TRUNCATE)")[0][0]
            if not is_busy or time.monotonic() > limit:
                return
            time.sleep(0.05)

    def version(self) -> object:
        return self._read("PRAGMA data_version")[0][0]

    def disconnect(self) -> None:
        self._connection.close()

    def remove(self) -> None:
        """Remove the file, or leave it as empty as it was."""
        self._connection.close()
        for end in ("-wal", "-shm"):
            with suppress(OSError):
                self.path.with_name(self.path.name + end).unlink(missing_ok=True)
        with suppress(OSError):
            if self._was_there:
                os.truncate(self.path, 0)
            else:
                self.path.unlink(missing_ok=True)


def has_store_tables(connection: sqlite3.Connection) -> bool:
    """Whether a file has the tables of a store, whatever stands in them."""
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return {"answer", "token", "refused"} <= {name for (name,) in found}


def _failure(error: sqlite3.Error, query: str = "") -> StoreError:
    """What went wrong, as people are told: a fault of the file never goes away by itself."""
    # Texts that are none are found by the module, which has no code for it.
    is_text = "Could not decode" in str(error)
    if is_text and " FROM answer " in query:
        return DamagedError(Message("an answer"))
    if is_text or _kind(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return DamagedError(Message("a part of the file"))
    return StoreError(str(error))


def _kind(error: sqlite3.Error) -> int:
    """The lowest byte of the code; errors of the module itself have none."""
    return int(getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def _connect(path: Path) -> sqlite3.Connection:
    try:
        return sqlite3.connect(
            path.absolute().as_uri() + "?mode=rw",
            timeout=_BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
            uri=True,
        )
    except sqlite3.Error as error:
        raise _opening_error(path, error) from None


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _create(path: Path) -> None:
    """Make an empty file that only its owner can read."""
    try:
        open_private(path).close()
    except OSError as error:
        raise DataError.saying(
            "{file} cannot be written: {strerror}.", file=path, strerror=error.strerror or ""
        ) from None


def _opening_error(path: Path, error: sqlite3.Error) -> DataError:
    code = _kind(error)
    if code == sqlite3.SQLITE_READONLY or (path.exists() and not os.access(path, os.W_OK)):
        return DataError.saying(
            "{file} is read-only; answers could not be stored in it. Choose another file.",
            file=path,
        )
    if code == sqlite3.SQLITE_NOTADB:
        return no_collection(path)
    if isinstance(failure := _failure(error), DamagedError):
        return DataError(failure.sentence(path.name))
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return DataError.saying("{file} is in use by another program; try again.", file=path)
    if not path.exists():
        return DataError.saying("{file} does not exist.", file=path)
    return DataError.saying("{file} cannot be opened: {why}.", file=path, why=str(error))
