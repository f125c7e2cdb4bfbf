"""Reconstruction of original distributions from distorted answers, on counts."""

from ppworkbench.core.arrays import project
from ppworkbench.core.reconstruct.algorithms.accelerated import Accelerated
from ppworkbench.core.reconstruct.algorithms.as_noise import AsNoise
from ppworkbench.core.reconstruct.algorithms.em import Em, EmAs
from ppworkbench.core.reconstruct.algorithms.eq import Eq
from ppworkbench.core.reconstruct.algorithms.smooth import Smooth
from ppworkbench.core.reconstruct.channel import CountedChannel
from ppworkbench.core.reconstruct.counting import (
    ColumnCounter,
    count_column,
    original_distribution,
)
from ppworkbench.core.reconstruct.estimator import Estimator, estimators
from ppworkbench.core.reconstruct.grid import make_grid
from ppworkbench.core.reconstruct.reconstruct import (
    ReconstructOptions,
    Source,
    reconstruct,
    reconstruct_counts,
    reconstruct_file,
    reconstruct_table,
)
from ppworkbench.core.reconstruct.reconstruction import Reconstruction, information_loss
from ppworkbench.core.reconstruct.simulate import simulate
from ppworkbench.core.reconstruct.stopping import Auto, Converged, Fixed, Published, stop_rule

__all__ = [
    "Accelerated",
    "AsNoise",
    "Auto",
    "ColumnCounter",
    "Converged",
    "CountedChannel",
    "Em",
    "EmAs",
    "Eq",
    "Estimator",
    "Fixed",
    "Published",
    "ReconstructOptions",
    "Reconstruction",
    "Smooth",
    "Source",
    "count_column",
    "estimators",
    "information_loss",
    "make_grid",
    "original_distribution",
    "project",
    "reconstruct",
    "reconstruct_counts",
    "reconstruct_file",
    "reconstruct_table",
    "simulate",
    "stop_rule",
]
