"""Paths that are no files: reading a pipe waits for ever, writing replaces a device."""

from __future__ import annotations

import stat
from pathlib import Path

from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.message import Message


def check_file(path: str | Path, error: type[WorkbenchError] = DataError) -> None:
    """Refuse a folder, pipe, socket or device at once; what is not there is no matter of this."""
    path = Path(path)
    try:
        sentence = _sentence(path.stat().st_mode, path.name or str(path))
    except (OSError, ValueError):
        return
    if sentence:
        raise error(sentence, file=path)


def _sentence(mode: int, name: str) -> str:
    if stat.S_ISDIR(mode):
        return Message("{name} is a folder; choose a file.", name=name)
    if stat.S_ISFIFO(mode):
        return Message(
            "{name} is a pipe and no file; save what comes out of it to a file first.", name=name
        )
    if stat.S_ISSOCK(mode):
        return Message("{name} is a socket and no file; choose a file.", name=name)
    is_device = stat.S_ISCHR(mode) or stat.S_ISBLK(mode)
    return Message("{name} is a device and no file; choose a file.", name=name) if is_device else ""
