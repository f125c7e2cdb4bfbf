"""The work that a page has under way: run, progress, cancel, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from ppworkbench.core.progress import Progress
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.jobs import Job, JobState
from ppworkbench.gui.workbench import Workbench

R = TypeVar("R")

_PATIENCE = 350
"""Milliseconds after which a page goes on although a cancelled job has not stopped yet."""
_A_MOMENT = 200
"""Milliseconds before it is said that work is under way: what is shorter would flicker."""


class PageTask(QObject, Generic[R]):
    """One job of a page at a time: what was started last wins, older results never arrive.

    Parameters
    ----------
    key
        Names the kind of work; no two tasks of a window have the same.
    quiet
        Live work of a few milliseconds that the list of jobs does not show.
    begins_again
        Whether the page begins the work by itself whenever it is shown.
    """

    finished = Signal(object)
    """The result."""
    failed = Signal(object)
    """The exception; the window has told people about it."""
    stopped = Signal()
    """Somebody cancelled it."""
    progressed = Signal()
    """More is done."""
    changed = Signal()
    """It began or is over; the last signal of both."""

    def __init__(
        self,
        workbench: Workbench,
        key: str,
        parent: QObject | None = None,
        *,
        quiet: bool = False,
        begins_again: bool = False,
    ) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._key = key
        self._is_quiet = quiet
        self._begins_again = begins_again
        self._job: Job | None = None
        self._named: Job | None = None
        """The work that was started last; it may be over."""
        self._patience = single_shot(self, self._let_go, _PATIENCE)

    @property
    def is_running(self) -> bool:
        return self._job is not None

    @property
    def done(self) -> float:
        return 0.0 if self._job is None else self._job.done

    @property
    def message(self) -> str:
        return "" if self._job is None else self._job.message

    def start(self, name: str, work: Callable[[Progress], R], *, is_listed: bool = False) -> None:
        """Begin; what is under way does not arrive any more.

        ``is_listed`` shows work that takes long for once in the list of jobs.
        """
        self._disown()
        is_quiet = self._is_quiet and not is_listed
        job = self._workbench.jobs.start(name, work, key=self._key, quiet=is_quiet)
        job.begins_again = self._begins_again
        self._job = self._named = job
        # Methods, not lambdas: they are disconnected when the page is deleted before the job ends.
        # A job that was disowned tells no more than its end.
        job.progressed.connect(self._on_progressed)
        job.finished.connect(self._on_finished)
        job.failed.connect(self._on_failed)
        job.ended.connect(self._on_ended)
        self.changed.emit()

    def show_while_slow(self, *badges: QWidget) -> None:
        """Show widgets while work is under way that takes longer than a moment."""

        def show() -> None:
            for badge in badges:
                badge.setVisible(self.is_running)

        slow = single_shot(self, show, _A_MOMENT)

        def follow() -> None:
            if not self.is_running:
                slow.stop()
                show()
            elif not slow.isActive():
                slow.start()

        self.changed.connect(follow)
        show()

    def set_name(self, name: str) -> None:
        """Call the work under way, or what is just over, something else in the list of jobs."""
        if self._named is not None:
            self._named.name = name

    def cancel(self) -> None:
        """Stop; a job that does not stop soon is let go, and its result does not arrive."""
        if self._job is not None:
            self._job.cancel()
            self._patience.start()

    def drop(self) -> None:
        """Nobody needs the result any more, as when another study is shown."""
        if self._job is not None:
            self._disown()
            self.changed.emit()

    def _disown(self) -> None:
        self._patience.stop()
        if self._job is not None:
            self._job.disown()
            self._job = None

    def _let_go(self) -> None:
        if self._job is not None:
            self._disown()
            self.stopped.emit()
            self.changed.emit()

    def _on_progressed(self) -> None:
        self.progressed.emit()

    # Whoever hears of the result may start the next work at once.

    def _on_finished(self, result: object) -> None:
        self._end()
        self.finished.emit(result)
        self.changed.emit()

    def _on_failed(self, error: object) -> None:
        self._end()
        self.failed.emit(error)
        self.changed.emit()

    def _on_ended(self) -> None:
        job = self._job
        if job is not None and job.state.is_over:
            self._end()
            if job.state is JobState.CANCELLED:
                self.stopped.emit()
            self.changed.emit()

    def _end(self) -> None:
        self._job = None
        self._patience.stop()
