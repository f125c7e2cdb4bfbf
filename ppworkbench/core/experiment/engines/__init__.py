"""Where the tasks of an experiment are carried out."""

from ppworkbench.core.experiment.engines.dask_cluster import DaskCluster
from ppworkbench.core.experiment.engines.in_process import Engine, InProcess
from ppworkbench.core.experiment.engines.local_processes import LocalProcesses, default_workers

__all__ = ["DaskCluster", "Engine", "InProcess", "LocalProcesses", "default_workers"]
