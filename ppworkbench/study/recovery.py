"""Recovery files: what a crash leaves behind of unsaved work.

Every window writes its own file, never the user's; it is deleted on a normal end. While the
program runs it holds a lock beside the file, which the system gives back however the program ends,
so that a number of a process that is used again confuses nobody. A file whose lock nobody holds is
what the start screen offers.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ppworkbench.core.atomic import write_text
from ppworkbench.core.progress import Progress, silent
from ppworkbench.study.file_lock import FileLock, is_locked
from ppworkbench.study.study import Study
from ppworkbench.study.study_file import BACKUP_SUFFIX, SUFFIX, save_study

_NOTE, _LOCK = ".json", ".lock"


@dataclass(frozen=True)
class Recoverable:
    """A study that a program did not get to save."""

    path: Path
    title: str
    saved_as: str | None
    when: float


class RecoveryFile:
    """The recovery file of this window."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._name = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._lock: FileLock | None = None
        self._removals = 0

    @property
    def path(self) -> Path:
        """Where the study is kept."""
        return self._folder / f"{self._name}{SUFFIX}"

    def save(self, study: Study, saved_as: Path | None, progress: Progress = silent) -> None:
        """Keep a copy of the study as it is now; another thread may call :meth:`remove`."""
        removals = self._removals
        self._folder.mkdir(parents=True, exist_ok=True)
        if self._lock is None:
            self._lock = FileLock(self.path.with_suffix(_LOCK))
        save_study(study, self.path, progress)
        self.path.with_suffix(BACKUP_SUFFIX).unlink(missing_ok=True)
        note = {
            "title": study.title,
            "saved_as": None if saved_as is None else str(saved_as),
            "when": time.time(),
        }
        write_text(self.path.with_suffix(_NOTE), json.dumps(note))
        if removals != self._removals:
            self.remove()

    def remove(self) -> None:
        """Delete the copy: there is nothing left to recover."""
        self._removals += 1
        if self._lock is not None:
            self._lock.release()
            self._lock = None
        discard(self.path)


def recoverable(folder: Path) -> tuple[Recoverable, ...]:
    """Studies left by programs that no longer run, the newest first."""
    found = []
    for note in folder.glob(f"*{_NOTE}"):
        study = note.with_suffix(SUFFIX)
        try:
            given = json.loads(note.read_text(encoding="utf-8"))
            title, when = str(given["title"]), float(given["when"])
            saved_as = given.get("saved_as")
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
        if study.exists() and not is_locked(note.with_suffix(_LOCK)):
            found.append(Recoverable(study, title, saved_as and str(saved_as), when))
    return tuple(sorted(found, key=lambda one: -one.when))


def discard(path: Path) -> None:
    """Delete a recovery file and what lies beside it."""
    for suffix in (SUFFIX, BACKUP_SUFFIX, _NOTE, _LOCK):
        with suppress(OSError):
            path.with_suffix(suffix).unlink(missing_ok=True)
