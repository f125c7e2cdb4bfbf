"""How long the program takes from its start to a window that can be used.

Run with ``python tests/benchmarks/start_up.py``. The peer is the bare import of the libraries that
such a program stands on; both are started in turn and the best of N counts. Goal: at most 1.5
times.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNS = 9
GOAL = 1.5

PEER = "import PySide6.QtWidgets, numpy, pandas, scipy"
OURS = """
import os, sys
from pathlib import Path
from PySide6.QtCore import QSettings
from ppworkbench.gui.app import make_window
from ppworkbench.gui.application import make_application
app = make_application()
folder = Path(sys.argv[1])
window = make_window(QSettings(str(folder / "s.ini"), QSettings.Format.IniFormat), None, folder)
window.show()
app.processEvents()
os._exit(0)
"""


def seconds(program: str, environment: dict[str, str], folder: str) -> float:
    """The time of one start."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", program, folder], env=environment, check=True, cwd=ROOT)
    return time.perf_counter() - began


def main() -> None:
    """Print both times and their ratio."""
    environment = dict(os.environ)
    if not environment.get("DISPLAY"):
        environment["QT_QPA_PLATFORM"] = "offscreen"
    found: dict[str, list[float]] = {PEER: [], OURS: []}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(RUNS):
            for program, times in found.items():
                times.append(seconds(program, environment, folder))
    peer, ours = min(found[PEER]), min(found[OURS])
    versions = ", ".join(
        f"{name} {importlib.metadata.version(name)}"
        for name in ("pyside6-essentials", "numpy", "pandas", "scipy")
    )
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    print(f"Python {platform.python_version()}, {versions}; load {load} on {os.cpu_count()} cores")
    print(f"bare imports of PySide6.QtWidgets, numpy, pandas, scipy   {1e3 * peer:7.0f} ms")
    print(f"start to usable window                                    {1e3 * ours:7.0f} ms")
    verdict = "met" if ours <= GOAL * peer else "MISSED"
    print(f"ratio {ours / peer:.2f}, goal {GOAL} {verdict} (best of {RUNS}, in turn)")


if __name__ == "__main__":
    main()
