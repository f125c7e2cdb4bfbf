"""Comparisons of classifiers: folds, repeats, settings and levels of privacy."""

from ppworkbench.core.experiment.experiment import (
    Experiment,
    Plan,
    Setting,
    Sweep,
    design_at,
    variant_labels,
    variant_parameters,
)
from ppworkbench.core.experiment.results import (
    MEASURES,
    Metrics,
    ResultsTable,
    Spread,
    Summary,
    Task,
    TaskResult,
    summarise,
)
from ppworkbench.core.experiment.run import run_experiment
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
    "variant_labels",
    "variant_parameters",
]
