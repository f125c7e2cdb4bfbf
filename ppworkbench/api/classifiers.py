"""Classifiers that learn from randomised records, by the conventions of scikit-learn.

Each takes ``design`` (a design, its JSON values or the path of its file; None for records that were
not randomised), ``random_state`` and its own parameters as keywords. ``fit`` takes reported records
and classes, ``predict`` and ``predict_proba`` original ones; where a classifier can read reported
ones, it does with ``distorted=True``. ``get_params``, ``set_params``, ``clone``, pipelines and
searches over parameters work as for any estimator.
"""

from ppworkbench.core.classify import (
    AveragedEnsemble,
    Bagging,
    Boosting,
    DecisionTree,
    EagerPatterns,
    LazyPatterns,
    MetaLearner,
    MrrNaiveBayes,
    NaiveBayes,
    WeightedBayes,
)

__all__ = [
    "AveragedEnsemble",
    "Bagging",
    "Boosting",
    "DecisionTree",
    "EagerPatterns",
    "LazyPatterns",
    "MetaLearner",
    "MrrNaiveBayes",
    "NaiveBayes",
    "WeightedBayes",
]
