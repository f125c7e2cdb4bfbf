"""Recovery files: what a crash leaves behind of unsaved work.

Every running program writes its own file, never the user's; it is deleted on a normal end. A file
whose program no longer runs is what the start screen offers.
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
from ppworkbench.study.study import Study
from ppworkbench.study.study_file import SUFFIX, save_study


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

    @property
    def path(self) -> Path:
        """Where the study is kept."""
        return self._folder / f"{self._name}{SUFFIX}"

    @property
    def _note(self) -> Path:
        return self._folder / f"{self._name}.json"

    def save(self, study: Study, saved_as: Path | None, progress: Progress = silent) -> None:
        """Keep a copy of the study as it is now."""
        self._folder.mkdir(parents=True, exist_ok=True)
        save_study(study, self.path, progress)
        self.path.with_suffix(".ppw~").unlink(missing_ok=True)
        note = {
            "title": study.title,
            "saved_as": None if saved_as is None else str(saved_as),
            "when": time.time(),
            "process": os.getpid(),
        }
        write_text(self._note, json.dumps(note))

    def remove(self) -> None:
        """Delete the copy: there is nothing left to recover."""
        discard(self.path)


def recoverable(folder: Path) -> tuple[Recoverable, ...]:
    """Studies left by programs that no longer run, the newest first."""
    found = []
    for note in folder.glob("*.json"):
        study = note.with_suffix(SUFFIX)
        try:
            given = json.loads(note.read_text(encoding="utf-8"))
            process, title = int(given["process"]), str(given["title"])
            when, saved_as = float(given["when"]), given.get("saved_as")
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if study.exists() and not is_running(process):
            found.append(Recoverable(study, title, saved_as and str(saved_as), when))
    return tuple(sorted(found, key=lambda one: -one.when))


def discard(path: Path) -> None:
    """Delete a recovery file and what lies beside it."""
    for suffix in (SUFFIX, ".json", ".ppw~"):
        with suppress(OSError):
            path.with_suffix(suffix).unlink(missing_ok=True)


def is_running(process: int) -> bool:
    """Whether a process of that number exists."""
    if process == os.getpid():
        return True
    if os.name == "nt":
        return _is_running_on_windows(process)
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _is_running_on_windows(process: int) -> bool:
    import ctypes

    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined]
    handle = kernel.OpenProcess(0x1000, False, process)
    if not handle:
        return False
    kernel.CloseHandle(handle)
    return True
