"""Comparisons of classifiers: folds, repeats, settings and levels of privacy."""

from ppworkbench.core.experiment.experiment import Experiment
from ppworkbench.core.experiment.levels import design_at
from ppworkbench.core.experiment.metrics import MEASURES, Metrics
from ppworkbench.core.experiment.plan import Plan, Sweep
from ppworkbench.core.experiment.results import ResultsTable, Task, TaskResult
from ppworkbench.core.experiment.run import run_experiment
from ppworkbench.core.experiment.setting import Setting
from ppworkbench.core.experiment.summary import Spread, Summary, summarise
from ppworkbench.core.experiment.task_run import TrainedTask, run_task, train

__all__ = [
    "MEASURES",
    "Experiment",
    "Metrics",
    "Plan",
    "ResultsTable",
    "Setting",
    "Spread",
    "Summary",
    "Sweep",
    "Task",
    "TaskResult",
    "TrainedTask",
    "design_at",
    "run_experiment",
    "run_task",
    "summarise",
    "train",
]
