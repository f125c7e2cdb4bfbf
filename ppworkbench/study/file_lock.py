"""A lock on a file that ends with the program that holds it, however that ends.

It is asked about more often than taken. The library filelock would make every file that is asked
about and leave it there; Qt's locks know their holder by a number that another process can get.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _take(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


class FileLock:
    """Held from the beginning to :meth:`release`; on a file system without locks, not at all."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        with suppress(OSError):
            _take(self._handle)

    def release(self) -> None:
        """Give the lock back and delete its file."""
        if self._handle is not None:
            with suppress(OSError):
                os.close(self._handle)
            self._handle = None
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


def is_locked(path: Path) -> bool:
    """Whether somebody holds the lock of that file now."""
    try:
        handle = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        _take(handle)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False
