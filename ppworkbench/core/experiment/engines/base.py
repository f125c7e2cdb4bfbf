"""What every engine does: carry out tasks somewhere and hand over the results as they come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from ppworkbench.core.experiment.experiment import Experiment
from ppworkbench.core.experiment.results import Task, TaskResult

Deliver = Callable[[TaskResult], None]
Check = Callable[[], None]


class Engine(Protocol):
    """Carries out tasks in any order; their results do not depend on it."""

    def run(
        self, experiment: Experiment, tasks: Sequence[Task], deliver: Deliver, check: Check
    ) -> None:
        """Carry out all tasks, calling ``deliver`` in the caller's thread with every result.

        ``check`` is to be called several times a second; it raises
        :class:`~ppworkbench.core.progress.Cancelled` when the work is to stop. Then no further task
        may begin anywhere.
        """
