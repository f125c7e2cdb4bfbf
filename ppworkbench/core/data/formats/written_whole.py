"""Whether a file that ReadStat wrote is all there.

ReadStat takes a write that failed for one that went well, so that a full disk leaves half a file
and nobody knows. Every piece that is missing moves the rest, and what was the last record is then
none, or the file cannot be read at all.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any


def check_whole(
    read: Callable[..., tuple[Any, Any]], path: Path, names: Sequence[str], rows: int
) -> None:
    """Read the last record and the names back; an OSError if they are not as they were written."""
    try:
        frame, about = read(path, row_offset=max(rows - 1, 0), row_limit=1)
        is_whole = list(about.column_names) == list(names) and len(frame) == min(rows, 1)
    except Exception:
        is_whole = False
    if not is_whole:
        raise OSError(errno.EIO, "the disk did not take all of it; it may be full")
