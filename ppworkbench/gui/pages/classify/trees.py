"""Trains the tree that is drawn: that of the first fold, the same as in the experiment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from ppworkbench.core.classify.tree.node import Node
from ppworkbench.core.experiment import Experiment, Task, TrainedTask, train
from ppworkbench.core.progress import Progress
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.language.text import told_error
from ppworkbench.gui.pages.classify.run import Run
from ppworkbench.gui.workbench import Workbench

_KEPT = 12


@dataclass(frozen=True, eq=False)
class DrawnTree:
    """A trained tree with the records it is tested on."""

    trained: TrainedTask
    root: Node
    classes: tuple[str, ...]

    def path(self, place: int) -> tuple[Node, ...]:
        """The nodes through which a tested record goes."""
        record = self.trained.test.take(slice(place, place + 1))
        classifier: Any = self.trained.classifier
        found: tuple[Node, ...] = classifier.path(record)
        return found


class Trees(QObject):
    """One tree at a time; what was asked for last wins."""

    drawn = Signal(object)
    """The tree, or None where there is none to draw."""
    failed = Signal(str)

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._known: dict[tuple[int, str, float | None], tuple[Run, DrawnTree]] = {}
        self._wanted: tuple[int, str, float | None] | None = None
        self._job: Job | None = None

    def forget(self) -> None:
        """Drop all trees: another study is shown."""
        self._known.clear()
        self.nothing()

    def draw(self, run: Run, key: str, level: float | None) -> None:
        """Ask for the tree of a setting; it is announced when it is there."""
        place = id(run), key, level
        if place == self._wanted:
            return
        self._wanted = place
        if place in self._known:
            self.drawn.emit(self._known[place][1])
            return
        experiment = run.experiment
        if experiment is None:
            self.drawn.emit(None)
            return

        def work(progress: Progress) -> DrawnTree:
            return _tree(experiment, Task(key, level, 0, 0), progress)

        def done(tree: DrawnTree) -> None:
            self._known[place] = run, tree
            while len(self._known) > _KEPT:
                self._known.pop(next(iter(self._known)))
            if self._wanted == place:
                self.drawn.emit(tree)

        name = self.tr("Drawing the tree")
        job = self._workbench.jobs.start(name, work, key="classify tree", quiet=True)
        job.finished.connect(done)
        job.failed.connect(lambda error: self._on_failed(place, error))
        self._job = job

    def nothing(self) -> None:
        """There is no tree to be drawn; one that is on its way is not needed any more."""
        self._wanted = None
        if self._job is not None:
            self._job.cancel()
            self._job = None

    def _on_failed(self, place: object, error: BaseException) -> None:
        if self._wanted == place:
            self.failed.emit(told_error(error))


def _tree(experiment: Experiment, task: Task, progress: Progress) -> DrawnTree:
    trained = train(experiment, task, progress)
    classifier: Any = trained.classifier
    return DrawnTree(trained, classifier.root_, tuple(str(c) for c in classifier.classes_))
