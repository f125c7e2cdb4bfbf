"""Ways to wait for the Publish page."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication


def settle(page, qtbot, wait_idle):
    """Wait until nothing is on its way any more."""
    qtbot.waitUntil(lambda: not (page._due.isActive() or page._points_due.isActive()))
    wait_idle()
    qtbot.waitUntil(lambda: not (page._due.isActive() or page._points_due.isActive()))
    QApplication.processEvents()
