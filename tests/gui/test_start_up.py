"""The window opens before the heavy libraries are loaded, and they come while somebody looks."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import threading

from ppworkbench.gui.warm_up import MODULES, load_modules

PROGRAM = """
import sys
from pathlib import Path
from PySide6.QtCore import QSettings
from ppworkbench.gui.app import make_application, make_window
app = make_application()
folder = Path(sys.argv[1])
window = make_window(QSettings(str(folder / "s.ini"), QSettings.Format.IniFormat), None, folder)
window.show()
app.processEvents()
heavy = ("pandas", "scipy", "pyarrow", "sklearn", "numba", "pyqtgraph", "openpyxl", "joblib")
print(*[name for name in heavy if name in sys.modules])
window.close()
"""


def test_that_the_window_opens_without_heavy_libraries(tmp_path):
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        env=environment, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == ""


def test_that_what_is_needed_next_is_loaded_in_the_background(
    workbench, qtbot, max_block, monkeypatch
):
    load, seen, loaded = importlib.import_module, [], []

    def note(name, package=None):
        if threading.current_thread() is not threading.main_thread():
            loaded.append(name)
        return load(name, package)

    # Other tests may have loaded all of them before.
    monkeypatch.setattr("ppworkbench.gui.warm_up.importlib.import_module", note)
    with max_block(100):
        workbench.run("Loading", load_modules, seen.append, quiet=True)
        qtbot.waitUntil(lambda: bool(seen), timeout=60_000)
    assert [name for name in loaded if name in MODULES] == [*MODULES]
    assert set(MODULES) <= set(sys.modules)
