"""A window of Qt opens on the real window system, not on a stand-in that Qt falls back to."""

from __future__ import annotations

import subprocess
import sys

from patience import PATIENCE

PROGRAM = """
from PySide6.QtWidgets import QApplication, QLabel
app = QApplication([])
label = QLabel("ppworkbench")
label.show()
app.processEvents()
print(app.platformName(), label.isVisible())
"""


def test_that_a_window_opens_on_x11(home):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=home, capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.stdout.split() == ["xcb", "True"], done.stderr
