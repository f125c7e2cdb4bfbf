"""Classification of original records by what was learnt from distorted ones."""

from ppworkbench.core.classify.binning import BinningParams
from ppworkbench.core.classify.classifier import Classifier
from ppworkbench.core.classify.registry import classifiers
from ppworkbench.core.classify.training import Predictor, Training, prepare

__all__ = ["BinningParams", "Classifier", "Predictor", "Training", "classifiers", "prepare"]
