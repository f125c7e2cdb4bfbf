"""The log file of the window."""

from __future__ import annotations

import logging
import logging.handlers
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QStandardPaths


def state_folder() -> Path:
    """The folder for what the program remembers between starts."""
    place = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppLocalDataLocation)
    folder = Path(place)
    # Where nothing can be written the program remembers nothing, but opens all the same.
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def log_path() -> Path:
    """Where the log lies."""
    return state_folder() / "ppworkbench.log"


def start_log() -> None:
    """Write warnings and errors of the program to a file of at most a megabyte."""
    try:
        handler = logging.handlers.RotatingFileHandler(
            log_path(), maxBytes=1_000_000, backupCount=1, encoding="utf-8", delay=True
        )
    except OSError:
        return
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger("ppworkbench")
    root.setLevel(logging.INFO)
    root.addHandler(handler)
