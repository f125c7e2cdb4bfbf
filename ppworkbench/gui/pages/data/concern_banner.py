"""The amber line over the page: things to look at, one after the other."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ppworkbench.gui.pages.data.concerns import Concern, find_concerns
from ppworkbench.gui.pages.data.facts import FactKeeper
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.layouts import column
from ppworkbench.gui.words import number
from ppworkbench.gui.workbench import Workbench

_TOLD = 2
_AT_ONCE = 200
"""So many attributes are judged faster than anybody notices; more of them are a job."""


class ConcernBanner(QWidget):
    """Hidden when all is clear; what was closed is not told again while the study is open."""

    import_requested = Signal()

    def __init__(self, workbench: Workbench, keeper: FactKeeper) -> None:
        super().__init__()
        self._workbench = workbench
        self._store = workbench.store
        self._keeper = keeper
        self._closed: set[Concern] = set()
        self._next = 0
        self.concerns: tuple[Concern, ...] = ()
        self.banner = Banner(workbench.themes)
        self.banner.setObjectName("concerns")
        self.banner.closed.connect(self._on_closed)
        column(self.banner, parent=self)
        self._store.study_opened.connect(self._on_opened)
        self._is_opening = False
        self._due = single_shot(self, self.refresh)
        self._store.data_changed.connect(self._on_data_changed)
        # Apart from what else is done when a job has counted them.
        keeper.missing_counted.connect(self._due.start)
        self.refresh()

    def refresh(self) -> None:
        """Look for things to look at."""
        study = self._store.study
        if study.original is None:
            self.concerns = ()
            self._tell_distorted() if study.distorted is not None else self._hide()
            return
        table, missing = study.original, self._keeper.missing
        if len(table.columns) <= _AT_ONCE:
            self._take_over(find_concerns(table, missing))
            return

        def done(found: tuple[Concern, ...]) -> None:
            if self._store.study.original is table:
                self._take_over(found)

        self._workbench.run(
            self.tr("Looking for doubts"),
            lambda _: find_concerns(table, missing),
            done,
            key="data concerns",
            quiet=True,
        )

    def _take_over(self, found: tuple[Concern, ...]) -> None:
        self.concerns = tuple(concern for concern in found if concern not in self._closed)
        self._next = min(self._next, max(len(self.concerns) - 1, 0))
        self._tell() if self.concerns else self._hide()

    def _tell(self) -> None:
        told = self.concerns[:_TOLD]
        sentences = " ".join(concern.text for concern in told)
        rest = len(self.concerns) - len(told)
        if rest == 1:
            sentences = self.tr("%s And one more.") % sentences
        elif rest:
            sentences = self.tr("%s And %s more.") % (sentences, number(rest))
        concern = self.concerns[self._next]
        words = self.tr("Show the first") if self._next == 0 else self.tr("Show the next")
        if concern.about_import:
            words = self.tr("Import settings…")
        action = (words, self._on_action) if self._leads_somewhere() else None
        self.banner.say("warning", self._title(), sentences, action)
        self.banner.setToolTip("\n".join(concern.text for concern in self.concerns[:20]))
        self.show()

    def _tell_distorted(self) -> None:
        self.banner.say(
            "info",
            self.tr("These answers are distorted."),
            self.tr("Kinds and values come from their design and cannot be changed here."),
            closable=False,
        )
        self.banner.setToolTip("")
        self.show()

    def _hide(self) -> None:
        self.banner.hide()
        self.hide()

    def _title(self) -> str:
        words = {
            1: self.tr("One thing to look at."),
            2: self.tr("Two things to look at."),
            3: self.tr("Three things to look at."),
            4: self.tr("Four things to look at."),
            5: self.tr("Five things to look at."),
        }
        count = len(self.concerns)
        return words.get(count, self.tr("%s things to look at.") % number(count))

    def _leads_somewhere(self) -> bool:
        return any(concern.attribute or concern.about_import for concern in self.concerns)

    def _on_action(self) -> None:
        count = len(self.concerns)
        for step in range(count):
            place = (self._next + step) % count
            concern = self.concerns[place]
            if concern.attribute or concern.about_import:
                self._next = (place + 1) % count
                if concern.about_import:
                    self.import_requested.emit()
                else:
                    self._store.select([concern.attribute])
                break
        self._tell()

    def _on_closed(self) -> None:
        self._closed.update(self.concerns)
        self.refresh()

    def _on_opened(self) -> None:
        # What there is to tell follows with the change of the data.
        self._closed.clear()
        self._next = 0
        self._is_opening = True

    def _on_data_changed(self) -> None:
        if self._is_opening:
            # After the tables, in an event of its own: together they would take too long.
            self._is_opening = False
            self._due.start()
        else:
            self.refresh()
