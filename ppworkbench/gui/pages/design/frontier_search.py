"""The search for the frontier that stands behind compared designs, started when it is looked at."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.progress import Progress
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.pages.design.frontier_curves import Curves, search_curves
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.workbench import Workbench

MEASURE = "attack_success"
MOST_VALUES = 12
"""With more values than this the search takes minutes; "Best trade…" still does it."""

_Asked = tuple[Attribute, bytes, int]


class FrontierSearch(QObject):
    """Remembers the last curves: dragging a slider changes the design, not the frontier."""

    changed = Signal()

    def __init__(self, workbench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._asked: _Asked | None = None
        self._found: tuple[_Asked, Curves] | None = None
        self._work: tuple[Attribute, Prior, int] | None = None
        self._job: Job | None = None
        self._wait = single_shot(self, self._start, 250)

    @property
    def curves(self) -> Curves | None:
        """The curves of the attribute that was asked for; older ones until new ones are found."""
        if self._found is None or self._asked is None or self._found[0][0] != self._asked[0]:
            return None
        return self._found[1]

    @property
    def is_searching(self) -> bool:
        """Whether other curves are on their way."""
        busy = self._job is not None and not self._job.state.is_over
        return busy or self._wait.isActive()

    def ask(self, attribute: Attribute, prior: Prior, n: int) -> None:
        """Want the curves of an attribute; nothing happens if they are known or on their way."""
        asked = attribute, prior.probabilities.tobytes(), n
        if asked == self._asked:
            return
        self._asked = asked
        self._drop_job()
        if self._found is not None and self._found[0] == asked:
            self._wait.stop()
            return
        self._work = attribute, prior, n
        self._wait.start()

    def stop(self) -> None:
        """Want nothing any more; what was found stays."""
        self._wait.stop()
        self._drop_job()
        self._asked = None

    def _drop_job(self) -> None:
        if self._job is not None and not self._job.state.is_over:
            self._job.disown()
        self._job = None

    def _start(self) -> None:
        assert self._work is not None  # noqa: S101 (asked for)
        attribute, prior, n = self._work
        asked = self._asked

        def work(progress: Progress) -> Curves:
            return search_curves(attribute, prior, n, MEASURE, progress)

        def show(curves: Curves) -> None:
            if asked is not None and asked == self._asked:
                self._found = asked, curves

        name = self.tr("Best trade for %s") % attribute.name
        self._job = self._workbench.run(name, work, show, key="compare")
        self._job.ended.connect(self.changed)
