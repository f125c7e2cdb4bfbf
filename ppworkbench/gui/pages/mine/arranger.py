"""Sorts and filters a table: at once where that takes a moment, else in the background."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from ppworkbench.core.progress import Progress
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.pages.mine.arrange import AT_ONCE, Arranged, Wish, arrange
from ppworkbench.gui.pages.mine.listing import Listing
from ppworkbench.gui.workbench import Workbench


class Arranger(QObject):
    """One per table. What was asked for last wins; the same is not done again."""

    arranged = Signal(object, object, object)
    """The listing, the wish, and what came of it."""

    def __init__(self, workbench: Workbench, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._name = name
        self._job: Job | None = None
        self._last: tuple[Listing, Wish] | None = None

    def arrange(self, listing: Listing, wish: Wish) -> None:
        """Work out which rows are shown."""
        if self._last is not None and self._last[0] is listing and self._last[1] == wish:
            return
        self._last = listing, wish
        self._drop()
        if listing.rows <= AT_ONCE:
            self.arranged.emit(listing, wish, arrange(listing, wish))
            return

        def work(progress: Progress) -> Arranged:
            progress(0.0)
            return arrange(listing, wish)

        def done(found: Arranged) -> None:
            self._job = None
            self.arranged.emit(listing, wish, found)

        self._job = self._workbench.run(
            self.tr("Sorting"), work, done, key=f"mine arrange {self._name}", quiet=True
        )

    def forget(self) -> None:
        """Let go of the last table."""
        self._drop()
        self._last = None

    def _drop(self) -> None:
        if self._job is not None:
            self._job.disown()
            self._job = None
