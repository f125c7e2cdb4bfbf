"""Comparisons of classifiers: folds, repeats, settings and levels of privacy."""

from ppworkbench.core.experiment.engines import TrainedTask, run_experiment, run_task, train
from ppworkbench.core.experiment.experiment import (
    Experiment,
    Plan,
    Setting,
    Sweep,
    design_at,
    variant_parameters,
)
from ppworkbench.core.experiment.results import MEASURES, ResultsTable, Summary, Task, summarise

__all__ = [
    "MEASURES",
    "Experiment",
    "Plan",
    "ResultsTable",
    "Setting",
    "Summary",
    "Sweep",
    "Task",
    "TrainedTask",
    "design_at",
    "run_experiment",
    "run_task",
    "summarise",
    "train",
    "variant_parameters",
]
