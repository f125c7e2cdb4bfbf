"""All parts of a folder are distorted from the window, and no bundle is made of their sample."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest
from PySide6.QtCore import Qt

from ppworkbench.core.data.parts import open_parts
from ppworkbench.core.design.release import ReleaseOptions, release_parts
from ppworkbench.core.engines import LocalEngine
from ppworkbench.fieldwork.parts_opening import look_at_folder, open_folder
from ppworkbench.gui.export_dialog import ExportDialog
from ppworkbench.outputs.report import build_report

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def true_study(folders):
    return open_folder(look_at_folder(str(folders.true)), 150)


@pytest.mark.slow
def test_that_all_rows_are_distorted_as_the_command_distorts_them(
    window, dialogs, qtbot, wait_idle, folders, true_study, tmp_path
):
    window.store.open(true_study)
    window.menus.actions["export"].trigger()
    dialog = dialogs.front(ExportDialog)
    dialog.path.setText(str(tmp_path / "released"))
    dialog.seeded.setChecked(True)
    qtbot.mouseClick(dialog.export, LEFT)
    wait_idle()
    seed = true_study.settings.seed
    source, design = open_parts(str(folders.true)), true_study.design
    options = ReleaseOptions(seed=seed, shuffle=False)
    release_parts(source, design, str(tmp_path / "command"), LocalEngine(), options)
    names = sorted(path.name for path in (tmp_path / "command").iterdir())
    assert sorted(path.name for path in (tmp_path / "released").iterdir()) == names
    assert sum(name.endswith(".parquet") for name in names) == 4
    for name in names:
        written = pq.read_table(tmp_path / "released" / name)
        assert written.equals(pq.read_table(tmp_path / "command" / name))
    assert open_parts(str(tmp_path / "released")).rows == 900


@pytest.mark.slow
def test_that_a_report_says_that_its_numbers_are_of_a_sample(true_study):
    found = build_report(true_study)
    assert found.banner.startswith("All numbers here come from a sample of 150 of 900 rows")
    assert build_report(true_study.with_(parts=None)).banner == ""


def test_that_parts_that_are_there_are_not_written_over(
    window, dialogs, qtbot, wait_idle, folders, true_study
):
    before = {path: path.read_bytes() for path in folders.reported.iterdir()}
    window.store.open(true_study)
    window.menus.actions["export"].trigger()
    dialog = dialogs.front(ExportDialog)
    dialog.path.setText(str(folders.reported))
    qtbot.mouseClick(dialog.export, LEFT)
    wait_idle()
    assert dialog.state.text() == "reported has parts already; choose a new or an empty folder."
    assert {path: path.read_bytes() for path in folders.reported.iterdir()} == before
    # The dialog is still there for another folder.
    assert dialog.isVisible()
    assert dialog.export.isEnabled()


@pytest.mark.slow
def test_that_publish_offers_parts_and_no_bundle(window, dialogs, qtbot, folders, true_study):
    window.store.open(true_study)
    window.show_page("publish")
    primary = window.page("publish").primary
    qtbot.waitUntil(lambda: primary.text() == "Export parts…")
    assert primary.isEnabled()
    assert "a sample of a folder of parts" in primary.toolTip()
    primary.trigger()
    dialogs.front(ExportDialog).reject()
    window.store.open(open_folder(look_at_folder(str(folders.reported)), 150))
    qtbot.waitUntil(lambda: not primary.isEnabled())
    assert "give away their folder" in primary.toolTip()
