"""A window of Qt opens on the real window system, not on a stand-in that Qt falls back to."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
from PySide6.QtWidgets import QApplication, QLabel
app = QApplication([])
label = QLabel("ppworkbench")
label.show()
app.processEvents()
print(app.platformName(), label.isVisible())
"""


@pytest.mark.skipif(
    not (sys.platform.startswith("linux") and os.environ.get("DISPLAY")), reason="no X display"
)
def test_that_a_window_opens_on_x11():
    environment = os.environ | {"QT_QPA_PLATFORM": "xcb"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.stdout.split() == ["xcb", "True"], done.stderr
