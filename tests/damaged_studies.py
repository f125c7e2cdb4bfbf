"""Study files that are damaged on purpose, and how they are refused."""

from __future__ import annotations

import zipfile

import pytest

from ppworkbench.core.errors import DataError
from ppworkbench.study.files.study_file import open_study


def repack(path, changes, packing=zipfile.ZIP_STORED):
    """Write the study again with some members changed, added or (None) left out."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members |= changes
    with zipfile.ZipFile(path, "w", packing) as archive:
        for name, content in members.items():
            if content is not None:
                archive.writestr(name, content)


def refusal(path):
    """The one sentence in which a file is refused."""
    with pytest.raises(DataError) as caught:
        open_study(path)
    error = caught.value
    assert error.message.startswith(path.name)
    assert error.message.endswith(".")
    assert "\n" not in error.message
    assert error.file == str(path)
    return error.message
