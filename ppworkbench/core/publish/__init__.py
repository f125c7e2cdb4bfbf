"""Publishing a table whose sensitive column can be denied: the deniability-ensuring tree.

Haque and Rizvee, "Ensuring participant deniability in public datasets", with corrections: suffixes
that cannot be cut well are infeasible, a leaf holds its own shares, and epsilon is in squared
shares.
"""

from ppworkbench.core.publish.accuracy_curve import (
    AccuracyTally,
    CurveOptions,
    cross_validated,
    learners,
    measure_accuracy,
    own_prediction,
    predicted_accuracy,
)
from ppworkbench.core.publish.making import (
    Publication,
    make_tree,
    publish,
    publish_with,
    whole_deniability,
)
from ppworkbench.core.publish.options import DRAW, SHUFFLE, DeniabilityOptions, GroupOptions
from ppworkbench.core.publish.ratings import distances
from ppworkbench.core.publish.sample import Sample
from ppworkbench.core.publish.tree import DeniabilityTree, Node, deniabilities, largest_share

__all__ = [
    "DRAW",
    "SHUFFLE",
    "AccuracyTally",
    "CurveOptions",
    "DeniabilityOptions",
    "DeniabilityTree",
    "GroupOptions",
    "Node",
    "Publication",
    "Sample",
    "cross_validated",
    "deniabilities",
    "distances",
    "largest_share",
    "learners",
    "make_tree",
    "measure_accuracy",
    "own_prediction",
    "predicted_accuracy",
    "publish",
    "publish_with",
    "whole_deniability",
]
