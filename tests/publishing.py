"""Ways to wait for the Publish page."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication


def settle(wait_idle):
    """Wait until nothing is on its way any more."""
    for _ in range(2):
        QApplication.processEvents()
        wait_idle()
    QApplication.processEvents()
