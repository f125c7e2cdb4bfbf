"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ppworkbench.core.errors import DataError


@contextmanager
def atomic_file(path: str | Path) -> Iterator[Path]:
    """Give a temporary name beside ``path``; rename it to ``path`` when all went well.

    On any error the temporary file is removed and what stood at ``path`` stays as it was.
    """
    path = Path(path)
    try:
        handle, name = tempfile.mkstemp(
            prefix=f".{path.stem[:40]}-", suffix=path.suffix, dir=path.parent
        )
    except OSError as error:
        raise _cannot_write(path, error) from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("rb+") as written:
            os.fsync(written.fileno())
        # mkstemp makes files private; a finished one is as readable as any new file.
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        raise _cannot_write(path, error) from None
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write a text file in UTF-8, whole or not at all."""
    with atomic_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def _cannot_write(path: Path, error: OSError) -> DataError:
    why = error.strerror or str(error)
    return DataError(f"{path} cannot be written: {why}.", file=path)
