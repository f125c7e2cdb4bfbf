"""Carrying out one task: distort the training fold, learn, classify the fold left out."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify import Classifier
from ppworkbench.core.classify.randomised_accuracy import estimate_accuracy
from ppworkbench.core.data.missing import fill_missing, find_fills
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.design.distort import distort
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.experiment.experiment import Experiment
from ppworkbench.core.experiment.results import Task, TaskResult, confusion
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Cancelled, Progress, silent
from ppworkbench.core.rng import SeededStreams

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class TrainedTask:
    """The classifier of one task with what it learnt from and is tested on.

    ``test_rows`` are the positions of the tested records in the experiment's table.
    """

    classifier: Classifier[Any]
    design: Design | None
    training: Table
    test: Table
    test_rows: NDArray[np.intp]
    train_seconds: float


def train(experiment: Experiment, task: Task, progress: Progress = silent) -> TrainedTask:
    """Distort the training records of a task and let its classifier learn from them.

    What stands for missing answers is taken from the training records, before the distortion.
    All random numbers come from streams named by repeat and fold: all settings learn from the same
    distorted records, and no result depends on where or when a task is done.
    """
    setting = experiment.setting(task.setting)
    dealt = experiment.folds(task.repeat)
    training = experiment.table.take(dealt != task.fold)
    test_rows = np.flatnonzero(dealt == task.fold)
    test = experiment.table.take(test_rows)
    fills = find_fills(training)
    training, test = fill_missing(training, fills), fill_missing(test, fills)
    design = None
    if not setting.undistorted:
        design = experiment.design_at(task.level)
        training = distort(training, design, _streams(experiment, task, "training"))
        if experiment.plan.test_on != "original":
            test = distort(test, design, _streams(experiment, task, "test"))
    progress(0.0)
    classifier = setting.make(design=design, random_state=_seed(experiment, task, "classifier"))
    start = time.perf_counter()
    classifier.fit(training, progress=progress)
    seconds = time.perf_counter() - start
    return TrainedTask(classifier, design, training, test, test_rows, seconds)


def run_task(experiment: Experiment, task: Task, progress: Progress = silent) -> TaskResult:
    """Train and test; what goes wrong with one task is its result, not the end of the others."""
    try:
        return _run(experiment, task, progress)
    except Cancelled:
        raise
    except WorkbenchError as error:
        return TaskResult(task, error=error.message)
    except Exception as error:
        log.exception("the task %s failed", task)
        what = f"{type(error).__name__}: {error}".rstrip(": ")
        return TaskResult(
            task, error=Message("Internal error ({what}); report it with the log.", what=what)
        )


def _run(experiment: Experiment, task: Task, progress: Progress) -> TaskResult:
    trained = train(experiment, task, progress)
    progress(0.0)
    start = time.perf_counter()
    if experiment.plan.test_on == "estimated" and trained.design is not None:
        seed = _seed(experiment, task, "estimate")
        found = estimate_accuracy(trained.classifier, trained.test, trained.design, seed=seed)
        seconds = time.perf_counter() - start
        return TaskResult(task, (), trained.train_seconds, seconds, estimate=found.accuracy)
    is_distorted = experiment.plan.test_on == "distorted" and trained.design is not None
    predicted = trained.classifier.predict(trained.test, distorted=is_distorted, progress=progress)
    seconds = time.perf_counter() - start
    place = {value: code for code, value in enumerate(experiment.class_values)}
    predicted = np.array([place[str(value)] for value in predicted], np.intp)
    # The truth is the original class, even where the design distorts the class too.
    true = experiment.classes[trained.test_rows]
    matrix = confusion(true, predicted, len(place))
    counts = tuple(tuple(int(count) for count in row) for row in matrix)
    return TaskResult(task, counts, trained.train_seconds, seconds)


def _streams(experiment: Experiment, task: Task, what: str) -> SeededStreams:
    return SeededStreams(_seed(experiment, task, what))


def _seed(experiment: Experiment, task: Task, what: str) -> int:
    name = ("experiment", what, str(task.repeat), str(task.fold))
    return int(SeededStreams(experiment.plan.seed).generator(*name).integers(2**31))
