"""Recovery files: what a crash leaves behind of unsaved work.

Every window writes its own file, never the user's; it is deleted on a normal end. While the
program runs it holds a lock beside the file, which the system gives back however the program ends,
so that a number of a process that is used again confuses nobody. A file whose lock nobody holds is
what the start screen offers.

A lock on a file that ends with the program that holds it, however that ends.

It is asked about more often than taken. The library filelock would make every file that is asked
about and leave it there; Qt's locks know their holder by a number that another process can get.
"""

from __future__ import annotations

import glob
import json
import os
import re
import secrets
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path

from ppworkbench.core.errors import DataError
from ppworkbench.core.files import atomic_file, make_private_folder, remove_abandoned, write_text
from ppworkbench.core.json_values import read_note
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.study.files.recent import time_of
from ppworkbench.study.files.study_file import SUFFIX, FileVersion, write_study
from ppworkbench.study.study import Study

if sys.platform == "win32":
    import msvcrt

    def take_lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def take_lock(handle: int) -> None:
        """Lock a file that is open; an OSError if another process has it."""
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


class FileLock:
    """Held from the beginning to :meth:`release`; on a file system without locks, not at all."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        with suppress(OSError):
            take_lock(self._handle)

    def release(self) -> None:
        if self._handle is not None:
            with suppress(OSError):
                os.close(self._handle)
            self._handle = None
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


def is_locked(path: Path) -> bool:
    try:
        handle = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        take_lock(handle)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


_NOTE, _LOCK = ".json", ".lock"
_NAME = re.compile(r"\d+-[0-9a-f]+")
_LONGEST = 200
_SURELY_OVER = 60.0
"""Seconds after which a lock that nobody holds is not about to be taken."""


@dataclass(frozen=True)
class Recoverable:
    path: Path
    title: str
    saved_as: str | None
    when: float
    version: FileVersion | None = None
    """Of the file that it was saved as, when it was opened."""


class RecoveryFile:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._name = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._lock: FileLock | None = None
        self._removals = 0

    @property
    def path(self) -> Path:
        return self._folder / f"{self._name}{SUFFIX}"

    def save(
        self,
        study: Study,
        saved_as: Path | None,
        progress: Progress = silent,
        version: FileVersion | None = None,
    ) -> None:
        """Keep a copy of the study as it is now; another thread may call :meth:`remove`."""
        removals = self._removals
        try:
            make_private_folder(self._folder)
            if self._lock is None:
                self._lock = FileLock(self.path.with_suffix(_LOCK))
        except OSError as error:
            why = error.strerror or str(error)
            message = Message(
                "No recovery copy can be saved in {folder}: {why}.",
                folder=self._folder,
                why=why,
            )
            raise DataError(message, file=self._folder) from None
        note = {
            "title": study.title,
            "saved_as": None if saved_as is None else str(saved_as),
            "when": time.time(),
            "version": None if version is None else astuple(version),
        }
        # The note first: without it nobody would be offered the copy.
        write_text(self.path.with_suffix(_NOTE), json.dumps(note), private=True)
        with atomic_file(self.path, private=True) as temporary:
            write_study(study, temporary, progress)
        if removals != self._removals:
            self.remove()

    def remove(self) -> None:
        self._removals += 1
        if self._lock is not None:
            self._lock.release()
            self._lock = None
        _remove(self.path)

    def leave(self) -> None:
        """Keep the copy for the next start: the program has to end."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None


def recoverable(folder: Path) -> tuple[Recoverable, ...]:
    """Studies left by programs that no longer run, the newest first."""
    _clear_away(folder)
    found = []
    for note in _ours(folder, _NOTE):
        one = _described(note)
        if one is not None and one.path.is_file() and not is_locked(note.with_suffix(_LOCK)):
            found.append(one)
    return tuple(sorted(found, key=lambda one: -one.when))


def _ours(folder: Path, suffix: str) -> list[Path]:
    with suppress(OSError):
        return [path for path in folder.glob(f"*{suffix}") if _NAME.fullmatch(path.stem)]
    return []


def _described(note: Path) -> Recoverable | None:
    given = read_note(note)
    if not isinstance(given, Mapping):
        return None
    title, saved_as, when = given.get("title"), given.get("saved_as"), time_of(given.get("when"))
    if not isinstance(title, str) or when is None:
        return None
    if not isinstance(saved_as, str) or "\0" in saved_as:
        saved_as = None
    version = given.get("version")
    known = None
    if isinstance(version, list) and len(version) == 3 and all(type(n) is int for n in version):
        known = FileVersion(*version)
    return Recoverable(note.with_suffix(SUFFIX), title[:_LONGEST], saved_as, when, known)


def discard(path: Path) -> None:
    """Delete a recovery file that another program left, and what lies beside it."""
    _remove(path)
    _remove_unfinished(path)


def _remove(path: Path) -> None:
    for suffix in (SUFFIX, _NOTE, _LOCK):
        with suppress(OSError):
            path.with_suffix(suffix).unlink(missing_ok=True)


def _clear_away(folder: Path) -> None:
    """Delete what programs that no longer run left without a study to offer.

    A half-written copy holds answers too, and nobody else would ever delete it.
    """
    remove_abandoned(folder)
    for lock in _ours(folder, _LOCK):
        with suppress(OSError):
            if time.time() - lock.stat().st_mtime < _SURELY_OVER or is_locked(lock):
                continue
            _remove_unfinished(lock)
            if not lock.with_suffix(SUFFIX).exists():
                discard(lock)


def _remove_unfinished(path: Path) -> None:
    for left in path.parent.glob(f".{glob.escape(path.stem)}-*"):
        with suppress(OSError):
            left.unlink()
