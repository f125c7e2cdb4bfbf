"""Paths that are no files: reading a pipe waits for ever, writing replaces a device."""

from __future__ import annotations

import stat
from pathlib import Path

from ppworkbench.core.errors import DataError, WorkbenchError

_KINDS = {
    stat.S_IFDIR: "is a folder; choose a file",
    stat.S_IFIFO: "is a pipe and no file; save what comes out of it to a file first",
    stat.S_IFSOCK: "is a socket and no file; choose a file",
    stat.S_IFCHR: "is a device and no file; choose a file",
    stat.S_IFBLK: "is a device and no file; choose a file",
}


def check_file(path: str | Path, error: type[WorkbenchError] = DataError) -> None:
    """Refuse a folder, pipe, socket or device at once; what is not there is no matter of this."""
    path = Path(path)
    try:
        kind = _KINDS.get(stat.S_IFMT(path.stat().st_mode))
    except (OSError, ValueError):
        return
    if kind is not None:
        raise error(f"{path.name or path} {kind}.", file=path)
