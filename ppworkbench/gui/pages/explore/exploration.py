"""Runs the work of the page and keeps its newest results."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from ppworkbench.core.progress import Progress, part
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.language import told_error
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.analyses.explore import (
    Draw,
    ExploredColumn,
    PartialResult,
    Result,
    is_trivial,
    reconstruct_draw,
    refusal,
    repeat,
    simulate,
    trace_errors,
)
from ppworkbench.study.analyses.iterations import Numbers

_SHOWN_EVERY = 0.25
"""Seconds between two pictures of draws while they are repeated."""


class Explorer(QObject):
    """One result at a time. What was asked for last wins; older answers never arrive."""

    result_changed = Signal(bool)
    """There is another result; True if it is another draw."""
    intervals_changed = Signal()
    """The result in focus knows now how much its estimates vary."""
    failed = Signal(str)
    """The draw could not be taken; the sentence says why."""
    busy_changed = Signal()
    draws_changed = Signal()
    """More draws are counted, or the repetition began or ended."""
    stopped = Signal(int, int)
    """The repetition was cancelled after so many of so many draws."""

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self.result: Result | None = None
        self._job: Job | None = None
        self._repeating: Job | None = None
        self._tallies: dict[str, PartialResult] = {}
        self._shown_at = 0.0

    @property
    def is_busy(self) -> bool:
        """Whether a newer result is on its way."""
        return self._job is not None

    @property
    def is_repeating(self) -> bool:
        """Whether draws are being repeated."""
        return self._repeating is not None

    def forget(self) -> None:
        """Drop everything: another study is shown."""
        self.drop_result()
        self._end_repeat()
        self._tallies.clear()

    def drop_result(self) -> None:
        """There is nothing to explore; what is on its way does not arrive."""
        if self._job is not None:
            self._job.disown()
            self._job = None
        self.result = None
        self.busy_changed.emit()

    def tally(self, explored: ExploredColumn) -> tuple[PartialResult | None, bool]:
        """The repeated draws of an attribute, and whether they belong to an older design."""
        found = self._tallies.get(explored.name)
        if found is None or found.explored.column is not explored.column:
            return None, False
        return found, found.explored != explored

    # One draw

    def explore(self, explored: ExploredColumn, seed: int, methods: Sequence[str]) -> None:
        """Distort and reconstruct; work that is known already is not done again."""
        same = self.result is not None and self.result.draw.key == (explored, seed)
        before = self.result if same else None
        if before is not None and _knows(before, methods):
            self._take(
                Result(before.draw, {n: before.runs[n] for n in methods if n in before.runs})
            )
            return
        if self._repeating is not None and self._tallies[explored.name].explored != explored:
            self._end_repeat()

        def work(progress: Progress) -> Result:
            share = part(progress, 0.0, 0.3)
            draw = simulate(explored, seed, share) if before is None else before.draw
            known = {} if before is None else before.runs
            if is_trivial(draw):
                return Result(draw)
            return reconstruct_draw(draw, methods, known, part(progress, 0.3, 1.0))

        name = self.tr("Exploring %s") % explored.name
        job = self._workbench.run(name, work, self._on_result, key="explore", quiet=True)
        job.failed.connect(self._on_failed)
        self._job = job
        self.busy_changed.emit()

    def _take(self, result: Result) -> None:
        """Show what is known already; nothing that is on its way would be newer."""
        if self._job is not None:
            self._job.disown()
        self._on_result(result)

    def _on_result(self, result: Result) -> None:
        fresh = self.result is None or result.draw is not self.result.draw
        self._job = None
        self.result = result
        self.result_changed.emit(fresh)
        self.busy_changed.emit()

    def _on_failed(self, error: BaseException) -> None:
        self._job = None
        self.result = None
        self.failed.emit(told_error(error))
        self.busy_changed.emit()

    def measure_deviation(self, method: str) -> None:
        """Find out in the background how much the estimates of an iteration vary."""
        result = self.result
        run = None if result is None else result.runs.get(method)
        if result is None or run is None or not run.iterates or run.trace.deviation is not None:
            return
        draw, trace = result.draw, run.trace

        def work(progress: Progress) -> tuple[Draw, str, Numbers]:
            return draw, method, trace_errors(method, draw, trace, progress)

        name = self.tr("Intervals of %s") % draw.explored.name
        self._workbench.run(name, work, self._on_deviation, key="explore intervals", quiet=True)

    def _on_deviation(self, found: tuple[Draw, str, Numbers]) -> None:
        draw, method, deviation = found
        result = self.result
        if result is None or result.draw is not draw or method not in result.runs:
            return
        run = result.runs[method]
        trace = dataclasses.replace(run.trace, deviation=deviation)
        self.result = result.with_run(dataclasses.replace(run, trace=trace))
        self.intervals_changed.emit()

    # Many draws

    def repeat(self, methods: Sequence[str], fixed: int, wanted: int) -> None:
        """Draw again and again in the background; the tally fills up meanwhile."""
        result = self.result
        if result is None or self._repeating is not None:
            return
        draw = result.draw
        tally = PartialResult(draw.explored, wanted, fixed)
        self._tallies[draw.explored.name] = tally

        def work(progress: Progress) -> PartialResult:
            return repeat(draw, methods, fixed, tally, progress)

        job = self._workbench.run(
            self._progress_words(tally), work, lambda _: None, key="explore repeats"
        )
        job.progressed.connect(lambda *_: self._on_progressed(job, tally))
        job.ended.connect(lambda: self._on_ended(job, tally))
        self._repeating = job
        self.draws_changed.emit()

    def cancel_repeat(self) -> None:
        """Stop drawing; what was counted stays."""
        if self._repeating is not None:
            self._repeating.cancel()

    def _end_repeat(self) -> None:
        if self._repeating is not None:
            self._repeating.disown()
            self._repeating = None
            self.draws_changed.emit()

    def _progress_words(self, tally: PartialResult) -> str:
        return self.tr("Repeating, %s of %s") % (tally.done, tally.wanted)

    def _on_progressed(self, job: Job, tally: PartialResult) -> None:
        words = self._progress_words(tally)
        # Reports come far more often than draws are done, and a picture takes its time: nobody
        # could do anything else if one came right after the other.
        if job is not self._repeating or words == job.name:
            return
        job.name = words
        now = time.monotonic()
        if now - self._shown_at >= _SHOWN_EVERY:
            self._shown_at = now
            self.draws_changed.emit()

    def _on_ended(self, job: Job, tally: PartialResult) -> None:
        job.name = self.tr("Repeated %s × for %s") % (tally.done, tally.explored.name)
        if job is not self._repeating:
            return
        self._repeating = None
        if tally.done < tally.wanted:
            self.stopped.emit(tally.done, tally.wanted)
        self.draws_changed.emit()


def _knows(result: Result, methods: Sequence[str]) -> bool:
    """Whether everything that can be said about a draw by these algorithms was said."""
    if is_trivial(result.draw):
        return True
    return all(name in result.runs or refusal(name, result.draw) for name in methods)
