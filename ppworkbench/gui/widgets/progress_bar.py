"""A progress bar that is drawn with everything else."""

from __future__ import annotations

from PySide6.QtWidgets import QProgressBar, QWidget


class ProgressBar(QProgressBar):
    """Thousandths without words.

    Qt's own paints at once when it gets a value, and with it all of the window that waits to be
    painted, in the middle of whatever is being done.
    """

    def __init__(self, width: int = 0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setRange(0, 1000)
        self.setTextVisible(False)
        if width:
            self.setFixedWidth(width)

    def show_share(self, done: float) -> None:
        """Show which share of the work is done."""
        value = round(1000 * done)
        if value == self.value():
            return
        self.setUpdatesEnabled(False)
        self.setValue(value)
        self.setUpdatesEnabled(True)
