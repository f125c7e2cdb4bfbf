"""Running an experiment, from the beginning or from where it was stopped."""

from __future__ import annotations

from ppworkbench.core.experiment.engines import Engine, LocalProcesses
from ppworkbench.core.experiment.experiment import Experiment
from ppworkbench.core.experiment.results import ResultsTable, TaskResult
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent

ALONE = 2.0
"""Seconds before processes are started for an experiment that is not over by then."""


def run_experiment(
    experiment: Experiment,
    table: ResultsTable | None = None,
    *,
    engine: Engine | None = None,
    progress: Progress = silent,
) -> ResultsTable:
    """Carry out all tasks that have no result yet.

    Parameters
    ----------
    table
        Results of an earlier run, which are not done again; new ones are added to it as they come,
        so that it holds what was finished even when the run is cancelled. Results that came of
        errors are tried again. A table of another experiment is refused.
    engine
        Where the work is done; by default here for two seconds, then in processes of this computer.

    Returns
    -------
    ResultsTable
        ``table`` with all results, or a new one.
    """
    if table is None:
        table = ResultsTable(experiment.fingerprint)
    if table.fingerprint != experiment.fingerprint:
        raise ValueError("the results are of another experiment; begin a new table")
    good = {row.task for row in table if not row.error}
    left = [task for task in experiment.tasks if task not in good]
    total = len(experiment.tasks)
    done = total - len(left)
    told = table

    def tell() -> None:
        # Shares of what was left to do, so that the time left can be foreseen from them.
        progress(
            1 - (total - done) / max(len(left), 1),
            Message("{done} of {total} trainings", done=done, total=total),
        )

    def deliver(result: TaskResult) -> None:
        nonlocal done
        told.add(result)
        done += 1
        tell()

    tell()
    (engine or LocalProcesses(alone=ALONE)).run(experiment, left, deliver, tell)
    return table
