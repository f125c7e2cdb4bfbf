"""Answers that must not appear in a release, and where to look for them."""

from __future__ import annotations

import zipfile
from pathlib import Path

ROWS = 400
MARKER = 4321.0987654321
SECRET = "Zebulon Quistgaard"


def contents(folder: Path) -> bytes:
    """All bytes under a folder, those inside of zipped files too."""
    found = b""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            found += path.name.encode() + path.read_bytes()
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive:
                    found += b"".join(archive.read(name) for name in archive.namelist())
    return found
