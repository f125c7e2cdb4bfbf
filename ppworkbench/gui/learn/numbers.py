"""The numbers of a step, worked out in the background."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Progress, part
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.language.text import told, tr
from ppworkbench.gui.words import number
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.demonstrations.demonstration import Figure

_PAUSE = 350
"""Milliseconds of rest after a change before numbers are worked out again."""

Found = Mapping[str, float]


class Numbers(QObject):
    """Works out figures for the study of now, and the quick ones again when it changes."""

    found = Signal(object)
    """Values by name."""
    failed = Signal(object)

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._figures: tuple[Figure, ...] = ()
        self._job: Job | None = None
        self._due = QTimer(self)
        self._due.setSingleShot(True)
        self._due.setInterval(_PAUSE)
        self._due.timeout.connect(self._again)
        store = workbench.store
        for changed in (store.design_changed, store.settings_changed, store.data_changed):
            changed.connect(self._on_changed)

    def work_out(self, figures: Sequence[Figure]) -> None:
        """Work out the figures of another step."""
        self.stop()
        self._figures = tuple(figures)
        self._run(self._figures)

    @property
    def is_busy(self) -> bool:
        """Whether numbers are still on their way."""
        return self._job is not None or self._due.isActive()

    def stop(self) -> None:
        """Forget the figures; nothing arrives any more."""
        self._due.stop()
        self._figures = ()
        if self._job is not None:
            self._job.disown()
            self._job = None

    def _on_changed(self) -> None:
        if any(figure.calculation.quick for figure in self._figures):
            self._due.start()

    def _again(self) -> None:
        self._run([figure for figure in self._figures if figure.calculation.quick])

    def _run(self, figures: Sequence[Figure]) -> None:
        if not figures:
            return
        study = self._workbench.store.study

        def work(progress: Progress) -> Found:
            values = {}
            for place, figure in enumerate(figures):
                share = part(progress, place / len(figures), (place + 1) / len(figures))
                values[figure.name] = _value(figure, study, share)
            return values

        name = self.tr("Working out the numbers")
        job = self._workbench.jobs.start(
            name, work, key="learn numbers", quiet=all(f.calculation.quick for f in figures)
        )
        job.finished.connect(self._on_found)
        job.ended.connect(lambda: self._on_ended(job))
        self._job = job

    def _on_found(self, values: Found) -> None:
        self.found.emit(values)

    def _on_ended(self, job: Job) -> None:
        if self._job is job:
            self._job = None


def _value(figure: Figure, study: object, progress: Progress) -> float:
    try:
        return figure.calculation.calculate(study, progress)  # type: ignore[arg-type]
    except WorkbenchError as error:
        what = tr("The figure %s cannot be worked out: %s")
        raise WorkbenchError(what % (repr(figure.name), told(error.message))) from None


def shown(value: float | None, figure: Figure) -> str:
    """A number with its unit; dots while it is not known."""
    if value is None:
        return "…"
    if math.isnan(value):
        return "–"
    unit = f"\u202f{figure.unit}" if figure.unit else ""
    return f"{number(value, figure.digits)}{unit}"
