"""Publishing a table whose sensitive column can be denied: the deniability-ensuring tree.

Haque and Rizvee, "Ensuring participant deniability in public datasets", with corrections: suffixes
that cannot be cut well are infeasible, a leaf holds its own shares, and epsilon is in squared
shares.
"""

from ppworkbench.core.publish.accuracy_curve import AccuracyTally, CurveOptions, measure_accuracy
from ppworkbench.core.publish.distances import distances
from ppworkbench.core.publish.learners import learners
from ppworkbench.core.publish.making import make_tree, whole_deniability
from ppworkbench.core.publish.options import DRAW, SHUFFLE, DeniabilityOptions
from ppworkbench.core.publish.prediction import cross_validated, own_prediction, predicted_accuracy
from ppworkbench.core.publish.publication import Publication, publish, publish_with
from ppworkbench.core.publish.sample import Sample
from ppworkbench.core.publish.tree import DeniabilityTree, Node
from ppworkbench.core.publish.uncertainty import deniabilities, largest_share

__all__ = [
    "DRAW",
    "SHUFFLE",
    "AccuracyTally",
    "CurveOptions",
    "DeniabilityOptions",
    "DeniabilityTree",
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
