"""Whatever call to the disk fails, the old file is intact, nothing is left, and one sentence tells.

Python can only be told to fail in Python; tables, pictures and settings are also written by Arrow,
ReadStat and Qt. So a small library stands between all of them and the system.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from who_writes import files_that_write

TESTS = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or shutil.which("cc") is None,
    reason="needs a compiler, and a system that lets libraries be preloaded",
)

QUIET = {"recent", "settings"}
"""Nobody is told when these cannot be written; the program goes on without them."""
NOT_THE_USERS = {
    "cli/main.py": "writes nowhere",
    "gui/application.py": "the log, which may be missing",
    "gui/theme.py": "icons that may be missing: gui/test_full_disk.py",
    "gui/pages/data/questions/page.py": "a preview for the browser, gone with the program",
    "gui/tour/collect_stops.py": "answers for a picture, gone with the tour",
    "gui/tour/question_stops.py": "files to add for a picture, gone with the tour",
    "gui/tour/stops.py": "files to open for a picture, gone with the tour",
    "study/files/grid.py": "a table from an archive, gone when it is read",
    "fieldwork/collector/sqlite.py": "a database: collector/test_load.py fills the disk",
    "fieldwork/collector/serving.py": "a note of the process that serves, gone with it",
    "study/files/preview.py": "a copy that is gone with the preview",
}
"""What the program writes for itself alone."""


@pytest.fixture(scope="module")
def faulty_disk(tmp_path_factory) -> Path:
    library = tmp_path_factory.mktemp("disk") / "faulty_disk.so"
    source = TESTS / "faulty_disk.c"
    build = ["cc", "-shared", "-fPIC", "-w", "-o", str(library), str(source), "-ldl"]
    subprocess.run(build, check=True, capture_output=True)
    return library


@pytest.mark.slow
def test_that_no_writer_loses_anything_when_a_call_to_the_disk_fails(
    faulty_disk, tmp_path, record_property
):
    environment = os.environ | {
        "LD_PRELOAD": str(faulty_disk),
        "QT_QPA_PLATFORM": "offscreen",
        "OPENBLAS_NUM_THREADS": "1",
        "HOME": str(tmp_path),
        "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)]),
    }
    done = subprocess.run(
        [sys.executable, str(TESTS / "disk_faults.py"), "8"],
        env=environment, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    writers = seen["writers"]
    record_property("calls", {name: writer["calls"] for name, writer in writers.items()})
    assert {name: w["wrong"] for name, w in writers.items() if w["wrong"]} == {}
    for name, writer in writers.items():
        # Otherwise the library stood beside the way.
        assert writer["calls"] >= 10, name
        assert (writer["refused"] == 0) == (name in QUIET), name
    # Whoever writes is tried, or is told above why not.
    assert files_that_write() - {*seen["wrote"]} == NOT_THE_USERS.keys()
