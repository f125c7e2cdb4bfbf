"""Where collections are: files of SQLite and addresses of PostgreSQL, and how they are opened."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

from ppworkbench.core.errors import DataError
from ppworkbench.core.files import check_file
from ppworkbench.fieldwork.collector.sqlite import SqliteStore
from ppworkbench.fieldwork.collector.store import FORMAT, Round, Store, is_url

_MAGIC = b"SQLite format 3\0"
_LONGEST_NAME = 255 - len(".serving.stop")
"""Bytes of a name that leave room for what lies beside the database while it is served."""


def is_collection(place: str | Path) -> bool:
    """Whether a file is a collector's database, or could be one by its first bytes and tables."""
    if is_url(place):
        return True
    path = Path(place)
    try:
        # Opening a pipe would wait until somebody writes into it.
        if not path.is_file():
            return False
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                return False
        connection = sqlite3.connect(path.absolute().as_uri() + "?mode=ro", uri=True)
    except (OSError, sqlite3.Error):
        return False
    try:
        found = connection.execute("SELECT format FROM meta LIMIT 1").fetchone()
    except sqlite3.Error:
        return False
    finally:
        connection.close()
    return found is not None and found[0] == FORMAT


def _check_name(path: Path) -> None:
    """Refuse a name that no file can have, before anything is looked for or made."""
    try:
        is_long = len(os.fsencode(path.name)) > _LONGEST_NAME
        path.lstat()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        pass
    except (OSError, ValueError) as error:
        if not isinstance(error, OSError) or error.errno != errno.ENAMETOOLONG:
            raise DataError("No file can have this name; choose another one.") from None
        is_long = True
    if is_long:
        raise DataError("The file name of the database is too long; choose a shorter one.")


def open_store(place: str | Path, first: Round | None = None) -> Store:
    """The store at a file or address; a new one begins with the round that is given.

    Raises
    ------
    DataError
        With one sentence, when there is none or it cannot be used.
    """
    if is_url(place):
        # SQLAlchemy is an extra of the installation.
        from ppworkbench.fieldwork.collector.postgres import PostgresStore

        return PostgresStore(str(place), first)
    path = Path(place)
    _check_name(path)
    check_file(path)
    if first is None and not path.exists():
        raise DataError.saying("{file} does not exist.", file=path)
    return SqliteStore(path, first)
