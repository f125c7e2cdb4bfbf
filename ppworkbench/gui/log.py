"""The log file of the window."""

from __future__ import annotations

import io
import logging
import logging.handlers
import os
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QStandardPaths

from ppworkbench.core.atomic import make_private_folder


def state_folder() -> Path:
    """The folder for what the program remembers between starts."""
    place = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppLocalDataLocation)
    folder = Path(place)
    # Where nothing can be written the program remembers nothing, but opens all the same.
    with suppress(OSError):
        make_private_folder(folder)
    return folder


def log_path() -> Path:
    """Where the log lies."""
    return state_folder() / "ppworkbench.log"


class _LogFile(logging.handlers.RotatingFileHandler):
    """A file that only its owner can read: what an error says may quote an answer."""

    def _open(self) -> io.TextIOWrapper:
        def private(name: str, flags: int) -> int:
            return os.open(name, flags, 0o600)

        return open(self.baseFilename, self.mode, encoding=self.encoding, opener=private)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Go on without a log where none can be written."""


def start_log() -> None:
    """Write warnings and errors of the program to a file of at most a megabyte."""
    try:
        handler = _LogFile(
            log_path(), maxBytes=1_000_000, backupCount=1, encoding="utf-8", delay=True
        )
    except OSError:
        return
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger("ppworkbench")
    root.setLevel(logging.INFO)
    root.addHandler(handler)
