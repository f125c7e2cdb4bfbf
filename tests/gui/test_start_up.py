"""The window opens before the heavy libraries are loaded, and they come while somebody looks."""

from __future__ import annotations

import os
import subprocess
import sys

from patience import PATIENCE

PROGRAM = """
import sys
from pathlib import Path
from PySide6.QtCore import QSettings
from ppworkbench.gui.app import make_window
from ppworkbench.gui.application import make_application
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
    done = _run(PROGRAM, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == ""


LOADING = """
import sys
from pathlib import Path
from PySide6.QtCore import QSettings, QTimer
from ppworkbench.gui.app import make_ready, make_window
from ppworkbench.gui.application import make_application
app = make_application()
folder = Path(sys.argv[1])
window = make_window(QSettings(str(folder / "s.ini"), QSettings.Format.IniFormat), None, folder)
window.show()
make_ready(window)
jobs, loaded, lines = window.workbench.jobs, set(), []
def own():  # a list first: other threads import meanwhile
    return {name for name in list(sys.modules) if name.startswith("ppworkbench")}
watch = jobs.start("Watch", lambda progress: loaded.update(own()))
watch.ended.connect(lambda: jobs_over())
def jobs_over():
    lines.extend(own())
    lines.append("watched at once" if "ppworkbench.gui.pages.publish" not in loaded else "waited")
    QTimer.singleShot(500, lambda: (window.close(), app.quit()))
app.exec()
print(lines[-1])
print(*sorted(own() - set(lines)))
"""


def test_that_jobs_wait_until_the_program_is_loaded_and_load_nothing_of_it(tmp_path):
    done = _run(LOADING, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:2] == ["waited", ""]


def _run(program, folder):
    return subprocess.run(
        [sys.executable, "-c", program, str(folder)],
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
