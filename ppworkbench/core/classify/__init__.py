"""Classification of original records by what was learnt from distorted ones."""

from ppworkbench.core.classify.binning import BinningParams
from ppworkbench.core.classify.classifier import Classifier

# People meet the classifiers in the order in which they are registered.
# isort: off
from ppworkbench.core.classify.tree.decision_tree import DecisionTree
from ppworkbench.core.classify.resampling import Bagging
from ppworkbench.core.classify.resampling import Boosting
from ppworkbench.core.classify.meta import MetaLearner
from ppworkbench.core.classify.naive_bayes import NaiveBayes
from ppworkbench.core.classify.weighted_bayes import WeightedBayes
from ppworkbench.core.classify.mrr_naive_bayes import MrrNaiveBayes
from ppworkbench.core.classify.eager_patterns import EagerPatterns
from ppworkbench.core.classify.lazy_patterns import LazyPatterns
from ppworkbench.core.classify.averaged_ensemble import AveragedEnsemble
from ppworkbench.core.classify import references
from ppworkbench.core.classify.classifier import classifiers

# isort: on

__all__ = [
    "AveragedEnsemble",
    "Bagging",
    "BinningParams",
    "Boosting",
    "Classifier",
    "DecisionTree",
    "EagerPatterns",
    "LazyPatterns",
    "MetaLearner",
    "MrrNaiveBayes",
    "NaiveBayes",
    "WeightedBayes",
    "classifiers",
    "references",
]
