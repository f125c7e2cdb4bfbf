"""What is said above the table: whether results are older than the design, and notes of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from ppworkbench.gui.language.text import told, tr
from ppworkbench.gui.pages.mine.run import Run
from ppworkbench.gui.pages.mine.sentences import few_words
from ppworkbench.gui.widgets.banner import Banner

if TYPE_CHECKING:
    from ppworkbench.gui.pages.mine.page import MinePage


class Banners(QObject):
    """Two banners; notes that somebody closed stay away until there are other ones."""

    def __init__(self, page: MinePage) -> None:
        super().__init__(page)
        self._page = page
        self._closed: tuple[object, ...] = ()
        self.stale, self.note = Banner(page.themes), Banner(page.themes)
        self.stale.setObjectName("mineStale")
        self.note.setObjectName("mineNote")
        self.note.closed.connect(self._on_note_closed)

    def show(self) -> None:
        """Say what there is to say about the run in front."""
        self._show_stale()
        self._show_notes()

    def _show_stale(self) -> None:
        page, run = self._page, self._page.mining.current
        if run is None or not page.is_stale:
            self.stale.hide()
            return
        strong = tr("Results are for the design or the answers of %s.") % run.at
        rest = tr("Mine again to bring them up to date.")
        action = (tr("Mine again"), page.mine) if page.blocked is None else None
        self.stale.say("info", strong, rest, action, closable=False)

    def _show_notes(self) -> None:
        run = self._page.mining.current
        notes = () if run is None else _notes(run)
        if not notes or self._closed == (run, *notes):
            self.note.hide()
            return
        rest = " ".join(notes[1:3])
        if len(notes) > 3:
            rest = tr("%s And %s more.") % (rest, len(notes) - 3)
        self.note.say("warning", notes[0], rest)
        self.note.setToolTip("\n".join(notes[:20]))

    def _on_note_closed(self) -> None:
        run = self._page.mining.current
        if run is not None:
            self._closed = (run, *_notes(run))


def _notes(run: Run) -> tuple[str, ...]:
    few = few_words(run)
    return (*(told(note) for note in run.notes if note), *((few,) if few else ()))
