"""Files that are there whole or not at all."""

from __future__ import annotations

import glob
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ppworkbench.core.errors import DataError
from ppworkbench.core.special_files import check_file

_LEFT_OVER_AFTER = 3_600.0
"""Seconds after which a temporary file that nobody wrote to belongs to a program that died."""


@contextmanager
def atomic_file(path: str | Path) -> Iterator[Path]:
    """Give a temporary name beside ``path``; rename it to ``path`` when all went well.

    On any error the temporary file is removed and what stood at ``path`` stays as it was. Behind
    a link the file itself is replaced, not the link.
    """
    path = Path(os.path.realpath(path))
    check_file(path)
    prefix = f".{path.stem[:40]}-"
    try:
        handle, name = tempfile.mkstemp(prefix=prefix, suffix=path.suffix, dir=path.parent)
    except OSError as error:
        raise _cannot_write(path, error) from None
    temporary = Path(name)
    try:
        os.close(handle)
        yield temporary
        flush(temporary)
        # mkstemp makes files private; a finished one is as readable as any new file.
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        raise _cannot_write(path, error) from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    flush_folder(path.parent)
    _remove_left_overs(path.parent, f"{glob.escape(prefix)}*{glob.escape(path.suffix)}")


def write_text(path: str | Path, text: str) -> None:
    """Write a text file in UTF-8, whole or not at all."""
    with atomic_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write a file of any kind, whole or not at all."""
    with atomic_file(path) as temporary:
        temporary.write_bytes(content)


def flush(path: Path) -> None:
    """See to it that a file is on the disk, not only on its way there."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def flush_folder(folder: Path) -> None:
    """See to it that new names in a folder are on the disk."""
    # Windows has no such call.
    if not hasattr(os, "O_DIRECTORY"):
        return
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _remove_left_overs(folder: Path, pattern: str) -> None:
    """Remove what a program that was killed while it wrote the same file has left."""
    for path in folder.glob(pattern):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _LEFT_OVER_AFTER:
                path.unlink()


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def _cannot_write(path: Path, error: OSError) -> DataError:
    why = error.strerror or str(error)
    return DataError(f"{path} cannot be written: {why}.", file=path)
