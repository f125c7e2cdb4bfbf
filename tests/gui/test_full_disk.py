"""Where nothing can be written the window opens all the same, and says so when it matters."""

from __future__ import annotations

import errno
import logging
import os
import stat

import pytest
from PySide6.QtCore import QStandardPaths
from PySide6.QtGui import QColor

from ppworkbench.core.design import Uniform
from ppworkbench.gui import theme
from ppworkbench.gui.application import start_log
from ppworkbench.gui.application import state_folder as real_state_folder
from ppworkbench.gui.files import FileActions


def test_that_a_folder_that_cannot_be_made_keeps_nobody_from_working(
    workbench, city_study, tmp_path, monkeypatch, qtbot
):
    (tmp_path / "file").write_text("")
    place = str(tmp_path / "file" / "ppworkbench")
    monkeypatch.setattr(QStandardPaths, "writableLocation", lambda _: place)
    monkeypatch.setattr("ppworkbench.gui.files.state_folder", real_state_folder)
    files = FileActions(workbench)
    assert files.recent() == ()
    assert files.recoverable() == ()
    workbench.store.open(city_study)
    workbench.store.set_perturbation(["district"], Uniform(keep=0.4))
    with qtbot.waitSignal(workbench.error_raised) as told:
        files.autosave()
    assert told.args[0].message.startswith("No recovery copy can be saved in ")
    files.close()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_that_only_its_owner_reads_the_log(state_folder):
    root = logging.getLogger("ppworkbench")
    handlers = list(root.handlers)
    start_log()
    try:
        root.error("an answer: %s", "secret")
    finally:
        for handler in {*root.handlers} - {*handlers}:
            root.removeHandler(handler)
            handler.close()
    file = state_folder / "ppworkbench.log"
    assert "secret" in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_that_icons_are_missing_on_a_full_disk_and_nothing_else(qapp, tmp_path, monkeypatch):
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(theme, "_icon_files", tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr("pathlib.Path.write_bytes", full)
        assert theme.icon_file("check", QColor("red")) == ""
    assert theme.icon_file("check", QColor("red")).endswith(".svg")
