"""Work that takes longer than a blink: threads, progress, cancel, history."""

from ppworkbench.gui.jobs.job import Job, JobState
from ppworkbench.gui.jobs.runner import JobRunner

__all__ = ["Job", "JobRunner", "JobState"]
